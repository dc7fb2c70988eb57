"""``pieslice why`` where two causes hold at once: which of them is told."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from attr import evolve

from classad import ClassAd
from negotiator.jobs.offers import Unasked
from negotiator.jobs.readiness import Unready
from negotiator.model.arithmetic import INT_MAX
from negotiator.model.result import GroupEvent, Pie, Spin, SubmitterTurn, TurnEvent, TurnOutcome
from negotiator.model.snapshot import Snapshot
from pieslice.cli import main
from pieslice.why.asked import AskedJob
from pieslice.why.fates import Fate, JobFate, fates, why_no_session, why_not_ready
from pieslice.why.limits import _bound_by
from pieslice.why.moments import When, moment_of
from pieslice.why.sessions import (
    Attempt,
    CycleRecord,
    End,
    Got,
    JobInQueue,
    RequestCourse,
    SessionCourse,
)
from policy.load import policy_from_knobs
from tests.cases import every_case
from tests.pieslice.test_why_sentences import Entry, jobs, pool, preempting, slots, told

CEILING, TAKEN = "its ceiling", "submitters before took that much more than was left of the pie"
LEFT, QUOTA = "what is left of the pie", "what is left of the group quota"
GROUP_SLICE, SLICE = "its pie slice of the group limit", "its pie slice of the pool"


@every_case(
    "limit, unclaimed, ceiling, usage, pie, bound_by",
    [
        # Half of a pie of 10, of a pool of 10 or 20.
        (5.0, 5.0, INT_MAX, 0.0, 10.0, SLICE),
        (2.0, 2.0, INT_MAX, 3.0, 10.0, SLICE),
        (2.5, 2.5, INT_MAX, 0.0, 5.0, GROUP_SLICE),
        # Less of it, by as little as can be told from rounding.
        (4.9999, 4.9999, INT_MAX, 0.0, 10.0, LEFT),
        (5.0 - 1e-12, 5.0, INT_MAX, 0.0, 10.0, SLICE),
        (5.0, 4.9999, INT_MAX, 0.0, 10.0, QUOTA),
        (5.0, 5.0 - 1e-12, INT_MAX, 0.0, 10.0, SLICE),
        # The ceiling comes first wherever it is the least.
        (5.0, 5.0, 5, 0.0, 10.0, SLICE),
        (5.0, 5.0, 4, 0.0, 10.0, CEILING),
        (4.5, 3.0, 4, 0.0, 10.0, CEILING),
        (3.0, 3.0, 4, 0.0, 10.0, LEFT),
        (5.0, 2.0, 3, 0.0, 10.0, CEILING),
        # What is bounded by its slice is so even where more would be permitted.
        (7.0, 7.0, 6, 0.0, 10.0, SLICE),
        # A pie that is less than empty, and one that is just empty.
        (-1.0, -1.0, INT_MAX, 0.0, 10.0, TAKEN),
        (-0.001, -0.001, INT_MAX, 0.0, 10.0, LEFT),
        (0.0, 0.0, INT_MAX, 0.0, 10.0, LEFT),
        (0.0, 0.0, INT_MAX, 6.0, 10.0, SLICE),
        (-1.0, -1.0, 0, 0.0, 10.0, TAKEN),
        # What is left of the pie before what is left of the quota.
        (4.0, 3.0, INT_MAX, 0.0, 10.0, LEFT),
        (2.5, 2.0, INT_MAX, 0.0, 5.0, QUOTA),
    ],
)
def test_what_binds_a_limit(
    limit: float, unclaimed: float, ceiling: int, usage: float, pie: float, bound_by: str
) -> None:
    halted = SimpleNamespace(board=SimpleNamespace(numbers=SimpleNamespace(pie=10.0)))
    turn = SubmitterTurn(
        "u", "s", 1.0, 0.5, limit, unclaimed, ceiling, usage, 0.0, 0.0, (), TurnOutcome.DONE
    )
    assert _bound_by(cast("Any", halted), turn, pie) == bound_by


# --- why a job is not offered, and why its submitter has no session -------------------------------


@pytest.mark.parametrize(
    ("ad", "matched", "submitter", "said"),
    [
        ("", False, "u@d", "START_VANILLA_UNIVERSE is not true"),
        ("", True, "u@d", Unready.MATCHED.value),
        ("", True, None, "no User in its ad"),
        ("JobCooldownExpiration = 1060", True, "u@d", Unready.MATCHED.value),
        ("JobCooldownExpiration = 1060; MaxHosts = 0", False, "u@d",
         "in cool-down for 60 s (JobCooldownExpiration)"),
        ("JobUniverse = 7", False, "u@d", Unready.OWN_MACHINE.value),
        ("JobUniverse = 8", False, "u@d",
         "jobs of the mpi universe run without a slot of the pool"),
        ("JobUniverse = 7; JobCooldownExpiration = 1060", False, "u@d",
         "in cool-down for 60 s (JobCooldownExpiration)"),
        ("JobUniverse = 12; MaxHosts = 0", False, "u@d", "CurrentHosts is 1 and MaxHosts 0"),
        ("JobUniverse = 9; IsNoopJob = true", False, "u@d", Unready.GRID.value),
        ('Managed = "External"', False, "u@d", "managed by the job router (HTCondor-CE)"),
        ('Managed = "External"; ManagedManager = "annex"', False, "u@d", "managed by annex"),
        ("JobUniverse = 11; MaxHosts = 3", False, "u@d",
         "needs 3 dedicated slots, 2 name DedicatedScheduler@s"),
        ('JobUniverse = 11; MaxHosts = 1; Scheduler = "DedicatedScheduler@S"', False, "u@d",
         "needs 1 dedicated slot, 2 name DedicatedScheduler@S, which asks for them in the owner's"
         " place (not predicted)"),
        ("IsNoopJob = true; CurrentHosts = 1", False, "u@d", Unready.NOOP.value),
        ("CurrentHosts = 2", False, "u@d", "CurrentHosts is 2 and MaxHosts 1"),
        ("MaxHosts = 0", False, "u@d", "CurrentHosts is 1 and MaxHosts 0"),
        ("CurrentHosts = 3; MaxHosts = 3", False, "u@d", "CurrentHosts is 3 and MaxHosts 3"),
    ],
)  # fmt: skip
def test_why_a_job_is_not_offered(ad: str, matched: bool, submitter: str | None, said: str) -> None:
    job = AskedJob(1, 0, ClassAd(f"[JobStatus = 1; {ad}]"), "s", submitter, 1, matched)
    names = ("DedicatedScheduler@s", "DedicatedScheduler@S", "DedicatedScheduler@other")
    slots = [ClassAd({"DedicatedScheduler": name}) for name in names]
    assert why_not_ready(job, 1000.0, [*slots, ClassAd()]) == said


def test_a_partitionable_slot_counts_for_as_many_hosts_as_fit_on_it_whole() -> None:
    """Real daemons start three hosts of 2 cores on one slot of 8; what others have of it counts."""
    about = {"DedicatedScheduler": "DedicatedScheduler@s", "State": "Unclaimed", "Memory": 800}
    whole = {"Name": "slot1@m", "PartitionableSlot": True, "Cpus": 2, "TotalSlotCpus": 8, **about}
    part = {"Name": "slot1_1@m", "DynamicSlot": True, "Cpus": 6, **about}
    slots = [ClassAd({**ad, "Requirements": True}) for ad in (whole, part)]
    wants = {"JobStatus": 1, "JobUniverse": 11, "RequestCpus": 2, "Requirements": True}
    for hosts, more in ((4, ", which asks for them"), (5, "")):
        job = AskedJob(1, 0, ClassAd({**wants, "MaxHosts": hosts}), "s", "u@d", 1, False)
        said = why_not_ready(job, 1000.0, slots)
        wanted = f"needs {hosts} dedicated slots, 1 names DedicatedScheduler@s, with room for 4"
        assert said.startswith(wanted + more)
        assert ("which asks" in said) is bool(more)


@pytest.mark.parametrize(("start", "refused"), [("Cpus > 4", True), ("Cpus > 0", False)])
def test_a_matched_job_that_its_startd_refuses_is_told(
    start: str, refused: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    about = 'MyType = "Machine"\nName = "slot1@m"\nState = "Unclaimed"\nMemory = 999\nDisk = 9\n'
    whole = f"{about}PartitionableSlot = true\nCpus = 8\nMyCurrentTime = 1795000000\n"
    (tmp_path / "slots.ads").write_text(f"{whole}Start = {start}\nRequirements = Start\n")
    job = 'MyType = "Job"\nClusterId = 1\nProcId = 0\nUser = "a@d"\nJobStatus = 1\n'
    (tmp_path / "jobs.ads").write_text(
        f"{job}JobUniverse = 5\nRequestCpus = 1\nRequirements = true\n"
    )
    assert main(["why", str(tmp_path), "1.0"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("job 1.0 of a@d: matched, slot1@m (free)")
    assert ("but its startd refuses it" in said) is refused
    assert ("is matched and never starts" in said) is refused


ONLY_S2 = {"NEGOTIATOR_SUBMITTER_CONSTRAINT": 'ScheddName == "s2"'}
PREFIXED = {
    "NEGOTIATOR_CLASSAD_USER_MAP_NAMES": "GROUP_PREFIX",
    "CLASSAD_USER_MAPDATA_GROUP_PREFIX": "* /(.*)/ x",
}


@pytest.mark.parametrize(
    ("entry", "job", "said"),
    [
        (
            pool(slots(), {**jobs(), "schedd": "s1"}, config=ONLY_S2),
            "1.0", "NEGOTIATOR_SUBMITTER_CONSTRAINT is not true for its ad",
        ),
        # It is known by the name that it negotiates under.
        (
            pool(slots(), jobs(), config=PREFIXED | ONLY_S2),
            "1.0", "NEGOTIATOR_SUBMITTER_CONSTRAINT is not true for its ad",
        ),
    ],
    ids=["constraint", "prefix"],
)  # fmt: skip
def test_why_a_submitter_has_no_session(
    entry: Entry, job: str, said: str, tmp_path: Path, capsys: Any
) -> None:
    assert told(tmp_path, entry, "why", job, "--wide") == 0
    assert said in capsys.readouterr().out


U = 'ScheddIpAddr = "<1.2.3.4:5>"; Name = "u@d"'
SUBMITTER = ClassAd(f'[{U}; ScheddName = "s"; IdleJobs = 1; RunningJobs = 2]')
NOTHING_LEFT = ("pie", "nothing was left of the pie before its turn")
USED_2 = ("quota", "group g had used its quota of 2 before its turn")


def pie(group: str | None, quota: int | None, *events: TurnEvent, stopped: bool = True) -> Pie:
    """A round; with events one in which the submitter had its turn."""
    turn = SubmitterTurn("u@d", "s", 1.0, 0.5, 1.0, 1.0, 9, 0.0, 0.0, 0.0, events, TurnOutcome.DONE)
    spins = (Spin(1, False, 9, 9.0, 9.0, 1.0, 1.0, (turn,)),) if events else ()
    return Pie(group, quota, False, spins, stopped_by_quota=stopped, stopped_by_pie=not stopped)


def skipped(round_: int, group: str, why: str | None) -> Any:
    """A round of allocation in which a group was skipped."""
    return SimpleNamespace(events=(GroupEvent(round_, group, 0.0, 1.0, skipped=why),))


@pytest.mark.parametrize(
    ("pies", "rounds", "cause"),
    [
        ([], [], NOTHING_LEFT),
        ([pie("g", 2)], [], USED_2),
        # Its own group counts, and of its rounds the first that ended so.
        ([pie("h", 7)], [], NOTHING_LEFT),
        ([pie("h", 7), pie("g", 2), pie("h", 8)], [], USED_2),
        ([pie(None, None), pie("g", 2)], [], USED_2),
        ([pie("g", 7, stopped=False)], [], NOTHING_LEFT),
        ([pie("g", 7, stopped=False), pie("g", 2)], [], USED_2),
        ([pie("g", 2), pie("g", 7)], [], USED_2),
        # What happened in a turn says more, the last that did most; then why its group had none.
        ([pie("g", 2, TurnEvent.LIMIT), pie("g", 7, TurnEvent.HIT_CEILING)], [skipped(1, "g", "x")],
         ("turn", TurnEvent.HIT_CEILING.value)),
        ([pie("g", 2, TurnEvent.HIT_CEILING, TurnEvent.LIMIT)], [],
         ("turn", TurnEvent.LIMIT.value)),
        ([pie("g", 2)], [skipped(1, "g", "no submitters")],
         ("group", "its group g was skipped (round 1: no submitters)")),
        ([pie("g", 2)],
         [skipped(0, "h", "z"), skipped(1, "g", "x"), skipped(1, "g", "x"), skipped(2, "g", "y")],
         ("group", "its group g was skipped (round 1: x; round 2: y)")),
        ([pie("g", 2)], [skipped(1, "h", "no submitters"), skipped(2, "g", None)], USED_2),
    ],
)  # fmt: skip
def test_why_a_submitter_that_takes_part_has_no_session(
    pies: list[Pie], rounds: list[Any], cause: tuple[str, str]
) -> None:
    known = [SimpleNamespace(name="v@d", group="h"), SimpleNamespace(name="u@d", group="g")]
    result = SimpleNamespace(submitters=known, pies=pies, rounds=rounds, now=1000.0)
    snapshot = Snapshot(submitters=(SUBMITTER,))
    policy = policy_from_knobs({}).policy
    found = why_no_session(snapshot, policy, cast("Any", result), "u@d", "s")
    assert (found.cause, found.text) == cause
    other = why_no_session(snapshot, policy, cast("Any", result), "u@d", "t")
    assert (other.cause, other.text) == ("schedd", "no submitter ad of schedd t has its name")


@pytest.mark.parametrize(
    ("idle", "preemption", "cause"),
    [
        ((0,), "False", "idle"),
        ((1,), "False", "pie"),
        ((0,), "True", "pie"),
        ((0, 0), "False", "idle"),
        ((0, 1), "False", "pie"),
        ((1, 0), "False", "pie"),
        ((0, 0), "True", "pie"),
    ],
)
def test_a_submitter_without_idle_jobs(idle: tuple[int, ...], preemption: str, cause: str) -> None:
    known = [SimpleNamespace(name="u@d", group="<none>")]
    result = SimpleNamespace(submitters=known, pies=[], rounds=[], now=1000.0)
    ads = (ClassAd(f'[{U}; ScheddName = "s"; RunningJobs = 3; IdleJobs = {jobs}]') for jobs in idle)
    policy = policy_from_knobs({"NEGOTIATOR_CONSIDER_PREEMPTION": preemption}).policy
    snapshot = Snapshot(submitters=tuple(ads))
    assert why_no_session(snapshot, policy, cast("Any", result), "u@d", "s").cause == cause


@pytest.mark.parametrize(
    ("ads", "knobs", "cause"),
    [
        ((), {}, "ad"),
        (('[Name = "v@d"; IdleJobs = 1]',), {}, "ad"),
        ((f'[{U}; IdleJobs = 1; RunningJobs = 0]',),
         {"NEGOTIATOR_SUBMITTER_CONSTRAINT": "IdleJobs > 1"}, "constraint"),
        ((f'[{U}; IdleJobs = 1; JobPrioArray = ""]',), {"USE_GLOBAL_JOB_PRIOS": "True"}, "skipped"),
        ((f'[{U}; IdleJobs = 1; SkipMatchmaking = true]',), {}, "skipped"),
        ((f'[{U}; IdleJobs = 0]', f'[{U}; IdleJobs = 1; SkipMatchmaking = true]'), {}, "skipped"),
        ((f'[{U}; IdleJobs = 0; RunningJobs = 0]',), {}, "jobs"),
        ((f'[{U}]',), {}, "jobs"),
    ],
)  # fmt: skip
def test_why_a_submitter_takes_no_part(
    ads: tuple[str, ...], knobs: dict[str, str], cause: str
) -> None:
    result = SimpleNamespace(submitters=[], pies=[], rounds=[], now=1000.0)
    snapshot = Snapshot(submitters=tuple(map(ClassAd, ads)))
    policy = policy_from_knobs(knobs).policy
    assert why_no_session(snapshot, policy, cast("Any", result), "u@d", "s").cause == cause


# --- which request for a job counts ---------------------------------------------------------------


def session(
    *ends: End, rank_only: tuple[int, ...] = (), got: int | None = None, **unasked: Unasked
) -> SessionCourse:
    """A session whose requests are all for job 1.0; ``got``: by which of them it had a slot."""
    requests = [
        RequestCourse(
            ("1.9", "1.0"), 1, 0,
            (Got(cast("Any", None), "1.0"),) if number == got else (),
            end, None, (), number in rank_only,
        )
        for number, end in enumerate(ends)
    ]  # fmt: skip
    found = {"1.0": unasked["why"]} if unasked else {}
    return SessionCourse(
        0, 1, "u", "s", None, 5.0, 5.0, 0.0, tuple(requests), found, None, None, None
    )


R, K, C, S = End.REJECTED, End.KNOWN, End.CUT_OFF, End.SERVED


@every_case(
    "sessions, fate, at",
    [
        ([], Fate.NO_SESSION, None),
        ([session()], Fate.NOT_ASKED, None),
        ([session(R)], Fate.REJECTED, (0, 0)),
        ([session(K)], Fate.REJECTED, (0, 0)),
        ([session(C)], Fate.CUT_OFF, (0, 0)),
        ([session(S)], Fate.UNUSED, (0, 0)),
        # The last that was rejected, else the last.
        ([session(R), session(R)], Fate.REJECTED, (1, 0)),
        ([session(R, S), session(C)], Fate.REJECTED, (0, 0)),
        ([session(C), session(S, S)], Fate.UNUSED, (1, 1)),
        ([session(S), session(K, C)], Fate.CUT_OFF, (1, 1)),
        # One in which only startd rank counted says less than another one that was rejected.
        ([session(R), session(R, rank_only=(0,))], Fate.REJECTED, (0, 0)),
        ([session(R, rank_only=(0,)), session(R)], Fate.REJECTED, (1, 0)),
        ([session(R, R, rank_only=(0, 1))], Fate.REJECTED, (0, 1)),
        ([session(R, S, rank_only=(0,))], Fate.REJECTED, (0, 0)),
        # A slot says more than all, and what keeps its schedd from asking more than a request.
        ([session(S, got=0), session(R)], Fate.MATCHED, (0, 0)),
        ([session(R, S, R, got=1)], Fate.MATCHED, (0, 1)),
        ([session(R), session(why=Unasked.ROOM)], Fate.NOT_ASKED, (1, None)),
        ([session(R), session(why=Unasked.UPLOADS)], Fate.NOT_ASKED, (1, None)),
        ([session(R), session(why=Unasked.REJECTED)], Fate.REJECTED, (0, 0)),
        ([session(R), session(why=Unasked.ENDED)], Fate.REJECTED, (0, 0)),
        ([session(why=Unasked.ROOM), session(R)], Fate.REJECTED, (1, 0)),
        ([session(S, got=0), session(why=Unasked.ROOM)], Fate.MATCHED, (0, 0)),
        ([session(), session(why=Unasked.ENDED)], Fate.NOT_ASKED, (1, None)),
    ],
)
def test_what_became_of_a_job(
    sessions: list[SessionCourse], fate: Fate, at: tuple[int, int | None] | None
) -> None:
    record = CycleRecord(tuple(sessions), {("u", "s"): (JobInQueue("1.0", 1),)})
    (found,) = fates(record)
    assert found.fate is fate
    if at is not None:
        assert found.session is sessions[at[0]]
        asked = None if at[1] is None else sessions[at[0]].requests[at[1]]
        assert found.request is asked
        assert found.place == (None if asked is None else 2)


# --- what is said of jobs that run ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("slot", "job", "preempted"),
    [
        ({}, {"RemoteHost": '"slot1@m"'}, True),
        ({}, {"RemoteHost": '"slot9@m"'}, False),
        ({"JobId": '"2.0"'}, {}, True),
        ({"JobId": '"2.1"'}, {}, False),
        ({"JobId": '"2.0"'}, {"RemoteHost": '"slot9@m"'}, True),
        ({"GlobalJobId": '"s1@oracle.test#2.0#1700000000"'}, {}, True),
        ({"GlobalJobId": '"s1@oracle.test#2.1#1700000000"'}, {}, False),
        ({"GlobalJobId": '"s1@oracle.test#2.1#1700000000"', "JobId": '"2.0"'}, {}, False),
    ],
)
def test_jobs_that_are_preempted_are_counted(
    slot: dict[str, str], job: dict[str, str], preempted: bool, tmp_path: Path, capsys: Any
) -> None:
    """By what the slot says of its job, or by the slot that the job says it runs on."""
    entry = preempting("", **slot)
    entry["jobs"][1] = jobs("bob", JobStatus="2", **job)
    assert told(tmp_path, entry, "why", "--user", "bob", "--wide") == 0
    end = ", 1 of them preempted in this cycle" if preempted else ""
    assert f"  1 job running (first 2.0){end}\n" in capsys.readouterr().out


def test_where_nobody_preempts_no_job_is_counted(tmp_path: Path, capsys: Any) -> None:
    entry = preempting("false")
    assert told(tmp_path, entry, "why", "--user", "bob", "--wide") == 0
    assert "  1 job running (first 2.0)\n" in capsys.readouterr().out


@pytest.mark.parametrize("words", [("--user", "ann"), ("1",), ("1.0",)])
def test_a_job_is_looked_for_under_the_name_that_it_negotiates_by(
    words: tuple[str, ...], tmp_path: Path, capsys: Any
) -> None:
    entry = pool(slots(), jobs(count=2), config=PREFIXED)
    assert told(tmp_path, entry, "why", *words, "--wide") == 0
    text = capsys.readouterr().out
    assert "matched" in text
    assert "no job waits" not in text
    assert "not offered" not in text


# --- the moment that is looked at -----------------------------------------------------------------


def tried(*, refused: bool = True, rank_only: bool = False) -> Attempt:
    reason = "no match found" if refused else None
    return Attempt(0, 0, 1, "1.0", 5.0, 5.0, 0.0, rank_only, reason=reason)


OWN, OF_RANK, FINE = tried(), tried(rank_only=True), tried(refused=False)


@pytest.mark.parametrize(
    ("fate", "unasked", "attempts", "own", "moment"),
    [
        # The last rejection of the job itself, else of one of its autocluster.
        (Fate.REJECTED, None, {1: OWN, 3: OWN}, {1, 3}, (When.REFUSED, 3)),
        (Fate.REJECTED, None, {1: OWN, 3: OWN}, {1}, (When.REFUSED, 1)),
        (Fate.REJECTED, None, {1: OWN, 3: OWN}, set(), (When.EQUAL_REFUSED, 3)),
        (Fate.REJECTED, None, {1: OWN, 3: FINE}, {1, 3}, (When.REFUSED, 1)),
        # One in which only startd rank counted says less than another one.
        (Fate.REJECTED, None, {1: OWN, 3: OF_RANK}, {1, 3}, (When.REFUSED, 1)),
        (Fate.REJECTED, None, {1: OF_RANK, 3: OF_RANK}, {1, 3}, (When.REFUSED, 3)),
        (Fate.REJECTED, None, {1: OF_RANK, 2: OWN, 3: OF_RANK}, set(), (When.EQUAL_REFUSED, 2)),
        # Not asked for, since one like it had been rejected.
        (Fate.NOT_ASKED, Unasked.REJECTED, {1: OWN, 2: OWN}, {1}, (When.EQUAL_REFUSED, 2)),
        (Fate.NOT_ASKED, Unasked.ROOM, {1: OWN}, {1}, (When.PASSED_OVER, 7)),
        (Fate.CUT_OFF, None, {1: OWN}, {1}, (When.PASSED_OVER, 7)),
        (Fate.REJECTED, None, {}, set(), (When.PASSED_OVER, 7)),
        (None, None, {1: OWN}, {1}, (When.PASSED_OVER, 7)),
    ],
)
def test_the_moment_that_is_looked_at(
    fate: Fate | None, unasked: Unasked | None, attempts: dict[int, Attempt], own: set[int],
    moment: tuple[When, int],
) -> None:  # fmt: skip
    found = None if fate is None else JobFate("u@d", "s", "1.0", 1, fate, unasked=unasked)
    tries = [(evolve(made, number=n), n in own) for n, made in attempts.items()]
    assert moment_of("1.0", found, tries, 7) == moment
    last = (When.NOT_ASKED, 0) if moment[0] is When.PASSED_OVER else moment
    assert moment_of("1.0", found, tries, None) == last
    got = evolve(FINE, number=9, slot="slot1@m", placed="1.0")
    assert moment_of("1.0", found, [*tries, (got, False)], 7) == (When.MATCHED, 9)
