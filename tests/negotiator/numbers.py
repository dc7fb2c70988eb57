"""What the small functions of the negotiator come to, for values on both sides of their bounds.

``numbers.txt`` has a line for each function and arguments, or for what a tree of groups went
through, whose texts are kept as marks; ``python -m tests.negotiator.numbers`` writes it anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, Final

from attr import asdict, define, field

from classad import ClassAd
from classad.errors import ClassAdParseError
from classad.evaluate import EvalContext
from negotiator.accounting.accountant import (
    AccountantSettings,
    expire_leases,
    priority_factor,
    remaining,
    stored,
    update_customer,
    update_priorities,
)
from negotiator.accounting.records import from_ads, group_quotas, scalar
from negotiator.accounting.restart import recounted
from negotiator.groups.rounds import GroupLoopSettings, run_group_rounds, too_many_passes
from negotiator.groups.tree import Group, GroupSettings, GroupTree
from negotiator.jobs.autoclusters import significance
from negotiator.jobs.lists import job_lists, priority_order, submitter_of, unready
from negotiator.jobs.submitters import consolidate, fetch_submitters, job_prio_array
from negotiator.jobs.weights import IdleJobWeights
from negotiator.matching.candidate import Allowance, permits
from negotiator.matching.concurrency import ConcurrencyCounts, parse_limits
from negotiator.matching.stopwatch import RequestCosts, Stopwatch, TimeLimits
from negotiator.model.arithmetic import (
    FLT_MAX,
    INT_MAX,
    INT_MIN,
    c_difference,
    c_int,
    float32,
    whole,
)
from negotiator.model.result import MatchKind
from negotiator.model.snapshot import AccountantState, Customer, Lease, Resource, ScheddQueue
from negotiator.pool.addresses import families
from negotiator.pool.claims import (
    charged_slots,
    charges,
    held_limits,
    table_of_claims,
    waiting_matches,
)
from negotiator.pool.fetch import fetch_slots, new_slot
from negotiator.pool.partitionable import enlarge
from negotiator.pool.size import pool_numbers
from negotiator.pool.slots import Slot
from negotiator.pool.trimming import trim_slots
from negotiator.pool.weights import current_weight, lacks_weight, own_weight, slot_weight
from negotiator.sessions.pie import GroupRoom, PieSettings, cut_slice, shares_of
from policy.dialects import DIALECTS
from policy.load import policy_from_knobs
from tests.negotiator import whole as text

KEPT: Final = Path(__file__).with_name("numbers.txt")
INF, NAN = math.inf, math.nan
_CONTEXT: Final = EvalContext(now=1000.0)


def _grid(function: Callable[..., object], *values: Iterable[object]) -> Iterator[str]:
    """A line for each combination of arguments."""
    for chosen in product(*values):
        shown = ", ".join(map(_shown, chosen))
        yield f"{function.__name__}({shown}) = {text.rounded(_shown(function(*chosen)))}"


def _shown(value: object) -> str:
    return str(value).replace("negotiator.", "") if not isinstance(value, str) else repr(value)


# --- numbers --------------------------------------------------------------------------------------

_EDGES: Final = (
    *(0, -0.0, 0.5, -0.5, 1, 2.75, -2.75, INT_MAX, INT_MAX + 0.5, INT_MAX + 1, INT_MIN),
    *(INT_MIN - 0.5, INT_MIN - 1, 1e10, INF, -INF, NAN, 16777217.0, 0.1, FLT_MAX, 1e39),
)


def arithmetic() -> Iterator[str]:
    """Single precision, integers of 32 bits."""
    yield from _grid(float32, _EDGES)
    yield from _grid(c_int, _EDGES)
    yield from _grid(whole, (None, *_EDGES))
    ends = (0, 1, -1, 5, INT_MAX, INT_MIN)
    yield from _grid(c_difference, ends, ends)


def pie() -> Iterator[str]:
    """Shares, slices and what a group may still use."""
    for pairs in (
        [], [("a", 500.0)], [("a", 500.0), ("a", 500.0)], [("a", 500.0), ("b", 1000.0)],
        [("b", 1e10), ("a", 0.5), ("b", 1e10), ("c", 3.0)], [("a", 1e-300), ("b", 5e-324)],
    ):  # fmt: skip
        found = shares_of(pairs)
        told = [found.share(priority) for _, priority in pairs]
        yield text.rounded(f"shares_of({pairs}) = {found.max_priority} {found.norm} {told}")

    def room_left(limit: int, usage: float) -> float:
        return GroupRoom(limit, usage).left

    yield from _grid(room_left, (0, 5, 16777217, INT_MAX), (0.0, 0.1, 5.0, 5.5, 16777216.0))

    def slice_of(
        share: float, usage: float, preemption: bool, ignored: bool, room: float, floor: int
    ) -> object:
        limited = None if room < 0 else GroupRoom(int(room), 1.5)
        given = None if floor < 0 else floor
        cut = cut_slice(share, 10.0, usage, PieSettings(preemption, ignored), limited, given)
        return (*cut, cut.starvation)

    flags = (True, False)
    yield from _grid(
        slice_of, (0.0, 0.25, 1.0), (0.0, 2.5, 11.0), flags, flags, (-1, 3), (-1, 0, 2)
    )


def limits() -> Iterator[str]:
    """What a session may take, concurrency limits, time."""
    yield from _grid(permits, (-1.0, 0.0, 1.0, 2.5), (0.0, 1.0, 1.5), (0.0, 1.0, 2.5, 4.0))

    def allowed(used: float, unclaimed: float, kind: str, cached: bool) -> bool:
        allowance = Allowance(3.0, 2.0, used, unclaimed)
        way = allowance.permits_cached if cached else allowance.permits
        return way(MatchKind(kind), 1.0)

    some = (0.0, 1.0, 1.5, 2.0, 2.5)
    yield from _grid(allowed, some, some, ("none", "rank", "priority"), (False, True))
    texts = (
        "", "a", "A:2", "a:0", "a:-1", "a:x", "a:1.5e1", "a: 2", "a.b", "a.b.c", "1a", "_a:.5",
        "a,b c:3", "a:2x", "a:+2", "a:1e", " a ,, b ", "é", "a:2:3", "a:.", "a.1", "a-b,c",
    )  # fmt: skip
    yield from (f"parse_limits({item!r}) = {list(parse_limits(item))}" for item in texts)
    for most in (0.0, 1.0, 2.0, 2.5, 3.0):
        counts = ConcurrencyCounts(lambda name, most=most: most, ["a", "b:0.5", "a"])
        told = [counts.has_room(item) for item in ("a", "b", "c:2", "c:2,c:2", "b:2,a:1", "")]
        yield f"room of {most}: {told} {sorted(counts.full)} {counts.state_of('a,b:2,z')}"


def time() -> Iterator[str]:
    """Limits of time, one second more at a time."""
    for given in (
        (3, 9, 9, 9),
        (9, 4, 9, 9),
        (9, 9, 5, 9),
        (9, 9, 9, 2),
        (0, 9, 9, 9),
        (9, 9, 0, 9),
    ):
        submitter, schedd, cycle, spin = map(float, given)
        watch = Stopwatch(
            TimeLimits(cycle, submitter, schedd, spin), RequestCosts(1.5, {"t": 0.25})
        )
        told: list[object] = []
        for who, where in (("a", "s"), ("b", "s"), ("a", "t"), ("a", "s"), ("b", "s"), ("a", "s")):
            event = watch.used_up(who, where)
            told.append((None if event is None else event.name, watch.deadline(who, where)))
            began = watch.now
            watch.spend(where)
            watch.finished(who, where, began)
        yield f"time {given}: {told} {watch.seconds} {watch.now}"


# --- the accountant -------------------------------------------------------------------------------


def accounts() -> Iterator[str]:
    """Records that grow older, factors, leases."""
    yield from _grid(stored, (0.0, 1.0, 0.1234565, 1e-7, 5e-7, 123456.7891234, -0.5, 1e20))
    yield from _grid(remaining, (0, 1, 59, 60, 3600, -60), (0.0, 60.0, 3600.0, 1e18, -60.0))
    tried = product((None, 0.1, 0.5, 10.0), (0, 2), (0.0, 3.5), (0.0, 7.0), (None, -5, 40))
    for number, values in enumerate(tried, 1):
        priority, slots, weight, below, uncharged = values
        record = Customer(
            "a@b",
            priority=priority,
            resources_used=slots,
            weighted_resources_used=weight,
            hier_weighted_resources_used=below,
            uncharged_time=uncharged,
            weighted_uncharged_time=None if uncharged is None else uncharged * 1.5,
            accumulated_usage=(0.0, 12.5)[number % 2],
            weighted_accumulated_usage=(None, 0.0, 20.25)[number % 3],
            begin_usage_time=(0, 77)[number % 2],
            last_usage_time=(0, 88)[number % 3 > 0],
        )
        for elapsed in ((1, 60)[number % 2], (30, 3600)[number % 2]):
            aged = update_customer(record, elapsed, 1000, (60.0, 3600.0)[number % 2])
            yield text.rounded(f"after {elapsed}: {values} -> {aged[1:12]}")


def leases() -> Iterator[str]:
    """Leases before, at and behind their ends; updates with the clock going on, still and back."""
    for at in (99, 100, 101):
        for which in range(8):
            lease = [Lease(100, 2.75) if which & bit else None for bit in (1, 2, 4)]
            record = Customer("a", 1.0, 5.0, ceiling=9, floor=3)
            record = record.changed(
                ceiling_lease=lease[0], floor_lease=lease[1], factor_lease=lease[2]
            )
            aged = expire_leases(record, at)
            told = [aged.priority_factor, aged.ceiling, aged.floor]
            told += [item is not None for item in aged[-3:]]
            yield f"leases {which} at {at}: {told}"
    record = Customer("a@b", 4.0, 5.0, 2, 3.0, factor_lease=Lease(1000, 2.0))
    for last in (None, 0, 940, 999, 1000, 1001, 2000):
        state = update_priorities(AccountantState({"a@b": record}, {}, last), 1000, 60.0)
        yield text.rounded(
            f"update since {last}: {state.last_update_time} {state.customers['a@b']}"
        )
    names = ("nice-user.a@b", "a@b", "a@c", "a", "g.a@b", "nice")
    for domain, factors in (("", {}), ("b", {}), ("b", {"G": 5.0, "h": 0.0}), ("", {"g": 0.5})):
        settings = AccountantSettings(60.0, 10.0, 20.0, 30.0, domain, factors)
        for group in ("<none>", "g", "h"):
            told = [priority_factor(name, group, settings) for name in names]
            yield f"priority_factor at {domain!r} {factors} in {group}: {told}"


# --- ads ------------------------------------------------------------------------------------------

_WEIGHTS: Final = (
    "",
    "2",
    "0",
    "-1",
    "2.5",
    '"x"',
    "undefined",
    "error",
    "true",
    "Cpus",
    "Nowhere",
)


def ads() -> Iterator[str]:
    """Weights of slots and jobs, submitter ads, addresses."""
    usual, forced, plain = (
        policy_from_knobs(knobs).policy
        for knobs in (
            {},
            {"FORCE_NEGOTIATOR_SLOT_WEIGHT": "True"},
            {"NEGOTIATOR_USE_SLOT_WEIGHTS": "False"},
        )
    )
    for item in _WEIGHTS:
        ad = ClassAd(f"[Cpus = 3; {f'SlotWeight = {item}' if item else ''}]")
        told: list[object] = [own_weight(ad, _CONTEXT), current_weight(ad, _CONTEXT)]
        told += [slot_weight(ad, policy, _CONTEXT) for policy in (usual, plain)]
        told += [lacks_weight(ad, policy, _CONTEXT) for policy in (usual, forced)]
        yield f"weights of SlotWeight = {item}: {told}"
    jobs = [
        ClassAd(f"[{body}]")
        for body in (
            "", "RequestCpus = 2", "RequestCpus = 2.75", 'RequestCpus = "x"', "RequestCpus = -1",
            "RequestCpus = 0; RequestMemory = 0; RequestDisk = 7", "JobPrio = 9",
            "RequestMemory = 3000", "RequestCpus = undefined; RequestMemory = 10",
            "RequestCpus = 1 + 1", "RequestDisk = 9e9",
        )
    ]  # fmt: skip
    for knobs in (
        {}, {"SLOT_WEIGHT": "Memory"}, {"SLOT_WEIGHT": "Cpus + Memory / 1024.0 + Disk"},
        {"SCHEDD_SLOT_WEIGHT": "RequestCpus * 2"}, {"SCHEDD_SLOT_WEIGHT": "JobPrio"},
        {"SCHEDD_USE_SLOT_WEIGHT": "False"}, {"SLOT_WEIGHT": "Disk"}, {"SLOT_WEIGHT": "cpus"},
        {"SLOT_WEIGHT": "-1"}, {"SCHEDD_SLOT_WEIGHT": '"x"'}, {"SCHEDD_SLOT_WEIGHT": "-2.5"},
        {"NEGOTIATOR_USE_SLOT_WEIGHTS": "False", "SLOT_WEIGHT": "5"},
    ):  # fmt: skip
        weights = IdleJobWeights.by(policy_from_knobs(knobs).policy)
        yield f"idle weights by {knobs}: {[weights.of(job) for job in jobs]} {weights.sum(jobs)}"
    yield from submitters()
    for item in _ADDRESSES:
        yield f"families({item!r}) = {sorted(families(item))}"


_ADDRESSES: Final = (
    "", "<>", "<1.2.3.4:5>", "<1.2.3.4>", "1.2.3.4:5", "<256.2.3.4:5>", "<01.2.3.4:5>", "<[::1]:5>",
    "<[::1]>", "<host:5>", "<1.2.3.4:5?addrs=[--1]-5>", "<1.2.3.4:5?addrs=1.2.3.4-5+[--1]-5>",
    "<1.2.3.4:5?sock=a&addrs=[2001-db8--1]-9>", "<host:5?addrs=1.2.3.4-5>", "<x?addrs=>",
    "<1.2.3.4:5?addrs=1.2.3.4-5&alias=h&addrs=[--1]-5>", "<[::1]:5?addrs=1.2.3.4-5&noUDP>",
    "<1.2.3.4:5?addrs=1.2.3.4-5&alias=h>", "<[::ffff:1.2.3.4]:5>", "<1.2.3:5>",
    "<1.2.3.4:5?addrs=x-1>",
)  # fmt: skip


def submitters() -> Iterator[str]:
    """Submitter ads, each with one attribute that is another, and how neighbours are joined."""
    usual = {
        "Name": '"a@b"', "ScheddName": '"s"', "ScheddIpAddr": '"<1.2.3.4:5>"', "IdleJobs": "2",
        "RunningJobs": "1", "WeightedIdleJobs": "4.5", "WeightedRunningJobs": "3",
        "LastHeardFrom": "77", "JobPrioArray": '"5,-3, x,5 7x"',
    }  # fmt: skip
    policies = [
        policy_from_knobs(knobs).policy
        for knobs in (
            {"NEGOTIATOR_USE_WEIGHTED_DEMAND": "False"},
            {"USE_GLOBAL_JOB_PRIOS": "True", "NEGOTIATOR_SUBMITTER_CONSTRAINT": "IdleJobs < 5"},
        )
    ]
    changes = [("Nothing", "1"), ("SkipMatchmaking", "true"), ("SkipMatchmaking", "1")]
    changes += product(usual, ("undefined", "-1", "0", '"x y"', "2.75", '""', "1e30"))
    for name, value in changes:
        body = "; ".join(f"{key} = {item}" for key, item in {**usual, name: value}.items())
        found = [fetch_submitters([ClassAd(f"[{body}]")], policy, _CONTEXT) for policy in policies]
        told = [
            [list(asdict(one, filter=lambda at, _: at.name != "families").values()) for one in some]
            for some in found
        ]
        yield f"submitter with {name} = {value}: {told}"
    for most in ("0", "1", "2", "500"):
        policy = policy_from_knobs({"MAX_GLOBAL_JOB_PRIOS": most}).policy
        told_of = [job_prio_array(prios, policy) for prios in ((), (1,), (1.9, 1, 5, -3, 5))]
        yield f"job_prio_array at most {most}: {told_of}"
    ad = "[" + "; ".join(f"{key} = {item}" for key, item in usual.items()) + "]"
    two = [ClassAd(ad), ClassAd(ad.replace('"s"', '"t"')), ClassAd(ad.replace("a@b", "c@b"))]
    each = [s for one in two for s in fetch_submitters([one], policies[1], _CONTEXT)]
    for order in ([0, 1, 2, 3], [1, 0, 3, 2], [0, 4, 1], [4, 5, 8, 9, 6, 7], [0, 0, 8, 0]):
        joined = consolidate(each[i % len(each)] for i in order)
        yield f"consolidate {order}: {[(s.name, s.schedd, s.job_prios) for s in joined]}"


def jobs() -> Iterator[str]:
    """Which jobs are offered, for whom, and in which order."""
    values = ("undefined", "0", "1", "-2", "2.5", '"x"', "true", "1 + 1", "7", "9", "12", "1000")
    for name in (*JOB_STATUS, *PRIORITIES):
        told = []
        for value in (*values, "999", "1001"):
            body = {"JobStatus": "1", "JobUniverse": "5", "CurrentHosts": "0", name: value}
            job = ClassAd("[" + "; ".join(f"{key} = {it}" for key, it in body.items()) + "]")
            why = unready(job, _CONTEXT)
            place = [prio + 0.0 for prio in priority_order(job, _CONTEXT)]
            told.append(f"{'ready' if why is None else why.name} {place if any(place) else ''}")
        yield f"job with {name}: {told}"
    for user, group in product(
        ("undefined", '"a@b"', '"a"', '""', "5"), ("undefined", '"g.a"', '""')
    ):
        job = ClassAd(f"[User = {user}; AccountingGroup = {group}]")
        yield f"submitter of {user} in {group}: {submitter_of(job, _CONTEXT)}"
    ads = []
    for number in range(40):
        rng = Random(number)
        ad = ClassAd({"ClusterId": rng.randrange(4), "ProcId": rng.randrange(3), "JobStatus": 1})
        ad.insert("User", f"{rng.choice('ab')}@d")
        ad.insert("QDate", rng.randrange(3))
        for name in PRIORITIES:
            if rng.random() < 0.5:
                ad.insert(name, rng.choice((0, 1, -1, 2.5)))
        if rng.random() < 0.3:
            ad.insert("JobPrio", ClassAd("[A = 1 + 1]").raw("A"))
        ads.append(ad)
    queue = ScheddQueue("s", tuple(ads), 2, frozenset({(1, 1), (3, 0)}))
    for dialect in DIALECTS.values():
        policy = policy_from_knobs({}, dialect=dialect).policy
        settings, names = significance(policy), frozenset({"qdate"})
        lists = job_lists((queue,), names, settings, policy, _CONTEXT, flatten=True)
        for key, found in sorted(lists.items()):
            order = [(job.id, job.autocluster, job.prio) for job in found.waiting]
            yield f"list of {key} in {dialect.name}: {order}"


JOB_STATUS: Final = (
    *("JobStatus", "JobUniverse", "Managed", "IsNoopJob", "JobCooldownExpiration"),
    *("CurrentHosts", "MaxHosts"),
)
PRIORITIES: Final = ("PreJobPrio1", "PreJobPrio2", "JobPrio", "PostJobPrio1", "PostJobPrio2")


def children() -> Iterator[str]:
    """Partitionable slots that get resources of their children, and give them back."""
    lists = {
        "ChildCurrentRank": ("{0.0, 1.0, 2}", "{2, 1}", '{"x", 1, 1}', "{}", "{1, 1, 1}"),
        "ChildState": ('{"Claimed", "Claimed"}', '{"Preempting"}', "{}", "undefined"),
        "ChildRetirementTimeRemaining": ("{0, 5, 0}", "{-1}", '{"x", 0.5}', "undefined", "{0}"),
        "ChildCpus": ("{1, 2, 3}", "{1}", '{"x", 2.5, 1}', "undefined", "{1.5, 1.5, 1.5}"),
        "MachineResources": ('"Cpus Memory"', '"cpus, Nothing"', "undefined", '""'),
    }  # fmt: skip
    for number in range(120):
        rng = Random(number)
        body = {name: rng.choice(texts) for name, texts in lists.items()}
        text = "; ".join(f"{name} = {value}" for name, value in body.items())
        ad = ClassAd(
            f'[Name = "s"; Cpus = 1.5; Memory = 10; RemoteUser = "z"; PreemptingUser = "y"; {text};'
            ' ChildName = {"a", "b", "c"}; ChildMemory = {5, 6, 7}]'
        )
        slot = new_slot(ad, "s", 1, {})
        slot.own_ad()
        claims = {place for place in range(3) if rng.random() < 0.8}
        needed, rank, rank_only = (
            rng.choice((1, 2, 4, 9)),
            rng.choice((0.0, 1.0, 5.0)),
            number % 4 == 0,
        )

        def enough(slot: Slot = slot, needed: int = needed) -> bool:
            return (slot.ad.get_number("Cpus") or 0) >= needed

        found = enlarge(slot, rank, enough, lambda name: name != "b", rank_only, claims, _CONTEXT)
        told = [f"{slot.ad.raw('Cpus')} {slot.ad.raw('Memory')} {slot.user} {sorted(claims)}"]
        if found is not None:
            kind, change = found
            change.restore()
            told += [kind.name, str(change.children), f"{slot.ad.raw('Cpus')} {slot.user}"]
        yield f"children {number}, {needed} for {rank}: {told}"


def recounts() -> Iterator[str]:
    """What a negotiator that starts knows of usage from the claims on record."""
    tree = GroupTree([GroupSettings("g", 1.0), GroupSettings("g.x", 1.0)])
    users = ("a@b", "g.u@b", "g.x.u@b", "G.X.v@b", "h.u@b", "g", "nobody")
    names = (*users, "g.x", "<none>", "h", "o@p")
    for size in range(len(users) + 1):
        claims = {
            f"s{n}": Resource(f"s{n}", user, (1.0, 2.5, 0.0)[n % 3])
            for n, user in enumerate([*users[:size], *users[:size:2]])
        }
        state = AccountantState({name: Customer(name, 1.0, 1.0, 7, 7.5) for name in names}, claims)
        told = {
            name: (record.resources_used, record.weighted_resources_used)
            for name, record in recounted(state, tree).customers.items()
        }
        yield f"recounted {size}: {told}"


#: Slots of which each matters to the size of a pool or to what claims hold.
_POOL: Final = (
    'Name = "a"; Cpus = 4; SlotWeight = 2.5; ConcurrencyLimits = "x,y:2"; State = "Claimed"',
    'Name = "b"; PartitionableSlot = true; Cpus = 7.9; GhostMultiplier = 3; State = "Matched"',
    'Name = "c"; PartitionableSlot = true; Cpus = "x"; GhostMultiplier = "x"; State = "Matched"',
    'Name = "d"; Cpus = 1; GhostMultiplier = 0; RemoteUser = "u@d"; State = "Claimed"',
    'Name = "e"; Cpus = 2; RemoteUser = "v@d"; State = "Claimed"; Activity = "SUSPENDED";'
    ' MatchedConcurrencyLimits = "x"; PreemptingConcurrencyLimits = "z:0.5"',
    'Name = "f"; Cpus = 2; AccountingGroup = "g.w@d"; RemoteUser = "w@d"; State = "Preempting";'
    ' ConcurrencyLimits = 5; StartdIpAddr = "<1.2.3.4:5>"',
    'Name = "g"; PartitionableSlot = true; Cpus = -2.5; GhostMultiplier = 2.9; RemoteUser = "q@d"',
)


def pools() -> Iterator[str]:
    """The size of a pool, whom its slots are charged to, which limits claims hold."""
    ads = [ClassAd(f"[{text}]") for text in _POOL]
    keys = [f"{name}@" for name in "abcef"]
    state = AccountantState({}, {key: Resource(key, f"of {key}", 1.5, 7, "w:2") for key in keys})
    yield f"a record by default: {Resource('k', 'u')} {Customer('c')}"
    for knobs in (
        {}, {"NEGOTIATOR_USE_SLOT_WEIGHTS": "False"}, {"FORCE_NEGOTIATOR_SLOT_WEIGHT": "True"},
        {"NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT": "Cpus > 2"}, {"SLOT_WEIGHT": "0.25"},
        {"NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT": "Cpus"}, {"NEGOTIATOR_SLOT_CONSTRAINT": "false"},
        {"NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT": "Cpus > 2", "NEGOTIATOR_USE_SLOT_WEIGHTS": "False"},
        {"NEGOTIATOR_DISCOUNT_SUSPENDED_RESOURCES": "True"},
    ):  # fmt: skip
        policy = policy_from_knobs(knobs).policy
        slots = fetch_slots(ads, {}, policy, _CONTEXT)
        yield text.rounded(f"pool by {knobs}: {pool_numbers(slots, policy, _CONTEXT)}")
        charged = charged_slots(slots, policy, _CONTEXT)
        waiting = waiting_matches(slots, state, _CONTEXT)
        held = held_limits(slots, waiting, _CONTEXT)
        yield f"charged by {knobs}: {charges(charged)}, held {held}"
        table = table_of_claims(waiting, charged, [], slots, _CONTEXT)
        told = [(key, it.remote_user, it.slot_weight, it.start_time) for key, it in table.items()]
        limited = [it.matched_concurrency_limits for it in table.values()]
        yield f"claims by {knobs}: {told} {limited}"


def trimmed() -> Iterator[str]:
    """Which slots take no part, and why, by their states and by what their ads say."""
    knobs: list[dict[str, str]] = [
        {"NEGOTIATOR_TRIM_SHUTDOWN_THRESHOLD": text} for text in ("-1", "0", "1", "2", "100")
    ]
    knobs += [{"NEGOTIATOR_CONSIDER_PREEMPTION": "False"}, {"MATCH_WORKING_CM_SLOTS": "True"}]
    knobs += [{"NEGOTIATOR_CONSIDER_EARLY_PREEMPTION": "True"}, {}]
    values = ("undefined", "0", "1", "-1", "0.9", "2.5", '"x"', "true", "false", "1000", "1001")
    bodies = [f"RetirementTimeRemaining = {value}" for value in values]
    bodies += [f"WantMatching = {value}; PartitionableSlot = true" for value in values]
    bodies += [f"WorkingCM = {value}; PartitionableSlot = true" for value in values]
    bodies += [f"DaemonShutdown = CurrentTime >= {at}" for at in ("1000", "1001", "1002", "1e9")]
    bodies += [f"DaemonShutdownFast = {value}; DaemonShutdown = true" for value in values]
    bodies += ["MyCurrentTime = 990; DaemonShutdown = CurrentTime > 999", 'Activity = "IDLE"']
    for state, dialect in product(("Unclaimed", "Claimed", "Preempting"), ("htcondor", "manual")):
        ads = [
            ClassAd(f'[Name = "s{number}"; State = "{state}"; {body}]')
            for number, body in enumerate(bodies)
        ]
        for given in knobs:
            policy = policy_from_knobs(given, dialect=DIALECTS[dialect]).policy
            left, gone = trim_slots(fetch_slots(ads, {}, policy, _CONTEXT), policy, _CONTEXT)
            causes = {slot.name: slot.cause.name for slot in gone}
            told = [causes.get(f"s{number}", "-")[:9] for number in range(len(bodies))]
            assert len(left) + len(gone) == len(bodies)
            yield f"trimmed {state} in {dialect} by {given}: {' '.join(told)}"


def records() -> Iterator[str]:
    """Records of the accountant as ads and its log show them."""
    names = ("Priority", "PriorityFactor", "ResourcesUsed", "WeightedResourcesUsed", "Ceiling")
    names += (
        "Floor",
        "UnchargedTime",
        "WeightedUnchargedTime",
        "FloorLeaseExpiration",
        "LastUpdate",
    )
    names += ("WeightedAccumulatedUsage", "BeginUsageTime", "PriorityFactorLeaseExpiration")
    usual: dict[str, Any] = {"Priority": 50.0, "PriorityFactor": 10.0, "FloorPreLeaseValue": 4}
    for name in names:
        for value in (None, 0, 1, -1, 2.75, "x", 0.99, 1e30, INT_MAX):
            given = {**usual, "Name": "a@b", name: value}
            state = from_ads([given.get])
            yield f"ad with {name} = {value}: {state.customers['a@b'][1:]} {state.last_update_time}"
    twice: list[dict[str, Any]] = [
        {"Name": "a@b", "Priority": 1.0},
        {"Name": "a@b", "Priority": 9.0},
        {"Name": 5},
    ]
    twice[0]["PriorityFactor"] = twice[1]["PriorityFactor"] = 2.0
    twice += [{"Name": "g", "EffectiveQuota": 2.0}, {"Name": "g", "EffectiveQuota": 3}, {}]
    twice += [{"Name": "h", "EffectiveQuota": "x"}, {"Name": "u@d", "EffectiveQuota": 1.0}]
    state = from_ads(item.get for item in twice)
    real = {name: record.priority for name, record in state.customers.items()}
    yield f"ads of one name: {real} {group_quotas(item.get for item in twice)} {group_quotas([])}"
    for item in ("5", "-5", "+5", "5.", "5.5e-1", ".5", '"a"', '""', '"', '"a"b"', "1 + 1", "true"):
        yield f"scalar({item!r}) = {_value_of(item)!r}"


def _value_of(text: str) -> object:
    try:
        return scalar(text)
    except ClassAdParseError:
        return "no expression"


def trees() -> Iterator[str]:
    """The order of groups, and to which one a submitter belongs."""
    names = ("B", "a", "C.z", "b.x", "c", "a.Y", "a.x", "A.x", "d.e", "<none>", "a.x.m", "a.b.c")
    users = ("u@d", "b.u@d", "B.X.u@d", "a.x.m.n.u@d", "C.Z.u@d", "c", "C.z", "a.x.", "e.u", "a.u")
    for size in range(len(names) + 1):
        for accepted in (-1, size // 2):
            settings = [
                GroupSettings(name, 1.0, True, place == accepted, place == accepted - 1)
                for place, name in enumerate(names[:size])
            ]
            tree = GroupTree(settings)
            told = [tree.configured, tree.accept_surplus, tree.autoregroup]
            order = [group.name for group in tree.groups]
            yield f"tree {size}: {order} {told} {[tree.assigned(user).name for user in users]}"


# --- groups ---------------------------------------------------------------------------------------


@define
class _Users:
    """Users who take what they get: of a group's limit as much as they want."""

    demands: dict[str, float]
    usages: dict[str, float] = field(factory=dict)
    pies: int = 0

    def usage(self, group: Group) -> float:
        return self.usages.get(group.name, 0.0)

    def subtree_usage(self, group: Group) -> float:
        return self.usage(group) + sum(map(self.subtree_usage, group.children))

    def has_submitters(self, group: Group) -> bool:
        return self.demands.get(group.name, 0.0) > self.usage(group)

    def sort_key(self, group: Group) -> float:
        return self.usage(group) / group.quota if group.quota else 9e9

    def negotiate(self, group: Group, limit: int) -> int | None:
        self.usages[group.name] = max(
            min(float(limit), self.demands.get(group.name, 0.0)), self.usage(group)
        )
        self.pies += 1
        return self.pies


_NAMES: Final = ("a", "b", "a.x", "a.y", "b.z", "a.x.m")
_QUOTAS: Final = (0.0, 0.25, 0.3333, 0.5, 1.0, 3.0, 4.5, 7.0, 12.0)


def groups() -> Iterator[str]:
    """Trees of groups with users who take all that they get; drawn from fixed numbers."""
    for number in range(260):
        rng = Random(number)
        # In every fourth, groups are promised more than there is, and held to what they get.
        tight = number % 4 == 0
        names = [name for name in _NAMES if rng.random() < 0.75]
        settings = [
            GroupSettings(
                name, rng.choice(_QUOTAS[5:] if tight else _QUOTAS), tight or rng.random() < 0.5,
                rng.random() < 0.5 and not (tight and "." not in name),
                rng.random() < 0.15,
            )
            for name in names
        ]  # fmt: skip
        tree = GroupTree(settings, accept_surplus=rng.random() < 0.5, autoregroup=number % 9 == 0)
        tree.remember_turns({name: float(rng.randrange(3)) for name in names})
        demands = {group.name: rng.choice((0.0, 1.0, 2.5, 6.0, 30.0)) for group in tree.groups}
        users = _Users(demands, {name: rng.choice((0.0, 0.0, 1.0, 2.5, 8.0)) for name in demands})
        for group in tree.groups:
            group.demand = demands[group.name]
        pool = rng.choice((0.0, 1.0, 7.5, 12.0, 20.0, 33.3))
        loop = GroupLoopSettings(
            rng.choice((1, 2, 3)), rng.choice((1e100, 1.0, 2.5, 0.7)), rng.random() < 0.6,
            tight or rng.random() < 0.4, rng.random() < 0.5 and not tight,
            tight or rng.random() < 0.5, rng.choice((100_000, 2)),
        )  # fmt: skip
        steps: list[object] = []
        rounds = list(run_group_rounds(tree, pool, loop, users, steps.append))
        told = {f"round {done.round}": text.rounded(repr(done)) for done in rounds}
        told |= {"steps": text.rounded("\n".join(map(repr, steps)))}
        told |= {"turns": str(tree.turns(5.0)), "used": text.rounded(str(users.usages))}
        long = too_many_passes(rounds[-1].max_delta, loop) if rounds else None
        given = [round(done.allocated, 6) for done in rounds]
        yield f"groups {number}: {len(names)} in {pool}, {given}, {long}: {text.marks(told)}"


CHAPTERS: Final[Sequence[Callable[[], Iterator[str]]]] = (
    arithmetic, pie, limits, time, accounts, leases, ads, jobs, children, recounts,
    pools, trimmed, records, trees, groups,
)  # fmt: skip


def kept() -> dict[str, list[str]]:
    """The lines of the file by chapter."""
    found: dict[str, list[str]] = {}
    for line in KEPT.read_text().splitlines():
        if line.startswith("# "):
            found[line[2:]] = lines = []
        else:
            lines.append(line)
    return found


if __name__ == "__main__":
    KEPT.write_text(
        "".join(f"# {it.__name__}\n" + "".join(f"{line}\n" for line in it()) for it in CHAPTERS)
    )
