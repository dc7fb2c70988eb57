"""Asks the parts of a table one question and puts their answers together.

Decides the order of the rows in the answer: by rank where there is one, else by part and row.

Inputs: parts, a question, maybe a client of a Dask cluster.  Outputs: ``Found``.  Follows:
``Table.match``, ``select`` and ``rank``, as if all parts were one table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from heapq import nsmallest
from itertools import chain, islice
from typing import TYPE_CHECKING, ClassVar

from attr import frozen

from classad import ClassAd, Rows, Table, Value
from pieslice.partitions.sources import FramePart, SendablePart
from pieslice.reports.document import shape
from pieslice.reports.layout import Block, plural
from pieslice.reports.result import Cell, DataTable, Result
from pieslice.sweeps.work import ensure_package

if TYPE_CHECKING:
    from distributed import Client

#: How often a part is tried whose worker has died.
_RETRIES = 3


@frozen(eq=False)
class Question:
    """Which rows: those that match ``job``, or those of which ``expression`` is true.

    ``ranked``: the best ones by the job's ``Rank``; ``limit``: so many, None for all;
    ``attributes``: what is told of each.
    """

    job: ClassAd | None = None
    expression: str = "true"
    ranked: bool = False
    limit: int | None = None
    attributes: tuple[str, ...] = ("Name",)


@frozen(eq=False)
class PartAnswer:
    """What one part says: how many rows it has, how many fit, and some of these.

    A row is its rank (0 where none was asked for), its number in the part, and the attributes.
    """

    size: int
    fitting: int
    rows: tuple[tuple[float, int, tuple[Cell, ...]], ...]


@frozen(eq=False, repr=False)
class Found(Result):
    """Rows of a table in parts; ``size``: of all parts together, ``fitting``: how many fit."""

    schema: ClassVar[str] = "pieslice/found/1"
    size: int
    fitting: int
    parts: int
    table: DataTable

    def __len__(self) -> int:
        return self.fitting

    def summary(self) -> str:
        return f"{self.fitting} of {plural(self.size, 'row')} in {plural(self.parts, 'part')}"

    def blocks(self) -> Sequence[Block]:
        return self.table.blocks()


shape(Found, "size fitting parts columns=table.columns rows=table.rows")


def ask(part: SendablePart, question: Question) -> PartAnswer:
    """What a part says."""
    table = part.table()
    job = question.job
    rows = table.select(question.expression) if job is None else table.match(job)
    if job is not None and question.ranked:
        ranks = table.rank(job, within=rows)
        limit = len(rows) if question.limit is None else question.limit
        numbers = table.best(rows, [ranks], limit)
        keys = [ranks[row] for row in numbers]
    else:
        numbers = list(islice(rows, question.limit))
        keys = [0.0] * len(numbers)
    cells = [_cells(table, name, numbers) for name in question.attributes]
    told = zip(keys, numbers, zip(*cells, strict=True) if cells else [()] * len(keys), strict=True)
    return PartAnswer(len(table), len(rows), tuple(told))


def _cells(table: Table, name: str, rows: Sequence[int]) -> list[Cell]:
    """An attribute of some rows; undefined is None, what is no plain value is its text."""
    within = Rows.of(len(table), rows)
    codes, values = table.evaluate(name, within=within)
    plain = [_plain(value) for value in values]
    return [plain[codes[row]] for row in rows]


def _plain(value: object) -> Cell:
    # The words of the language are integers to Python.
    if isinstance(value, Value):
        return None if value is Value.Undefined else "error"
    return value if isinstance(value, Cell) else str(value)


def found_in(
    parts: Sequence[SendablePart], question: Question, client: Client | None = None
) -> Found:
    """The answer of all parts: one after the other here, or on the workers of a client."""
    if client is None:
        told = [ask(part, question) for part in parts]
    else:
        ensure_package(client)
        told = _on_workers(parts, question, client)
    rows = _merged(told, question)
    rank = ("rank",) if question.ranked else ()
    cells = tuple(
        (part, row, *((key,) if question.ranked else ()), *values)
        for key, part, row, values in rows
    )
    columns = ("part", "row", *rank, *question.attributes)
    fitting = sum(one.fitting for one in told)
    table = DataTable("rows", columns, cells)
    return Found(sum(one.size for one in told), fitting, len(parts), table)


def _on_workers(
    parts: Sequence[SendablePart], question: Question, client: Client
) -> list[PartAnswer]:
    """In the order of the parts; a part whose worker dies goes to another one."""
    futures = []
    compute: Callable[[object], object] = client.compute
    for part in parts:
        if isinstance(part, FramePart):
            # The frame is computed where it is asked, it does not come here.
            frame = compute(part.frame)
            futures.append(client.submit(_ask_frame, frame, question, pure=False, retries=_RETRIES))
        else:
            futures.append(client.submit(ask, part, question, pure=False, retries=_RETRIES))
    return [future.result() for future in futures]


def _ask_frame(frame: object, question: Question) -> PartAnswer:
    return ask(FramePart(frame), question)


_Row = tuple[float, int, int, tuple[Cell, ...]]


def _merged(answers: Iterable[PartAnswer], question: Question) -> list[_Row]:
    """The rows of all parts in their order, the best ones first if they are ranked."""
    rows = chain.from_iterable(
        [(key, part, row, values) for key, row, values in one.rows]
        for part, one in enumerate(answers)
    )
    if not question.ranked:
        return list(islice(rows, question.limit))
    if question.limit is None:
        return sorted(rows, key=_order)
    return nsmallest(question.limit, rows, key=_order)


def _order(row: _Row) -> tuple[float, int, int]:
    """The best rank first; no number is the worst of all."""
    key, part, number, _ = row
    return (math.inf if math.isnan(key) else -key), part, number
