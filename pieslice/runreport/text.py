"""Lays out the numbers of one run, of several seeds, and of two configurations.

Inputs: summaries, comparisons.  Outputs: blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pieslice.data import Record
from pieslice.reports.layout import Block, Line, TextColumn, TextTable
from pieslice.runreport.comparison import ComparedRow, spread_cells, spreads
from pieslice.runreport.metrics import (
    COMPARED,
    GROUP,
    RUN,
    USER,
    Metric,
    cell,
    number_column,
    signed,
)
from pieslice.runreport.spread import SPREAD

#: What is left out of a table that is too wide: the highest number first.
_DROPPED: Final = {"badput_hours": 3, "share": 2, "entitled_hours": 1}


def run_blocks(summary: Record) -> list[Block]:
    """The summary of one run."""
    blocks: list[Block] = []
    if not summary["complete"]:
        blocks.append(Line("interrupted: these numbers are of the part that ran"))
    blocks += (
        Line(f"{metric.title:<25s}{cell(summary[metric.key], metric.digits):>14s}")
        for metric in RUN
    )
    blocks += [Line(), _table("user", summary["users"], USER)]
    if summary["groups"]:
        blocks += [Line(), _table("group", summary["groups"], GROUP)]
    return blocks


def _table(what: str, rows: Mapping[str, Record], metrics: Sequence[Metric]) -> TextTable:
    heads = (
        TextColumn(what, name=True),
        *(number_column(metric.key, metric.title, _DROPPED) for metric in metrics),
    )
    cells = (
        (name, *(cell(row[metric.key], metric.digits) for metric in metrics))
        for name, row in rows.items()
    )
    return TextTable(heads, tuple(cells), indent=0)


def spread_blocks(summaries: Sequence[Record], seeds: Sequence[int]) -> list[Block]:
    """One configuration over several seeds."""
    rows = [
        (kind, name, metric, spread_cells(found, metric))
        for kind, name, metric, found in spreads(summaries)
    ]
    columns = tuple(TextColumn(title, right=True) for title in SPREAD)
    return [Line(_seeds(seeds)), *_tables(rows, columns)]


def comparison_blocks(
    rows: Sequence[ComparedRow], names: tuple[str, str], seeds: Sequence[int]
) -> list[Block]:
    """Two configurations: each number, the difference, and what B is."""
    several = len(seeds) > 1
    titles = ("A", "B", "B - A", *(("+-",) if several else ()))
    columns = (*(TextColumn(title, right=True) for title in titles), TextColumn("B is"))
    cells = [
        (row.kind, row.name, row.metric, _difference(row, several=several))
        for row in rows
        if not row.name or row.difference.left or row.difference.right
    ]
    blocks: list[Block] = [
        Line(f"{letter}: {name}") for letter, name in zip("AB", names, strict=True)
    ]
    if several:
        blocks.append(Line(f"{_seeds(seeds)}; +-: 95 % interval of B - A"))
    return [*blocks, *_tables(cells, columns)]


def _difference(row: ComparedRow, *, several: bool) -> tuple[str, ...]:
    found, digits = row.difference, row.metric.digits
    return (
        cell(found.left, digits),
        cell(found.right, digits),
        signed(found.difference, digits),
        *((cell(found.margin, digits),) if several else ()),
        found.verdict,
    )


def _tables(
    rows: Sequence[tuple[str, str, Metric, tuple[str, ...]]], columns: tuple[TextColumn, ...]
) -> Iterator[Block]:
    """A table for the pool, one for the users, one for the groups."""
    for kind in ("", "user", "group"):
        mine = [
            ((name, metric.title) if kind else (metric.title,)) + cells
            for found, name, metric, cells in rows
            if found == kind and (not kind or metric.key in COMPARED)
        ]
        heads = (TextColumn(kind, name=True), TextColumn("")) if kind else (TextColumn(""),)
        if mine:
            yield Line()
            yield TextTable((*heads, *columns), tuple(mine), indent=0)


def _seeds(seeds: Sequence[int]) -> str:
    return f"{len(seeds)} seeds, {seeds[0]} to {seeds[-1]}"
