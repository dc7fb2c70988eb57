"""Folds attribute and function names to keys, and lists the names that have a meaning of
their own.
"""

from __future__ import annotations

from typing import Final

#: Names with a meaning of their own wherever no attribute has them.
SPECIAL: Final = frozenset({"toplevel", "root", "self", "my", "parent", "currenttime"})


#: Names of the two ads of a match -> which of them it is.
SIDES: Final = {"my": "my", "self": "my", "target": "target", "other": "target"}


#: Names that the match context defines around the two ads.
CONTEXT: Final = frozenset(
    {
        "my", "target", "other", "ad", "left", "right", "lctx", "rctx", "symmetricmatch",
        "leftmatchesright", "rightmatchesleft", "leftrankvalue", "rightrankvalue",
    }
)  # fmt: skip


#: Names that the shortcuts of the compiled form leave to ``find``.
UNUSUAL: Final = SPECIAL | CONTEXT


#: Of these, called with one string, the parser makes a literal; an ill-formed string is an error.
ABSOLUTE_TIME: Final = "abstime"
TIME_LITERALS: Final = (ABSOLUTE_TIME, "reltime")


def fold_name(name: str) -> str:
    """The key of an attribute or function name: ASCII letters in lower case."""
    return name.lower() if name.isascii() else "".join(c.lower() if c < "\x80" else c for c in name)
