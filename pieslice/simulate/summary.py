"""Sums up a simulation.

Decides which numbers sum up a run, and the tables of one run and of two.

Inputs: a simulation at its end (or where it was interrupted).  Outputs: data for JSON; text.
Follows: Jain, Chiu and Hawe's index of fairness: 1 if everybody has the same part of its due.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pieslice.data import JsonData, Record
from pieslice.reports.layout import Block, Column, Line, Table, render_plain
from pieslice.simulate.engine import Simulation
from pieslice.simulate.state import Totals

_HOUR: Final = 3600.0


def summarise(simulation: Simulation, *, complete: bool) -> JsonData:
    """The numbers of a run; hours are weighted core hours, waits are in seconds."""
    state = simulation.state
    running = _running(simulation)
    users = {name: _user(state.users[name], running.get(name, 0.0)) for name in sorted(state.users)}
    used = sum(user["usage_hours"] for user in users.values())
    for user in users.values():
        user["share"] = user["usage_hours"] / used if used else 0.0
    ratios = [
        user["usage_hours"] / user["entitled_hours"]
        for user in users.values()
        if user["entitled_hours"] > 0
    ]
    waits = [wait for totals in state.users.values() for wait in totals.waits]
    return {
        "complete": complete,
        "hours": state.now / _HOUR,
        "cycles": state.cycles,
        "cycles_with_matchmaking": state.full_cycles,
        "pool_hours": state.pool_seconds / _HOUR,
        "utilisation": used * _HOUR / state.pool_seconds if state.pool_seconds else 0.0,
        "goodput_hours": sum(user["goodput_hours"] for user in users.values()),
        "badput_hours": sum(user["badput_hours"] for user in users.values()),
        "unfinished_hours": sum(running.values()) / _HOUR,
        "submitted": sum(user["submitted"] for user in users.values()),
        "completed": sum(user["completed"] for user in users.values()),
        "never_started": sum(user["never_started"] for user in users.values()),
        "preemptions": sum(user["preemptions"] for user in users.values()),
        "lost_with_machines": sum(user["lost_with_machines"] for user in users.values()),
        "jobs_preempted_again": state.thrashed,
        "jain_index": jain(ratios),
        **_waits(waits),
        "users": users,
        "groups": _groups(simulation, users),
    }


def _running(simulation: Simulation) -> dict[str, float]:
    """Weighted seconds of the jobs that still run, by submitter."""
    found: dict[str, float] = {}
    for name, claim in simulation.state.claims.items():
        slot = simulation.pool.slots[name]
        seconds = slot.weight * (simulation.state.now - claim.job_begun)
        found[claim.user] = found.get(claim.user, 0.0) + seconds
    return found


def _user(totals: Totals, running: float) -> JsonData:
    return {
        "usage_hours": (totals.good + totals.bad + running) / _HOUR,
        "share": 0.0,
        "entitled_hours": totals.entitled / _HOUR,
        "goodput_hours": totals.good / _HOUR,
        "badput_hours": totals.bad / _HOUR,
        "submitted": totals.submitted,
        "completed": totals.completed,
        "never_started": totals.submitted - len(totals.waits),
        "preemptions": totals.preempted,
        "lost_with_machines": totals.evicted,
        **_waits(totals.waits),
    }


def _waits(waits: Sequence[int]) -> dict[str, float | None]:
    """Mean, median and the 95th percentile (nearest rank) of the waits of jobs that started."""
    if not waits:
        return {"wait_mean": None, "wait_median": None, "wait_95": None}
    ordered = sorted(waits)
    count = len(ordered)
    middle = (ordered[(count - 1) // 2] + ordered[count // 2]) / 2
    late = ordered[-(-95 * count // 100) - 1]
    return {"wait_mean": sum(ordered) / count, "wait_median": middle, "wait_95": float(late)}


def jain(ratios: Iterable[float]) -> float | None:
    """The index of fairness of parts of everybody's due; None for nobody."""
    parts = list(ratios)
    squares = sum(part * part for part in parts)
    return sum(parts) ** 2 / (len(parts) * squares) if squares > 0 else None


def _groups(simulation: Simulation, users: Mapping[str, Record]) -> JsonData:
    state = simulation.state
    used = dict.fromkeys(state.group_entitled, 0.0)
    for user, group in sorted(state.group_of.items()):
        used[group] += users[user]["usage_hours"]
    return {
        name: {
            "usage_hours": used[name],
            "entitled_hours": entitled / _HOUR,
            "over_quota_hours": state.over_quota.get(name, 0.0) / _HOUR,
        }
        for name, entitled in state.group_entitled.items()
    }


# --- text -------------------------------------------------------------------------------------

#: Field, title and decimals of the numbers of a run, a user and a group.
LINES: Final = (
    ("hours", "simulated hours", 1),
    ("cycles", "negotiation cycles", 0),
    ("utilisation", "utilisation", 4),
    ("submitted", "jobs submitted", 0),
    ("completed", "jobs completed", 0),
    ("never_started", "jobs that never started", 0),
    ("goodput_hours", "goodput (core hours)", 1),
    ("badput_hours", "badput (core hours)", 1),
    ("unfinished_hours", "unfinished (core hours)", 1),
    ("preemptions", "preemptions", 0),
    ("jobs_preempted_again", "jobs preempted again", 0),
    ("lost_with_machines", "jobs lost with machines", 0),
    ("wait_mean", "mean wait (s)", 0),
    ("wait_median", "median wait (s)", 0),
    ("wait_95", "95 % wait (s)", 0),
    ("jain_index", "Jain's index", 4),
)
USER_COLUMNS: Final = (
    ("usage_hours", "usage (h)", 1),
    ("share", "share", 4),
    ("entitled_hours", "entitled (h)", 1),
    ("completed", "completed", 0),
    ("preemptions", "preempted", 0),
    ("badput_hours", "badput (h)", 1),
    ("wait_mean", "mean wait (s)", 0),
    ("wait_95", "95 % wait (s)", 0),
)
GROUP_COLUMNS: Final = (
    ("usage_hours", "usage (h)", 1),
    ("entitled_hours", "entitled (h)", 1),
    ("over_quota_hours", "over quota (h)", 1),
)


#: Titles where there is no room for whole ones.
BRIEF: Final = {"utilisation": "util", "completed": "done", "preemptions": "preempt"}
#: What is left out of a table that is too wide: the highest number first.
_DROPPED: Final = {"badput_hours": 3, "share": 2, "entitled_hours": 1}
#: Of the numbers of a user those that are compared.
_COMPARED: Final = (
    ("usage_hours", "usage (h)", 1),
    ("badput_hours", "badput (h)", 1),
    ("wait_mean", "mean wait (s)", 0),
)


def text(summary: Record, width: int) -> str:
    """The summary of one run."""
    blocks: list[Block] = []
    if not summary["complete"]:
        blocks.append(Line("interrupted: these numbers are of the part that ran"))
    blocks += (
        Line(f"{title:<25s}{cell(summary[key], digits):>14s}") for key, title, digits in LINES
    )
    blocks += [Line(), _table("user", summary["users"], USER_COLUMNS)]
    if summary["groups"]:
        blocks += [Line(), _table("group", summary["groups"], GROUP_COLUMNS)]
    return render_plain(blocks, width)


def comparison(left: Record, right: Record, width: int) -> str:
    """Two runs side by side, with what the second has more."""
    rows = [_pair(title, left[key], right[key], digits) for key, title, digits in LINES]
    for user in sorted({*left["users"], *right["users"]}):
        for key, title, digits in _COMPARED:
            values = [run["users"].get(user, {}).get(key) for run in (left, right)]
            rows.append(_pair(f"{user}: {title}", values[0], values[1], digits))
    columns = (Column("", name=True), *(Column(title, right=True) for title in ("A", "B", "B - A")))
    return render_plain([Table(columns, tuple(rows), indent=0)], width)


def _pair(title: str, left: float | None, right: float | None, digits: int) -> tuple[str, ...]:
    # What rounds to nothing has no sign.
    more = None if left is None or right is None else round(right - left, digits) + 0.0
    sign = "+" if more is not None and more > 0 else ""
    return title, cell(left, digits), cell(right, digits), sign + cell(more, digits)


def cell(value: float | None, digits: int) -> str:
    """A number with so many decimals; a dash for none."""
    return "-" if value is None else f"{value:.{digits}f}"


def _table(what: str, rows: Mapping[str, Record], columns: Sequence[tuple[str, str, int]]) -> Table:
    heads = (
        Column(what, name=True),
        *(number_column(key, title, _DROPPED) for key, title, _ in columns),
    )
    cells = (
        (name, *(cell(row[key], digits) for key, _, digits in columns))
        for name, row in rows.items()
    )
    return Table(heads, tuple(cells), indent=0)


def number_column(key: str, title: str, dropped: Mapping[str, int]) -> Column:
    """The column of a number; its unit stands below its title; ``dropped``: priorities by key."""
    word, _, unit = title.partition(" (")
    return Column(
        word,
        f"({unit}" if unit else "",
        right=True,
        drop=dropped.get(key, 0),
        brief=BRIEF.get(key, ""),
    )
