"""What becomes of the daemons under a configuration: ``corpus/verdicts.txt``, by its headings."""

from __future__ import annotations

from itertools import accumulate, groupby

import pytest

from tests.policy.verdicts import cases, said

CASES = list(cases())
HEADINGS = accumulate((case.heading for case in CASES), lambda last, new: new or last)
SECTIONS = {
    heading.removeprefix("## ").strip(): [case for case, _ in found]
    for heading, found in groupby(zip(CASES, HEADINGS, strict=True), key=lambda it: it[1])
}


@pytest.mark.parametrize("section", SECTIONS)
def test_what_becomes_of_the_daemons(section: str) -> None:
    found = [f"{case.config}{said(case.config)}" for case in SECTIONS[section]]
    assert found == [f"{case.config}{case.said}" for case in SECTIONS[section]], (
        "if that is meant, run: python -m tests.policy.verdicts"
    )


def test_every_case_stands_once() -> None:
    configurations = [case.config for case in CASES]
    assert len(set(configurations)) == len(configurations)
    assert sum(map(len, SECTIONS.values())) == len(CASES) > 100
