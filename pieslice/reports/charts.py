"""Describes charts as values, for the picture in a file and for the one in a page.

Decides the colours of users, the marks of the axes and the unit of time.  The colour of a name
comes from the name: it is the same in every panel, page and file, unless another name of the same
run has it already.  Eight colours that the colour-blind can tell apart, then the same with a
texture.

Inputs: names, numbers.  Outputs: ``Look``, ``Axis``, ``Panel`` and ``Chart`` values.  Follows: the
palette of M. Okabe and K. Ito, Color Universal Design, with violet and grey in place of yellow and
black, which do not show on white or on dark paper.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias
from zlib import crc32

from attr import frozen

#: On white paper, and on dark.
COLOURS: Final = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8E44EC", "#3C3C40",
)  # fmt: skip
COLOURS_ON_DARK: Final = (
    "#3088D0", "#E69F00", "#16B287", "#DB8FBA", "#7CC7F2", "#EE7B30", "#9A5BFF", "#E4E4E8",
)  # fmt: skip
#: What stands for no name: the rest of the users, and nobody.
_GREY: Final = "#BDBDBD"
_NOBODY: Final = "#EDEDED"
#: Textures repeat after so many.
TEXTURES: Final = 4
#: Steps between marks that people count in, in each unit of time.
_STEPS: Final = {
    "minutes": (5, 10, 15, 30, 60),
    "hours": (1, 2, 3, 6, 12, 24),
    "days": (1, 2, 7, 14, 28, 91),
}
#: How many of a unit an hour has, and up to how many hours it is used.
_UNITS: Final = (("minutes", 60.0, 2.0), ("hours", 1.0, 72.0), ("days", 1 / 24, math.inf))
_MARKS: Final = 9
#: Seconds -> what people call them.
_WAITS: Final = {
    1: "1 s", 10: "10 s", 60: "1 min", 600: "10 min", 3600: "1 h", 6 * 3600: "6 h",
    86_400: "1 d", 7 * 86_400: "7 d", 28 * 86_400: "28 d",
}  # fmt: skip

Kind: TypeAlias = Literal["area", "step", "line", "bars"]


@frozen
class Look:
    """How a name is drawn: the place of its colour, -1 and -2 for no name, and its texture."""

    place: int
    texture: int = 0

    @property
    def colour(self) -> str:
        """The colour on white paper."""
        return {-1: _GREY, -2: _NOBODY}.get(self.place) or COLOURS[self.place]


OTHERS: Final = Look(-1)
UNUSED: Final = Look(-2, 1)


@frozen
class Series:
    """A name with its numbers: where, and how many."""

    name: str
    look: Look
    x: tuple[float, ...]
    y: tuple[float, ...]


@frozen
class Limit:
    """A line that something should not exceed, named beside the panel."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]


@frozen
class Bar:
    """A stretch of a row; ``thin`` if it came to nothing."""

    row: int
    series: int
    begin: float
    end: float
    thin: bool


@frozen
class Panel:
    """Numbers over one axis.  Areas are stacked and share their x; bars stand in ``rows``."""

    title: str
    label: str
    kind: Kind
    series: tuple[Series, ...]
    limits: tuple[Limit, ...] = ()
    top: float = 1.0
    rows: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()


@frozen
class Axis:
    """The horizontal axis, in its unit (``wait``: logarithm of seconds), with its marks."""

    label: str
    unit: str
    first: float
    last: float
    marks: tuple[tuple[float, str], ...]


@frozen
class Chart:
    """Panels above each other with one horizontal axis; ``note`` says what to see."""

    name: str
    title: str
    note: str
    axis: Axis
    panels: tuple[Panel, ...]

    @property
    def legend(self) -> tuple[tuple[str, Look], ...]:
        """The names of all panels, each once."""
        found = {s.name: s.look for panel in self.panels for s in panel.series}
        return tuple(found.items())


def looks(names: Iterable[str]) -> dict[str, Look]:
    """The look of each name."""
    found: dict[str, Look] = {}
    taken: set[int] = set()
    for number, name in enumerate(sorted(set(names))):
        if number % len(COLOURS) == 0:
            taken.clear()
        place = crc32(name.encode("utf-8", "surrogatepass")) % len(COLOURS)
        while place in taken:
            place = (place + 1) % len(COLOURS)
        taken.add(place)
        found[name] = Look(place, number // len(COLOURS))
    return found


def time_axis(hours: float) -> tuple[Axis, float]:
    """The axis of a run, in minutes, hours or days, and how many of them an hour has."""
    unit, factor = next((unit, factor) for unit, factor, most in _UNITS if hours <= most)
    last = hours * factor
    steps = _STEPS[unit]
    far = steps[-1] * max(1, math.ceil(last / steps[-1] / _MARKS))
    step = next((step for step in steps if last / step <= _MARKS), far)
    marks = tuple((float(mark), str(mark)) for mark in range(0, int(last + 1e-9) + 1, step))
    return Axis(f"time ({unit})", unit, 0.0, last, marks), factor


def wait_axis(shortest: float, longest: float) -> Axis:
    """A logarithmic axis from the shortest wait of more than a second to the longest."""
    first, last = math.log10(max(shortest, 1.0)), math.log10(max(longest, 10.0))
    first = min(math.floor(2 * first) / 2, last - 0.5)
    marks = [(math.log10(seconds), name) for seconds, name in _WAITS.items()]
    shown = tuple((place, name) for place, name in marks if first <= place <= last)
    return Axis("wait until the first start", "wait", first, last, shown)


def marks_to(most: float) -> list[float]:
    """Marks from 0 to at least ``most``, four or five of them."""
    if most <= 0 or not math.isfinite(most):
        return [0.0, 1.0]
    rough = most / 4
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * size for size in (1, 2, 2.5, 5, 10) if unit * size >= rough * 0.999)
    return [step * number for number in range(math.ceil(most / step * 0.999) + 1)]
