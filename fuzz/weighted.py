"""Draws expressions with more of some families of functions, and of what a local zone changes.

Decides how often a wanted family is drawn, and which instants, texts and formats tell zones apart.
The library's own generator (``classad.strategies.texts``) draws every function equally often,
and knows no zone; the comparison by the million needs both at times.

Inputs: ``below``, the families.  Outputs: text in new syntax.
"""

from __future__ import annotations

from typing import Final

from classad.evaluation.functions import ZONE, load
from classad.strategies.texts import Below, CallShape, Inventor

#: A function of a wanted family is drawn so many times as often as any other.
TIMES: Final = 8
#: ``formatTime`` takes these, alone and side by side.
_FORMATS: Final = (
    "%Y-%m-%d %H:%M:%S", "%c", "%x %X", "%a %A", "%b %B", "%j", "%U %W %w", "%y", "%p %I", "%Z",
    "%%", "%e %k", "%s", "%z", "%D %T", "%G-W%V", "%n%t", "%C",
)  # fmt: skip
_YEARS: Final = (1970, 1950, 1999, 2000, 2020, 2024, 2037, 2038, 2100, 1901)
_OFFSETS: Final = ("", "", "", "Z", "+01:00", "-0330", "+1400")


class Weighted(Inventor):
    """An inventor that prefers some families (the names of modules in ``classad/builtins``)."""

    def __init__(self, below: Below, families: frozenset[str]) -> None:
        super().__init__(below)
        declared = load()
        wanted = [
            shape for shape in self.functions if declared[shape.name.lower()].family in families
        ]
        self.functions = (*self.functions, *wanted * (TIMES - 1))
        self.zoned = any(ZONE in declared[shape.name.lower()].reads for shape in wanted)
        # Without arguments, but the same for as long as the zone keeps its rules.
        self.functions += tuple(
            CallShape(one.name, 0, 0, (), ())
            for one in declared.values()
            if one.name == "timezoneOffset" and self.zoned
        )

    def leaf(self, kind: str, before: int) -> str:
        """As any inventor's, but half of the instants and formats are of those above."""
        if not self.zoned or not self.below(2):
            return super().leaf(kind, before)
        match kind:
            case "integer":
                return str(self._instant())
            case "time":
                return self._time()
            case "string":
                return f'"{self.pick(_FORMATS)} {self.pick(_FORMATS)}"'
        return super().leaf(kind, before)

    def _instant(self) -> int:
        """Seconds since 1970: most within the years of today, some around the 32nd bit."""
        if self.below(8):
            return 100_000_000 + self.below(2_400_000_000)
        return self.below(2**33) - 2**32

    def _time(self) -> str:
        if self.below(2):
            return f"absTime({self._instant()})"
        date = f"{self.pick(_YEARS)}-{1 + self.below(12):02}-{1 + self.below(28):02}"
        clock = f"{self.below(24):02}:{self.below(60):02}:{self.below(60):02}"
        return f'absTime("{date}T{clock}{self.pick(_OFFSETS)}")'
