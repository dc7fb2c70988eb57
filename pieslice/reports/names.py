"""Says what may have been meant by a name that nothing has: the same words in every command; and
how short names of users can be.

Inputs: the name, those that there are.  Outputs: the end of an error message; names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from classad.errors import suggest

#: Names that are listed where none is near.
MAX_NAMES: Final = 4


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``; did you mean `x`?``, or nothing if no name is near."""
    return hint(suggest(name, known))


def hint(meant: str | None) -> str:
    """The same about a name that is found already."""
    return "" if meant is None else f"; did you mean `{meant}`?"


def meant_or_known(name: str, known: Sequence[str]) -> str:
    """The same, or all names if none is near."""
    return did_you_mean(name, known) or f"; known are {', '.join(known)}"


def listed(names: Iterable[str]) -> str:
    """Some names, and how many more there are."""
    every = list(names)
    more = len(every) - MAX_NAMES
    return ", ".join(every[:MAX_NAMES]) + (f" and {more} more" if more > 0 else "")


def shortest(users: Iterable[str]) -> dict[str, str]:
    """Users, each by the shortest name that no other has: ``dave``.

    What stands behind the last dot before the domain, as options take it; all before the domain;
    or the whole name.
    """
    whole = list(dict.fromkeys(users))
    local = [name.partition("@")[0] for name in whole]
    bare = [name.rpartition(".")[2] for name in local]
    uses = Counter(bare), Counter(local)
    return {
        name: short if uses[0][short] == 1 else longer if uses[1][longer] == 1 else name
        for name, longer, short in zip(whole, local, bare, strict=True)
    }
