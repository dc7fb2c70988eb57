"""Rules of `pieslice watch`: when each kind fires, when it does not, when it ends."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from attr import evolve

from classad.errors import Diagnostic
from negotiator.io import InputError
from pieslice.alerts.course import AlertChange, AlertCourse
from pieslice.alerts.judging import aliases
from pieslice.alerts.kinds import KINDS, Rule, Target
from pieslice.alerts.reading import is_local, read_rules
from pieslice.alerts.sighting import (
    POOL,
    Running,
    SeenGroup,
    SeenLimit,
    SeenUser,
    Sighting,
    Unused,
    WaitingJob,
)
from tests.cases import every_case

PAGE = Path(__file__).parents[2] / "docs" / "alerts.md"
#: Cycles are a minute apart.
T = 1_795_000_000.0
ALICE, BOB = "physics.alice@campus.example", "bob@campus.example"


def rules(text: str) -> tuple[Rule, ...]:
    return read_rules(text, "alerts.toml")


def rule(kind: str, **keys: object) -> Rule:
    lines = [f"{name} = {json.dumps(value)}" for name, value in keys.items()]
    (found,) = rules("\n".join(["[[rule]]", f'kind = "{kind}"', *lines]))
    return found


def job(number: int, user: str = ALICE, *, able: bool = True, schedd: str = "s1") -> WaitingJob:
    group = "physics" if user == ALICE else ""
    return WaitingJob(f"{schedd}#{number}.0", user, group, "rejected, submitter limit", able)


def waits(*jobs: WaitingJob, running: int = 0, matched: int = 0, **more: Any) -> Sighting:
    users = {one.submitter: SeenUser(running, matched) for one in jobs}
    return Sighting(0.0, waiting=jobs, users=users, **more)


class Told:
    """A course, cycle by cycle."""

    def __init__(self, *rules: Rule) -> None:
        self.course = AlertCourse(rules)
        self.cycle = 0

    def sees(self, *sightings: Sighting) -> list[AlertChange]:
        """What changes in the cycles, each a minute after the one before."""
        found: list[AlertChange] = []
        for one in sightings:
            self.cycle += 1
            time = T + 60 * self.cycle
            found += self.course.add(evolve(one, time=time), time)
        return found


def events(changes: Sequence[AlertChange]) -> list[tuple[str, str]]:
    return [("begin" if one.begins else "end", one.alert.subject) for one in changes]


QUIET = Sighting(0.0)

# --- what has to be so for some time --------------------------------------------------------------


def test_a_job_that_could_run_is_told_after_so_many_cycles_once_until_it_is_over() -> None:
    told = Told(rule("idle-job", cycles=3))
    idle = waits(job(1), job(2, BOB, able=False))
    assert told.sees(idle, idle) == []
    (change,) = told.sees(idle)
    assert events([change]) == [("begin", ALICE)]
    alert = change.alert
    assert (alert.cycles, alert.count, alert.example) == (3, 1, "s1#1.0")
    assert alert.text == f"job 1.0 of {ALICE} idle for 3 cycles though it could run"
    assert alert.why == f"job 1.0 of {ALICE}: rejected, submitter limit"
    assert told.sees(idle, idle) == []
    assert events(told.sees(QUIET)) == [("end", ALICE)]
    assert told.sees(idle, idle) == []  # it counts from the beginning


def test_jobs_of_a_user_are_one_alert_and_the_longest_idle_is_named() -> None:
    told = Told(rule("idle-job", cycles=2))
    told.sees(waits(job(5)))
    (change,) = told.sees(waits(job(4), job(5)))
    assert (change.alert.count, change.alert.example) == (1, "s1#5.0")
    assert told.sees(waits(job(4), job(5))) == []
    (alert,) = told.course.open
    assert alert.text == f"2 jobs of {ALICE} idle for 3 cycles though they could run, first 5.0"


def test_a_job_that_cannot_run_anywhere_is_not_told() -> None:
    told = Told(rule("idle-job", cycles=1), rule("idle-user", cycles=1))
    assert told.sees(*[waits(job(1, able=False))] * 3) == []


def test_jobs_of_a_schedd_that_does_not_answer_neither_begin_nor_end() -> None:
    told = Told(rule("idle-job", cycles=2))
    told.sees(waits(job(1)), waits(job(1)))
    silent = {"s1": "jobs: s1: no answer within 20 s"}
    assert told.sees(evolve(QUIET, silent=silent)) == []
    assert told.course.open[0].subject == ALICE
    assert told.sees(evolve(QUIET, silent={"s2": "jobs: s2: no answer"})) != []


def test_what_a_silent_schedd_may_have_jobs_for_does_not_end() -> None:
    told = Told(
        *(rule(kind, minutes=0.001) for kind in ("below-quota", "full-limit", "unused-cores"))
    )
    asks = evolve(group(4.0, job(1)), limits=limit(10).limits, unused=spare(3).unused)
    assert len(told.sees(asks, asks)) == 3
    silent = {"s1": "jobs: s1: no answer"}
    assert told.sees(evolve(group(4.0), silent=silent)) == []
    # That a group has its quota is known.
    assert events(told.sees(evolve(group(10.0), silent=silent))) == [("end", "physics")]
    assert len(told.sees(group(10.0))) == 2


@pytest.mark.parametrize("fortune", [{"running": 1}, {"matched": 1}])
def test_a_user_starves_who_runs_nothing_and_is_matched_nothing(fortune: dict[str, int]) -> None:
    told = Told(rule("idle-user", cycles=2))
    assert told.sees(waits(job(1), **fortune), waits(job(1)), waits(job(1), **fortune)) == []
    assert told.sees(waits(job(1), job(2))) == []
    (change,) = told.sees(waits(job(1), job(2)))
    assert change.alert.text == f"nothing of {ALICE} runs for 2 cycles; 2 jobs could"
    assert events(told.sees(waits(job(1), **fortune))) == [("end", ALICE)]


def test_rules_are_narrowed_down_by_patterns_of_names() -> None:
    assert aliases(ALICE, "physics") == (
        "physics.alice@campus.example", "physics.alice", "alice", "alice@campus.example",
    )  # fmt: skip
    for keys, expected in (
        ({"users": ["alice"]}, [ALICE]),
        ({"users": ["*@campus.example"]}, [ALICE, BOB]),
        ({"users": ["BOB*", "carol"]}, [BOB]),
        ({"groups": ["phys*"]}, [ALICE]),
        ({"users": ["bob"], "groups": ["physics"]}, []),
    ):
        told = Told(rule("idle-user", cycles=1, **keys))
        found = told.sees(waits(job(1), job(2, BOB)))
        assert [change.alert.subject for change in found] == expected, keys


def group(used: float, *jobs: WaitingJob, quota: float = 10.0) -> Sighting:
    groups = {"physics": SeenGroup(quota, used), "chemistry": SeenGroup(5.0, 0.0)}
    return evolve(waits(*jobs), groups=groups, least_weight=1.0)


def test_a_group_below_its_quota_is_told_while_it_asks() -> None:
    told = Told(rule("below-quota", minutes=3))
    below = group(4.0, job(1))
    assert told.sees(below, below, below) == []
    (change,) = told.sees(below)
    assert change.alert.subject == "physics"
    said = "group physics uses 4 of its quota of 10 for 3 min while 1 job waits"
    assert change.alert.text == said
    assert change.alert.why.startswith("job 1.0 of ")
    assert events(told.sees(group(10.0, job(1)))) == [("end", "physics")]


@pytest.mark.parametrize(
    "sighting",
    [
        group(4.0),
        group(10.0, job(1)),
        group(9.5, job(1)),
        group(8.5, job(1)),
        group(0, job(1, BOB)),
    ],
)
def test_a_group_that_asks_for_nothing_or_has_its_part_is_not_told(sighting: Sighting) -> None:
    told = Told(rule("below-quota", minutes=1, margin=0.1))
    assert told.sees(sighting, sighting, sighting) == []


def limit(in_use: float, *refused: WaitingJob) -> Sighting:
    return Sighting(0.0, limits={"license": SeenLimit(in_use, 10.0, refused)})


def test_a_limit_that_is_full_for_long_is_told() -> None:
    told = Told(rule("full-limit", minutes=2))
    assert told.sees(limit(10), limit(9), limit(10), limit(9, job(1))) == []
    (change,) = told.sees(limit(10, job(1), job(2)))
    assert change.alert.subject == "license"
    assert change.alert.text.endswith("10 of 10 in use, 2 jobs refused")
    assert change.alert.why == job(1).text
    assert events(told.sees(limit(9))) == [("end", "license")]
    assert Told(rule("full-limit", minutes=1, limits=["other"])).sees(*[limit(10)] * 4) == []


def spare(cores: float) -> Sighting:
    return Sighting(0.0, unused={POOL: Unused(cores, 3, job(1))})


def test_cores_that_waiting_jobs_can_use_are_told() -> None:
    told = Told(rule("unused-cores", cores=4, minutes=1))
    assert told.sees(spare(3), spare(3), spare(4)) == []
    (change,) = told.sees(spare(8))
    assert change.alert.text == "8 cores are idle for 60 s that 3 waiting jobs match"
    assert change.alert.why == job(1).text
    assert events(told.sees(spare(3))) == [("end", POOL)]


def answers(*schedds: str, silent: Mapping[str, str] | None = None) -> Sighting:
    return Sighting(0.0, schedds=frozenset(schedds), silent=silent or {})


def test_a_daemon_that_does_not_answer_is_told() -> None:
    told = Told(rule("silent-daemon", cycles=2))
    mute = answers("s1", "s2", silent={"s2": "jobs: s2: no answer within 20 s"})
    assert told.sees(answers("s1", "s2"), mute, answers("s1", "s2"), mute) == []
    (change,) = told.sees(mute)
    assert (change.alert.subject, change.alert.why) == ("s2", "jobs: s2: no answer within 20 s")
    assert events(told.sees(answers("s1", "s2"))) == [("end", "s2")]


def test_a_schedd_whose_ad_has_gone_is_told_and_forgotten_after_a_week() -> None:
    told = Told(rule("silent-daemon", cycles=2))
    told.sees(answers("s1", "s2"), answers("s1"))
    (change,) = told.sees(answers("s1"))
    assert (change.alert.subject, change.alert.why) == ("s2", "its ad has gone from the collector")
    assert told.sees(Sighting(0.0, schedds=None)) == []  # schedds were not captured: not known
    told.cycle += 7 * 24 * 60
    assert events(told.sees(answers("s1"))) == [("end", "s2")]
    assert Told(rule("silent-daemon", daemons=["s1"])).sees(*[answers("s2"), answers()] * 3) == []


# --- what happens ---------------------------------------------------------------------------------


def runs(slot: str, **more: Any) -> Sighting:
    return Sighting(
        0.0, running={"s1#1.0": Running(slot, ALICE, "physics")}, holders={slot: "s1#1.0"}, **more
    )


def lost(slot: str, holder: str = "s1#7.0", user: str = BOB) -> Sighting:
    running = {holder: Running(slot, user, "")}
    return Sighting(0.0, running=running, holders={slot: holder}, idle=frozenset(("s1#1.0",)))


def test_a_job_that_is_preempted_twice_is_told_until_that_is_long_ago() -> None:
    told = Told(rule("preempted-job", times=2, minutes=10))
    assert told.sees(runs("slot1@m"), lost("slot1@m"), runs("slot2@m")) == []
    (change,) = told.sees(lost("slot2@m"))
    alert = change.alert
    assert (alert.subject, alert.example, alert.count) == (ALICE, "s1#1.0", 1)
    assert alert.text == f"job 1.0 of {ALICE} preempted 2 times within 10 min"
    expected = f"job 1.0 of {ALICE}: lost slot2@m, which job 7.0 of {BOB} has now"
    assert alert.why == expected
    assert told.sees(*[QUIET] * 7) == []
    assert events(told.sees(QUIET)) == [("end", ALICE)]


@pytest.mark.parametrize(
    "after",
    [
        Sighting(0.0, idle=frozenset(("s1#1.0",))),  # vacated: nobody has the slot
        lost("slot1@m", user=ALICE),  # another job of its user
        Sighting(0.0, running={"s1#7.0": Running("slot1@m", BOB, "")}),  # it ended
        runs("slot1@m"),
    ],
)
def test_a_job_that_ends_or_is_vacated_is_not_preempted(after: Sighting) -> None:
    told = Told(rule("preempted-job", times=1, minutes=60))
    assert told.sees(runs("slot1@m"), after) == []


def test_of_dynamic_slots_those_count_that_the_cycle_takes() -> None:
    how = "priority preemption for job 7.0 of bob@campus.example, effective priority 5 against 50"
    for taken, expected in (({}, 0), ({"slot1_1@m": how}, 1)):
        told = Told(rule("preempted-job", times=1, minutes=60))
        found = told.sees(runs("slot1_1@m", taken=taken), lost("slot1_1@m"))
        assert len(found) == expected
        if expected:
            assert found[0].alert.why == f"job 1.0 of {ALICE}: lost slot1_1@m, {how}"


def took(seconds: float | None) -> Sighting:
    return Sighting(0.0, seconds=seconds)


def test_a_cycle_that_is_much_longer_than_usual_is_told() -> None:
    told = Told(rule("long-cycle", times=3, seconds=10, of=5))
    assert told.sees(*[took(4)] * 4, took(90)) == []  # too few are known
    (change,) = told.sees(took(13))
    assert change.alert.text == "the cycle took 13 s, usual are 4 s"
    assert told.sees(took(None)) == []  # not known: as it was
    assert events(told.sees(took(4))) == [("end", POOL)]


@pytest.mark.parametrize("usual", [1, 4])
def test_a_cycle_has_to_be_long_in_seconds_and_in_times(usual: int) -> None:
    told = Told(rule("long-cycle", times=3, seconds=10))
    assert told.sees(*[took(usual)] * 9, took(10)) == []


def test_cycles_that_are_always_long_are_usual() -> None:
    told = Told(rule("long-cycle", of=5))
    found = told.sees(*[took(5)] * 5, *[took(60)] * 5)
    assert events(found) == [("begin", POOL), ("end", POOL)]


def test_predictions_that_stop_coming_true_are_told() -> None:
    told = Told(rule("wrong-predictions", cycles=5, share=0.8))
    right, wrong, moved = (Sighting(0.0, exact=exact) for exact in (True, False, None))
    assert told.sees(right, right, right, wrong, moved, right) == []
    (change,) = told.sees(wrong)
    assert change.alert.text == "3 of the last 5 still cycles went as predicted"
    assert told.sees(moved, moved) == []
    assert told.sees(right, right) == []
    assert events(told.sees(right, right, right)) == [("end", POOL)]


def test_a_pool_without_cycles_is_told_by_the_clock() -> None:
    course = AlertCourse([rule("no-cycle", minutes=15)])
    assert course.rest(T) == []
    assert course.rest(T + 899) == []
    (change,) = course.rest(T + 900, "collector cm: nobody at the port")
    assert change.alert.text == "no cycle for 15 min"
    assert change.alert.why == "collector cm: nobody at the port"
    assert course.rest(T + 2000) == []
    assert events(course.add(Sighting(T + 2010), T + 2010)) == [("end", POOL)]
    assert course.rest(T + 2500) == []
    assert course.rest(T + 2910)[0].alert.why == (
        "the daemons answer, and the negotiator begins no cycle"
    )


# --- restarts -------------------------------------------------------------------------------------


def restarted(course: AlertCourse, *rules: Rule) -> AlertCourse:
    return AlertCourse.of(rules, json.loads(json.dumps(course.data())))


def test_after_a_restart_nothing_is_told_again_and_nothing_is_forgotten() -> None:
    mine = (rule("idle-job", cycles=3), rule("long-cycle"), rule("wrong-predictions"))
    told = Told(*mine)
    idle = evolve(waits(job(1)), seconds=2.0, exact=True)
    told.sees(idle, idle)
    told.course = restarted(told.course, *mine)
    assert events(told.sees(idle)) == [("begin", ALICE)]
    told.course = restarted(told.course, *mine)
    # The cycle that was seen last is seen again.
    assert told.course.add(evolve(idle, time=told.course.time), 0.0) == []
    assert told.sees(idle) == []
    assert told.course.standing["long-cycle"] == {"seconds": [2.0] * 4}
    told.course = restarted(told.course, *mine)
    assert events(told.sees(evolve(QUIET, seconds=2.0))) == [("end", ALICE)]


def test_a_rule_that_has_changed_or_gone_begins_anew_and_its_alerts_end() -> None:
    told = Told(rule("idle-job", cycles=1), rule("idle-user", cycles=1))
    idle = waits(job(1))
    assert len(told.sees(idle)) == 2
    told.course = restarted(told.course, rule("idle-job", cycles=2))
    assert events(told.sees(idle)) == [("end", ALICE), ("end", ALICE)]
    assert events(told.sees(idle)) == [("begin", ALICE)]


@pytest.mark.parametrize("data", [{}, {"format": 2}, {"format": 1, "rules": 3}, [], "x"])
def test_another_file_is_no_state(data: Any) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        AlertCourse.of((), data)


# --- the file of rules ----------------------------------------------------------------------------


def wrong(text: str) -> list[Diagnostic]:
    with pytest.raises(InputError) as caught:
        rules(text)
    return list(caught.value.diagnostics)


@every_case("text, message, marked", [
        ('[[rule]]\nkind = "idel-job"', "unknown kind `idel-job`; did you mean `idle-job`?",
         '"idel-job"'),
        ('[[rule]]\nkind = "idle-job"\ncycels = 3', "unknown key `cycels`; did you mean `cycles`?",
         "cycels"),
        ('[[rule]]\nkind = "idle-job"\nminutes = 3', "unknown key `minutes`; known are kind,",
         "minutes"),
        ('[[rule]]\nkind = "idle-job"\ncycles = 1.5 # so many',
         "`cycles` is not a whole number of at least 1", "1.5"),
        ('[[rule]]\nkind = "idle-job"\ncycles = true', "`cycles` is not a whole number", "true"),
        ('[[rule]]\nkind = "below-quota"\nmargin = 2', "`margin` is not a number from 0 to 1", "2"),
        ('[[rule]]\nkind = "full-limit"\nminutes = 0', "`minutes` is not a number above 0", "0"),
        ('[[rule]]\nkind = "full-limit"\nminutes = nan', "`minutes` is not a number above 0",
         "nan"),
        ('[[rule]]\nkind = "idle-user"\nusers = "alice"', "`users` is not a list of names",
         '"alice"'),
        ('[[rule]]\nkind = "idle-user"\nrun = []', "`run` is not a list of words", "[]"),
        ("[[rule]]\ncycles = 3", "the rule has no `kind`", "rule"),
        ('[[rules]]\nkind = "idle-job"', "unknown key `rules`; did you mean `rule`?", "rules"),
        ('[rule]\nkind = "idle-job"', "`rule` is not a list of tables: [[rule]]", "rule"),
        ('[notify]\nhook = "x"\n[[rule]]\nkind = "no-cycle"', "unknown key `hook`", "hook"),
        ('notify = 3\n[[rule]]\nkind = "no-cycle"', "`notify` is not a table", "notify"),
        ('[[rule]]\nkind = "no-cycle"\n[[rule]]\nkind = "no-cycle"',
         "there are two rules `no-cycle`", "rule"),
        ('[[rule]]\nkind = "no-cycle"\n[[rule]]\nkind = "idle-job"\nname = "no-cycle"',
         "there are two rules `no-cycle`", '"no-cycle"'),
        ('[[rule]]\nkind = "no-cycle"\nwebhook = "http://example.org/"',
         "`webhook` is not an address of this machine", '"http://example.org/"'),
        ("[[rule]\nkind = 1", "not TOML: expected ']]'", "]"),
        ("[[rule]]\nkind = 1\nkind = 2", "not TOML: cannot overwrite a value", "2"),
        ("x = " + "9" * 5000, "not readable as TOML: ", None),
        ("", "there is no rule", ""),
    ])  # fmt: skip
def test_what_is_wrong_with_rules_is_said_with_its_place(
    text: str, message: str, marked: str | None
) -> None:
    (found, *more) = wrong(text)
    assert more == []
    assert message in found.message
    if marked is None:
        assert found.headline().startswith("error: alerts.toml: ")
        return
    assert found.source is not None
    shown = found.source.text[found.start : found.end]
    assert shown == marked or message.startswith("not TOML")
    assert f"alerts.toml:{found.line}:{found.column}: error: " in found.render()


def test_all_errors_of_a_file_are_said_in_its_order() -> None:
    found = wrong('[[rule]]\nkind = "x"\n[[rule]]\nkind = "no-cycle"\na = 1\nb = 2\n[c]\n')
    assert [item.line for item in found] == [2, 5, 6, 7]


def test_a_kind_holds_by_its_defaults() -> None:
    for name, kind in KINDS.items():
        found = rule(name)
        assert found.name == found.kind == name
        assert found.numbers == {key.name: key.default for key in kind.keys}
        assert found.concerns("users", "anybody")


def test_alerts_of_a_rule_go_where_it_says_else_where_all_go() -> None:
    found = rules(
        '[notify]\nrun = ["logger", "-t", "x"]\nwebhook = "http://127.0.0.1:99/a?b"\n'
        '[[rule]]\nkind = "no-cycle"\n[[rule]]\nkind = "idle-job"\nrun = ["page"]\n'
    )
    assert found[0].target == Target(("logger", "-t", "x"), "http://127.0.0.1:99/a?b")
    assert found[1].target == Target(("page",))


def test_the_page_of_examples_has_rules_that_are_right() -> None:
    blocks = re.findall(r"^```toml\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    found = [one.kind for block in blocks for one in rules(block)]
    assert len(blocks) >= 7
    assert set(found) == set(KINDS)


def test_the_page_has_all_kinds_with_their_keys_and_what_holds_without_them() -> None:
    rows = {
        cells[1].strip().strip("`"): row
        for row in PAGE.read_text().splitlines()
        if len(cells := row.split("|")) == 6
    }
    for name, kind in KINDS.items():
        for key in kind.keys:
            assert f"`{key.name}`" in rows[name], (name, key.name)
            assert f"({key.default:g})" in rows[name], (name, key.name)
        for names in kind.names:
            assert f"`{names}`" in rows[name], (name, names)


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("http://localhost:9999/path", True), ("http://127.0.0.1/", True),
        ("http://[::1]:8/", True), ("http://LOCALHOST/", True),
        ("https://localhost/", False), ("http://localhost.example.org/", False),
        ("http://10.0.0.1/", False), ("http://user@localhost/", False), ("localhost:99", False),
        ("http://127.0.0.1.example.org/", False), ("http://localhost:99999/", False),
        ("http://[::1", False), ("http://localhost:0/", False), ("http://localhost/a b", False),
        ("file:///etc/passwd", False), ("http://2130706433/", False),
    ],
)  # fmt: skip
def test_webhooks_are_on_this_machine(address: str, local: bool) -> None:
    assert is_local(address) is local
