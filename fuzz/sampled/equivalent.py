"""Lists the changes that change nothing, each with its reason.

Outputs: ``EQUIVALENT``, by file, text of the line, the change as it is printed.
"""

from __future__ import annotations

from typing import Final

EQUIVALENT: Final[dict[tuple[str, str, str], str]] = {}
