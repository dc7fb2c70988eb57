"""The pool under the texts of the page: what an edit changes, what is wrong with it, what is drawn
of it; knows nothing of browsers and processes.
"""

from __future__ import annotations

from typing import Final

#: Cycles that can be looked at, one after another.
CYCLES: Final = 10
