"""Prepares a configuration for the checks: every own definition with its reader and its tree.

Which part of a dotted name is a prefix, which daemon reads which macro, and whether that daemon
sees the definition at all.
Inputs: a ``Config``.  Outputs: ``View`` with its ``Setting`` objects.
Follows: lookup order of 25.14.1; names of policy expressions from the manual.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from attr import frozen

from classad.errors import ClassAdParseError, Diagnostic
from classad.evaluate import EvalContext
from classad.patterns import ByName, late_regex
from policy.config import Config
from policy.knobs import find_knob
from policy.knobs.declaration import Knob, KnobKind
from policy.knobs.lists import LISTS_BY_NAME
from policy.knobs.other_daemons import DAEMONS, find_other
from policy.knobs.readers import find_readers
from policy.knobs.reading import EXPANDED, Place, Reading, place, read_knob
from policy.knobs.shares import GROUP_NAMES
from policy.language.expressions import parse
from policy.language.macros import ExpansionError
from policy.language.numbers import read_boolean
from policy.language.origins import Origins
from policy.language.table import DETECTED_ORIGIN, Definition
from policy.lint.finding import Advice, Finding

if TYPE_CHECKING:
    from classad.syntax.nodes import Node
    from policy.transforms.lines import Form, TransformLine
    from policy.transforms.routes import RoutingTable
    from policy.transforms.rules import Rules

#: What a macro begins with that holds a transform or a route.
HOLDERS: Final = ("JOB_TRANSFORM_", "JOB_ROUTER_ROUTE_", "JOB_ROUTER_TRANSFORM_")
#: Ends of macros whose items become parts of other macros' names.
_LISTS: Final = ("_NAMES", "_JOBLIST")
_CRON_PREFIX: Final = late_regex(r"(STARTD|SCHEDD)_CRON_\w+_PREFIX", re.IGNORECASE)
#: Ends of lists whose items are names of macros that become attributes of slots, and of jobs.
_SLOT_LISTS: Final = ("STARTD_ATTRS", "STARTD_EXPRS", "STARTD_JOB_ATTRS", "STARTD_SLOT_ATTRS")
_JOB_LISTS: Final = ("SUBMIT_ATTRS", "SUBMIT_EXPRS")
_DAEMON_LISTS: Final = ("SCHEDD_ATTRS", "MASTER_ATTRS", "COLLECTOR_ATTRS", "NEGOTIATOR_ATTRS")
_NAME: Final = late_regex(r"[A-Za-z_][A-Za-z0-9_]*")
#: The local name in the arguments of a daemon.
LOCAL_NAME: Final = late_regex(r"-local-name\s+(\S+)")
_ALPHANUMERIC = late_regex(r"\w+")
_WORD = late_regex(r"[A-Za-z_][A-Za-z0-9_.]*")
#: An item of a list.
ITEM: Final = late_regex(r"[^,\s]+")


class Stretch(Protocol):
    """A part of a text, such as an item or a node."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


#: What a definition defines: the macro, its prefix, how its daemon sees it, its knob.
Seen = tuple[str, str | None, Config, Knob | None]
#: An expanded value, why it has no end, and what its function macros cannot do.
Expansion = tuple[str, ExpansionError | None, tuple[str, ...]]


class Item(NamedTuple):
    """A part of an expanded value, the item of a list for instance."""

    text: str
    start: int
    end: int

    @classmethod
    def of(cls, found: re.Match[str], group: int = 0) -> Item:
        """What a search has found."""
        return cls(found[group], *found.span(group))


class Setting:
    """One definition with the knob that covers it and what its reader makes of it.

    ``folded`` and ``upper`` are the macro's name; ``endless``: why the value has no end, if so;
    ``problems``: what its function macros cannot do.
    """

    tree: Node | None = None

    def __init__(
        self, entry: Definition, seen: Seen, value: Expansion, reading: Reading | None = None
    ) -> None:
        self.entry, self.reading = entry, reading
        self.macro, self.prefix, self.config, self.knob = seen
        self.folded, self.upper = self.macro.casefold(), self.macro.upper()
        self._text, self.endless, self.problems = value

    def text(self) -> str:
        """The expanded value; empty where the expansion has no end."""
        return self._text

    @property
    def extends_unread(self) -> bool:
        """Is it an expression that adds to the one of another file, as START = $(START) && ...?"""
        if self.prefix is None:
            extends = self.entry.extends and self.entry.extends_unread
        else:
            written = (self.entry.written or "").casefold()
            extends = f"$({self.macro})".casefold() in written and any(self.origins.unread())
        if not extends:
            return False
        from policy.knobs.uses import find_use  # which few commands need besides

        return find_use(self.macro) is not None

    def whole(self) -> Item:
        """The expanded value as its only part."""
        return Item(self.text(), 0, len(self.text()))

    def items(self) -> list[Item]:
        """The items of a list."""
        return list(map(Item.of, ITEM.finditer(self.text())))

    @cached_property
    def rules(self) -> Rules:
        """The lines of the transform or route that it holds."""
        from policy.transforms.rules import rules_of_definition

        return rules_of_definition(self.entry, self.macro)

    @cached_property
    def statements(self) -> tuple[tuple[TransformLine, Form], ...]:
        """The same with what each is, without the lines of blocks."""
        from policy.transforms.checking import statements

        return tuple(statements(self.rules))

    @cached_property
    def origins(self) -> Origins:
        """Where the characters of the expanded value come from."""
        return Origins(self.config.scope, self.entry)

    def place(self, start: int, end: int, text: str | None = None) -> Place:
        """Where ``start:end`` of the expanded value, or of another text, stands: in the macro's
        definition or a helper's."""
        found = self.origins.locate(start, end)
        if found is not None:
            return found
        text, entry = self.text() if text is None else text, self.entry
        spot = place(entry, text, start, end)
        if spot[0] is None or not spot[0].name.endswith(EXPANDED):
            return spot
        assert entry.source is not None
        # The value is put together: the last time that the file has the words, else all it has.
        at = entry.source.text.rfind(text[start:end], entry.start, entry.end)
        if at >= 0:
            return entry.source, at, at + end - start
        return entry.source, entry.start, entry.end

    def say(
        self, kind: Finding, message: str, part: Stretch, help: Advice = None, /, **about: Any
    ) -> Diagnostic:
        """A finding about a part of the value."""
        about = {"macro": self.macro, "definition": self.entry, **about}
        return kind.at(message, *self.place(part.start, part.end), help, **about)

    @cached_property
    def mistake(self) -> Diagnostic | None:
        """What is wrong with the value as an expression; None if it is empty or can be parsed."""
        try:
            parse(self.text())
        except ClassAdParseError as mistake:
            return mistake.diagnostic if self.text().strip() else None
        return None

    def unparsable(self) -> tuple[str, Item] | None:
        """The same as a message and a place."""
        found = self.mistake
        if found is None:
            return None
        where = Item("", found.start, max(found.end, found.start + 1))
        return f"{self.macro}: {found.message}", where

    def beside(self, name: str) -> str:
        """What its reader has for another macro; empty if undefined or without end."""
        return text_of(self.config, name)

    @property
    def local_name(self) -> str | None:
        """The local name that stands before the dot, if one does."""
        return None if self.prefix is None or self.prefix.upper() in DAEMONS else self.prefix

    @property
    def is_unread(self) -> bool:
        """Does it have the prefix of a daemon that does not read the macro?"""
        prefix, readers = (self.prefix or "").upper(), find_readers(self.macro)
        if prefix not in DAEMONS or self.knob is None or self.knob.read_by == prefix:
            return False
        return readers is None or prefix not in readers.daemons

    def is_seen_by(self, subsystem: str, local_name: str | None = None) -> bool:
        """Is this the definition that a daemon finds under the macro's name?"""
        return self.config.seen_by(subsystem, local_name).lookup(self.macro) is self.entry

    @property
    def name(self) -> str:
        """The knob's own name, else the macro's."""
        return self.macro if self.knob is None or self.knob.is_family else self.knob.name


@frozen(slots=False)
class View:
    """Everything the configuration sets, and lookups that several checks share.

    ``words`` are all words of all values, ``listed`` those that make names of other macros.
    """

    config: Config
    settings: tuple[Setting, ...]
    words: frozenset[str]
    listed: frozenset[str]
    groups: tuple[str, ...]
    defined: frozenset[str]

    @cached_property
    def plain_words(self) -> dict[int, list[str]]:
        """The words that consist of letters alone, by how many these are."""
        found: dict[int, list[str]] = {}
        for word in filter(str.isalpha, self.words):
            found.setdefault(len(word), []).append(word)
        return found

    @cached_property
    def own_names(self) -> dict[str, str]:
        """Names of attributes that the configuration puts into ads, by case-folded name."""
        from policy.values.surroundings import names_of_its_own

        entries = (setting.entry for setting in self.settings)
        return {name.casefold(): name for name in names_of_its_own(entries)}

    @cached_property
    def names_daemons(self) -> bool:
        """Does DAEMON_LIST say which daemons run, and add to no list of another file?"""
        entry = self.config.scope.table.get("DAEMON_LIST")
        return "daemon_list" in self.defined and not (entry is not None and entry.extends_unread)

    @cached_property
    def extends_unread(self) -> str:
        """The first macro that adds to the expression of another file; empty if none does."""
        return next((one.name for one in self.settings if one.extends_unread), "")

    def uses(self, attribute: str) -> bool:
        """Does an expression, or a list, speak of an attribute, besides where it is set?"""
        word = re.compile(rf"(?i)(?<!\w){attribute}(?!\w)")
        setting = re.compile(rf"(?im)^[ \t]*(?:SET|DEFAULT|EVALSET)[ \t]+{attribute}(?!\w)")
        texts = [one.entry.raw for one in self.settings]
        return sum(len(word.findall(text)) - len(setting.findall(text)) for text in texts) > 0

    @cached_property
    def routes(self) -> RoutingTable:
        """What the job router makes of the routes."""
        from policy.transforms.routes import read_routes  # which few configurations need

        return read_routes(self.config.seen_by("JOB_ROUTER"), EvalContext(), self.config.version)

    @cached_property
    def folded_groups(self) -> dict[str, int]:
        """The places of the groups in GROUP_NAMES, by case-folded name."""
        return {group.casefold(): at for at, group in reversed([*enumerate(self.groups)])}

    @cached_property
    def prefixes(self) -> tuple[str, ...]:
        """What attributes that cron jobs publish begin with, case-folded."""
        found = (one for one in self.settings if _CRON_PREFIX.fullmatch(one.macro))
        return tuple(text.casefold() for one in found if (text := one.text().strip()))

    @cached_property
    def plain(self) -> dict[str, Setting]:
        """The settings without a prefix, by the macro's name in upper case."""
        return {one.entry.name.upper(): one for one in self.settings}

    @cached_property
    def index(self) -> ByName[Setting]:
        """The settings by the names of their macros, in upper case."""
        return ByName(self.settings, (one.upper for one in self.settings))

    @cached_property
    def speakers(self) -> dict[str, Setting | None]:
        """Whose value has a word, by the case-folded word; None where several have it."""
        found: dict[str, Setting | None] = {}
        for setting in self.settings:
            for word in set(_ALPHANUMERIC.findall(setting.entry.raw.casefold())):
                found[word] = None if word in found else setting
        return found

    @cached_property
    def of_macro(self) -> dict[str, list[Setting]]:
        """The settings of each macro, by its case-folded name."""
        found: dict[str, list[Setting]] = {}
        for setting in self.settings:
            found.setdefault(setting.folded, []).append(setting)
        return found

    @cached_property
    def holders(self) -> list[Setting]:
        """The settings that hold transforms and routes, in either language."""
        return [setting for setting in self.settings if setting.upper.startswith(HOLDERS)]

    @cached_property
    def _publishing(self) -> list[Setting]:
        """The lists of attributes, and of the names of resources."""
        ends = ("_ATTRS", "_EXPRS", "_RESOURCE_NAMES")
        return [setting for setting in self.settings if setting.upper.endswith(ends)]

    @cached_property
    def published(self) -> frozenset[str]:
        """The case-folded words of all lists that publish attributes, as they are written."""
        return frozenset(
            word
            for setting in self._publishing
            for word in setting.entry.raw.casefold().replace(",", " ").split()
        )

    @cached_property
    def slot_attributes(self) -> frozenset[str]:
        """The case-folded names of what the configuration puts into slot ads."""
        return self._in_lists(_SLOT_LISTS)

    @cached_property
    def job_attributes(self) -> frozenset[str]:
        """The same for jobs."""
        return self._in_lists(_JOB_LISTS)

    @cached_property
    def daemon_attributes(self) -> frozenset[str]:
        """The same for the ads of other daemons."""
        return self._in_lists(_DAEMON_LISTS)

    def _in_lists(self, lists: tuple[str, ...]) -> frozenset[str]:
        """The names in lists of one kind, with the prefixes that slot types give them."""
        return frozenset(
            word.casefold()
            for setting in self._publishing
            if setting.upper.endswith(lists)
            for word in _NAME.findall(setting.entry.raw)
        )

    @cached_property
    def items(self) -> dict[str, set[str]]:
        """The case-folded items of each list that names macros, without quotes around them.

        The value counts that a list has in the end, whether a file or a template gave it, and those
        with a prefix, which one daemon has.
        """
        found: dict[str, set[str]] = {}
        texts = [(names.name, self.text(names.name)) for names in LISTS_BY_NAME.values()]
        for setting in self.settings:
            names = LISTS_BY_NAME.get(setting.folded)
            if names is not None:
                texts.append((names.name, setting.text()))
        for name, text in texts:
            items = {item.strip("\"'").casefold() for item in ITEM.findall(text)}
            found.setdefault(name, set()).update(items)
        return {name: items for name, items in found.items() if items}

    def text(self, name: str) -> str:
        """The value that a macro has in the end, empty if it has none."""
        return text_of(self.config, name)

    @cached_property
    def local_names(self) -> dict[str, str]:
        """The local names that arguments of daemons give, by case-folded name."""
        found = (name for one in self.settings for name in LOCAL_NAME.findall(one.text()))
        return {name.casefold(): name for name in found}

    def of(self, knob: Knob) -> Iterator[Setting]:
        """The settings of one knob, with any prefix, that their readers see."""
        for setting in self.settings:
            if setting.knob is knob and setting.reading is not None:
                yield setting

    def expressions(self) -> Iterator[Setting]:
        """The settings that are expressions and could be parsed."""
        return (setting for setting in self.settings if setting.tree is not None)

    @cached_property
    def negotiators(self) -> tuple[str | None, ...]:
        """The local names of the negotiators that the files make a difference to; None for none."""
        own = self.config.context.local_name if self.is_asked("NEGOTIATOR") else None
        knobs = ((one, one.knob) for one in self.settings if one.prefix)
        local = (one.local_name for one, knob in knobs if knob and knob.read_by == "NEGOTIATOR")
        return tuple(dict.fromkeys((own, *filter(None, local))))

    def is_asked(self, daemon: str) -> bool:
        """Was the configuration read as this daemon reads it?"""
        return self.config.context.subsystem.upper() == daemon

    def is_on(self, macro: str, daemon: str, otherwise: bool) -> bool:
        """What a switch is for a daemon; ``otherwise`` where nothing says so that can be read."""
        text, scope = text_of(self.config.seen_by(daemon), macro), self.config.scope
        found = read_boolean(text, scope.functions.evaluate)
        return otherwise if found is None else found

    def value(self, knob: Knob) -> object:
        """What the negotiator has for a knob."""
        return read_knob(self.config, knob).value


def text_of(config: Config, name: str) -> str:
    """What a reader has for a macro; empty if undefined or without end."""
    try:
        return config.text(name) or ""
    except ExpansionError:
        return ""


def covering(macro: str) -> Knob | None:
    """The declaration of a macro, of the negotiator's or another daemon's."""
    return find_knob(macro) or find_other(macro)


def split_prefix(config: Config, name: str) -> tuple[str | None, str]:
    """Prefix and macro; a dot that belongs to a group's name is no prefix."""
    if "." not in name or find_knob(name) is not None:
        return None, name
    prefix, _, macro = name.partition(".")
    known = covering(macro) or find_readers(macro) or config.scope.table.default(macro)
    is_daemon = prefix.upper() in DAEMONS
    return (prefix, macro) if known is not None or is_daemon else (None, name)


def is_own(entry: Definition) -> bool:
    """Was it set by the configuration, and not by a template of HTCondor?"""
    return entry.origin != DETECTED_ORIGIN and entry.template is None


def view(config: Config) -> View:
    """Everything that the configuration itself sets."""
    own = [entry for entry in config.scope.table if is_own(entry)]
    entries = (link for entry in config.scope.table for link in entry.chain())
    words = _words(entry.raw for entry in entries if entry.origin != DETECTED_ORIGIN)
    settings = tuple(_setting(config, entry) for entry in own)
    groups = read_knob(config, GROUP_NAMES).names()
    listed = _words(one.entry.raw for one in settings if one.upper.endswith(_LISTS))
    inner = (entry.name.rpartition(".")[2].casefold() for entry in own if "." in entry.name)
    defined = frozenset((*(setting.folded for setting in settings), *inner))
    names = listed - {group.casefold() for group in groups}
    return View(config, settings, words, names, groups, defined)


def _words(texts: Iterable[str]) -> frozenset[str]:
    """The case-folded words of some texts."""
    return frozenset(_WORD.findall("\n".join(texts).casefold()))


def unread_setting(config: Config, entry: Definition) -> Setting:
    """A definition as the daemon that it is for would see it, without its value."""
    seen = _seen(config, entry)
    return Setting(entry, seen, _expansion(seen[2], entry))


def _expansion(reader: Config, entry: Definition) -> Expansion:
    if "$" not in entry.raw:
        return entry.raw, None, ()
    try:
        return (expanded := reader.expand(entry)).text, None, expanded.problems
    except ExpansionError as problem:
        return "", problem, ()


def _seen(config: Config, entry: Definition) -> Seen:
    prefix, macro = split_prefix(config, entry.name)
    knob = covering(macro)
    subsystem = config.context.subsystem if knob is None else knob.read_by
    local = None
    if prefix is not None and prefix.upper() in DAEMONS:
        subsystem = prefix.upper()
    elif prefix is not None:
        local = prefix
    return macro, prefix, config.seen_by(subsystem, local), knob


def _setting(config: Config, entry: Definition) -> Setting:
    seen = macro, _, reader, knob = _seen(config, entry)
    if knob is None or reader.lookup(macro) is not entry:
        return Setting(entry, seen, _expansion(reader, entry))
    reading = read_knob(reader, knob, macro)
    found = Setting(entry, seen, (reading.text, *_expansion(reader, entry)[1:]), reading)
    if knob.kind is KnobKind.EXPR and reading.diagnostic is None:
        parsed = reading.expression()
        found.tree = None if parsed is None else parsed.node
    return found
