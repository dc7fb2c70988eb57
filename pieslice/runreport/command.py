"""Makes a page of HTML with plots from the folder of a run: ``pieslice report``.

The page has the policy of the run in sentences.

Inputs: the parsed arguments and the error stream.  Outputs: files; the exit code.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from negotiator.capture.configuration import CaptureSources
from negotiator.groups.effective import effective_quotas
from negotiator.io import CapturePaths
from pieslice.command_line import EXIT_BAD, EXIT_OK
from pieslice.data import JsonData
from pieslice.reports.plots import as_png, save
from pieslice.runreport.data import RunData, run_data
from pieslice.runreport.page import Said, page
from pieslice.runreport.plots import PLOTS
from policy.config import load_config
from policy.explain.explanation import explain_policy
from policy.io import builtin_library
from policy.language.table import Context
from policy.load import load_policy

#: From how many days on a title says days.
_DAYS: Final = 2


class ReportError(ValueError):
    """A folder that is not that of a run."""


def report_command(args: argparse.Namespace, err: IO[str]) -> int:
    """Run the command."""
    try:
        about, data = _read(args.run_folder)
        pictures = []
        for name, (title, draw) in PLOTS.items():
            made = draw(data)
            pictures.append((title, as_png(made)))
            if args.plots is not None:
                args.plots.mkdir(parents=True, exist_ok=True)
                save(made, args.plots / f"{name}.{args.plot_format}")
        plan = about["plan"]
        title = args.title or _title(plan, data.hours)
        text = page(title, data.summary, pictures, _policy(plan, data), data.worst)
    except (ReportError, ImportError) as problem:
        err.write(f"pieslice report: error: {problem}\n")
        return EXIT_BAD
    args.output.write_text(text, encoding="utf-8")
    return EXIT_OK


def _title(plan: JsonData, hours: float) -> str:
    how_long = f"{hours:g} hours" if hours < _DAYS * 24 else f"{hours / 24:g} days"
    policy = "" if plan["config"] is None else f", {plan['config']}"
    changes = "".join(f", {name} = {text}" for name, text in plan.get("settings", ()))
    return f"{plan['pool']}{policy}{changes}: {how_long}"


def _read(folder: Path) -> tuple[JsonData, RunData]:
    for name in ("run.json", "summary.json"):
        if not (folder / name).is_file():
            raise ReportError(f"{folder}: no {name}; give the folder of a finished run")
    try:
        about = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        form = about["format"]
        events, series = (list(_rows(folder / f"{name}.{form}")) for name in ("events", "series"))
        if not series:
            raise ReportError(f"{folder}: the run ended before its first cycle")
        return about, run_data(events, series, summary)
    except (KeyError, ValueError) as problem:
        if isinstance(problem, ReportError):
            raise
        raise ReportError(f"{folder}: not the folder of a run: {problem}") from None


def _rows(path: Path) -> Iterator[JsonData]:
    with path.open(encoding="utf-8", newline="") as file:
        if path.suffix == ".jsonl":
            yield from (json.loads(line) for line in file)
        else:
            yield from csv.DictReader(file)


def _policy(plan: JsonData, data: RunData) -> list[Said]:
    """The policy of the run as it stands now, in sentences."""
    path = None if plan["config"] is None else Path(plan["config"])
    if path is None and Path(plan["pool"]).is_dir():
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
        for item in explain_policy(config, loaded, quotas)
    ]
