"""Says what the word at a character of a configuration is: a macro, an attribute, a group, ...

Inputs: a ``Config``, a text of it as it is now, an offset.  Outputs: ``Subject``, ``Use``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from typing import Final

from attr import frozen

from classad.language.names import fold_name
from classad.patterns import late_regex
from classad.source import Source
from policy.config import Config
from policy.editing.texts import Form, Kind, Text, ValueWord, WrittenStatement, text_of, word_at
from policy.knobs import FAMILIES, find_knob
from policy.knobs.choices import CHOICES, Choice
from policy.knobs.declaration import KnobKind, Use, Wanted
from policy.knobs.other_daemons import DAEMONS
from policy.knobs.readers import find_readers
from policy.knobs.shares import GROUP_NAMES
from policy.knobs.uses import find_use
from policy.language.macros import FUNCTIONS
from policy.language.table import Definition
from policy.lint.view import Setting, covering, split_prefix, unread_setting

#: What the variable part of families is called that belong to a group.
_MEMBER: Final = "<group>"
#: Macros of macros that are followed to find out where an expression is evaluated.
_DEEPEST: Final = 5
_ITEM: Final = late_regex(r"[^,\s\\]+")
_FINDING: Final = late_regex(r"P\d{3}", re.IGNORECASE)
_LOCAL: Final = late_regex(r"-local-name\s+(\S+)")
_SILENCE: Final = late_regex(r"#[ \t]*pieslice:[ \t]*ignore\b", re.IGNORECASE)
_DEFINED: Final = late_regex(r"\s*!?\s*defined\s+(?!use\b)([\w./]+)", re.IGNORECASE)
#: Macros whose values are expressions that read no ad: numbers and truths.
_READING_NOTHING: Final = (KnobKind.BOOL, KnobKind.INT, KnobKind.DOUBLE)


class SubjectKind(Enum):
    """What a subject is."""

    MACRO = "macro"
    GROUP = "group"
    ATTRIBUTE = "attribute"
    FUNCTION = "function"
    OPERATION = "function of configurations"
    SCOPE = "MY or TARGET"
    TEMPLATE = "template"
    FINDING = "finding"
    WORD = "word of a choice"


@frozen
class Subject:
    """The word at ``start:end``; ``holder`` is the macro whose value it stands in.

    ``scope``: of an attribute ``my`` or ``target``; of a template its category.
    """

    about: SubjectKind
    name: str
    start: int
    end: int
    holder: str = ""
    scope: str = ""


def subject_at(config: Config, source: Source, offset: int) -> Subject | None:
    """What the word at a character is; None where it is nothing that anything is known of."""
    text = text_of(source.text)
    offset = max(0, min(offset, len(source.text)))
    comment = text.comment_at(offset)
    if comment is not None:
        return _in_comment(source.text, offset, *comment)
    one = text.statement_at(offset)
    if one is None or not one.start <= offset <= one.end:
        return None
    token = word_at(text.references(one.start, one.end), offset)
    if token is not None:
        about = SubjectKind.MACRO if token.kind is Kind.MACRO else SubjectKind.OPERATION
        if about is SubjectKind.OPERATION and token.text not in FUNCTIONS and token.text[:1] != "F":
            return None
        return Subject(about, token.text, token.start, token.end, one.name)
    if one.form is Form.USE:
        return _template(source.text, one, offset)
    if offset <= one.name_end:
        return _name(one, offset) if one.assigns or one.form is Form.BEGUN else None
    if one.form is Form.CONDITION:
        found = _DEFINED.match(source.text, one.value_start, one.end)
        if found is None or not found.start(1) <= offset <= found.end(1):
            return None
        return Subject(SubjectKind.MACRO, found[1], *found.span(1))
    return _in_value(config, text, one, offset) if one.assigns else None


def _in_comment(text: str, offset: int, start: int, end: int) -> Subject | None:
    """The number of a finding in a comment that silences it."""
    if _SILENCE.search(text, start, end) is None:
        return None
    for found in _FINDING.finditer(text, start, end):
        if found.start() <= offset <= found.end():
            return Subject(SubjectKind.FINDING, found[0].upper(), *found.span())
    return None


def _template(text: str, one: WrittenStatement, offset: int) -> Subject | None:
    for name, start, end in templates_in(text, one):
        if start <= offset <= end:
            return Subject(SubjectKind.TEMPLATE, name, start, end, scope=one.word)
    return None


def templates_in(text: str, one: WrittenStatement) -> Iterator[tuple[str, int, int]]:
    """The templates that a ``use`` names, without their arguments."""
    depth = 0
    for found in re.finditer(r"[\w.]+|[()]", text[one.value_start : one.end]):
        if found[0] in "()":
            depth = max(0, depth + (1 if found[0] == "(" else -1))
        elif depth == 0:
            yield found[0], one.value_start + found.start(), one.value_start + found.end()


def _name(one: WrittenStatement, offset: int) -> Subject:
    member = group_part(one.name)
    if member is not None:
        start = one.start + one.name.rindex(member)
        if start <= offset <= start + len(member):
            return Subject(SubjectKind.GROUP, member, start, start + len(member), one.name)
    return Subject(SubjectKind.MACRO, one.name, one.start, one.name_end)


@lru_cache(maxsize=10_000)
def group_part(macro: str) -> str | None:
    """The accounting group in the name of a macro of one, as it is spelled there."""
    knob = find_knob(macro)
    return knob.member(macro) if knob is not None and _MEMBER in knob.name else None


def group_families() -> Iterator[str]:
    """The macros that each group has, with ``<group>`` for its name."""
    return (knob.name for knob in FAMILIES if _MEMBER in knob.name)


def is_group_names(macro: str) -> bool:
    """Is it GROUP_NAMES, perhaps with a prefix?"""
    return macro.rpartition(".")[2].casefold() == GROUP_NAMES.name.casefold()


def items_in(text: str, one: WrittenStatement) -> Iterator[tuple[str, int, int]]:
    """The items of a list, each with where it stands."""
    for found in _ITEM.finditer(text, one.value_start, one.end):
        if "$" not in found[0]:
            yield found[0], found.start(), found.end()


def _in_value(config: Config, text: Text, one: WrittenStatement, offset: int) -> Subject | None:
    if is_group_names(one.name):
        for name, start, end in items_in(text.text, one):
            if start <= offset <= end:
                return Subject(SubjectKind.GROUP, name, start, end, one.name)
        return None
    choice = choice_of(one.name)
    if choice is not None:
        for name, start, end in items_in(text.text, one):
            if start <= offset <= end and not choice.strange([name]):
                return Subject(SubjectKind.WORD, name, start, end, one.name)
        return None
    if not is_expression(config, one.name):
        return None
    token = word_at(text.tokens(one), offset)
    return None if token is None else _word(config, token, one)


_ABOUT: Final = {
    Kind.FUNCTION: SubjectKind.FUNCTION,
    Kind.SCOPE: SubjectKind.SCOPE,
    Kind.ATTRIBUTE: SubjectKind.ATTRIBUTE,
}


def _word(config: Config, token: ValueWord, one: WrittenStatement) -> Subject | None:
    if token.kind is Kind.STRING:
        name = token.text.strip('"')
        known = {group.casefold() for group in groups_of(config)}
        if name.casefold() in known:
            return Subject(SubjectKind.GROUP, name, token.start + 1, token.start + 1 + len(name))
        return None
    about = _ABOUT.get(token.kind)
    if about is None:
        return None
    return Subject(about, token.text, token.start, token.end, one.name, token.scope)


def choice_of(macro: str) -> Choice | None:
    """The words that a macro takes, if it takes no others."""
    bare = macro.rpartition(".")[2]
    return next((one for one in CHOICES if one.macros.fullmatch(bare)), None)


def groups_of(config: Config) -> tuple[str, ...]:
    """The groups that GROUP_NAMES has in the end."""
    from policy.knobs.reading import read_knob

    return read_knob(config, GROUP_NAMES).names()


def reader_of(config: Config, name: str) -> Setting:
    """A macro by its name, perhaps with a prefix, as the daemon that it is for sees it."""
    return unread_setting(config, Definition(name, "", ""))


def prefixes(config: Config) -> frozenset[str]:
    """What stands before a dot in names of macros, case-folded: daemons and local names."""
    found = {daemon.casefold() for daemon in DAEMONS}
    for entry in config.scope.table:
        if "." in entry.name:
            found.add((split_prefix(config, entry.name)[0] or "").casefold())
        found.update(name.casefold() for name in _LOCAL.findall(entry.raw))
    return frozenset(found - {""})


def bare_name(name: str, known: frozenset[str]) -> str:
    """A name without its prefix; ``known`` are those that there are."""
    prefix, dot, rest = name.partition(".")
    is_prefix = dot and prefix.casefold() in known and find_knob(name) is None
    return rest if is_prefix else name


def is_expression(config: Config, name: str) -> bool:
    """May the value of a macro be an expression?  That of one that nobody knows may be."""
    macro = reader_of(config, name).macro
    knob = covering(macro)
    if knob is not None:
        return knob.kind in (KnobKind.EXPR, *_READING_NOTHING)
    if find_use(macro) is not None:
        return True
    readers = find_readers(macro)
    return readers is None or readers.is_expression


def use_of(config: Config, name: str) -> Use | None:
    """Where the expression in a macro is evaluated; that of a helper where those are that name it.

    Of a macro that STARTD_ATTRS names: in the ad of the slot.
    """
    macro = reader_of(config, name).macro
    known = find_use(macro)
    if known is not None:
        return known
    todo, seen = [fold_name(macro)], {fold_name(macro)}
    for _ in range(_DEEPEST):
        wanted = re.compile(rf"\$\((?:{'|'.join(map(re.escape, todo))})[):]", re.IGNORECASE)
        todo = []
        for entry in config.scope.table:
            if "$(" not in entry.raw or wanted.search(entry.raw) is None:
                continue
            bare = reader_of(config, entry.name).macro
            found = find_use(bare)
            if found is not None:
                return found
            if fold_name(bare) not in seen:
                seen.add(fold_name(bare))
                todo.append(fold_name(bare))
        if not todo:
            break
    is_published = published_by(config, macro)
    return None if is_published is None else Use("slot", "job", Wanted.ANY)


def published_by(config: Config, macro: str) -> str | None:
    """The list that makes an attribute of a macro, if one does."""
    word = re.compile(rf"(?<![\w.]){re.escape(macro)}(?![\w.])", re.IGNORECASE)
    for entry in config.scope.table:
        if entry.name.upper().endswith(("_ATTRS", "_EXPRS")) and word.search(entry.raw):
            return entry.name
    return None
