"""Makes plain dictionaries and frames of pandas, Polars and Arrow from ads, one row an ad.

============================  ==========  ==============  =========  ====================
values of the column          ``kind``    pandas          Polars     Arrow
============================  ==========  ==============  =========  ====================
booleans                      boolean     boolean         Boolean    bool
integers                      integer     Int64           Int64      int64
reals, or reals and integers  real        Float64         Float64    float64
strings                       string      string          String     string
times with a date             time        datetime, UTC   Datetime   timestamp (s, UTC)
none at all                   empty       object          Null       null
anything else, or a mixture   text        object          String     string
============================  ==========  ==============  =========  ====================

Undefined, error and an attribute that an ad does not have are all missing (None).  A column of
texts holds the values as ClassAd text; pandas gets the Python values themselves.

Inputs: ads, the attributes wanted, whether expressions are evaluated (in their own ad, with the
ambient clock) or stand there as text.  Outputs: dictionaries and frames; the three packages are
imported when a frame is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from classad.binding.ad import ClassAd
from classad.binding.expr import ExprTree
from classad.binding.python_values import PythonValue, item_to_python
from classad.extras import load
from classad.formats.common import as_utf8
from classad.language.names import fold_name
from classad.language.values import Value

if TYPE_CHECKING:
    from classad.evaluation.state import EvalContext

__all__ = ["to_arrow", "to_dicts", "to_pandas", "to_polars"]


#: A plain Python value, or a list or dictionary of such.
Cell: TypeAlias = Any
#: A frame of pandas, Polars or Arrow, which are imported when one is asked for.
Frame: TypeAlias = Any


class FrameColumn(NamedTuple):
    """One attribute of all ads: its first spelling, the kind of its values, the values."""

    name: str
    kind: str
    values: list[Cell]


class _Type(NamedTuple):
    """What holds the values of a kind in pandas, and in Arrow, which is asked for its own types."""

    pandas: str
    arrow: Callable[[Any], Any]


_TYPES: Final = {
    "boolean": _Type("boolean", lambda pa: pa.bool_()),
    "integer": _Type("Int64", lambda pa: pa.int64()),
    "real": _Type("Float64", lambda pa: pa.float64()),
    "string": _Type("string", lambda pa: pa.string()),
    "time": _Type("datetime64[us, UTC]", lambda pa: pa.timestamp("s", "UTC")),
    "empty": _Type("object", lambda pa: pa.null()),
    "text": _Type("object", lambda pa: pa.string()),
}


def to_dicts(
    ads: Iterable[ClassAd],
    attributes: Sequence[str] | None = None,
    evaluate: bool = False,
    *,
    context: EvalContext | None = None,
) -> list[dict[str, Cell]]:
    """Each ad as a dictionary of plain Python values, also within lists and nested ads.

    ``attributes``: the keys, in this spelling and order, None where an ad has no such attribute;
    without it each dictionary has the attributes of its ad.  ``evaluate``: the value of each
    expression instead of its text.  ``context``: clock, zone and seed for that.

    >>> ads = [ClassAd("[Cpus = 4; Rank = Cpus * 2]"), ClassAd("[Cpus = undefined]")]
    >>> to_dicts(ads)
    [{'Cpus': 4, 'Rank': 'Cpus * 2'}, {'Cpus': None}]
    >>> to_dicts(ads, ["rank"], evaluate=True)
    [{'rank': 8}, {'rank': None}]
    """
    wanted = _wanted(attributes)
    rows = []
    for ad in ads:
        names = ad if wanted is None else wanted
        rows.append({name: _cell(ad, name, evaluate, context) for name in names})
    return rows


def to_pandas(
    ads: Iterable[ClassAd],
    attributes: Sequence[str] | None = None,
    evaluate: bool = False,
    *,
    context: EvalContext | None = None,
) -> Frame:
    """A ``pandas.DataFrame`` with one row for each ad and nullable column types.

    The arguments are those of ``to_dicts``.  ``ImportError``: pandas is not installed
    (``pip install 'pieslice[pandas]'``).
    """
    pandas = load("pandas")
    columns, count = _columns(ads, attributes, evaluate, context)
    data = {
        column.name: pandas.Series(column.values, dtype=_TYPES[column.kind].pandas)
        for column in columns
    }
    return pandas.DataFrame(data, index=range(count), columns=[column.name for column in columns])


def to_polars(
    ads: Iterable[ClassAd],
    attributes: Sequence[str] | None = None,
    evaluate: bool = False,
    *,
    context: EvalContext | None = None,
) -> Frame:
    """A ``polars.DataFrame`` with one row for each ad.

    The arguments are those of ``to_dicts``.  ``ImportError``: Polars is not installed
    (``pip install 'pieslice[polars]'``).
    """
    polars = load("polars")
    frame = polars.from_arrow(to_arrow(ads, attributes, evaluate, context=context))
    return frame.with_columns(polars.col(polars.Datetime).dt.cast_time_unit("us"))


def to_arrow(
    ads: Iterable[ClassAd],
    attributes: Sequence[str] | None = None,
    evaluate: bool = False,
    *,
    context: EvalContext | None = None,
) -> Frame:
    """A ``pyarrow.Table`` with one row for each ad.

    The arguments are those of ``to_dicts``.  ``ImportError``: pyarrow is not installed
    (``pip install 'pieslice[arrow]'``).
    """
    arrow = load("pyarrow")
    columns, _ = _columns(ads, attributes, evaluate, context)
    return arrow.table(
        {
            column.name: arrow.array(_as_texts(column), _TYPES[column.kind].arrow(arrow))
            for column in columns
        }
    )


def with_objects(ads: list[ClassAd], frame: Frame) -> list[ClassAd]:
    """Ads with the Python objects of a ``pandas.DataFrame``; what is missing is no attribute."""
    for name in frame.columns:
        gone = frame[name].isna()
        for ad, cell in zip(ads, frame[name].where(~gone, None), strict=True):
            if cell is not None:
                ad[str(name)] = cell
    return ads


# --- cells ----------------------------------------------------------------------------------


def _wanted(attributes: Sequence[str] | None) -> list[str] | None:
    if isinstance(attributes, str):
        raise TypeError("attributes must be a sequence of names, not one string")
    return None if attributes is None else list(attributes)


def _cell(ad: ClassAd, name: str, evaluate: bool, context: EvalContext | None) -> Cell:
    """The plain Python value of an attribute."""
    stored = ad.raw(name)
    if stored is None:
        return None
    return _plain(stored, (lambda tree: tree.eval(ad, context=context)) if evaluate else None)


def _plain(value: PythonValue, value_of: Callable[[ExprTree], Cell] | None) -> Cell:
    """A value without any of this package's classes; expressions become values or texts."""
    if isinstance(value, str):
        return value if value.isascii() else as_utf8(value)
    if not isinstance(value, list | ClassAd):
        value = item_to_python(value)  # a literal that is stored as an expression becomes a value
    if isinstance(value, ExprTree):
        if value_of is None:
            return as_utf8(repr(value))
        return _plain(value_of(value), None)
    if isinstance(value, Value):
        return None
    if isinstance(value, list):
        return [_plain(item, value_of) for item in value]
    if isinstance(value, ClassAd):
        within = None if value_of is None else value.eval
        return {
            name: _plain(value.raw(name) if within is None else within(name), None)
            for name in value
        }
    return value


# --- columns --------------------------------------------------------------------------------

_KINDS: Final[dict[type, str]] = {
    bool: "boolean", int: "integer", float: "real", str: "string", datetime: "time",
}  # fmt: skip


def _columns(
    ads: Iterable[ClassAd],
    attributes: Sequence[str] | None,
    evaluate: bool,
    context: EvalContext | None,
) -> tuple[list[FrameColumn], int]:
    """The columns, in the order asked for or alphabetical without case, and the number of rows."""
    found = list(ads)
    wanted = _wanted(attributes)
    names: list[tuple[str, Sequence[int]]] = [(name, range(len(found))) for name in wanted or ()]
    if wanted is None:
        spelled: dict[str, tuple[str, list[int]]] = {}
        for row, ad in enumerate(found):
            for name in ad.names():
                spelled.setdefault(fold_name(name), (name, []))[1].append(row)
        names = [spelled[key] for key in sorted(spelled)]
    columns = []
    for name, rows in names:
        values: list[Cell] = [None] * len(found)
        # An ad that has no such attribute is not asked: there may be thousands of rare ones.
        for row in rows:
            values[row] = _cell(found[row], name, evaluate, context)
        columns.append(FrameColumn(name, _kind(values), values))
    return columns, len(found)


def _kind(values: list[Cell]) -> str:
    """The kind of a column: see the table of this module."""
    kinds = {_KINDS.get(value.__class__, "text") for value in values if value is not None}
    if not kinds:
        return "empty"
    if kinds == {"integer", "real"}:
        return "real"
    return kinds.pop() if len(kinds) == 1 else "text"


def _as_texts(column: FrameColumn) -> list[Cell]:
    """The values of a column, those of a mixed one as ClassAd text (strings as they are)."""
    if column.kind != "text":
        return column.values
    return [
        value if value is None or isinstance(value, str) else _text(value)
        for value in column.values
    ]


def _text(value: object) -> str:
    from classad.binding.convert import to_node
    from classad.formats.unparse import unparse

    return unparse(to_node(value))
