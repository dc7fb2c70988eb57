"""Finds what an expression or a function is for every row, as codes and values, and keeps it.

What an operator makes of two operands is found once for each pair of their values, where the
combinations of all that the expression mentions are many.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar
from weakref import WeakValueDictionary

from classad.ads.expression import Expression
from classad.binding.ad import ClassAd
from classad.evaluate import evaluate
from classad.evaluation.functions import may_move
from classad.language.names import fold_name
from classad.language.operators import ARITHMETIC, EQUALITY, ORDER
from classad.language.values import UNDEFINED, ClassAdValue
from classad.syntax.nodes import Binary, bare
from classad.table.answers.sampling import Sampler
from classad.table.arrays import NO_CODES, flag, number_pairs, pick, rows_of
from classad.table.expressions.partner import Partner
from classad.table.expressions.plans import EvaluationPlan, PlannedRows, Variants
from classad.table.memo import Budget, Memo
from classad.table.shapes import OTHERS, Shape
from classad.table.store.columns import PLAIN, Joint, cell_key, put_cell
from classad.table.store.store import Store
from classad.table.vectors import Vector, binary

T = TypeVar("T")
#: Operators that look at both operands.
_STRICT: Final = ARITHMETIC | ORDER | EQUALITY
#: Values up to which they are compared with those that others have.
_FEW: Final = 200
#: Bytes of a result besides its codes and values.
_KNOWN: Final = 400


#: Makes the number of a value.  If it has ``number`` that says how a kernel does it, see
#: ``Vector.numbers``.
Convert = Callable[[Any], float]


class Valuation:
    """What an expression is: ``values[codes[row]]``, but for the ``row_by_row`` rows.

    ``uid``: no two have the same, ever; ``numbers``: what was made of its values.
    """

    __slots__ = ("__weakref__", "codes", "numbers", "row_by_row", "uid", "values")

    def __init__(self, uid: int, codes: array[int], values: Vector, row_by_row: int) -> None:
        self.uid = uid
        self.codes = codes
        self.values = values
        self.row_by_row = row_by_row
        self.numbers: dict[Convert, array[float]] = {}


class _Use:
    """A valuation as the result of an expression for some partners.

    ``columns``: what it was made from; ``cost``: its bytes, unless it was there already.
    """

    __slots__ = ("columns", "cost", "valuation")

    def __init__(self, valuation: Valuation, columns: frozenset[str], cost: int) -> None:
        self.valuation = valuation
        self.columns = columns
        self.cost = cost


class _Pairs(NamedTuple):
    """The pairs of codes that rows have; the codes given are kept, so that these stay themselves.

    ``codes``: the pair of each row; ``left`` and ``right``: the codes of each pair.
    """

    given: tuple[array[int], array[int]]
    codes: array[int]
    left: array[int]
    right: array[int]
    #: The values of pairs by the valuation that was the last on its side: one side of a rank is
    #: often the same for all partners.
    picked: dict[str, tuple[int, Vector]]

    def values(self, side: str, valuation: Valuation, codes: array[int]) -> Vector:
        """The values of one side for each pair."""
        known = self.picked.get(side)
        if known is None or known[0] != valuation.uid:
            known = self.picked[side] = valuation.uid, valuation.values.picked(codes)
        return known[1]


#: A group with the combinations of its rows, None if there is one, and the first of their codes.
_Placed: TypeAlias = tuple[PlannedRows, Joint | None, int]


class Valuations:
    """The valuations of a table."""

    def __init__(self, store: Store, budget: Budget) -> None:
        self._store = store
        self._budget = budget
        self._variants: Memo[tuple[int, bool], Variants[_Use]] = Memo(budget)
        #: The valuations by what they consist of, as long as they are results.
        self._made: WeakValueDictionary[object, Valuation] = WeakValueDictionary()
        self._uids = count()
        #: The combination of each row, all groups of a plan counted together.
        self._codes: Memo[EvaluationPlan, array[int]] = Memo(budget)
        self._pairs: Memo[tuple[int, int], _Pairs] = Memo(budget)

    def forget(self, names: set[str] | None, split: set[str] | None = None) -> None:
        """Columns have changed; None: all of them; ``split``: those whose expressions have."""
        for variants in self._variants.values():
            variants.forget(names, split)
        self._made.clear()
        self._codes.drop()
        self._pairs.drop()

    def coded_numbers(
        self, tree: Expression, of_row: bool, partner: Partner, convert: Convert, wanted: int
    ) -> tuple[array[float], array[int] | None]:
        """What an expression is, converted, by code, and the code of every row.

        The codes are None if there is a number for each row.  ``wanted``: the rows that matter,
        which are asked one by one if need be.
        """
        use = self._use(self._store.shapes.of(tree), of_row, partner)
        found = use.valuation
        table = found.numbers.get(convert)
        if table is None:
            number: tuple[bool, float] | None = getattr(convert, "number", None)
            table = None if number is None else found.values.numbers(*number)
            table = array("d", map(convert, found.values.values())) if table is None else table
            found.numbers[convert] = table
            use.cost += 8 * len(table)
            self._budget.spent += 8 * len(table)
        row_by_row = found.row_by_row | partner.row_by_row
        if not row_by_row:
            return table, found.codes
        out = pick(table, found.codes)
        for row in rows_of(row_by_row & wanted):
            out[row] = convert(self._ask(tree, of_row, partner, row))
        return out, None

    def codes(
        self, tree: Expression, of_row: bool, partner: Partner, bits: int
    ) -> tuple[array[int], list[ClassAdValue]]:
        """What an expression is for every row; all are asked if scope names are redefined."""
        values: list[ClassAdValue] = []
        numbers: dict[object, int] = {}

        def number(value: ClassAdValue) -> int:
            """Equal plain values have one."""
            key = cell_key(value) if value.__class__ in PLAIN else id(value)
            if key not in numbers:
                numbers[key] = len(values)
                values.append(value)
            return numbers[key]

        codes, row_by_row = NO_CODES * self._store.size, self._store.everything.bits
        if not partner.redefines_scope_names:
            found = self._use(self._store.shapes.of(tree), of_row, partner).valuation
            codes = pick(array("i", map(number, found.values.values())), found.codes)
            row_by_row = found.row_by_row | partner.row_by_row
        for row in rows_of(row_by_row & bits):
            codes[row] = number(self._ask(tree, of_row, partner, row))
        return codes, values or [UNDEFINED]

    def _ask(self, tree: Expression, of_row: bool, partner: Partner, row: int) -> ClassAdValue:
        ad = self._store.ad(row)
        my, other = (ad, partner.ad) if of_row else (partner.ad, ad)
        value: ClassAdValue = evaluate(tree, my, other, context=partner.context)
        return value

    # --- making them ----------------------------------------------------------------------------

    def _use(self, shape: Shape, of_row: bool, partner: Partner) -> _Use:
        """What an expression is for every row."""
        variants = self._variants.get((shape.uid, of_row))
        if variants is None:
            variants = Variants[_Use](shape, of_row, self._store.everything, self._store)
            self._variants.keep((shape.uid, of_row), variants, 1000)
        found = variants.known(partner)
        if found is not None:
            return found
        variant, plan = variants.planned(partner)
        node = bare(shape.node)
        if (
            isinstance(node, Binary)
            and node.operator in _STRICT
            and not plan.row_by_row
            and plan.wide
            and len(plan.columns) > 1
            and not may_move(node.left)
        ):
            valuation, cost = self._combined(node, of_row, partner)
        else:
            valuation, cost = self._sampled(Sampler(shape, of_row, partner), plan)
        return variant.keep(partner.keys, _Use(valuation, plan.columns, cost))

    def _combined(self, node: Binary, of_row: bool, partner: Partner) -> tuple[Valuation, int]:
        """What an operator makes of two operands, and the bytes that this takes."""
        shapes = self._store.shapes
        left = self._use(shapes.of(node.left), of_row, partner).valuation
        right = self._use(shapes.of(node.right), of_row, partner).valuation
        made_of = (node.operator, left.uid, right.uid)
        known = self._made.get(made_of)
        if known is not None:
            return known, _KNOWN
        key = (id(left.codes), id(right.codes))
        pairs = self._pairs.get(key)
        if pairs is None:
            codes, first = number_pairs(left.codes, right.codes)
            parts = pick(left.codes, first), pick(right.codes, first)
            pairs = _Pairs((left.codes, right.codes), codes, *parts, {})
            self._pairs.keep(key, pairs, 400 + 4 * len(codes) + 26 * len(first))
        values = binary(
            node.operator,
            pairs.values("left", left, pairs.left),
            pairs.values("right", right, pairs.right),
        )
        return self._new(made_of, pairs.codes, values, 0), _KNOWN + 20 * len(values)

    def _new(
        self, made_of: object, codes: array[int], values: Vector, row_by_row: int
    ) -> Valuation:
        found = self._made[made_of] = Valuation(next(self._uids), codes, values, row_by_row)
        return found

    def _sampled(self, sampler: Sampler, plan: EvaluationPlan) -> tuple[Valuation, int]:
        """The valuation by evaluating what the groups of the plan say, and its bytes."""
        placed: list[_Placed] = []
        found: list[Vector] = [Vector.of([UNDEFINED])] if plan.row_by_row else []
        size = len(found)
        for group in plan.groups:
            if group.row_by_row:
                placed.append((group, None, 0))
                continue
            valued = (
                sampler.values(group)
                if len(plan.groups) == 1
                else group.result(sampler.partner, sampler.values)
            )
            placed.append((group, valued.joint, size))
            found.append(valued.results)
            size += len(valued.results)
        if len(found) == 1:
            whole = found[0]
        else:  # none of a table without rows
            whole = Vector.of([value for values in found for value in values.values()])
        codes = self._codes.get(plan)
        if codes is None:
            codes = self._together(placed)
            self._codes.keep(plan, codes, 300 + 4 * len(codes))
        made_of = (id(codes), plan.row_by_row, _told_apart(whole))
        known = self._made.get(made_of)
        if known is not None:
            return known, _KNOWN
        return self._new(made_of, codes, whole, plan.row_by_row), _KNOWN + 20 * len(whole)

    def _together(self, placed: list[_Placed]) -> array[int]:
        """The codes of groups in the order of the rows."""
        pieces = [
            array("i", (start,)) * group.part.bits.bit_count()
            if joint is None
            else joint.codes
            if start == 0
            else pick(array("i", range(start, start + joint.size)), joint.codes)
            for group, joint, start in placed
        ]
        if len(pieces) == 1:
            return pieces[0]
        codes = NO_CODES * self._store.size
        for (group, _, _), piece in zip(placed, pieces, strict=True):
            for row, code in zip(group.part.rows or (), piece, strict=True):
                codes[row] = code
        return codes


def _told_apart(values: Vector) -> object:
    """What tells values from others; themselves if they are too many to look at."""
    if len(values) > _FEW:
        return values
    cells = values.values()
    return tuple(map(cell_key, cells)) if PLAIN.issuperset(map(type, cells)) else values


# --- functions of Python --------------------------------------------------------------------


class ReferencedColumns(NamedTuple):
    """``names``: the columns that can be read; ``row_by_row``: the rows to be asked one by one."""

    names: frozenset[str]
    row_by_row: int


def referenced_columns(store: Store, names: Iterable[str]) -> ReferencedColumns:
    """The attributes that some attributes lead to within a row."""
    seen: set[str] = set()
    todo = [fold_name(name) for name in names]
    row_by_row = store.everything.bits if store.redefines_scope_names else store.row_by_row
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        column = store.column(name)
        if column is None or not column.expressions:
            continue
        table = bytearray(len(column.values))
        for code in column.expressions:
            shape = store.shapes.of(column.values[code])
            table[code] = shape.row_by_row or shape.random
            todo += [other for where, other in shape.names if where != OTHERS]
        if any(table):
            row_by_row |= flag(column.codes, None, bytes(table), store.size)
    return ReferencedColumns(frozenset(seen), row_by_row)


def apply(
    store: Store, names: Iterable[str], fact: Callable[[ClassAd], T]
) -> tuple[array[int], list[T]]:
    """What a function of some attributes is for every row, as codes and values."""
    seen, row_by_row = referenced_columns(store, names)
    if row_by_row == store.everything.bits:
        return array("i", range(store.size)), list(map(fact, store.ads_of(range(store.size))))
    there = tuple(sorted(name for name in seen if store.column(name) is not None))
    sample, varying = store.everything.base(there)
    if not varying:
        codes, values = NO_CODES * store.size, [fact(sample)]
    else:
        joint = store.everything.joint(varying)
        codes, values = joint.codes, []
        has = sample._attrs.get
        for cells in joint.samples:
            for name, cell in zip(varying, cells, strict=True):
                if has(name) is not cell:  # many are as in the combination before
                    put_cell(sample, name, cell)
            values.append(fact(sample))
        for name in varying:
            put_cell(sample, name, None)
    if row_by_row:
        rows = rows_of(row_by_row)
        codes = array("i", codes)
        for row, ad in zip(rows, store.ads_of(rows), strict=True):
            codes[row] = len(values)
            values.append(fact(ad))
    return codes, values
