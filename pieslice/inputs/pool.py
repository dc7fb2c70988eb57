"""Reads the pool that the arguments of a command name.

``load`` carries out the options of ``pieslice.inputs.options``.  What was wrong with the input goes
to the error stream, each with its place, after the answer; at once where there is no pool then.
``pool_inputs`` and ``read_pool`` are the same for programs.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from types import MappingProxyType
from typing import IO, Final

from attr import Factory, evolve, frozen

from classad.errors import Diagnostic
from classad.files.ads import load_file
from classad.loading.columns import LoadedColumns
from negotiator.capture.files import SILENT, ConfigPaths, StageWatch
from negotiator.io import Capture, CapturePaths, InputError, read_capture
from negotiator.matching.stopwatch import RequestCosts
from negotiator.model.arithmetic import END_OF_CALENDAR
from pieslice.inputs.running import captured
from pieslice.inputs.sorting import Inputs, sort_out
from pieslice.reports.output import hold_diagnostics, show_diagnostics
from pieslice.reports.progress import Progress
from policy.dialects import HTCONDOR, Dialect, find_dialect
from policy.language.about import about
from policy.language.table import COMMAND_LINE_ORIGIN
from policy.versions import Followed

#: The finding of a name that nobody reads.
_UNKNOWN: Final = "P201"
#: Bytes of a file from which keeping its columns is worth while: below, it loads in milliseconds.
WORTH_KEEPING: Final = 4 << 20
#: The version of the package: columns that another one kept are not used.
_VERSION: Final = "pieslice:__version__"
#: Commands whose answers say what a configuration changes.
_SAYING: Final = frozenset({"diff", "negotiate"})


@frozen
class PoolReading:
    """Where a pool is read from, and how; ``diagnostics`` are what is known of that already."""

    inputs: Inputs
    now: float | None = None
    local_names: tuple[str, ...] = ()
    dialect: Dialect = HTCONDOR
    costs: RequestCosts = Factory(RequestCosts)
    diagnostics: tuple[Diagnostic, ...] = ()
    #: The version of the whole pool; None: its daemons tell theirs.
    version: Followed | None = None
    #: The version of a pool whose daemons tell none.
    fallback: Followed = Factory(Followed)
    #: Of a history: the time whose capture is meant, and how it was asked for; None: the last one.
    at: tuple[float, str] | None = None


def read_pool(
    reading: PoolReading, progress: StageWatch = SILENT, known: Capture | None = None
) -> Capture:
    """The pool; raises ``InputError`` if there is none.

    ``known``: one whose files are not read again if they are those of this one.
    So it does for definitions of the command line that no daemon reads, or not with that value.
    """
    inputs, names, dialect = reading.inputs, reading.local_names, reading.dialect
    if inputs.history is not None:
        from pieslice.inputs.moments import unpacked

        with unpacked(inputs.history, reading.at) as moment:
            paths = evolve(inputs.paths, folder=moment.folder)
            here = evolve(reading, inputs=evolve(inputs, paths=paths, history=None), at=None)
            return moment.named(read_pool(here, progress))
    if reading.at is not None:
        message = f"--at {reading.at[1]}: the pool is no history"
        raise InputError(
            [Diagnostic(message, help="`pieslice help history` shows how to make one")]
        )
    if inputs.scenario is not None:
        from negotiator.scenario.as_capture import scenario_capture

        capture = scenario_capture(
            inputs.scenario,
            inputs.paths,
            now=reading.now,
            local_names=names,
            dialect=dialect,
            version=reading.version,
            fallback=reading.fallback,
        )
    else:
        capture = read_capture(
            inputs.paths,
            now=reading.now,
            local_names=names,
            dialect=dialect,
            version=reading.version,
            fallback=reading.fallback,
            progress=progress,
            files=None if known is None else known.files,
        )
    refuse_definitions(capture.diagnostics)
    diagnostics = (*reading.diagnostics, *capture.diagnostics)
    return evolve(capture, diagnostics=diagnostics, costs=reading.costs)


def refuse_definitions(diagnostics: Sequence[Diagnostic]) -> None:
    """Raise ``InputError`` for definitions of the command line that are errors."""
    wrong = []
    for item in diagnostics:
        if item.severity == "error" and item.source and item.source.name == COMMAND_LINE_ORIGIN:
            if about(item).ends:  # its help says how a report goes on with what a file has
                item.help = f"condor_{about(item).ends.lower()} ends when it reads this"
            if item.id == _UNKNOWN:
                help = "" if item.help is None else f"; {item.help}"
                item = Diagnostic(f"{item.message}{help}")
            wrong.append(item)
    if wrong:
        raise InputError(wrong)


#: What is wrong with ``--for`` alone.
ONLY_FOR: Final = "--for names machines that get another configuration, and there is none"


def cache_folder(environment: Mapping[str, str]) -> Path | None:
    """The folder in which the columns of long files of ads are kept, None for none.

    ``PIESLICE_CACHE`` names it, or none if it is empty; else it is that of the user's caches.
    """
    named = environment.get("PIESLICE_CACHE")
    if named is None:
        home = environment.get("HOME")
        base = environment.get("XDG_CACHE_HOME") or (home and os.path.join(home, ".cache"))
        named = base and os.path.join(base, "pieslice")
    return Path(named) if named and os.path.isabs(named) else None


def _load_kept(folder: Path, path: Path) -> LoadedColumns:
    """Load a file of ads; the columns of long ones are kept in the folder."""
    if path.stat().st_size < WORTH_KEEPING:
        return load_file(path)
    from classad.files.column_cache import ColumnCache

    return ColumnCache(folder, resolve_name(_VERSION)).load(path)


def pool_inputs(
    items: Sequence[Path],
    diagnostics: list[Diagnostic],
    *,
    named: Mapping[str, Path] = MappingProxyType({}),
    configs: Sequence[Path] = (),
    defines: Sequence[tuple[str, str]] = (),
    also: Sequence[Path] = (),
    instead_of: Sequence[Path] = (),
    where: str = "",
    needs_jobs: bool = True,
    made_up_jobs: bool = False,
) -> Inputs:
    """What the paths are; raises ``InputError`` if they are no pool.

    ``named``: files by what they are; ``configs``: in place of the pool's own configuration, or of
    ``instead_of``, which is in place of that; ``also``: files that are read after it.  ``where``,
    which needs one of them, ``needs_jobs`` and ``made_up_jobs``: see ``CapturePaths``.
    """
    found = sort_out(items, diagnostics)
    given = {**found.paths.given, **named}
    needs_jobs = needs_jobs and not made_up_jobs
    folder = cache_folder(os.environ)
    load = load_file if folder is None else partial(_load_kept, folder)
    paths = evolve(
        found.paths, given=given, where=where, needs_jobs=needs_jobs, made_up_jobs=made_up_jobs,
        load=load,
    )  # fmt: skip
    if not evolve(found, paths=paths).complete:
        least = "slot ads and job ads" if needs_jobs else "slot ads"
        message = f"give the folder of a capture, a scenario, or at least {least}"
        how = "`pieslice help captures` shows how to save one"
        raise InputError([Diagnostic(message, help=how)])
    own = evolve(found, paths=paths)
    found = with_configs(own, configs)
    if instead_of:
        step = with_configs(own, instead_of).paths
        paths = evolve(found.paths, before=(*step.before, step.config))
        found = evolve(found, paths=paths)
    if also or defines:
        found = with_more(found, overlays=tuple(also), defines=tuple(defines))
    if where and not found.paths.before:
        raise InputError([Diagnostic(ONLY_FOR, help="give --config, --also or -D, too")])
    return found


def with_more(
    inputs: Inputs,
    *,
    overlays: tuple[Path, ...] = (),
    texts: tuple[tuple[str, str], ...] = (),
    defines: tuple[tuple[str, str], ...] = (),
) -> Inputs:
    """The same pool with more that is read after its configurations."""
    paths = inputs.paths
    paths = evolve(
        paths,
        overlays=(*paths.overlays, *overlays),
        texts=(*paths.texts, *texts),
        defines=(*paths.defines, *defines),
        before=paths.before or (own_config(paths),),
    )
    return evolve(inputs, paths=paths)


def own_config(paths: CapturePaths) -> ConfigPaths:
    """The configuration that is read, the one of a folder by no name: it may not be there yet."""
    root = paths.given.get("config")
    return ConfigPaths(root, paths.overlays, paths.texts, paths.defines)


def with_configs(inputs: Inputs, configs: Sequence[Path]) -> Inputs:
    """The same pool with other configurations in place of its own, if there are any."""
    if not configs:
        return inputs
    paths = inputs.paths
    before = (*paths.before, own_config(paths))
    # Configurations among the inputs stay below those that take the place of the pool's own.
    own = [paths.given["config"]] if "config" in paths.given else []
    first, *rest = [*own, *paths.overlays, *configs]
    given = {**paths.given, "config": first}
    paths = evolve(paths, given=given, overlays=tuple(rest), before=before)
    return evolve(inputs, paths=paths)


def load(
    args: argparse.Namespace, err: IO[str], progress: Progress, known: Capture | None = None
) -> Capture | None:
    """The pool that the arguments name; None, with the reason on ``err``, if there is none.

    ``known``: one whose files are not read again if they are those of this one.
    """
    try:
        capture = read_pool(reading_of(args), progress, known)
    except InputError as problem:
        show_diagnostics(problem.diagnostics, err)
        return None
    told: list[Diagnostic] = []
    if capture.what_if is not None and args.command not in _SAYING:
        from pieslice.reports.whatif import notes

        told = notes(capture.what_if)
    hold_diagnostics((*capture.diagnostics, *told), args, err)
    return capture


def reading_of(args: argparse.Namespace) -> PoolReading:
    """What the arguments ask for; raises ``InputError``."""
    from pieslice.inputs.configuration import Misuse, definitions

    diagnostics: list[Diagnostic] = []
    try:
        defines = definitions(args.define)
    except Misuse as problem:
        raise InputError([Diagnostic(str(problem))]) from None
    inputs = pool_inputs(
        captured(args.inputs, args, diagnostics),
        diagnostics,
        named={
            name: Path(value)
            for name in CapturePaths.overridable()
            if name != "config" and (value := getattr(args, name)) is not None
        },
        configs=[Path(path) for path in args.config or ()],
        defines=defines,
        also=[Path(path) for path in args.also or ()],
        instead_of=[Path(path) for path in getattr(args, "instead_of", None) or ()],
        where=args.where or "",
        needs_jobs=getattr(args, "needs_jobs", True),
        made_up_jobs=getattr(args, "made_up_jobs", False),
    )
    now = None if args.now is None else parse_time(args.now)
    names = tuple(dict.fromkeys(args.local_name or ()))
    if len(names) > 1 and args.command != "negotiate":
        message = f"pieslice {args.command} looks at one negotiator at a time"
        raise InputError([Diagnostic(message, help="give --local-name once")])
    costs = request_costs(getattr(args, "seconds_per_request", ()))
    dialect = find_dialect(args.dialect)
    return PoolReading(
        inputs,
        now,
        names,
        dialect,
        costs,
        tuple(diagnostics),
        version=getattr(args, "condor_version", None),
        fallback=getattr(args, "project_version", None) or Followed(),
        at=_asked_time(args),
    )


def _asked_time(args: argparse.Namespace) -> tuple[float, str] | None:
    """The time of ``--at`` and its text."""
    text = getattr(args, "at", None)
    if text is None:
        return None
    from pieslice.inputs.moments import moment_of

    return moment_of(text), text


def request_costs(texts: Sequence[str]) -> RequestCosts:
    """The costs of ``--seconds-per-request``; raises ``InputError``."""
    seconds, of_schedd = 0.0, {}
    for text in texts:
        schedd, equals, number = text.rpartition("=")
        try:
            cost = float(number)
        except ValueError:
            cost = math.nan
        if not 0 <= cost < math.inf:
            message = f"--seconds-per-request: `{number}` is not a number of seconds"
            raise InputError([Diagnostic(message)])
        if equals:
            of_schedd[schedd] = cost
        else:
            seconds = cost
    return RequestCosts(seconds, of_schedd)


def parse_time(text: str) -> float:
    """Seconds since the epoch from a number or an ISO 8601 time, local unless it has a zone."""
    with contextlib.suppress(ValueError):
        seconds = float(text)
        if math.isfinite(seconds):
            if abs(seconds) > END_OF_CALENDAR:
                message = (
                    f"--now: {seconds:g} is beyond the calendar, which ends with the year 9999"
                )
                raise InputError([Diagnostic(message)])
            return seconds
    from pieslice.inputs.moments import moment_of

    return moment_of(text, "--now")
