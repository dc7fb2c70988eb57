"""Explains the value of an expression: the value of every node and where every name was found.

It says how each ad is called (``MY``, ``TARGET``, ``MY.Nested``, ``MY's chained parent``), which
node is to blame for undefined or error, and which name was probably meant.  The values are those of
an evaluation that ``classad.analysis.explain`` watched.

Inputs: an expression, MY, TARGET, the context.  Outputs: an ``Explanation``, a frozen tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from classad.ads.ad import Ad, Stored
from classad.ads.expression import Expression
from classad.analysis.explanation import BUILT_IN, Explanation, Lookup, is_missing_side
from classad.errors import suggest
from classad.evaluate import as_tree, run_exactly
from classad.evaluation.context import EvalContext
from classad.evaluation.functions import lookup_function, suggest_function
from classad.evaluation.reference import Evaluator, ReferenceState
from classad.evaluation.scopes import LocatedAttribute, outermost, searched
from classad.evaluation.state import NO_CONTEXT
from classad.language.bounds import EvaluationFailure
from classad.language.names import fold_name
from classad.language.values import ERROR, UNDEFINED, ClassAdValue
from classad.syntax import nodes
from classad.syntax.nodes import Node, Reference

#: Nodes that are recorded; an evaluation may visit 5,000 times as many.
MAX_RECORDS: Final = 2000
#: Nesting of records; bounds the recursion of everything that reads them.
MAX_NESTING: Final = 120


class NodeRecord:
    """The evaluation of one node in one ad.

    ``outcome``: ``evaluated``, or ``failed`` if it did not come to an end.  ``parts``: the
    evaluations inside it, in order.  ``finds``: what its name led to: stored value, the ad to
    evaluate it in, the ad that has it.  ``cycle``: that expression was under way already.
    ``searched``: the ads in which the name is not.  ``cut``: something inside was not recorded.
    """

    __slots__ = (
        "ad", "cut", "cycle", "finds", "level", "node", "outcome", "parts", "searched", "value",
    )  # fmt: skip

    def __init__(self, node: Node | None, ad: Ad | None, level: int) -> None:
        self.node = node
        self.ad = ad
        self.level = level
        self.value: ClassAdValue | None = None
        self.outcome = "failed"
        self.parts: list[NodeRecord] = []
        self.finds: list[LocatedAttribute] = []
        self.searched: list[Ad] | None = None
        self.cycle = False
        self.cut = False


class Observer(ReferenceState):
    """An evaluation state that records every node.

    ``root``: holds the record of the whole expression.  ``depth``: definitions of attributes are
    followed this deep.  ``failure``: the reason why the last evaluation that failed did.
    """

    def __init__(self, depth: int, context: EvalContext) -> None:
        super().__init__(context)
        self.root = NodeRecord(None, None, 0)
        self.failure: str | None = None
        self._open: NodeRecord | None
        self._look(self.root)
        self._definitions_left = depth
        self._room = MAX_RECORDS

    def record(self, node: Node, ad: Ad) -> NodeRecord | None:
        """A record for a node inside the one under way, if it is to be kept."""
        around = self._open
        assert around is not None, "nodes outside of every record are not observed"
        if self._room <= 0 or around.level >= MAX_NESTING:
            around.cut = True
            return None
        self._room -= 1
        record = NodeRecord(node, ad, around.level + 1)
        around.parts.append(record)
        return record

    def observe(self, way: Evaluator, node: Node, ad: Ad) -> ClassAdValue:
        """Evaluate a node and note what came out."""
        before, record = self._open, self.record(node, ad)
        self._look(record)
        try:
            value = way(node, ad, self)
        except EvaluationFailure as failure:
            self.failure = str(failure)
            raise
        finally:
            self._look(before)
        if record is not None:
            record.value, record.outcome = value, "evaluated"
            if value is UNDEFINED and isinstance(node, Reference) and not record.finds:
                record.searched = self._searched(node, ad, record)
        return value

    def _look(self, record: NodeRecord | None) -> None:
        """Record from here on into this record, or not at all, which is faster."""
        self._open = record
        self.evaluators = _PLAIN if record is None else _OBSERVED

    def _searched(self, node: Reference, ad: Ad, record: NodeRecord) -> list[Ad] | None:
        """The ads in which a name was looked for in vain; None if none was."""
        start = outermost(self) if node.absolute else ad
        if node.base is not None:
            base = record.parts[0].value if record.parts else None
            if not isinstance(base, Ad):
                return None
            if base.computed:
                return []
            start = base
        unscoped = node.base is None and not node.absolute
        return searched(start, fold_name(node.name), self, unscoped=unscoped)

    def dereference(self, value: Stored, ad: Ad, owner: Ad) -> Stored:
        open_record = self._open
        if open_record is not None:
            open_record.finds.append((value, ad, owner))
        if value.__class__ is not Expression:
            return super().dereference(value, ad, owner)
        if open_record is not None and self.is_under_way(value, owner):
            open_record.cycle = True
        if self._definitions_left <= 0:
            self._look(None)
        self._definitions_left -= 1
        try:
            return super().dereference(value, ad, owner)
        finally:
            self._definitions_left += 1
            self._look(open_record)


def _observed(way: Evaluator) -> Evaluator:
    def evaluate(node: Node, ad: Ad, state: Observer) -> ClassAdValue:
        return state.observe(way, node, ad)

    return evaluate


_PLAIN: Final = ReferenceState.evaluators
_OBSERVED: Final = {kind: _observed(way) for kind, way in _PLAIN.items()}


#: How many definitions of attributes are followed, one inside the other.
DEPTH: Final = 4


def explain(
    expr: Expression | Node | str,
    my: Ad | None = None,
    target: Ad | None = None,
    *,
    context: EvalContext | None = None,
    depth: int = DEPTH,
) -> Explanation:
    """Evaluate as ``evaluate`` does and explain the value.

    ``depth``: how many definitions of attributes are followed, one inside the other.
    """
    tree = as_tree(expr, context)
    ad = Ad() if my is None else my
    other = None if target is ad else target
    observer = Observer(depth, context or NO_CONTEXT)
    observer.left, observer.right = None if other is None else ad, other
    value, ok = run_exactly(tree, ad, observer)
    found = observer.root.parts
    explanation = _RecordReader(observer, ad).explanation(found[0])
    assert explanation.value is value or not ok
    return explanation


class _RecordReader:
    """From the records of one evaluation to an explanation."""

    def __init__(self, observer: Observer, my: Ad) -> None:
        self.observer = observer
        self.my = my

    def explanation(self, record: NodeRecord) -> Explanation:
        """The explanation of a record and all inside it."""
        node = record.node
        assert node is not None
        rest = list(record.parts)
        children = tuple(self.child(child, record, rest) for child in node.children())
        if isinstance(node, nodes.ListExpr | nodes.AdExpr):
            children = ()
        lookup = suggestion = fault = None
        if isinstance(node, nodes.Reference):
            lookup, suggestion = self.lookup(record, node, rest)
        elif isinstance(node, nodes.Call):
            fault, suggestion = self.call(node)
        failed = record.outcome == "failed"
        if failed:
            fault = self.observer.failure or "the evaluation is nested too deeply"
        return Explanation(
            node,
            "failed" if failed else "evaluated",
            ERROR if failed else record.value,
            children,
            tuple(self.explanation(part) for part in rest),
            lookup,
            suggestion,
            fault,
        )

    def child(self, node: Node, record: NodeRecord, rest: list[NodeRecord]) -> Explanation:
        """The explanation of an operand, taken out of ``rest``; repetitions go too."""
        mine = [part for part in rest if part.node is node and part.ad is record.ad]
        for part in mine:
            rest.remove(part)
        if mine:
            return self.explanation(mine[0])
        return Explanation(node, "not shown" if record.cut else "not evaluated")

    def lookup(
        self, record: NodeRecord, node: nodes.Reference, rest: list[NodeRecord]
    ) -> tuple[Lookup | None, str | None]:
        """Where a name was found or not, and what may have been meant."""
        if record.searched is not None:
            labels = dict.fromkeys(map(self.label, record.searched))
            names = {name for ad in record.searched for name in ad.names()}
            where = tuple(label for label in labels if label is not None)
            known = () if is_missing_side(node) else names
            found = Lookup(None, where, elsewhere=self.elsewhere(node.name))
            return found, suggest(node.name, known)
        if len(record.finds) != 1:
            return None, None
        value, _, owner = record.finds[0]
        # The two ads that define MY and TARGET in a match are none of the user's.
        scoped = any(owner is scope for scope in self.observer._scopes or ())
        if owner._attrs.get(fold_name(node.name)) is not value or scoped:
            rest.clear()
            return Lookup(BUILT_IN), None
        definition = None
        if value.__class__ is Expression and not record.cycle:
            definition = Explanation(value.node, "not shown")
            if rest and rest[0].node is value.node:
                definition = self.explanation(rest.pop(0))
        return Lookup(self.label(owner) or BUILT_IN, (), definition, record.cycle), None

    def elsewhere(self, name: str) -> str | None:
        """Which of the two ads has a name that was only looked for in the other one."""
        for ad in (self.my, self.observer.right):
            if ad is not None and ad.raw(name) is not None:
                return self.label(ad)
        return None

    def call(self, node: nodes.Call) -> tuple[str | None, str | None]:
        """What is wrong with a call, and which function may have been meant."""
        context = self.observer.context
        function = lookup_function(node.name, context)
        if function is None:
            return f"`{node.name}` is not a function", suggest_function(node.name, context)
        if not function.accepts(len(node.args)):
            wanted = f"{function.arity} argument{'' if function.arity == '1' else 's'}"
            return f"`{node.name}` takes {wanted}, not {len(node.args)}", None
        return None, None

    def label(self, ad: Ad) -> str | None:
        """What an ad is called; None for those that only exist while two ads are matched."""
        observer = self.observer
        if ad is self.my:
            return "MY"
        if ad is observer.right:
            return "TARGET"
        for base, name in ((self.my, "MY"), (observer.right, "TARGET")):
            if base is not None and any(ad is other for other in _chain(base)):
                return f"{name}'s chained parent"
        scopes = observer._scopes or ()
        if any(ad is scope or ad is scope._parent for scope in scopes):
            return None
        around = ad._parent
        if around is not None and (outer := self.label(around)) is not None:
            for key, value in around._attrs.items():
                if value is ad:
                    return f"{outer}.{around._names[key]}"
        return "a nested ad"


def _chain(ad: Ad) -> Iterator[Ad]:
    parent = ad._chained
    while parent is not None:
        yield parent
        parent = parent._chained
