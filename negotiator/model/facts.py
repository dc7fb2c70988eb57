"""States a pool in numbers, and the knobs that are not honoured."""

from __future__ import annotations

from attr import frozen

from policy.dialects import HTCONDOR, Dialect


@frozen
class PoolFacts:
    """The pool in numbers.  ``now_from`` says where the time of the cycle comes from."""

    name: str
    machines: int
    slots: int
    users: int
    jobs: int
    idle_jobs: int
    now: float
    now_from: str
    dialect: Dialect = HTCONDOR


@frozen
class Unsupported:
    """A knob of the configuration that influences a cycle and is not honoured yet."""

    name: str
    value: str
    place: str
    effect: str
