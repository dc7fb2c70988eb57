"""Builds the tree of accounting groups, and tells which group a submitter belongs to.

A tree is made anew for every cycle.  Follows the description of hierarchical group quotas in
HTCondor's manual and the vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate

from attr import define, field, frozen

from negotiator.model.result import ROOT_GROUP
from policy.model import NegotiatorPolicy


@frozen
class GroupSettings:
    """What the configuration says about a group; a dynamic quota is a fraction of the parent's."""

    name: str
    quota: float = 0.0
    static: bool = False
    accept_surplus: bool = False
    autoregroup: bool = False


@define(eq=False)
class Group:
    """One group in one cycle.  Numbers are slot weights.

    ``quota`` is the group's own, ``subtree_quota`` that of the group and all below it;
    ``requested`` is what is still wanted, ``subtree_requested`` with accepting groups below.
    """

    settings: GroupSettings
    parent: Group | None = None
    children: list[Group] = field(factory=list)
    quota: float = 0.0
    subtree_quota: float = 0.0
    demand: float = 0.0
    requested: float = 0.0
    subtree_requested: float = 0.0
    allocated: float = 0.0
    usage: float = 0.0
    served_round_robin: bool = False
    rr_time: float = 0.0
    subtree_rr_time: float = 0.0
    sort_key: float | None = None

    @property
    def name(self) -> str:
        """The group's name as the configuration spells it."""
        return self.settings.name

    def child(self, part: str) -> Group | None:
        """The child with this last part of its name, compared without case."""
        wanted = part.lower()
        for group in self.children:
            if group.last_part.lower() == wanted:
                return group
        return None

    @property
    def last_part(self) -> str:
        """The text after the last dot of the name."""
        return self.name.rpartition(".")[2]


class GroupTree:
    """The root and all groups, breadth-first, children in the order of their lower-cased names."""

    def __init__(
        self,
        settings: Iterable[GroupSettings] = (),
        *,
        accept_surplus: bool = False,
        autoregroup: bool = False,
    ) -> None:
        """``accept_surplus`` and ``autoregroup`` are the values of the global knobs."""
        wanted = sorted(settings, key=lambda item: item.name.lower())
        self.autoregroup = autoregroup or any(item.autoregroup for item in wanted)
        self.root = Group(
            GroupSettings(ROOT_GROUP, accept_surplus=True, autoregroup=self.autoregroup)
        )
        for item in wanted:
            self._insert(item)
        self.groups = tuple(self._breadth_first())
        #: Whether there is any group besides the root.
        self.configured = len(self.groups) > 1
        self.accept_surplus = accept_surplus or any(
            group.settings.accept_surplus for group in self.groups[1:]
        )
        self._by_name = {group.name.lower(): group for group in self.groups}
        self._assigned: dict[str, Group] = {}

    def __getitem__(self, name: str) -> Group:
        return self._by_name[name.lower()]

    def remember_turns(self, turns: Mapping[str, float]) -> None:
        """Take over when each group was last served in turn."""
        for group in self.groups:
            group.rr_time = turns.get(group.name, 0.0)

    def turns(self, now: float) -> dict[str, float]:
        """When each group was last served in turn; one that wants nothing counts as served."""
        return {
            group.name: now if group.served_round_robin or group.requested <= 0 else group.rr_time
            for group in self.groups
        }

    def assigned(self, submitter: str) -> Group:
        """The group of a submitter (or of a group's own record): the deepest one that exists."""
        if not self.configured:
            return self.root
        key = submitter.lower()
        group = self._assigned.get(key)
        if group is None:
            group = self._assigned[key] = self._walk(submitter)
        return group

    def _walk(self, submitter: str) -> Group:
        before, at, _ = submitter.rpartition("@")
        if not at:
            return self._by_name.get(submitter.lower(), self.root)
        path, dot, _ = before.rpartition(".")
        group = self.root
        for part in path.split(".") if dot else ():
            deeper = group.child(part)
            if deeper is None:
                break
            group = deeper
        return group

    def _insert(self, item: GroupSettings) -> None:
        """Hang a group into the tree; one without a parent or with its place taken is dropped."""
        *above, last = item.name.split(".")
        parent: Group | None = self.root
        for part in above:
            parent = parent.child(part) if parent is not None else None
        if parent is not None and item.name != ROOT_GROUP and parent.child(last) is None:
            parent.children.append(Group(item, parent=parent))

    def _breadth_first(self) -> list[Group]:
        found = [self.root]
        for group in found:
            found.extend(group.children)
        return found


def subtrees_of(name: str) -> list[str]:
    """The groups that a group is in by its name: ``a.b.c`` gives ``a``, ``a.b`` and ``a.b.c``."""
    return list(accumulate(name.split("."), "{}.{}".format))


def group_tree(policy: NegotiatorPolicy) -> GroupTree:
    """The groups of a policy, ready for a cycle."""
    settings = [
        GroupSettings(
            spec.name,
            (spec.static_quota if spec.static_quota is not None else spec.dynamic_quota) or 0.0,
            spec.is_static,
            spec.accept_surplus,
            spec.autoregroup,
        )
        for spec in policy.groups[1:]
    ]
    return GroupTree(
        settings,
        accept_surplus=policy.group_accept_surplus,
        autoregroup=policy.group_autoregroup,
    )
