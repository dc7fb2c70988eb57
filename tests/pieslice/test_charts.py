"""Charts as values: colours that stay, axes that fit."""

from __future__ import annotations

import itertools

import pytest

from pieslice.reports.charts import (
    COLOURS,
    COLOURS_ON_DARK,
    looks,
    marks_to,
    time_axis,
    wait_axis,
)

NAMES = [f"user{number}@campus.example" for number in range(30)]


def test_every_name_has_a_look_of_its_own() -> None:
    for count in (1, 8, 9, 30):
        found = looks(NAMES[:count])
        assert len(set(found.values())) == count
    assert {look.texture for look in looks(NAMES[:8]).values()} == {0}
    assert {look.texture for look in looks(NAMES).values()} == {0, 1, 2, 3}


def test_a_colour_does_not_depend_on_the_order_or_on_who_else_is_there() -> None:
    assert looks(NAMES) == looks(reversed(NAMES))
    alone = {name: looks([name])[name] for name in NAMES}
    pairs = [(a, b) for a, b in itertools.combinations(NAMES, 2) if alone[a] != alone[b]]
    assert len(pairs) > 300
    for a, b in pairs:
        assert looks([a, b]) == {a: alone[a], b: alone[b]}


#: Linear RGB as the colour-blind see it: G. Machado et al., IEEE TVCG 15 (2009), severity 1.
SEEN = {
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
               (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
               (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602),
               (0.004733, 0.691367, 0.303900)),
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
}  # fmt: skip


def linear(colour: str) -> list[float]:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def lab(rgb: list[float]) -> tuple[float, float, float]:
    """CIE L*a*b* of linear sRGB."""
    red, green, blue = (min(max(part, 0.0), 1.0) for part in rgb)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("eyes", SEEN)
@pytest.mark.parametrize("colours", [COLOURS, COLOURS_ON_DARK], ids=["light", "dark"])
def test_the_colour_blind_tell_the_colours_apart(colours: tuple[str, ...], eyes: str) -> None:
    seen = []
    for colour in colours:
        rgb = linear(colour)
        seen.append(lab([sum(a * b for a, b in zip(row, rgb, strict=True)) for row in SEEN[eyes]]))
    for (one, a), (two, b) in itertools.combinations(zip(colours, seen, strict=True), 2):
        distance = sum((p - q) ** 2 for p, q in zip(a, b, strict=True)) ** 0.5
        # 2.3 is just noticeable side by side.
        assert distance > 13, (one, two, distance)


@pytest.mark.parametrize(
    ("colours", "paper"),
    [(COLOURS, "#ffffff"), (COLOURS_ON_DARK, "#14171b")],
    ids=["light", "dark"],
)
def test_every_colour_stands_out_from_the_paper(colours: tuple[str, ...], paper: str) -> None:
    def luminance(colour: str) -> float:
        red, green, blue = linear(colour)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    for colour in colours:
        high, low = sorted((luminance(colour), luminance(paper)), reverse=True)
        assert (high + 0.05) / (low + 0.05) > 2.0, colour


@pytest.mark.parametrize(
    ("hours", "label", "marks"),
    [
        (1.5, "time (minutes)", ["0", "10", "20", "30", "40", "50", "60", "70", "80", "90"]),
        (6, "time (hours)", ["0", "1", "2", "3", "4", "5", "6"]),
        (12, "time (hours)", ["0", "2", "4", "6", "8", "10", "12"]),
        (72, "time (hours)", ["0", "12", "24", "36", "48", "60", "72"]),
        (168, "time (days)", ["0", "1", "2", "3", "4", "5", "6", "7"]),
        (24 * 60, "time (days)", ["0", "7", "14", "21", "28", "35", "42", "49", "56"]),
        (
            24 * 819,
            "time (days)",
            ["0", "91", "182", "273", "364", "455", "546", "637", "728", "819"],
        ),
        (24 * 820, "time (days)", ["0", "182", "364", "546", "728"]),
    ],
)
def test_time_is_in_the_unit_that_fits(hours: float, label: str, marks: list[str]) -> None:
    axis, factor = time_axis(hours)
    assert axis.label == label
    assert [name for _, name in axis.marks] == marks
    assert axis.last == pytest.approx(hours * factor)


def test_the_axis_of_waits_begins_where_the_jobs_do() -> None:
    axis = wait_axis(900, 50_000)
    assert 10**axis.first > 200
    assert [name for _, name in axis.marks] == ["10 min", "1 h", "6 h"]
    assert wait_axis(1, 1).last > wait_axis(1, 1).first


@pytest.mark.parametrize(
    ("most", "marks"),
    [
        (10, [0, 2.5, 5, 7.5, 10]),
        (192, [0, 50, 100, 150, 200]),
        (0, [0, 1]),
        (0.3, [0, 0.1, 0.2, 0.3]),
    ],
)
def test_marks(most: float, marks: list[float]) -> None:
    assert marks_to(most) == pytest.approx(marks)


def test_the_axis_of_any_time_has_few_marks() -> None:
    assert len(time_axis(1e308)[0].marks) <= 10
