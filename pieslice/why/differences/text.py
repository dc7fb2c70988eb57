"""Describes the difference between two cycles: ``pieslice diff``.

Inputs: a ``Difference`` and the names of the two sides.  Outputs: blocks for
``pieslice.reports.layout``; JSON.  Follows: ``diff``, which is silent about what is the same.
"""

from __future__ import annotations

from pieslice.data import JsonObject
from pieslice.reports.layout import Block, Column, Line, Table, Wrapped, rounded, short
from pieslice.reports.text import KINDS, plural
from pieslice.reports.versions import version_data, version_line
from pieslice.why.differences.cycles import Difference, Pair, Taken, Totals
from policy.versions import Followed


def diff_blocks(
    found: Difference, names: tuple[str, str], versions: tuple[Followed, Followed]
) -> list[Block]:
    """The two sides in a line each, the version of both or of each, then tables of what changes."""
    one, other = versions
    blocks: list[Block] = [
        Line(f"A: {names[0]}: {_totals(found.before)}", heading=True),
        *([] if one == other else [version_line(one)]),
        Line(f"B: {names[1]}: {_totals(found.after)}", heading=True),
        version_line(other),
    ]
    if found.same:
        return [*blocks, Line("no difference", level="good")]
    for part in (_users(found), _groups(found), _machines(found), _slots(found), _refused(found)):
        if part:
            blocks += [Line(), *part]
    return blocks


def _totals(side: Totals) -> str:
    kinds = f"{side.free} free, {side.by_rank} by rank, {side.by_priority} by priority"
    matches = f"{plural(side.matches, 'match')} of weight {short(side.weight)} ({kinds})"
    return f"{plural(side.slots, 'slot')}, {matches}, {plural(side.rejections, 'rejection')}"


def _users(found: Difference) -> list[Block]:
    rows = tuple(
        (
            item.user,
            _signed(item.net),
            _pair(item.matched),
            _pair(item.lost),
            _pair(item.share, 100),
            _pair(item.limit),
            _pair(item.priority),
        )
        for item in found.users
    )
    columns = (
        Column("user", name=True),
        Column("net", "weight", right=True),
        Column("matched", "weight", right=True),
        Column("lost", "weight", right=True),
        Column("share", "% of pie", right=True, drop=2, brief_unit="%"),
        Column("limit", "weight", right=True, drop=1),
        Column("effective", "priority", right=True, drop=3),
    )
    return [Line("users", heading=True), Table(columns, rows)] if rows else []


def _groups(found: Difference) -> list[Block]:
    rows = tuple(
        (
            item.group,
            _signed(item.net),
            _pair(item.quota),
            _pair(item.allocated),
            _pair(item.matched),
            _pair(item.lost),
        )
        for item in found.groups
    )
    columns = (
        Column("group", name=True),
        *(
            Column(title, "weight", right=True, drop=drop)
            for title, drop in (
                ("net", 0),
                ("quota", 1),
                ("allocated", 2),
                ("matched", 0),
                ("lost", 0),
            )
        ),
    )
    return [Line("groups", heading=True), Table(columns, rows)] if rows else []


def _machines(found: Difference) -> list[Block]:
    rows = tuple(
        (item.machine, _signed(item.matched.change), _pair(item.preemptions), str(item.slots))
        for item in found.machines
    )
    columns = (
        Column("machine", name=True),
        Column("matched", "weight", right=True),
        Column("claims", "preempted", right=True),
        Column("slots", "changed", right=True),
    )
    return [Line("machines", heading=True), Table(columns, rows)] if rows else []


def _slots(found: Difference) -> list[Block]:
    if not found.slots:
        return []
    ways: dict[tuple[str, str], list[str]] = {}
    for item in found.slots:
        ways.setdefault((_taken(item.before), _taken(item.after)), []).append(item.slot)
    blocks: list[Block] = [Line(f"slots: {plural(len(found.slots), 'change')}", heading=True)]
    for (before, after), slots in ways.items():
        blocks += [Line(f"  A: {before}"), Line(f"  B: {after}"), Wrapped("", tuple(slots))]
    return blocks


def _taken(item: Taken | None) -> str:
    if item is None:
        return "not matched"
    whom = f" of {item.preempted}" if item.preempted else ""
    return f"{item.submitter}, cluster {item.job.partition('.')[0]} ({KINDS[item.kind]}{whom})"


def _refused(found: Difference) -> list[Block]:
    rows = tuple((item.user, _pair(item.requests), item.reason) for item in found.rejections)
    columns = (
        Column("user", name=True),
        Column("requests", right=True),
        Column("reason", prose=True),
    )
    return [Line("rejections", heading=True), Table(columns, rows)] if rows else []


def _pair(pair: Pair, times: float = 1) -> str:
    """``before -> after``, or the number that is both."""
    before, after = (_text(value, times) for value in (pair.before, pair.after))
    return before if pair.same or before == after else f"{before} -> {after}"


def _text(value: float | None, times: float) -> str:
    if value is None:
        return "-"
    return "unlimited" if value >= 1e300 else rounded(value * times)


def _signed(value: float) -> str:
    return f"{value:+.6g}" if value else "0"


def diff_data(
    found: Difference, names: tuple[str, str], versions: tuple[Followed, Followed]
) -> JsonObject:
    """The same for programs."""
    one, other = versions
    return {
        "a": {"name": names[0], **version_data(one), "totals": found.before},
        "b": {"name": names[1], **version_data(other), "totals": found.after},
        "same": found.same,
        "users": [{"net": item.net, "change": item} for item in found.users],
        "groups": [{"net": item.net, "change": item} for item in found.groups],
        "machines": found.machines,
        "slots": found.slots,
        "rejections": found.rejections,
    }
