"""Holds what the arithmetic of quotas does, step by step, as values in slot weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from attr import frozen


@frozen
class Assigned:
    """A group got its quota from its parent.

    ``configured`` is a number of slots (``static``) or a fraction; times ``unit`` it is what the
    group and all below it get; ``quota`` is what is left of that for the group itself.
    """

    group: str
    parent: str | None
    static: bool
    configured: float
    unit: float
    subtree_quota: float
    quota: float


@frozen
class RoundBegan:
    """An allocation round begins."""

    round: int


@frozen
class TookOwn:
    """A group took what it wants of its own quota and gave up the rest."""

    group: str
    quota: float
    requested: float
    allocated: float
    given: float


@frozen
class Share:
    """What a member of a group was handed of a surplus, for itself and all below it.

    ``by_quota`` of it in proportion to quotas (``weight``), ``equally`` in equal parts because
    those with a quota had enough.  The group itself is a member, too.
    """

    group: str
    wanted: float
    weight: float
    by_quota: float
    equally: float


@frozen
class Spread:
    """The surplus at a group was spread over its accepting children and itself."""

    group: str
    surplus: float
    requested: float
    shares: tuple[Share, ...]
    left: float


@frozen
class CutToWhole:
    """Slot weights are off: a group's allocation was cut to whole slots."""

    group: str
    fraction: float
    allocated: float


@frozen
class InTurn:
    """The fractions that were cut off were handed out as whole slots, one group after another."""

    group: str
    surplus: float
    shares: tuple[tuple[str, float], ...]
    left: float


QuotaStep: TypeAlias = Assigned | RoundBegan | TookOwn | Spread | CutToWhole | InTurn
Note: TypeAlias = Callable[[QuotaStep], None]


def nobody(step: QuotaStep) -> None:
    """Ignore the steps."""
