"""What check says of policies with one small edit: ``corpus/variants.txt``."""

from __future__ import annotations

import pytest

from tests.policy.variants import VARIANTS, Group, answered, edited, groups

GROUPS = list(groups(VARIANTS.read_text(encoding="utf-8")))
#: So many policies in one test: one for each would cost more than the checks.
_TOGETHER = 20
PARTS = [GROUPS[start : start + _TOGETHER] for start in range(0, len(GROUPS), _TOGETHER)]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part[0].heading.split("\n")[0][:60])
def test_what_an_edit_changes(part: list[Group]) -> None:
    now = "\n".join(answered(group).written for group in part)
    assert now.split("\n") == "\n".join(group.written for group in part).split("\n"), (
        "if that is meant, run: python -m tests.policy.variants"
    )


def test_every_edit_stands_once_and_changes_its_policy() -> None:
    headings = [group.heading for group in GROUPS]
    assert len(set(headings)) == len(headings)
    assert sum(len(group.cases) for group in GROUPS) > 2500
    for group in GROUPS:
        edits = [edit for edit, _ in group.cases]
        assert len(set(edits)) == len(edits)
        assert all(edited(group.text, edit) != group.text for edit in edits)


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ("1:5 1→22", "A = 22\nB = 2\n"),
        ("2:1 →C = 3¶", "A = 1\nC = 3\nB = 2\n"),
        ("1:6 ¶→", "A = 1B = 2\n"),
        ("2 dropped", "A = 1\n"),
        ("2 doubled", "A = 1\nB = 2\nB = 2\n"),
        ("1 moved to 2", "B = 2\nA = 1\n"),
        ("2 in if false", "A = 1\nif false\nB = 2\nendif\n"),
        ("1 in if true", "if true\nA = 1\nendif\nB = 2\n"),
    ],
)
def test_the_forms_of_edits(edit: str, expected: str) -> None:
    assert edited("A = 1\nB = 2\n", edit) == expected


@pytest.mark.parametrize("edit", ["1:5 2→3", "3:1 x→y", "1 dropped twice", "nothing"])
def test_an_edit_that_does_not_fit_is_refused(edit: str) -> None:
    with pytest.raises(ValueError, match=r"not an edit|has not"):
        edited("A = 1\nB = 2\n", edit)
