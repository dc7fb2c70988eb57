"""Reads and writes files of ads: opens, decompresses, finds out the form.

A path, a stream, bytes or lines become text (UTF-8; other bytes are kept as lone surrogates).
Where no form is named the beginning of the text decides; ``classad.formats`` has the forms.

Inputs: a path (``-`` is standard input or output), a stream, or lines.  Outputs: an iterator of
ads, which for the long form is lazy; or a file.
Follows: ``-ads:auto`` and ``-long``, ``-long:new``, ``-json``, ``-xml`` of HTCondor's tools.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from itertools import chain
from os import PathLike, fspath
from typing import IO, TYPE_CHECKING, Any, Final, Literal, get_args

from classad.binding.ad import ClassAd
from classad.binding.ambient import zone_name
from classad.errors import ClassAdOSError, Diagnostic
from classad.files.compressed import Unpacked, create_zstd
from classad.formats.common import Errors, Reporting, check_errors, with_line_ends
from classad.formats.long import read_long as read_long_form
from classad.language.bounds import checkpoint
from classad.language.values import from_bytes

if TYPE_CHECKING:
    from classad.formats.detect import Form
    from classad.loading.columns import LoadedColumns
    from classad.loading.long_form import Loader

__all__ = ["format_ad", "load_file", "read_ads", "read_long", "write_ads"]

#: What may be named as the origin of ads.
Source = str | PathLike[str] | IO[str] | IO[bytes] | Iterable[str]

#: How much of a stream is loaded at a time, and what may stand at the beginning of UTF-8.
_PIECE: Final = 1 << 20
_MARK: Final = b"\xef\xbb\xbf"
#: Characters that the form is told from.
_PEEK: Final = 65536


def read_ads(
    source: Source,
    form: Form | Literal["auto"] = "auto",
    *,
    name: str | None = None,
    diagnostics: list[Diagnostic] | None = None,
    errors: Errors | None = None,
) -> Iterator[ClassAd]:
    """Read the ads of a file in any form, compressed or not.

    ``source``: a path, ``-`` for standard input, an open stream of text or bytes, or lines, with or
    without line ends.
    ``form``: ``long``, ``new``, ``json``, ``xml`` or ``auto``.  ``errors``: ``strict`` raises at
    the first text that does not parse, ``warn`` adds it to ``diagnostics`` and goes on,
    ``htcondor`` drops what HTCondor drops; ``strict`` unless ``diagnostics`` is given.  Raises
    ``ClassAdOSError`` for a file that cannot be read or is a table for people that an HTCondor tool
    printed, ``ClassAdParseError`` under ``strict``.

    >>> import io
    >>> [ad["Name"] for ad in read_ads(io.StringIO('Name = "a"\\n\\nName = "b"\\n'))]
    ['a', 'b']
    """
    if errors is None:
        errors = "strict" if diagnostics is None else "warn"
    check_errors(errors)
    if form not in ("auto", "long", "new", "json", "xml"):
        raise ValueError(f"form must be auto, long, new, json or xml, not `{form}`")
    return _read(source, form, name or _name_of(source), diagnostics, errors)


def _read(
    source: Source,
    form: Form | Literal["auto"],
    name: str,
    diagnostics: list[Diagnostic] | None,
    errors: Errors,
) -> Iterator[ClassAd]:
    stream, opened = _open(source)
    try:
        yield from _ads_of(opened, form, name, diagnostics, errors, zone_name())
    finally:
        if isinstance(opened, _Lines):
            opened.close()
        if stream is not None:
            stream.close()


def _ads_of(
    opened: Iterable[str],
    form: Form | Literal["auto"],
    name: str,
    diagnostics: list[Diagnostic] | None,
    errors: Errors,
    tz: str | None,
) -> Iterator[ClassAd]:
    """The ads of opened lines; of a compressed file that is cut, those that are whole."""
    begin, rest = _peek(opened)
    if form == "auto":
        form = _form_of("".join(begin), errors)
    lines = _rest_of(form, begin, rest, opened)
    unpacked = opened.unpacked if isinstance(opened, _Lines) else None
    ended = False

    def told(lines: Iterable[str]) -> Iterator[str]:
        nonlocal ended
        yield from lines
        ended = True

    # Only in the long form does nothing but a blank line say that an ad is whole.
    lines = told(lines) if form == "long" and unpacked is not None else lines
    ads = _reader(form)(lines, name, diagnostics, new=ClassAd, errors=errors, tz=tz)
    if unpacked is None:
        yield from ads
        return
    for ad in ads:
        if ended and unpacked.cut:
            break
        yield ad
    found = unpacked.diagnostic(name)
    if found is not None:
        Reporting(diagnostics, errors).report(found)


def _rest_of(
    form: Form, begin: list[str], rest: Iterator[str], opened: object
) -> str | Iterable[str]:
    """What follows the beginning: lines, or all of the text if it is read as a whole anyway.

    A text takes less than all of its lines.
    """
    if form == "long" or not isinstance(opened, _Lines | io.TextIOBase):
        return chain(begin, rest)
    head = "".join(begin)
    begin.clear()  # it may be the whole text, which is not to be kept twice
    return head + opened.read()


def _form_of(head: str, errors: Errors) -> Form:
    """The form of a file that begins so; raises ``ClassAdOSError`` for a tool's table for people.

    HTCondor itself drops the lines of such a table.
    """
    from classad.formats.detect import detect_form, detect_table

    command = None if errors == "htcondor" else detect_table(head)
    if command is not None:
        tool = command.split()[0]
        raise ClassAdOSError(f"a table of {tool}, not ads; save `{command}`")
    return detect_form(head)


def _reader(form: Form) -> Callable[..., Iterator[ClassAd]]:
    """What reads ads from lines: each form has a module."""
    read: Callable[..., Iterator[ClassAd]]
    read = getattr(import_module(f"classad.formats.{form}"), f"read_{form}")
    return read


#: Reads ads in long form from a text or lines, as ``classad.formats.long.read_long`` does.
read_long: Final = partial(read_long_form, new=ClassAd)


def _peek(lines: Iterable[str]) -> tuple[list[str], Iterator[str]]:
    """The first lines, enough to tell the form from, and the rest."""
    rest = iter(lines)
    begin: list[str] = []
    size = 0
    for line in rest:
        begin.append(line)
        size += len(line)
        if line.strip() and not line.lstrip().startswith(("#", "//")) and len(begin) > 1:
            break
        if size > _PEEK:
            break
    if begin:
        begin[0] = begin[0].removeprefix("\ufeff")
    return begin, rest


def _name_of(source: Source) -> str:
    if isinstance(source, str | PathLike):
        path = fspath(source)
        return "<stdin>" if path == "-" else path
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<ads>"


def _open(source: Any) -> tuple[IO[bytes] | None, Iterable[str]]:
    """The stream to close afterwards (None if it is the caller's) and the lines."""
    if isinstance(source, str | PathLike):
        if fspath(source) == "-":
            import sys

            return None, _Lines(sys.stdin.buffer)
        try:
            binary = open(source, "rb")  # noqa: SIM115 - the caller closes it
        except OSError as problem:
            raise ClassAdOSError(problem.errno, problem.strerror, fspath(source)) from None
        try:
            return binary, _Lines(binary)
        except BaseException:
            binary.close()
            raise
    if isinstance(source, io.TextIOBase):
        return None, source
    if hasattr(source, "read"):
        return None, source if isinstance(source.read(0), str) else _Lines(source)
    return None, with_line_ends(source)


def load_file(
    path: str | PathLike[str], *, errors: Errors = "warn", tz: str | None = None
) -> LoadedColumns:
    """Load a file of ads in long form into columns; it may be compressed.

    ``errors`` is that of ``read_long``.  Raises ``ClassAdOSError`` for a file that cannot be read,
    ``LimitError`` for one with too many names.
    """
    found = load_ads(path, "long", errors=errors, tz=tz)
    assert not isinstance(found, list)
    return found


def load_ads(
    path: str | PathLike[str],
    form: Form | Literal["auto"] = "auto",
    *,
    errors: Errors = "warn",
    diagnostics: list[Diagnostic] | None = None,
    tz: str | None = None,
) -> LoadedColumns | list[ClassAd]:
    """What ``load_file`` gives for a file in long form, the ads of a file in another.

    ``diagnostics``: where the problems of other forms are put; loaded columns have their own.
    """
    from classad.loading.long_form import Loader

    path, name = fspath(path), _name_of(path)
    try:
        with open(0 if path == "-" else path, "rb", _PEEK, closefd=path != "-") as binary:
            opened = _Lines(binary)
            if form == "auto":
                begin = opened.plain.peek(_PEEK)
                form = _form_of(from_bytes(begin), errors)
            if form == "long":
                return _load(Loader(name, errors=errors, tz=tz), opened, name)
            problems = [] if diagnostics is None else diagnostics
            return list(_ads_of(opened, form, name, problems, errors, tz))
    except OSError as problem:
        if isinstance(problem, ClassAdOSError):
            raise
        raise ClassAdOSError(problem.errno, problem.strerror, path) from None


def _load(loader: Loader, opened: _Lines, name: str) -> LoadedColumns:
    """Load a file."""
    piece = opened.plain.read(_PIECE).removeprefix(_MARK)
    while piece:
        checkpoint("reading ads")
        # Of a line that goes on, as much again as there is: else long lines take a square of time.
        piece = opened.plain.read(max(_PIECE, loader.feed(piece)))
    return loader.finish(cut=None if opened.unpacked is None else opened.unpacked.diagnostic(name))


class _Lines:
    """The lines of a stream of bytes, decompressed; the stream stays open."""

    def __init__(self, binary: Any) -> None:
        from classad.formats.detect import detect_compression

        buffered: Any = binary if hasattr(binary, "peek") else io.BufferedReader(binary)
        self._detach = buffered is not binary
        self._buffered = buffered
        compression = detect_compression(buffered.peek(8)[:8])
        self.unpacked = None if compression is None else Unpacked(buffered, compression)
        plain = buffered if self.unpacked is None else io.BufferedReader(self.unpacked, _PEEK)
        #: The same as bytes.
        self.plain: Any = plain
        self._text = io.TextIOWrapper(plain, "utf-8", "surrogateescape", newline="\n")

    def __iter__(self) -> Iterator[str]:
        return iter(self._text)

    def read(self) -> str:
        """All that is left."""
        return self._text.read()

    def close(self) -> None:
        """Let go of the stream."""
        self._text.detach()
        if self._detach:
            self._buffered.detach()


# --- writing --------------------------------------------------------------------------------

#: What ``write_ads`` can write: the forms of reading, and JSON with one ad a line.
OutForm = Literal["long", "new", "json", "jsonl", "xml"]


def format_ad(ad: ClassAd, form: OutForm = "long") -> str:
    """One ad as text; without a line end, except in the long form and in XML.

    >>> from classad import ClassAd
    >>> format_ad(ClassAd({"Cpus": 4}), "jsonl")
    '{"Cpus": 4}'
    """
    return _formatter(form)(ad)


def _formatter(form: OutForm) -> Callable[[ClassAd], str]:
    """What makes the text of an ad."""
    if form not in get_args(OutForm):
        raise ValueError(f"form must be long, new, json, jsonl or xml, not `{form}`")
    name = "json" if form == "jsonl" else form
    how = {"long": {"quoted": False}, "jsonl": {"indent": False}}.get(form, {})
    return partial(getattr(import_module(f"classad.formats.{name}"), f"format_{name}"), **how)


def write_ads(
    ads: Iterable[ClassAd],
    target: str | PathLike[str] | IO[str],
    form: OutForm = "long",
) -> int:
    """Write ads to a path (``-``: standard output) or a stream of text; how many there were.

    ``long``: blank lines between ads; ``new`` and ``jsonl``: one ad a line; ``json``: one list;
    ``xml``: one document.  HTCondor's tools tell each of them by themselves (``-ads:auto``).  A
    path that ends in ``.gz``, ``.xz``, ``.bz2`` or ``.zst`` is compressed.  Raises ``ValueError``
    for another form, ``ClassAdValueError`` for an ad that the long form cannot hold,
    ``ClassAdOSError`` if the file cannot be written.

    >>> import sys
    >>> from classad import ClassAd
    >>> write_ads([ClassAd({"Cpus": 4}), ClassAd({"Cpus": 8})], sys.stdout, "new")
    [ Cpus = 4 ]
    [ Cpus = 8 ]
    2
    """
    if isinstance(target, str | PathLike):
        if fspath(target) == "-":
            import sys

            return _write(ads, sys.stdout, form)
        with _create(fspath(target)) as stream:
            return _write(ads, stream, form)
    return _write(ads, target, form)


def _create(path: str) -> Any:
    """A new file of text, compressed as its name asks for."""
    how: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape", "newline": "\n"}
    try:
        if path.endswith(".gz"):
            import gzip

            # no time of writing and no name in it: equal ads make equal files
            binary = gzip.GzipFile(path, "wb", mtime=0)
            return io.TextIOWrapper(binary, **how)
        for ending, module in ((".xz", "lzma"), (".bz2", "bz2")):
            if path.endswith(ending):
                return import_module(module).open(path, "wt", **how)
        if path.endswith(".zst"):
            return io.TextIOWrapper(create_zstd(path), **how)
        return open(path, "w", **how)
    except OSError as problem:
        if isinstance(problem, ClassAdOSError):
            raise
        raise ClassAdOSError(problem.errno, problem.strerror, path) from None


def _write(ads: Iterable[ClassAd], stream: IO[str], form: OutForm) -> int:
    text_of, (head, between, foot) = _formatter(form), _frame(form)
    stream.write(head)
    count = 0
    for ad in ads:
        stream.write((between if count else "") + text_of(ad))
        count += 1
    if count and form in ("new", "json", "jsonl"):
        stream.write("\n")
    stream.write(foot)
    return count


def _frame(form: OutForm) -> tuple[str, str, str]:
    """The text before, between and after the ads."""
    if form == "xml":
        from classad.formats.xml import XML_FOOT, XML_HEAD

        return XML_HEAD, "", XML_FOOT
    if form == "json":
        return "[\n", "\n,\n", "]\n"
    return "", "\n", ""
