"""Records an evaluation: the value of each node, and what each name led to.

The functions of ``classad.evaluation.reference`` are wrapped one by one, so an observed evaluation
takes the same steps as any other; an evaluation that nobody observes does not come here at all.

Inputs: a state to evaluate with.  Outputs: ``Record`` objects, nested as the evaluation was.
"""

from __future__ import annotations

from typing import Final

from classad.ads.ad import Ad, Stored
from classad.ads.expression import Expression
from classad.evaluation.context import EvalContext
from classad.evaluation.reference import Evaluator, ReferenceState
from classad.evaluation.scopes import Found, outermost, searched
from classad.language.limits import EvaluationFailure
from classad.language.names import fold_name
from classad.language.values import UNDEFINED, ClassAdValue
from classad.syntax.nodes import Node, Reference

#: Nodes that are recorded; an evaluation may visit 5,000 times as many.
MAX_RECORDS: Final = 2000
#: Nesting of records; bounds the recursion of everything that reads them.
MAX_NESTING: Final = 120


class Record:
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
        self.parts: list[Record] = []
        self.finds: list[Found] = []
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
        self.root = Record(None, None, 0)
        self.failure: str | None = None
        self._open: Record | None
        self._look(self.root)
        self._definitions_left = depth
        self._room = MAX_RECORDS

    def record(self, node: Node, ad: Ad) -> Record | None:
        """A record for a node inside the one under way, if it is to be kept."""
        around = self._open
        assert around is not None, "nodes outside of every record are not observed"
        if self._room <= 0 or around.level >= MAX_NESTING:
            around.cut = True
            return None
        self._room -= 1
        record = Record(node, ad, around.level + 1)
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

    def _look(self, record: Record | None) -> None:
        """Record from here on into this record, or not at all, which is faster."""
        self._open = record
        self.evaluators = _PLAIN if record is None else _OBSERVED

    def _searched(self, node: Reference, ad: Ad, record: Record) -> list[Ad] | None:
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
