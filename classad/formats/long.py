"""Reads and writes the long form: ``Name = expression`` lines, blank lines between ads.

Leading white space of a line is skipped; the name is all before the first ``=`` without trailing
blanks, whatever its characters; the expression is parsed with old string lexing and text after a
complete expression is ignored; lines starting with ``#`` are comments; the last value of a name
wins under its first spelling.

Inputs: a text, or its lines one by one (streaming), and the name that diagnostics show.
Outputs: an iterator of ads.

A pool repeats itself: the same line stands in thousands of ads.  So each distinct line is
understood once, literals by one regular expression and everything else by the grammar, and later
copies cost one dictionary look-up.  The expression trees of equal texts are one shared object.

Follows: the long form of HTCondor 25.14.1 (golden vectors ``formats``, kind ``long_line``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain, pairwise
from typing import Final, Generic

from classad.ads.ad import Ad, ListValue, Stored, of_leaves, stored_form
from classad.ads.expression import Expression
from classad.errors import ClassAdParseError, ClassAdValueError, Diagnostic
from classad.formats.common import (
    BLANKS,
    MAX_EXPRESSIONS,
    UNCOUNTED,
    A,
    Errors,
    MemoryUse,
    Names,
    Reporting,
    weight,
)
from classad.language import bounds
from classad.language.rules import OLD, WHOLE
from classad.language.spelling import quote_name
from classad.patterns import late_regex
from classad.source import Source
from classad.syntax.lazy import parse_lazily, read_leaves
from classad.syntax.lexing import integer_value, literal_value

#: An integer that ``literal_value`` does not take.
_INTEGER: Final = late_regex("-?[1-9][0-9]{18,}")
#: Lines that are kept: an endless stream of distinct ones must not fill the memory.
_MAX_LINES: Final = 100_000
#: Characters that are cut into lines at once.
_PIECE: Final = 1 << 20

#: Folded name, spelling, value, and whether the value is a list or an ad, made anew for each ad.
_Entry = tuple[str, str, Stored, bool]


def shared_tree(key: str, text: str, tz: str | None) -> Expression:
    """The tree of an attribute's right-hand side; trees never change, so equal ones are shared.

    Slots of a pool repeat each other, and programs that read one ad a call would otherwise parse
    the same expressions for each.  ``key``: the folded name; equal expressions of one ad must be
    different objects, because a cycle is told by the object.
    """
    return _parsed(key, text, tz)[0]


def stored_text(key: str, text: str, tz: str | None, ad: Ad) -> Stored:
    """What an ad keeps for a right-hand side: the expression, or the list or ad that it is.

    A list or an ad of literals and names is read once, and has no tree.
    """
    leaves = read_leaves(text, OLD | WHOLE) if text.startswith(("{", "[")) else None
    return stored_form(shared_tree(key, text, tz), ad) if leaves is None else of_leaves(leaves, ad)


@lru_cache(maxsize=MAX_EXPRESSIONS)
def _parsed(key: str, text: str, tz: str | None) -> tuple[Expression, Diagnostic | None]:
    """The tree of a right-hand side, and what is wrong with the text behind it, if anything."""
    from classad.syntax.parser import parse_expression

    later = parse_lazily(text, OLD | WHOLE)
    if later is not None:
        return Expression.from_node(later), None
    try:
        return Expression.from_node(parse_expression(text, old=True, whole=True, tz=tz)), None
    except ClassAdParseError as problem:
        node = parse_expression(text, old=True, prefix=True, tz=tz)
        return Expression.from_node(node), problem.diagnostic


def forget_texts() -> None:
    """Let go of the trees of texts that have been read: they are read anew."""
    _parsed.cache_clear()


class LongReader(Reporting, Generic[A]):
    """A reader that remembers the lines and expressions it has seen.

    One reader may read several sources; ads of all of them then share their expression trees.
    """

    def __init__(
        self,
        new: Callable[[], A],
        diagnostics: list[Diagnostic] | None = None,
        *,
        errors: Errors = "warn",
        tz: str | None = None,
        memory: MemoryUse | None = None,
    ) -> None:
        """``new`` makes an empty ad.  ``tz``: the zone of time literals that name none.

        ``memory``: what the ads belong to, if they are not all that is read from a text.
        """
        super().__init__(diagnostics, errors)
        self._new = new
        self.tz = tz
        self._lines: dict[str, _Entry] = {}
        self._counted = memory is not None
        self._memory = MemoryUse() if memory is None else memory
        self._names = Names(self._memory)

    def read(
        self, source: str | Iterable[str], name: str = "<text>", *, first_line: int = 1
    ) -> Iterator[A]:
        """The ads of a text or of an iterable of lines (with or without line ends)."""
        lines = _lines_of(source) if isinstance(source, str) else source
        known, new, memory = self._lines, self._new, self._memory
        if not self._counted:
            memory.name = name
        ad = new()
        size = 0
        dropping = False  # the rest of this ad, under the `htcondor` policy
        for number, line in enumerate(lines, first_line):
            entry = known.get(line)
            size += len(line)
            if entry is None:
                if bounds.entered:
                    bounds.glance("reading ads")
                text = line.strip(BLANKS)
                if not text:
                    dropping = False
                    if ad._attrs:
                        if not self._counted:
                            memory.size += size
                            size = 0
                        yield self._names.share(ad)
                        ad = new()
                    continue
                if dropping or text[0] == "#":
                    continue
                entry = self.understand(line, name, number)
                if entry is None:
                    dropping = self.errors == "htcondor"
                    continue
            elif dropping:
                continue
            key, spelled, value, nested = entry
            if nested:
                value = stored_form(value, ad)
                memory.add(weight(value))
            ad._attrs[key] = value
            if key not in ad._names:
                ad._names[key] = spelled
        if ad._attrs:
            yield self._names.share(ad)

    def understand(self, line: str, name: str, number: int) -> _Entry | None:
        """Name and value of one line; None when reported as a problem.

        A line without any problem is kept for its copies.
        """
        left, equals, right = line.partition("=")
        spelled = left.lstrip(BLANKS).rstrip(" ")
        if not equals or not spelled or "\0" in spelled:
            self._refuse(line, name, number, equals)
            return None
        # One object for each name makes looking it up in many ads several times as fast.
        key, spelled = self._names.of(spelled)
        right = right.strip(BLANKS)  # at once: it may be long, and is not to be kept twice
        value: Stored = literal_value(right)
        nested = sound = False
        if value is None:
            tree, sound = self._expression(key, right, line, len(left) + 1, name, number)
            if tree is None:
                return None
            value = stored_form(tree, Ad())
            if value.__class__ is ListValue or value.__class__ is Ad:
                value, nested = tree, True
            if self._memory is not UNCOUNTED:
                self._memory.add(weight(tree))
        else:
            sound = True
        entry = (key, spelled, value, nested)
        if not sound:
            return entry
        if len(self._lines) >= _MAX_LINES:
            self._lines.clear()
        self._lines[line] = entry
        return entry

    def _expression(
        self, key: str, text: str, line: str, offset: int, name: str, number: int
    ) -> tuple[Expression | None, bool]:
        """The shared tree of a right-hand side, if it has one, and whether it is without problems.

        ``offset``: where the right-hand side starts in the line, of which ``text`` has no blanks at
        its ends.
        """
        tree: Expression | None = None
        try:
            tree, found = _parsed(key, text, self.tz)
        except ClassAdParseError as problem:
            found = problem.diagnostic
        if found is None:
            return tree, not self._overflows(text, line, offset, name, number)
        shift = line.find(text, offset) if text else offset
        place = _source(line, name, number), found.start + shift, found.end + shift
        if tree is None:
            self.report(Diagnostic(found.message, *place, help=found.help, lost="attribute"))
        else:
            self.ignored(found.message, *place)
        return tree, False

    def _overflows(self, text: str, line: str, offset: int, name: str, number: int) -> bool:
        """Whether a right-hand side is an integer beyond 64 bits, which is said."""
        if not _INTEGER.fullmatch(text) or integer_value(text) or self.errors == "strict":
            return False
        begin = line.find(text, offset)
        self.overflow(_source(line, name, number), begin, begin + len(text))
        return True

    def expression_text(self, line: str, key: str) -> str:
        """The text of a line's expression, without what was dropped behind it."""
        text = line.partition("=")[2].strip(BLANKS)
        return text if line in self._lines else text[: shared_tree(key, text, self.tz).node.end]

    def _refuse(self, line: str, name: str, number: int, equals: str) -> None:
        """Report a line without a name or without an equals sign."""
        start = len(line) - len(line.lstrip(BLANKS))
        end = line.index("=") if equals else len(line.rstrip(BLANKS))
        if not equals:
            message = "line is not of the form `Name = expression`"
        elif "\0" in line[start:end]:
            message = "attribute name contains a NUL character"
        else:
            message, end = "attribute name missing before `=`", start + 1
        found = Diagnostic(message, _source(line, name, number), start, end, lost="attribute")
        self.report(found)


def _source(line: str, name: str, number: int) -> Source:
    return Source(line.rstrip("\r\n"), name, first_line=number)


def _lines_of(text: str) -> Iterable[str]:
    """The lines of a text, without their ends; of a long one not all at once."""
    if len(text) <= _PIECE:
        return text.split("\n")
    cuts = [0]
    while (cut := text.find("\n", cuts[-1] + _PIECE) + 1) > 0:
        cuts.append(cut)
    pieces = (text[start : end - 1] for start, end in pairwise(cuts))
    return chain.from_iterable(piece.split("\n") for piece in chain(pieces, (text[cuts[-1] :],)))


def read_long(
    source: str | Iterable[str],
    name: str = "<text>",
    diagnostics: list[Diagnostic] | None = None,
    *,
    new: Callable[[], A],
    errors: Errors = "warn",
    first_line: int = 1,
    tz: str | None = None,
) -> Iterator[A]:
    """Read ads in long form; ``new`` makes an empty ad.

    A line that does not parse is added to ``diagnostics`` with its place, and the rest of the ad is
    kept; ``errors="strict"`` raises instead, ``errors="htcondor"`` drops the rest of that ad.

    >>> [ad.raw("Cpus") for ad in read_long("Cpus = 4\\n\\nCpus = 8\\n", new=Ad)]
    [4, 8]
    """
    reader = LongReader(new, diagnostics, errors=errors, tz=tz)
    return reader.read(source, name, first_line=first_line)


def format_long(ad: Ad, *, quoted: bool = True) -> str:
    """An ad in long form, a line end after each line.

    ``quoted`` is classad2's way: shorter names first, unusual ones in quotes; such a line reads
    back under a name that has the quotes in it.  Without it the order is alphabetical without case,
    as in HTCondor's tools, and what cannot be read back is refused.

    >>> from classad import ClassAd
    >>> print(format_long(ClassAd('[Rank = Memory; Cpus = 4.0]')), end="")
    Cpus = 4.0
    Rank = Memory
    """
    from classad.formats.unparse import ordered_names, unparse_value

    lines = []
    for key, name in ordered_names(ad) if quoted else sorted(ad._names.items()):
        text = unparse_value(ad._attrs[key], old=True)
        if not quoted:
            _check_writable(name, text)
        lines.append(f"{quote_name(name, old=True) if quoted else name} = {text}\n")
    return "".join(lines)


def _check_writable(name: str, text: str) -> None:
    """Refuse what the long form cannot hold: it has no escape for a line end."""
    if "\n" in text:
        raise ClassAdValueError(
            f"attribute `{name}` has a line end, which the long form cannot hold"
        )
    if "=" in name or "\n" in name or name != name.strip(BLANKS) or name.startswith("#"):
        raise ClassAdValueError(f"attribute name `{name}` cannot be written in the long form")
