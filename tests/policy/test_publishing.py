"""What a startd publishes of its configuration, as condor_startd 25.14.1 was seen to do."""

from __future__ import annotations

import pytest

from policy.config import Config, load_config
from policy.io import builtin_library
from policy.language.sources import MemorySources
from policy.language.table import Context
from policy.publishing import SlotKind, local_startds, published
from tests.policy.test_lint import ids

FIRST = SlotKind(type=1, number=1)


def config(text: str) -> Config:
    sources, library = MemorySources({"c": text}), builtin_library()
    return load_config("c", sources, library, context=Context("STARTD"), keep_going=True)


def texts(text: str, kind: SlotKind = FIRST) -> dict[str, str]:
    found = published(config(text), kind)
    return {one.attribute: str(one.expression) for one in found if one.expression is not None}


def test_policy_expressions_have_names_of_their_own_and_defaults() -> None:
    found = texts("START = TARGET.RequestCpus < 3\nPREEMPT = true\nSUSPEND = true\n")
    found.pop("COLLECTOR_HOST_STRING", None)
    assert found == {
        "Start": "TARGET.RequestCpus < 3",
        "Rank": "0",
        "SlotWeight": "Cpus",
        "MaxJobRetirementTime": "0",
        "MachineMaxVacateTime": "10 * 60",
    }


@pytest.mark.parametrize("macro", ["START", "RANK", "SLOT_WEIGHT", "MAXJOBRETIREMENTTIME"])
def test_what_is_set_for_a_type_of_slots_comes_before_what_is_set_for_all(macro: str) -> None:
    text = f"{macro} = 7\nSLOT_TYPE_1_{macro} = 8\nSLOT1_{macro} = 9\n"
    values = [set(texts(text, SlotKind(number, 1)).values()) for number in (1, 2, None)]
    assert ["8" in values[0], "7" in values[1], "7" in values[2]] == [True] * 3
    assert not any("9" in one for one in values)


def test_lists_name_attributes() -> None:
    found = texts(
        "STARTD_ATTRS = Node, Gone Broken\nSTARTD_EXPRS = Old\nSYSTEM_STARTD_ATTRS = System\n"
        "Node = 1\nOld = 2\nSystem = 3\nBroken = 1 +\n"
    )
    assert {name: found[name] for name in ("Node", "Old", "System")} == {
        "Node": "1", "Old": "2", "System": "3",
    }  # fmt: skip
    assert not {"Gone", "Broken"} & found.keys()


def test_only_what_the_list_of_a_slot_or_its_type_names_has_values_of_its_own() -> None:
    text = (
        "STARTD_ATTRS = Foo\nFoo = 3\nSLOT1_Foo = 31\nSLOT_TYPE_1_Foo = 30\n"
        "SLOT_TYPE_1_STARTD_ATTRS = Bar\nBar = 4\nSLOT_TYPE_1_Bar = 41\n"
        "SLOT2_STARTD_ATTRS = Baz\nBaz = 5\nSLOT2_Baz = 52\nSLOT2_Bar = 42\n"
    )
    first, second, other = (texts(text, SlotKind(*which)) for which in ((1, 1), (1, 2), (2, 3)))
    assert (first["Foo"], first["Bar"], "Baz" in first) == ("3", "41", False)
    assert (second["Foo"], second["Bar"], second["Baz"]) == ("3", "42", "52")
    assert (other["Foo"], "Bar" in other, "Baz" in other) == ("3", False, False)


def test_an_expression_that_does_not_parse_is_left_out_but_for_start_and_rank() -> None:
    found = texts("START = 1 +\nRANK = 1 +\nMAXJOBRETIREMENTTIME = 1 +\n")
    assert (found["Start"], found["Rank"]) == ("error", "0.0")
    assert "MaxJobRetirementTime" not in found


def test_startds_with_local_names_are_told_by_their_names() -> None:
    text = "n1.STARTD_NAME = node1\nn2.START = true\nSTARTD.STARTD_NAME = other\n"
    assert local_startds(config(text)) == {"node1": "n1"}


def test_a_text_that_a_slot_has_in_every_file_is_compared_as_it_is() -> None:
    site = 'STARTD_ATTRS = Site\nSite = "CERN"\n'
    assert ids(f'{site}START = Site =?= "Cern"\n') == [("P416", 3)]
    assert ids(f'{site}START = MY.Site == "CERNN"\n') == [("P410", 3)]
    for clean in ('Site == "cern"', 'Site == "DESY"', 'TARGET.Site =?= "Cern"'):
        assert ids(f"{site}START = {clean}\n") == []
    # Numbered things differ by a digit.
    assert ids('STARTD_ATTRS = Rack\nRack = "R1"\nSTART = Rack == "R2"\n') == []


GROUPS = "GROUP_NAMES = cms, atlas\nGROUP_QUOTA_cms = 1\nGROUP_QUOTA_atlas = 1\nNAME_LIMIT = 4\n"


@pytest.mark.parametrize(
    "text",
    [
        'SUBMIT_REQUIREMENT_NAMES = G\nSUBMIT_REQUIREMENT_G = member(AcctGroup, {"cms", "%s"})\n',
        'SUBMIT_REQUIREMENT_NAMES = G\nSUBMIT_REQUIREMENT_G = stringListMember(AcctGroup, "%s")\n',
        "JOB_TRANSFORM_NAMES = G\nJOB_TRANSFORM_G @=end\n REQUIREMENTS JobUniverse == 5\n"
        ' SET AcctGroup "%s"\n@end\n',
    ],
)
def test_the_name_of_a_group_is_spelled_as_in_group_names(text: str) -> None:
    assert [name for name, _ in ids(GROUPS + text % "atlaas")] == [
        "P211" if " SET " in text else "P410"
    ]
    for clean in ("atlas", "ATLAS", "lhcb"):
        assert ids(GROUPS + text % clean) == []


def test_the_name_of_a_limit_is_spelled_as_where_it_is_set() -> None:
    body = "JOB_TRANSFORM_NAMES = G\nJOB_TRANSFORM_G @=end\n REQUIREMENTS JobUniverse == 5\n"
    for text, expected in (("nam:2", ["P211"]), ("NAME,other", []), ("name:1", [])):
        said = ids(f'{GROUPS}{body} SET ConcurrencyLimits "{text}"\n@end\n')
        assert [name for name, _ in said] == expected


@pytest.mark.parametrize("command", ["Notification", "request_memory", "Universe"])
def test_a_command_of_submit_files_is_no_attribute_to_publish(command: str) -> None:
    assert ids(f"SUBMIT_ATTRS = {command}\n{command} = Never\n") == [("P401", 1)]


def test_what_nothing_defines_is_told_once_whatever_submit_files_call_so() -> None:
    assert ids("SUBMIT_ATTRS = request_memory\n") == [("P211", 1)]
