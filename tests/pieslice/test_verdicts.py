"""Answers begin with what could be sent to a colleague, in the numbers that they have below."""

import json
import re
from pathlib import Path

import pytest
from attr import evolve
from hypothesis import given
from hypothesis import strategies as st

import pieslice
from negotiator.model.result import MatchKind
from pieslice.cli import main
from pieslice.negotiate.verdict import cycle_verdict, few, shortest
from pieslice.reports.layout import TextColumn, TextTable, number, percent, render_plain

CAMPUS = str(Path(__file__).parents[2] / "examples" / "campus")
TOUR = str(Path(__file__).parents[2] / "examples" / "tour")
NO_PREEMPTION = str(Path(CAMPUS, "no_preemption"))


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The whole answer of a command."""
    assert main(list(words)) in (0, 1)
    return capsys.readouterr().out


def verdict(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What stands before anything else, in one line."""
    return said(capsys, *words, "--wide").partition("\n\n")[0]


@pytest.mark.parametrize("pool", [CAMPUS, TOUR])
def test_a_cycle_begins_with_its_matches_rejections_and_users(
    pool: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = json.loads(said(capsys, "negotiate", pool, "--json"))
    matches, rejections, served = verdict(capsys, "negotiate", pool).split("\n")
    kinds = [match["kind"] for match in data["matches"]]
    free = kinds.count("none")
    assert matches.startswith(f"{len(kinds)} matches: {free} free, {len(kinds) - free} by preempt")
    assert rejections.startswith(f"{len(data['rejections'])} rejections: ")
    gets, _, nothing = served.partition("; ")
    users = [match["submitter"].partition("@")[0].rpartition(".")[2] for match in data["matches"]]
    for user in set(users):
        assert re.search(rf"\b{user} (gets )?{users.count(user)}\b", gets)
        assert user not in nothing


def test_a_cycle_says_who_takes_how_many_slots_of_whom(capsys: pytest.CaptureFixture[str]) -> None:
    assert "(carol takes 11 of dave, 4 of alice)" in verdict(capsys, "negotiate", CAMPUS)


@pytest.mark.parametrize(
    ("kinds", "told"),
    [
        ("", "no matches"),
        ("f", "1 match, of a free slot"),
        ("ff", "2 matches, all of free slots"),
        ("p", "1 match, by preemption ("),
        ("rr", "2 matches, all by rank preemption ("),
        ("fp", "2 matches: 1 free, 1 by preemption ("),
        ("frp", "3 matches: 1 free, 2 by preemption, 1 of them by the machine's rank ("),
    ],
)
def test_the_ways_of_matches_are_counted(kinds: str, told: str) -> None:
    result = pieslice.read(CAMPUS).negotiate().result
    one = result.matches[0]
    ways = {"f": MatchKind.NONE, "p": MatchKind.PRIORITY, "r": MatchKind.RANK}
    matches = [
        evolve(one, kind=ways[kind], preempted=None if kind == "f" else "eve@x") for kind in kinds
    ]
    assert cycle_verdict(evolve(result, matches=tuple(matches)))[0].startswith(told)


def test_what_is_shown_of_a_cycle_changes_nothing_of_its_verdict(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tables = verdict(capsys, "negotiate", CAMPUS, "--summary")
    assert tables == verdict(capsys, "negotiate", CAMPUS)


@pytest.mark.parametrize(
    "change", [["--config", NO_PREEMPTION], ["-D", "PREEMPTION_REQUIREMENTS=False"]]
)
def test_a_difference_begins_with_who_loses_and_gains(
    change: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert verdict(capsys, "diff", CAMPUS, *change) == (
        "carol loses 15 of 20 matches; dave keeps 11 claims; alice keeps 4 claims;"
        " rejections 5 -> 6"
    )


def test_a_definition_alone_is_compared_with_the_pool_as_it_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert verdict(capsys, "diff", CAMPUS, "-D", "NEGOTIATOR_INTERVAL=60") == "no difference"


@pytest.mark.parametrize("job", ["15.0", "11.0"])
def test_a_ranking_begins_with_the_best_slot_and_the_next(
    job: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = json.loads(said(capsys, "rank", CAMPUS, job, "--json"))
    best, following = data["slots"][:2]
    first, version, second = said(capsys, "rank", CAMPUS, job, "--wide").split("\n")[:3]
    assert f"{best['slot']} is the best of {data['candidates']} candidates" in first
    assert version.lstrip().startswith("follows ")
    assert second.lstrip().startswith(f"{following['slot']} is next: {following['decided_by']} ")


def test_quotas_begin_with_what_groups_lack_of_their_requests(
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = json.loads(said(capsys, "quotas", CAMPUS, "--json"))
    first = said(capsys, "quotas", CAMPUS, "--wide").partition("\n")[0]
    for line in data["rounds"][0]["lines"]:
        if line["unallocated"]:
            told = f"{line['name']} {round(line['allocated'], 2):g} of {line['requested']:g}"
            assert told in first
    assert first.endswith("; all that they request: group_chemistry")


def test_a_search_begins_with_what_is_broken(capsys: pytest.CaptureFixture[str]) -> None:
    policy = str(Path(CAMPUS).parent / "policies" / "flawed" / "no_margin")
    _, broken, held, *rest = said(capsys, "fuzz", policy, "--examples", "2000").split("\n")
    assert broken.startswith("broken: no-thrash, margin (")
    assert held == "no counterexample: total"
    assert rest[0] == ""
    assert rest[1].startswith("no-thrash: ")


# --- names and numbers ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("users", "short"),
    [
        (["ann@a"], ["ann"]),
        (["g.h.ann@a", "nice-user.bob@a"], ["ann", "bob"]),
        (["g.ann@a", "h.ann@a"], ["g.ann", "h.ann"]),
        (["ann@a", "ann@b", "bob@b"], ["ann@a", "ann@b", "bob"]),
        ([], []),
    ],
)
def test_users_have_the_shortest_name_that_no_other_has(users: list[str], short: list[str]) -> None:
    assert list(shortest(users).values()) == short


@given(st.lists(st.from_regex(r"([gh]\.){0,2}[ab]@[ab]", fullmatch=True)))
def test_no_two_users_have_one_short_name(users: list[str]) -> None:
    found = shortest(users)
    assert set(found) == set(users)
    assert len(set(found.values())) == len(found)


@given(st.lists(st.just("x")))
def test_of_many_words_as_many_are_named_or_counted_as_there_are(words: list[str]) -> None:
    text = few(words)
    more = re.search(r" and (\d+) more$", text)
    assert text.count("x") + (int(more[1]) if more else 0) == len(words)


@pytest.mark.parametrize(
    ("part", "shown"),
    [(None, "-"), (0.0, "0.00"), (1.0, "100.00"), (7.49726e-9, "<0.01"), (0.0001, "0.01")],
)
def test_a_part_is_not_shown_as_nothing_unless_it_is(part: float | None, shown: str) -> None:
    assert percent(part) == shown


def test_numbers_that_nobody_counts_the_digits_of_have_an_exponent() -> None:
    assert number(66691070000.0) == "6.669e+10"
    assert number(23089.56) == "23089.56"


@pytest.mark.parametrize(
    ("cells", "shown"),
    [
        (["100.00", "8.00", "-"], ["100", "8", "-"]),
        (["0.50", "7.00"], ["0.5", "7.0"]),
        (["0.25", "7.00"], ["0.25", "7.00"]),
        (["7.00", "6.669e+10", "<0.01"], ["7", "6.669e+10", "<0.01"]),
        (["100", "20"], ["100", "20"]),
    ],
)
def test_a_column_has_no_decimals_that_are_0_in_all_rows(
    cells: list[str], shown: list[str]
) -> None:
    table = TextTable((TextColumn("n", right=True),), tuple((cell,) for cell in cells))
    assert render_plain([table], 80).split()[1:] == shown


@pytest.mark.parametrize("column", [TextColumn("job"), TextColumn("job", right=True, name=True)])
def test_jobs_are_no_numbers_with_decimals(column: TextColumn) -> None:
    table = TextTable((column,), (("15.0",), ("8.0",)))
    assert render_plain([table], 80).split() == ["job", "15.0", "8.0"]
