"""Reads and writes the accountant's transaction log (``Accountantnew.log``).

A log is, per key (``Customer.<name>``, ``Resource.<slot>``, ``Accountant.``), the attributes as
expression text.  Follows the log of HTCondor 25.14.1, as the recorded log recovery cases show it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from attr import frozen

from classad.errors import Diagnostic
from classad.files.log import (
    DamagedLogError,
    LogRecord,
    Table,
    TransactionLog,
    delete_attribute,
    destroy_ad,
    new_ad,
    read_transaction_log,
    set_attribute,
)
from classad.syntax.lexing import integer_value
from negotiator.model.snapshot import AccountantState, Customer, Lease, Resource

__all__ = ["AccountantLog", "DamagedLogError", "changes", "read_log"]

#: Key of the one ad that tells when priorities were last updated.
ACCOUNTANT: Final = "Accountant."


@frozen
class AccountantLog:
    """What a log adds up to.  ``table``: key -> attribute -> expression text."""

    table: Table
    #: Seconds since the epoch of the last priority update, None when the log has none.
    last_update: int | None
    diagnostics: tuple[Diagnostic, ...] = ()

    def of_kind(self, kind: str) -> Table:
        """The records whose key starts with ``kind.``, under the rest of the key."""
        prefix = f"{kind}."
        return {k[len(prefix) :]: v for k, v in self.table.items() if k.startswith(prefix)}


def read_log(text: str, name: str = "Accountantnew.log") -> AccountantLog:
    """Replay a log.  Raises ``DamagedLogError`` where the real negotiator would not start."""
    try:
        return accountant_log(read_transaction_log(text, name))
    except DamagedLogError as problem:
        problem.diagnostic.help = (
            "repair or remove the line, or give the priorities with --accounting"
        )
        raise


def accountant_log(log: TransactionLog) -> AccountantLog:
    """A log that was read, as the accountant's."""
    return AccountantLog(log.table, _last_update(log.table), tuple(log.diagnostics))


def _last_update(table: Table) -> int | None:
    text = table.get(ACCOUNTANT, {}).get("LastUpdateTime", "")
    return integer_value(text) if re.fullmatch(r"-?[0-9]+", text) else None


def real(number: float) -> str:
    """A real number as the accountant appends it."""
    return f"{number:f}"


def changes(before: AccountantState, after: AccountantState) -> Iterator[LogRecord]:
    """The records that turn one state into another; from an empty state, the whole."""
    if after.last_update_time is not None and after.last_update_time != before.last_update_time:
        if before.last_update_time is None:
            yield new_ad(ACCOUNTANT)
        yield set_attribute(ACCOUNTANT, "LastUpdateTime", str(after.last_update_time))
    for name, customer in after.customers.items():
        old = before.customers.get(name)
        if customer != old:
            written = None if old is None else _customer(old)
            yield from _ad_changes(f"Customer.{name}", written, _customer(customer))
    for key, resource in after.resources.items():
        known = before.resources.get(key)
        if resource != known:
            written = None if known is None else _resource(known)
            yield from _ad_changes(f"Resource.{key}", written, _resource(resource))
    for kind, old_names, names in (
        ("Customer", before.customers, after.customers),
        ("Resource", before.resources, after.resources),
    ):
        yield from (destroy_ad(f"{kind}.{name}") for name in old_names if name not in names)


def _ad_changes(
    key: str, before: Mapping[str, str] | None, after: Mapping[str, str]
) -> Iterator[LogRecord]:
    if before is None:
        yield new_ad(key)
        before = {}
    for name, text in after.items():
        if before.get(name) != text:
            yield set_attribute(key, name, text)
    yield from (delete_attribute(key, name) for name in before if name not in after)


def _customer(record: Customer) -> dict[str, str]:
    """The attributes of a record in the order in which an update writes them."""
    found: dict[str, str] = {}
    if record.priority is not None:
        found["Priority"] = real(record.priority)
    if record.priority_factor is not None:
        found["PriorityFactor"] = real(record.priority_factor)
    found |= {
        "ResourcesUsed": str(record.resources_used),
        "WeightedResourcesUsed": real(record.weighted_resources_used),
        "HierWeightedResourcesUsed": real(record.hier_weighted_resources_used),
        "AccumulatedUsage": real(record.accumulated_usage),
    }
    if record.weighted_accumulated_usage is not None:
        found["WeightedAccumulatedUsage"] = real(record.weighted_accumulated_usage)
    for name, moment in (
        ("BeginUsageTime", record.begin_usage_time),
        ("LastUsageTime", record.last_usage_time),
    ):
        if moment:
            found[name] = str(moment)
    if record.uncharged_time is not None:
        found["UnchargedTime"] = str(record.uncharged_time)
    if record.weighted_uncharged_time is not None:
        found["WeightedUnchargedTime"] = real(record.weighted_uncharged_time)
    return found | _limits(record)


def _limits(record: Customer) -> dict[str, str]:
    found: dict[str, str] = {}
    if record.ceiling >= 0:
        found["Ceiling"] = str(record.ceiling)
    if record.floor > 0:
        found["Floor"] = str(record.floor)
    leases: tuple[tuple[str, Lease | None], ...] = (
        ("Ceiling", record.ceiling_lease),
        ("Floor", record.floor_lease),
        ("PriorityFactor", record.factor_lease),
    )
    for name, lease in leases:
        if lease is not None:
            whole = name != "PriorityFactor"
            found[f"{name}PreLeaseValue"] = (
                str(int(lease.previous)) if whole else real(lease.previous)
            )
            found[f"{name}LeaseExpiration"] = str(lease.expiration)
    return found


def _resource(record: Resource) -> dict[str, str]:
    found = {
        "RemoteUser": f'"{record.remote_user}"',
        "SlotWeight": real(record.slot_weight),
        "StartTime": str(record.start_time),
    }
    if record.matched_concurrency_limits is not None:
        found["MatchedConcurrencyLimits"] = f'"{record.matched_concurrency_limits}"'
    return found
