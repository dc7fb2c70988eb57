"""Declares what a planted bug is."""

from __future__ import annotations

from typing import NamedTuple


class Mutation(NamedTuple):
    """One planted bug: in ``file`` the text ``old`` becomes ``new``."""

    file: str
    old: str
    new: str
    by: str
