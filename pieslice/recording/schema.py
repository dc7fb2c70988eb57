"""Declares the tables of a history.

Times are seconds since the epoch.  ``VERSION`` counts up when a table changes its meaning.
"""

from __future__ import annotations

from typing import Final

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
