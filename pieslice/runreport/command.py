"""Makes a page of HTML with charts from the folder of a run, or of two: ``pieslice report``.

Decides which runs belong together (the seeds of a configuration) and what is said of each.

Inputs: the parsed arguments and the two streams; folders of runs.  Outputs: files; the exit code.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Final

from attr import frozen

from negotiator.capture.configuration import CaptureSources
from negotiator.groups.quotas import effective_quotas
from negotiator.io import CapturePaths
from pieslice.command_line import BESIDE, EXIT_BAD, EXIT_OK
from pieslice.data import JsonData, Record
from pieslice.reports.charts import looks
from pieslice.reports.document import version_from_data
from pieslice.reports.layout import render_plain
from pieslice.reports.output import chosen_width
from pieslice.reports.plots import draw, save
from pieslice.reports.progress import Progress
from pieslice.runreport.asking import asking
from pieslice.runreport.comparison import PARTS, Report, comparison
from pieslice.runreport.data import RunData, run_data
from pieslice.runreport.page import ReportSide, Said, page
from pieslice.runreport.picture import sheet
from pieslice.runreport.plots import charts
from pieslice.runreport.text import comparison_blocks
from pieslice.terminal import complain, harmless, printable
from pieslice.writing import naming
from policy.config import load_config
from policy.explain.explanation import explain_policy
from policy.explain.roles import host_of
from policy.io import builtin_library
from policy.language.table import Context
from policy.load import load_policy

#: Columns of the tables of a run that hold names of people's choice.
_NAMES: Final = ("name", "user", "detail")
#: From how many days on a title says days.
_DAYS: Final = 2


class ReportError(ValueError):
    """A folder that is not that of a run, or runs that cannot be compared."""


@frozen
class Plots:
    """Where pictures of the charts go, and in which format."""

    folder: Path | None = None
    form: str = "png"


def report_command(args: argparse.Namespace, out: IO[str], err: IO[str]) -> int:
    """Run the command."""
    folders = [args.run_folder, *([args.other] if args.other is not None else [])]
    if args.output is None and args.json:
        complain("error: -o - and --json both want standard output", err)
        return EXIT_BAD
    try:
        with Progress(err).stage("reporting"):
            sides = _sides(folders)
            text = _page(sides, args.title, Plots(args.plots, args.plot_format))
    except (ReportError, ImportError) as problem:
        complain(f"error: {problem}", err)
        return EXIT_BAD
    except _DAMAGE as problem:
        if args.debug:
            raise
        what = f"{type(problem).__name__}: {problem}"
        folder = " or ".join(map(str, folders))
        complain(f"error: {folder}: not the folder of a run ({what})", err)
        return EXIT_BAD
    if args.output is None:
        harmless(out).write(text)
        return EXIT_OK
    _write(text, args.output)
    if args.output == args.default_output and not BESIDE.errors_only:
        complain(f"note: the page is {args.output}", err)
    if len(sides) > 1:
        _tell(sides, args, out)
    return EXIT_OK


def write_page(folders: Sequence[Path], path: Path) -> None:
    """Write the page of one configuration or of two; raises ``ReportError``."""
    _write(_page(_sides(folders), None, Plots()), path)


def _tell(sides: Sequence[ReportSide], args: argparse.Namespace, out: IO[str]) -> None:
    """Print the comparison as well."""
    left, right = sides
    rows = comparison(left.summaries, right.summaries)
    if args.json:
        out.write(Report(rows).to_json())
        return
    blocks = comparison_blocks(rows, (left.name, right.name), left.seeds)
    out.write(render_plain(blocks, chosen_width(args, out)))


def _page(sides: Sequence[ReportSide], title: str | None, plots: Plots) -> str:
    """The text of a page; its charts are also written to files, if that is asked for."""
    drawn = charts([(side.name, side.run) for side in sides])
    colours = looks(name for side in sides for name in side.run.summary["users"])
    title = title or _title(sides)
    text = page(title, sides, drawn, colours, sheet())
    if plots.folder is not None:
        plots.folder.mkdir(parents=True, exist_ok=True)
        for chart in drawn:
            save(draw(chart), plots.folder / f"{chart.name}.{plots.form}")
    return text


def _write(text: str, path: Path | str) -> None:
    with naming(path):
        Path(path).write_text(text, encoding="utf-8", errors="backslashreplace")


# --- reading runs -------------------------------------------------------------------------------


def _sides(folders: Sequence[Path]) -> list[ReportSide]:
    sides = [_side(folder) for folder in folders]
    if any(side.seeds != sides[0].seeds for side in sides):
        raise ReportError("the runs have different seeds; only the same workloads can be compared")
    return sides


def _side(folder: Path) -> ReportSide:
    """A run, or those of several seeds in a folder of the comparison of seeds."""
    found = sorted(folder.glob("seed-*/run.json"), key=lambda path: int(path.parent.name[5:]))
    runs = [path.parent for path in found] or [folder]
    about, data = _read(runs[0])
    rest = [_summary(run) for run in runs[1:]]
    plan = about["plan"]
    return ReportSide(
        name=_policy_name(plan),
        facts=tuple(_facts(about, data.summary, folder)),
        run=data,
        seeds=(plan["seed"], *(about["plan"]["seed"] for about, _ in rest)),
        summaries=(data.summary, *(summary for _, summary in rest)),
        policy=tuple(_policy(plan, data)),
        asking=tuple(tuple(asking(about, moment)) for moment in data.worst),
    )


def _policy_name(plan: JsonData) -> str:
    """A configuration in few words."""
    config = plan["config"] or ("the pool's policy" if _is_capture(plan) else "the defaults")
    return "".join([config, *(f", {name} = {text}" for name, text in plan.get("settings", ()))])


def _title(sides: Sequence[ReportSide]) -> str:
    names = " against ".join(side.name for side in sides)
    pool = dict(sides[0].facts)["pool"]
    hours = sides[0].run.hours
    how_long = f"{hours:g} hours" if hours < _DAYS * 24 else f"{hours / 24:g} days"
    return f"{pool}, {names}: {how_long}"


def _facts(about: JsonData, summary: Record, folder: Path) -> Iterator[tuple[str, str]]:
    """What was run, by which command and versions."""
    plan = about["plan"]
    yield "pool", plan["pool"]
    yield "workload", plan["workload"]
    yield "policy", _policy_name(plan)
    yield "seed", str(plan["seed"])
    followed = version_from_data(summary)
    if followed is not None:
        yield "HTCondor", str(followed)
    if "command" in about:
        yield "command", about["command"]
        yield "version", f"pieslice {about['version']}"
    yield "folder", str(folder)


#: What reading a folder that is damaged ends in.
_DAMAGE: Final = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)


def _is_capture(plan: JsonData) -> bool:
    return Path(plan["pool"]).is_dir()


def _summary(folder: Path) -> tuple[JsonData, JsonData]:
    """What is said of a run, and its numbers."""
    for name in ("run.json", "summary.json"):
        if not (folder / name).is_file():
            raise ReportError(f"{folder}: no {name}; give the folder of a finished run")
    try:
        about, summary = (
            json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
            for name in ("run", "summary")
        )
        for part, _, _ in PARTS:
            # As they stand in the tables of the run.
            summary[part] = {printable(name): numbers for name, numbers in summary[part].items()}
    except _DAMAGE as problem:
        raise ReportError(f"{folder}: not the folder of a run: {problem}") from None
    return about, summary


def _read(folder: Path) -> tuple[JsonData, RunData]:
    about, summary = _summary(folder)
    try:
        form = about["format"]
        events, series = (list(_rows(folder / f"{name}.{form}")) for name in ("events", "series"))
        if not series:
            raise ReportError(f"{folder}: the run ended before its first cycle")
        return about, run_data(events, series, summary)
    except _DAMAGE as problem:
        if isinstance(problem, ReportError):
            raise
        raise ReportError(f"{folder}: not the folder of a run: {problem}") from None


def _rows(path: Path) -> Iterator[JsonData]:
    with path.open(encoding="utf-8", newline="") as file:
        if path.suffix == ".jsonl":
            for line in file:
                row = json.loads(line)
                yield row | {name: printable(row[name]) for name in _NAMES if name in row}
        else:
            yield from csv.DictReader(file)


def _policy(plan: JsonData, data: RunData) -> list[Said]:
    """The policy of the run as it stands now, in sentences."""
    path = None if plan["config"] is None else Path(plan["config"])
    if path is None and _is_capture(plan):
        path = CapturePaths(Path(plan["pool"])).find("config")
    if path is not None and not path.is_file():
        return [("Policy", f"`{path}` is gone", "", 0)]
    config = load_config(
        None if path is None else str(path),
        CaptureSources(Path("condor_config") if path is None else path),
        builtin_library(),
        context=Context("NEGOTIATOR"),
        extra=[(name, text) for name, text in plan.get("settings", ())],
        keep_going=True,
    )
    loaded = load_policy(config)
    quotas = effective_quotas(loaded.policy, data.pool.quotas[0]) if loaded.policy.groups else None
    return [
        (item.topic, item.text, item.places(), item.depth)
        for item in explain_policy(config, loaded, quotas, host=host_of(config))
    ]
