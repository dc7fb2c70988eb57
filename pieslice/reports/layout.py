"""Lays out a report: lines, tables and wrapped lists, plain or for a terminal.

Decides widths, alignment and wrapping, and what of a table that is too wide is shown.

Inputs: blocks (``Line``, ``TextTable``, ``Wrapped``) and the width of the output in characters.
Outputs: text without trailing blanks (``render_plain``), or the same with colours
(``render_coloured``).  Both show the same words.  Follows: titles above their columns, numbers
right, text left, as the HTCondor tools print.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from attr import frozen

from classad.patterns import late_regex
from pieslice.terminal import printable

if TYPE_CHECKING:
    from textwrap import TextWrapper

T = TypeVar("T")

GAP: Final = 2
#: What names and sentences are cut down to before columns are left out.
_LEAST: Final = {"name": 24, "prose": 28}
#: The same in the order in which they give way, and whether macros stay whole in the sentences.
_GIVE_WAY: Final = (
    ("prose", 28, True),
    ("name", 24, True),
    ("prose", 20, True),
    ("name", 8, True),
    ("prose", 8, False),
)
#: Stands for the middle of a name.
_CUT: Final = "..."
#: The parts of a long expression or list, between which a line may end.
_AFTER_SIGNS: Final = late_regex(r"[^,;&|(]+[,;&|(]*|[,;&|(]+")
#: The name of a macro in a sentence, with the brackets and stops around it.
_MACRO: Final = late_regex(r"(?<!\S)[(`]*[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+[`),.:;]*(?!\S)")
#: Its parts, between which a line may end where the whole name is too long.
_AFTER_UNDERSCORES: Final = late_regex(r"[^_]*_|[^_]+")
#: Larger numbers have an exponent where nobody counts digits.
_EXPONENT: Final = 1e9
#: A cell with decimals.
_DECIMALS: Final = late_regex(r"[-+]?\d+\.\d+")
#: What begins a line that continues a sentence in a table.
_LEAD: Final = "  "
_STYLES: Final = {"good": "green", "bad": "yellow"}
#: The same as numbers of ECMA-48, which every terminal knows.
_SGR: Final = {"bold": 1, "dim": 2, "red": 31, "green": 32, "yellow": 33}
#: Words of findings and verdicts, and their styles.
_WORDS: Final = late_regex(
    r"((?:^|(?<=: ))(?:error|warning|note)(?:\[\w+\])?(?=: )|would (?:not )?start(?:\b))"
)
_WORD_STYLES: Final = {
    "error": "red",
    "warning": "yellow",
    "note": "dim",
    "would start": "green",
    "would not start": "red",
}


@frozen
class Line:
    """A line of text.  ``heading`` sets it apart, ``level`` colours it on a terminal."""

    text: str = ""
    heading: bool = False
    #: ``""``, ``good`` or ``bad``.
    level: str = ""


@frozen
class TextColumn:
    """A column: the title, with its unit on a second line, and whether numbers stand in it.

    The other fields say what a table that is too wide does with it.
    """

    title: str
    unit: str = ""
    right: bool = False
    #: Columns with the highest number are left out first; 0 stays.
    drop: int = 0
    #: Title and unit where the whole ones take the room of data; empty: the whole ones.
    brief: str = ""
    brief_unit: str = ""
    #: Names, shortened in the middle; on the right those of jobs, which are no numbers.
    name: bool = False
    #: Sentences, continued on the next line of the same row.
    prose: bool = False
    #: Parts of the number in its first row, which a page draws as bars.
    bar: bool = False


@frozen
class TextTable:
    """Rows of text under column titles."""

    columns: tuple[TextColumn, ...]
    rows: tuple[tuple[str, ...], ...]
    indent: int = 2


#: Columns, each with what makes its cell of a row's value.
CellsOf: TypeAlias = Sequence[tuple[TextColumn, Callable[[T], str]]]


def table_of(cells: CellsOf[T], items: Iterable[T]) -> TextTable:
    """A table with a row for each value."""
    rows = (tuple(cell(item) for _, cell in cells) for item in items)
    return TextTable(tuple(column for column, _ in cells), tuple(rows))


@frozen
class Wrapped:
    """Words after a label, continued on lines that begin under the first word."""

    label: str
    words: tuple[str, ...]
    indent: int = 4


@frozen
class Drawn:
    """Lines of a table that another program's rules set, as wide as they are told."""

    draw: Callable[[int], Sequence[str]]
    indent: int = 2


Block: TypeAlias = Line | TextTable | Wrapped | Drawn


def plural(count: int, word: str) -> str:
    """``1 job``, ``2 jobs``, ``2 matches``."""
    if count == 1:
        return f"1 {word}"
    return f"{count} {word}{'es' if word.endswith('ch') else 's'}"


def times(count: int) -> str:
    """``once``, ``2 times``."""
    return "once" if count == 1 else f"{count} times"


def number(value: float | None, decimals: int = 2) -> str:
    """A number for a table: thousands unmarked, ``-`` for none, huge limits as ``unlimited``."""
    if value is None:
        return "-"
    if value >= 1e300:
        return "unlimited"
    if abs(value) >= _EXPONENT:
        return f"{value:.4g}"
    text = f"{value:.{decimals}f}"
    # What rounding leaves of a difference may be less than nothing.
    return text.removeprefix("-") if float(text) == 0 else text


def short(value: float | None) -> str:
    """A number without needless decimals: ``1000``, ``0.5``, ``1e+10``."""
    return "-" if value is None else f"{value:.10g}"


def rounded(value: float | None) -> str:
    """A number in six digits, which are enough for people; JSON has all."""
    return short(None if value is None else float(f"{value:.6g}"))


def percent(part: float | None, decimals: int = 2) -> str:
    """A part of one for a table, in percent; what rounding would make 0 as ``<0.01``."""
    least = 10.0**-decimals
    if part is not None and 0 < part * 100 < least / 2:
        return f"<{least:.{decimals}f}"
    return number(None if part is None else part * 100, decimals)


def render_plain(blocks: Iterable[Block], width: int) -> str:
    """The blocks as text; only words and lists are wrapped, tables are fitted."""
    lines = (line for block in blocks for line, _ in _lines(block, width))
    return "".join(line.rstrip() + "\n" for line in lines)


def _lines(block: Block, width: int) -> Iterable[tuple[str, str]]:
    """The lines of a block, each with its style on a terminal."""
    if isinstance(block, Line):
        style = "bold" if block.heading else _STYLES.get(block.level, "")
        return [(line, style) for line in line_lines(block, width)]
    if isinstance(block, TextTable):
        return fitted_lines(block, width)
    if isinstance(block, Drawn):
        lead = " " * block.indent
        return [(lead + printable(line), "") for line in block.draw(width - block.indent)]
    return [(line, "") for line in wrapped_lines(block, width)]


@cache
def _wrapper() -> type[TextWrapper]:
    """Breaks lines at blanks; a word that is longer than a line after its commas and operators.

    A macro's name that is longer than a line is broken after underscores.
    """
    import textwrap  # which compiles five patterns

    class Wrapper(textwrap.TextWrapper):
        def _split(self, text: str) -> list[str]:
            room = self.width - len(self.subsequent_indent)
            return [
                part
                for chunk in super()._split(text)
                for part in (_parts(chunk) if len(chunk) > room else [chunk])
            ]

    return Wrapper


def _parts(word: str) -> list[str]:
    """What a word that is too long may be broken into."""
    return (_AFTER_UNDERSCORES if _MACRO.fullmatch(word) else _AFTER_SIGNS).findall(word)


def wrap(text: str, width: int, lead: str) -> list[str]:
    """The lines of a text that begins with its own indentation and goes on after ``lead``."""
    if len(text) <= width:
        return [text]
    begin = text[: len(text) - len(text.lstrip())]
    return _wrapper()(
        width,
        initial_indent=begin,
        subsequent_indent=lead,
        break_long_words=False,
        break_on_hyphens=False,
    ).wrap(text.lstrip())


def line_lines(block: Line, width: int) -> list[str]:
    """The line, wrapped."""
    text = printable(block.text)
    if len(text) <= width:
        return [text]
    return wrap(text, width, " " * (len(text) - len(text.lstrip()) + 2))


def wrapped_lines(block: Wrapped, width: int) -> list[str]:
    """The label and as many words per line as fit."""
    lead = " " * block.indent + block.label
    first = f"{lead}  " if block.label else lead
    text = first + " ".join(map(printable, block.words))
    return wrap(text, max(width, len(lead) + 10), " " * len(first))


def render_coloured(blocks: Iterable[Block], width: int) -> str:
    """The same for a terminal: headings bold, titles dim, findings coloured."""
    return "".join(
        f"{coloured(line.rstrip(), style)}\n"
        for block in blocks
        for line, style in _lines(block, width)
    )


def coloured(text: str, style: str) -> str:
    """``text`` in a style; without one as it is."""
    return f"\x1b[{_SGR[style]}m{text}\x1b[0m" if style and text else text


def with_verdicts(line: str) -> str:
    """A line about a finding or a daemon, its severity or verdict coloured."""

    def in_style(match: re.Match[str]) -> str:
        return coloured(match[0], _WORD_STYLES[match[0].partition("[")[0]])

    return _WORDS.sub(in_style, line, count=1)


# --- tables -----------------------------------------------------------------------------------


def fitted_lines(table: TextTable, width: int) -> list[tuple[str, str]]:
    """Titles, units where there are any, and the rows, each with its style.

    Of a table that is too wide the titles are abbreviated first, then names are shortened and
    sentences continued, then columns left out; the last line says which.
    """
    room = width - table.indent
    rows = _without_zeros(table.columns, [tuple(map(printable, row)) for row in table.rows])
    shown = list(range(len(table.columns)))
    brief = not _fits(table, rows, shown, room, brief=False, whole=True)
    droppable = sorted(
        (i for i in shown if table.columns[i].drop), key=lambda i: table.columns[i].drop
    )
    dropped = []
    while droppable and not _fits(table, rows, shown, room, brief=brief, whole=False):
        dropped.append(droppable.pop())
        shown.remove(dropped[-1])
    heads = _heads(table, shown, brief=brief)
    cells = [*heads, *([row[i] for i in shown] for row in rows)]
    columns = [table.columns[i] for i in shown]
    widths = _shared(columns, cells, room)
    lines = []
    for number_, row in enumerate(_shortened(columns, cells, widths)):
        style = "dim" if number_ < len(heads) else ""
        lines += [(line, style) for line in _row(table.indent, columns, row, widths)]
    if dropped:
        columns = [table.columns[i] for i in sorted(dropped)]
        names = [f"{column.title} {column.unit}".strip() for column in columns]
        lead = " " * table.indent
        lines += [(line, "dim") for line in not_shown(names, lead, width)]
    return lines


def _without_zeros(
    columns: Sequence[TextColumn], rows: Sequence[tuple[str, ...]]
) -> list[tuple[str, ...]]:
    """The rows without decimals that are 0 in all numbers of a column."""
    sides = [[row[i] for row in rows] for i in range(len(columns))]
    for i, column in enumerate(columns):
        is_number = column.right and not column.name
        numbers = [cell for cell in sides[i] if is_number and _DECIMALS.fullmatch(cell)]
        places = {len(cell) - cell.index(".") for cell in numbers}
        if len(places) == 1:
            useless = min(len(cell) - len(cell.rstrip("0").rstrip(".")) for cell in numbers)
            sides[i] = [
                cell[: len(cell) - useless] if useless and _DECIMALS.fullmatch(cell) else cell
                for cell in sides[i]
            ]
    return list(zip(*sides, strict=True)) if sides else list(rows)


def not_shown(titles: Iterable[str], lead: str, width: int) -> list[str]:
    """What a table says of the columns that are left out."""
    return wrap(f"{lead}not shown (--wide): {', '.join(titles)}", width, f"{lead}  ")


def _heads(table: TextTable, shown: Sequence[int], *, brief: bool) -> list[list[str]]:
    columns = [table.columns[i] for i in shown]
    heads = [[(brief and c.brief) or c.title for c in columns]]
    if any(column.unit for column in table.columns):
        heads.append([(brief and c.brief_unit) or c.unit for c in columns])
    return heads


def _fits(
    table: TextTable,
    rows: Sequence[Sequence[str]],
    shown: Sequence[int],
    room: int,
    *,
    brief: bool,
    whole: bool,
) -> bool:
    """Whether the columns fit, with ``whole`` names and sentences or with those cut down."""
    cells = [*_heads(table, shown, brief=brief), *([row[i] for i in shown] for row in rows)]
    columns = [table.columns[i] for i in shown]
    widths = _natural(columns, cells)
    if not whole:
        widths = [
            min([width, *(least for kind, least in _LEAST.items() if getattr(column, kind))])
            for column, width in zip(columns, widths, strict=True)
        ]
    return _total(widths) <= room


def _natural(columns: Sequence[TextColumn], cells: Sequence[Sequence[str]]) -> list[int]:
    return [max(len(row[i]) for row in cells) for i in range(len(columns))]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * max(len(widths) - 1, 0)


def _shared(columns: Sequence[TextColumn], cells: Sequence[Sequence[str]], room: int) -> list[int]:
    """The widths: names and sentences give way, always the widest of them.

    Sentences with macros keep the room for those as long as names can be shortened instead.
    """
    widths = _natural(columns, cells)
    macros = [
        max((_room_for_macros(row[i]) for row in cells), default=0) if column.prose else 0
        for i, column in enumerate(columns)
    ]
    for kind, least, whole in _GIVE_WAY:
        floors = {
            i: max(least, macros[i] if whole else 0)
            for i, column in enumerate(columns)
            if getattr(column, kind)
        }
        while _total(widths) > room:
            soft = [i for i, floor in floors.items() if widths[i] > floor]
            if not soft:
                break
            widths[max(soft, key=lambda i: widths[i])] -= 1
    return widths


def _room_for_macros(sentence: str) -> int:
    """How wide a column has to be in which the macros of a sentence stay whole."""
    return max((len(name) + len(_LEAD) for name in _MACRO.findall(sentence)), default=0)


def _shortened(
    columns: Sequence[TextColumn], cells: Sequence[Sequence[str]], widths: Sequence[int]
) -> list[tuple[str, ...]]:
    """The rows with the names of each column shortened alike."""
    sides = [
        shortened([row[i] for row in cells], widths[i])
        if column.name
        else [row[i] for row in cells]
        for i, column in enumerate(columns)
    ]
    return list(zip(*sides, strict=True)) if sides else [() for _ in cells]


def shortened(names: Sequence[str], width: int) -> list[str]:
    """The names with their middles left out where they are longer than ``width``.

    The cut is where the most names stay different: hosts differ at the front, users of one
    group at the end.  Of a user in a group, the user stays whole if that is as good.
    """
    if all(len(name) <= width for name in names):
        return list(names)
    room = max(width - len(_CUT), 2)
    heads = (room // 2, room * 2 // 3, room * 3 // 4, room // 3, room - 1)
    tries = [[_middle_out(name, head, width) for name in names] for head in heads]
    tries.insert(0, [_middle_out(name, _before_user(name, room), width) for name in names])
    return max(tries, key=lambda found: len(set(found)))


def _before_user(name: str, room: int) -> int:
    """How much of the beginning is left beside ``user@domain``; half where that is too little."""
    user, at, domain = name.rpartition("@")
    head = room - len(user.rpartition(".")[2] + at + domain)
    return head if at and head > 0 else room // 2


def _middle_out(name: str, head: int, width: int) -> str:
    if len(name) <= width:
        return name
    tail = max(width - len(_CUT), 2) - head
    return f"{name[:head]}{_CUT}{name[len(name) - tail :]}"


def _row(
    indent: int, columns: Sequence[TextColumn], row: Sequence[str], widths: Sequence[int]
) -> list[str]:
    """The line of a row; more lines where sentences go on."""
    parts = [
        _sentence(cell, width) if column.prose else [cell]
        for column, cell, width in zip(columns, row, widths, strict=True)
    ]
    lines = []
    for place in range(max((len(part) for part in parts), default=1)):
        cells = [part[place] if place < len(part) else "" for part in parts]
        text = (" " * GAP).join(
            cell.rjust(width) if column.right else cell.ljust(width)
            for column, cell, width in zip(columns, cells, widths, strict=True)
        )
        lines.append(" " * indent + text.rstrip())
    return lines


def _sentence(text: str, width: int) -> list[str]:
    """The lines of a cell; of words that are too long but macros, the middle is left out."""
    if len(text) <= width:
        return [text]
    room = max(width - len(_LEAD), 1)
    words = (
        word
        if _MACRO.fullmatch(word) and max(map(len, _parts(word))) <= room
        else shortened([word], room)[0]
        for word in text.split(" ")
    )
    return wrap(" ".join(words), width, _LEAD)
