"""Finds the smallest change that would make a job match more slots.

Decides which clauses to drop: as few as possible, of equally many those that gain most slots; and
for a comparison of numbers, the value of the job's side that would do.

Inputs: the clauses that fail, pair by pair.  Outputs: ``Change`` values, the best first.  Follows:
``condor_q -better-analyze`` for the idea of suggestions; the counts here are exact.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from attr import frozen

from classad.ads.expression import Expression
from classad.evaluate import EvalContext, evaluate
from classad.formats.unparse import unparse
from classad.language.operators import MIRRORED, ORDER
from classad.syntax.nodes import Binary, Node, Parens, Reference
from pieslice.data import is_number
from pieslice.why.clauses import ClauseKey, ClauseTable, Pair, Whose, references

#: Changes that are told.
MAX_CHANGES: Final = 3
_AT_MOST: Final = frozenset({"<", "<="})
_AT_LEAST: Final = frozenset({">", ">="})


@frozen
class Threshold:
    """What ``name`` (now ``value``) would have to be: ``relation`` a number; gains ``slots``."""

    name: str
    value: float
    relation: str
    needed: float
    slots: int


@frozen
class Change:
    """Clauses that, were they not there, would make ``slots`` more slots match.

    ``reachable``: how many of those the job could have then, as preemption and limits stand.
    """

    clauses: tuple[ClauseKey, ...]
    slots: int
    reachable: int
    example: str
    threshold: Threshold | None = None


def smallest_changes(table: ClauseTable, reachable: frozenset[str]) -> tuple[Change, ...]:
    """The best changes.  ``reachable``: the slots that could be had if only they matched."""
    groups: dict[frozenset[ClauseKey], list[Pair]] = defaultdict(list)
    for pair, failed in table.sets:
        if failed:
            groups[failed].append(pair)
    fewest = min(map(len, groups), default=0)
    found = [
        Change(
            _in_order(failed),
            len(pairs),
            sum(1 for pair in pairs if pair.name in reachable),
            pairs[0].name,
            _threshold(table, failed, pairs),
        )
        for failed, pairs in groups.items()
        if len(failed) == fewest
    ]
    found.sort(key=lambda change: (-change.reachable, -change.slots, change.clauses[0][1]))
    return tuple(found[:MAX_CHANGES])


def _in_order(failed: frozenset[ClauseKey]) -> tuple[ClauseKey, ...]:
    """The clauses of the job first, each side's by their texts."""
    return tuple(sorted(failed, key=lambda key: (key[0].value, key[1])))


@frozen
class _Side:
    """A comparison seen from the job: its own side, and per slot what that is compared with."""

    name: str
    operator: str
    value: float
    slot_values: list[float]


def _threshold(
    table: ClauseTable, failed: frozenset[ClauseKey], pairs: list[Pair]
) -> Threshold | None:
    """The nearest value of the job's side that gains a slot.

    Only for comparisons of one attribute of the job with numbers, all in one direction: the job's
    and the slot's requirements often say the same thing twice.
    """
    sides = [_side(table, key, pairs) for key in _in_order(failed)]
    found = [side for side in sides if side is not None]
    if len(found) < len(sides) or len({side.name.lower() for side in found}) != 1:
        return None
    upper = all(side.operator in _AT_MOST for side in found)
    if not upper and not all(side.operator in _AT_LEAST for side in found):
        return None
    bounds = [
        (min if upper else max)(values)
        for values in zip(*(side.slot_values for side in found), strict=True)
    ]
    needed = (max if upper else min)(bounds)
    strict = any(side.operator in ("<", ">") for side in found)
    words = ("less than", "at most") if upper else ("more than", "at least")
    relation = words[0] if strict else words[1]
    return Threshold(found[0].name, found[0].value, relation, needed, bounds.count(needed))


def _side(table: ClauseTable, key: ClauseKey, pairs: list[Pair]) -> _Side | None:
    whose = key[0]
    cases = {case[0].name: case for case in table.failing[key]}
    pair, tree, _ = cases[pairs[0].name]
    node = _bare(tree.node)
    if not isinstance(node, Binary) or node.operator not in ORDER:
        return None
    left_is_job = _is_of_job(node.left, whose, pair)
    if left_is_job == _is_of_job(node.right, whose, pair):
        return None
    mine, other = (node.left, node.right) if left_is_job else (node.right, node.left)
    operator = node.operator if left_is_job else MIRRORED[node.operator]
    job_values = _numbers(mine, whose, pairs, table.context)
    slot_values = _numbers(other, whose, pairs, table.context)
    if job_values is None or slot_values is None:
        return None
    bare = _bare(mine)
    name = bare.name if isinstance(bare, Reference) else unparse(mine).strip()
    return _Side(name, operator, job_values[0], slot_values)


def _bare(node: Node) -> Node:
    while isinstance(node, Parens):
        node = node.inner
    return node


def _is_of_job(node: Node, whose: Whose, pair: Pair) -> bool:
    """Whether a side of a comparison mentions the job, and the job only."""
    mine = references(node)
    if not mine:
        return False
    my, _ = pair.sides(whose)
    for part in mine:
        base = getattr(part.base, "name", "").lower()
        own = base in ("my", "self") or (not base and my.raw(part.name) is not None)
        if own is not (whose is Whose.JOB):
            return False
    return True


def _numbers(
    node: Node, whose: Whose, pairs: list[Pair], context: EvalContext
) -> list[float] | None:
    tree = Expression.from_node(node)
    values: list[object] = [evaluate(tree, *pair.sides(whose), context=context) for pair in pairs]
    found = [float(value) for value in values if is_number(value)]
    return found if len(found) == len(values) else None
