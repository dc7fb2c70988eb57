"""Recorded scenarios with something changed in them, and the cycle that comes of it.

A case is a line of ``changed.txt``: the name of a scenario, what is changed, separated by
semicolons, and the marks of what the cycle came to.  Numbers of slots, jobs and users wrap around:

    knob NAME = TEXT          a macro of the configuration
    slot 3 NAME = TEXT        an attribute of a slot; ``slots 1/2`` of every second one; no text
                              removes it; ``job`` and ``jobs``, ``submitter``, ``submitters`` alike
    customer 2 FIELD = TEXT   a field of a user's record; of a lease: seconds from now, value before
    elapsed = 60              seconds since priorities were updated
    recorded = 1              the claims of the pool are on record, with this weight each
    claims 3 = 2              how many claims a slot has
    costs = 5                 the seconds that a request takes
    dialect = mrg             the rules
    order = reversed          the pool the other way round, jobs and submitters too
    then = 60                 another cycle after so many seconds

``python -m tests.negotiator.changed`` writes the marks anew; ``--show LINE`` prints in full what
the cycle of a line comes to.
"""

from __future__ import annotations

import argparse
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from difflib import unified_diff
from functools import lru_cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

from attr import define, evolve

from classad import ClassAd
from classad.formats.long import format_long, shared_tree
from fuzz.thresholds import few_are_many
from negotiator.capture.ads import load_columns
from negotiator.capture.slots import plain_names
from negotiator.cycle import negotiate
from negotiator.engines import ENGINES, make_engines
from negotiator.matching.stopwatch import RequestCosts
from negotiator.model.loaded_slots import LoadedSlots
from negotiator.model.snapshot import Customer, Lease, Resource, ScheddQueue, Snapshot
from negotiator.scenario.expand import JobEntry, SlotEntry, expand_jobs, expand_slots, merge
from negotiator.scenario.read import BASE_KNOBS, NOW, AdMaker, accountant_of, snapshot_of
from negotiator.scenario.warm import remembering, warmed
from policy.dialects import DIALECTS
from policy.load import policy_from_knobs
from policy.model import NegotiatorPolicy
from tests.negotiator import scenarios, whole
from tests.negotiator.test_wild import PLACES
from tests.negotiator.test_wild import load as load_wild

KEPT: Final = Path(__file__).with_name("changed.txt")
BAR: Final = " | "
#: Slots as they are read of a file, by engines that have other cycles to come; as if few slots
#: were many.
LOADED: Final = "loaded"
FEW: Final = "few"
WAYS: Final = (*ENGINES, LOADED, f"{ENGINES[0]} {FEW}", f"{LOADED} {FEW}")


@lru_cache(maxsize=4)
def scenario_of(name: str) -> dict[str, Any]:
    """A recorded scenario with what was observed."""
    return load_wild(name) if name in PLACES else scenarios.load(name)


@define
class Case:
    """What a changed scenario is made of."""

    policy: NegotiatorPolicy
    snapshot: Snapshot
    costs: RequestCosts
    #: Seconds from each cycle to the next.
    later: list[float]


@define
class _Change:
    """``what`` is changed: ``which`` of them, its attribute ``name``, and to which ``text``."""

    what: str
    which: str
    name: str
    text: str

    def number(self) -> float:
        return float(self.text)

    def chosen(self, size: int) -> Sequence[int]:
        """The numbers that are meant among so many."""
        if "/" in self.which:
            first, step = map(int, self.which.split("/"))
            return range(first, size, step)
        return [int(self.which) % size] if size else []


def _read(text: str) -> _Change:
    head, _, value = text.partition(" =")
    what, *rest = head.split()
    name = rest.pop() if rest and what != "claims" else ""
    return _Change(what.removesuffix("s"), " ".join(rest), name, value.strip())


def case_of(name: str, changes: Sequence[str]) -> Case:
    """A scenario with these changes."""
    data = scenario_of(name)
    found = [_read(change) for change in changes]
    by_kind: dict[str, list[_Change]] = {}
    for change in found:
        by_kind.setdefault(change.what, []).append(change)
    scenario, seen = data["scenario"], data["observed"]["cycles"][0]
    knobs = {change.name: change.text for change in by_kind.get("knob", ())}
    one = {kind: changes[-1].text for kind, changes in by_kind.items()}
    dialect = DIALECTS[one.get("dialect", "htcondor")]
    given = {**BASE_KNOBS, **scenario.get("config", {}), **knobs}
    policy = policy_from_knobs(given, dialect=dialect).policy
    make = AdMaker()
    slots = _with(list(expand_slots(scenario, scenario["slots"])), by_kind.get("slot", ()))
    jobs = _with(list(expand_jobs(scenario, scenario.get("jobs", []))), by_kind.get("job", ()))
    accountant = accountant_of(scenario, slots, make, policy)
    snapshot = snapshot_of(scenario, seen, slots, jobs, accountant, make, policy)
    snapshot = warmed(scenario, seen, snapshot, policy, NOW)
    for kind, changed in by_kind.items():
        if kind in _OF_SNAPSHOTS:
            for change in changed:
                snapshot = _OF_SNAPSHOTS[kind](snapshot, change)
    later = [change.number() for change in by_kind.get("then", ())]
    return Case(policy, snapshot, RequestCosts(float(one.get("cost", 0))), later)


Entry = TypeVar("Entry", SlotEntry, JobEntry)


def _with(entries: list[Entry], changes: Sequence[_Change]) -> list[Entry]:
    """The slots or jobs with other attributes."""
    for change in changes:
        for i in change.chosen(len(entries)):
            more = {change.name: change.text or None}
            entries[i] = evolve(entries[i], attributes=merge(entries[i].attributes, more))
    return entries


# --- what is changed in a snapshot ---------------------------------------------------------------


def _submitter(snapshot: Snapshot, change: _Change) -> Snapshot:
    ads = list(snapshot.submitters)
    for i in change.chosen(len(ads)):
        ads[i] = ClassAd.copy_of(ads[i])
        ads[i].insert(change.name, shared_tree(change.name.lower(), change.text, None))
    return evolve(snapshot, submitters=tuple(ads))


def _customer(snapshot: Snapshot, change: _Change) -> Snapshot:
    known = snapshot.accountant.customers
    names = sorted({*known, *(ad.get_string("Name") or "" for ad in snapshot.submitters)} - {""})
    customers = dict(known)
    for i in change.chosen(len(names)):
        before = customers.get(names[i], Customer(names[i]))
        customers[names[i]] = before.changed(**{change.name: _value(change)})
    return evolve(snapshot, accountant=evolve(snapshot.accountant, customers=customers))


def _value(change: _Change) -> Lease | float | int:
    """A value of a field of ``Customer``."""
    if change.name.endswith("_lease"):
        seconds, before = change.text.split()
        return Lease(NOW + int(seconds), float(before))
    return float(change.text) if "." in change.text else int(change.text)


def _elapsed(snapshot: Snapshot, change: _Change) -> Snapshot:
    then = NOW - int(change.text)
    return evolve(snapshot, accountant=evolve(snapshot.accountant, last_update_time=then))


def _recorded(snapshot: Snapshot, change: _Change) -> Snapshot:
    found = {}
    for ad in snapshot.slots:
        user = ad.get_string("AccountingGroup") or ad.get_string("RemoteUser")
        if user is not None:
            key = f"{ad.get_string('Name')}@{(ad.get_string('StartdIpAddr') or '')}"
            found[key] = Resource(key, user, change.number(), NOW - 100)
    return evolve(snapshot, accountant=evolve(snapshot.accountant, resources=found))


def _claims(snapshot: Snapshot, change: _Change) -> Snapshot:
    names = [ad.get_string("Name") or "" for ad in snapshot.slots]
    chosen = {names[i]: int(change.text) for i in change.chosen(len(names))}
    return evolve(snapshot, claims={**snapshot.claims, **chosen})


def _order(snapshot: Snapshot, change: _Change) -> Snapshot:
    queues = [ScheddQueue(q.name, q.jobs[::-1]) for q in snapshot.queues]
    return evolve(
        snapshot,
        slots=tuple(snapshot.slots)[::-1],
        submitters=snapshot.submitters[::-1],
        queues=tuple(queues)[::-1],
    )


_OF_SNAPSHOTS: Final[Mapping[str, Callable[[Snapshot, _Change], Snapshot]]] = {
    "submitter": _submitter,
    "customer": _customer,
    "elapsed": _elapsed,
    "recorded": _recorded,
    "claim": _claims,
    "order": _order,
}


def _loaded(slots: Sequence[ClassAd]) -> Sequence[ClassAd]:
    """The slots as they are read of a file that has them by name."""
    rows = sorted(range(len(slots)), key=lambda place: slots[place].get_string("Name") or "")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "slots.ads"
        file.write_text("\n".join(format_long(slots[place]) for place in rows))
        loaded = load_columns(file)
    names = None if loaded is None else plain_names(loaded)
    if loaded is None or names is None:
        return slots
    order = array("i", sorted(range(len(rows)), key=rows.__getitem__))
    return LoadedSlots(loaded, order, [names[row] for row in order])


# --- what comes of it ----------------------------------------------------------------------------


def cycles_of(case: Case, engine: str) -> Iterator[dict[str, str]]:
    """The texts of each cycle of a case, with one of the engines."""
    snapshot, now, loaded = case.snapshot, float(NOW), engine == LOADED
    if loaded:
        snapshot = evolve(snapshot, slots=_loaded(snapshot.slots))
    engines = make_engines(ENGINES[0] if loaded else engine, lasting=loaded or bool(case.later))
    for seconds in (*case.later, None):
        notes, chance = whole.Notes(), Random(11)
        result = negotiate(
            snapshot,
            case.policy,
            now=now,
            rng=chance,
            watch=notes,
            costs=case.costs,
            engine=engines,
        )
        drawn = chance.getstate() != Random(11).getstate()
        yield whole.parts(result, notes, chance=chance.random() if drawn else "")
        if seconds is not None:
            now += seconds
            after = evolve(result.accountant, last_update_time=int(now - seconds))
            snapshot = evolve(remembering(snapshot, result, 0.0), accountant=after)


def marks_of(scenario: str, changes: Sequence[str], way: str) -> str:
    """The marks of all cycles of a case."""
    engine, _, few = way.partition(" ")
    with few_are_many() if few else nullcontext():
        return " / ".join(map(whole.marks, cycles_of(case_of(scenario, changes), engine)))


def answered(lines: Iterable[tuple[int, str]], *, all_ways: bool = False) -> list[str]:
    """Numbered lines with the marks of the cycles now, found in one way or another.

    ``all_ways``: in all of them, which have a line each where they disagree.
    """
    found = []
    for number, line in lines:
        scenario, text = line.split(BAR)[:2]
        engines = WAYS if all_ways else [WAYS[number % len(WAYS)]]
        marks = {marks_of(scenario, text.split("; "), engine) for engine in engines}
        found += [BAR.join((scenario, text, each)) for each in sorted(marks)]
    return found


def kept() -> list[tuple[int, str]]:
    """The lines of the file with their numbers."""
    return list(enumerate(KEPT.read_text().splitlines(), 1))


def differences(lines: Sequence[tuple[int, str]]) -> list[str]:
    """How the marks of these lines differ from what they are now."""
    texts = [line for _, line in lines]
    return list(unified_diff(texts, answered(lines), "kept", "now", lineterm="", n=0))


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", type=int, metavar="LINE")
    chosen = parser.parse_args()
    if chosen.show is None:
        KEPT.write_text("\n".join(answered(kept(), all_ways=True)) + "\n")
        return
    scenario, text = kept()[chosen.show - 1][1].split(BAR)[:2]
    for texts in cycles_of(case_of(scenario, text.split("; ")), ENGINES[0]):
        for name, found in texts.items():
            print(f"--- {name}\n{found}")


if __name__ == "__main__":
    main()
