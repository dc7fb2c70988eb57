"""A table keeps within its budget whatever it is asked, and answers all the same."""

import gc
import tracemalloc
from collections.abc import Callable

import pytest

from classad import ClassAd, ExprTree, Table
from classad.evaluate import evaluate
from classad.match import symmetric_match
from classad.table.expressions.partner import INSTANT
from classad.table.memo import Answers, Budget, Memo

BUDGET = 500_000
Ask = Callable[[Table, int], object]


def slot(number: int) -> ClassAd:
    return ClassAd(
        {
            "Memory": 1000 + 37 * number,
            "Owner": f"user{number % 7}",
            "Requirements": ExprTree(
                ["TARGET.RequestMemory <= Memory", "MY.Memory > 1500 && TARGET.X =!= 3"][number % 2]
            ),
        }
    )


SLOTS = [slot(number) for number in range(30)]


def job(number: int) -> ClassAd:
    text = f'TARGET.Memory > {number} && (TARGET.Owner != "user{number % 9}" || Odd{number} > 3)'
    return ClassAd({"RequestMemory": 1200 + number, "Requirements": ExprTree(text)})


def select(table: Table, number: int) -> object:
    return list(table.select(f"Memory > {number} + 1000"))


def match(table: Table, number: int) -> object:
    return list(table.match(job(number)))


def rank(table: Table, number: int) -> object:
    return table.numbers(f"Memory * {number} + 1").tolist()


def other_ads(table: Table, number: int) -> object:
    target = ClassAd({"Low": ExprTree(f"{number} + 1000 + TARGET.Memory * 0")})
    return list(table.select("Memory > TARGET.Low", target))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ask", "texts"), [(select, 1500), (match, 150), (rank, 300), (other_ads, 300)]
)
def test_thousands_of_texts_stay_within_the_budget(ask: Ask, texts: int) -> None:
    table = Table(SLOTS, budget=BUDGET)
    ask(table, 1)
    gc.collect()
    gc.freeze()  # what other tests left alive must not put off the collection of garbage here
    tracemalloc.start()
    try:
        begin, most, said = tracemalloc.get_traced_memory()[0], 0, 0
        for number in range(2, texts):
            ask(table, number)
            if number % 30 == 0:
                gc.collect()
                most = max(most, tracemalloc.get_traced_memory()[0] - begin)
                said = max(said, table.held)
        gc.collect()
    finally:
        tracemalloc.stop()
    assert most < 3 * BUDGET
    assert BUDGET / 4 < said < 2 * BUDGET


@pytest.mark.slow
def test_answers_are_the_same_when_the_table_forgets() -> None:
    small, target = Table(SLOTS, budget=20_000), ClassAd({"Low": 1800})
    large, most = Table(SLOTS), 0
    for number in range(200):
        assert select(small, number * 9) == [
            row for row, ad in enumerate(SLOTS) if ad["Memory"] > number * 9 + 1000
        ]
        assert match(small, number) == [
            row for row, ad in enumerate(SLOTS) if symmetric_match(job(number), ad)
        ]
        expr = ExprTree(f"Memory > TARGET.Low + {number}")
        assert list(small.select(expr, target)) == [
            row for row, ad in enumerate(SLOTS) if evaluate(expr, ad, target) is True
        ]
        select(large, number * 9)
        match(large, number)
        most = max(most, small.held)
    assert 10 * most < large.held


def test_one_partner_is_asked_about_while_the_table_forgets() -> None:
    table, known = Table(SLOTS, budget=20_000), Table(SLOTS)
    ad = ClassAd({"Low": ExprTree("1500 + High * 0"), "High": 7, "RequestMemory": 1300})
    ad["Requirements"] = ExprTree("TARGET.Memory > Low && TARGET.Memory < 5 * 900")
    partner = table.partner(ad)
    for number in range(100):
        text = f"Memory > TARGET.Low + {number} * TARGET.High"
        assert list(table.select(text, partner)) == list(known.select(text, ad))
        found = table.match_surely(partner)
        assert found is not None
        assert list(found) == list(known.match(ad))


def test_what_one_request_needs_is_spared() -> None:
    """Memo may take half of the budget, or twice what there was when a request was done."""
    budget = Budget(1000)
    notes: Memo[str, int] = Memo(budget)
    assert (budget.most, budget.held) == (500, 0)
    notes.keep("a", 1, 200)
    budget.settle()
    assert (budget.most, budget.held) == (500, 200)
    notes.keep("a", 1, 100)  # instead of the 200
    notes.keep("b", 2, 300)
    budget.settle()
    assert (budget.most, budget.held) == (800, 400)
    notes.drop(lambda key: key == "a")
    assert budget.held == 300
    budget.start_again()
    assert (budget.most, budget.held) == (500, 0)


def test_a_table_says_what_it_holds() -> None:
    """A sum over two columns, all of whose pairs differ: at least two thirds of the real bytes."""
    table = Table([ClassAd({"A": row, "B": 3 * row}) for row in range(1000)])
    for text in ("A", "B", "A - 1"):
        table.numbers(text)
    gc.collect()
    tracemalloc.start()
    try:
        before, held = tracemalloc.get_traced_memory()[0], table.held
        table.numbers("A + B")
        gc.collect()
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert 0.65 * taken < table.held - held < 1.5 * taken


def test_answers_are_kept_until_a_row_changes_or_others_need_the_room() -> None:
    table = Table(SLOTS, budget=20_000)
    table.match(job(1))
    memory = table.matching
    answers = memory.known("like this")
    assert answers == {}
    answers["rows"] = 0b101
    assert memory.known("like this") == {}
    memory.keep("like this", answers)
    assert memory.known("like this") == {"rows": 0b101}
    assert memory.known("like that") == {}
    table.replace(3, slot(3))  # the same as before
    assert memory.known("like this") == {"rows": 0b101}
    table.replace(3, slot(4))
    assert memory.known("like this") == {}
    most = table.held + 20_000
    for number in range(100):
        memory.keep(number, Answers({"rows": number}))
        assert table.held <= most
    assert memory.known(0) == {}
    assert memory.known(99) == {"rows": 99}
    # What a row inherits is in no column.
    table.replace(3, ClassAd({"Memory": 1}))
    memory.keep("like this", answers)
    child = slot(3)
    child.chain(ClassAd({"Colour": "red"}))
    table.replace(3, child)
    assert memory.known("like this") == {}


def test_the_rows_that_match_are_those_that_sets_have_in_common() -> None:
    table = Table(SLOTS)
    for number in range(60):
        sets = table.matching.by_columns(table.partner(job(number)))
        assert sets is not None
        common = [row for row in range(30) if all(rows >> row & 1 for rows in sets)]
        assert common == list(table.match(job(number)))
    for text in ("random() > 2", "TARGET.Memory > 0 && random() > 2"):
        chance = ClassAd({"RequestMemory": 1, "Requirements": ExprTree(text)})
        assert table.matching.by_columns(table.partner(chance)) is None


def test_what_is_read_of_partners_is_known_before_it_is_answered() -> None:
    table = Table(SLOTS)
    assert table.store.shapes.read == set()
    table.match(job(1))
    assert table.store.shapes.read >= {"requestmemory"}
    assert not table.store.shapes.read & {"wanted", "owner"}
    table.select("Memory > TARGET.Wanted", ClassAd({"Wanted": ExprTree("Most + 1"), "Most": 3}))
    assert table.store.shapes.read >= {"wanted", "most"}
    assert INSTANT not in table.store.shapes.read
    table.select("time() > TARGET.Most", ClassAd({"Most": 3}))
    assert INSTANT in table.store.shapes.read
