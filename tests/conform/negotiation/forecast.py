"""Checks the recorded cases about priorities over time.

Decides how ``curves.json`` and ``fair_share.json`` are taken apart and with which settings each
series is computed again.

Inputs: parsed vector files.  Outputs: ``FORECAST_KINDS``.  Follows: the README beside the vectors:
numbers are compared to 1e-9 relative, or as the six decimals that the accountant's file keeps.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from math import isclose
from typing import Final

from pieslice.data import Content, JsonData
from pieslice.forecast.model import Demand, Settings, User, forecast
from tests.conform.runner import Case, Kind, Mismatch

_CURVES: Final = ("growth", "pulse_24h", "decay_from_10")
_DAY: Final = 86_400.0


def _curve_cases(content: Content) -> Iterable[Case] | None:
    if not isinstance(content, dict) or not set(_CURVES) <= set(content):
        return None
    return list(_curves(content))


def _curves(content: JsonData) -> Iterator[Case]:
    """One case for each series; each says by its name how it was made."""
    for about in _CURVES:
        for series, values in content[about].items():
            if series != "days":
                name = f"{about}-{series}"
                yield {"id": name, "about": about, "series": series, "priorities": values}
    values = content["decay_from_100_days_0_1_2"]
    yield {
        "id": "decay_from_100",
        "about": "decay_from_100",
        "series": "no_floor",
        "priorities": values,
    }


def _check_curve(case: Case) -> list[Mismatch]:
    about, series, wanted = case["about"], case["series"], case["priorities"]
    every = 24.0 if about.startswith("decay") else 1.0
    step = re.search(r"_dt([0-9]+)$", series)
    settings = Settings(
        100.0,
        step=float(step[1]) if step else every * 3600,
        floor=0.5 if series.startswith(("text", "stored", "floored")) else 0.0,
        rounded=series.startswith("stored"),
    )
    starts = about.removeprefix("decay_from_")
    start = float(starts) if starts.isdigit() else 0.0 if _starts_at_zero(series) else 0.5
    end = _DAY if about == "pulse_24h" else None
    demands = () if starts.isdigit() else (Demand(100.0, end=end),)
    hours = (len(wanted) - 1) * every
    points = forecast([User("A", demands, start)], settings, hours, every)
    return _differences("priorities", wanted, [point.real_priority for point in points])


def _starts_at_zero(series: str) -> bool:
    return "start0" in series or series.endswith("start_zero")


def _share_cases(content: Content) -> Iterable[Case] | None:
    ours = isinstance(content, dict) and {"hours", "fine", "checks"} <= set(content)
    return [{"id": "fair share", **content}] if ours else None


def _check_shares(case: Case) -> list[Mismatch]:
    users = [User("A", (Demand(100.0),)), User("B", (Demand(100.0, begin=2 * _DAY),))]
    settings = Settings(100.0, step=1.0, lag=1, rounded=False)
    count = len(case["hours"]["a_usage"])
    found: dict[str, list[float]] = {name: [] for name in case["hours"]}
    for point in forecast(users, settings, count - 1.0, 1.0):
        found[f"{point.name.lower()}_usage"].append(point.cores)
        found[f"{point.name.lower()}_rup"].append(point.real_priority)
    mismatches: list[Mismatch] = []
    for name, wanted in case["hours"].items():
        mismatches += _differences(name, wanted, found[name])
    moments = {row["second"]: row for row in case["fine"]}
    fine: dict[int, dict[str, float]] = {second: {} for second in moments}
    for point in forecast(users, settings, max(moments) / 3600, 1 / 3600):
        second = round(point.hour * 3600)
        if second in fine:
            name = point.name.lower()
            fine[second] |= {f"{name}_usage": point.cores, f"{name}_rup": point.real_priority}
    for second, row in moments.items():
        names = sorted(set(row) - {"second"})
        actual = [fine[second][name] for name in names]
        mismatches += _differences(f"second {second}", [row[name] for name in names], actual)
    return mismatches + _check_points(case["checks"], fine)


def _check_points(checks: dict[str, float], fine: dict[int, dict[str, float]]) -> list[Mismatch]:
    before, first = fine[172_800], fine[172_801]
    actual = {
        "a_rup_at_48h": before["a_rup"],
        "ratio_at_48h": before["a_rup"] / before["b_rup"],
        "a_share_first_second": first["a_usage"],
        "b_share_first_second": first["b_usage"],
    }
    names = sorted({*checks, *actual})
    return _differences("checks", [checks[n] for n in names], [actual[n] for n in names])


def _differences(name: str, wanted: list[float], actual: list[float]) -> list[Mismatch]:
    if len(wanted) == len(actual) and all(
        isclose(a, b, rel_tol=1e-9, abs_tol=0.0) for a, b in zip(wanted, actual, strict=True)
    ):
        return []
    return [Mismatch(name, wanted, actual)]


FORECAST_KINDS: Final = (
    Kind(
        "priorities over time",
        lambda case: "series" in case and "priorities" in case,
        _check_curve,
        frozenset(("id", "about", "series", "priorities")),
        _curve_cases,
    ),
    Kind(
        "fair share over time",
        lambda case: "hours" in case and "fine" in case,
        _check_shares,
        frozenset(("id", "about", "hours", "fine", "checks")),
        _share_cases,
    ),
)
