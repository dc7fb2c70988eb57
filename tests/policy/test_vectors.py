"""The recorded observations of the configuration tools, replayed."""

from __future__ import annotations

from typing import Any

import pytest

from policy.conformance import Setup, differences
from policy.io import builtin_library, builtin_table
from tests.policy.config_vectors import load_vectors, run_program

#: All files of the format config-vectors/1; every case agrees.
AREAS = (
    *("append", "continuation", "errors", "func", "heredoc", "if", "include", "lines"),
    *("macro", "policy", "prefix", "selfref", "sources", "typed", "use"),
)
SETUP = Setup(builtin_library(), builtin_table(), run_program)


@pytest.mark.parametrize("area", AREAS)
def test_area_agrees(area: str) -> None:
    cases: list[dict[str, Any]] = load_vectors(f"{area}.json")["cases"]
    wrong = {case["id"]: found for case in cases if (found := differences(case, SETUP))}
    assert wrong == {}
