"""Reads the ads of a table from files and frames, and makes frames of its columns.

A missing value of a frame is an attribute that the ad does not have.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from classad.binding.ad import ClassAd
from classad.binding.ambient import zone_name
from classad.files.ads import load_ads
from classad.formats.common import Errors, check_errors

if TYPE_CHECKING:
    from os import PathLike

    from classad.errors import Diagnostic
    from classad.formats.detect import Form
    from classad.loading.columns import LoadedColumns


class Coded(Protocol):
    """A table as codes and values."""

    @property
    def names(self) -> list[str]:
        """Its attributes."""

    def __len__(self) -> int: ...

    def column(self, name: str) -> tuple[array[int], list[Any]]:
        """The code of each row, and what the codes stand for."""


def load(
    path: str | PathLike[str],
    form: Form | Literal["auto"],
    diagnostics: list[Diagnostic] | None,
    errors: Errors | None,
) -> tuple[list[ClassAd], LoadedColumns | None]:
    """The ads of a file, or its columns if it is in long form."""
    if errors is None:
        errors = "strict" if diagnostics is None else "warn"
    check_errors(errors)
    found = load_ads(path, form, errors=errors, diagnostics=diagnostics, tz=zone_name())
    if isinstance(found, list):
        return found, None
    if diagnostics is not None:
        diagnostics += found.diagnostics
    return [], found


def from_arrow(table: Any) -> list[ClassAd]:
    """The ads of the rows of a ``pyarrow.Table``."""
    return _ads(table.column_names, [column.to_pylist() for column in table.columns])


def from_pandas(frame: Any) -> list[ClassAd]:
    """The ads of the rows of a ``pandas.DataFrame``; its index is left out."""
    columns = []
    for name in frame.columns:
        gone = frame[name].isna()
        columns.append(frame[name].astype(object).where(~gone, None).tolist())
    return _ads([str(name) for name in frame.columns], columns)


def _ads(names: Iterable[str], columns: Sequence[Sequence[Any]]) -> list[ClassAd]:
    spelled = list(names)
    return [
        ClassAd(
            {name: _cell(cell) for name, cell in zip(spelled, row, strict=True) if cell is not None}
        )
        for row in zip(*columns, strict=True)
    ]


def _cell(cell: Any) -> Any:
    """A cell as a Python value that an ad can take."""
    python = getattr(cell, "to_pydatetime", None) or getattr(cell, "item", None)
    return cell if python is None else python()


def to_arrow(table: Coded, attributes: Sequence[str] | None, rows: array[int] | None) -> Any:
    """A ``pyarrow.Table`` of some columns and rows."""
    from classad.binding.frames import arrow_table, coded_column
    from classad.table.arrays.arrays import pick

    made = []
    for name in table.names if attributes is None else attributes:
        codes, values = table.column(name)
        made.append(coded_column(name, codes if rows is None else pick(codes, rows), values))
    return arrow_table(made)


def by_key(
    table: Coded, key: str, ads: Iterable[ClassAd]
) -> tuple[Mapping[int, ClassAd], list[ClassAd]]:
    """The rows that ads with the same value of an attribute have, and the ads that have none."""
    codes, values = table.column(key)
    place: dict[object, int] = {}
    for row in range(len(table) - 1, -1, -1):
        value = values[codes[row]]
        if value.__class__ is str or value.__class__ is int:
            place[value] = row
    found: dict[int, ClassAd] = {}
    new: dict[object, ClassAd] = {}
    for ad in ads:
        value = ad.raw(key)
        if value.__class__ is not str and value.__class__ is not int:
            raise ValueError(f"an ad has no {key} to tell its row by")
        if value in place:
            found[place[value]] = ad
        else:
            new[value] = ad
    return found, list(new.values())
