"""Checks lists that name other macros: what is listed and not there, there and not listed, quotes.

Also what a second assignment loses.
Follows: the startd and the schedd of 25.14.1, which skip what they do not find, and take quotes for
a part of the name; its lookup order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import takewhile
from typing import Final

from attr import evolve

from classad.errors import Diagnostic, is_one_edit
from classad.patterns import late_regex
from classad.source import Source
from policy.data.tables import builtin_table, folded_attribute_names
from policy.explain.roles import is_whole
from policy.explain.sentences import listing
from policy.knobs.lists import LISTS_BY_NAME, NameList, is_list, memberships
from policy.knobs.readers import find_readers
from policy.language.lines import lines_with_conditions
from policy.language.macros import ExpansionError
from policy.language.table import Definition
from policy.lint.finding import NOTE, Advice, Finding, Meant, Per, Repair, finding, looks_at, meant
from policy.lint.security import EVERYBODY
from policy.lint.view import ITEM, Item, Setting, View, is_own

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
    observed="Observed with 25.14.1: signs in the lists of its startd, schedd, master, negotiator"
    " and collector, of which the logs say nothing, but for `Submit requirement && not defined,"
    " ignoring` and `No path found for job '&&'; skipping`.",
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
    known = ITEM.findall(setting.beside(whole))
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
    text = setting.text()
    if not any(quote in text for quote in _QUOTES):
        return
    what = _without_quotes(setting.macro)
    named = setting.macro.casefold() in view.published and find_readers(setting.macro) is None
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


def _undefined(view: View, setting: Setting, names: NameList) -> Iterator[Diagnostic]:
    # A user may give those that something uses.
    used = _used(view, setting) if names.name == "SUBMIT_ATTRS" else set()
    known: list[str] | None = None
    signs, text = False, setting.text()
    for item in setting.items():
        if names.lists_attributes and "*" in item.text:
            message = f"{setting.macro} takes names and no patterns: `{item.text}` is none"
            yield setting.say(NOT_DEFINED, message, item, names.without)
        added = item.text.startswith("+") and not text[: item.start].strip()  # `=+`, told there
        if _SIGN.search(item.text) and not (signs or added or "$" in item.text):
            yield _no_expression(setting, item, names)
            signs = True
        is_name = item.text.casefold() not in used and _NAME.fullmatch(item.text)
        if names.name == _ROUTES and _is_old_route(view, item.text):
            continue  # that nobody reads these is told there
        if is_name and not _is_defined(view, names, item.text):
            macro = names.defined_by[0].replace("<name>", item.text)
            of_item = "which" if macro == item.text else f"and `{macro}`"
            message = f"{setting.macro} lists `{item.text}`, {of_item} is not defined"
            known = _unlisted_names(view, names) if known is None else known
            advice = meant(item.text, known, names.without)
            if item.text.casefold() == setting.macro.casefold():
                advice = Meant(f"$({setting.macro})", item.text)
            if isinstance(advice, Meant) or not _is_added(view, names):
                found = setting.say(NOT_DEFINED, message, item, advice, names=(macro,))
                free = not isinstance(advice, Meant) and _is_of_a_part(view, setting)
                own, written = f"$({setting.entry.name})", setting.entry.written or ""
                adds = own.casefold() in written.casefold()
                if free and (names.lists_attributes or (adds and not known)):
                    found.severity = NOTE
                    found.help = f"{names.without}, unless another file defines it"
                yield found


def _is_old_route(view: View, name: str) -> bool:
    """Is a route defined in the way of before 25.0?"""
    named = re.compile(rf"\bname\s*=\s*\"{re.escape(name)}\"", re.IGNORECASE)
    return any(named.search(one.entry.raw) for one in view.of_macro.get("job_router_entries", ()))


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


def _is_defined(view: View, names: NameList, item: str) -> bool:
    if names.lists_attributes and item.casefold() in folded_attribute_names():
        return True
    if names.daemon == "STARTD" and any(
        (found := _OF_A_SLOT.match(name)) and name[found.end() :] == item.casefold()
        for name in view.defined
    ):
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
)
def not_listed(view: View) -> Iterator[Diagnostic]:
    for setting in view.settings:
        if setting.macro.casefold() in view.words:
            continue
        lists = memberships(setting.macro)
        if not lists:
            continue
        first, item = lists[0]
        if not any(item.casefold() in view.items.get(names.name, ()) for names, _ in lists):
            message = f"`{item}` is in no {first.name}, so nobody reads this"
            advice = _ending(setting.macro, item, first, view.items.get(first.name, ()))
            yield not_listed.named(setting.entry, message, advice, needs=first.name, names=(item,))


def _ending(macro: str, item: str, names: NameList, listed: Iterable[str]) -> Advice:
    """What a macro of a listed item means whose end is a slip: SUBMIT_REQUIREMENT_Mem_RESON."""
    for aside in names.aside:
        words = item.rsplit("_", aside.count("_") + 1)
        end = "_".join(words[1:])
        if words[0].casefold() in listed and is_one_edit(end.casefold(), aside):
            return Meant(macro[: -len(end)] + aside.upper(), macro)
    return None


# --- second assignments ---------------------------------------------------------------------------

#: Templates that add a condition to what was there.
ADDING: Final = late_regex(r"POLICY:(HOLD_IF|PREEMPT_IF|WANT_HOLD_IF|LIMIT_JOB)", re.IGNORECASE)
#: What opens and closes a conditional.
_KEYWORD: Final = late_regex(r"\s*(if|endif)\b", re.IGNORECASE)
#: Lists of hosts and users, and the items that name all of them.
_HOST_LISTS: Final = ("ALLOW_", "DENY_", "FLOCK_FROM")
ADDED: Final = ("PREEMPT", "WANT_HOLD", "MAXJOBRETIREMENTTIME")


@finding(
    "P203",
    "a policy macro that is set twice in one file",
    "The later definition replaces the earlier one, which has no effect. Settings of different"
    " files, in conditionals, and values that build on themselves are not meant.",
    "PRIORITY_HALFLIFE = 3600\nPRIORITY_HALFLIFE = 7200\n",
    "PRIORITY_HALFLIFE = 7200\n",
)
def shadowed(view: View, setting: Setting) -> Iterator[Diagnostic]:
    earlier = setting.entry.previous
    if earlier is None or not is_own(earlier):
        return
    # What a list loses is a finding of its own.
    is_plain = setting.knob is not None and not is_list(setting.macro)
    if (is_plain or _is_another_host(setting, earlier)) and replaces(setting.entry, earlier):
        message = f"`{earlier.name}` is set again in line {setting.entry.line}"
        yield shadowed.named(earlier, message, "this definition has no effect")


def _is_another_host(setting: Setting, earlier: Definition) -> bool:
    """Does one central manager take the place of another one, rather than join it?"""
    alone = all(len(_items_of(setting, one)) <= 1 for one in (setting.entry, earlier))
    return alone and setting.macro.upper() in _HOSTS


def replaces(later: Definition, earlier: Definition) -> bool:
    """Is a plain assignment replaced by another in the same file?"""
    source = later.source
    if source is None or earlier.source is not source or later.raw == earlier.raw:
        return False
    written = later.written if later.written is not None else later.raw
    begin = source.text.rfind("\n", 0, later.start) + 1
    before = source.text[begin : later.start]
    if written != later.raw or "+" in before or later.raw.startswith(earlier.raw + " "):
        return False
    return not _in_conditional(later) and not _in_conditional(earlier)


def _in_conditional(entry: Definition) -> bool:
    assert entry.source is not None
    return any(start < entry.start <= end for start, end in _conditionals(entry.source))


@lru_cache(maxsize=256)
def _conditionals(source: Source) -> tuple[tuple[int, int], ...]:
    """Where the outermost conditionals of a file begin and end."""
    found, depth, begin = [], 0, 0
    for line in lines_with_conditions(source):
        text = line.text.lstrip(":")
        word = _KEYWORD.match(text) if text[:1] in "iIeE \t" else None
        if word is not None:
            begin = line.offset(0) if not depth else begin
            depth += 1 if word[1].lower() == "if" else -1
            if depth <= 0:
                found.append((begin, line.offset(0)))
    return (*found, (begin, len(source.text))) if depth > 0 else tuple(found)


@finding(
    "P222",
    "a second assignment of a list that loses what the first one had",
    "The later assignment replaces the earlier one whole. To add to a list say"
    " `NAME = $(NAME), more`.",
    bad="ALLOW_WRITE = *.batch.example.edu\nALLOW_WRITE = submit.example.edu\n",
    good="ALLOW_WRITE = *.batch.example.edu\nALLOW_WRITE = $(ALLOW_WRITE), submit.example.edu\n",
)
def loses_items(view: View, setting: Setting) -> Iterator[Diagnostic]:
    entry, earlier = setting.entry, setting.entry.previous
    if earlier is None or not is_own(earlier):
        return
    is_names = is_list(setting.macro) or setting.macro.casefold() in LISTS_BY_NAME
    if not is_names or _is_another_host(setting, earlier):
        return
    left = set(_items_of(setting, entry))
    lost = [item for item in _items_of(setting, earlier) if item not in left]
    if not left.isdisjoint(EVERYBODY) and setting.macro.upper().startswith(_HOST_LISTS):
        return
    if earlier.source is not entry.source:
        lost = [item for item in lost if _is_left_alone(view, setting, item)]
    elif not replaces(entry, earlier):
        return
    if lost:
        shown = _as_written(setting, earlier, lost)
        message = f"{entry.name} is set again and loses {', '.join(f'`{item}`' for item in shown)}"
        there = _seen_from(entry, earlier)
        help_text = f"{there} has it; to add say `{entry.name} = $({entry.name}), ...`"
        yield loses_items.named(entry, message, help_text, names=tuple(lost))


def _is_left_alone(view: View, setting: Setting, item: str) -> bool:
    """Do the files define what the list of another file had, and now nobody reads?

    An assignment in another file may be meant to replace a list; what is defined is meant to be
    read.
    """
    names, entry = LISTS_BY_NAME.get(setting.macro.casefold()), setting.entry
    if names is None or entry.raw != (entry.written or entry.raw):
        return False
    kept = _items_of(setting, entry)
    if not kept or (
        entry.previous and not set(kept).isdisjoint(_items_of(setting, entry.previous))
    ):
        return False  # whoever wrote it has looked at the other one
    macros = {pattern.replace("<name>", item).casefold() for pattern in names.defined_by}
    return not macros.isdisjoint(view.defined) and item.casefold() not in folded_attribute_names()


def _as_written(setting: Setting, entry: Definition, items: list[str]) -> list[str]:
    """Some items of a definition in the words of the file: `$(FULL_HOSTNAME)`, and not what that
    is on this machine."""
    words = ITEM.findall(entry.raw)
    kept = [word for word in words if set(_items_of(setting, evolve(entry, raw=word))) & {*items}]
    return list(dict.fromkeys(kept)) or items


def _items_of(setting: Setting, entry: Definition) -> list[str]:
    try:
        text = setting.config.expand(entry).text
    except ExpansionError:
        text = ""
    return list(dict.fromkeys(ITEM.findall(text)))


@finding(
    "P223",
    "an assignment that undoes a policy template",
    "Templates such as POLICY : Hold_If_Memory_Exceeded add their condition to PREEMPT and"
    " WANT_HOLD. An assignment after them, without `$(PREEMPT)`, drops the condition, and so does a"
    " template that sets PREEMPT, as Always_Run_Jobs and Limit_Job_Runtimes do; so does one"
    " of DAEMON_LIST with the daemons that `use ROLE : Submit` has put there.",
    bad="use POLICY : Hold_If_Memory_Exceeded\nPREEMPT = False\n",
    good="PREEMPT = False\nuse POLICY : Hold_If_Memory_Exceeded\n",
)
def policy_lost(view: View, setting: Setting) -> Iterator[Diagnostic]:
    entry, earlier = setting.entry, setting.entry.previous
    if earlier is None or not earlier.template or entry.template is not None:
        return
    if entry.name.upper() in ADDED and ADDING.match(earlier.template):
        if earlier.raw not in entry.raw:
            message = f"{entry.name} drops the condition that {_added(entry, earlier)} adds"
            yield policy_lost.named(entry, message, "set it before the template")
    elif setting.macro.upper() == "DAEMON_LIST" or setting.macro.casefold() in LISTS_BY_NAME:
        yield from _of_templates(setting, earlier)


def _of_templates(setting: Setting, earlier: Definition) -> Iterator[Diagnostic]:
    """A list without what templates have put into it."""
    entry, chain = setting.entry, list(earlier.chain())
    by_templates = list(takewhile(lambda one: one.template is not None, chain))
    own = [item for one in chain[len(by_templates) :][:1] for item in _items_of(setting, one)]
    left = {item.casefold() for item in (*own, *_items_of(setting, entry))}
    lost = [item for item in _items_of(setting, earlier) if item.casefold() not in left]
    if lost:
        first = [one for one in by_templates if lost[0] in _items_of(setting, one)][-1]
        named = listing([f"`{item}`" for item in lost])
        message = f"{entry.name} drops {named} that {_added(entry, first)} adds"
        help_text = f"to add to it say `{entry.name} = $({entry.name}), ...`"
        yield policy_lost.named(entry, message, help_text)


def _added(entry: Definition, earlier: Definition) -> str:
    """The `use` statement that an earlier definition comes from, and where it is."""
    if earlier.origin != entry.origin:
        return f"the `use` in {_seen_from(entry, earlier)}"
    assert entry.source is not None
    assert earlier.line is not None
    statement = entry.source.text.split("\n")[earlier.line - 1].strip()
    return f"`{statement}` in {_seen_from(entry, earlier)}"


def _seen_from(entry: Definition, earlier: Definition) -> str:
    """Where an earlier definition stands, seen from a later one."""
    if earlier.origin == entry.origin:
        return f"line {earlier.line}"
    return f"{earlier.origin}:{earlier.line}"
