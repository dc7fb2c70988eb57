"""What schedds and startds do between cycles, rule by rule.

``tests/conform/test_between.py`` has what the real daemons did.
"""

from __future__ import annotations

from typing import Any

import pytest
from attr import evolve

from classad import ClassAd, ExprTree
from negotiator.claims.suiting import Granted, Unsuited
from negotiator.scenario.read import NOW
from pieslice.between.course import Course
from pieslice.between.cycles import next_turn
from policy.claims import ClaimSettings
from tests.conform.negotiation.course import first_snapshot, policy_of

QUIET = {"NEGOTIATOR_PRE_JOB_RANK": "0", "NEGOTIATOR_POST_JOB_RANK": "0"}
FIT = "TARGET.RequestCpus <= MY.Cpus && TARGET.RequestMemory <= MY.Memory"


def whole(cpus: int, name: str = "slot1@m", memory: int = 8192, **more: str) -> dict[str, Any]:
    """A partitionable slot."""
    ad = {
        "PartitionableSlot": "true", "SlotType": '"Partitionable"', "Cpus": str(cpus),
        "Memory": str(memory), "TotalSlotCpus": str(cpus), "TotalSlotMemory": str(memory),
        "MachineResources": '"Cpus Memory"', "Requirements": FIT, "CurrentRank": "0.0",
    }  # fmt: skip
    return {"name": name, "ad": {**ad, **more}}


def jobs(cluster: int, count: int = 1, user: str = "ann", **ad: str) -> dict[str, Any]:
    """Jobs of one core and 100 MB."""
    asks = {"RequestCpus": "1", "RequestMemory": "100", "Requirements": "true", **ad}
    return {"id": str(cluster), "submitter": user, "count": count, "ad": asks}


class Play:
    """A pool whose jobs run for some seconds each, by cluster."""

    def __init__(
        self,
        slots: list[dict[str, Any]],
        queue: list[dict[str, Any]],
        settings: ClaimSettings | None = None,
        lasting: dict[int, int] | None = None,
        **knobs: str,
    ) -> None:
        scenario = {"slots": slots, "jobs": queue, "config": {**QUIET, **knobs}}
        case = {"scenario": scenario, "observed": {"cycles": [{}]}}
        snapshot = first_snapshot(case)
        self.course = Course.of(snapshot, policy_of(scenario), NOW, settings or ClaimSettings())
        for job in self.course.jobs:
            job.length = (lasting or {}).get(int(job.id.partition(".")[0]))
        self.held = 0

    def told(self) -> list[tuple[str, str, str]]:
        """Who has started since: job, how, slot."""
        found = [(it.job, it.how.value, it.slot) for it in self.course.starts]
        self.course.starts.clear()
        return found

    def cycle(self) -> list[tuple[str, str, str]]:
        """Hold a cycle now."""
        self.held += 1
        now = self.course.epoch + self.course.state.now
        self.turn = next_turn(self.course, self.held, float(now))
        return self.told()

    def until(self, moment: int) -> list[tuple[str, str, str]]:
        """Let the time pass."""
        self.course.advance(self.course.epoch + moment)
        return self.told()

    def running(self) -> set[str]:
        return {self.course.jobs[claim.job].id for claim in self.course.state.claims.values()}

    def sizes(self) -> dict[str, tuple[object, object]]:
        slots = self.course.pool.slots.values()
        return {slot.name: (slot.ad["Cpus"], slot.ad["Memory"]) for slot in slots}


# --- matches and leftovers ------------------------------------------------------------------------


def test_the_second_match_of_a_request_goes_to_the_next_job_of_the_submitter() -> None:
    play = Play([{"name": "slot1@m{i}", "count": 2}], [jobs(1, 3)])
    assert [(job, how) for job, how, _ in play.cycle()] == [("1.0", "match"), ("1.1", "rematch")]


def test_a_dynamic_slot_has_the_request_rounded_up() -> None:
    rounding = {"memory": ExprTree("quantize(RequestMemory, {128})")}
    play = Play([whole(4)], [jobs(1)], ClaimSettings(rounding=rounding))
    assert play.cycle() == [("1.0", "match", "slot1_1@m")]
    assert play.sizes() == {"slot1@m": (3, 8064), "slot1_1@m": (1, 128)}


def test_a_request_is_not_rounded_up_beyond_what_is_left() -> None:
    rounding = {"memory": ExprTree("quantize(RequestMemory, {128})")}
    play = Play([whole(4, memory=120)], [jobs(1)], ClaimSettings(rounding=rounding))
    play.cycle()
    assert play.sizes() == {"slot1@m": (3, 20), "slot1_1@m": (1, 100)}


def test_leftovers_go_to_all_jobs_of_the_submitter_in_the_order_of_its_list() -> None:
    queue = [jobs(1, 1), jobs(2, 2, JobPrio="5"), jobs(3, 3, RequestMemory="50")]
    play = Play([whole(5)], queue)
    started = play.cycle()
    assert [job for job, _, _ in started] == ["2.0", "2.1", "1.0", "3.0", "3.1"]
    assert {how for _, how, _ in started[1:]} == {"leftover"}
    # The next cycle has the jobs that wait indeed.
    play.cycle()
    (queue_now,) = play.turn.snapshot.queues
    assert sorted(job["JobStatus"] for job in queue_now.jobs) == [1, 2, 2, 2, 2, 2]
    (submitter,) = play.turn.snapshot.submitters
    assert (submitter["IdleJobs"], submitter["RunningJobs"]) == (1, 5)


def test_other_submitters_get_nothing_of_what_a_match_leaves() -> None:
    queue = [jobs(1, 2), jobs(2, 3, "bob")]
    play = Play([whole(8)], queue)
    users = {job.partition(".")[0] for job, _, _ in play.cycle()}
    assert len(users) == 1
    assert len(play.running()) == {"1": 2, "2": 3}[users.pop()]


def test_what_is_too_large_for_the_rest_is_skipped_and_nothing_is_packed() -> None:
    play = Play([whole(8)], [jobs(1, 3, RequestCpus="3"), jobs(2, 5)])
    assert [job for job, _, _ in play.cycle()] == ["1.0", "1.1", "2.0", "2.1"]
    play = Play([whole(8)], [jobs(1, 3), jobs(2, 2, RequestCpus="4"), jobs(3, 3, RequestCpus="2")])
    assert [job for job, _, _ in play.cycle()] == ["1.0", "1.1", "1.2", "2.0"]


def test_the_share_of_a_submitter_bounds_no_leftovers() -> None:
    play = Play([whole(8)], [jobs(1, 9), jobs(2, 9, "bob")])
    assert len(play.cycle()) == 8
    assert len({job.partition(".")[0] for job in play.running()}) == 1


def test_machines_are_filled_side_by_side() -> None:
    play = Play([whole(3, "slot1@m"), whole(3, "slot1@n")], [jobs(1, 6)])
    started = play.cycle()
    first = started[0][2].partition("@")[2]
    order = [slot.partition("@")[2] == first for _, _, slot in started]
    assert order == [True, False, True, False, True, False]


@pytest.mark.parametrize(
    ("attributes", "started"),
    [
        ({"Requirements": 'TARGET.Name == "other"'}, ["1.0", "3.0"]),
        ({"ConcurrencyLimits": '"x"'}, ["1.0", "3.0"]),
        ({"ConcurrencyLimits": '""'}, ["1.0", "2.0", "3.0"]),
        ({"ConcurrencyLimits": "TARGET.NoSuchThing"}, ["1.0", "2.0", "3.0"]),
        ({"Wish": "-5"}, ["1.0", "3.0"]),
        ({"Wish": "5"}, ["1.0", "2.0", "3.0"]),
        ({"Rank": "-5"}, ["1.0", "2.0", "3.0"]),
        ({"JobStatus": "5"}, ["1.0", "3.0"]),
    ],
)
def test_which_jobs_get_leftovers(attributes: dict[str, str], started: list[str]) -> None:
    slot = whole(8, Rank="TARGET.Wish ?: 0")
    play = Play([slot], [jobs(1, JobPrio="9"), jobs(2, **attributes), jobs(3, RequestMemory="50")])
    assert [job for job, _, _ in play.cycle()] == started


def test_a_match_with_limits_leaves_as_much_to_jobs_without() -> None:
    play = Play([whole(8)], [jobs(1, 2, ConcurrencyLimits='"x"'), jobs(2, 2)])
    assert [job for job, _, _ in play.cycle()] == ["1.0", "2.0", "2.1"]
    # One start for each partitionable slot and cycle.
    assert [job for job, _, _ in play.cycle()] == ["1.1"]


def test_limits_may_be_left_out_of_account() -> None:
    settings = ClaimSettings(considers_limits=False)
    play = Play([whole(8)], [jobs(1, 5, ConcurrencyLimits='"x"')], settings, X_LIMIT="2")
    assert len(play.cycle()) == 5


def test_leftovers_may_be_turned_off_and_static_slots_have_none() -> None:
    play = Play([whole(8)], [jobs(1, 5)], ClaimSettings(leftovers=False))
    assert [len(play.cycle()), len(play.cycle())] == [1, 1]
    play = Play([{"name": "slot1@m", "ad": {"Cpus": "8"}}], [jobs(1, 5)])
    assert len(play.cycle()) == 1


def test_leftovers_may_be_off_on_one_machine() -> None:
    play = Play([whole(4, "slot1@m"), whole(4, "slot1@n")], [jobs(1, 8)])
    play.course.of_machines = {"n": ClaimSettings(leftovers=False)}
    machines = [slot.partition("@")[2] for _, _, slot in play.cycle()]
    assert (machines.count("m"), machines.count("n")) == (4, 1)


def test_a_consumption_policy_lets_the_negotiator_split() -> None:
    policy = {
        "ConsumptionCpus": "quantize(TARGET.RequestCpus, {1})",
        "ConsumptionMemory": "quantize(TARGET.RequestMemory, {128})",
    }
    slot = {**whole(4, **policy), "claims": 4}
    play = Play([slot], [jobs(1, 3)])
    started = play.cycle()
    assert [(job, how) for job, how, _ in started] == [
        ("1.0", "match"), ("1.1", "rematch"), ("1.2", "rematch"),
    ]  # fmt: skip
    assert play.sizes()["slot1@m"] == (1, 8192 - 3 * 128)


def test_a_schedd_starts_one_more_than_max_jobs_running_and_vacates_the_first() -> None:
    """It asks before the job that it has just started counts, and sees its fault 5 s later."""
    play = Play([whole(8)], [jobs(1, 5)], MAX_JOBS_RUNNING="3")
    assert [job for job, _, _ in play.cycle()] == ["1.0", "1.1", "1.2", "1.3"]
    assert play.until(4) == []
    assert play.running() == {"1.0", "1.1", "1.2", "1.3"}
    play.until(5)
    assert play.running() == {"1.1", "1.2", "1.3"}
    assert play.cycle() == []


def test_a_leftover_that_start_vanilla_universe_refuses_is_left_alone() -> None:
    kind = {"JobUniverse": "5", "Kind": '"b"'}
    queue = [jobs(1, JobUniverse="5"), jobs(2, 2, **kind), jobs(3, JobUniverse="5")]
    rule = 'JOB.Kind =!= "b"'
    play = Play([whole(8)], queue, START_VANILLA_UNIVERSE=rule)
    assert [(job, how) for job, how, _ in play.cycle()] == [("1.0", "match"), ("3.0", "reuse")]
    play = Play([whole(8)], queue[:2], START_VANILLA_UNIVERSE=rule)
    assert [job for job, _, _ in play.cycle()] == ["1.0"]
    assert play.sizes().keys() == {"slot1@m", "slot1_1@m"}


def test_a_dynamic_slot_takes_the_smallest_number_that_is_free() -> None:
    play = Play([whole(2)], [jobs(1), jobs(2), jobs(3)], lasting={1: 10}, settings=ClaimSettings(0))
    assert [slot for _, _, slot in play.cycle()] == ["slot1_1@m", "slot1_2@m"]
    play.until(10)
    assert play.cycle() == [("3.0", "match", "slot1_1@m")]


# --- claims that are used again -------------------------------------------------------------------


def test_a_claim_goes_on_with_the_next_job_of_its_submitter() -> None:
    queue = [jobs(1), jobs(2, 1, "bob", JobStatus="5"), jobs(3, RequestMemory="20")]
    play = Play([whole(1)], queue, lasting={1: 10, 3: 10})
    assert play.cycle() == [("1.0", "match", "slot1_1@m")]
    play.course.jobs[1].ad.insert("JobStatus", 1)
    assert play.until(10) == [("3.0", "reuse", "slot1_1@m")]
    # Nobody is left: the claim is given up, and nobody else gets the slot before a cycle.
    assert play.until(50) == []
    assert play.sizes() == {"slot1@m": (1, 8192)}


def test_a_dynamic_slot_keeps_its_size() -> None:
    queue = [jobs(1, RequestCpus="4", JobPrio="3"), jobs(2, JobPrio="2"), jobs(3, RequestCpus="4")]
    play = Play([whole(4)], queue, lasting={1: 10, 2: 10, 3: 10})
    play.cycle()
    assert play.until(10) == [("2.0", "reuse", "slot1_1@m")]
    assert play.sizes() == {"slot1@m": (0, 8092), "slot1_1@m": (4, 100)}
    assert play.until(20) == [("3.0", "reuse", "slot1_1@m")]


def test_a_job_that_wants_more_than_the_dynamic_slot_waits_for_a_cycle() -> None:
    queue = [jobs(1, JobPrio="5"), jobs(2, RequestCpus="4")]
    play = Play([whole(4)], queue, lasting={1: 10})
    assert [job for job, _, _ in play.cycle()] == ["1.0"]
    assert play.until(30) == []
    assert play.cycle() == [("2.0", "match", "slot1_1@m")]


@pytest.mark.parametrize(
    ("first", "second", "goes_on"),
    [
        ('"x"', '"x"', True),
        ('"x"', '"X"', True),
        ('"x"', '"y"', False),
        ('"x:2"', '"x:1"', False),
        (None, '"x"', False),
        ('"x"', None, True),
    ],
)
def test_limits_of_a_claim_that_is_used_again(
    first: str | None, second: str | None, goes_on: bool
) -> None:
    one, other = ({"ConcurrencyLimits": it} if it else {} for it in (first, second))
    queue = [jobs(1, JobPrio="5", **one), jobs(2, **other)]
    play = Play([whole(1)], queue, lasting={1: 10, 2: 10})
    assert [job for job, _, _ in play.cycle()] == ["1.0"]
    assert bool(play.until(10)) is goes_on
    if goes_on:
        # The limit of the claim stays in use, whatever runs.
        assert play.course.pool.slots["slot1_1@m"].ad["ConcurrencyLimits"].lower() == "x"


@pytest.mark.parametrize(
    ("ranks", "started"), [((10, 0, 0), []), ((0, 10, 0), ["2.0", "3.0"]), ((5, 5, 4), ["2.0"])]
)
def test_the_rank_of_the_first_job_counts_for_all_that_use_the_claim(
    ranks: tuple[int, int, int], started: list[str]
) -> None:
    queue = [
        jobs(number, JobPrio=str(9 - number), Wish=str(rank))
        for number, rank in enumerate(ranks, 1)
    ]
    slot = {"name": "slot1@m", "ad": {"Cpus": "1", "Memory": "900", "Rank": "TARGET.Wish"}}
    play = Play([slot], queue, lasting={1: 10, 2: 10, 3: 10})
    assert [job for job, _, _ in play.cycle()] == ["1.0"]
    assert [job for job, _, _ in play.until(35)] == started


@pytest.mark.parametrize(("worklife", "more"), [(0, 0), (8, 0), (14, 1), (-1, 3)])
def test_a_claim_takes_no_job_once_it_is_older_than_its_work_life(worklife: int, more: int) -> None:
    play = Play([whole(1)], [jobs(1, 4)], ClaimSettings(worklife), {1: 9})
    assert len(play.cycle()) == 1
    assert len(play.until(60)) == more


@pytest.mark.parametrize(("comes", "started"), [(12, ["2.0"]), (15, ["2.0"]), (16, []), (30, [])])
def test_a_claim_that_is_kept_idle_takes_a_job_that_comes_in_time(
    comes: int, started: list[str]
) -> None:
    """The schedd looks every three seconds, for the last time once six have passed."""
    queue = [jobs(1, KeepClaimIdle="6"), jobs(2, JobStatus="5")]
    play = Play([whole(1)], queue, ClaimSettings(look_interval=3), {1: 10, 2: 10})
    play.cycle()
    play.until(comes)
    play.course.jobs[1].ad.insert("JobStatus", 1)
    play.course.requeue(1)
    assert [job for job, _, _ in play.until(40)] == started
    assert play.sizes() == {"slot1@m": (1, 8192)}


def test_leftovers_are_claims_of_their_own() -> None:
    play = Play([whole(3)], [jobs(1, 5)], ClaimSettings(0), {1: 9})
    assert len(play.cycle()) == 3
    assert play.until(60) == []


@pytest.mark.parametrize(
    ("start", "started"),
    [
        ("MY.Cpus > 4", 0),
        ("MY.Cpus > 4 || MY.DynamicSlot =?= true", 4),
        ("TARGET.RequestCpus < MY.Cpus", 0),
        ("TARGET.RequestCpus <= MY.Cpus", 7),
    ],
)
def test_a_startd_asks_start_of_the_dynamic_slot_too(start: str, started: int) -> None:
    """As real daemons did with a machine of 8 cores and seven jobs of one."""
    play = Play([whole(8, Requirements=start)], [jobs(1, 7)])
    assert len(play.cycle()) == started
    assert [match.job for match in play.turn.result.matches] == ["1.0"]
    assert play.sizes()["slot1@m"][0] == 8 - started


CARDS = {"a": 7.0, "b": 8.0, "c": 9.0, "d": 8.6, "e": 7.5}
GPUS = {
    "MachineResources": '"Cpus Memory GPUs"', "GPUs": "5", "TotalSlotGPUs": "5",
    "AvailableGPUs": "{ G_a, G_b, G_c, G_d, G_e }",
    **{f"G_{name}": f"[ Capability = {value} ]" for name, value in CARDS.items()},
}  # fmt: skip
WANTS = "countMatches(MY.RequireGPUs, TARGET.AvailableGPUs) >= RequestGPUs"


def cards(play: Play) -> dict[str, str]:
    """Which GPUs each slot has."""
    lists = ((slot.name, slot.ad.raw("AvailableGPUs")) for slot in play.course.pool.slots.values())
    return {name: "".join(str(it)[-1] for it in found.items) for name, found in lists}


def test_jobs_get_the_first_gpus_that_suit_them_and_no_more_start_than_there_are() -> None:
    """As real daemons did with five such GPUs: three of six jobs start."""
    picky = {"RequestGPUs": "1", "RequireGPUs": "Capability >= 8.0", "Requirements": WANTS}
    play = Play([whole(16, **GPUS)], [jobs(1, 6, **picky), jobs(2, RequestGPUs="0")])
    assert [job for job, _, _ in play.cycle()] == ["1.0", "1.1", "1.2", "2.0"]
    found = cards(play)
    assert found.pop("slot1@m") == "ae"
    assert sorted(found.values()) == ["", "b", "c", "d"]


def test_gpus_of_a_claim_that_is_given_up_are_there_again() -> None:
    two = {"RequestGPUs": "2", "RequireGPUs": "Capability >= 7.5", "Requirements": WANTS}
    play = Play([whole(16, **GPUS)], [jobs(1, 1, **two), jobs(2, RequestGPUs="1")], None, {1: 5})
    play.cycle()
    assert cards(play) == {"slot1@m": "de", "slot1_1@m": "bc", "slot1_2@m": "a"}
    play.until(9)
    assert cards(play) == {"slot1@m": "bcde", "slot1_2@m": "a"}


# --- jobs that end before their time --------------------------------------------------------------

LONG = "time() - EnteredCurrentStatus > 5"
AFTER_5 = "JobStatus == 2 && " + LONG


@pytest.mark.parametrize(
    ("own", "status", "next_one"),
    [
        ({"PeriodicHold": AFTER_5}, 5, False),
        ({"AllowedJobDuration": "6"}, 5, False),
        ({"AllowedExecuteDuration": "6"}, 5, False),
        ({"PeriodicVacate": AFTER_5}, 1, False),
        ({"PeriodicRemove": AFTER_5}, None, True),
        ({"OnExitHold": "true"}, 5, False),
        ({"OnExitRemove": "NumJobStarts >= 2"}, 1, False),
    ],
)
def test_only_the_claim_of_a_job_that_is_removed_passes_on(
    own: dict[str, str], status: int | None, next_one: bool
) -> None:
    """A job of 10 s that ends itself, and one that waits; nobody holds another cycle."""
    queue = [jobs(1, NumJobStarts="0", JobStatus="1", **own), jobs(2)]
    play = Play([whole(1)], queue, ClaimSettings(periodic=2), {1: 10, 2: 100})
    play.cycle()
    assert [job for job, _, _ in play.until(12)] == (["2.0"] if next_one else [])
    first = play.course.jobs[0]
    assert (None if first.gone else first.ad.get_number("JobStatus")) == status
    assert play.running() == ({"2.0"} if next_one else set())


@pytest.mark.parametrize(
    ("own", "begins", "becomes"),
    [
        ({"PeriodicHold": LONG}, 1, 5),
        ({"PeriodicRemove": LONG}, 1, None),
        ({"PeriodicRelease": LONG}, 5, 1),
        ({"PeriodicRemove": LONG}, 5, None),
        ({"PeriodicRelease": LONG}, 1, 1),
        ({"PeriodicVacate": "true"}, 1, 1),
        ({"PeriodicHold": "Nothing"}, 1, 1),
    ],
)
def test_a_schedd_looks_at_jobs_that_do_not_run(
    own: dict[str, str], begins: int, becomes: int | None
) -> None:
    entered = {"EnteredCurrentStatus": str(NOW)}
    queue = [jobs(1, 2), jobs(2, JobStatus=str(begins), **entered, **own)]
    play = Play([whole(1, Requirements="TARGET.ClusterId == 1")], queue, ClaimSettings(periodic=2))
    play.cycle()
    play.until(5)
    assert play.course.jobs[2].ad.get_number("JobStatus") == begins
    play.until(7)
    job = play.course.jobs[2]
    assert (None if job.gone else job.ad.get_number("JobStatus")) == becomes
    idle = [job.ad.get_number("JobStatus") for job in play.course.jobs if not job.gone].count(1)
    counted = play.course.snapshot().submitters[0].get_number("IdleJobs")
    assert counted is None or counted == idle


def test_the_configuration_of_a_schedd_holds_jobs_too() -> None:
    system = {"hold": (("SYSTEM_PERIODIC_HOLD_Long", ExprTree(AFTER_5).node),)}
    settings = ClaimSettings(periodic=2, system=system)
    play = Play([whole(1)], [jobs(1, JobStatus="1"), jobs(2, JobStatus="1")], settings)
    play.cycle()
    play.until(7)
    assert [job.ad.get_number("JobStatus") for job in play.course.jobs] == [5, 1]


def test_preempt_of_a_startd_takes_the_claim_when_the_retirement_is_over() -> None:
    preempt = ExprTree("TotalJobRunTime > 8").node
    settings = ClaimSettings(preempt=preempt, polling=1, retirement=20)
    play = Play([whole(1)], [jobs(1, 2, JobStatus="1")], settings)
    play.cycle()
    play.until(19)
    assert play.running() == {"1.0"}
    assert play.until(21) == []
    assert play.running() == set()
    assert play.sizes() == {"slot1@m": (1, 8192)}
    assert [job for job, _, _ in play.cycle()] == ["1.0"]


def test_a_claim_that_a_startd_wants_to_end_takes_no_other_job() -> None:
    preempt = ExprTree("TotalJobRunTime > 8").node
    settings = ClaimSettings(preempt=preempt, polling=1, retirement=20)
    play = Play([whole(1)], [jobs(1, 2)], settings, {1: 15})
    play.cycle()
    assert play.until(30) == []


# --- preemption -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "own", "begun", "now", "evicted"),
    [
        (ClaimSettings(retirement=25), None, 0, 6, 25),
        (ClaimSettings(retirement=25, longest_vacate=600), None, 0, 6, 6),
        (ClaimSettings(retirement=25, longest_vacate=3), None, 0, 6, 22),
        (ClaimSettings(retirement=100), 9, 0, 6, 9),
        (ClaimSettings(retirement=9), 100, 0, 6, 9),
        (ClaimSettings(), None, 0, 6, 6),
    ],
)
def test_when_a_job_has_to_go(
    settings: ClaimSettings, own: float | None, begun: int, now: int, evicted: int
) -> None:
    assert settings.evicted_at(begun, now, own) == evicted


def test_a_preempted_job_waits_again_in_its_place_and_nobody_gets_leftovers() -> None:
    slot = {"name": "slot1@m", "ad": {"Cpus": "1", "Memory": "900", "Rank": "TARGET.Wish ?: 0"}}
    play = Play([slot], [jobs(1, 2)])
    play.cycle()
    assert play.running() == {"1.0"}
    play.course.add(ClassAd(_later_job()), play.course.jobs[0].schedd)
    play.cycle()
    assert play.running() == {"7.0"}
    (queue,) = play.course.queues()
    assert {f"{ad['ClusterId']}.{ad['ProcId']}": ad["JobStatus"] for ad in queue.jobs} == {
        "1.0": 1, "1.1": 1, "7.0": 2,
    }  # fmt: skip


def _later_job() -> str:
    return (
        '[ClusterId = 7; ProcId = 0; JobStatus = 1; JobUniverse = 5; User = "ann@test";'
        ' Owner = "ann"; Wish = 5; RequestCpus = 1; RequestMemory = 100; Requirements = true]'
    )


# --- single decisions -----------------------------------------------------------------------------


def test_the_first_test_that_refuses_a_job_is_named() -> None:
    play = Play([whole(2, Rank="TARGET.Wish ?: 0")], [jobs(1), jobs(2, RequestCpus="3")])
    course, slot = play.course, play.course.pool.slots["slot1@m"]
    granted = course.left(slot)
    assert (granted, course.why_not(0, slot, granted)) == (Granted("", 0.0), None)
    assert course.why_not(1, slot, granted) is Unsuited.SLOT
    assert course.why_not(0, slot, evolve(granted, rank=1.0)) is Unsuited.RANK
    assert course.why_not(0, slot, evolve(granted, limits="x")) is Unsuited.LIMITS
    assert course.why_not(0, slot, evolve(granted, limits=None)) is None
    refused = evolve(granted, allows=lambda job, slot: False)
    assert course.why_not(0, slot, refused) is Unsuited.SCHEDD
    course.jobs[0].ad.insert("Requirements", False)
    assert course.why_not(0, slot, granted) is Unsuited.JOB
    kinds = [found.of_autocluster for found in Unsuited]
    assert kinds == [True, True, True, False, False]


def test_a_snapshot_that_was_handed_out_stays_as_it_is() -> None:
    play = Play([whole(4)], [jobs(1, 3)], lasting={1: 10})
    play.cycle()
    play.until(5)
    play.cycle()
    shown = play.turn.snapshot
    before = [str(ad) for ad in (*shown.slots, *shown.queues[0].jobs)]
    play.until(30)
    play.cycle()
    assert [str(ad) for ad in (*shown.slots, *shown.queues[0].jobs)] == before
    assert list(play.turn.snapshot.queues[0].jobs) == []
