"""Builds the tree of accounting groups that the configuration describes, and reads its concurrency
limits.

Inputs: a ``Config``.  Outputs: ``GroupSpec`` values, breadth first, ``ConcurrencyLimits``, and
diagnostics.  Quotas in slots depend on the pool (``policy.model.EffectiveQuotas``).
Follows: the group quota chapter of the manual, read in 25.14.1 (golden vectors
``negotiator-startup``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from attr import Factory, evolve, frozen

from classad.errors import Diagnostic
from policy.config import Config
from policy.dialects import HTCONDOR, Dialect
from policy.knobs import find_knob
from policy.knobs import shares as shares
from policy.knobs.reading import Place, Reading, place, read_knob
from policy.language.about import About

#: The name of the root group.
ROOT_NAME: Final = "<none>"


@frozen(kw_only=True)
class GroupSpec:
    """One group.

    ``name`` is spelled as in GROUP_NAMES; ``parent`` and ``children`` are positions in the tuple
    of groups (the root has parent -1).  ``static_quota`` is in weighted slots, ``dynamic_quota``
    a fraction of the parent's quota; a static one, even 0, overrules.  ``prio_factor`` is None
    unless GROUP_PRIO_FACTOR_<group> is set and not 0.
    """

    name: str
    parent: int = -1
    children: tuple[int, ...] = ()
    static_quota: float | None = None
    dynamic_quota: float | None = None
    accept_surplus: bool = False
    autoregroup: bool = False
    prio_factor: float | None = None

    @property
    def is_static(self) -> bool:
        """Is the quota a number of slots?"""
        return self.static_quota is not None


@frozen
class Groups:
    """All groups, root first, breadth first; empty when no group is configured.

    ``accept_surplus``: the knob for all groups, which has an effect of its own besides.
    ``autoregroup``: that knob, or any group's own; requests say it in a pool without groups, too.
    """

    groups: tuple[GroupSpec, ...]
    diagnostics: tuple[Diagnostic, ...]
    accept_surplus: bool = False
    autoregroup: bool = False


class _Node:
    """A group while the tree is built."""

    def __init__(self, name: str, parent: _Node | None) -> None:
        self.name = name
        self.parent = parent
        self.children: dict[str, _Node] = {}


class _Everywhere(NamedTuple):
    """What counts for groups that have nothing of their own."""

    surplus: Reading
    regroup: Reading


def read_groups(config: Config, dialect: Dialect = HTCONDOR) -> Groups:
    """The groups of a configuration."""
    names = read_knob(config, shares.GROUP_NAMES)
    everywhere = _Everywhere(
        read_knob(config, shares.GROUP_ACCEPT_SURPLUS), read_knob(config, shares.GROUP_AUTOREGROUP)
    )
    # The negotiator reads these without groups, too, and ends at one that is no boolean.
    diagnostics = [one.diagnostic for one in everywhere if one.diagnostic is not None]
    if not names.names():
        regroup = everywhere.regroup.boolean() and not dialect.autoregroup_is_surplus
        return Groups((), tuple(diagnostics), autoregroup=regroup)
    root = _tree(names, diagnostics)
    order = [root]
    for node in order:
        order.extend(node.children.values())
    positions = {id(node): position for position, node in enumerate(order)}
    groups = [_spec(config, node, everywhere, diagnostics, positions) for node in order]
    surplus = everywhere.surplus.boolean()
    if dialect.autoregroup_is_surplus:
        surplus = surplus or groups[0].autoregroup
        groups = [
            evolve(
                group, accept_surplus=group.accept_surplus or group.autoregroup, autoregroup=False
            )
            for group in groups
        ]
    anywhere = any(group.autoregroup for group in groups)
    groups[0] = evolve(groups[0], autoregroup=anywhere)
    return Groups(tuple(groups), tuple(diagnostics), surplus, anywhere)


def _listed_at(names: Reading, name: str) -> Place:
    """Where GROUP_NAMES has a name."""
    assert names.definition is not None
    found = re.search(rf"(?<![^\s,]){re.escape(name)}(?![^\s,])", names.text)
    at = 0 if found is None else found.start()
    return place(names.definition, names.text, at, at + len(name))


def _of_group(id_: str, name: str, message: str, spot: Place) -> Diagnostic:
    about = About(group=name)
    return Diagnostic(message, *spot, severity="warning", id=id_, about=about)


def _tree(names: Reading, diagnostics: list[Diagnostic]) -> _Node:
    """The tree of names; a name without its parent, or twice, is dropped."""
    root = _Node(ROOT_NAME, None)

    def drop(name: str, why: str) -> None:
        source, start, end = _listed_at(names, name)
        message = f"group `{name}` is ignored: {why}"
        diagnostics.append(_of_group("P302", name, message, (source, start, end)))

    for name in sorted(names.names(), key=str.lower):
        if name == ROOT_NAME:
            drop(name, "the name is reserved for the root")
            continue
        node = root
        *above, last = name.split(".")
        for part in above:
            child = node.children.get(part.lower())
            if child is None:
                drop(name, f"its parent `{'.'.join(above)}` is not in GROUP_NAMES")
                break
            node = child
        else:
            if last.lower() in node.children:
                drop(name, "it is listed twice")
            else:
                node.children[last.lower()] = _Node(name, node)
    return root


def _spec(
    config: Config,
    node: _Node,
    everywhere: _Everywhere,
    diagnostics: list[Diagnostic],
    positions: Mapping[int, int],
) -> GroupSpec:
    """The knobs of one group; ``positions``: those of nodes among the groups, by identity."""

    def keep(reading: Reading) -> Reading:
        if reading.diagnostic is not None:
            diagnostics.append(reading.diagnostic)
        return reading

    surplus, regroup = (reading.boolean() for reading in everywhere)
    children = tuple(positions[id(child)] for child in node.children.values())
    if node.parent is None:
        return GroupSpec(
            name=node.name,
            parent=-1,
            children=children,
            accept_surplus=True,
            autoregroup=regroup,
        )
    static = keep(read_knob(config, shares.GROUP_QUOTA, shares.GROUP_QUOTA.of(node.name)))
    macro = shares.GROUP_QUOTA_DYNAMIC.of(node.name)
    dynamic = keep(read_knob(config, shares.GROUP_QUOTA_DYNAMIC, macro))
    macro = shares.GROUP_ACCEPT_SURPLUS_OF.of(node.name)
    own_surplus = keep(read_knob(config, shares.GROUP_ACCEPT_SURPLUS_OF, macro))
    macro = shares.GROUP_AUTOREGROUP_OF.of(node.name)
    own_regroup = keep(read_knob(config, shares.GROUP_AUTOREGROUP_OF, macro))
    gets_more = surplus if own_surplus.value is None else own_surplus.boolean()
    regroups = regroup if own_regroup.value is None else own_regroup.boolean()
    valid = static.diagnostic is None and dynamic.diagnostic is None
    if valid and static.value is None and dynamic.value is None:
        gets = "what others leave" if gets_more or regroups else "0"
        message = f"group `{node.name}` has no quota and gets {gets}"
        spot = _listed_at(read_knob(config, shares.GROUP_NAMES), node.name)
        diagnostics.append(_of_group("P303", node.name, message, spot))
        diagnostics[-1].severity = "note" if gets_more or regroups else "warning"
    macro = shares.GROUP_PRIO_FACTOR.of(node.name)
    factor = keep(read_knob(config, shares.GROUP_PRIO_FACTOR, macro)).number_or_none()
    is_static = static.value is not None
    return GroupSpec(
        name=node.name,
        parent=positions[id(node.parent)],
        children=children,
        static_quota=static.number_or_none(),
        dynamic_quota=None if is_static else dynamic.number_or_none() or 0.0,
        accept_surplus=gets_more,
        autoregroup=regroups,
        prio_factor=factor or None,
    )


# --- concurrency limits ---------------------------------------------------------------------------


@frozen
class ConcurrencyLimits:
    """Maxima by lower-case name, by lower-case set, and for everything else."""

    maxima: Mapping[str, float] = Factory(dict)
    set_defaults: Mapping[str, float] = Factory(dict)
    default: float = float(shares.CONCURRENCY_LIMIT_DEFAULT.default or 0)

    def maximum(self, name: str) -> float:
        """How much there is of the limit ``name`` or ``set.name``."""
        folded = name.lower()
        found = self.maxima.get(folded)
        if found is None and "." in folded:
            found = self.set_defaults.get(folded.partition(".")[0])
        return self.default if found is None else found


def read_limits(config: Config) -> tuple[ConcurrencyLimits, tuple[Diagnostic, ...]]:
    """The limits of a configuration; a value that is no number is reported and passed over.

    A macro that other daemons read may also have such a name, and a value that is no number.
    """
    diagnostics: list[Diagnostic] = []
    maxima: dict[str, float] = {}
    set_defaults: dict[str, float] = {}
    families = (shares.CONCURRENCY_LIMIT_DEFAULT_OF, set_defaults), (shares.NAME_LIMIT, maxima)
    for entry in config.scope.table:
        macro = config.context.base_name(entry.name) or entry.name
        if "_limit" not in macro.casefold():
            continue
        for family, into in families:
            member = family.member(macro)
            if member is None:
                continue
            reading = read_knob(config, family, macro)
            if reading.diagnostic is not None and find_knob(macro) is family:
                diagnostics.append(reading.diagnostic)
            elif reading.diagnostic is None and reading.value is not None:
                into[member.lower()] = reading.number()
            break
    default = read_knob(config, shares.CONCURRENCY_LIMIT_DEFAULT)
    if default.diagnostic is not None:
        diagnostics.append(default.diagnostic)
    return ConcurrencyLimits(maxima, set_defaults, default.number()), tuple(diagnostics)
