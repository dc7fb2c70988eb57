"""Reads and writes ClassAd transaction logs.

The accountant keeps one (``Accountantnew.log``), and so does the schedd (``job_queue.log``).
This module knows the types of records, which records count after a crash, the table they add up to,
when a daemon would compact the file, and the text of records and of a compacted file.  The file
itself is kept by ``classad.files.log_file``.

Inputs: the text of a log and its name; records.  Outputs: ``TransactionLog``: per key the
attributes as expression text, the types of the ad, the header, how much of the text is sound.
Follows: the log of HTCondor 25.14.1, as the recorded log recovery cases show it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from sys import getsizeof
from typing import Final, NamedTuple, TypeAlias

from classad.binding.ad import ClassAd
from classad.errors import ClassAdParseError, Diagnostic
from classad.formats.unparse import unparse
from classad.language.bounds import allowance, too_large
from classad.language.names import fold_name
from classad.language.spelling import attribute_order
from classad.patterns import late_regex
from classad.source import Source

#: Key of an ad -> attribute -> expression text.
Table: TypeAlias = dict[str, dict[str, str]]

NEW_AD: Final = "101"
DESTROY: Final = "102"
SET: Final = "103"
DELETE: Final = "104"
BEGIN: Final = "105"
END: Final = "106"
HEADER: Final = "107"
#: How many words follow the operation number (the last of a ``103`` is the rest of the line).
_OPERANDS: Final = {NEW_AD: 3, DESTROY: 1, SET: 3, DELETE: 2, HEADER: 3}
#: A record that sets an attribute to a number, a plain string or a Boolean: most do.
_PLAIN_SET: Final = late_regex(
    SET + r' (\S+) (\S+) (-?[0-9]+(?:\.[0-9]*(?:[eE][-+]?[0-9]+)?)?|"[^"\\\n]*"|true|false)'
)
_CUT: Final = "the last line is cut short; dropped"
_CR_LF: Final = (
    "the lines end in CR LF: the real daemon would call this record unterminated and start from "
    "nothing; read as if they ended in LF (D-603)"
)
#: Bytes of a record, of an ad without its table, and of a text in that; and after how many records
#: it is looked what they add up to.
_RECORD: Final = 320
_AD: Final = 320
_VALUE: Final = 64
_PAUSE: Final = 1 << 16
#: What the accountant writes for a type that it does not use.
NO_TYPE: Final = "*"


class DamagedLogError(Exception):
    """A log with which the real daemon would refuse to start."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class LogRecord(NamedTuple):
    """One line: operation number and its words."""

    op: str
    words: tuple[str, ...] = ()

    def line(self) -> str:
        """The text of the record; raises ``ValueError`` when a word cannot stand in a log."""
        last = len(self.words) - 1
        for i, word in enumerate(self.words):
            rest_of_line = self.op == SET and i == last
            broken = "\n" in word or "\0" in word or not word.strip()
            if broken or (not rest_of_line and len(word.split()) != 1):
                raise ValueError(f"`{word}` cannot stand in a log record")
        # The blank after the number of a begin and an end belongs to the record.
        text = f"{self.op} {' '.join(self.words)}"
        if parse_record(text) is None:
            raise ValueError(f"`{text}` is no log record")
        return f"{text}\n"


def new_ad(key: str, my_type: str = NO_TYPE, target_type: str = NO_TYPE) -> LogRecord:
    """A record that makes an ad."""
    return LogRecord(NEW_AD, (key, my_type, target_type))


def destroy_ad(key: str) -> LogRecord:
    """A record that removes an ad."""
    return LogRecord(DESTROY, (key,))


def set_attribute(key: str, name: str, expression: str) -> LogRecord:
    """A record that sets an attribute to an expression, given as text."""
    return LogRecord(SET, (key, name, expression))


def delete_attribute(key: str, name: str) -> LogRecord:
    """A record that removes an attribute."""
    return LogRecord(DELETE, (key, name))


class TransactionLog:
    """What a log adds up to; ``apply`` carries on with further records.

    ``table``: key -> attribute -> expression text; ``types``: key -> the two type words.
    ``sequence`` and ``created``: the header (1 and None without one).  ``sound``: how many
    characters of the text are whole records outside a transaction that was never ended.
    ``transactions``: how many transactions begin in it.
    """

    __slots__ = (
        "_names", "created", "diagnostics", "sequence", "sound", "table", "transactions", "types",
    )  # fmt: skip

    def __init__(self) -> None:
        self.table: Table = {}
        self.types: dict[str, tuple[str, str]] = {}
        self.sequence = 1
        self.created: int | None = None
        self.sound = 0
        self.transactions = 0
        self.diagnostics: list[Diagnostic] = []
        #: Spelled name -> the first spelling of it in this log: names do not know case.
        self._names: dict[str, str] = {}

    def ad(self, key: str) -> ClassAd:
        """The ad under a key, with its types; raises ``KeyError``."""
        from classad.files.ads import read_long

        lines = [f"{name} = {text}" for name, text in self.table[key].items()]
        ad = next(iter(read_long(lines, key, [])), None) or ClassAd()
        kinds = zip(("MyType", "TargetType"), self.types[key], strict=True)
        for name, kind in kinds:
            if kind not in (NO_TYPE, "(empty)"):
                ad.insert(name, kind)
        return ad

    def apply(self, record: LogRecord) -> None:
        """Carry out one record; what names an ad that is not there does nothing."""
        op, words = record
        if op in (SET, DELETE):
            attributes = self.table.get(words[0])
            if attributes is None:
                return
            name = self._names.get(words[1]) or self._spelling(words[1])
            if op == SET:
                attributes[name] = words[2].rstrip()
            else:
                attributes.pop(name, None)
        elif op == NEW_AD:
            if words[0] not in self.table:
                self.table[words[0]] = {}
                self.types[words[0]] = (words[1], words[2] if len(words) > 2 else NO_TYPE)
        elif op == DESTROY:
            self.table.pop(words[0], None)
            self.types.pop(words[0], None)
        elif op == HEADER:
            self.sequence, self.created = _whole(words[0]), _whole(words[2])

    def _spelling(self, name: str) -> str:
        """The first spelling of a name, for a new one."""
        first = self._names[name] = self._names.setdefault(fold_name(name), name)
        return first


def read_transaction_log(text: str, name: str) -> TransactionLog:
    """Replay a log.

    Raises ``DamagedLogError`` where the real daemon would not start, ``LimitError`` for one whose
    ads take too much.
    """
    return _LogReader(Source(text, name)).read()


class _LogReader:
    """One pass over the text of a log."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.log = TransactionLog()
        self.pending: list[LogRecord] = []
        self.inside = False
        self.transaction = 0

    def read(self) -> TransactionLog:
        text = self.source.text
        begin = looked = count = 0
        eaten = False
        ended = "\r" if text.partition("\n")[0].endswith("\r") else ""
        if ended:
            self._warn(0, text.partition("\r")[0], _CR_LF)
        while begin < len(text):
            plain = None if eaten else _PLAIN_SET.match(text, begin)
            if plain is not None and text.startswith("\n", stop := plain.end()):
                record = LogRecord(SET, plain.groups())
                (self.pending.append if self.inside else self.log.apply)(record)
            else:
                stop = text.find("\n", begin)
                line = text[begin : stop if stop >= 0 else len(text)].removesuffix(ended)
                one = parse_record(line) if stop >= 0 and not eaten else None
                if one is None:
                    self._damage(begin, line, terminated=stop >= 0)
                    break
                # A new ad with one type word takes the first word of the next line as the other.
                eaten = one.op == NEW_AD and len(one.words) == 2
                self._take(one, begin, line)
            begin = stop + 1
            count += 1
            if count - looked > max(_PAUSE, len(self.log.table) // 4):
                looked = count
                self._hold()
            if not self.inside and not eaten:
                self.log.sound = begin
        if self.inside:
            self._unfinished()
        return self.log

    def _hold(self) -> None:
        """Raise ``LimitError`` if what the log adds up to takes too much."""
        taken = len(self.source.text) + _RECORD * len(self.pending)
        for attributes in self.log.table.values():
            taken += _AD + getsizeof(attributes) + _VALUE * len(attributes)
        if taken > allowance(len(self.source.text)):
            raise too_large(self.source.name, len(self.source.text))

    def _take(self, record: LogRecord, begin: int, line: str) -> None:
        if record.op == BEGIN:
            if self.inside:
                self._warn(begin, line, "a transaction begins inside another; ignored")
            else:
                self.inside, self.transaction = True, begin
                self.log.transactions += 1
        elif record.op == END:
            if not self.inside:
                self._warn(begin, line, "a transaction ends that never began; ignored")
            for item in self.pending:
                self.log.apply(item)
            self.pending.clear()
            self.inside = False
        elif self.inside:
            self.pending.append(record)
        else:
            self.log.apply(record)

    def _damage(self, begin: int, line: str, *, terminated: bool) -> None:
        """Report a damaged record; fatal when a finished transaction comes after it."""
        end = begin + len(line)
        rest = self.source.text[end:].partition("\n")[2]
        if terminated and re.search(r"^[ \t]*106", rest, re.MULTILINE):
            raise DamagedLogError(
                Diagnostic(
                    "damaged record before a finished transaction; the daemon would not start",
                    self.source,
                    begin,
                    end,
                    help="repair or remove the line",
                )
            )
        if not terminated:
            self._warn(begin, line, _CUT)
            return
        lines = rest.count("\n")
        after = f" with the {lines} lines after it" if lines else ""
        self._warn(begin, line, f"damaged record; dropped{after}")

    def _unfinished(self) -> None:
        """One message for a last transaction without end, instead of one for its last line."""
        found, begin = self.log.diagnostics, self.transaction
        cut = [item for item in found if item.start > begin and item.message == _CUT]
        for item in cut:
            found.remove(item)
        count = len(self.pending) + len(cut)
        told = "1 record is" if count == 1 else f"{count} records are"
        message = (
            "the log ends inside this transaction, as a copy of a log in use may; "
            f"its {told} dropped"
        )
        severity = "detail" if cut or not found else "warning"
        found.append(Diagnostic(message, self.source, begin, begin + 4, severity=severity))

    def _warn(self, begin: int, line: str, message: str) -> None:
        end = begin + max(1, len(line))
        item = Diagnostic(message, self.source, begin, end, severity="warning")
        self.log.diagnostics.append(item)


def parse_record(line: str) -> LogRecord | None:
    """The record on a line, None when it is damaged."""
    if plain := _PLAIN_SET.fullmatch(line):
        return LogRecord(SET, plain.groups())
    op, blank, rest = line.lstrip(" \t").partition(" ")
    if op in (BEGIN, END):
        # The blank after the number belongs to the record: without it the line counts as cut.
        return LogRecord(op) if blank else None
    wanted = _OPERANDS.get(op, -1)  # as many words no record has
    # Words that are too many are left behind; only a value may have blanks inside.
    words = tuple(rest.split(None, wanted - 1) if op == SET else rest.split()[:wanted])
    if len(words) != wanted and not (op == NEW_AD and len(words) == 2):
        return None
    if op == SET and not _is_expression(words[2]):
        return None
    return LogRecord(op, words)


def _whole(word: str) -> int:
    """The number that a word begins with, as C reads it."""
    found = re.match("[0-9]{1,18}", word, re.ASCII)
    return int(found[0]) if found else 0


def _is_expression(text: str) -> bool:
    from classad.syntax.parser import parse_expression

    try:
        parse_expression(text, old=True)
    except ClassAdParseError:
        return False
    return True


def needs_compaction(log: TransactionLog, text: str) -> bool:
    """Whether the daemon would write the file anew at its start: it was not closed cleanly."""
    return log.transactions > 0 or log.sound < len(text)


def transaction_text(records: Iterable[LogRecord]) -> str:
    """The records as one transaction; nothing when there are none."""
    lines = [record.line() for record in records]
    return "".join((LogRecord(BEGIN).line(), *lines, LogRecord(END).line())) if lines else ""


def header(sequence: int, created: int) -> LogRecord:
    """The first record of a log: how many times it was compacted, plus one, and its birth."""
    return LogRecord(HEADER, (str(sequence), "CreationTimestamp", str(created)))


def compacted_lines(log: TransactionLog) -> Iterator[str]:
    """The lines of the log that holds just what counts, under the next sequence number."""
    yield header(log.sequence + 1, log.created or 0).line()
    for key, attributes in log.table.items():
        my_type, target_type = log.types[key]
        yield new_ad(key, my_type, target_type).line()
        kind = attributes.get("MyType", f'"{my_type}"')
        yield set_attribute(key, "MyType", kind).line()
        for name in sorted(attributes.keys() - {"MyType"}, key=attribute_order):
            yield set_attribute(key, name, _canonical(attributes[name])).line()


def _canonical(text: str) -> str:
    """An expression as ClassAds are written: ``1000.000000`` becomes ``1000.0``."""
    from classad.syntax.parser import parse_expression

    if not text.strip("-0123456789"):
        return text
    return unparse(parse_expression(text, old=True), old=True)


_JOB: Final = late_regex(r"([1-9][0-9]*)\.([0-9]+)", re.ASCII)


def queued_jobs(log: TransactionLog) -> Iterator[tuple[str, ClassAd]]:
    """Every job in the order of cluster and proc."""
    found = [match for key in log.table if (match := _JOB.fullmatch(key))]
    clusters: dict[str, ClassAd] = {}
    for match in sorted(found, key=lambda match: (int(match[1]), int(match[2]))):
        cluster = match[1]
        if cluster not in clusters:
            key = f"0{cluster}.-1"
            clusters[cluster] = log.ad(key) if key in log.table else ClassAd()
        job = clusters[cluster].duplicate()
        own = log.ad(match[0])
        for name in own.names():
            job.insert(name, own.raw(name))
        yield match[0], job
