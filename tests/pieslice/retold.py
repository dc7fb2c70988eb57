"""Asks recorded pools what ``why``, ``rank``, ``quotas`` and ``diff`` answer.

The questions are those that are kept in ``retold/why.txt``, below the name of each scenario; they
were chosen from ten times as many by what they tell that no other one tells.  ``python -m
tests.pieslice.retold`` asks all of them anew and keeps the answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Any, Final

from negotiator.capture.files import CapturePaths
from negotiator.cycle import negotiate
from negotiator.io import Capture
from negotiator.scenario.as_capture import scenario_capture
from pieslice.reports.result import Result
from pieslice.why.autoclusters.scope import UnknownScopeError, find_jobs
from pieslice.why.jobs import UnknownJobError, find_job
from pieslice.why.questions import compare, divide_quotas, explain_job, rank_slots, survey_jobs
from pieslice.why.slots.case import UnknownSlotError
from tests.negotiator import scenarios
from tests.negotiator.test_wild import NAMES as WILD
from tests.negotiator.test_wild import load as load_wild
from tests.pieslice.keeping import Kept, Told, told

KEPT: Final = Kept("why")


def load(name: str) -> dict[str, Any]:
    """A recorded scenario, wild ones too."""
    return load_wild(name) if name in WILD else scenarios.load(name)


def pool_of(case: Mapping[str, Any]) -> Capture:
    """The pool of a scenario, as commands read it."""
    return scenario_capture(case, CapturePaths(Path(case["scenario"]["name"])))


def answered(name: str, questions: Iterable[str]) -> dict[str, Told]:
    """What questions about a scenario are answered."""
    case = load(name)
    pool = pool_of(case)
    return {words: ask(case, pool, words) for words in questions}


def ask(case: Mapping[str, Any], pool: Capture, words: str) -> Told:
    """What a question is answered."""
    command, *rest = words.split()
    try:
        return told(_answer(case, pool, command, rest))
    except (UnknownScopeError, UnknownJobError, UnknownSlotError) as problem:
        return Told((f"error: {problem}",))


def _answer(case: Mapping[str, Any], pool: Capture, command: str, rest: list[str]) -> Result:
    snapshot, policy = pool.snapshot, pool.policy
    if command == "quotas":
        return divide_quotas(pool, trace=True, seed=0)
    if command == "diff":
        scenario = case["scenario"]
        config = scenario.get("config", {}) | dict(word.split("=", 1) for word in rest)
        other = pool_of({**case, "scenario": {**scenario, "config": config}})
        before, after = (
            negotiate(each.snapshot, each.policy, now=each.facts.now, rng=Random(0))
            for each in (pool, other)
        )
        return compare(before, after, ("A", "B"))
    if command == "rank":
        return rank_slots(pool, find_job(snapshot, rest[0]), None, 0)
    if rest[0].startswith("--"):
        return survey_jobs(pool, find_jobs(snapshot, policy, **{rest[0][2:]: rest[1]}), 0)
    return explain_job(pool, find_job(snapshot, rest[0]), rest[1] if rest[1:] else None, 0)


if __name__ == "__main__":
    KEPT.write((name, answered(name, asked)) for name, asked in KEPT.answers.items())
