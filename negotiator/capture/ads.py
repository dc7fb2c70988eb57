"""Reads ads together with the place they came from.

A message about a whole ad (a slot without a name) can then point to it.  In the long form an ad has
the line that it begins on, in other forms its number in the file.

Inputs: a path of a file in any form of ads, compressed or not, or of a schedd's
``job_queue.log``.  Outputs: ``LocatedAd`` in file order (jobs of a log by number); diagnostics of
what does not parse are added to the caller's list and the rest is kept.
Follows: the forms of ``condor_status`` (``-l``, ``-json``, ``-xml``), the transaction log of the
schedd.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Final, TypeAlias

from attr import frozen

from classad import ClassAd
from classad.errors import Diagnostic
from classad.files.ads import load_file, read_long
from classad.language.values import Value
from classad.loading.columns import LoadedColumns
from classad.patterns import late_regex
from classad.source import Source
from negotiator.model.watched import WatchedAd
from policy.language.numbers import saturated

Scalar = int | float | str | bool

#: How many bytes tell the form of a file.
_HEAD: Final = 65536


def scalar_of(ad: ClassAd, name: str) -> Scalar | None:
    """The value of an attribute, the ad alone; None unless it is a number or a string."""
    value = ad.evaluate_attr(name)
    if isinstance(value, Value) or not isinstance(value, int | float | str):
        return None
    return value


def number_of(ad: ClassAd, name: str) -> int | float | None:
    """The value of a numeric attribute, the ad alone."""
    value = scalar_of(ad, name)
    return None if isinstance(value, str | bool) else value


def job_id(job: ClassAd) -> str:
    """``<cluster>.<proc>`` of a job, or a question mark for what is missing."""
    numbers = (number_of(job, name) for name in ("ClusterId", "ProcId"))
    return ".".join("?" if number is None else str(number) for number in numbers)


@frozen(eq=False)
class LocatedAd:
    """An ad and the first line of it, or what finds that when somebody wants to know."""

    ad: ClassAd
    _place: Source | Callable[[], Source]

    @property
    def source(self) -> Source:
        """The first line."""
        return self._place if isinstance(self._place, Source) else self._place()

    def value(self, name: str) -> Scalar | None:
        """The value of an attribute, the ad alone; None unless it is a number or a string."""
        return scalar_of(self.ad, name)

    def text(self, name: str) -> str | None:
        """The value of a string attribute."""
        value = self.value(name)
        return value if isinstance(value, str) else None

    def number(self, name: str) -> int | float | None:
        """The value of a numeric attribute."""
        return number_of(self.ad, name)

    def problem(self, message: str) -> Diagnostic:
        """A warning about the whole ad."""
        return Diagnostic(message, self.source, 0, len(self.source.text), severity="warning")


class _LocatedLines:
    """Lines of a stream that remember where the current ad began."""

    def __init__(self, lines: Iterable[str], name: str) -> None:
        self.lines = lines
        self.name = name
        self.first: Source | None = None

    def __iter__(self) -> Iterator[str]:
        for number, line in enumerate(self.lines, 1):
            if self.first is None and line.lstrip()[:1] not in ("", "#"):
                self.first = Source(line.rstrip("\r\n"), self.name, first_line=number)
            yield line
            if line.isspace():
                # An ad that ended here has been taken by now; what is left had no sound line.
                self.first = None

    def taken(self) -> Source:
        """Where the ad just finished began."""
        first, self.first = self.first, None
        return first if first is not None else Source("", self.name)


class _FirstLines:
    """The first lines of the ads of a file in long form, which is read again for them."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def of(self, number: int) -> Source:
        """The first line of an ad; an empty one if the file is another one by now."""
        return self._found[number] if number < len(self._found) else Source("", str(self._path))

    @cached_property
    def _found(self) -> list[Source]:
        name = str(self._path)
        try:
            with self._path.open(encoding="utf-8", errors="surrogateescape", newline="\n") as file:
                lines = _LocatedLines(file, name)
                return [lines.taken() for _ in read_long(lines, name, [])]
        except OSError:
            return []


#: Loads a file in long form into columns.
LoadFile: TypeAlias = Callable[[Path], LoadedColumns]


def read_ads(
    path: Path, diagnostics: list[Diagnostic], load: LoadFile = load_file
) -> list[LocatedAd]:
    """All ads of a file; raises ``OSError``."""
    if is_log(path):
        return _read_queue_log(path, diagnostics)
    if not _is_plain_long(path):
        return _read_other_form(path, diagnostics)
    loaded, places = load(path), _FirstLines(path)
    for problem in loaded.diagnostics:
        problem.help = problem.help or "the line is left out, the rest of the ad is kept"
    diagnostics += loaded.diagnostics
    ads = enumerate(loaded.to_ads(WatchedAd))
    return [LocatedAd(ad, partial(places.of, number)) for number, ad in ads]


def load_columns(path: Path, load: LoadFile = load_file) -> LoadedColumns | None:
    """A file in columns; None if it is none for that, or cannot be read, as others will say."""
    try:
        return None if is_log(path) or not _is_plain_long(path) else load(path)
    except OSError:
        return None


def begins_as(path: Path) -> bytes:
    """The first bytes of a file, enough to tell what it is; raises ``OSError``.

    Also for a pipe: what is read of it to tell what it is would be missing from its ads.
    """
    if path.is_fifo():
        why = "is a pipe, which can be read only once; save it to a file"
        raise OSError(errno.ESPIPE, why, str(path))
    with path.open("rb") as stream:
        return stream.read(_HEAD)


def content_of(path: Path) -> bytes:
    """All of a file; raises ``OSError``."""
    return path.read_bytes()


def is_log(path: Path) -> bool:
    """Whether a file is a transaction log rather than ads in long form."""
    return begins_as(path)[:4] in (b"107 ", b"101 ")


def _is_plain_long(path: Path) -> bool:
    """Whether a file is a list of ads in the long form and not compressed; raises ``OSError``."""
    from classad.formats.detect import detect_compression, detect_form, detect_table

    head = begins_as(path)
    if detect_compression(head) is not None:
        return False
    text = head.decode("utf-8", "surrogateescape")
    return detect_form(text) == "long" and detect_table(text) is None


def _read_other_form(path: Path, diagnostics: list[Diagnostic]) -> list[LocatedAd]:
    """The ads of a file in new syntax, JSON or XML, or of a compressed one."""
    from classad.files.ads import read_ads as read_any

    found = read_any(path, diagnostics=diagnostics, errors="warn")
    return [LocatedAd(ad, Source(f"ad {n}", str(path))) for n, ad in enumerate(found, 1)]


def _read_queue_log(path: Path, diagnostics: list[Diagnostic]) -> list[LocatedAd]:
    """The jobs of a queue; a log that the schedd would refuse gives none and an error."""
    from classad.files.log import DamagedLogError, queued_jobs
    from classad.files.log_file import read_log_file

    try:
        log = read_log_file(path)
    except DamagedLogError as problem:
        problem.diagnostic.lost = "rest"
        diagnostics.append(problem.diagnostic)
        return []
    diagnostics += log.diagnostics
    return [LocatedAd(ad, Source(f"job {key}", str(path))) for key, ad in queued_jobs(log)]


def split_up(what: str, ads: Sequence[LocatedAd]) -> list[LocatedAd]:
    """The ads; the one big ad with numbered attributes becomes an ad for each record."""
    if what != "accounting":
        return list(ads)
    found: list[LocatedAd] = []
    for ad in ads:
        parts = split_numbered(ad.ad) if is_numbered(ad.ad) else [ad.ad]
        found += [LocatedAd(part, ad.source) for part in parts]
    return found


_NUMBERED: Final = late_regex(r"(.*?[^0-9])([1-9][0-9]*)", re.ASCII)


def split_numbered(ad: ClassAd) -> list[ClassAd]:
    """The records of an ad with numbered attributes, in their order."""
    records: dict[int, ClassAd] = {}
    for name in ad.names():
        found = _NUMBERED.fullmatch(name)
        if found is not None:
            records.setdefault(saturated(found[2]), ClassAd()).insert(found[1], ad.raw(name))
    for number, record in records.items():
        record.insert("SubmittorId", number)
    return [records[number] for number in sorted(records) if "Name" in records[number]]


def is_numbered(ad: ClassAd) -> bool:
    """Whether an ad is the one big ad of an older query."""
    return ad.raw("NumSubmittors") is not None
