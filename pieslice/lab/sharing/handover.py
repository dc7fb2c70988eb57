"""Copies a pool under other names, for a laboratory that somebody else is to see.

The names are those of ``pieslice capture --anonymize``.  What the page shows, its links and its
exported pages are made of the copy, so that no other name can be in them.

Inputs: how a pool is read, an empty folder.  Outputs: how the copy is read; raises ``InputError``.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from attr import evolve, frozen

from classad.errors import Diagnostic
from classad.files.ads import format_ad
from classad.patterns import late_regex
from negotiator.capture.files import AS_IT_CAME, FILES, CapturePaths, CaptureReader, InputError
from pieslice.inputs.moments import unpacked, write_files
from pieslice.inputs.pool import PoolReading, read_pool
from pieslice.inputs.sorting import Inputs
from pieslice.lab.texts import EditedTexts, PolicyFiles
from pieslice.live.anonymity import Mask

#: What the copy is called.
NAME: Final = "pool"
_ADS: Final = ("slots", "submitters", "schedds", "jobs", "claims", "accounting", "negotiator")
#: Accounting records by their keys in a log.
_RECORD: Final = late_regex(r"^10[1-4] (Customer|Resource)\.(\S+?)(?:@<\S*)? ", re.MULTILINE)


@frozen
class Renamed:
    """How the copy is read, what stands for what in it, and what was wrong with the files."""

    reading: PoolReading
    mask: Mask
    diagnostics: tuple[Diagnostic, ...]


def renamed(reading: PoolReading, place: Path) -> Renamed:
    """The copy of a pool in a folder below ``place``."""
    inputs = reading.inputs
    if inputs.scenario is not None:
        raise _refused("a scenario is a whole pool of its own, whose names anybody may see")
    if inputs.paths.before:
        raise _refused("another configuration cannot be given beside it: its place is --edit")
    if inputs.history is not None:
        with unpacked(inputs.history, reading.at) as moment:
            paths = evolve(inputs.paths, folder=moment.folder)
            here = evolve(reading, inputs=Inputs(paths), at=None)
            return renamed(here, place)
    if inputs.paths.find("config") is not None:
        _refuse_includes(reading)
    reader = CaptureReader(inputs.paths, version=reading.version, fallback=reading.fallback)
    capture = read_pool(reading)
    # The order of the collector's walk hangs on names: the copy keeps that of the pool.
    walked = {"slots": capture.snapshot.slots, "submitters": capture.snapshot.submitters}
    parts = {
        part: "\n".join(map(format_ad, walked.get(part, [one.ad for one in ads])))
        for part in _ADS
        if (ads := reader.ads(part)) is not None
    }
    texts = {part: found[1] for part in FILES if part not in _ADS and (found := reader.text(part))}
    mask = Mask()
    mask.learn(_with_records(parts, texts.get("accountant_log", "")))
    hide = {"config": mask.lines, "accountant_log": mask.log}
    copies = {part: mask.text(text) for part, text in parts.items()}
    copies |= {part: hide.get(part, mask.text)(text) for part, text in texts.items()}
    copies["manifest"] = _ordered(copies.get("manifest", ""))
    folder = place / NAME
    write_files(folder, {FILES[part][0]: text for part, text in copies.items()})
    paths = CapturePaths(folder, needs_jobs=inputs.paths.needs_jobs)
    paths = evolve(paths, made_up_jobs=inputs.paths.made_up_jobs)
    copy = evolve(reading, inputs=Inputs(paths), diagnostics=())
    return Renamed(copy, mask, capture.diagnostics)


def _ordered(manifest: str) -> str:
    """A manifest that says that the ads stand in the order in which the negotiator sees them."""
    with suppress(ValueError, RecursionError):
        found = json.loads(manifest)
        if isinstance(found, dict):
            return json.dumps(found | {"order": AS_IT_CAME})
    return json.dumps({"order": AS_IT_CAME})


def _with_records(parts: dict[str, str], log: str) -> dict[str, str]:
    """The parts, with the names of the records of a log."""
    found = dict(parts)
    for kind, name in _RECORD.findall(log):
        part = "accounting" if kind == "Customer" else "slots"
        found[part] = f'{found.get(part, "")}\nName = "{name}"\n'
    return found


def _refuse_includes(reading: PoolReading) -> None:
    """Refuse a configuration of several files: their names stand in it as paths."""
    version = (reading.version or reading.fallback).version
    config = PolicyFiles(reading, reading.now or 0.0, version).config(EditedTexts())
    files = [one.name for one in config.texts if os.path.isfile(one.name)]
    if len(files) > 1:
        raise _refused(f"the configuration is {len(files)} files, such as `{files[1]}`")


def _refused(why: str) -> InputError:
    help = "`pieslice capture --anonymize` saves a running pool under other names"
    return InputError([Diagnostic(f"--anonymous: {why}", help=help)])
