"""Parts of a forecast by themselves: spins of the pie, demands from moment to moment, what options
and saved states say.

``test_forecast.py`` has the manual's curves and the command.
"""

from __future__ import annotations

import argparse
import operator
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from attr import astuple, evolve

from negotiator.io import InputError
from pieslice.forecast.command import _followed, _model, _pair, _slots, _user, _user_of
from pieslice.forecast.model import Demand, Settings, User, divide, forecast
from pieslice.priorities.rows import Row
from policy.load import policy_from_knobs
from tests.cases import every_case


def model(args: argparse.Namespace, diagnostics: list[Any]) -> tuple[list[User], Settings]:
    return _model(args, _followed(args), diagnostics)


@pytest.mark.parametrize(
    ("pool", "wanted", "priorities", "given"),
    [
        (12.0, [2.0, 5.0, 100.0], [1.0, 1.0, 1.0], [2.0, 5.0, 5.0]),
        # In the second spin there is 1 for each of two, one of whom needs only half of it.
        (12.0, [2.0, 4.5, 100.0], [1.0, 1.0, 1.0], [2.0, 4.5, 5.5]),
        (12.0, [100.0, 100.0], [1.0, 3.0], [9.0, 3.0]),
        (12.0, [0.0, 100.0], [1.0, 3.0], [0.0, 12.0]),
        (0.5, [1.0, 1.0], [2.0, 2.0], [0.25, 0.25]),
        (0.0, [1.0], [1.0], [0.0]),
        (10.0, [], [], []),
        # A priority of 0 counts as the best there is.
        (10.0, [6.0, 6.0], [0.0, 1.0], [6.0, 4.0]),
        (10.0, [8.0, 8.0], [0.0, 0.0], [5.0, 5.0]),
    ],
)
def test_spins_of_the_pie(
    pool: float, wanted: list[float], priorities: list[float], given: list[float]
) -> None:
    assert divide(pool, wanted, priorities) == pytest.approx(given, rel=1e-9)


@pytest.mark.parametrize(
    ("pool", "wanted", "floors", "given"),
    [
        (12.0, [100.0, 100.0], [0.0, 6.0], [6.0, 6.0]),
        # No more than is wanted, and no more than there is.
        (12.0, [100.0, 4.0], [0.0, 6.0], [8.0, 4.0]),
        (5.0, [100.0, 100.0], [0.0, 6.0], [0.0, 5.0]),
        # A floor below the share changes nothing.
        (12.0, [100.0, 100.0], [9.0, 3.0], [9.0, 3.0]),
        (12.0, [100.0, 100.0, 100.0], [0.0, 4.0, 4.0], [4.0, 4.0, 4.0]),
    ],
)
def test_nobody_gets_less_than_its_floor(
    pool: float, wanted: list[float], floors: list[float], given: list[float]
) -> None:
    priorities = [1.0, 3.0, 3.0][: len(wanted)]
    assert divide(pool, wanted, priorities, floors) == pytest.approx(given)


# --- groups ---------------------------------------------------------------------------------------


def of_groups(users: list[User], **config: str) -> dict[str, float]:
    """What users have of 100 cores after an hour, when all have the same priority."""
    settings = Settings(100.0, step=3600.0, policy=policy_from_knobs(config).policy)
    points = list(forecast(users, settings, 1.0, 1.0))
    return {point.name: round(point.cores, 6) for point in points[len(users) :]}


def wanting(**cores: float) -> list[User]:
    return [User(f"{name.replace('_', '.')}@x", (Demand(n),)) for name, n in cores.items()]


TWO = {"GROUP_NAMES": "a, b", "GROUP_QUOTA_a": "30", "GROUP_QUOTA_DYNAMIC_b": "0.5"}


def test_a_group_has_its_quota_and_its_users_divide_it() -> None:
    users = wanting(a_ann=90.0, a_art=90.0, b_bob=90.0, cid=90.0)
    # b has half of what the static quota leaves, and users of no group the other half.
    assert of_groups(users, **TWO) == {
        "a.ann@x": 15.0, "a.art@x": 15.0, "b.bob@x": 35.0, "cid@x": 35.0,
    }  # fmt: skip


def test_what_a_group_leaves_goes_to_groups_that_accept_surplus() -> None:
    users = wanting(a_ann=10.0, b_bob=90.0)
    assert of_groups(users, **TWO) == {"a.ann@x": 10.0, "b.bob@x": 35.0}
    more = of_groups(users, **TWO, GROUP_ACCEPT_SURPLUS_b="True")
    assert more == {"a.ann@x": 10.0, "b.bob@x": 90.0}


def test_users_of_groups_that_are_regrouped_divide_what_is_left() -> None:
    users = wanting(a_ann=90.0, b_bob=90.0)
    found = of_groups(users, **TWO, GROUP_AUTOREGROUP_a="True")
    assert found == {"a.ann@x": 65.0, "b.bob@x": 35.0}


def test_quotas_that_come_to_more_than_the_pool_give_out_no_more_than_the_pool() -> None:
    quotas = {"GROUP_NAMES": "a, b", "GROUP_QUOTA_a": "150", "GROUP_QUOTA_b": "50"}
    users = wanting(a_ann=500.0, b_bob=500.0)
    for allowed in ("True", "False"):
        found = of_groups(users, **quotas, NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION=allowed)
        assert found == {"a.ann@x": 75.0, "b.bob@x": 25.0}


def test_at_the_start_users_have_what_they_use() -> None:
    points = list(forecast([User("a", (Demand(8.0),), held=3.0)], Settings(10.0), 1.0, 1.0))
    assert [point.cores for point in points] == [3.0, 8.0]


def test_what_is_wanted_changes_at_its_moments() -> None:
    """A step has the cores that are wanted when it begins."""
    users = [
        User("a", (Demand(5.0, 3600.0, 7200.0), Demand(1.0, 10_800.0))),
        User("b", (Demand(2.0, end=7200.0),)),
    ]
    settings = Settings(10.0, step=3600.0)
    found: dict[str, list[float]] = {"a": [], "b": []}
    for point in forecast(users, settings, 5.0, 1.0):
        found[point.name].append(point.cores)
    assert found == {"a": [0.0, 0.0, 5.0, 0.0, 1.0, 1.0], "b": [0.0, 2.0, 2.0, 0.0, 0.0, 0.0]}


def test_priorities_go_half_of_the_way_in_a_half_life() -> None:
    users = [User("a", (Demand(8.0),), 4.0, factor=10.0), User("b", (), 4.0)]
    points = list(forecast(users, Settings(10.0, half_life=3600.0, step=3600.0), 3.0, 1.0))
    assert [point.real_priority for point in points] == [4.0, 4.0, 6.0, 2.0, 7.0, 1.0, 7.5, 0.5]
    assert [point.effective_priority for point in points[::2]] == [40.0, 60.0, 70.0, 75.0]
    assert [point.hour for point in points[::2]] == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("lag", "priorities"),
    [(0, [6.0, 7.0, 7.5]), (1, [2.0, 5.0, 6.5]), (2, [2.0, 1.0, 4.5])],
)
def test_what_is_got_is_charged_later(lag: int, priorities: list[float]) -> None:
    settings = Settings(10.0, half_life=3600.0, step=3600.0, lag=lag)
    points = list(forecast([User("a", (Demand(8.0),), 4.0)], settings, 3.0, 1.0))
    assert [point.real_priority for point in points[1:]] == priorities


def test_priorities_have_a_floor_and_six_decimals() -> None:
    user = User("a", (), 1.0)
    for floor, found in ((0.5, [1.0, 0.5, 0.5]), (0.0, [1.0, 0.333333, 0.111111])):
        third = 3600.0 * 0.6309297535714574  # ln 2 / ln 3 of an hour
        settings = Settings(10.0, half_life=third, step=3600.0, floor=floor)
        assert [it.real_priority for it in forecast([user], settings, 2.0, 1.0)] == found
    exact = Settings(10.0, half_life=third, step=3600.0, floor=0.0, rounded=False)
    *_, last = forecast([user], exact, 2.0, 1.0)
    assert last.real_priority == pytest.approx(1 / 9, rel=1e-12)
    assert last.real_priority != 0.111111
    begun = list(forecast([User("a", (), 0.1)], Settings(1.0, floor=2.0), 0.0, 1.0))
    assert [point.real_priority for point in begun] == [2.0]


@pytest.mark.parametrize(
    ("every", "hours"),
    [(0.001, [0.0, 0.1, 0.2, 0.3]), (0.1, [0.0, 0.1, 0.2, 0.3]), (0.16, [0.0, 0.2]),
     (0.3, [0.0, 0.3]), (0.4, [0.0])],
)  # fmt: skip
def test_the_moments_that_are_told(every: float, hours: list[float]) -> None:
    """The nearest whole number of steps apart, at least one."""
    points = forecast([User("a")], Settings(10.0, step=360.0), 0.3, every)
    assert [point.hour for point in points] == pytest.approx(hours)


def test_the_pool_is_divided_only_when_it_is_too_small() -> None:
    users = [User("a", (Demand(6.0),), 1.0), User("b", (Demand(4.0),), 9.0, factor=2.0)]
    for pool, cores in ((10.0, [6.0, 4.0]), (8.0, [6.0, 2.0]), (3.8, [3.6, 0.2])):
        points = list(forecast(users, Settings(pool, step=1.0), 1 / 3600, 1 / 3600))
        assert [point.cores for point in points[2:]] == pytest.approx(cores)


# --- options --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name", "demand"),
    [
        ("a=3", "a", Demand(3.0, 0.0, None)),
        ("a=b=2.5@1.5h", "a=b", Demand(2.5, 5400.0, None)),
        ("a=0@0h-24h", "a", Demand(0.0, 0.0, 86_400.0)),
        ("a=7.@2h-3.5h", "a", Demand(7.0, 7200.0, 12_600.0)),
    ],
)
def test_users_that_are_given(text: str, name: str, demand: Demand) -> None:
    assert _user(text) == (name, demand)


@pytest.mark.parametrize("text", ["a", "=3", "a=", "a=x", "a=3@1", "a=3@1h-", "a=-3", "a=.5"])
def test_users_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="is not NAME=CORES"):
        _user(text)


def test_numbers_of_users() -> None:
    assert _pair("a=b=2.5", "prio") == ("a=b", 2.5)
    for text in ("a", "a=", "a=-1", "a=1e3"):
        with pytest.raises(ValueError, match=r"--prio: `.*` is not NAME=NUMBER"):
            _pair(text, "prio")


@pytest.mark.parametrize(
    ("row", "wanted", "demand", "priority", "factor"),
    [
        ({"in_use": 4.0, "priority": 30.0, "factor": 10.0}, None, 4.0, 3.0, 10.0),
        ({"in_use": 4.0, "priority": 30.0, "factor": 10.0}, 9.0, 9.0, 3.0, 10.0),
        ({"in_use": 4.0}, 0.0, 0.0, 0.5, 1.0),
        ({"factor": 2.0}, None, 0.0, 0.5, 2.0),
    ],
)
def test_a_user_of_a_saved_state(
    row: Any, wanted: float | None, demand: float, priority: float, factor: float
) -> None:
    found = _user_of(Row("a@x", "<none>", False, **row), wanted)
    assert found == User("a@x", (Demand(demand),), priority, factor, row.get("in_use", 0.0))


def test_a_user_of_a_saved_state_has_its_floor_and_ceiling() -> None:
    found = _user_of(Row("a@x", "<none>", False, floor=3.0, ceiling=7.0), 20.0)
    assert (found.least, found.most, found.demand(0)) == (3.0, 7.0, 7.0)


def asked(**given: Any) -> argparse.Namespace:
    usual: dict[str, Any] = {
        "source": None, "config": None, "pool": None, "half_life": None, "user": [], "start": None,
        "prio": [], "factor": [], "step": 60.0, "floor": 0.5, "lag": 0, "exact": False,
        "condor_version": None,
    }  # fmt: skip
    return argparse.Namespace(**{**usual, **given})


def state(folder: Path, **parts: list[str]) -> Path:
    for name, ads in parts.items():
        (folder / f"{name}.ads").write_text("\n\n".join(ads) + "\n")
    return folder


def test_who_counts_of_a_saved_state(tmp_path: Path) -> None:
    """Who has cores, asks for some, or has a real priority above the least."""
    accounting = [
        f'Name = "{name}@x"\nPriorityFactor = 1.0\nPriority = {priority}\nResourcesUsed = {used}'
        for name, priority, used in (
            ("idle", 0.5, 0), ("had", 0.51, 0), ("has", 0.5, 2), ("asks", 0.5, 0), ("not", 0.5, 0),
        )
    ]  # fmt: skip
    accounting.append('Name = "none@x"')
    submitters = ['Name = "asks@x"\nIdleJobs = 3', 'Name = "not@x"\nIdleJobs = 0']
    folder = state(tmp_path, accounting=accounting, submitters=submitters)
    for root, noted in ((False, False), (True, False)):
        if root:
            ad = 'Name = "<none>"\nIsAccountingGroup = true\nResourcesUsed = 9'
            state(tmp_path, accounting=[*accounting, ad])
        diagnostics: list[Any] = []
        users, settings = model(asked(source=folder), diagnostics)
        assert [(user.name, user.demand(0)) for user in users] == [
            ("had@x", 0.0), ("has@x", 2.0), ("asks@x", 3.0),
        ]  # fmt: skip
        # Without slots the pool is what users have, groups left out.
        assert settings == Settings(2.0)
        assert bool(diagnostics) is noted
    group = 'Name = "g"\nIsAccountingGroup = true\nResourcesUsed = 9'
    state(tmp_path, accounting=[*accounting, group])
    diagnostics = []
    _, settings = model(asked(source=folder), diagnostics)
    assert [it.severity for it in diagnostics] == ["note"]
    assert settings.pool == 2.0
    assert _slots(folder) == (0.0, None)
    state(tmp_path, slots=['Name = "s"\nSlotWeight = 1.5', 'Name = "t"'])
    assert _slots(folder) == (2.5, {})
    assert model(asked(source=folder), [])[1].pool == 2.5
    assert model(asked(source=folder, pool=7.0), [])[1].pool == 7.0


def test_settings_of_the_options() -> None:
    given = asked(user=["a=3", "b=8", "a=4@1h"], step=5.0, floor=0.0, lag=3, exact=True)
    users, settings = model(given, [])
    assert settings == Settings(8.0, 86_400.0, 5.0, 0.0, 3, rounded=False)
    assert users == [
        User("a", (Demand(3.0), Demand(4.0, 3600.0))), User("b", (Demand(8.0),)),
    ]  # fmt: skip
    given = asked(
        user=["a=3", "b=8"], start=0.0, prio=["b=5"], factor=["a=2"], pool=1.0, half_life=9.0
    )
    users, settings = model(given, [])
    assert settings == Settings(1.0, 9.0)
    assert users == [User("a", (Demand(3.0),), 0.0, 2.0), User("b", (Demand(8.0),), 5.0, 1.0)]
    for option in ("prio", "factor"):
        with pytest.raises(ValueError, match=f"--{option}: there is no user `c`"):
            model(asked(user=["a=3"], **{option: ["c=1"]}), [])


def test_the_half_life_of_a_configuration(tmp_path: Path) -> None:
    """That of the options goes before it; a state's own is read where there is one."""
    config = tmp_path / "mine"
    config.write_text("PRIORITY_HALFLIFE = 60\n")
    folder = state(tmp_path, accounting=['Name = "a@x"\nPriority = 9.0\nPriorityFactor = 1.0'])
    users = ["a@x=1"]
    for given, seconds in (
        ({}, 86_400.0),
        ({"config": config}, 60.0),
        ({"config": config, "half_life": 5.0}, 5.0),
        ({"source": folder}, 86_400.0),
        ({"source": folder, "config": config}, 60.0),
    ):
        assert model(asked(user=users, **given), [])[1].half_life == seconds
    (tmp_path / "condor_config").write_text("PRIORITY_HALFLIFE = 70\n")
    assert model(asked(user=users, source=folder), [])[1].half_life == 70.0
    assert model(asked(user=users, source=folder / "accounting.ads"), [])[1].half_life == 86_400.0
    config.write_text("if\n")
    with pytest.raises(InputError):
        model(asked(user=users, config=config), [])


# --- drawn forecasts, integrated by another way ---------------------------------------------------


def poured(pool: float, wanted: list[float], priorities: list[float]) -> list[float]:
    """What everybody gets: the level at which the wishes, cut at it by priority, fill the pool."""
    if sum(wanted) <= pool:
        return wanted
    low, high = 0.0, max(map(operator.mul, wanted, priorities))
    for _ in range(200):
        level = (low + high) / 2
        full = sum(min(w, level / p) for w, p in zip(wanted, priorities, strict=True)) > pool
        low, high = (low, level) if full else (level, high)
    return [min(w, low / p) for w, p in zip(wanted, priorities, strict=True)]


def integrated(
    users: list[User], settings: Settings, hours: float, every: float
) -> Iterator[tuple[float, str, float, float, float]]:
    """The points of a forecast, each step by itself."""
    names = [user.name for user in users]
    real = {user.name: max(user.real_priority, settings.floor) for user in users}
    had: list[dict[str, float]] = [dict.fromkeys(names, 0.0)] * (settings.lag + 1)
    left = 2.0 ** (-settings.step / settings.half_life)
    between = max(round(every * 3600 / settings.step), 1)
    for tick in range(int(hours * 3600 / settings.step + 1e-9) + 1):
        if tick % between == 0:
            for user in users:
                before = real[user.name]
                yield (
                    tick * settings.step / 3600, user.name, before, before * user.factor,
                    had[-1][user.name],
                )  # fmt: skip
        moment = tick * settings.step
        wanted = [
            sum(
                wish.cores
                for wish in user.demands
                if wish.begin <= moment and (wish.end is None or moment < wish.end)
            )
            for user in users
        ]
        effective = [real[user.name] * user.factor for user in users]
        had.append(dict(zip(names, poured(settings.pool, wanted, effective), strict=True)))
        charged = had[-1 - settings.lag]
        for name in names:
            aged = real[name] * left + charged[name] * (1 - left)
            real[name] = max(settings.floor, aged)


def drawn_forecast(random: Random) -> tuple[list[User], Settings, float, float]:
    """Users with wishes that begin and end, and the settings of a forecast."""
    users = []
    for number in range(random.randrange(1, 5)):
        wishes = []
        for _ in range(random.randrange(3)):
            begin = random.choice((0.0, 600.0, 1800.0, 3600.0, 5400.0))
            end = random.choice((None, begin + 1200.0, begin + 3600.0))
            wishes.append(Demand(random.choice((0.0, 1.0, 7.5, 40.0)), begin, end))
        priority, factor = random.choice((0.1, 0.5, 3.0, 80.0)), random.choice((1.0, 2.5, 1000.0))
        users.append(User(f"u{number}", tuple(wishes), priority, factor))
    settings = Settings(
        random.choice((2.0, 10.0, 35.5)),
        half_life=random.choice((900.0, 7200.0, 86_400.0)),
        step=random.choice((60.0, 300.0, 600.0, 700.0)),
        floor=random.choice((0.5, 0.5, 2.0)),
        lag=random.choice((0, 0, 1, 3)),
        rounded=False,
    )
    return users, settings, random.choice((0.5, 2.0, 3.0)), random.choice((0.1, 0.25, 1.0))


@every_case("seed", range(60))
def test_a_drawn_forecast_is_what_integration_comes_to(seed: int) -> None:
    users, settings, hours, every = drawn_forecast(Random(seed))
    found = [astuple(point) for point in forecast(users, settings, hours, every)]
    expected = list(integrated(users, settings, hours, every))
    assert [point[:2] for point in found] == [point[:2] for point in expected]
    for mine, other in zip(found, expected, strict=True):
        assert mine[2:] == pytest.approx(other[2:], rel=1e-6, abs=1e-7)
    rounded = forecast(users, evolve(settings, rounded=True), hours, every)
    for point, exact in zip(rounded, found, strict=True):
        assert point.real_priority == round(point.real_priority, 6)
        assert point.real_priority == pytest.approx(exact[2], rel=1e-3)
