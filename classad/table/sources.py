"""Reads the ads of a table from files and frames.

A missing value of a frame is an attribute that the ad does not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from classad.binding.ad import ClassAd
from classad.binding.ambient import zone_name
from classad.files.ads import load_ads
from classad.formats.common import Errors, check_errors

if TYPE_CHECKING:
    from os import PathLike

    from classad.errors import Diagnostic
    from classad.formats.detect import Form
    from classad.loading.columns import LoadedColumns


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
