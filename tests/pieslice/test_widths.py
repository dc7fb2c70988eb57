"""What the commands print fits the terminal: 80 columns in a pipe, whole with ``--wide``."""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pieslice.cli import build_parser, main
from pieslice.reports.layout import Line, TextColumn, TextTable, render_plain, shortened, wrap

ROOT = Path(__file__).parents[2]
POOLS = (
    "examples/campus",
    "examples/tour",
    "examples/dialects",
    "examples/scenarios/two_users.json",
    "examples/scenarios/twenty.json",
)
TABLES = ("users", "groups", "machines", "quotas", "submitters", "matches", "rejections")
#: A job that matched, one that did not.
JOBS = {
    "examples/campus": ("15.5", "8.0"),
    "examples/tour": ("15.0", "11.0", "12.0", "3.1", "5.0", "16.0"),
    "examples/dialects": ("1.0",),
    "examples/scenarios/twenty.json": ("1.5", "2.19", "4.0", "5.0", "6.4"),
}
SIMULATED = "10 --workload examples/workloads/two-users.toml --days 0.02 --seed 1"
COMMANDS = [
    *(f"negotiate {pool}{more}" for pool in POOLS for more in ("", " --summary", " --cycles 2")),
    *(f"negotiate {pool} --table {table}" for pool in POOLS for table in TABLES),
    *(f"quotas {pool}{more}" for pool in POOLS for more in ("", " --trace")),
    *(
        f"userprio {pool}{more}"
        for pool in POOLS[:3]
        for more in ("", " -all", " -quotas", " -usage")
    ),
    *(f"{what} {pool} {job}" for what in ("why", "rank") for pool in JOBS for job in JOBS[pool]),
    "why examples/tour 16.0 slot1@node3",
    "why examples/campus 6",
    "why examples/campus --user bob",
    "why examples/campus --group group_physics",
    "doctor",
    "versions",
    "versions 24.0 25.14.1",
    *(
        f"diff examples/{pool} --config examples/{pool}/{config}"
        for pool, config in (
            ("tour", "no_preemption"),
            ("tour", "breadth_first"),
            ("campus", "no_preemption"),
            ("campus", "patient"),
        )
    ),
    "diff --dialect htcondor,manual examples/dialects",
    *(f"check {pool}" for pool in POOLS[:3]),
    *(f"check {path.relative_to(ROOT)}" for path in sorted(ROOT.glob("examples/policies/*/*"))),
    "check --reload examples/reload/running examples/reload/new",
    "policy explain examples/reload/running",
    "why examples/campus 1.26 --clauses",
    "config show examples/campus PRIORITY_HALFLIFE GROUP_NAMES",
    "rules",
    "rules P505 P101",
    "config summary examples/campus",
    "config info PREEMPTION_REQUIREMENTS",
    *(f"policy explain {pool}" for pool in POOLS[:3]),
    "policy diff examples/campus examples/tour",
    "policy eval examples/campus PREEMPTION_RANK -a RemoteUserPrio=60 "
    "--my examples/campus/slots.ads",
    "map test -D SCHEDD_CLASSAD_USER_MAP_NAMES=G -D 'CLASSAD_USER_MAPDATA_G=* ann physics' "
    "--subsys SCHEDD G ann",
    "transform examples/transforms/condor_config examples/transforms/jobs.ads",
    "route examples/transforms/condor_config examples/transforms/jobs.ads",
    *(f"forecast {pool} --hours 2 --every 1" for pool in POOLS[:3]),
    f"simulate {SIMULATED}",
    f"simulate {SIMULATED} --compare examples/campus/condor_config examples/campus/no_preemption",
    f"sweep {SIMULATED.replace('--seed', '--seeds')} --jobs 1 --set PRIORITY_HALFLIFE=3600,86400",
    "fuzz examples/policies/flawed/claim_timer --examples 200",
    "eval '1 + * 2'",
    "select examples/campus/slots.ads --where 'Cpus > 4' --af Name,Cpus --limit 2",
    "capture cm.campus.example now",
    "shadow cm.campus.example --cycles 1 --ask --settle 0.1",
    "watch cm.campus.example --rules examples/systemd/alerts.toml --cycles 1 --ask --settle 0.1",
    "watch --check-rules examples/systemd/alerts.toml",
    "help",
    "help polcies",
    "negotiate examples/campus --sumary",
    "negotate examples/campus",
]
#: Commands that print a file for other programs, or write one, or answer an editor; those of a
#: history, which ``test_history`` looks at.
OTHERS = {"completion", "lab", "lsp", "page", "report", "record", "history", "when"}


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def test_every_command_is_among_those() -> None:
    assert {line.split()[0] for line in COMMANDS[:-1]} | OTHERS == set(commands_of(build_parser()))


def printed(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> tuple[str, str]:
    monkeypatch.chdir(ROOT)
    with contextlib.suppress(SystemExit):
        main(shlex.split(command))
    return capsys.readouterr()


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_pipe_gets_80_columns(
    command: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    recorded: Callable[[], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    recorded()
    # A path cannot be broken: it has to be a short one.
    place = os.path.relpath(tmp_path_factory.mktemp("c"), ROOT)
    command = command.replace("example now", f"example {place}/now")
    out, err = printed(command, capsys, monkeypatch)
    assert out or err
    assert [line for line in (out + err).splitlines() if len(line) > 80] == []


@pytest.mark.slow
@pytest.mark.parametrize("command", ["negotiate", "quotas", "userprio", "why", "rank", "forecast"])
def test_the_width_can_be_chosen(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    job = " 15.5" if command in ("why", "rank") else ""
    widths = []
    for more in ("--width 60", "--width 110", "--wide"):
        out, _ = printed(f"{command} examples/campus{job} {more}", capsys, monkeypatch)
        widths.append(max(map(len, out.splitlines())))
    assert widths[0] <= 60
    assert widths[1] <= 110
    assert widths == sorted(widths)


def test_wide_shows_every_column_and_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    narrow, _ = printed("negotiate examples/campus", capsys, monkeypatch)
    wide, _ = printed("negotiate examples/campus --wide", capsys, monkeypatch)
    assert "not shown (--wide): real priority, group\n" in narrow
    assert "not shown" not in wide
    submitters = wide.partition("submitters\n")[2].partition("\n\n")[0]
    assert "group_physics.hep.alice@campus.example" in submitters
    assert "factor" in submitters


def test_csv_has_whole_names(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, _ = printed("negotiate examples/campus --table matches --format csv", capsys, monkeypatch)
    assert "group_chemistry.carol@campus.example" in out
    assert "..." not in out


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("negotate", "negotiate"), ("Why", "why"), ("usrprio", "userprio"), ("simulat", "simulate")],
)
def test_a_mistyped_command_is_one_line(
    typed: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([typed, "x"])
    assert ended.value.code == 2
    said = f"error: there is no command `{typed}`; did you mean `{meant}`?\n"
    assert capsys.readouterr() == ("", said)


def test_a_mistyped_command_of_a_command_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["policy", "explian"])
    assert capsys.readouterr().err == (
        "error: there is no command `explian`; did you mean `explain`?\n"
    )
    with pytest.raises(SystemExit):
        main(["xyz"])
    assert capsys.readouterr().err == (
        "error: there is no command `xyz`; `pieslice --help` lists them\n"
    )


# --- the layer --------------------------------------------------------------------------------

COLUMNS = (
    TextColumn("name", name=True),
    TextColumn("effective", "priority", right=True, brief="eff", brief_unit="prio"),
    TextColumn("usage", right=True, drop=1),
    TextColumn("sort", "key", right=True, drop=2),
    TextColumn("reason", prose=True),
)
ROW = ("alice.of.the.very.long.group@campus.example", "12.50", "3.0", "0.125", "no match was found")


def fitted(width: int, *rows: tuple[str, ...]) -> list[str]:
    return render_plain([TextTable(COLUMNS, rows or (ROW,))], width).splitlines()


def test_titles_are_abbreviated_before_columns_are_left_out() -> None:
    assert fitted(200)[0].split() == ["name", "effective", "usage", "sort", "reason"]
    whole = max(map(len, fitted(200)))
    assert fitted(whole)[0].split() == ["name", "effective", "usage", "sort", "reason"]
    assert fitted(whole - 1)[0].split() == ["name", "eff", "usage", "sort", "reason"]


def test_columns_are_left_out_by_their_number() -> None:
    told = [line for width in (62, 58, 52) for line in fitted(width)[-1:]]
    assert told[-1] == "  not shown (--wide): usage, sort key"
    seen = [fitted(width)[-1] for width in range(90, 40, -1)]
    assert [key for key, _ in itertools.groupby(seen) if "not shown" in key] == [
        "  not shown (--wide): sort key",
        "  not shown (--wide): usage, sort key",
    ]


def test_names_differ_after_they_are_shortened() -> None:
    hosts = [f"slot{n}@node{n:03}.cluster.campus.example" for n in range(40)]
    users = [f"group_physics.analysis.user{n:02}@pool" for n in range(40)]
    for names in (hosts, users):
        found = shortened(names, 24)
        assert len(set(found)) == 40
        assert {len(name) for name in found} == {24}


def test_the_user_of_a_group_stays_whole() -> None:
    names = ["group_physics.hep.alice@campus.example", "group_physics.lep.bob@campus.example"]
    assert shortened(names, 28) == ["group...alice@campus.example", "group_p...bob@campus.example"]


def test_the_name_of_a_macro_stays_whole(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, _ = printed("why examples/campus --group group_physics", capsys, monkeypatch)
    assert "  (MAX_CONCURRENT_UPLOADS_PER_USER)\n" in out
    assert "PREEMPTION_REQUIREMENTS == False" in out
    reason = "at most (MAX_CONCURRENT_UPLOADS_PER_USER)"
    for width in range(44, 120):
        lines = fitted(width, ("bob@campus.example", "12.50", "3.0", "0.125", reason))
        assert max(map(len, lines)) <= width
        # Where no name can give way any more, a line ends after an underscore.
        assert "(MAX_CONCURRENT_UPLOADS_PER_USER)" in "".join("".join(lines).split())
        assert width < 55 or any("(MAX_CONCURRENT_UPLOADS_PER_USER)" in line for line in lines)


def test_an_expression_is_broken_after_its_operators() -> None:
    text = "  x: " + "&&".join(["(TARGET.Memory>=2048)"] * 8)
    lines = wrap(text, 60, "    ")
    assert max(map(len, lines)) <= 60
    assert "".join(line.strip() for line in lines) == text.strip().replace(" ", "", 0)
    assert all(line.endswith(("&&", ")", "(", "x:")) for line in lines)


WORD = st.text("abcdefgh.@_", min_size=1, max_size=40)


@given(st.lists(st.tuples(WORD, st.integers(0, 10**6), WORD), max_size=6), st.integers(40, 120))
def test_a_table_fits_and_numbers_stay(rows: list[tuple[str, int, str]], width: int) -> None:
    table = TextTable(
        (
            TextColumn("user", name=True),
            TextColumn("usage", right=True),
            TextColumn("group", drop=1, name=True),
        ),
        tuple((user, str(usage), group) for user, usage, group in rows),
    )
    lines = render_plain([Line("title"), table], width).splitlines()
    assert all(len(line) <= width for line in lines)
    body = lines[2:]
    assert all(str(usage) in line.split() for (_, usage, _), line in zip(rows, body, strict=False))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "terminal", "more", "coloured"),
    [
        ({}, True, "", True),
        ({}, False, "", False),
        ({"NO_COLOR": "1"}, True, "", False),
        ({"NO_COLOR": ""}, True, "", True),
        ({"TERM": "dumb"}, True, "", False),
        ({"FORCE_COLOR": "1"}, False, "", True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, "", False),
        ({"FORCE_COLOR": "1"}, True, " --no-color", False),
        ({"FORCE_COLOR": "1"}, True, " -o answer", False),
    ],
)
def test_colours_are_for_terminals_and_for_who_asks(
    settings: dict[str, str],
    terminal: bool,
    more: str,
    coloured: bool,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"TERM": "xterm", "COLUMNS": "80", **settings}.items():
        monkeypatch.setenv(name, text)
    stream = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr("sys.stdout", stream)
    main([*f"why {ROOT}/examples/campus 8.0{more}".split()])
    text = stream.getvalue() + "".join(path.read_text() for path in tmp_path.iterdir())
    assert "job 8.0" in text
    assert ("\x1b[" in text) is coloured


def test_findings_and_verdicts_are_coloured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "condor_config"
    path.write_text("NEGOTIATOR_INTERVAL = abc\nGROUP_NAMES = a\n")
    main(["check", str(path), "--width", "200"])
    plain = capsys.readouterr().out
    monkeypatch.setenv("FORCE_COLOR", "1")
    main(["check", str(path), "--width", "200"])
    text = capsys.readouterr().out
    assert re.sub(r"\x1b\[\d+m", "", text) == plain
    for coloured in (
        "condor_negotiator \x1b[31mwould not start\x1b[0m: exit status 4",
        "condor_config:1:23: \x1b[31merror[P110]\x1b[0m: NEGOTIATOR_INTERVAL",
        "condor_config:2:15: \x1b[33mwarning[P303]\x1b[0m: group `a`",
    ):
        assert coloured in text
    main(["check", str(path), "--format", "github"])
    assert "\x1b" not in capsys.readouterr().out
    main(["negotiate", str(tmp_path / "none")])
    assert "\x1b[31merror\x1b[0m: " in capsys.readouterr().err
    main(["policy", "explain", str(path)])
    main(["policy", "diff", str(ROOT / "examples/campus"), str(ROOT / "examples/campus")])
