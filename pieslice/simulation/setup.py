"""Builds a simulation from the files that describe it.

Decides which file is what (a pool, a workload, a configuration), and a run's description, from
which the same run can be made again.

Inputs: ``Plan``.  Outputs: ``Simulation`` and ``Negotiator``.  Raises ``InputError``,
``WorkloadError`` and ``OSError``.  Follows: condor_startd's knobs for claims in the configuration
of the pool.
"""

from __future__ import annotations

import gzip
import re
import shlex
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Final

from attr import evolve, field, frozen

from classad.errors import Diagnostic
from classad.evaluate import EvalContext
from classad.patterns import late_regex
from classad.table import Table
from negotiator.capture.configuration import read_policy
from negotiator.capture.files import ConfigPaths
from negotiator.io import (
    Capture,
    CapturePaths,
    InputError,
    read_capture,
)
from negotiator.jobs.autoclusters import (
    job_attributes,
    policy_expressions,
    significant_attributes,
)
from negotiator.jobs.lists import READ_BY_SCHEDD
from negotiator.jobs.readiness import not_requested
from negotiator.jobs.start_vanilla import names_of
from negotiator.jobs.submitters import submitter_of
from negotiator.model.snapshot import AccountantState, PoolFacts, Snapshot
from negotiator.pool.fetch import children_can_go, new_slot
from negotiator.pool.slots import Slots
from negotiator.whatif.pool import Reconfiguration, WhatIf
from pieslice.between.pool import SlotPool, plain_pool, pool_of
from pieslice.data import JsonData
from pieslice.inputs.configuration import check_policy_file
from pieslice.inputs.pool import PoolReading, read_pool, refuse_definitions, with_more
from pieslice.inputs.versions import OPTION
from pieslice.simulation.engine import MachineChange, Simulation, Sink
from pieslice.simulation.errors import RunError, WorkloadError
from pieslice.simulation.matching import Negotiator
from pieslice.simulation.parallel import fits, spread
from pieslice.simulation.replay import is_recorded, opened, recorded_jobs
from pieslice.simulation.state import State
from pieslice.simulation.workload import (
    RecordedJob,
    Workload,
    from_capture,
    from_csv,
    from_recorded,
    from_rows,
    from_streams,
    from_swf,
    from_toml,
    table_rows,
)
from policy.claims import ClaimSettings
from policy.model import NegotiatorPolicy
from policy.universes import UNIVERSES
from policy.versions import Followed, followed_version, parse_version

#: The workload that is the jobs of the capture.
CAPTURED: Final = "capture"
_PLAIN_POOL: Final = late_regex(r"([1-9][0-9]{0,5})(?:x([1-9][0-9]{0,3}))?", re.ASCII)
#: A moment for pools that were not captured, seconds since the epoch.
_EPOCH: Final = 1_800_000_000
_WAITING: Final = (1, 2)
_HOUR: Final = 3600
_DAY: Final = 24 * _HOUR
#: What values in place of a file are called.
_VALUES: Final = "the workload"


def _pairs(pairs: Iterable[Iterable[str]]) -> tuple[tuple[str, str], ...]:
    """Also of lists, which is what pairs are in JSON."""
    return tuple((name, text) for name, text in pairs)


def _names(files: Iterable[object]) -> tuple[str, ...]:
    return tuple(map(str, files))


@frozen
class Plan:
    """A run.  Times in seconds; paths as text, so that it can be written down.

    ``workload``: a file, ``capture``, or streams or jobs as values, as their files have them.
    ``also``: configurations that are read after that; ``instead_of``: a configuration of the pool
    in place of which all these are; ``where``: the machines whose startds have them, by the ads of
    their slots.
    ``worklife``, ``retirement``: None for what the configuration says.  ``now``: when it begins,
    seconds since the epoch; None for the time of the capture.  ``condor_version``: whose rules are
    followed; None: what the capture's daemons tell, ``fallback_version`` where they tell none.
    ``reading``: how the pool is read with all its configurations, in place of ``pool``, ``config``
    and what else says so; such a run is in no folder.
    """

    pool: str
    workload: str | tuple[object, ...]
    seconds: int
    config: str | None = None
    seed: int = 0
    machines: str | None = None
    series: int = 600
    fresh: bool = False
    every: int = 0
    run_time: int = 3600
    worklife: int | None = None
    retirement: int | None = None
    vacate: int = 10
    now: int | None = None
    #: Names and texts of macros that are set after the configuration has been read.
    settings: tuple[tuple[str, str], ...] = field(default=(), converter=_pairs)
    #: Names and contents of configurations that are read before that, and are in no file.
    texts: tuple[tuple[str, str], ...] = field(default=(), converter=_pairs)
    condor_version: str | None = None
    fallback_version: str | None = None
    fallback_from: str = ""
    instead_of: str | None = None
    where: str = ""
    also: tuple[str, ...] = field(default=(), converter=_names)
    reading: PoolReading | None = None

    @property
    def overlays(self) -> tuple[Path, ...]:
        """The files of ``also``."""
        return tuple(map(Path, self.also))

    @property
    def version(self) -> Followed | None:
        """The version that is given."""
        return _followed(self.condor_version, OPTION)

    @property
    def fallback(self) -> Followed | None:
        """The version of a pool that tells none."""
        return _followed(self.fallback_version, self.fallback_from)


def _followed(given: str | None, origin: str) -> Followed | None:
    return None if given is None else followed_version(parse_version(given), origin)


#: Option -> field of a plan, where the field is what stands on the command line.
_OPTIONS: Final = (
    ("--workload", "workload"), ("--config", "config"), ("--seed", "seed"),
    ("--machines", "machines"), ("--series", "series"), ("--run-time", "run_time"),
    ("--claim-worklife", "worklife"), ("--retirement", "retirement"), ("--vacate", "vacate"),
    ("--now", "now"), (OPTION, "condor_version"), ("--for", "where"),
)  # fmt: skip


def command_of(plan: Plan) -> str:
    """The command line that makes the run; options with their defaults are left out."""
    defaults = Plan(plan.pool, "", 0)
    words = ["pieslice", "simulate", plan.pool]
    for option, name in _OPTIONS:
        value = getattr(plan, name)
        if value != getattr(defaults, name):
            words += [option, str(value)]
    words += ["--days", f"{plan.seconds / 86_400:.10g}"]
    words += ["--every", f"{plan.every / 3600:.10g}"] if plan.every else []
    words += ["--fresh"] if plan.fresh else []
    words += [word for file in plan.also for word in ("--also", file)]
    words += [word for name, text in plan.settings for word in ("--set", f"{name}={text}")]
    return shlex.join(words)


def build(plan: Plan, sink: Sink) -> tuple[Simulation, Negotiator]:
    """The simulation at its beginning."""
    if plan.reading is not None:
        return _build(plan, sink)
    with opened(plan.pool) as folder:
        return _build(plan if folder is None else evolve(plan, pool=folder), sink)


def _build(plan: Plan, sink: Sink) -> tuple[Simulation, Negotiator]:
    found = None if plan.reading else _PLAIN_POOL.fullmatch(plan.pool)
    if found is not None:
        capture = _plain(plan, int(found[1]), int(found[2] or 1))
        accountant = AccountantState()
    else:
        capture = _captured(plan)
        known = capture.snapshot.accountant
        accountant = AccountantState() if plan.fresh else evolve(known, resources={})
    snapshot, policy, epoch = capture.snapshot, capture.policy, int(capture.facts.now)
    pool = pool_of(snapshot.slots)
    if not pool.slots:
        raise InputError([Diagnostic(f"{plan.pool}: contains no static or partitionable slot")])
    simulation = Simulation(
        pool=pool,
        workload=_workload(plan, None if found else snapshot, epoch, _asked_of_jobs(pool, policy)),
        settings=_claim_settings(plan, policy.claims),
        state=State(accountant=accountant),
        sink=sink,
        epoch=epoch,
        changes=_machine_changes(plan, pool),
        language=policy.language,
        of_machines={
            name: _claim_settings(plan, claims) for name, claims in capture.of_machines.items()
        },
    )
    simulation.dedicated = found is not None
    spread(simulation.workload, pool, plain=simulation.dedicated)
    simulation.state.never = unserved_kinds(simulation, plan.seconds)
    negotiator = Negotiator(
        simulation,
        policy,
        plan.seed,
        followed=capture.facts.version,
        what_if=capture.what_if,
        # The policy's own are what ``about_policy`` says.
        doubts=[item for item in capture.diagnostics if item.id is None],
    )
    return simulation, negotiator


def unserved_kinds(simulation: Simulation, seconds: int) -> list[int]:
    """The kinds of job that no slot takes, even while nobody has any, at any hour of the run.

    A day is looked at, or as much of it as the run has: what slots say may hang on the hour.
    """
    pool, shapes = simulation.pool, simulation.workload.shapes
    slots = Table(slot.ad for slot in chain(pool.slots.values(), *pool.away.values()))
    lost = list(range(len(shapes)))
    for after in range(0, min(seconds, _DAY) + 1, _HOUR):
        now = float(simulation.epoch + after)
        context = EvalContext(now=now, language=simulation.language)
        lost = [shape for shape in lost if not slots.match(shapes[shape].ad, context=context)]
        if not lost:
            break
    several = (number for number, shape in enumerate(shapes) if shape.gang)
    return sorted({*lost, *(number for number in several if not fits(simulation, number))})


def is_plain(pool: str) -> bool:
    """Whether a pool is named by the number of its slots."""
    return _PLAIN_POOL.fullmatch(pool) is not None


def _plain(plan: Plan, count: int, cpus: int) -> Capture:
    """A pool of equal slots, with HTCondor's defaults but for the configuration that is given."""
    epoch = float(_EPOCH if plan.now is None else plan.now)
    followed = plan.version or plan.fallback or Followed()
    config = None if plan.config is None else Path(plan.config)
    loaded = read_policy(
        config,
        epoch,
        overlays=plan.overlays,
        texts=plan.texts,
        defines=plan.settings,
        version=followed.version,
    )
    slots = tuple(slot.ad for slot in plain_pool(count, cpus).slots.values())
    facts = PoolFacts(plan.pool, count, count, 0, 0, 0, epoch, "", version=followed)
    defaults = read_policy(None, epoch, version=followed.version)
    step = Reconfiguration(defaults.config, loaded.config)
    other = step.carried_out(Snapshot(slots=slots), loaded.policy, {}, epoch)
    # It is the pool's own configuration: only what of it is not followed is news.
    lacking = [one for one in other.what_if.not_followed if "." not in one.macro]
    what_if = WhatIf(not_followed=tuple(lacking))
    return Capture(other.snapshot, loaded.policy, facts, (), what_if=what_if)


def _captured(plan: Plan) -> Capture:
    if plan.reading is not None:
        inputs = plan.reading.inputs
        if plan.settings:
            inputs = with_more(inputs, defines=plan.settings)
        return read_pool(evolve(plan.reading, inputs=inputs))
    if not Path(plan.pool).is_dir():
        text = (
            "a pool is the folder of a capture, a history, or a number of slots: 10, or 10x8 of 8 "
            "cores each"
        )
        raise InputError([Diagnostic(f"{plan.pool}: no such folder", help=text)])
    given = {} if plan.config is None else {"config": Path(plan.config)}
    changed = plan.config or plan.also or plan.texts or plan.settings
    before = [ConfigPaths()] if changed else []
    if plan.instead_of is not None:
        before.append(ConfigPaths(Path(plan.instead_of)))
    paths = CapturePaths(
        Path(plan.pool),
        given,
        overlays=plan.overlays,
        texts=plan.texts,
        defines=plan.settings,
        before=tuple(before),
        where=plan.where,
    )
    return read_capture(
        paths, now=plan.now, version=plan.version, fallback=plan.fallback or Followed()
    )


def _asked_of_jobs(pool: SlotPool, policy: NegotiatorPolicy) -> frozenset[str]:
    """The attributes (lower-cased) by which a slot, the policy or a schedd may tell jobs apart."""
    expressions = [*policy_expressions(policy), policy.slot_weight]
    slots = Slots(new_slot(slot.ad, slot.name, 1, {}) for slot in pool.slots.values())
    wanted = significant_attributes(slots, expressions, policy.version)
    # Other attributes than these still decide which job gets a slot that was meant for another.
    others = evolve(policy, significant_attributes=None)  # type: ignore[call-arg]
    listed = job_attributes(wanted, policy) | job_attributes(wanted, others)
    start = policy.start_vanilla_universe
    # A startd cuts a slot by these.
    cut = {f"request{name.lower()}" for slot in pool.slots.values() for name in slot.resources}
    return listed.union(READ_BY_SCHEDD, cut, () if start is None else names_of(start, "MY"))


def _workload(plan: Plan, snapshot: Snapshot | None, now: int, asked: frozenset[str]) -> Workload:
    if plan.workload == CAPTURED:
        if snapshot is None:
            raise WorkloadError("the workload `capture` needs a captured pool")
        jobs, left_out = _requesting(_queued(snapshot, now), now)
        workload = from_capture(jobs, asked, plan.seed, plan.seconds, plan.every, plan.run_time)
        workload.left_out = left_out
    elif not isinstance(plan.workload, str):
        workload = _of_values(plan.workload, plan.seed, plan.seconds)
    elif is_recorded(plan.workload):
        jobs, left_out = _requesting(recorded_jobs(Path(plan.workload), plan.seconds), now)
        workload = from_recorded(jobs, asked)
        workload.left_out = left_out
    else:
        path = Path(plan.workload)
        data = path.read_bytes()
        kind = path.name.removesuffix(".gz").rpartition(".")[2]
        text = _unpacked(path, data).decode("utf-8", "replace")
        lines = text.splitlines()
        if kind == "swf":
            workload = from_swf(lines, plan.workload)
        elif kind == "csv":
            workload = from_csv(lines, plan.workload)
        elif kind == "toml":
            workload = from_toml(text, plan.workload, plan.seed, plan.seconds)
        else:
            kinds = "a .swf, .csv or .toml file, a history, or `capture`"
            raise WorkloadError(f"{path}: a workload is {kinds}")
    if not workload.arrivals:
        name = plan.workload if isinstance(plan.workload, str) else _VALUES
        raise WorkloadError(f"{name}: contains no jobs")
    return workload


def _of_values(values: tuple[object, ...], seed: int, seconds: int) -> Workload:
    """Jobs have a time of submission, streams have none."""
    if values and isinstance(values[0], Mapping) and "submit" in values[0]:
        return from_rows(values, _VALUES)
    return from_streams(values, _VALUES, seed, seconds)


def _unpacked(path: Path, data: bytes) -> bytes:
    if path.suffix != ".gz":
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as problem:
        raise WorkloadError(f"{path}: not a whole gzip file: {problem}") from None


def _queued(snapshot: Snapshot, now: int) -> Iterable[RecordedJob]:
    """The idle and running jobs of a capture with their submitters."""
    context = EvalContext(now=float(now))
    for queue in snapshot.queues:
        for job in queue.jobs:
            user = submitter_of(job, context)
            status = job.get_number("JobStatus", context=context)
            if user is not None and status in _WAITING:
                yield RecordedJob(user, job)


def _requesting(
    jobs: Iterable[RecordedJob], now: int
) -> tuple[list[RecordedJob], Mapping[str, int]]:
    """The jobs that slots of the pool are requested for; how many others, by what they are."""
    context = EvalContext(now=float(now))
    kinds = [
        (job, None if job.ad.get_number("JobUniverse") == UNIVERSES["parallel"] else kind)
        for job in jobs
        for kind in (not_requested(job.ad, context),)
    ]
    left_out = Counter(kind for _, kind in kinds if kind is not None)
    return [job for job, kind in kinds if kind is None], dict(left_out.most_common())


def _claim_settings(plan: Plan, said: ClaimSettings) -> ClaimSettings:
    """What the plan says of claims, else the configuration."""
    return evolve(
        said,
        worklife=said.worklife if plan.worklife is None else plan.worklife,
        retirement=said.retirement if plan.retirement is None else plan.retirement,
        vacate=min(plan.vacate, said.longest_vacate),
    )


def _machine_changes(plan: Plan, pool: SlotPool) -> tuple[MachineChange, ...]:
    """The table of machines that leave and come back: ``time machine event``."""
    if plan.machines is None:
        return ()
    known = {slot.machine for slot in pool.slots.values()}
    found = []
    with Path(plan.machines).open(encoding="utf-8", errors="replace", newline="") as file:
        for at, row in table_rows(file, str(plan.machines), ("time", "machine", "event")):
            time, machine, event = row["time"] or "", row["machine"], row["event"]
            if not re.fullmatch("[0-9]{1,9}", time):
                raise WorkloadError(f"{at}: time `{time}` is not a whole number")
            if event not in ("leave", "join"):
                raise WorkloadError(f"{at}: event `{event}` is neither leave nor join")
            if machine not in known:
                raise WorkloadError(f"{at}: no machine `{machine}` in the pool")
            found.append(MachineChange(int(time), machine, event == "join"))
    return tuple(sorted(found, key=lambda change: change.time))


def absolute(plan: Plan) -> Plan:
    """The plan as workers in other folders understand it."""
    names = ("pool", "workload", "config", "machines", "instead_of")
    paths: JsonData = {name: _full(getattr(plan, name)) for name in names}
    return evolve(plan, **paths, also=_names(map(_full, plan.also)))


def _full(value: object) -> object:
    if isinstance(value, str) and Path(value).exists():
        return str(Path(value).resolve())
    return value


def read_setting(text: str) -> tuple[str, str]:
    """The name and the text of ``NAME=TEXT``; raises ``RunError``."""
    name, equals, value = text.partition("=")
    if not equals:
        raise RunError(f"`{text}` is not NAME=TEXT")
    check_macro(name.strip())
    return name.strip(), value.strip()


def check_macro(name: str) -> None:
    """Raise ``RunError`` for a text that can be no name; who reads it, ``about_policy`` says."""
    if not re.fullmatch(r"[A-Za-z_][\w.]*", name, re.ASCII):
        raise RunError(f"`{name}` is not the name of a macro")


def about_policy(plan: Plan) -> list[Diagnostic]:
    """Errors and warnings of the configuration, and what of it is not honoured.

    Raises ``InputError`` for one that was named and does not parse, and for settings of the plan
    that cannot be read.
    """
    with opened(plan.pool) as folder:
        return _about_policy(plan if folder is None else evolve(plan, pool=folder))


def _about_policy(plan: Plan) -> list[Diagnostic]:
    path = None if plan.config is None else Path(plan.config)
    for file in (path, *plan.overlays):
        if file is not None:
            check_policy_file(file)
    if path is None and Path(plan.pool).is_dir():
        path = CapturePaths(Path(plan.pool)).find("config")
    loaded = read_policy(path, 0, overlays=plan.overlays, texts=plan.texts, defines=plan.settings)
    refuse_definitions(loaded.diagnostics)
    found = [item for item in loaded.diagnostics if item.severity != "note"]
    for knob in loaded.unsupported:
        text = f"{knob.place}: {knob.name} is not honoured: {knob.effect}"
        found.append(Diagnostic(text, severity="note"))
    if children_can_go(loaded.policy):
        text = "in a simulation no dynamic slot is preempted for its partitionable slot"
        found.append(Diagnostic(f"ALLOW_PSLOT_PREEMPTION: {text}", severity="note"))
    return found


def fingerprint(plan: Plan) -> str:
    """Tells whether the files of a plan are still what they were."""
    digest = sha256()
    files = plan.config, plan.machines, plan.instead_of, *plan.also
    for text in (plan.pool, plan.workload, *files):
        path = Path(text) if isinstance(text, str) else None
        if path is None:
            continue
        for file in sorted(path.iterdir()) if path.is_dir() else [path]:
            if file.is_file():
                digest.update(f"{file.name}\0".encode() + file.read_bytes())
    return digest.hexdigest()
