"""Finds why a slot takes no job: what makes START an error, or false, for every one.

Inputs: a ``View`` and all findings.  Outputs: the finding that says the cause, for the verdict.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from classad.errors import Diagnostic
from classad.language.operators import IDENTITY
from classad.source import Source
from classad.syntax.nodes import Binary, Call, Node, Unary, bare, walk
from policy.language.about import about
from policy.lint.attributes import UNKNOWN_FUNCTION
from policy.lint.expressions import MacroExpression, expressions_in
from policy.lint.reading import BROKEN
from policy.lint.texts import BROKEN_PATTERN
from policy.lint.view import View
from policy.lint.wholes import NEVER_AT_ALL

#: Findings by the characters that they are about.
_At = dict[tuple[str, int, int], Diagnostic]


def takes_no_job(view: View, findings: list[Diagnostic]) -> Diagnostic | None:
    """Why no job can fulfil START, if none can."""
    conditions = tuple(_conditions(view))
    places = {_characters(*one.spot(one.tree)) for one in conditions}
    told = (found for found in findings if _is_broken(found) or _is_never(found, places))
    return next(told, None) or _within(conditions, findings)


def _conditions(view: View) -> Iterator[MacroExpression]:
    """Every START, but for those of branches that are not taken."""
    taken = {id(setting) for setting in view.settings}
    for one in expressions_in(view):
        if one.name.casefold() == "start" and id(one.setting) in taken:
            yield one


def _is_broken(found: Diagnostic) -> bool:
    return found.id == BROKEN.id and about(found).macro.casefold() == "start"


def _is_never(found: Diagnostic, places: Collection[tuple[str, int, int]]) -> bool:
    place = _characters(found.source, found.start, found.end)
    return found.id == NEVER_AT_ALL.id and place in places


def _within(
    conditions: Iterable[MacroExpression], findings: Iterable[Diagnostic]
) -> Diagnostic | None:
    """What is found in a START that is never true because of it."""
    at: _At = {}
    for found in findings:
        at.setdefault(_characters(found.source, found.start, found.end), found)
    for one in conditions:
        if one.has_holes or one.is_too_deep:
            continue
        cause = _failing(one, one.tree, at)
        if cause is None and True not in one.evaluation.value.condition().truths:
            told = (at.get(_characters(*one.spot(node))) for node in walk(one.tree))
            cause = next(filter(None, told), None)
        if cause is not None:
            return cause
    return None


def _failing(one: MacroExpression, node: Node, at: _At) -> Diagnostic | None:
    """The call because of which a part of a condition is an error, so that it is never true."""
    node = bare(node)
    if isinstance(node, Call):
        found = at.get(_characters(*one.spot(node)))
        if found is not None and found.id == UNKNOWN_FUNCTION.id:
            return found
        found = at.get(_characters(*one.spot(node.args[0]))) if node.args else None
        return found if found is not None and found.id == BROKEN_PATTERN.id else None
    if isinstance(node, Unary):
        return _failing(one, node.operand, at)
    if not isinstance(node, Binary) or node.operator in IDENTITY:
        return None
    sides = [_failing(one, side, at) for side in (node.left, node.right)]
    if node.operator == "||" and not all(sides):
        return None
    return next(filter(None, sides), None)


def _characters(source: Source | None, start: int, end: int) -> tuple[str, int, int]:
    return "" if source is None else source.name, start, end
