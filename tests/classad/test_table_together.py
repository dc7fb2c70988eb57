"""Predicates that are asked together: what the table says is what asking row by row says."""

from __future__ import annotations

from collections.abc import Iterator

from classad import ClassAd
from classad.match import symmetric_match
from classad.table import Table

ROWS = [
    ClassAd(
        f"[Requirements = TARGET.A > {n % 3} && TARGET.B =!= {n} && (TARGET.C ?: 4) < {n + 3}"
        " && TARGET.D isnt error]"
    )
    for n in range(12)
]


def _jobs() -> Iterator[ClassAd]:
    """At first they are all alike to the rows, then they differ in ever more."""
    for number in range(40):
        job = ClassAd("[Requirements = true; A = 2; B = 5]")
        if number > 10:
            job["A"] = number % 4
        if number > 20:
            job["C"] = number % 13
        if number > 30:
            job["B"] = number % 12
        yield job


def test_what_was_the_same_for_all_may_be_another_one_later() -> None:
    table = Table(ROWS)
    for job in _jobs():
        wanted = [row for row, ad in enumerate(ROWS) if symmetric_match(job, ad)]
        assert list(table.match(job)) == wanted


def test_a_row_may_change_after_partners_were_all_told_the_same() -> None:
    rows = [ClassAd(f"[Requirements = TARGET.A > Least; Least = {n}]") for n in range(4)]
    table, job = Table(rows), ClassAd("[Requirements = true; A = 2]")
    assert [list(table.match(job)) for _ in range(5)] == [[0, 1]] * 5
    table.replace(3, ClassAd("[Requirements = TARGET.A > Least; Least = -1]"))
    assert list(table.match(job)) == [0, 1, 3]
