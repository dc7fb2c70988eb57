"""Tells what a capture of a running pool has, and what it lacks.

Inputs: a ``LiveCapture``.  Outputs: an answer as text and data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, TypedDict

from attr import frozen

from pieslice.live.capture import LiveCapture
from pieslice.reports.layout import Block, Line, Wrapped
from pieslice.reports.result import Result

#: What is counted, and what its ads are.
_COUNTED: Final = {
    "slots": "slots",
    "submitters": "submitters",
    "jobs": "jobs",
    "claims": "claims",
    "accounting": "accounting records",
}


class CapturedPart(TypedDict, total=False):
    """What a part of a capture took, and how many ads it has; ``at``: seconds since the epoch."""

    queries: int
    bytes: int
    seconds: float
    at: float
    ads: int


class ScheddCount(TypedDict):
    """How many schedds were asked, and how many answered."""

    asked: int
    answered: int


class CaptureData(TypedDict):
    """A capture in numbers."""

    folder: str
    pool: str
    began: float
    ended: float
    schedds: ScheddCount
    parts: Mapping[str, CapturedPart]
    questions: int
    bytes: int
    missing: list[str]


@frozen(eq=False, repr=False)
class Captured(Result):
    """What a capture of a running pool has, and what it lacks; times: seconds since the epoch."""

    schema: ClassVar[str] = "pieslice/capture/1"
    folder: str
    capture: LiveCapture
    questions: int

    def summary(self) -> str:
        manifest = self.capture.manifest
        return f"capture of {manifest['pool']}: {self._counts()}"

    def data(self) -> CaptureData:
        manifest = self.capture.manifest
        return {
            "folder": self.folder,
            "pool": manifest["pool"],
            "began": manifest["began"],
            "ended": manifest["ended"],
            "schedds": {"asked": manifest["schedds"], "answered": self._answered()},
            "parts": manifest["parts"],
            "questions": self.questions,
            "bytes": self._bytes(),
            "missing": manifest["missing"],
        }

    def blocks(self) -> Sequence[Block]:
        manifest = self.capture.manifest
        took = manifest["ended"] - manifest["began"]
        lines: list[Block] = [
            Line(f"{self.folder}: pool {manifest['pool']}", heading=True),
            Wrapped("has", tuple(self._counts().split()), indent=2),
            Line(f"  {self._answered()} of {manifest['schedds']} schedds answered"),
            Line(f"  {self.questions} questions, {self._bytes()} bytes, {took:.2f} s"),
        ]
        lines += [Wrapped("lacks", tuple(text.split()), indent=2) for text in manifest["missing"]]
        return lines

    def _counts(self) -> str:
        parts = self.capture.manifest["parts"]
        counts = {part: parts.get(part, {}).get("ads", 0) for part in _COUNTED}
        return ", ".join(f"{count} {_COUNTED[part]}" for part, count in counts.items())

    def _bytes(self) -> int:
        return sum(part.get("bytes", 0) for part in self.capture.manifest["parts"].values())

    def _answered(self) -> int:
        return int(self.capture.manifest["answered"])
