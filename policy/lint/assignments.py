"""Checks prefixes of macros, and second assignments: what nobody reads, and what is lost.

Follows: the lookup order of 25.14.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile
from typing import Final

from attr import evolve

from classad.errors import Diagnostic, suggest
from classad.patterns import late_regex
from classad.source import Source
from policy.data.tables import folded_attribute_names
from policy.explain.words import listing
from policy.knobs import find_knob
from policy.knobs.lists import LISTS_BY_NAME, is_list
from policy.knobs.other_daemons import DAEMONS, find_other
from policy.knobs.readers import MAIN, find_readers
from policy.knobs.uses import find_use
from policy.language.lines import lines_with_conditions
from policy.language.macros import ExpansionError
from policy.language.numbers import read_integer
from policy.language.table import Definition
from policy.lint.choices import has_hole
from policy.lint.finding import Meant, Per, finding, is_put_together, looks_at, use_of
from policy.lint.lists import HOSTS
from policy.lint.names import UNKNOWN, is_spoken_of
from policy.lint.reading import BROKEN, swallowed
from policy.lint.security import EVERYBODY
from policy.lint.view import ITEM, Item, Setting, View, is_own, unread_setting

#: Templates that add a condition to what was there.
ADDING: Final = late_regex(r"POLICY:(HOLD_IF|PREEMPT_IF|WANT_HOLD_IF|LIMIT_JOB)", re.IGNORECASE)
#: What opens and closes a conditional.
_KEYWORD: Final = late_regex(r"\s*(if|endif)\b", re.IGNORECASE)
#: Lists of hosts and users, and the items that name all of them.
_HOST_LISTS: Final = ("ALLOW_", "DENY_", "FLOCK_FROM")
#: One that gives all of MaxJobRetirementTime.
_WHOLE: Final = late_regex(r"POLICY:LIMIT_JOB", re.IGNORECASE)
ADDED: Final = ("PREEMPT", "WANT_HOLD", "MAXJOBRETIREMENTTIME")


def with_dots(view: View) -> Iterator[Setting]:
    """The settings that may have prefixes."""
    return (one for one in view.settings if "." in one.entry.name)


def _replacing(view: View) -> Iterator[Setting]:
    """The settings that replace or extend an earlier definition."""
    return (one for one in view.settings if one.entry.previous is not None)


@finding(
    "P221",
    "a macro with the prefix of a daemon that does not read it",
    "`NEGOTIATOR.START` is for the negotiator alone, and the negotiator has no START. A prefix is"
    " the name of a daemon, or the local name that a daemon is started with; a name with both,"
    " `STARTD.X.NUM_CPUS`, is read by nobody.",
    bad="NEGOTIATOR.START = False\n",
    good="STARTD.START = False\n",
    observed="Observed with 25.14.1: who reads each macro; a startd started with `-local-name X`"
    " ends at a bad `X.NUM_CPUS` and does not look at `STARTD.X.NUM_CPUS` nor `X.STARTD.NUM_CPUS`.",
    among=with_dots,
)
def never_read(view: View, setting: Setting) -> Iterator[Diagnostic]:
    if is_put_together(setting.entry):
        return  # each daemon puts its own name in front
    yield from _two_prefixes(setting)
    prefix, macro, started = setting.prefix, setting.macro, view.local_names
    if prefix is None or (is_spoken_of(view, setting) and _is_referred_to(view, macro)):
        return
    if prefix.upper() in DAEMONS:
        readers = find_readers(macro)
        daemons = readers.daemons if readers is not None else frozenset()
        if setting.knob is not None:
            daemons |= {setting.knob.read_by}
        if daemons & set(MAIN) and prefix.upper() in MAIN and prefix.upper() not in daemons:
            message = f"condor_{prefix.lower()} does not read {macro}"
            names = [f"condor_{name.lower()}" for name in sorted(daemons & DAEMONS)]
            verb = "does" if len(names) == 1 else "do"
            help_text = f"{listing(names)} {verb}"
            yield never_read.named(setting.entry, message, help_text, macro=macro)
        return
    if view.config.lookup(prefix) is not None:
        return  # the program of a daemon that the master starts under this name
    meant = suggest(prefix, (*DAEMONS, *started.values()))
    if meant is not None and prefix.casefold() not in started:
        message = f"no daemon has the name `{prefix}`"
        yield never_read.named(setting.entry, message, Meant(meant, prefix), macro=macro)


def _is_referred_to(view: View, macro: str) -> bool:
    """Has a value `$(MACRO)`?  What a value only has as a word, a path does for instance."""
    begin = f"({macro}".casefold()
    texts = [one.entry.raw for one in view.settings if begin in one.entry.raw.casefold()]
    reference = re.compile(rf"\$\w*\({re.escape(macro)}(?!\w)", re.IGNORECASE) if texts else None
    return reference is not None and any(map(reference.search, texts))


#: What a schedd of 25.14.1 with the local name X opens under SCHEDD.X.SCHEDD_LOG, and the like.
_OWN: Final = ("LOG", "ADDRESS_FILE")


def _two_prefixes(setting: Setting) -> Iterator[Diagnostic]:
    """``STARTD.X.NUM_CPUS``: a daemon with a local name looks for `X.NUM_CPUS`, then for
    `STARTD.NUM_CPUS`."""
    first, _, rest = setting.entry.name.partition(".")
    second, dot, macro = rest.partition(".")
    if not dot or find_knob(rest) is not None or "." in macro:
        return
    if first.upper() in DAEMONS and macro.upper() in (f"{first.upper()}_{one}" for one in _OWN):
        return  # these each daemon names by all its names
    known = find_knob(macro) or find_other(macro) or find_readers(macro)
    if known is not None and {first.upper(), second.upper()} & set(DAEMONS):
        message = f"no daemon reads a name with two prefixes, `{first}.{second}`"
        local = second if first.upper() in DAEMONS else first
        help_text = f"a daemon with the local name {local} reads `{local}.{macro}`"
        yield never_read.named(setting.entry, message, help_text, macro=macro)


_OF_CONFIGURATION: Final = late_regex(r"\.(?:conf|config|cfg|local)\b|config")


@looks_at(Per.SETTING, of="use|include")
def no_statement(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """``use = FEATURE : GPUs``: with `=` it is a macro like any other, as INCLUDE is, the folder of
    headers."""
    if setting.folded == "include" and not _OF_CONFIGURATION.search(setting.text()):
        return
    said = f"`{setting.macro}` is a macro here, which nobody reads"
    form = "CATEGORY : NAME" if setting.folded == "use" else ": FILE"
    yield UNKNOWN.named(setting.entry, said, f"the statement is `{setting.macro.lower()} {form}`")


#: What a pool, a daemon or a domain is called: it has one name.
_CALLED: Final = frozenset(
    (
        *("COLLECTOR_NAME", "NEGOTIATOR_NAME", "SCHEDD_NAME", "STARTD_NAME", "MASTER_NAME"),
        *("UID_DOMAIN", "FILESYSTEM_DOMAIN", "TRUST_DOMAIN", "DEFAULT_DOMAIN_NAME"),
    )
)


@finding(
    "P203",
    "a policy macro or a name that is set twice in one file",
    "The later definition, or a template, replaces the earlier one, which has no effect. Settings"
    " of different files, in conditionals, of the same text, and values that build on themselves"
    " are not meant.",
    "PRIORITY_HALFLIFE = 3600\nPRIORITY_HALFLIFE = 7200\n",
    "PRIORITY_HALFLIFE = 7200\n",
    among=_replacing,
)
def shadowed(view: View, setting: Setting) -> Iterator[Diagnostic]:
    earlier = setting.entry.previous
    if earlier is None or not is_own(earlier):
        return
    # What a list loses is a finding of its own.
    is_read = setting.knob is not None or find_readers(setting.macro) is not None
    is_plain = (is_read and not is_list(setting.macro)) or setting.upper in _CALLED
    is_told = is_plain or _is_another_host(setting, earlier)
    if is_told and replaces(setting.entry, earlier) and not _is_as_before(setting, earlier):
        message = f"`{earlier.name}` is set again in line {setting.entry.line}"
        yield shadowed.named(earlier, message, "this definition has no effect")


@looks_at(Per.CONFIGURATION)
def set_by_template(view: View) -> Iterator[Diagnostic]:
    """``START = $(MINE)`` before `use POLICY : Desktop`, which sets START."""
    for entry in view.config.scope.table:
        earlier = entry.previous if entry.template is not None and not entry.extends else None
        if earlier is None or not is_own(earlier) or earlier.raw.strip() == entry.raw.strip():
            continue
        use = use_of(view.config, entry) if entry.origin == earlier.origin else None
        if use is None or _is_inside(use[1], use[2]) or _in_conditional(earlier):
            continue
        if earlier.source is use[1]:
            message = f"`{earlier.name}` is set again in line {entry.line}, by `{use[0]}`"
            yield shadowed.named(earlier, message, "what stands behind the template counts")


def _is_as_before(setting: Setting, earlier: Definition) -> bool:
    """Is it set to the same, once by a macro and once by what that has?"""
    try:
        return setting.config.expand(earlier).text.strip() == setting.text().strip()
    except ExpansionError:
        return False


def _is_another_host(setting: Setting, earlier: Definition) -> bool:
    """Does one central manager take the place of another one, rather than join it?"""
    alone = all(len(_items_of(setting, one)) <= 1 for one in (setting.entry, earlier))
    return alone and setting.upper in HOSTS


def replaces(later: Definition, earlier: Definition) -> bool:
    """Is a plain assignment replaced by another in the same file?"""
    source = later.source
    if source is None or earlier.source is not source or later.raw == earlier.raw:
        return False
    begin = source.text.rfind("\n", 0, later.start) + 1
    before = source.text[begin : later.start]
    if later.extends or "+" in before or later.raw.startswith(earlier.raw + " "):
        return False
    return not _in_conditional(later) and not _in_conditional(earlier)


def _in_conditional(entry: Definition) -> bool:
    assert entry.source is not None
    return _is_inside(entry.source, entry.start)


def _is_inside(source: Source, at: int) -> bool:
    return any(start < at <= end for start, end in _conditionals(source))


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
    among=_replacing,
)
def loses_items(view: View, setting: Setting) -> Iterator[Diagnostic]:
    entry, earlier = setting.entry, setting.entry.previous
    if earlier is None or not is_own(earlier):
        return
    is_names = is_list(setting.macro) or setting.folded in LISTS_BY_NAME
    if not is_names or _is_another_host(setting, earlier):
        return
    left = set(_items_of(setting, entry))
    lost = [item for item in _items_of(setting, earlier) if item not in left]
    if not left.isdisjoint(EVERYBODY) and setting.upper.startswith(_HOST_LISTS):
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
    names, entry = LISTS_BY_NAME.get(setting.folded), setting.entry
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


#: Macros that each reader sets itself, and what to set in their place.
_BY_ITSELF: Final = {
    **dict.fromkeys(("FULL_HOSTNAME", "HOSTNAME"), "NETWORK_HOSTNAME"),
    **dict.fromkeys(("IP_ADDRESS", "IPV4_ADDRESS", "IPV6_ADDRESS"), "NETWORK_INTERFACE"),
}


@finding(
    "P254",
    "a name or an address of the machine that HTCondor sets itself",
    "Behind the last file each daemon and tool sets FULL_HOSTNAME, HOSTNAME and IP_ADDRESS to what"
    " it finds on the machine, whatever the files say.",
    bad="FULL_HOSTNAME = node1.example.edu\n",
    good="NETWORK_HOSTNAME = node1.example.edu\n",
    per=Per.CONFIGURATION,
    observed="Observed with condor_config_val of 25.14.1, for each of them.",
)
def set_again(view: View) -> Iterator[Diagnostic]:
    if _own(view, "PID") is not None:
        return  # somebody has kept what condor_config_val prints, all of it
    for name, instead in _BY_ITSELF.items():
        own = _own(view, name)
        if own is not None:
            message = f"{name} is set again by whoever reads this, so it does not count"
            advice = f"`{instead}` says which one daemons take"
            if instead == "NETWORK_INTERFACE":
                advice = f"{advice}, and TCP_FORWARDING_HOST by which others reach them"
            yield set_again.named(own, message, advice)


def _own(view: View, name: str) -> Definition | None:
    """The last definition of a macro in the files, whatever came behind them."""
    entry = view.config.scope.table.get(name)
    return next(filter(is_own, entry.chain()), None) if entry is not None else None


@finding(
    "P223",
    "an assignment that undoes a policy template",
    "Templates such as POLICY : Hold_If_Memory_Exceeded add their condition to PREEMPT and"
    " WANT_HOLD. An assignment after them, without `$(PREEMPT)`, drops the condition, and so does a"
    " template that sets PREEMPT, as Always_Run_Jobs and Limit_Job_Runtimes do; so does one"
    " of DAEMON_LIST with the daemons that `use ROLE : Submit` has put there.",
    bad="use POLICY : Hold_If_Memory_Exceeded\nPREEMPT = False\n",
    good="PREEMPT = False\nuse POLICY : Hold_If_Memory_Exceeded\n",
    among=_replacing,
)
def policy_lost(view: View, setting: Setting) -> Iterator[Diagnostic]:
    entry, earlier = setting.entry, setting.entry.previous
    if earlier is None or not earlier.template or entry.template is not None:
        return
    if entry.name.upper() in ADDED and ADDING.match(earlier.template):
        lost = f"drops the condition that {_added(entry, earlier)} adds"
        if entry.name.upper() == ADDED[-1] and _WHOLE.match(earlier.template):
            lost = "" if _is_as_long(setting) else f"undoes what {_added(entry, earlier)} sets"
        if lost and earlier.raw not in entry.raw:
            yield policy_lost.named(entry, f"{entry.name} {lost}", "set it before the template")
    elif setting.upper == "DAEMON_LIST" or setting.folded in LISTS_BY_NAME:
        yield from _of_templates(setting, earlier)


@looks_at(Per.CONFIGURATION)
def broken_by_argument(view: View) -> Iterator[Diagnostic]:
    """A line of a template of which an argument makes no expression: Limit_Job_Runtimes(3 days)."""
    said = {one.start for one in view.config.diagnostics}
    for entry in view.config.scope.table:
        setting = unread_setting(view.config, entry) if entry.template is not None else None
        if setting is None or find_use(setting.macro) is None or setting.mistake is None:
            continue
        use = None if has_hole(view.config, entry) else use_of(view.config, entry)
        if use is not None and "(" in use[0] and use[2] not in said:
            said.add(use[2])
            message = f"{setting.macro} of the template is no expression: {setting.mistake.message}"
            named = "its argument is the name of a macro with the condition"
            help_text = named if "$(" in setting.text() else setting.mistake.help
            yield BROKEN.at(message, *use[1:], help_text, macro=setting.macro)


def _is_as_long(setting: Setting) -> bool:
    """Does a retirement last as long as Limit_Job_Runtimes lets jobs run, as far as is known?"""
    evaluate = setting.config.scope.functions.evaluate
    texts = (setting.text(), setting.beside("MAX_JOB_RUNTIME"))
    own, limit = (read_integer(text.strip() or "none", evaluate) for text in texts)
    return own is None or limit is None or own >= limit


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


#: What is set like a macro inside a value, perhaps with the end of another word before it.
_INSIDE: Final = late_regex(r"[a-z0-9]*([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\s*=(?![=?!])")
#: Values in which variables are set, or other programs' options.
_WITH_VARIABLES: Final = late_regex(r"\w*(ENV|ENVIRONMENT|ARGS|ARGUMENTS|OPTIONS)", re.IGNORECASE)


@looks_at(Per.SETTING, holding="=")
def in_one_line(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """``QUEUE_SUPER_USERS = root, condorSCHEDD_INTERVAL = 120``: the end of a line is lost."""
    raw, entry = setting.entry.raw, setting.entry
    if "=" not in raw or entry.source is None or setting.upper.endswith("_DEBUG"):
        return  # of a word in a list of categories another finding tells
    if "\n" in entry.source.text[entry.start : entry.end] or setting.tree is not None:
        return
    readers = find_readers(setting.macro)
    if readers is None or readers.kind != "string" or _WITH_VARIABLES.fullmatch(setting.macro):
        return
    for found in _INSIDE.finditer(setting.text()):
        if find_readers(found[1]) is not None and find_use(setting.macro) is None:
            message = f"{setting.macro} has `{found[1]} =` in its value, which is no setting there"
            where = Item(found[1], found.start(1), found.end(1))
            yield setting.say(swallowed, message, where, "a setting has a line of its own")
            return
