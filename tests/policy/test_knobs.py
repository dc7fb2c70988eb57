"""The declarations of knobs against the recorded parameter table."""

from __future__ import annotations

from pathlib import Path

import pytest
from attr import fields_dict, frozen

from pieslice.documents.knobs import knob_page
from policy.config import Library, config_from_mapping
from policy.data.tables import builtin_table, meanings
from policy.io import builtin_library
from policy.knobs import FAMILIES, KNOBS, Kind, Knob, find_knob
from policy.knobs.fields import KnobReader, integer, readers
from policy.knobs.other_daemons import DAEMONS, OTHER_KNOBS
from policy.knobs.reading import default_value
from policy.knobs.tool_values import table_row, tool_value
from policy.load import policy_from_knobs
from policy.model import PARTS, NegotiatorPolicy
from tests.policy.config_vectors import load_vectors

ROOT = Path(__file__).parents[2]
TABLE = load_vectors("defaults.json")["params"]


def test_every_default_is_the_recorded_one() -> None:
    assert builtin_library().defaults == {name: row["default"] for name, row in TABLE.items()}


def test_the_default_and_the_meaning_of_a_knob_stand_in_its_declaration_only() -> None:
    """The tables have the rows of all other macros: a declared knob takes its row away."""
    recorded = {name.casefold() for name in (*builtin_table(), *meanings())}
    assert [name for name in KNOBS if name in recorded] == []


def test_knobs_outside_the_table_are_not_in_it() -> None:
    folded = {name.casefold() for name in TABLE}
    wrong = [
        knob.name for knob in KNOBS.values() if knob.in_table != (knob.name.casefold() in folded)
    ]
    assert wrong == []


def test_a_default_of_a_macro_with_a_bad_value_takes_the_default_of_that() -> None:
    knob = find_knob("MAX_CONCURRENT_UPLOADS_PER_USER")
    assert knob is not None
    for text in ("2k0", "$(MAX_CONCURRENT_UPLOADS_PER_USER)"):
        config = config_from_mapping({"MAX_CONCURRENT_UPLOADS": text}, builtin_library())
        assert default_value(config, knob) == 20


def test_a_field_is_read_by_what_its_knob_declares() -> None:
    knob = Knob("POOL_MANY", Kind.INT, "3", "Counts things", maximum=9.0)

    @frozen(kw_only=True)
    class Part:
        many: int = integer(knob)

    def read(text: str) -> tuple[object, int]:
        config = config_from_mapping({"POOL_MANY": text}, Library())
        knobs = KnobReader(config)
        ((name, reader),) = readers(Part)
        assert name == "many"
        return reader(knobs), len(knobs.diagnostics)

    assert read("2 * 4") == (8, 0)
    assert read("") == (3, 0)
    assert read("10") == (3, 1)


def test_a_regular_expression_that_is_none_is_told_and_not_used() -> None:
    loaded = policy_from_knobs({"REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX": "(x"})
    assert loaded.policy.remove_significant_attributes_regex == ""
    (item,) = loaded.diagnostics
    assert item.severity == "warning"
    assert "`(x` is not a regular expression" in item.message


@pytest.mark.parametrize(
    ("knobs", "texts"),
    [
        ({"STARTD_AD_REEVAL_EXPR": "true"}, ["true"]),
        ({"STARTD_AD_REEVAL_EXPR": " "}, []),
        ({"STARTD_AD_REEVAL_EXPR": "a", "NEGOTIATOR.STARTD_AD_REEVAL_EXPR": "b"}, ["b"]),
    ],
)
def test_what_is_not_honoured_is_told_once_and_not_at_its_default(
    knobs: dict[str, str], texts: list[str]
) -> None:
    assert [item.text for item in policy_from_knobs(knobs).unsupported] == texts


def test_a_map_in_a_file_is_no_matter_where_no_file_can_be_read() -> None:
    knobs = {"NEGOTIATOR_CLASSAD_USER_MAP_NAMES": "A", "CLASSAD_USER_MAPFILE_A": "/a"}
    loaded = policy_from_knobs(knobs)
    assert (dict(loaded.policy.user_maps), loaded.diagnostics) == ({}, ())


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("SOME", "12", 9), ("SOME", "-3", 1), ("SOME", "x", 5), ("SOME", None, 5),
        ("FLAG", None, None), ("FLAG", "true", True), ("WORD", "a", "a"), ("WORD", None, None),
    ],
)  # fmt: skip
def test_tools_read_numbers_of_the_table_within_their_range(
    name: str, text: str | None, value: object
) -> None:
    table = {"some": ["5", "int", "1", "9"], "flag": ["", "bool"]}
    config = config_from_mapping({} if text is None else {name: text}, Library())
    assert tool_value(config, name, table_row(name, table)) == value


def test_every_field_of_the_policy_that_has_a_reader_is_filled_by_it() -> None:
    made = [name for part in PARTS for name, _ in readers(part)]
    others = {"dialect", "groups", "group_accept_surplus", "concurrency_limits", "user_maps"}
    assert sorted([*made, *others]) == sorted(fields_dict(NegotiatorPolicy))


def test_expressions_of_other_daemons_are_no_knobs_of_a_cycle() -> None:
    assert not OTHER_KNOBS.keys() & KNOBS.keys()
    assert {knob.read_by for knob in OTHER_KNOBS.values()} <= DAEMONS


def test_docs_begin_with_a_verb_and_reasons_are_given() -> None:
    for knob in (*KNOBS.values(), *FAMILIES, *(k for k in OTHER_KNOBS.values() if k.doc)):
        assert knob.doc.split()[0].endswith("s"), knob.name
        assert knob.honoured or knob.reason, knob.name


def test_families_are_told_apart() -> None:
    expected = {
        "group_quota_dynamic_a.b": "GROUP_QUOTA_DYNAMIC_<group>",
        "GROUP_QUOTA_a.b": "GROUP_QUOTA_<group>",
        "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS": "GROUP_QUOTA_MAX_ALLOCATION_ROUNDS",
        "GROUP_ACCEPT_SURPLUS": "GROUP_ACCEPT_SURPLUS",
        "matlab_limit": "<name>_LIMIT",
        "CONCURRENCY_LIMIT_DEFAULT_s": "CONCURRENCY_LIMIT_DEFAULT_<set>",
    }
    for macro, name in expected.items():
        knob = find_knob(macro)
        assert knob is not None
        assert knob.name == name
    assert find_knob("START") is None


def test_the_page_is_current() -> None:
    written = (ROOT / "docs" / "knobs.md").read_text(encoding="utf-8")
    assert written == knob_page(), "run: python -m pieslice.documents knobs > docs/knobs.md"
