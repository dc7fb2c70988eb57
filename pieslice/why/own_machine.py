"""Says whether a schedd starts a job of the scheduler or local universe on its own machine.

Inputs: the snapshot, the policy, the job.  Outputs: ``OwnMachine``: the tests with their conditions
opened; blocks for ``pieslice.reports.layout``.  Follows: ``negotiator.jobs.own_machine``, which
decides.
"""

from __future__ import annotations

from collections.abc import Mapping

from attr import field, frozen

from classad.evaluate import EvalContext
from negotiator.jobs.own_machine import StartTest, own_machine_starts
from negotiator.model.snapshot import JobNumber, Snapshot
from pieslice.reports.document import NOT_SHOWN, SPARSE
from pieslice.reports.layout import Block, Line
from pieslice.why.conditions import ConditionValue, condition_value, near_lines
from policy.model import NegotiatorPolicy
from policy.universes import universe_name


@frozen(eq=False)
class OwnMachineTest:
    """A test that the schedd makes: a limit of which ``used`` of ``most`` are taken, a condition.

    ``met``: null if that depends on ``unknown``: attributes of the schedd's machine that are not in
    the capture.  ``absent``: those that the schedd advertises, and does not have for this test.
    """

    name: str
    met: bool | None
    unknown: tuple[str, ...]
    absent: tuple[str, ...]
    used: int | None = field(default=None, metadata=SPARSE)
    most: int | None = field(default=None, metadata=SPARSE)
    finding: ConditionValue | None = field(default=None, metadata=SPARSE)

    @property
    def text(self) -> str:
        """What it says of the job, in a few words."""
        if self.met is None:
            return f"{self.name} depends on {', '.join(self.unknown)}, which no capture tells"
        if self.finding is None:
            return f"{self.used} of {self.most} jobs of its owner run ({self.name})"
        whose = "are not true of the schedd" if self.name == "Requirements" else "is not true"
        return f"{self.name} {whose}"

    def blocks(self, *, every: bool = False) -> list[Block]:
        """The test with what decides it."""
        level = "" if self.met else "bad"
        if self.finding is None:
            room = f"{self.used} of {self.most} jobs of its owner run"
            return [Line(f"  {self.name}: {room}", level=level)]
        said = "not known" if self.met is None else "true" if self.met else "not true"
        found: list[Block] = [Line(f"  {self.name}: {said}", level=level)]
        if not self.met:
            found += near_lines(self.finding, every=every)
        if self.unknown:
            found.append(Line(f"    not in the capture: {', '.join(self.unknown)}"))
        if self.absent:
            names = ", ".join(self.absent)
            text = f"    the schedd advertises {names}, and has no such attribute for this test"
            found.append(Line(text, level="bad"))
        return found


@frozen(eq=False)
class OwnMachine:
    """A job that waits to run on the machine of its ``schedd``, and the tests for that in order.

    ``starts``: whether the schedd starts it when it goes through its queue next; null if that
    depends on what is not in the capture.
    """

    universe: str
    schedd: str
    starts: bool | None
    tests: tuple[OwnMachineTest, ...]
    waits: str = field(metadata=NOT_SHOWN)

    def blocks(self, *, every: bool = False) -> list[Block]:
        """Where the job runs, and each test."""
        where = f"  it runs on the machine of {self.schedd}: no slot, no place in a cycle"
        return [Line(where), *(block for test in self.tests for block in test.blocks())]


def on_own_machine(
    snapshot: Snapshot, policy: NegotiatorPolicy, now: float
) -> Mapping[tuple[str, JobNumber], OwnMachine]:
    """The jobs of all queues that wait for their schedds to start them, by schedd and number."""
    context = EvalContext(now=now, language=policy.language)
    found = {}
    for queue in snapshot.queues:
        advertised = frozenset(() if queue.schedd is None else map(str.lower, queue.schedd.names()))
        for one in own_machine_starts(queue, policy.own_machine, context):
            tests = tuple(_shown(test, advertised, context) for test in one.tests)
            failing = [test for test in tests if test.met is not True]
            failing.sort(key=lambda test: test.met is None)
            waits = "its schedd starts it when it goes through its queue next"
            found[queue.name, one.job] = OwnMachine(
                universe_name(one.universe),
                queue.name,
                one.starts,
                tests,
                failing[0].text if failing else waits,
            )
    return found


def _shown(test: StartTest, advertised: frozenset[str], context: EvalContext) -> OwnMachineTest:
    if test.expression is None or test.my is None or test.target is None:
        return OwnMachineTest(test.name, test.met, (), (), test.used, test.most)
    finding = condition_value(test.expression, test.my, test.target, context)
    absent = tuple(name for name in test.absent if name.lower() in advertised)
    return OwnMachineTest(test.name, test.met, test.unknown, absent, finding=finding)
