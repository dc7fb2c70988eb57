"""The builtin functions, one module per family.

Importing this package declares nothing: ``load`` imports the families when the first expression
that calls a function is compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from classad.builtins.registry import Builtin

#: The family modules, in the order in which the documentation lists them.
FAMILIES: Final = (
    "types", "control", "numbers", "strings", "stringlists", "lists", "regex", "time",
    "calendar", "versions", "environment", "users", "ads",
)  # fmt: skip

_loaded = False


def load() -> dict[str, Builtin]:
    """The table of all builtin functions by folded name."""
    global _loaded
    from classad.builtins.registry import FUNCTIONS

    if not _loaded:
        from importlib import import_module

        for family in FAMILIES:
            import_module(f"classad.builtins.{family}")
        _loaded = True
    return FUNCTIONS
