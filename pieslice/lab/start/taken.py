"""Says what a file that was dropped on the page was taken for, and what it holds.

Inputs: a file and its name.  Outputs: ``DroppedFile``.  What a file is decides
``pieslice.inputs.sorting``, as for a command line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from attr import Factory, frozen

from classad.errors import ClassAdException, Diagnostic
from negotiator.capture.files import reason
from pieslice.inputs.sorting import NO_ADS, UNPACK, ArchiveError, FileKind, count_kinds, file_kind
from pieslice.reports.layout import plural

#: What an ad of a part of a pool is called.
_CALLED: Final[Mapping[str, str]] = {
    "slots": "slot",
    "jobs": "job",
    "submitters": "submitter",
    "schedds": "schedd",
    "accounting": "accounting record",
    "negotiator": "negotiator",
    "claims": "claim",
}
#: Other files.
_WHOLE: Final[Mapping[str, str]] = {
    "config": "configuration",
    "accountant_log": "the accountant's log",
    "expected": "what the real negotiator decided",
    "manifest": "notes of `pieslice capture`",
    "history": "history",
    "scenario": "scenario",
}
#: What is read as ads.
_OF_ADS: Final = ("ads", "jobs", "claims")


@frozen
class DroppedFile:
    """What a file was taken for: ``what`` of ``FileKind``, empty where it is of no use.

    ``ads``: of a file of ads how many of each kind.  ``said``: what it holds, or why it is of none.
    """

    name: str
    what: str
    said: str
    ads: Mapping[str, int] = Factory(dict)

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of a pool that it has."""
        return tuple(self.ads) or ((self.what,) if self.what else ())

    @property
    def taken(self) -> str:
        """The same in words."""
        return ", ".join(_WHOLE.get(part, part) for part in self.parts) or "nothing known"


def taken_for(name: str, path: Path) -> DroppedFile:
    """Tell what a file is."""
    diagnostics: list[Diagnostic] = []
    try:
        kind = file_kind(path)
        counts = count_kinds(path, diagnostics) if kind.what in _OF_ADS else Counter()
    except ArchiveError:
        return DroppedFile(name, "", f"an archive, which is not unpacked: {UNPACK}")
    except (OSError, ClassAdException, RecursionError) as problem:
        said = reason(problem) if isinstance(problem, OSError) else str(problem)
        return DroppedFile(name, "", said)
    if kind.what in ("claims", "jobs"):  # told by its name, or by what a log begins with
        counts = Counter({kind.what: counts.total()})
    others = counts.pop(None, 0)
    ads = {part: count for part, count in counts.items() if part is not None and count}
    if kind.what not in _OF_ADS:
        return DroppedFile(name, kind.what, _holds(path, kind))
    if not ads:
        help = "; a configuration is named *.conf or condor_config" if name.count(".") < 2 else ""
        return DroppedFile(name, "", f"{NO_ADS}{help}")
    holds = [plural(count, _CALLED[part]) for part, count in ads.items()]
    holds += [f"{plural(others, 'ad')} of other kinds"] if others else []
    wrong = sum(one.severity == "error" for one in diagnostics)
    holds += [f"{plural(wrong, 'line')} left out"] if wrong else []
    return DroppedFile(name, kind.what, ", ".join(holds), ads)


def _holds(path: Path, kind: FileKind) -> str:
    """What is in a file that has no ads."""
    if kind.what == "expected" and kind.data is not None:
        rows = [kind.data.get(it) for it in ("matches", "rejections")]
        return plural(sum(len(it) for it in rows if isinstance(it, list)), "decision")
    if kind.what == "scenario" and kind.data is not None:
        data = kind.data["scenario"]
        counts = [(it, data.get(it)) for it in ("slots", "jobs")]
        return ", ".join(
            plural(len(rows), it[:-1]) for it, rows in counts if isinstance(rows, list)
        )
    if kind.what == "history":
        from pieslice.recording.store import History, HistoryError

        try:
            with History(path) as history:
                return plural(len(history.moments()), "capture")
        except HistoryError as problem:
            return str(problem)
    with path.open("rb") as stream:
        return plural(sum(1 for _ in stream), "line")
