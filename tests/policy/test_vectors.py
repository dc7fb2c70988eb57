"""The recorded observations of the configuration tools, replayed."""

from __future__ import annotations

from typing import Any

import pytest

from policy.data.tables import builtin_table
from policy.io import builtin_library
from tests.conform.configuration.kinds import CONFIG_KINDS, stand_in
from tests.conform.configuration.replay import CASE_FIELDS, Setup, check_case
from tests.conform.runner import check_case as check_recorded
from tests.conform.runner import run
from tests.policy.config_vectors import VECTORS, load_vectors, run_program

#: All files of the format config-vectors/1; every case agrees.
AREAS = (
    *("append", "continuation", "errors", "func", "heredoc", "if", "include", "lines"),
    *("macro", "policy", "prefix", "selfref", "sources", "typed", "use", "edges", "random"),
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


@pytest.mark.slow
def test_conform_passes_every_file_of_configurations() -> None:
    summary = run([VECTORS], CONFIG_KINDS)
    assert [(outcome.id, outcome.mismatches) for outcome in summary.failures] == []
    assert {name: good for name, (good, _) in summary.by_kind.items()} == {
        "configuration": 935,
        "negotiator start": 54,
        "parameter default": 4411,
        "template": 82,
        "user map": 13,
    }


def test_conform_finds_differences_of_every_kind() -> None:
    for case in (
        {"id": "NEGOTIATOR_INTERVAL", "default": "61"},
        {"id": "ADSTASH_NUM_THREADS", "default": "1", "type": "bool"},
        {"id": "POLICY:desktop", "template": "desktop", "shown_by": []},
        {"id": "m", "map": "* a b", "map_name": "M", "results": {'userMap("M", "a")': '"c"'}},
        {"id": "s", "config": "", "starts": False, "exit": 4, "messages": []},
    ):
        assert check_recorded(case, CONFIG_KINDS).mismatches


def test_conform_runs_no_program() -> None:
    assert stand_in("/bin/echo X = 5") == "X = 5\n"
    assert stand_in("false") == ""
    assert stand_in("rm -r x") is None
