"""``import pieslice`` gives the values that the commands print."""

from __future__ import annotations

import importlib
import json
import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any

import pytest

import pieslice
from pieslice.cli import main
from pieslice.reports.result import DataTable, Result
from pieslice.simulation.answers import Simulated
from tests.cases import every_case

ROOT = Path(__file__).parents[2]
CAMPUS = "examples/campus"
TOUR = "examples/tour"
SCENARIO = "examples/scenarios/two_users.json"
WORKLOAD = "examples/workloads/two-users.toml"

#: An answer, and the command that prints it.
ASKED: list[tuple[Callable[[], Result], str]] = [
    (lambda: pieslice.read(CAMPUS).negotiate(), f"negotiate {CAMPUS}"),
    (lambda: pieslice.read(Path(TOUR)).negotiate(), f"negotiate {TOUR}"),
    (lambda: pieslice.read(SCENARIO).negotiate(seed=3), f"negotiate {SCENARIO} --seed 3"),
    (
        lambda: pieslice.read(f"{TOUR}/slots.ads", f"{TOUR}/jobs.ads").negotiate(),
        f"negotiate {TOUR}/slots.ads {TOUR}/jobs.ads",
    ),
    (
        lambda: pieslice.read(CAMPUS, now=1795300000).negotiate(engine="reference"),
        f"negotiate {CAMPUS} --now 1795300000",
    ),
    (
        lambda: pieslice.read(TOUR).negotiate(policy=f"{TOUR}/no_preemption"),
        f"negotiate {TOUR} --config {TOUR}/no_preemption",
    ),
    (
        lambda: pieslice.read(TOUR, config=f"{TOUR}/breadth_first").negotiate(),
        f"negotiate {TOUR} --config {TOUR}/breadth_first",
    ),
    (
        lambda: pieslice.read(TOUR).with_config({"PREEMPTION_REQUIREMENTS": False}).negotiate(),
        f"negotiate {TOUR} -D PREEMPTION_REQUIREMENTS=false",
    ),
    (
        lambda: (
            pieslice.read(SCENARIO)
            .with_config("PRIORITY_HALFLIFE = 3600\nNEGOTIATOR_CONSIDER_PREEMPTION \\\n = false")
            .negotiate()
        ),
        f"negotiate {SCENARIO} -D PRIORITY_HALFLIFE=3600 -D NEGOTIATOR_CONSIDER_PREEMPTION=false",
    ),
    (lambda: pieslice.read(TOUR, dialect="mrg").negotiate(), f"negotiate {TOUR} --dialect mrg"),
    (lambda: pieslice.read(CAMPUS).why("8.0"), f"why {CAMPUS} 8.0"),
    (lambda: pieslice.read(TOUR).why(15), f"why {TOUR} 15.0"),
    (lambda: pieslice.read(TOUR).why("16.0", "slot1@node3"), f"why {TOUR} 16.0 slot1@node3"),
    (lambda: pieslice.read(CAMPUS).rank("15.5", limit=20), f"rank {CAMPUS} 15.5"),
    (lambda: pieslice.read(TOUR).rank("12.0"), f"rank {TOUR} 12.0 --limit 0"),
    (lambda: pieslice.read(CAMPUS).quotas(), f"quotas {CAMPUS}"),
    (lambda: pieslice.read(TOUR).quotas(trace=True), f"quotas {TOUR} --trace"),
    (lambda: pieslice.check(f"{CAMPUS}/condor_config"), f"check {CAMPUS}/condor_config"),
    (
        lambda: pieslice.check("examples/policies/flawed/claim_timer", subsystem="negotiator"),
        "check examples/policies/flawed/claim_timer --subsys NEGOTIATOR",
    ),
    (lambda: pieslice.policy(CAMPUS), f"policy explain {CAMPUS}"),
    (
        lambda: pieslice.simulate(10, WORKLOAD, days=0.04, seed=1),
        f"simulate 10 --workload {WORKLOAD} --days 0.04 --seed 1",
    ),
    (
        lambda: pieslice.simulate("10", WORKLOAD, f"{CAMPUS}/condor_config", days=0.02, seeds=2),
        f"simulate 10 --workload {WORKLOAD} --days 0.02 --seeds 2 --config {CAMPUS}/condor_config",
    ),
    (
        lambda: pieslice.simulate(
            10, WORKLOAD, [f"{CAMPUS}/condor_config", f"{CAMPUS}/no_preemption"], days=0.02
        ),
        f"simulate 10 --workload {WORKLOAD} --days 0.02"
        f" --compare {CAMPUS}/condor_config {CAMPUS}/no_preemption",
    ),
    (
        lambda: pieslice.simulate(
            pieslice.read(TOUR, now=1790003600), "capture", days=0.02, every=0.25, fresh=True
        ),
        f"simulate {TOUR} --workload capture --now 1790003600 --days 0.02 --every 0.25 --fresh",
    ),
    (
        lambda: pieslice.sweep(
            10,
            WORKLOAD,
            {"PRIORITY_HALFLIFE": (600, 86400), "NEGOTIATOR_CONSIDER_PREEMPTION": [True]},
            days=0.05,
            seeds=[1, 2],
            jobs=1,
        ),
        f"sweep 10 --workload {WORKLOAD} --days 0.05 --seeds 1,2 --jobs 1"
        " --set PRIORITY_HALFLIFE=600,86400 --set NEGOTIATOR_CONSIDER_PREEMPTION=true",
    ),
]


@pytest.fixture(autouse=True)
def at_the_top(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


class Tags(HTMLParser):
    """Raises for tags that are not closed in their order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.slow
@pytest.mark.parametrize(("ask", "command"), ASKED, ids=[command for _, command in ASKED])
def test_an_answer_is_what_the_command_prints(
    ask: Callable[[], Result], command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = ask()
    assert capsys.readouterr() == ("", "")
    main(command.split())
    assert capsys.readouterr().out == str(answer)
    main([*command.split(), "--format=json" if command.startswith("check") else "--json"])
    printed = json.loads(capsys.readouterr().out)
    found = answer.to_dict()
    if command.startswith("check"):
        (printed,) = printed["checks"]
    schema = found.pop("schema")
    assert schema == answer.schema
    assert re.fullmatch(rf"pieslice/{command.split()[0]}(-seeds|-compare)?/1", answer.schema)
    assert printed.pop("schema", schema) == schema
    assert json.loads(json.dumps(found)) == printed
    assert json.loads(answer.to_json()) == {"schema": schema, **printed}


@pytest.mark.slow
@pytest.mark.parametrize(("ask", "command"), ASKED[::3], ids=[name for _, name in ASKED[::3]])
def test_an_answer_is_short_in_a_shell_and_whole_in_a_notebook_and_a_pickle(
    ask: Callable[[], Result], command: str
) -> None:
    answer = ask()
    assert repr(answer).startswith(f"<{type(answer).__name__} ")
    assert len(repr(answer)) < 200
    tags = Tags()
    tags.feed(answer._repr_html_())
    assert tags.open == []
    kept = pickle.loads(pickle.dumps(answer))
    assert str(kept) == str(answer)
    assert kept.to_dict() == answer.to_dict()


def test_a_pool_does_not_change() -> None:
    pool = pieslice.read(TOUR)
    first = [str(pool.negotiate()), str(pool.why("11.0")), str(pool.rank("12.0"))]
    kept = pickle.loads(pickle.dumps(pool))
    changed = pool.with_config({"PREEMPTION_REQUIREMENTS": "False"})
    assert str(changed.negotiate()) != first[0]
    for each in (pool, kept):
        assert [str(each.negotiate()), str(each.why("11.0")), str(each.rank("12.0"))] == first
    assert repr(pool) == repr(kept) == "<Pool tour: 10 slots, 17 jobs, 5 users>"


_EDITS = (
    {"START": "JobPrio > 0"},
    {"NEGOTIATOR_PRE_JOB_RANK": "Memory", "PRIORITY_HALFLIFE": 60},
    {"GROUP_NAMES": "group_physics", "GROUP_QUOTA_group_physics": 2},
    {"NEGOTIATOR_SLOT_CONSTRAINT": 'Machine != "n1"', "RANK": "JobPrio"},
)


@pytest.mark.parametrize("folder", [TOUR, CAMPUS])
def test_a_pool_that_was_edited_is_as_one_that_is_read_with_that_configuration(
    folder: str,
) -> None:
    """Whatever was tried on the pool before: no edit leaves anything in it."""
    pool = pieslice.read(folder)
    own = str(pool.negotiate())
    for edit in (*_EDITS, *_EDITS[::-1]):
        fresh = pieslice.read(folder).with_config(edit)
        changed = pool.with_config(edit)
        assert str(pool.diff(changed)) == str(pieslice.read(folder).diff(fresh))
        assert str(changed.negotiate()) == str(fresh.negotiate())
        assert list(map(str, changed.diagnostics)) == list(map(str, fresh.diagnostics))
    assert str(pool.negotiate()) == own


def test_a_pool_needs_its_files_only_once(tmp_path: Path) -> None:
    folder = tmp_path / "pool"
    shutil.copytree(TOUR, folder)
    pool = pieslice.read(folder)
    fresh = pool.with_config({"PREEMPTION_REQUIREMENTS": "False"}).negotiate()
    for path in folder.glob("*.ads"):
        path.unlink()
    again = pool.with_config({"PREEMPTION_REQUIREMENTS": "False"})
    assert str(again.negotiate()) == str(fresh)


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ((CAMPUS,), f"userprio {CAMPUS}"),
        ((CAMPUS, "-quotas", "-usage"), f"userprio {CAMPUS} -quotas -usage"),
        (
            (Path(f"{CAMPUS}/Accountantnew.log"), "-all", "-allu"),
            f"userprio {CAMPUS}/Accountantnew.log -all -allusers",
        ),
    ],
)
def test_priorities_are_those_that_userprio_prints(
    words: tuple[str, ...], command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = pieslice.userprio(*words)
    main(command.split())
    assert capsys.readouterr().out == str(found)
    main([*command.split(), "--wide"])
    assert capsys.readouterr().out == found.text(None)
    main([*command.split(), "-json"])
    printed = json.loads(capsys.readouterr().out)
    assert [ad["Name"] for ad in printed] == found.records["name"]
    # ClassAds print 15 or 16 digits of a number, in a pickle as well.
    assert [ad["Priority"] for ad in printed] == pytest.approx(found.records["priority"], rel=1e-14)
    data = json.loads(found.to_json())
    assert data["schema"] == "pieslice/userprio/1"
    assert [row["name"] for row in data["records"]] == found.records["name"]
    kept = pickle.loads(pickle.dumps(found))
    assert str(kept) == str(found)
    assert kept.records["name"] == found.records["name"]
    assert kept.records["usage"] == pytest.approx(found.records["usage"], rel=1e-14)
    assert "<pre>Last Priority Update" in found._repr_html_()
    with pytest.raises(pieslice.ReadError, match="`-quots` is not an option; did you mean"):
        pieslice.userprio(CAMPUS, "-quots")


def test_the_last_assignment_counts() -> None:
    pool = pieslice.read(TOUR)
    calm = pool.with_config({"NEGOTIATOR_CONSIDER_PREEMPTION": False})
    again = calm.with_config("NEGOTIATOR_CONSIDER_PREEMPTION = true")
    assert not pool.diff(calm).same
    assert pool.diff(again).same


@pytest.mark.parametrize("pool", [TOUR, SCENARIO])
def test_a_text_is_read_like_one_more_file_of_the_configuration(pool: str) -> None:
    asked = pieslice.read(pool)
    text = """
    use FEATURE: GPUs
    if defined MY_OWN
        PRIORITY_HALFLIFE = 60
    else
        DEFAULT_PRIO_FACTOR = 7$(MY_ZEROS:00)
    endif
    NEGOTIATOR_INTERVAL = $(NEGOTIATOR_INTERVAL)0
    PREEMPTION_REQUIREMENTS @=end
        Cpus > 1
    @end
    """
    changed = asked.with_config(text)
    before, after = asked.capture.policy, changed.capture.policy
    assert after.default_prio_factor == 700
    assert after.interval_seconds == 10 * before.interval_seconds
    assert after.priority_halflife_seconds == before.priority_halflife_seconds
    assert str(after.preemption_requirements) == "Cpus > 1"
    assert "with use FEATURE: GPUs; if defined MY_OWN; PRIORITY" in changed.name
    assert changed.name.endswith("...")
    again = pickle.loads(pickle.dumps(changed)).with_config({"DEFAULT_PRIO_FACTOR": "1\n"})
    assert again.capture.policy.default_prio_factor == 1
    assert again.capture.policy.interval_seconds == after.interval_seconds


def test_a_pool_under_another_policy_is_simulated_with_it() -> None:
    pool = pieslice.read(TOUR).with_config("NEGOTIATOR_INTERVAL = 600")
    assert pieslice.simulate(pool, "capture", days=0.05).summary_of()["cycles"] == 8
    pool = pool.with_config(Path(f"{TOUR}/no_preemption"))
    policies = {"a": None, "b": {"NEGOTIATOR_INTERVAL": 900}}
    found = pieslice.simulate(pool, "capture", policies, days=0.05)
    assert found.runs["cycles"] == [8, 5]
    assert found.runs["policy"] == ["a", "b"]


POLICIES = {
    "today": f"{CAMPUS}/condor_config",
    "calm": Path(f"{CAMPUS}/no_preemption"),
    "own": None,
}


@cache
def several() -> Simulated:
    """Three policies on two workloads; bob comes when alice has the whole pool."""
    jobs = [
        {"user": "alice", "backlog": 20, "run_time": 500, "spread": 0.5},
        {"user": "bob", "begin_hour": 0.2, "backlog": 20, "run_time": 300, "spread": 0.5},
    ]
    return pieslice.simulate(3, jobs, POLICIES, days=0.04, seeds=2)


@pytest.mark.slow
def test_several_policies_have_names_and_tables() -> None:
    found = several()
    assert repr(found) == "<Compared today, calm and own: 2 seeds>"
    for each in (found, pickle.loads(pickle.dumps(found))):
        assert list(zip(each.runs["policy"], each.runs["seed"], strict=True)) == [
            ("today", 0), ("today", 1), ("calm", 0), ("calm", 1), ("own", 0), ("own", 1),
        ]  # fmt: skip
        assert each.metrics["other"][0] == "calm"
        assert each.metrics["other"][-1] == "own"
        assert set(each.users["user"]) == {"alice@sim.example", "bob@sim.example"}
        assert each.groups["policy"][0] == "today"
        assert each.events["event"][0] == "submit"
        assert each.series["quota"][:2] == [3, None]
    assert re.search(r"\n  and \d+ more rows\n", str(found.events))
    assert found.compare("calm", "own").to_dict()["policies"] == {"a": "calm", "b": "own"}
    assert found.to_dict()["c"] == found.summary_of("own", 0)
    assert "A: today\nB: own\n" in str(found)
    for wrong in (
        lambda: found.plot("no"),
        lambda: found.plot("usage", "no"),
        lambda: found.plot("usage", seed=2),
        lambda: found.summary_of("no"),
    ):
        with pytest.raises(LookupError, match="there are "):
            wrong()
    with pytest.raises(ValueError, match="at most two"):
        found.plot("usage", *POLICIES)


def test_charts_are_shown_without_any_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = several()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for name in ("usage", "queue", "shares", "priorities", "waits", "slots"):
        picture = found.plot(name, "today", "own", seed=1)
        assert picture._repr_html_().startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
        shown = picture.html.partition("<body>")[2].partition("<script>")[0]
        assert "A: today" in shown
        assert "B: own" in shown
        picture.save(tmp_path / f"{name}.html")
        assert (tmp_path / f"{name}.html").read_text() == picture.html
        assert len(repr(pickle.loads(pickle.dumps(picture)))) < 80
        with pytest.raises(ImportError, match=r"pieslice\[plot\]"):
            picture.save(tmp_path / "x.png")


def test_a_chart_is_drawn_with_the_extra(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = several().plot()
    picture.save(tmp_path / "x.svg")
    assert "<svg" in (tmp_path / "x.svg").read_text()
    with pytest.raises(ValueError, match="plots are written to"):
        picture.save(tmp_path / "x.txt")


def test_a_workload_can_be_values(tmp_path: Path) -> None:
    streams = [
        {"user": "a", "backlog": 12, "run_time": 1200, "spread": 0.5},
        {"user": "b", "group": "g", "cpus": 2, "per_hour": 4},
    ]
    lines = [
        "[[stream]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in one.items())
        for one in streams
    ]
    (tmp_path / "w.toml").write_text("".join(lines))
    jobs = [
        {"submit": 0, "user": "a", "run_time": 600, "cpus": None, "count": 3},
        {"submit": 60, "user": "b", "run_time": 60, "cpus": 2},
    ]
    (tmp_path / "w.csv").write_text("submit,user,run_time,cpus,count\n0,a,600,,3\n60,b,60,2,\n")
    for values, file in ((streams, "w.toml"), (jobs, "w.csv")):
        found, same = (
            pieslice.simulate("4x2", workload, days=0.2, seed=3)
            for workload in (values, tmp_path / file)
        )
        assert found.to_dict() == same.to_dict()
        assert found.summary_of()["completed"] > 0


def test_what_should_be_known_of_a_simulation_is_said_once() -> None:
    jobs = [{"user": "a", "cpus": 4, "backlog": 1}, {"user": "b", "backlog": 1}]
    found = pieslice.simulate(3, jobs, {"a": None, "b": None}, days=0.01, seeds=2)
    assert [item.message for item in found.diagnostics] == [
        "1 job of a@sim.example (4 cpus): no slot of the pool fits"
    ]
    swept = pieslice.sweep(3, jobs, {"PRIORITY_HALFLIFE": "1,2"}, days=0.01, jobs=1)
    assert swept.diagnostics[0].message == found.diagnostics[0].message
    assert [row["PRIORITY_HALFLIFE"] for row in swept.table] == ["1", "2"]
    assert swept.failed == ()


def test_diff_is_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    pool = pieslice.read(TOUR)
    other = pool.with_config(Path(f"{TOUR}/no_preemption"))
    found = pool.diff(other)
    assert main(["diff", TOUR, "--config", f"{TOUR}/no_preemption", "--json"]) == 1
    printed = json.loads(capsys.readouterr().out)
    assert printed["a"]["name"] == TOUR
    assert found.names == ("tour", f"tour with {TOUR}/no_preemption")
    data = json.loads(found.to_json())
    for side in ("a", "b"):
        assert printed[side].pop("name") != data[side].pop("name")
    assert data == printed
    assert not found.same
    assert pool.diff(pool).same


@pytest.mark.slow
def test_tables_are_sequences_and_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    cycle = pieslice.read(CAMPUS).negotiate()
    tables = [getattr(cycle, name) for name in (
        "users", "groups", "machines", "quotas", "submitters", "matches", "rejections",
    )]  # fmt: skip
    tables += [pieslice.read(CAMPUS).rank("15.5").slots, pieslice.read(CAMPUS).quotas().groups]
    tables.append(pieslice.check("examples/policies/flawed/reclaim_swapped").findings)
    frame = SimpleNamespace(
        DataFrame=lambda data, columns=None, strict=True: (data, columns, strict),
        table=lambda data: data,
    )
    for name in ("pandas", "polars", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, frame)
    for table in tables:
        assert isinstance(table, DataTable)
        assert len(table) == len(list(table)) > 0
        first = next(iter(table))
        assert tuple(first) == table.columns
        assert [table[name][0] for name in table.columns] == list(first.values())
        assert table.to_pandas() == (list(table.rows), list(table.columns), True)
        by_column = {name: table[name] for name in table.columns}
        assert table.to_polars() == (by_column, None, False)
        assert table.to_arrow() == by_column
    with pytest.raises(KeyError, match="there is no column `Slot`; there are seq,"):
        cycle.matches["Slot"]


def test_a_data_table_is_a_sequence_of_rows() -> None:
    three = DataTable("a", ("b", "c"), ((1, "x"), (2, None), (3, "z")))
    assert (three[0], three[-1]) == ({"b": 1, "c": "x"}, {"b": 3, "c": "z"})
    assert list(three[1:]) == list(three)[1:]
    assert three[::2]["b"] == [1, 3]
    assert list(reversed(three)) == list(three)[::-1]
    with pytest.raises(IndexError):
        three[3]


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    table = DataTable("a", ("b",), ((1,),))
    for name, ask in (
        ("pandas", table.to_pandas),
        ("polars", table.to_polars),
        ("pyarrow", table.to_arrow),
    ):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ImportError, match=f"needs the package {name}: pip install 'pieslice"):
            ask()


@pytest.mark.slow
@every_case(
    "ask, kind, said",
    [
        (lambda: pieslice.read("nowhere"), "ReadError", "error: nowhere: no such folder or file"),
        (lambda: pieslice.read(), "ReadError", "error: give the folder of a capture"),
        (lambda: pieslice.read(CAMPUS, dialect="x"), "ReadError", "x"),
        (lambda: pieslice.read(CAMPUS, now="noon"), "ReadError", "--now: `noon` is neither"),
        (
            lambda: pieslice.read(TOUR).with_config(f"{TOUR}/no_preemption"),
            "ReadError",
            f"`{TOUR}/no_preemption` is a file, and a text is no name of one: give a Path",
        ),
        (lambda: pieslice.read(CAMPUS).why("999.0"), "NotFoundError", "there is no job `999.0`"),
        (lambda: pieslice.read(CAMPUS).why("8.0", "no"), "NotFoundError", "there is no slot `no`"),
        (lambda: pieslice.read(CAMPUS).rank("x"), "NotFoundError", "`x` is not a job id"),
        (
            lambda: pieslice.read(CAMPUS).with_config("A = 1\nB oops\n"),
            "ReadError",
            "<with_config>:2:1: error: a statement needs `=` or `:` after its name\n"
            "   2 | B oops\n     | ^",
        ),
        (
            lambda: pieslice.read(CAMPUS).with_config("use ROLE: x"),
            "ReadError",
            "<with_config>:1:1: error: no template `x` in category ROLE\n   1 | use ROLE: x\n",
        ),
        (
            lambda: pieslice.read(SCENARIO).with_config("A = 1").with_config("if x y\nendif"),
            "ReadError",
            "<with_config 2>:1:",
        ),
        (
            lambda: pieslice.read(CAMPUS).with_config({"PREEMPTION_REQUIREMENTS": "(("}),
            "ReadError",
            "<with_config>:1:",
        ),
        (
            lambda: pieslice.read(CAMPUS).with_config({"a b": 1}),
            "ReadError",
            "`a b` is not",
        ),
        (lambda: pieslice.read(CAMPUS).with_config(Path("no")), "ReadError", "no: no such file"),
        (lambda: pieslice.check("nope"), "ReadError", "nope: no such file"),
        (lambda: pieslice.simulate(1, "no.toml"), "ReadError", "no.toml: no such file"),
        (lambda: pieslice.simulate("no", WORKLOAD), "ReadError", "no: no such folder"),
        (lambda: pieslice.simulate(1, WORKLOAD, "no"), "ReadError", "no: no such file"),
        (lambda: pieslice.simulate(1, []), "ReadError", "the workload: contains no jobs"),
        (lambda: pieslice.simulate(1, [1]), "ReadError", "stream 1: `1` is not a table"),
        (
            lambda: pieslice.simulate(1, [{"submit": 1, "user": "a"}]),
            "ReadError",
            "the workload: row 1: no run_time",
        ),
        (lambda: pieslice.simulate(1, WORKLOAD, days=0), "Error", "days: `0` is not"),
        (lambda: pieslice.simulate(1.5, WORKLOAD), "Error", "pool: `1.5` is neither"),  # type: ignore[arg-type]
        (lambda: pieslice.simulate(1, WORKLOAD, seeds=0), "Error", "seeds: `0` is not"),
        (lambda: pieslice.simulate(1, WORKLOAD, {}), "Error", "at least one configuration"),
        (lambda: pieslice.simulate(1, WORKLOAD, {"A": 60}), "Error", "`60` is not a conf"),
        (lambda: pieslice.simulate(1, WORKLOAD, ["a", "a"]), "Error", "the same name"),
        (
            lambda: pieslice.simulate(1, WORKLOAD, {"a": {"PRIORITY_HALFLIF": 1}}),
            "ReadError",
            "did you mean `PRIORITY_HALFLIFE`?",
        ),
        (
            lambda: pieslice.simulate(pieslice.read(SCENARIO), "capture"),
            "Error",
            "begins with the folder of a capture",
        ),
        (
            lambda: pieslice.simulate(pieslice.read(TOUR, dialect="mrg"), "capture"),
            "Error",
            "by HTCondor's own rules",
        ),
        (lambda: pieslice.sweep(1, WORKLOAD, {}), "ReadError", "give at least one macro"),
        (
            lambda: pieslice.sweep(1, WORKLOAD, {"PRIORITY_HALFLIFE": []}),
            "ReadError",
            "has no values",
        ),
        (lambda: pieslice.policy("nope"), "ReadError", "nope: no such file"),
    ],
)
def test_errors_are_one_family(ask: Callable[[], object], kind: str, said: str) -> None:
    with pytest.raises(pieslice.Error) as caught:
        ask()
    assert type(caught.value).__name__ == kind
    assert said in str(caught.value)
    kept = pickle.loads(pickle.dumps(caught.value))
    assert (type(kept), str(kept)) == (type(caught.value), str(caught.value))


def test_a_broken_configuration_is_shown_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "condor_config"
    path.write_text("A = 1\nif oops\nB = 2\nendif\n")
    with pytest.raises(pieslice.ReadError) as caught:
        pieslice.policy(path)
    assert f"{path}:2:" in str(caught.value)
    assert "   2 | if oops\n" in str(caught.value)


def test_a_policy_has_values() -> None:
    policy = pieslice.policy(CAMPUS, define={"X": "$(Y)1", "Y": "2"})
    assert policy.macros["x"] == "21"
    kept = pickle.loads(pickle.dumps(policy))
    # Some defaults have numbers by chance in them.
    assert set(kept.macros) == set(policy.macros)
    assert kept.macros["NEGOTIATOR_INTERVAL"] == policy.macros["negotiator_interval"] == "60"
    for macros in (policy.macros, kept.macros):
        with pytest.raises(KeyError, match="`NO` is not defined"):
            macros["NO"]
    cycle = pieslice.read(CAMPUS).negotiate(pieslice.policy(f"{CAMPUS}/no_preemption"))
    assert {row["kind"] for row in cycle.matches} == {"free"}


def test_importing_it_is_light() -> None:
    code = (
        "import sys, pieslice; print(sorted(set(sys.modules) & "
        "{'attr', 'classad', 'policy', 'negotiator', 'argparse', 'json'}), dir(pieslice)[:3])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[] ['Cancelled', 'Error', 'LimitError']\n"


DIRECTIVE = re.compile(
    r"^\.\. auto(module|function|class|exception|data):: (\S+)\n((?:   :.*\n)*)", re.MULTILINE
)


def documented() -> dict[str, str]:
    """The names on the page, each with its directive and its options."""
    page = (ROOT / "docs" / "api.md").read_text()
    found = {name: kind + options for kind, name, options in DIRECTIVE.findall(page)}
    assert len(found) == len(DIRECTIVE.findall(page))
    return found


def public() -> dict[str, object]:
    """Every public name: of the packages, and of the modules that the page has as a whole."""
    modules = ["classad", "pieslice"]
    modules += [name for name, kind in documented().items() if kind.startswith("module")]
    return {
        f"{module}.{name}": getattr(importlib.import_module(module), name)
        for module in modules
        for name in importlib.import_module(module).__all__
    }


def test_every_public_name_is_documented() -> None:
    names = documented()
    for name, value in public().items():
        module, _, last = name.rpartition(".")
        whole = names.get(module, "").startswith("module") and ":members:" in names[module]
        assert whole or name in names or last == "__version__", name
        assert value is not None
        if isinstance(value, type | FunctionType):
            assert value.__doc__, name
    with pytest.raises(AttributeError, match="no attribute `nosuch`"):
        getattr(pieslice, "nosuch")  # noqa: B009 - the type checker knows that there is none


def test_nothing_internal_is_public() -> None:
    for name, value in public().items():
        last = name.rpartition(".")[2]
        assert last == "__version__" or not last.startswith("_"), name
        # A function or class of another package is none of ours to promise.
        if isinstance(value, type | FunctionType):
            assert value.__module__.split(".")[0] in {"classad", "policy", "negotiator", "pieslice"}
    for name in documented():
        assert not any(part.startswith("_") for part in name.split(".")), name


def test_what_public_functions_give_is_documented() -> None:
    """The classes of answers, also where they are not names of the package."""
    names = documented()
    classes = {value for value in public().values() if isinstance(value, type)}
    given = [
        eval(function.__annotations__["return"], function.__globals__)
        for name, function in [*vars(pieslice.Pool).items(), *public().items()]
        if isinstance(function, FunctionType)
        and not name.rpartition(".")[2].startswith("_")
        and function.__module__.startswith("pieslice.")
    ]
    assert len(given) > 10
    for one in given:
        if isinstance(one, type) and one.__module__.startswith("pieslice."):
            assert one in classes or f"{one.__module__}.{one.__qualname__}" in names, one


def test_the_time_as_a_text() -> None:
    """As the command takes it: UTC unless it has a zone."""
    pool = pieslice.read(TOUR, now="2026-09-21 14:20")
    assert pool.now == pieslice.read(TOUR, now="2026-09-21T16:20+02:00").now == 1790000400


def test_a_number_names_no_job() -> None:
    pool: Any = pieslice.read(TOUR)
    for ask in (pool.why, pool.rank):
        with pytest.raises(TypeError, match=r'^the job 16\.1 is a number, .*: give "16\.1"$'):
            ask(16.10)


def test_pools_are_compared_with_pools() -> None:
    pool: Any = pieslice.read(TOUR)
    with pytest.raises(TypeError, match=r"^diff takes a pool, .* not 'examples/campus'$"):
        pool.diff("examples/campus")
