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


class KeyForm(Enum):
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
        if self in (KeyForm.NAMES, KeyForm.WORDS):
            if not isinstance(value, list) or not value:
                return False
            return all(isinstance(item, str) and item for item in value)
        if self in (KeyForm.NAME, KeyForm.LOCAL):
            return isinstance(value, str) and bool(value) and value.isprintable()
        if not is_number(value) or not 0 <= value <= _MOST:
            return False
        if self is KeyForm.WHOLE:
            return isinstance(value, int) and value >= 1
        return value <= 1 if self is KeyForm.SHARE else value > 0


_MOST: Final = 10**6


@frozen
class RuleKey:
    """What a rule can be told: its name, its form, what holds without it, and what it means."""

    name: str
    form: KeyForm
    default: float | None
    about: str


@frozen
class RuleKind:
    """A kind of rules: what it is about, its own keys, and by which names it is narrowed down.

    ``names``: keys with patterns of names; of these kinds of things a rule concerns all without.
    """

    name: str
    about: str
    keys: tuple[RuleKey, ...]
    names: tuple[str, ...] = ()


_CYCLES: Final = "for so many cycles one after another"
_MINUTES: Final = "for so many minutes"

#: Keys of every rule, besides those of its kind.
COMMON: Final = (
    RuleKey("name", KeyForm.NAME, None, "what its alerts are called (default: its kind)"),
    RuleKey("run", KeyForm.WORDS, None, "a command for its alerts, in place of that of `[notify]`"),
    RuleKey(
        "webhook", KeyForm.LOCAL, None, "where its alerts are sent, in place of that of `[notify]`"
    ),
)
#: Keys of ``[notify]``.
NOTIFY: Final = (
    RuleKey("run", KeyForm.WORDS, None, "a command that gets alerts as JSON on its standard input"),
    RuleKey(
        "webhook", KeyForm.LOCAL, None, "an address of this machine to which alerts are posted"
    ),
)

KINDS: Final = {
    kind.name: kind
    for kind in (
        RuleKind(
            "idle-job",
            "jobs that are idle though only a quota, a limit or a rule of preemption is against"
            " them",
            (RuleKey("cycles", KeyForm.WHOLE, 20, _CYCLES),),
            ("users", "groups"),
        ),
        RuleKind(
            "idle-user",
            "a user of whom nothing runs and nothing is matched, though jobs could run",
            (RuleKey("cycles", KeyForm.WHOLE, 10, _CYCLES),),
            ("users", "groups"),
        ),
        RuleKind(
            "below-quota",
            "a group that uses less than its quota while its jobs wait",
            (
                RuleKey("minutes", KeyForm.POSITIVE, 30, _MINUTES),
                RuleKey("margin", KeyForm.SHARE, 0, "the part of the quota that may be unused"),
            ),
            ("groups",),
        ),
        RuleKind(
            "preempted-job",
            "jobs that are preempted again and again",
            (
                RuleKey("times", KeyForm.WHOLE, 2, "so often"),
                RuleKey("minutes", KeyForm.POSITIVE, 60, "within so many minutes"),
            ),
            ("users", "groups"),
        ),
        RuleKind(
            "full-limit",
            "a concurrency limit that is used up, or refuses jobs",
            (RuleKey("minutes", KeyForm.POSITIVE, 120, _MINUTES),),
            ("limits",),
        ),
        RuleKind(
            "unused-cores",
            "cores that nobody has after the cycle, though waiting jobs match their slots",
            (
                RuleKey("cores", KeyForm.POSITIVE, 1, "so many of them at least"),
                RuleKey("minutes", KeyForm.POSITIVE, 10, _MINUTES),
            ),
        ),
        RuleKind(
            "silent-daemon",
            "a schedd or the negotiator that does not answer, or a schedd whose ad has gone",
            (RuleKey("cycles", KeyForm.WHOLE, 2, _CYCLES),),
            ("daemons",),
        ),
        RuleKind(
            "long-cycle",
            "a cycle that takes much longer than usual",
            (
                RuleKey(
                    "times", KeyForm.POSITIVE, 3, "so many times the median of the cycles before"
                ),
                RuleKey("seconds", KeyForm.POSITIVE, 10, "and longer than so many seconds"),
                RuleKey("of", KeyForm.WHOLE, 50, "the cycles before that tell what is usual"),
            ),
        ),
        RuleKind(
            "no-cycle",
            "a pool without cycles: the negotiator rests, or nothing answers",
            (RuleKey("minutes", KeyForm.POSITIVE, 15, _MINUTES),),
        ),
        RuleKind(
            "wrong-predictions",
            "predictions that stop coming true: the policy has changed, or something is wrong",
            (
                RuleKey("cycles", KeyForm.WHOLE, 10, "of the last so many still cycles"),
                RuleKey("share", KeyForm.SHARE, 0.8, "less than this part was as predicted"),
            ),
        ),
    )
}


def keys_of(kind: RuleKind) -> Mapping[str, RuleKey]:
    """All keys of a rule of this kind by name, those that every rule has last."""
    names = (RuleKey(name, KeyForm.NAMES, None, f"only these {name}") for name in kind.names)
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
