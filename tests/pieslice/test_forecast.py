"""``pieslice forecast``: the manual's curves, the division of the pie, sources and output."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pieslice.cli import main
from pieslice.forecast.model import Demand, Settings, User, divide, forecast
from tests.conform.negotiation.forecast import FORECAST_KINDS

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests" / "vectors" / "accounting"
CAMPUS = str(ROOT / "examples" / "campus")


def cases() -> list[Any]:
    found = []
    for name in ("curves", "fair_share"):
        content = json.loads((VECTORS / f"{name}.json").read_text())
        for kind in FORECAST_KINDS:
            assert kind.cases is not None
            for case in kind.cases(content) or ():
                found.append(pytest.param(kind, case, id=case["id"]))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "case"), cases())
def test_recorded_curves(kind: Any, case: Any) -> None:
    assert kind.recognises(case)
    assert set(case) <= kind.fields
    assert kind.check(case) == []


def test_a_wrong_curve_is_told() -> None:
    kind, case = cases()[0].values
    wrong = {**case, "priorities": [*case["priorities"][:-1], 1.0]}
    assert [found.field for found in kind.check(wrong)] == ["priorities"]


def recorded(file: str, *names: str) -> list[float]:
    found = json.loads((VECTORS / f"{file}.json").read_text())
    for name in names:
        found = found[name]
    return list(found)


def test_the_size_of_a_pool_is_what_its_slots_cost(tmp_path: Path, capsys: Any) -> None:
    """As in a cycle: a Boolean weight is a number, none or one below 0 counts one."""
    weights = ("SlotWeight = 3", "SlotWeight = false", "SlotWeight = -2", "Cpus = 9")
    slots = [f'MyType = "Machine"\nName = "s{n}"\n{text}\n' for n, text in enumerate(weights)]
    (tmp_path / "slots.ads").write_text("\n".join(slots))
    (tmp_path / "submitters.ads").write_text('MyType = "Submitter"\nName = "a@p"\nIdleJobs = 50\n')
    (tmp_path / "userprio.ads").write_text('Name = "a@p"\nPriority = 1.0\nPriorityFactor = 1.0\n')
    assert main(["forecast", str(tmp_path), "--hours", "4", "--json"]) == 0
    points = json.loads(capsys.readouterr().out)["points"]
    assert points[-1]["cores"] == pytest.approx(3 + 0 + 1 + 1)


def test_a_state_without_users(tmp_path: Path, capsys: Any) -> None:
    state = tmp_path / "userprio.ads"
    state.write_text("")
    assert main(["forecast", str(state)]) == 2
    assert capsys.readouterr().err == (
        f"error: {state}: no user has a demand, usage or a priority; add some"
        " with --user NAME=CORES\n"
    )
    assert main(["forecast", str(state), "--user", "a=10"]) == 0


FROM_ZERO = ["--start", "0", "--floor", "0"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["--user", "A=100", *FROM_ZERO], [("curves", "growth", "plot_start0_dt1")]),
        (["--user", "A=100@0h-24h", *FROM_ZERO], [("curves", "pulse_24h", "plot_start0_dt1")]),
        (
            ["--user", "A=100@0h", "--user", "B=100@48h", "--lag", "1"],
            [("fair_share", "hours", "a_rup"), ("fair_share", "hours", "b_rup")],
        ),
    ],
)
def test_the_graphs_of_the_manual_are_documented_commands(
    capsys: pytest.CaptureFixture[str], words: list[str], wanted: list[tuple[str, ...]]
) -> None:
    command = f"pieslice forecast {' '.join(words[:2])} "
    assert command in (ROOT / "docs" / "accounting.md").read_text()
    options = ["--pool", "100", "--step", "1", "--exact", "--hours", "99", "--every", "1", "--csv"]
    assert main(["forecast", *words, *options]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    for name, place in zip("AB", wanted, strict=False):
        shown = [float(row["real_priority"]) for row in rows if row["name"] == name]
        assert shown == pytest.approx(recorded(*place), rel=1e-9, abs=1e-9)


def test_the_half_life_is_that_of_the_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half of the way to the usage in an hour; in a day where nothing is said."""
    config = tmp_path / "condor_config"
    config.write_text("PRIORITY_HALFLIFE = 3600\n")
    command = ["forecast", "--user", "a=10", "--hours", "1", "--every", "1", "--csv"]
    found = []
    for more in ([], ["--config", str(config)], ["--config", str(config), "--half-life", "86400"]):
        assert main([*command, *more]) == 0
        *_, last = csv.DictReader(io.StringIO(capsys.readouterr().out))
        found.append(round(float(last["real_priority"]), 2))
    assert found == [0.77, 5.25, 0.77]


amounts = st.lists(st.floats(0, 1000), min_size=1, max_size=6)


@given(st.floats(0.5, 1000), amounts, st.data())
def test_the_pie_is_given_away_and_nobody_gets_more_than_it_wants(
    pool: float, wanted: list[float], data: Any
) -> None:
    size = len(wanted)
    priorities = data.draw(st.lists(st.floats(0.5, 1e10), min_size=size, max_size=size))
    given_away = divide(pool, wanted, priorities)
    assert sum(given_away) == pytest.approx(min(pool, sum(wanted)), rel=1e-6, abs=1e-6)
    # What is taken in several spins adds up to the want but for the last bit.
    assert all(0 <= got <= want * (1 + 1e-12) for got, want in zip(given_away, wanted, strict=True))
    hungry = [i for i in range(size) if given_away[i] < wanted[i] * (1 - 1e-9)]
    for i in hungry:
        for j in hungry:
            # among those who want more, shares are inverse to priorities
            left, right = given_away[i] * priorities[i], given_away[j] * priorities[j]
            assert left == pytest.approx(right, rel=1e-5, abs=1e-5)


def test_in_the_long_run_shares_are_inverse_to_factors_and_priorities_equal_usage() -> None:
    users = [User(name, (Demand(1000.0),), factor=f) for name, f in (("a", 1.0), ("b", 4.0))]
    *_, a, b = forecast(users, Settings(300.0, half_life=3600.0), 20.0, 1.0)
    # usage u with u_a / u_b = (4 u_b) / (1 u_a), hence 2 : 1
    assert a.cores / b.cores == pytest.approx(2.0, rel=1e-3)
    assert a.real_priority == pytest.approx(a.cores, rel=1e-3)
    assert b.effective_priority == pytest.approx(4 * b.real_priority)


def test_demands_of_a_user_add_up_and_replace_the_state(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["--user", "A=3", "--user", "A=4@1h-2h", "--pool", "100", "--hours", "3"]
    assert main(["forecast", *words, "--every", "1", "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [float(row["cores"]) for row in rows] == [0.0, 3.0, 7.0, 3.0]
    user = "group_chemistry.carol@campus.example"
    assert main(["forecast", CAMPUS, "--user", f"{user}=1", "--hours", "1", "--json"]) == 0
    shown = capsys.readouterr()
    first = {point["name"]: point for point in json.loads(shown.out)["points"]}
    assert first[user]["real_priority"] == pytest.approx(5.646191)
    assert shown.err == ""
    assert main(["forecast", f"{CAMPUS}/accounting.ads", "--hours", "1"]) == 0
    assert "quotas of groups are not known without a configuration" in capsys.readouterr().err


def test_groups_have_what_the_cycle_allocates_to_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["forecast", CAMPUS, "--hours", "24", "--every", "24", "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    last = [row for row in rows if float(row["hour"]) == 24]
    cores = {row["name"].partition("@")[0]: float(row["cores"]) for row in last}
    assert main(["negotiate", CAMPUS, "--json"]) == 0
    groups = json.loads(capsys.readouterr().out)["groups"]
    by_group = {group["group"]: group["rounds"][0]["allocated"] for group in groups}
    for user in ("group_chemistry.carol", "group_physics.hep.alice", "group_physics.lep.bob"):
        assert cores[user] == pytest.approx(by_group[user.rpartition(".")[0]])


def test_a_state_has_the_pool_and_the_demand_of_its_capture(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["forecast", CAMPUS, "--hours", "24", "--every", "24", "--json"]) == 0
    points = json.loads(capsys.readouterr().out)["points"]
    cores = [point["cores"] for point in points if point["hour"] == 24.0]
    assert sum(cores) == pytest.approx(192.0)
    log = f"{CAMPUS}/Accountantnew.log"
    assert main(["forecast", log, "--hours", "1", "--every", "1", "--json"]) == 0
    points = json.loads(capsys.readouterr().out)["points"]
    for hour in (0.0, 1.0):
        cores = [point["cores"] for point in points if point["hour"] == hour]
        assert sum(cores) == pytest.approx(111.0)


def test_what_is_wanted_is_the_sum_of_the_submitter_ads_of_a_user(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Weighted numbers go before plain ones; an ad of nobody asks for nothing."""
    parts = {
        "accounting.ads": [
            'Name = "a@x"\nPriority = 10.0\nPriorityFactor = 1.0',
            'Name = "b@x"\nPriority = 20.0\nPriorityFactor = 2.0',
        ],
        "submitters.ads": [
            'Name = "a@x"\nWeightedRunningJobs = 4\nRunningJobs = 9\nIdleJobs = 2',
            'Name = "a@x"\nWeightedIdleJobs = 1.5\nIdleJobs = 1',
            'Name = "b@x"\nRunningJobs = 1',
            "WeightedIdleJobs = 50",
        ],
        "slots.ads": [
            'Name = "slot1@m"\nSlotWeight = 3.0',
            'Name = "slot2@m"',
            'Name = "slot3@m"\nSlotWeight = -2',
        ],
    }
    for name, ads in parts.items():
        (tmp_path / name).write_text("\n\n".join(ads) + "\n")
    found = []
    for more in ([], ["--pool", "100"]):
        assert (
            main(["forecast", str(tmp_path), "--hours", "1", "--every", "1", "--json", *more]) == 0
        )
        points = json.loads(capsys.readouterr().out)["points"]
        found.append({point["name"]: point["cores"] for point in points if point["hour"] == 1.0})
    # Of 5 cores two thirds are a's and one third is b's, who wants only one.
    assert found == [{"a@x": 4.0, "b@x": 1.0}, {"a@x": 7.5, "b@x": 1.0}]


def test_hour_0_has_what_a_cycle_begins_with(capsys: pytest.CaptureFixture[str]) -> None:
    """Slots that were given up since the records were kept are not used any more."""
    assert main(["forecast", "examples/campus", "--json"]) == 0
    points = json.loads(capsys.readouterr().out)["points"]
    assert main(["negotiate", "examples/campus", "--table", "submitters", "--json"]) == 0
    submitters = json.loads(capsys.readouterr().out)["tables"]["submitters"]
    begun = {point["name"]: point["cores"] for point in points if point["hour"] == 0}
    assert begun == {item["submitter"]: item["usage"] for item in submitters}


def test_many_users_have_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    words = [word for i in range(9) for word in ("--user", f"user{i}=1")]
    assert main(["forecast", *words, "--hours", "4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + 2 * 9
    assert lines[-1].split() == ["user8", "0.5", "0.11"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "--user NAME=CORES"),
        (["--user", "A"], "`A` is not NAME=CORES"),
        (["--user", "A=3@soon"], "`A=3@soon`"),
        (["--user", "A=3", "--prio", "B=3"], "no user `B`"),
        (["--user", "A=3", "--factor", "A"], "`A` is not NAME=NUMBER"),
        (["--user", "A=3", "--plot", "x.bmp"], ".png, .svg, .pdf"),
        (["nowhere"], "no such file"),
    ],
)
def test_bad_input(capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert main(["forecast", *words]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.slow
def test_plots(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    words = ["forecast", "--user", "A=100", "--user", "B=50@2h", "--hours", "9", "--title", "Both"]
    for kind in ("png", "svg"):
        paths = [tmp_path / f"{i}.{kind}" for i in range(2)]
        for path in paths:
            assert main([*words, "--plot", str(path)]) == 0
        assert paths[0].read_bytes() == paths[1].read_bytes()
    capsys.readouterr()


def test_what_a_plot_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    from pieslice.forecast import plot

    figures: list[Any] = []
    monkeypatch.setattr(plot, "save", lambda made, path: figures.append(made))
    users = [User("A", (Demand(10.0),)), User("B", (Demand(10.0),))]
    points = list(forecast(users, Settings(10.0), 5.0, 1.0))
    plot.draw(points, tmp_path / "x.png", ("priority", "cores"), "Two")
    above, below = figures[0].axes
    assert above.get_ylabel() == "real priority (weighted cores)"
    assert below.get_ylabel() == "usage (weighted cores)"
    assert below.get_xlabel() == "time (hours)"
    (legend,) = figures[0].legends
    assert [text.get_text() for text in legend.get_texts()] == ["A", "B"]
    assert legend.get_title().get_text() == "Two"
    styles = {(one.get_color(), one.get_linestyle()) for one in above.get_lines()}
    assert len(styles) == 2


def test_without_matplotlib_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["forecast", "--user", "A=1", "--plot", str(tmp_path / "x.png")]) == 2
    assert "pip install 'pieslice[plot]'" in capsys.readouterr().err


def test_the_last_moment_is_that_of_the_hours_asked_for() -> None:
    """Hours are no whole number of seconds as doubles have them."""
    for hours in (4.1, 8.2, 8.7):
        points = list(forecast([User("a", (Demand(5.0),))], Settings(10.0), hours, 0.1))
        assert points[-1].hour == pytest.approx(hours)


@pytest.mark.parametrize(
    ("begin", "end", "wanted"),
    [
        (60.0, 120.0, [0.0, 0.0, 4.0, 4.0, 0.0]),
        (0.0, 60.0, [4.0, 4.0, 0.0, 0.0, 0.0]),
        (0.0, None, [4.0] * 5),
        (60.0, None, [0.0, 0.0, 4.0, 4.0, 4.0]),
        (0.0, 0.0, [0.0] * 5),
        (60.0, 60.0, [0.0] * 5),
    ],
)
def test_a_demand_lasts_from_its_beginning_to_before_its_end(
    begin: float, end: float | None, wanted: list[float]
) -> None:
    demand = Demand(4.0, begin, end)
    assert [demand.at(moment) for moment in (0.0, 59.9, 60.0, 119.9, 120.0)] == wanted


@pytest.mark.parametrize(
    ("wanted", "priorities", "given"),
    [
        ([20.0, 20.0], [1.0, 10.0], [10.0, 1.0]),
        # However small they are, they are in proportion.
        ([20.0, 20.0], [1e-5, 1e-4], [10.0, 1.0]),
        ([20.0, 20.0], [1e-9, 1e-8], [10.0, 1.0]),
        ([8.0, 20.0], [1e-5, 1e-4], [8.0, 3.0]),
        # 0 is the best there is.
        ([8.0, 8.0], [0.0, 1.0], [8.0, 3.0]),
        ([20.0, 20.0], [0.0, 0.0], [5.5, 5.5]),
        ([0.0, 20.0], [1.0, 1e6], [0.0, 11.0]),
        ([5.0, 6.0], [1.0, 1e6], [5.0, 6.0]),
        ([1.0, 2.0], [1.0, 1e6], [1.0, 2.0]),
        ([], [], []),
    ],
)
def test_a_pool_is_divided_by_the_inverse_of_the_priorities(
    wanted: list[float], priorities: list[float], given: list[float]
) -> None:
    assert divide(11.0, wanted, priorities) == pytest.approx(given)
