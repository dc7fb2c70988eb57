"""Says what can be done about the findings at a stretch of a text, and what overrides it.

Inputs: a ``Config``, its findings, a text of it as it is now.  Outputs: ``Action`` values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from attr import frozen

from classad.errors import Diagnostic, Edit
from classad.source import Source
from policy.config import Config
from policy.editing.names import Occurrence, definitions
from policy.editing.subjects import Subject, SubjectKind, bare_name, prefixes, reader_of, subject_at
from policy.editing.texts import text_of
from policy.knobs.reading import EXPANDED
from policy.language.about import about
from policy.lint.findings import FINDINGS
from policy.lint.support import NO_REASON, may_be_silenced


@frozen
class Action:
    """Something to be done: an edit, or a place to be shown.

    ``found``: the finding that it is about; ``mends``: it is gone afterwards.
    """

    title: str
    edit: Edit | None = None
    show: Occurrence | None = None
    found: Diagnostic | None = None
    mends: bool = False


def actions(
    config: Config, findings: Iterable[Diagnostic], source: Source, start: int, end: int
) -> list[Action]:
    """What can be done at ``start:end``; the findings are those of the text as it is now."""
    found: list[Action] = []
    for one in findings:
        place = place_of(one)
        if place is None or (place.source.name, place.source.text) != (source.name, source.text):
            continue
        if place.start <= end and start <= place.end:
            found += _about(one, place, source)
    return [*found, *_overriding(config, source, start)]


def place_of(found: Diagnostic) -> Occurrence | None:
    """Where a finding is in a file; one about an expanded value where that is set."""
    source, start, end = found.source, found.start, found.end
    if source is not None and source.name.endswith(EXPANDED):
        entry = about(found).definition
        if entry is None or entry.source is None:
            return None
        source, start, end = entry.source, entry.start, entry.end
    if source is None:
        return None
    size = len(source.text)
    return Occurrence(source, min(start, size), min(max(start, end), size))


def _about(found: Diagnostic, place: Occurrence, source: Source) -> Iterator[Action]:
    edit = found.edit
    if edit is not None and edit.source.text == source.text and edit.source.name == source.name:
        old, new = source.text[edit.start : edit.end], edit.text
        title = f"replace `{old}` by `{new}`" if new else f"remove `{old}`"
        yield Action(title, edit, found=found, mends=True)
    if may_be_silenced(found, FINDINGS) and found.id != NO_REASON.id:
        yield Action(f"silence {found.id} here", silencing(found, place), found=found)


def silencing(found: Diagnostic, place: Occurrence) -> Edit:
    """The comment above the statement of a finding that silences it, or its number added to one."""
    source = place.source
    one = text_of(source.text).statement_at(place.start)
    at = place.start if one is None else one.start
    begin = source.text.rfind("\n", 0, at) + 1
    above = source.text.rfind("\n", 0, max(0, begin - 1)) + 1
    comment = re.compile(r"[ \t]*#[ \t]*pieslice:[ \t]*ignore[ \t]+P\d+(?:[ \t,]*P\d+)*", re.I)
    there = comment.match(source.text, above, begin)
    if there is not None:
        return Edit(source, there.end(), there.end(), f" {found.id}")
    indent = source.text[begin:at] if not source.text[begin:at].strip() else ""
    return Edit(source, begin, begin, f"{indent}# pieslice: ignore {found.id}\n")


def _overriding(config: Config, source: Source, offset: int) -> Iterator[Action]:
    """The definition that counts instead of the one at a character."""
    subject: Subject | None = subject_at(config, source, offset)
    one = text_of(source.text).statement_at(offset)
    if subject is None or subject.about is not SubjectKind.MACRO or one is None or not one.assigns:
        return
    if subject.start != one.start:
        return
    known = prefixes(config)
    counting = reader_of(config, subject.name)
    entry = counting.config.lookup(counting.macro)
    if entry is None or (entry.origin == source.name and one.start <= entry.start <= one.end + 1):
        return
    for place in definitions(config, source, offset)[:1]:
        name = bare_name(subject.name, known)
        if (place.source.name, place.start) != (source.name, one.name_end - len(name)):
            line = place.source.position(place.start)[0]
            title = f"go to what overrides this: {place.source.name}, line {line}"
            yield Action(title, show=place)
