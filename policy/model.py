"""Defines the negotiator's policy as one checked value.

Expressions are compiled, and nothing is left to look up by name but concurrency limits.  Most
fields are made of one knob each and stand beside its declaration: those of ``MatchingPolicy``,
``CyclePolicy`` and ``SharePolicy``.  ``policy.load`` fills them.
Follows: the knobs that 25.14.1's negotiator reads for a cycle.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attr import field, frozen

from classad.language.rules import LanguageRules, language_of
from policy.dialects import Dialect
from policy.groups import GroupSpec
from policy.knobs.cycle import CyclePolicy
from policy.knobs.matching import MatchingPolicy
from policy.knobs.shares import SharePolicy
from policy.limits import ConcurrencyLimits
from policy.versions import NEWEST, Version

__all__ = ["NegotiatorPolicy"]

#: The classes whose fields are read from knobs, in the order in which they are read.
PARTS: Final = (MatchingPolicy, CyclePolicy, SharePolicy)


@frozen(kw_only=True, eq=False, slots=False)
class NegotiatorPolicy(MatchingPolicy, CyclePolicy, SharePolicy):
    """What the configuration says about a negotiation cycle."""

    #: Whose rules are followed where they differ.
    dialect: Dialect
    #: The version of the negotiator, whose rules are followed.
    version: Version = NEWEST

    #: The accounting groups: the root comes first; empty when none is configured.
    groups: tuple[GroupSpec, ...]
    #: GROUP_ACCEPT_SURPLUS itself; what it means for each group is in ``groups``.
    group_accept_surplus: bool

    concurrency_limits: ConcurrencyLimits = field(factory=ConcurrencyLimits)

    #: The user maps the negotiator reads, by name: for ``userMap``, and ``GROUP_PREFIX`` for names.
    user_maps: Mapping[str, Mapping[str, str]] = field(factory=dict)

    @property
    def language(self) -> LanguageRules:
        """The rules by which the negotiator evaluates expressions."""
        return language_of(self.version)
