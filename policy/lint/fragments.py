"""Recognises fragments, which other files complete, and softens what is said of them.

A fragment does not say which daemons run, nor where the rest of the configuration is, and speaks of
things that it does not have: macros that nobody defines and that are no slip of one that somebody
does, members of a list that is nowhere.  One such thing may be a mistake, several are not.
Inputs: a ``View``, findings.  Outputs: ``Fragment``, findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from classad.errors import Diagnostic
from policy.explain.roles import host_of, is_whole
from policy.explain.words import listing
from policy.language.about import about
from policy.lint import groups, lists, reading
from policy.lint.finding import NOTE
from policy.lint.findings import FINDINGS
from policy.lint.view import View

#: Things that are lacking before a configuration is taken for a fragment.
_ENOUGH: Final = 2
#: Of these as many are named.
_NAMED: Final = 3
#: What people take for built in, as MINUTE and HOUR are.
_NOWHERE: Final = frozenset(("DAY", "WEEK"))
_VALUES: Final = frozenset(
    found.id for found in (reading.INVALID, reading.SYNTAX, reading.NOT_USED, reading.BROKEN)
)


class Fragment(NamedTuple):
    """Why a configuration is taken for a fragment: what it lacks, or the macro that adds to what
    is not there; ``asked``: somebody said so."""

    lacks: tuple[str, ...] = ()
    asked: bool = False
    adds: str = ""

    def __str__(self) -> str:
        """The reason, as the end of a sentence."""
        if self.asked:
            return "as --fragment says"
        if self.adds:
            return f"its {self.adds} adds to that of another file"
        rest = len(self.lacks) - _NAMED
        shown = [*self.lacks[:_NAMED], *([f"{rest} more"] if rest > 0 else [])]
        return f"it sets no DAEMON_LIST, and lacks {listing(shown)}"


def recognised(view: View, findings: Iterable[Diagnostic]) -> Fragment | None:
    """The configuration as a fragment; None if it is whole, or may be."""
    if is_whole(view.config):
        return None
    lacks = tuple(dict.fromkeys(_lacks(view, findings)))
    extends = any(name.casefold() == macro_of(one) for one in findings for name in _holes_of(one))
    if len(lacks) >= _ENOUGH or extends:
        return Fragment(lacks)
    adds = "DAEMON_LIST" if host_of(view.config).adds else view.extends_unread
    return Fragment(adds=adds) if adds else None


def _holes_of(found: Diagnostic) -> tuple[str, ...]:
    """What a value refers to that is not defined; its own macro if it adds to another file's."""
    return about(found).names if found.id == reading.HOLE.id else ()


def _lacks(view: View, findings: Iterable[Diagnostic]) -> Iterator[str]:
    """What the findings say is nowhere, without what looks like a slip."""
    for one in findings:
        if one.id == reading.HOLE.id and one.help is None:
            yield from (f"$({name})" for name in about(one).names if name.upper() not in _NOWHERE)
        elif one.id in (lists.not_listed.id, groups.unlisted.id):
            list_ = about(one).needs
            if list_.casefold() not in view.defined:
                yield list_


def soften(view: View, findings: Iterable[Diagnostic]) -> tuple[list[Diagnostic], frozenset[str]]:
    """The findings with notes for what other files may set right, and without what is said of
    values that they complete; and the case-folded names of the macros with these values."""
    listed = list(findings)
    holes_in = {about(one).macro.casefold() for one in listed if one.id == reading.HOLE.id} - {""}
    unfinished = frozenset(_unfinished(view, holes_in))
    left = [one for one in listed if one.id not in _VALUES or macro_of(one) not in unfinished]
    left = [one for one in left if not _is_detail(view, one)]
    for one in left:
        if one.id in FINDINGS and FINDINGS[one.id].elsewhere:
            one.severity = NOTE
    return left, unfinished


def _is_detail(view: View, found: Diagnostic) -> bool:
    """Is it about a detail of slots that another file makes, as SLOT_TYPE_1_PARTITIONABLE?"""
    _, made, number = about(found).needs.casefold().partition("num_slots_type_")
    type_ = f"slot_type_{number}"
    return bool(made) and macro_of(found) != type_ and type_ not in view.defined


def macro_of(found: Diagnostic) -> str:
    """The case-folded name of the macro that a finding is about."""
    return about(found).macro.casefold()


def _unfinished(view: View, holes_in: set[str]) -> Iterator[str]:
    """The macros with a hole, and those that refer to them."""
    for setting in view.settings:
        if setting.endless is not None:
            continue
        looked_up = view.config.scope.used_by(setting.entry)
        used = {name.casefold() for name, _ in looked_up}
        # What a function macro names may be defined in another file, as what a value refers to.
        lacks = setting.problems and any(entry is None for _, entry in looked_up)
        own = setting.folded, setting.name.casefold()
        if lacks or not holes_in.isdisjoint((*used, *own)):
            yield from (setting.name.casefold(), setting.folded)
