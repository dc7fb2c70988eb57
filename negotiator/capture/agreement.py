"""Compares the decisions of a cycle with those of the real negotiator, and counts what agrees.

Two matches are the same when job, submitter, slot and the user that the slot names are equal, two
rejections when job, submitter and reason are; besides, they must come in the same order: of
decisions in another order only a common subsequence counts.

A capture holds ads of different seconds, and the real negotiator saw those of its own.  A decision
that differs can come from that only if an ad involved is older than the cycle, or missing.

Inputs: a ``CycleResult`` and the object of an ``expected.json``.  Outputs: ``Agreement``.
Follows: the ``expected.json`` of the captured pools.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypedDict, cast

from attr import evolve, frozen

from classad import ClassAd
from negotiator.capture.ads import job_id
from negotiator.model.loaded_slots import slots_named
from negotiator.model.result import CycleResult
from negotiator.model.snapshot import Snapshot

MATCH_FIELDS = ("job", "submitter", "slot", "preempted")
REJECTION_FIELDS = ("job", "submitter", "reason")

Decision = tuple[str | None, ...]


class ExpectedError(ValueError):
    """An ``expected.json`` that does not have the agreed shape."""


class DecisionFields(TypedDict, total=False):
    """A match or a rejection, by the names of its fields."""

    job: str | None
    submitter: str | None
    slot: str | None
    preempted: str | None
    reason: str | None


@frozen
class Expected:
    """What the real negotiator decided.  ``negotiator`` is its version."""

    negotiator: str
    matches: tuple[Decision, ...]
    rejections: tuple[Decision, ...]
    #: Seconds since the epoch at which the cycle began, None if not recorded.
    cycle_started_at: float | None = None


@frozen
class AdAge:
    """An ad that a decision hangs on: the ``slot``, ``job`` or ``submitter`` of that name.

    ``there``: whether the capture has it; ``older``: the seconds by which it is older than the
    cycle, below 0 if it is newer, None if it tells no time.
    """

    what: str
    name: str
    there: bool
    older: float | None


@frozen
class DecisionDifference:
    """A decision only one side made.  ``ours``: this program made it, the real one did not.

    ``position`` counts from 0 in the list of the side that made it.  ``ads``: those that it hangs
    on, where it is known when the cycle began.
    """

    kind: str
    ours: bool
    position: int
    decision: Decision
    ads: tuple[AdAge, ...] = ()

    @property
    def from_age(self) -> bool | None:
        """Whether it can come from the age of the capture; None if no time tells."""
        if any(not ad.there or (ad.older is not None and ad.older > 0) for ad in self.ads):
            return True
        return None if not self.ads or any(ad.older is None for ad in self.ads) else False

    @property
    def side(self) -> str:
        """Who made it: ``here`` this program, ``expected`` the real negotiator."""
        return "here" if self.ours else "expected"

    def fields(self) -> DecisionFields:
        """The decision with the names of its fields."""
        names = MATCH_FIELDS if self.kind == "match" else REJECTION_FIELDS
        return cast("DecisionFields", dict(zip(names, self.decision, strict=True)))


@frozen
class Agreement:
    """``agreeing`` of ``expected`` decisions were made alike; ``extra`` of ours are not there."""

    negotiator: str
    expected: int
    agreeing: int
    extra: int
    differences: tuple[DecisionDifference, ...]

    @property
    def complete(self) -> bool:
        """Whether both sides made exactly the same decisions in the same order."""
        return not self.differences


def parse_expected(data: object) -> Expected:
    """Check the shape of an ``expected.json``; raises ``ExpectedError``."""
    if not isinstance(data, Mapping):
        raise ExpectedError("an object with `matches` and `rejections` is expected")
    started = data.get("cycle_started_at")
    if started is not None and not _is_time(started):
        raise ExpectedError("`cycle_started_at` is not a number of seconds")
    return Expected(
        str(data.get("negotiator", "of unknown version")),
        _decisions(data, "matches", MATCH_FIELDS),
        _decisions(data, "rejections", REJECTION_FIELDS),
        None if started is None else float(started),
    )


def _is_time(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < 2**62  # neither infinite nor beyond any clock; false for not-a-number


def _decisions(data: Mapping[str, Any], key: str, fields: Sequence[str]) -> tuple[Decision, ...]:
    entries = data.get(key, [])
    if not isinstance(entries, list):
        raise ExpectedError(f"`{key}` is not a list")
    found: list[Decision] = []
    for index, entry in enumerate(entries):
        if not isinstance(entry, Mapping):
            raise ExpectedError(f"`{key}[{index}]` is not an object")
        missing = [name for name in fields if name not in entry]
        if missing:
            raise ExpectedError(f"`{key}[{index}]` has no `{missing[0]}`")
        values = [entry[name] for name in fields]
        found.append(tuple(None if value is None else str(value) for value in values))
    return tuple(found)


def compare(result: CycleResult, expected: Expected) -> Agreement:
    """Align both lists of decisions and count what is the same."""
    matches: list[Decision] = [(m.job, m.submitter, m.slot, m.holder) for m in result.matches]
    rejections: list[Decision] = [(r.job, r.submitter, r.text) for r in result.rejections]
    same_matches, differences = _align("match", expected.matches, matches)
    same_rejections, more = _align("rejection", expected.rejections, rejections)
    return Agreement(
        negotiator=expected.negotiator,
        expected=len(expected.matches) + len(expected.rejections),
        agreeing=same_matches + same_rejections,
        extra=len(matches) + len(rejections) - same_matches - same_rejections,
        differences=(*differences, *more),
    )


def _align(
    kind: str, theirs: Sequence[Decision], ours: Sequence[Decision]
) -> tuple[int, list[DecisionDifference]]:
    """The length of a common subsequence and what is outside it, in order."""
    if list(theirs) == list(ours):
        return len(ours), []
    from difflib import SequenceMatcher

    same = 0
    differences: list[DecisionDifference] = []
    for tag, a, b, c, d in SequenceMatcher(None, theirs, ours, autojunk=False).get_opcodes():
        if tag == "equal":
            same += b - a
            continue
        differences += [DecisionDifference(kind, False, i, theirs[i]) for i in range(a, b)]
        differences += [DecisionDifference(kind, True, i, ours[i]) for i in range(c, d)]
    return same, differences


# --- the ages of ads ------------------------------------------------------------------------------

#: When the collector got the ad of a slot or submitter, in seconds since the epoch.
_HEARD: Final = ("LastHeardFrom", "MyCurrentTime")
#: When a schedd told of a job.
_TOLD: Final = ("ServerTime",)


def dated(agreement: Agreement, snapshot: Snapshot, started: float | None) -> Agreement:
    """The same with the ads behind each difference; ``started``: when the real cycle began."""
    if agreement.complete or started is None:
        return agreement
    ads = _Ads(snapshot, agreement.differences)
    differences = [
        evolve(item, ads=tuple(ads.behind(item, started))) for item in agreement.differences
    ]
    return evolve(agreement, differences=tuple(differences))


class _Ads:
    """The ads of a snapshot that some decisions name."""

    def __init__(self, snapshot: Snapshot, differences: Iterable[DecisionDifference]) -> None:
        fields = [item.fields() for item in differences]
        slots = {slot for found in fields if (slot := found.get("slot"))}
        jobs = {found["job"] for found in fields}
        self._slots = slots_named(snapshot.slots, slots)
        self._submitters: dict[str | None, list[ClassAd]] = {}
        for ad in snapshot.submitters:
            self._submitters.setdefault(ad.get_string("Name"), []).append(ad)
        self._jobs = {
            (queue.name, name): ad
            for queue in snapshot.queues
            for ad in queue.jobs
            if (name := job_id(ad)) in jobs
        }

    def behind(self, item: DecisionDifference, started: float) -> Iterator[AdAge]:
        """The ages of the ads that a decision hangs on, in a cycle that ``started`` then."""
        fields = item.fields()
        slot, job, submitter = fields.get("slot"), fields["job"], fields["submitter"]
        if slot is not None:
            yield _age("slot", slot, self._slots.get(slot), started)
        submitters = self._submitters.get(submitter, [])
        schedds = {ad.get_string("ScheddName") for ad in submitters}
        ads = [ad for (schedd, name), ad in self._jobs.items() if name == job and schedd in schedds]
        kinds = (("job", job or "", ads), ("submitter", submitter or "", submitters))
        yield from (_age(what, name, ad, started) for what, name, found in kinds for ad in found)
        yield from (_age(what, name, None, started) for what, name, found in kinds if not found)


def _age(what: str, name: str, ad: ClassAd | None, started: float) -> AdAge:
    times = [] if ad is None else [ad.get_number(it) for it in (_TOLD if what == "job" else _HEARD)]
    told = next((time for time in times if time is not None), None)
    return AdAge(what, name, ad is not None, None if told is None else started - told)
