"""Searches with regular expressions in HTCondor's dialect, that of the PCRE2 library on bytes.

Patterns are compiled once, in a bounded cache; ``GaveUp`` is raised by a search that PCRE2 gives up
on (its match limit), which bounds the time a pattern can take.  Where the package ``pcre2`` is not
installed, Python's ``re`` searches with what can be translated, without such a bound.

Inputs: patterns and subjects as strings.  Outputs: spans in bytes.
Follows: the PCRE2 10.32 that HTCondor 25.14.1's wheel carries.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from types import ModuleType
from typing import Final, NamedTuple, Protocol, TypeAlias

#: Options that a caller may give, each a letter; others are ignored.
OPTIONS: Final = "imsx"


class GaveUp(Exception):  # noqa: N818 - an outcome, not a mistake
    """The engine gave up on a search."""


class Match(NamedTuple):
    """``spans`` of the whole match and of the groups up to the last one that took part."""

    spans: tuple[tuple[int, int], ...]


class _Spans(Protocol):
    """A match of either engine."""

    def span(self, group: int = 0, /) -> tuple[int, int]:
        """Where a group begins and ends; both -1 if it took no part."""


class _Engine(Protocol):
    """A compiled pattern of either engine."""

    @property
    def groups(self) -> int | None:
        """How many groups there are."""

    def search(self, subject: bytes, start: int = 0, /) -> _Spans | None:
        """The first match from ``start`` on."""


_Search: TypeAlias = Callable[[bytes], object]


class Pattern(NamedTuple):
    """A compiled pattern: ``again`` finds only non-empty matches right at the given place.

    ``quick``: the search of ``re`` for a pattern that means the same to it.
    """

    engine: _Engine
    again: _Engine | None
    failures: tuple[type[Exception], ...]
    quick: _Search | None = None

    def matches(self, subject: bytes) -> bool:
        """Whether there is a match anywhere."""
        if self.quick is not None and len(subject) <= SHORT:
            return self.quick(subject) is not None
        try:
            return self.engine.search(subject) is not None
        except self.failures as problem:
            raise GaveUp from problem

    def search(self, subject: bytes, start: int = 0) -> Match | None:
        """The first match from ``start`` on."""
        return self._run(self.engine, subject, start)

    def search_nonempty_at(self, subject: bytes, start: int) -> Match | None:
        """A match that begins exactly at ``start`` and is not empty."""
        return None if self.again is None else self._run(self.again, subject, start)

    def _run(self, engine: _Engine, subject: bytes, start: int) -> Match | None:
        try:
            found = engine.search(subject, start)
        except self.failures as problem:
            raise GaveUp from problem
        if found is None:
            return None
        groups = engine.groups
        spans = [found.span(group) for group in range((groups or 0) + 1)]
        while len(spans) > 1 and spans[-1] == (-1, -1):
            spans.pop()
        return Match(tuple(spans))


def regex_backend() -> str:
    """The engine in use: ``pcre2`` and its library's version, or ``re``."""
    try:
        import pcre2  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        return "re (the pcre2 package is not installed)"
    return f"pcre2 {pcre2.__libpcre2_version__}"


@lru_cache(maxsize=512)
def compile_pattern(pattern: str, options: str) -> Pattern | None:
    """The compiled pattern, or None if it is ill-formed; ``options`` are letters of ``imsx``."""
    raw = pattern.encode("utf-8", "surrogateescape")
    try:
        import pcre2
    except ImportError:
        return _compile_with_re(raw, options)
    return _compile_with_pcre2(pcre2, raw, options)


# --- what both engines read alike ------------------------------------------------------------

#: Characters, dots and sets, repeated or not, perhaps tied to the ends.
_PLAIN: Final = re.compile(
    rb"\^?(?:(?:[A-Za-z0-9_ .@:/=,~#%&<>!;'\"-]"
    rb"|\[\^?(?:[A-Za-z0-9_.](?:-[A-Za-z0-9_])?)+\])[*+?]?)*\$?"
)
#: Up to so many repetitions in a subject of so many bytes PCRE2 does not reach its match limit.
_REPEATED: Final = 2
SHORT: Final = 128


def _quick(raw: bytes, options: str) -> _Search | None:
    """The search of ``re`` if the pattern means the same to both engines, else None."""
    repeated = sum(raw.count(sign) for sign in (b"*", b"+", b"?"))
    if options or repeated > _REPEATED or _PLAIN.fullmatch(raw) is None:
        return None
    try:
        return re.compile(raw).search
    except re.error:
        return None


# --- PCRE2 ----------------------------------------------------------------------------------

#: What the package reads otherwise than HTCondor does: it disables ``\C`` and has JavaScript's
#: ``\u`` and ``\x``, and a newer library reads ``{,n}`` as a repetition.
_TOKENS: Final = re.compile(
    rb"\\Q.*?(?:\\E|\Z)|\\x\{[0-9a-fA-F]*\}|\\x[0-9a-fA-F]{0,2}|\\.|\{,(?=[0-9]+\})", re.DOTALL
)


class _IllFormedError(ValueError):
    """An escape that HTCondor's PCRE2 refuses."""


def _as_htcondor_reads_it(found: re.Match[bytes]) -> bytes:
    token = found.group()
    if token in (rb"\u", rb"\U"):
        raise _IllFormedError
    if token == rb"\C":
        return rb"(?s:.)"
    if token == b"{,":
        return rb"\{,"
    if token.startswith(rb"\x") and not token.startswith(rb"\x{"):
        return rb"\x%02x" % int(token[2:] or b"0", 16)
    return token


def _compile_with_pcre2(pcre2: ModuleType, raw: bytes, options: str) -> Pattern | None:
    flags = pcre2.ASCII
    for letter in options:
        flags |= getattr(pcre2, letter.upper())
    failures = (pcre2.PatternError, pcre2.LibraryError)
    try:
        raw = _TOKENS.sub(_as_htcondor_reads_it, raw)
        engine = pcre2.compile(raw, flags, jit=False)
    except (_IllFormedError, *failures):
        return None
    verbs = re.match(rb"(?:\(\*[A-Z0-9_=]+\))*", raw)
    assert verbs is not None
    body = raw[verbs.end() :] + (b"\n" if "x" in options else b"")
    try:
        again = pcre2.compile(verbs.group() + rb"\G(?:" + body + rb")(?!\G)", flags, jit=False)
    except failures:
        again = None
    return Pattern(engine, again, failures, _quick(raw, options))


# --- Python's re ------------------------------------------------------------------------------

_CLASSES: Final = {
    b"alpha": b"a-zA-Z", b"digit": b"0-9", b"alnum": b"a-zA-Z0-9", b"upper": b"A-Z",
    b"lower": b"a-z", b"space": rb" \t-\r", b"blank": rb" \t", b"punct": rb"!-/:-@\[-`{-~",
    b"xdigit": b"0-9a-fA-F", b"word": rb"\w", b"cntrl": rb"\x00-\x1f\x7f",
    b"print": b" -~", b"graph": b"!-~",
}  # fmt: skip
_TRANSLATIONS: Final = {
    rb"\z": rb"\Z", rb"\Z": rb"(?=\n?\Z)", rb"\h": rb"[ \t\xa0]", rb"\H": rb"[^ \t\xa0]",
    rb"\R": rb"(?:\r\n|[\n-\r\x85])", rb"\N": rb"[^\n]", rb"\C": rb"(?s:.)", rb"\e": rb"\x1b",
    rb"(?<n": b"(?P<n",
}  # fmt: skip
_RE_TOKENS: Final = re.compile(
    rb"\\Q(?P<quoted>.*?)(?:\\E|\Z)|\[:(?P<class>[a-z]+):\]|\\k[<{'](?P<name>\w+)[>}']"
    rb"|\(\?<(?=[A-Za-z_])|\\.",
    re.DOTALL,
)


def _for_re(found: re.Match[bytes]) -> bytes:
    token = found.group()
    if found["quoted"] is not None:
        return re.escape(found["quoted"])
    if found["class"] is not None:
        return _CLASSES.get(found["class"], token)
    if found["name"] is not None:
        return b"(?P=" + found["name"] + b")"
    if token == b"(?<":
        return b"(?P<"
    return _TRANSLATIONS.get(token, token)


def _compile_with_re(raw: bytes, options: str) -> Pattern | None:
    flags = re.NOFLAG
    for letter in options:
        flags |= {"i": re.I, "m": re.M, "s": re.S, "x": re.X}[letter]
    try:
        translated = _RE_TOKENS.sub(_for_re, raw)
        engine = re.compile(translated, flags)
        body = translated + (b"\n" if "x" in options else b"")
        return Pattern(engine, _NonEmptyAt(re.compile(b"(?:" + body + b")", flags)), ())
    except (re.error, OverflowError, RecursionError):
        return None


class _NonEmptyAt:
    """``re`` knows no ``\\G``: the anchored match, if it is not empty, and no other one."""

    def __init__(self, engine: re.Pattern[bytes]) -> None:
        self.groups = engine.groups
        self._engine = engine

    def search(self, subject: bytes, start: int = 0) -> re.Match[bytes] | None:
        found = self._engine.match(subject, start)
        return found if found is not None and found.end() > start else None
