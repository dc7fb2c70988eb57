"""Keeps what is known of partners that come again, so that nothing of it need be asked anew.

A partner that comes again is told by a key, such as what an autocluster has in all cycles over the
same rows.  Whoever makes the key sees to it that partners with equal keys are the same to all that
reads of them what is ``read``.  Answers go with the results of the table: when rows change, or when
these need the room.
"""

from __future__ import annotations

from collections.abc import Set

from classad.table.expressions.partner import Partner
from classad.table.memo import Answers
from classad.table.table import Table

__all__ = ["AnswerMemory"]


class AnswerMemory:
    """What a table keeps of partners by their keys."""

    def __init__(self, table: Table) -> None:
        self._table = table

    @property
    def read(self) -> Set[str]:
        """The attributes of partners that anything has read so far, and ``INSTANT``."""
        return self._table.store.shapes.read

    def of(self, key: object) -> Answers:
        """What is known of partners with a key: nothing yet, if it is a new one.

        Nor is anything where rows have to be asked one by one.
        """
        if self._table.store.row_by_row:
            return Answers()
        return self._table._matching.answers.get(key) or Answers()

    def keep(self, key: object, answers: Answers) -> None:
        """Keep answers that hold for all rows."""
        self._table._budget.add(self._table._matching.answers, key, answers)

    def matching(self, job: Partner) -> tuple[int, ...] | None:
        """Sets of rows, as bits, that have in common the rows that match a job.

        They are kept for others anyway.  None if some rows have to be asked one by one.
        """
        self._table._count_request()
        return None if job.redefines_scope_names else self._table._matching.by_columns(job)
