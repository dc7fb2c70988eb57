"""Finds where macros and accounting groups are set and named in all files, and renames them.

A macro is the same with any prefix of a daemon or a local name.
Inputs: a ``Config``, a text of it as it is now, an offset.  Outputs: ``Occurrence`` values, edits;
``CannotRename`` says why a name has to stay as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from attr import frozen

from classad.errors import Edit
from classad.patterns import late_regex
from classad.source import Source
from policy.config import Config
from policy.editing.subjects import (
    Subject,
    SubjectKind,
    bare_name,
    group_part,
    groups_of,
    is_expression,
    is_group_names,
    items_in,
    prefixes,
    subject_at,
)
from policy.editing.texts import Form, Kind, Text, WrittenStatement, text_of
from policy.knobs.lists import LISTS_BY_NAME, memberships
from policy.knobs.parameters import find_parameter
from policy.knobs.readers import find_readers
from policy.language.macros import ExpansionError
from policy.language.statements import is_identifier
from policy.language.table import Definition
from policy.lint.view import covering

_DEFINED: Final = late_regex(r"defined\s+([\w./]+)", re.IGNORECASE)
#: A reference or a name of a macro in which another reference stands.
_COMPUTED: Final = late_regex(r"\$\w*\(((?:[\w./]*\$\w*\([^()]*\))+[\w./]*)[):]")
_REFERENCE_OR_STRING: Final = late_regex(r"\$\w*\([\w./]*|\"(?:[^\"\\]|\\.)*\"")
_INNER: Final = late_regex(r"\$\w*\([^()]*\)")


@frozen
class Occurrence:
    """A stretch of a text; ``sets``: a macro or a group is set there, not only named."""

    source: Source
    start: int
    end: int
    sets: bool = False


class CannotRename(Exception):  # noqa: N818 - its text is the reason
    """Why a name has to stay as it is."""


def texts_with(config: Config, source: Source) -> list[Source]:
    """The texts of a configuration, with one of them as it is now."""
    others = [one for one in config.texts if one.name != source.name]
    at = next((n for n, one in enumerate(config.texts) if one.name == source.name), len(others))
    return [*others[:at], source, *others[at:]]


def definitions(config: Config, source: Source, offset: int) -> list[Occurrence]:
    """Where the macro or the group at a character is set, where it counts first of all."""
    subject = subject_at(config, source, offset)
    if subject is None:
        return _included(config, source, offset)
    found = [place for place in occurrences(config, source, subject) if place.sets]
    if subject.about is SubjectKind.GROUP:
        return found
    counting = config.lookup(subject.name)
    if counting is None:
        return found
    templates = [_use(config, one) for one in counting.chain() if one.template is not None]
    found += [place for place in templates if place is not None]
    return sorted(found, key=lambda place: not _is(place, counting))


def _is(place: Occurrence, entry: Definition) -> bool:
    """Is a place in the statement of a definition?"""
    if entry.source is None or place.source.name != entry.origin:
        return False
    one = text_of(place.source.text).statement_at(place.start)
    if entry.template is not None:
        return place.source.position(place.start)[0] == entry.line
    return one is not None and one.start <= entry.start <= one.end + 1


def _use(config: Config, entry: Definition) -> Occurrence | None:
    """The ``use`` of which a definition comes."""
    for source in config.texts:
        if source.name == entry.origin:
            for one in text_of(source.text).statements:
                last = source.position(max(one.start, one.end - 1))[0]
                if one.form is Form.USE and last == entry.line:
                    return Occurrence(source, one.start, one.end, sets=True)
    return None


def _included(config: Config, source: Source, offset: int) -> list[Occurrence]:
    """The file that the ``include`` at a character names."""
    one = text_of(source.text).statement_at(offset)
    if one is None or one.form is not Form.INCLUDE:
        return []
    try:
        path = config.scope.expand(source.text[one.value_start : one.end]).strip()
    except ExpansionError:
        return []
    file = path.rpartition("/")[2]
    return [
        Occurrence(found, 0, 0)
        for found in config.texts
        if path and (found.name == path or found.name.endswith(f"/{file}"))
    ]


def references(config: Config, source: Source, offset: int) -> list[Occurrence]:
    """Where the macro or the group at a character is set or named, in the order of the files."""
    subject = subject_at(config, source, offset)
    return [] if subject is None else list(occurrences(config, source, subject))


def occurrences(config: Config, source: Source, subject: Subject) -> Iterator[Occurrence]:
    """Where a macro, an attribute that is a macro, or a group stands."""
    if subject.about not in (SubjectKind.MACRO, SubjectKind.GROUP, SubjectKind.ATTRIBUTE):
        return
    known = prefixes(config)
    wanted = subject.name if subject.about is SubjectKind.GROUP else bare_name(subject.name, known)
    for one in texts_with(config, source):
        if subject.about is SubjectKind.GROUP:
            yield from _of_group(config, one, wanted.casefold(), below=False)
        else:
            yield from _of_macro(one, wanted.casefold(), known)


def _of_macro(source: Source, wanted: str, known: frozenset[str]) -> Iterator[Occurrence]:
    """Where a macro stands in a text."""
    text = text_of(source.text)
    if wanted not in source.text.casefold():
        return
    found = list(_written(source, text, wanted, known))
    for token in text.references():
        is_it = token.kind is Kind.MACRO and bare_name(token.text, known).casefold() == wanted
        if is_it and text.comment_at(token.start) is None:
            found.append(Occurrence(source, token.end - len(wanted), token.end))
    yield from sorted(found, key=lambda place: place.start)


def _written(
    source: Source, text: Text, wanted: str, known: frozenset[str]
) -> Iterator[Occurrence]:
    """Where it stands without a dollar: set, in a condition, or in a list of attributes."""
    for one in text.statements:
        if one.assigns and bare_name(one.name, known).casefold() == wanted:
            yield Occurrence(source, one.name_end - len(wanted), one.name_end, sets=True)
        if one.form is Form.CONDITION:
            for found in _DEFINED.finditer(source.text, one.value_start, one.end):
                if found[1].casefold() == wanted:
                    yield Occurrence(source, *found.span(1))
        listed = LISTS_BY_NAME.get(bare_name(one.name, known).casefold()) if one.assigns else None
        if listed is not None and listed.lists_attributes:
            for name, start, end in items_in(source.text, one):
                if name.casefold() == wanted:
                    yield Occurrence(source, start, end)


def _of_group(config: Config, source: Source, wanted: str, *, below: bool) -> Iterator[Occurrence]:
    """Where a group stands in a text; ``below``: also as the head of the groups below it."""

    def place(name: str, start: int, sets: bool) -> Iterator[Occurrence]:
        folded = name.casefold()
        if folded == wanted or (below and folded.startswith(f"{wanted}.")):
            yield Occurrence(source, start, start + len(wanted), sets)

    text = text_of(source.text)
    hits = re.finditer(re.escape(wanted), source.text, re.IGNORECASE)
    several = dict.fromkeys(text.statement_at(hit.start()) for hit in hits)
    for one in several:
        if one is None or not one.assigns:
            continue
        member = group_part(one.name)
        if member is not None:
            yield from place(member, one.start + one.name.rindex(member), False)
        if is_group_names(one.name):
            for name, start, _ in items_in(source.text, one):
                yield from place(name, start, True)
        elif is_expression(config, one.name):
            for token in text.tokens(one):
                if token.kind is Kind.STRING:
                    yield from place(token.text.strip('"'), token.start + 1, False)


# --- renaming -------------------------------------------------------------------------------------


def renamable(config: Config, source: Source, offset: int) -> Subject:
    """The macro or the group at a character; raises ``CannotRename``."""
    subject = subject_at(config, source, offset)
    if subject is None or subject.about not in (SubjectKind.MACRO, SubjectKind.GROUP):
        raise CannotRename("only macros and accounting groups can be renamed")
    places = [place for place in occurrences(config, source, subject) if place.sets]
    if not places:
        raise CannotRename(f"no file of this configuration defines `{subject.name}`")
    if subject.about is SubjectKind.MACRO:
        _check_macro(config, source, bare_name(subject.name, prefixes(config)))
        return subject
    for text in texts_with(config, source):
        for one in text_of(text.text).statements:
            if _is_computed(one) and one.name.upper().startswith("GROUP_"):
                raise CannotRename(f"`{one.name}` in {text.name} is put together")
    return subject


def rename(config: Config, source: Source, offset: int, new: str) -> list[Edit]:
    """The edits, in all files, that give the macro or the group at a character another name.

    Raises ``CannotRename`` where HTCondor reads the name, where a name that is put together may
    be it, and where the new name will not do.
    """
    subject, known = renamable(config, source, offset), prefixes(config)
    if subject.about is SubjectKind.GROUP:
        _check_new_group(config, subject.name, new)
        places = [
            place
            for one in texts_with(config, source)
            for place in _of_group(config, one, subject.name.casefold(), below=True)
        ]
        return [Edit(it.source, it.start, it.end, new) for it in places]
    new = bare_name(new, known)
    if not is_identifier(new):
        raise CannotRename(f"`{new}` is not a macro name")
    if new.casefold() != bare_name(subject.name, known).casefold():
        if is_htcondors(config, new):
            raise CannotRename(f"`{new}` is a macro of HTCondor")
        names = (bare_name(entry.name, known) for entry in config.scope.table)
        if new.casefold() in map(str.casefold, names):
            raise CannotRename(f"`{new}` is defined already")
    return [Edit(it.source, it.start, it.end, new) for it in occurrences(config, source, subject)]


def is_htcondors(config: Config, macro: str) -> bool:
    """Does HTCondor read a macro of this name, or has it a default for one?"""
    return (
        find_parameter(macro) is not None
        or find_readers(macro) is not None
        or covering(macro) is not None
        or config.scope.table.default(macro) is not None
        or bool(memberships(macro))
    )


def _check_macro(config: Config, source: Source, macro: str) -> None:
    """Raise if a macro has to keep its name."""
    if is_htcondors(config, macro):
        raise CannotRename(f"`{macro}` is a macro of HTCondor")
    for text in texts_with(config, source):
        place = computed(text, macro)
        if place is not None:
            line = place.source.position(place.start)[0]
            written = place.source.text[place.start : place.end]
            message = f"`{written}` in {text.name}, line {line}, is put together and may be it"
            raise CannotRename(message)
    name = re.escape(macro)
    word = re.compile(rf"(?<![\w./-]){name}(?![\w./-])", re.IGNORECASE)
    inside = re.compile(rf"\$\w*\({name}[):,]", re.IGNORECASE)
    for entry in config.scope.table:
        if entry.template is not None and inside.search(entry.raw):
            raise CannotRename(f"the template {entry.template} refers to `{macro}`")
        if word.search(_REFERENCE_OR_STRING.sub(" ", entry.raw)):
            raise CannotRename(f"`{macro}` is a word of {entry.name}, which may be read as a name")


def computed(source: Source, macro: str) -> Occurrence | None:
    """A name in a text that is put together of other macros and may come to this one."""
    places = [found.span(1) for found in _COMPUTED.finditer(source.text)]
    text = text_of(source.text)
    places += [(one.start, one.name_end) for one in text.statements if _is_computed(one)]
    for start, end in places:
        parts = map(re.escape, _INNER.split(source.text[start:end]))
        may_be = re.compile(r"(?:[\w.]+\.)?" + r"[\w./]*".join(parts), re.IGNORECASE)
        if may_be.fullmatch(macro) and text.comment_at(start) is None:
            return Occurrence(source, start, end)
    return None


def _is_computed(one: WrittenStatement) -> bool:
    return one.assigns and "$" in one.name


def _check_new_group(config: Config, old: str, new: str) -> None:
    if not re.fullmatch(r"[\w.-]+", new) or not is_identifier(new):
        raise CannotRename(f"`{new}` cannot be the name of a group")
    if old.rpartition(".")[0].casefold() != new.rpartition(".")[0].casefold():
        raise CannotRename(f"`{new}` is in another place of the tree of groups than `{old}`")
    others = {group.casefold() for group in groups_of(config)} - {old.casefold()}
    if new.casefold() in others:
        raise CannotRename(f"there is a group `{new}` already")
