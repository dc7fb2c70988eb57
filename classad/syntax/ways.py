"""Numbers the ways of reading a text, as csrc/kernels.h does; the parser is told a sum of them."""

from __future__ import annotations

from typing import Final

#: Strings are in old syntax.
OLD: Final = 1
#: Integers and argument lists are as in strict semantics.
STRICT: Final = 2
#: Text behind a complete expression is ignored.
PREFIX: Final = 4
#: Text behind a conditional is refused, as it is behind every other expression.
WHOLE: Final = 16
