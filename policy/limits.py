"""Reads how much there is of each concurrency limit.

Inputs: a ``Config``.  Outputs: ``ConcurrencyLimits``, a lookup by name.
Follows: concurrency limits of 25.14.1.
"""

from __future__ import annotations

from collections.abc import Mapping

from attr import Factory, frozen

from classad.errors import Diagnostic
from policy.config import Config
from policy.knobs import find_knob
from policy.knobs import shares as shares
from policy.knobs.reading import read_knob


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
    for entry in config.scope.table:
        macro = config.context.base_name(entry.name) or entry.name
        for family, into in (
            (shares.CONCURRENCY_LIMIT_DEFAULT_OF, set_defaults),
            (shares.NAME_LIMIT, maxima),
        ):
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
