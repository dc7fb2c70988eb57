"""``pieslice lab``: a page in the browser in which a policy is edited and the pool answers at once;
never changes a pool or a file, never asks another machine.
"""

from __future__ import annotations

from typing import Final

#: Cycles that can be looked at, one after another.
CYCLES: Final = 10
