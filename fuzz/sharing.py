"""Checks shares: configurations, group quotas, the accountant and its log.

Inputs: cases of ``policy.strategies`` and ``negotiator.strategies``.  Outputs: none; checks raise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from typing import Any, Final

from attr import evolve

from classad.files.log import transaction_text
from negotiator.accounting.accountant import MIN_PRIORITY, update_customer
from negotiator.accounting.log import changes, read_log
from negotiator.accounting.records import from_log
from negotiator.groups.quotas import allocate, assign_quotas
from negotiator.groups.tree import Group, GroupTree, group_tree
from negotiator.model.arithmetic import stored
from negotiator.model.snapshot import AccountantState, Customer, Lease
from policy.config import Library, load_config
from policy.knobs import table_defaults
from policy.language.macros import ExpansionError
from policy.language.scope import Expanded
from policy.language.sources import MemorySources
from policy.language.table import Definition
from policy.load import policy_from_knobs

#: What rounding to six decimals may move a number by, and sums of reals relatively.
ROUNDED: Final = 5e-6
RELATIVE: Final = 1e-9


def expansion_ends(text: str) -> None:
    """Every macro has a value or an error that says why not, the same one whenever it is asked.

    What is kept of values for others is what expanding all of them anew gives, with what functions
    had to say.
    """
    config = load_config("<text>", MemorySources({"<text>": text}), Library(), keep_going=True)
    names = config.names()
    for reader, asked in ((config, names), (config.seen_by("NEGOTIATOR"), names[::-1])):
        for name in asked:
            definition = reader.lookup(name)
            if definition is None:
                continue
            anew, *kept = (
                _value(expand, definition)
                for expand in (reader.scope.expand_definition, reader.expand, reader.expand)
            )
            assert kept == [anew, anew], f"{name} is {anew!r}, then {kept!r}"


def _value(expand: Callable[[Definition], Expanded], definition: Definition) -> Expanded | str:
    try:
        return expand(definition)
    except ExpansionError as problem:
        return f"error: {problem}"


# ---- quotas --------------------------------------------------------------------------------------

QuotaCase = tuple[Mapping[str, str], float, float, list[float]]


def quotas_hold(case: QuotaCase) -> None:
    """Nothing is lost, nobody gets more than it may, nobody less than is its own."""
    knobs, pool, more, demands = case
    tree, oversubscribed = _tree(knobs, demands)
    left = _hand_out(tree, pool, oversubscribed)
    slack = _slack(pool)
    for group in tree.groups:
        _quota_is_split(group, oversubscribed, slack)
        _own_first(group, slack)
        if not group.settings.accept_surplus and group.parent is not None:
            below = _sum_below(group, "allocated")
            own = _sum_below(group, "quota")
            assert below <= own + slack, f"{group.name} and below get {below} of {own}"
    _surplus_is_used(tree.root, left, slack)
    given = sum(group.allocated for group in tree.groups)
    quotas = sum(group.quota for group in tree.groups)
    assert abs(given + left - quotas) <= slack, f"{given} allocated and {left} left of {quotas}"
    if not oversubscribed:
        assert abs(quotas - pool) <= slack, f"quotas of {quotas} in a pool of {pool}"
        larger, _ = _tree(knobs, demands)
        _hand_out(larger, pool + more, oversubscribed)
        after = sum(group.allocated for group in larger.groups)
        assert after >= given - _slack(pool + more), f"{given} of {pool}, {after} of {pool + more}"
    _order_is_the_same(case, tree)


def _quota_is_split(group: Group, oversubscribed: bool, slack: float) -> None:
    """Static quotas come first and dynamic ones share what they leave; none is exceeded."""
    whole, children = group.subtree_quota, group.children
    if whole <= 0:
        assert group.quota == 0.0, f"{group.name} has {group.quota} of nothing"
        return
    static = [child for child in children if child.settings.static]
    configured = sum(child.settings.quota for child in static)
    for child in static:
        wanted = child.settings.quota
        fits = oversubscribed or configured <= whole
        fine = abs(child.subtree_quota - wanted) <= slack if fits else child.subtree_quota <= wanted
        assert fine, f"{child.name} has {child.subtree_quota} of its static {wanted}"
    rest = max(0.0, whole - sum(child.subtree_quota for child in static))
    dynamic = [child for child in children if not child.settings.static]
    for child in dynamic:
        fraction = child.settings.quota
        fine = child.subtree_quota <= fraction * rest + slack
        assert fine, f"{child.name} has {child.subtree_quota}, more than {fraction} of {rest}"
    shared = sum(child.subtree_quota for child in dynamic)
    assert shared <= rest + slack, f"{shared} handed out below {group.name}, where {rest} are left"
    if not oversubscribed:
        parts = group.quota + sum(child.subtree_quota for child in children)
        assert abs(parts - whole) <= slack, f"{group.name}: {parts} out of {whole}"


def _own_first(group: Group, slack: float) -> None:
    """A group gets what it wants of its own quota, and never more than it wants."""
    demand, got = group.demand, group.allocated
    assert got >= min(demand, group.quota) - slack, f"{group.name} gets {got} of its {group.quota}"
    assert got <= demand + slack, f"{group.name} gets {got}, more than the {demand} it wants"
    settled = abs(got + max(group.requested, 0.0) - demand) <= slack + RELATIVE * demand
    assert settled, f"{group.name} got {got} and still wants {group.requested} of {demand}"


def _surplus_is_used(group: Group, left: float, slack: float) -> None:
    """Surplus is left only if nobody wants it who may have it."""
    if left <= slack:
        return
    fine = group.requested <= slack
    assert fine, f"{left} left, though {group.name} wants {group.requested} more"
    for child in group.children:
        if child.settings.accept_surplus:
            _surplus_is_used(child, left, slack)


def _order_is_the_same(case: QuotaCase, tree: GroupTree) -> None:
    """Written backwards, the names give the same tree with the same numbers."""
    knobs, pool, _, demands = case
    names = knobs.get("GROUP_NAMES", "").replace(",", " ").split()
    if len({name.lower() for name in names}) < len(names):
        return  # of equals the first one written stays
    backwards = {**knobs, "GROUP_NAMES": " ".join(reversed(names))} if names else knobs
    other, oversubscribed = _tree(backwards, demands)
    _hand_out(other, pool, oversubscribed)
    numbers = [[(g.name, g.quota, g.allocated) for g in each.groups] for each in (tree, other)]
    assert numbers[0] == numbers[1], f"{numbers[0]}, backwards {numbers[1]}"


def _tree(knobs: Mapping[str, str], demands: list[float]) -> tuple[GroupTree, bool]:
    policy = policy_from_knobs(dict(knobs), _library()).policy
    tree = group_tree(policy)
    for number, group in enumerate(tree.groups):
        group.demand = group.requested = demands[number % len(demands)]
    return tree, policy.allow_quota_oversubscription


@cache
def _library() -> Library:
    return Library(table_defaults())


def _hand_out(tree: GroupTree, pool: float, oversubscribed: bool) -> float:
    assign_quotas(tree, pool, oversubscription=oversubscribed)
    return allocate(tree, whole_slots=False)


def _sum_below(group: Group, field: str) -> float:
    own: float = getattr(group, field)
    return own + sum(_sum_below(child, field) for child in group.children)


def _slack(amount: float) -> float:
    return 1e-6 + RELATIVE * abs(amount) * 10


# ---- the accountant ------------------------------------------------------------------------------

AgeingCase = tuple[dict[str, Any], int, int, float]


def ageing_holds(case: AgeingCase) -> None:
    """Priority moves towards usage, never below its floor; two intervals do what their sum does."""
    record, first, second, half_life = case
    before = Customer(**record)
    now = 1_700_000_000
    once = update_customer(before, first + second, now, half_life)
    half = update_customer(before, first, now - second, half_life)
    twice = update_customer(half, second, now, half_life)
    usage, start = before.weighted_resources_used, max(before.priority or 0.0, MIN_PRIORITY)
    low, high = min(usage, start, MIN_PRIORITY), max(usage, start)
    priority = max(once.priority or 0.0, MIN_PRIORITY)
    assert low - ROUNDED <= priority <= high + ROUNDED, f"priority {priority} from {start}, {usage}"
    floored = min(start, usage) < MIN_PRIORITY + ROUNDED
    if not floored:
        _near(once.priority, twice.priority, case)
    _near(once.accumulated_usage, twice.accumulated_usage, case)
    if not _first_step_is_lost(before, first):
        _near(_weighted(once), _weighted(twice), case)
    assert once.begin_usage_time in (now, before.begin_usage_time)


def _first_step_is_lost(record: Customer, seconds: int) -> bool:
    """Whether weighted usage grows by less than half a unit in the last place of its fallback.

    It is stored once it changes.  Until then the usage without weights stands for it, which may
    grow much more in the same time; the steps taken then decide what is stored in the end.
    """
    if record.weighted_accumulated_usage is not None:
        return False
    gained = record.weighted_resources_used * seconds + (record.weighted_uncharged_time or 0.0)
    return gained != 0 and record.accumulated_usage + gained == record.accumulated_usage


def _weighted(record: Customer) -> float:
    stored = record.weighted_accumulated_usage
    return record.accumulated_usage if stored is None else stored


def _near(one: float | None, two: float | None, case: object) -> None:
    a, b = one or 0.0, two or 0.0
    assert abs(a - b) <= 2 * ROUNDED + 1e-9 * max(abs(a), abs(b)), f"{a} and {b} of {case}"


_LEASES: Final = ("ceiling_lease", "floor_lease", "factor_lease")
LogCase = tuple[list[list[dict[str, Any]]], int]


def log_recovers(case: LogCase) -> None:
    """A log cut at any byte gives the state after one of its transactions.

    What is read of whole ones is what was written, but for what reals have behind six decimals.
    """
    steps, place = case
    states = [AccountantState()]
    for number, records in enumerate(steps):
        customers = {record["name"]: _customer(record) for record in records}
        moment = 1_700_000_000 + number
        states.append(evolve(states[0], customers=customers, last_update_time=moment))
    texts = [transaction_text(list(changes(before, after))) for before, after in pairwise(states)]
    for count, state in enumerate(states):
        again = from_log(read_log("".join(texts[:count])))
        assert again == state, f"{again} was written as {state}"
    tables = [read_log("".join(texts[:count])).table for count in range(len(texts) + 1)]
    whole = "".join(texts).encode()
    cut = place % (len(whole) + 1)
    found = read_log(whole[:cut].decode("utf-8", "surrogateescape"))
    done = sum(1 for end in _ends(texts) if end <= cut)
    # The line end of the last record may be missing.
    assert found.table in tables[done : done + 2], f"cut at {cut}: {found.table} of {case}"


def _customer(record: Mapping[str, Any]) -> Customer:
    """A record with the reals that the accountant keeps."""
    leases = {name: record[name] and Lease(**record[name]) for name in _LEASES}
    reals = {name: stored(value) for name, value in record.items() if isinstance(value, float)}
    lease = leases["factor_lease"]
    if lease is not None:
        leases["factor_lease"] = evolve(lease, previous=stored(lease.previous))
    return Customer(**{**record, **reals, **leases})


def _ends(texts: list[str]) -> list[int]:
    ends, total = [], 0
    for text in texts:
        total += len(text.encode())
        ends.append(total)
    return ends
