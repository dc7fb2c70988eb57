"""What a table cannot find out from columns alone is found as by asking one row after the other.

Chance, the instant, names that mean the ads themselves, rows and partners that inherit or stand in
other ads, rows that are the partner, expressions that lead far or in circles, lists of own ads.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import timedelta, timezone
from itertools import product
from random import Random
from typing import Any

import pytest

from classad import ClassAd, EvalContext, ExprTree
from classad.evaluate import evaluate
from classad.language.names import UNUSUAL
from classad.loading.long_form import load_long
from classad.match import half_match, is_true, symmetric_match
from classad.table import Table
from classad.table.expressions.partner import MAX_SIZE
from classad.table.store.placed import NOWHERE
from fuzz.one_by_one import CONTEXT, accepts, number_of, shown, value_of
from fuzz.thresholds import few_are_many


def ad(text: str) -> ClassAd:
    return ClassAd(f"[{text}]")


# ---- chance --------------------------------------------------------------------------------------

#: Expressions that draw random numbers, perhaps or in vain, and some that do not.
CHANCES = (
    "random(3) > 0", "N > 3 && random(3) > 0", "R > 1", "MY.R > 1 || N > 9", "TARGET.C > 1",
    "TARGET.D", "true", "N > 5", "random(3) > 0 && false", "false && random(3) > 0", "Start",
    "[x = random(4)].x > 1", 'eval("random(4)") > 1', "TARGET.N2 =?= 5", "random(2) + N", "N * 2",
    "countMatches(random(3) > 0, {[a = 1], [a = 2]}) > 1",
)  # fmt: skip
JOBS = tuple(
    f"C = random(4); D = C > 1; N2 = 5; N = 4; R = 1; Requirements = {text}; Rank = {rank}"
    for text, rank in zip(CHANCES, (*CHANCES[5:], *CHANCES[:5]), strict=True)
)
#: Requirements that lead back to themselves, so that nothing is known of them.
LOOPS = (
    "Requirements = Loop; Loop = random(3) > 0 && Loop; Rank = 1",
    "Requirements = Loop; Loop = TARGET.N > 3 && Back; Back = random(3) > 0 && Loop; Rank = 1",
)


def drawn(ask: Callable[[EvalContext], Any]) -> tuple[Any, float]:
    """An answer, and the random number that comes after those that it has drawn."""
    context = EvalContext(now=5.0, seed=7)
    found = ask(context)
    return found, context.rng.random()


def one_by_one(size: int, ask: Callable[[int], Any]) -> list[int]:
    return [row for row in range(size) if ask(row)]


@pytest.mark.parametrize("turn", range(6))
def test_chance_is_drawn_in_the_order_of_the_rows(turn: int) -> None:
    rng = Random(turn)
    chosen = CHANCES if turn == 0 else rng.sample(CHANCES, turn)
    ads = [
        ad(f"N = {n}; R = random(4); Start = random(3) > 1; Requirements = {text}; Rank = R + N")
        for n, text in enumerate(rng.choices(chosen, k=14))
    ]
    table = Table(ads)
    for text in (*rng.sample(JOBS, 7), LOOPS[turn % 2]):
        check_chances(table, ads, ad(text))


def check_chances(table: Table, ads: list[ClassAd], job: ClassAd) -> None:
    size = len(ads)
    for found, ask in (
        (table.match, lambda row, c: symmetric_match(job, ads[row], c)),
        (table.accepting, lambda row, c: half_match(ads[row], job, c)),
        (table.accepted_by, lambda row, c: half_match(job, ads[row], c)),
    ):
        wanted = drawn(lambda c, ask=ask: one_by_one(size, lambda row: ask(row, c)))
        given = drawn(lambda c, found=found: list(found(job, context=c)))
        assert given == wanted, (str(found), str(job))
    wanted = drawn(lambda c: [evaluate("Rank", job, one, context=c) for one in ads])
    ranks, after = drawn(lambda c: table.rank(job, context=c).tolist())
    assert (ranks, after) == (list(map(number_of, wanted[0])), wanted[1])
    surely, after = drawn(lambda c: table.match_surely(table.partner(job, c)))
    assert after == drawn(lambda c: None)[1]
    wanted = drawn(lambda c: one_by_one(size, lambda row: symmetric_match(job, ads[row], c)))
    if surely is not None:
        assert (list(surely), after) == wanted
    else:
        assert "random" in str(job) + str(ads)


@pytest.mark.parametrize("text", CHANCES)
def test_values_by_chance(text: str) -> None:
    ads = [ad(f"N = {n}; R = {('random(4)', '2')[n % 2]}; Start = N > 3") for n in range(10)]
    job = ad(JOBS[0])
    table = Table(ads)
    wanted = drawn(lambda c: [shown(evaluate(text, one, job, context=c)) for one in ads])

    def values(context: EvalContext) -> list[str]:
        codes, found = table.evaluate(text, job, context=context)
        return [shown(found[code]) for code in codes]

    assert drawn(values) == wanted
    yes = drawn(
        lambda c: [n for n, one in enumerate(ads) if is_true(evaluate(text, one, job, context=c))]
    )
    assert drawn(lambda c: list(table.select(text, job, context=c))) == yes


# ---- the instant ---------------------------------------------------------------------------------


#: What the zone decides.
HOUR = 'int(formatTime(0, "%H"))'


def test_each_instant_has_its_own_answers() -> None:
    rows = [
        ad(f"N = {n}; T = {text}; Requirements = {text} > {n} || TARGET.At > 5")
        for n, text in enumerate(
            ("time() - 95", "3", "N", "TARGET.At", "int(currentTime) - 98", HOUR)
        )
    ]
    table = Table(rows)
    for turn in range(60):
        zone = timezone(timedelta(hours=turn * 5 % 9))
        context = EvalContext(now=100.0 + turn % 7, tz=zone)
        job = ad(("At = time() - 100", "At = 2", "At = Later; Later = currentTime - 101")[turn % 3])
        job["Requirements"] = ExprTree(("TARGET.T > 2", "At < 4 && TARGET.T > N", "true")[turn % 2])
        wanted = [n for n, one in enumerate(rows) if symmetric_match(job, one, context)]
        assert list(table.match(job, context=context)) == wanted
        text = ("T + N", "T > TARGET.At", f"N + {HOUR}")[turn % 3]
        codes, values = table.evaluate(text, job, context=context)
        alone = [shown(value_of(ExprTree(text), one, job, context)) for one in rows]
        assert [shown(values[code]) for code in codes] == alone


# ---- names, relatives, circles -------------------------------------------------------------------

ROWS = (
    'I = 1; S = "a"; A = [p = 1; I = 5]; X = Y; Y = I', "I = 2; A = [p = I]; X = Y; Y = X + 1",
    "I = 3; A = {I, [p = Q]}; X = TARGET.X; Y = MY.X", "I = 4; X = MY; Y = parent.I",
    "X = .I; Y = I", "I = 6; X = TARGET.I; Y = TARGET.Y; Q = 4", "X = X; Y = A.p; A = [p = X]",
    "I = 8; X = LEFT.I",
)  # fmt: skip
PARTNERS = (
    "I = 10; Q = 11; X = Y; Y = Q", "X = TARGET.X; Y = TARGET.Y; Q = I",
    "I = TARGET.I; X = X; Y = X", "Q = [I = 3]; X = parent.I; Y = {I}; A = [p = 7]",
    'X = TARGET; Y = MY.I; I = "t"',
)  # fmt: skip
FORMS = ("{0}", "{0}.I", "MY.{0}", "TARGET.{0}", "isUndefined({0})", "{{{0}}}[0]", "[{0} = 3].I")
TEXTS = (
    *(form.format(name) for name in sorted(UNUSUAL) for form in FORMS),
    *("X", "Y", "X + Y", ".I", ".Q", "A.p", "A.I", "A[1].p", "TARGET.X", "TARGET.Y", "X =?= Y"),
    *("MY.A.p + TARGET.I", "unparse(X)", "countMatches(p > 0, A)", "{X, Y}", "[z = X].z", "A"),
    *("X && Y", "X ?: Y", "evalInEachContext(I, A)", "I > 2 && S is undefined", "TARGET.A.p > I"),
)  # fmt: skip


def related(texts: Sequence[str], how: str) -> list[ClassAd]:
    ads = [ad(text) for text in texts]
    home = ad("I = 50; Q = 51; Y = Q; Z = I; A = [p = 9]")
    for number, one in enumerate(ads):
        if how == "chained" and number % 2:
            one.chain(home)
        if how == "nested" and number % 3:
            one._parent = home
        if how == "both":
            one.chain(home)
            one._parent = ads[0] if number else None
        if how == "misleading" and number == 3:
            one["My"] = ad("I = 77; X = 78")
        if how == "misleading also" and number == 2:
            one["Target"] = ExprTree("[I = 66]")
    return ads


def values(table: Table, text: str, job: ClassAd | None, seat: Any) -> list[str]:
    codes, found = table.evaluate(text, job, row_is=seat, context=CONTEXT)
    return [shown(found[code]) for code in codes]


HOW = ("plain", "chained", "nested", "both", "misleading", "misleading also")


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "jobs"), [(h, HOW[(n * 3 + 2) % 6]) for n, h in enumerate(HOW)])
def test_names_and_relatives(rows: str, jobs: str) -> None:
    ads, partners = related(ROWS, rows), related(PARTNERS, jobs)
    partners.append(ads[1])  # a row asked about itself
    table = Table(ads)
    for turn, text in enumerate(TEXTS[HOW.index(rows) % 3 :: 3]):
        tree = ExprTree(text)
        for job in (None, partners[turn % 6], partners[(turn + 3) % 6]):
            alone = [value_of(tree, one, None if job is one else job) for one in ads]
            assert values(table, text, job, "my") == list(map(shown, alone)), (text, str(job))
            yes = [row for row, value in enumerate(alone) if is_true(value)]
            assert list(table.select(text, job, context=CONTEXT)) == yes, text
            numbers = table.numbers(text, job, context=CONTEXT)
            assert list(map(repr, numbers)) == list(map(repr, map(number_of, alone))), text
            if job is not None and turn % 2:
                alone = [value_of(tree, job, None if job is one else one) for one in ads]
                assert values(table, text, job, "target") == list(map(shown, alone)), text


@pytest.mark.parametrize("how", HOW)
def test_requirements_of_relatives(how: str) -> None:
    wanted = (
        "X",
        "Y > 1",
        "TARGET.X && I > 2",
        "Z > 3 || A.p > 0",
        "TARGET.I > I",
        "MY.Q > 2",
        "X",
    )
    ads = related(
        [f"{text}; Requirements = {need}" for text, need in zip(ROWS, wanted * 2, strict=False)],
        how,
    )
    ads.append(related(ROWS, how)[0])
    table = Table(ads)
    for text, need in zip(PARTNERS * 3, wanted * 3, strict=False):
        for job in related([text, f"{text}; Requirements = {need}"], how):
            ours = [n for n, one in enumerate(ads) if accepts(one, job)]
            theirs = [n for n, one in enumerate(ads) if accepts(job, one)]
            assert list(table.accepting(job, context=CONTEXT)) == ours, (text, need)
            assert list(table.accepted_by(job, context=CONTEXT)) == theirs, (text, need)
            assert list(table.match(job, context=CONTEXT)) == [n for n in ours if n in theirs]
    for job in ads:
        both = [n for n, one in enumerate(ads) if symmetric_match(job, one, CONTEXT)]
        assert list(table.match(job, context=CONTEXT)) == both


class Backwards:
    """The rows of a table from the last one on, with some changes."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.base = table.store
        self.places = array("i", range(len(table)))[::-1]
        self.changes: dict[str, dict[int, Any]] = {}

    @property
    def names(self) -> list[str]:
        return list(self.changes)

    def ad(self, row: int) -> ClassAd:
        place = self.places[row]
        found = ClassAd() if place == NOWHERE else self._table.ad(place)
        if self.changes:
            found = found.duplicate()
            for name, cells in self.changes.items():
                if row in cells:
                    found.insert(name, cells[row])
        return found

    def changed(self, name: str) -> dict[int, Any]:
        return self.changes.get(name, {})


def check_placed(table: Table, source: Backwards, jobs: Sequence[ClassAd]) -> None:
    """Look again, and ask."""
    table.refresh()
    ads = [source.ad(row) for row in range(len(table))]
    for job in jobs:
        ours = [n for n, one in enumerate(ads) if accepts(one, job)]
        theirs = [n for n, one in enumerate(ads) if accepts(job, one)]
        assert list(table.accepting(job, context=CONTEXT)) == ours, str(job)
        assert list(table.accepted_by(job, context=CONTEXT)) == theirs, str(job)
        assert list(table.match(job, context=CONTEXT)) == [n for n in ours if n in theirs]


def test_rows_in_other_places_have_their_own_constants() -> None:
    """Requirements that differ in these only, whose rows change places, and lists that change."""
    ads = [ad(f"{gpus(n % 4)}; I = {n}") for n in range(16)]
    for number, one in enumerate(ads):
        one["Requirements"] = ExprTree(f"TARGET.V > {number} && TARGET.W != {number % 3} && Start")
        one["Start"] = number % 5 > 0
    below = Table(ads)
    source = Backwards(below)
    table, rng = Table.placed(source), Random(3)
    jobs = [ad(f"V = {v}; W = {w}; Wants = Mem > 2") for v, w in ((3, 1), (8, 2), (20, 0))]
    for job, text in zip(jobs, (COUNTS[0], "TARGET.I > 3 && TARGET.W < 2", COUNTS[0]), strict=True):
        job["Requirements"] = ExprTree(text)
    check_placed(table, source, jobs)
    for turn in range(12):
        places = list(source.places)
        rng.shuffle(places)
        if turn % 4 == 0:
            places[turn % 16] = NOWHERE
            source.places = array("i", places)
        elif turn % 4 == 1:
            source.changes.setdefault("g0", {})[rng.randrange(16)] = ad(f"Mem = {turn + 3}")
        elif turn % 4 == 2:
            source.changes.setdefault("start", {})[rng.randrange(16)] = turn > 6
        else:
            source.changes.setdefault("requirements", {})[rng.randrange(16)] = turn > 8
        check_placed(table, source, jobs)


def test_requirements_that_are_values_and_change() -> None:
    values = (True, False, 1, 0, 0.0, 2.5, "x", None)
    table = Table(ClassAd({"N": n, "Requirements": True}) for n in range(8))
    job = ad("Requirements = TARGET.N >= 0")
    assert len(table.match(job)) == 8
    for turn in range(24):
        row, value = turn % 8, values[(turn * 3 + turn // 8) % 8]
        one = ClassAd({"N": row} if value is None else {"N": row, "Requirements": value})
        table.replace(row, one)
        ads = list(table.ads())
        both = [n for n, one in enumerate(ads) if symmetric_match(job, one, CONTEXT)]
        assert list(table.match(job, context=CONTEXT)) == both
        assert list(table.accepting(job, context=CONTEXT)) == both


def test_a_row_that_is_the_partner_has_none() -> None:
    """Also where the rows stand in another table, and whoever was asked about before."""
    texts = ("TARGET.I is undefined", "TARGET.I > 1", "I > 2", "TARGET.N is undefined")
    ads = [
        ad(f"I = {n}; N = I; Requirements = {text}; Rank = TARGET.I")
        for n, text in enumerate(texts)
    ]
    ads[3].chain(ad("I = 7"))
    del ads[3]["I"]
    below = Table(ads)
    for table, order in ((below, ads), (Table.placed(Backwards(below)), ads[::-1])):
        for job in [*ads, ads[0].duplicate(), *ads]:
            both = [n for n, one in enumerate(order) if symmetric_match(job, one, CONTEXT)]
            assert list(table.match(job, context=CONTEXT)) == both
            ours = [n for n, one in enumerate(order) if half_match(one, job, CONTEXT)]
            assert list(table.accepting(job, context=CONTEXT)) == ours
            alone = [shown(evaluate("TARGET.N", one, job, context=CONTEXT)) for one in order]
            assert values(table, "TARGET.N", job, "my") == alone
            ranks = [number_of(evaluate("Rank", job, one, context=CONTEXT)) for one in order]
            assert table.rank(job, context=CONTEXT).tolist() == ranks
    for row in (1, 0, 1):
        fresh = ads[0].duplicate()
        below.replace(row, fresh)
        for job in (fresh, ads[0], ads[1]):
            both = [n for n, one in enumerate(below.ads()) if symmetric_match(job, one, CONTEXT)]
            assert list(below.match(job, context=CONTEXT)) == both


def test_the_time_of_a_partner_that_is_not_there() -> None:
    """`TARGET.CurrentTime` is undefined without a target, whoever was asked about before."""
    table = Table([ad("I = 1"), ad("I = 2")])
    for job, wanted in ((None, "Value undefined"), (ad("J = 1"), "int 1700000000")) * 2:
        assert values(table, "TARGET.CurrentTime", job, "my") == [wanted] * 2
        found = list(table.select("TARGET.CurrentTime > I", job, context=CONTEXT))
        assert found == ([] if job is None else [0, 1])


def test_constants_of_requirements_are_told_apart() -> None:
    """Those of jobs whose texts differ in nothing else, and those of rows."""
    constants = ("0.0", "-0.0", "0", "-0", "1", "1.0", '"1"', "-1.0", "10", "true", '"a"', '"A"')
    texts = [f"size(strcat(TARGET.N, {each})) > 4 || {each} =?= 1" for each in constants]
    texts += [
        f'TARGET.N > 2 && strcat({each}, {each}) != "{n}"' for n, each in enumerate(constants)
    ]
    rows = [ad(f"N = {n}; Requirements = true") for n in (1, 22, 333)]
    table = Table(rows)
    for text in [*texts, *texts[::-1]]:
        job = ad("N = 3")
        job["Requirements"] = ExprTree(text)
        yes = [n for n, one in enumerate(rows) if accepts(job, one)]
        assert list(table.accepted_by(job, context=CONTEXT)) == yes, text
    for few in (texts[:12], texts[12:], texts):
        ads = [ad("N = 1") for _ in few]
        for one, text in zip(ads, few, strict=True):
            one["Requirements"] = ExprTree(text)
        table = Table(ads)
        for job in (ad("N = 1"), ad("N = 22"), ad("N = 333")):
            yes = [n for n, one in enumerate(ads) if accepts(one, job)]
            assert list(table.accepting(job, context=CONTEXT)) == yes


@pytest.mark.parametrize("many", [False, True])
def test_circles_in_rows_whose_other_attributes_change(many: bool) -> None:
    """What all rows have alike is another value then."""
    with few_are_many() if many else nullcontext():
        ads = [ad(f"X = Y; Y = X + Q; Z = Z; Q = 3; N = {n % 3}") for n in range(15)]
        table = Table(ads)
        job = ad("Q = 4; W = TARGET.X; V = TARGET.Z ?: TARGET.Q")
        for q in (3, 5, 5, "t", 7):
            ads = [one.duplicate() for one in ads]
            for one in ads:
                one["Q"] = q
            table.replace_many(dict(enumerate(ads)))
            for text in ("X ?: Q", "(Y ?: Q) + N", "Z ?: Q", "TARGET.V", "TARGET.W ?: Q", "X"):
                alone = [shown(value_of(ExprTree(text), one, job)) for one in ads]
                assert values(table, text, job, "my") == alone, (q, text)


@pytest.mark.parametrize("loaded", [False, True])
def test_members_that_depend_on_the_row_stand_beside_constants(loaded: bool) -> None:
    """An ad or a list is no constant as soon as one of its members is none."""
    rows = [
        ad(f"N = {n}; A = [c = 1; d = N]; B = [e = [c = 1; d = N]; f = 2]; L = {{1, N}}; "
           f"M = {{[c = 1; d = N], 2}}; K = [c = 1; d = 2]")
        for n in (1, 2, 1, 3)
    ]  # fmt: skip
    text = "\n".join(row.printOld() for row in rows).encode()
    table = Table.from_columns(load_long(text)) if loaded else Table(rows)
    for asked in (
        "A.d", "A.c", "A.d > 1", "B.e.d", "B.f", "B.e.d + A.d", "L[1]", "L[0]", "sum(L)",
        "member(2, L)", "M[0].d", "M[1]", "countMatches(d > 1, {A, K, B.e})", "A.d + K.d",
        "unparse(A)", "size(M)", "A", "M",
    ):  # fmt: skip
        alone = [shown(value_of(ExprTree(asked), row, None)) for row in rows]
        assert values(table, asked, None, "my") == alone, asked


# ---- depth ---------------------------------------------------------------------------------------


def chain(name: str, length: int, end: str) -> str:
    """Attributes each of which leads to the next one."""
    links = [f"{name}{n} = {name}{n + 1} + 1" for n in range(length)]
    return "; ".join([*links, f"{name}{length} = {end}"])


#: Few and many, those about the limits, and more than levels of Python.
DEEP = (5, 39, 40, 41, 123, 124, 125, 126, 198, 199, 200, 2000)


@pytest.mark.slow
@pytest.mark.parametrize("length", DEEP)
def test_chains_of_attributes(length: int) -> None:
    """One after the other they may come to the limit of depth, where the value is an error."""
    ads = [ad(f"N = {n}; {chain('C', length, 'N')}; B = {n % 2}") for n in range(2)]
    ads.append(ad("N = 3; C0 = 7; B = C0"))
    table = Table(ads)
    job = ad(f"{chain('P', length, 'TARGET.C0')}; {chain('Q', length, '3')}")
    for text, partner in product(
        ("C0 > 5", "C0 + B", "TARGET.P0 > 5 && N", "TARGET.Q0 + N"), (job, None)
    ):
        tree = ExprTree(text)
        alone = [shown(value_of(tree, one, partner)) for one in ads]
        assert values(table, text, partner, "my") == alone, text
    for need in ("P0 > 9", "Q0 > 9 && TARGET.C0 > 5", "TARGET.C0 > 1"):
        job["Requirements"] = ExprTree(need)
        yes = [n for n, one in enumerate(ads) if accepts(job, one)]
        assert list(table.accepted_by(job, context=CONTEXT)) == yes, need


def test_attributes_that_are_each_read_twice() -> None:
    """To tell such a job from another one takes no longer than it has attributes."""
    pairs = [f"P{n} = P{n + 1} + Q{n + 1}; Q{n} = P{n + 1} - Q{n + 1}" for n in range(60)]
    job = ad(f"{'; '.join(pairs)}; P60 = TARGET.N; Q60 = 1")
    table = Table([ad("N = 3"), ad("N = 0")])
    # What stands behind `||` is not evaluated, which would take until the limit of work.
    assert values(table, "N < 4 || TARGET.P0 > 5", job, "my") == ["bool true"] * 2


def test_jobs_whose_evaluation_has_too_many_nodes_are_left_to_it() -> None:
    """It is for the evaluation of one ad to say whether it comes to its end."""
    pairs = [f"P{n} = P{n + 1} + Q{n + 1}; Q{n} = -P{n + 1} * 2" for n in range(20)]
    job = ad(f"{'; '.join(pairs)}; P20 = TARGET.N; Q20 = 1")
    partner = Table([ad("N = 3")]).partner(job, CONTEXT)
    items = [partner.item(f"p{n}") for n in range(21)]
    # As often as it is read: by two of the next pair, of which each has its own operators.
    sizes = [2, 9]
    for _ in range(19):
        sizes.append(3 * (1 + sizes[-1] + 4 * (1 + sizes[-2])))
    assert [item.size for item in items][::-1] == sizes
    assert [item.row_by_row for item in items] == [item.size > MAX_SIZE for item in items]


@pytest.mark.slow
@pytest.mark.parametrize("length", [3, 48, 49, 50, 99, 100, 101, 102])
def test_rows_of_conjuncts(length: int) -> None:
    """Many in one text, or each in an attribute that consists of the next."""
    long = " && ".join([f"TARGET.K > {n - length - 1}" for n in range(length)])
    leads = "; ".join(f"S{n} = TARGET.K > {n - 9} && S{n + 1}" for n in range(length))
    ads = [
        ad(f"K = 2; Requirements = {long} && MY.K > 1"),
        ad(f"K = 1; Requirements = S0; {leads}; S{length} = K > 0"),
        ad(f"K = 0; Requirements = S0; {leads}; S{length} = random(3) < 5"),
    ]
    table = Table(ads)
    for key in (0, length):
        for need in (long, "S0"):
            job = ad(f"K = {key}; Requirements = {need}; {leads}; S{length} = K > 3")
            both = [n for n, one in enumerate(ads) if symmetric_match(job, one, CONTEXT)]
            assert list(table.match(job, context=CONTEXT)) == both, (key, need)
            ours = [n for n, one in enumerate(ads) if accepts(one, job)]
            assert list(table.accepting(job, context=CONTEXT)) == ours


def test_requirements_that_ask_for_themselves() -> None:
    """What is under way is undefined, in a conjunct as in the whole."""
    texts = (
        "TARGET.V > 1 && Requirements =?= undefined", "Start && TARGET.V > 1", "MY.Start && V > 2",
        "TARGET.V > 1 && (Start ?: true)", "TARGET.Requirements =?= undefined && TARGET.V > 0",
        "Start && (MY.Requirements ?: true)", "isUndefined(Requirements) || Start", "true",
    )  # fmt: skip
    starts = ("Start =?= undefined", "Requirements =?= undefined && V > 1", "TARGET.Start ?: true")
    ads = [
        ad(f"V = {n % 4}; Requirements = {text}; Start = {start}")
        for n, (text, start) in enumerate(product(texts, starts))
    ]
    table = Table(ads)
    for job in ads:
        ours = [n for n, one in enumerate(ads) if half_match(one, job, CONTEXT)]
        theirs = [n for n, one in enumerate(ads) if half_match(job, one, CONTEXT)]
        twin = job.duplicate()
        alone = [n for n, one in enumerate(ads) if accepts(one, twin)]
        assert list(table.accepting(job, context=CONTEXT)) == ours
        assert list(table.accepted_by(job, context=CONTEXT)) == theirs
        assert list(table.accepting(twin, context=CONTEXT)) == alone
        others = [n for n, one in enumerate(ads) if accepts(twin, one)]
        assert list(table.accepted_by(twin, context=CONTEXT)) == others


# ---- lists of own ads ----------------------------------------------------------------------------


def gpus(n: int) -> str:
    lists = (
        "{G0, G1}",
        "{G1}",
        "{G0, G1, G2}",
        "{}",
        "{G0, [Mem = 3]}",
        "{G0, None}",
        "5",
        "{G1, 3}",
    )
    which = lists[n % len(lists)]
    return (
        f'G0 = [Mem = {n % 5}; Cap = 7.5]; G1 = [Mem = {n * 3 % 7}; Kind = "k{n % 2}"]; '
        f"G2 = [Mem = {n}]; Gpus = {which}; Mem = 1; Free = Gpus; Cap = {n % 3}"
    )


WANTS = (
    "Wants = Mem > 2", "Wants = Mem > 2 && Cap > 5", "Wants = Mem > Least; Least = 3",
    "Wants = Mem > Least; Least = 0", "Wants = Mem > Least; Least = 5",
    "Wants = true", 'Wants = Kind == "k1"', "Wants = TARGET.Cap > 1 && Mem > 1",
    "Wants = MY.Least < 4; Least = 3", "Wants = Mem > 2; G0 = [Mem = 99]",
    "Wants = Mem > 2; Gpus = {[Mem = 5]}", "Wants = Mem", "Q = 1",
    "Wants = random(3) < 9 && Mem > 2", "Wants = error", "Wants = Mem > Cap; Cap = 2",
)  # fmt: skip
COUNTS = (
    "countMatches(MY.Wants, TARGET.Gpus) > 0", "countMatches(Wants, TARGET.Gpus) == 1",
    "countMatches(MY.Wants, TARGET.Free) > 0",
    "countMatches(MY.Wants, Gpus) >= 1 && TARGET.Cap > 0",
    "countMatches(Mem > 2, TARGET.Gpus) > 0", "!(countMatches(MY.Wants, TARGET.Gpus) > 0)",
    "countMatches(MY.Wants, TARGET.Gpus)", "{countMatches(MY.Wants, TARGET.Gpus)}[0] > 0",
    "countMatches(MY.Wants, TARGET.Gpus) > Cap - 2", "countMatches(MY.Wants, TARGET.None) =?= 0",
    "countMatches(MY.Wants, TARGET.Gpus) > countMatches(Mem > 1, TARGET.Gpus)",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("many", [False, True])
def test_lists_of_own_ads(many: bool) -> None:
    """Asked for one partner after the other, while lists and their members change."""
    ads = [ad(f"{gpus(n)}; Requirements = true") for n in range(16)]
    simple = [
        ad(gpus(n).replace("Gpus = 5", "Gpus = {G0}").replace("[Mem = 3]", "G2")) for n in range(9)
    ]
    # Members that are expressions, or ads with expressions in them.
    inner = ("[Mem = Cap * 2; Cap = 2]", "[Mem = Free1; Cap = 9]", "Other", "[Mem = 3]", "{3}")
    opened = [
        ad(f"{gpus(n % 3)}; G1 = {inner[n % 5]}; Other = [Mem = {n}]; Free1 = {n}")
        for n in range(10)
    ]
    rng = Random(many)
    for rows in (ads, simple, opened, [*opened, *simple]):
        table, rows = Table(rows), list(rows)
        for turn in range(20 * many, 20 * many + 40):
            job = ad(WANTS[turn * 5 % len(WANTS)])
            job["Requirements"] = ExprTree(COUNTS[turn % len(COUNTS)])
            yes = [n for n, one in enumerate(rows) if accepts(job, one)]
            if many:
                with few_are_many():
                    found = list(table.accepted_by(job, context=CONTEXT))
            else:
                found = list(table.accepted_by(job, context=CONTEXT))
            assert found == yes, str(job)
            if turn % 9 == 8:
                row = rng.randrange(len(rows))
                other = rows[row].duplicate()
                name, value = rng.choice(
                    (("G0", ad("Mem = 50")), ("Cap", 8), ("Gpus", ExprTree("{G1, G0}")), ("G1", 4))
                )
                other[name] = value
                rows[row] = other
                table.replace(row, other)


def test_partners_are_told_apart_by_what_their_wants_lead_to() -> None:
    ads = [ad(gpus(n % 4)) for n in range(12)]
    table = Table(ads)
    for need in COUNTS[:5]:
        for least in (3, 0, 5, '"x"', 3, "Deep", 0):
            for wants in ("Mem > Least", "Mem > Low"):
                job = ad(f"Wants = {wants}; Low = Least + 1; Least = {least}; Deep = 2")
                job["Requirements"] = ExprTree(need)
                yes = [n for n, one in enumerate(ads) if accepts(job, one)]
                assert list(table.accepted_by(job, context=CONTEXT)) == yes, str(job)
