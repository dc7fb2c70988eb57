"""Patterns: texts with holes that look like parts of expressions."""

from __future__ import annotations

import pytest

from classad.formats.unparse import unparse
from policy.language.expressions import parse
from policy.lint.trees import matched, pattern
from tests.policy.test_lint import found


def holes(wanted: str, text: str) -> dict[str, str] | None:
    found = matched(pattern(wanted), parse(text).node)
    return None if found is None else {name: unparse(node) for name, node in found.items()}


def test_a_hole_stands_for_any_part() -> None:
    assert holes("A < $other", "A < B + 1") == {"other": "B + 1"}


@pytest.mark.parametrize("text", ["A < B", "B > A", "(a) < (b)", "MY.A < TARGET.B", "B>A"])
def test_sides_case_and_parentheses_do_not_count(text: str) -> None:
    assert holes("A < $other", text) is not None


@pytest.mark.parametrize("text", ["A > B", "A <= B", "B < A", "A", "C < B", "A + B", "f(A, B)"])
def test_another_operator_or_name_is_another_thing(text: str) -> None:
    assert holes("A < $other", text) is None


def test_operators_whose_sides_may_not_be_exchanged_are_taken_as_they_stand() -> None:
    assert holes("A - $x", "B - A") is None
    assert holes("A + $x", "B + A") == {"x": "B"}
    assert holes("A && $x", "B && A") is None


def test_a_hole_that_stands_twice_is_the_same_part() -> None:
    assert holes("($whole - $part) / $whole", "(Total - Used) / Total") is not None
    assert holes("($whole - $part) / $whole", "(Total - Used) / Used") is None


def test_a_scope_in_a_pattern_counts() -> None:
    assert holes("MY.A < 1", "MY.A < 1") == {}
    assert holes("MY.A < 1", "TARGET.A < 1") is None
    assert holes("MY.A < 1", "A < 1") is None


def test_calls_match_by_name_and_number_of_arguments() -> None:
    assert holes("member($item, $list)", "MEMBER(A, {1})") == {"item": "A", "list": "{ 1 }"}
    assert holes("member($item, $list)", "member(A)") is None
    assert holes("time()", "time(1)") is None


@pytest.mark.parametrize(("pattern", "meant"), [("cms*", "^cms"), ("^atlas_*", "^atlas_")])
def test_a_pattern_of_files_is_no_regular_expression(pattern: str, meant: str) -> None:
    (said,) = found(f'START = regexp("{pattern}", TARGET.Owner)\n')
    assert (said.id, said.help) == ("P436", f'did you mean `"{meant}"`?')
    for clean in ("cms.*", "cms[0-9]*", "(ab)*", "^cms"):
        assert found(f'START = regexp("{clean}", TARGET.Owner)\n') == []


@pytest.mark.parametrize("function", ["strcmp", "stricmp"])
def test_what_compares_texts_is_no_condition(function: str) -> None:
    for text in (
        f'{function}(TARGET.Owner, "bob")',
        f'TARGET.JobPrio > 3 && {function}(Owner, "b")',
    ):
        assert [said.id for said in found(f"START = {text}\n")] == ["P432"]
    assert found(f'START = {function}(TARGET.Owner, "bob") == 0\n') == []
