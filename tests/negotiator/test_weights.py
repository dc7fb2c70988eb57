"""Weights of idle jobs: what a schedd's configuration makes of what jobs ask for."""

from __future__ import annotations

import pytest
from attr import evolve

from classad import ClassAd, ExprTree
from negotiator.jobs.submitters import IdleJobWeights
from policy.load import policy_from_knobs
from policy.versions import Version


@pytest.mark.parametrize(
    ("knobs", "wanted"),
    [
        ({}, 2),
        ({"SLOT_WEIGHT": "Memory"}, 3000),
        ({"SLOT_WEIGHT": "Memory / 1024.0"}, 2),
        ({"SLOT_WEIGHT": "Disk"}, 2048),  # without a request it follows the cores
        ({"SLOT_WEIGHT": "1.9"}, 1),
        ({"SLOT_WEIGHT": "0"}, 0),
        ({"SLOT_WEIGHT": "0.9"}, 0),
        ({"SLOT_WEIGHT": "-1.5"}, -1),
        ({"SCHEDD_SLOT_WEIGHT": "RequestCpus - 2"}, 0),
        ({"SLOT_WEIGHT": "undefined"}, 2),
        ({"SLOT_WEIGHT": "RequestCpus * 10"}, 2),  # the slot has no such attribute
        ({"SLOT_WEIGHT": "1", "SCHEDD_SLOT_WEIGHT": "RequestCpus * 10.5"}, 21),
        ({"SLOT_WEIGHT": "1", "SCHEDD_SLOT_WEIGHT": "undefined"}, 2),
        ({"SCHEDD_USE_SLOT_WEIGHT": "False", "SCHEDD_SLOT_WEIGHT": "7", "SLOT_WEIGHT": "9"}, 2),
    ],
)
def test_a_job_weighs_what_the_schedd_says(knobs: dict[str, str], wanted: int) -> None:
    job = ClassAd({"RequestCpus": 2, "RequestMemory": ExprTree("1500 * RequestCpus")})
    weights = IdleJobWeights.by(policy_from_knobs(knobs).policy)
    assert weights.of(job) == wanted
    assert weights.sum([job, job]) == 2 * wanted


@pytest.mark.parametrize(("text", "wanted"), [("Cpus", 1), ("Memory", 1), ("Memory + 0", 1024)])
def test_a_job_that_asks_for_nothing_fills_one_core(text: str, wanted: int) -> None:
    weights = IdleJobWeights.by(policy_from_knobs({"SLOT_WEIGHT": text}).policy)
    assert weights.of(ClassAd()) == wanted


def test_a_schedd_evaluates_by_the_language_of_its_version() -> None:
    """Before 25.13.2 a reference that leads to itself fails, and the job weighs its cores."""
    knobs = {"SCHEDD_SLOT_WEIGHT": "isUndefined(Busy) ? 7 : 9"}
    job = ClassAd({"RequestCpus": 2, "Busy": ExprTree("Busy")})
    for version, wanted in ((Version(25, 14, 1), 7), (Version(25, 0, 13), 2)):
        policy = evolve(policy_from_knobs(knobs).policy, version=version)
        assert IdleJobWeights.by(policy).of(job) == wanted


@pytest.mark.parametrize("cpus", [-1e308, 1e308])
def test_the_weights_of_many_absurd_jobs_are_still_a_number(cpus: float) -> None:
    weights = IdleJobWeights()
    jobs = [ClassAd({"RequestCpus": cpus})] * 3
    assert weights.sum(jobs) == sum(map(weights.of, jobs))
    assert float(weights.sum(jobs)) == 3 * (2.0**63) * (1 if cpus > 0 else -1)
