"""Defines the negotiator's policy as one checked value.

Expressions are compiled, and nothing is left to look up by name but concurrency limits.  Most
fields are made of one knob each and stand beside its declaration: those of ``MatchingPolicy``,
``CyclePolicy`` and ``SharePolicy``.  ``policy.load`` fills them.
Follows: the knobs that 25.14.1's negotiator reads for a cycle.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from attr import Factory, field, fields, frozen

from classad.ads.expression import Expression
from classad.errors import Diagnostic
from classad.language.rules import LanguageRules, language_of
from policy.config import Config
from policy.dialects import Dialect
from policy.groups import GroupSpec
from policy.knobs import find_knob
from policy.knobs import shares as shares
from policy.knobs.cycle import CyclePolicy
from policy.knobs.matching import MatchingPolicy
from policy.knobs.reading import read_knob
from policy.knobs.shares import SharePolicy
from policy.lazily import Lazily
from policy.versions import NEWEST, Version

if TYPE_CHECKING:
    from policy.claims import ClaimSettings
    from policy.own_machine import OwnMachineSettings

__all__ = ["ConcurrencyLimits", "NegotiatorPolicy", "read_limits"]

#: The classes whose fields are read from knobs, in the order in which they are read.
PARTS: Final = (MatchingPolicy, CyclePolicy, SharePolicy)


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
    #: GROUP_AUTOREGROUP itself, or any group's own.
    group_autoregroup: bool

    concurrency_limits: ConcurrencyLimits = field(factory=ConcurrencyLimits)

    claims_read: Lazily[ClaimSettings]
    own_machine_read: Lazily[OwnMachineSettings]

    #: The user maps the negotiator reads, by name: for ``userMap``, and ``GROUP_PREFIX`` for names.
    user_maps: Mapping[str, Mapping[str, str]] = field(factory=dict)

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
