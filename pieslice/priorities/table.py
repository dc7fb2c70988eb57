"""Writes the table of ``condor_userprio``.

Decides which records and columns show, in which order, how numbers, times and titles are set.
Numbers that do not fit are printed with fewer digits.

Inputs: records in arrival order, what was asked for, the time of the last update and now (seconds
since the epoch), how local time is told.  Outputs: the text.  Follows: condor_userprio of HTCondor
25.14.1, character for character as in the recorded cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from time import struct_time
from typing import Final

from attr import field, frozen

from negotiator.model.arithmetic import END_OF_CALENDAR
from negotiator.model.result import ROOT_GROUP
from pieslice.priorities.options import COLUMNS, Options
from pieslice.priorities.rows import Row
from pieslice.reports.layout import not_shown, shortened

#: The second day of the year 1, in seconds since the epoch.
_FIRST_SECOND: Final = -62_135_510_400

LocalTime = Callable[[int], struct_time]
#: The fields of a moment as ``time.mktime`` takes them.
Day = tuple[int, int, int, int, int, int, int, int, int]

DAY: Final = 86_400
#: From here on a sort key means "last of all".
LAST_KEY: Final = 3.40282001e38
_SURPLUS: Final = {"no": "no", "regroup": "Regroup", "byquota": "ByQuota"}
_PRIORITY: Final = COLUMNS["priority"]
_USAGE: Final = COLUMNS["usage"]
#: Columns that only groups fill; with no other, users are hidden.
_OF_GROUPS: Final = COLUMNS["quotas"]
#: In a table with a given room, names are shortened to this before columns are left out, and to the
#: other one after that.
_SHORT_NAME: Final = 28
_LEAST_NAME: Final = 12
_LEFT_OUT_FIRST: Final = (
    "id", "order", "ceiling", "floor", "start", "last", "sortkey", "requested", "subtree",
    "surplus", "quota", "rup", "since", "hours", "factor", "effquota",
)  # fmt: skip
#: Columns that show only if a record has the attribute.
_NEED_DATA: Final = {"start": "begin", "last": "last", "since": "last"}


@frozen
class _Column:
    """A column: two lines of title, width, and how a cell is made (None: blank)."""

    key: str
    title: tuple[str, str]
    width: int
    cell: Callable[[Row, _Listing], str | None]
    left: bool = False


@frozen
class StateView:
    """When the states is looked at: the last update and now, and how local time is told.

    ``active_from``: records used before that are left out; None shows all.  ``room``: the width
    that the table may have; None is as wide as condor_userprio makes it.
    """

    last_update: int
    local: LocalTime
    active_from: int | None = None
    room: int | None = None

    def at(self, moment: float) -> struct_time:
        """A moment by the clocks on the wall."""
        return by_the_clock(moment, self.local)


def by_the_clock(moment: float, local: LocalTime) -> struct_time:
    """A moment by the clocks on the wall; the end of the calendar for those beyond it."""
    return local(int(min(max(moment, _FIRST_SECOND), END_OF_CALENDAR)))


def view_of(
    last_update: int,
    options: Options,
    now: int,
    local: LocalTime,
    seconds: Callable[[Day], float],
) -> StateView:
    """Whom the options show; without any those who were active in the day before ``now``.

    ``local``, ``seconds``: the time zone, as ``time.localtime`` and ``time.mktime`` tell it.
    """
    active: int | None = now - DAY
    if options.active_from is not None:
        # A day is meant as the clocks on the wall show it.
        active = int(seconds((*options.active_from, 0, 0, 0, 0, 0, -1)))
    if options.all_users or options.users:
        active = None
    return StateView(last_update, local, active)


@frozen(eq=False)
class _Listing:
    """The records that show, in order, and what the cells need to know."""

    view: StateView
    rows: list[Row]
    visible: list[Row]
    columns: list[_Column]
    ids: dict[str, int]
    orders: dict[str, float]
    hierarchical: bool
    users_hidden: bool
    pool_surplus: str | None
    width: int = field(default=0)
    #: The titles of columns that have no room.
    left_out: tuple[str, ...] = ()


def render(rows: Sequence[Row], options: Options, view: StateView) -> str:
    """The whole table; nothing for no records."""
    if not rows:
        return ""
    listing = _listing(list(rows), options, view)
    moment = view.at(view.last_update)
    when = f"{moment.tm_mon:2d}/{moment.tm_mday:<2d} {moment.tm_hour:02d}:{moment.tm_min:02d}"
    dashes = ["-" * listing.width, *("-" * column.width for column in listing.columns)]
    lines = [
        f"Last Priority Update: {when}",
        *_titles(listing),
        " ".join(dashes),
        *(
            _line(row, listing)
            for row in listing.visible
            if row.is_group or not listing.users_hidden
        ),
        " ".join(dashes),
        _totals(listing),
        *_left_out(listing),
    ]
    return "".join(f"{line}\n" for line in lines)


def _listing(rows: list[Row], options: Options, view: StateView) -> _Listing:
    visible = [row for row in rows if is_active(row, view.active_from)]
    wanted = set(options.columns)
    grouped = any(not row.is_group and row.group != ROOT_GROUP for row in visible)
    if not grouped:
        wanted -= _OF_GROUPS - options.asked
    for key, attribute in _NEED_DATA.items():
        if all(getattr(row, attribute) is None for row in rows):
            wanted.discard(key)
    priorities_alone = options.columns <= _PRIORITY and not options.hierarchical
    hierarchical = grouped and not (options.flat or options.group_order or priorities_alone)
    widths = [_name_length(row, hierarchical) for row in visible]
    width = min(99, max(10, len(f"Number of users: {len(rows)}"), *widths, 0)) + 2 * hierarchical
    if priorities_alone:
        visible = [row for row in visible if not row.is_group]
    if not hierarchical and all(r.name == ROOT_GROUP for r in visible if r.is_group):
        visible = [row for row in visible if not row.is_group]
    users_hidden = wanted <= _OF_GROUPS
    columns = [column for column in _COLUMNS if column.key in wanted]
    left_out = _without_room(columns, width, view.room)
    if view.room is not None:
        rest = sum(column.width + 1 for column in columns)
        width = max(_LEAST_NAME, min(width, view.room - rest))
    listing = _Listing(
        view,
        rows,
        visible,
        columns,
        _group_ids(rows) if grouped else {},
        _group_orders(rows, wanted),
        hierarchical,
        users_hidden,
        next((row.surplus for row in rows if row.name == ROOT_GROUP), None),
        width,
        left_out,
    )
    listing.visible[:] = _ordered(listing, options, wanted)
    return listing


def _without_room(columns: list[_Column], width: int, room: int | None) -> tuple[str, ...]:
    """Takes out columns until the others fit beside shortened names; the titles of those."""
    left_out = []
    for key in _LEFT_OUT_FIRST if room is not None else ():
        names = min(width, _SHORT_NAME)
        if room is None or names + sum(column.width + 1 for column in columns) <= room:
            break
        found = [column for column in columns if column.key == key]
        left_out += found
        columns[:] = [column for column in columns if column.key != key]
    titles = [column for column in _COLUMNS if column in left_out]
    return tuple(" ".join(column.title).strip() for column in titles)


def _left_out(listing: _Listing) -> Iterable[str]:
    if listing.view.room is None or not listing.left_out:
        return ()
    return not_shown(listing.left_out, "", listing.view.room)


def is_active(row: Row, since: int | None) -> bool:
    """Whether a record was used from a time on; None: from the beginning of time."""
    return since is None or (row.last or -1) >= since


def _name_length(row: Row, hierarchical: bool) -> int:
    if not hierarchical or row.is_group:
        return len(row.name)
    # The prefix leaves the width, its dot does not; two are for the indentation.
    prefix = 0 if row.group == ROOT_GROUP else len(row.group)
    return len(row.name) - prefix + 2


def _group_ids(rows: Iterable[Row]) -> dict[str, int]:
    """Groups counted in the order of their names; the root is 0."""
    names = sorted(row.name for row in rows if row.is_group and row.name != ROOT_GROUP)
    return {ROOT_GROUP: 0, **{name: number for number, name in enumerate(names, 1)}}


def _by_usage(columns: Iterable[str]) -> bool:
    return not _PRIORITY & set(columns) and bool(_USAGE & set(columns))


def _group_orders(rows: Iterable[Row], columns: Iterable[str]) -> dict[str, float]:
    by_usage = _by_usage(columns)
    return {row.name: row.usage if by_usage else row.sort_key for row in rows if row.is_group}


def _ordered(listing: _Listing, options: Options, columns: set[str]) -> list[Row]:
    def user_key(row: Row) -> tuple[float, str]:
        if _PRIORITY & columns:
            return row.priority, ""
        return (row.usage, "") if _USAGE & columns else (0.0, row.name)

    ids = listing.ids
    by_name = not (_PRIORITY | _USAGE) & columns
    regroup = listing.pool_surplus == "regroup"

    def group_key(row: Row) -> tuple[object, ...]:
        last = regroup and row.group == ROOT_GROUP
        order = 0.0 if by_name else listing.orders.get(row.group, 0.0)
        position = row.group if by_name else ""
        return (last, order, position, ids.get(row.group, -1), row.group)

    if listing.hierarchical:
        return sorted(
            listing.visible, key=lambda row: (group_key(row), not row.is_group, user_key(row))
        )
    if options.group_order:
        groups = [row for row in listing.visible if row.is_group]
        return groups + sorted((r for r in listing.visible if not r.is_group), key=user_key)

    def flat_key(row: Row) -> tuple[object, ...]:
        # Of equals, groups come first and the root is the last of them; users keep their order.
        place = (row.name == ROOT_GROUP, ids.get(row.name, 0)) if row.is_group else ()
        return (*user_key(row), not row.is_group, *place)

    return sorted(listing.visible, key=flat_key)


# --- setting ---------------------------------------------------------------------------------


def _titles(listing: _Listing) -> Iterable[str]:
    if listing.hierarchical:
        names = ("Group", "Name" if listing.users_hidden else "  User Name")
    else:
        names = ("", "Group Name" if listing.users_hidden else "User Name")
    for i, name in enumerate(names):
        cells = [name.ljust(listing.width)]
        cells += (_centred(column.title[i], column.width) for column in listing.columns)
        yield " ".join(cells)


def _centred(title: str, width: int) -> str:
    return (" " * ((width - len(title)) // 2) + title).ljust(width)


def _line(row: Row, listing: _Listing) -> str:
    name = row.name
    if listing.hierarchical and not row.is_group:
        prefix = f"{row.group}."
        name = "  " + (name.removeprefix(prefix) if row.group != ROOT_GROUP else name)
    if listing.view.room is not None:
        name = shortened([name], listing.width)[0]
    cells = [name[: listing.width].ljust(listing.width)]
    for column in listing.columns:
        cells.append(_fitted(column.cell(row, listing) or "", column))
    return " ".join(cells)


def _fitted(text: str, column: _Column) -> str:
    text = text[: column.width]
    return text.ljust(column.width) if column.left else text.rjust(column.width)


def _totals(listing: _Listing) -> str:
    users = [row for row in listing.visible if not row.is_group]
    view = listing.view
    since = view.active_from
    found = {
        "surplus": _SURPLUS.get(listing.pool_surplus or "", ""),
        "inuse": number(sum(row.in_use for row in users), 6, 0),
        "hours": number(sum(row.usage for row in users) / 3600, 12),
        "last": "" if since is None else _moment(since, view),
        "since": "" if since is None else _age(view.last_update - since),
    }
    cells = [f"Number of users: {len(users)}".ljust(listing.width)]
    cells += (_fitted(found.get(column.key, ""), column) for column in listing.columns)
    return " ".join(cells)


def number(value: float, width: int, decimals: int = 2) -> str:
    """A number in a column; one that does not fit is printed with ``width - 6`` digits."""
    text = f"{value:.{decimals}f}"
    return text if len(text) <= width else f"{value:.{width - 6}g}"


def _moment(moment: int | None, view: StateView) -> str:
    if not moment or moment < 0:
        return ""
    at = view.at(moment)
    return f"{at.tm_mon:02d}/{at.tm_mday:02d}/{at.tm_year:04d} {at.tm_hour:02d}:{at.tm_min:02d}"


def _age(seconds: int) -> str:
    if seconds <= 0:
        return "<now>"
    days, rest = divmod(seconds, DAY)
    return f"{days}+{rest // 3600:02d}:{rest % 3600 // 60:02d}"


def _of_group(get: Callable[[Row], float], width: int, decimals: int = 2) -> _Cell:
    return lambda row, _: number(get(row), width, decimals) if row.is_group else None


def _id(row: Row, listing: _Listing) -> str | None:
    found = listing.ids.get(row.group, 0)
    return str(found) if found > 0 else None


def _order(row: Row, listing: _Listing) -> str | None:
    if not listing.ids or row.group not in listing.orders:
        return None
    return _key_text(listing.orders[row.group])


def _key_text(key: float) -> str:
    return "<last>" if key >= LAST_KEY else number(key, 9)


def _surplus(row: Row, _: _Listing) -> str | None:
    if not row.is_group:
        return None
    return "yes" if row.name == ROOT_GROUP else _SURPLUS.get(row.surplus or "", "n/a")


def _real_priority(row: Row, _: _Listing) -> str | None:
    return None if row.real_priority is None else number(row.real_priority, 8)


def _since(row: Row, listing: _Listing) -> str | None:
    return None if row.last is None else _age(listing.view.last_update - row.last)


_Cell = Callable[[Row, _Listing], str | None]

_COLUMNS: Final = (
    _Column("id", ("Group", "Id"), 5, _id),
    _Column("order", ("Group", "Order"), 9, _order),
    _Column(
        "sortkey",
        ("Group", "Sort Key"),
        9,
        lambda r, _: _key_text(r.sort_key) if r.is_group else None,
    ),
    _Column("effquota", ("Effective", "Quota"), 9, _of_group(lambda row: row.effective_quota, 9)),
    _Column("quota", ("Config", "Quota"), 9, _of_group(lambda row: row.quota, 9)),
    _Column("surplus", ("Use", "Surplus"), 7, _surplus, left=True),
    _Column("subtree", ("Subtree", "Quota"), 9, _of_group(lambda row: row.subtree_quota, 9)),
    _Column(
        "eup",
        ("Effective", "Priority"),
        12,
        lambda row, _: None if row.is_group else number(row.priority, 12),
    ),
    _Column("rup", ("Real", "Priority"), 8, _real_priority),
    _Column(
        "factor",
        ("Priority", "Factor"),
        9,
        lambda row, _: number(row.factor, 9) if row.factor > 0 else None,
    ),
    _Column("inuse", ("Wghted", "In Use"), 6, lambda row, _: number(row.in_use, 6, 0)),
    _Column(
        "hours", ("Total Usage", "(wghted-hrs)"), 12, lambda row, _: number(row.usage / 3600, 12)
    ),
    _Column("start", ("Usage", "Start Time"), 16, lambda row, at: _moment(row.begin, at.view)),
    _Column("last", ("Last", "Usage Time"), 16, lambda row, at: _moment(row.last, at.view)),
    _Column("since", ("Time Since", "Last Usage"), 10, _since),
    _Column("requested", ("Weighted", "Requested"), 10, _of_group(lambda r: r.requested, 10, 0)),
    _Column(
        "floor",
        ("Submitter", "Floor"),
        9,
        lambda row, _: number(row.floor, 9) if row.floor > 0 and not row.is_group else None,
    ),
    _Column(
        "ceiling",
        ("Submitter", "Ceiling"),
        9,
        lambda row, _: number(row.ceiling, 9) if row.ceiling >= 0 and not row.is_group else None,
    ),
)
