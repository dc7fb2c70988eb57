"""Reads a file of rules in TOML, and says what is wrong with it and where.

Decides the places of errors: TOML's reader tells none, so keys are looked for in the lines of the
tables they are in; of a key that is not found there, in an inline table for example, the head of
its table is shown.

Inputs: the text and the name of a file.  Outputs: rules; raises ``InputError`` with all errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from attr import define, field

from classad.errors import Diagnostic
from classad.patterns import late_regex
from classad.source import Source
from negotiator.io import InputError
from pieslice.alerts.kinds import KINDS, NOTIFY, KeyForm, Rule, RuleKey, Target, keys_of
from pieslice.data import JsonData
from pieslice.inputs.toml import toml_of
from pieslice.reports.names import meant_or_known

_HEAD: Final = late_regex(r"[ \t]*\[\[?[ \t]*([A-Za-z0-9_-]+)[ \t]*\]\]?[ \t]*(?:#.*)?$")
_KEY: Final = late_regex(
    r"""[ \t]*(?P<key>"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)[ \t]*=[ \t]*(?P<value>[^#\n]*)"""
)
#: An address with a name of this machine; others would have to be looked up.
_LOCAL: Final = late_regex(
    r"http://(localhost|127(\.\d{1,3}){3}|\[::1\])(:(?P<port>\d{1,5}))?(/[!-~]*)?",
    re.ASCII | re.IGNORECASE,
)

#: A table of a file: its name, and which of several of that name it is, from 0.
_Table = tuple[str, int]


def read_rules(text: str, name: str) -> tuple[Rule, ...]:
    """The rules of a file in their order."""
    source = Source(text, name)
    content = toml_of(source)
    reader = _RuleReader(source, _Places.of(text))
    rules = tuple(reader.rules(content))
    if reader.wrong:
        raise InputError(sorted(reader.wrong, key=lambda item: item.start))
    return rules


@define(eq=False)
class _Places:
    """Where in a text the tables, their keys and the values of these stand."""

    heads: dict[_Table, tuple[int, int]] = field(factory=dict)
    keys: dict[tuple[_Table, str], tuple[int, int]] = field(factory=dict)
    values: dict[tuple[_Table, str], tuple[int, int]] = field(factory=dict)

    @classmethod
    def of(cls, text: str) -> _Places:
        """The places in a text that is TOML."""
        found = cls()
        table: _Table = ("", 0)
        counts: dict[str, int] = {}
        start = 0
        for line in text.splitlines(keepends=True):
            head, entry = _HEAD.match(line.rstrip("\r\n")), _KEY.match(line)
            if head is not None:
                table = (head[1], counts.get(head[1], 0))
                counts[head[1]] = table[1] + 1
                found.heads[table] = (start + head.start(1), start + head.end(1))
            elif entry is not None:
                key = (table, entry["key"].strip("\"'"))
                found.keys.setdefault(key, (start + entry.start("key"), start + entry.end("key")))
                value = entry["value"].rstrip()
                begin = start + entry.start("value")
                found.values.setdefault(key, (begin, begin + len(value)))
            start += len(line)
        return found

    def of_key(self, table: _Table, key: str) -> tuple[int, int]:
        """Where a key stands, else its table."""
        return self.keys.get((table, key), self.heads.get(table, (0, 0)))

    def of_value(self, table: _Table, key: str) -> tuple[int, int]:
        """Where the value of a key stands, else the key."""
        return self.values.get((table, key), self.of_key(table, key))


@define(eq=False)
class _RuleReader:
    """Makes rules of tables, and collects what is wrong."""

    source: Source
    places: _Places
    wrong: list[Diagnostic] = field(factory=list)

    def rules(self, content: JsonData) -> Iterator[Rule]:
        """The rules; of one with errors nothing."""
        for key in content:
            if key not in ("rule", "notify"):
                place = self.places.heads.get((key, 0)) or self.places.of_key(("", 0), key)
                hint = meant_or_known(key, ("rule", "notify"))
                self._error(f"unknown key `{key}`{hint}", place)
        notify, tables = content.get("notify", {}), content.get("rule", [])
        if not isinstance(notify, dict):
            self._error("`notify` is not a table: [notify]", self.places.of_key(("", 0), "notify"))
            notify = {}
        if not isinstance(tables, list) or not all(isinstance(item, dict) for item in tables):
            place = self.places.heads.get(("rule", 0)) or self.places.of_key(("", 0), "rule")
            self._error("`rule` is not a list of tables: [[rule]]", place)
            return
        if not tables and not self.wrong:
            self._error("there is no rule: a rule begins with [[rule]]", (0, 0))
        common = {key.name: key for key in NOTIFY}
        target = self._target(("notify", 0), self._values(("notify", 0), notify, common), Target())
        names: set[str] = set()
        for number, table in enumerate(tables):
            rule = self._rule(("rule", number), table, target)
            if rule is None:
                continue
            if rule.name in names:
                place = self.places.of_value(("rule", number), "name")
                help_ = "give each of the rules a `name` of its own"
                self._error(f"there are two rules `{rule.name}`", place, help_)
            names.add(rule.name)
            yield rule

    def _rule(self, at: _Table, table: JsonData, target: Target) -> Rule | None:
        name = table.get("kind")
        if name is None:
            kinds = ", ".join(KINDS)
            self._error(
                "the rule has no `kind`", self.places.heads.get(at, (0, 0)), f"one of {kinds}"
            )
            return None
        kind = KINDS.get(name) if isinstance(name, str) else None
        if kind is None:
            hint = meant_or_known(str(name), tuple(KINDS))
            self._error(f"unknown kind `{name}`{hint}", self.places.of_value(at, "kind"))
            return None
        before, known = len(self.wrong), keys_of(kind)
        own = {key: value for key, value in table.items() if key != "kind"}
        values = self._values(at, own, known)
        target = self._target(at, values, target)
        if len(self.wrong) > before:
            return None
        defaults = {key.name: key.default for key in kind.keys if key.default is not None}
        numbers = {name: float(values.get(name, default)) for name, default in defaults.items()}
        patterns = {name: values[name] for name in kind.names if name in values}
        return Rule(str(values.get("name", kind.name)), kind.name, numbers, patterns, target)

    def _values(self, at: _Table, table: JsonData, known: Mapping[str, RuleKey]) -> JsonData:
        """The values of known keys that are of their form."""
        found: JsonData = {}
        for name, value in table.items():
            if name not in known:
                hint = meant_or_known(name, ("kind", *known) if at[0] == "rule" else tuple(known))
                self._error(f"unknown key `{name}`{hint}", self.places.of_key(at, name))
            elif not known[name].form.takes(value):
                place = self.places.of_value(at, name)
                self._error(f"`{name}` is not {known[name].form.value}", place, known[name].about)
            else:
                found[name] = value
        return found

    def _target(self, at: _Table, values: JsonData, otherwise: Target) -> Target:
        """Where alerts go: what the table says, else the one for all."""
        address = values.get("webhook", None)
        if address is not None and not is_local(address):
            place = self.places.of_value(at, "webhook")
            help_ = "a program on this machine may pass alerts on"
            self._error(f"`webhook` is not {KeyForm.LOCAL.value}", place, help_)
        run = tuple(values.get("run", ()))
        return Target(run, address) if run or address is not None else otherwise

    def _error(self, message: str, place: tuple[int, int], help_: str | None = None) -> None:
        self.wrong.append(Diagnostic(message, self.source, *place, help=help_))


def is_local(address: str) -> bool:
    """Whether an address is one of this machine that alerts may be posted to."""
    found = _LOCAL.fullmatch(address)
    return found is not None and 0 < int(found["port"] or 80) < 1 << 16
