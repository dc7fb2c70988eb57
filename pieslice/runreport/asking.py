"""Writes the commands that answer why something happened in a simulated run.

Inputs: what the folder of a run says of it, moments.  Outputs: command lines: one that writes the
pool of a moment as a capture, one that asks about it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from negotiator.io import CapturePaths
from pieslice.data import Record
from pieslice.runreport.data import WorstMoment

#: Where the capture goes.
_FOLDER: Final = "moment"


def asking(about: Record, moment: WorstMoment) -> Iterator[str]:
    """The commands for a moment; none for runs that do not know how they were made."""
    if "command" not in about or moment.hour is None:
        return
    hour = f"{moment.hour:.5f}".rstrip("0").rstrip(".")
    yield f"{about['command']} --capture {hour} {_FOLDER}"
    question = ["negotiate", _FOLDER] if moment.job is None else ["why", _FOLDER, f"{moment.job}.0"]
    yield shlex.join(["pieslice", *question, *policy_options(about["plan"])])


def policy_options(plan: Record) -> list[str]:
    """The options by which a command about a capture reads the policy of a run."""
    config = plan["config"]
    if config is None and Path(plan["pool"]).is_dir():
        config = CapturePaths(Path(plan["pool"])).find("config")
    words = [] if config is None else ["--config", str(config)]
    for file in plan.get("also", ()):
        words += ["--also", file]
    for name, text in plan.get("settings", ()):
        words += ["-D", f"{name}={text}"]
    return words
