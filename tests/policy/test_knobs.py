"""The declarations of knobs against the recorded parameter table."""

from __future__ import annotations

from pathlib import Path

from pieslice.documents.knobs import knob_page
from policy.data.tables import builtin_table
from policy.io import builtin_library
from policy.knobs import FAMILIES, KNOBS, find_knob, table_defaults
from tests.policy.config_vectors import load_vectors

ROOT = Path(__file__).parents[2]
TABLE = load_vectors("defaults.json")["params"]


def test_every_default_is_the_recorded_one() -> None:
    assert builtin_library().defaults == {name: row["default"] for name, row in TABLE.items()}


def test_a_default_stands_in_one_place_only() -> None:
    table = {name.casefold() for name in builtin_table()}
    assert not table & {name.casefold() for name in table_defaults()}


def test_knobs_outside_the_table_are_not_in_it() -> None:
    folded = {name.casefold() for name in TABLE}
    wrong = [
        knob.name for knob in KNOBS.values() if knob.in_table != (knob.name.casefold() in folded)
    ]
    assert wrong == []


def test_docs_begin_with_a_verb_and_reasons_are_given() -> None:
    for knob in (*KNOBS.values(), *FAMILIES):
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
