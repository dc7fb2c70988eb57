"""Operands and alternatives that decide nothing."""

from __future__ import annotations

import pytest

from tests.policy.test_lint import ids


def names(text: str) -> list[str]:
    return [name for name, _ in ids(text)]


@pytest.mark.parametrize("chain", ["&&", "||"])
def test_no_operand_of_a_chain_stands_there_twice(chain: str) -> None:
    assert names(f"START = TARGET.WantX {chain} TARGET.WantY {chain} TARGET.WantX\n") == ["P438"]
    assert names(f"START = TARGET.WantX {chain} (TARGET.WantY {chain} (TARGET.WantX))\n") == [
        "P438"
    ]
    for other in ("TARGET.WantZ", "MY.WantX", "!TARGET.WantX", "(TARGET.WantX =?= True)"):
        assert "P438" not in names(f"START = TARGET.WantX {chain} TARGET.WantY {chain} {other}\n")
    inner = "||" if chain == "&&" else "&&"  # what another chain has stands somewhere else
    text = f"(TARGET.WantX {inner} TARGET.WantY) {chain} (TARGET.WantX {inner} TARGET.WantZ)"
    assert names(f"START = {text}\n") == []


def test_texts_are_equal_with_their_blanks_and_in_their_case() -> None:
    assert names('START = TARGET.Dept == "a b" || TARGET.Dept == "ab"\n') == []
    assert names('START = TARGET.Dept =?= "ab" || TARGET.Dept =?= "AB"\n') == []


@pytest.mark.parametrize(("wide", "narrow"), [(">= 4", ">= 16"), ("> 4", ">= 7"), ("< 9", "<= 2")])
def test_of_two_bounds_in_one_direction_one_decides(wide: str, narrow: str) -> None:
    """`&&` asks for the narrower one in any case, and `||` lets pass what the wider one does."""
    one, other = f"TARGET.RequestCpus {wide}", f"TARGET.RequestCpus {narrow}"
    assert names(f"START = {one} && {other}\n") == names(f"START = {other} && {one}\n") == ["P438"]
    assert names(f"START = {other} || {one}\n") == ["P438"]
    # Behind the wider one the narrower one is never asked where it would be true.
    assert names(f"START = {one} || {other}\n") == ["P410"]
    assert names(f"START = {one} && TARGET.JobPrio {narrow}\n") == []


def test_two_bounds_make_a_range() -> None:
    assert names("START = TARGET.RequestCpus > 2 && TARGET.RequestCpus < 9\n") == []
    assert names("START = TARGET.RequestCpus < 2 || TARGET.RequestCpus > 9\n") == []


@pytest.mark.parametrize("symbol", ["==", "=?=", ">=", "<"])
def test_nothing_is_compared_with_itself(symbol: str) -> None:
    assert names(f"START = TARGET.RequestCpus {symbol} TARGET.RequestCpus\n") == ["P438"]
    assert names("START = TARGET.RequestCpus <= MY.Cpus\n") == []


@pytest.mark.parametrize(
    "choice", ["TARGET.WantNew ? {} : {}", "ifThenElse(TARGET.WantNew, {}, ({}))"]
)
def test_a_choice_is_between_two_things(choice: str) -> None:
    image = f"SINGULARITY_IMAGE_EXPR = {choice}\n"
    assert names(image.format('"/el7.sif"', '"/el7.sif"')) == ["P438"]
    assert names(image.format('"/el6.sif"', '"/el7.sif"')) == []
    # What macros have may be the same here, and another thing elsewhere.
    macros = image.format("$(OLD)", "$(NEW)")
    assert names(f'OLD = "a"\nNEW = "a"\n{macros}') == []


@pytest.mark.parametrize("pattern", ["^a|b$", "^a|b|c$", "^alice smith|bob-x$"])
def test_alternatives_are_in_parentheses_where_all_are_anchored(pattern: str) -> None:
    assert names(f'START = regexp("{pattern}", TARGET.Owner)\n') == ["P439"]
    for whole in (f"^({pattern[1:-1]})$", pattern[1:-1], f"{pattern[:-1]}", f"{pattern[1:]}"):
        assert names(f'START = regexp("{whole}", TARGET.Owner)\n') == []
    assert names('START = regexp("^a$|^b$", TARGET.Owner)\n') == []


@pytest.mark.parametrize("pattern", ["alice|", "|bob", "/^alice/", "/bob$/i"])
def test_a_pattern_has_no_empty_alternative_and_no_slashes_around_it(pattern: str) -> None:
    assert names(f'START = regexp("{pattern}", TARGET.Owner)\n') == ["P439"]
    for part in ("/home/", "/cvmfs/x", "alice|bob", "a/b"):
        assert names(f'START = regexp("{part}", TARGET.Cmd)\n') == []
