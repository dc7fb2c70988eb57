"""Findings about pieslice itself: comments that silence, and what it does not do.

``# pieslice: ignore P505`` speaks of the statement it stands in, else of the next one; a reason may
stand behind ``because``.  What stops a daemon cannot be silenced.
Inputs: the sources of a configuration, diagnostics.  Outputs: those that are left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from attr import define

from classad.errors import Diagnostic
from classad.patterns import late_regex
from classad.source import Source
from policy.knobs.reading import EXPANDED
from policy.language import statements
from policy.language.about import EVERY, about
from policy.language.conditions import keyword
from policy.language.lines import LineReader
from policy.language.reader import UNRECORDED
from policy.language.statements import StatementError
from policy.lint.finding import NOTE, Finding
from policy.load import PolicyLoad

NO_REASON: Final = Finding(
    "P901",
    "a silencing comment that does not work",
    "A finding is silenced for one statement by a comment in it or above it:"
    " `# pieslice: ignore P505 because jobs are short here`; the reason may be left out. Its"
    " numbers have to be known, and what stops a daemon cannot be silenced. A comment that silences"
    " nothing is noted.",
    "# pieslice: ignore P999\nNEGOTIATOR_NAME = main\n",
    "# pieslice: ignore P303 because group a only gets surplus\nGROUP_NAMES = a\n",
)
NOT_RUN: Final = Finding(
    "P910",
    "a program that is not run",
    "pieslice runs no programs that a configuration names, so what it would print is missing from"
    " everything said here. Put the output into a file and include that, or give"
    " `--allow-commands`.",
    "include command : /usr/local/bin/make-groups\n",
    "include ifexist : /usr/local/share/groups.conf\n",
    brought="the output of `{name}`",
)
NOT_HONOURED: Final = Finding(
    "P911",
    "a setting that pieslice negotiate does not act on",
    "HTCondor does what the setting says, a simulated cycle does not; the knob reference says why.",
    "STARTD_AD_REEVAL_EXPR = True\n",
    "# STARTD_AD_REEVAL_EXPR = True\n",
    severity=NOTE,
)
NOT_HERE: Final = Finding(
    "P912",
    "a configuration file that is not here",
    "The file that LOCAL_CONFIG_FILE names, or an `include` of a folder that is elsewhere on each"
    " machine, cannot be read on this machine, and everything said here"
    " is said without it. Daemons that do not find it either do not start, unless"
    " REQUIRE_LOCAL_CONFIG_FILE is False. Name another one with `-D LOCAL_CONFIG_FILE=...`.",
    "LOCAL_CONFIG_FILE = /etc/condor/condor_config.local\n",
    "LOCAL_CONFIG_FILE = /etc/condor/condor_config.local\nREQUIRE_LOCAL_CONFIG_FILE = False\n",
    brought="`{name}`",
)

NOT_RECORDED: Final = Finding(
    UNRECORDED,
    "a template that is not recorded of this version",
    "The templates of 23.9.6 and 25.14.1 are known. Of a version between them the text of 23.9.6 is"
    " taken where the two differ, and that of 25.14.1 for a template that 23.9.6 lacks, unless the"
    " notes on releases say more.",
    "use FEATURE : GANGLIA\n",
    "DAEMON_LIST = $(DAEMON_LIST),GANGLIAD\n",
    between=("24.0",),
)


def not_honoured(loaded: PolicyLoad) -> Iterator[Diagnostic]:
    """A note for each setting that is not honoured."""
    for setting in loaded.unsupported:
        message = f"{setting.macro} is not honoured by pieslice negotiate"
        yield NOT_HONOURED.on(setting.definition, message, setting.reason)


# --- comments that silence ------------------------------------------------------------------------

_COMMENT = late_regex(r"^[ \t]*#[ \t]*pieslice:[ \t]*(.*?)[ \t]*\\?$", re.MULTILINE)
_IGNORE = late_regex(
    r"ignore[ \t]+(P\d+(?:[ \t]*,?[ \t]*P\d+)*)(?:[ \t]+because[ \t]+\S.*)?", re.IGNORECASE
)
_ID = late_regex(r"P\d+", re.IGNORECASE)


@define(eq=False)
class Silence:
    """Numbers that are silenced for some physical lines of a file; ``is_used``: some finding was.

    ``start`` and ``end``: the comment in its source.
    """

    ids: frozenset[str]
    first: int
    last: int
    source: Source
    start: int
    end: int
    is_used: bool = False

    def covers(self, found: Diagnostic) -> bool:
        """Is the finding one of these, in these lines?"""
        assert found.line is not None
        return found.id in self.ids and self.first <= found.line <= self.last


def silenced(
    found: Iterable[Diagnostic], sources: Iterable[Source], known: Mapping[str, Finding]
) -> list[Diagnostic]:
    """The findings that no comment silences, and those about such comments."""
    left: list[Diagnostic] = []
    silences: dict[str, list[Silence]] = {}
    for source in sources:
        if _COMMENT.search(source.text) is not None:
            silences[source.name] = list(_silences(source, known, left))
    for diagnostic in found:
        if not _is_silenced(diagnostic, silences) or not may_be_silenced(diagnostic, known):
            left.append(diagnostic)
    for one in (one for several in silences.values() for one in several if not one.is_used):
        message = f"there is no {' nor '.join(sorted(one.ids))} here to be silenced"
        idle = NO_REASON.at(message, one.source, one.start, one.end)
        idle.severity = NOTE
        left.append(idle)
    return left


def may_be_silenced(found: Diagnostic, known: Mapping[str, Finding]) -> bool:
    """Is it none of the findings that stop daemons?"""
    kind = known.get(found.id or "")
    return kind is not None and kind.silenceable and about(found).ends != EVERY


def _is_silenced(found: Diagnostic, silences: Mapping[str, list[Silence]]) -> bool:
    if found.source is None:
        return False
    covering = silences.get(found.source.name.removesuffix(EXPANDED), ())
    for silence in (one for one in covering if one.covers(found)):
        silence.is_used = True
        return True
    return False


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
        yield Silence(ids, min(first, line), last, source, *comment.span(1))


def _wrong(ids: frozenset[str] | None, known: Mapping[str, Finding]) -> str | None:
    if ids is None:
        return "write `ignore P000`, and perhaps `because REASON` behind it"
    for name in sorted(ids):
        if name not in known:
            return f"there is no finding `{name}`"
        if not known[name].silenceable:
            return f"`{name}` stops a daemon and cannot be silenced"
    return None


def statement_lines(source: Source) -> Iterator[tuple[int, int]]:
    """First and last physical line of every statement but conditionals, blocks as a whole."""
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
        if keyword(line.text) is None:
            yield first, line.line
