"""Asks tables that lie in parts: ``pieslice.match``, ``pieslice.select``, ``pieslice.rank``.

Inputs: Parquet files, Dask dataframes or tables; a job or an expression.  Outputs: ``Found``; raise
``Error``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from classad import ClassAd
from pieslice.api.errors import Error, one_family
from pieslice.partitions.asking import Found, Question, found_in
from pieslice.partitions.sources import NotATableError, Slots, parts_of

if TYPE_CHECKING:
    from distributed import Client

#: An ad, its text, or its attributes.
Job: TypeAlias = ClassAd | str | Mapping[str, object]


def match(
    slots: Slots,
    job: Job,
    *,
    attributes: Sequence[str] = ("Name",),
    limit: int | None = None,
    client: Client | None = None,
) -> Found:
    """The slots that match a job: each accepts the other.

    ``slots``: a Parquet file or a folder of them, whose row groups are the parts (extra ``arrow``),
    a Dask dataframe, tables in memory.  ``attributes``: what is told of each slot; ``limit``: of
    so many, the first ones.  ``client``: of a Dask cluster, whose workers ask the parts and see the
    same files (extra ``dask``); without it they are asked one after the other.
    """
    return _found(slots, Question(_ad(job), "", False, limit, tuple(attributes)), client)


def select(
    slots: Slots,
    expression: str,
    *,
    attributes: Sequence[str] = ("Name",),
    limit: int | None = None,
    client: Client | None = None,
) -> Found:
    """The slots of which an expression is true; the rest is as for ``match``."""
    return _found(slots, Question(None, expression, False, limit, tuple(attributes)), client)


def rank(
    slots: Slots,
    job: Job,
    *,
    attributes: Sequence[str] = ("Name",),
    limit: int | None = 10,
    client: Client | None = None,
) -> Found:
    """The best slots of those that match a job by its ``Rank``, best first.

    Equal ones stand in the order of parts and rows.  ``limit``: so many, None for all; the rest is
    as for ``match``.
    """
    return _found(slots, Question(_ad(job), "", True, limit, tuple(attributes)), client)


def _found(slots: Slots, question: Question, client: Client | None) -> Found:
    with one_family():
        if question.limit is not None and question.limit < 0:
            raise Error(f"limit: `{question.limit}` is not a number of rows")
        try:
            parts = parts_of(slots)
        except NotATableError as problem:
            raise Error(str(problem)) from None
        return found_in(parts, question, client)


def _ad(job: Job) -> ClassAd:
    if isinstance(job, ClassAd):
        return job
    with one_family():
        return ClassAd(job) if isinstance(job, str) else ClassAd(dict(job))
