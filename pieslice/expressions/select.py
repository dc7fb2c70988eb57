"""Prints the ads of files that satisfy an expression: ``pieslice select``.

Decides the order of ``--sort`` (numbers, then strings in any case, then the rest; equal ones as
they came), how a list of attributes is taken apart, what each format looks like.

Outputs: lines on a stream, or a ``Problem`` whose text is ready to print.  Follows: ``condor_status
-ads`` with ``-constraint``, ``-autoformat`` and ``-limit`` (25.14.1); like there, expressions on
the command line are in old syntax.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import starmap
from typing import IO, Final, NamedTuple, TypeVar, get_args

from classad import ClassAd
from classad.ads.expression import Expression
from classad.analysis.changes import reread, reread_ad
from classad.binding.ambient import AmbientContext
from classad.binding.batch import _standing as standing
from classad.errors import ClassAdException, ClassAdParseError, ClassAdValueError, Diagnostic
from classad.evaluation.state import EvalContext
from classad.files.ads import OutForm, read_ads, write_ads
from classad.formats.autoformat import Layout, attribute_of
from classad.formats.common import BLANKS
from classad.language.rules import NEWEST, LanguageRules
from classad.source import Source
from classad.table import Rows, Table
from pieslice.data import is_number
from pieslice.expressions.versions import rules_of
from pieslice.inputs.versions import version_of
from pieslice.reports.output import show_diagnostics
from pieslice.terminal import harmless, printable, printable_json

#: Formats that can show whole ads.
AD_FORMATS: Final[tuple[OutForm, ...]] = get_args(OutForm)
#: Formats that show the values of some expressions.
VALUE_FORMATS: Final = ("text", "csv", "json", "jsonl")

#: What a value is written as.
T = TypeVar("T")


class Problem(Exception):  # noqa: N818 - its text is the message
    """What ends the command, as text to print."""


class SelectedColumn(NamedTuple):
    """One of ``--af``: as it was given, and parsed."""

    title: str
    tree: Expression


class SelectedRow(NamedTuple):
    """A selected row of one of the tables."""

    table: Table
    row: int


def select(args: argparse.Namespace, out: IO[str], notes: IO[str]) -> None:
    """Print what was asked for."""
    language = rules_of(version_of(args), notes)
    query = _Query(args, standing(AmbientContext(now=args.now, language=language)))
    target = None if args.target is None else _first_ad(args.target, language)
    tables = []
    for path in args.files:
        tables.append(_table(path, notes, language))
        if query.enough(sum(query.count(table, target) for table in tables)):
            break
    query.note_doubts(tables, target, notes)
    found = query.order(tables, target)
    if query.columns:
        _write_values(query, found, target, out)
    else:
        try:
            write_ads(_ads(found), harmless(out), query.ad_format)
        except ClassAdValueError as problem:
            message = f"error: {problem}; --format new and json can"
            raise Problem(message) from None


class _Query:
    """The expressions of the command line."""

    def __init__(self, args: argparse.Namespace, context: EvalContext) -> None:
        self.context = context
        self.limit: int | None = args.limit
        language = context.language
        self.where = [_expression(text, "--where", language) for text in args.where]
        self.sort = [_expression(text, "--sort", language) for text in args.sort]
        typed = [(text, "<--where>") for text in args.where]
        typed += [(text, "<--sort>") for text in args.sort]
        self._typed = list(zip(starmap(Source, typed), self.where + self.sort, strict=True))
        texts = [piece for text in args.af for piece in _pieces(text)]
        self.columns = [SelectedColumn(text, _expression(text, "--af", language)) for text in texts]
        if args.af and not texts:
            raise Problem("error: --af needs an attribute")
        try:
            self.layout = Layout(args.af_modifiers, printable)
        except ValueError as problem:
            raise Problem(f"error: {problem}") from None
        self.format: str = args.format or ("text" if self.columns else "long")
        known = VALUE_FORMATS if self.columns else AD_FORMATS
        if self.format not in known:
            what = "does not go with --af" if self.columns else "needs attributes: --af"
            raise Problem(f"error: --format {self.format} {what}")
        #: The same where whole ads are shown.
        self.ad_format: OutForm = next((f for f in AD_FORMATS if f == self.format), "long")
        self._rows: dict[int, Rows] = {}

    def rows(self, table: Table, target: ClassAd | None) -> Rows:
        """The rows of a table that are wanted."""
        rows = self._rows.get(id(table))
        if rows is None:
            rows = Rows.all(len(table))
            for tree in self.where:
                rows &= table.select(tree, target, within=rows, context=self.context)
            self._rows[id(table)] = rows
        return rows

    def count(self, table: Table, target: ClassAd | None) -> int:
        """How many rows of a table are wanted."""
        return len(self.rows(table, target))

    def enough(self, count: int) -> bool:
        """Whether no further file has to be read."""
        return self.limit is not None and not self.sort and count >= self.limit

    def order(self, tables: Sequence[Table], target: ClassAd | None) -> list[SelectedRow]:
        """The rows that are shown, in their order."""
        found = [SelectedRow(table, row) for table in tables for row in self.rows(table, target)]
        for tree in reversed(self.sort):
            keys = [self._keys(tree, table, target) for table in tables]
            by_table = {id(table): key for table, key in zip(tables, keys, strict=True)}
            found.sort(key=lambda at: by_table[id(at.table)][at.row])
        return found[: self.limit]

    def note_doubts(self, tables: Sequence[Table], target: ClassAd | None, notes: IO[str]) -> None:
        """Say which names of conditions and keys no ad has, and which functions do not exist."""
        from pieslice.expressions.typos import absent_attributes, unknown_functions

        known = [name for table in tables for name in table.names] + list(target or ())
        for source, tree in self._typed:
            doubts = list(unknown_functions(source, tree.node, self.context))
            doubts += absent_attributes(source, tree.node, known) if known else ()
            notes.writelines(f"{doubt.render()}\n" for doubt in doubts)

    def _keys(self, tree: Expression, table: Table, target: ClassAd | None) -> list[SortKey]:
        """What each row of a table is sorted by."""
        rows = self.rows(table, target)
        codes, values = table.evaluate(tree, target, within=rows, context=self.context)
        keys = [_sort_key(value) for value in values]
        return [keys[code] for code in codes]


#: Numbers before strings before the rest.
SortKey = tuple[int, float | str]


def _sort_key(value: object) -> SortKey:
    if isinstance(value, bool) or is_number(value):
        return (0, value) if value == value else (2, 0)
    return (1, value.lower()) if isinstance(value, str) else (2, 0)


# --- what is printed ------------------------------------------------------------------------------


def _ads(selected: Iterable[SelectedRow]) -> Iterator[ClassAd]:
    """The ads of rows, neighbours at once."""
    for table, rows in _runs(selected):
        if len(rows) > 1 and rows == sorted(rows):
            yield from table.ads(Rows.of(len(table), rows))
        else:
            yield from map(table.ad, rows)


def _runs(selected: Iterable[SelectedRow]) -> Iterator[tuple[Table, list[int]]]:
    """The rows, together while they are of one table."""
    table: Table | None = None
    rows: list[int] = []
    for item in selected:
        if item.table is not table and table is not None:
            yield table, rows
            rows = []
        table = item.table
        rows.append(item.row)
    if table is not None:
        yield table, rows


def _write_values(
    query: _Query, rows: list[SelectedRow], target: ClassAd | None, out: IO[str]
) -> None:
    titles = [column.title for column in query.columns]
    if query.format == "csv":
        from pieslice.reports.csv import write_csv

        write_csv([titles], out)
        write_csv(_cells(query, rows, target, _plain), out)
    elif query.format == "text":
        cells = _cells(query, rows, target, query.layout.cell)
        out.writelines(f"{line}\n" for line in query.layout.lines(titles, cells))
    else:
        _write_json(titles, _cells(query, rows, target, _json), out, query.format)


def _write_json(
    titles: Sequence[str], rows: Iterable[Sequence[str]], out: IO[str], how: str
) -> None:
    """Objects: a list of them, or one a line."""
    from classad.formats.json import quote

    names = [quote(title) for title in titles]
    objects = (
        "{" + ", ".join(f"{name}: {cell}" for name, cell in zip(names, row, strict=True)) + "}"
        for row in rows
    )
    lines = map(printable_json, objects)
    if how == "jsonl":
        out.writelines(f"{line}\n" for line in lines)
        return
    out.write("[\n")
    for place, line in enumerate(lines):
        out.write((",\n" if place else "") + line)
    out.write("\n]\n")


def _cells(
    query: _Query, selected: list[SelectedRow], target: ClassAd | None, show: Callable[[object], T]
) -> Iterator[Sequence[T]]:
    """The cells of each row, which ``show`` makes once of each distinct value."""
    for table, rows in _runs(selected):
        columns = []
        within = Rows.of(len(table), rows)
        for column in query.columns:
            name = attribute_of(column.tree)
            if query.layout.raw:
                raw = ([0] * len(table), [column.tree])
                codes, values = raw if name is None else table.cells(name)
            else:
                codes, values = table.evaluate(
                    column.tree, target, within=within, context=query.context
                )
            used = {codes[row] for row in rows}
            made = {code: show(values[code]) for code in used}
            columns.append([made[codes[row]] for row in rows])
        yield from zip(*columns, strict=True)


def _json(value: object) -> str:
    from classad.formats.json import format_value

    return "null" if value is None else format_value(value)


def _plain(value: object) -> str:
    """A cell of a CSV file: nothing for undefined."""
    text = Layout().text(value)
    return "" if text == "undefined" and value.__class__ is not str else text


# --- what is given --------------------------------------------------------------------------------


def _table(path: str, notes: IO[str], language: LanguageRules) -> Table:
    diagnostics: list[Diagnostic] = []
    try:
        table = Table.from_file(path, diagnostics=diagnostics)
    except ClassAdParseError as problem:
        raise Problem(_rendered(problem)) from None
    except (ClassAdException, OSError) as problem:
        raise Problem(_reason(path, problem)) from None
    show_diagnostics(diagnostics, notes)
    if language is not NEWEST:
        _reread(table, language)
    return table


def _reread(table: Table, language: LanguageRules) -> None:
    """Have the rows say what they say by other rules."""
    rows: set[int] = set()
    for name in table.names:
        codes, values = table.column(name)
        other = {it for it, value in enumerate(values) if reread(value, None, language) != value}
        if other:
            rows.update(row for row, code in enumerate(codes) if code in other)
    ads = {row: table.ad(row) for row in sorted(rows)}
    for ad in ads.values():
        reread_ad(ad, language)
    table.replace_many(ads)


def _first_ad(path: str, language: LanguageRules) -> ClassAd:
    try:
        ad = next(iter(read_ads(path)), None)
    except ClassAdParseError as problem:
        raise Problem(_rendered(problem)) from None
    except (ClassAdException, OSError) as problem:
        raise Problem(_reason(path, problem)) from None
    if ad is None:
        raise Problem(f"error: {path}: contains no ads")
    reread_ad(ad, language)
    return ad


def _reason(path: str, problem: Exception) -> str:
    reason = getattr(problem, "strerror", None) or str(problem)
    return f"error: {path}: {reason.lower()}"


def _rendered(problem: ClassAdParseError) -> str:
    return str(problem) if problem.diagnostic is None else problem.diagnostic.render()


def _expression(text: str, option: str, language: LanguageRules) -> Expression:
    from classad.syntax.parser import parse_expression

    source = Source(text, f"<{option}>")
    try:
        node = parse_expression(text, old=True, source=source, whole=True, language=language)
    except ClassAdParseError as problem:
        raise Problem(_rendered(problem)) from None
    return Expression.from_node(node)


def _pieces(text: str) -> list[str]:
    """The expressions of a list, between commas outside of brackets and quotes."""
    pieces, start, depth, quote, place = [], 0, 0, "", 0
    while place < len(text):
        char = text[place]
        if quote:
            place += char == "\\" and text[place + 1 : place + 2] == quote
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth <= 0:
            pieces.append(text[start:place])
            start = place + 1
        place += 1
    pieces.append(text[start:])
    return [piece.strip(BLANKS) for piece in pieces if piece.strip(BLANKS)]
