"""Says how the pool is shared: groups and quotas, surplus, priorities, concurrency limits.

Follows: the chapters on user priorities and accounting groups of the manual.  Priorities, factors
and floors of single users are not in the configuration: the accountant has them.
"""

from __future__ import annotations

from collections.abc import Iterator

from policy.config import Config
from policy.explain.sentences import Origin, Sentence, Topic, origin_of
from policy.explain.words import code, duration, listing
from policy.groups import ROOT_NAME, GroupSpec
from policy.knobs import shares as shares
from policy.knobs.declaration import Knob
from policy.model import EffectiveQuotas, NegotiatorPolicy

_TREE = "Groups and their quotas"


def about_groups(
    config: Config, policy: NegotiatorPolicy, quotas: EffectiveQuotas | None
) -> Iterator[Sentence]:
    """The tree of quotas and who may exceed them."""
    topic = Topic(config, _TREE)
    names = topic.read(shares.GROUP_NAMES)
    if not policy.groups:
        yield topic.sentence("There are none: all submitters share the pool.", names)
        return
    pool = "the pool" if quotas is None else f"a pool of {quotas.pool:g} weighted slots"
    yield topic.sentence(f"Of {pool}:", names)
    yield from _tree(topic, policy.groups, 0, 1, quotas)
    yield from _outsiders(topic, quotas)
    yield from _sums(topic, policy)
    yield from _about_surplus(Topic(config, "Surplus"), policy)


def _tree(
    topic: Topic, groups: tuple[GroupSpec, ...], at: int, depth: int, quotas: EffectiveQuotas | None
) -> Iterator[Sentence]:
    for child in groups[at].children:
        spec = groups[child]
        above = "the pool" if at == 0 else groups[at].name
        static = topic.read(shares.GROUP_QUOTA, shares.GROUP_QUOTA.of(spec.name))
        dynamic = topic.read(shares.GROUP_QUOTA_DYNAMIC, shares.GROUP_QUOTA_DYNAMIC.of(spec.name))
        if spec.is_static:
            text, reading = f"{spec.static_quota:g} weighted slots", static
        elif dynamic.value is None:
            text, reading = "no quota, that is 0", topic.read(shares.GROUP_NAMES)
        else:
            text, reading = f"{(spec.dynamic_quota or 0.0) * 100:g} % of {above}", dynamic
        yield topic.sentence(f"{spec.name}: {text}{_numbers(spec, quotas)}", reading, depth=depth)
        if spec.is_static and dynamic.value is not None:
            text = f"GROUP_QUOTA_DYNAMIC_{spec.name} does not count: GROUP_QUOTA_{spec.name} is set"
            yield topic.sentence(text, dynamic, depth=depth + 1)
        yield from _tree(topic, groups, child, depth + 1, quotas)


def _numbers(spec: GroupSpec, quotas: EffectiveQuotas | None) -> str:
    """The effective quota, and how much of it is the group's own if it has groups below."""
    if quotas is None:
        return ""
    text = f", that is {quotas.subtree[spec.name]:.6g}"
    if spec.children:
        text += f", {quotas.own[spec.name]:.6g} of it for its own submitters"
    return text


def _outsiders(topic: Topic, quotas: EffectiveQuotas | None) -> Iterator[Sentence]:
    if quotas is None:
        text = "Submitters without a group have what the quotas leave."
    else:
        text = (
            f"Submitters without a group have what the quotas leave: {quotas.own[ROOT_NAME]:.6g}."
        )
    yield topic.sentence(text)


def _sums(topic: Topic, policy: NegotiatorPolicy) -> Iterator[Sentence]:
    """Dynamic quotas that ask for more than there is, and what happens to static ones."""
    for group in policy.groups:
        children = [policy.groups[child] for child in group.children]
        total = sum(child.dynamic_quota or 0.0 for child in children if not child.is_static)
        if total > 1.0:
            where = "the pool" if group.name == ROOT_NAME else group.name
            macros = [
                (macro := shares.GROUP_QUOTA_DYNAMIC.of(child.name), topic.config.lookup(macro))
                for child in children
                if not child.is_static
            ]
            origins = (origin_of(name, entry) for name, entry in macros if entry is not None)
            text = f"The shares of {where} add up to {total * 100:g} % and are scaled to 100 %."
            yield topic.sentence(text, *origins)
    if any(group.is_static for group in policy.groups):
        oversubscription = topic.read(shares.NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION)
        if oversubscription.boolean():
            text = "Quotas in slots stay as they are even if they exceed what there is."
        else:
            text = "Quotas in slots are scaled down if they exceed what there is."
        yield topic.sentence(text, oversubscription)


def _about_surplus(topic: Topic, policy: NegotiatorPolicy) -> Iterator[Sentence]:
    groups = policy.groups[1:]
    accepting = [group.name for group in groups if group.accept_surplus]
    keeping = [group.name for group in groups if not group.accept_surplus]
    if accepting:
        origins = _flag_origins(topic, shares.GROUP_ACCEPT_SURPLUS, accepting)
        text = f"What others leave of their quotas may be used by {listing(accepting)}."
        yield topic.sentence(text, *origins)
    if keeping:
        origins = _flag_origins(topic, shares.GROUP_ACCEPT_SURPLUS, keeping)
        yield topic.sentence(f"No more than the quota may be used by {listing(keeping)}.", *origins)
    regrouping = [group.name for group in groups if group.autoregroup]
    if regrouping:
        origins = _flag_origins(topic, shares.GROUP_AUTOREGROUP, regrouping)
        yield topic.sentence(
            f"Once more at the end, without group, negotiate submitters of {listing(regrouping)}.",
            *origins,
        )
    if accepting:
        rounds = topic.read(shares.GROUP_QUOTA_MAX_ALLOCATION_ROUNDS)
        count = rounds.integer()
        text = f"The surplus is handed out at most {count} time{'' if count == 1 else 's'} a cycle."
        yield topic.sentence(text, rounds)
    strict = topic.read(shares.NEGOTIATOR_STRICT_ENFORCE_QUOTA)
    if strict.boolean():
        text = "A group gets no more than the quotas of the groups above it still allow."
    else:
        text = "A group may exceed the quotas of the groups above it."
    yield topic.sentence(text, strict)
    order = topic.read(shares.GROUP_SORT_EXPR)
    yield topic.sentence(
        f"Groups take their turns by GROUP_SORT_EXPR, smallest first: {code(order.text)}", order
    )


def _flag_origins(topic: Topic, knob: Knob, groups: list[str]) -> list[Origin]:
    """Where a flag of these groups comes from: the knob of a group, else the general one."""
    found = []
    for group in groups:
        macro = f"{knob.name}_{group}"
        own = topic.config.lookup(macro)
        if own is None:
            macro, own = knob.name, topic.config.lookup(knob.name)
        found.append(origin_of(macro, own))
    return list(dict.fromkeys(found))


def about_priorities(topic: Topic) -> Iterator[Sentence]:
    """What makes a share of the pie."""
    ignore = topic.read(shares.NEGOTIATOR_IGNORE_USER_PRIORITIES)
    if ignore.boolean():
        text = "No submitter's share is limited; the better priority only has the first turn."
    else:
        text = (
            "A submitter's share is inverse to its effective priority, real priority times factor."
        )
    yield topic.sentence(text, ignore)
    halflife = topic.read(shares.PRIORITY_HALFLIFE)
    yield topic.sentence(f"Usage is forgotten by half in {duration(halflife.number())}.", halflife)
    yield from _factors(topic)
    discount = topic.read(shares.NEGOTIATOR_DISCOUNT_SUSPENDED_RESOURCES)
    if discount.boolean():
        yield topic.sentence("Suspended claims are not charged.", discount)
    yield topic.sentence(
        "Floors, ceilings and the factors of single users are not in the configuration: the"
        " accountant keeps them (condor_userprio)."
    )


def _factors(topic: Topic) -> Iterator[Sentence]:
    default = topic.read(shares.DEFAULT_PRIO_FACTOR)
    yield topic.sentence(f"The priority factor is {_factor(default.number())}", default)
    nice = topic.read(shares.NICE_USER_PRIO_FACTOR)
    yield topic.sentence(f"for nice users {_factor(nice.number())}", nice, depth=1)
    domain = topic.read(shares.ACCOUNTANT_LOCAL_DOMAIN)
    if domain.text:
        remote = topic.read(shares.REMOTE_PRIO_FACTOR)
        text = f"for submitters outside {domain.text} {_factor(remote.number())}"
        yield topic.sentence(text, remote, domain, depth=1)
    for entry in topic.config.scope.table:
        macro = topic.config.context.base_name(entry.name) or entry.name
        group = shares.GROUP_PRIO_FACTOR.member(macro)
        if group is None:
            continue
        reading = topic.read(shares.GROUP_PRIO_FACTOR, macro)
        if reading.definition is entry and reading.number_or_none():
            text = f"for submitters of exactly {group} {_factor(reading.number())}"
            yield topic.sentence(text, reading, depth=1)


def _factor(number: float) -> str:
    return f"{max(1.0, number):g}" + (f" (instead of {number:g})" if number < 1.0 else "")


def about_limits(topic: Topic, policy: NegotiatorPolicy) -> Iterator[Sentence]:
    """Concurrency limits, single ones, of sets, and for the rest."""
    limits = policy.concurrency_limits
    default = topic.read(shares.CONCURRENCY_LIMIT_DEFAULT)
    for name, maximum in limits.maxima.items():
        reading = topic.read(shares.NAME_LIMIT, shares.NAME_LIMIT.of(name))
        yield topic.sentence(f"{maximum:.9g} of {name}", reading)
    for name, maximum in limits.set_defaults.items():
        macro = shares.CONCURRENCY_LIMIT_DEFAULT_OF.of(name)
        reading = topic.read(shares.CONCURRENCY_LIMIT_DEFAULT_OF, macro)
        yield topic.sentence(f"{maximum:.9g} of every other limit {name}.<name>", reading)
    other = "other " if limits.maxima or limits.set_defaults else ""
    text = f"{limits.default:.9g} of every {other}limit that a job names"
    if default.definition is None or default.definition.is_builtin:
        others = f"one that a job names is {limits.default:.9g}, as good as none"
        text = f"No {other}limit is set: {others}."
    yield topic.sentence(text, default)
