"""Makes the sizes from which on tables do things otherwise so small that any case passes them.

Outputs: a context in which few count as many.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Final

from classad.table import vectors
from classad.table.answers import requirements, sampling
from classad.table.expressions import plans
from classad.table.store import store

#: Modules, what each calls the size, and one that leads the other way.
SIZES: Final[tuple[tuple[ModuleType, str, int], ...]] = (
    (sampling, "MANY", 2),
    (requirements, "VARIED", 1),
    (plans, "_WHOLE", 1),
    (vectors, "_SEVERAL", 0),
    (store, "_FEW", 0),
)


@contextmanager
def few_are_many() -> Iterator[None]:
    """Let tables do for two rows, combinations or conjuncts what they do for very many only."""
    before = [getattr(module, name) for module, name, _ in SIZES]
    for module, name, size in SIZES:
        setattr(module, name, size)
    try:
        yield
    finally:
        for (module, name, _), size in zip(SIZES, before, strict=True):
            setattr(module, name, size)


__all__ = ["few_are_many"]
