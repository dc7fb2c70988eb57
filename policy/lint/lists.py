"""Checks lists that name other macros: what is listed and not there, there and not listed, quotes.

Follows: the startd and the schedd of 25.14.1, which skip what they do not find, and take quotes for
a part of the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from classad.errors import Diagnostic, is_one_edit
from classad.patterns import late_regex
from policy.attributes import find_attribute
from policy.data.tables import folded_attribute_names
from policy.explain.roles import is_whole
from policy.knobs.lists import NameList, find_list, is_list, memberships
from policy.knobs.readers import find_readers
from policy.lint.finding import (
    NOTE,
    Advice,
    Finding,
    Joined,
    Meant,
    Per,
    Repair,
    finding,
    looks_at,
    meant,
)
from policy.lint.paths import PLUGINS, is_path
from policy.lint.view import Item, Setting, View

NOT_DEFINED: Final = Finding(
    "P211",
    "a name in a list that nothing defines",
    "An item of STARTD_CRON_JOBLIST, JOB_TRANSFORM_NAMES, STARTD_ATTRS and the like stands for"
    " other macros. The daemons go on without an item whose macros are not there; few log it. Such"
    " a list is no expression: of `A && B` they take A and B, and of `A&&B` nothing.",
    "SYSTEM_PERIODIC_HOLD_NAMES = Mem\n",
    "SYSTEM_PERIODIC_HOLD_NAMES = Mem\n"
    "SYSTEM_PERIODIC_HOLD_Mem = MemoryUsage > 3 * RequestMemory\n",
    elsewhere=True,
    brought="{name}",
    observed="Observed with 25.14.1: signs in the lists of its startd, schedd, master, negotiator"
    " and collector, of which the logs say nothing, but for `Submit requirement && not defined,"
    " ignoring` and `No path found for job '&&'; skipping`.",
    joined=Joined.BY_MACRO,
)
_NAME: Final = late_regex(r"[A-Za-z_][\w.]*")
_QUOTES: Final = "\"'"
_ROUTES: Final = "JOB_ROUTER_ROUTE_NAMES"
#: Signs of expressions, which separate no names.
_SIGN: Final = late_regex(r"&&|\|\||[!()+&|]")
#: What a slot or a type of slots gives an attribute of its own.
_OF_A_SLOT: Final = late_regex(r"^slot(_type_)?\d+_", re.IGNORECASE)
#: Macros whose value is one name.
_PLAIN: Final = frozenset(
    (
        *("UID_DOMAIN", "FILESYSTEM_DOMAIN", "TRUST_DOMAIN", "SCHEDD_NAME", "NETWORK_HOSTNAME"),
        "STARTD_RESOURCE_PREFIX",
    )
)


#: The users that jobs of slots run as.
_USER: Final = late_regex(r"SLOT\d+(_\d+)?_USER", re.IGNORECASE)
#: Macros that name hosts, of which one may take the place of another.
HOSTS: Final = ("CONDOR_HOST", "COLLECTOR_HOST")


def _listing(view: View) -> Iterator[Setting]:
    """The lists of names of macros."""
    return (one for one in view.settings if find_list(one.macro) is not None)


@looks_at(Per.SETTING, among=_listing)
def undefined(view: View, setting: Setting) -> Iterator[Diagnostic]:
    names = find_list(setting.macro)
    if names is not None:
        yield from _undefined(view, setting, names)


def _without_quotes(macro: str) -> str | None:
    """What a macro is, in which a quote is no quote."""
    if macro.upper() in HOSTS:
        return "names a host, and quotes are part of the name"
    if macro.casefold() == PLUGINS:
        return "is a list of paths, and quotes are part of a path"
    if is_list(macro):
        return "is a list of names, and quotes are part of a name"
    if macro.upper() in _PLAIN or _USER.fullmatch(macro):
        return "is a plain name, and quotes are part of it"
    if macro.upper().endswith("_REGEXP"):
        return "is a regular expression, and quotes are part of it"
    return "is a path, and quotes are part of it" if is_path(macro) else None


@finding(
    "P213",
    "quotes in a list of names",
    "A list is plain text between commas and blanks. Quotes belong to the names that they stand in,"
    " and no daemon, host, user, method or macro has a name with quotes, nor has a program a path"
    " with them.",
    bad='STARTD_CRON_JOBLIST = "HEALTH"\nSTARTD_CRON_HEALTH_EXECUTABLE = /usr/bin/health\n'
    "STARTD_CRON_HEALTH_PERIOD = 5m\n",
    good="STARTD_CRON_JOBLIST = HEALTH\nSTARTD_CRON_HEALTH_EXECUTABLE = /usr/bin/health\n"
    "STARTD_CRON_HEALTH_PERIOD = 5m\n",
    holding=_QUOTES,
)
def quotes(view: View, setting: Setting) -> Iterator[Diagnostic]:
    text = setting.text()
    what = _without_quotes(setting.macro)
    named = setting.folded in view.published and find_readers(setting.macro) is None
    if what is None or named:
        return  # an attribute, whatever its name ends with
    for item in setting.items():
        if item.text[0] in _QUOTES or item.text[-1] in _QUOTES:
            end = item.end
            if item.text[0] in _QUOTES and item.text[-1:] != item.text[0]:
                close = text.find(item.text[0], item.end)
                end = end if close == -1 else close + 1
            quoted = Item(text[item.start : end], item.start, end)
            advice = Repair(quoted.text.strip(_QUOTES), quoted.text, "leave the quotes out")
            yield setting.say(quotes, f"{setting.macro} {what}", quoted, advice)
            return


#: Their items once were jobs with all that they have, between colons.
_CRONS: Final = ("STARTD_CRON_JOBLIST", "SCHEDD_CRON_JOBLIST")


def _undefined(view: View, setting: Setting, names: NameList) -> Iterator[Diagnostic]:
    # A user may give those that something uses.
    used = _used(view, setting) if names.name == "SUBMIT_ATTRS" else set()
    known: list[str] | None = None
    signs, text = False, setting.text()
    for item in setting.items():
        if item.text[0] == "#":
            return  # that a comment is a part of the value is told
        if names.lists_attributes and "*" in item.text:
            message = f"{setting.macro} takes names and no patterns: `{item.text}` is none"
            yield setting.say(NOT_DEFINED, message, item, names.without)
        added = item.text.startswith("+") and not text[: item.start].strip()  # `=+`, told there
        if _SIGN.search(item.text) and not (signs or added or "$" in item.text):
            yield _no_expression(setting, item, names)
            signs = True
        if names.what == "volume" and "/" in item.text:
            message = f"{setting.macro} lists `{item.text}`, which is a folder and no name"
            help_text = "it takes names, and DOCKER_VOLUME_DIR_<name> has the folder of each"
            yield setting.say(NOT_DEFINED, message, item, help_text)
        is_name = item.text.casefold() not in used and _NAME.fullmatch(item.text)
        if names.name == _ROUTES and _is_old_route(view, item.text):
            continue  # that nobody reads these is told there
        if names.name in _CRONS and ":" in item.text and "$" not in item.text:
            message = f"{setting.macro}: `{item.text}` is no name of a job"
            alone = f"a job is listed by its name alone; {names.without}"
            yield setting.say(NOT_DEFINED, message, item, alone)
        if is_name and not _is_defined(view, names, item.text):
            macro = names.defined_by[0].replace("<name>", item.text)
            of_item = "which" if macro == item.text else f"and `{macro}`"
            message = f"{setting.macro} lists `{item.text}`, {of_item} is not defined"
            known = _unlisted_names(view, names) if known is None else known
            advice = meant(item.text, known, names.without)
            if item.text.casefold() == setting.folded:
                advice = Meant(f"$({setting.macro})", item.text)
            elif isinstance(advice, Meant) and find_attribute(item.text) is not None:
                advice = defined_as(advice.text, item)
            if advice is not names.without or not _is_added(view, names):
                found = setting.say(NOT_DEFINED, message, item, advice, names=(macro,))
                free = advice is names.without and _is_of_a_part(view, setting)
                own, written = f"$({setting.entry.name})", setting.entry.written or ""
                adds = own.casefold() in written.casefold()
                if free and (names.lists_attributes or (adds and not known)):
                    found.severity, found.help = NOTE, None  # another file may define it
                yield found


def defined_as(name: str, item: Item) -> str:
    """What to do where a list has a name that daemons know, and the definition has a slip."""
    return f"`{name}` is set: did you mean `{item.text}` there?"


def _is_old_route(view: View, name: str) -> bool:
    """Is a route defined in the way of before 25.0?"""
    entries = view.of_macro.get("job_router_entries")
    if entries is None:
        return False
    named = re.compile(rf"\bname\s*=\s*\"{re.escape(name)}\"", re.IGNORECASE)
    return any(named.search(one.entry.raw) for one in entries)


def _no_expression(setting: Setting, item: Item, names: NameList) -> Diagnostic:
    """An operator in a list, which is passed over, or a part of a name that nothing defines."""
    message = f"{setting.macro} is a list of names and no expression: `{item.text}` is no name"
    alone = not _NAME.search(item.text)
    lost = "it is passed over" if alone else names.without
    found = setting.say(NOT_DEFINED, message, item, f"{lost}; names have commas or blanks between")
    found.severity = NOTE if alone else found.severity
    return found


def _is_added(view: View, names: NameList) -> bool:
    """May a program that the daemon runs give the attributes of a list?"""
    return names.lists_attributes and bool(view.items.get(f"{names.daemon}_CRON_JOBLIST"))


def _is_of_a_part(view: View, setting: Setting) -> bool:
    """Is it all of a list that a part of a configuration has?"""
    return setting.entry.previous is None and not is_whole(view.config)


def _unlisted_names(view: View, names: NameList) -> list[str]:
    """What the files define and no list names: an item may be a slip of that."""
    lists = (one for one in view.settings if is_list(one.macro))
    listed = {item.text.casefold() for one in lists for item in one.items()}
    if names.lists_attributes:
        known = [_OF_A_SLOT.sub("", one.macro, 1) for one in view.settings if one.knob is None]
    else:
        members = (names.member(one.macro) for one in view.settings)
        known = [name for name in members if name is not None]
    return [name for name in known if name.casefold() not in listed]


def _used(view: View, but: Setting) -> set[str]:
    """The words of all other values."""
    texts = (setting.entry.raw for setting in view.settings if setting is not but)
    return {found.casefold() for text in texts for found in _NAME.findall(text)}


@lru_cache(maxsize=4)
def _of_slots(defined: frozenset[str]) -> frozenset[str]:
    """What single slots or types of slots have for themselves, of the names that are defined."""
    found = ((_OF_A_SLOT.match(name), name) for name in defined if name.startswith("slot"))
    return frozenset(name[head.end() :] for head, name in found if head is not None)


def _is_defined(view: View, names: NameList, item: str) -> bool:
    if names.macros_only:
        return view.config.lookup(item) is not None or item.casefold() in view.defined
    if names.lists_attributes and item.casefold() in folded_attribute_names():
        return True
    if names.daemon == "STARTD" and item.casefold() in _of_slots(view.defined):
        return True
    for pattern in names.defined_by:
        macro = pattern.replace("<name>", item)
        if view.config.lookup(macro) is not None or macro.casefold() in view.defined:
            return True
    return False


@finding(
    "P212",
    "a definition that its list does not name",
    "A daemon looks for what the list names and for nothing else: the definition has no effect.",
    "SYSTEM_PERIODIC_HOLD_Mem = MemoryUsage > 3 * RequestMemory\n",
    "SYSTEM_PERIODIC_HOLD_NAMES = Mem\n"
    "SYSTEM_PERIODIC_HOLD_Mem = MemoryUsage > 3 * RequestMemory\n",
    per=Per.CONFIGURATION,
    elsewhere=True,
    brought="{name} in {needs}",
    joined=Joined.BY_NEED,
)
def not_listed(view: View) -> Iterator[Diagnostic]:
    for setting in view.settings:
        if setting.folded in view.words:
            continue
        lists = memberships(setting.macro)
        if not lists:
            continue
        first, item = lists[0]
        if not any(item.casefold() in view.items.get(names.name, ()) for names, _ in lists):
            message = f"`{item}` is in no {first.name}, so nobody reads this"
            advice = _ending(setting.macro, item, first, view.items.get(first.name, ()))
            needs = {"needs": first.name, "names": (item,)}
            found = not_listed.named(setting.entry, message, advice, **needs)
            if advice is None and not _begins_here(view, first, item):
                found.severity = NOTE  # it changes a job of a package, which lists it
            yield found


def _begins_here(view: View, names: NameList, item: str) -> bool:
    """Do these files make a list, or say the main thing of an item, as the program of a job?"""
    return names.name.casefold() in view.defined or _is_defined(view, names, item)


def _ending(macro: str, item: str, names: NameList, listed: Iterable[str]) -> Advice:
    """What a macro of a listed item means whose end is a slip: SUBMIT_REQUIREMENT_Mem_RESON."""
    for aside in names.aside:
        words = item.rsplit("_", aside.count("_") + 1)
        end = "_".join(words[1:])
        if words[0].casefold() in listed and is_one_edit(end.casefold(), aside):
            return Meant(macro[: -len(end)] + aside.upper(), macro)
    return None
