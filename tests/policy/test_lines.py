"""What check says of single lines: ``corpus/lines.txt``, by its headings."""

from __future__ import annotations

from itertools import accumulate, groupby

import pytest

from tests.policy.lines import Case, cases, said

CASES = list(cases())
HEADINGS = accumulate((case.heading for case in CASES), lambda last, new: new or last)
SECTIONS = {
    heading.removeprefix("## ").strip(): [case for case, _ in found]
    for heading, found in groupby(zip(CASES, HEADINGS, strict=True), key=lambda it: it[1])
}


@pytest.mark.parametrize("section", SECTIONS)
def test_what_is_said_of_a_line(section: str) -> None:
    found = [case._replace(said=said(case.config)) for case in SECTIONS[section]]
    assert list(map(shown, found)) == list(map(shown, SECTIONS[section])), (
        "if that is meant, run: python -m tests.policy.lines"
    )


def test_every_case_stands_once() -> None:
    configurations = [case.config for case in CASES]
    assert len(set(configurations)) == len(configurations)
    assert sum(map(len, SECTIONS.values())) == len(CASES) > 500


def shown(case: Case) -> str:
    return f"{case.config}{case.said}"
