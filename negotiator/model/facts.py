"""States a pool in numbers, and the knobs that are not honoured."""

from __future__ import annotations

from attr import Factory, frozen

from policy.dialects import HTCONDOR, Dialect
from policy.versions import Followed


@frozen
class PoolFacts:
    """The pool in numbers.  ``now_from`` says where the time of the cycle comes from.

    ``version``: whose rules are followed, and who said so.
    """

    name: str
    machines: int
    slots: int
    users: int
    jobs: int
    idle_jobs: int
    now: float
    now_from: str
    dialect: Dialect = HTCONDOR
    version: Followed = Factory(Followed)


@frozen
class Unsupported:
    """A knob of the configuration that influences a cycle and is not honoured yet."""

    name: str
    value: str
    place: str
    effect: str
