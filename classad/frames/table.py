"""Defines ``classad.Table``: the table of ads as Python users see it.

It shows itself, is indexed and sliced, takes and gives Arrow, pandas, Polars and DuckDB, can be
pickled, and is safe in the hands of several threads: one lock lets one of them at a time ask or
change it.  Values that leave it are Python's, as ``ExprTree.eval`` gives them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from functools import wraps
from html import escape
from itertools import compress
from operator import index
from os import PathLike, fspath
from threading import RLock
from typing import Any, Final, Self, SupportsIndex, TypeAlias

from classad.ads.ad import node_of_value
from classad.ads.expression import Expression
from classad.binding.ad import ClassAd
from classad.binding.python_values import PythonValue, item_to_python, to_python
from classad.errors import ClassAdTypeError, suggest
from classad.extras import load
from classad.formats.unparse import unparse_value
from classad.frames.ads import with_objects
from classad.frames.exact import COMPANION, companion
from classad.frames.pickling import packed, unpacked
from classad.frames.reading import ArrowColumns, read_arrow
from classad.frames.writing import Wish, all_names, write_arrow
from classad.language.names import fold_name
from classad.language.values import Value
from classad.syntax.nodes import same_tree
from classad.table.arrays import Rows, rows_of
from classad.table.memo import DEFAULT
from classad.table.table import Table as BareTable

#: A table of pyarrow, or a frame of another package.
Frame: TypeAlias = Any
#: An ad, a column, or a table.
Picked: TypeAlias = Any


def _alone(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that one thread at a time is in."""

    @wraps(method)
    def locked(self: Table, *args: Any, **options: Any) -> Any:
        with self._lock:
            return method(self, *args, **options)

    return locked


def _same(one: ClassAd, other: ClassAd) -> bool:
    """Whether two ads have the same, own or inherited, to the last bit."""
    mine = (one if one._chained is None else one.unchained())._attrs
    theirs = (other if other._chained is None else other.unchained())._attrs
    return mine.keys() == theirs.keys() and all(
        same_tree(node_of_value(cell), node_of_value(theirs[key])) for key, cell in mine.items()
    )


def _columns_of(path: str, wanted: Sequence[str], there: Sequence[str]) -> list[str]:
    """The columns of a file that some attributes are, with their companions; else ``KeyError``."""
    spelled = {fold_name(name): name for name in there}
    absent = [name for name in wanted if fold_name(name) not in spelled]
    if absent:
        near = suggest(absent[0], [name for name in there if not name.endswith(COMPANION)])
        advice = f"; did you mean `{near}`?" if near else ""
        raise KeyError(f"{path} has no column `{absent[0]}`{advice}")
    found = [spelled[fold_name(name)] for name in wanted]
    return [*found, *(name for name in map(companion, found) if name in there)]


def _restored(kind: type[Table], data: bytes, budget: int) -> Table:
    """The table that was packed."""
    rows = unpacked(data)
    return (
        kind(rows, budget=budget)
        if isinstance(rows, list)
        else kind.from_columns(rows, budget=budget)
    )


class Table(BareTable):
    """Ads, numbered from 0, that are matched, selected and ranked together.

    ``ads``: kept as they are; after a change to one call ``replace``.  ``budget``: how many bytes
    of results may be kept for later.  ``table[3]`` is an ad, ``table["Name"]`` what all rows have,
    ``table[10:20]`` and ``table[rows]`` are tables; iteration gives the ads.  Two tables are equal
    if they have the same ads in the same order.  Threads may share a table.

    >>> slots = Table(ClassAd({"Cpus": cpus, "Requirements": True}) for cpus in (1, 2, 8))
    >>> job = ClassAd("[RequestCpus = 2; Requirements = TARGET.Cpus >= RequestCpus; Rank = Cpus]")
    >>> list(slots.match(job)), list(slots.select("Cpus < 4")), slots.rank(job).tolist()
    ([1, 2], [0, 1], [1.0, 2.0, 8.0])
    >>> slots, slots["Cpus"], slots[1:]["Cpus"]
    (<Table 3 rows, 2 attributes: Cpus, Requirements>, [1, 2, 8], [2, 8])
    """

    _lock: RLock

    def __new__(cls, *args: object, **options: object) -> Self:
        """The lock is there before anything else, and stays."""
        self = super().__new__(cls)
        self._lock = RLock()
        return self

    @property
    def names(self) -> list[str]:
        """The attributes that rows have, spelled as first met, in the order of the alphabet."""
        with self._lock:
            return super().names

    @property
    def columns(self) -> list[str]:
        """The same as ``names``, as frames call it."""
        return self.names

    @property
    def cached_bytes(self) -> int:
        """How many bytes are kept for later answers, about; ``held`` in former versions."""
        return self.held

    def _values_out(self, values: list[Any]) -> list[PythonValue]:
        return list(map(to_python, values))

    def _cells_out(self, values: list[Any]) -> list[PythonValue]:
        return [None if value is None else item_to_python(value) for value in values]

    # --- a sequence of ads --------------------------------------------------------------------

    def __iter__(self) -> Iterator[ClassAd]:
        return self.ads()

    def __getitem__(self, wanted: SupportsIndex | str | slice | Rows | Sequence[bool]) -> Picked:
        """An ad by its row, a column by its name, some rows as a table.

        Rows come as a slice, as ``Rows``, or as a mask, which has a truth for each row.
        """
        if isinstance(wanted, str):
            codes, values = self.column(wanted)
            return [values[code] for code in codes]
        if isinstance(wanted, slice):
            return self._picked(range(len(self))[wanted])
        if not isinstance(wanted, Sized):
            return self.ad(self._row(wanted))
        return self._picked(self._masked(wanted).numbers())

    def _row(self, wanted: SupportsIndex) -> int:
        """The number of a row, which may be counted from the end."""
        row, size = index(wanted), len(self)
        if not -size <= row < size:
            raise IndexError(f"there is no row {row} in a table of {size}")
        return row % size

    def __contains__(self, wanted: object) -> bool:
        """Whether some row has the attribute of this name, or is this ad."""
        return self.has(wanted) if isinstance(wanted, str) else any(ad == wanted for ad in self)

    def head(self, count: int = 5) -> Self:
        """The first rows."""
        return self._picked(range(len(self))[:count])

    def filter(self, expr: str | Expression, target: ClassAd | None = None) -> Self:
        """The rows of which an expression is true, as a table; ``select`` gives their numbers."""
        return self._picked(self.select(expr, target).numbers())

    def sort(self, expr: str | Expression, *, descending: bool = False) -> Self:
        """The rows in the order of what an expression is for them, as a table.

        Booleans count as numbers, which come before texts; rows without either are last.

        >>> slots = Table(ClassAd({"Cpus": cpus}) for cpus in (4, 8, 1))
        >>> slots.sort("Cpus", descending=True)["Cpus"], slots.filter("Cpus > 2")["Cpus"]
        ([8, 4, 1], [4, 8])
        """
        codes, values = self.evaluate(expr)
        keys = [_sort_key(value) for value in values]
        known = [row for row in range(len(self)) if keys[codes[row]] is not None]
        known.sort(key=lambda row: keys[codes[row]] or (False, 0), reverse=descending)
        rest = [row for row in range(len(self)) if keys[codes[row]] is None]
        return self._picked([*known, *rest])

    def _picked(self, rows: Sequence[int]) -> Self:
        """Some rows as a table of its own."""
        with self._lock:
            loaded, own = self._store.loaded, self._store.own
            if not isinstance(loaded, ArrowColumns):
                return type(self)(map(self._store.ad, rows), budget=self._budget.limit)
            twin = type(self)(loaded=loaded.picked_rows(rows), budget=self._budget.limit)
            kept = {place: self._store.ad(row) for place, row in enumerate(rows) if row in own}
        twin.replace_many(kept)
        return twin

    def _masked(self, mask: Rows | Sequence[bool]) -> Rows:
        """The rows of a mask."""
        if isinstance(mask, Rows):
            return Rows(len(self), self._bits(mask))
        listed = mask.tolist() if hasattr(mask, "tolist") else list(mask)
        if listed and all(isinstance(item, str) for item in listed):
            raise ClassAdTypeError(
                "a table is made of ads: for some attributes of them give the names to `to_arrow`,"
                " `to_pandas` or `to_polars`"
            )
        truths = [getattr(item, "as_py", lambda item=item: item)() for item in listed]
        if len(truths) != len(self) or not set(map(type, truths)) <= {bool}:
            raise ClassAdTypeError(
                "the rows of a table are a number, a name, a slice, Rows, or a mask with True or"
                f" False for each of its {len(self)} rows"
            )
        return Rows.of(len(self), compress(range(len(self)), truths))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return len(self) == len(other) and all(map(_same, self, other))

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Callable[..., Table], tuple[type[Table], bytes, int]]:
        with self._lock:
            return _restored, (type(self), packed(self._store), self._budget.limit)

    def __repr__(self) -> str:
        return table_line(len(self), self.names)

    def _repr_html_(self) -> str:
        return table_html(repr(self), self.names, self.head())

    # --- frames in ----------------------------------------------------------------------------

    @classmethod
    def from_arrow(cls, table: Frame, *, budget: int = DEFAULT) -> Self:
        """The rows of a table as ads.

        ``table``: of pyarrow, Polars or DuckDB, a reader of record batches, or anything else that
        has ``__arrow_c_stream__``.  A null is an attribute that the ad does not have; what
        ``to_arrow`` has written comes back exactly.  ``ClassAdValueError`` names column and row of
        what an ad cannot hold.
        """
        return cls(loaded=read_arrow(table), budget=budget)

    @classmethod
    def from_parquet(
        cls,
        path: str | PathLike[str],
        columns: Sequence[str] | None = None,
        *,
        budget: int = DEFAULT,
    ) -> Self:
        """The rows of a Parquet file, or of all in a folder; ``columns``: only these attributes.

        ``KeyError``: the file has no such column.
        """
        parquet = load("pyarrow.parquet")
        wanted = None
        if columns is not None:
            there = parquet.ParquetDataset(fspath(path)).schema.names
            wanted = _columns_of(fspath(path), columns, there)
        return cls.from_arrow(parquet.read_table(fspath(path), columns=wanted), budget=budget)

    @classmethod
    def from_pandas(cls, frame: Frame, *, budget: int = DEFAULT) -> Self:
        """The rows of a ``pandas.DataFrame`` as ads, without its index.

        What is missing is an attribute that the ad does not have.
        """
        pa = load("pyarrow")
        try:
            return cls.from_arrow(pa.Table.from_pandas(frame, preserve_index=False), budget=budget)
        except (pa.ArrowInvalid, pa.ArrowTypeError):  # Python objects of several kinds
            objects = [name for name in frame.columns if frame[name].dtype == object]
            rest = pa.Table.from_pandas(frame.drop(columns=objects), preserve_index=False)
            ads = list(cls.from_arrow(rest)) or [ClassAd() for _ in range(len(frame))]
            return cls(with_objects(ads, frame[objects]), budget=budget)

    # --- frames out ---------------------------------------------------------------------------

    def to_arrow(
        self,
        attributes: Sequence[str] | None = None,
        rows: Rows | None = None,
        *,
        faithful: bool = True,
        dictionaries: bool = True,
        lost: list[str] | None = None,
    ) -> Frame:
        """A ``pyarrow.Table`` of some attributes (None: all) and rows, which ``from_arrow`` reads.

        ``faithful``: what a column cannot say (expressions, nested ads, undefined, error, integers
        among reals, offsets of times) stands in one more column beside it, ``NAME:classad``.
        Otherwise it is lost: ``lost`` gets a sentence for each attribute that loses something;
        without it there is a warning.  ``dictionaries``: strings are dictionary arrays.
        """
        return self._written(attributes, rows, faithful, dictionaries, lost)

    def _written(
        self,
        attributes: Sequence[str] | None,
        rows: Rows | None,
        faithful: bool,
        dictionaries: bool,
        lost: list[str] | None,
    ) -> Frame:
        """What ``to_arrow`` gives; a warning names the line that called who calls this."""
        if isinstance(attributes, str):
            raise TypeError("attributes must be a sequence of names, not one string")
        with self._lock:
            names = all_names(self._store, self.names) if attributes is None else attributes
            numbers = None if rows is None else rows_of(self._bits(rows))
            wish = Wish(numbers, faithful, dictionaries)
            return write_arrow(self._store, names, wish, lost)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(
        self,
        attributes: Sequence[str] | None = None,
        rows: Rows | None = None,
        *,
        faithful: bool = True,
        lost: list[str] | None = None,
    ) -> Frame:
        """A ``pandas.DataFrame`` with nullable types; the arguments are those of ``to_arrow``."""
        pandas, pa = load("pandas"), load("pyarrow")
        table = self._written(attributes, rows, faithful, False, lost)
        types = {
            pa.bool_(): pandas.BooleanDtype(),
            pa.int64(): pandas.Int64Dtype(),
            pa.float64(): pandas.Float64Dtype(),
            pa.string(): pandas.StringDtype(),
        }
        return table.to_pandas(types_mapper=types.get)

    def to_polars(
        self,
        attributes: Sequence[str] | None = None,
        rows: Rows | None = None,
        *,
        faithful: bool = True,
        lost: list[str] | None = None,
    ) -> Frame:
        """A ``polars.DataFrame``; the arguments are those of ``to_arrow``."""
        polars = load("polars")
        return polars.from_arrow(self._written(attributes, rows, faithful, False, lost))

    def to_parquet(
        self,
        path: str | PathLike[str],
        attributes: Sequence[str] | None = None,
        rows: Rows | None = None,
    ) -> None:
        """Write a Parquet file; the other arguments are those of ``to_arrow``."""
        load("pyarrow.parquet").write_table(self.to_arrow(attributes, rows), fspath(path))


for _name in (
    "partner", "match", "match_surely", "match_many", "accepted_by", "accepting", "select",
    "select_all", "evaluate", "numbers", "coded_numbers", "referenced_columns", "sight", "apply",
    "rank", "ad", "ads", "has", "cells", "replace", "replace_many", "refresh", "update",
):  # fmt: skip
    setattr(Table, _name, _alone(getattr(BareTable, _name)))


def _sort_key(value: PythonValue) -> tuple[bool, Any] | None:
    """What sorts a value; None: it has no order."""
    if isinstance(value, str):
        return True, value
    number = isinstance(value, int | float) and not isinstance(value, Value) and value == value
    return (False, value) if number else None


#: How many characters the one line has before its end, how many columns a notebook, and how wide.
_LINE: Final = 72
_COLUMNS: Final = 12
_CELL: Final = 40


def table_line(rows: int, names: Sequence[str]) -> str:
    """A table in one line."""
    ending = "" if rows == 1 else "s"
    attributes = "" if len(names) == 1 else "s"
    said = f"Table {rows} row{ending}, {len(names)} attribute{attributes}"
    left = _LINE - len(said)
    for place, name in enumerate(names):
        left -= 2 + len(name)
        if left < 0:
            return f"<{said}{', ' if place else ': '}...>"
        said += f"{', ' if place else ': '}{name}"
    return f"<{said}>"


def table_html(line: str, names: Sequence[str], first: Iterable[ClassAd]) -> str:
    """The first rows of a table; all text is escaped."""
    shown = names[:_COLUMNS]
    heads = "".join(f"<th>{escape(_short(name))}</th>" for name in shown)
    rows = "".join(f"<tr>{''.join(_cell(ad, name) for name in shown)}</tr>" for ad in first)
    return (
        f"<p><code>{escape(line)}</code></p>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _cell(ad: ClassAd, name: str) -> str:
    stored = ad.raw(name)
    return (
        f"<td><code>{'' if stored is None else escape(_short(unparse_value(stored)))}</code></td>"
    )


def _short(text: str) -> str:
    return text if len(text) <= _CELL else text[: _CELL - 3] + "..."
