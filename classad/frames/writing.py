"""Writes tables of ads as tables of Arrow, exactly or plainly.

Every attribute becomes a column by the kind of its values:

==================================  ====================  ====================================
all values are                      type of Arrow         said in the companion column
==================================  ====================  ====================================
booleans                            bool
integers                            int64
reals, or reals and integers        float64               the integers
strings                             dictionary of string  strings that are no UTF-8
absolute times                      timestamp (s, UTC)    times with an offset
relative times                      duration (us)         those that no microseconds give
lists of one of the first four      list of it
anything else, or a mixture         dictionary of string  all that is no string, as text
==================================  ====================  ====================================

Undefined, error and an attribute that an ad does not have are null; the companion tells which it
was; it is written only where it says something (see classad/frames/exact.py).  Strings most of
which stand there once have no dictionary.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple
from warnings import warn

from classad.ads.ad import ListValue, Stored, node_of_value
from classad.ads.expression import Expression
from classad.errors import ClassAdValueError
from classad.extras import load
from classad.formats.common import as_utf8
from classad.frames.arrays import Arrow
from classad.frames.exact import COMPANION, companion, written
from classad.frames.reading import ArrowColumns
from classad.frames.scattered import Scattered, spread
from classad.language.names import fold_name
from classad.language.values import UNDEFINED, AbsTime, RelTime, Value
from classad.loading.columns import LoadedColumn, LoadedColumns, Tag
from classad.syntax.nodes import Literal
from classad.syntax.unparse import unparse
from classad.table.arrays import pick, rows_of
from classad.table.store.columns import Column, in_use
from classad.table.store.store import Store

_MICRO: Final = 10**6


class Wish(NamedTuple):
    """How a table is to be written: rows (None: all), companions, strings by dictionary."""

    rows: array[int] | None
    faithful: bool
    dictionaries: bool


class Written(NamedTuple):
    """The column of an attribute, its companion if it needs one, what it loses without that."""

    cells: Arrow
    exact: Arrow
    losses: dict[str, int]


_NO_LOSS: Final[dict[str, int]] = {}


def all_names(store: Store, own: list[str]) -> list[str]:
    """The attributes of rows with those that they inherit; ``own``: without."""
    if not store.row_by_row:
        return own
    names = {fold_name(name): name for name in own}
    for row in rows_of(store.row_by_row):
        for name in store.ad(row).unchained().names():
            names.setdefault(fold_name(name), name)
    return [names[key] for key in sorted(names)]


def write_arrow(
    store: Store, names: Sequence[str], wish: Wish, lost: list[str] | None = None
) -> Arrow:
    """A ``pyarrow.Table`` of some attributes.

    ``lost``: gets a sentence for each attribute that is not written exactly; without it there is a
    warning, at the line that called the caller's caller.
    """
    pa = load("pyarrow")
    arrays, found = [], []
    said: list[str] = []
    keys = set(map(fold_name, names))
    scattered = Scattered(store, len(names), wish.rows)
    for name in names:
        if name.endswith(COMPANION) and fold_name(name[: -len(COMPANION)]) in keys:
            raise ClassAdValueError(f"the attribute `{name}` has the name of a companion column")
        written = _written(store, fold_name(name), wish, scattered)
        arrays.append(written.cells)
        found.append(name)
        if written.losses and wish.faithful:
            arrays.append(written.exact)
            found.append(companion(name))
        elif written.losses:
            said += [
                f"`{name}`: {what} in {n} row{'' if n == 1 else 's'}"
                for what, n in written.losses.items()
            ]
    if lost is not None:
        lost += said
    elif said:
        warn("the table does not keep everything: " + "; ".join(said), UserWarning, stacklevel=4)
    if not arrays:
        size = store.size if wish.rows is None else len(wish.rows)
        return pa.table({"": pa.nulls(size)}).select([])
    return pa.Table.from_arrays(arrays, names=found)


def _written(store: Store, key: str, wish: Wish, scattered: Scattered) -> Written:
    """The column of an attribute."""
    loaded = None if store.loaded is None else store.loaded.column(key)
    if loaded is not None and not store.row_by_row and (loaded.rows is None or not store.own):
        cells = _as_loaded(store, loaded, wish)
        if cells is not None:
            return Written(cells, None, _NO_LOSS)
    pieces = scattered.pieces(key)
    if pieces is not None:
        some = pieces.column
        return _distinct(
            some, some.codes, wish, partial(spread, rows=pieces.rows, size=scattered.size)
        )
    column = store.column(key)
    if store.row_by_row:
        column = Column.of([ad.raw(key) for ad in store.ads_of(range(store.size))])
    if column is None:
        size = store.size if wish.rows is None else len(wish.rows)
        return Written(load("pyarrow").nulls(size), None, _NO_LOSS)
    codes = column.codes if wish.rows is None else pick(column.codes, wish.rows)
    return _distinct(column, codes, wish, lambda cells: cells)


# --- columns as they were loaded ------------------------------------------------------------------


def _as_loaded(store: Store, column: LoadedColumn, wish: Wish) -> Arrow:
    """The cells of a loaded column as they lie in memory; None if they are of several kinds."""
    compute = load("pyarrow.compute")
    kinds = set(bytes(column.tags)) - {int(Tag.NOTHING)}
    if len(kinds) != 1:
        return None
    (kind,) = kinds
    make = _MAKERS.get(kind)
    own = sorted(store.own)
    if make is None or store.loaded is None:
        return None
    cells = make(store.loaded, column)
    if cells is None:
        return None
    if column.rows is not None:
        cells = spread(cells, column.rows, store.size)
    if own:
        cells = _overlaid(cells, kind, [_cell(store, row, column.key) for row in own], own)
        if cells is None:
            return None
    if wish.rows is not None:
        cells = compute.take(cells, ints(wish.rows))
    return _worded(cells, wish) if kind == Tag.STRING else cells


def _worded(cells: Arrow, wish: Wish) -> Arrow:
    """Strings by dictionary, or plainly if that is wished or most words stand there once."""
    if wish.dictionaries and 2 * len(cells.dictionary) <= len(cells):
        return cells
    return load("pyarrow.compute").take(cells.dictionary, cells.indices)


def _cell(store: Store, row: int, key: str) -> Stored:
    """What a row has that is kept as an ad."""
    ad = store.ads[row]
    return None if ad is None else ad._attrs.get(key)


def _overlaid(cells: Arrow, kind: int, others: list[Stored], rows: Sequence[int]) -> Arrow:
    """Cells with others in some rows; None if those are of another kind."""
    if not {_CLASSES[kind], type(None)}.issuperset(map(type, others)):
        return None
    if kind == Tag.STRING and not all(map(_is_sound, others)):
        return None
    pa, compute = load("pyarrow"), load("pyarrow.compute")
    places = array("i", range(len(cells)))
    for number, row in enumerate(rows):
        places[row] = len(cells) + number
    plain = cells.type if kind != Tag.STRING else cells.type.value_type
    more = pa.array(others, plain)
    more = more.dictionary_encode() if kind == Tag.STRING else more
    both = pa.chunked_array([cells, more]).unify_dictionaries().combine_chunks()
    return compute.take(both, ints(places))


def _validity(column: LoadedColumn) -> Arrow:
    """The bitmap of the rows that have something; None if all have."""
    pa, compute = load("pyarrow"), load("pyarrow.compute")
    if Tag.NOTHING not in bytes(column.tags):
        return None
    tags = pa.Array.from_buffers(pa.uint8(), len(column.tags), [None, pa.py_buffer(column.tags)])
    return compute.not_equal(tags, int(Tag.NOTHING)).buffers()[1]


def _payload(kind: Arrow, column: LoadedColumn) -> Arrow:
    pa = load("pyarrow")
    buffers = [_validity(column), pa.py_buffer(column.payload)]
    return pa.Array.from_buffers(kind, len(column.payload), buffers)


def _integers(loaded: LoadedColumns, column: LoadedColumn) -> Arrow:
    return _payload(load("pyarrow").int64(), column)


def _strings(loaded: LoadedColumns, column: LoadedColumn) -> Arrow:
    pa, compute = load("pyarrow"), load("pyarrow.compute")
    numbers = _integers(loaded, column)
    if isinstance(loaded, ArrowColumns):
        start, cells = loaded.strings[column.key]
        if cells.strings is None or cells.more:
            return None
        codes = compute.subtract(numbers, start).cast(pa.int32())
        return pa.DictionaryArray.from_arrays(codes, cells.strings)
    coded = numbers.dictionary_encode()
    try:
        words = pa.array([loaded.texts[n] for n in coded.dictionary.to_pylist()], pa.string())
    except UnicodeEncodeError:  # bytes that are no UTF-8
        return None
    return pa.DictionaryArray.from_arrays(coded.indices, words)


_MAKERS: Final[dict[int, Callable[[LoadedColumns, LoadedColumn], Arrow]]] = {
    Tag.INTEGER: _integers,
    Tag.REAL: lambda loaded, column: _payload(load("pyarrow").float64(), column),
    Tag.BOOLEAN: lambda *given: load("pyarrow.compute").not_equal(_integers(*given), 0),
    Tag.STRING: _strings,
}
_CLASSES: Final[dict[int, type]] = {
    Tag.INTEGER: int, Tag.REAL: float, Tag.BOOLEAN: bool, Tag.STRING: str,
}  # fmt: skip


def ints(numbers: array[int]) -> Arrow:
    """An array of 32-bit numbers, which is not copied."""
    pa = load("pyarrow")
    return pa.Array.from_buffers(pa.int32(), len(numbers), [None, pa.py_buffer(numbers)])


# --- columns of codes and values ------------------------------------------------------------------


def _distinct(
    column: Column, codes: array[int], wish: Wish, placed: Callable[[Arrow], Arrow]
) -> Written:
    """The column of cells that have these codes; ``placed`` puts an array into their rows."""
    used, codes = in_use(codes, len(column.values))
    values = [column.values[code] for code in used]
    kind = _kind(values)
    plain, array_type, why = _PLAIN[kind]
    pa, compute = load("pyarrow"), load("pyarrow.compute")
    reasons = [_NOTHING_LOST if value is None else why(value) for value in values]
    shown = [None if value.__class__ in _GONE else plain(value) for value in values]
    numbers = ints(codes)
    if array_type is None:
        cells = _worded(placed(_by_dictionary(shown, numbers)), wish)
    else:
        cells = placed(compute.take(pa.array(shown, array_type(pa)), numbers))
    if not any(reasons):
        return Written(cells, None, _NO_LOSS)
    losses: dict[str, int] = {}
    counted = compute.value_counts(numbers)
    for code, count in zip(*(field.to_pylist() for field in counted.flatten()), strict=True):
        if reasons[code]:
            losses[reasons[code]] = losses.get(reasons[code], 0) + count
    exact = None
    if wish.faithful:
        texts = [
            written(value) if reason else None
            for value, reason in zip(values, reasons, strict=True)
        ]
        exact = placed(_by_dictionary(texts, numbers))
    return Written(cells, exact, losses)


def _by_dictionary(texts: Sequence[Stored], numbers: Arrow) -> Arrow:
    """The texts of codes; equal ones stand in the dictionary once."""
    pa, compute = load("pyarrow"), load("pyarrow.compute")
    places: dict[str, int] = {}
    given = [None if text is None else places.setdefault(text, len(places)) for text in texts]
    indices = compute.take(pa.array(given, pa.int32()), numbers)
    return pa.DictionaryArray.from_arrays(indices, pa.array(list(places), pa.string()))


#: What cells are that are null.
_GONE: Final = (Value, type(None))
_NOTHING_LOST: Final = ""
_MISSING: Final = "undefined or error is missing"


def _span(value: Stored) -> RelTime | None:
    """The relative time that a cell is."""
    node = value._node if value.__class__ is Expression else None
    span = node.value if node.__class__ is Literal else None
    return span if span.__class__ is RelTime else None


def _kind(values: Sequence[Stored]) -> str:
    kinds = {_kind_of(value) for value in values if value.__class__ not in _GONE}
    if not kinds:
        return "nothing"
    if kinds == {"integer", "real"}:
        return "real"
    full = kinds - {_EMPTY_LIST}
    if full and all(kind.startswith(_LIST) for kind in full):
        kinds = full
    found = kinds.pop() if len(kinds) == 1 else "text"
    return found if found in _PLAIN else "text"


def _kind_of(value: Stored) -> str:
    """The kind of one value."""
    if value.__class__ is ListValue:
        return _list_kind(value)
    name = _NAMES.get(value.__class__)
    if name is not None:
        return name
    span = _span(value)
    # Times that are too far away for Arrow are texts.
    return "span" if span is not None and abs(span.secs) < 2**63 / _MICRO else "text"


def _list_kind(value: ListValue) -> str:
    """The kind of a list: that of all its members."""
    kinds = {item.__class__ for item in value if item is not UNDEFINED}
    if value.computed or len(kinds) > 1 or not all(map(_is_sound, value)):
        return "text"
    return _LIST + _NAMES.get(kinds.pop(), "text") if kinds else _EMPTY_LIST


_NAMES: Final[dict[type, str]] = {
    bool: "boolean", int: "integer", float: "real", str: "string", AbsTime: "time",
}  # fmt: skip
#: What kinds of lists begin with, and that of lists without members that say of which kind.
_LIST: Final = "list of "
_EMPTY_LIST: Final = _LIST + "nothing"


def _micros(value: Stored) -> int:
    span = _span(value)
    assert span is not None
    return round(span.secs * _MICRO)


def _is_sound(value: Stored) -> bool:
    """Whether a value is no string with bytes that are no UTF-8."""
    if value.__class__ is not str or value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _members(value: ListValue) -> list[Stored]:
    """The members of a list, undefined ones as null."""
    return [None if item is UNDEFINED else item for item in value]


def _loss(value: Stored) -> str:
    """What is lost of a value of its column's kind."""
    if value.__class__ is Value:
        return _MISSING
    if value.__class__ is str and not _is_sound(value):
        return "bytes that are no UTF-8 are replaced"
    return _NOTHING_LOST


def _text_loss(value: Stored) -> str:
    return _loss(value) if value.__class__ in (Value, str) else "what is no string is text"


def _real_loss(value: Stored) -> str:
    return "integers are reals" if value.__class__ is int else _loss(value)


def _time_loss(value: Stored) -> str:
    zone = value.__class__ is AbsTime and value.offset
    return "the offset of the zone is gone" if zone else _loss(value)


def _span_loss(value: Stored) -> str:
    span = _span(value)
    exact = span is None or _micros(value) / _MICRO == span.secs
    return _loss(value) if exact else "parts of microseconds are rounded"


#: Kind -> what a cell is in Arrow, its type (None: a dictionary of strings), and what that loses.
_PLAIN: Final[
    dict[
        str,
        tuple[Callable[[Stored], object], Callable[[Arrow], Arrow] | None, Callable[[Stored], str]],
    ]
] = {
    "nothing": (bool, lambda pa: pa.null(), _loss),
    "boolean": (bool, lambda pa: pa.bool_(), _loss),
    "integer": (int, lambda pa: pa.int64(), _loss),
    "real": (float, lambda pa: pa.float64(), _real_loss),
    "string": (as_utf8, None, _loss),
    "time": (lambda value: value.secs, lambda pa: pa.timestamp("s", "UTC"), _time_loss),
    "span": (_micros, lambda pa: pa.duration("us"), _span_loss),
    "text": (
        lambda value: as_utf8(value if value.__class__ is str else unparse(node_of_value(value))),
        None,
        _text_loss,
    ),
    f"{_LIST}boolean": (_members, lambda pa: pa.list_(pa.bool_()), _loss),
    f"{_LIST}integer": (_members, lambda pa: pa.list_(pa.int64()), _loss),
    f"{_LIST}real": (_members, lambda pa: pa.list_(pa.float64()), _loss),
    f"{_LIST}string": (_members, lambda pa: pa.list_(pa.string()), _loss),
}

__all__ = ["Wish", "ints", "write_arrow"]
