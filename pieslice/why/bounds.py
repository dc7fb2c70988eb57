"""Finds which value of an attribute of the job would make a clause true of slots that it refuses.

Decides which attributes a user can set, and which comparison of a clause the value for one is read
from.

Inputs: a clause and the slots that it refuses.  Outputs: a ``Bound``: an attribute of the job, and
for each slot the value nearest to what the job has.  Follows: the ClassAd language, whose evaluator
gives every value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias

from attr import frozen

from classad import ClassAd
from classad.ads.expression import Expression
from classad.evaluate import EvalContext, evaluate
from classad.formats.unparse import unparse
from classad.language.operators import MIRRORED
from classad.match import is_true
from classad.syntax.nodes import Binary, Literal, Node, Parens, Reference, Unary, bare, walk
from classad.table import Rows
from pieslice.data import is_number
from pieslice.expressions.dependence import conjuncts
from pieslice.why.clauses import Counted, Pairs, Whose, owner_of, scope_of
from pieslice.why.lists import (
    as_written,
    calls_over_lists,
    condition_of,
    flattened,
    inside_of,
    number_in,
    references,
    values_in_lists,
)
from policy.ephemeral import find_ephemeral

if TYPE_CHECKING:
    from typing_extensions import TypeIs

#: A value that can be written into a submit file.
Plain: TypeAlias = bool | int | float | str

#: What the schedd sets, or what says where a job comes from: nobody changes it to get a slot.
_NOT_SET_BY_USERS: Final = frozenset(
    name.lower()
    for name in (
        "AutoClusterId", "ClusterId", "CondorPlatform", "CondorVersion", "CurrentTime",
        "FileSystemDomain", "GlobalJobId", "JobStatus", "JobUniverse", "MyType", "NTDomain",
        "OsUser", "Owner", "ProcId", "QDate", "Requirements", "TargetType", "UidDomain", "User",
    )
)  # fmt: skip
_RELATIONS: Final = {"<": "<=", "<=": "<=", ">": ">=", ">=": ">=", "==": "=", "=?=": "="}
_SAME: Final = frozenset({"==", "=?="})
#: Slots whose lists are looked at for values that would do; what is found is tried on all of them.
MAX_LISTS: Final = 10
#: How deep the definitions of attributes in a clause are followed.
_DEPTH: Final = 3


def is_plain(value: object) -> TypeIs[Plain]:
    """Whether a value is one of those; undefined and error are not."""
    return value.__class__ in (bool, int, float, str)


@frozen(eq=False)
class Bound:
    """What an attribute of the job would have to be: ``relation`` a value, by row of the slot."""

    name: str
    relation: str
    values: dict[int, Plain]


@frozen(eq=False)
class _Comparison:
    """A comparison within a clause; ``name`` is the attribute of the job in its left side."""

    name: str
    left: Node
    operator: str
    right: Node


def bound_of(clause: Counted, rows: Rows, pairs: Pairs) -> Bound | None:
    """The values with which a clause would be true of some slots; None if there are none."""
    first = rows.first()
    assert first is not None
    my, target = pairs.sides(first, clause.whose)
    for comparison in _comparisons(clause, my, target):
        ways = (_exactly,) if _is_bare(comparison.left) else (_moved, _scaled)
        solved = (_solved(comparison, clause, rows, pairs, way) for way in ways)
        fitting = [values for values in solved if _do(clause, comparison.name, values, pairs)]
        if fitting:
            now = pairs.request.evaluate_attr(comparison.name, None, pairs.context)
            # Of what the ways find that which is nearest to what the job has.
            values = min(fitting, key=lambda values: _gap(now, next(iter(values.values()))))
            return Bound(comparison.name, _RELATIONS[comparison.operator], values)
    return None


def bounds_in_lists(clause: Counted, rows: Rows, pairs: Pairs, job: ClassAd) -> list[Bound]:
    """The same for a condition over lists, which the schedd has flattened: one for each attribute.

    Values of attributes are looked for among what the elements have, the nearest first.
    """
    text, context = unparse(bare(clause.tree.node)), pairs.context
    node = as_written(text, conjuncts(job) or [], job, context)
    first = rows.first()
    if node is None or first is None:
        return []
    found = []
    for comparison, within in _comparisons_in_lists(node, job, pairs.slots[first].ad):
        values: dict[int, Plain] = {}
        now = job.evaluate_attr(comparison.name, None, context)
        for row in islice(rows, MAX_LISTS):
            slot = pairs.slots[row].ad
            for value in _allowed(comparison, within, now, node, job, slot, context):
                if _would_do(node, job, comparison.name, value, slot, context):
                    values[row] = value
                    break
        if values:
            relation = "=" if isinstance(now, str) else _RELATIONS[comparison.operator]
            found.append(Bound(comparison.name, relation, values))
    return found


def _allowed(
    comparison: _Comparison,
    within: bool,
    now: object,
    node: Node,
    job: ClassAd,
    slot: ClassAd,
    context: EvalContext,
) -> list[Plain]:
    """Values that a slot may allow, the nearest first; to ask for nothing is none."""
    if isinstance(now, str):
        number = number_in(now)
        return [] if number is None else [number]
    if within:
        others = values_in_lists(node, comparison.right, job, slot, context)
    else:
        other = Expression.from_node(flattened(comparison.right, job, context))
        others = [evaluate(other, job, slot, context=context)]
    values = {_exactly(comparison.operator, other, None, now) for other in others}
    asks = comparison.name.lower().startswith("request")
    fitting = [it for it in values if it is not None and not (asks and is_number(it) and it <= 0)]
    return sorted(fitting, key=lambda value: _gap(now, value))


def _comparisons_in_lists(
    node: Node, job: ClassAd, slot: ClassAd
) -> Iterator[tuple[_Comparison, bool]]:
    """Comparisons with an attribute of the job alone, and whether they are about the elements."""
    inside = inside_of(node)
    atoms = [(atom, False) for atom in _atoms(node, job, 0) if id(atom[0]) not in inside]
    for call in calls_over_lists(node):
        atoms += [(atom, True) for atom in _atoms(condition_of(call, job), job, _DEPTH)]
    done = set()
    for (left, operator, right), within in atoms:
        names = _settable(left, Whose.JOB, job, slot) if _is_bare(left) else []
        for name in names:
            if name not in done and job.raw(name) is not None:
                done.add(name)
                yield _Comparison(name, left, operator, right), within


def _would_do(
    node: Node, job: ClassAd, name: str, value: Plain, slot: ClassAd, context: EvalContext
) -> bool:
    """Whether a condition over lists is true of a slot when the job has another value."""
    changed = with_values(job, [(name, "=", value)])
    tree = Expression.from_node(flattened(node, changed, context))
    return is_true(evaluate(tree, changed, slot, context=context))


def with_values(ad: ClassAd, values: Iterable[tuple[str, str, Plain]]) -> ClassAd:
    """A job's ad with other values."""
    changed = ad.duplicate() if ad._chained is None else ad.unchained().duplicate()
    for name, _, value in values:
        changed.insert(name, value)
    return changed


def _gap(now: object, value: Plain) -> float:
    return abs(value - now) if is_number(now) and is_number(value) else 0.0


def _comparisons(clause: Counted, my: ClassAd, target: ClassAd) -> Iterator[_Comparison]:
    """The comparisons with an attribute of the job on one side; those that it has come first."""
    job = my if clause.whose is Whose.JOB else target
    found = [
        _Comparison(name, left, operator, right)
        for left, operator, right in _atoms(clause.tree.node, my, _DEPTH)
        for name in _settable(left, clause.whose, my, target)
        if name.lower() not in {part.name.lower() for part in references(right)}
    ]
    yield from sorted(found, key=lambda item: job.raw(item.name) is None)


def _atoms(node: Node, my: ClassAd, depth: int) -> Iterator[tuple[Node, str, Node]]:
    """Comparisons in a clause and in the definitions of MY attributes in it, either way round."""
    for part in walk(node):
        if isinstance(part, Binary) and part.operator in _RELATIONS:
            mirrored = MIRRORED.get(part.operator, part.operator)
            yield part.left, part.operator, part.right
            yield part.right, mirrored, part.left
        elif isinstance(part, Reference) and depth and scope_of(part) != "target":
            value = my.raw(part.name)
            if isinstance(value, Expression):
                yield from _atoms(value.node, my, depth - 1)
    for part, truth in _alone(node, True):
        yield part, "==", Literal(truth)


def _alone(node: Node, truth: bool) -> Iterator[tuple[Reference, bool]]:
    """Names that stand for a truth value, and what they would have to be."""
    left = [(node, truth)]
    while left:  # no recursion: a chain may be 100,000 deep
        node, truth = left.pop()
        if isinstance(node, Reference):
            yield node, truth
        elif isinstance(node, Parens):
            left.append((node.inner, truth))
        elif isinstance(node, Unary) and node.operator == "!":
            left.append((node.operand, not truth))
        elif isinstance(node, Binary) and node.operator in ("&&", "||"):
            left += ((node.right, truth), (node.left, truth))


def _settable(node: Node, whose: Whose, my: ClassAd, target: ClassAd) -> list[str]:
    """The attributes of the job in an expression that a user can set."""
    found: dict[str, None] = {}
    for part in references(node):
        owner = owner_of(part, whose, *(ad.raw(part.name) is not None for ad in (my, target)))
        if owner is None and _is_bare(node):
            # The job's if it had it: a slot asks for it, or the job asks itself.
            asked = scope_of(part) != "my" if whose is Whose.SLOT else scope_of(part) == "my"
            owner = "job" if asked else None
        free = part.name.lower() not in _NOT_SET_BY_USERS and find_ephemeral(part.name) is None
        if owner == "job" and free:
            found[part.name] = None
    return list(found)


def _is_bare(node: Node) -> bool:
    """Whether an expression is nothing but a name."""
    return isinstance(bare(node), Reference)


def _solved(
    comparison: _Comparison, clause: Counted, rows: Rows, pairs: Pairs, way: _Way
) -> dict[int, Plain]:
    """The value for each slot for which there is one, found in some way."""
    whose, context = clause.whose, pairs.context
    left = pairs.values(Expression.from_node(comparison.left), whose, rows)
    right = pairs.values(Expression.from_node(comparison.right), whose, rows)
    now = pairs.request.evaluate_attr(comparison.name, None, context)
    known: dict[tuple[int, int], Plain | None] = {}
    found: dict[int, Plain] = {}
    for row in rows:
        key = (left[0][row], right[0][row])
        if key not in known:
            mine, other = left[1][key[0]], right[1][key[1]]
            known[key] = way(comparison.operator, other, mine, now)
        value = known[key]
        if value is not None:
            found[row] = value
    return found


#: From an operator, what the attribute's side is compared with, that side, and the attribute.
_Way: TypeAlias = Callable[[str, object, object, object], Plain | None]


def _exactly(operator: str, other: object, _: object, now: object) -> Plain | None:
    """The value of an attribute that is compared itself."""
    if operator in _SAME:
        return other if is_plain(other) else None
    if not is_number(other) or not math.isfinite(other):
        return None
    fits = now.__class__ is not float and other == int(other)
    return _nearest(operator, other, whole=now.__class__ is int or fits)


def _moved(operator: str, other: object, mine: object, now: object) -> Plain | None:
    """The value of an attribute that the compared expression grows with by as much."""
    if not (is_number(other) and is_number(mine) and is_number(now)):
        return None
    return _limit(operator, now + (other - mine), now)


def _scaled(operator: str, other: object, mine: object, now: object) -> Plain | None:
    """The value of an attribute that the compared expression grows with in scale."""
    if not (is_number(other) and is_number(mine) and is_number(now)) or mine == 0:
        return None
    return _limit(operator, now * (other / mine), now)


def _limit(operator: str, value: float, now: float) -> Plain | None:
    if operator in _SAME or not math.isfinite(value):
        return None
    return _nearest(operator, value, whole=now.__class__ is int)


def _nearest(operator: str, value: float, *, whole: bool) -> int | float:
    """The number nearest to a limit that is on the right side of it."""
    if whole:
        if operator in ("<", "<="):
            return math.floor(value) if operator == "<=" else math.ceil(value) - 1
        return math.ceil(value) if operator == ">=" else math.floor(value) + 1
    if operator in ("<=", ">="):
        return value
    return math.nextafter(value, -math.inf if operator == "<" else math.inf)


def _do(clause: Counted, name: str, values: dict[int, Plain], pairs: Pairs) -> bool:
    """Whether the clause is true of the first slot with the value for that."""
    if not values:
        return False
    row, value = next(iter(values.items()))
    my, target = pairs.sides(row, clause.whose)
    changed = ClassAd()
    changed.chain(my if clause.whose is Whose.JOB else target)
    changed.insert(name, value)
    sides = (changed, target) if clause.whose is Whose.JOB else (my, changed)
    return is_true(evaluate(clause.tree, *sides, context=pairs.context))
