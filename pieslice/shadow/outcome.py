"""Compares what was predicted of a cycle with what two captures show of it.

Matches are found as claims that are new: a partitionable slot is matched at most once in a cycle,
however many jobs its schedd then puts there, so a match is a submitter and a slot.  Rejections are
what the schedds note in their jobs.  How many there were of both the negotiator says itself.

A cycle is *still* if nothing that it decides on changed between the first capture and its
beginning, as far as the second one shows, nothing was left of partitionable slots that their
schedds filled meanwhile, every daemon answered, and the capture decides what the cycle does.

Inputs: two captures of a pool, a ``CycleResult``.  Outputs: ``PredictedCycle``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Final, Literal, get_args

from attr import asdict, field, fields, frozen

from classad import ClassAd
from classad.evaluation.context import NO_CONTEXT
from negotiator.jobs.readiness import IDLE, RUNNING, takes_room
from negotiator.jobs.submitters import submitter_of
from negotiator.model.arithmetic import whole
from negotiator.model.result import CycleResult, Rejection
from negotiator.model.snapshot import whole_slot
from pieslice.data import Record
from pieslice.live.capture import LiveCapture
from pieslice.reports.document import SPARSE, Document, shape

#: How many of the decisions that differ are told one by one.
TOLD: Final = 20

#: A submitter and the slot that it was matched with.
Pair = tuple[str, str]


@frozen
class Moved:
    """What changed between a capture and the cycle after it.

    ``leftovers``: further jobs that schedds put on partitionable slots until the cycle ended;
    ``rejections``: those predicted that did not happen, of requests all of whose jobs had been
    started so.
    """

    slots: int = 0
    submitters: int = 0
    jobs: int = 0
    factors: int = 0
    leftovers: int = 0
    rejections: int = 0

    def __bool__(self) -> bool:
        return any(asdict(self).values())

    def text(self) -> str:
        """What moved, in words."""
        found = [f"{count} {name}" for name, count in asdict(self).items() if count]
        return ", ".join(found) or "nothing"


@frozen
class PredictedCycle(Document):
    """How the prediction of a cycle went.

    ``time``: when the cycle began, in seconds since the epoch by the negotiator's clock; ``age``:
    the seconds between the capture and that.  ``matches`` and ``rejections`` happened, as the
    negotiator says; ``seen`` of the matches are in the second capture: what a startd refuses, or
    what ends at once, is not.  ``only_predicted`` and ``only_seen``: the first that differ.
    ``silent``: what the captures lack because daemons did not answer; ``uncertain``: what is not
    decided by the first capture.
    """

    schema: ClassVar[str] = "pieslice/shadow-cycle/1"
    time: int
    age: float
    predicted: int
    matches: int
    seen: int
    agreeing: int
    predicted_rejections: int
    rejections: int
    moved: Moved
    only_predicted: tuple[Pair, ...] = ()
    only_seen: tuple[Pair, ...] = ()
    silent: tuple[str, ...] = ()
    uncertain: tuple[str, ...] = ()
    #: Of several pools that are followed, the one that it is about.
    pool: str | None = field(default=None, metadata=SPARSE)

    @property
    def exact(self) -> bool:
        """Whether all happened as it was predicted, as far as it can be seen."""
        refused = self.rejections + self.moved.rejections
        counts = (self.predicted, self.predicted_rejections) == (self.matches, refused)
        return counts and self.agreeing == self.seen

    @property
    def still(self) -> bool:
        """Whether nothing moved, everybody answered, and the capture decides the cycle."""
        return not self.moved and not self.silent and not self.uncertain


shape(PredictedCycle, "* exact still")


def outcome_of(data: Record) -> PredictedCycle:
    """The outcome in a line of JSON; raises ``KeyError``, ``TypeError`` and ``ValueError``."""
    # A log may have lines of an earlier version.
    values: dict[str, Any] = {"silent": (), "uncertain": (), "pool": None, **data}
    values = {it.name: values[it.name] for it in fields(PredictedCycle)}
    values["moved"] = Moved(**values["moved"])
    for name in ("silent", "uncertain"):
        values[name] = tuple(map(str, values[name]))
    for name in ("only_predicted", "only_seen"):
        values[name] = tuple((str(one), str(other)) for one, other in values[name])
    return PredictedCycle(**values)


def compare(before: LiveCapture, after: LiveCapture, predicted: CycleResult) -> PredictedCycle:
    """How the prediction for the cycle between two captures went."""
    cycle = after.manifest["cycle"]
    asked_by = {(match.submitter, match.slot): match.schedd for match in predicted.matches}
    wanted = set(asked_by)
    schedds = new_matches(before, after, wanted)
    happened = set(schedds)
    # The same user on the same slot, with the job of another schedd, is another match.
    others = {pair for pair in wanted & happened if schedds[pair] not in (None, asked_by[pair])}
    return PredictedCycle(
        time=int(cycle["time"]),
        age=round(cycle["time"] - before.ended, 3),
        predicted=len(predicted.matches),
        matches=int(cycle.get("matches", len(happened))),
        seen=len(happened),
        agreeing=len(wanted & happened - others),
        predicted_rejections=len(predicted.rejections),
        rejections=int(cycle.get("rejections", 0)),
        moved=what_moved(before, after, happened, wanted, predicted.rejections),
        only_predicted=tuple(sorted((wanted - happened) | others))[:TOLD],
        only_seen=tuple(sorted((happened - wanted) | others))[:TOLD],
        silent=silent_in(before, after),
        uncertain=(
            *before.manifest.get("uncertain", ()),
            *_undecided_orders(before, after, {user for user, _ in others}),
        ),
    )


def _undecided_orders(
    before: LiveCapture, after: LiveCapture, differing: set[str]
) -> Iterable[str]:
    """Users of several schedds whose order a new ad has changed before the cycle, or may have.

    It follows from the times of their ads.
    """
    began = float(after.manifest["cycle"]["time"])
    later = _by_name(after, "submitters", "Name", "ScheddName")
    heard: dict[str, list[bool]] = {}
    for key, ad in _by_name(before, "submitters", "Name", "ScheddName").items():
        if ad.get_number("IdleJobs"):
            now = later[key].get_number("LastHeardFrom") if key in later else None
            new = now is not None and now != ad.get_number("LastHeardFrom") and now <= began
            heard.setdefault(str(key[0]), []).append(new)
    for user, renewed in sorted(heard.items()):
        if len(renewed) > 1 and (any(renewed) or user in differing):
            yield f"the order of the schedds of {user} is not decided by this capture"


def silent_in(*captures: LiveCapture) -> tuple[str, ...]:
    """What captures lack because daemons did not answer."""
    return tuple(
        dict.fromkeys(line for capture in captures for line in capture.manifest.get("silent", ()))
    )


def new_matches(
    before: LiveCapture, after: LiveCapture, wanted: set[Pair]
) -> dict[Pair, str | None]:
    """The submitters and slots of claims that the second capture has and the first has not.

    And of each the schedd that has the claim.

    A dynamic slot that is there in both may have been preempted, or have gone and been made again:
    it is what is ``wanted`` of it.
    """
    users = {
        (schedd, number): user
        for capture in (before, after)
        for schedd, number, user in _submitters(capture)
    }
    known = {_claim_key(ad) for ad in before.ads("claims")}
    asked_for = {
        (users.get((schedd, first)), name) for schedd, name, first, _ in known if first is not None
    }
    rests = {
        (ad.get_string("ScheddName"), ad.get_string("Name"))
        for ad in before.ads("claims")
        if ad.get_string("State") == "Unclaimed"
    }
    found: dict[Pair, str | None] = {}
    for ad in after.ads("claims"):
        key = _claim_key(ad)
        if key in known:
            continue
        schedd, name, first = key[:3]
        if first is not None:
            user = users.get((schedd, first))
        else:
            user = ad.get_string("AccountingGroup") or ad.get_string("RemoteUser")
        if user is not None and name is not None:
            if first is None and {(user, name), (user, whole_slot(name))} & asked_for:
                continue  # granted now, and matched in a cycle before
            if first is None and (schedd, whole_slot(name)) in rests:
                continue  # the rest of a slot that was matched in a cycle before
            kept = first is not None or (user, name) in wanted
            found[user, name if kept else whole_slot(name)] = schedd
    return found


def _claim_key(ad: ClassAd) -> tuple[str | None, str | None, tuple[int, int] | None, float | None]:
    """What tells claims apart: one that is granted is another one than when it was asked for."""
    first = _number(ad, "_condor_RESOURCE_CLUSTER", "_condor_RESOURCE_PROC")
    entered = None if first is not None else ad.get_number("EnteredCurrentState")
    return ad.get_string("ScheddName"), ad.get_string("Name"), first, entered


def _submitters(
    capture: LiveCapture,
) -> Iterable[tuple[str | None, tuple[int, int] | None, str]]:
    for ad in capture.ads("jobs"):
        user = submitter_of(ad)
        if user is not None:
            yield schedd_of(ad), _number(ad, "ClusterId", "ProcId"), user


def schedd_of(ad: ClassAd) -> str:
    """The schedd of a job."""
    return (ad.get_string("GlobalJobId") or "").partition("#")[0]


def _number(ad: ClassAd, *names: str) -> tuple[int, int] | None:
    cluster, proc = (ad.get_number(name) for name in names)
    return None if cluster is None or proc is None else (whole(cluster), whole(proc))


# --- what moved -----------------------------------------------------------------------------------


def what_moved(
    before: LiveCapture,
    after: LiveCapture,
    matched: set[Pair],
    wanted: set[Pair],
    rejections: Sequence[Rejection] = (),
) -> Moved:
    """What changed after the first capture and not because of the cycle.

    ``rejections``: those that were predicted.
    """
    began = float(after.manifest["cycle"]["time"])
    missing = len(rejections) - int(after.manifest["cycle"].get("rejections", 0))
    slots = {slot for _, slot in matched}
    freed = {slot for _, slot in matched - wanted}
    return Moved(
        _moved_slots(before, after, began, slots)
        + _freed_slots(before, freed)
        + _late_slots(before, after),
        _moved_submitters(before, after, began),
        _moved_jobs(before, after, began),
        _moved_factors(before, after),
        leftovers := _filled_leftovers(before, after),
        0 if not (leftovers and missing > 0) else min(_moot(before, after, rejections), missing),
    )


def _by_name(capture: LiveCapture, part: str, *names: str) -> dict[tuple[object, ...], ClassAd]:
    return {tuple(ad.evaluate_attr(name) for name in names): ad for ad in capture.ads(part)}


def _moved_slots(before: LiveCapture, after: LiveCapture, began: float, matched: set[str]) -> int:
    """Slots that came, went, or changed their state before the cycle and were not matched."""
    old, new = (_by_name(capture, "slots", "Name") for capture in (before, after))
    moved = 0
    for key in old.keys() | new.keys():
        name = whole_slot(str(key[0]))
        if key not in old:
            entered = new[key].get_number("EnteredCurrentState") or 0
            moved += entered < began and name not in matched
        elif key not in new:
            moved += str(key[0]) not in matched
        else:
            heard = new[key].get_number("LastHeardFrom") or 0
            same = all(
                old[key].evaluate_attr(what) == new[key].evaluate_attr(what)
                for what in ("State", "Activity", "Cpus", "Memory", "RemoteUser")
            )
            moved += not same and heard <= began and name not in matched
    return moved


def _freed_slots(before: LiveCapture, matched: set[str]) -> int:
    """Slots that were matched, and had been somebody's when they were captured."""
    claimed = {
        ad.get_string("Name")
        for ad in before.ads("slots")
        if ad.get_string("State") not in ("Unclaimed", "Owner")
    }
    return len(claimed & matched)


def _late_slots(before: LiveCapture, after: LiveCapture) -> int:
    """Partitionable slots that had less than their ads of before the cycle would make them whole.

    Parts of them had gone already, and their own new ads came later.
    """
    old, new = _missing_cores(before), _missing_cores(after)
    return sum(1 for slot, cores in old.items() if cores and cores != new.get(slot))


def _missing_cores(capture: LiveCapture) -> dict[str, float]:
    """By partitionable slot, what it and its parts lack of its cores."""
    whole: dict[str, float] = {}
    found: dict[str, float] = defaultdict(float)
    for ad in capture.ads("slots"):
        name, cores = ad.get_string("Name") or "", ad.get_number("Cpus") or 0
        found[whole_slot(name)] += cores
        total = ad.get_number("TotalSlotCpus")
        if total is not None and ad.get_string("SlotType") == "Partitionable":
            whole[name] = total
    return {name: total - found[name] for name, total in whole.items()}


def _moved_submitters(before: LiveCapture, after: LiveCapture, began: float) -> int:
    """Submitters that came, went, or told of other numbers of jobs before the cycle."""
    old, new = (
        _by_name(capture, "submitters", "Name", "ScheddName") for capture in (before, after)
    )
    # Of a new one the ad may be that of after the cycle, but it had jobs before.
    asking = {(submitter_of(ad), schedd_of(ad)) for ad in after.ads("jobs") if _made(ad) <= began}
    # One that had not told of its jobs yet has told of them since.
    idle = {
        (submitter_of(ad), schedd_of(ad))
        for ad in before.ads("jobs")
        if ad.get_number("JobStatus") == IDLE
    }
    late = {
        key
        for key in old.keys() & new.keys() & idle
        if not old[key].get_number("IdleJobs")
        and old[key].get_number("LastHeardFrom") != new[key].get_number("LastHeardFrom")
    }
    moved = 0
    for key in old.keys() | new.keys():
        if key not in new or key in late or (key not in old and key in asking):
            moved += 1
            continue
        heard = (new[key].get_number("LastHeardFrom") or 0) <= began
        same = key in old and all(
            old[key].evaluate_attr(what) == new[key].evaluate_attr(what)
            for what in ("IdleJobs", "RunningJobs", "WeightedIdleJobs")
        )
        moved += heard and not same
    return moved


def _moved_jobs(before: LiveCapture, after: LiveCapture, began: float) -> int:
    """Jobs that came or went while the cycle could see it, or changed their status.

    Those that it starts are none, and those that it evicts are none once it has ended.
    """
    cycle = after.manifest["cycle"]
    ended = float(cycle.get("end", cycle["time"]))
    old, new = (_by_name(capture, "jobs", "GlobalJobId") for capture in (before, after))
    moved = sum(key not in new for key, ad in old.items() if _takes_slots(ad))
    for key, ad in new.items():
        if not _takes_slots(ad):
            continue
        since = ad.get_number("EnteredCurrentStatus") or 0
        if key not in old:
            moved += _made(ad) <= ended
        elif ad.get_number("JobStatus") != old[key].get_number("JobStatus"):
            moved += since < began or (since <= ended and ad.get_number("JobStatus") != RUNNING)
        else:
            # One that was evicted and started again was offered between.
            moved += since != (old[key].get_number("EnteredCurrentStatus") or 0)
    return moved


def _takes_slots(ad: ClassAd) -> bool:
    """Whether the negotiator can be asked for slots for a job, maybe by a dedicated scheduler."""
    return takes_room(ad, NO_CONTEXT)


def _made(ad: ClassAd) -> float:
    """When a job was made; a factory makes its jobs later than it was submitted."""
    made = (ad.get_string("GlobalJobId") or "").rpartition("#")[2]
    return max(float(made) if made.isdecimal() else 0.0, ad.get_number("QDate") or 0.0)


def _moved_factors(before: LiveCapture, after: LiveCapture) -> int:
    old, new = (_by_name(capture, "accounting", "Name") for capture in (before, after))
    return sum(
        1
        for key in old.keys() & new.keys()
        if old[key].get_number("PriorityFactor") != new[key].get_number("PriorityFactor")
    )


def _filled_leftovers(before: LiveCapture, after: LiveCapture) -> int:
    """Claims on parts of slots, by the end of the cycle, that no match of their own was for."""
    known = {_claim_key(ad) for ad in before.ads("claims")}
    rests = {
        (ad.get_string("ScheddName"), ad.get_string("Name"))
        for ad in before.ads("claims")
        if ad.get_string("State") == "Unclaimed"
    }
    cycle = after.manifest["cycle"]
    ended = float(cycle.get("end", cycle["time"]))
    parts: Counter[tuple[str | None, str]] = Counter()
    for ad in after.ads("claims"):
        schedd, name, first, entered = key = _claim_key(ad)
        if key in known or name is None or first is not None or entered is None:
            continue
        if name != whole_slot(name) and entered <= ended:
            parts[schedd, whole_slot(name)] += 1
    return sum(count - (slot not in rests) for slot, count in parts.items())


#: What is counted over many cycles.
TotalName = Literal[
    "cycles", "exact", "still", "still_exact", "predicted", "matches", "agreeing",
    "predicted_rejections", "rejections", "seen", "still_seen", "still_agreeing", "silent",
    "uncertain",
]  # fmt: skip
#: Those of them that are numbers of an outcome.
_SUMMED: Final[tuple[TotalName, ...]] = (
    *("predicted", "matches", "agreeing", "predicted_rejections", "rejections", "seen"),
)


def _moot(before: LiveCapture, after: LiveCapture, rejections: Iterable[Rejection]) -> int:
    """Rejections of which all jobs run by now, some of them on a part of a slot."""
    kinds: dict[object, object] = {}
    waited: dict[object, set[object]] = {}
    for ad in before.ads("jobs"):
        if ad.get_number("JobStatus") == IDLE:
            name, number = ad.get_string("GlobalJobId"), _number(ad, "ClusterId", "ProcId")
            alike = ad.get_number("AutoClusterId") or ad.get_number("ClusterId")
            kind = submitter_of(ad), schedd_of(ad), alike
            kinds[submitter_of(ad), schedd_of(ad), number] = kind
            waited.setdefault(kind, set()).add(name)
    hosts = {
        ad.get_string("GlobalJobId"): ad.get_string("RemoteHost") or ""
        for ad in after.ads("jobs")
        if ad.get_number("JobStatus") == RUNNING
    }
    moot = 0
    for item in rejections:
        cluster, _, proc = item.job.partition(".")
        key = item.submitter, item.schedd, (int(cluster), int(proc))
        names = waited.get(kinds.get(key), set())
        started = [hosts[name] for name in names if name in hosts]
        parts = any(host != whole_slot(host) for host in started)
        moot += bool(names) and len(started) == len(names) and parts
    return moot


def total(outcomes: Iterable[PredictedCycle]) -> dict[TotalName, int]:
    """The numbers of many outcomes."""
    found: dict[TotalName, int] = dict.fromkeys(get_args(TotalName), 0)
    for item in outcomes:
        found["cycles"] += 1
        found["exact"] += item.exact
        found["silent"] += bool(item.silent)
        found["uncertain"] += bool(item.uncertain)
        for name in _SUMMED:
            found[name] += getattr(item, name)
        if item.still:
            found["still"] += 1
            found["still_exact"] += item.exact
            found["still_seen"] += item.seen
            found["still_agreeing"] += item.agreeing
    return found
