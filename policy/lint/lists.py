"""Checks lists that name other macros: what is listed and not there, there and not listed, quotes.

Follows: the startd and the schedd of 25.14.1, which skip what they do not find, and take quotes for
a part of the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from classad.errors import Diagnostic
from policy.data.tables import attribute_names, builtin_table
from policy.knobs.lists import LISTS, LISTS_BY_NAME, NameList, is_list
from policy.knobs.other_daemons import DAEMONS
from policy.lint.finding import Finding, Per, Repair, finding, looks_at, meant
from policy.lint.trees import references, scope_of
from policy.lint.view import Item, Setting, View, covering

NOT_DEFINED: Final = Finding(
    "P211",
    "a name in a list that nothing defines",
    "An item of STARTD_CRON_JOBLIST, JOB_TRANSFORM_NAMES, STARTD_ATTRS and the like stands for"
    " other macros. The daemons go on without an item whose macros are not there; few log it.",
    "SYSTEM_PERIODIC_HOLD_NAMES = Mem\n",
    "SYSTEM_PERIODIC_HOLD_NAMES = Mem\n"
    "SYSTEM_PERIODIC_HOLD_Mem = MemoryUsage > 3 * RequestMemory\n",
    elsewhere=True,
)
_MAP: Final = re.compile(r'\buserMap\(\s*"(\w+)', re.IGNORECASE)
_MAP_NAMES: Final = "_CLASSAD_USER_MAP_NAMES"
_ITEM: Final = re.compile(r"[^,\s]+")
_NAME: Final = re.compile(r"[A-Za-z_][\w.]*")
_QUOTES: Final = "\"'"
#: Macros whose value is one name.
_PLAIN: Final = frozenset(
    ("UID_DOMAIN", "FILESYSTEM_DOMAIN", "TRUST_DOMAIN", "SCHEDD_NAME", "NETWORK_HOSTNAME")
)


#: Lists whose items another list has to have.
_OF_OTHERS: Final = {"DOCKER_MOUNT_VOLUMES": "DOCKER_VOLUMES"}
_HOSTS: Final = ("CONDOR_HOST", "COLLECTOR_HOST")


@looks_at(Per.SETTING)
def undefined(view: View, setting: Setting) -> Iterator[Diagnostic]:
    names = LISTS_BY_NAME.get(setting.macro.casefold())
    if names is not None:
        yield from _undefined(view, setting, names)
    whole = _OF_OTHERS.get(setting.macro.upper())
    if whole is not None and whole.casefold() in view.defined:
        yield from _not_in_whole(setting, whole)


def _not_in_whole(setting: Setting, whole: str) -> Iterator[Diagnostic]:
    """Items that the other list lacks."""
    known = _ITEM.findall(setting.beside(whole))
    folded = {item.casefold() for item in known}
    for item in setting.items():
        if item.text.strip(_QUOTES).casefold() not in folded and item.text != "*":
            message = f"{setting.macro} lists `{item.text}`, which is not in {whole}"
            advice = meant(item.text, known, f"{whole} lists {', '.join(known) or 'nothing'}")
            yield setting.say(NOT_DEFINED, message, item, advice, names=(item.text,))


def _without_quotes(macro: str) -> str | None:
    """What a macro is, in which a quote is no quote."""
    if macro.upper() in _HOSTS:
        return "names a host, and quotes are part of the name"
    if is_list(macro):
        return "is a list of names, and quotes are part of a name"
    if macro.upper() in _PLAIN:
        return "is a plain name, and quotes are part of it"
    is_path = "path" in builtin_table().get(macro.casefold(), [])[1:]
    return "is a path, and quotes are part of it" if is_path else None


@finding(
    "P213",
    "quotes in a list of names",
    "A list is plain text between commas and blanks. Quotes belong to the names that they stand in,"
    " and no daemon, host, user, method or macro has a name with quotes.",
    bad='STARTD_CRON_JOBLIST = "HEALTH"\nSTARTD_CRON_HEALTH_EXECUTABLE = /usr/bin/health\n'
    "STARTD_CRON_HEALTH_PERIOD = 5m\n",
    good="STARTD_CRON_JOBLIST = HEALTH\nSTARTD_CRON_HEALTH_EXECUTABLE = /usr/bin/health\n"
    "STARTD_CRON_HEALTH_PERIOD = 5m\n",
)
def quotes(view: View, setting: Setting) -> Iterator[Diagnostic]:
    text, what = setting.text(), _without_quotes(setting.macro)
    if what is None:
        return
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


@finding(
    "P215",
    "a daemon in DAEMON_LIST whose macro is no program",
    "The master runs what the macro of each name says. START, for one, is an expression; the master"
    " logs `Cannot execute` and tries again and again.",
    bad="DAEMON_LIST = MASTER, START\n",
    good="DAEMON_LIST = MASTER, STARTD\n",
    per=Per.ITEM,
    of="DAEMON_LIST",
    observed="Observed with 25.14.1: condor_master with START in DAEMON_LIST.",
)
def no_program(setting: Setting, item: Item) -> Iterator[Diagnostic]:
    if covering(item.text) is not None:
        advice = meant(item.text, sorted(DAEMONS), "condor_master cannot execute it")
        yield setting.say(no_program, f"`{item.text}` is an expression, no daemon", item, advice)


@finding(
    "P217",
    "an attribute whose value does not parse",
    "The value of a macro in STARTD_ATTRS, SCHEDD_ATTRS and the like is an expression; a text needs"
    " quotes. The daemon logs `Failed to insert ClassAd attribute`, and the ad is without it.",
    "STARTD_ATTRS = Model\nModel = Dell R750\n",
    'STARTD_ATTRS = Model\nModel = "Dell R750"\n',
    observed="Observed with 25.14.1: its startd logs `CONFIGURATION PROBLEM: Failed to insert"
    " ClassAd attribute` and goes on.",
    per=Per.CONFIGURATION,
)
def no_value(view: View) -> Iterator[Diagnostic]:
    """Attributes whose macros hold no expression."""
    lists, listed = [names for names in LISTS if names.lists_attributes], view.items
    published = set().union(*(listed.get(names.name, set()) for names in lists))
    for setting in view.settings:
        named = setting.macro.casefold() in published and setting.knob is None
        broken = setting.unparsable() if named else None
        if broken is not None:
            yield setting.say(no_value, *broken, "a text needs quotes")


@finding(
    "P216",
    "userMap() of a map that no list names",
    "userMap() is undefined for a map that <SUBSYS>_CLASSAD_USER_MAP_NAMES does not list. Without"
    " any such list nothing is said: another file may have it.",
    "SCHEDD_CLASSAD_USER_MAP_NAMES = projects\nCLASSAD_USER_MAPFILE_projects = /etc/projects\n"
    "SUBMIT_REQUIREMENT_NAMES = MAPPED\n"
    'SUBMIT_REQUIREMENT_MAPPED = userMap("project", Owner) =!= undefined\n',
    "SCHEDD_CLASSAD_USER_MAP_NAMES = projects\nCLASSAD_USER_MAPFILE_projects = /etc/projects\n"
    "SUBMIT_REQUIREMENT_NAMES = MAPPED\n"
    'SUBMIT_REQUIREMENT_MAPPED = userMap("projects", Owner) =!= undefined\n',
    observed="Observed with 25.14.1: its schedd refuses a job for such a requirement, and takes it"
    " once the list has the map.",
)
def no_map(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Maps that expressions and transforms ask for, by any list: a daemon's own is not told."""
    asked = list(_MAP.finditer(setting.text()))
    table = view.config.scope.table if asked else ()
    lists = [one for one in table if one.name.upper().endswith(_MAP_NAMES)]
    listed = {item.casefold() for one in lists for item in _ITEM.findall(one.raw)}
    for found in asked if lists else ():
        if found[1].casefold() not in listed:
            message = f"no {lists[0].name.upper()} lists the map `{found[1]}`"
            yield setting.say(no_map, message, Item.of(found, 1), meant(found[1], sorted(listed)))


def _undefined(view: View, setting: Setting, names: NameList) -> Iterator[Diagnostic]:
    # A user may give those that something uses.
    used = _used(view, setting) if names.name == "SUBMIT_ATTRS" else set()
    known: list[str] | None = None
    for item in setting.items():
        is_name = item.text.casefold() not in used and _NAME.fullmatch(item.text)
        if is_name and not _is_defined(view, names, item.text):
            macro = names.defined_by[0].replace("<name>", item.text)
            of_item = "which" if macro == item.text else f"and `{macro}`"
            message = f"{setting.macro} lists `{item.text}`, {of_item} is not defined"
            known = _unlisted_names(view, names) if known is None else known
            advice = meant(item.text, known, names.without)
            yield setting.say(NOT_DEFINED, message, item, advice, names=(macro,))


def _unlisted_names(view: View, names: NameList) -> list[str]:
    """What the files define and no list names: an item may be a slip of that."""
    lists = (one for one in view.settings if is_list(one.macro))
    listed = {item.text.casefold() for one in lists for item in one.items()}
    if names.lists_attributes:
        known = [one.macro for one in view.settings if one.knob is None]
    else:
        members = (names.member(one.macro) for one in view.settings)
        known = [name for name in members if name is not None]
    return [name for name in known if name.casefold() not in listed]


def _used(view: View, but: Setting) -> set[str]:
    """The words of all other values."""
    texts = (setting.entry.raw for setting in view.settings if setting is not but)
    return {found.casefold() for text in texts for found in _NAME.findall(text)}


def _is_defined(view: View, names: NameList, item: str) -> bool:
    if names.lists_attributes and item.casefold() in published_names():
        return True
    for pattern in names.defined_by:
        macro = pattern.replace("<name>", item)
        if view.config.lookup(macro) is not None or macro.casefold() in view.defined:
            return True
    return False


@cache
def published_names() -> frozenset[str]:
    """The case-folded names of attributes that ads have without the configuration."""
    return frozenset(name.casefold() for name in attribute_names())


@finding(
    "P212",
    "a definition that its list does not name",
    "A daemon looks for what the list names and for nothing else: the definition has no effect.",
    "SYSTEM_PERIODIC_HOLD_Mem = MemoryUsage > 3 * RequestMemory\n",
    "SYSTEM_PERIODIC_HOLD_NAMES = Mem\n"
    "SYSTEM_PERIODIC_HOLD_Mem = MemoryUsage > 3 * RequestMemory\n",
    per=Per.CONFIGURATION,
    elsewhere=True,
)
def not_listed(view: View) -> Iterator[Diagnostic]:
    for setting in view.settings:
        if setting.macro.casefold() in view.words:
            continue
        members = ((names.name, names.member(setting.macro)) for names in LISTS)
        lists = [(name, item.casefold(), item) for name, item in members if item is not None]
        name, folded, item = lists[0] if lists else ("", "", "")
        if lists and not any(folded in view.items.get(other, ()) for other, _, _ in lists):
            message = f"`{item}` is in no {name}, so nobody reads this"
            yield not_listed.named(setting.entry, message, needs=name, names=(item,))


@finding(
    "P214",
    "an attribute of one's own that no list publishes",
    "A macro becomes an attribute of the machine's ad when STARTD_ATTRS names it. `MY.Name` is"
    " undefined without that.",
    "HasScratch = True\nSTART = MY.HasScratch =?= True\n",
    "HasScratch = True\nSTARTD_ATTRS = HasScratch\nSTART = MY.HasScratch =?= True\n",
    per=Per.CONFIGURATION,
    elsewhere=True,
)
def not_published(view: View) -> Iterator[Diagnostic]:
    """Macros that expressions of the startd mean as attributes of the slot."""
    used: dict[str, str] = {}
    for setting in view.expressions():
        if setting.knob is not None and setting.knob.read_by == "STARTD" and setting.tree:
            for node in references(setting.tree):
                if scope_of(node) == "my":
                    used.setdefault(node.name.casefold(), setting.name)
    known = published_names().union(*view.items.values()) if used else frozenset()
    for setting in view.settings:
        name = setting.macro.casefold()
        if name in used and name not in known and setting.knob is None:
            message = f"`MY.{setting.macro}` in {used[name]} is undefined: no list publishes it"
            help_text = f"add `{setting.macro}` to STARTD_ATTRS"
            yield not_published.named(setting.entry, message, help_text)
