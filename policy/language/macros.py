"""Finds macro references in a text and replaces them.

Which text is a reference at all (the characters allowed in names, defaults and function bodies are
narrow), the order of replacement, and when an expansion never ends.
Inputs: a text and a way to look names up.  Outputs: the expanded text, or ``ExpansionError``.
Follows: condor_config_val 25.14.1 (golden vectors ``macro``, ``selfref``, ``prefix``); where that
program loops for ever or crashes, an error with the chain of names instead (DIVERGENCES.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from classad.language.bounds import glance
from classad.patterns import late_regex

if TYPE_CHECKING:
    from policy.language.table import Definition

#: A reference without function and default.
_PLAIN = late_regex(r"\$\(([A-Za-z0-9_./]*)\)")
_HEAD = late_regex(r"\$([A-Za-z0-9_]*)\(")
_NAME = late_regex(r"[A-Za-z0-9_./]*")
_DOLLAR = late_regex(r"\$\$|\$\(DOLLAR\)", re.IGNORECASE)
#: Characters of a default; a parenthesised group may hold anything but `)`.
# `(?!)`: so that Python before 3.11.5, too, forgets what did not match.
_DEFAULT = late_regex(r"(?:[A-Za-z0-9_./$,\\: ]++|\([^)]*\)|(?!))*+")
_FILENAME = late_regex(r"F[fpdnxqabuw]*", re.IGNORECASE)

#: Functions whose body is a list of arguments; ``F`` and its flags come on top.
FUNCTIONS: Final = frozenset(
    (
        *("ENV", "INT", "REAL", "STRING", "EVAL", "SUBSTR", "CHOICE"),
        *("RANDOM_CHOICE", "RANDOM_INTEGER", "BASENAME", "DIRNAME"),
    )
)
#: No sane value comes near; stops names that double in length at every level.
MAX_EXPANDED: Final = 4_000_000
MAX_REPLACEMENTS: Final = 20_000


class ExpansionError(Exception):
    """An expansion that has no end; ``chain`` is the cycle of macro names."""

    def __init__(self, message: str, chain: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.chain = chain


class MacroReference(NamedTuple):
    """``$function(body)`` at ``start:end``; a plain ``$(name:default)`` has function ``""``."""

    start: int
    end: int
    function: str
    body: str

    def split_default(self) -> tuple[str, str | None]:
        """Name and default of a plain or ``$ENV`` reference."""
        name, colon, default = self.body.partition(":")
        return name, default if colon else None


def _is_function(word: str) -> bool:
    return word in FUNCTIONS or (word[:1] == "F" and _FILENAME.fullmatch(word) is not None)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where that ends which a pattern matches at a place, perhaps nothing."""
    found = pattern.match(text, at)
    return at if found is None else found.end()


def reference_at(text: str, at: int) -> MacroReference | None:
    """The complete reference that begins at ``text[at]``, a dollar sign, if there is one."""
    plain = _PLAIN.match(text, at)
    if plain is not None:
        return MacroReference(at, plain.end(), "", plain[1])
    head = _HEAD.match(text, at)
    if head is None:
        return None
    word = head[1]
    if word and not _is_function(word):
        return None
    begin = head.end()
    if word in ("", "ENV"):
        stop = _end(_NAME, text, begin)
        if text[stop : stop + 1] == ":":
            stop = _end(_DEFAULT, text, stop + 1)
        if text[stop : stop + 1] != ")":
            return None
    else:
        stop = text.find(")", begin)
        if stop < 0:
            return None
    return MacroReference(at, stop + 1, word, text[begin:stop])


def references(text: str, start: int = 0) -> MacroReference | None:
    """The first complete reference at or after ``start``; ``$$(`` is kept for match time."""
    at = text.find("$", start)
    while at >= 0:
        if text.startswith("$$", at):
            at += 1
        else:
            found = reference_at(text, at)
            if found is not None and not _is_dollar(found):
                return found
        at = text.find("$", at + 1)
    return None


def _is_dollar(reference: MacroReference) -> bool:
    return not reference.function and reference.body.upper() == "DOLLAR"


def _dollars(text: str) -> str:
    """``$(DOLLAR)`` as a dollar sign, which may begin the next one; ``$$`` is passed over."""
    if "$" not in text:
        return text
    found = _DOLLAR.search(text)
    while found is not None:
        at = found.end()
        if found[0] != "$$":
            at = found.start()
            text = f"{text[:at]}${text[found.end() :]}"
        found = _DOLLAR.search(text, at)
    return text


class _Region(NamedTuple):
    """A stretch of the text that came from the value of ``entry``.

    ``start`` is counted from the beginning of the text, ``rest`` from its end: a replacement inside
    changes neither.  ``replaced``: how many replacements there were before it.
    """

    entry: Definition
    start: int
    rest: int
    replaced: int


class Finished(NamedTuple):
    """The value of a definition without references, and how many replacements it takes."""

    entry: Definition
    text: str
    replacements: int


#: Values that were expanded already, by the identity of their definitions.
Known = dict[int, Finished]
#: A longer value is not kept.
_KEPT: Final = 65_536


class Expander(NamedTuple):
    """Expands texts.

    ``lookup`` finds what a name stands for; ``call(function, body, expander)`` computes the
    functions; ``active`` are the macros whose values are being expanded around this text.
    ``plain`` looks names up without any prefix, for ``PREFIX.NAME = $(NAME) ...`` in a table that
    was read for somebody else, so that the reference could not be replaced in the reading.
    ``trace`` is told of every replacement: the reference, the text, and whose value that is.
    ``known``: values that need not be expanded again, as long as no definition changes.
    """

    lookup: Callable[[str], Definition | None]
    call: Callable[[MacroReference, Expander], str]
    active: tuple[str, ...] = ()
    plain: Callable[[str], Definition | None] | None = None
    trace: Callable[[MacroReference, str, Definition | None], None] | None = None
    known: Known | None = None

    def inside(self, name: str) -> Expander:
        """The same expander for the value of ``name`` met inside a function."""
        if name in self.active:
            raise _endless((*self.active[self.active.index(name) :], name))
        active = (*self.active, name)
        return Expander(self.lookup, self.call, active, self.plain, self.trace, self.known)

    def expand(self, text: str) -> str:
        """``text`` without references; ``$(DOLLAR)`` becomes a dollar sign last of all."""
        if "$" not in text:
            return text
        # Each lies within the one before it.
        around: list[_Region] = []
        names: list[str] = []
        replaced = called = 0
        while replaced < MAX_REPLACEMENTS:
            glance("expanding macros")
            found = references(text)
            # What lies wholly to the left is finished: a reference completed there later sticks
            # out.  One put together from the edge of a region ends that region.
            while around and (
                found is None
                or found.start < around[-1].start
                or found.end > len(text) - around[-1].rest
            ):
                self._keep(around.pop(), text, replaced, called)
                names.pop()
            if found is None:
                return _dollars(text)
            value, entry = self._value(found, tuple(names))
            if self.trace is not None:
                self.trace(found, value, entry)
            replaced += 1
            called = replaced if found.function else called
            done = None if entry is None else self._done(entry)
            if done is not None:
                value, replaced = done.text, replaced + done.replacements
            elif entry is not None:
                around.append(_Region(entry, found.start, len(text) - found.end, replaced))
                names.append(entry.name)
            text = text[: found.start] + value + text[found.end :]
            if len(text) > MAX_EXPANDED:
                raise ExpansionError(f"expansion exceeds {MAX_EXPANDED} characters")
        raise ExpansionError(f"expansion takes more than {MAX_REPLACEMENTS} replacements")

    def _done(self, entry: Definition) -> Finished | None:
        """The value of an entry if it is known; one that traces sees every step."""
        return None if self.known is None or self.trace else self.known.get(id(entry))

    def _keep(self, region: _Region, text: str, replaced: int, called: int) -> None:
        """Note the value of a region that is finished, unless a function had its part in it."""
        value = text[region.start : len(text) - region.rest]
        plain = called <= region.replaced and len(value) <= _KEPT and "$" not in value
        if self.known is not None and plain:
            number = replaced - region.replaced
            self.known[id(region.entry)] = Finished(region.entry, value, number)

    def _value(
        self, reference: MacroReference, around: tuple[str, ...]
    ) -> tuple[str, Definition | None]:
        """Replacement of a reference and the macro it came from, if from one."""
        chain = self.active + around
        if reference.function:
            return self.call(reference, self._replace(active=chain, trace=None)), None
        name, default = reference.split_default()
        entry = self.lookup(name)
        if self.plain is not None and _is_own_prefix(entry, name, chain):
            entry = self.plain(name)
        if entry is None or (default is not None and not entry.raw):
            return default or "", None
        if entry.name in chain:
            raise _endless((*chain[chain.index(entry.name) :], entry.name))
        return entry.raw, entry


def _is_own_prefix(entry: Definition | None, name: str, chain: tuple[str, ...]) -> bool:
    """Does the value of a prefixed macro refer to itself by the name without the prefix?"""
    if entry is None or not chain or entry.name != chain[-1]:
        return False
    return entry.name.casefold() != name.casefold()


def _endless(chain: tuple[str, ...]) -> ExpansionError:
    return ExpansionError(
        f"expansion of `{chain[0]}` never ends: {' -> '.join(chain)}", tuple(chain)
    )


def replace_self(
    text: str, is_self: Callable[[str], bool], current: Callable[[str], str], filename: Expander
) -> str:
    """``text`` with references to the name being assigned replaced by its present raw value.

    Besides ``$(NAME)`` and ``$(NAME:default)`` only the ``$F`` family is looked into.
    """
    at = 0
    while (found := references(text, at)) is not None:
        name, default = found.split_default()
        if not found.function and is_self(name):
            value = current(name) or default or ""
        elif found.function[:1] == "F" and is_self(found.body):
            value = filename.call(found, filename)
        else:
            at = found.end  # what hides in another reference stays for later
            continue
        text = text[: found.start] + value + text[found.end :]
        at = found.start + len(value)
        if len(text) > MAX_EXPANDED:
            raise ExpansionError(f"the value exceeds {MAX_EXPANDED} characters")
    return text
