"""Reports text that is not in the language, and shares equal expressions, for all readers of ads.

HTCondor's readers drop such text silently; here it is an error, or an entry in a list.

Inputs: a problem found by a reader.  Outputs: an exception, or an entry in the reader's list of
diagnostics.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from sys import getsizeof, intern
from typing import TYPE_CHECKING, Final, Literal, TypeVar
from weakref import ref

from classad.ads.ad import SIMPLE, Ad, ListValue, SharedNames, Stored, prepared
from classad.ads.expression import Expression
from classad.errors import ClassAdParseError, Diagnostic
from classad.language import bounds
from classad.language.names import fold_name
from classad.language.values import from_bytes, to_bytes
from classad.patterns import late_regex
from classad.source import Source
from classad.syntax.lazy import LazyExpression

if TYPE_CHECKING:
    from classad.syntax.nodes import Node

#: Bytes of an ad without its tables; of a value in them, and of a place in a list.
_AD: Final = 136
_VALUE: Final = 48
ITEM: Final = 48
#: Bytes of a list, and of an ad or an attribute of one, in another value: copies are made of them
#: when the whole value is stored.
LIST: Final = 272
PART: Final = 640
#: Bytes of a name that was not known, with what remembers it.
NAME: Final = 320
#: Bytes of an expression that is only a text, and of a node of its tree.
EXPRESSION: Final = 352
_NODE: Final = 112
#: Ads that are counted together: if the last one of them is there, all are taken to be.
_GROUP: Final = 1 << 20
#: After so many bytes more it is looked which groups are still there.
_PAUSE: Final = 1 << 24


class MemoryUse:
    """What has been read from one text and is still there.

    ``size``: bytes of the text so far; ``kept``: bytes of what the reader itself keeps meanwhile.
    """

    def __init__(self, name: str = "<text>", size: int = 0, kept: int = 0) -> None:
        self.name = name
        self.size = size
        self._kept = kept
        #: Bytes of the ads since the last group, and of the one that is being read.
        self._open = 0
        self._groups: list[tuple[ref[Ad], int]] = []
        self._closed = 0
        self._room = _PAUSE

    def add(self, amount: int) -> None:
        """Count bytes of the ad that is being read; raises ``LimitError``."""
        self._open += amount
        if self._open > self._room:
            self._look()

    def count(self, ad: Ad) -> None:
        """Count an ad that has been read, without its nested values; raises ``LimitError``."""
        attrs = ad._attrs
        self._open += _AD + getsizeof(attrs) + _VALUE * len(attrs)
        if self._open > _GROUP:
            self._groups.append((ref(ad), self._open))
            self._closed += self._open
            self._room -= self._open
            self._open = 0
            if self._room < 0:
                self._look()

    def _look(self) -> None:
        total, most = self._total(), bounds.allowance(self.size)
        if total > most:
            gc.collect()  # ads that hold lists go only so
            total = self._total()
            if total > most:
                raise bounds.too_large(self.name, self.size)
        self._room = self._open + max(_PAUSE, total // 32)

    def _total(self) -> int:
        """The bytes of what is still there."""
        self._groups = [group for group in self._groups if group[0]() is not None]
        self._closed = sum(amount for _, amount in self._groups)
        return self._kept + self._closed + self._open


class _Uncounted(MemoryUse):
    """Counts nothing."""

    def add(self, amount: int) -> None:
        """Count nothing."""

    def count(self, ad: Ad) -> None:
        """Count nothing."""


#: For what is not kept as it is read, and for short texts.
UNCOUNTED: Final = _Uncounted()


def weight(value: Stored) -> int:
    """The bytes of a value, without those of its place in an ad or a list."""
    total, left = 0, [value]
    while left:
        value = left.pop()
        kind = value.__class__
        if kind in SIMPLE:
            total += _VALUE
        elif kind is ListValue:
            total += _AD + ITEM * len(value.items)
            left += [item for item in value.items if item.__class__ not in SIMPLE]
        elif isinstance(value, Ad):
            tables = getsizeof(value._attrs) + getsizeof(value._names)
            total += _AD + tables + _VALUE * len(value._attrs)
            left += [item for item in value._attrs.values() if item.__class__ not in SIMPLE]
        else:
            total += _of_tree(value)
    return total


def _of_tree(tree: Expression) -> int:
    node = tree._node
    if isinstance(node, LazyExpression):
        return EXPRESSION + len(node.text)
    from classad.syntax.nodes import walk

    return EXPRESSION + _NODE * sum(1 for _ in walk(node))


#: The class of the ads that a reader makes; it is given what makes an empty one.
A = TypeVar("A", bound=Ad)

#: What a reader does with text that does not parse.  ``strict`` raises ``ClassAdParseError`` at
#: once; ``warn`` records a diagnostic and keeps all that is sound; ``htcondor`` records it too but
#: drops what HTCondor's own reader drops.
Errors = Literal["strict", "warn", "htcondor"]

#: Integers of no more digits always fit into 64 bits.
_FITTING: Final = 18
_MANY_DIGITS: Final = late_regex(rf"[0-9]{{{_FITTING + 1}}}")
#: What bytes that are not UTF-8 become.
_NO_TEXT: Final = late_regex("[\udc80-\udcff]+")

#: Names, sets of names and names in them that are kept for ads to come.
_MAX_NAMES: Final = 20_000
_MAX_SHAPES: Final = 1000
_MAX_SPREAD: Final = 500_000
#: Expressions that a reader keeps for ads to come.
MAX_EXPRESSIONS: Final = 20_000
#: Bytes of a problem that is told to the caller, without the texts that it points at.
_PROBLEM: Final = 512

#: First sentence of classad2's error for a stream that is no ad.
NO_STREAM: Final = "Unable to parse input stream into a ClassAd."

#: What C's ``isspace`` takes for white space; ``str.strip`` would take more.
BLANKS: Final = " \t\n\v\f\r"


def check_errors(errors: Errors) -> None:
    """Refuse a misspelt policy before anything is read."""
    if errors not in ("strict", "warn", "htcondor"):
        raise ValueError(f"errors must be `strict`, `warn` or `htcondor`, not `{errors}`")


class Reporting:
    """A reader that raises or records the problems of a text, as ``errors`` says."""

    def __init__(self, diagnostics: list[Diagnostic] | None, errors: Errors) -> None:
        check_errors(errors)
        self.diagnostics = diagnostics
        self.errors = errors

    def report(self, problem: Diagnostic) -> None:
        """Raise or record one problem; ``LimitError`` if there are millions."""
        if self.errors == "strict":
            raise ClassAdParseError(NO_STREAM, problem)
        if self.diagnostics is None:
            return
        size = 0 if problem.source is None else len(problem.source.text)
        if _PROBLEM * len(self.diagnostics) > bounds.allowance(size):
            name = "<text>" if problem.source is None else problem.source.name
            raise bounds.too_large(name, size)
        self.diagnostics.append(problem)

    def doubt(self, message: str, source: Source, start: int, end: int) -> None:
        """Warn of text that is read as HTCondor reads it, which a strict caller takes as well."""
        if self.errors != "strict":
            self.report(Diagnostic(message, source, start, end, severity="warning"))

    def overflow(self, source: Source, start: int, end: int, value: str = "0") -> None:
        """Warn of an integer that is beyond 64 bits."""
        what = f"this number of {end - start} characters"
        self.doubt(f"{what} does not fit into 64 bits: it is {value}", source, start, end)

    def overflows(self, node: Node, source: Source) -> None:
        """Warn of the integers of an expression that are beyond 64 bits."""
        from classad.syntax.nodes import Literal as Constant
        from classad.syntax.nodes import walk

        for part in walk(node) if has_many_digits(source.text[node.start : node.end]) else ():
            nought = isinstance(part, Constant) and part.value.__class__ is int and part.value == 0
            if nought and part.end - part.start > _FITTING:
                self.overflow(source, part.start, part.end)

    def ignored(self, message: str, source: Source, start: int, end: int) -> None:
        """Report text behind a value: HTCondor ignores it, only a strict caller refuses it."""
        severity = "error" if self.errors == "strict" else "warning"
        help = "the text behind a value is ignored, here as in HTCondor"
        self.report(Diagnostic(message, source, start, end, severity=severity, help=help))


def has_many_digits(text: str) -> bool:
    """Whether a number in a text may be an integer beyond 64 bits."""
    return _MANY_DIGITS.search(text) is not None


def note_bytes(source: Source, diagnostics: list[Diagnostic] | None, errors: Errors) -> None:
    """Say once of a text where bytes stand in it that are no text; they are kept as they are."""
    if diagnostics is None or errors == "strict" or source.text.isascii():
        return
    found = _NO_TEXT.search(source.text)
    if found is not None:
        message = "bytes that are not UTF-8 are kept as they are"
        place = found.start(), found.end()
        diagnostics.append(Diagnostic(message, source, *place, severity="warning"))


def decoded(piece: object) -> str:
    """A text, which may be bytes: those that are not UTF-8 are kept as lone surrogates."""
    if isinstance(piece, bytes | bytearray):
        return from_bytes(piece)
    if isinstance(piece, str):
        return piece
    raise TypeError("input must be a string, a file or lines")


def as_utf8(text: str) -> str:
    """A text whose bytes that are no UTF-8 are replaced, for tables that cannot hold them."""
    return to_bytes(text).decode("utf-8", "replace")


def with_line_ends(pieces: Iterable[str | bytes]) -> Iterator[str]:
    """The lines of a caller's list or iterator, each with a line end, which theirs may lack.

    A piece may hold several lines.  ``ValueError``: it goes on behind its last line end, and more
    pieces follow, so it is no list of lines but a text cut anywhere.
    """
    cut = False
    for piece in pieces:
        if bounds.entered:
            bounds.glance("reading ads")
        if piece.__class__ is not str:
            piece = decoded(piece)
        if piece and not cut and piece.find("\n") == len(piece) - 1:
            yield piece  # one whole line, as most are
            continue
        if cut:
            raise ValueError(
                "the input is a text in pieces, not lines: give the whole text, ''.join(pieces)"
            )
        first, *rest = piece.removesuffix("\n").split("\n")
        cut = bool(rest) and not piece.endswith("\n")
        yield first + "\n"
        for line in rest:
            yield line + "\n"


class Names:
    """Names of attributes that a reader has seen: one object for each, and one set for equal ads.

    Without that the names of an ad take more memory than all else in it.  ``memory``: what has been
    read.
    """

    def __init__(self, memory: MemoryUse) -> None:
        self.memory = memory
        #: How many names there are in the sets.
        self._spread = 0
        self._seen: dict[str, tuple[str, str]] = {}
        self._shapes: dict[tuple[str, ...], SharedNames] = {}

    def of(self, name: str) -> tuple[str, str]:
        """The folded name, and the spelling."""
        found = self._seen.get(name)
        if found is None:
            if len(self._seen) >= _MAX_NAMES:
                self._seen.clear()
            self.memory.add(NAME + len(name))
            found = self._seen[name] = intern(fold_name(name)), intern(name)
        return found

    def put(self, ad: Ad, name: str, value: Stored) -> None:
        """Set an attribute of an ad that is being read; the first spelling stays."""
        key, spelled = self.of(name)
        ad._attrs[key] = value if value.__class__ in SIMPLE else prepared(value, ad)
        ad._names.setdefault(key, spelled)

    def adopt(self, ad: Ad) -> None:
        """Give an ad that the grammar made these objects for its names."""
        ad._attrs = {self.of(name)[0]: ad._attrs[key] for key, name in ad._names.items()}
        for value in ad._attrs.values():
            if value.__class__ not in SIMPLE:
                self.memory.add(weight(value))

    def share(self, ad: A) -> A:
        """An ad that has been read: it shares its names with others that have the same."""
        spelled = tuple(ad._names.values())
        names = self._shapes.get(spelled)
        if names is None:
            self._spread += len(spelled)
            if len(self._shapes) >= _MAX_SHAPES or self._spread > _MAX_SPREAD:
                self._shapes.clear()
                self._spread = len(spelled)
            names = self._shapes[spelled] = SharedNames(ad._names)
            self.memory.add(getsizeof(names) + getsizeof(spelled))
        ad._names = names
        self.memory.count(ad)
        return ad


def unshared(value: Stored, taken: set[int]) -> Stored:
    """What an ad keeps for ``value``, given the identities of the expressions it has so far.

    Readers share equal expressions between ads, but what is a cycle is told by the identity of the
    expressions under way: within one ad equal ones must stay different objects.
    """
    if value.__class__ is not Expression:
        return value
    if id(value) in taken:
        return Expression.sharing(value)
    taken.add(id(value))
    return value
