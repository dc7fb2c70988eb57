"""Checks texts in expressions: quotes where none belong, sums of texts, patterns.

Follows: the ClassAd language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from classad.builtins.pcre import compile_pattern
from classad.errors import Diagnostic
from classad.language.operators import COMPARISONS, EQUALITY, IDENTITY
from classad.syntax.nodes import Binary, Call, Literal, Node, Reference, bare, walk
from policy.attributes import find_attribute
from policy.ephemeral import find_ephemeral
from policy.lint.expressions import MacroExpression
from policy.lint.finding import WARNING, Advice, Finding, Meant
from policy.lint.slips import has_number, is_number
from policy.lint.trees import takes_pattern
from policy.values.domain import Abstract

QUOTED_NAME: Final = Finding(
    "P424",
    WARNING,
    "a quoted attribute name",
    "In quotes it is a text, which is compared as such.",
    'START = "RequestMemory" < 4096\n',
    "START = RequestMemory < 4096\n",
)
TEXT_SUM: Final = Finding(
    "P425",
    WARNING,
    "a sum of texts or of a time",
    "`+` adds numbers; with a text it is an error, and so it is between a number and currentTime(),"
    " which is no number of seconds as time() is. strcat() joins.",
    "SYSTEM_PERIODIC_HOLD = MemoryUsage > 2 * RequestMemory\n"
    'SYSTEM_PERIODIC_HOLD_REASON = "too large: " + MemoryUsage\n',
    "SYSTEM_PERIODIC_HOLD = MemoryUsage > 2 * RequestMemory\n"
    'SYSTEM_PERIODIC_HOLD_REASON = strcat("too large: ", MemoryUsage)\n',
)
BROKEN_PATTERN: Final = Finding(
    "P426",
    WARNING,
    "a pattern that does not compile",
    "regexp() and its relatives are an error then, and so is the condition that needs them.",
    'START = regexp("^(atlas|cms$", TARGET.Owner)\n',
    'START = regexp("^(atlas|cms)$", TARGET.Owner)\n',
    observed="Observed with 25.14.1: classad_eval prints `error`.",
)
PATTERN: Final = Finding(
    "P427",
    WARNING,
    "a pattern that is compared as a text",
    "`==` and `=?=` compare whole texts; `*` stands for nothing but itself there. regexp() and"
    " stringListMember() look for more.",
    'START = TARGET.AccountingGroup == "group_hep.*"\n',
    'START = regexp("^group_hep[.]", TARGET.AccountingGroup)\n',
)
KIND: Final = Finding(
    "P428",
    WARNING,
    "an expression that comes to a text where a number or a condition is meant",
    "A rank that is a text counts as 0, a condition that is one is not true.",
    'RANK = strcat("group_", TARGET.Owner)\n',
    'RANK = strcmp("group_x", TARGET.Owner) == 0\n',
)
#: What names have as a pattern only.
_WILD: Final = re.compile(r"\w[.]?\*|\*[.]?\w|^\^\w|[.]\*")
_ORDER: Final = frozenset(("<", "<=", ">", ">="))
_NUMBERS: Final = ("integer", "real")
_Found = tuple[Finding, str, Node, Advice]


def check_texts(expressions: Iterable[MacroExpression]) -> Iterator[Diagnostic]:
    """Everything about texts in expressions."""
    for one in expressions:
        for kind, message, node, help_text in _findings(one):
            yield one.say(kind, message, node, help_text)


def _findings(one: MacroExpression) -> Iterator[_Found]:
    for node in walk(one.tree):
        found = None
        if isinstance(node, Binary):
            found = _joined(one, node) or _as_pattern(one, node)
            yield from _quoted(one, node)
        elif isinstance(node, Call):
            found = _pattern(node)
        elif isinstance(node, Literal) and isinstance(node.value, str):
            yield from _scoped_in_quotes(node, node.value)
        if found is not None:
            yield found
    top = bare(one.tree)
    if isinstance(top, Literal) and isinstance(top.value, str) and one.wants_no_text:
        message = f"{one.name} is a text, and stands for no condition or number"
        yield QUOTED_NAME, message, one.tree, "take the quotes away"
    elif one.wants_no_text and _is_only_text(one.evaluation.value):
        wanted = one.how.use.wanted.value
        yield KIND, f"{one.name} comes to a text, and {wanted} is meant", one.tree, None


def _is_only_text(value: Abstract) -> bool:
    return value.has_text and not (value.is_measured or value.truths or value.other)


def _as_pattern(one: MacroExpression, node: Binary) -> _Found | None:
    """``Machine == "*.example.edu"``."""
    if node.operator not in EQUALITY | IDENTITY:
        return None
    for side, other in ((node.left, node.right), (node.right, node.left)):
        text = bare(side)
        if not isinstance(bare(other), Reference) or not isinstance(text, Literal):
            continue
        if isinstance(text.value, str) and _WILD.search(text.value):
            message = f"`{one.shown(text)}` is compared as it is, and nothing is called so"
            return PATTERN, message, text, "a pattern is for regexp()"
    return None


def _pattern(node: Call) -> _Found | None:
    """A pattern that is written there and does not compile."""
    pattern = bare(node.args[0]) if takes_pattern(node) and node.args else None
    if not isinstance(pattern, Literal) or not isinstance(pattern.value, str):
        return None
    if compile_pattern(pattern.value, "") is not None:
        return None
    message = f"the pattern of `{node.name}` does not compile"
    return BROKEN_PATTERN, message, pattern, f"`{node.name}` is an error"


def _scoped_in_quotes(node: Literal, text: str) -> Iterator[_Found]:
    """``"TARGET.Owner"``."""
    scope, dot, name = text.partition(".")
    if dot and scope.casefold() in ("my", "target") and find_attribute(name) is not None:
        message = f'`"{text}"` is a text, not the attribute'
        yield QUOTED_NAME, message, node, Meant(text, f'"{text}"')


def _joined(one: MacroExpression, node: Binary) -> _Found | None:
    """``"text" + x``."""
    sides = [bare(node.left), bare(node.right)]
    clock = any(isinstance(x, Call) and x.name.casefold() == "currenttime" for x in sides)
    counted = any(is_number(side) or has_number(side) for side in sides)
    if clock and counted and node.operator in ("+", "-"):
        return TEXT_SUM, f"`{one.shown(node)}` is an error", node, "did you mean `time()`?"
    texts = [side for side in sides if isinstance(side, Literal) and isinstance(side.value, str)]
    if node.operator != "+" or not texts:
        return None
    return TEXT_SUM, f"`{one.shown(node)}` is an error", node, "join texts with strcat()"


def _quoted(one: MacroExpression, node: Binary) -> Iterator[_Found]:
    for side, other in ((node.left, node.right), (node.right, node.left)):
        text = bare(side)
        if not isinstance(text, Literal) or not isinstance(text.value, str):
            continue
        if text.value.casefold() in ("undefined", "error") and node.operator in COMPARISONS:
            message = f'`"{text.value}"` is a text, not the value'
            yield QUOTED_NAME, message, text, Meant(text.value, f'"{text.value}"')
            continue
        own = text.value.casefold() in {name.casefold() for name in one.own_names}
        if not own and find_attribute(text.value) is None and find_ephemeral(text.value) is None:
            continue
        row = find_attribute(text.value)
        ordered = node.operator in _ORDER and row is not None and row.type in _NUMBERS
        beside = one.evaluation.alone(other)
        no_text = ordered or (not beside.has_text and beside.defined)
        if no_text or isinstance(bare(other), Literal) or node.operator not in COMPARISONS:
            message = f'`"{text.value}"` is a text, not the attribute'
            yield QUOTED_NAME, message, text, Meant(text.value, f'"{text.value}"')
