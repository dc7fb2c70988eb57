"""Lists where the real negotiator would abort or not come to an end, and what is done here instead.

Each entry has the number of its entry in DIVERGENCES.md, which says what HTCondor does and why this
is better.
"""

from __future__ import annotations

from enum import Enum

from attr import define, field, frozen


class DepartureKind(Enum):
    """Where a cycle departs from the real one: number in DIVERGENCES.md, what is done instead."""

    __hash__ = object.__hash__

    DEPTH_FIRST = (
        "D-501",
        "a request that depth first serves less than no jobs, by an amount that does not fit into "
        "32 bits, comes to an end; condor_negotiator would offer it until a time limit",
    )
    MISSING_ASSET = (
        "D-502",
        "the slot lacks a resource that its consumption policy names, and matches nothing; "
        "condor_negotiator would abort",
    )
    ONE_AT_A_TIME = (
        "D-503",
        "refused requests are not sent again; with NEGOTIATE_ALL_JOBS_IN_CLUSTER and requests one "
        "at a time condor_negotiator would be sent them until a time limit",
    )
    LIMIT_AND_LIST = (
        "D-504",
        "refused for a concurrency limit after the match list was used up; condor_negotiator "
        "would abort",
    )
    ROUND_ROBIN = (
        "D-505",
        "what is left after very many passes of the round robin is given in one; "
        "condor_negotiator would go on for hours, or without end",
    )
    NO_PROGRESS = (
        "D-506",
        "a slot that is matched without serving a job or getting smaller counts once; "
        "condor_negotiator would match it until a time limit",
    )

    GPU_CIRCLE = (
        "D-508",
        "RequireGPUs that lead back to the Requirements that count them suit no GPU; "
        "condor_negotiator may not come to an end, or abort",
    )

    @property
    def number(self) -> str:
        """The number in DIVERGENCES.md."""
        return self.value[0]

    @property
    def text(self) -> str:
        """What is done here, and what condor_negotiator would do."""
        return self.value[1]


@frozen
class Departure:
    """A kind of departure that a cycle met, how often, and the slots, jobs or groups concerned."""

    kind: DepartureKind
    times: int
    about: tuple[str, ...]


@define(eq=False)
class DepartureLog:
    """The departures of a cycle so far."""

    _times: dict[DepartureKind, int] = field(factory=dict)
    _about: dict[DepartureKind, dict[str, None]] = field(factory=dict)

    def note(self, kind: DepartureKind, about: str) -> None:
        """Count a departure."""
        self._times[kind] = self._times.get(kind, 0) + 1
        self._about.setdefault(kind, {})[about] = None

    def departures(self) -> tuple[Departure, ...]:
        """All of them, by number."""
        return tuple(
            Departure(kind, self._times[kind], tuple(self._about[kind]))
            for kind in DepartureKind
            if kind in self._times
        )
