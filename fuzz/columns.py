"""Checks many ads at once: each gives what the exact evaluator gives for it alone.

Inputs: cases of ``classad.strategies``.  Outputs: none; a check raises.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from classad import ClassAd, ExprTree
from classad.binding.batch import evaluate_many, match_many
from classad.binding.python_values import to_python
from classad.evaluate import evaluate_exactly
from classad.formats.unparse import unparse_value
from classad.match import is_true
from classad.table import Table
from fuzz.language import CONTEXT
from fuzz.thresholds import few_are_many

#: An expression; ads and their partners; the rows: which ad each is, and its ``A0``, or None for
#: that of the ad; whether the partners have no Rank.
ColumnCase = tuple[str, list[list[str]], list[list[Any]], bool]


def columns_agree(case: ColumnCase) -> None:
    """Tables and batches give what the exact evaluator gives for one row after the other."""
    expression, texts, picks, unranked = case
    ads = [ClassAd(my) for my, _ in texts]
    jobs = [ClassAd(target) for _, target in texts]
    for job in jobs if unranked else ():
        del job["Rank"]
    rows = [_row(ads[which % len(ads)], number) for which, number in picks]
    _table_agrees(Table(rows), rows, jobs, expression)
    with few_are_many():
        _table_agrees(Table(rows), rows, jobs, expression)
    _batches_agree(rows, jobs[0], expression)


def _row(ad: ClassAd, number: Any) -> ClassAd:
    row = ad.duplicate()
    if number is not None:
        row.insert("A0", number)
    return row


def _table_agrees(table: Table, rows: list[ClassAd], jobs: list[ClassAd], text: str) -> None:
    for job in [*jobs, jobs[0]]:
        _matches_agree(table, rows, job)
        _values_agree(table, rows, job, text)
    changed = _row(rows[-1], 7)
    table.replace(0, changed)
    _matches_agree(table, [changed, *rows[1:]], jobs[0])
    _values_agree(table, [changed, *rows[1:]], jobs[-1], text)


def _matches_agree(table: Table, rows: list[ClassAd], job: ClassAd) -> None:
    ours = [_accepts(row, job) for row in rows]
    theirs = [_accepts(job, row) for row in rows]
    both = [mine and other for mine, other in zip(ours, theirs, strict=True)]
    _same_rows("match", table.match(job, context=CONTEXT), both)
    _same_rows("accepting", table.accepting(job, context=CONTEXT), ours)
    _same_rows("accepted_by", table.accepted_by(job, context=CONTEXT), theirs)


def _same_rows(what: str, found: Any, wanted: Sequence[bool]) -> None:
    rows = [row for row, yes in enumerate(wanted) if yes]
    assert list(found) == rows, f"{what} gives {list(found)} instead of {rows}"


def _values_agree(table: Table, rows: list[ClassAd], job: ClassAd, text: str) -> None:
    mine = [_alone(text, row, job) for row in rows]
    _same_rows("select", table.select(text, job, context=CONTEXT), [is_true(v) for v in mine])
    _same_values("my", table.evaluate(text, job, context=CONTEXT), mine)
    target = [_alone(text, job, row) for row in rows]
    found = table.evaluate(text, job, row_is="target", context=CONTEXT)
    _same_values("target", found, target)
    ranks = table.rank(job, context=CONTEXT).tolist()
    wanted = [_rank(job, row) for row in rows]
    assert str(ranks) == str(wanted), f"ranks {ranks} instead of {wanted}"


def _same_values(seat: str, found: tuple[Any, list[Any]], wanted: list[Any]) -> None:
    codes, values = found
    shown = [_shown(values[code]) for code in codes]
    assert shown == [_shown(value) for value in wanted], f"as {seat}: {shown} instead of {wanted}"


def _batches_agree(rows: list[ClassAd], job: ClassAd, text: str) -> None:
    alone = [repr(to_python(_alone(text, row, job))) for row in rows]
    many = [repr(value) for value in evaluate_many(text, rows, job, context=CONTEXT)]
    assert many == alone, f"evaluate_many gives {many} instead of {alone}"
    mask = match_many(job, rows, rank=None, context=CONTEXT).mask
    wanted = [_accepts(row, job) and _accepts(job, row) for row in rows]
    assert [bool(yes) for yes in mask] == wanted, f"match_many gives {mask} instead of {wanted}"


# ---- one after the other -------------------------------------------------------------------------


def _alone(text: str, my: ClassAd, target: ClassAd) -> Any:
    return evaluate_exactly(ExprTree(text), my, my, target, CONTEXT)[0]


def _accepts(my: ClassAd, target: ClassAd) -> bool:
    return my.raw("Requirements") is not None and is_true(_alone("Requirements", my, target))


def _rank(job: ClassAd, row: ClassAd) -> float:
    ranking, ranked = (job, row) if job.raw("Rank") is not None else (row, job)
    value = _alone("Rank", ranking, ranked)
    return float(value) if value.__class__ in (bool, int, float) else 0.0


def _shown(value: Any) -> str:
    return f"{value.__class__.__name__} {unparse_value(value)}"
