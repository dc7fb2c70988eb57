"""Checks operands and alternatives that decide nothing, since another one says the same or more.

Follows: the logic of `&&` and `||`; regular expressions of PCRE2, which regexp() reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from classad.errors import Diagnostic
from classad.language.operators import COMPARISONS
from classad.patterns import late_regex
from classad.syntax.nodes import Binary, Call, Node, Reference, bare
from policy.lint.expressions import MacroExpression
from policy.lint.finding import EVERY_OTHER, Meant, Per, finding
from policy.lint.trees import (
    choice_of,
    conjuncts,
    disjuncts,
    names,
    number,
    sides,
    takes_pattern,
    text_of,
)

_CHAINS: Final = {"&&": conjuncts, "||": disjuncts}
_LOWER: Final = (">", ">=")
_UPPER: Final = ("<", "<=")


@finding(
    "P438",
    "an operand that says again what another one says",
    "Of two equal operands of `&&` or `||` one decides nothing, and neither does a bound beside a"
    " narrower one, or a comparison of a thing with itself, and a choice between equals is none."
    " Mostly another name, number or direction is meant in one of the two.",
    "START = TARGET.RequestCpus >= 4 && TARGET.RequestCpus >= 16\n",
    "START = TARGET.RequestCpus >= 4 && TARGET.RequestCpus <= 16\n",
    per=Per.EXPRESSION,
    after=(EVERY_OTHER,),
)
def twice(one: MacroExpression) -> Iterator[Diagnostic]:
    inner: set[int] = set()
    for node in () if one.said else one.of_kind(Binary):  # another finding may be the reason
        if node.operator in _CHAINS and id(node) not in inner:
            yield from _repeated(one, node, inner)
        elif node.operator in COMPARISONS and bare(node.left) == bare(node.right) and names(node):
            message = f"`{one.shown(node)}` compares `{one.shown(node.left)}` with itself"
            yield one.say(twice, message, node)
    for part in () if one.said or "$" in one.setting.entry.raw else one.nodes:
        choice = choice_of(part)
        if choice is None or not (text_of(choice[1]) or names(choice[1])):
            continue  # what is always true or false is told
        if bare(choice[1]) == bare(choice[2]):
            message = f"`{one.shown(part)}` is `{one.shown(choice[1])}` either way"
            yield one.say(twice, message, choice[2])


def _repeated(one: MacroExpression, top: Binary, inner: set[int]) -> Iterator[Diagnostic]:
    """What operands of a chain say twice; the links of the chain go to ``inner``."""
    stack: list[Node] = [top]
    while stack:
        link = bare(stack.pop())
        if isinstance(link, Binary) and link.operator == top.operator:
            inner.add(id(link))
            stack += (link.left, link.right)
    seen: dict[str, Node] = {}
    bounds: dict[tuple[str, bool], tuple[Binary, float, bool]] = {}
    for operand in _CHAINS[top.operator](top):
        text = "".join(one.text[operand.start : operand.end].split())
        same = seen.setdefault(text, operand)
        if same is not operand and same == operand and names(operand):
            yield one.say(twice, f"`{one.shown(operand)}` stands twice in this condition", operand)
        elif isinstance(operand, Binary):
            yield from _beside(one, top.operator, operand, bounds)


def _beside(
    one: MacroExpression,
    chain: str,
    node: Binary,
    bounds: dict[tuple[str, bool], tuple[Binary, float, bool]],
) -> Iterator[Diagnostic]:
    """A bound beside another one of the same thing in the same direction."""
    side, symbol, other = next(sides(node))
    limit = number(other)
    if limit is None or symbol not in (*_LOWER, *_UPPER) or not isinstance(side, Reference):
        return
    is_lower = symbol in _LOWER
    before = bounds.setdefault((one.shown(side).casefold(), is_lower), (node, limit, False))
    if before[0] is node or before[1] == limit:
        return
    narrower, wider = (node, before[0]) if (limit > before[1]) is is_lower else (before[0], node)
    idle = wider if chain == "&&" else narrower
    rest = narrower if idle is wider else wider
    yield one.say(twice, f"`{one.shown(idle)}` adds nothing beside `{one.shown(rest)}`", idle)


# --- alternatives of patterns ---------------------------------------------------------------------

#: Two or more alternatives of plain words, of which the first has the `^` and the last the `$`.
_HALF: Final = late_regex(r"\^[^()\[\]{}^$|\\]+(?:\|[^()\[\]{}^$|\\]+)*\|[^()\[\]{}^$|\\]+\$")
_EMPTY: Final = late_regex(r"(?:\|.*|.*[^\\]\|)(?!\n)")
#: A pattern as Perl and sed write it.
_BETWEEN: Final = late_regex(r"/(?:\^.*|.*\$)/[a-z]{0,3}")


@finding(
    "P439",
    "a pattern that fits more, or less, than it seems",
    "`|` parts the whole pattern: in `^a|b$` the `^` is for the first alternative alone and the `$`"
    " for the last, and `xb` and `ay` fit. An empty alternative fits every text. regexp() takes a"
    " pattern without slashes around it.",
    'START = regexp("^alice|bob$", TARGET.Owner)\n',
    'START = regexp("^(alice|bob)$", TARGET.Owner)\n',
    per=Per.CALL,
)
def half_anchored(one: MacroExpression, node: Call) -> Iterator[Diagnostic]:
    pattern = bare(node.args[0]) if takes_pattern(node) and node.args else node
    text = text_of(pattern)
    if text is None:
        return
    if _HALF.fullmatch(text):
        message = f"`^` is for the first alternative of `{text}` alone, and `$` for the last"
        advice = Meant(f'"^({text[1:-1]})$"', f'"{text}"')
        yield one.say(half_anchored, message, pattern, advice)
    elif _EMPTY.fullmatch(text):
        message = f"`{text}` has an empty alternative, which fits every text"
        yield one.say(half_anchored, message, pattern)
    elif _BETWEEN.fullmatch(text):
        message = f"`{text}` asks for the slashes, too"
        yield one.say(half_anchored, message, pattern, "a pattern stands without slashes around it")
