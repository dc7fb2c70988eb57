"""Checks that a session answers as pools do that know of no edit.

Inputs: names of example pools, texts of edits.  Outputs: none; a check raises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

import pieslice

EXAMPLES: Final = Path(__file__).resolve().parents[1] / "examples"
#: An edit: its text, and of one before it that is cancelled its text and after how many questions.
Edit = tuple[str, str, int]


@cache
def _pool(name: str) -> pieslice.Pool:
    """An example pool that no session is of."""
    return pieslice.read(EXAMPLES / name)


def _other(pool: pieslice.Pool, text: str) -> pieslice.Pool | None:
    """The pool under another policy, None for one that daemons would not start with."""
    try:
        return pool.with_config(text)
    except pieslice.ReadError:
        return None


def _after(questions: int) -> Callable[[], bool]:
    """Is true from a number of questions on."""
    left = iter(range(questions))
    return lambda: next(left, None) is None


def sessions_agree(case: tuple[str, Sequence[Edit], int]) -> None:
    """The cycle, the differences and a question of every edit, with cancelled edits between.

    ``case``: a pool, edits one after the other, the number of the job that is asked about.
    """
    name, edits, place = case
    pool = _pool(name)
    session = pieslice.read(EXAMPLES / name).session()
    ids = [f"{job['ClusterId']}.{job['ProcId']}" for job in pool.jobs.ads()]
    job = ids[place % len(ids)]
    for text, other, questions in edits:
        with suppress(pieslice.Cancelled):
            session.edit(other, cancelled=_after(questions))
        trial, fresh = session.edit(text), _other(pool, text)
        assert trial.starts is (fresh is not None), "not the word of with_config on the start"
        if fresh is None:
            continue
        cycle = fresh.negotiate()
        assert repr(trial.cycle.result) == repr(cycle.result), "another cycle"
        assert trial.cycle.to_json() == cycle.to_json(), "another answer"
        assert trial.changes.to_json() == pool.diff(fresh).to_json(), "other differences"
        asked, wanted = trial.why(job), fresh.why(job)
        assert (asked.to_json(), asked.text()) == (wanted.to_json(), wanted.text()), "another why"
        assert trial.rank(job).to_json() == fresh.rank(job).to_json(), "another order"
    again = pool.why(job)
    assert session.base.why(job).to_json() == again.to_json(), "another why of the running policy"
