"""Checks attributes of one's own that expressions ask for and no list publishes.

Follows: the lists of attributes of slots and jobs of 25.14.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from classad.errors import Diagnostic, suggest
from classad.patterns import late_regex
from classad.syntax.nodes import Reference
from policy.attributes import attribute_of_command, find_attribute
from policy.data.tables import attribute_names, folded_attribute_names
from policy.ephemeral import find_ephemeral
from policy.explain.roles import is_whole
from policy.knobs.lists import SUBMIT_LISTS, is_list, memberships
from policy.knobs.readers import find_readers
from policy.lint import lists
from policy.lint.attributes import NOT_NOW, UNKNOWN_ATTRIBUTE
from policy.lint.expressions import MacroExpression
from policy.lint.finding import NOTE, Meant, Per, finding, looks_at
from policy.lint.trees import references, scope_of
from policy.lint.view import ITEM, Setting, View
from policy.lint.vocabulary import DIGITS

#: Lists of attributes that the daemons put into ads, not the files.
_OF_ADS: Final = (
    r"(?:SYSTEM_)?(?:STARTD|IMMUTABLE|PROTECTED|SECURE)_JOB_(?:ATTRS|EXPRS)|STARTD_SLOT_ATTRS"
    r"|SYSTEM_JOB_MACHINE_ATTRS|(?:ADD_|REMOVE_)?SIGNIFICANT_ATTRIBUTES"
    r"|EVENT_LOG_JOB_AD_INFORMATION_ATTRS"
)
#: Names of fewer letters are near to each other.
_SHORTEST: Final = 6
#: Fewer letters before an underscore say nothing.
_HEAD: Final = 4
#: So many letters at both ends are the same in a name and what is short for it.
_END: Final = 2


@finding(
    "P214",
    "an attribute of one's own that no list publishes",
    "A macro becomes an attribute of the machine's ad when STARTD_ATTRS names it. `MY.Name` is"
    " undefined without that, and so is `Name` alone: `$(Name)` is the macro's value.",
    "HasScratch = True\nSTART = MY.HasScratch =?= True\n",
    "HasScratch = True\nSTARTD_ATTRS = HasScratch\nSTART = MY.HasScratch =?= True\n",
    per=Per.CONFIGURATION,
    elsewhere=True,
)
def not_published(view: View) -> Iterator[Diagnostic]:
    """Macros that expressions mean as attributes, and those that they mean as macros."""
    used: dict[str, tuple[Setting, str]] = {}
    for setting in view.expressions():
        for node in references(setting.tree) if setting.tree else ():
            scope = scope_of(node)
            if scope == "my" and _is_of_slots(setting):
                used[node.name.casefold()] = setting, "MY."
            elif node.base is None and node.name.casefold() in view.of_macro:
                used.setdefault(node.name.casefold(), (setting, ""))
    listed = frozenset().union(*view.items.values()) if used else frozenset()
    # What pilots say of themselves no daemon does.
    known = listed.union(n for n in folded_attribute_names() if not n.startswith("glidein_"))
    for setting in view.settings:
        name = setting.folded
        user, scope = used.get(name, (setting, ""))
        if user is setting or name in known or setting.knob is not None:
            continue
        if not scope and (_has_a_use(view, setting) or name in view.own_names):
            continue
        message = f"`{scope}{setting.macro}` in {user.name} is undefined: no list publishes it"
        help_text = f"add `{setting.macro}` to STARTD_ATTRS"
        if not scope:
            name = setting.macro
            message = f"`{name}` in {user.name} is an attribute, and no list publishes this macro"
            lists_it = f", or {help_text}" if _is_of_slots(user) else ""
            help_text = f"`$({setting.macro})` is its value{lists_it}"
        found = not_published.named(setting.entry, message, help_text)
        if not scope and not is_whole(view.config):
            found.severity = NOTE  # another file may list it
        yield found


_OF_A_SLOT: Final = late_regex(r"slot\d+_(\w+)", re.IGNORECASE)


@looks_at(Per.EXPRESSION)
def of_other_slots(one: MacroExpression) -> Iterator[Diagnostic]:
    """``slot1_State``, which other slots have of slot 1 once STARTD_SLOT_ATTRS lists State."""
    if not _is_of_slots(one.setting) or one.part is not None:
        return
    for node in one.of_kind(Reference):
        found = _OF_A_SLOT.fullmatch(node.name)
        row = None if found is None else find_attribute(found[1])
        if found is None or row is None or find_ephemeral(node.name) is not None:
            continue
        shared = ITEM.findall(one.setting.beside("STARTD_SLOT_ATTRS").casefold())
        mine = "slot" in row.ads and scope_of(node) != "target"
        if mine and found[1].casefold() not in shared:
            message = f"no slot has `{node.name}`: STARTD_SLOT_ATTRS does not list {row.name}"
            said = one.say(NOT_NOW, message, node, f"add `{row.name}` to STARTD_SLOT_ATTRS")
            said.severity = said.severity if is_whole(one.view.config) else NOTE
            yield said
            return


def _is_of_slots(setting: Setting) -> bool:
    return setting.knob is not None and setting.knob.read_by == "STARTD"


def _has_a_use(view: View, setting: Setting) -> bool:
    """May a macro be there for another end than the expression that has its bare name?"""
    name = setting.folded
    read = bool(memberships(name)) or find_readers(name) is not None or setting.prefix is not None
    asked = re.compile(rf"\$\w*\({re.escape(name)}\b", re.IGNORECASE)
    return read or any(asked.search(one.entry.written or one.entry.raw) for one in view.settings)


@looks_at(Per.SETTING, of="|".join(SUBMIT_LISTS))
def of_the_job(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """``SUBMIT_ATTRS = AccountingGroup`` beside ``AccountGroup = ...``, which no list names; the
    name of a command of submit files, which makes no request of it."""
    for item in setting.items():
        known = attribute_of_command(item.text)
        set_here = item.text.casefold() in view.defined  # else that nothing defines it is told
        if known is not None and set_here and not _is_asked_of(view, setting, item.text):
            message = f"`{item.text}` is a command of submit files, and no attribute of jobs"
            yield setting.say(UNKNOWN_ATTRIBUTE, message, item, Meant(known, item.text))
    free = [
        one.macro
        for one in view.settings
        if one.knob is None
        and one.folded not in view.words
        and not is_list(one.macro)
        and find_readers(one.macro) is None
    ]
    for item in setting.items() if free else ():
        folded = item.text.casefold()
        if folded in folded_attribute_names() and folded not in view.defined:
            short = [one for one in free if _is_short_for(one, item.text)]
            other = suggest(item.text, free) or next(iter(short), None)
            if other is not None:
                message = f"{setting.macro} lists `{item.text}`, which is not defined"
                yield setting.say(lists.NOT_DEFINED, message, item, lists.defined_as(other, item))


def _is_asked_of(view: View, listed: Setting, name: str) -> bool:
    """Does a value besides those of lists speak of an attribute?"""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    others = (one for one in view.settings if one is not listed and not is_list(one.macro))
    return any(word.search(one.entry.raw) for one in others)


def _is_short_for(one: str, other: str) -> bool:
    """Is a name another one with letters left out of its middle: AcctGroup, AccountGroup?"""
    short, long = sorted((one.casefold(), other.casefold()), key=len)
    letters = iter(long)
    begins = short[:_END] == long[:_END] and short[-_END:] == long[-_END:]
    return begins and 3 * len(short) > 2 * len(long) and all(one in letters for one in short)


@looks_at(Per.SETTING, of=_OF_ADS)
def listed_slip(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A name in a list of attributes that ads have, which is a slip of one of these."""
    for item in setting.items():
        name, known = item.text, find_attribute(item.text) is not None
        if len(name) < _SHORTEST or known or name.casefold() in view.defined:
            continue
        meant = suggest(name, attribute_names())
        if meant is not None and DIGITS.sub("", meant) != DIGITS.sub("", name):
            message = f"`{name}` in {setting.macro} is an attribute that nobody knows"
            yield setting.say(UNKNOWN_ATTRIBUTE, message, item, Meant(meant, name))


@looks_at(Per.EXPRESSION)
def of_no_prefix(one: MacroExpression) -> Iterator[Diagnostic]:
    """``Node_Healthy`` beside a job of a cron whose attributes begin with ``NodeHealth_``."""
    prefixes = [text for text in one.view.prefixes if text.endswith("_")]
    if not prefixes or not _is_of_slots(one.setting) or one.part is not None:
        return
    for node in one.references:
        head, joint, _ = node.name.casefold().partition("_")
        known = node.name.casefold() in one.view.own_names or find_attribute(node.name) is not None
        if known or not joint or scope_of(node) == "target" or len(head) < _HEAD:
            continue
        alike = [text for text in prefixes if text.startswith(head) or head.startswith(text[:-1])]
        if alike and not node.name.casefold().startswith(tuple(one.view.prefixes)):
            message = f"no job of a cron publishes `{node.name}`: what it says begins otherwise"
            yield one.say(UNKNOWN_ATTRIBUTE, message, node, f"its prefix is `{alike[0]}`")
            return
