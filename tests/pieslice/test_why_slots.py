"""``pieslice why JOB SLOT``: what may be named, what may have been meant, names of any kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pieslice.cli import main
from pieslice.reports.layout import Line
from pieslice.why.answer import explain_job
from pieslice.why.asked import find_job, find_slots
from pieslice.why.funnel import requirement_blocks
from pieslice.why.moments import AskedCycle
from tests.negotiator import scenarios

TOUR = str(Path(__file__).parents[2] / "examples" / "tour")
NAMES = ["slot1@node1.a.org", "slot2@node1.a.org", "slot1@node10.a.org", "slot1_1@big.a.org"]
NAMES += ["slot1@node05@vm", "slot2@node05@vm", "slot1@node06@vm", "bare.a.org"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("slot1@node1.a.org", [0]),
        ("SLOT1@NODE1.a.org", [0]),
        ("slot1@node1", [0]),
        ("slot1@node10", [2]),
        ("node1.a.org", [0, 1]),
        ("Node1", [0, 1]),
        ("slot1@", [0, 2, 4, 6]),
        ("big", [3]),
        ("node05", [4, 5]),
        ("node05@vm", [4, 5]),
        ("slot1@node05", [4]),
        ("slot1", [0, 2, 3, 4, 6]),
        ("bare", [7]),
        ("node", []),
    ],
)
def test_a_slot_or_a_machine_is_named_as_far_as_it_is_known(text: str, found: list[int]) -> None:
    assert find_slots(NAMES, text) == [NAMES[place] for place in found]


def test_all_slots_of_a_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", TOUR, "15.1", "node3", "--json"]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert data["slot"] is None
    assert {case["slot"]: case["place"] for case in data["machine"]} == {
        "slot1@node3": 1, "slot2@node3": None, "slot3@node3": 2, "slot4@node3": None,
    }  # fmt: skip
    assert main(["why", TOUR, "15.1", "node3"]) == 0
    text = capsys.readouterr().out
    assert "node3: 2 of 4 slots are candidates" in text
    assert text.index("slot3@node3") < text.index("slot2@node3")


@pytest.mark.parametrize("words", [("11.0", "node3"), ("11.0", "slot1@node3")])
def test_sentences_are_broken_where_there_is_little_room(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing of them is lost."""
    assert main(["why", TOUR, *words, "--wide"]) == 0
    whole = capsys.readouterr().out
    assert main(["why", TOUR, *words, "--width", "56"]) == 0
    narrow = capsys.readouterr().out
    assert max(map(len, narrow.splitlines())) <= 56
    assert max(map(len, whole.splitlines())) > 70
    sentences = [line.rpartition("  ")[2] for line in whole.splitlines() if len(line) > 70]
    assert sentences
    for word in " ".join(sentences).split():
        assert word in narrow.replace("\n", " ")


def test_a_clause_that_is_not_true_is_told_for_each_slot(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["why", TOUR, "11.0", "node3", "--wide"]) == 0
    assert capsys.readouterr().out.count("the job: TARGET.HasMatlb is undefined") == 4


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("11.0", "slot9@node3"), "; node3 has slot1@node3, slot2@node3, slot3@node3, slot4@node3"),
        (("11.0", "nodee3"), "; did you mean `node3`?"),
        (("11.0", "slot1@nod3"), "; did you mean `slot1@node3`?"),
        (("11.0", "slot1"), "`slot1` matches 7 slots: "),
        (("11.7",), "no job `11.7` in the queues; cluster 11 has 11.0"),
        (("99",), "; the nearest clusters are 16, 15, 14, 13 and "),
        (("tor#11.0",), "; the queues are "),
        (("11.0", "\x1b[31m<b>"), r"no slot `\x1b[31m<b>` in the pool"),
    ],
)
def test_what_may_have_been_meant(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["why", TOUR, *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.startswith("error: ")
    assert error.count("\n") == 1


def test_slots_that_the_cycle_does_not_consider() -> None:
    """They are in no step of the funnel, and a question about one of them says why."""
    case = scenarios.load("corner-no-preemption-claimed-slots-projected")
    snapshot, policy = scenarios.snapshot_of(case), scenarios.policy_of(case["scenario"])
    job = find_job(snapshot, "1.0")
    answer = explain_job(AskedCycle(snapshot, policy, scenarios.NOW), job)
    trimmed = [item.name for item in answer.history.result.trimmed]
    assert answer.seen is not None
    assert answer.seen.funnel.in_view == answer.slots - len(trimmed) == 1
    assert not any(step.removed for step in answer.seen.funnel.steps)
    assert requirement_blocks(answer.seen.funnel, answer.slots)[0] == Line(
        "Requirements, over 1 of 3 slots: those that the cycle considers", heading=True
    )
    one = explain_job(AskedCycle(snapshot, policy, scenarios.NOW), job, trimmed[0])
    assert one.trimmed == (trimmed[0], "claimed while preemption is not considered")


def test_names_of_any_kind_come_out_harmless(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Escapes, markup and quotes in values and clauses, 300 characters in a name."""
    long = "y" * 300
    slot = {"name": f"slot1@<b>{long}", "ad": {"Kind": '"\x1b[2J<i>"', "Cpus": 1}}
    wanted = f'TARGET.Kind == "\x1b[31m" && TARGET.{long} && TARGET.Cpus >= RequestCpus'
    job = {"submitter": "al\x1bice", "ad": {"Requirements": wanted, "RequestCpus": 4}}
    path = tmp_path / "odd.json"
    path.write_text(json.dumps({"slots": [slot], "jobs": [job], "config": {}}))
    for words in ((), ("slot1",), ("--json",)):
        assert main(["why", str(path), "1.0", *words]) == 0
        text = capsys.readouterr().out
        assert "\x1b" not in text
        assert long in text
