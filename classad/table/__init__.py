"""Ads as a table: selects, ranks and matches many rows at once; never another answer than the
evaluator's for one ad after the other.

A table answers as the evaluator of one ad after the other would, only sooner: see
classad/table/table.py.  ``classad.Table``, which users have, is the one of classad/frames/table.py.
"""

from classad.table.arrays import Rows
from classad.table.table import Table

__all__ = ["Rows", "Table"]
