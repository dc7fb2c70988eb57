"""Searches with regular expressions in HTCondor's dialect, that of the PCRE2 library on bytes.

Patterns are compiled once, in a bounded cache; ``GaveUp`` is raised by a search that PCRE2 gives up
on (its match limit), which bounds the time a pattern can take.  There is no other engine: without
the package ``pcre2`` a regular expression is an ``ImportError``, never another answer.

Inputs: patterns and subjects as strings.  Outputs: spans in bytes.
Follows: the PCRE2 10.32 that HTCondor 25.14.1's wheel carries.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from types import ModuleType
from typing import Any, Final, NamedTuple, TypeAlias

from classad.errors import LimitError
from classad.language import bounds
from classad.language.values import to_bytes
from classad.patterns import late_regex

_HOW: Final = "pip install 'pcre2>=0.6'"

#: Options that a caller may give, each a letter; others are ignored.
OPTIONS: Final = "imsx"


class GaveUp(Exception):  # noqa: N818 - an outcome, not a mistake
    """The engine gave up on a search."""


class PatternMatch(NamedTuple):
    """``spans`` of the whole match and of the groups up to the last one that took part."""

    spans: tuple[tuple[int, int], ...]


#: A compiled pattern of the library, and a match of it, which have no types here.
_Engine: TypeAlias = Any
_Spans: TypeAlias = Any

#: Steps after which a hasty search gives up, and the longest subject that is searched so.
_FEW_STEPS: Final = 5_000
_SOON_DONE: Final = 2_000
_SEARCHING: Final = "searching with a regular expression"
_UNBOUNDED: Final = (
    "a regular expression with `(*` or `\\G` takes too many steps to be searched under a time limit"
)

_Search: TypeAlias = Callable[[bytes], object]


class Pattern(NamedTuple):
    """A compiled pattern: ``again`` finds only non-empty matches right at the given place.

    ``quick``: the search of ``re`` for a pattern that means the same to it.
    """

    engine: _Engine
    again: _Engine | None
    failures: tuple[type[Exception], ...]
    quick: _Search | None
    #: Searches like ``engine``, but gives up soon, and whether places may be tried one by one.
    hasty: Callable[[], _Engine]
    by_place: bool

    def matches(self, subject: bytes) -> bool:
        """Whether there is a match anywhere."""
        if self.quick is not None and len(subject) <= SHORT:
            return self.quick(subject) is not None
        try:
            return self._first(self.engine, subject, 0) is not None
        except self.failures as problem:
            raise GaveUp from problem

    def search(self, subject: bytes, start: int = 0) -> PatternMatch | None:
        """The first match from ``start`` on."""
        return self._run(self.engine, subject, start)

    def search_nonempty_at(self, subject: bytes, start: int) -> PatternMatch | None:
        """A match that begins exactly at ``start`` and is not empty."""
        return None if self.again is None else self._run(self.again, subject, start)

    def _run(self, engine: _Engine, subject: bytes, start: int) -> PatternMatch | None:
        try:
            found = self._first(engine, subject, start)
        except self.failures as problem:
            raise GaveUp from problem
        if found is None:
            return None
        groups = engine.groups
        spans = [found.span(group) for group in range((groups or 0) + 1)]
        while len(spans) > 1 and spans[-1] == (-1, -1):
            spans.pop()
        return PatternMatch(tuple(spans))

    def _first(self, engine: _Engine, subject: bytes, start: int) -> _Spans | None:
        """The first match.

        The library counts what it tries anew at each place, and cannot be interrupted: where there
        may be a limit on the time, a search that is not done soon goes on place by place.
        """
        if not bounds.are_timed() or engine is self.again:
            return engine.search(subject, start)
        bounds.checkpoint(_SEARCHING)
        if len(subject) - start <= _SOON_DONE:
            with suppress(*self.failures):
                return self.hasty().search(subject, start)
        if not self.by_place:
            raise LimitError(_UNBOUNDED)
        for place in range(start, len(subject) + 1):
            bounds.checkpoint(_SEARCHING)
            found = engine.match(subject, place)
            if found is not None:
                return found
        return None


def regex_backend() -> str:
    """``pcre2`` and its library's version, or that it is missing."""
    try:
        return f"pcre2 {_library().__libpcre2_version__}"
    except ImportError as problem:
        return f"none ({problem})"


def _library() -> ModuleType:
    """The package ``pcre2``; versions before 0.6 cannot be told to read patterns as bytes."""
    try:
        import pcre2  # type: ignore[import-untyped, unused-ignore]
    except ImportError as problem:
        raise ImportError(f"regular expressions need the package pcre2: {_HOW}") from problem
    if not hasattr(pcre2, "ASCII"):
        raise ImportError(f"the package pcre2 is too old for regular expressions: {_HOW}")
    module: ModuleType = pcre2
    return module


@lru_cache(maxsize=512)
def compile_pattern(pattern: str, options: str) -> Pattern | None:
    """The compiled pattern, or None if it is ill-formed; ``options`` are letters of ``imsx``."""
    return _compile(_library(), to_bytes(pattern), options)


# --- what Python's re reads alike, and faster -------------------------------------------------

#: Characters, dots and sets, repeated or not, perhaps tied to the ends.
_PLAIN: Final = late_regex(
    rb"\^?(?:(?:[A-Za-z0-9_ .@:/=,~#%&<>!;'\"-]"
    rb"|\[\^?(?:[A-Za-z0-9_.](?:-[A-Za-z0-9_])?)+\])[*+?]?)*\$?"
)
#: Up to so many repetitions in a subject of so many bytes PCRE2 does not reach its match limit.
_REPEATED: Final = 2
SHORT: Final = 128


def _quick(raw: bytes, options: str) -> _Search | None:
    """The search of ``re`` if the pattern means the same to it, else None."""
    repeated = sum(raw.count(sign) for sign in (b"*", b"+", b"?"))
    if options or repeated > _REPEATED or _PLAIN.fullmatch(raw) is None:
        return None
    return re.compile(raw).search


# --- PCRE2 ----------------------------------------------------------------------------------

#: What the package reads otherwise than HTCondor does: it disables ``\C`` and has JavaScript's
#: ``\u`` and ``\x``, and a newer library reads ``{,n}`` as a repetition.
_TOKENS: Final = late_regex(
    rb"\\Q.*?(?:\\E|\Z)|\\x\{(?:[0-9a-fA-F]*\})?|\\x[0-9a-fA-F]{0,2}|\\.|\{,(?=[0-9]+\})", re.DOTALL
)


class _IllFormedError(ValueError):
    """An escape that HTCondor's PCRE2 refuses."""


def _as_htcondor_reads_it(match: re.Match[bytes], utf: bool) -> bytes:
    """What means to the package what the token means to HTCondor; ``utf``: in a UTF pattern."""
    token = match.group()
    if token in (rb"\u", rb"\U"):
        raise _IllFormedError
    if token == rb"\C":
        return rb"(?s:.)"
    if token == b"{,":
        return rb"\{,"
    if token.startswith(rb"\x{"):
        return _character(token[3:-1], utf)
    if token.startswith(rb"\x"):
        return rb"\x%02x" % int(token[2:] or b"0", 16)
    return token


def _character(digits: bytes, utf: bool) -> bytes:
    """What the package reads as the character of a hexadecimal number."""
    code = int(digits, 16) if digits else -1
    if not 0 <= code < (0x110000 if utf else 0x100) or 0xD800 <= code < 0xE000:
        raise _IllFormedError
    return rb"\x%02x" % code if code < 0x80 or not utf else chr(code).encode()


def _compile(pcre2: ModuleType, raw: bytes, options: str) -> Pattern | None:
    flags = pcre2.ASCII
    for letter in options:
        flags |= getattr(pcre2, letter.upper())
    failures = (pcre2.PatternError, pcre2.LibraryError)
    verbs = re.match(rb"(?:\(\*[A-Z0-9_=]+\))*", raw)
    assert verbs is not None
    utf = b"(*UTF)" in verbs.group()
    try:
        raw = _TOKENS.sub(partial(_as_htcondor_reads_it, utf=utf), raw)
        engine = pcre2.compile(raw, flags, jit=False)
    except (_IllFormedError, *failures):
        return None
    body = raw[verbs.end() :] + (b"\n" if "x" in options else b"")
    try:
        again = pcre2.compile(verbs.group() + rb"\G(?:" + body + rb")(?!\G)", flags, jit=False)
    except failures:
        again = None
    hasty = partial(_hasty, pcre2.compile, raw, flags)
    by_place = b"(*" not in raw and rb"\G" not in raw
    return Pattern(engine, again, failures, _quick(raw, options), hasty, by_place)


@lru_cache(maxsize=64)
def _hasty(compile: Callable[..., _Engine], raw: bytes, flags: int) -> _Engine:
    return compile(b"(*LIMIT_MATCH=%d)" % _FEW_STEPS + raw, flags, jit=False)
