"""Lists what may be written at a character of a configuration, the likeliest first.

What fits is what begins with the letters before the character, and behind these what has them
inside.
Inputs: a ``Config``, a text of it as it is now, an offset; how many ads of a pool have which
attributes.  Outputs: ``Completions``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from attr import frozen

from classad.evaluation.functions import load
from classad.patterns import late_regex
from classad.source import Source
from policy.attributes import attribute_rows, find_attribute
from policy.config import Config
from policy.data.tables import meanings
from policy.editing.hovers import KINDS, NO_ADS, OPERATIONS, Ads
from policy.editing.subjects import (
    choice_of,
    group_families,
    group_part,
    groups_of,
    is_expression,
    is_group_names,
    prefixes,
    reader_of,
    use_of,
)
from policy.editing.texts import LITERALS, Form, Kind, Text, WrittenStatement, text_of, word_before
from policy.ephemeral import EPHEMERAL, AdKind
from policy.history import read_by, templates_of
from policy.knobs import KNOBS
from policy.knobs.choices import CRON_PARTS
from policy.knobs.declaration import KnobKind, Use
from policy.knobs.lists import LISTS, LISTS_BY_NAME, NameList
from policy.knobs.other_daemons import DAEMONS, OTHER_KNOBS
from policy.knobs.parameters import find_parameter
from policy.knobs.readers import reader_names
from policy.language.statements import KEYWORDS
from policy.lint.findings import FINDINGS
from policy.lint.view import covering
from policy.versions import Version

#: As many are given at once.
MOST: Final = 200
_CONDITIONALS: Final = ("if", "elif", "else", "endif")
_REFERENCE: Final = late_regex(r"\$([A-Za-z_]*)\([ \t]*[A-Za-z0-9_./]*$")
_OPERATION: Final = late_regex(r"\$[A-Za-z]*$")
_USE: Final = late_regex(r"[ \t]*@?use[ \t]+(\w*)([ \t]*:)?", re.IGNORECASE)
_CONDITION: Final = late_regex(
    r"[ \t:]*(?:el)?if[ \t]+!?[ \t]*(defined[ \t]+)?[\w.]*$", re.IGNORECASE
)
_SILENCE: Final = late_regex(r"#[ \t]*pieslice:[ \t]*(ignore\b)?[^#]*$", re.IGNORECASE)
_COMPARED: Final = late_regex(r"([A-Za-z_]\w*)\s*(?:==|!=|=\?=|=!=)\s*$")
_SCOPED: Final = late_regex(r"(?<![\w.])(MY|TARGET)\.$", re.IGNORECASE)


class Sort:
    """What kind of thing is proposed."""

    MACRO: Final = "macro"
    KEYWORD: Final = "keyword"
    VALUE: Final = "value"
    FUNCTION: Final = "function"
    ATTRIBUTE: Final = "attribute"
    TEMPLATE: Final = "template"
    GROUP: Final = "group"
    FINDING: Final = "finding"


@frozen
class Proposal:
    """One thing that may be written; ``detail`` says in a few words what it is."""

    text: str
    sort: str
    detail: str = ""


@frozen
class Completions:
    """Proposals for ``start:end``; ``more``: there are others, which further letters bring."""

    start: int
    end: int
    proposals: tuple[Proposal, ...]
    more: bool = False


def completions(config: Config, source: Source, offset: int, ads: Ads = NO_ADS) -> Completions:
    """What may be written at a character."""
    offset = max(0, min(offset, len(source.text)))
    text = text_of(source.text)
    start, candidates = _place(config, text, offset, ads)
    typed = source.text[start:offset].casefold()
    return _fitting(start, offset, typed, candidates)


def _fitting(start: int, end: int, typed: str, candidates: Iterable[Proposal]) -> Completions:
    """The candidates that fit, each name once."""
    known = {one.text.casefold(): one for one in reversed(list(candidates))}
    ordered = [*reversed(known.items())]
    fitting = [one for name, one in ordered if name.startswith(typed)]
    if typed:
        fitting += [one for name, one in ordered if typed in name and not name.startswith(typed)]
    return Completions(start, end, tuple(fitting[:MOST]), len(fitting) > MOST)


def _place(config: Config, text: Text, offset: int, ads: Ads) -> tuple[int, Iterable[Proposal]]:
    """Where the word begins that is being written, and what may stand there."""
    start = word_before(text.text, offset)
    begin = text.text.rfind("\n", 0, offset) + 1
    before = text.text[begin:offset]
    if text.comment_at(offset) is not None:
        silence = _SILENCE.search(before)
        return start, () if silence is None else _silencing(silence[1] is not None)
    found = _REFERENCE.search(before)
    if found is not None:
        return start, () if found[1] == "ENV" else _defined(config)
    found = _OPERATION.search(before)
    if found is not None:
        return begin + found.start() + 1, _operations()
    one = text.statement_at(offset)
    begun = one is None or one.form is Form.BEGUN or offset <= one.name_end
    found = _USE.match(before)
    if found is not None and (begun or (one is not None and one.form is Form.USE)):
        return start, _templates(config, found[1] if found[2] else "")
    found = _CONDITION.match(before)
    if found is not None and (one is None or one.form is Form.CONDITION):
        return start, _defined(config) if found[1] else _conditions()
    if one is None or begun:
        # Behind a name that is complete an operator comes, and no name.
        if before[: start - begin].strip(" \t:"):
            return start, ()
        prefix, dot, _ = text.text[start:offset].partition(".")
        if dot and prefix.casefold() in prefixes(config):
            start += len(prefix) + 1
        typed = text.text[start:offset].casefold()
        # What is being written is among the names that are set: in another spelling, perhaps.
        return start, _names(config, besides=typed)
    if not one.assigns or offset < one.value_start:
        return start, ()
    return _in_value(config, text, one, offset, start, ads)


def _silencing(ignores: bool) -> Iterator[Proposal]:
    if not ignores:
        yield Proposal("ignore", Sort.KEYWORD, "silence findings of the next statement")
        return
    for kind in FINDINGS.values():
        if kind.silenceable:
            yield Proposal(kind.id, Sort.FINDING, kind.title)


def _conditions() -> Iterator[Proposal]:
    yield Proposal("defined", Sort.KEYWORD, "whether a macro or `use CATEGORY:NAME` is known")
    yield Proposal("version", Sort.KEYWORD, "version >= 25.0")
    yield from (Proposal(word, Sort.VALUE) for word in ("true", "false"))


def _operations() -> Iterator[Proposal]:
    yield Proposal("(", Sort.FUNCTION, "$(NAME) or $(NAME:default): the value of a macro")
    for name, (body, meaning) in OPERATIONS.items():
        yield Proposal(name, Sort.FUNCTION, f"${name}({body}): {meaning}")


def _templates(config: Config, category: str) -> Iterator[Proposal]:
    known = templates_of(config.version)
    if not category:
        for name in sorted(known.categories):
            yield Proposal(name, Sort.KEYWORD, "a category of templates")
        return
    for name in known.names(category):
        yield Proposal(name, Sort.TEMPLATE, f"use {category} : {name}")


# --- names of macros ------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _known_names(version: Version) -> tuple[str, ...]:
    """The macros that a version reads, those of a cycle first."""
    names = [knob.name for knob in KNOBS.values()]
    names += [knob.name for knob in OTHER_KNOBS.values()]
    names += sorted({*meanings(), *reader_names()}, key=str.casefold)
    unique = {name.casefold(): name for name in reversed(names)}
    return tuple(read_by(version, reversed(unique.values())))


@lru_cache(maxsize=65_536)
def _detail(name: str, version: Version) -> str:
    known = find_parameter(name, version)
    return "" if known is None else known.doc


def _names(config: Config, besides: str) -> Iterator[Proposal]:
    """What a statement may begin with; ``besides``: a name that counts as not set."""
    yield from (Proposal(word, Sort.KEYWORD) for word in _CONDITIONALS)
    yield from (Proposal(word, Sort.KEYWORD) for word in sorted(KEYWORDS))
    for name in config.names():
        if name.casefold() != besides:
            yield Proposal(name, Sort.MACRO, _detail(name, config.version) or "set here")
    for group in groups_of(config):
        for family in group_families():
            macro = family.replace("<group>", group)
            yield Proposal(macro, Sort.GROUP, _detail(macro, config.version))
    for names in LISTS:
        yield from _of_items(config, names)
    for name in _known_names(config.version):
        yield Proposal(name, Sort.MACRO, _detail(name, config.version))
    yield from (Proposal(name, Sort.MACRO, "a daemon, as a prefix") for name in sorted(DAEMONS))


def _of_items(config: Config, names: NameList) -> Iterator[Proposal]:
    """The macros of the items of a list that is set."""
    entry = None if names.lists_attributes else config.scope.table.get(names.name)
    for item in re.findall(r"[\w.]+", "" if entry is None else entry.raw):
        for form in (*names.defined_by, *names.beside):
            yield Proposal(form.replace("<name>", item), Sort.MACRO, f"of the {names.what} {item}")


def _defined(config: Config) -> Iterator[Proposal]:
    """The macros that a reference may name, those of the files first."""
    for entry in sorted(config.scope.table, key=lambda one: one.name.casefold()):
        yield Proposal(entry.name, Sort.MACRO, _cut(entry.raw))
    for name in config.scope.table.default_names():
        default = config.scope.table.default(name)
        yield Proposal(name, Sort.MACRO, "" if default is None else _cut(default.raw))


def _cut(text: str) -> str:
    return " ".join(text[:80].split())


# --- values ---------------------------------------------------------------------------------------


def _in_value(
    config: Config, text: Text, one: WrittenStatement, offset: int, start: int, ads: Ads
) -> tuple[int, Iterable[Proposal]]:
    for inside in text.tokens(one):
        if inside.kind is Kind.STRING and inside.start < offset <= inside.end:
            before = text.text[one.value_start : inside.start]
            return inside.start + 1, _strings(config, before)
    choice = choice_of(one.name)
    if choice is not None:
        return start, (Proposal(word, Sort.VALUE) for word in choice.words)
    macro = reader_of(config, one.name).macro
    if is_group_names(one.name):
        return start, (Proposal(name, Sort.GROUP) for name in _quota_groups(config))
    listed = LISTS_BY_NAME.get(macro.casefold())
    if listed is not None:
        return start, _items(config, listed)
    if macro.casefold() == "daemon_list":
        return start, (Proposal(name, Sort.VALUE, "a daemon") for name in sorted(DAEMONS))
    if not is_expression(config, one.name):
        return start, ()
    knob, known = covering(macro), find_parameter(macro, config.version)
    if (knob and knob.kind is KnobKind.BOOL) or (known and known.type in ("bool", "boolean")):
        return start, (Proposal(word, Sort.VALUE) for word in ("True", "False"))
    scoped = _SCOPED.search(text.text[one.value_start : start])
    dot = text.text.rfind(".", start, offset)
    if scoped is None and dot >= 0:
        scoped, start = _SCOPED.search(text.text[one.value_start : dot + 1]), dot + 1
    return start, _words(use_of(config, one.name), scoped and scoped[1].casefold(), ads)


def _strings(config: Config, before: str) -> Iterator[Proposal]:
    """Values of the attribute that a string is compared with, and the groups."""
    found = _COMPARED.search(before)
    row = None if found is None else find_attribute(found[1])
    for word in row.spellings if row is not None else ():
        yield Proposal(word, Sort.VALUE, f"a value of {row.name}" if row else "")
    if row is None or not row.spellings:
        yield from (Proposal(name, Sort.GROUP, "an accounting group") for name in groups_of(config))


def _quota_groups(config: Config) -> Iterator[str]:
    """The groups that have macros of their own."""
    parts = (group_part(entry.name) for entry in config.scope.table)
    yield from dict.fromkeys(part for part in parts if part is not None)


def _items(config: Config, names: NameList) -> Iterator[Proposal]:
    """What may be listed: that of which there are macros."""
    for entry in config.scope.table:
        item: str | None = reader_of(config, entry.name).macro.rpartition(".")[2]
        if not names.lists_attributes:
            item = names.member(entry.name)
        elif find_parameter(item or "") is not None:
            continue
        if item is not None and item.rpartition("_")[2] not in CRON_PARTS:
            yield Proposal(item, Sort.MACRO, _cut(entry.raw))


def _words(use: Use | None, scope: str | None, ads: Ads) -> Iterator[Proposal]:
    """What an expression may name, behind ``MY.`` or ``TARGET.`` attributes only."""
    sides = ("my", "target") if scope is None else (scope,)
    for side in sides:
        kind = "either" if use is None else use.my if side == "my" else use.target
        yield from _attributes(kind, use is None or use.matching, ads)
    if scope is not None:
        return
    for name, function in load().items():
        if name == function.name.casefold():
            yield Proposal(function.name, Sort.FUNCTION, " ".join(function.doc.split()))
    yield from (Proposal(word, Sort.VALUE) for word in LITERALS)
    yield from (Proposal(word, Sort.KEYWORD, "an ad") for word in ("MY", "TARGET"))


_GROUP_AD: Final = ("AccountingGroup", "GroupQuota", "GroupResourcesInUse")


def _attributes(kind: str, cycle: bool, ads: Ads) -> Iterator[Proposal]:
    """The attributes of a kind of ad: those of a pool's ads if they are known, and of a cycle."""
    kinds = KINDS.get(kind, ())
    if kind == "group":
        yield from (Proposal(name, Sort.ATTRIBUTE, "of the group") for name in _GROUP_AD)
    for one in kinds:
        for name, count in sorted(ads.get(one, {}).items(), key=lambda pair: -pair[1]):
            yield Proposal(name, Sort.ATTRIBUTE, f"in {count} ads of kind {one}")
    here = {AdKind.SLOT: "slot", AdKind.REQUEST: "job"}
    for added in EPHEMERAL if cycle else ():
        if here.get(added.ad) in kinds and "<" not in added.name:
            yield Proposal(added.name, Sort.ATTRIBUTE, added.doc)
    for row in attribute_rows().values():
        if any(one in row.ads and not ads.get(one) for one in kinds):
            detail = ", ".join(filter(None, (row.type, row.unit)))
            yield Proposal(row.name, Sort.ATTRIBUTE, detail)
