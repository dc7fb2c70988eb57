"""Keeps what is read of a configuration only when somebody asks for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Generic, TypeVar

T = TypeVar("T")


class Lazily(Generic[T]):
    """A value that is made when somebody asks for it: a cycle does not."""

    def __init__(self, make: Callable[[], T]) -> None:
        """``make``: what makes it."""
        self._make = make

    @cached_property
    def value(self) -> T:
        """The value."""
        return self._make()

    def __getstate__(self) -> dict[str, object]:
        """Pickled as the value alone."""
        return {"value": self.value}
