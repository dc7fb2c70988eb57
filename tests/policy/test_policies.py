"""What small policies come to: fields, findings, sentences, differences, as they are kept."""

from __future__ import annotations

from itertools import accumulate, groupby

import pytest

from tests.policy.policies import cases, said
from tests.policy.tables import Case

CASES = list(cases())
HEADINGS = accumulate((case.heading for case in CASES), lambda last, new: new or last)
#: So many cases are one test.
TOGETHER = 20
PARTS: dict[str, list[Case]] = {}
for heading, of_it in groupby(zip(CASES, HEADINGS, strict=True), key=lambda it: it[1]):
    listed = [case for case, _ in of_it]
    for first in range(0, len(listed), TOGETHER):
        name = f"{heading.removeprefix('## ').strip()} from {first}"
        PARTS[name] = listed[first : first + TOGETHER]


@pytest.mark.parametrize("part", PARTS)
def test_what_a_policy_comes_to(part: str) -> None:
    found = [f"{case.config}{said(case.config)}" for case in PARTS[part]]
    assert "\n".join(found) == "\n".join(f"{case.config}{case.said}" for case in PARTS[part]), (
        "if that is meant, run: python -m tests.policy.policies"
    )


def test_every_policy_stands_once() -> None:
    assert len({case.config for case in CASES}) == len(CASES) > 300
