"""The matrix says of every slot and request what evaluating both requirements says."""

from __future__ import annotations

from pathlib import Path

import pytest

from classad.ad import ClassAd
from classad.evaluate import EvalContext
from classad.expr import ExprTree
from negotiator.io import CapturePaths, read_capture
from negotiator.matchmatrix import MatchMatrix
from negotiator.slots import fetch_slots, meets
from tests.negotiator import scenarios

CAMPUS = Path(__file__).parents[2] / "examples" / "campus"


def check(slots: list[ClassAd], jobs: list[ClassAd]) -> None:
    context = EvalContext(now=scenarios.NOW)
    prepared = dict(enumerate(fetch_slots(slots, {}, scenarios.policy_of({}), context)))
    matrix = MatchMatrix(prepared, len(prepared), context)
    # Twice: the second time all answers come from what the first one left.
    for job in jobs + jobs:
        flags = matrix.matching(job)
        for position, slot in prepared.items():
            expected = meets(slot.ad, job, context) and meets(job, slot.ad, context)
            assert bool(flags[position]) == expected, (slot.name, job)


def ad(**attributes: str) -> ClassAd:
    made = ClassAd()
    for name, text in attributes.items():
        made.insert(name, ExprTree(text))
    return made


def test_campus() -> None:
    snapshot = read_capture(CapturePaths(CAMPUS)).snapshot
    clusters = {job.get_number("ClusterId"): job for queue in snapshot.queues for job in queue.jobs}
    check(list(snapshot.slots), list(clusters.values()))


@pytest.mark.parametrize(
    "name",
    ["requirements-both-sides", "requirements-not-boolean", "machine-requirements-not-boolean",
     "requirements-undefined", "scopes", "random-102", "random-109"],
)  # fmt: skip
def test_recorded(name: str) -> None:
    snapshot = scenarios.snapshot_of(scenarios.load(name))
    check(list(snapshot.slots), [job for queue in snapshot.queues for job in queue.jobs[::7]])


REQUIREMENTS = (
    "Start && TARGET.Memory >= 10",
    "(A > 1) && (B || C)",
    "MY.A =?= 1.0 && Extra",
    "Extra =!= undefined && eval(Text)",
    "[x = A].x == 1",
    "member(A, List) && Start",
    "random(10) >= 0 && A",
    "Requirements",
    "Start && Requirements",
    "true",
    "0.0",
    '"yes"',
)
OWN = (
    {"A": "1", "Start": "TARGET.A == 1"},
    {"A": "1.0", "Start": "A", "B": "true", "Memory": "20"},
    {"A": "true", "Extra": "TARGET.Start", "List": "{1, 2}", "Memory": "TARGET.A * 20"},
    {"A": "-0.0", "Text": '"A >= 0"', "C": "B + 1", "B": "TARGET.B"},
    {"A": "0.0", "Text": '"TARGET.A < 2"', "List": "{A}", "Extra": "5"},
)


def test_kinds_of_expressions() -> None:
    slots = [
        ad(Name=f'"s{i}.{k}"', Requirements=text, **own)
        for i, text in enumerate(REQUIREMENTS)
        for k, own in enumerate(OWN)
    ]
    slots.append(ad(Name='"none"', A="1"))
    jobs = [ad(Requirements=text, **own) for text in REQUIREMENTS for own in OWN]
    check(slots, [*jobs, ad(A="1")])
