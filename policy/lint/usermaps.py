"""Checks user maps: the names that userMap() asks for, and the lines of maps that files hold.

Follows: the schedd of 25.14.1, which reads the maps that its own list names; a line is method, key
and result, and the first one that fits counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from classad.errors import Diagnostic, suggest
from policy.knobs.other_daemons import DAEMONS
from policy.lint.finding import Finding, Meant, Per, finding, looks_at, meant
from policy.lint.view import Item, Setting, View
from policy.maps.user_maps import MapLine, parse_user_map

_CALL: Final = re.compile(
    r'\buserMap\(\s*(?:"(?P<map>\w+)(?:\.\w+)?"|(?P<word>[A-Za-z_]\w*))\s*(?:,\s*"(?P<second>\w+)")?',
    re.IGNORECASE,
)
_NAMES: Final = "_CLASSAD_USER_MAP_NAMES"
_DATA: Final = "CLASSAD_USER_MAPDATA_"
_ITEM: Final = re.compile(r"[^,\s]+")
#: Macros of the schedd that no knob covers.
_OF_SCHEDD: Final = ("SUBMIT_REQUIREMENT_", "JOB_TRANSFORM_", "SYSTEM_PERIODIC_")
#: What the negotiator evaluates as well as the startd.
_OF_TWO: Final = ("START", "RANK")
_EVERYTHING: Final = (".*", "^.*$", "^.*", ".*$", "(.*)", "^(.*)$")


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
    """Maps that expressions and transforms ask for, of the daemon that asks."""
    asked = list(_CALL.finditer(setting.text()))
    lists = _lists(view) if asked else {}
    daemon = _daemon(setting)
    every = set().union(*lists.values())
    for found in asked if lists else ():
        name, word, second = found["map"], found["word"], found["second"]
        if name is None and second is not None and second.casefold() in every:
            message = "userMap() takes the name of the map first, and then what to look up"
            yield setting.say(no_map, message, Item.of(found))
        elif name is None and word.casefold() in every:
            message = f"`{word}` is an attribute here; the name of a map is a text"
            part = Item(word, *found.span("word"))
            yield setting.say(no_map, message, part, Meant(f'"{word}"', word))
        elif name is not None and name.casefold() not in every:
            part = Item(name, *found.span("map"))
            message = f"no {next(iter(lists))}{_NAMES} lists the map `{name}`"
            yield setting.say(no_map, message, part, meant(name, sorted(every)))
        elif name is not None and daemon and name.casefold() not in lists.get(daemon, ()):
            other = next(one for one, names in lists.items() if name.casefold() in names)
            message = f"condor_{daemon.lower()} has no map `{name}`, and is who evaluates this"
            help_text = f"{other}{_NAMES} has it; {daemon}{_NAMES} has to name it, too"
            yield setting.say(no_map, message, Item(name, *found.span("map")), help_text)


def _lists(view: View) -> dict[str, set[str]]:
    """The case-folded names of the maps that each daemon has."""
    found: dict[str, set[str]] = {}
    for one in view.settings:
        macro = one.macro.upper()
        if macro.endswith(_NAMES):
            items = {item.text.casefold() for item in one.items()}
            found.setdefault(macro[: -len(_NAMES)], set()).update(items)
    return found


def _daemon(setting: Setting) -> str | None:
    """Who evaluates an expression; None where nobody knows."""
    if setting.macro.upper().startswith(_OF_SCHEDD):
        return "SCHEDD"
    if setting.macro.upper().startswith("JOB_ROUTER_"):
        return "JOB_ROUTER"
    if setting.knob is None or setting.macro.upper() in _OF_TWO:
        return None
    return setting.knob.read_by if setting.knob.read_by in DAEMONS else None


LINE: Final = Finding(
    "P218",
    "a line of a user map that counts for nothing",
    "A line has a method, which is `*` for what userMap() looks up, a key and a result; the first"
    " one whose key fits counts. Words behind the result are passed over.",
    "SCHEDD_CLASSAD_USER_MAP_NAMES = Groups\nCLASSAD_USER_MAPDATA_Groups @=end\n"
    "alice physics\n@end\n",
    "SCHEDD_CLASSAD_USER_MAP_NAMES = Groups\nCLASSAD_USER_MAPDATA_Groups @=end\n"
    "* alice physics\n@end\n",
    observed="Observed with 25.14.1: user maps are recorded with its library.",
)


@looks_at(Per.SETTING, _DATA + r"\w+")
def lines(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """The lines of a map that stands in a file of the configuration."""
    skipped: list[Diagnostic] = []
    text, name = setting.entry.raw, setting.macro[len(_DATA) :]
    methods = parse_user_map(text, name=name, skipped=skipped)
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for one in skipped:
        assert one.line is not None
        yield _at(setting, text, starts, one.line, one.message)
    raw = " ".join(one.entry.raw for one in view.settings).casefold()
    for method, known in methods.items():
        if method != "*" and f"{name}.{method}".casefold() not in raw:
            for row in known.rows():
                message = f"`{method}` is its method: only `{name}.{method}` is looked up there"
                yield _at(setting, text, starts, row.number, message, "the method is `*`")
        yield from _unreachable(setting, text, starts, list(known.rows()), view.groups)


def _unreachable(
    setting: Setting, text: str, starts: list[int], rows: list[MapLine], groups: tuple[str, ...]
) -> Iterator[Diagnostic]:
    """Lines behind another one of the same key, and what is wrong with results."""
    seen: dict[tuple[bool, str], int] = {}
    for row in rows:
        key = row.pattern is None, row.key
        everything = next((at for (plain, k), at in seen.items()
                           if not plain and k in _EVERYTHING), None)  # fmt: skip
        if seen.get(key, everything) is not None:
            yield _at(setting, text, starts, row.number, "a line above takes its names")
        elif row.rest:
            message = f"`{row.rest}` behind the result is passed over"
            yield _at(setting, text, starts, row.number, message)
        elif groups and row.result not in groups and suggest(row.result, groups) is not None:
            message = f"there is no group `{row.result}`"
            advice = f"did you mean `{suggest(row.result, groups)}`?"
            yield _at(setting, text, starts, row.number, message, advice)
        seen.setdefault(key, row.number)


def _at(
    setting: Setting,
    text: str,
    starts: list[int],
    number: int,
    message: str,
    help_text: str | None = None,
) -> Diagnostic:
    """A finding about a line of the value."""
    start, end = starts[number - 1], starts[number]
    part = Item(text[start:end].rstrip(), start, start + len(text[start:end].rstrip()))
    entry = setting.entry
    if entry.source is not None:
        at = entry.source.text.find(part.text, entry.start, entry.end)
        if at >= 0:
            return LINE.at(
                message, entry.source, at, at + len(part.text), help_text, macro=setting.macro
            )
    return setting.say(LINE, message, part, help_text)
