"""Reads what startds and schedds are configured to do with the claims that matches become.

Inputs: a ``Config``.  Outputs: ``ClaimSettings``.  What cannot be read counts as its default, as
for the daemons.  Follows: CLAIM_WORKLIFE, MAXJOBRETIREMENTTIME, MachineMaxVacateTime,
MODIFY_REQUEST_EXPR_*, CLAIM_PARTITIONABLE_LEFTOVERS, CLAIM_RECYCLING_CONSIDER_LIMITS,
SCHEDD_INTERVAL, PREEMPT, PERIODIC_EXPR_INTERVAL and SYSTEM_PERIODIC_* of 25.14.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from attr import field, frozen

from classad.errors import ClassAdParseError
from policy.config import Config
from policy.knobs.matching import CLAIM_PARTITIONABLE_LEFTOVERS
from policy.knobs.reading import read_knob
from policy.language import expressions
from policy.language.macros import ExpansionError
from policy.language.numbers import read_boolean

if TYPE_CHECKING:
    from classad.ads.expression import Expression

_ROUNDED: Final = ("cpus", "memory", "disk")
_LIMITS: Final = "CLAIM_RECYCLING_CONSIDER_LIMITS"
_WORKLIFE: Final = 1200
_LONGEST_VACATE: Final = 600
_LOOK_INTERVAL: Final = 300
_POLLING: Final = 5
_UPDATE: Final = 300
_PERIODIC: Final = 60
_FOREVER: Final = 2**31
#: Decimal numbers with fewer digits are less than that.
_DIGITS: Final = 10
#: What a schedd does with jobs by its configuration.
SYSTEM_VERBS: Final = ("hold", "release", "remove", "vacate")
_VALUE: Final = expressions.evaluator(0.0)


@frozen
class ClaimSettings:
    """What daemons do with claims; times in seconds.

    Of the startd: ``worklife`` for which a claim takes further jobs (negative: without end), the
    ``retirement`` of a job whose slot is wanted, of which the last ``longest_vacate`` seconds are
    there to stop in; ``rounding``: by the name of a resource in lower case, what rounds the request
    for it up; ``preempt``: PREEMPT if it is ever true, which is asked after ``polling`` seconds;
    ``update``: after how many a backfill slot tells of what it has got back.
    Of the job: ``vacate``, the seconds that it takes to stop.  Of both daemons: ``leftovers``,
    whether the schedd may use what a match leaves of a partitionable slot.  Of the schedd:
    ``considers_limits``, whether a job on leftovers or on a claim that is used again has to have
    the concurrency limits that it was granted with; ``periodic``: after how many seconds it, and
    the shadow of a job, asks what holds, removes, releases or vacates jobs, ``system``: what of
    that its configuration has, by the verb (``hold``), macros and conditions.
    """

    worklife: int = _WORKLIFE
    retirement: int = 0
    vacate: int = 0
    leftovers: bool = True
    longest_vacate: int = 0
    considers_limits: bool = True
    look_interval: int = _LOOK_INTERVAL
    preempt: Expression | None = None
    polling: int = _POLLING
    update: int = _UPDATE
    periodic: int = _PERIODIC
    system: Mapping[str, tuple[tuple[str, Expression], ...]] = field(factory=dict)
    rounding: Mapping[str, Expression] = field(factory=dict)

    def takes_more(self, begun: int, now: int) -> bool:
        """Whether a claim that began then takes another job."""
        return self.worklife < 0 or now - begun < self.worklife

    def retired_at(self, job_begun: int, own: float | None) -> int:
        """When the retirement of a job ends that began then.

        ``own``: the job's own MaxJobRetirementTime, None if it has none.
        """
        return job_begun + (self.retirement if own is None else min(self.retirement, int(own)))

    def evicted_at(self, job_begun: int, now: int, own: float | None) -> int:
        """When a job has to begin to stop whose slot was given to another ``now``."""
        return max(now, self.retired_at(job_begun, own) - self.longest_vacate)


def read_claims(config: Config) -> ClaimSettings:
    """The settings of the daemons that have this configuration."""
    startd, schedd = config.seen_by("STARTD"), config.seen_by("SCHEDD")
    limits = read_boolean(_text(schedd, _LIMITS), _VALUE)
    return ClaimSettings(
        worklife=_seconds(startd, "CLAIM_WORKLIFE", _WORKLIFE),
        retirement=_seconds(startd, "MAXJOBRETIREMENTTIME", 0),
        leftovers=all(
            read_knob(one, CLAIM_PARTITIONABLE_LEFTOVERS).boolean() for one in (startd, schedd)
        ),
        longest_vacate=_seconds(startd, "MachineMaxVacateTime", _LONGEST_VACATE),
        considers_limits=limits is not False,
        look_interval=max(_seconds(schedd, "SCHEDD_INTERVAL", _LOOK_INTERVAL), 1),
        preempt=_unless_false(_expression(startd, "PREEMPT")),
        polling=max(_seconds(startd, "POLLING_INTERVAL", _POLLING), 1),
        update=max(_seconds(startd, "UPDATE_INTERVAL", _UPDATE), 1),
        periodic=max(_seconds(schedd, "PERIODIC_EXPR_INTERVAL", _PERIODIC), 1),
        system={verb: asked for verb in SYSTEM_VERBS if (asked := tuple(_system(schedd, verb)))},
        rounding={
            name: found
            for name in _ROUNDED
            if (found := _expression(startd, f"MODIFY_REQUEST_EXPR_REQUEST{name.upper()}"))
        },
    )


def _seconds(config: Config, name: str, default: int) -> int:
    """A time that is known without a slot or a job."""
    text = _text(config, name)
    return int(text) if text.isdecimal() and len(text) < _DIGITS else _computed(text, default)


def _computed(text: str, default: int) -> int:
    value = _VALUE(text)
    if isinstance(value, int | float) and value.__class__ in (int, float):
        return int(value) if abs(value) < _FOREVER else default
    return default


def _unless_false(expression: Expression | None) -> Expression | None:
    """An expression that may be true of something."""
    return None if expression is None or str(expression).lower() == "false" else expression


def _system(schedd: Config, verb: str) -> Iterator[tuple[str, Expression]]:
    """What of SYSTEM_PERIODIC_<verb> may be true, the one without a name first."""
    head = f"SYSTEM_PERIODIC_{verb.upper()}"
    names = re.split(r"[\s,]+", _text(schedd, f"{head}_NAMES"))
    for macro in (head, *(f"{head}_{name}" for name in names if name)):
        condition = _unless_false(_expression(schedd, macro))
        if condition is not None:
            yield macro, condition


def _expression(config: Config, name: str) -> Expression | None:
    text = _text(config, name)
    return _parsed(text) if text else None


@lru_cache(maxsize=100)
def _parsed(text: str) -> Expression | None:
    """Most configurations leave these as they are built in."""
    try:
        return expressions.parse(text)
    except ClassAdParseError:
        return None


def _text(config: Config, name: str) -> str:
    try:
        return (config.text(name) or "").strip()
    except ExpansionError:
        return ""
