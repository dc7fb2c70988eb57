"""Replaces names of users and machines in a capture, and paths, the same everywhere.

Only texts are changed, never names of attributes or numbers: whoever reads the capture sees the
same pool under other names.  Accounting groups, the names of attributes and what a policy says keep
their words, as the decisions hang on them.  Names are numbered in the order in which they come.

Inputs: a ``LiveCapture``.  Outputs: another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from attr import define, evolve, field

from classad.patterns import late_regex
from pieslice.live.capture import LiveCapture

#: Attributes that name users, and machines.
_USERS: Final = ("User", "Owner", "AcctGroupUser", "RemoteUser", "RemoteOwner", "PreemptingUser")
_MACHINES: Final = ("Machine", "ScheddName", "Name", "RemoteHost", "RemoteScheddName")
_LINE: Final = late_regex(r'^(\w+) = "((?:[^"\\]|\\.)*)"$', re.MULTILINE)
_TEXT: Final = late_regex(r'"((?:[^"\\\n]|\\.)*)"')
_ADDRESS: Final = late_regex(r"\b\d{1,3}(?:\.\d{1,3}){3}\b|\[[0-9a-fA-F:]+:[0-9a-fA-F:]*\]")
_PATH: Final = late_regex(r"(?<![\w/.:<])/(?:[\w.+-]+/)+[\w.+-]*")
_ENTRY: Final = late_regex(r"^(\d+) (\S+)(.*)$", re.MULTILINE)
_WORD: Final = late_regex(r"[A-Za-z_][\w-]*(?:\.[\w-]+)*")
#: Parts of captures whose ads have names of users, and where the names of groups are.
_OF_USERS: Final = ("submitters", "accounting")
_GROUP: Final = ("accounting", "Name")
#: Parts of names of slots.
_SLOT: Final = late_regex(r"slot\d+(_\d+)?", re.IGNORECASE)
#: Users that are everywhere, and say nothing.
_KNOWN: Final = frozenset(("", "<none>", "none", "undefined", "condor", "root"))


@define
class _NewNames:
    """The new names of one kind by the old ones."""

    kind: str
    known: dict[str, str] = field(factory=dict)

    def of(self, name: str) -> str:
        """The new name; a new one for a name that has none."""
        if name not in self.known:
            self.known[name] = self.new(len(self.known) + 1)
        return self.known[name]

    def new(self, number: int) -> str:
        """The new name of that number."""
        return f"{self.kind}{number}"


class _Addresses(_NewNames):
    """New addresses, which can be parsed as such."""

    def new(self, number: int) -> str:
        return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


@define(eq=False)
class Mask:
    """What stands for what."""

    users: _NewNames = field(factory=lambda: _NewNames("user"))
    hosts: _NewNames = field(factory=lambda: _NewNames("host"))
    domains: _NewNames = field(factory=lambda: _NewNames("domain"))
    addresses: _NewNames = field(factory=lambda: _Addresses(""))
    paths: _NewNames = field(factory=lambda: _NewNames("/path"))

    def learn(self, parts: Mapping[str, str]) -> None:
        """Note the names of users, then those of machines, in the ads of a capture."""
        found = [
            (part, name, value)
            for part, text in parts.items()
            for name, value in _LINE.findall(text)
        ]
        groups = sorted(
            {value for part, name, value in found if (part, name) == _GROUP and "@" not in value},
            key=len,
            reverse=True,
        )
        for part, name, value in found:
            if name in _USERS or (name == "Name" and part in _OF_USERS):
                user, _, domain = value.partition("@")
                self._user(user, groups)
                self._domain(domain)
        for part, name, value in found:
            if name in _MACHINES and not (name == "Name" and part in _OF_USERS):
                for piece in value.split("@"):
                    self._machine(piece)

    def _user(self, name: str, groups: Iterable[str]) -> None:
        if name in groups:
            return
        group = next((group for group in groups if name.startswith(f"{group}.")), None)
        user = name if group is None else name[len(group) + 1 :]
        if user.lower() not in _KNOWN:
            self.users.of(user)

    def _domain(self, domain: str) -> None:
        if domain:
            self.domains.of(domain)

    def _machine(self, name: str) -> None:
        if _SLOT.fullmatch(name) or name in self.domains.known or not name:
            return
        first, _, domain = name.partition(".")
        self.hosts.of(first)
        self._domain(domain)

    def text(self, text: str) -> str:
        """A text with the new names in what stands between quotation marks."""
        return _TEXT.sub(lambda found: f'"{self.inside(found[1])}"', text)

    def inside(self, text: str) -> str:
        """A text with the new names."""
        text = _PATH.sub(lambda found: self.paths.of(found[0]), text)
        text = _ADDRESS.sub(lambda found: self.addresses.of(found[0]), text)
        return _WORD.sub(lambda found: self._word(found[0]), text)

    def _word(self, word: str) -> str:
        if word in self.domains.known:
            return self.domains.known[word]
        pieces = word.split(".")
        for count in range(len(pieces)):
            # A user may stand behind groups, a machine before its domain.
            head, tail = pieces[:count], ".".join(pieces[count:])
            if tail in self.users.known:
                return ".".join((*head, self.users.known[tail]))
            if head and tail in self.domains.known:
                return f"{self._host('.'.join(head))}.{self.domains.known[tail]}"
        return self._host(word)

    def _host(self, name: str) -> str:
        return self.hosts.known.get(name, name)

    def lines(self, text: str) -> str:
        """A configuration, or messages: comments whole, of others what is quoted."""
        return "".join(f"{line}\n" for line in _lines(self, text.splitlines()))

    def log(self, text: str) -> str:
        """A transaction log: keys, and of values what is quoted."""
        return _ENTRY.sub(
            lambda found: f"{found[1]} {self.inside(found[2])}{self.text(found[3])}", text
        )


def anonymous(capture: LiveCapture) -> LiveCapture:
    """The capture under other names; the manifest keeps none but the numbers."""
    mask = Mask()
    mask.learn(capture.parts)
    parts = {name: mask.text(text) for name, text in capture.parts.items()}
    manifest = {
        **capture.manifest,
        "pool": mask.inside(str(capture.manifest["pool"])),
        **{
            name: list(_lines(mask, capture.manifest[name]))
            for name in ("missing", "silent", "uncertain")
            if name in capture.manifest
        },
        "versions": {
            mask.inside(name): text for name, text in capture.manifest["versions"].items()
        },
        "anonymous": True,
    }
    return evolve(capture, parts=parts, config=mask.lines(capture.config), manifest=manifest)


def _lines(mask: Mask, lines: Iterable[str]) -> Iterable[str]:
    """Lines of messages and of a configuration: comments whole, of others what is quoted."""
    for line in lines:
        yield mask.text(line) if " = " in line and not line.startswith("#") else mask.inside(line)
