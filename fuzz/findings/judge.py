"""Runs ``pieslice check`` in this process and says which findings stand where.

Inputs: paths.  Outputs: ``Seen``, one for every place of a finding, and whether a planted fault is
among them.
"""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Sequence
from pathlib import Path

from attr import frozen

from fuzz.findings.corpus import Planted
from pieslice.cli import main


@frozen
class Seen:
    """A finding at a place; ``start`` and ``end`` are columns from 1, the end exclusive."""

    id: str
    level: str
    file: str
    line: int
    start: int
    end: int
    message: str


def checked(path: Path, options: Sequence[str] = ()) -> list[Seen]:
    """All findings for a configuration; raises what the command would call an internal error."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        main(["--debug", "check", "--format", "sarif", "--outside-includes", *options, str(path)])
    text = out.getvalue()
    results = json.loads(text[text.index("{") :])["runs"][0]["results"]
    return [
        _seen(result, place["physicalLocation"])
        for result in results
        for place in (*result.get("locations", ()), *result.get("relatedLocations", ()))
    ]


def _seen(result: dict, place: dict) -> Seen:  # type: ignore[type-arg]
    region = place.get("region", {"startLine": 0, "startColumn": 0})
    column = region.get("startColumn", 1)
    return Seen(
        result["ruleId"],
        result["level"],
        place["artifactLocation"]["uri"],
        region["startLine"],
        column,
        region.get("endColumn", column + 1),
        result["message"]["text"],
    )


def found(fault: Planted, seen: Sequence[Seen]) -> bool:
    """Whether a finding stands in one of the fault's lines."""
    lines = {line for line, _, _ in fault.places()}
    return any(item.line in lines for item in seen)


def pointed(fault: Planted, seen: Sequence[Seen]) -> bool:
    """Whether a finding points at one of the fault's words, or at a part of it."""
    return any(
        item.line == line and item.start < end and item.end > start
        for item in seen
        for line, start, end in fault.places()
    )
