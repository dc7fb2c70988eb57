"""Declares the kinds of rules, what each can be told, and the rule that a file has of them.

A kind is declared once: reading a file, its errors and the documentation ask the declaration.

Outputs: frozen values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from fnmatch import fnmatchcase
from typing import Final

from attr import frozen

from pieslice.data import is_number


class Form(Enum):
    """What a key takes, in words."""

    WHOLE = "a whole number of at least 1"
    POSITIVE = "a number above 0"
    SHARE = "a number from 0 to 1"
    NAMES = "a list of names, in which `*` stands for anything"
    WORDS = "a list of words, the command first"
    LOCAL = "an address of this machine, as `http://localhost:9999/path`"
    NAME = "a name"

    def takes(self, value: object) -> bool:
        """Whether a value is of this form."""
        if self in (Form.NAMES, Form.WORDS):
            if not isinstance(value, list) or not value:
                return False
            return all(isinstance(item, str) and item for item in value)
        if self in (Form.NAME, Form.LOCAL):
            return isinstance(value, str) and bool(value) and value.isprintable()
        if not is_number(value) or not 0 <= value <= _MOST:
            return False
        if self is Form.WHOLE:
            return isinstance(value, int) and value >= 1
        return value <= 1 if self is Form.SHARE else value > 0


_MOST: Final = 10**6


@frozen
class Key:
    """What a rule can be told: its name, its form, what holds without it, and what it means."""

    name: str
    form: Form
    default: float | None
    about: str


@frozen
class Kind:
    """A kind of rules: what it is about, its own keys, and by which names it is narrowed down.

    ``names``: keys with patterns of names; of these kinds of things a rule concerns all without.
    """

    name: str
    about: str
    keys: tuple[Key, ...]
    names: tuple[str, ...] = ()


_CYCLES: Final = "for so many cycles one after another"
_MINUTES: Final = "for so many minutes"

#: Keys of every rule, besides those of its kind.
COMMON: Final = (
    Key("name", Form.NAME, None, "what its alerts are called (default: its kind)"),
    Key("run", Form.WORDS, None, "a command for its alerts, in place of that of `[notify]`"),
    Key("webhook", Form.LOCAL, None, "where its alerts are sent, in place of that of `[notify]`"),
)
#: Keys of ``[notify]``.
NOTIFY: Final = (
    Key("run", Form.WORDS, None, "a command that gets alerts as JSON on its standard input"),
    Key("webhook", Form.LOCAL, None, "an address of this machine to which alerts are posted"),
)

KINDS: Final = {
    kind.name: kind
    for kind in (
        Kind(
            "idle-job",
            "jobs that are idle though only a quota, a limit or a rule of preemption is against"
            " them",
            (Key("cycles", Form.WHOLE, 20, _CYCLES),),
            ("users", "groups"),
        ),
        Kind(
            "idle-user",
            "a user of whom nothing runs and nothing is matched, though jobs could run",
            (Key("cycles", Form.WHOLE, 10, _CYCLES),),
            ("users", "groups"),
        ),
        Kind(
            "below-quota",
            "a group that uses less than its quota while its jobs wait",
            (
                Key("minutes", Form.POSITIVE, 30, _MINUTES),
                Key("margin", Form.SHARE, 0, "the part of the quota that may be unused"),
            ),
            ("groups",),
        ),
        Kind(
            "preempted-job",
            "jobs that are preempted again and again",
            (
                Key("times", Form.WHOLE, 2, "so often"),
                Key("minutes", Form.POSITIVE, 60, "within so many minutes"),
            ),
            ("users", "groups"),
        ),
        Kind(
            "full-limit",
            "a concurrency limit that is used up, or refuses jobs",
            (Key("minutes", Form.POSITIVE, 120, _MINUTES),),
            ("limits",),
        ),
        Kind(
            "unused-cores",
            "cores that nobody has after the cycle, though waiting jobs match their slots",
            (
                Key("cores", Form.POSITIVE, 1, "so many of them at least"),
                Key("minutes", Form.POSITIVE, 10, _MINUTES),
            ),
        ),
        Kind(
            "silent-daemon",
            "a schedd or the negotiator that does not answer, or a schedd whose ad has gone",
            (Key("cycles", Form.WHOLE, 2, _CYCLES),),
            ("daemons",),
        ),
        Kind(
            "long-cycle",
            "a cycle that takes much longer than usual",
            (
                Key("times", Form.POSITIVE, 3, "so many times the median of the cycles before"),
                Key("seconds", Form.POSITIVE, 10, "and longer than so many seconds"),
                Key("of", Form.WHOLE, 50, "the cycles before that tell what is usual"),
            ),
        ),
        Kind(
            "no-cycle",
            "a pool without cycles: the negotiator rests, or nothing answers",
            (Key("minutes", Form.POSITIVE, 15, _MINUTES),),
        ),
        Kind(
            "wrong-predictions",
            "predictions that stop coming true: the policy has changed, or something is wrong",
            (
                Key("cycles", Form.WHOLE, 10, "of the last so many still cycles"),
                Key("share", Form.SHARE, 0.8, "less than this part was as predicted"),
            ),
        ),
    )
}


def keys_of(kind: Kind) -> Mapping[str, Key]:
    """All keys of a rule of this kind by name, those that every rule has last."""
    names = (Key(name, Form.NAMES, None, f"only these {name}") for name in kind.names)
    return {key.name: key for key in (*kind.keys, *names, *COMMON)}


@frozen
class Target:
    """Where alerts go besides the screen: a command and its words, an address of this machine."""

    run: tuple[str, ...] = ()
    webhook: str | None = None


@frozen(eq=False)
class Rule:
    """A rule of a file.  ``numbers``: its keys with numbers, ``patterns``: those with names."""

    name: str
    kind: str
    numbers: Mapping[str, float]
    patterns: Mapping[str, Sequence[str]]
    target: Target = Target()

    def concerns(self, what: str, *names: str) -> bool:
        """Whether something of these names is meant; case does not count."""
        patterns = self.patterns.get(what)
        return patterns is None or any(
            fnmatchcase(name.lower(), pattern.lower()) for name in names for pattern in patterns
        )

    @property
    def settings(self) -> list[object]:
        """What makes it another rule when it changes; plain values."""
        patterns = {name: list(found) for name, found in sorted(self.patterns.items())}
        return [self.kind, dict(sorted(self.numbers.items())), patterns]
