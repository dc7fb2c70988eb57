"""What is said of the daemons where a configuration has no place for it, or no end."""

from __future__ import annotations

import pytest
from attr import evolve

from classad.errors import Diagnostic
from policy.config import load_config
from policy.io import builtin_library
from policy.language.sources import MemorySources
from policy.lint.findings import lint
from policy.lint.verdict import examine
from policy.values.evaluation import DEEPEST


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
