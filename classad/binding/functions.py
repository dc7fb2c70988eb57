"""Defines the module-level functions of ``classad``: parsing of many ads, quoting, versions.

They map the functions of classad2 onto the readers of ``classad.formats``: which form an ad is
taken to have, how far a file is advanced, what is dropped silently.

Inputs: texts and streams.  Outputs: ads and strings.
Follows: classad2 25.14.1 for well-formed input; for other input see ``errors`` of ``parseAds``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum
from io import TextIOBase
from typing import IO, TYPE_CHECKING, Any, Final

from classad.ads.ad import Ad
from classad.binding.ad import ClassAd
from classad.binding.ambient import zone_name
from classad.errors import ClassAdException, ClassAdParseError, Diagnostic
from classad.formats.common import (
    BLANKS,
    NO_STREAM,
    Errors,
    MemoryUse,
    check_errors,
    decoded,
    with_line_ends,
)
from classad.formats.long import LongReader
from classad.formats.new import NewReader, parse_new, skip_blanks
from classad.language.values import to_bytes
from classad.source import Source

if TYPE_CHECKING:
    from datetime import datetime

    from classad.loading.long_form import OrdinaryAds

#: The version of HTCondor whose behaviour this package follows.
COMPATIBLE: Final = "25.14.1"

_NO_LOOK: Final = "Can not look ahead in stream; you must explicitly specify a parser."

#: What the parsing functions take.
Input = str | IO[str] | IO[bytes] | Iterable[str]


class ParserType(IntEnum):
    """The form of the text given to ``parseAds`` and its like.

    ``Auto`` looks at each ad: ``[`` or a comment begins one in new syntax, ``{`` JSON, ``<`` XML,
    anything else an ad in old syntax.
    """

    Auto = -1
    Old = 0
    XML = 1
    JSON = 2
    New = 3
    FileAuto = 4


#: HTCondor's older name of it.
Parser = ParserType


# --- texts ----------------------------------------------------------------------------------


def quote(input: str | None) -> str:
    """A string as a ClassAd string literal; that of None is empty.

    ``TypeError``: another type.  ``ValueError``: a NUL character in it.

    >>> print(quote('say "hi"'))
    "say \\"hi\\""
    """
    from classad.language.spelling import quote_string

    if input is None:
        return '""'
    if not isinstance(input, str):
        raise TypeError(f"argument 1 must be str or None, not {type(input).__name__}")
    if "\0" in input:
        raise ValueError("embedded null character")
    return quote_string(input)


def unquote(input: str) -> str:
    """The string that a ClassAd string literal stands for.

    ``ValueError``: the text is no literal, or not one of a string.

    >>> unquote('"a\\\\tb"')
    'a\\tb'
    """
    from classad.binding.python_values import to_python
    from classad.syntax.nodes import ListExpr, Literal
    from classad.syntax.parser import parse_expression

    if not isinstance(input, str):
        raise TypeError(f"argument 1 must be str, not {type(input).__name__}")
    try:
        node = parse_expression(input)
    except ClassAdParseError as problem:
        raise ClassAdParseError("Invalid string to unquote", problem.diagnostic) from None
    if not isinstance(node, Literal | ListExpr):
        raise ValueError("String does not parse to a ClassAd literal")
    if not isinstance(node, Literal) or not isinstance(node.value, str):
        raise ValueError("ClassAd literal is not a string value")
    text: str = to_python(node.value)
    return text


def version() -> str:
    """The version of this package.

    >>> bool(version())
    True
    """
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("pieslice")
    except PackageNotFoundError:
        return "0.0.0"


def compat_version() -> str:
    """The version of HTCondor that this package behaves like.

    >>> compat_version()
    '25.14.1'
    """
    return COMPATIBLE


# --- many ads -------------------------------------------------------------------------------


def parseAds(  # noqa: N802 - HTCondor's name
    input: Input,
    parser: ParserType = ParserType.Auto,
    *,
    errors: Errors = "htcondor",
    diagnostics: list[Diagnostic] | None = None,
) -> Iterator[ClassAd]:
    """The ads of a text, a file or lines (with or without line ends), one after the other.

    A file is advanced past each ad.  ``errors``: ``htcondor`` drops what does not parse as HTCondor
    does, recording it in ``diagnostics``; ``warn`` drops less; ``strict`` raises
    ``ClassAdParseError``, as text of another form than a named ``parser`` does.  Text behind a
    value is ignored with a warning in ``diagnostics``; ``strict`` raises for it, too.

    >>> [ad["a"] for ad in parseAds("a = 1\\n\\na = 2\\n")]
    [1, 2]
    >>> list(parseAds(["a = 1", "b = 2"]))
    [[ a = 1; b = 2 ]]
    """
    check_errors(errors)
    return _ads(_Stream(input), ParserType(parser), errors, diagnostics)


def parseOne(  # noqa: N802 - HTCondor's name
    input: Input,
    parser: ParserType = ParserType.Auto,
    *,
    errors: Errors = "htcondor",
    diagnostics: list[Diagnostic] | None = None,
) -> ClassAd:
    """All ads of a text or file merged into one; of equal names the last value stays.

    >>> parseOne("a = 1\\nb = 1\\n\\nb = 2\\n")
    [ a = 1; b = 2 ]
    """
    result = ClassAd()
    for ad in parseAds(input, parser, errors=errors, diagnostics=diagnostics):
        result.update(ad)
    return result


def parseNext(  # noqa: N802 - HTCondor's name
    input: Input,
    parser: ParserType = ParserType.Auto,
    *,
    errors: Errors = "htcondor",
    diagnostics: list[Diagnostic] | None = None,
) -> ClassAd | None:
    """The first ad of a text, or the next of a file, which is advanced past it; None if no more.

    >>> import io
    >>> stream = io.StringIO("a = 1\\n\\na = 2\\n")
    >>> parseNext(stream), parseNext(stream), parseNext(stream)
    ([ a = 1 ], [ a = 2 ], None)
    """
    check_errors(errors)
    parser = ParserType(parser)
    if not isinstance(input, str) and hasattr(input, "read") and not _seekable(input):
        if parser in (ParserType.Auto, ParserType.FileAuto):
            raise ClassAdException(_NO_LOOK)
        stream = _Stream(_next_lines(input, parser))
    else:
        stream = _Stream(input)
    return next(_ads(stream, parser, errors, diagnostics), None)


def _seekable(stream: object) -> bool:
    seekable = getattr(stream, "seekable", None)
    return bool(seekable()) if seekable is not None else hasattr(stream, "seek")


def _next_lines(stream: Any, parser: ParserType) -> Iterator[str]:
    """The lines of the next ad of a stream that cannot go back."""
    text = ""
    for raw in iter(stream.readline, type(stream.read(0))()):
        line = decoded(raw)
        blank = not line.strip(BLANKS)
        if parser is ParserType.Old and blank and text.strip(BLANKS):
            return
        text += line
        yield line
        if parser is ParserType.New and "]" in line and _complete(text):
            return


def _complete(text: str) -> bool:
    try:
        parse_new(Ad(), text, 0, Source(text), None)
    except ClassAdParseError:
        return False
    return True


class _Stream:
    """The text of an input, and the file it came from, which follows the reading position."""

    def __init__(self, input: Input) -> None:
        self.file: Any = None
        self.name = "<string>"
        self._position = 0
        if isinstance(input, str):
            self.text = input
            return
        if hasattr(input, "read"):
            name = getattr(input, "name", None)
            self.name = name if isinstance(name, str) else "<stream>"
            if _seekable(input):
                self.file = input
                self._cookie = self.file.tell()
            whole = input.read()
            self.text = decoded(whole)
            return
        self.text = "".join(with_line_ends(input))

    def advance(self, position: int) -> None:
        """Leave the file behind the first ``position`` characters."""
        if self.file is None:
            return
        self.file.seek(self._cookie)
        passed = self.text[self._position : position]
        if isinstance(self.file, TextIOBase):
            self.file.read(len(passed))
            self._cookie = self.file.tell()
        else:
            self._cookie += len(to_bytes(passed))
            self.file.seek(self._cookie)
        self._position = position


def _ads(
    stream: _Stream, parser: ParserType, errors: Errors, diagnostics: list[Diagnostic] | None
) -> Iterator[ClassAd]:
    text, position = stream.text, 0
    memory = MemoryUse(stream.name, len(text), len(text))
    new = NewReader(ClassAd, text, stream.name, diagnostics, errors, 0, zone_name(), memory)
    long = LongReader(ClassAd, diagnostics, errors=errors, tz=zone_name(), memory=memory)
    ordinary = _ordinary_ads(stream, memory)
    line = counted = 0
    listed = False  # inside the braces of a `-long:new` list
    while True:
        position = _skip(text, position)
        while listed and text[position : position + 1] in (",", "}"):
            listed = text[position] == ","
            position = _skip(text, position + 1)
        if position >= len(text):
            stream.advance(position)
            return
        form = _form(text, position, parser)
        if form in ("json", "xml"):
            yield from _rest(form, stream, position, errors, diagnostics, memory)
            return
        if form == "long" and ordinary is not None:
            ads, end = ordinary.take(position)
            yield from ads
            if end > position:
                position = end
                continue
        if form == "long":
            end = _end_of_old(text, position)
            line += text.count("\n", counted, position)
            counted = position
            block = text[position:end]
            ad = next(long.read(block, stream.name, first_line=line + 1), None)
        else:
            if text[position] == "{":
                listed = True
                position += 1
                continue
            found = new.quick.fill(ClassAd(), text, position)
            if found is None:
                ad = _new(new, position, parser)
                end = new.position
            else:
                ad, end = found
                new.names.share(ad)
        position = end
        if ad:
            stream.advance(position)
            yield ad


def _ordinary_ads(stream: _Stream, memory: MemoryUse) -> OrdinaryAds[ClassAd] | None:
    """The short cut through a long text; a file has to follow ad by ad."""
    if stream.file is not None or len(stream.text) < 100_000:
        return None
    from classad.loading.long_form import OrdinaryAds

    return OrdinaryAds(ClassAd, stream.text, zone_name(), memory)


def _skip(text: str, position: int) -> int:
    while position < len(text) and text[position] in BLANKS:
        position += 1
    return position


def _form(text: str, position: int, parser: ParserType) -> str:
    """The form of the ad that begins at ``position``."""
    if parser in (ParserType.Auto, ParserType.FileAuto):
        from classad.formats.detect import detect_form

        form = detect_form(text[position : position + 4096])
        return "new" if text[position] == "/" and form == "long" else form
    return {0: "long", 1: "xml", 2: "json", 3: "new"}[int(parser)]


def _end_of_old(text: str, position: int) -> int:
    """Where the block of lines that begins at ``position`` ends: behind a blank line."""
    while position < len(text):
        stop = text.find("\n", position)
        stop = len(text) if stop < 0 else stop + 1
        if not text[position:stop].strip(BLANKS):
            return stop
        position = stop
    return position


def _new(reader: NewReader[ClassAd], position: int, parser: ParserType) -> ClassAd | None:
    """The ad in new syntax at ``position``; the reader is behind it then."""
    text = reader.whole
    start = reader.position = skip_blanks(text, position)
    if start >= len(text):
        return None
    if parser is ParserType.New and text[start] != "[":
        try:
            ad, reader.position = parse_new(ClassAd(), text, start, reader.source, reader.tz)
        except ClassAdParseError as problem:
            raise ClassAdParseError(NO_STREAM, problem.diagnostic) from None
        reader.names.adopt(ad)
        return reader.names.share(ad)
    return reader.recovered(start)


def _rest(
    form: str,
    stream: _Stream,
    position: int,
    errors: Errors,
    diagnostics: list[Diagnostic] | None,
    memory: MemoryUse,
) -> Iterator[ClassAd]:
    """The ads of the rest of a text in JSON or XML."""
    from classad.formats.json import JsonReader
    from classad.formats.xml import XmlReader

    kind = JsonReader if form == "json" else XmlReader
    tz = zone_name()
    reader = kind(ClassAd, stream.text, stream.name, diagnostics, errors, position, tz, memory)
    for ad in reader.ads():
        stream.advance(reader.position)
        yield ad
    stream.advance(len(stream.text))


def _convert_local_datetime_to_utc_ts(dt: datetime) -> int:
    """Seconds since 1970 UTC of a ``datetime``, local if naive: a private name of classad2."""
    from classad.binding.convert import instant

    return instant(dt).secs


# --- names of the retired binding -----------------------------------------------------------


def parse(input: Input) -> ClassAd:
    """The first ad of a text or file in new syntax (``ClassAd`` and ``parseNext`` do the same).

    >>> parse("[a = 1]")
    [ a = 1 ]
    """
    ad = parseNext(input, ParserType.New, errors="strict")
    return ClassAd() if ad is None else ad


def parseOld(input: Input) -> ClassAd:  # noqa: N802 - HTCondor's name
    """The ads of a text or file in old syntax, merged.

    >>> parseOld("a = 1")
    [ a = 1 ]
    """
    return parseOne(input, ParserType.Old)


def parseOldAds(input: Input) -> Iterator[ClassAd]:  # noqa: N802 - HTCondor's name
    """The ads of a text or file in old syntax.

    >>> list(parseOldAds("a = 1"))
    [[ a = 1 ]]
    """
    return parseAds(input, ParserType.Old)


# --- errors that are values -----------------------------------------------------------------


def lastError() -> str:  # noqa: N802 - HTCondor's name
    """Why the last evaluation that gave ``error`` did, if HTCondor has words for it; else ``""``.

    >>> from classad import ExprTree
    >>> ExprTree('7 == "7"').eval() and lastError()
    'strings can only be compared to strings'
    """
    from classad.binding.expr import last_error

    return last_error()
