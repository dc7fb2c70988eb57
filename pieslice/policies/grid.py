"""Evaluates over a grid of one or two attributes, and draws the grid as text.

Inputs: axes as text (``RemoteUserPrio=0.5:100``), a function that evaluates.  Outputs: ``Grid``;
lines of text or JSON fields.  The values on an axis are those that the labels show.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final

from attr import frozen

from classad.formats.unparse import unparse_value
from classad.language.values import ERROR, UNDEFINED, ClassAdValue
from pieslice.data import JsonObject

#: Values on an axis unless it says how many.
STEPS: Final = 11
MAX_STEPS: Final = 200
_SYMBOLS: Final = ((True, "#", "true"), (False, ".", "false"), (UNDEFINED, "?", "undefined"),
                   (ERROR, "!", "error"))  # fmt: skip


class BadAxis(Exception):  # noqa: N818 - its text is the message
    """A text that is no axis."""


@frozen
class Axis:
    """An attribute and its values in ascending order."""

    name: str
    values: tuple[float, ...]


@frozen
class Grid:
    """Values by row and column; without columns there is one column and no second attribute."""

    rows: Axis
    columns: Axis | None
    cells: tuple[tuple[ClassAdValue, ...], ...]

    def as_json(self) -> JsonObject:
        """Fields for programs; cells as ClassAd texts."""
        axes = [self.rows] if self.columns is None else [self.rows, self.columns]
        return {
            "axes": [{"name": axis.name, "values": list(axis.values)} for axis in axes],
            "cells": [[unparse_value(value) for value in row] for row in self.cells],
        }


def read_axes(text: str) -> list[Axis]:
    """One or two axes, separated by a comma."""
    axes = [_axis(part.strip()) for part in text.split(",")]
    if len(axes) > 2:
        raise BadAxis(f"`{text}` has more than two axes")
    return axes


def _axis(text: str) -> Axis:
    name, _, limits = text.partition("=")
    parts = limits.split(":")
    try:
        low, high = float(parts[0]), float(parts[1])
        steps = int(parts[2]) if len(parts) > 2 else STEPS
    except (IndexError, ValueError):
        raise BadAxis(f"`{text}` is not of the form NAME=LOW:HIGH or NAME=LOW:HIGH:STEPS") from None
    if not name.strip() or len(parts) > 3 or not low < high or not math.isfinite(high - low):
        raise BadAxis(f"`{text}` needs a name and a low end below the high end")
    if not 2 <= steps <= MAX_STEPS:
        raise BadAxis(f"`{text}`: steps must be from 2 to {MAX_STEPS}")
    return Axis(name.strip(), _values(low, high, steps))


def _values(low: float, high: float, steps: int) -> tuple[float, ...]:
    """Evenly spaced, or by a factor where the ends are ten times apart, as short as can be."""
    fractions = [step / (steps - 1) for step in range(1, steps - 1)]
    if low > 0 and high / low >= 10:
        inner = [low * (high / low) ** fraction for fraction in fractions]
    else:
        inner = [low + (high - low) * fraction for fraction in fractions]
    for digits in range(2, 18):
        values = (low, *(float(f"{value:.{digits}g}") for value in inner), high)
        if all(low < high for low, high in pairwise(values)):
            return values
    return (low, high)


def fill(axes: list[Axis], evaluate: Callable[[dict[str, float]], ClassAdValue]) -> Grid:
    """Evaluate at every point."""
    rows, columns = axes[0], axes[1] if len(axes) > 1 else None
    cells = []
    for row in rows.values:
        points = [{rows.name: row}]
        if columns is not None:
            points = [{rows.name: row, columns.name: column} for column in columns.values]
        cells.append(tuple(evaluate(point) for point in points))
    return Grid(rows, columns, tuple(cells))


def grid_lines(title: str, grid: Grid) -> Iterator[str]:
    """The grid with both axes labelled: symbols if the values are truth values, else numbers."""
    found = [value for row in grid.cells for value in row]
    logical = all(any(value is known for known, _, _ in _SYMBOLS) for value in found)
    if logical:
        used = [
            f"{sign} {word}" for known, sign, word in _SYMBOLS if any(v is known for v in found)
        ]
        yield f"{title}: {', '.join(used)}"
    else:
        yield f"{title}:"
    if grid.columns is None:
        yield grid.rows.name
    else:
        yield f"{grid.rows.name} down, {grid.columns.name} across"
    head = [] if grid.columns is None else [_number(value) for value in grid.columns.values]
    labels = [_number(value) for value in grid.rows.values]
    texts = [[_cell(value, logical) for value in row] for row in grid.cells]
    width = max(len(text) for row in [head, *texts] for text in row)
    left = max(len(label) for label in labels)
    if head:
        yield " " * left + " |" + "".join(f" {text:>{width}}" for text in head)
        yield "-" * left + "-+" + "-" * ((width + 1) * len(head))
    for label, row in zip(labels, texts, strict=True):
        yield f"{label:>{left}} |" + "".join(f" {text:>{width}}" for text in row)


def _number(value: float) -> str:
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def _cell(value: ClassAdValue, logical: bool) -> str:
    if logical:
        return next(sign for known, sign, _ in _SYMBOLS if value is known)
    if value.__class__ is float:
        return f"{value:.4g}"
    return unparse_value(value)
