"""Counts how deeply a text is nested, while it is read.

Inputs: tokens in order.  Outputs: whether HTCondor's parser would refuse to go deeper, and the
brackets that are open.  A text that breaks the rules of the grammar is counted somehow.
Follows: HTCondor 25.14.1 and older ones, measured; tests/classad/test_parser.py has the limits.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from classad.language.rules import NestingRules

#: After one of these a ``-`` is a subtraction, elsewhere it may be the sign of a number.
OPERAND_ENDS: Final = frozenset(
    {"INTEGER", "REAL", "TRUE", "FALSE", "UNDEFINED", "ERROR", "NAME", "DOT"}
    | {"OLD_STRING", "NEW_STRING", "OLD_QUOTED", "NEW_QUOTED"}
    | {"CLOSE_PAREN", "CLOSE_BOX", "CLOSE_BRACE"}
)
_OPENERS: Final = frozenset({"OPEN_PAREN", "OPEN_BOX", "OPEN_BRACE"})
CLOSERS: Final = frozenset({"CLOSE_PAREN", "CLOSE_BOX", "CLOSE_BRACE"})
_SEPARATORS: Final = frozenset({"COMMA", "SEMICOLON", "BOUND_TO"})
_PREFIXES: Final = frozenset({"MINUS", "PLUS", "NOT", "BIT_NOT"})
_NUMBERS: Final = frozenset({"INTEGER", "REAL"})


class Token(NamedTuple):
    """A terminal of the grammar with its value and place."""

    kind: str
    value: Any
    start: int
    end: int


class Nesting:
    """Counts nesting as HTCondor's recursive parser does, and keeps the open brackets.

    By the newest rules each bracket costs 3 levels; each prefix operator, ``?:`` operator and
    branch of a conditional costs one for what stands to its right.  165 nested parentheses parse,
    166 do not.
    """

    def __init__(self, level: int, rules: NestingRules) -> None:
        #: What the parser has reached; above ``rules.levels`` it only goes on to a closing bracket.
        self.level = self._floor = self._bottom = level
        self._rules = rules
        self._calls = 0
        self._marks: list[int] = []
        self._outer: list[tuple[int, int, int, int, list[int]]] = []
        self.open: list[Token] = []

    def see(self, token: Token, *, operand: bool) -> None:
        """Any sign or word operator; ``operand``: an operand ends right before it."""
        kind = token.kind
        if kind in _OPENERS:
            self._enter(token, called=operand and kind == "OPEN_PAREN")
        elif kind in CLOSERS:
            self._leave()
        elif kind in _NUMBERS:
            return  # its sign belonged to it
        elif kind in _PREFIXES and not operand:
            self.level += self._rules.prefix
        elif kind == "ELVIS":
            self.level += self._rules.elvis
        elif kind == "QMARK":
            self._marks.append(self._floor)
            self._floor += 1
            self.level = self._floor
        elif kind == "COLON":
            self._floor = (self._marks.pop() if self._marks else self._bottom) + 1
            self.level = self._floor
        elif kind in _SEPARATORS:
            self.level = self._floor = self._bottom
            self._marks.clear()
        else:
            self.level = self._floor

    def _enter(self, token: Token, *, called: bool) -> None:
        self.open.append(token)
        self._outer.append((self.level, self._floor, self._bottom, self._calls, self._marks))
        self.level = self._floor = self._bottom = self.level + self._rules.bracket
        self._marks = []
        if called and (most := self._rules.calls) is not None:
            self._calls += 1
            if self._calls > most:
                self.level = self._floor = self._bottom = self._rules.levels + 1

    def _leave(self) -> None:
        # The parser ends at a bracket that closes none.
        self.open.pop()
        self.level, self._floor, self._bottom, self._calls, self._marks = self._outer.pop()
