"""What small policies come to: fields, findings, sentences, differences, as they are kept."""

from __future__ import annotations

import pytest

from tests.policy.parts import parts
from tests.policy.policies import cases, said

CASES = list(cases())
#: So many cases are one test.
PARTS = parts(CASES, 20)


@pytest.mark.parametrize("part", PARTS)
def test_what_a_policy_comes_to(part: str) -> None:
    found = [f"{case.config}{said(case.config)}" for case in PARTS[part]]
    assert "\n".join(found) == "\n".join(f"{case.config}{case.said}" for case in PARTS[part]), (
        "if that is meant, run: python -m tests.policy.policies"
    )


def test_every_policy_stands_once() -> None:
    assert len({case.config for case in CASES}) == len(CASES) > 300
