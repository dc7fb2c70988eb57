"""Reads what a capture says of itself in ``capture.json``.

Inputs: a ``CaptureReader``.  Outputs: ``Manifest``; what the capture lacks is added to the
diagnostics of the reader.
Follows: the manifest that ``pieslice capture`` writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from attr import frozen

from negotiator.capture.reader import CaptureReader

#: What ``order`` says where the collector answered slots and submitters in one query.
AS_IT_CAME: Final = "as it came"


@frozen
class Manifest:
    """``ordered``: slots and submitters stand in the order in which the negotiator sees them.

    ``times``: when the last answer had come, in seconds since the epoch, if that is known.
    """

    ordered: bool = False
    times: tuple[float, ...] = ()


def read_manifest(reader: CaptureReader) -> Manifest:
    """What is said of the capture; a folder without a manifest says nothing."""
    paths = reader.paths
    # Files that replace those of the folder are not what the manifest speaks of.
    found = None if paths.has("slots") or paths.has("submitters") else reader.text("manifest")
    if found is None:
        return Manifest()
    name, text = found
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, Mapping):
        reader.warn(f"{name}: not the manifest of a capture; not used")
        return Manifest()
    missing = data.get("missing")
    for line in missing if isinstance(missing, list) else ():
        reader.warn(f"not in the capture: {line}")
    uncertain = data.get("uncertain")
    for line in uncertain if isinstance(uncertain, list) else ():
        reader.warn(f"uncertain: {line}")
    ended = data.get("ended")
    ordered = data.get("order") == AS_IT_CAME
    if isinstance(ended, bool) or not isinstance(ended, int | float) or not 0 < ended < 2**62:
        return Manifest(ordered)
    return Manifest(ordered, (ended,))
