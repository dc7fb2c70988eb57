"""To which job a schedd gives a slot when the job that asked for it has one already."""

from __future__ import annotations

from classad import ClassAd
from classad.evaluate import EvalContext
from negotiator.jobs.autoclusters import AutoclusterTable
from negotiator.jobs.lists import queued_job
from negotiator.jobs.requests import JobList, ShownAttributes
from negotiator.pool.fetch import fetch_slots
from policy.load import policy_from_knobs
from tests.cases import every_case

CONTEXT = EvalContext(now=1000.0)
RANKS = "Rank = TARGET.R; CurrentRank = 2.0"


def placed(slot: str, texts: list[str], taken: list[int], limits: str) -> tuple[int, list[int]]:
    """The number of the job that gets a slot, -1 for none, and which ones the schedd lists then.

    Jobs are of one autocluster if their ``K`` is the same; ``taken``: those that have a slot.
    """
    table = AutoclusterTable(frozenset({"k"}))
    ads = [
        ClassAd(f"[ClusterId = 1; ProcId = {number}; Requirements = true; K = 0; {text}]")
        for number, text in enumerate(texts)
    ]
    jobs = JobList({}, ShownAttributes(table))
    jobs.hold([queued_job(ad, table, CONTEXT) for ad in ads])
    request = jobs.request_for(*jobs.waiting)
    for job in [job for job in jobs.waiting if job.proc in taken]:
        del jobs.waiting[job]
    ad = ClassAd(f'[Name = "s@m"; MyType = "Machine"; Requirements = true; {slot}]')
    (found,) = fetch_slots([ad], {}, policy_from_knobs({}).policy, CONTEXT)
    job = jobs.place(request, found, CONTEXT, limits)
    return -1 if job is None else job.proc, [job.proc for job in jobs.listed]


@every_case("slot, texts, taken, limits, job, listed", [
        # The one that asked, whoever else there is; without a slot of its own nobody searches.
        ("Requirements = TARGET.A", ["", "A = true"], [], "", 0, [0, 1]),
        ("", ["", "", ""], [0], "", 1, [1, 2]),
        ("", ["", "", ""], [0, 1], "", 2, [2]),
        ("", ["", "", ""], [0, 2], "", 1, [1, 2]),
        ("", ["", ""], [0, 1], "", -1, []),
        # Both sides have to agree.
        ("Requirements = TARGET.A", ["", "K = 1", "K = 2; A = true"], [0], "", 2, [1, 2]),
        ("B = 3", ["", "K = 1; Requirements = TARGET.B > 3", "K = 2"], [0], "", 2, [1, 2]),
        ("B = 3", ["", "K = 1; Requirements = TARGET.B > 2", "K = 2"], [0], "", 1, [1, 2]),
        # Behind one that is unsuitable its autocluster is passed over, with those that have slots.
        ("Requirements = TARGET.A", ["", "K = 1", "K = 1; A = true", "A = true"], [0], "", 3,
         [1, 2, 3]),
        ("Requirements = TARGET.A", ["", "K = 1", "K = 1", "A = true"], [0, 2], "", 3, [1, 2, 3]),
        ("Requirements = TARGET.A", ["", "K = 1", "K = 1", "K = 2; A = true"], [0, 1], "", 3,
         [2, 3]),
        # Whom the startd ranks lower than what it has is passed over, but not its autocluster.
        (RANKS, ["", "R = 1", "R = 2"], [0], "", 2, [1, 2]),
        (RANKS, ["", "R = 1.9", "R = 1", "R = 2.0"], [0], "", 3, [1, 2, 3]),
        (RANKS, ["", "R = 3", "R = 2"], [0], "", 1, [1, 2]),
        (RANKS, ["", "R = 1"], [0], "", -1, [1]),
        # A rank that is no number is not lower, and without a current rank nothing is.
        (RANKS, ["", "", "R = 2"], [0], "", 1, [1, 2]),
        (RANKS, ["", 'R = "0"', "R = 2"], [0], "", 1, [1, 2]),
        ("Rank = TARGET.R", ["", "R = -1", "R = 2"], [0], "", 1, [1, 2]),
        ("CurrentRank = 2.0", ["", "R = -1", "R = 2"], [0], "", 1, [1, 2]),
        # The limits are those for which the match was counted, in any case of letters.
        ("", ["", "", 'ConcurrencyLimits = "a"'], [0], "a", 2, [1, 2]),
        ("", ["", 'ConcurrencyLimits = "b"', 'ConcurrencyLimits = "A"'], [0], "a", 2, [1, 2]),
        ("", ["", 'ConcurrencyLimits = "Big.a:2"'], [0], "big.A:2", 1, [1]),
        ("", ["", 'ConcurrencyLimits = "a:2"'], [0], "a", -1, [1]),
        ("", ["", 'ConcurrencyLimits = "a"', ""], [0], "", 2, [1, 2]),
        ('L = "a"', ["", "ConcurrencyLimits = TARGET.L"], [0], "a", 1, [1]),
        # Of a job that says nothing those of the slot count.
        ('ConcurrencyLimits = "A"', ["", 'ConcurrencyLimits = "b"', ""], [0], "a", 2, [1, 2]),
        # Nobody has use for a slot without a claim to ask for.
        ("Offline = true", ["", ""], [], "", -1, [0, 1]),
        ("Offline = true", ["", ""], [0], "", -1, [0, 1]),
        ("Offline = false", ["", ""], [], "", 0, [0, 1]),
    ])  # fmt: skip
def test_who_gets_a_slot(
    slot: str, texts: list[str], taken: list[int], limits: str, job: int, listed: list[int]
) -> None:
    assert placed(slot, texts, taken, limits) == (job, listed)
