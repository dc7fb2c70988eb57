"""Checks captured pools with the decisions that followed.

Decides how the folder of such a pool is recognised.

Inputs: the path of an ``expected.json``.  Outputs: ``POOL_KINDS``.  Follows: the ``expected.json``
of the captured pools.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from negotiator.capture.agreement import compare
from negotiator.cycle import negotiate
from negotiator.io import CapturePaths, InputError, read_capture
from pieslice.conform.runner import Case, Kind, Mismatch
from pieslice.data import Content


def check_pool(case: Case) -> list[Mismatch]:
    """A captured pool: the decisions of the real negotiator's next cycle."""
    try:
        capture = read_capture(CapturePaths(Path(case["folder"])))
    except InputError as problem:
        return [Mismatch("folder", "a captured pool", str(problem))]
    if capture.expected is None:
        return [Mismatch("expected", "decisions", None)]
    result = negotiate(capture.snapshot, capture.policy, now=capture.facts.now)
    return [
        Mismatch(
            f"{item.kind} {item.position}",
            None if item.ours else item.fields(),
            item.fields() if item.ours else None,
        )
        for item in compare(result, capture.expected).differences
    ]


def _pools(path: Path, content: Content) -> Iterable[Case] | None:
    """The folder that an ``expected.json`` lies in."""
    if not isinstance(content, dict) or not {"matches", "rejections"} <= set(content):
        return None
    return [{"id": path.parent.name, "folder": str(path.parent)}]


POOL_KINDS: Final = (
    Kind(
        "captured pool",
        lambda case: "folder" in case,
        check_pool,
        frozenset(("id", "folder")),
        beside=_pools,
    ),
)
