"""Lays out explanations, comparisons and answers of user maps as lines for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pieslice.reports.layout import plural, wrap
from pieslice.terminal import printable
from policy.explain.parts import SHORT
from policy.explain.words import listing
from policy.lint.attributes import OLD_NAME
from policy.lint.names import DEAD, DEPRECATED

if TYPE_CHECKING:
    from classad.errors import Diagnostic
    from policy.explain.difference import Comparison
    from policy.explain.roles import Host
    from policy.explain.sentences import Sentence
    from policy.lint.verdict import Verdict
    from policy.maps.user_maps import MapLine, Mapped

_INDENT = "  "


def wrapped_lines(lines: Iterable[str], width: int) -> Iterator[str]:
    """The lines, each gone on with an indentation below its own; texts of several as they are."""
    for line in lines:
        if "\n" in line:
            yield "\n".join(map(_shown, line.split("\n")))
        else:
            lead = line[: len(line) - len(line.lstrip())]
            yield from wrap(_shown(line), width, lead + 2 * _INDENT)


def _shown(line: str) -> str:
    # Values that go on from line to line have tabs in them; one blank keeps carets in their place.
    return printable(line.replace("\t", " "))


def sentence_lines(sentences: Iterable[Sentence], width: int) -> Iterator[str]:
    """The sentences under their topics, wrapped."""
    topic = None
    for sentence in sentences:
        if sentence.topic != topic:
            if topic is not None:
                yield ""
            topic = sentence.topic
            yield topic
        indent = _INDENT * (sentence.depth + 1)
        text = f"{indent}{sentence.text} {sentence.places()}".rstrip()
        yield from wrap(_shown(text), width, indent + _INDENT)


def host_line(host: Host) -> str:
    """What a host is for the pool, and what says so, as a phrase."""
    if host.variable:
        made = f"DAEMON_LIST is made from {host.variable} of the environment"
        return f"{made}; read as the files of {host.programs}"
    if host.listed is None:
        return f"no DAEMON_LIST is set; read as the files of {host.programs}"
    if host.adds:
        added = listing(f"condor_{name.lower()}" for name in host.daemons if name != "MASTER")
        return f"adds {added} to another file's DAEMON_LIST"
    if not host.daemons:
        return "runs no daemon: DAEMON_LIST names none"
    article = "an" if host.title[0] in "aeiou" else "a"
    text = host.listed[1]
    what = f"is `{text}`" if len(text) <= SHORT else f"has {len(host.daemons)} kinds of daemons"
    return f"{article if host.roles else 'runs'} {host.title}: DAEMON_LIST {what}"


def old_names(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The findings that say of a name that it is an old one, still read or not."""
    return [one for one in findings if one.id in (DEPRECATED.id, DEAD.id, OLD_NAME.id)]


def counted(count: int, word: str) -> str:
    """A number of things: ``2 errors``."""
    return f"{count} {word}{'' if count == 1 else 's'}"


def verdict_lines(verdicts: Iterable[Verdict], left: Sequence[str] = ()) -> Iterator[str]:
    """What keeps daemons from starting, in one line those that start without more ado, and in one
    those that are ``left``, of which nobody says whether they would."""
    same: dict[str, list[str]] = {}
    for one in sorted(verdicts, key=lambda one: not one.qualified):
        daemon = str(one.daemon)
        same.setdefault(one.text.removeprefix(daemon), []).append(daemon)
    yield from (f"{listing(daemons)}{rest}" for rest, daemons in same.items())
    if left:
        yield f"whether {listing(left)} would start is not judged"


def comparison_lines(comparison: Comparison, width: int) -> Iterator[str]:
    """The differences, each with what the macro is for, and what else was noticed; wrapped."""
    for number, line in enumerate(_comparison(comparison)):
        if not number:
            yield ""
        yield from wrap(_shown(line), width, _INDENT)


def _comparison(comparison: Comparison) -> Iterator[str]:
    for number, one in enumerate(comparison.different):
        if number:
            yield ""
        yield f"{one.macro}: {one.doc}" if one.doc else one.macro
        yield f"- {one.left}"
        yield f"+ {one.right}"
    notes = list(_notes(comparison))
    if notes and comparison.different:
        yield ""
    yield from notes


def comparison_verdict(comparison: Comparison) -> str:
    """How many macros differ, and which."""
    names = [one.macro for one in comparison.different]
    if not names:
        return "the policies mean the same"
    differ = "differs" if len(names) == 1 else "differ"
    return _shown(f"{plural(len(names), 'macro')} {differ}: {listing(names)}")


def _notes(comparison: Comparison) -> Iterable[str]:
    if comparison.reworded:
        yield f"the same in other words: {listing(comparison.reworded)}"
    if comparison.beyond:
        count = len(comparison.beyond)
        yield f"{count} other macro{' differs' if count == 1 else 's differ'} (--all shows them)"


def mapped_lines(mapped: Mapped) -> Iterator[str]:
    """The answer and why."""
    if mapped.line is None:
        yield f"{mapped.name}: no mapping"
        for one in mapped.near:
            yield f"{_INDENT}{_place(one)} is for `{one.key}`: keys are compared with their case"
        return
    yield f"{mapped.name}: {mapped.result}"
    yield f"{_INDENT}{_place(mapped.line)}: {mapped.line.written}"
    if mapped.line.rest and not mapped.line.rest.startswith("#"):
        yield f"{_INDENT}`{mapped.line.rest}` is ignored: a result with blanks needs quotes"
    if mapped.group is not None and (len(mapped.groups) > 1 or mapped.preferred is not None):
        yield f"{_INDENT}a job gets {mapped.group}{_choice(mapped)}"
    for one in mapped.beaten:
        yield f"{_INDENT}{_place(one)} comes too late: {one.written}"


def _choice(mapped: Mapped) -> str:
    if mapped.preferred is None:
        return ", the first, unless it asks for another one of them"
    asked = mapped.group is not None and mapped.group.casefold() == mapped.preferred.casefold()
    return ", which it asks for" if asked else f", the first: `{mapped.preferred}` is not listed"


def _place(line: MapLine) -> str:
    return f"{line.file}:{line.number}"
