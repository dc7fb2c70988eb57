"""Problems as values, and the exceptions of the Python interface.

A ``Diagnostic`` is one message with a place; everything that reads text (parser, ad files,
configuration) produces them and only the command line prints them.  The wording rules: lower-case
first word, no final period, the user's text in backticks, no Python type names, help apart.

Never here: printing to a stream, opening files.
Follows: exception names of HTCondor's retired v1 binding, so that handlers for it, for
classad2's ``ClassAdException`` and for the builtin classes all work.
"""

from __future__ import annotations

from collections.abc import Iterable

from classad.source import Source


class Diagnostic:
    """One finding: severity (``error``, ``warning`` or ``note``), message, place, help and id."""

    __slots__ = ("end", "help", "id", "message", "severity", "source", "start")

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
    ) -> None:
        self.message = message
        self.source = source
        self.start = start
        self.end = end
        self.severity = severity
        self.help = help
        self.id = id

    def __repr__(self) -> str:
        return f"<Diagnostic {self.headline()!r}>"

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


def suggest(name: str, known: Iterable[str]) -> str | None:
    """The known name nearest to ``name``, ignoring case, or None when none is near."""
    import difflib

    table = {item.casefold(): item for item in known}
    near = difflib.get_close_matches(name.casefold(), list(table), n=1, cutoff=0.75)
    return table[near[0]] if near else None
