"""Silences findings by comments: ``# pieslice: ignore P505 because ...``.

Such a comment speaks of the statement it stands in, else of the next one, and needs a reason.  What
stops a daemon cannot be silenced.
Inputs: the sources of a configuration, diagnostics.  Outputs: those that are left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from attr import frozen

from classad.errors import Diagnostic
from classad.source import Source
from policy.knobs.reading import EXPANDED
from policy.language import statements
from policy.language.about import EVERY, about
from policy.language.lines import LineReader
from policy.language.statements import StatementError
from policy.lint.finding import WARNING, Finding

NO_REASON: Final = Finding(
    "P901",
    WARNING,
    "a silencing comment that does not work",
    "A finding is silenced for one statement by a comment in it or above it:"
    " `# pieslice: ignore P505 because jobs are short here`. It needs known numbers and a reason;"
    " what stops a daemon cannot be silenced.",
    "# pieslice: ignore P303\nNEGOTIATOR_NAME = main\n",
    "# pieslice: ignore P303 because group a only gets surplus\nGROUP_NAMES = a\n",
)
_COMMENT = re.compile(r"^[ \t]*#[ \t]*pieslice:[ \t]*(.*?)[ \t]*\\?$", re.MULTILINE)
_IGNORE = re.compile(
    r"ignore[ \t]+(P\d+(?:[ \t]*,?[ \t]*P\d+)*)[ \t]+because[ \t]+\S.*", re.IGNORECASE
)
_ID = re.compile(r"P\d+", re.IGNORECASE)


@frozen
class Silence:
    """Numbers that are silenced for some physical lines of a file."""

    ids: frozenset[str]
    first: int
    last: int


def apply(
    found: Iterable[Diagnostic], sources: Iterable[Source], known: Mapping[str, Finding]
) -> list[Diagnostic]:
    """The findings that no comment silences, and those about such comments."""
    left: list[Diagnostic] = []
    silences: dict[str, list[Silence]] = {}
    for source in sources:
        if _COMMENT.search(source.text) is not None:
            silences[source.name] = list(_silences(source, known, left))
    for diagnostic in found:
        kind = known.get(diagnostic.id or "")
        told = kind is None or not kind.silenceable or about(diagnostic).ends == EVERY
        if told or not _silenced(diagnostic, silences):
            left.append(diagnostic)
    return left


def _silenced(found: Diagnostic, silences: Mapping[str, list[Silence]]) -> bool:
    if found.source is None:
        return False
    assert found.line is not None
    return any(
        found.id in silence.ids and silence.first <= found.line <= silence.last
        for silence in silences.get(found.source.name.removesuffix(EXPANDED), ())
    )


def _silences(
    source: Source, known: Mapping[str, Finding], problems: list[Diagnostic]
) -> Iterator[Silence]:
    ranges = list(statement_lines(source))
    for comment in _COMMENT.finditer(source.text):
        line = source.position(comment.start())[0]
        matched = _IGNORE.fullmatch(comment[1])
        ids = frozenset(found.upper() for found in _ID.findall(matched[1])) if matched else None
        why = _wrong(ids, known)
        if why is not None or ids is None:
            problems.append(NO_REASON.at(why or "", source, comment.start(1), comment.end(1)))
            continue
        first, last = next(((a, b) for a, b in ranges if b >= line), (line, line))
        yield Silence(ids, min(first, line), last)


def _wrong(ids: frozenset[str] | None, known: Mapping[str, Finding]) -> str | None:
    if ids is None:
        return "write `ignore P000 because REASON`"
    for name in sorted(ids):
        if name not in known:
            return f"there is no finding `{name}`"
        if not known[name].silenceable:
            return f"`{name}` stops a daemon and cannot be silenced"
    return None


def statement_lines(source: Source) -> Iterator[tuple[int, int]]:
    """First and last physical line of every statement, blocks as a whole."""
    block: tuple[str | None, int] | None = None
    for line in LineReader(source):
        first = source.position(line.offset(0))[0]
        if block is not None:
            end_tag, begin = block
            if line.text == end_tag:
                block = None
                yield begin, line.line
            continue
        try:
            statement = statements.parse(line.text)
        except StatementError:
            statement = None
        if statement is not None and statement.operator == "@=":
            block = statement.end_tag, first
            continue
        yield first, line.line
