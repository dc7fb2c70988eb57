"""What becomes of the daemons under a configuration: ``corpus/verdicts.txt``, by its headings."""

from __future__ import annotations

from itertools import accumulate, groupby

import pytest
from attr import evolve

from classad.errors import Diagnostic
from policy.config import load_config
from policy.io import builtin_library
from policy.language.sources import MemorySources
from policy.lint.findings import lint
from policy.lint.verdict import examine
from policy.values.evaluation import DEEPEST
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


def test_the_last_line_is_not_above_the_first_one() -> None:
    text = "this says nothing\n# a comment \\"
    read = load_config(
        "a.conf", MemorySources({"a.conf": text}), builtin_library(), keep_going=True
    )
    assert [(found.id, found.line, found.help) for found in lint(read)] == [("P101", 1, None)]


@pytest.mark.parametrize("depth", [5, DEEPEST + 1])
def test_a_condition_that_is_too_deep_is_not_evaluated_for_a_verdict(depth: int) -> None:
    text = f"START = {'!' * depth}noSuchFunction(Cpus)\n"
    read = load_config(
        "a.conf", MemorySources({"a.conf": text}), builtin_library(), keep_going=True
    )
    (verdict,) = examine(read).verdicts
    assert verdict.starts
    assert verdict.qualified == (depth < DEEPEST)


def test_a_mistake_without_a_place_is_told_by_its_words() -> None:
    read = load_config("a.conf", MemorySources({"a.conf": "START = True\n"}), builtin_library())
    said = (Diagnostic("no such disk"), Diagnostic("too warm", severity="warning"))
    found = examine(evolve(read, diagnostics=said))
    assert [(it.id, it.message) for it in found.findings] == [
        ("P101", "no such disk"),
        ("P104", "too warm"),
    ]
    (verdict,) = found.verdicts
    assert verdict.text == "condor_startd would not start: exit status 1, no such disk"
