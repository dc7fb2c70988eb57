"""Evaluates a Python function of an ad for every row, once per distinct combination of its inputs.

The inputs are the attributes that the function reads and all that their expressions mention.  Rows
whose expressions look at the ad as such or draw random numbers are asked one by one.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from classad.binding.ad import ClassAd
from classad.language.names import fold_name
from classad.table.arrays.arrays import NO_CODES, flag, rows_of
from classad.table.expressions.shapes import OTHERS
from classad.table.store.parts import put_cell

if TYPE_CHECKING:
    from classad.table.store.store import Store

T = TypeVar("T")


class Sight(NamedTuple):
    """``names``: the attributes that can be seen; ``opaque``: the rows to be asked one by one."""

    names: frozenset[str]
    opaque: int


def sight(store: Store, names: Iterable[str]) -> Sight:
    """The attributes that some attributes lead to within a row."""
    seen: set[str] = set()
    todo = [fold_name(name) for name in names]
    opaque = store.everything.bits if store.misleading else store.opaque
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
            table[code] = shape.opaque or shape.random
            todo += [other for where, other in shape.names if where != OTHERS]
        if any(table):
            opaque |= flag(column.codes, None, bytes(table), store.size)
    return Sight(frozenset(seen), opaque)


def apply(
    store: Store, names: Iterable[str], fact: Callable[[ClassAd], T]
) -> tuple[array[int], list[T]]:
    """What a function of some attributes is for every row, as codes and values."""
    seen, opaque = sight(store, names)
    if opaque == store.everything.bits:
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
    if opaque:
        rows = rows_of(opaque)
        codes = array("i", codes)
        for row, ad in zip(rows, store.ads_of(rows), strict=True):
            codes[row] = len(values)
            values.append(fact(ad))
    return codes, values
