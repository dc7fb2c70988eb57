"""What becomes of configurations: values, places, reports, as ``corpus/tables.txt`` has them."""

from __future__ import annotations

import pytest

from tests.policy.parts import parts
from tests.policy.tables import agreed, cases, said

CASES = list(cases())
#: So many cases are one test.
PARTS = parts(CASES, 25)


@pytest.mark.parametrize("part", PARTS)
def test_what_becomes_of_a_configuration(part: str) -> None:
    found = [f"{case.config}{said(case.config, agreed(case))}" for case in PARTS[part]]
    assert "\n".join(found) == "\n".join(f"{case.config}{case.said}" for case in PARTS[part]), (
        "if that is meant, run: python -m tests.policy.tables"
    )


def test_the_library_has_the_same_values() -> None:
    """Most of the macros that no daemon knows, in configurations that it reads at all."""
    assert len({case.config for case in CASES}) == len(CASES)
    assert sum(len(agreed(case)) for case in CASES) > 1800
