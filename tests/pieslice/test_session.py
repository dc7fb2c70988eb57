"""A session: a pool whose policy is edited, with the answers of a pool that knows of no edit."""

from __future__ import annotations

import gc
import json
import shutil
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

import pieslice
from negotiator.matching.board import Board
from pieslice.api import session as sessions
from pieslice.between.cycles import Turn, run_cycles
from pieslice.negotiate.answer import hold_cycle
from pieslice.why.comparing import compare

ROOT = Path(__file__).parents[2]
CAMPUS = ROOT / "examples" / "campus"
TOUR = ROOT / "examples" / "tour"
SCENARIO = ROOT / "examples" / "scenarios" / "two_users.json"
#: Texts that an administrator may try, each of another part of a cycle.
EDITS = (
    "# nothing but words",
    "ALL_DEBUG = D_FULLDEBUG",
    "PRIORITY_HALFLIFE = 7200",
    "NEGOTIATOR_CONSIDER_PREEMPTION = false",
    "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * 1.2",
    "PREEMPTION_REQUIREMENTS = false",
    "PREEMPTION_RANK = -MY.TotalJobRunTime",
    "NEGOTIATOR_PRE_JOB_RANK = Memory",
    "NEGOTIATOR_POST_JOB_RANK = -Cpus",
    "NEGOTIATOR_SLOT_CONSTRAINT = Cpus > 1",
    "NEGOTIATOR_JOB_CONSTRAINT = RequestCpus < 3",
    "NEGOTIATOR_DEPTH_FIRST = true",
    "USE_RESOURCE_REQUEST_COUNTS = false",
    "GROUP_NAMES = group_physics, group_chemistry\nGROUP_QUOTA_DYNAMIC_group_physics = 0.2\n"
    "GROUP_ACCEPT_SURPLUS = true",
    "SLOT_WEIGHT = 1",
    "START = TARGET.RequestMemory < 1500",
    "START = false",
    "DEFAULT_PRIO_FACTOR = 3\nNICE_USER_PRIO_FACTOR = 7",
    "CONCURRENCY_LIMIT_DEFAULT = 1",
    "SYSTEM_PERIODIC_HOLD = RequestCpus > 2",
    "JOB_TRANSFORM_NAMES = M\nJOB_TRANSFORM_M @=end\nSET RequestMemory 4000\n@end",
    "CLAIM_WORKLIFE = 5",
)


def said(trial: pieslice.Trial) -> tuple[str, ...]:
    """Everything that a trial says of its cycle."""
    assert trial.starts
    return (
        repr(trial.cycle.result),
        trial.cycle.to_json(),
        trial.changes.to_json(),
        str(trial.changes),
    )


def said_by(pool: pieslice.Pool, policy: str) -> tuple[str, ...]:
    """The same of pools that are read for it."""
    other = pool.with_config(policy)
    cycle, changes = other.negotiate(), pool.diff(other)
    return repr(cycle.result), cycle.to_json(), changes.to_json(), str(changes)


def cycles_run(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Gets an entry for each cycle that sessions run."""
    run: list[object] = []

    def noted(*args: object) -> object:
        run.append(args)
        return hold_cycle(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(sessions, "hold_cycle", noted)
    return run


def after(offers: int) -> Callable[[], bool]:
    """Is true from a number of questions on."""
    left = iter(range(offers))
    return lambda: next(left, None) is None


def many(name: str, count: int) -> Iterator[tuple[str, int]]:
    """Edits in some order, and after how many questions one before each is cancelled."""
    rng = Random(name)
    for _ in range(count):
        yield rng.choice(EDITS), rng.randrange(40)


@pytest.mark.parametrize(
    "folder",
    [TOUR, CAMPUS, SCENARIO],
    ids=lambda p: p.stem,
)
def test_edits_in_any_order_give_what_pools_that_know_of_none_give(folder: Path) -> None:
    session = pieslice.read(folder).session()
    for text, stop in many(folder.stem, 12):
        with suppress(pieslice.Cancelled):
            session.edit(Random(text).choice(EDITS), cancelled=after(stop))
        assert said(session.edit(text)) == said_by(pieslice.read(folder), text), text


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("folder", [TOUR, CAMPUS], ids=lambda p: p.stem)
def test_every_edit_gives_what_pools_that_know_of_none_give(folder: Path) -> None:
    session, pool = pieslice.read(folder).session(), pieslice.read(folder)
    for text, stop in many(f"{folder.stem} 2", 300):
        with suppress(pieslice.Cancelled):
            session.edit(Random(text).choice(EDITS), cancelled=after(stop))
        assert said(session.edit(text)) == said_by(pool, text), text


def vectors() -> list[Path]:
    return sorted((ROOT / "tests" / "vectors" / "negotiation").glob("*.json*"))


@pytest.mark.parametrize("path", vectors()[::12], ids=lambda path: path.stem)
def test_a_session_decides_a_recorded_cycle_as_a_pool_does(path: Path) -> None:
    try:
        pool = pieslice.read(path)
    except pieslice.Error:
        pytest.skip("no pool of one cycle")
    session = pool.session()
    texts = ("PREEMPTION_REQUIREMENTS = false", "NEGOTIATOR_DEPTH_FIRST = true")
    for text in texts:
        assert said(session.edit(text)) == said_by(pool, text)
    assert repr(session.base.cycle.result) == repr(pool.negotiate().result)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("path", vectors(), ids=lambda path: path.stem)
def test_a_session_decides_every_recorded_cycle_as_a_pool_does(path: Path) -> None:
    test_a_session_decides_a_recorded_cycle_as_a_pool_does(path)


def test_answers_of_a_session_are_those_of_the_pool() -> None:
    """Also when other cycles were run since."""
    policy = "PREEMPTION_REQUIREMENTS = false"
    pool = pieslice.read(CAMPUS)
    session = pool.session(seed=5)
    trial = session.edit(policy)
    session.edit("NEGOTIATOR_CONSIDER_PREEMPTION = false")
    for asked, fresh in ((session.base, pool), (trial, pool.with_config(policy))):
        for job in ("15.0", "8.0", "3.0"):
            assert asked.why(job).to_json() == fresh.why(job, seed=5).to_json()
            assert asked.why(job).text() == fresh.why(job, seed=5).text()
        assert (
            asked.why("15.0", "node11").to_json() == fresh.why("15.0", "node11", seed=5).to_json()
        )
        assert asked.rank("15.0", limit=3).text() == fresh.rank("15.0", limit=3, seed=5).text()
        assert asked.quotas(trace=True).text() == fresh.quotas(trace=True, seed=5).text()
        for scope in ({"user": "carol"}, {"group": "group_physics"}, {"cluster": 15}):
            assert asked.survey(**scope).to_json() == fresh.survey(**scope, seed=5).to_json()
        assert asked.cycle.to_json() == fresh.negotiate(seed=5).to_json()
        assert asked.cycle.autoclusters.rows == fresh.negotiate(seed=5).autoclusters.rows


# --- cycles that follow ---------------------------------------------------------------------------


def cycles_of(pool: pieslice.Pool, count: int) -> list[Turn]:
    """The cycles as ``pieslice negotiate --cycles`` holds them, a minute apart."""
    capture = pool.capture
    rng, now = Random(0), capture.facts.now
    return list(
        run_cycles(
            capture.snapshot, capture.policy, now=now, count=count, interval=60, rng=rng,
            of_machines=capture.of_machines,
        )
    )  # fmt: skip


@pytest.mark.parametrize("text", EDITS[2::4], ids=lambda it: it.split(" ")[0])
@pytest.mark.parametrize("folder", [TOUR, CAMPUS], ids=lambda p: p.stem)
def test_later_cycles_are_those_that_follow_with_that_policy(folder: Path, text: str) -> None:
    pool = pieslice.read(folder)
    trial = pool.session().edit(text)
    before, after = cycles_of(pool, 4), cycles_of(pool.with_config(text), 4)
    for number in (4, 1, 3, 2):
        later = trial.later(number, interval=60)
        one, other = before[number - 1].result, after[number - 1].result
        assert repr(later.cycle.result) == repr(other)
        assert later.changes.to_dict()["users"] == compare(one, other).to_dict()["users"]
        base = trial.session.base.later(number, interval=60)
        assert repr(base.cycle.result) == repr(one)
        assert base.changes.same


def test_questions_are_about_the_later_cycle() -> None:
    base = pieslice.read(CAMPUS).session().base
    match = base.cycle.result.matches[0]
    assert "matched" in base.why(match.job).summary()
    assert "running" in base.later(2).why(match.job).summary()
    waiting = [it.survey(user=match.submitter).summary() for it in (base, base.later(2))]
    assert waiting[0] != waiting[1]


def test_a_later_cycle_that_was_ended_is_as_right_the_next_time() -> None:
    pool = pieslice.read(CAMPUS)
    wanted = repr(pool.session().edit(EDITS[4]).later(4).cycle.result)
    trial = pool.session().edit(EDITS[4])
    for stop in (0, 1, 3, 10, 40, 90):
        with suppress(pieslice.Cancelled):
            trial.later(4, cancelled=after(stop))
    assert repr(trial.later(4).cycle.result) == wanted
    trial.forget_later()
    assert repr(trial.later(4).cycle.result) == wanted


def test_cycles_are_counted_from_the_first_one_of_a_policy() -> None:
    session = pieslice.read(TOUR).session()
    for asked, number in ((session.base, 0), (session.base, -1), (session.base.later(2), 2)):
        with pytest.raises(pieslice.Error, match="counted from 1"):
            asked.later(number)
    with pytest.raises(pieslice.ReadError):
        session.edit("NEGOTIATOR_INTERVAL 60").later(2)


# --- what an edit affects -------------------------------------------------------------------------


def test_an_edit_that_affects_nothing_runs_no_cycle(monkeypatch: pytest.MonkeyPatch) -> None:
    run = cycles_run(monkeypatch)
    session = pieslice.read(CAMPUS).session()
    for text in ("# words", "ALL_DEBUG = D_FULLDEBUG", "SCHEDD_LOG = /tmp/log", "MY_OWN = 1"):
        trial = session.edit(text)
        assert (trial.affects, trial.changes.same) == ((), True)
        assert "negotiating" not in trial.seconds
    assert len(run) == 1  # that of the running policy
    assert session.edit("PRIORITY_HALFLIFE = 5").affects == ("priority_halflife_seconds",)
    assert len(run) == 2


def test_an_edit_names_the_fields_that_it_changes() -> None:
    session = pieslice.read(TOUR).session()
    for text, fields in (
        ("NEGOTIATOR_DEPTH_FIRST = true", {"depth_first"}),
        ("NEGOTIATOR_PRE_JOB_RANK = 7\nNEGOTIATOR_POST_JOB_RANK = 8", {
            "pre_job_rank", "post_job_rank",
        }),
        ("START = false", {"slots"}),
        ("SYSTEM_PERIODIC_HOLD = true", {"queues", "submitters", "claims"}),
        ("CLAIM_WORKLIFE = 5", {"claims"}),
    ):  # fmt: skip
        assert set(session.edit(text).affects) == fields, text


def test_submitters_are_made_again_by_what_they_depend_on(tmp_path: Path) -> None:
    """The ads that schedds would send are those of a pool that is read with the configuration."""
    own = (TOUR / "condor_config").read_text()
    queue = (TOUR / "jobs.ads").read_text()
    pools: dict[str, pieslice.Pool] = {}
    for number, text in enumerate((
        "", "SLOT_WEIGHT = Memory", "SCHEDD_SLOT_WEIGHT = 3", "SCHEDD_USE_SLOT_WEIGHT = false",
        "USE_GLOBAL_JOB_PRIOS = true", "USE_GLOBAL_JOB_PRIOS = true\nMAX_GLOBAL_JOB_PRIOS = 1",
        "NEGOTIATOR_DEPTH_FIRST = true",
    )):  # fmt: skip
        folder = Path(shutil.copytree(TOUR, tmp_path / str(number)))
        (folder / "submitters.ads").unlink(missing_ok=True)
        (folder / "jobs.ads").write_text(queue.replace("JobPrio = 0", "JobPrio = 3", 1))
        (folder / "condor_config").write_text(f"{own}\n{text}\n")
        pools[text] = pieslice.read(folder)
    first, *_ = pools.values()
    for text, pool in (*pools.items(), *pools.items()):
        if text:
            other = first.with_config(text)
            ads = [dict(ad) for ad in other.capture.snapshot.submitters]
            assert ads == [dict(ad) for ad in pool.capture.snapshot.submitters], text
            assert other.capture.facts.users == pool.capture.facts.users


def test_the_lines_of_a_user_map_are_a_part_of_the_policy() -> None:
    """Keys alone do not tell patterns."""
    head = "NEGOTIATOR_CLASSAD_USER_MAP_NAMES = M\nCLASSAD_USER_MAPDATA_M @=end\n"
    line = "* /^(.*)@x$/ {}\n@end\n"
    pool = pieslice.read(TOUR).with_config(head + line.format("a"))
    for result, affects in (("b", ("user_maps",)), ("a", ())):
        assert pool.session().edit(head + line.format(result)).affects == affects


# --- files ----------------------------------------------------------------------------------------


def copy_of_tour(folder: Path) -> Path:
    return Path(shutil.copytree(TOUR, folder / "tour"))


def test_the_text_of_a_file_takes_the_place_of_what_is_on_the_disk(tmp_path: Path) -> None:
    session = pieslice.read(TOUR).session()
    text = (TOUR / "condor_config").read_text() + "PREEMPTION_REQUIREMENTS = false\n"
    trial = session.edit({"condor_config": text})
    copy = copy_of_tour(tmp_path)
    (copy / "condor_config").write_text(text)
    assert repr(trial.cycle.result) == repr(pieslice.read(copy).negotiate().result)
    assert trial.changes.slots
    assert session.edit({str(TOUR / "condor_config"): text}).changes.slots == trial.changes.slots
    same = session.edit({"condor_config": (TOUR / "condor_config").read_text()})
    assert same.affects == ()
    assert "PREEMPTION_REQUIREMENTS = false" not in (TOUR / "condor_config").read_text()


def test_files_that_a_configuration_includes_need_not_be_on_the_disk(tmp_path: Path) -> None:
    copy = copy_of_tour(tmp_path)
    root = (copy / "condor_config").read_text()
    session = pieslice.read(copy).session()
    more = {"more.conf": "NEGOTIATOR_DEPTH_FIRST = true"}
    for line in (
        "include : $(CONFIG_ROOT)/more.conf\n",
        "LOCAL_CONFIG_FILE = $(CONFIG_ROOT)/more.conf",
    ):
        trial = session.edit({"condor_config": root + line, **more})
        assert (trial.starts, trial.affects) == (True, ("depth_first",)), line
    local = {"condor_config": root + "LOCAL_CONFIG_DIR = $(CONFIG_ROOT)/d\n"}
    assert session.edit({**local, "d/10-more.conf": more["more.conf"]}).affects == ("depth_first",)


def test_a_text_that_no_file_includes_is_named() -> None:
    trial = pieslice.read(TOUR).session().edit({"PREEMPTION_REQUIREMENTS": "false"})
    assert trial.affects == ()
    assert any("PREEMPTION_REQUIREMENTS: no part" in str(one) for one in trial.diagnostics)


def test_a_pool_without_a_configuration_gets_one(tmp_path: Path) -> None:
    copy = copy_of_tour(tmp_path)
    (copy / "condor_config").unlink()
    session = pieslice.read(copy).session()
    assert session.edit({"condor_config": "NEGOTIATOR_DEPTH_FIRST = true"}).affects == (
        "depth_first",
    )


def test_the_value_of_a_macro_is_no_text_of_a_file() -> None:
    with pytest.raises(TypeError, match="text of the file"):
        pieslice.read(TOUR).session().edit({"PRIORITY_HALFLIFE": 5})  # type: ignore[dict-item]


# --- policies that no daemon starts with ----------------------------------------------------------


@pytest.mark.parametrize(
    "bad", ["PRIORITY_HALFLIFE 3600", "if true\nA = 1", "PRIORITY_HALFLIFE = x y"]
)
def test_a_policy_that_daemons_would_not_start_with_has_no_changes(bad: str) -> None:
    """``with_config`` refuses the same with the same text."""
    pool = pieslice.read(TOUR)
    session = pool.session()
    own = (TOUR / "condor_config").read_text()
    for trial in (session.edit(bad), session.edit({"condor_config": f"{own}{bad}\n"})):
        assert not trial.starts
        assert any(one.severity == "error" and one.line for one in trial.diagnostics)
        for ask in (lambda t: t.changes, lambda t: t.cycle, lambda t: t.why("11.0")):
            with pytest.raises(pieslice.ReadError, match="error"):
                ask(trial)
    with pytest.raises(pieslice.ReadError) as refused:
        pool.with_config(bad)
    with pytest.raises(pieslice.ReadError) as asked:
        _ = session.edit(bad).changes
    assert str(asked.value) == str(refused.value)
    assert session.edit("PREEMPTION_REQUIREMENTS = false").changes.slots


# --- ends, threads, changes from outside ----------------------------------------------------------


@pytest.mark.parametrize("questions", [0, 1, 2, 5, 30])
def test_a_cancelled_edit_leaves_nothing_behind(questions: int) -> None:
    session = pieslice.read(CAMPUS).session()
    with pytest.raises(pieslice.Cancelled) as ended:
        session.edit("NEGOTIATOR_DEPTH_FIRST = true\nSLOT_WEIGHT = 1", cancelled=after(questions))
    assert isinstance(ended.value, pieslice.Error)
    text = "PREEMPTION_REQUIREMENTS = false"
    assert said(session.edit(text)) == said_by(pieslice.read(CAMPUS), text)


def test_a_cycle_is_asked_again_and_again_whether_it_is_to_end() -> None:
    asked: list[None] = []
    session = pieslice.read(CAMPUS).session()
    trial = session.edit("PRIORITY_HALFLIFE = 7200", cancelled=lambda: asked.append(None))
    result = trial.cycle.result
    assert len(asked) > len(result.matches) + len(result.rejections)


def test_another_thread_gets_an_error_while_an_edit_is_made() -> None:
    session = pieslice.read(TOUR).session()
    problems: list[Exception] = []

    def ask() -> None:
        for work in (lambda: session.edit("A = 1"), lambda: session.base.why("11.0")):
            try:
                work()
            except pieslice.Error as problem:
                problems.append(problem)

    def meanwhile() -> bool:
        if not problems:
            thread = threading.Thread(target=ask)
            thread.start()
            thread.join()
        return False

    assert session.edit("NEGOTIATOR_DEPTH_FIRST = true", cancelled=meanwhile).starts
    assert ["thread" in str(problem) for problem in problems] == [True, True]
    assert session.edit("A = 1").starts


def test_an_edit_cannot_be_made_within_an_edit() -> None:
    session = pieslice.read(TOUR).session()
    with pytest.raises(pieslice.Error, match="at work already"):
        session.edit("NEGOTIATOR_DEPTH_FIRST = true", cancelled=lambda: session.edit("A = 1"))


def test_a_slot_that_was_changed_since_ends_a_session() -> None:
    """Its cycle would not be that of the running policy any more."""
    pool = pieslice.read(CAMPUS)
    session = pool.session()
    next(iter(pool.capture.snapshot.slots))["Requirements"] = False
    for ask in (lambda: session.edit("A = 1"), lambda: session.base.why("15.0")):
        with pytest.raises(pieslice.Error, match="begin another session"):
            ask()
    changed = pool.session()
    assert said(changed.edit("NEGOTIATOR_DEPTH_FIRST = true")) == said_by(
        pool, "NEGOTIATOR_DEPTH_FIRST = true"
    )


# --- columns, memory ------------------------------------------------------------------------------


def test_columns_of_slots_stand_in_the_order_of_the_negotiator(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool = pieslice.read(CAMPUS)
    ads = [dict(ad) for ad in pieslice.read(CAMPUS).capture.snapshot.slots]
    session = pool.session()
    monkeypatch.setattr("classad.loading.columns.LoadedColumns.to_ads", None)
    monkeypatch.setattr("classad.loading.columns.LoadedColumns.ad", None)
    found = session.slots("Name", "state", "RemoteOwner", "NoSuchThing")
    assert found["Name"] == [ad["Name"] for ad in ads]
    assert found["state"] == [ad["State"] for ad in ads]
    assert found["RemoteOwner"] == [ad.get("RemoteOwner") for ad in ads]
    assert found["NoSuchThing"] == [None] * len(ads)


def test_columns_of_a_trial_are_what_startds_would_advertise() -> None:
    session = pieslice.read(TOUR).session()
    trial = session.edit('STARTD_ATTRS = Colour\nColour = "red"')
    assert set(trial.slots("Colour")["Colour"]) == {"red"}
    assert set(session.slots("Colour")["Colour"]) == {None}


def test_a_session_keeps_no_cycle_of_an_edit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Boards are the big part of a cycle; that of the running policy may stay."""
    boards: list[weakref.ref[Board]] = []
    made = Board.__init__

    def noted(self: Board, *args: object, **named: object) -> None:
        made(self, *args, **named)  # type: ignore[arg-type]
        boards.append(weakref.ref(self))

    monkeypatch.setattr(Board, "__init__", noted)
    session = pieslice.read(TOUR).session()
    for number in range(6):
        session.edit(f"PRIORITY_HALFLIFE = {number + 60}").why("11.0")
    gc.collect()
    assert sum(board() is not None for board in boards) <= 1
    assert len(boards) > 6


#: Prints the bytes that Python holds with a session, after its first cycle and after some edits.
MEASURED = """
import gc, json, sys, tracemalloc
tracemalloc.start()
import pieslice
def used():
    gc.collect()
    return tracemalloc.get_traced_memory()[0]
session = pieslice.read(sys.argv[1]).session()
sizes = [used()]
for number, text in enumerate(json.loads(sys.argv[2])):
    assert session.edit(f"{text}\\nPRIORITY_HALFLIFE = {number + 60}").starts
print(*sizes, used())
"""


@pytest.mark.slow
def test_twenty_edits_need_little_more_memory_than_one_cycle(tmp_path: Path) -> None:
    numbers = ("--slots", "2000", "--jobs", "400", "--autoclusters", "200", "--seed", "1")
    maker = ROOT / "benchmarks" / "make_pool.py"
    command = [sys.executable, str(maker), *numbers, "--out", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    edits = json.dumps((EDITS * 2)[:20])
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(tmp_path), edits],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    before, after = map(int, done.stdout.split())
    assert after < 1.3 * before
