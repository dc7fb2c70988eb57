"""Finds the pages of ``pieslice help``: plain text of at most 80 columns, one file for each topic.

The first line of a page is its name, a dash and what it is about.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "topics"


def topic_names() -> list[str]:
    """All topics, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.txt"))


def topic_text(name: str) -> str:
    """The page of a topic."""
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def topic_title(name: str) -> str:
    """What the page is about."""
    return topic_text(name).partition("\n")[0].partition(" - ")[2]
