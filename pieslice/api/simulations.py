"""Simulates policies and sweeps over settings: ``pieslice.simulate``, ``pieslice.sweep``.

Decides what of a pool in Python a simulation can begin with.

Inputs: a workload, a pool, configurations.  Outputs: ``Simulated`` and ``Swept``; raise ``Error``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from attr import evolve

from classad.errors import Diagnostic
from pieslice.api.errors import AnyPath, Error, one_family
from pieslice.api.other_policy import as_text
from pieslice.api.pool import Pool, seconds_of
from pieslice.command_line import CENTURY
from pieslice.data import Record
from pieslice.policies.answers import Policy
from pieslice.simulation.answers import LETTERS, Run, Simulated, SimulatedPolicy, simulated
from pieslice.simulation.running import Kept, RunReporter, run_here
from pieslice.simulation.setup import Plan, about_policy, absolute, check_macro
from pieslice.sweeps.answers import Swept, about_sweep, swept
from pieslice.sweeps.grid import axes_of, points
from pieslice.sweeps.table import Results
from pieslice.sweeps.work import handed_out
from pieslice.sweeps.work import simulate as run_point
from policy.dialects import HTCONDOR

if TYPE_CHECKING:
    from distributed import Client

F = TypeVar("F", bound=Callable[..., Any])
#: A file, ``"capture"``, or streams or jobs as values.
Workload: TypeAlias = AnyPath | Iterable[Record]
#: The folder of a capture, a number of slots (``10``, ``"10x8"``), or a pool that was read.
AnyPool: TypeAlias = AnyPath | int | Pool
#: A configuration file; macros that are set after the pool's own; or None for that alone.
Configured: TypeAlias = AnyPath | Policy | Mapping[str, object] | None
#: One configuration, or several.
Policies: TypeAlias = (
    AnyPath | Policy | Sequence[AnyPath | Policy] | Mapping[str, Configured] | None
)
_DAY, _HOUR = 86_400, 3600


def _pool_first(function: F) -> F:
    """The function, also with the pool by its name behind the rest, which is how it began."""

    @wraps(function)
    def called(*args: object, **options: object) -> object:
        if args and "pool" in options:
            args = (options.pop("pool"), *args)
        return function(*args, **options)

    return cast("F", called)


@_pool_first
def simulate(
    pool: AnyPool,
    workload: Workload,
    policies: Policies = None,
    *,
    days: float = 1.0,
    seed: int = 0,
    seeds: int = 1,
    now: float | datetime | None = None,
    machines: AnyPath | None = None,
    every: float = 0.0,
    run_time: int = 3600,
    claim_worklife: int | None = None,
    retirement: int | None = None,
    vacate: int = 10,
    fresh: bool = False,
    series: int = 600,
) -> Simulated:
    """Simulate a pool over days with the full negotiation cycle.

    ``pool``: the folder of a capture, a number of slots (``10``, ``"10x8"``), or a pool that was
    read; it may also come by its name behind the others.  ``workload``: a .toml, .csv or .swf
    file, ``"capture"`` for the jobs of the pool, or values: the streams of such a .toml file or
    the jobs of such a .csv file, as dictionaries.  ``policies``: one configuration, without it the
    pool's own, or several: paths, or names with paths, with dictionaries of macros that are set
    after the pool's configuration, or with None for that alone.  All run on the same workloads,
    one for each of ``seeds`` seeds from ``seed`` on.

    The rest is as for the command: ``days`` to simulate, ``every`` in hours, other times in
    seconds.
    """
    with one_family():
        plan = _plan(
            workload,
            pool,
            days=days,
            now=now,
            machines=machines,
            every=every,
            run_time=run_time,
            claim_worklife=claim_worklife,
            retirement=retirement,
            vacate=vacate,
            fresh=fresh,
        )
        plan = evolve(plan, series=_whole("series", series))
        plans = _compared(plan, _by_name(policies, plan))
        numbers = range(seed, seed + _whole("seeds", seeds))
        # What is wrong is said before anything takes long.
        said = [item for _, one in plans for item in about_policy(one)]
        told = RunReporter(lambda done, words: None, said.extend)
        found: dict[str, list[Run]] = {name: [] for name, _ in plans}
        for number in numbers:
            for name, one in plans:
                found[name].append(_run(evolve(one, seed=number), told))
        sides = [SimulatedPolicy(name, tuple(runs)) for name, runs in found.items()]
        return simulated(sides, numbers, _once(said))


def _compared(plan: Plan, policies: Iterable[tuple[str, Configured]]) -> list[tuple[str, Plan]]:
    """The plan under each configuration; files are in place of the first one."""
    plans = [(name, _under(plan, config)) for name, config in policies]
    first = plans[0][1].config
    return [
        (name, evolve(one, instead_of=first if one.config not in (None, first) else None))
        for name, one in plans
    ]


def _run(plan: Plan, reporter: RunReporter) -> Run:
    kept = Kept()
    summary = run_here(plan, reporter, kept)
    return Run(plan, summary, tuple(kept.rows["events"]), tuple(kept.rows["series"]))


def _once(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    return list({item.render(): item for item in diagnostics}.values())


def _by_name(policies: Policies, plan: Plan) -> list[tuple[str, Configured]]:
    """Configurations with their names, in their order."""
    if policies is None or isinstance(policies, str | os.PathLike | Policy):
        return [(_name(policies, plan), policies)]
    found: list[tuple[str, Configured]] = (
        list(policies.items())
        if isinstance(policies, Mapping)
        else [(_name(config, plan), config) for config in policies]
    )
    if not found:
        raise Error("policies: give at least one configuration")
    if len({name for name, _ in found}) < len(found):
        raise Error("policies: two of them have the same name; give a dictionary of names")
    if len(found) > len(LETTERS):
        raise Error(f"policies: {len(found)} are more than {len(LETTERS)}")
    return found


def _name(config: AnyPath | Policy | None, plan: Plan) -> str:
    if config is None:
        return plan.config or ("the pool's policy" if Path(plan.pool).is_dir() else "the defaults")
    return config.path if isinstance(config, Policy) else os.fspath(config)


def _under(plan: Plan, config: Configured) -> Plan:
    """The plan under another configuration."""
    if config is None:
        return plan
    if isinstance(config, Policy):
        return evolve(plan, config=config.path)
    if isinstance(config, Mapping):
        for name in config:
            check_macro(name)
        pairs = tuple((name, as_text(value)) for name, value in config.items())
        return evolve(plan, settings=(*plan.settings, *pairs))
    if not isinstance(config, str | os.PathLike):
        raise Error(f"policies: `{config}` is not a configuration; a dictionary names several")
    return evolve(plan, config=os.fspath(config))


@_pool_first
def sweep(
    pool: AnyPool,
    workload: Workload,
    settings: Mapping[str, str | Iterable[object]],
    *,
    config: AnyPath | Policy | None = None,
    seeds: Iterable[int] = (0,),
    jobs: int = -1,
    client: Client | None = None,
    tries: int = 2,
    days: float = 1.0,
    now: float | datetime | None = None,
    machines: AnyPath | None = None,
    every: float = 0.0,
    run_time: int = 3600,
    claim_worklife: int | None = None,
    retirement: int | None = None,
    vacate: int = 10,
    fresh: bool = False,
) -> Swept:
    """Simulate a pool once for every combination of the values of some macros and of seeds.

    ``settings``: macros with the values to try.  ``jobs``: how many cores to use, -1 for all, with
    the extra ``sweep``; 1 needs nothing.  ``client``: of a Dask cluster whose workers see the same
    files, instead of cores; needs the extra ``dask``.  ``tries``: attempts for each point: one that
    fails so often is in the table with its error, the others go on.

    The rest is as for ``simulate``.
    """
    with one_family():
        plan = _plan(
            workload,
            pool,
            days=days,
            now=now,
            machines=machines,
            every=every,
            run_time=run_time,
            claim_worklife=claim_worklife,
            retirement=retirement,
            vacate=vacate,
            fresh=fresh,
        )
        plan = absolute(_under(plan, config))
        axes = axes_of((name, _values(values)) for name, values in settings.items())
        grid = points(plan, axes, list(dict.fromkeys(seeds)))
        if not grid:
            raise Error("seeds: give at least one")
        said = about_sweep(plan, axes)
        results = Results(None)
        number = _whole("tries", tries)
        for outcome in handed_out(run_point, grid, number, jobs=jobs, client=client):
            results.add(outcome)
        return swept(grid, results, said)


def _values(values: str | Iterable[object]) -> str | tuple[str, ...]:
    """A text as on a command line, or the texts of values."""
    return values if isinstance(values, str) else tuple(as_text(value) for value in values)


def _plan(
    workload: Workload,
    pool: AnyPool,
    *,
    days: float,
    now: float | datetime | None,
    machines: AnyPath | None,
    every: float,
    run_time: int,
    claim_worklife: int | None,
    retirement: int | None,
    vacate: int,
    fresh: bool,
) -> Plan:
    """The run that the arguments describe."""
    if not 0 < days <= CENTURY:
        raise Error(f"days: `{days}` is not a number above 0 and of at most a century")
    if not 0 <= every <= 24 * CENTURY:
        raise Error(f"every: `{every}` is not a number of at least 0 and of at most a century")
    plan = _pool_plan(pool)
    moment = plan.now if now is None else int(seconds_of(now))
    return evolve(
        plan,
        workload=_workload(workload),
        seconds=round(days * _DAY),
        now=moment,
        machines=None if machines is None else os.fspath(machines),
        every=round(every * _HOUR),
        run_time=_whole("run_time", run_time),
        worklife=claim_worklife,
        retirement=retirement,
        vacate=_whole("vacate", vacate, least=0),
        fresh=fresh,
    )


def _whole(name: str, value: int, least: int = 1) -> int:
    if value != int(value) or value < least:
        raise Error(f"{name}: `{value}` is not a whole number of at least {least}")
    return value


def _workload(workload: Workload) -> str | tuple[Record, ...]:
    if isinstance(workload, str | os.PathLike):
        return os.fspath(workload)
    return tuple(workload)


def _pool_plan(pool: AnyPool) -> Plan:
    """A plan with the pool, and the configuration that it has been given."""
    if isinstance(pool, str | os.PathLike):
        return Plan(os.fspath(pool), "", 0)
    if isinstance(pool, int):
        return Plan(str(pool), "", 0)
    if not isinstance(pool, Pool):
        raise Error(f"pool: `{pool}` is neither a folder, a number of slots, nor a pool")
    reading = pool.reading
    paths = reading.inputs.paths
    plain = not (paths.overlays or paths.defines or set(paths.given) - {"config"})
    if paths.folder is None or not plain:
        raise Error(f"{pool.name}: a simulation begins with the folder of a capture")
    if reading.local_names or reading.dialect is not HTCONDOR:
        raise Error(f"{pool.name}: a simulation has one negotiator, by HTCondor's own rules")
    config = paths.given.get("config")
    return Plan(
        str(paths.folder),
        "",
        0,
        config=None if config is None else str(Path(config)),
        now=None if reading.now is None else int(reading.now),
        texts=paths.texts,
        condor_version=None if reading.version is None else str(reading.version.given),
    )
