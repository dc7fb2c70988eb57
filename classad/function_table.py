"""Finding the declaration of a function by name.

Inputs: the name as written, the evaluation's context.  Outputs: the declaration, or None.  The
families of ``classad.builtins`` are imported when the first function is looked up.
Never here: an implementation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from classad.scopes import fold_name

if TYPE_CHECKING:
    from classad.builtins.registry import Builtin
    from classad.state import EvalContext


def lookup_function(name: str, context: EvalContext | None = None) -> Builtin | None:
    """The builtin function, or the context's own function, of this name."""
    from classad.builtins import load

    key = fold_name(name)
    found = load().get(key)
    if found is None and context is not None and context.functions is not None:
        found = context.functions.get(key)
    return found


def suggest_function(name: str, context: EvalContext | None = None) -> str | None:
    """The builtin function, or the context's own, that an unknown name was probably meant to be."""
    from classad.builtins import load
    from classad.errors import suggest

    own = () if context is None or context.functions is None else context.functions.values()
    return suggest(name, (function.name for function in (*load().values(), *own)))
