"""Shows a pool and its next cycle as a page of HTML.

Decides what of them is shown: the verdict, how many slots each user has and will have, which jobs
wait and why, the quotas of groups.  It is as long as there are users, groups and kinds of jobs, not
as there are slots.

Inputs: a ``Cycle``; what others have to say of the pool, as parts of a page.  Outputs: HTML.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from negotiator.model.arithmetic import add_up
from negotiator.model.result import CycleResult
from pieslice.negotiate.answer import Cycle
from pieslice.negotiate.tables import UserRow, machine_rows, user_rows
from pieslice.negotiate.text import iso_time
from pieslice.negotiate.verdict import cycle_verdict
from pieslice.negotiate.waiting import AutoclusterRow
from pieslice.reports.charts import Look, looks
from pieslice.reports.layout import number, plural, short
from pieslice.reports.pages import Html, bar, cards, document, facts, part, shown, table, verdict

#: So many rows of a table are shown; of the rest it is said how many there are.
MOST_ROWS: Final = 200
#: Seconds after which a page that is written again and again is looked at again.
REFRESH: Final = 60
_REASON: Final = "reason"


def pool_page(
    cycle: Cycle, name: str, more: Iterable[str] = (), *, refresh: int | None = None
) -> str:
    """The page of a pool; ``more``: parts behind its own."""
    result, users = cycle.outcome.result, list(_users(cycle))
    colours = looks(row.user for row in users)
    body = [
        f"<h1>{shown(name)}</h1>",
        verdict(cycle_verdict(result)),
        _cards(cycle, users),
        *part("Slots by user", _by_user(cycle, users, colours)),
        *part("Waiting jobs", _waiting(cycle)),
        *part("Quotas", _quotas(result)),
        *more,
        *part("About", [facts(_about(cycle))]),
        "<footer><p>Numbers of slots are slot weights, which are cores unless SLOT_WEIGHT says "
        "otherwise. The next cycle is what <code>pieslice negotiate</code> says of the pool as it "
        "was captured.</p></footer>",
    ]
    return document(name, body, refresh=refresh)


def _users(cycle: Cycle) -> Iterator[UserRow]:
    """Who has slots or jobs, who has most first."""
    rows = user_rows(cycle.outcome.result, cycle.outlook.starts)
    yield from sorted(rows, key=lambda row: (-_usage(row)[0], -_usage(row)[1], row.user))


def _usage(row: UserRow) -> tuple[float, float]:
    """What a user has, and will have after the cycle."""
    return (0.0, 0.0) if row.item is None else (row.item.usage, row.item.usage_after)


def _size(cycle: Cycle) -> tuple[float, float]:
    """The slot weight of the pool, and what of it is claimed."""
    rows = machine_rows(cycle.pool.snapshot, cycle.pool.policy, cycle.result, cycle.outlook.starts)
    return add_up(row.weight for row in rows), add_up(row.claimed for row in rows)


def _cards(cycle: Cycle, users: list[UserRow]) -> str:
    pool, result = cycle.outcome.pool, cycle.outcome.result
    whole, claimed = _size(cycle)
    used = f"{claimed / whole:.0%}".replace("%", " %") if whole else "-"
    taken = sum(match.preempted is not None for match in result.matches)
    return cards(
        [
            (used, f"of {short(whole)} cores claimed"),
            (str(pool.idle_jobs), "jobs wait"),
            (str(len(result.matches)), "matches in the next cycle"),
            (str(taken), "of them by preemption"),
            (str(len(users)), "users"),
            (f"{pool.slots:,}", f"slots of {plural(pool.machines, 'machine')}"),
        ]
    )


def _by_user(cycle: Cycle, users: list[UserRow], colours: Mapping[str, Look]) -> Iterator[str]:
    whole, _ = _size(cycle)
    pieces = [(_usage(row)[0] / whole, _colour(colours[row.user])) for row in users if whole]
    yield bar(pieces, "the slots that each user has")
    titles = ("user", "", "slots now", "after", "gets", "loses", "jobs waiting", "priority")
    yield table(titles, (_user(row, whole, colours) for row in users[:MOST_ROWS]), "cells", ("",))
    yield from _left_out(users, "users")


def _user(row: UserRow, whole: float, colours: Mapping[str, Look]) -> tuple[str, ...]:
    now, after = _usage(row)
    colour = _colour(colours[row.user])
    share = now / whole if whole else 0.0
    return (
        Html(f'<span class="swatch" style="background: {colour}"></span>{shown(row.user)}'),
        bar([(share, colour)], f"{share:.0%} of the pool"),
        short(now),
        short(after),
        short(row.sums.weight),
        short(row.sums.lost_weight),
        "-" if row.item is None else str(row.item.idle_jobs),
        "-" if row.item is None else number(row.item.effective_priority),
    )


def _colour(look: Look) -> str:
    return f"var(--c{look.place})" if look.place >= 0 else "var(--others)"


def _left_out(rows: list[UserRow] | list[AutoclusterRow], what: str) -> Iterator[str]:
    if len(rows) > MOST_ROWS:
        yield f"<p>and {len(rows) - MOST_ROWS} more {what}</p>"


def _waiting(cycle: Cycle) -> Iterator[str]:
    """The kinds of jobs that wait, those first of which most go on waiting."""
    rows = sorted(cycle.outlook.autoclusters, key=lambda row: row.starts - row.jobs)
    if not rows:
        yield "<p>No job waits.</p>"
        return
    reasons = {
        (item.submitter, item.schedd, item.autocluster): item.text
        for item in cycle.outcome.result.rejections
    }
    titles = ("user", "first job", "jobs", "start", "room for", _REASON)
    yield table(
        titles,
        (
            (
                row.user,
                row.first,
                str(row.jobs),
                str(row.starts),
                str(row.room),
                _why(row, reasons),
            )
            for row in rows[:MOST_ROWS]
        ),
        "cells",
        (_REASON,),
    )
    yield from _left_out(rows, "kinds of jobs")


def _why(row: AutoclusterRow, reasons: Mapping[tuple[str, str, int], str]) -> str:
    """Why not all of them start."""
    if row.starts >= row.jobs:
        return "all of them start"
    if row.never:
        return "no slot of the pool would take them, even if it were free and whole"
    told = reasons.get((row.user, row.schedd, row.autocluster or 0))
    if told is None:
        return "the rest is for later cycles" if row.starts else "not requested in this cycle"
    return f"the rest: {told}" if row.starts else told


def _quotas(result: CycleResult) -> Iterator[str]:
    if len(result.groups) < 2:
        yield "<p>No groups are configured.</p>"
        return
    titles = ("group", "", "quota", "asked for", "used now", "after", "surplus")
    yield table(
        titles,
        (
            (
                item.name,
                bar(
                    [(min(item.usage / item.quota, 1.0) if item.quota else 0.0, "var(--c0)")],
                    f"{short(item.usage)} of {short(item.quota)}",
                ),
                short(item.quota),
                short(item.requested),
                short(item.usage),
                short(item.usage_after),
                item.surplus,
            )
            for item in result.groups
        ),
        "cells",
        ("", "surplus"),
    )


def _about(cycle: Cycle) -> Iterator[tuple[str, str]]:
    pool, result = cycle.outcome.pool, cycle.outcome.result
    yield "as of", f"{iso_time(result.now)}, {pool.now_from}"
    yield "HTCondor", str(pool.version)
