"""Finds which clauses of whose requirements fail, and the values in them.

Decides what a clause is (a conjunct, own attributes that are expressions taken apart) and which
facts about it are told.

Inputs: two ads or many pairs of ads, as the cycle has them.  Outputs: ``Clause`` values: how many
slots each refuses, how many it alone refuses, the values of what it mentions, what is undefined and
what was probably meant.  Follows: ``condor_q -better-analyze`` for the idea of counting clause by
clause.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import Final

from attr import define, field, frozen

from classad import ClassAd
from classad.ads.expression import Expression
from classad.errors import suggest
from classad.evaluate import EvalContext, evaluate
from classad.formats.unparse import unparse, unparse_value
from classad.language.values import ERROR, UNDEFINED
from classad.match import is_true
from classad.syntax.nodes import Literal, Node, Reference, walk
from negotiator.expressions.dependence import conjuncts
from policy.ephemeral import find_ephemeral

#: Different values of an operand that are listed.
MAX_VALUES: Final = 4
#: Slots whose attributes are searched for a name that may have been meant.
SEARCHED: Final = 200
#: The owner of names such as ``CurrentTime``.
BUILT_IN: Final = "built in"
_SCOPES: Final = {"my": "my", "self": "my", "target": "target", "other": "target"}


class Whose(Enum):
    """Whose requirements a clause belongs to."""

    JOB = "job"
    SLOT = "slot"
    POLICY = "policy"


@frozen
class Operand:
    """A name in a clause.  ``owner``: ``job`` or ``slot``, None if neither ad has it.

    ``values``: the most frequent ones as text, each with the number of slots; ``others`` more
    slots have yet other values.  ``lowest`` and ``highest`` if all values are numbers.
    """

    name: str
    owner: str | None
    values: tuple[tuple[str, int], ...]
    others: int = 0
    lowest: float | None = None
    highest: float | None = None
    suggestion: str | None = None
    note: str | None = None


@frozen
class Clause:
    """A clause that is not true of some slots.

    ``refuses`` slots for which it is not true, ``alone`` of them for no other reason;
    ``undefined`` and ``error`` of them because it is neither true nor false.
    """

    whose: Whose
    text: str
    refuses: int
    alone: int
    undefined: int
    error: int
    operands: tuple[Operand, ...]
    example: str


@frozen(eq=False)
class Pair:
    """Two ads that are matched: the request as the slot sees it, and the slot."""

    name: str
    request: ClassAd
    slot: ClassAd

    def sides(self, whose: Whose) -> tuple[ClassAd, ClassAd]:
        """MY and TARGET of a clause."""
        return (self.request, self.slot) if whose is Whose.JOB else (self.slot, self.request)


#: A clause as a key.
ClauseKey = tuple[Whose, str]


@define(eq=False)
class ClauseTable:
    """Clauses of many pairs; equal texts of different slots are one clause."""

    context: EvalContext
    #: Attributes that HTCondor knows: they are no slips, even where they are missing.
    known: frozenset[str] = frozenset()
    trees: dict[int, tuple[Expression, str]] = field(factory=dict)
    failing: dict[ClauseKey, list[tuple[Pair, Expression, object]]] = field(factory=dict)
    sets: list[tuple[Pair, frozenset[ClauseKey]]] = field(factory=list)

    def add(self, pair: Pair) -> frozenset[ClauseKey]:
        """Evaluate all clauses of a pair; returns those that are not true."""
        found = set()
        for whose in (Whose.JOB, Whose.SLOT):
            my, target = pair.sides(whose)
            for tree, text in self.clauses(my):
                if self.test(pair, whose, tree, text, my, target):
                    found.add((whose, text))
        failed = frozenset(found)
        self.sets.append((pair, failed))
        return failed

    def add_policy(self, pair: Pair, expr: Expression) -> None:
        """The same for an expression of the policy, whose MY is the slot."""
        holder = ClassAd()
        holder.insert("Requirements", expr)
        found = set()
        for tree, text in self.clauses(holder):
            if self.test(pair, Whose.POLICY, tree, text, pair.slot, pair.request):
                found.add((Whose.POLICY, text))
        self.sets.append((pair, frozenset(found)))

    def clauses(self, ad: ClassAd) -> Iterator[tuple[Expression, str]]:
        """The clauses of an ad's requirements."""
        nodes = conjuncts(ad)
        for node in [Literal(UNDEFINED)] if nodes is None else nodes:
            known = self.trees.get(id(node))
            if known is None:
                known = self.trees[id(node)] = (Expression.from_node(node), unparse(node))
            yield known

    def test(
        self,
        pair: Pair,
        whose: Whose,
        tree: Expression,
        text: str,
        my: ClassAd,
        target: ClassAd,
    ) -> bool:
        """Whether a clause fails; it is remembered then."""
        value = evaluate(tree, my, target, context=self.context)
        if is_true(value):
            return False
        self.failing.setdefault((whose, text), []).append((pair, tree, value))
        return True

    def result(self) -> tuple[Clause, ...]:
        """The clauses that fail, those that refuse most first."""
        alone = Counter(next(iter(failed)) for _, failed in self.sets if len(failed) == 1)
        found = [
            Clause(
                whose,
                text,
                len(cases),
                alone[whose, text],
                sum(1 for _, _, value in cases if value is UNDEFINED),
                sum(1 for _, _, value in cases if value is ERROR),
                self.operands(cases[0][1].node, whose, [case[0] for case in cases]),
                cases[0][0].name,
            )
            for (whose, text), cases in self.failing.items()
        ]
        return tuple(sorted(found, key=lambda clause: (-clause.refuses, -clause.alone)))

    def operands(self, node: Node, whose: Whose, pairs: Sequence[Pair]) -> tuple[Operand, ...]:
        """What a clause mentions, with the values it has in all the pairs."""
        parts = {unparse(part).lower(): part for part in reversed(references(node))}
        return tuple(self.operand(part, whose, pairs) for part in reversed(parts.values()))

    def operand(self, part: Reference, whose: Whose, pairs: Sequence[Pair]) -> Operand:
        """One name of a clause."""
        tree = Expression.from_node(part)
        values: list[object] = []
        owners: Counter[str | None] = Counter()
        for pair in pairs:
            my, target = pair.sides(whose)
            values.append(evaluate(tree, my, target, context=self.context))
            owners[_owner(part, whose, my, target)] += 1
        if owners[None] and not any(value is UNDEFINED for value in values):
            owners = Counter({BUILT_IN: len(values)})
        counts = Counter(map(value_text, values))
        common = sorted(counts.items(), key=lambda item: -item[1])[:MAX_VALUES]
        numbers = [float(v) for v in values if v.__class__ in (int, float)]
        whole = len(numbers) == len(values)
        missing = owners[None] > 0
        return Operand(
            unparse(part),
            owners.most_common(1)[0][0],
            tuple(common),
            len(values) - sum(count for _, count in common),
            min(numbers) if whole and numbers else None,
            max(numbers) if whole and numbers else None,
            self.suggestion(part.name, pairs) if missing else None,
            _note(part.name) if missing else None,
        )

    def suggestion(self, name: str, pairs: Sequence[Pair]) -> str | None:
        """The name that was probably meant by one that nobody has."""
        if name.lower() in self.known:
            return None
        return suggest(name, _names(pairs))


def value_text(value: object) -> str:
    """A value as people write it: reals without needless digits."""
    return f"{value:.10g}" if value.__class__ is float else unparse_value(value)


def references(node: Node) -> list[Reference]:
    """The references of an expression without the scope names in front of them."""
    found = [part for part in walk(node) if isinstance(part, Reference)]
    bases = {id(part.base) for part in found if isinstance(part.base, Reference)}
    return [part for part in found if id(part) not in bases]


def _owner(part: Reference, whose: Whose, my: ClassAd, target: ClassAd) -> str | None:
    """Which of the two ads has the attribute; None if there is none of that name."""
    mine = "job" if whose is Whose.JOB else "slot"
    other = "slot" if whose is Whose.JOB else "job"
    scope = _scope(part)
    if scope != "target" and my.raw(part.name) is not None:
        return mine
    if scope != "my" and target.raw(part.name) is not None:
        return other
    return None


def _scope(part: Reference) -> str | None:
    base = part.base
    if isinstance(base, Reference) and base.base is None:
        return _SCOPES.get(base.name.lower())
    return None


def _names(pairs: Iterable[Pair]) -> set[str]:
    """All names of the first slots and of the request."""
    known: set[str] = set()
    for i, pair in enumerate(pairs):
        if i == SEARCHED:
            break
        known.update(pair.slot.names())
        known.update(pair.request.names())
    return known


def _note(name: str) -> str | None:
    """When an attribute that only exists in a cycle is there."""
    found = find_ephemeral(name)
    return None if found is None else f"the negotiator adds it when {found.presence.value}"
