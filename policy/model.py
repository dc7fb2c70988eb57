"""Defines the negotiator's policy as one checked value.

Expressions are compiled, and nothing is left to look up by name but concurrency limits.  Most
fields are made of one knob each and stand beside its declaration: those of ``MatchingPolicy``,
``CyclePolicy`` and ``SharePolicy``.  ``policy.load`` fills them.
Follows: the knobs that 25.14.1's negotiator reads for a cycle.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from attr import field, fields, frozen

from classad.ads.expression import Expression
from classad.language.rules import LanguageRules, language_of
from policy.dialects import Dialect
from policy.groups import ConcurrencyLimits, GroupSpec
from policy.knobs import PARTS
from policy.knobs.cycle import CyclePolicy
from policy.knobs.fields import readers
from policy.knobs.matching import MatchingPolicy
from policy.knobs.shares import SharePolicy
from policy.lazily import Lazily
from policy.versions import Version

if TYPE_CHECKING:
    from policy.claims import ClaimSettings
    from policy.own_machine import OwnMachineSettings

__all__ = ["ConcurrencyLimits", "NegotiatorPolicy"]

#: What the configuration says besides.
_OTHERS: Final = (
    *("dialect", "version", "groups", "group_accept_surplus", "group_autoregroup"),
    *("concurrency_limits", "claims_read", "own_machine_read", "user_maps"),
)
_FIELDS: Final = (*(name for part in reversed(PARTS) for name, _ in readers(part)), *_OTHERS)


@frozen(kw_only=True, eq=False, slots=False, these={name: field() for name in _FIELDS})
class NegotiatorPolicy(MatchingPolicy, CyclePolicy, SharePolicy):
    """What the configuration says about a negotiation cycle."""

    #: Whose rules are followed where they differ.
    dialect: Dialect
    #: The version of the negotiator, whose rules are followed.
    version: Version

    #: The accounting groups: the root comes first; empty when none is configured.
    groups: tuple[GroupSpec, ...]
    #: GROUP_ACCEPT_SURPLUS itself; what it means for each group is in ``groups``.
    group_accept_surplus: bool
    #: GROUP_AUTOREGROUP itself, or any group's own.
    group_autoregroup: bool

    concurrency_limits: ConcurrencyLimits

    claims_read: Lazily[ClaimSettings]
    own_machine_read: Lazily[OwnMachineSettings]

    #: The user maps the negotiator reads, by name: for ``userMap``, and ``GROUP_PREFIX`` for names.
    user_maps: Mapping[str, Mapping[str, str]]

    @property
    def claims(self) -> ClaimSettings:
        """What startds and schedds do with the claims that matches become."""
        return self.claims_read.value

    @property
    def own_machine(self) -> OwnMachineSettings:
        """What schedds start on their own machines."""
        return self.own_machine_read.value

    @property
    def language(self) -> LanguageRules:
        """The rules by which the negotiator evaluates expressions."""
        return language_of(self.version)

    def differing(self, other: NegotiatorPolicy) -> tuple[str, ...]:
        """The names of the fields in which another policy says something else."""
        names = (field.name.removesuffix("_read") for field in fields(NegotiatorPolicy))
        return tuple(n for n in names if not _same(getattr(self, n), getattr(other, n)))


def _same(a: object, b: object) -> bool:
    """Whether two values of a field say the same; expressions are what they are written as."""
    if isinstance(a, Expression) and isinstance(b, Expression):
        return a is b or str(a) == str(b)
    return a == b


@frozen
class EffectiveQuotas:
    """Quotas in a pool of ``pool`` weighted slots, in weighted slots by group name.

    ``own`` is for the group's own submitters, ``subtree`` for it and all groups below it.
    """

    pool: float
    own: Mapping[str, float]
    subtree: Mapping[str, float]
