"""Parses one logical line into a statement: name, operator and right-hand side.

Where the name ends, which operator it is, which words are keywords and what is silently ignored.
Inputs: the text of a logical line.  Outputs: ``Statement``, None for a line without meaning,
``StatementError`` with the offending characters.
Follows: condor_config_val 25.14.1 (golden vectors ``lines``, ``append``, ``heredoc``).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from classad.patterns import late_regex
from policy.language.lines import BLANKS

#: Words that are statements when followed by a colon.
KEYWORDS: Final = frozenset({"use", "include", "error", "warning"})
_IDENTIFIER = late_regex(r"[A-Za-z0-9_./]+")
_NAME_END = late_regex(r"[ \t\n\v\f\r=:]")
#: A name and ``=``, as most statements begin.
_PLAIN = late_regex(r"([^ \t\n\v\f\r=:]+)[ \t\n\v\f\r]*=[ \t\n\v\f\r]*")
_OPERATOR = late_regex(r"[=:@+]")
#: How comments begin in other languages, where no name of a macro may begin so.
_COMMENT = late_regex(r";+|--+|/\*|//+(?=[^=:@+]*$)")
#: What git puts around the two sides of a conflict.
_CONFLICT = late_regex(r"(?P<mark>([<>|])\2{6}(?=\s|$)|={7}(?=\s*$))")
#: What those and these begin with.
_MARKS = ";-/<>|="
_APPEND = late_regex(r"\+(?P<mark>[,;|&*]?)(?P=mark)?=")


class StatementError(Exception):
    """A line that is not a statement; ``start:end`` are the characters to blame."""

    def __init__(self, message: str, start: int, end: int, help_text: str | None = None) -> None:
        super().__init__(message)
        self.start = start
        self.end = end
        self.help = help_text


class Statement(NamedTuple):
    """``operator`` is ``=``, ``:``, ``+=``, ``@=`` or ``keyword``.

    ``words`` is what stood between the name and the operator, ``value`` the right-hand side,
    which begins at character ``value_start``; ``joiner`` is what ``+=`` puts between the values;
    ``end_tag`` closes an ``@=`` block.
    """

    operator: str
    name: str
    words: str
    value: str
    value_start: int
    joiner: str = " "

    @property
    def end_tag(self) -> str:
        """The line that ends the block this statement opens."""
        return "@" + self.value


def is_identifier(name: str) -> bool:
    """May a macro have this name?"""
    return _IDENTIFIER.fullmatch(name) is not None


def parse(text: str) -> Statement | None:
    """The statement in ``text``, or None for a ``[Section]`` line."""
    if text[:1] in _MARKS:
        _refuse_marks(text)
    plain = _PLAIN.match(text)
    if plain is not None:
        start = plain.end()
        return Statement("=", plain[1], "", text[start:], start)
    name_end = _NAME_END.search(text)
    if name_end is None:
        if text.startswith("["):
            return None
        raise _no_operator(text)
    stop = name_end.start()
    name = text[:stop]
    if text[stop] in "=:":
        at = stop
    else:
        found = _OPERATOR.search(text, stop)
        if found is None:
            raise _no_operator(text)
        at = found.start()
    words = text[stop:at].strip(BLANKS)
    if text[at] in "@+":
        return _long_operator(text, name, words, at)
    return _short_operator(text, name, words, at)


def _refuse_marks(text: str) -> None:
    """Name what begins a line that is no statement, where it tells what happened."""
    found = _COMMENT.match(text)
    if found is not None:
        message = f"`{found[0][:2]}` begins no comment"
        raise StatementError(message, 0, len(text), "comments begin with `#`")
    found = _CONFLICT.match(text)
    if found is not None:
        message = "git left the marks of a conflict here"
        raise StatementError(message, 0, len(text), "keep one of the two sides, without marks")


def _short_operator(text: str, name: str, words: str, at: int) -> Statement:
    operator, (value, start) = text[at], _behind(text, at + 1)
    if operator == ":" and name.removeprefix("@").lower() in KEYWORDS:
        return Statement("keyword", name.removeprefix("@").lower(), words, value, start)
    return Statement(operator, name, words, value, start)


def _long_operator(text: str, name: str, words: str, at: int) -> Statement:
    if text.startswith("@=", at):
        return Statement("@=", name, words, *_behind(text, at + 2))
    found = _APPEND.match(text, at)
    if found is None:
        raise StatementError(
            f"`{text[at]}` begins no operator here",
            at,
            at + 1,
            "appending is written `NAME += value`, a block `NAME @=tag`, without blanks inside",
        )
    mark = found["mark"]
    joiner = f" {mark}{mark} " if mark and found[0].count(mark) == 2 else mark or " "
    return Statement("+=", name, words, *_behind(text, found.end()), joiner)


def _behind(text: str, at: int) -> tuple[str, int]:
    """What stands behind an operator, without the blanks before it, and where."""
    value = text[at:].lstrip(BLANKS)
    return value, len(text) - len(value)


def _no_operator(text: str) -> StatementError:
    return StatementError("a statement needs `=` or `:` after its name", 0, len(text))
