"""Experiments of ``pieslice lab`` without a browser: days that are simulated, sweeps, searches."""

from __future__ import annotations

import asyncio
import io
import json
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.testclient import TestClient

import pieslice
from pieslice.api.errors import Error
from pieslice.api.pool import Pool
from pieslice.cli import main
from pieslice.inputs.pool import read_pool
from pieslice.lab.experiments.elements import elements
from pieslice.lab.experiments.experiments import Experiments
from pieslice.lab.experiments.runs import Experiment, RunningExperiment
from pieslice.lab.experiments.visits import opened as opened_pool
from pieslice.lab.experiments.wanted import Fuzzing, Simulating, Sweeping
from pieslice.lab.texts import EditedTexts
from pieslice.lab.worker import Worker
from policy.versions import Version
from tests.pieslice.test_lab import CAMPUS, NO_PREEMPTION, OWN, TOUR, ask, lab_of, opened

ROOT = Path(__file__).parents[2]
HOURS = 0.05
WORKLOAD = '[[stream]]\nuser = "zoe@x.example"\nbacklog = 3\nrun_time = 600\n'


@pytest.fixture(scope="module")
def tour() -> Iterator[TestClient]:
    yield from opened(TOUR)


@pytest.fixture(scope="module")
def experiments() -> Experiments:
    return Experiments(pieslice.read(TOUR).reading)


def begin(client: TestClient, **question: object) -> int:
    answer = client.post("/api/run", json=question, headers=OWN)
    assert answer.status_code == 200, answer.text
    return int(answer.json()["run"])


def events(client: TestClient, run: int) -> list[dict[str, Any]]:
    """What is told of a run until it has ended."""
    answer = client.get(f"/api/events?run={run}")
    assert answer.headers["content-type"].startswith("text/event-stream")
    return [json.loads(line.removeprefix("data: ")) for line in answer.text.split("\n\n") if line]


def test_the_end_is_told_though_it_comes_while_a_state_is_sent() -> None:
    async def heard() -> list[str]:
        run = RunningExperiment(cast("Worker", None), Experiment("fuzz", ()))
        states = []
        async for event in run.events():
            states.append(json.loads(event.removeprefix("data: "))["state"])
            run.say({"state": "done", "answer": {}})
        return states

    assert asyncio.run(heard()) == ["running", "done"]


def texts_in(parts: list[Any]) -> str:
    parts = [one for one in parts if not isinstance(one, dict)]
    return " ".join(one if isinstance(one, str) else texts_in(one) for one in parts)


def test_both_policies_are_simulated_as_by_the_library(tour: TestClient) -> None:
    found = events(tour, begin(tour, kind="simulate", overlay=NO_PREEMPTION, days=HOURS))
    assert [one["state"] for one in found[:-1]] == ["running"] * (len(found) - 1)
    assert found[-1]["state"] == "done"
    policies = {"the running policy": None, "the edited policy": {NO_PREEMPTION.split()[0]: False}}
    wanted = pieslice.simulate(TOUR, "capture", policies, days=HOURS)
    numbers = texts_in([one["rows"] for one in found[-1]["answer"]["numbers"] if "rows" in one])
    for line in wanted.text(200).splitlines():
        if line.startswith(("jobs completed", "preemptions", "goodput")):
            title, *values = re.split(r"  +", line)
            assert " ".join([title, *values]) in " ".join(numbers.split())


def test_its_charts_are_those_of_a_report(experiments: Experiments) -> None:
    found = experiments.simulate(EditedTexts(), Simulating(HOURS), told=lambda _: None)
    assert found["sides"] == ["the running policy"]
    figures = [one for one in found["charts"] if one[0] == "figure"]  # type: ignore[union-attr]
    wanted = pieslice.simulate(TOUR, "capture", days=HOURS)
    for one in figures:
        title = wanted.plot(one[1]["id"]).chart.title
        assert title in texts_in(one)
    assert len(figures) > 3


def test_other_jobs_are_simulated(experiments: Experiments) -> None:
    given = Simulating(HOURS, workload=WORKLOAD)
    found = experiments.simulate(EditedTexts(), given, told=lambda _: None)
    assert "zoe@x.example" in str(found["numbers"])
    for text, said in (("[[stream]", "the workload: "), ("a = 1", r"no \[\[stream\]\]")):
        with pytest.raises(Error, match=said):
            experiments.simulate(EditedTexts(), Simulating(workload=text), told=lambda _: None)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ({"days": 0}, "days"),
        ({"days": 1e9}, "days"),
        ({"every": -1}, "hours"),
        ({"run_time": 0}, "run time"),
        ({"overlay": "A 1"}, "="),
    ],
    ids=str,
)
def test_what_cannot_be_simulated_is_refused(
    tour: TestClient, question: dict[str, object], said: str
) -> None:
    (*_, last) = events(tour, begin(tour, kind="simulate", **question))
    assert last["state"] == "refused"
    assert said in last["problem"]


@pytest.mark.parametrize("question", [{"kind": "dance"}, {}, {"kind": "simulate", "days": "1"}])
def test_what_is_no_experiment_is_not_begun(tour: TestClient, question: dict[str, object]) -> None:
    assert tour.post("/api/run", json=question, headers=OWN).status_code == 400
    assert tour.get("/api/events?run=99").status_code == 404
    assert tour.post("/api/stop", json={"run": 99}, headers=OWN).status_code == 422


def test_a_run_is_stopped_and_only_two_go_on() -> None:
    for client in opened(CAMPUS):
        runs = [begin(client, kind="simulate", days=30) for _ in range(2)]
        refused = client.post("/api/run", json={"kind": "simulate"}, headers=OWN)
        assert refused.status_code == 422
        assert "2 experiments" in refused.json()["problem"]
        # The policy is edited meanwhile.
        assert ask(client, "edit", overlay=NO_PREEMPTION)["starts"]
        processes = [client.app_lab.runs.run(one).worker for one in runs]  # type: ignore[attr-defined]
        for run in runs:
            ask(client, "stop", run=run)
            assert events(client, run)[-1] == {"state": "stopped"}
        assert not any(one.alive for one in processes)


def test_a_scenario_is_simulated_too() -> None:
    scenario = pieslice.read(ROOT / "examples" / "scenarios" / "two_users.json").reading
    found = Experiments(scenario).simulate(EditedTexts(), Simulating(HOURS), told=lambda _: None)
    assert found["sentences"]


# --- sweeps ---------------------------------------------------------------------------------------


def test_a_point_of_a_sweep_is_what_diff_says(tour: TestClient) -> None:
    axes = [["GROUP_QUOTA_chemistry", "2, 16"], ["NEGOTIATOR_CONSIDER_PREEMPTION", "true, false"]]
    overlay = "PRIORITY_HALFLIFE = 60"
    (*_, last) = events(tour, begin(tour, kind="sweep", overlay=overlay, axes=axes))
    found = last["answer"]
    assert [one["values"] for one in found["axes"]] == [["2", "16"], ["true", "false"]]
    pool, other = pieslice.read(TOUR), []
    for quota in ("2", "16"):
        for value in ("true", "false"):
            text = f"{overlay}\n{axes[0][0]} = {quota}\n{axes[1][0]} = {value}\n"
            other.append(pool.diff(pool.with_config(text)))
    for point, wanted in zip(found["points"], other, strict=True):
        assert point["slots"] == len(wanted.slots)
        nets = {one.user: one.net for one in wanted.users if one.net}
        assert dict(point["users"]) == nets
    assert any(point["users"] for point in found["points"])


def test_a_value_that_nobody_starts_with_spoils_no_other(experiments: Experiments) -> None:
    given = Sweeping((("NEGOTIATOR_CONSIDER_PREEMPTION", "17 x, true"),))
    found = experiments.sweep(EditedTexts(), given, told=lambda _: None)
    wrong, right = found["points"]  # type: ignore[misc]
    assert not wrong["starts"]
    assert "is not a boolean" in wrong["problem"]
    assert right["starts"]


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        ([], "at least one macro"),
        ([["A", "1"], ["B", "1"], ["C", "1"]], "2 macros at most"),
        ([["A B", "1"]], "not the name of a macro"),
        ([["A", "1"], ["a", "2"]], "set twice"),
        ([["A", ",".join(map(str, range(401)))]], "401 cycles"),
    ],
)
def test_what_is_no_sweep_is_refused(tour: TestClient, axes: list[list[str]], said: str) -> None:
    (*_, last) = events(tour, begin(tour, kind="sweep", axes=axes))
    assert last["state"] == "refused"
    assert said in last["problem"]


# --- searches -------------------------------------------------------------------------------------

BY_A_HAIR = "PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio\n"


def test_a_search_finds_what_the_command_finds(tour: TestClient, tmp_path: Path) -> None:
    given = {"kind": "fuzz", "overlay": BY_A_HAIR, "macro": "PREEMPTION_REQUIREMENTS"}
    (*_, last) = events(tour, begin(tour, **given, pairs=20_000))
    found = {(one["property"], one["macro"]) for one in last["answer"]["findings"]}
    assert ("margin", "PREEMPTION_REQUIREMENTS") in found
    assert {one["place"] for one in last["answer"]["findings"]} == {"overlay, line 1"}
    lines = [(TOUR / "condor_config").read_text("utf-8"), BY_A_HAIR]
    (tmp_path / "config").write_text("\n".join(lines), "utf-8")
    for name in ("slots.ads", "jobs.ads"):
        (tmp_path / name).write_bytes((TOUR / name).read_bytes())
    words = ["--json", "--knob", "PREEMPTION_REQUIREMENTS", "--examples", "20000"]
    words += ["--pool", str(tmp_path)]
    said = io.StringIO()
    with redirect_stdout(said):
        main(["fuzz", str(tmp_path / "config"), *words])
    wanted = json.loads(said.getvalue())["counterexamples"]
    assert found == {(one["property"], one["macro"]) for one in wanted}


def test_nothing_that_can_be_searched_is_said(tour: TestClient) -> None:
    for macro, said in (("BLAH", "no expression"), ("SYSTEM_PERIODIC_RELEASE", "nothing to test")):
        (*_, last) = events(tour, begin(tour, kind="fuzz", macro=macro))
        assert last["state"] == "refused"
        assert said in last["problem"]
    scenario = pieslice.read(ROOT / "examples" / "scenarios" / "two_users.json").reading
    with pytest.raises(Error, match="in no files"):
        Experiments(scenario).fuzz(EditedTexts(), Fuzzing(), told=lambda _: None)


@pytest.mark.parametrize("policy", [BY_A_HAIR, "PREEMPTION_REQUIREMENTS = true\n"], ids=str.strip)
def test_a_counterexample_is_a_pool_in_which_it_happens(policy: str, tmp_path: Path) -> None:
    reading = pieslice.read(CAMPUS).reading
    given = Fuzzing("PREEMPTION_REQUIREMENTS", 20_000)
    found = Experiments(reading).fuzz(EditedTexts(policy), given, told=lambda _: None)
    findings: Any = found["findings"]
    preempting = [one for one in findings if " preempts " in one["steps"][0]["sentence"]]
    assert preempting
    checks = Worker("checks")
    try:
        checks.begin(reading, 0.0, Version(25, 14, 1))
        for number, one in enumerate(preempting):
            place = tmp_path / str(number)
            pool = read_pool(opened_pool(place, checks, one, EditedTexts(policy)))
            matches = Pool(reading, pool).negotiate().result.matches
            who, whom = one["steps"][0]["sentence"].split(" preempts ")
            took = [(it.submitter, it.preempted) for it in matches if it.slot == "slot1@machine"]
            assert [(a.split("@")[0], (b or "").split("@")[0]) for a, b in took] == [(who, whom)]
    finally:
        checks.close()


def test_a_counterexample_is_opened_with_a_way_back() -> None:
    for client in opened(TOUR):
        home = client.get("/api/pool").json()
        assert home["visit"] is None
        given = {"kind": "fuzz", "overlay": BY_A_HAIR, "macro": "PREEMPTION_REQUIREMENTS"}
        run = begin(client, **given, pairs=20_000)
        findings = events(client, run)[-1]["answer"]["findings"]
        refused = client.post("/api/see", json={"run": run, "place": 99}, headers=OWN)
        assert refused.status_code == 422
        ask(client, "see", run=run, place=0)
        there = client.get("/api/pool").json()
        assert there["visit"] == {"home": "tour", "says": findings[0]["says"]}
        assert there["counts"]["jobs"] == 2
        assert [one["name"] for one in there["files"]][1] == "edited.config"
        assert there["files"][1]["text"] == BY_A_HAIR
        assert ask(client, "edit", overlay=NO_PREEMPTION)["starts"]
        assert ask(client, "check", overlay="A = 1\n")["checked"]
        place = lab_of(client).visit.place.name  # type: ignore[union-attr]
        # What was searched before is kept, and the page of the other pool asks in vain.
        assert events(client, run)[-1]["answer"]["findings"] == findings
        ask(client, "back")
        assert client.get("/api/pool").json() == home
        assert not Path(place).exists()
        assert client.post("/api/back", json={}, headers=OWN).status_code == 422


def test_elements_are_those_of_the_text() -> None:
    html = '<svg viewBox="0 0 1 2" class="a"><path d="M0 0"/></svg><b>a &lt;b&gt; &amp;</b>'
    assert elements(html) == [
        ["svg", {"viewBox": "0 0 1 2", "class": "a"}, ["path", {"d": "M0 0"}]],
        ["b", {}, "a <b> &"],
    ]
    with pytest.raises(ValueError, match="ends another"):
        elements("<b><i></b></i>")
