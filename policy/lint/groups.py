"""Checks accounting groups and their quotas.

Follows: group quotas of 25.14.1 (golden vectors ``quotas`` and ``negotiator-startup``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from classad.errors import Diagnostic, is_one_edit, suggest
from classad.patterns import late_regex
from classad.syntax.nodes import walk
from policy.knobs import shares as shares
from policy.knobs.reading import read_knob
from policy.lint.finding import Finding, Joined, Per, finding, looks_at
from policy.lint.trees import number, references
from policy.lint.view import Setting, View

DROPPED: Final = Finding(
    "P302",
    "a group that is ignored",
    "A subgroup needs its parent in GROUP_NAMES too, names differ in more than case, and `<none>`"
    " is the root's own name.",
    "GROUP_NAMES = physics.hep\nGROUP_QUOTA_physics.hep = 5\n",
    "GROUP_NAMES = physics, physics.hep\nGROUP_QUOTA_physics = 9\nGROUP_QUOTA_physics.hep = 5\n",
)
NO_QUOTA: Final = Finding(
    "P303",
    "a group without a quota",
    "Its quota is 0: it gets something only as surplus or by autoregroup. Where it may, that is a"
    " note.",
    "GROUP_NAMES = group_a, group_b\nGROUP_QUOTA_group_a = 5\n",
    "GROUP_NAMES = group_a, group_b\nGROUP_QUOTA_group_a = 5\nGROUP_QUOTA_group_b = 5\n",
    elsewhere=True,
)
BOTH_QUOTAS: Final = Finding(
    "P304",
    "a static and a dynamic quota for one group",
    "The static quota counts, the dynamic one is passed over in silence.",
    "GROUP_NAMES = group_a\nGROUP_QUOTA_group_a = 5\nGROUP_QUOTA_DYNAMIC_group_a = 0.5\n",
    "GROUP_NAMES = group_a\nGROUP_QUOTA_DYNAMIC_group_a = 0.5\n",
)
OVER_ONE: Final = Finding(
    "P305",
    "dynamic quotas of siblings that sum to more than 1",
    "They are scaled down in silence until they sum to 1, so that none has the share it says.",
    "GROUP_NAMES = a, b\nGROUP_QUOTA_DYNAMIC_a = 0.75\nGROUP_QUOTA_DYNAMIC_b = 0.5\n",
    "GROUP_NAMES = a, b\nGROUP_QUOTA_DYNAMIC_a = 0.5\nGROUP_QUOTA_DYNAMIC_b = 0.5\n",
)
FRACTION: Final = Finding(
    "P306",
    "a static quota below one slot",
    "GROUP_QUOTA_<group> is in weighted slots. A share of the pool is GROUP_QUOTA_DYNAMIC_<group>.",
    "GROUP_NAMES = a\nGROUP_QUOTA_a = 0.5\n",
    "GROUP_NAMES = a\nGROUP_QUOTA_DYNAMIC_a = 0.5\n",
)
BEYOND_PARENT: Final = Finding(
    "P307",
    "static quotas of subgroups that exceed their parent's",
    "Unless NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION is true, which is the default, they are scaled"
    " down; otherwise the parent may use more than its own quota.",
    "GROUP_NAMES = a, a.b, a.c\nGROUP_QUOTA_a = 10\nGROUP_QUOTA_a.b = 8\nGROUP_QUOTA_a.c = 8\n",
    "GROUP_NAMES = a, a.b, a.c\nGROUP_QUOTA_a = 16\nGROUP_QUOTA_a.b = 8\nGROUP_QUOTA_a.c = 8\n",
)
#: What the ad of a group has when GROUP_SORT_EXPR is evaluated.
GROUP_ATTRIBUTES: Final = frozenset(
    ("accountinggroup", "groupquota", "groupresourcesinuse", "groupresourcesallocated")
)
GREATEST_SINGLE: Final = 3.4028234663852886e38
#: What shares may sum to above 1 that were rounded, as 0.33334 and 0.66667: a thousandth.
_ROUNDED: Final = 0.001
_SEPARATORS: Final = late_regex(r"[._-]")
#: The last part of a name that is a slip of another one has so many letters at least.
_SHORTEST: Final = 3
_FAMILIES: Final = (
    shares.GROUP_QUOTA_DYNAMIC,
    shares.GROUP_QUOTA,
    shares.GROUP_ACCEPT_SURPLUS_OF,
    shares.GROUP_AUTOREGROUP_OF,
    shares.GROUP_PRIO_FACTOR,
)
_OF_GROUPS: Final = frozenset(family.name for family in _FAMILIES)


_Groups = dict[str, str]


def _groups(view: View, local: str | None) -> _Groups:
    """The groups of a negotiator by case-folded name."""
    names = read_knob(view.config.seen_by("NEGOTIATOR", local), shares.GROUP_NAMES).names()
    return {name.casefold(): name for name in names}


@looks_at(Per.CONFIGURATION)
def quotas(view: View) -> Iterator[Diagnostic]:
    """Quotas beside each other, for each negotiator as it sees them."""
    of_groups = [setting for setting in view.settings if _group_of(setting) is not None]
    for local in view.negotiators:
        listed = _groups(view, local)
        seen = [one for one in of_groups if one.is_seen_by("NEGOTIATOR", local)]
        static = _quotas(seen, shares.GROUP_QUOTA, listed)
        dynamic = _quotas(seen, shares.GROUP_QUOTA_DYNAMIC, listed)
        yield from _single(static, dynamic)
        yield from _sums(listed, static, dynamic)


@finding(
    "P301",
    "a setting for a group that is not in GROUP_NAMES",
    "Only groups that GROUP_NAMES lists exist; the setting has no effect.",
    "GROUP_NAMES = group_a\nGROUP_QUOTA_group_a = 5\nGROUP_QUOTA_group_b = 5\n",
    "GROUP_NAMES = group_a, group_b\nGROUP_QUOTA_group_a = 5\nGROUP_QUOTA_group_b = 5\n",
    per=Per.CONFIGURATION,
    elsewhere=True,
    brought="{needs}",
    joined=Joined.BY_NEED,
)
def unlisted(view: View) -> Iterator[Diagnostic]:
    """A setting for a group that no negotiator has that sees it."""
    groups = {local: _groups(view, local) for local in view.negotiators}
    for setting in view.settings:
        group = _group_of(setting)
        if group is None:
            continue
        prefixed = groups.get(setting.local_name) if setting.local_name is not None else None
        lists = groups.values() if prefixed is None else (prefixed,)
        if not any(group.casefold() in listed for listed in lists):
            message = f"`{setting.macro}` is for a group that is not in GROUP_NAMES"
            names = frozenset[str]().union(*(listed.values() for listed in lists))
            help_text, meant = _what_is_meant(view, group, _plain(names))
            about = {"needs": "GROUP_NAMES", "names": (setting.macro,), **meant}
            yield unlisted.named(setting.entry, message, help_text, **about)


def _what_is_meant(view: View, group: str, listed: list[str]) -> tuple[str | None, dict[str, str]]:
    """The listed group that a group is a misspelling of: as a sentence, and as what it is about.

    It is none where both have the same setting, and where nothing is set for the
    listed group, either of the two may be the slip.
    """
    folded = group.casefold()
    for name in listed:
        head = folded.removesuffix(name.casefold()).rstrip("_")
        if head != folded and (head == "dynamic" or is_one_edit(head, "dynamic")):
            macro = shares.GROUP_QUOTA_DYNAMIC.of(name)
            return f"did you mean `{macro}`?", {"meant": macro}
    meant = _nearest(group, listed)
    if meant is None:
        return None, {}
    theirs = {one.name for one in _FAMILIES if one.of(meant).casefold() in view.defined}
    if any(one.name in theirs and one.of(group).casefold() in view.defined for one in _FAMILIES):
        return None, {}
    if theirs:
        return f"did you mean the group `{meant}`?", {"group": meant}
    return f"GROUP_NAMES lists `{meant}`, for which nothing is set", {"group": meant}


@lru_cache(maxsize=4)
def _plain(listed: frozenset[str]) -> list[str]:
    """Those of some groups that have no quotes or semicolons around them, in order."""
    return sorted(name for name in listed if not {'"', "'", ";"} & set(name))


def _nearest(group: str, listed: list[str]) -> str | None:
    """The listed group that another spelling means: a slip, a dot for an underscore, a part."""
    wanted = _with_underscores(group)
    for name in listed:
        known = _with_underscores(name)
        if wanted == known or known.endswith(f"_{wanted}") or wanted.endswith(f"_{known}"):
            return name
    if len(_SEPARATORS.split(group)[-1]) < _SHORTEST:
        return None
    begun = (name for name in listed if _is_begun(group.casefold(), name.casefold()))
    return suggest(group, listed) or next(begun, None)


@lru_cache(maxsize=1 << 14)
def _with_underscores(group: str) -> str:
    """The name as it is compared with all others: case does not count, nor which separator."""
    return _SEPARATORS.sub("_", group.casefold())


def _is_begun(one: str, other: str) -> bool:
    """Is the last part of a name cut short in the other, as in group_bio and group_biology?"""
    if not (one.startswith(other) or other.startswith(one)):
        return False
    short, long = sorted((one, other), key=len)
    last = _SEPARATORS.split(short)[-1]
    return len(last) >= _SHORTEST and long[len(short)].isalpha()


def _group_of(setting: Setting) -> str | None:
    knob = setting.knob
    return knob.member(setting.macro) if knob is not None and knob.name in _OF_GROUPS else None


_Quotas = dict[str, tuple[Setting, float]]


def _quotas(seen: Iterable[Setting], family: object, listed: _Groups) -> _Quotas:
    """Quotas by group as the configuration spells it in the macro, listed groups only."""
    found: _Quotas = {}
    for setting in seen:
        group = _group_of(setting)
        if setting.knob is not family or group is None or group.casefold() not in listed:
            continue
        reading = setting.reading
        if reading is not None and reading.diagnostic is None and reading.value is not None:
            found[group.casefold()] = setting, reading.number()
    return found


def _single(static: _Quotas, dynamic: _Quotas) -> Iterator[Diagnostic]:
    for name, (setting, quota) in static.items():
        if name in dynamic:
            message = f"the static quota of `{name}` makes this dynamic one void"
            yield BOTH_QUOTAS.named(dynamic[name][0].entry, message)
        if 0 < quota < 1:
            message = f"`{name}` has a quota of {_shown(quota)} weighted slots"
            help_text = f"a share of the pool is `GROUP_QUOTA_DYNAMIC_{name}`"
            yield FRACTION.on(setting.entry, message, help_text)


def _shown(quota: float) -> str:
    """A quota with as many digits as tell it from its bound, without those that sums round."""
    return f"{quota:.9g}"


def _sums(listed: _Groups, static: _Quotas, dynamic: _Quotas) -> Iterator[Diagnostic]:
    """Siblings together."""
    families: dict[str, list[str]] = {}
    for name in listed:
        families.setdefault(name.rpartition(".")[0], []).append(name)
    for parent, children in families.items():
        above = f"below `{parent}`" if parent else "at the top"
        shared = [dynamic[name] for name in children if name in dynamic and name not in static]
        total = sum(quota for _, quota in shared)
        if total > 1 + _ROUNDED:
            message = f"the dynamic quotas {above} sum to {_shown(total)}"
            yield OVER_ONE.named(shared[-1][0].entry, message, "they are scaled down to sum to 1")
        fixed = [static[name] for name in children if name in static]
        total = sum(quota for _, quota in fixed)
        if parent in static and total > static[parent][1]:
            has = _shown(static[parent][1])
            message = f"the quotas {above} sum to {_shown(total)}, the parent has {has}"
            yield BEYOND_PARENT.named(fixed[-1][0].entry, message)


@finding(
    "P308",
    "an attribute that GROUP_SORT_EXPR cannot see",
    "Groups are sorted by an ad with AccountingGroup, GroupQuota, GroupResourcesInUse and"
    " GroupResourcesAllocated, and nothing else. Where the expression is not a number, the group"
    " comes last.",
    "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\n"
    "GROUP_SORT_EXPR = GroupResourcesInUse / GroupQuotaAssigned\n",
    "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\n"
    "GROUP_SORT_EXPR = GroupResourcesInUse / (GroupQuota + 1)\n",
    of=shares.GROUP_SORT_EXPR,
)
def sort_attribute(view: View, setting: Setting) -> Iterator[Diagnostic]:
    for node in () if setting.tree is None else references(setting.tree):
        if node.name.casefold() not in GROUP_ATTRIBUTES:
            message = f"`{node.name}` is not an attribute that groups are sorted by"
            help_text = (
                "they have AccountingGroup, GroupQuota, GroupResourcesInUse and"
                " GroupResourcesAllocated"
            )
            yield setting.say(sort_attribute, message, node, help_text)


@finding(
    "P309",
    "a sort key beyond single precision",
    "What cannot be sorted gets the greatest number of single precision, about 3.4028e+38; a"
    " greater one comes after even that, and where it is read as single precision it is infinite.",
    "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\n"
    'GROUP_SORT_EXPR = ifThenElse(AccountingGroup =?= "<none>", 1e+39, GroupResourcesInUse)\n',
    "GROUP_NAMES = a\nGROUP_QUOTA_a = 5\n"
    'GROUP_SORT_EXPR = ifThenElse(AccountingGroup =?= "<none>", 3.4e+38, GroupResourcesInUse)\n',
    of=shares.GROUP_SORT_EXPR,
)
def sort_overflow(view: View, setting: Setting) -> Iterator[Diagnostic]:
    for node in () if setting.tree is None else walk(setting.tree):
        value = number(node)
        if value is not None and abs(value) > GREATEST_SINGLE and not node.children():
            yield setting.say(sort_overflow, f"{value:g} is beyond single precision", node)
