"""Makes the changes of ``condor_userprio`` to the accountant's records.

Decides which attributes an edit writes, in which order, and when it is refused.

Inputs: the log as it stands, the edit with its arguments, the time (seconds since the epoch).
Outputs: ``PriorityEdit``: the records of one transaction and what the tool says; raises
``EditRefused``.
Follows: condor_userprio and the negotiator of HTCondor 25.14.1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from attr import frozen

from classad.files.log import LogRecord, TransactionLog, destroy_ad, new_ad, set_attribute
from negotiator.accounting.log import real
from negotiator.accounting.records import scalar
from pieslice.priorities.options import UsageError, real_number, whole_number

MIN_FACTOR: Final = 1.0
_PREFIX: Final = "Customer."


class EditRefused(Exception):  # noqa: N818 - the negotiator's own word
    """The negotiator would not do that; the message says why."""


@frozen
class PriorityEdit:
    """The records of an edit and the sentence about it."""

    records: tuple[LogRecord, ...]
    said: str


@frozen
class _Limit:
    """What can be set for a while: attribute, its name in messages, value without a lease."""

    attribute: str
    name: str
    default: str


_LIMITS: Final = {
    "ceiling": _Limit("Ceiling", "ceiling", "-1"),
    "floor": _Limit("Floor", "floor", "0"),
    "factor": _Limit("PriorityFactor", "priority-factor", real(MIN_FACTOR)),
}


@frozen
class _Target:
    """The record that an edit is about."""

    log: TransactionLog
    user: str
    now: int

    @property
    def key(self) -> str:
        return _PREFIX + self.user

    def text(self, name: str) -> str | None:
        return self.log.table.get(self.key, {}).get(name)

    def number(self, name: str) -> float:
        text = self.text(name)
        value = None if text is None else scalar(text)
        return float(value) if isinstance(value, int | float) else 0.0

    def set(self, **attributes: str) -> tuple[LogRecord, ...]:
        """Records that set attributes in the given order, making the ad if need be."""
        made = () if self.key in self.log.table else (new_ad(self.key),)
        return (*made, *(set_attribute(self.key, n, text) for n, text in attributes.items()))


def make_edit(
    log: TransactionLog,
    option: str,
    values: tuple[str, ...],
    *,
    now: int,
    duration: int | None = None,
) -> PriorityEdit:
    """What an edit writes."""
    if option == "resetall":
        return _reset_all(log, now)
    user, *rest = values
    if "@" not in user:
        raise UsageError(f"`-{option}` needs the full name of a submitter, not `{user}`")
    target = _Target(log, user, now)
    if option.startswith("cancel"):
        return _cancel(target, _LIMITS[option.removeprefix("cancel").removesuffix("lease")])
    if option in ("setfactor", "setfloor", "setceiling"):
        return _set_limit(target, option.removeprefix("set"), rest[0], duration)
    return _EDITS[option](target, *rest)


def _set_limit(target: _Target, kind: str, text: str, duration: int | None) -> PriorityEdit:
    limit = _LIMITS[kind]
    if kind == "factor":
        factor = real_number(text)
        if factor < MIN_FACTOR:
            raise EditRefused("priority factors must be greater than or equal to 1")
        value = real(factor)
        said = f"The priority factor of {target.user} was set to {value}"
    else:
        number, least = whole_number(text), (0 if kind == "floor" else -1)
        if number < least:
            raise EditRefused(f"{kind} must be greater than or equal to {least}")
        value = str(number)
        said = f"The {kind} of {target.user} was set to {value}"
    if duration is None:
        return PriorityEdit(target.set(**{limit.attribute: value}), said)
    return _lease(target, limit, value, duration)


def _lease(target: _Target, limit: _Limit, value: str, duration: int) -> PriorityEdit:
    if duration <= 0:
        raise UsageError(f"`-duration` must be a positive number of seconds, not `{duration}`")
    expires = int(target.number(f"{limit.attribute}LeaseExpiration"))
    if expires > target.now:
        raise EditRefused(
            f"negotiator rejected {limit.name} lease: {limit.name} lease for {target.user} "
            f"is already in effect (expires at {expires})"
        )
    records = target.set(
        **{
            f"{limit.attribute}PreLeaseValue": target.text(limit.attribute) or limit.default,
            f"{limit.attribute}LeaseExpiration": str(target.now + duration),
            limit.attribute: value,
        }
    )
    said = f"Set {limit.name} lease on {target.user} to {value} for {duration} seconds"
    return PriorityEdit(records, said)


def _cancel(target: _Target, limit: _Limit) -> PriorityEdit:
    if target.number(f"{limit.attribute}LeaseExpiration") <= 0:
        raise EditRefused(f"{target.user} has no {limit.name} lease to cancel")
    before = target.text(f"{limit.attribute}PreLeaseValue") or limit.default
    records = target.set(
        **{limit.attribute: before, f"{limit.attribute}LeaseExpiration": "0"},
    )
    return PriorityEdit(records, f"Cancelled {limit.name} lease for {target.user}")


def _set_priority(target: _Target, text: str) -> PriorityEdit:
    value = real(real_number(text))
    said = f"The priority of {target.user} was set to {value}"
    return PriorityEdit(target.set(Priority=value), said)


def _set_usage(target: _Target, text: str) -> PriorityEdit:
    seconds = real_number(text)
    if seconds < 0:
        raise EditRefused("usage must not be below 0 seconds")
    value = real(seconds)
    said = f"The Accumulated Usage of {target.user} was set to {value}"
    return PriorityEdit(target.set(WeightedAccumulatedUsage=value), said)


def _set_begin(target: _Target, text: str) -> PriorityEdit:
    moment = whole_number(text)
    said = f"The Begin Usage Time of {target.user} was set to {moment}"
    return PriorityEdit(target.set(BeginUsageTime=str(moment)), said)


def _set_last(target: _Target, text: str) -> PriorityEdit:
    moment = whole_number(text)
    said = f"The Last Usage Time of {target.user} was set to {moment}"
    return PriorityEdit(target.set(LastUsageTime=str(moment)), said)


def _reset(target: _Target) -> PriorityEdit:
    return PriorityEdit(_fresh(target), f"The accumulated usage of {target.user} was reset")


def _fresh(target: _Target) -> tuple[LogRecord, ...]:
    zero = real(0.0)
    return target.set(
        AccumulatedUsage=zero, WeightedAccumulatedUsage=zero, BeginUsageTime=str(target.now)
    )


def _delete(target: _Target) -> PriorityEdit:
    known = target.key in target.log.table
    records = (destroy_ad(target.key),) if known else ()
    return PriorityEdit(records, f"The accountant record named {target.user} was deleted")


def _reset_all(log: TransactionLog, now: int) -> PriorityEdit:
    records: list[LogRecord] = []
    for key in log.table:
        if key.startswith(_PREFIX):
            records += _fresh(_Target(log, key.removeprefix(_PREFIX), now))
    return PriorityEdit(tuple(records), "The accumulated usage was reset for all users")


_EDITS: Final[dict[str, Callable[..., PriorityEdit]]] = {
    "setprio": _set_priority,
    "setaccum": _set_usage,
    "setbegin": _set_begin,
    "setlast": _set_last,
    "resetusage": _reset,
    "delete": _delete,
}
