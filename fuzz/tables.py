"""Checks one table that is asked many things: it answers as the reference evaluator does, ad by ad.

Partners come again and again, under several contexts and conversions, and some rows change
meanwhile.  The rows fall into several groups and parts, and some of them inherit from other ads or
stand in them, as some partners do.

Inputs: seeds and sizes (``fuzz.table_maker`` makes the rest).  Outputs: none; a check raises.
"""

from __future__ import annotations

import sys
import threading
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import timedelta, timezone
from random import Random
from typing import Any, Final

import classad
from classad import ClassAd, EvalContext, ExprTree, Rows
from classad.table import Table
from fuzz.one_by_one import CONTEXT, NOW, accepts, holds, number_of, rank_of, shown, value_of
from fuzz.table_maker import Maker, ad_of
from fuzz.thresholds import few_are_many

#: Two instants and zones.
CONTEXTS: Final = (CONTEXT, EvalContext(now=NOW + 1, tz=timezone(timedelta(hours=7))))


class Conversion:
    """Values as numbers; what is none counts ``other``.  ``scale`` tells conversions apart."""

    def __init__(self, other: float, scale: float) -> None:
        self.other = other
        self.scale = scale

    def __call__(self, value: Any) -> float:
        if value.__class__ not in (int, float, bool):
            return self.other
        return float(value) * self.scale


class ByKernel(Conversion):
    """Values as doubles, perhaps in single precision, which is told to the table."""

    def __init__(self, other: float, single: bool) -> None:
        super().__init__(other, 1.0)
        self.number = (single, other)

    def __call__(self, value: Any) -> float:
        found = super().__call__(value)
        there = value.__class__ in (int, float, bool)
        return array("f", [found])[0] if self.number[0] and there else found


CONVERSIONS: tuple[Callable[[Any], float], ...] = (
    number_of, Conversion(-7.0, 1.0), ByKernel(-8.0, False), ByKernel(5.5, True),
    ByKernel(9.0, False), Conversion(1.0, 2.0), ByKernel(-1e308, True),
)  # fmt: skip


class Asking:
    """A table, its rows, and questions that are asked both ways."""

    def __init__(self, table: Table, rows: list[ClassAd]) -> None:
        self.table = table
        self.rows = rows
        self.rng = Random(len(rows))

    def some(self) -> Rows:
        """Some of the rows."""
        size = len(self.rows)
        return Rows.of(size, sorted(self.rng.sample(range(size), self.rng.randrange(size))))

    def match(self, job: ClassAd, context: EvalContext = CONTEXT) -> None:
        ours = [accepts(row, job, context) for row in self.rows]
        theirs = [accepts(job, row, context) for row in self.rows]
        table = self.table
        both = [mine and other for mine, other in zip(ours, theirs, strict=True)]
        within = self.some()
        few = [yes and row in within for row, yes in enumerate(both)]
        self.same("match within", job, table.match(job, within=within, context=context), few)
        self.same("match", job, table.match(job, context=context), both)
        self.same("accepting", job, table.accepting(job, context=context), ours)
        self.same("accepted by", job, table.accepted_by(job, context=context), theirs)

    def select(self, text: str, job: ClassAd | None) -> None:
        tree = ExprTree(text)
        wanted = [holds(tree, row, job) for row in self.rows]
        within = self.some()
        few = [yes and row in within for row, yes in enumerate(wanted)]
        found = self.table.select(tree, job, within=within, context=CONTEXT)
        self.same(f"select {text} within", job, found, few)
        self.same(f"select {text}", job, self.table.select(tree, job, context=CONTEXT), wanted)

    def evaluate(self, text: str, job: ClassAd | None, *, of_row: bool) -> None:
        tree = ExprTree(text)
        values = self.values(tree, job, of_row=of_row)
        seat: Any = "my" if of_row else "target"
        codes, found = self.table.evaluate(tree, job, row_is=seat, context=CONTEXT)
        assert [shown(found[code]) for code in codes] == list(map(shown, values)), (text, str(job))

    def values(self, tree: ExprTree, job: ClassAd | None, *, of_row: bool) -> list[Any]:
        if of_row:
            return [value_of(tree, row, job) for row in self.rows]
        partner = ClassAd() if job is None else job
        return [value_of(tree, partner, row) for row in self.rows]

    def numbers(
        self,
        text: str,
        job: ClassAd,
        conversions: Sequence[Callable[[Any], float]],
        *,
        of_row: bool,
    ) -> None:
        """One expression under several conversions, one after the other and again."""
        tree = ExprTree(text)
        values = self.values(tree, job, of_row=of_row)
        seat: Any = "my" if of_row else "target"
        for convert in conversions:
            wanted = [convert(value) for value in values]
            found = self.table.numbers(tree, job, row_is=seat, convert=convert, context=CONTEXT)
            assert repr(found.tolist()) == repr(wanted), (text, str(job))
            partner = self.table.partner(job, CONTEXT)
            table, codes = self.table.coded_numbers(tree, partner, row_is=seat, convert=convert)
            coded = table if codes is None else [table[code] for code in codes]
            assert repr(list(coded)) == repr(wanted), (text, str(job))

    def rank(self, job: ClassAd) -> None:
        wanted = [rank_of(job, row) for row in self.rows]
        found = self.table.rank(job, context=CONTEXT).tolist()
        assert repr(found) == repr(wanted), str(job)

    def replace(self, rows: Mapping[int, ClassAd]) -> None:
        for row, ad in rows.items():
            self.rows[row] = ad
        self.table.replace_many(rows)

    def same(self, what: str, job: ClassAd | None, found: Rows, wanted: Sequence[bool]) -> None:
        rows = [row for row, yes in enumerate(wanted) if yes]
        assert list(found) == rows, (what, str(job), set(found) ^ set(rows))


def changed(maker: Maker, rows: list[ClassAd]) -> dict[int, ClassAd]:
    """Other ads for some rows: with another plain value, or with everything otherwise."""
    found = {}
    for _ in range(maker.pick((1, 3, 9))):
        row = maker.rng.randrange(len(rows))
        ad = rows[row].duplicate()
        fresh = maker.row()
        names = [maker.pick(("A", "B", "D"))] if maker.often(60) else list(fresh)
        for name in names:
            value = fresh[name]
            if value is None:
                ad.remove(name)
            else:
                ad[name] = ExprTree(str(value)) if isinstance(value, ExprTree) else value
        found[row] = ad
    return found


def questions(
    maker: Maker, asking: Asking, count: int, jobs: Sequence[ClassAd] | None = None
) -> None:
    """Ask many things about a table by partners that come again and again."""
    jobs = [ad_of(maker.partner()) for _ in range(8)] if jobs is None else jobs
    texts = [maker.test(2, far=False) for _ in range(6)]
    sums = [f"{maker.number(2, far=False)} + {maker.number(1, far=False)}" for _ in range(3)]
    for _ in range(count):
        job = maker.pick(jobs)
        dice = maker.rng.randrange(12)
        if dice < 4:
            asking.match(job)
        elif dice < 6:
            asking.select(maker.pick(texts), maker.pick((job, job, None)))
        elif dice < 7:
            asking.evaluate(maker.pick((*texts, *sums)), job, of_row=maker.often(50))
        elif dice < 9:
            chosen = maker.rng.sample(CONVERSIONS, 3)
            asking.numbers(maker.pick(sums), job, [*chosen, chosen[0]], of_row=maker.often(70))
        elif dice < 11:
            asking.rank(job)
        else:
            asking.replace(changed(maker, asking.rows))


# ---- the targets ---------------------------------------------------------------------------------

#: A seed, how many rows and questions, whether few count as many, whether ads are related.
TableCase = tuple[int, int, int, bool, bool]


def tables_agree(case: TableCase) -> None:
    """One table, its rows in several groups and parts, answers as ad by ad, also after changes."""
    seed, size, count, few, relatives = case
    maker = Maker(seed)
    rows = [ad_of(maker.row()) for _ in range(size)]
    jobs = [ad_of(maker.partner()) for _ in range(8)]
    if relatives:
        maker.related(rows, [ad_of(maker.row()) for _ in range(3)])
        maker.related(jobs[:4], [ad_of(maker.partner()) for _ in range(2)])
    with few_are_many() if few else nullcontext():
        questions(maker, Asking(Table(rows), rows[:]), count, jobs)


#: Threads of which each asks everything.
THREADS: Final = 4


def threads_agree(case: tuple[int, int, int]) -> None:
    """A table that threads share answers each of them as it answers one alone.

    One of two ads stands in the first row, in turn; what is said of that row may be true of either.
    """
    seed, size, count = case
    maker = Maker(seed)
    rows = [ad_of(maker.row()) for _ in range(size)]
    pair = rows[0], ad_of(maker.row())
    jobs = [ad_of(maker.partner()) for _ in range(4)]
    texts = [maker.test(2, far=False) for _ in range(3)]
    asked = [(maker.rng.randrange(4), maker.pick(jobs), maker.pick(texts)) for _ in range(count)]
    wanted = [
        [_answer(Table([first, *rows[1:]]), *question) for first in pair] for question in asked
    ]
    table = classad.Table(rows)

    def ask(number: int) -> None:
        order = list(range(count))
        Random(seed + number).shuffle(order)
        for turn in order:
            if number == 0:
                table.replace(0, pair[turn % 2])
            found = _answer(table, *asked[turn])
            assert found in wanted[turn], (
                f"{found} instead of one of {wanted[turn]} of {asked[turn]}"
            )

    at_once(ask)


def _answer(table: Table, what: int, job: ClassAd, text: str) -> object:
    """The answer to a question, in a form that can be compared."""
    if what == 0:
        return list(table.match(job, context=CONTEXT))
    if what == 1:
        return list(table.select(text, job, context=CONTEXT))
    if what == 2:
        return repr(table.rank(job, context=CONTEXT).tolist())
    return repr(table.numbers(f"{text} ? A : B", job, context=CONTEXT).tolist())


def at_once(work: Callable[[int], None]) -> None:
    """Do something in threads that take turns as often as can be; raises what one of them did."""
    problems: list[BaseException] = []
    start = threading.Barrier(THREADS)

    def run(number: int) -> None:
        try:
            start.wait()
            work(number)
        except BaseException as problem:
            problems.append(problem)

    with _many_turns():
        threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if problems:
        raise problems[0]


@contextmanager
def _many_turns() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
