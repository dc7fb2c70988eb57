"""Turns arrays of Arrow into cells as a loader keeps them: a tag and eight bytes each.

Numbers are taken over as they lie in memory, strings by their dictionary; no Python object is made
for a cell, but for lists and structs.  What an ad cannot hold is refused with its row.

=====================================  =====================================================
type of Arrow                          value of the ad
=====================================  =====================================================
integers, signed or not                integer; refused if it needs more than 63 bits
floats                                 real
decimals                               integer if there is no fraction, else the nearest real
booleans, strings                      the same; binary is a string of these bytes
dates, timestamps                      absolute time, with the offset of the zone at that time;
                                       no zone means UTC; fractions of seconds are refused
durations, times of day                relative time
lists, structs and maps                list, ad
null                                   no attribute; undefined within a list
=====================================  =====================================================
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias

from classad.ads.ad import Stored, node_of_value
from classad.ads.expression import Expression
from classad.binding.convert import check_name
from classad.errors import ClassAdTypeError
from classad.extras import load
from classad.language.values import INT_MAX, UNDEFINED, AbsTime, RelTime, from_bytes
from classad.loading.columns import Tag, value_of
from classad.syntax.nodes import AdExpr, ListExpr, Literal, Node, unique_attributes

#: An array or a type of pyarrow, which has no types here.
Arrow: TypeAlias = Any

#: Parts of a second.
PARTS: Final = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_TOO_BIG: Final = "does not fit in 64 bits with a sign"
#: Types of texts that functions of Arrow do not know -> those that they know.
VIEWS: Final = {"string_view": "large_string", "binary_view": "large_binary"}
_TEXTS: Final = {*VIEWS, *VIEWS.values(), "string", "binary", "fixed_size_binary"}


class UnfitError(Exception):
    """A cell that an ad cannot hold: its row and why."""

    def __init__(self, row: int, why: str) -> None:
        super().__init__(row, why)
        self.row, self.why = row, why


class Trees(NamedTuple):
    """The expressions, lists, ads and times of a column by number; each is made when wanted.

    ``closed``: an ad keeps all of them as values.
    """

    size: int
    make: Callable[[int], Expression]
    closed: bool


class Cells(NamedTuple):
    """A column: a tag and a payload for each row, see ``classad.loading.columns.Tag``.

    Payloads of strings number ``strings``, an array without equal ones, and ``more`` behind it;
    those of expressions number ``trees``.  ``rows``: those that have a cell, rising; None: all.
    """

    tags: memoryview
    payload: memoryview
    strings: Arrow = None
    more: Sequence[str] = ()
    trees: Trees | None = None
    rows: memoryview | None = None

    def words(self) -> int:
        """How many strings there are."""
        return (0 if self.strings is None else len(self.strings)) + len(self.more)

    def texts(self) -> list[str]:
        """All strings by number."""
        return [*([] if self.strings is None else self.strings.to_pylist()), *self.more]


def cells_of(array: Arrow) -> Cells:
    """The cells of an array.  ``UnfitError``: of those that an ad cannot hold the first."""
    pa, types, compute = load("pyarrow"), load("pyarrow.types"), load("pyarrow.compute")
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return cells_of(array.storage)
    if types.is_run_end_encoded(kind):
        return cells_of(compute.run_end_decode(array))
    if types.is_dictionary(kind):
        return _coded(array)
    if types.is_null(kind):
        return Cells(memoryview(bytes(len(array))), whole_numbers(pa.repeat(0, len(array))))
    if types.is_boolean(kind):
        return _numbers(array.cast(pa.int64()), Tag.BOOLEAN)
    if types.is_integer(kind):
        return _numbers(_signed(array), Tag.INTEGER)
    if types.is_floating(kind):
        return _reals(array)
    if types.is_decimal(kind):
        if kind.scale > 0:
            return _reals(array)
        return _numbers(_integers(array), Tag.INTEGER)
    if _is_text(kind):
        return _strings(array)
    if types.is_temporal(kind) and not types.is_interval(kind):
        return _times(array)
    return _trees(_nodes(array))


def _signed(array: Arrow) -> Arrow:
    pa, compute = load("pyarrow"), load("pyarrow.compute")
    if array.type == pa.uint64():
        _refuse(compute.greater(array, pa.scalar(INT_MAX, array.type)), array, _TOO_BIG)
    return array.cast(pa.int64())


def _integers(array: Arrow) -> Arrow:
    """Decimals without a fraction as integers."""
    pa, compute = load("pyarrow"), load("pyarrow.compute")
    real = array.cast(pa.float64())
    beyond = compute.or_(compute.greater_equal(real, 2.0**63), compute.less(real, -(2.0**63)))
    _refuse(beyond, array, _TOO_BIG)
    return array.cast(pa.int64())


def _refuse(wrong: Arrow, array: Arrow, why: str) -> None:
    """Raise if some row is wrong."""
    row = load("pyarrow.compute").index(wrong, True).as_py()
    if row >= 0:
        raise UnfitError(row, f"{array[row]} {why}")


def _is_text(kind: Arrow) -> bool:
    return str(kind).partition("[")[0] in _TEXTS


# --- numbers --------------------------------------------------------------------------------------


def _numbers(array: Arrow, tag: int) -> Cells:
    """The cells of an array of 64-bit numbers."""
    whole = load("pyarrow.compute").fill_null(array, 0) if array.null_count else array
    return Cells(_tags(array, tag), whole_numbers(whole))


def _reals(array: Arrow) -> Cells:
    """The cells of reals; there is one NaN only."""
    pa, compute = load("pyarrow"), load("pyarrow.compute")
    array = array.cast(pa.float64())
    odd = compute.is_nan(array)
    if compute.any(odd).as_py():
        array = compute.if_else(odd, float("nan"), array)
    return _numbers(array, Tag.REAL)


def _tags(array: Arrow, tag: int) -> memoryview:
    """The tag where there is something, else 0."""
    if not array.null_count:
        return memoryview(bytes([tag]) * len(array))
    marks = load("pyarrow.compute").is_valid(array).cast("uint8")
    return memoryview(_bytes(marks, 1).tobytes().translate(bytes([0, tag, *range(2, 256)])))


def row_numbers(rows: Arrow) -> memoryview:
    """Numbers of rows as a loader keeps them."""
    return _bytes(rows.cast("int32"), 4).cast("i")


def whole_numbers(array: Arrow) -> memoryview:
    """The 64-bit numbers of an array without nulls, bit for bit, as whole numbers."""
    return _bytes(array, 8).cast("q")


def _bytes(array: Arrow, size: int) -> memoryview:
    """The memory of the cells of an array, so many bytes each."""
    data = array.buffers()[1]
    if data is None or not len(array):
        return memoryview(b"")
    return memoryview(data).cast("B")[size * array.offset : size * (array.offset + len(array))]


# --- strings --------------------------------------------------------------------------------------


def _strings(array: Arrow) -> Cells:
    """The cells of strings or bytes."""
    if str(array.type) in VIEWS:
        array = array.cast(VIEWS[str(array.type)])
    return _numbered(array.dictionary_encode())


def _coded(array: Arrow) -> Cells:
    """The cells of an array that came with a dictionary, in which equal words may stand twice."""
    compute = load("pyarrow.compute")
    words = array.dictionary
    if not _is_text(words.type):
        return cells_of(array.cast(words.type))
    if str(words.type) in VIEWS:
        words = words.cast(VIEWS[str(words.type)])
    if words.null_count or compute.count_distinct(words).as_py() < len(words):
        return _strings(compute.take(words, array.indices))
    return _numbered(array)


def _numbered(array: Arrow) -> Cells:
    """The cells of an array with a dictionary of distinct words."""
    words = array.dictionary
    numbers = _numbers(array.indices.cast("int64"), Tag.STRING)
    if "binary" in str(words.type):
        texts = list(map(from_bytes, words.to_pylist()))
        return numbers._replace(more=texts)
    return numbers._replace(strings=words.cast("string"))


# --- times ----------------------------------------------------------------------------------------


def _times(array: Arrow) -> Cells:
    pa, types, compute = load("pyarrow"), load("pyarrow.types"), load("pyarrow.compute")
    kind = array.type
    if types.is_date32(kind):
        array = array.cast(pa.timestamp("s"))
    elif types.is_date64(kind):
        array = array.cast(pa.timestamp("ms"))
    unit = PARTS[array.type.unit]
    width = pa.int32() if types.is_time32(kind) else pa.int64()
    counts = array.cast(width).cast(pa.int64())
    absolute = types.is_timestamp(array.type)
    if absolute and unit > 1:
        seconds = compute.divide(counts, unit)
        inexact = compute.not_equal(compute.multiply(seconds, unit), counts)
        _refuse(inexact, array, "has a fraction of a second: round it to seconds first")
        counts = seconds
    coded = counts.dictionary_encode()
    distinct = coded.dictionary.to_pylist()
    offsets = _offsets(coded.dictionary, array.type.tz) if absolute else None

    def make(number: int) -> Expression:
        count = distinct[number]
        if offsets is None:
            return Expression.from_node(Literal(RelTime(count / unit)))
        return Expression.from_node(Literal(AbsTime(count, offsets[number])))

    numbers = _numbers(coded.indices.cast("int64"), Tag.EXPRESSION)
    return numbers._replace(trees=Trees(len(distinct), make, True))


def _offsets(seconds: Arrow, zone: str | None) -> Sequence[int]:
    """How far east of UTC a zone is at some times."""
    if zone is None or zone.upper() in ("UTC", "Z", "ETC/UTC", "+00:00"):
        return bytes(len(seconds))
    pa, compute = load("pyarrow"), load("pyarrow.compute")
    local = compute.local_timestamp(seconds.cast(pa.timestamp("s", zone))).cast(pa.int64())
    found: list[int] = compute.subtract(local, seconds).to_pylist()
    return found


# --- lists and structs ----------------------------------------------------------------------------


def _trees(nodes: Sequence[Node | None]) -> Cells:
    """The cells of lists and ads; equal ones have one number."""
    numbers: dict[str, int] = {}
    made: list[Expression] = []
    payload = array("q", bytes(8 * len(nodes)))
    for row, node in enumerate(nodes):
        if node is not None:
            number = payload[row] = numbers.setdefault(repr(node), len(made))
            if number == len(made):
                made.append(Expression.from_node(node))
    tags = bytes(Tag.NOTHING if node is None else Tag.EXPRESSION for node in nodes)
    trees = Trees(len(made), made.__getitem__, True)
    return Cells(memoryview(tags), memoryview(payload), trees=trees)


def _nodes(array: Arrow) -> list[Node | None]:
    """What the cells of an array are as members of lists and ads; None for null."""
    types = load("pyarrow.types")
    kind = array.type
    if types.is_map(kind):
        made = _maps(array)
    elif types.is_struct(kind):
        names = [kind.field(place).name for place in range(kind.num_fields)]
        fields = zip(*map(_nodes, array.flatten()), strict=True) if names else [()] * len(array)
        made = [_ad(zip(names, row, strict=True)) for row in fields]
    elif "list" in str(kind).partition("<")[0]:
        made = _lists(array)
    elif types.is_union(kind) or types.is_interval(kind):
        raise ClassAdTypeError(f"ads have no values for the Arrow type {kind}")
    else:
        return _literals(cells_of(array))
    there = array.is_valid().to_pylist()
    return [node if valid else None for node, valid in zip(made, there, strict=True)]


def _lists(array: Arrow) -> list[Node]:
    pa, types = load("pyarrow"), load("pyarrow.types")
    if not types.is_list(array.type) and not types.is_large_list(array.type):
        array = array.cast(pa.large_list(array.type.value_type))
    bounds = array.offsets.to_pylist()
    members = [node or Literal(UNDEFINED) for node in _members(array.values, bounds)]
    return [ListExpr(tuple(members[start:end])) for start, end in pairwise(bounds)]


def _maps(array: Arrow) -> list[Node]:
    """Maps as ads; their keys are the names."""
    bounds = array.offsets.to_pylist()
    items = list(zip(map(str, array.keys.to_pylist()), _members(array.items, bounds), strict=True))
    return [_ad(items[start:end]) for start, end in pairwise(bounds)]


def _ad(fields: Iterable[tuple[str, Node | None]]) -> AdExpr:
    """An ad; of names that differ in case only the last counts, at the place of the first."""
    return AdExpr(unique_attributes((check_name(name), node) for name, node in fields if node))


def _members(array: Arrow, bounds: Sequence[int]) -> list[Node | None]:
    """The members of lists; what cannot be held is told by the row of the list."""
    try:
        return _nodes(array)
    except UnfitError as problem:
        raise UnfitError(bisect_right(bounds, problem.row) - 1, problem.why) from None


def _literals(cells: Cells) -> list[Node | None]:
    """Scalars as literals, None for null."""
    texts = cells.texts()
    known: dict[tuple[int, int], Node | None] = {}
    found: list[Node | None] = []
    for pair in zip(cells.tags, cells.payload, strict=True):
        if pair not in known:
            known[pair] = _literal(pair[0], pair[1], texts, cells.trees)
        found.append(known[pair])
    return found


def _literal(tag: int, number: int, texts: list[str], trees: Trees | None) -> Node | None:
    if tag == Tag.NOTHING:
        return None
    if tag == Tag.EXPRESSION:
        assert trees is not None
        return trees.make(number).node
    cell: Stored = texts[number] if tag == Tag.STRING else value_of(tag, number)
    return node_of_value(cell)
