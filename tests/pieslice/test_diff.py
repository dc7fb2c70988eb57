"""``pieslice diff``: what changes from one cycle to another."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from attr import evolve

import pieslice
from classad.loading.columns import LoadedColumns
from negotiator.cycle import negotiate
from pieslice.cli import main
from pieslice.why.comparing import compare
from tests.negotiator import scenarios

CAMPUS = str(Path(__file__).parents[2] / "examples" / "campus")
OTHER = f"{CAMPUS}/no_preemption"


def test_a_cycle_is_no_different_from_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", CAMPUS, CAMPUS]) == 0
    assert capsys.readouterr().out.startswith("no difference\n")


def test_a_policy_against_the_pools_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", CAMPUS, "--config", OTHER, "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert not data["same"]
    assert (data["a"]["totals"]["matches"], data["b"]["totals"]["matches"]) == (20, 5)
    nets = [(user["change"]["user"].split("@")[0], user["net"]) for user in data["users"]]
    assert nets == [
        ("group_chemistry.carol", -15),
        ("nice-user.dave", 11),
        ("group_physics.hep.alice", 4),
    ]
    assert len(data["slots"]) == 15
    assert all(change["after"] is None for change in data["slots"])
    assert sum(machine["slots"] for machine in data["machines"]) == 15


def test_two_configurations_and_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    own = f"{CAMPUS}/condor_config"
    assert main(["diff", "--config", OTHER, "--config", own, CAMPUS, "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert [user["net"] for user in data["users"]] == [-11, -4, 15]


def test_two_pools(pool: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other"
    shutil.copytree(pool, other)
    jobs = (other / "jobs.ads").read_text()
    (other / "jobs.ads").write_text(jobs.replace("Requirements = true", "Requirements = false"))
    assert main(["diff", str(pool), str(other), "--wide"]) == 1
    out = capsys.readouterr().out
    assert "2 matches of weight 2" in out
    assert "0 matches of weight 0" in out
    assert "  B: not matched\n" in out


def test_a_slot_that_one_pool_lacks_is_not_said_to_be_unmatched_there(
    pool: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    shutil.copytree(pool, other)
    before, after = (folder / "slots.ads" for folder in (pool, other))
    name = next(line for line in before.read_text().splitlines() if line.startswith("Name = "))
    after.write_text(before.read_text().replace(name, 'Name = "slot1@moved"', 1))
    main(["diff", str(pool), str(other), "--json"])
    slots = {one["slot"]: one for one in json.loads(capsys.readouterr().out)["slots"]}
    assert slots[name.split('"')[1]]["only_in"] == "a"
    assert slots["slot1@moved"]["only_in"] == "b"
    main(["diff", str(pool), str(other), "--wide"])
    out = capsys.readouterr().out
    assert "  A: not in this pool\n" in out
    assert "  B: not in this pool\n" in out
    assert "not matched" not in out


@pytest.mark.parametrize(
    "arguments",
    [[CAMPUS], [CAMPUS] * 3, [CAMPUS, "--config", OTHER, "--config", OTHER, "--config", OTHER]],
)
def test_bad_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", *arguments]) == 2
    assert "error: t" in capsys.readouterr().err


def test_cycles_are_those_of_a_watched_pool(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", CAMPUS, "--config", OTHER, "--cycles", "2"]) == 2
    assert capsys.readouterr().err.startswith("error: --cycles counts those of --watch\n")
    assert main(["diff", CAMPUS, "--watch"]) == 2
    assert capsys.readouterr().err.startswith("error: --watch compares a running pool with one")


@pytest.mark.parametrize("name", ["preempt-kinds-order", "groups-surplus", "random-100"])
def test_the_sums_are_those_of_the_matches(name: str) -> None:
    case = scenarios.load(name)
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    result = negotiate(snapshot, policy, now=scenarios.NOW)
    without_jobs = evolve(snapshot, queues=())
    empty = negotiate(without_jobs, policy, now=scenarios.NOW)
    found: Any = compare(empty, result)
    assert len(found.slots) == len(result.matches)
    gained = sum(user.matched.change for user in found.users)
    assert gained == pytest.approx(sum(match.cost for match in result.matches))
    back = compare(result, empty)
    assert {user.user: user.net for user in back.users} == {
        user.user: -user.net for user in found.users
    }


@pytest.mark.parametrize("more", ["NEGOTIATOR_PRE_JOB_RANK = Memory", "START = JobPrio >= 0"])
def test_a_difference_makes_the_ads_of_slots_that_somebody_gets_only(
    more: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slot = 'Name = "slot1@n{0}"\nMachine = "n{0}"\nState = "Unclaimed"\nCpus = 1\nMemory = {0}\n'
    slot += 'StartdIpAddr = "<10.0.0.1:9618>"\nStart = true\nRequirements = START\n'
    job = 'ClusterId = {0}\nProcId = 0\nOwner = "ann"\nUser = "ann@x"\nJobStatus = 1\n'
    job += "JobUniverse = 5\nJobPrio = 0\nRequestCpus = 1\nRequirements = TARGET.Cpus >= 1\n"
    (tmp_path / "slots.ads").write_text("\n".join(slot.format(n) for n in range(300)))
    (tmp_path / "jobs.ads").write_text("\n".join(job.format(n) for n in range(1, 4)))
    pool = pieslice.read(tmp_path, now=1e9)
    made: list[int] = []
    one, many = LoadedColumns.ad, LoadedColumns._batch

    def ad(self: LoadedColumns, *args: Any) -> Any:
        made.append(1)
        return one(self, *args)

    def batch(self: LoadedColumns, new: Any, start: int, stop: int, held: Any) -> Any:
        made.append(stop - start)
        return many(self, new, start, stop, held)

    monkeypatch.setattr(LoadedColumns, "ad", ad)
    monkeypatch.setattr(LoadedColumns, "_batch", batch)
    changes = pool.diff(pool.with_config(f"{more}\n"))
    assert [side.totals.free for side in (changes.a, changes.b)] == [3, 3]
    assert sum(made) <= 6
