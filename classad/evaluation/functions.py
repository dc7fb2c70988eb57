"""Finding the declaration of a function by name.

Inputs: the name as written, the evaluation's context.  Outputs: the declaration, or None.  The
families of ``classad.builtins`` are imported when the first function is looked up.
Never here: an implementation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from classad.language.names import fold_name

if TYPE_CHECKING:
    from classad.evaluation.state import EvalContext


def lookup_function(name: str, context: EvalContext | None = None) -> Builtin | None:
    """The builtin function, or the context's own function, of this name."""

    key = fold_name(name)
    found = load().get(key)
    if found is None and context is not None and context.functions is not None:
        found = context.functions.get(key)
    return found


def suggest_function(name: str, context: EvalContext | None = None) -> str | None:
    """The builtin function, or the context's own, that an unknown name was probably meant to be."""
    from classad.errors import suggest

    own = () if context is None or context.functions is None else context.functions.values()
    return suggest(name, (function.name for function in (*load().values(), *own)))


#: The family modules, in the order in which the documentation lists them.
FAMILIES: Final = (
    "types", "control", "numbers", "strings", "stringlists", "lists", "regex", "time",
    "calendar", "versions", "environment", "users", "ads",
)  # fmt: skip


_loaded = False


def load() -> dict[str, Builtin]:
    """The table of all builtin functions by folded name."""
    global _loaded

    if not _loaded:
        from importlib import import_module

        for family in FAMILIES:
            import_module(f"classad.builtins.{family}")
        _loaded = True
    return FUNCTIONS


class Laziness(Enum):
    """How a function gets its arguments."""

    #: ``impl(state, *values)``: all evaluated, left to right.
    EAGER = "eager"
    #: ``impl(state, *thunks)``: each argument is a call without arguments that evaluates it.
    LAZY = "lazy"
    #: ``impl(site)`` with a ``CallSite``: the unevaluated nodes and the surrounding ad.
    RAW = "raw"


EAGER: Final = Laziness.EAGER
LAZY: Final = Laziness.LAZY
RAW: Final = Laziness.RAW


class Builtin(NamedTuple):
    """A declared function: see ``builtin`` for the fields."""

    name: str
    family: str
    min_args: int
    max_args: int | None
    laziness: Laziness
    deterministic: bool
    exceptional: str
    doc: str
    examples: tuple[str, ...]
    impl: Callable[..., Any]

    def accepts(self, count: int) -> bool:
        """Whether the function can be called with this many arguments."""
        return self.min_args <= count and (self.max_args is None or count <= self.max_args)

    @property
    def arity(self) -> str:
        """The number of arguments as text: ``1``, ``1-2`` or ``0+``."""
        if self.max_args is None:
            return f"{self.min_args}+"
        if self.max_args == self.min_args:
            return str(self.min_args)
        return f"{self.min_args}-{self.max_args}"


#: Folded name -> declaration.  Filled when the family modules are imported.
FUNCTIONS: Final[dict[str, Builtin]] = {}


def builtin(
    *names: str,
    args: int | tuple[int, int | None],
    laziness: Laziness = EAGER,
    deterministic: bool = True,
    exceptional: str = "undefined gives undefined, error gives error",
    examples: Sequence[str] = (),
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a builtin function.

    ``names``: HTCondor's spelling, synonyms after it.  ``args``: the number of arguments or the
    range (None: no upper bound); a call outside it is an error value, its arguments unevaluated.
    ``exceptional``: what undefined and error arguments do, in words.  ``examples``: lines
    ``expr -> value`` that the tests run.  The docstring's first paragraph is the documentation.
    """
    low, high = (args, args) if isinstance(args, int) else args

    def declare(impl: Callable[..., Any]) -> Callable[..., Any]:
        family = impl.__module__.rpartition(".")[2]
        doc = (impl.__doc__ or "").strip()
        for name in names:
            folded = name.lower()
            if folded in FUNCTIONS:
                raise ValueError(f"builtin {name} is declared twice")
            FUNCTIONS[folded] = Builtin(
                name,
                family,
                low,
                high,
                laziness,
                deterministic,
                exceptional,
                doc,
                tuple(examples),
                impl,
            )
        return impl

    return declare
