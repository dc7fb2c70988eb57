"""The declarations of knobs against the recorded parameter table."""

from __future__ import annotations

from pathlib import Path

import pytest
from attr import fields_dict

from docs.written.knobs import knob_page
from policy.config import Library, config_from_mapping
from policy.data.tables import builtin_table, meanings
from policy.explain.meaning import meaning
from policy.io import builtin_library
from policy.knobs import FAMILIES, KNOBS, PARTS, Knob, KnobKind, find_knob
from policy.knobs.fields import KnobReader, integer, readers
from policy.knobs.other_daemons import DAEMONS, OTHER_KNOBS
from policy.knobs.parameters import find_parameter
from policy.knobs.readers import find_readers
from policy.knobs.reading import default_value, read_knob
from policy.knobs.shares import NAME_LIMIT
from policy.knobs.uses import find_use
from policy.load import policy_from_knobs
from policy.model import NegotiatorPolicy
from tests.cases import every_case
from tests.conform.configuration.tool_values import table_row, tool_value
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
    knob = Knob("POOL_MANY", KnobKind.INT, "3", "Counts things", maximum=9.0)

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
    others = {"dialect", "version", "groups", "group_accept_surplus", "group_autoregroup"}
    others |= {"concurrency_limits", "user_maps", "claims_read", "own_machine_read"}
    assert sorted([*made, *others]) == sorted(fields_dict(NegotiatorPolicy))


def test_expressions_of_other_daemons_are_no_knobs_of_a_cycle() -> None:
    assert not OTHER_KNOBS.keys() & KNOBS.keys()
    assert {knob.read_by for knob in OTHER_KNOBS.values()} <= DAEMONS


def test_docs_begin_with_a_verb_and_reasons_are_given() -> None:
    for knob in (*KNOBS.values(), *FAMILIES, *(k for k in OTHER_KNOBS.values() if k.doc)):
        assert knob.doc.split()[0].endswith("s"), knob.name
        assert knob.honoured or knob.reason, knob.name


#: What the negotiator and the schedd do without, by the specification; everything else ends them.
GOES_ON = {
    "NEGOTIATOR_JOB_CONSTRAINT", "DEFAULT_PRIO_FACTOR", "NICE_USER_PRIO_FACTOR",
    "REMOTE_PRIO_FACTOR", "NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT", "GROUP_DYNAMIC_MACH_CONSTRAINT",
    "CONCURRENCY_LIMIT_DEFAULT", "START_VANILLA_UNIVERSE", "SCHEDD_SLOT_WEIGHT", "<name>_LIMIT",
    "CONCURRENCY_LIMIT_DEFAULT_<set>",
}  # fmt: skip
INVALID = {
    KnobKind.BOOL: "perhaps",
    KnobKind.INT: "many",
    KnobKind.DOUBLE: "many",
    KnobKind.EXPR: "1 +",
}
ENDLESS = {"ENDLESS": "$(WITHOUT_END)", "WITHOUT_END": "$(ENDLESS)"}


@every_case("knob", [*KNOBS.values(), *FAMILIES], name=lambda knob: knob.name)
def test_an_invalid_value_ends_the_daemon_or_not(knob: Knob) -> None:
    macro = knob.of("a") if knob.is_family else knob.name
    values = {macro: INVALID.get(knob.kind, "$(ENDLESS)"), **ENDLESS}
    found = read_knob(config_from_mapping(values, builtin_library()), knob, macro).diagnostic
    assert found is not None
    goes_on = knob.name in GOES_ON
    expected = ("P112", "warning") if goes_on else ("P110", "error")
    if knob.kind is KnobKind.EXPR and not goes_on:
        expected = ("P111", "error")
    assert (found.id, found.severity) == expected


@pytest.mark.parametrize(
    ("macro", "least", "below", "most", "above"),
    [
        ("GROUP_QUOTA_MAX_ALLOCATION_ROUNDS", "1", "0", "1000000000", "1000000001"),
        ("GROUP_QUOTA_ROUND_ROBIN_RATE", "1", "0.999", "1e300", None),
        ("NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE", "1", "0", "2147483647", "2147483648"),
        ("MAX_CONCURRENT_UPLOADS_PER_USER", "0", "-1", "2147483647", "2147483648"),
        ("NEGOTIATOR_MAX_TIME_PER_CYCLE", "-2147483648", "-2147483649", "2147483647", "2147483648"),
        ("GROUP_QUOTA_a", "0", "-0.001", "2147483647", "2147483647.5"),
        ("GROUP_QUOTA_DYNAMIC_a", "0", "-0.001", "1", "1.001"),
        ("PRIORITY_HALFLIFE", "-1e300", None, "1e300", None),
    ],
)
def test_the_least_and_the_greatest_value(
    macro: str, least: str, below: str | None, most: str, above: str | None
) -> None:
    knob = find_knob(macro)
    assert knob is not None
    for text in (least, most):
        reading = read_knob(config_from_mapping({macro: text}, builtin_library()), knob, macro)
        assert (reading.value, reading.diagnostic) == (float(text), None)
    for text in filter(None, (below, above)):
        reading = read_knob(config_from_mapping({macro: text}, builtin_library()), knob, macro)
        assert reading.diagnostic is not None


def test_knobs_of_groups_end_nobody_where_there_are_none() -> None:
    lazy = {"GROUP_QUOTA_MAX_ALLOCATION_ROUNDS", "GROUP_QUOTA_ROUND_ROBIN_RATE"}
    for knob in KNOBS.values():
        if knob.kind not in INVALID or knob.read_by != "NEGOTIATOR" or knob.name in GOES_ON:
            continue
        for groups in ({}, {"GROUP_NAMES": "a", "GROUP_QUOTA_a": "1"}):
            loaded = policy_from_knobs({knob.name: INVALID[knob.kind], **groups})
            ends = bool(groups) or knob.name not in lazy
            severities = {found.severity for found in loaded.diagnostics}
            assert severities <= {"error" if ends else "warning"}, knob.name


def test_the_order_of_groups_does_not_matter() -> None:
    assert [knob.name for knob in KNOBS.values() if knob.unordered] == ["GROUP_NAMES"]
    config = config_from_mapping({}, builtin_library())
    assert meaning(config, "GROUP_NAMES", "b, a A") == ("list", ("a", "b"))
    assert meaning(config, "SIGNIFICANT_ATTRIBUTES", "b, a A") == ("list", ("b", "a", "a"))


@pytest.mark.parametrize(
    ("macro", "kind", "daemons", "ended", "bounds"),
    [
        ("START", "string", "STARTD", {}, (None, None)),
        ("num_slots_type_7", "integer", "STARTD", {"STARTD": 4}, (None, None)),
        ("NUM_SLOTS_TYPE_123", "integer", "STARTD", {"STARTD": 4}, (None, None)),
        ("MAX_JOBS_RUNNING", "integer", "SCHEDD", {"SCHEDD": 4}, (None, None)),
        ("STARTER_UPDATE_INTERVAL", "integer", "STARTER", {}, (None, None)),
        ("ROOSTER_INTERVAL", "integer", "ROOSTER", {}, (0, 2147483647)),
        ("GANGLIAD_INTERVAL", "integer", "GANGLIAD", {}, (None, None)),
        ("HAD_CONNECTION_TIMEOUT", "integer", "HAD REPLICATION", {}, (None, None)),
        ("DEFRAG_DRAINING_MACHINES_PER_HOUR", "double", "DEFRAG", {"DEFRAG": 4}, (0, None)),
        ("Job_Router_Polling_Period", "integer", "JOB_ROUTER", {}, (None, None)),
    ],
)
def test_who_reads_a_macro(
    macro: str, kind: str, daemons: str, ended: dict[str, int], bounds: tuple[int | None, ...]
) -> None:
    found = find_readers(macro)
    assert found is not None
    assert (found.kind, found.daemons) == (kind, frozenset(daemons.split()))
    assert (dict(found.ended), (found.low, found.high)) == (ended, bounds)
    knob = found.knob(daemons.split()[0])
    if kind == "string":
        assert knob is None
    else:
        assert knob is not None
        assert (knob.minimum, knob.maximum, knob.wide) == (*bounds, False)
        assert knob.read_by == daemons.split()[0]


@pytest.mark.parametrize(
    ("macro", "moment"),
    [
        ("CLAIM_WORKLIFE", "while the slot is claimed"),
        ("START", "when a job is offered to the slot, and while one is on it"),
        ("RANK", "when a job is offered to the slot, and while one is on it"),
        ("SLOT_TYPE_1_CLAIM_WORKLIFE", "while the slot is claimed"),
        ("SYSTEM_PERIODIC_HOLD", "for each job in the queue, again and again"),
        ("DEFRAG_RANK", "when machines to be drained are looked for"),
    ],
)
def test_when_an_expression_is_evaluated(macro: str, moment: str) -> None:
    found = find_use(macro)
    assert found is not None
    assert found.moment == moment


def test_macros_that_nobody_reads() -> None:
    assert find_readers("NOSUCH") is None
    assert find_readers("NOSUCH_TYPE_7") is None


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


def test_a_macro_of_its_own_is_no_member_of_a_family() -> None:
    """The names of concurrency limits end in the same word."""
    for name in ("DETECTED_CPUS_LIMIT", "ARC_GAHP_COMMAND_LIMIT", "CGROUP_LOW_MEMORY_LIMIT"):
        assert find_knob(name) is None
        assert find_knob(name.lower()) is None
    assert find_knob("LICENSE_LIMIT") is NAME_LIMIT
    assert (cpus := find_parameter("DETECTED_CPUS_LIMIT")) is not None
    assert (cpus.default, cpus.reader) == ("$(DETECTED_CPUS)", "all")


def test_the_page_is_current() -> None:
    written = (ROOT / "docs" / "knobs.md").read_text(encoding="utf-8")
    assert written == knob_page(), "run: python -m docs.written knobs > docs/knobs.md"
