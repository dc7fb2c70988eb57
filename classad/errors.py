"""Defines diagnostics (problems as values) and the exceptions of the Python interface.

A ``Diagnostic`` is one message with a place; everything that reads text (parser, ad files,
configuration) produces them and only the command line prints them.  The wording rules: lower-case
first word, no final period, the user's text in backticks, no Python type names, help apart.

Follows: exception names of HTCondor's retired v1 binding, so that handlers for it, for
classad2's ``ClassAdException`` and for the builtin classes all work.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from classad.source import Source

#: First lines of the text of ``ClassAdParseError``, where the reader has no better one.
EXPRESSION_MESSAGE: Final = "Unable to parse string into an expression"
AD_MESSAGE: Final = "Unable to parse string into a ClassAd"
#: What a reader left out of its answer.
Lost = Literal["attribute", "ad", "rest"]


class Edit(NamedTuple):
    """A repair: characters ``start:end`` of a source become ``text``."""

    source: Source
    start: int
    end: int
    text: str


class Diagnostic:
    """One finding: severity, message, place, help and id.

    ``severity``: ``error``, ``warning``, ``note``, or ``detail`` for what is in order and is said
    only to those who ask for more.

    ``lost``: what a reader left out for it: an ``attribute``, an ``ad``, or the ``rest`` of a file.
    ``edit``: what repairs it, where that is known.  ``about``: what it is about, a value of
    whoever makes it; the message is for people only.
    """

    __slots__ = (
        *("about", "edit", "end", "help", "id", "lost", "message", "severity", "source", "start"),
    )

    def __init__(
        self,
        message: str,
        source: Source | None = None,
        start: int = 0,
        end: int = 0,
        *,
        severity: str = "error",
        help: str | None = None,
        id: str | None = None,
        lost: Lost | None = None,
        edit: Edit | None = None,
        about: object = None,
    ) -> None:
        self.message = message
        self.source = source
        self.start = start
        self.end = end
        self.severity = severity
        self.help = help
        self.id = id
        self.lost = lost
        self.edit = edit
        self.about = about

    def __repr__(self) -> str:
        return f"<Diagnostic {self.headline()!r}>"

    @property
    def position(self) -> tuple[int, int] | None:
        """Line and column of the place, from 1."""
        return None if self.source is None else self.source.position(self.start)

    @property
    def line(self) -> int | None:
        """Line of the place, from 1."""
        return None if self.source is None else self.source.position(self.start)[0]

    @property
    def column(self) -> int | None:
        """Column of the place, from 1, in characters."""
        return None if self.source is None else self.source.position(self.start)[1]

    def headline(self) -> str:
        """``file:line:column: severity: message`` in one line."""
        kind = f"{self.severity}[{self.id}]" if self.id else self.severity
        if self.source is None:
            return f"{kind}: {self.message}"
        return f"{self.source.name}:{self.line}:{self.column}: {kind}: {self.message}"

    def render(self) -> str:
        """The headline, the source line with carets, and the help."""
        parts = [self.headline()]
        if self.source is not None:
            parts.append(self.source.excerpt(self.start, self.end))
        if self.help:
            parts.append(f"  help: {self.help}")
        return "\n".join(parts)


class ClassAdException(Exception):  # noqa: N818 - the name is HTCondor's
    """Base of everything this package raises on purpose."""


class ClassAdParseError(ClassAdException, ValueError, SyntaxError, RuntimeError):
    """A text is not in the language.  ``diagnostic`` has the place and what was expected."""

    def __init__(self, message: str, diagnostic: Diagnostic | None = None) -> None:
        super().__init__(message)
        self.diagnostic = diagnostic
        # What a traceback shows of a SyntaxError.
        self.msg = str(self)

    def __str__(self) -> str:
        first = str(self.args[0]) if self.args else ""
        return first if self.diagnostic is None else f"{first}\n{self.diagnostic.render()}"


class ClassAdEnumError(ClassAdException, TypeError):
    """An enumeration was given a value it does not have."""


class ClassAdEvaluationError(ClassAdException, TypeError, RuntimeError):
    """An evaluation could not be carried out at all."""


class ClassAdInternalError(ClassAdException, ValueError, RuntimeError):
    """An invariant of this package does not hold."""


class ClassAdValueError(ClassAdException, ValueError, RuntimeError, TypeError):
    """A Python value has no counterpart in the language."""


class ClassAdTypeError(ClassAdException, TypeError, ValueError):
    """An argument of the wrong type."""


class ClassAdOSError(ClassAdException, OSError, RuntimeError):
    """Reading or writing failed."""


class LimitError(RuntimeError):
    """The time or the memory that a caller allows is used up; see ``classad.limits``.

    It is no ``ClassAdException``: who takes those for bad input must not take this for it.
    """


class V1Warning(FutureWarning):
    """An expression is used as in version 1 of HTCondor's bindings and gives another result."""


def suggest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is one edit away from ``name``, or None.

    An edit is one character more, less or another one, or two neighbours swapped; case does not
    count.  Names of one or two characters are all near to each other, so they have no suggestion.
    Of several the alphabetically first is taken.
    """
    wrong = name.casefold()
    if len(wrong) < 3:
        return None
    # One edit leaves the first half as it is or what stands behind the second half's first letter.
    size = len(wrong)
    half = size // 2
    begin, end = wrong[:half], wrong[half + 1 :]
    near = [
        item
        for item in known
        if (many := len(item)) > 2
        and -2 < many - size < 2
        and ((folded := item.casefold()).startswith(begin) or folded.endswith(end))
        and is_one_edit(wrong, folded)
    ]
    return min(near, key=lambda item: (item.casefold(), item), default=None)


def numbered_alike(left: str, right: str) -> bool:
    """Whether two names have the same digits: ``rack1`` and ``rack2`` are two, and no slip."""
    return [*filter(str.isdigit, left)] == [*filter(str.isdigit, right)]


def is_one_edit(left: str, right: str) -> bool:
    """Whether one edit (insert, delete, substitute, swap neighbours) makes one into the other."""
    if left == right or abs(len(left) - len(right)) > 1:
        return False
    short, long = sorted((left, right), key=len)
    at = next((i for i, char in enumerate(short) if char != long[i]), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    if short[at + 1 :] == long[at + 1 :]:
        return True
    swapped = long[at : at + 2][::-1]
    return short[at : at + 2] == swapped and short[at + 2 :] == long[at + 2 :]
