"""What the laboratory draws of a pool: users, slots, groups and limits as values."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest

import pieslice
from pieslice.data import JsonObject
from pieslice.lab.pool.drawing import Scene
from pieslice.lab.pool.trials import Trials
from pieslice.lab.texts import EditedTexts
from pieslice.reports.charts import COLOURS, looks

ROOT = Path(__file__).parents[2]
CAMPUS, TOUR = ROOT / "examples" / "campus", ROOT / "examples" / "tour"
CONFIG = """
GROUP_NAMES = a, a.b, a.b.c, z, empty
GROUP_QUOTA_a = 4
GROUP_QUOTA_a.b = 2
GROUP_QUOTA_a.b.c = 1
GROUP_QUOTA_z = 1
GROUP_ACCEPT_SURPLUS_z = true
GROUP_AUTOREGROUP_a = true
"""


def slot(name: str, **more: object) -> str:
    given = {"Name": f'"{name}"', "MyType": '"Machine"', "State": '"Unclaimed"', "Cpus": 1}
    given |= {"LastHeardFrom": 2000, "MyCurrentTime": 2000} | more
    return "\n".join(f"{key} = {value}" for key, value in given.items())


def held_by(name: str, user: str, **more: object) -> str:
    claimed = {"State": '"Claimed"', "RemoteUser": f'"{user}"', "RemoteOwner": f'"{user}"'}
    return slot(name, **claimed, **more)


def pool_of(folder: Path, *slots: str, config: str = "") -> pieslice.Pool:
    (folder / "slots.ads").write_text("\n\n".join(slots) + "\n", "utf-8")
    (folder / "condor_config").write_text(config, "utf-8")
    return pieslice.read(folder, needs_jobs=False)


def scene_of(pool: pieslice.Pool) -> Scene:
    return Scene(pool.capture, [])


def columns(pool: pieslice.Pool) -> JsonObject:
    scene = scene_of(pool)
    return scene.columns(pool.capture, scene.slots)


def users_of(pool: pieslice.Pool) -> dict[str, JsonObject]:
    return {str(one["name"]): one for one in scene_of(pool).users()}


# --- users ----------------------------------------------------------------------------------------


def test_users_look_as_in_every_chart_of_them(tmp_path: Path) -> None:
    names = [f"user{at}@x" for at in range(20)]
    slots = [held_by(f"slot1@m{at}", name) for at, name in enumerate(names)]
    wanted = looks(names)
    for name, one in users_of(pool_of(tmp_path, *slots)).items():
        assert one["look"] == wanted[name].place
        assert one["texture"] == wanted[name].texture


def test_the_eight_who_hold_most_have_colours(tmp_path: Path) -> None:
    slots = [
        held_by(f"slot{number}@m{at}", f"user{at}@x")
        for at in range(12)
        for number in range(1, at + 2)
    ]
    heavy = [name for name, one in users_of(pool_of(tmp_path, *slots)).items() if one["heavy"]]
    assert len(heavy) == len(COLOURS)
    assert set(heavy) == {f"user{at}@x" for at in range(4, 12)}


def test_the_heaviest_is_who_has_most_weight_and_not_most_slots(tmp_path: Path) -> None:
    many = [held_by(f"slot{at}@m", f"user{at}@x", Cpus=2) for at in range(8)]
    one = held_by("slot1@big", "big@x", Cpus=64)
    tiny = [held_by(f"slot{at}@t", "tiny@x", Cpus=0) for at in range(30)]
    users = users_of(pool_of(tmp_path, *many, one, *tiny))
    assert users["big@x"]["heavy"]
    assert not users["tiny@x"]["heavy"]


# --- slots ----------------------------------------------------------------------------------------


def test_slots_tell_their_cores_and_since_when_they_are_in_their_state(tmp_path: Path) -> None:
    found = columns(
        pool_of(tmp_path, slot("a@m", Cpus=4, EnteredCurrentState=1000), slot("b@m", Cpus=2.5))
    )
    by_name = dict(zip(found["name"], zip(found["cpus"], found["since"], strict=True), strict=True))
    assert by_name == {"a@m": (4, 1000), "b@m": (2.5, None)}


@pytest.mark.parametrize("value", ['"4"', "undefined", "1 + 3", "true", 'real("NaN")', "[a = 1]"])
def test_what_is_no_number_is_not_told(tmp_path: Path, value: str) -> None:
    found = columns(pool_of(tmp_path, slot("a@m", EnteredCurrentState=value)))
    assert found["since"] == [None]


def test_columns_are_numbers_that_json_has() -> None:
    for number in columns(pieslice.read(CAMPUS))["since"]:
        assert number is None or math.isfinite(number)


# --- groups and limits ----------------------------------------------------------------------------


def groups_of(trials: Trials) -> dict[str, JsonObject]:
    return {one["name"]: one for one in trials.overview()["base"]["groups"]}


def test_groups_stand_in_a_tree(tmp_path: Path) -> None:
    found = groups_of(Trials(pool_of(tmp_path, slot("a@m"), config=CONFIG).reading))
    depths = {name: one["depth"] for name, one in found.items()}
    assert depths == {"<none>": 0, "a": 1, "a.b": 2, "a.b.c": 3, "z": 1, "empty": 1}
    assert {name: one["surplus"] for name, one in found.items()} | {"<none>": ""} == {
        "<none>": "", "a": "regroup", "a.b": "no", "a.b.c": "no", "z": "byquota", "empty": "no",
    }  # fmt: skip


def test_a_group_is_full_when_nothing_of_its_quota_is_left(tmp_path: Path) -> None:
    slots = [held_by(f"slot{at}@m", "z.u@x", AccountingGroup='"z.u@x"') for at in range(2)]
    found = groups_of(Trials(pool_of(tmp_path, *slots, slot("b@m"), config=CONFIG).reading))
    assert found["z"]["usage"] == 2
    assert {name for name, one in found.items() if one["full"]} == {"z"}


def test_limits_are_those_that_a_cycle_counts() -> None:
    base = pieslice.read(TOUR).session().base
    (matlab,) = base.limits
    snapshot = base.held.capture.snapshot
    claimed = Counter(ad.get_string("ConcurrencyLimits") for ad in snapshot.slots)
    assert (matlab.name, matlab.before) == ("matlab", claimed["matlab"])
    assert matlab.after > matlab.before
    assert matlab.full
    assert matlab.maximum == base.held.capture.policy.concurrency_limits.maximum("matlab")


def test_limits_follow_the_policy_and_the_cycle() -> None:
    trial = pieslice.read(TOUR).session().edit("MATLAB_LIMIT = 50")
    (limit,) = trial.limits
    assert (limit.maximum, limit.full) == (50, False)
    assert trial.session.base.limits[0].maximum == 2
    assert trial.later(2).limits[0].maximum == 50


# --- candidates of a job --------------------------------------------------------------------------


def test_candidates_are_those_of_rank_before_and_after() -> None:
    text = "NEGOTIATOR_PRE_JOB_RANK = -Cpus"
    pool = pieslice.read(CAMPUS)
    found = Trials(pool.reading).rank(EditedTexts(text), "15.0", cancelled=lambda: False)
    for side, one in (("before", pool), ("after", pool.with_config(text))):
        ranked = one.rank("15.0")
        assert found[side]["slots"] == [it.slot for it in ranked.found.slots]  # type: ignore[union-attr]
        assert found[side]["answer"][0]["line"] == ranked.report()[0].text  # type: ignore[union-attr]
    assert not found["same"]


def test_a_job_that_is_none_has_no_candidates() -> None:
    found = Trials(pieslice.read(TOUR).reading).rank(
        EditedTexts(), "99999.0", cancelled=lambda: False
    )
    assert found["same"]
    assert found["after"]["slots"] == []
    assert "no job" in found["after"]["answer"][0]["line"]
