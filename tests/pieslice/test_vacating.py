"""How preempted jobs leave their slots, by HTCondor's rules for both sides' wishes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from classad import ClassAd, ExprTree
from classad.evaluate import EvalContext
from negotiator.model.snapshot import Snapshot
from pieslice.cli import main
from pieslice.negotiate.vacating import Vacating, vacating, vacatings
from tests.negotiator import scenarios

CONTEXT = EvalContext(now=1000)


def ad(**texts: str) -> ClassAd:
    made = ClassAd()
    for name, text in texts.items():
        made.insert(name, ExprTree(text))
    return made


def leave(slot: dict[str, str], job: dict[str, str] | None = None) -> Vacating:
    own = {"ClusterId": "7", "ProcId": "1", "JobUniverse": "5", **(job or {})}
    jobs = {} if job is None else {"slot1@a": ("ap1", ad(**own))}
    return vacating("slot1@a", ad(**slot), jobs, CONTEXT)


def times(found: Vacating) -> tuple[int, int, int]:
    return found.retirement, found.soft_after, found.hard_after


def test_plain() -> None:
    found = leave({"MachineMaxVacateTime": "10 * 60", "RemoteUser": '"bob@x"'}, {})
    assert (found.job, found.schedd, found.user) == ("7.1", "ap1", "bob@x")
    assert (found.signal, found.universe) == ("SIGTERM", "vanilla")
    assert times(found) == (0, 0, 600)


@pytest.mark.parametrize(
    ("job", "signal"),
    [
        ({"KillSig": '"sigint"'}, "SIGINT"),
        ({"KillSig": "10"}, "SIGUSR1"),
        ({"JobUniverse": "1"}, "SIGTSTP"),
        ({"JobUniverse": "11"}, "SIGTERM"),
        ({"JobUniverse": "13"}, "power off"),
        ({"JobUniverse": "13", "JobVMCheckpoint": "true"}, "checkpoint"),
    ],
)
def test_signal_by_universe(job: dict[str, str], signal: str) -> None:
    assert leave({}, job).signal == signal


@pytest.mark.parametrize(
    ("machine", "job", "wanted"),
    [
        # The job may want less time than the machine gives, not more.
        ("600", {"JobMaxVacateTime": "30"}, (0, 0, 30)),
        ("600", {"JobMaxVacateTime": "3600"}, (0, 0, 600)),
        ("600", {"KillSigTimeout": "20"}, (0, 0, 20)),
        ("600", {"JobMaxVacateTime": "nonsense"}, (0, 0, 0)),
        ("TARGET.ClusterId * 10", {}, (0, 0, 70)),
    ],
)
def test_time_to_stop(machine: str, job: dict[str, str], wanted: tuple[int, int, int]) -> None:
    assert times(leave({"MachineMaxVacateTime": machine}, job)) == wanted


@pytest.mark.parametrize(
    ("slot", "job", "wanted"),
    [
        ({"MaxJobRetirementTime": "1000", "TotalJobRunTime": "300"}, {}, (700, 100, 700)),
        # The job is content with less; it has run for longer than that.
        (
            {"MaxJobRetirementTime": "1000", "TotalJobRunTime": "300"},
            {"MaxJobRetirementTime": "200"},
            (0, 0, 600),
        ),
        # It asks for more time to stop: what is left of its retirement serves for it.
        ({"RetirementTimeRemaining": "5000"}, {"JobMaxVacateTime": "3600"}, (5000, 1400, 5000)),
        ({"RetirementTimeRemaining": "900"}, {"JobMaxVacateTime": "3600"}, (900, 0, 900)),
        ({"RetirementTimeRemaining": "60"}, {"JobMaxVacateTime": "3600"}, (60, 0, 600)),
    ],
)
def test_retirement(
    slot: dict[str, str], job: dict[str, str], wanted: tuple[int, int, int]
) -> None:
    assert times(leave({"MachineMaxVacateTime": "600", **slot}, job)) == wanted


def test_without_the_job() -> None:
    found = leave({"JobId": '"9.9"', "AccountingGroup": '"g.bob@x"'})
    assert (found.job, found.schedd, found.user) == ("9.9", None, "g.bob@x")
    assert times(found) == (0, 0, 600)


def test_every_preempting_match_is_there() -> None:
    case = scenarios.load("preempt-by-rank")
    result = scenarios.run(case)
    found = vacatings(scenarios.snapshot_of(case), result)
    assert [item.slot for item in found] == [m.slot for m in result.matches if m.preempted]
    assert vacatings(Snapshot(), result) == ()


def test_all_dynamic_slots_of_a_partitionable_one(capsys: pytest.CaptureFixture[str]) -> None:
    path = scenarios.VECTORS / "pslot-preemption.json"
    assert main(["negotiate", str(path), "--json"]) == 0
    data: Any = json.loads(capsys.readouterr().out)
    (match,) = [item for item in data["matches"] if item.get("dynamic_slots")]
    assert [item["slot"] for item in data["vacating"]] == match["dynamic_slots"]
