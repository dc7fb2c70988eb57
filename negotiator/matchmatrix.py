"""Which slots match a request, for the whole pool at once.

Decision here: none that evaluating both requirements for every slot would not give.  Conjuncts are
evaluated once for all slots and requests that cannot differ in them, and kept as masks with one
byte a slot.  Inputs: slots by position, requests.  Outputs: flags by position.

Never here: preemption, limits, ranks; slots whose ads change within the cycle are left to their
own evaluation.
Follows: ``classad.match``; a test compares the two on every recorded pool.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from attr import define, field

from classad.ad import ClassAd
from classad.evaluate import EvalContext, evaluate
from classad.expr import ExprTree
from classad.match import is_true
from classad.nodes import Literal, Node
from classad.unparse import unparse
from negotiator.conjuncts import Analyst, Key, conjuncts, is_plain, key_of
from negotiator.slots import Slot

_FALSE: Final = Literal(False)


@define(eq=False)
class _Family:
    """A conjunct of slots' requirements with the slots that have it.

    ``codes``: for each member the number of its own values; ``samples``: one member for each.
    """

    tree: ExprTree
    other: tuple[str, ...]
    members: list[int] = field(factory=list)
    codes: list[int] = field(factory=list)
    samples: list[int] = field(factory=list)
    numbers: dict[Key, int] = field(factory=dict)
    masks: dict[Key, int] = field(factory=dict)

    def add(self, position: int, own: Key) -> None:
        code = self.numbers.get(own)
        if code is None:
            code = self.numbers[own] = len(self.samples)
            self.samples.append(position)
        self.members.append(position)
        self.codes.append(code)


@define(eq=False)
class _Column:
    """The values that all slots have for some attributes, numbered; ``hard``: no literals."""

    codes: list[int]
    samples: list[int]
    hard: list[int]


class MatchMatrix:
    """The slots of a pool, prepared for matching many requests."""

    def __init__(self, slots: Mapping[int, Slot], size: int, context: EvalContext) -> None:
        """``slots``: by position below ``size``; those to be evaluated one by one are left out."""
        self._ads = {position: slot.ad for position, slot in slots.items()}
        self._size = size
        self._context = context
        self._analyst = Analyst()
        self._families: dict[tuple[int, tuple[str, ...]], _Family] = {}
        self._nodes: list[Node] = []
        self._direct: dict[int, list[ExprTree]] = {}
        self._columns: dict[tuple[str, ...], _Column] = {}
        self._job_masks: dict[Key, int] = {}
        self._texts: dict[int, tuple[Node, str]] = {}
        self._trees: dict[int, ExprTree] = {}
        self._everything = int.from_bytes(b"\1" * self._size, "little")
        for position, ad in self._ads.items():
            self._add_slot(position, ad)

    def __contains__(self, position: int) -> bool:
        """Whether the flag of a position says all; if not it is 1 and means nothing."""
        return position in self._ads

    def matching(self, request: ClassAd) -> bytes:
        """One byte for each position: 1 if the slot there and the request match."""
        mask = self._slot_side(request) & self._job_side(request)
        flags = bytearray(mask.to_bytes(self._size, "little"))
        self._test_directly(request, flags)
        return bytes(flags)

    # --- the slots' requirements ----------------------------------------------------------------

    def _add_slot(self, position: int, ad: ClassAd) -> None:
        nodes = conjuncts(ad)
        for node in [_FALSE] if nodes is None else nodes:
            depends = self._analyst.dependence(node, ad)
            tree = self._trees.get(id(node))
            if tree is None:
                self._nodes.append(node)
                tree = self._trees[id(node)] = ExprTree.from_node(node)
            if not depends.steady:
                self._direct.setdefault(position, []).append(tree)
                continue
            key = (id(node), depends.other)
            family = self._families.get(key)
            if family is None:
                family = self._families[key] = _Family(tree, depends.other)
            family.add(position, depends.own)

    def _slot_side(self, request: ClassAd) -> int:
        """The slots whose steady conjuncts hold."""
        mask = self._everything
        for family in self._families.values():
            key = self._request_key(request, family.other)
            if key is None:
                mask &= self._family_mask(family, request)
                continue
            known = family.masks.get(key)
            if known is None:
                known = family.masks[key] = self._family_mask(family, request)
            mask &= known
            if not mask:
                break
        return mask

    def _request_key(self, request: ClassAd, names: tuple[str, ...]) -> Key | None:
        """The request's values of some attributes; None if they do not decide."""
        parts: list[Any] = []
        for name in names:
            value = request.raw(name)
            if value.__class__ is ExprTree:
                depends = self._analyst.dependence(value.node, request)
                if depends.other or not depends.steady:
                    return None
                parts.append((id(value.node), depends.own))
            elif is_plain(value):
                parts.append(key_of(value))
            else:
                return None
        return tuple(parts)

    def _family_mask(self, family: _Family, request: ClassAd) -> int:
        """All slots but the members whose conjunct fails for a request."""
        results = [self._holds(family.tree, self._ads[i], request) for i in family.samples]
        if all(results):
            return self._everything
        flags = bytearray(b"\1" * self._size)
        for position, code in zip(family.members, family.codes, strict=True):
            flags[position] = results[code]
        return int.from_bytes(flags, "little")

    def _holds(self, tree: ExprTree, my: ClassAd, target: ClassAd) -> bool:
        return is_true(evaluate(tree, my, target, context=self._context))

    # --- the request's requirements -------------------------------------------------------------

    def _job_side(self, request: ClassAd) -> int:
        """The slots for which the request's steady conjuncts hold."""
        nodes = conjuncts(request)
        if nodes is None:
            return 0
        mask = self._everything
        for node in nodes:
            depends = self._analyst.dependence(node, request)
            if not depends.steady:
                continue
            key = (self._text(node), depends.own, depends.other)
            known = self._job_masks.get(key)
            if known is None:
                known = self._job_masks[key] = self._job_mask(node, depends.other, request)
            mask &= known
            if not mask:
                break
        return mask

    def _text(self, node: Node) -> str:
        """A conjunct as text: equal texts of different jobs share their masks."""
        known = self._texts.get(id(node))
        if known is None:
            known = self._texts[id(node)] = (node, unparse(node))
        return known[1]

    def _job_mask(self, node: Node, names: tuple[str, ...], request: ClassAd) -> int:
        column = self._column(names)
        tree = ExprTree.from_node(node)
        results = bytes(self._holds(tree, request, self._ads[i]) for i in column.samples)
        # The last code is that of positions to be tested one by one.
        table = results + b"\1"
        return int.from_bytes(bytes(map(table.__getitem__, column.codes)), "little")

    def _column(self, names: tuple[str, ...]) -> _Column:
        found = self._columns.get(names)
        if found is not None:
            return found
        codes = [-1] * self._size
        samples: list[int] = []
        hard: list[int] = []
        numbers: dict[Key, int] = {}
        for position, ad in self._ads.items():
            values = [ad.raw(name) for name in names]
            if not all(map(is_plain, values)):
                hard.append(position)
                continue
            key = tuple(map(key_of, values))
            code = numbers.get(key)
            if code is None:
                code = numbers[key] = len(samples)
                samples.append(position)
            codes[position] = code
        found = self._columns[names] = _Column(codes, samples, hard)
        return found

    # --- what is left ---------------------------------------------------------------------------

    def _test_directly(self, request: ClassAd, flags: bytearray) -> None:
        """Evaluate what no mask can say, for the slots that passed all masks."""
        for position, trees in self._direct.items():
            if flags[position]:
                ad = self._ads[position]
                flags[position] = all(self._holds(tree, ad, request) for tree in trees)
        for node in conjuncts(request) or ():
            depends = self._analyst.dependence(node, request)
            tree = ExprTree.from_node(node)
            places = self._ads if not depends.steady else self._column(depends.other).hard
            for position in places:
                if flags[position]:
                    flags[position] = self._holds(tree, request, self._ads[position])
