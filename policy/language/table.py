"""Holds the macro table: what each name was set to, where, and what it was before.

Inputs: definitions in the order they are read.  Outputs: lookups by exact name or with the
subsystem and local-name prefixes; below the table lie the built-in defaults.
Follows: lookup order of 25.14.1 (golden vectors ``prefix``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from attr import evolve, field, frozen

from classad.source import Source

#: Pseudo files that the tools name as origin.
DEFAULT_ORIGIN: Final = "<Default>"
DETECTED_ORIGIN: Final = "<Detected>"
ENVIRONMENT_ORIGIN: Final = "<Environment>"
#: Origin of definitions that were given beside the files.
COMMAND_LINE_ORIGIN: Final = "<command line>"


@frozen
class Context:
    """Who reads: the names that may prefix a macro."""

    subsystem: str = "TOOL"
    local_name: str | None = None
    #: The prefixes, case-folded.
    folded: tuple[str, ...] = field(init=False, eq=False, repr=False)

    def prefixes(self) -> tuple[str, ...]:
        """Prefixes in the order they are tried."""
        return (self.subsystem,) if self.local_name is None else (self.local_name, self.subsystem)

    @folded.default
    def _folded(self) -> tuple[str, ...]:
        return tuple(map(str.casefold, self.prefixes()))

    def base_name(self, name: str) -> str | None:
        """``name`` without this context's prefix, or None if it has none."""
        if "." not in name:
            return None
        folded = name.casefold()
        for prefix in self.prefixes():
            if folded.startswith(prefix.casefold() + "."):
                return name[len(prefix) + 1 :]
        return None


@frozen
class Definition:
    """One assignment.

    ``raw`` is the stored text (unexpanded, but with references to itself replaced), ``written``
    the text as it stood in the file.  ``line`` is the last physical line of the statement;
    ``start:end`` are the characters of the value in ``source``.  ``template`` is
    ``CATEGORY:NAME+offset`` for lines of a template.  ``previous`` is what this one replaced.
    """

    name: str
    raw: str
    origin: str
    line: int | None = None
    source: Source | None = field(default=None, repr=False)
    start: int = 0
    end: int = 0
    written: str | None = None
    template: str | None = None
    previous: Definition | None = field(default=None, repr=False)

    @property
    def is_builtin(self) -> bool:
        """True for an entry of the table of built-in defaults."""
        return self.origin == DEFAULT_ORIGIN

    def place(self) -> str:
        """``file, line N[, use CATEGORY:NAME+offset]`` or the pseudo file."""
        if self.line is None:
            return self.origin
        tail = f", use {self.template}" if self.template else ""
        return f"{self.origin}, line {self.line}{tail}"

    @property
    def extends_unread(self) -> bool:
        """Does it add to a value (``X = $(X) && ...``, ``X += ...``) that nothing read has set?

        Then files that are read before set it; the built-in value stands there in their place.
        """
        return all(link.extends for link in self.chain())

    @property
    def extends(self) -> bool:
        """Does it take over the value from before?  One that repeats a default has its spelling."""
        written = self.written
        if written is None or written == self.raw:
            return False
        return written.casefold() != self.raw.casefold()

    def chain(self) -> Iterator[Definition]:
        """This definition and those it replaced, newest first."""
        entry: Definition | None = self
        while entry is not None:
            yield entry
            entry = entry.previous


class MacroTable:
    """Definitions by case-folded name over a table of built-in defaults."""

    def __init__(self, defaults: Mapping[str, str]) -> None:
        self._entries: dict[str, Definition] = {}
        self._defaults = {name.casefold(): (name, raw) for name, raw in defaults.items()}
        #: Those of the defaults that somebody has asked for.
        self._asked: dict[str, Definition] = {}
        #: What names have before a dot, case-folded: most prefixes are nobody's.
        self._prefixes: set[str] = set()
        for folded in self._defaults:
            if "." in folded:
                self._prefixes.update(_before_dots(folded))

    def __iter__(self) -> Iterator[Definition]:
        """The definitions that were read, without built-in ones."""
        return iter(self._entries.values())

    def built_in(self) -> MacroTable:
        """The built-in defaults alone."""
        return MacroTable(dict(self._defaults.values()))

    def get(self, name: str) -> Definition | None:
        """What was read for exactly this name."""
        return self._entries.get(name.casefold())

    def default(self, name: str) -> Definition | None:
        """The built-in default of exactly this name (it may be empty)."""
        return self._default(name.casefold())

    def _default(self, folded: str) -> Definition | None:
        """The same for a case-folded name."""
        found = self._asked.get(folded)
        if found is None and folded in self._defaults:
            found = self._asked[folded] = Definition(*self._defaults[folded], DEFAULT_ORIGIN)
        return found

    def default_names(self) -> list[str]:
        """The names that have a built-in default."""
        return [name for name, _ in self._defaults.values()]

    def exact(self, name: str) -> Definition | None:
        """What was read for exactly this name, else its default."""
        return self._of(name.casefold())

    def _of(self, folded: str) -> Definition | None:
        """The same for a case-folded name."""
        return self._entries.get(folded) or self._default(folded)

    def default_of(self, definition: Definition) -> Definition | None:
        """The built-in default that a definition repeats; ``true`` and ``false`` in any case.

        A prefix does not count, whatever it is.
        """
        folded = definition.name.casefold()
        found = self._default(folded)
        if found is None and "." in folded:
            found = self._default(folded.partition(".")[2])
        if found is None or not found.raw:
            return None
        same = found.raw == definition.raw
        folded = found.raw.casefold()
        if not same and folded in ("true", "false"):
            same = folded == definition.raw.casefold()
        return found if same else None

    def put(self, definition: Definition) -> None:
        """Store a definition, in the default's spelling if it repeats it; its ``previous`` is the
        caller's business."""
        default = self.default_of(definition)
        if default is not None and default.raw != definition.raw:
            definition = evolve(definition, raw=default.raw)
        folded = definition.name.casefold()
        self._entries[folded] = definition
        if "." in folded:
            self._prefixes.update(_before_dots(folded))

    def lookup(self, name: str, context: Context) -> Definition | None:
        """The definition that ``context`` sees under ``name``."""
        folded = name.casefold()
        if not self._prefixes.isdisjoint(context.folded):
            for prefix in context.folded:
                found = self._of(f"{prefix}.{folded}") if prefix in self._prefixes else None
                if found is not None:
                    return found
        return self._entries.get(folded) or self._default(folded)


def _before_dots(name: str) -> Iterator[str]:
    """All that stands before a dot of a name."""
    return (name[:at] for at, letter in enumerate(name) if letter == ".")
