"""Runs the cycle without submitters that a warm negotiator has been through.

Inputs: a scenario, the snapshot of a cycle, its policy.  Outputs: the snapshot with what the
negotiator remembers.  Follows: the README beside the recorded negotiation scenarios.
"""

from __future__ import annotations

from attr import evolve

from negotiator.cycle import negotiate
from negotiator.model.result import CycleResult
from negotiator.model.snapshot import Snapshot
from negotiator.scenario.expand import Scenario
from policy.model import NegotiatorPolicy


def one_process(scenario: Scenario) -> bool:
    """Whether all cycles of a record come from one negotiator, after one warm-up."""
    return scenario.get("process") == "one"


def seconds_since(seen: Scenario, elapsed: int = 0) -> float:
    """The seconds from one cycle of a process to the one in which so much was ``seen``.

    What matters is which of two turns was the earlier one; they were in different seconds unless
    the record says that they were not.
    """
    return 0.0 if seen.get("same_second") else max(float(elapsed), 1.0)


def warmed(
    scenario: Scenario, seen: Scenario, snapshot: Snapshot, policy: NegotiatorPolicy, now: float
) -> Snapshot:
    """The snapshot of a negotiator that has just held a cycle without submitters, if it has."""
    warm = scenario.get("warm", "GROUP_NAMES" in scenario.get("config", {}))
    if not (warm or one_process(scenario)):
        return snapshot
    idle = Snapshot(slots=snapshot.slots, claims=snapshot.claims)
    return remembering(snapshot, negotiate(idle, policy, now=now), seconds_since(seen))


def remembering(snapshot: Snapshot, before: CycleResult, seconds: float) -> Snapshot:
    """The snapshot with what a negotiator remembers of its last cycle, ``seconds`` ago.

    The clock of recorded cycles stands still, so what happened moves back.
    """
    turns = before.group_turns
    return evolve(
        snapshot,
        previous_quotas=before.quotas,
        group_turns=turns and {group: time - seconds for group, time in turns.items()},
    )
