"""What ``pieslice why`` and ``pieslice quotas`` write about the recorded scenarios."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pieslice.cli import main
from tests.negotiator import scenarios

#: One of seven of all, and those of what is rare.
NAMES = [
    name
    for number, name in enumerate(scenarios.names())
    if number % 7 == 0 or name.startswith(("pslot", "batch", "skip", "concurrency", "limits"))
]
#: What the first line says of a fate.
SAID = {
    "matched": "matched, ", "rejected": "rejected, ", "cut off": "requested, but not offered: ",
    "no session": "not requested: ", "not requested": "not requested: ",
    "matched, but not started": "matched, but not started: ",
}  # fmt: skip
MOST = 2


def run(capsys: Any, *arguments: str) -> str:
    assert main([*arguments]) == 0
    text: str = capsys.readouterr().out
    return text


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_first_line_is_what_happened(name: str, capsys: Any) -> None:
    file = str(scenarios.VECTORS / f"{name}.json")
    queues = scenarios.snapshot_of(scenarios.load(name)).queues
    ads = queues[0].jobs[:MOST] if len(queues) == 1 else ()
    for job in [f"{ad.raw('ClusterId')}.{ad.raw('ProcId')}" for ad in ads]:
        data = json.loads(run(capsys, "why", file, job, "--json"))
        text = " ".join(run(capsys, "why", file, job).split())
        told = text.removeprefix(f"job {job} of {data['submitter']}: ")
        assert told != text
        if data["left"] is not None:
            # The schedd starts it, whatever the cycle made of it.
            assert told.startswith(f"starts at once on what the match of {data['left']['job']} ")
            continue
        # A job that its schedd does not offer has no fate in the cycle.
        assert told.startswith(SAID.get(data["fate"], "idle, but not offered: "))


@pytest.mark.slow
@pytest.mark.parametrize("name", [it for it in scenarios.names() if it.startswith("groups-")])
def test_each_step_of_the_quotas_has_its_sentence(name: str, capsys: Any) -> None:
    file = str(scenarios.VECTORS / f"{name}.json")
    rounds = json.loads(run(capsys, "quotas", file, "--json"))["rounds"]
    text = run(capsys, "quotas", file, "--trace", "--width", "1000")
    for step in (step for each in rounds for step in each["steps"]):
        assert f"{step['group']}: " in text
