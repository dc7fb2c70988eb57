"""The schedd's side of a session: which jobs it offers, one request after another."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from classad import ClassAd, ExprTree
from classad.ads.expression import Expression, parsed
from classad.evaluate import EvalContext
from negotiator.jobs.autoclusters import AutoclusterTable
from negotiator.jobs.lists import queued_job
from negotiator.jobs.offers import Offers, Unasked
from negotiator.jobs.requests import JobList, QueuedJob, Request, ScheddRoom, ShownAttributes
from negotiator.pool.fetch import fetch_slots
from negotiator.sessions.spins import _fetch_ahead
from policy.load import policy_from_knobs

CONTEXT = EvalContext(now=1000.0)


def _list(kinds: str, **given: Any) -> JobList:
    """Jobs 1.0, 1.1 ... of which equal letters are equal."""
    table = AutoclusterTable(frozenset({"kind"}))
    ads = (
        ClassAd(
            {"ClusterId": 1, "ProcId": number, "Kind": kind, "Odd": number % 2 == 1}
            | {"Requirements": True}
        )
        for number, kind in enumerate(kinds)
    )
    jobs = JobList({}, ShownAttributes(table), **given)
    jobs.hold([queued_job(ad, table, CONTEXT) for ad in ads])
    return jobs


def _told(request: Request) -> tuple[int, int]:
    """The first job of a request, and for how many it is."""
    return request.jobs[0].proc, len(request.jobs)


def _matched(jobs: JobList, job: QueuedJob) -> None:
    del jobs.waiting[job]
    jobs.room.accepted += 1


def _all(jobs: JobList, *, refuse: str = "", match: bool = False) -> list[tuple[int, int]]:
    """All requests of a session; some kinds are refused, others matched or come to nothing."""
    offers = Offers(jobs, CONTEXT)
    found = []
    for request in offers.requests():
        found.append(_told(request))
        if len(found) > 20:
            break
        if request.ad["Kind"] in refuse:
            offers.reject(request)
        elif match:
            for job in request.jobs:
                if job in jobs.waiting and jobs.room.left != 0:
                    _matched(jobs, job)
    return found


def test_runs_of_one_autocluster_are_one_request() -> None:
    assert _all(_list("aabaa")) == [(0, 2), (2, 1), (3, 2)]


def test_lists_of_one_session_go_on_and_skip_what_was_refused() -> None:
    jobs = _list("abac", batch_size=2, ahead=False)
    assert _all(jobs, refuse="a", match=True) == [(0, 1), (1, 1), (3, 1)]


def test_one_at_a_time_offers_a_job_again_whose_match_came_to_nothing() -> None:
    offers = Offers(_list("aab", counts=False), CONTEXT).requests()
    assert [_told(next(offers)) for _ in range(4)] == [(0, 1)] * 4


def test_one_at_a_time_the_second_request_is_for_the_rest_of_its_run() -> None:
    assert _all(_list("aaaa", batch_size=1), refuse="b", match=True) == [(0, 1), (1, 3)]
    assert _all(_list("aaa", batch_size=1, ahead=False), match=True) == [(0, 1), (1, 1), (2, 1)]


def test_uploads_bound_what_a_session_may_offer() -> None:
    assert _all(_list("aaab", uploads=2)) == [(0, 2)]
    assert _all(_list("abab", uploads=3)) == [(0, 1), (1, 1), (2, 1)]
    # What is fetched ahead belongs to a session of its own.
    jobs = _list("abbbb", uploads=2, counts=False)
    assert _all(jobs, refuse="a", match=True) == [(0, 1), (1, 1)]


def test_each_result_of_the_first_request_takes_from_the_uploads() -> None:
    """Depth first, a slot that serves no job of a request has it offered again."""

    def asked(kinds: str, uploads: int, results: str) -> list[tuple[int, int]]:
        offers = Offers(_list(kinds, batch_size=1, uploads=uploads), CONTEXT)
        requests = offers.requests()
        first = next(requests)
        for result in results:
            if result == "m":
                offers.matched()
            else:
                offers.reject(first)
        return [_told(request) for request in (*requests,)[:1]]

    assert asked("aaaabbbb", 3, "m") == [(0, 3)]  # the match came to nothing
    assert asked("aaaabbbb", 3, "r") == [(4, 3)]
    assert asked("aaaabbbb", 3, "mr") == []
    assert asked("aabbbb", 3, "mr") == [(2, 1)]
    assert asked("aabbbb", 5, "mmr") == [(2, 1)]
    assert asked("aabbbb", 4, "mmr") == []


@pytest.mark.parametrize(("results", "asked"), [(1, 4), (2, 3), (3, 2), (4, 1), (9, 1)])
def test_each_result_of_a_single_job_takes_from_the_uploads(results: int, asked: int) -> None:
    """Four are left for single jobs, of which the first one is matched so often."""
    jobs = _list("a" + "b" * 9, batch_size=1, uploads=4, counts=False, ahead=False)
    offers = Offers(jobs, CONTEXT)
    found = []
    for request in offers.requests():
        for _ in range(1 if found else results):
            offers.matched()
        _matched(jobs, request.jobs[0])
        found.append(_told(request))
    assert found == [(proc, 1) for proc in range(asked)]


def test_room_belongs_to_the_schedd() -> None:
    room = ScheddRoom(limit=3, running=1)
    first, second = _list("aaa", room=room), _list("bb", room=room)
    ahead = Offers(second, CONTEXT).fetch_ahead()
    assert _all(first, match=True) == [(0, 2)]
    assert room.left == 0
    assert _all(first) == []
    # Fetched before there was no room any more.
    assert [_told(request) for request in ahead.requests()] == [(0, 2)]


@pytest.mark.parametrize(
    ("constraint", "passes"),
    [
        ("AutoClusterId == 2", [False, True]),
        ('AutoClusterAttrs == "kind"', [True, True]),
        ("MY.AutoClusterId =?= undefined", [False, False]),
        ("ProcId == 0", [True, False]),
        ("WantMatchDiagnostics =!= undefined", [False, False]),  # of requests
    ],
)
def test_a_constraint_sees_what_the_schedd_writes_into_its_jobs(
    constraint: str, passes: list[bool]
) -> None:
    jobs = _list("ab", constraint=ExprTree(constraint))
    assert [jobs.passes(job, CONTEXT) for job in jobs.waiting] == passes
    assert all(job.ad.raw("AutoClusterId") is None for job in jobs.waiting)


def test_a_constraint_passes_over_one_autocluster_at_a_time() -> None:
    odd = Expression.from_node(parsed("Odd"))
    assert _all(_list("aaa", constraint=odd)) == []
    # ``b`` is refused in place of ``a``, of which the last job is then a run with a first job.
    assert _all(_list("aabab", constraint=odd)) == [(3, 1)]


def test_numbers_of_jobs_are_taken_for_autoclusters() -> None:
    jobs = _list("abbc", all_in_cluster=True, batch_size=2, ahead=False, real_ids={1: 3})
    assert _all(jobs, refuse="a", match=True) == [(0, 1), (1, 1), (3, 1)]


def test_a_matched_job_keeps_runs_apart_until_it_is_noted() -> None:
    jobs = _list("aabaa")
    third = list(jobs.waiting)[2]
    _matched(jobs, third)
    assert _all(jobs) == [(0, 2), (3, 2)]
    del jobs.listed[third]
    assert _all(jobs) == [(0, 4)]


def test_a_matched_job_counts_in_the_rest_of_its_run() -> None:
    jobs = _list("aaa")
    first, second, _ = jobs.waiting
    _matched(jobs, second)
    assert _all(jobs) == [(0, 3)]
    _matched(jobs, first)
    assert _all(jobs) == [(2, 1)]


def test_a_search_that_walks_past_a_matched_job_notes_it() -> None:
    """The first match goes to its own job, the second to one that is searched for."""
    jobs = _list("aaa")
    ad = ClassAd({"Name": "slot1@m", "Requirements": True, "MyType": "Machine"})
    (slot,) = fetch_slots([ad], {}, policy_from_knobs({}).policy, CONTEXT)
    first, second, third = jobs.waiting
    request = jobs.request_for(first, second, third)
    for wanted, listed in ((first, [first, second, third]), (second, [second, third])):
        assert jobs.place(request, slot, CONTEXT, "") is wanted
        assert list(jobs.listed) == listed


def test_uploads_count_the_jobs_found_between_the_results_of_a_request() -> None:
    offers = Offers(jobs := _list("abbcdefg", uploads=5, batch_size=1), CONTEXT)
    found = []
    for request in offers.requests():
        found.append(_told(request))
        for job in request.jobs:
            _matched(jobs, job)
            offers.matched()
    assert found == [(0, 1), (1, 2), (3, 1), (4, 1)]


def test_after_each_result_of_a_list_fetched_ahead_the_next_job_counts_among_the_uploads() -> None:
    """3 uploads: one for each of two jobs found after results, one for the second of the list."""
    jobs = _list("abcdefg", uploads=3, batch_size=2)
    assert _all(jobs, refuse="abcdefg") == [(0, 1), (1, 1), (2, 1), (3, 1)]
    jobs = _list("abcdefg", uploads=3, batch_size=2, ahead=False)
    assert _all(jobs, refuse="abcdefg") == [(0, 1), (1, 1), (2, 1)]


def test_a_match_of_a_list_fetched_ahead_that_came_to_nothing_is_offered_again() -> None:
    offers = Offers(jobs := _list("aabc", batch_size=2), CONTEXT)
    found = []
    for request in offers.requests():
        found.append(_told(request))
        if len(found) > 1:
            _matched(jobs, request.jobs[0])
        offers.matched()
    assert found == [(0, 2), (2, 1), (0, 2), (3, 1)]


@pytest.mark.parametrize(
    ("kinds", "given", "refuse", "why"),
    [
        ("aab", {}, "", {}),
        ("aab", {}, "a", {0: Unasked.REJECTED, 1: Unasked.REJECTED}),
        ("aab", {"batch_size": 1, "counts": False}, "a",
         {0: Unasked.REJECTED, 1: Unasked.REJECTED}),
        ("aab", {"prios": (1, 5)}, "",
         {0: Unasked.JOB_PRIO, 1: Unasked.JOB_PRIO, 2: Unasked.JOB_PRIO}),
        ("aba", {"room": ScheddRoom(1, 1)}, "",
         {0: Unasked.ROOM, 1: Unasked.ROOM, 2: Unasked.ROOM}),
        ("ab", {"constraint": ExprTree('Kind != "a"')}, "", {0: Unasked.CONSTRAINT}),
        ("aab", {"uploads": 2}, "", {2: Unasked.UPLOADS}),
    ],
)  # fmt: skip
def test_why_jobs_were_not_asked_for(
    kinds: str, given: dict[str, Any], refuse: str, why: dict[int, Unasked]
) -> None:
    prios = given.pop("prios", None)
    jobs = _list(kinds, **given)
    offers = Offers(jobs, CONTEXT, prios)
    for request in offers.requests():
        if request.ad["Kind"] in refuse:
            offers.reject(request)
        else:
            for job in request.jobs:
                _matched(jobs, job)
    assert {job.proc: cause for job, cause in offers.unasked().items()} == why


def test_jobs_that_were_asked_for_and_got_nothing_were_not_before_the_session_ended() -> None:
    jobs = _list("aab", batch_size=1)
    offers = Offers(jobs, CONTEXT)
    next(offers.requests())
    found = {job.proc: cause for job, cause in offers.unasked().items()}
    assert found == dict.fromkeys(range(3), Unasked.ENDED)


@pytest.mark.parametrize(
    ("prefetch", "most", "prios", "fetches"),
    [
        (True, None, False, False), (True, None, True, True), (True, 5, False, True),
        (True, 0, True, True), (False, 5, True, False), (False, None, False, False),
    ],
)  # fmt: skip
def test_requests_are_fetched_ahead_where_sessions_change_what_others_are_offered(
    prefetch: bool, most: int | None, prios: bool, fetches: bool
) -> None:
    policy = SimpleNamespace(
        prefetch_requests=prefetch, max_jobs_running=most, use_global_job_prios=prios
    )
    board: Any = SimpleNamespace(
        policy=policy, offers_ahead={"old": None}, jobs={("u", "s"): _list("ab")}, context=CONTEXT
    )
    submitters: Any = [
        SimpleNamespace(name=name, schedd="s", job_prios=None) for name in ("u", "nobody")
    ]
    _fetch_ahead(board, submitters)
    assert list(board.offers_ahead) == ([("u", "s", None)] if fetches else [])
