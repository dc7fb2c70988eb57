"""Checks references to macros that nobody defines, wherever a daemon would read them.

A daemon reads the macros that it asks for and those that lists name, and with them everything that
these refer to: the finding stands at the reference, in the helper macro that has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from classad.errors import Diagnostic, suggest
from classad.patterns import late_regex
from classad.source import Source
from policy.data.tables import builtin_table, meanings, spelling
from policy.explain.roles import is_whole, may_read
from policy.knobs.declaration import KnobKind
from policy.knobs.lists import LISTS_BY_NAME, is_list, memberships
from policy.knobs.obsolete import find_obsolete, once_predefined
from policy.knobs.readers import find_readers
from policy.knobs.reading import Place, call_place, place
from policy.knobs.uses import find_use
from policy.language.about import PART, change_about
from policy.language.lines import lines_with_conditions
from policy.language.table import Definition
from policy.lint import reading
from policy.lint.finding import NOTE, Advice, Finding, Meant, Per, looks_at, use_of
from policy.lint.view import Item, Setting, View

SHELL: Final = Finding(
    "P124",
    "braces where a reference has parentheses",
    "`${NAME}` is text for HTCondor, and so is what a template has between `{{` and `}}`; a"
    " reference is written `$(NAME)`.",
    "SCRATCH = /scratch\nEXECUTE = ${SCRATCH}/condor\n",
    "SCRATCH = /scratch\nEXECUTE = $(SCRATCH)/condor\n",
)
_REFERENCE: Final = late_regex(r"(?<!\$)\$\(([A-Za-z0-9_./]+)\)")
_ANY: Final = late_regex(r"\$\w*\(([A-Za-z0-9_./]+)")
_BRACES: Final = late_regex(r"(?<!\$)\$(?:ENV)?\{(\w+)\}")
#: A place of a template, as Jinja fills it in.
_TEMPLATE: Final = late_regex(r"\{\{-?[ \t]*[A-Za-z_][\w.]*[ \t]*(?:\|[^{}]*)?\}\}")
_CALLED: Final = late_regex(r"(?<!\$)\$[A-Z_]+\(")
_BARE: Final = late_regex(r"(?<![$\w])\$([A-Za-z]\w+)(?![\w(])")
#: What looks like a reference where all that are ones have been followed.
_KEPT: Final = late_regex(r"(?<!\$)\$(?:ENV)?\([^()]*\)")
_BLANKS: Final = late_regex(r"(?<!\$)\$\((?=[ \t]|\w+[ \t])[ \t]*(\w+)[ \t]*\)")
_OPEN: Final = late_regex(r"(?<!\$)\$[A-Za-z]*\(\w+(?=[^)\w]|$)[^()]*$")
_SIGNS: Final = "a name has no signs but `_` and `.`, and a default none but `_ . / , : $`"
#: Macros that a daemon sets itself, on some machines to nothing.
_RUNTIME: Final = frozenset(
    (
        *("dollar", "config_root", "python3", "tilde", "ipv6_address", "ipv4_address", "opsysver"),
        *("opsysandver", "opsys_ver", "opsys_and_ver", "opsys_long_name", "opsys_name", "pid"),
        *("condor_version", "subsystem", "localname", "hostname", "full_hostname", "username"),
        *("opsysmajorver", "opsysname", "opsyslegacy", "opsysshortname", "opsyslongname", "ppid"),
        *("unameopsys", "unamearch", "uname_opsys", "uname_arch", "arch", "opsys", "ip_address"),
    )
)
#: Macros of the packaged files of HTCondor-CE that a site's own files refer to and add to.
_OF_CE: Final = frozenset(
    ("FRIENDLY_DAEMONS", "UNMAPPED_USERS", "USERS", "SUPERUSERS", "JOB_ROUTER_DEFAULTS_GENERATED")
)
#: Macros with a language of their own, in which references may be to the job.
_OTHER_LANGUAGES: Final = ("JOB_TRANSFORM_", "JOB_ROUTER_", "SUBMIT_TEMPLATE_", "STARTD_JOB_HOOK_")
#: Without what these have no daemon does what it should.
_OF_WHOLE_HOSTS: Final = ("DAEMON_LIST", "GROUP_NAMES")
_SHORTEST: Final = 4
_ARGUMENTS: Final = late_regex(r"(?i)(?:STARTD|SCHEDD)_CRON_\w+_ARGS")
_SHELLS: Final = late_regex(r"(?:/|^)(?:(?:ba|da|k|z|tc|c)?sh|perl|python[\d.]*|g?awk|env)$")
_BLOCK: Final = late_regex(r"[^\s=:@+]+\s*@=\s*(\S+)")


@looks_at(Per.CONFIGURATION)
def holes(view: View) -> Iterator[Diagnostic]:
    """Undefined macros, and what is no reference."""
    live = _live(view)
    for setting in live:
        if setting.upper.startswith(_OTHER_LANGUAGES):
            continue
        raw = setting.entry.raw
        if setting.problems:
            yield from _failing(setting)
        if "$" not in raw and "{{" not in raw and "$" not in (setting.entry.written or ""):
            continue
        for found in _REFERENCE.finditer(raw):
            missed = not _is_defined(view, found[1]) and not _is_item(setting, found)
            if missed and may_read(view.config, setting.macro):
                message = f"`{found[0]}` is not defined and leaves a hole in {setting.name}"
                where = _place(setting.entry, found[0])
                hole = _hole(view, found[1], message, where, setting.name)
                if is_of_the_pool(found[1]):
                    hole.severity = NOTE
                elif not hole.help and _is_a_part(view, setting, found):
                    change_about(hole, kind=PART)
                yield hole
        yield from _itself(view, setting)
        yield from _no_references(view, setting)
        open_ = _OPEN.search(raw)
        if open_ is not None and "\n" not in raw:
            message = "this reference is never closed, and stays as text"
            yield reading.NO_REFERENCE.at(message, *_place(setting.entry, open_[0]))
    yield from _added_to_themselves(view, live)
    yield from _arguments(view)
    yield from _conditions(view)


def _failing(setting: Setting) -> Iterator[Diagnostic]:
    """What function macros of the value cannot do, if nothing else says it of who reads it."""
    is_told = setting.reading is not None and setting.reading.diagnostic is not None
    if not is_told and _CALLED.search(setting.entry.raw):
        message, what = f"{setting.macro}: {setting.problems[0]}", "its readers end at it"
        spot = call_place(setting.entry)
        yield reading.INVALID.at(message, *spot, what, macro=setting.macro)


def _arguments(view: View) -> Iterator[Diagnostic]:
    """A macro that a template is used with, as in ``use POLICY : Preempt_If(TOO_BIG)``."""
    said: set[str] = set()
    for entry in view.config.scope.table:
        if entry.template is None or "$(" not in entry.raw or not may_read(view.config, entry.name):
            continue
        for name in _REFERENCE.findall(entry.raw):
            use = None if name in said or _is_defined(view, name) else use_of(view.config, entry)
            if use is not None and name in re.findall(r"[\w.]+", use[0].partition("(")[2]):
                said.add(name)
                message = f"`$({name})` is not defined and leaves a hole in {entry.name}"
                where = _stretch(use, name)
                yield _hole(view, name, message, where, entry.name, written=name)


def _stretch(use: tuple[str, Source, int, int], word: str) -> Place:
    """Where a word stands in a `use` statement, behind the template's name."""
    text, source, start, _ = use
    at = start + text.index(word, text.index("("))
    return source, at, at + len(word)


def _added_to_themselves(view: View, live: list[Setting]) -> Iterator[Diagnostic]:
    """``USERS = $USERS, alice`` where another macro has it: in one that daemons read it is told."""
    read = set(map(id, live))
    for setting in view.settings:
        raw = setting.entry.raw
        found = _BARE.search(raw) if "$" in raw and id(setting) not in read else None
        if found is not None and found[1].casefold() == setting.folded:
            message, meant = f"`{found[0]}` is not a reference", f"$({found[1]})"
            where = _place(setting.entry, found[0])
            yield SHELL.at(message, *where, Meant(meant, found[0]), macro=setting.macro)


def _is_item(setting: Setting, found: re.Match[str]) -> bool:
    """Is it an item of a list for a macro of HTCondor's own, as in ``$(FLOCK_FROM), cm``?  Such a
    list has one item less where that is not set."""
    text = setting.entry.raw
    around = text[: found.start()][-1:] + text[found.end() :][:1]
    others = text.replace(found[0], "").strip(" ,\t\n")
    return (
        not around.strip(" ,\t\n")
        and bool(others)
        and (is_list(setting.macro) and is_of_the_pool(found[1]))
    )


def _is_a_part(view: View, setting: Setting, found: re.Match[str]) -> bool:
    """Does a list of hosts or names have one item less, or a macro that is no path, no number and
    no expression its default, as if nobody had set it?  In a part of a configuration a path may
    begin with what another part sets."""
    kind = KnobKind.STRING if setting.knob is None else setting.knob.kind
    row = builtin_table().get(setting.folded)
    raw = setting.entry.raw.strip()
    if kind is KnobKind.STRING and raw.startswith(f"{found[0]}/") and not is_whole(view.config):
        return True
    read = row is not None or find_readers(setting.macro) is not None
    plain = kind is KnobKind.STRING and read and not (row or [])[1:]
    whole = raw == found[0] and plain
    return (whole or is_list(setting.macro)) and setting.upper not in _OF_WHOLE_HOSTS


def _no_references(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Braces, a bare ``$``, blanks in the parentheses."""
    raw, macro = setting.entry.raw, setting.macro
    braces = _BRACES.finditer(raw) if "{" in raw else ()
    for found in (*braces, *_BARE.finditer(raw)):
        known = _is_defined(view, found[1])
        of_path = "path" in builtin_table().get(macro.casefold(), [])[1:]
        of_program = _is_for_a_program(setting)
        if known or of_path or of_program or raw.strip().startswith(f"{found[0]}/"):
            advice: Advice = Meant(f"$({found[1]})" if known else f"$ENV({found[1]})", found[0])
            if of_program and not known:
                advice = "no shell reads the arguments: the program gets it as it is written"
            message = f"`{found[0]}` is not a reference"
            where = _place(setting.entry, found[0])
            yield SHELL.at(message, *where, advice, macro=macro)
    is_expression = setting.knob is not None and setting.knob.kind is KnobKind.EXPR
    for found in _TEMPLATE.finditer(raw) if "{{" in raw and not is_expression else ():
        message = "what a template has in braces is text for HTCondor"
        yield SHELL.at(message, *_place(setting.entry, found[0]), "fill the template in first")
    for found in _BLANKS.finditer(raw) if "$(" in raw and not is_expression else ():
        message = f"`{found[0]}` has blanks in it, so it is no reference and stays as text"
        where = _place(setting.entry, found[0])
        yield reading.NO_REFERENCE.at(message, *where, Meant(f"$({found[1]})", found[0]))
    is_read = not is_expression and "DOLLAR" not in raw.upper() and find_readers(macro) is not None
    for found in _KEPT.finditer(setting.text()) if is_read else ():
        if _BLANKS.fullmatch(found[0]) is None:
            message = f"`{found[0]}` is no reference and stays as text"
            part = Item.of(found)
            yield setting.say(reading.NO_REFERENCE, message, part, _SIGNS)


def _is_for_a_program(setting: Setting) -> bool:
    """Are they the arguments of a job of a cron, which is no shell that could read them?"""
    if _ARGUMENTS.fullmatch(setting.macro) is None:
        return False
    program = setting.beside(f"{setting.macro[:-4]}EXECUTABLE").strip()
    return _SHELLS.search(program) is None


def _itself(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """An expression that adds to its own value, where there is none yet."""
    *_, entry = setting.entry.chain()
    written = entry.written or ""
    if "$" not in written or entry.previous is not None:
        return
    readers = find_readers(setting.macro) if find_use(setting.macro) is None else None
    if find_use(setting.macro) is None and (readers is None or readers.kind != "expression"):
        return
    default = view.config.scope.table.default(setting.macro)
    if default is not None and default.raw.strip():
        return
    for found in _REFERENCE.finditer(written):
        if found[1].casefold() == entry.name.casefold() and found[0] not in entry.raw:
            message = f"`{found[0]}` has no value before and leaves a hole in {setting.name}"
            where = _place(entry, found[0])
            yield reading.HOLE.at(message, *where, macro=setting.name, names=(found[1],))


def is_of_the_pool(name: str) -> bool:
    """Is it one of HTCondor's own macros, CONDOR_HOST for instance, which another file sets, or one
    that the files of HTCondor-CE's packages set?"""
    known = (
        name.casefold() in builtin_table() or name.upper() in _OF_CE or spelling(name) in meanings()
    )
    return known or find_readers(name) is not None


def _hole(
    view: View, name: str, message: str, place: Place, macro: str = "", written: str = ""
) -> Diagnostic:
    """A reference to a macro that is not defined, in the value of another one or a condition."""
    template, meant, gone = once_predefined(name), None, find_obsolete(name)
    if gone is not None and not gone.alias:
        template = template or f"{name} is gone: {gone}"
    if template is None and len(name) >= _SHORTEST:
        known = [setting.macro for setting in view.settings]
        meant = suggest(name, [*known, *view.config.scope.table.default_names()])
    advice: Advice = template
    if meant is not None:
        advice = Meant(meant, written) if written else Meant(f"$({meant})", f"$({name})")
    return reading.HOLE.at(message, *place, advice, macro=macro, names=(name,))


def _place(entry: Definition, text: str) -> Place:
    """Where a reference stands in the file; the whole value where it was put together."""
    if entry.source is None:
        at = entry.raw.find(text)
        return place(entry, entry.raw, at, at + len(text))
    at = entry.source.text.find(text, entry.start, entry.end)
    if at == -1:
        return entry.source, entry.start, entry.end
    return entry.source, at, at + len(text)


def _is_defined(view: View, name: str) -> bool:
    folded = name.casefold()
    if folded in _RUNTIME or "." in name:
        return True
    return view.config.scope.table.exact(name) is not None or folded in view.defined


def _live(view: View) -> list[Setting]:
    """The definitions that daemons read, directly or through others."""
    by_name = view.of_macro
    todo = [setting for setting in view.settings if _is_read(setting)]
    todo += [one for name in _attributes(view) for one in by_name.get(name, ())]
    done: dict[int, Setting] = {}
    while todo:
        setting = todo.pop()
        if id(setting) not in done:
            done[id(setting)] = setting
            raw = setting.entry.raw
            names = (found[1].casefold() for found in _ANY.finditer(raw)) if "$" in raw else ()
            todo += [one for name in names for one in by_name.get(name, ())]
    return [setting for setting in view.settings if id(setting) in done]


#: Families of names that lists and keywords make, and daemons read.
_FAMILIES: Final = (
    *("STARTD_CRON_", "SCHEDD_CRON_", "BENCHMARKS_CRON_", "MACHINE_RESOURCE_", "MASTER_SHUTDOWN_"),
    *("SYSTEM_PERIODIC_", "SUBMIT_REQUIREMENT_"),
)


def _is_read(setting: Setting) -> bool:
    gone = find_obsolete(setting.macro)
    if gone is not None and not gone.alias:
        return False
    if setting.knob is not None or find_readers(setting.macro) is not None:
        return True
    if spelling(setting.macro) in meanings() or setting.folded in _of_defaults():
        return True
    upper = setting.upper
    is_hook = "_HOOK_" in upper
    return bool(memberships(setting.macro)) or is_hook or upper.startswith(_FAMILIES)


@cache
def _of_defaults() -> frozenset[str]:
    """The macros that have a default, and those that defaults refer to."""
    table = builtin_table()
    texts = (row[0] for row in table.values())
    referring = "\n".join(text for text in texts if "$" in text)
    return frozenset(table).union(map(str.casefold, _ANY.findall(referring)))


def _attributes(view: View) -> Iterable[str]:
    """Macros that lists of attributes publish."""
    for setting in view.settings:
        names = LISTS_BY_NAME.get(setting.folded)
        if names is not None and names.lists_attributes:
            yield from (item.text.casefold() for item in setting.items())


#: What asks whether a reference has a value.
_ASKED: Final = late_regex(r"(?i)\bdefined\s+\Z")


def _conditions(view: View) -> Iterator[Diagnostic]:
    """References in conditions, which are false without them."""
    for source in view.config.texts:
        end = ""
        for line in lines_with_conditions(source) if source.quoted else ():
            block = _BLOCK.fullmatch(line.text) if "@=" in line.text else None
            if end or block is not None:
                # Lines of a block are those of another language.
                end = f"@{block[1]}" if block and not end else end * (line.text != end)
                continue
            if (source.name, line.line) not in view.config.false_conditions:
                continue
            for found in _REFERENCE.finditer(line.text):
                asked = _ASKED.search(line.text, 0, found.start()) is not None
                if not asked and not _is_defined(view, found[1]):
                    message = f"`$({found[1]})` is not defined, and the condition is false"
                    spot = source, line.offset(found.start()), line.offset(found.end() - 1) + 1
                    yield _hole(view, found[1], message, spot)
