"""Reads which jobs schedds are configured to start on their own machines.

Inputs: a ``Config``.  Outputs: ``OwnMachineSettings``.  Follows: START_SCHEDULER_UNIVERSE,
START_LOCAL_UNIVERSE and MAX_RUNNING_SCHEDULER_JOBS_PER_OWNER of condor_schedd 25.14.1, which goes
on with its default for an expression that does not parse.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from attr import field, frozen

from classad.errors import ClassAdParseError
from policy.config import Config
from policy.language import expressions
from policy.language.macros import ExpansionError
from policy.language.numbers import read_integer
from policy.universes import UNIVERSES

if TYPE_CHECKING:
    from classad.ads.expression import Expression

#: By universe: the macro, and what the schedd goes on with where it cannot read it.
_START: Final[Mapping[int, tuple[str, str]]] = {
    UNIVERSES["scheduler"]: ("START_SCHEDULER_UNIVERSE", "TotalSchedulerJobsRunning < 500"),
    UNIVERSES["local"]: ("START_LOCAL_UNIVERSE", "TotalLocalJobsRunning < 200"),
}
PER_OWNER: Final = "MAX_RUNNING_SCHEDULER_JOBS_PER_OWNER"
_PER_OWNER: Final = 200


@frozen
class StartExpression:
    """What START_<UNIVERSE>_UNIVERSE says; ``given``: a configuration sets it."""

    macro: str
    expression: Expression
    given: bool


@frozen
class OwnMachineSettings:
    """What a schedd starts on its own machine.

    ``start``: by the number of the universe.  ``per_owner``: how many jobs of the scheduler
    universe may run for an owner, None unless a configuration sets it.
    """

    start: Mapping[int, StartExpression] = field(
        factory=lambda: {
            universe: StartExpression(macro, expressions.parse(default), False)
            for universe, (macro, default) in _START.items()
        }
    )
    per_owner: int | None = None

    @property
    def most_per_owner(self) -> int:
        """The same with the default of HTCondor."""
        return _PER_OWNER if self.per_owner is None else self.per_owner


def read_own_machine(config: Config) -> OwnMachineSettings:
    """The settings of the schedds that have this configuration."""
    schedd = config.seen_by("SCHEDD")
    start = {universe: _start(schedd, *known) for universe, known in _START.items()}
    text = _given(schedd, PER_OWNER)
    number = None if text is None else read_integer(text, expressions.evaluator(0.0))
    return OwnMachineSettings(start, number)


def _start(schedd: Config, macro: str, default: str) -> StartExpression:
    text = _given(schedd, macro)
    if text:
        try:
            return StartExpression(macro, expressions.parse(text), True)
        except ClassAdParseError:
            pass
    return StartExpression(macro, expressions.parse(default), False)


def _given(schedd: Config, macro: str) -> str | None:
    """The text of a macro that a configuration sets; None where only the default is."""
    definition = schedd.lookup(macro)
    if definition is None or definition.is_builtin:
        return None
    try:
        return (schedd.text(macro) or "").strip()
    except ExpansionError:
        return None
