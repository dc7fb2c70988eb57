"""One declaration per builtin function; everything else about functions is derived from here.

Inputs: the ``@builtin`` decorators of the family modules beside this file.  Outputs: the table
``FUNCTIONS`` from folded name to ``Builtin``, used by the compiler (arity, laziness), the
documentation generator, the fuzz generator and constant folding (deterministic).
Never here: an implementation.
Follows: the 94 names registered by HTCondor 25.14.1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple


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
