"""Runs all checks on a configuration and puts their findings in order.

The declarations of findings stand beside the checks; docs/findings.md is made from them.
Inputs: a ``Config`` and what ``policy.load`` made of it.  Outputs: diagnostics with ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, compress, repeat
from operator import contains, or_
from typing import Final, cast

from classad.errors import Diagnostic
from classad.syntax.nodes import Binary, Call, Literal, Node, Reference
from policy.config import Config
from policy.explain.words import listing
from policy.knobs.declaration import Knob
from policy.knobs.reading import EXPANDED
from policy.language.about import NOT_READ, NOT_RUN, PART, UNQUOTED, about
from policy.lint import (
    access,
    agreement,
    assignments,
    attributes,
    between,
    choices,
    companions,
    comparisons,
    daemons,
    environment,
    groups,
    holes,
    interfaces,
    jointly,
    kinds,
    limits,
    lists,
    names,
    paths,
    preemption,
    reading,
    repeats,
    routes,
    security,
    sequences,
    slips,
    slot_types,
    states,
    support,
    texts,
    transforms,
    turned,
    units,
    unpublished,
    unquoted,
    upgrade,
    usermaps,
    wholes,
)
from policy.lint.endings import Ending, find_endings, find_late, negotiator_loads
from policy.lint.expressions import MacroExpression, expressions_in
from policy.lint.finding import EVERY_OTHER, NOTE, Finding, FindingCheck, Per
from policy.lint.view import Setting, View, view
from policy.load import PolicyLoad

__all__ = ["FINDINGS", "Finding", "lint"]

#: Where the declarations stand.
_FAMILIES: Final = (
    *(reading, holes, choices, slot_types, names, lists, assignments, paths, security, companions),
    *(
        unpublished,
        agreement,
        jointly,
        limits,
        daemons,
        access,
        interfaces,
        transforms,
        sequences,
        routes,
    ),
    *(groups, attributes, comparisons, repeats, unquoted),
    *(slips, states, texts, kinds, units, turned, preemption, between, wholes, upgrade, usermaps),
    support,
)
_VALUES: Final = [*chain.from_iterable(vars(family).values() for family in _FAMILIES)]
_DECLARED: Final = [
    *compress(_VALUES, map((Finding, FindingCheck).__contains__, map(type, _VALUES)))
]
#: All findings by number.
FINDINGS: Final = {
    kind.id: kind
    for kind in sorted(
        (one for one in _DECLARED if isinstance(one, Finding)), key=lambda kind: kind.id
    )
}


def _depth(check: FindingCheck) -> int:
    """Behind how many others a check comes, one behind the other."""
    before = (FINDINGS[id_].check for id_ in check.after if id_ != EVERY_OTHER)
    return bool(check.after) + max((_depth(one) for one in before if one is not None), default=0)


_CHECKS: Final = [one.check if isinstance(one, Finding) else one for one in _DECLARED]
#: All checks in the order in which they are asked, each once.
CHECKS: Final = sorted(
    {id(check): check for check in _CHECKS if check is not None}.values(), key=_depth
)
#: What is said of items, by what the name of the list ends in.
_OF_ITEMS: Final = frozenset((lists.quotes.id, security.separator.id))
_CLASSES: Final[Mapping[Per, type[Node]]] = {
    Per.EXPRESSION: Node, Per.COMPARISON: Binary, Per.NODE: Node, Per.REFERENCE: Reference,
    Per.LITERAL: Literal, Per.CALL: Call, Per.BINARY: Binary,
}  # fmt: skip
#: The checks of expressions, with the class of the nodes that they look at.
_OF_EXPRESSIONS: Final = [(one, _CLASSES[one.per]) for one in CHECKS if one.per in _CLASSES]


def lint(config: Config) -> list[Diagnostic]:
    """All findings in a configuration, in the order of its files and lines."""
    seen = view(config)
    loads = negotiator_loads(seen)
    found = all_findings(seen, loads, find_endings(seen, loads), expressions_in(seen))
    return environment.with_environment(environment.lacking(config), found)[0]


def all_findings(
    seen: View,
    loads: Mapping[str | None, PolicyLoad],
    endings: Iterable[Ending],
    expressions: Iterable[MacroExpression],
) -> list[Diagnostic]:
    """The same, over models that are made already."""
    config, concerned = seen.config, Concerned(seen)
    passed = [item for loaded in loads.values() for item in loaded.diagnostics]
    found = [
        *(reading.numbered(item, reading=True) for item in config.diagnostics),
        *(reading.numbered(item, reading=False) for item in _of_values(endings)),
        *(reading.numbered(item, reading=False) for item in passed if _is_told(seen, item)),
        *find_late(seen),
        *(item for check in CHECKS for item in look_at(check, concerned)),
        *(item for one in expressions for item in _in_expression(one)),
        *(item for loaded in loads.values() for item in support.not_honoured(loaded)),
    ]
    reading.note_lost_backslashes(found)
    environment.note_environment(config, found)
    left = list(support.silenced(_once(_of_what_is_read(found)), config.texts, FINDINGS))
    reading.note_other_languages(left)
    order = {name: position for position, name in enumerate(config.files)}
    return sorted(left, key=lambda item: _place(item, order))


class Concerned:
    """The settings that each check is asked about."""

    def __init__(self, seen: View) -> None:
        self.seen: Final = seen
        self._texts: Final = [
            f"{one.entry.raw}\n{one.entry.written}\n{one.text()}" for one in seen.settings
        ]

    def by(self, check: FindingCheck) -> Iterable[Setting]:
        """Those of a check of settings or of their items."""
        if check.among is not None:
            return cast("Iterable[Setting]", check.among(self.seen))
        if check.of is None:
            return self._holding(check.holding) if check.holding else self.seen.settings
        if isinstance(check.of, Knob):
            return self.seen.of(check.of)
        return self.seen.index.fitting(check.of)

    def _holding(self, signs: str) -> list[Setting]:
        """Those whose values have one of some signs, as they are written or expanded."""
        fits: Iterable[bool] = map(contains, self._texts, repeat(signs[0]))
        for sign in signs[1:]:
            fits = map(or_, fits, map(contains, self._texts, repeat(sign)))
        return [*compress(self.seen.settings, fits)]


def look_at(check: FindingCheck, concerned: Concerned) -> Iterator[Diagnostic]:
    """What a check finds in a configuration, setting by setting; nothing in expressions."""
    seen = concerned.seen
    if check.per is Per.CONFIGURATION:
        yield from check.function(seen)
    elif check.per is Per.SETTING:
        yield from chain.from_iterable(map(check.function, repeat(seen), concerned.by(check)))
    elif check.per is Per.ITEM:
        for setting in concerned.by(check):
            for item in setting.items():
                yield from check.function(setting, item)


def _of_values(endings: Iterable[Ending]) -> Iterator[Diagnostic]:
    """One finding for a value, whatever number of daemons it ends."""
    together: dict[tuple[str | None, int, str], list[Ending]] = {}
    for ending in endings:
        found = ending.found
        name = None if found.source is None else found.source.name
        together.setdefault((name, found.start, found.message.casefold()), []).append(ending)
    for same in together.values():
        found = same[0].found
        daemons = list(dict.fromkeys(str(ending.daemon) for ending in same))
        if len(daemons) > 1 or " -local-name " in daemons[0]:
            tail = about(found).goes_on
            verb = "end when they read" if len(daemons) > 1 else "ends when it reads"
            found.help = f"{listing(daemons)} {verb} this" + (f"; {tail}" if tail else "")
        yield found


def _in_expression(one: MacroExpression) -> Iterator[Diagnostic]:
    """What the checks find in an expression; in one that is too deep nothing besides that."""
    if one.is_too_deep:
        yield from wholes.too_deep(one)
        return
    said = one.said
    for check, kind in _OF_EXPRESSIONS:
        if check.of is not None and not _concerns(check, one.setting):
            continue
        if said and (EVERY_OTHER in check.after or not said.isdisjoint(check.after)):
            continue
        if check.per is Per.EXPRESSION:
            yield from check.function(one)
            continue
        nodes = one.comparisons if check.per is Per.COMPARISON else one.of_kind(kind)
        yield from chain.from_iterable(map(check.function, repeat(one), nodes))


def _concerns(check: FindingCheck, setting: Setting) -> bool:
    """Is it asked about the expression of a setting?  That of an untaken branch has no reading."""
    if isinstance(check.of, Knob):
        return setting.knob is check.of and setting.reading is not None
    return check.of is not None and check.of.fullmatch(setting.upper) is not None


def _is_told(seen: View, item: Diagnostic) -> bool:
    """Is it no ending, and about a place?  A map that is missing is told where it is listed."""
    if reading.is_own_limit(seen, about(item).macro):
        return False
    return item.severity != "error" and item.source is not None


def brought(found: Diagnostic) -> str:
    """What another file or a program brings, where a finding says no more than that it is not in
    these files; else an empty text."""
    kind, said = FINDINGS.get(found.id or ""), about(found)
    if kind is None or not kind.brought or not said.names:
        return ""
    noted = found.severity == NOTE and not found.help
    if not noted and said.kind not in (NOT_READ, NOT_RUN, PART):
        return ""
    return kind.brought.format(name=said.names[0], needs=said.needs)


def _of_what_is_read(found: list[Diagnostic]) -> Iterator[Diagnostic]:
    """Without what is said of the items of a list that nobody reads."""
    unread = {id(about(one).definition) for one in found if one.id in names.OF_NOBODY}
    for one in found:
        if one.id not in _OF_ITEMS or id(about(one).definition) not in unread:
            yield one


def _once(found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Without what two checks say of the same place."""
    seen = set()
    for item in found:
        is_unquoted = about(item).kind == UNQUOTED
        if item.source is not None and not item.source.quoted and not is_unquoted:
            continue  # the words of a file that is not quoted
        name = None if item.source is None else item.source.name
        # All lines that are not quoted have the same message.
        kind = item.severity if is_unquoted else None
        key = (name, item.position, item.message.casefold(), kind)
        if key not in seen:
            seen.add(key)
            yield item


def _place(item: Diagnostic, order: dict[str, int]) -> tuple[int, int, int, str]:
    if item.source is None:
        return len(order), 0, 0, item.id or ""
    name = item.source.name.removesuffix(EXPANDED)
    return order.get(name, len(order)), *item.source.position(item.start), item.id or ""
