"""Keeps the captures of one pool over time in one file, a database of SQLite.

The tables of a history are declared here; ``VERSION`` counts up when one changes its meaning.

Each capture is a row with a compressed frame: every ``EVERY``-th by itself, the others as what has
changed since the one before, so that any moment is built from at most ``EVERY`` frames.  Beside the
frames stand what jobs and slots did (``pieslice.recording.facts``), so that questions about a life
of weeks need no frame.

A capture and what is noted with it are one transaction: a kill at any instant loses at most the
capture in the making, which the next writer says.  A lock (``<file>.lock``) keeps a second writer
out; readers need none.  Old captures go in whole groups of frames.

Inputs: a path, captures in the order of time (seconds since the epoch).  Outputs: the file; moments
and their files.  Raises ``HistoryError`` in one line.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Self, TypeAlias

from attr import frozen
from filelock import BaseFileLock

from classad.files.lock import BusyError, hold
from pieslice.data import Content
from pieslice.recording.changes import Files, apply, built, changed, files_of, texts_of, whole
from pieslice.recording.facts import Sight, decisions, planned_interval, sight
from pieslice.recording.notes import note

#: Tells a history from other databases: `pshi`.
APPLICATION: Final = 0x70736869
VERSION: Final = 2
#: What turns the tables of an earlier version into those of the next one.
UPGRADES: Final = {
    1: tuple(
        f"ALTER TABLE moment ADD COLUMN {column}"
        for column in ("interval REAL", "matches INTEGER", "rejections INTEGER")
    ),
}

TABLES: Final = (
    # One for each capture.  `grouped`: the number of the frame that it is built from; `cycle`: when
    # the cycle after it began; `size`: bytes of its files; cores that are claimed, and all; jobs;
    # `interval`: seconds from cycle to cycle as they are planned; `matches` and `rejections` of the
    # cycle after it as the negotiator counts them.  What nothing tells is NULL.
    """CREATE TABLE moment (number INTEGER PRIMARY KEY, time REAL UNIQUE NOT NULL, cycle REAL,
    grouped INTEGER NOT NULL, size INTEGER NOT NULL, claimed REAL NOT NULL, cores REAL NOT NULL,
    idle INTEGER NOT NULL, running INTEGER NOT NULL, frame BLOB NOT NULL, interval REAL,
    matches INTEGER, rejections INTEGER)""",
    # One for each job.  `first` and `last`: the captures that have it, `last` while it is there
    # NULL; `request`: equal for jobs that ask for the same.
    """CREATE TABLE job (number INTEGER PRIMARY KEY, schedd TEXT NOT NULL, cluster INTEGER NOT NULL,
    proc INTEGER NOT NULL, submitter TEXT NOT NULL, grouped TEXT NOT NULL, request TEXT NOT NULL,
    cpus REAL, submitted REAL, first INTEGER NOT NULL, last INTEGER)""",
    "CREATE INDEX job_name ON job (cluster, proc, schedd)",
    # What a job was doing from a capture on: its status, -1 when it is gone; the slot it runs on.
    """CREATE TABLE spell (job INTEGER NOT NULL, moment INTEGER NOT NULL, time REAL NOT NULL,
    status INTEGER NOT NULL, slot TEXT NOT NULL)""",
    "CREATE INDEX spell_job ON spell (job)",
    # What the cycle after a capture decided about the request of a job: a slot, and whom that was
    # taken from; or the reason of a rejection.
    """CREATE TABLE decision (moment INTEGER NOT NULL, job INTEGER NOT NULL, slot TEXT,
    preempted TEXT, reason TEXT)""",
    "CREATE INDEX decision_moment ON decision (moment)",
    # The times in which a slot that is not divided had no claim; `until` while it has none NULL;
    # `ended`: whether a claim ended it, else it could not be claimed any more, or was gone.
    """CREATE TABLE vacancy (slot TEXT NOT NULL, since REAL NOT NULL, until REAL,
    ended INTEGER NOT NULL)""",
    "CREATE INDEX vacancy_open ON vacancy (until, slot)",
)

#: Drops what is known of jobs, slots and cycles only from before the first capture.
FORGET: Final = (
    "DELETE FROM decision WHERE moment < (SELECT min(number) FROM moment)",
    "DELETE FROM vacancy WHERE until < (SELECT min(time) FROM moment)",
    "DELETE FROM job WHERE last < (SELECT min(number) FROM moment)",
    "DELETE FROM spell WHERE job NOT IN (SELECT number FROM job)",
)


#: A frame that needs no other comes after so many that do.
EVERY: Final = 24
#: Where SQLite keeps the number of the application in the head of a file.
_HEAD: Final = b"SQLite format 3\0"
_APPLICATION: Final = slice(68, 72)
#: Seconds that a reader waits for a writer and the other way round.
_PATIENCE: Final = 10.0
#: Kilobytes of a history that stay in memory: a service runs for months beside its file.
_CACHE_KB: Final = 256

#: No frame is larger, in bytes: it would be that of a million slots.
MOST_BYTES: Final = 2 * 10**9

#: Names and texts of the files of a capture.
Texts: TypeAlias = Mapping[str, str]


class HistoryError(Exception):
    """A history that cannot be read, written or asked this."""


@frozen
class Moment:
    """A capture in a history.  ``cycle``: when the cycle after it began, None if not known.

    ``size``: bytes of its files, ``stored``: bytes of its frame; ``interval``: seconds from
    cycle to cycle as the pool plans them, None if it does not tell.
    """

    number: int
    time: float
    cycle: float | None
    group: int
    size: int
    stored: int
    interval: float | None = None


#: What a frame that is not what a recorder wrote comes to.
_DAMAGE: Final = (
    zlib.error, ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError,
)  # fmt: skip


def _unpacked(frame: bytes) -> bytes:
    """The data of a frame, of which there is not more than any capture has."""
    packed = zlib.decompressobj()
    data = packed.decompress(frame, MOST_BYTES)
    if not packed.eof:
        raise ValueError("cut off, or too large")
    return data


def _is_plain(name: str) -> bool:
    """Whether a name is that of a file in a folder, and nothing else."""
    return name not in ("", ".", "..") and not set(name) & set("/\\\0")


def is_history(head: bytes) -> bool:
    """Whether the first bytes of a file are those of a history."""
    return head.startswith(_HEAD) and head[_APPLICATION] == APPLICATION.to_bytes(4, "big")


class History:
    """An open history, to be read; a context manager."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.is_dir():
            raise HistoryError(
                f"{path}: a folder, and no history, which is a file; "
                f"`pieslice record FILE {path}` makes one of captures"
            )
        if not path.is_file():
            raise HistoryError(f"{path}: no such history")
        self.base = _connected(path, "ro")
        try:
            self._check()
        except BaseException:
            self.base.close()
            raise

    def _check(self) -> None:
        with self.guarded():
            (application,) = self.base.execute("PRAGMA application_id").fetchone()
            (version,) = self.base.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION:
            raise HistoryError(f"{self.path}: not a history")
        if version != VERSION and version not in UPGRADES:
            raise HistoryError(
                f"{self.path}: a history of version {version}; this program knows {VERSION}"
            )
        with self.guarded():
            self.base.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        #: Of the tables; a history that is only read may have those of an earlier version.
        self.version: int = version

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self.base.close()

    @contextlib.contextmanager
    def guarded(self) -> Iterator[None]:
        """Turn what the database says is wrong into one line."""
        try:
            yield
        except sqlite3.Error as problem:
            text = str(problem)
            damaged = type(problem) is sqlite3.DatabaseError
            word = "damaged: " if damaged else ""
            raise HistoryError(f"{self.path}: {word}{text}") from None
        except UnicodeDecodeError as problem:  # a text of the file
            raise HistoryError(f"{self.path}: damaged: {problem}") from None

    def rows(self, query: str, *values: object) -> list[tuple[Content, ...]]:
        """The rows of a query."""
        with self.guarded():
            return self.base.execute(query, values).fetchall()

    def moments(self) -> list[Moment]:
        """All captures, the earliest first."""
        interval = "interval" if self.version > 1 else "NULL"
        found = self.rows(
            f"SELECT number, time, cycle, grouped, size, length(frame), {interval} FROM moment "
            "ORDER BY time"
        )
        return [Moment(*row) for row in found]

    def files(self, moment: Moment) -> Files:
        """The files of a capture."""
        files: Files = {}
        frames = self.rows(
            "SELECT number, time, frame FROM moment WHERE number BETWEEN ? AND ? ORDER BY number",
            moment.group,
            moment.number,
        )
        for number, _, frame in frames:
            self._put(files, number, moment.group, frame)
        return files

    def sequence(self) -> Iterator[tuple[Moment, Files]]:
        """All captures one after another; the files are good until the next one."""
        files: Files = {}
        for moment in self.moments():
            ((frame,),) = self.rows("SELECT frame FROM moment WHERE number = ?", moment.number)
            self._put(files, moment.number, moment.group, frame)
            yield moment, files

    def all_texts(self) -> Iterator[tuple[Moment, dict[str, str]]]:
        """All captures one after another with the texts of their files."""
        for moment, files in self.sequence():
            try:
                texts = texts_of(files)
            except _DAMAGE:
                raise self._damaged(moment.number, moment.group) from None
            yield moment, texts

    def texts(self, moment: Moment) -> dict[str, str]:
        """The texts of the files of a capture."""
        files = self.files(moment)
        try:
            return texts_of(files)
        except _DAMAGE:
            raise self._damaged(moment.number, moment.group) from None

    def _put(self, files: Files, number: int, group: int, frame: bytes) -> None:
        """Turn a capture into the next one."""
        try:
            data = json.loads(_unpacked(frame))
            if number == group:
                files.clear()
                files.update(built(data))
            else:
                apply(files, data)
            if not all(map(_is_plain, files)):
                raise ValueError("a name that leads out of a folder")
        except _DAMAGE:
            raise self._damaged(number, group) from None

    def _damaged(self, number: int, group: int) -> HistoryError:
        message = f"{self.path}: the frame of capture {number} is damaged"
        later = [one for one in self.moments() if one.group > group]
        whole_again = f"; captures from {later[0].number} on can be read" if later else ""
        return HistoryError(message + whole_again)


class Recorder(History):
    """An open history, to be added to.

    ``dropped``: what was lost of a capture when the writer before was killed, in words, or None.
    """

    def __init__(self, path: Path, *, every: int = EVERY) -> None:
        self.every = every
        self._new = not path.exists()
        self._lock = _locked(path)
        try:
            self.dropped = _left_behind(path)
            self.path = path
            self.base = _connected(path, "rwc")
            try:
                with self.guarded():
                    self._prepare()
                self._check()
                self._last = next(iter(self.moments()[-1:]), None)
                self._files: Files = {} if self._last is None else self.files(self._last)
                self._sight: Sight | None = None if self._last is None else sight(self._files)
            except BaseException:
                self.base.close()
                raise
        except BaseException:
            self._lock.release()
            raise

    def close(self) -> None:
        """Let go of the file and of its lock; a new one in which nothing came to stand goes."""
        super().close()
        if self._new and self._last is None:
            self.path.unlink(missing_ok=True)
            Path(self._lock.lock_file).unlink(missing_ok=True)
        self._lock.release()

    def _prepare(self) -> None:
        """Make the tables of a new file; to see whether there are any rolls back what was left."""
        (count,) = self.base.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if count:
            self._upgrade()
            return
        self.base.execute("PRAGMA auto_vacuum = INCREMENTAL")
        with _transaction(self.base):
            for table in TABLES:
                self.base.execute(table)
            self.base.execute(f"PRAGMA application_id = {APPLICATION}")
            self.base.execute(f"PRAGMA user_version = {VERSION}")

    def _upgrade(self) -> None:
        """Bring the tables of an earlier version up to date."""
        (application,) = self.base.execute("PRAGMA application_id").fetchone()
        (version,) = self.base.execute("PRAGMA user_version").fetchone()
        for before in range(version, VERSION) if application == APPLICATION else ():
            with _transaction(self.base):
                for change in UPGRADES.get(before, ()):
                    self.base.execute(change)
                self.base.execute(f"PRAGMA user_version = {before + 1}")

    @property
    def last(self) -> Moment | None:
        """The latest capture."""
        return self._last

    def append(self, time: float, texts: Texts) -> Moment:
        """Add a capture and what it shows; raises ``HistoryError``, and nothing was added then."""
        last = self._last
        if last is not None and time <= last.time:
            late = f"not after the last capture, which is {last.time - time:.15g} s later"
            raise HistoryError(f"{self.path}: the capture is {late}")
        files = files_of(texts)
        alone = last is None or last.number - last.group + 1 >= self.every
        number = 1 if last is None else last.number + 1
        group = number if alone or last is None else last.group
        after = decisions(files)
        started = None if after is None else after.cycle_started_at
        data = whole(files) if alone else changed(self._files, files)
        frame = zlib.compress(json.dumps(data, separators=(",", ":")).encode(), 6)
        size = sum(len(text.encode("utf-8", "surrogateescape")) for text in texts.values())
        seen = sight(files)
        interval = planned_interval(files)
        moment = Moment(number, time, started, group, size, len(frame), interval)
        with self.guarded(), _transaction(self.base):
            self.base.execute(
                "INSERT INTO moment VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)",
                (number, time, started, group, size, *_load(seen), frame, interval),
            )
            times = (None if last is None else last.time, time)
            note(self.base, number, times, (self._sight, seen), (self._files, files))
        self._last, self._files, self._sight = moment, files, seen
        return moment

    def bound(self, *, seconds: float | None = None, size: int | None = None) -> int:
        """Drop the oldest captures, in groups that share frames, until no more is kept than asked.

        ``seconds``: before the last capture; ``size``: bytes of the file.  The group of the last
        capture stays.  Returns how many captures went.
        """
        gone = 0
        for number, until in self.rows(
            "SELECT grouped, max(time) FROM moment GROUP BY grouped ORDER BY grouped"
        ):
            last = self._last
            if last is None or number == last.group:
                break
            old = seconds is not None and until < last.time - seconds
            if old or (size is not None and self._size() > size):
                gone += self._drop(number)
        return gone

    def _size(self) -> int:
        ((pages, page),) = self.rows("SELECT * FROM pragma_page_count, pragma_page_size")
        return int(pages * page)

    def _drop(self, group: int) -> int:
        """Drop the captures of a group, and what is known of jobs and slots only from them."""
        with self.guarded():
            with _transaction(self.base):
                gone = self.base.execute("DELETE FROM moment WHERE grouped = ?", (group,)).rowcount
                for query in FORGET:
                    self.base.execute(query)
            self.base.execute("PRAGMA incremental_vacuum").fetchall()
        return gone


def _load(seen: Sight) -> tuple[float, float, int, int]:
    return seen.load.claimed, seen.load.cores, seen.load.idle, seen.load.running


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    try:
        uri = f"{path.resolve().as_uri()}?mode={mode}"
        base = sqlite3.connect(uri, uri=True, timeout=_PATIENCE, isolation_level=None)
        # A file from elsewhere runs no functions by views and triggers of its own.
        base.execute("PRAGMA trusted_schema = OFF")
        return base
    except sqlite3.Error as problem:
        raise HistoryError(f"{path}: {problem}") from None


@contextlib.contextmanager
def _transaction(base: sqlite3.Connection) -> Iterator[None]:
    """All of the block, or nothing of it."""
    base.execute("BEGIN IMMEDIATE")
    try:
        yield
        base.execute("COMMIT")
    except BaseException:
        # A full disk may have ended the transaction already.
        if base.in_transaction:
            base.execute("ROLLBACK")
        raise


def _locked(path: Path) -> BaseFileLock:
    if not path.parent.is_dir():
        raise HistoryError(f"{path.parent}: no such folder")
    try:
        return hold(path)
    except BusyError as problem:
        raise HistoryError(str(problem)) from None
    except OSError as problem:
        raise HistoryError(f"{path}: {(problem.strerror or str(problem)).lower()}") from None


def _left_behind(path: Path) -> str | None:
    """What a writer that was killed had not finished, in words."""
    journal = path.with_name(f"{path.name}-journal")
    if not journal.is_file() or not journal.stat().st_size:
        return None
    return "a capture that was being written when its writer was killed is dropped"
