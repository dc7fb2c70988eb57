"""Makes the snapshot and the policy of a cycle of a scenario.

Inputs: slots and jobs of a cycle as entries, and what was observed; the pool order of the slots was
an input of the real negotiator too.  Outputs: ``Snapshot`` and ``NegotiatorPolicy``.
Follows: the README beside the recorded negotiation scenarios.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attr import evolve

from classad import ClassAd
from classad.ads.ad import ListValue
from classad.ads.expression import Expression
from classad.evaluation.context import NO_CONTEXT
from classad.formats.long import shared_tree
from classad.language.names import fold_name
from negotiator.accounting.records import recounted
from negotiator.capture.slots import CollectorTable, submitter_order
from negotiator.cycle import negotiate
from negotiator.groups.tree import group_tree
from negotiator.jobs.readiness import served
from negotiator.jobs.submitters import IdleJobWeights, job_prio_array
from negotiator.model.arithmetic import c_cut
from negotiator.model.result import CycleResult
from negotiator.model.snapshot import AccountantState, Customer, Resource, ScheddQueue, Snapshot
from negotiator.scenario.expand import (
    ADDRESS,
    POOL,
    Attributes,
    JobEntry,
    Scenario,
    SlotEntry,
    domain_of,
    merge,
    quoted,
)
from negotiator.versions.negotiator import CLAIMED_SLOTS_TRIMMED
from policy.model import NegotiatorPolicy
from policy.versions import NEWEST, Version, parse_version

_CLAIMED: Final = ('"Claimed"', '"Preempting"')
#: The clock of all scenarios, seconds since the epoch; no recording depends on it.
NOW: Final = 1_795_210_700
QUOTE: Final = '"'
BASE_KNOBS: Final = {
    "PRIORITY_HALFLIFE": "1.0e18",
    "ACCOUNTANT_LOCAL_DOMAIN": "",
    "MAX_CONCURRENT_UPLOADS_PER_USER": "0",
}


def version_of(case: Scenario) -> Version:
    """The version that a case was recorded with; the newest where it does not say."""
    text = case.get("observed", {}).get("negotiator")
    return parse_version(text) if text else NEWEST


class AdMaker:
    """Makes ads of texts in old syntax, in which a backslash stands for itself.

    Equal texts of one attribute share their expression, as when a file is read.
    """

    def __init__(self) -> None:
        self._trees: dict[tuple[str, str], Expression] = {}

    def __call__(self, attributes: Attributes) -> ClassAd:
        """The ad of these texts."""
        ad = ClassAd()
        for name, text in attributes.items():
            key = fold_name(name), text
            tree = self._trees.get(key)
            if tree is None:
                tree = self._trees[key] = shared_tree(*key, None)
            ad.insert(name, tree)
        return ad


def snapshot_of(
    scenario: Scenario,
    seen: Scenario,
    slots: Sequence[SlotEntry],
    jobs: Sequence[JobEntry],
    accountant: AccountantState,
    make: AdMaker,
    policy: NegotiatorPolicy,
    senders: CollectorTable | None = None,
    stock: CollectorTable | None = None,
) -> Snapshot:
    """The state of the pool before a cycle; ``seen`` is what was observed in it.

    ``senders`` and ``stock``: the collector's tables of submitters and of slots, if there has been
    a cycle before.
    """
    by_name = {slot.name: slot for slot in slots}
    known = [name for name in seen.get("slot_order", ()) if name in by_name]
    order = [*dict.fromkeys([*known, *by_name])]
    if not policy.consider_preemption and not CLAIMED_SLOTS_TRIMMED.is_new(policy.version):
        order = _with_claims_in_place(slots, order, stock or CollectorTable())
    # The schedd's numbers of autoclusters come from a walk of its own and are an input.
    asked = seen.get("requests", ())
    ids = {(request["schedd"], request["job"]): request.get("autocluster") for request in asked}
    queues: dict[str, list[ClassAd]] = {}
    for job in jobs:
        ad = make(job.attributes)
        autocluster = ids.get((job.schedd, job.id))
        if autocluster is not None:
            ad.insert("AutoClusterId", autocluster)
        queues.setdefault(job.schedd, []).append(ad)
    return Snapshot(
        slots=tuple(make(by_name[name].attributes) for name in order),
        submitters=_submitters(scenario, seen, jobs, policy, make, senders or CollectorTable()),
        queues=tuple(ScheddQueue(f"{name}@{POOL}", tuple(ads)) for name, ads in queues.items()),
        accountant=accountant,
        claims={slot.name: slot.claims for slot in slots if slot.claims is not None},
        child_claims={slot.name: _claims_of_children(make(slot.private or {})) for slot in slots},
    )


def _with_claims_in_place(
    slots: Sequence[SlotEntry], order: Sequence[str], stock: CollectorTable
) -> list[str]:
    """The same order with claimed slots where the collector's walk has them.

    A record has the slots behind all others that were trimmed, and there it is their place in the
    walk that decides whether they are.
    """
    walk = stock.walk([slot.name for slot in slots])
    claimed = {slot.name for slot in slots if slot.attributes["State"] in _CLAIMED}
    others = iter([name for name in order if name not in claimed])
    return [name if name in claimed else next(others) for name in walk]


def _claims_of_children(private: ClassAd) -> list[bool]:
    """Which children have a claim id; none of them if there are not as many as children."""
    count, ids = private.get_number("NumDynamicSlots"), private.raw("ChildClaimIds")
    found = list(ids.items) if isinstance(ids, ListValue) else []
    return [bool(item) for item in found] if count == len(found) else []


def _submitters(
    scenario: Scenario,
    seen: Scenario,
    jobs: Sequence[JobEntry],
    policy: NegotiatorPolicy,
    make: AdMaker,
    table: CollectorTable,
) -> tuple[ClassAd, ...]:
    """Submitter ads in pool order.

    A record that has none of them was made of ads that had all come in one second.
    """
    idle: dict[tuple[str, str], list[JobEntry]] = {}
    for job in jobs:
        if job.attributes.get("JobStatus") == "1":
            idle.setdefault((job.submitter, job.schedd), []).append(job)
    changes = scenario.get("submitter_ads", {})
    order, weights = _walk(scenario, jobs, table), IdleJobWeights.by(policy)
    heard = {(ad["name"], ad["schedd"]): ad["heard"] for ad in seen.get("submitter_ads", ())}
    ads = []
    for submitter, schedd in heard or order:
        mine = idle.get((submitter, schedd))
        if mine is None:
            continue
        made = [ad for job in mine if served(ad := make(job.attributes), NO_CONTEXT)]
        prios = (c_cut(ad.get_number("JobPrio")) for ad in made)
        plain = {
            "Name": quoted(submitter),
            "ScheddName": quoted(f"{schedd}@{POOL}"),
            "ScheddIpAddr": ADDRESS,
            "IdleJobs": str(len(made)),
            "RunningJobs": "0",
            "WeightedIdleJobs": str(float(weights.sum(made))),
            "WeightedRunningJobs": "0.0",
            "LastHeardFrom": str(heard.get((submitter, schedd), 0)),
            "JobPrioArray": quoted(job_prio_array(prios, policy)),
        }
        ads.append(make(merge(plain, changes.get(submitter))))
    return tuple(ads)


def _walk(
    scenario: Scenario, jobs: Sequence[JobEntry], table: CollectorTable
) -> list[tuple[str, str]]:
    """Submitters and schedds in pool order.

    A schedd also sends an ad for the owner of jobs that another submitter stands for; the
    negotiator passes it over, but it has its place in the collector's table.
    """
    sent = {(job.submitter, job.schedd) for job in jobs}
    sent |= {(f"{job.owner}@{domain_of(scenario, job.schedd)}", job.schedd) for job in jobs}
    # Schedds start in the order in which jobs name them; each has its submitters by name.
    started = list(dict.fromkeys(job.schedd for job in jobs))
    keys = sorted(sent, key=lambda key: (started.index(key[1]), key[0]))
    order = submitter_order([(name, f"{schedd}@{POOL}") for name, schedd in keys], table)
    return [keys[i] for i in order]


def accountant_of(
    scenario: Scenario, slots: Sequence[SlotEntry], make: AdMaker, policy: NegotiatorPolicy
) -> AccountantState:
    """The accountant's records before the first cycle, as a negotiator that starts has them."""
    given = scenario.get("accountant", {})
    domain = str(scenario.get("uid_domain", "test"))
    customers = {}
    for short, record in given.get("customers", {}).items():
        name = short if "@" in short or record.get("group") else f"{short}@{domain}"
        customers[name] = Customer(
            name,
            priority=_real(record.get("priority")),
            priority_factor=_real(record.get("factor")),
            floor=record.get("floor", 0),
            ceiling=record.get("ceiling", -1),
            weighted_accumulated_usage=_real(record.get("accumulated_usage")),
        )
    claims = _seeded(slots, make) if given.get("seed_claims") else {}
    for claim in claims.values():
        customers.setdefault(claim.remote_user, Customer(claim.remote_user))
    updated = NOW - int(given.get("elapsed", 0))
    return recounted(AccountantState(customers, claims, updated), group_tree(policy))


def _real(number: float | None) -> float | None:
    return None if number is None else float(number)


def _seeded(slots: Sequence[SlotEntry], make: AdMaker) -> dict[str, Resource]:
    """The claims of the pool as the cycle before would have recorded them."""
    found = {}
    for slot in slots:
        attributes = slot.attributes
        text = attributes.get("AccountingGroup") or attributes.get("RemoteUser")
        weight = make(attributes).get_number("SlotWeight")
        claimed = attributes["State"] in _CLAIMED
        if claimed and text is not None and weight is not None:
            key = f"{slot.name}@{attributes['StartdIpAddr'].strip(QUOTE)}"
            found[key] = Resource(key, text.strip(QUOTE), weight)
    return found


# --- what a negotiator remembers ------------------------------------------------------------------


def one_process(scenario: Scenario) -> bool:
    """Whether all cycles of a record come from one negotiator, after one warm-up."""
    return scenario.get("process") == "one"


def seconds_since(seen: Scenario, elapsed: int = 0) -> float:
    """The seconds from one cycle of a process to the one in which so much was ``seen``.

    What matters is which of two turns was the earlier one; they were in different seconds unless
    the record says that they were not.
    """
    return 0.0 if seen.get("same_second") else max(float(elapsed), 1.0)


def warmed(
    scenario: Scenario, seen: Scenario, snapshot: Snapshot, policy: NegotiatorPolicy, now: float
) -> Snapshot:
    """The snapshot of a negotiator that has just held a cycle without submitters, if it has."""
    warm = scenario.get("warm", "GROUP_NAMES" in scenario.get("config", {}))
    if not (warm or one_process(scenario)):
        return snapshot
    idle = Snapshot(slots=snapshot.slots, claims=snapshot.claims)
    return remembering(snapshot, negotiate(idle, policy, now=now), seconds_since(seen))


def remembering(snapshot: Snapshot, before: CycleResult, seconds: float) -> Snapshot:
    """The snapshot with what a negotiator remembers of its last cycle, ``seconds`` ago.

    The clock of recorded cycles stands still, so what happened moves back.
    """
    turns = before.group_turns
    return evolve(
        snapshot,
        previous_quotas=before.quotas,
        group_turns=turns and {group: time - seconds for group, time in turns.items()},
    )
