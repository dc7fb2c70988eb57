"""Findings in configurations that HTCondor would take in silence."""

from __future__ import annotations

from policy.config import Config, load_config
from policy.io import builtin_library
from policy.lint import lint
from policy.sources import MemorySources
from policy.table import Context


def read(text: str) -> Config:
    return load_config(
        "pool.conf",
        MemorySources({"pool.conf": text}),
        builtin_library(),
        context=Context("NEGOTIATOR"),
    )


def ids(text: str) -> list[tuple[str | None, int | None]]:
    return [(found.id, found.line) for found in lint(read(text))]


def test_a_slip_in_an_attribute_points_at_it() -> None:
    [found] = lint(read("X = 1\nPREEMPTION_REQUIREMENTS = A && SubmiterUserPrio > 1.2\n"))
    assert found.render().splitlines() == [
        "pool.conf:2:32: warning[unknown-attribute]: unknown attribute `SubmiterUserPrio`"
        " in PREEMPTION_REQUIREMENTS",
        "   2 | PREEMPTION_REQUIREMENTS = A && SubmiterUserPrio > 1.2",
        "     |                                ^~~~~~~~~~~~~~~~",
        "  help: did you mean `SubmitterUserPrio`? (set by the negotiator)",
    ]


def test_slips_in_names_but_not_names_of_ones_own() -> None:
    assert ids("PREEMPTION_REQUIREMENT = True\n") == [("unknown-knob", 1)]
    assert ids("NEGOTIATOR.PREEMPTION_RANKS = 1\n") == [("unknown-knob", 1)]
    own = "PREEMPTION_RANKS = 1\nPREEMPTION_RANK = $(PREEMPTION_RANKS)\nSTART = True\n"
    assert ids(own) == []


def test_groups_that_nobody_lists() -> None:
    text = "GROUP_NAMES = a\nGROUP_QUOTA_a = 1\nGROUP_QUOTA_DYNAMIC_b.c = 0.5\n"
    assert ids(text) == [("unlisted-group", 3)]


def test_holes_and_remains_of_references() -> None:
    assert ids("PREEMPTION_REQUIREMENTS = X > 2 + $(DAY)0\n") == [("undefined-macro", 1)]
    assert ids('PREEMPTION_REQUIREMENTS = X > strcat("$(M:a-b)")\n') == [
        ("unexpanded-reference", 1)
    ]


def test_groups_are_sorted_by_their_own_attributes() -> None:
    text = 'GROUP_SORT_EXPR = ifThenElse(AccountingGroup =?= "<none>", 9, GroupQuota - Prio)\n'
    assert ids(text) == [("group-attribute", 1)]


def test_what_lines_hide_is_said_by_the_reader() -> None:
    config = read("word extra = 3\nA = 1, \\\n# not continued\nB = 2\n")
    assert [(found.id, found.line) for found in config.diagnostics] == [
        ("ignored-words", 1),
        ("comment-in-value", 3),
    ]
    assert config.text("A") == "1, d"
