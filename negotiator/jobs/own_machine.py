"""Decides which jobs of the scheduler and local universe a schedd starts on its own machine.

They get no slot and have no place in a cycle.  The schedd goes through those that wait in the order
of its queue, and starts one if START_<UNIVERSE>_UNIVERSE is true (MY is the schedd, TARGET the
job), so are the requirements of the job (the other way round), and its owner has room under
MAX_RUNNING_SCHEDULER_JOBS_PER_OWNER; the next one sees it among those that run.  A number but 0 is
true.  MAX_JOBS_RUNNING and ``Managed`` do not count.

Inputs: a queue with the ad of its schedd, as it was captured; the policy.  Outputs: for each job
the tests that it passes or fails.  Follows: condor_schedd of HTCondor 25.14.1, asked with jobs: the
rules, and which attributes it has in the ad that it evaluates these with, which is not the one that
it advertises.  Of that ad a capture does not tell everything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from attr import frozen

from classad import ClassAd
from classad.ads.ad import node_of_value
from classad.ads.expression import Expression
from classad.analysis.mentions import refs
from classad.evaluate import EvalContext, evaluate
from classad.language.operators import truth
from classad.syntax.nodes import Binary, Node, bare
from negotiator.jobs.lists import queued_job
from negotiator.jobs.readiness import (
    IDLE,
    LOCAL_UNIVERSE,
    RUNNING,
    SCHEDULER_UNIVERSE,
    held_back,
    universe_of,
)
from negotiator.model.arithmetic import whole
from negotiator.model.snapshot import JobNumber, ScheddQueue
from policy.own_machine import PER_OWNER, OwnMachineSettings

#: What the schedd has in its own ad for these tests, by lower-case name.
OWN_ATTRIBUTES: Final = frozenset(
    (
        *("arch", "cpus", "disk", "exitwhendone", "flocklevel", "jobsidle", "jobsrunning"),
        *("jobsstarted", "jobstartcount", "jobstartdelay", "jobsthisburst", "maxexceptions"),
        *("maxflocklevel", "maxjobsrunning", "maxjobssubmitted"),
        *("maxrunningschedulerjobsperowner", "memory", "negotiationrequesttime", "numowners"),
        *("opsys", "opsysandver", "queuecleaninterval", "reservedswap", "scheddinterval"),
        *("scheddipaddr", "shadowsizeestimate", "startjobtimer", "startlocaluniverse"),
        *("startscheduleruniverse", "swapspace", "totallocaljobsidle", "totallocaljobsrunning"),
        *("totalschedulerjobsidle", "totalschedulerjobsrunning", "uiddomain"),
    )
)
#: By universe: what its attributes in the schedd's ad are called.
_UNIVERSES: Final[Mapping[int, str]] = {SCHEDULER_UNIVERSE: "Scheduler", LOCAL_UNIVERSE: "Local"}
#: Under which name it advertises what has another one there.
_ADVERTISED: Final = {"Cpus": "DetectedCpus", "Memory": "DetectedMemory"}
_OPSYS: Final = {"windows": "WINDOWS", "macos": "OSX", "freebsd": "FREEBSD"}
_REQUIREMENTS: Final = "Requirements"


@frozen(eq=False)
class StartTest:
    """One test of those that a job has to pass.

    ``met``: None if that depends on ``unknown``, attributes of the schedd's machine that no capture
    tells.  ``absent``: attributes that a test which is not met asks for, and neither ad has.
    Without an expression: ``used`` of ``most`` jobs run.
    """

    name: str
    met: bool | None
    expression: Expression | None = None
    my: ClassAd | None = None
    target: ClassAd | None = None
    unknown: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    used: int = 0
    most: int = 0


@frozen(eq=False)
class OwnMachineStart:
    """A job that waits for its schedd to start it, with the tests in the order of the schedd."""

    job: JobNumber
    universe: int
    tests: tuple[StartTest, ...]

    @property
    def starts(self) -> bool | None:
        """Whether the schedd starts it when it looks next; None if that depends on the unknown."""
        met = [test.met for test in self.tests]
        return False if False in met else None if None in met else True


def own_machine_starts(
    queue: ScheddQueue, settings: OwnMachineSettings, context: EvalContext
) -> Iterator[OwnMachineStart]:
    """What becomes of the jobs of a queue that wait to run on the machine of their schedd."""
    waiting = []
    running: Counter[object] = Counter()
    for job in queue.jobs:
        universe, status = universe_of(job, context), job.get_number("JobStatus", context=context)
        if universe not in _UNIVERSES:
            continue
        if status == RUNNING and universe == SCHEDULER_UNIVERSE:
            running[job.get_string("User", context=context)] += 1
        if status == IDLE and held_back(job, context) is None:
            waiting.append(queued_job(job, None, context))
    schedd = schedd_itself(queue, context)
    for queued in sorted(waiting, key=lambda item: item.order):
        found = _start(queued.ad, (queued.cluster, queued.proc), schedd, settings, running, context)
        if found.starts:
            kind = _UNIVERSES[found.universe]
            name = f"Total{kind}JobsRunning"
            # Those before were tested with the ad as it was.
            schedd = schedd.duplicate()
            schedd.insert(name, whole(schedd.get_number(name) or 0) + 1)
            if found.universe == SCHEDULER_UNIVERSE:
                running[queued.ad.get_string("User", context=context)] += 1
        yield found


def _start(
    job: ClassAd,
    number: JobNumber,
    schedd: ClassAd,
    settings: OwnMachineSettings,
    running: Counter[object],
    context: EvalContext,
) -> OwnMachineStart:
    universe = universe_of(job, context) or 0
    tests = []
    if universe == SCHEDULER_UNIVERSE:
        most = settings.per_owner
        if most is None:
            told = schedd.get_number("MaxRunningSchedulerJobsPerOwner", context=context)
            most = settings.most_per_owner if told is None else whole(told)
        used = running[job.get_string("User", context=context)]
        tests.append(StartTest(PER_OWNER, used < most, used=used, most=most))
    start = settings.start[universe]
    advertised = schedd.raw(f"Start{_UNIVERSES[universe]}Universe")
    expression = start.expression
    if not start.given and advertised is not None:
        expression = _as_expression(advertised)
    tests.append(_test(start.macro, expression, schedd, job, schedd, context))
    required = job.raw(_REQUIREMENTS)
    if required is not None:
        expression = _as_expression(required)
        tests.append(_test(_REQUIREMENTS, expression, job, schedd, schedd, context))
    return OwnMachineStart(number, universe, tuple(tests))


def _as_expression(value: object) -> Expression:
    return value if isinstance(value, Expression) else Expression.from_node(node_of_value(value))


def _test(
    name: str,
    expression: Expression,
    my: ClassAd,
    target: ClassAd,
    schedd: ClassAd,
    context: EvalContext,
) -> StartTest:
    """Whether an expression is true; its conjuncts that are not tell what that depends on."""
    met: bool | None = truth(evaluate(expression, my, target, context=context)) is True
    lacking: list[str] = []
    absent: list[str] = []
    if not met:
        failing = [
            part
            for part in _conjuncts(expression.node)
            if truth(evaluate(Expression.from_node(part), my, target, context=context)) is not True
        ]
        job = target if my is schedd else my
        each = [_absent_in(part, schedd, job) for part in failing]
        unknown = [[it for it in names if it.lower() in OWN_ATTRIBUTES] for names in each]
        if all(unknown):
            met, lacking = None, [it for names in unknown for it in names]
        absent = [it for names in each for it in names if it.lower() not in OWN_ATTRIBUTES]
    unknown_names, absent_names = (tuple(dict.fromkeys(names)) for names in (lacking, absent))
    return StartTest(name, met, expression, my, target, unknown_names, absent_names)


def _conjuncts(node: Node) -> list[Node]:
    left, found = [node], []
    while left:
        part = bare(left.pop())
        if isinstance(part, Binary) and part.operator == "&&":
            left += (part.right, part.left)
        else:
            found.append(part)
    return found


def _absent_in(node: Node, schedd: ClassAd, job: ClassAd) -> list[str]:
    """The attributes in a condition that neither ad has, as far as is known."""
    names = refs(node)
    return [
        name
        for name in sorted({*names.my, *names.target, *names.unscoped})
        if job.raw(name) is None and schedd.raw(name) is None
    ]


def schedd_itself(queue: ScheddQueue, context: EvalContext) -> ClassAd:
    """The ad of a schedd in these tests, as far as the capture tells it.

    Jobs are counted in the queue; where none of a kind runs there, the schedd's own count stands.
    """
    told, found = queue.schedd or ClassAd(), ClassAd()
    for name in told.names():
        if name.lower() in OWN_ATTRIBUTES:
            found.insert(name, told.raw(name))
    for name, advertised in _ADVERTISED.items():
        value = told.raw(advertised)
        if value is not None:
            found.insert(name, value)
    platform = (told.get_string("CondorPlatform") or "").removeprefix("$CondorPlatform:").split()
    if platform:
        arch, _, system = platform[0].partition("-")
        found.insert("Arch", arch.upper() if arch == arch.lower() else arch)
        found.insert("OpSys", _OPSYS.get(system.partition("_")[0].lower(), "LINUX"))
    counts: Counter[str] = Counter()
    for job in queue.jobs:
        kind = _UNIVERSES.get(universe_of(job, context) or 0)
        status = job.get_number("JobStatus", context=context)
        if status in (IDLE, RUNNING):
            state = "Idle" if status == IDLE else "Running"
            counts[f"Jobs{state}"] += 1
            if kind is not None:
                counts[f"Total{kind}Jobs{state}"] += 1
    for name in ("Jobs", *(f"Total{kind}Jobs" for kind in _UNIVERSES.values())):
        for state in ("Idle", "Running"):
            both = f"{name}{state}"
            found.insert(both, counts[both] or whole(found.get_number(both) or 0))
    return found
