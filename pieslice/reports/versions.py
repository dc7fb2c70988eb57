"""Says in answers which version of HTCondor was followed, and whence it is known.

Inputs: a ``Followed``, blocks of a report.  Outputs: blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from pieslice.reports.layout import Block, Line
from policy.versions import Followed


def version_line(followed: Followed) -> Line:
    """The sentence, as it stands below the title of an answer."""
    return Line(f"  {followed}")


def with_version(blocks: Sequence[Block], followed: Followed | None) -> list[Block]:
    """The blocks with the sentence below their title; as they are where no version matters."""
    if followed is None:
        return list(blocks)
    titles = takewhile(lambda block: isinstance(block, Line) and block.heading, blocks)
    place = len(list(titles))
    line = version_line(followed) if place else Line(str(followed))
    return [*blocks[:place], line, *blocks[place:]]
