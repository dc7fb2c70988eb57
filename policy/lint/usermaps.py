"""Checks maps: the names that userMap() asks for, and the lines of user and certificate maps.

Follows: the schedd of 25.14.1, which reads the maps that its own list names; a line is method, key
and result, and the first one that fits counts.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from attr import frozen

from classad.builtins.pcre import compile_pattern
from classad.errors import Diagnostic, suggest
from classad.patterns import late_regex
from classad.source import Source
from policy.explain.roles import host_of, is_whole
from policy.knobs.other_daemons import DAEMONS
from policy.knobs.reading import split_list
from policy.lint.finding import NOTE, Finding, Meant, Per, finding, looks_at, meant
from policy.lint.security import METHODS
from policy.lint.view import Item, Setting, View

if TYPE_CHECKING:
    from policy.maps.user_maps import MapLine

_CALL: Final = late_regex(
    r'\buserMap\(\s*(?:"(?P<map>\w+)(?:\.\w+)?"|(?P<word>[A-Za-z_]\w*))\s*(?:,\s*"(?P<second>\w+)")?',
    re.IGNORECASE,
)
_NAMES: Final = "_CLASSAD_USER_MAP_NAMES"
_DATA: Final = "CLASSAD_USER_MAPDATA_"
_FILE: Final = "CLASSAD_USER_MAPFILE_"
#: A key without a sign of a pattern but the dot of names.
_PLAIN: Final = late_regex(r"[\w.@/=-]+")
#: What a pattern has and no name.
_OF_PATTERN: Final = late_regex(r"[.\])][*+]|^\^|\$$|\[[^\]]*\]")
#: Macros of the schedd that no knob covers.
_OF_SCHEDD: Final = ("SUBMIT_REQUIREMENT_", "JOB_TRANSFORM_", "SYSTEM_PERIODIC_")
#: Lines of one kind that are told one by one.
_MANY: Final = 3
#: Methods that map no names, one that has another name in maps, those whose names have no slash.
_TOKENS: Final = ("IDTOKEN", "IDTOKENS", "TOKEN", "TOKENS")
_ALIAS: Final = "SCITOKEN"
_OF_ACCOUNTS: Final = ("FS", "FS_REMOTE", "MUNGE", "CLAIMTOBE", "PASSWORD", "NTSSPI")
_REFERENCE: Final = late_regex(r"\\([0-9])")
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
    " once the list has the map. Of a START with userMap() no job starts unless both the negotiator"
    " and the startd have the map.",
    holding="(",
)
def no_map(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Maps that expressions and transforms ask for, of the daemon that asks."""
    text = setting.text()
    asked = list(_CALL.finditer(text))
    if not asked:
        return
    lists, daemon = _lists(view), _daemon(setting)
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
            yield _of_another(setting, found, lists, daemon)
        elif name is not None and _is_matched_without(view, setting, name, lists):
            yield _of_another(setting, found, lists, "NEGOTIATOR")


def _of_another(
    setting: Setting, found: re.Match[str], lists: dict[str, set[str]], daemon: str
) -> Diagnostic:
    name = found["map"]
    other = next(one for one, names in lists.items() if name.casefold() in names)
    matches = daemon == "NEGOTIATOR" and setting.upper == "START"
    evaluates = "evaluates this, too" if matches else "is who evaluates this"
    message = f"condor_{daemon.lower()} has no map `{name}`, and {evaluates}"
    help_text = f"{other}{_NAMES} has it; {daemon}{_NAMES} has to name it, too"
    return setting.say(no_map, message, Item(name, *found.span("map")), help_text)


def _is_matched_without(
    view: View, setting: Setting, name: str, lists: dict[str, set[str]]
) -> bool:
    """Is it the START of a host whose negotiator, which evaluates it, too, lacks the map?"""
    if setting.upper != "START" or name.casefold() in lists.get("NEGOTIATOR", ()):
        return False
    host = host_of(view.config)
    return host.listed is not None and host.runs("NEGOTIATOR") and host.runs("STARTD")


def _lists(view: View) -> dict[str, set[str]]:
    """The case-folded names of the maps that each daemon has."""
    found: dict[str, set[str]] = {}
    for one in view.settings:
        macro = one.upper
        if macro.endswith(_NAMES):
            items = {item.text.casefold() for item in one.items()}
            found.setdefault(macro[: -len(_NAMES)], set()).update(items)
    return found


def _daemon(setting: Setting) -> str | None:
    """Who evaluates an expression; None where nobody knows."""
    if setting.upper.startswith(_OF_SCHEDD):
        return "SCHEDD"
    if setting.upper.startswith("JOB_ROUTER_"):
        return "JOB_ROUTER"
    if setting.knob is None:
        return None
    return setting.knob.read_by if setting.knob.read_by in DAEMONS else None


LINE: Final = Finding(
    "P218",
    "a line of a map that counts for nothing",
    "A line has a method, which is `*` for what userMap() looks up, a key and a result; the first"
    " one whose key fits counts. Words behind the result are passed over. In CERTIFICATE_MAPFILE"
    " the method is one of authentication that maps names, as tokens of the pool do not, and a key"
    " is a pattern that may fit anywhere in the name, slashes and all, unless"
    " CERTIFICATE_MAPFILE_ASSUME_HASH_KEYS is True: then a pattern stands between slashes.",
    "SCHEDD_CLASSAD_USER_MAP_NAMES = Groups\nCLASSAD_USER_MAPDATA_Groups @=end\n"
    "alice physics\n@end\n",
    "SCHEDD_CLASSAD_USER_MAP_NAMES = Groups\nCLASSAD_USER_MAPDATA_Groups @=end\n"
    "* alice physics\n@end\n",
    observed="Observed with 25.14.1: user maps are recorded with its library; its collector passes"
    " over lines of a certificate map with two words, with a pattern that does not compile and with"
    " the method `*`, and maps `alice` by the key `ali`, nobody by `/.*/`, and everybody to `\\1@x`"
    " by a pattern without groups; of a token it logs `name to map is null, not mapping`.",
)


@frozen(slots=False)
class MapText:
    """The text of a map: a file's, or the value of a macro where ``source`` is None."""

    setting: Setting
    text: str
    source: Source | None = None

    @cached_property
    def _parts(self) -> list[Item]:
        """The lines, without the blanks around them."""
        lines = self.text.splitlines(keepends=True)
        starts = accumulate(map(len, lines), initial=0)
        found = []
        for line, start in zip(lines, starts, strict=False):
            begin = start + len(line) - len(line.lstrip())
            found.append(Item(line.strip(), begin, begin + len(line.strip())))
        return found

    def say(self, number: int, message: str, help_text: str | None = None) -> Diagnostic:
        """A finding about a line, counted from 1."""
        part = self._parts[number - 1]
        words, start = part.text, part.start
        source, setting = self.source, self.setting
        if source is None and setting.entry.source is not None:
            source = setting.entry.source
            start = source.text.find(words, setting.entry.start, setting.entry.end)
        if source is None or start < 0:
            return setting.say(LINE, message, part, help_text)
        end = start + len(words)
        return LINE.at(message, source, start, end, help_text, macro=setting.macro)


def _file_of(setting: Setting) -> MapText | None:
    """The file that a macro names, where it can be read here."""
    path, sources = setting.text().strip(), setting.config.sources
    text = None if not path or sources.forbids(path) else sources.read(path)
    return None if text is None else MapText(setting, text, Source(text, sources.place(path)))


@looks_at(Per.SETTING, r"CLASSAD_USER_MAP(DATA|FILE)_\w+")
def lines(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """The lines of a user map, in a file of the configuration or in one of its own."""
    of_file = setting.upper.startswith(_FILE)
    name = setting.macro[len(_FILE if of_file else _DATA) :]
    mapping = _file_of(setting) if of_file else MapText(setting, setting.entry.raw)
    if mapping is None:
        return
    prefix = view.is_on(f"CLASSAD_USER_MAP_PREFIX_{name}", "SCHEDD", False)
    methods = yield from _read(mapping, prefix=prefix)
    raw = " ".join(one.entry.raw for one in view.settings).casefold()
    strange = [method for method in methods if method != "*"]
    strange = [method for method in strange if f"{name}.{method}".casefold() not in raw]
    rows_of = [(method, row) for method in strange for row in methods[method]]
    many = f", and so are those of {len(rows_of) - 1} other lines" if len(rows_of) > _MANY else ""
    for method, row in rows_of[:1] if many else rows_of:
        message = f"`{method}` is its method{many}: only `{name}.{method}` is looked up there"
        yield mapping.say(row.number, message, "the method is `*`")
    for rows in methods.values():
        yield from _unreachable(mapping, rows)
        yield from _groups(mapping, rows, view.groups)


@looks_at(Per.SETTING, "CERTIFICATE_MAPFILE")
def certificates(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """The lines of the map from who somebody is by a method to users."""
    mapping = _file_of(setting)
    if mapping is None:
        return
    literal = view.is_on("CERTIFICATE_MAPFILE_ASSUME_HASH_KEYS", "SCHEDD", False)
    methods, whole = (yield from _read(mapping)), not literal and _has_every_file(view)
    for method, rows in methods.items():
        told, name = "", method.upper()
        if method == "*":
            told = "`*` is no method here: a line is for one of authentication"
        elif name in _TOKENS:
            told = "who has a token is whom it names: no line is looked at"
        elif name not in METHODS or name == _ALIAS:
            told = f"there is no method `{name}`"
        for row in rows if told else ():
            near = None if name in _TOKENS else suggest(name, METHODS)
            advice = f"did you mean `{near}`?" if near else None
            advice = "GSI is no longer supported" if name == "GSI" else advice
            yield mapping.say(row.number, told, advice)
        if not told:
            yield from _unreachable(mapping, rows, literal=literal)
        for row in () if told else rows:
            yield from _name_or_pattern(mapping, row) if literal else _pattern(mapping, row)
            if row.pattern is not None and whole:
                yield from _slashes(mapping, row, name)


def _has_every_file(view: View) -> bool:
    """Are the folders here that a whole configuration names?  A gateway's own is elsewhere."""
    folders, sources = split_list(view.text("LOCAL_CONFIG_DIR")), view.config.sources
    return is_whole(view.config) and all(sources.list_files(one) is not None for one in folders)


def _slashes(mapping: MapText, row: MapLine, method: str) -> Iterator[Diagnostic]:
    """``FS /(.*)/ x`` where keys are patterns without them: names have no slash there."""
    anchored = row.key.startswith("^") or (row.key.endswith("$") and not row.key.endswith("\\$"))
    if anchored or method in _OF_ACCOUNTS:
        message = f"`/{row.key}/` fits no name: its slashes are letters like others"
        help_text = "with CERTIFICATE_MAPFILE_ASSUME_HASH_KEYS = True they stand around a pattern"
        yield mapping.say(row.number, message, help_text)


def _name_or_pattern(mapping: MapText, row: MapLine) -> Iterator[Diagnostic]:
    """A pattern without slashes, where keys without them are names."""
    if row.pattern is None and _OF_PATTERN.search(row.key):
        message = f"`{row.key}` is a name here, and no pattern"
        pattern = row.key.replace("/", r"\/")
        help_text = f"CERTIFICATE_MAPFILE_ASSUME_HASH_KEYS is True; a pattern is `/{pattern}/`"
        if row.key.startswith("/^"):
            help_text = "a pattern has a slash at its end, too"
        yield mapping.say(row.number, message, help_text)


def _pattern(mapping: MapText, row: MapLine) -> Iterator[Diagnostic]:
    """A key without slashes that is a pattern all the same."""
    if row.pattern is None and compile_pattern(row.key, "") is None:
        yield mapping.say(row.number, f"`{row.key}` is not a regular expression")
    elif row.pattern is None and _PLAIN.fullmatch(row.key):
        message = f"`{row.key}` fits every name that has it anywhere"
        found = mapping.say(row.number, message, f"`/^{re.escape(row.key)}$/` fits that name alone")
        found.severity = NOTE
        yield found


def _read(
    mapping: MapText, *, prefix: bool = False
) -> Generator[Diagnostic, None, dict[str, list[MapLine]]]:
    """What the lines say, by method; findings about those that say nothing."""
    skipped: list[Diagnostic] = []
    from policy.maps.user_maps import parse_user_map  # few configurations have a map

    methods = parse_user_map(mapping.text, prefix=prefix, skipped=skipped)
    for one in skipped:
        assert one.line is not None
        yield mapping.say(one.line, one.message)
    return {method: list(known.rows()) for method, known in methods.items()}


def _unreachable(
    mapping: MapText, rows: list[MapLine], *, literal: bool = True
) -> Iterator[Diagnostic]:
    """Lines behind another one that takes their names, and words behind results.

    ``literal``: a key without slashes is a name and no pattern.
    """
    seen: set[tuple[bool, str]] = set()
    for row in rows:
        yield from _no_group_of_pattern(mapping, row, literal=literal)
        key = row.pattern is None and literal, row.key
        if key in seen or any((False, every) in seen for every in _EVERYTHING):
            yield mapping.say(row.number, "a line above takes its names")
        elif row.rest and not row.rest.startswith("#"):
            yield mapping.say(row.number, f"`{row.rest}` behind the result is passed over")
        seen.add(key)


def _no_group_of_pattern(mapping: MapText, row: MapLine, *, literal: bool) -> Iterator[Diagnostic]:
    """``/.*/ \\1@example.edu``: what stands for no group of the pattern stays as it is."""
    is_pattern = row.pattern is not None or not literal
    try:
        groups = re.compile(row.key).groups if is_pattern else -1
    except re.error:
        return  # patterns of another kind
    for found in _REFERENCE.findall(row.result):
        if int(found) > max(groups, 0) or not is_pattern:
            what = f"has {groups or 'no'} groups" if is_pattern else "is no pattern"
            message = f"`\\{found}` stays as it is: `{row.key}` {what}"
            yield mapping.say(row.number, message, "groups of a pattern are in parentheses")
            return


def _groups(mapping: MapText, rows: list[MapLine], groups: tuple[str, ...]) -> Iterator[Diagnostic]:
    """Results that are a slip of a group, one by one."""
    known = {group.casefold() for group in groups}
    for row in rows:
        for result in map(str.strip, row.result.split(",")):
            group = None if result.casefold() in known else suggest(result, groups)
            if group is not None:
                message = f"there is no group `{result}`"
                yield mapping.say(row.number, message, f"did you mean `{group}`?")
