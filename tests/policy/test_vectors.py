"""The recorded observations of the configuration tools, replayed."""

from __future__ import annotations

from typing import Any

import pytest

from policy.conformance import CASE_FIELDS, Setup, check_case
from policy.io import builtin_library, builtin_table
from tests.policy.config_vectors import load_vectors, run_program

#: All files of the format config-vectors/1; every case agrees.
AREAS = (
    *("append", "continuation", "errors", "func", "heredoc", "if", "include", "lines"),
    *("macro", "policy", "prefix", "selfref", "sources", "typed", "use"),
)
SETUP = Setup(builtin_library(), builtin_table(), run_program)


@pytest.mark.parametrize("area", [*AREAS, "usermap", "negotiator-startup"])
def test_area_agrees(area: str) -> None:
    vectors = load_vectors(f"{area}.json")
    cases: list[dict[str, Any]] = vectors["cases"]
    wrong = {}
    for case in cases:
        assert set(case) <= CASE_FIELDS[vectors["format"]]
        found = check_case(vectors["format"], case, SETUP)
        if found:
            wrong[case["id"]] = found
    assert wrong == {}


def test_a_difference_is_found() -> None:
    case = {
        "files": {"condor_config": "A = 1\nB = 2\n"},
        "expect": {
            "status": "ok",
            "values": {
                "A": {"defined": True, "raw": "1", "value": "2"},
                "B": {"defined": False, "value": None},
            },
        },
    }
    found = check_case("config-vectors/1", case, SETUP)
    assert [tuple(difference) for difference in found] == [
        ("A", "2", "1"),
        ("defined B", False, True),
    ]
