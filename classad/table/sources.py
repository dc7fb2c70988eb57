"""Reads the ads of a table from files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

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
