"""Evaluating an expression once for each distinct combination of what it depends on.

What is decided here: which rows need no evaluation of their own.  Every value comes from the
ordinary evaluator (classad/batch.py); where an expression compares an attribute with something
constant, values that the comparison cannot tell apart share one (classad/table/comparisons.py).
Inputs: a shape, a group of rows, a partner.  Outputs: the results for a ``Joint``'s samples.
Never here: caches, bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from classad.ad import ClassAd
from classad.expr import ExprTree
from classad.operators import truth
from classad.table.comparisons import ALIKE, COMPARISONS, Comparison, bare, understand
from classad.table.direct import reduced
from classad.table.partner import Partner
from classad.table.parts import Joint, put_cell
from classad.table.plans import Group
from classad.table.programs import Inputs, Ready, program_of
from classad.table.quick import Quick
from classad.table.shapes import Shape
from classad.table.vectors import Vector
from classad.values import UNDEFINED

#: What a value counts as in logic; NOBODY for a combination that no row has.
UNKNOWN: Final = 0
TRUE: Final = 1
FALSE: Final = 2
BAD: Final = 3
NOBODY: Final = 4


def logical(value: Any) -> int:
    """What a value counts as in logic."""
    found = truth(value)
    if found.__class__ is bool:
        return TRUE if found else FALSE
    return UNKNOWN if found is UNDEFINED else BAD


class Results(NamedTuple):
    """``joint``: None if all rows of the group have the one result there is.

    ``results``: bytes if they are what values count as in logic.  ``whole``: also for the rows that
    did not matter.
    """

    joint: Joint | None
    results: Any
    whole: bool


class _Rest(NamedTuple):
    """Combinations that are left; ``row``: has what they have in common."""

    row: ClassAd
    names: tuple[str, ...]
    joint: Joint
    group: Group
    codes: list[int]


class Sampler:
    """Evaluates a shape in the combinations that a group of rows has."""

    def __init__(
        self, shape: Shape, of_row: bool, partner: Partner, convert: Callable[[Any], Any] | None
    ) -> None:
        """``convert``: None for values as they are, or ``logical``."""
        self.shape = shape
        self.of_row = of_row
        self.partner = partner
        self.convert = convert

    def at_once(self, group: Group) -> Results | None:
        """The same if it costs next to nothing; else None.  For a single column that differs."""
        _, varying = group.part.base(group.columns)
        if len(varying) != 1 or group.circular:
            return None
        joint = group.part.joint(varying)
        ready = self._ready(group, varying, joint)
        if ready is None or not ready.known():
            return None
        made = ready.run(None)
        return None if made is None else Results(joint, self._converted(made), True)

    def results(self, group: Group, within: int | None = None) -> Results:
        """The result for each sample; None or NOBODY for samples that no row of the group has.

        ``within``: the rows that matter.
        """
        part = group.part
        row, varying = part.base(group.columns)
        if group.circular:
            row = _with_own_trees(row, group)
        if not varying:
            return Results(None, [self.value(row)], True)
        joint = part.joint(varying)
        if len(varying) == 1 and self.convert is logical:
            quick = self._quick(group)
            judged = quick and quick.judged(varying[0], group, joint, self.partner, logical)
            if judged is not None:
                return Results(joint, judged, True)
        ready = self._ready(group, varying, joint)
        if ready is not None and ready.known():
            made = ready.run(None)
            if made is not None:
                return Results(joint, self._converted(made), True)
        if within is not None:
            joint = joint._replace(live=part.codes_within(joint, within))
        found: Any = [None] * len(joint.samples)
        if self.convert is not None:
            found = bytearray([NOBODY]) * len(joint.samples)
        codes: Iterable[int] = range(len(found)) if joint.live is None else joint.live
        if len(varying) == 1 and self.convert is not None and len(found) > _FEW:
            comparison = understand(self, varying[0], group, row)
            if comparison is not None:
                codes = self._compare(row, varying[0], group, joint, comparison, found)
        self._rest(_Rest(row, varying, joint, group, list(codes)), ready, found)
        return Results(joint, found, within is None)

    def _quick(self, group: Group) -> Quick | None:
        """The plain comparison that the shape is, if it is one."""
        memo = group.memo
        if "quick" not in memo:
            program = None
            if getattr(bare(self.shape.node), "operator", "") in COMPARISONS:
                program = program_of(self.shape, self.of_row, group, self.partner)
            memo["quick"] = None if program is None else Quick.of(program)
        found: Quick | None = memo["quick"]
        return found

    def _ready(self, group: Group, names: tuple[str, ...], joint: Joint) -> Ready | None:
        """What finds the results of many combinations together."""
        if len(joint.samples) < MANY:
            return None
        program = program_of(self.shape, self.of_row, group, self.partner)
        if program is None:
            return None
        return Ready(program, Inputs(self.partner, group.part, names, joint))

    def _converted(self, made: Vector) -> Any:
        return made.values() if self.convert is None else made.judged()

    def _rest(self, rest: _Rest, ready: Ready | None, found: Any) -> None:
        """Fill in what is left, together, in a reduced form or one by one."""
        codes = rest.codes
        if len(codes) >= MANY:
            made = None if ready is None else ready.run(codes)
            if made is not None:
                results = self._converted(made)
                if len(codes) == len(found):
                    found[:] = results
                for code in codes if len(codes) < len(found) else ():
                    found[code] = results[code]
                return
            alone = reduced(self.shape, self.of_row, rest.group, self.partner)
            if alone is not None:
                self._quickly(alone, rest.names, rest.joint.samples, codes, found)
                return
        for code in codes:
            for name, cell in zip(rest.names, rest.joint.samples[code], strict=True):
                put_cell(rest.row, name, cell)
            found[code] = self.value(rest.row)

    def value(self, row: ClassAd, tree: Any = None) -> Any:
        """The result for one combination; the value of another expression there."""
        partner = self.partner
        other = partner.mine
        my, target = (row, other) if self.of_row else (other, row)
        assert my is not None
        if tree is not None:
            return partner.evaluator.value(tree, my, target)
        value = partner.evaluator.value(self.shape.tree, my, target)
        return value if self.convert is None else self.convert(value)

    def _quickly(
        self,
        tree: ExprTree,
        names: tuple[str, ...],
        samples: list[tuple[Any, ...]],
        codes: Iterable[int],
        found: Any,
    ) -> None:
        """Evaluate the reduced expression, which needs an ad with the columns alone."""
        evaluator, convert = self.partner.evaluator, self.convert
        row = ClassAd()
        row._names = dict(zip(names, names, strict=True))
        for code in codes:
            sample = samples[code]
            row._attrs = (
                dict(zip(names, sample, strict=True))
                if None not in sample
                else {name: c for name, c in zip(names, sample, strict=True) if c is not None}
            )
            value = evaluator.value(tree, row, None)
            found[code] = value if convert is None else convert(value)

    def _put(self, row: ClassAd, name: str, joint: Joint, code: int, found: Any) -> None:
        put_cell(row, name, joint.samples[code][0])
        found[code] = self.value(row)

    def _compare(
        self,
        row: ClassAd,
        name: str,
        group: Group,
        joint: Joint,
        comparison: Comparison,
        found: Any,
    ) -> Iterable[int]:
        """Fill in what a comparison with a constant gives; the codes that are left."""
        codes = range(len(found)) if joint.live is None else joint.live
        if comparison.ordered:
            numbers = [code for code in codes if code < joint.ordered]
            if joint.live is None:
                numbers = range(joint.ordered)  # type: ignore[assignment]
            self._search(row, name, joint, numbers, found)
            return codes[len(numbers) :]
        index = group.part.index(name)
        near = index.near(comparison.constant)
        left = list(near)
        for kind, alike in index.alike.items():
            others = [code for code in alike[: len(near) + 1] if code not in near]
            if kind not in ALIKE or not others:
                left += alike
                continue
            self._put(row, name, joint, others[0], found)
            if len(alike) == len(found):
                found[:] = bytes([found[others[0]]]) * len(found)
            else:
                for code in alike:
                    found[code] = found[others[0]]
        return list(dict.fromkeys(left))

    def _search(self, row: ClassAd, name: str, joint: Joint, codes: Any, found: Any) -> None:
        """Fill in the results for numbers that rise; they change once at most."""
        if not codes:
            return
        low, high = 0, len(codes) - 1
        for place in (low, high):
            self._put(row, name, joint, codes[place], found)
        first, last = found[codes[low]], found[codes[high]]
        if first == last:
            high = len(codes)
        while high - low > 1 and high < len(codes):
            middle = (low + high) // 2
            self._put(row, name, joint, codes[middle], found)
            if found[codes[middle]] == first:
                low = middle
            else:
                high = middle
        if codes.__class__ is range:
            found[: len(codes)] = bytes([first]) * high + bytes([last]) * (len(codes) - high)
            return
        for place, code in enumerate(codes):
            found[code] = first if place < high else last


def _with_own_trees(row: ClassAd, group: Group) -> ClassAd:
    """The same ad, in which no expression is another attribute's too: that is what tells a circle.

    See ``Store.trees_apart``.
    """
    known = group.memo.get("row")
    if known is None or known[0] is not row:
        own = ClassAd()
        for name, cell in row._attrs.items():
            put_cell(
                own, name, ExprTree.from_node(cell.node) if cell.__class__ is ExprTree else cell
            )
        known = group.memo["row"] = row, own
    found: ClassAd = known[1]
    return found


#: From so many combinations on it pays to make an expression ready first.
MANY = 12
#: Up to so many values are simply evaluated.
_FEW: Final = 8
