"""Looks at what else a captured pool tells a check: what would end its negotiator.

Inputs: the folder of a capture.  Outputs: findings about the next cycle, by the numbers of
DIVERGENCES.md.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Final

from classad.errors import Diagnostic
from negotiator.cycle import negotiate
from negotiator.engines import ENGINES, make_engines
from negotiator.io import CapturePaths, InputError, read_capture
from negotiator.model.departures import Departure
from pieslice.inputs.configuration import ConfigurationReader, say
from policy.lint.finding import WARNING

#: Whom a finding names one by one.
_NAMED: Final = 3


def ends_of_cycle(path: str, reader: ConfigurationReader) -> list[Diagnostic]:
    """What would keep the real negotiator from the end of the captured pool's next cycle."""
    paths = CapturePaths(Path(path), defines=reader.defines)
    if not all(map(paths.find, ("slots", "jobs", "config"))):
        return []
    names = () if reader.local_name is None else (reader.local_name,)
    version = reader.followed if reader.given else None
    try:
        pool = read_capture(paths, local_names=names, version=version)
    except InputError as problem:
        text = f"{reader.called.get(path, path)}: the next cycle cannot be computed: {problem}"
        say([Diagnostic(text, severity="note")])
        return []
    result = negotiate(
        pool.snapshot,
        pool.policy,
        now=pool.facts.now,
        rng=Random(0),
        costs=pool.costs,
        engine=make_engines(ENGINES[0], lasting=False),
    )
    return [_finding(item) for item in result.departures]


def _finding(item: Departure) -> Diagnostic:
    more = len(item.about) - _NAMED
    whom = ", ".join(item.about[:_NAMED]) + (f" and {more} more" if more > 0 else "")
    text = f"in the next cycle, {whom}: {item.kind.text}"
    return Diagnostic(text, severity=WARNING, id=item.kind.number)
