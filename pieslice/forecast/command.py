"""Forecasts from a saved state or from users on the command line: ``pieslice forecast``.

Decides what the users of a saved state want (what their submitter ads ask for, else what they use),
how big its pool is, and the forms of the output.

Inputs: the parsed arguments and the two streams.  Outputs: the exit code.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, ClassVar, Final

from attr import asdict, evolve, frozen

from classad.errors import Diagnostic
from classad.evaluate import EvalContext
from classad.patterns import late_regex
from negotiator.accounting.accountant import accountant_settings, priority_factor
from negotiator.capture.configuration import pool_version
from negotiator.capture.files import CaptureReader, ads_of
from negotiator.groups.tree import group_tree
from negotiator.io import CapturePaths, InputError
from negotiator.pool.weights import own_weight
from pieslice.command_line import EXIT_BAD, EXIT_OK
from pieslice.forecast.model import Demand, ForecastPoint, Settings, User, forecast
from pieslice.inputs.configuration import check_policy_file
from pieslice.priorities.command import records_of
from pieslice.priorities.rows import Row, rows_of
from pieslice.reports.csv import write_csv
from pieslice.reports.document import Document
from pieslice.reports.layout import TextColumn, TextTable, render_plain
from pieslice.reports.output import chosen_width, show_diagnostics
from pieslice.reports.plots import check_format
from pieslice.reports.progress import Progress
from pieslice.terminal import complain, printable
from policy.model import NegotiatorPolicy
from policy.versions import Followed

_NUMBER: Final = r"[0-9]+(?:\.[0-9]*)?"
_DEMAND: Final = late_regex(rf"({_NUMBER})(?:@({_NUMBER})h(?:-({_NUMBER})h)?)?", re.ASCII)
#: Who has this real priority and no cores is left out of a state.
_IDLE: Final = 0.5


@frozen
class Forecast(Document):
    """Priorities and cores of users over time."""

    schema: ClassVar[str] = "pieslice/forecast/1"
    #: None where no configuration was read.
    followed: Followed | None
    points: Sequence[ForecastPoint]


def forecast_command(args: argparse.Namespace, out: IO[str], err: IO[str]) -> int:
    """Run the command."""
    diagnostics: list[Diagnostic] = []
    try:
        followed = _followed(args)
        users, settings = _model(args, followed, diagnostics)
        if args.plot is not None:
            check_format(args.plot)
        points = _points(users, settings, args, err)
        if args.plot is not None:
            from pieslice.forecast.plot import draw

            what = ("priority", "cores") if args.what == "both" else (args.what,)
            draw(points, args.plot, what, args.title)
    except InputError as problem:
        show_diagnostics(problem.diagnostics, err)
        return EXIT_BAD
    except (ValueError, ImportError) as problem:
        complain(f"error: {problem}", err)
        return EXIT_BAD
    if args.csv:
        write_csv(point_rows(points), out)
    elif args.json:
        out.write(Forecast(followed, points).to_json())
    else:
        out.write("" if followed is None else f"{followed}\n")
        out.write(table(points, chosen_width(args, out)))
    show_diagnostics(diagnostics, err)
    return EXIT_OK


def _points(
    users: Sequence[User], settings: Settings, args: argparse.Namespace, err: IO[str]
) -> list[ForecastPoint]:
    points = []
    with Progress(err).counted("forecasting", args.hours) as moved:
        for point in forecast(users, settings, args.hours, args.every):
            points.append(point)
            moved(point.hour, f"hour {point.hour:g} of {args.hours:g}")
    return points


def _followed(args: argparse.Namespace) -> Followed | None:
    """The version that reads the configuration, where one is read."""
    if _config(args) is None:
        return None
    folder = args.source if args.source is not None and args.source.is_dir() else None
    paths = CapturePaths(folder)
    fallback = getattr(args, "project_version", None) or Followed()
    return pool_version(CaptureReader(paths, version=args.condor_version, fallback=fallback))


def _config(args: argparse.Namespace) -> Path | None:
    """The configuration that is given, else that of the folder."""
    config: Path | None = args.config
    if config is None and args.source is not None and args.source.is_dir():
        config = CapturePaths(args.source).find("config")
    return config


def _model(
    args: argparse.Namespace, followed: Followed | None, diagnostics: list[Diagnostic]
) -> tuple[list[User], Settings]:
    users: dict[str, User] = {}
    pool: float | None = args.pool
    half_life: float | None = args.half_life
    policy = None if followed is None else _policy(args, followed)
    if args.source is not None:
        users, size = _from_state(args.source, policy, diagnostics)
        pool = size if pool is None else pool
    if policy is not None and half_life is None:
        half_life = policy.priority_halflife_seconds
    given = set()
    for name, demand in (_user(text) for text in args.user):
        user = users.get(name) or User(name)
        # The first word about a user replaces what the state says, further ones add to it.
        before = user.demands if name in given else ()
        users[name] = evolve(user, demands=(*before, demand))
        given.add(name)
    if args.start is not None:
        users = {name: evolve(user, real_priority=args.start) for name, user in users.items()}
    for option in ("prio", "factor"):
        for name, value in (_pair(text, option) for text in getattr(args, option)):
            if name not in users:
                raise ValueError(f"--{option}: there is no user `{name}`")
            user = users[name]
            users[name] = (
                evolve(user, real_priority=value)
                if option == "prio"
                else evolve(user, factor=value)
            )
    if not users and args.source is not None:
        message = "no user has a demand, usage or a priority; add some with --user NAME=CORES"
        raise ValueError(f"{args.source}: {message}")
    if not users:
        raise ValueError("give a saved state, or users with --user NAME=CORES@HOURSh")
    if pool is None:
        pool = max(demand.cores for user in users.values() for demand in user.demands)
    settings = Settings(
        pool, step=args.step, floor=args.floor, lag=args.lag, rounded=not args.exact, policy=policy
    )
    if half_life is not None:
        settings = evolve(settings, half_life=half_life)
    return list(users.values()), settings


def _user(text: str) -> tuple[str, Demand]:
    name, equals, rest = text.rpartition("=")
    found = _DEMAND.fullmatch(rest)
    if not equals or not name or found is None:
        raise ValueError(f"--user: `{text}` is not NAME=CORES, NAME=CORES@48h or NAME=CORES@0h-24h")
    begin = float(found[2] or 0) * 3600
    end = None if found[3] is None else float(found[3]) * 3600
    return name, Demand(float(found[1]), begin, end)


def _pair(text: str, option: str) -> tuple[str, float]:
    name, equals, rest = text.rpartition("=")
    if not equals or not re.fullmatch(_NUMBER, rest):
        raise ValueError(f"--{option}: `{text}` is not NAME=NUMBER")
    return name, float(rest)


def _policy(args: argparse.Namespace, followed: Followed) -> NegotiatorPolicy:
    from negotiator.capture.configuration import read_policy

    if args.config is not None:
        check_policy_file(args.config)
    return read_policy(_config(args), 0, version=followed.version).policy


def _from_state(
    path: Path, policy: NegotiatorPolicy | None, diagnostics: list[Diagnostic]
) -> tuple[dict[str, User], float]:
    """The users of a saved state and the size of its pool, in weighted cores."""
    records = rows_of(records_of(path, diagnostics))
    size, used = _slots(path)
    # Records are those of the last cycle; what has ended since is no longer used.
    rows = [
        row if used is None else evolve(row, in_use=used.get(row.name, 0.0))
        for row in records
        if not row.is_group
    ]
    wanted = _submitter_demand(path, diagnostics)
    users = {
        row.name: _user_of(row, wanted.get(row.name))
        for row in rows
        if row.in_use or wanted.get(row.name) or (row.real_priority or 0) > _IDLE
    }
    users |= _without_records(wanted, {row.name for row in rows}, policy)
    if policy is None and any(row.is_group and row.name != "<none>" for row in records):
        note = "quotas of groups are not known without a configuration; --config names one"
        diagnostics.append(Diagnostic(note, severity="note"))
    return users, size or sum(row.in_use for row in rows)


def _user_of(row: Row, wanted: float | None) -> User:
    demand = row.in_use if wanted is None else wanted
    priority, factor = row.real_priority or _IDLE, row.factor or 1.0
    most = row.ceiling if row.ceiling >= 0 else None
    return User(row.name, (Demand(demand),), priority, factor, row.in_use, row.floor, most)


def _without_records(
    wanted: Mapping[str, float], known: Container[str], policy: NegotiatorPolicy | None
) -> dict[str, User]:
    """Submitters that ask for something for the first time, as the accountant will know them."""
    from negotiator.capture.configuration import read_policy

    if policy is None:
        policy = read_policy(None, 0).policy
    tree, settings = group_tree(policy), accountant_settings(policy)
    return {
        name: User(
            name,
            (Demand(cores),),
            factor=priority_factor(name, tree.assigned(name).name, settings),
        )
        for name, cores in wanted.items()
        if cores > 0 and name not in known
    }


def _submitter_demand(path: Path, diagnostics: list[Diagnostic]) -> dict[str, float]:
    """What the submitter ads of a capture ask for: running and idle jobs, weighted."""
    file = CapturePaths(path).find("submitters") if path.is_dir() else None
    found: dict[str, float] = {}
    for ad in [] if file is None else ads_of(file, diagnostics):
        name = ad.text("Name")
        if name is not None:
            wanted = sum(
                _first(ad.number(f"Weighted{kind}"), ad.number(kind))
                for kind in ("RunningJobs", "IdleJobs")
            )
            found[name] = found.get(name, 0.0) + wanted
    return found


def _first(*numbers: float | None) -> float:
    return next((number for number in numbers if number is not None), 0.0)


def _slots(path: Path) -> tuple[float, dict[str, float] | None]:
    """The weight of all slots of a capture, 0 without slot ads, and of those that each user has."""
    file = CapturePaths(path).find("slots") if path.is_dir() else None
    if file is None:
        return 0.0, None
    context = EvalContext()
    size, used = 0.0, dict[str, float]()
    for item in ads_of(file, []):
        weight = own_weight(item.ad, context)
        size += weight
        user = item.text("AccountingGroup") or item.text("RemoteUser")
        if user is not None and item.text("State") in ("Claimed", "Preempting"):
            used[user] = used.get(user, 0.0) + weight
    return size, used


# --- output -----------------------------------------------------------------------------------


def point_rows(points: Iterable[ForecastPoint]) -> Iterator[Iterable[object]]:
    """One row for each user and moment, after the titles; numbers keep all their digits."""
    yield ("hour", "name", "real_priority", "effective_priority", "cores")
    yield from (asdict(point).values() for point in points)


def table(points: Sequence[ForecastPoint], width: int) -> str:
    """A line for each moment with two columns for each user; for many users a line for each."""
    names = list(dict.fromkeys(point.name for point in points))
    widths = {name: max(len(printable(name)), 23) for name in names}
    if 7 + sum(widths.values()) + 2 * len(names) > width:
        return _long_table(points, width)
    titles = [printable(name).center(width) for name, width in widths.items()]
    kinds = [f"{'real priority':>13s} {'cores':>{width - 14}s}" for width in widths.values()]
    lines = [
        f"{'':>7s}  {'  '.join(titles)}".rstrip(),
        f"{'hour':>7s}  {'  '.join(kinds)}",
    ]
    rows: dict[float, list[str]] = {}
    for point in points:
        cell = f"{point.real_priority:13.2f} {point.cores:{widths[point.name] - 14}.2f}"
        rows.setdefault(point.hour, []).append(cell)
    lines += (f"{hour:7.2f}  {'  '.join(cells)}" for hour, cells in rows.items())
    return "".join(f"{text}\n" for text in lines)


def _long_table(points: Sequence[ForecastPoint], width: int) -> str:
    columns = (
        TextColumn("hour", right=True),
        TextColumn("user", name=True),
        TextColumn("real priority", right=True),
        TextColumn("cores", right=True),
    )
    rows = []
    before: float | None = None
    for point in points:
        hour = "" if point.hour == before else f"{point.hour:.2f}"
        before = point.hour
        rows.append((hour, point.name, f"{point.real_priority:.2f}", f"{point.cores:.2f}"))
    return render_plain([TextTable(columns, tuple(rows))], width)
