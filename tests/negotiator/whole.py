"""Everything that a cycle comes to as texts, one for each of its parts, and short marks of these.

A mark is kept where the texts would be too long; it tells which part of which cycle has changed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

import attr
from attr import define, field

from negotiator.groups.steps import QuotaStep
from negotiator.jobs.offers import Offers
from negotiator.jobs.requests import QueuedJob, Request
from negotiator.matching.board import Board, Watch
from negotiator.matching.candidate import Allowance, Asker, Candidate
from negotiator.matching.terms import SessionEnd, SessionTerms
from negotiator.model.result import CycleResult, Rejection

#: A number with so many digits that the last of them may depend on the C library.
_REAL = re.compile(r"\d+\.\d{6,}(?:e[+-]?\d+)?")
#: Letters of a mark.
_SHORT = 4


@define(eq=False)
class Notes(Watch):
    """Writes down all that a watch is told, a line each."""

    lines: list[str] = field(factory=list)
    steps: list[str] = field(factory=list)
    slots: list[str] = field(factory=list)

    def quota(self, step: QuotaStep) -> None:
        """See ``Watch``."""
        self.steps.append(repr(step))

    def offered(
        self,
        board: Board,
        terms: SessionTerms,
        request: Request,
        asker: Asker,
        allowance: Allowance,
    ) -> None:
        """See ``Watch``."""
        what = (len(board.pies), board.spin, terms, request.job, request.autocluster)
        self.lines.append(f"offered {what} {allowance} {len(board.slots)}")
        self.lines += sorted(str(request.ad).splitlines())

    def taken(self, candidate: Candidate, job: QueuedJob | None) -> None:
        """See ``Watch``."""
        self.lines.append(f"taken {candidate.keys} {None if job is None else job.id}")

    def refused(self, rejection: Rejection) -> None:
        """See ``Watch``."""
        self.lines.append(f"refused {rejection.job}")

    def answered(
        self, board: Board, terms: SessionTerms, request: Request, served: int, *, last: bool
    ) -> None:
        """See ``Watch``."""
        self.lines.append(f"answered {request.job} {served} {last}")

    def ended(
        self,
        board: Board,
        terms: SessionTerms,
        allowance: Allowance,
        offers: Offers,
        end: SessionEnd,
    ) -> None:
        """See ``Watch``."""
        left = {job.id: why.name for job, why in offers.unasked().items()}
        self.lines.append(f"ended {terms.submitter} {allowance} {end} {left}")

    def finished(self, board: Board) -> None:
        """See ``Watch``.  What the slots are like; before, whoever asks would make their ads."""
        for slot in board.fetched:
            self.slots.append(f"{slot.name} {slot.weight} {slot.claims} {slot.user}")
            self.slots += sorted(str(slot.ad).splitlines())


def rounded(text: str) -> str:
    """A text in which numbers with a point have nine digits that count."""

    return _REAL.sub(lambda found: f"{float(found[0]):.9g}", text)


def parts(result: CycleResult, notes: Notes | None = None, **more: object) -> dict[str, str]:
    """The texts of the fields of a result, of what a watch was told, and of ``more``."""
    names = [item.name for item in attr.fields(CycleResult) if item.name != "now"]
    found: dict[str, Any] = {name: getattr(result, name) for name in names}
    found["claims"] = result.accountant.resources
    if notes is not None:
        found |= {"told": notes.lines, "steps": notes.steps, "slots": notes.slots}
    texts = {name: rounded(_text(value)) for name, value in (found | more).items()}
    return {name: text for name, text in texts.items() if text not in ("", "None", "0.0")}


def _text(value: object) -> str:
    if isinstance(value, tuple | list):
        return "\n".join(map(str, value))
    if isinstance(value, Mapping):
        return "\n".join(f"{key}: {value[key]}" for key in sorted(value))
    return str(value)


def mark(text: str) -> str:
    """A few letters that another text hardly has."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:_SHORT]


def marks(texts: Mapping[str, str]) -> str:
    """The marks of all parts in one line."""
    return " ".join(f"{name}:{mark(text)}" for name, text in texts.items())
