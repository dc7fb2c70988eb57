"""Which arguments are pools that run, and that each of these is captured once."""

from __future__ import annotations

import argparse
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from classad.errors import Diagnostic
from pieslice.cli import main
from pieslice.inputs import running
from pieslice.inputs.running import captured, is_address, token_of

CAMPUS = Path(__file__).parents[2] / "examples" / "campus"
ADDRESSES = (
    "cm.example.org", "a.b", "cm:9618", "10.0.0.1", "10.0.0.1:9618", "[::1]:9618", "cm-1.site.org",
    "cm.example.org:9618", "x.adsx", "jobs.ads:5", "a.example.org,b.example.org", "a:1,[::1]:2",
)  # fmt: skip
OTHERS = (
    "cm", "jobs.ads", "JOBS.ADS", "pool.json", "a.b.conf", "w.toml", "x.tar", "x.gz", "x.old",
    "condor_config", "./cm.example.org", "a/b.c", "-", "", "a..b", ".a.b", "-a.b", "a-.b", "cm:",
    "cm:port", "[::g]:1", "a b.c", "a.b,", "a.b,c", "a.b,c.ads", ",",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "found"), [*((it, True) for it in ADDRESSES), *((it, False) for it in OTHERS)]
)
def test_what_can_only_be_an_address(
    text: str, found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert is_address(text) is found
    if text and "/" not in text and text not in ("-", "."):
        Path(text).write_text("")
        assert not is_address(text), "a file is that file"


def test_a_pool_is_captured_once_and_its_configuration_comes_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def keep(pool: str, args: argparse.Namespace, notes: list[Diagnostic]) -> Path:
        asked.append(pool)
        folder = tmp_path / pool
        folder.mkdir()
        if pool != "b.org":
            (folder / "condor_config").write_text("")
        return folder

    monkeypatch.setattr(running, "_kept", keep)
    args = argparse.Namespace(token=None)
    items = ["a.org", "jobs.ads", "b.org", "a.org"]
    paths = captured(items, args, [])
    a, b = tmp_path / "a.org", tmp_path / "b.org"
    config = a / "condor_config"
    assert paths == [a, Path("jobs.ads"), b, a, config, config]
    assert captured(["b.org", "c.org"], args, [])[:2] == [b, tmp_path / "c.org"]
    assert asked == ["a.org", "b.org", "c.org"]
    assert captured(["folder"], args, []) == [Path("folder")]


def test_the_file_of_a_token() -> None:
    assert token_of(argparse.Namespace(token=None)) is None
    assert token_of(argparse.Namespace(token="t")) == Path("t")


POOL = "cm.campus.example"
COMMANDS = {
    "userprio": ["userprio", "POOL", "-all", "-allusers"],
    "quotas": ["quotas", "POOL"],
    "simulate": ["simulate", "POOL", "--workload", "capture", "--days", "0.01"],
    "forecast": ["forecast", "POOL", "--hours", "2"],
    "check": ["check", "POOL"],
    "config": ["config", "show", "POOL"],
    "explain": ["policy", "explain", "POOL"],
    "fuzz": ["fuzz", "POOL", "--pool", "POOL", "--examples", "20"],
    "sweep": ["sweep", "POOL", "--workload", "capture", "--days", "0.01", "--jobs", "1", "--set",
              "PRIORITY_HALFLIFE=100"],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_a_pool_that_runs(
    name: str,
    recorded: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It answers as it does about a capture; one of two collectors is enough."""
    recorded(lambda whole: whole.update(states=whole["states"][2:]))
    monkeypatch.chdir(tmp_path)
    assert main(["capture", POOL, "now"]) in (0, 1)
    found = []
    for pool in ("now", POOL, f"gone.example,{POOL}"):
        capsys.readouterr()
        words = [pool if word == "POOL" else word for word in COMMANDS[name]]
        code = main(words)
        out, err = capsys.readouterr()
        assert out
        assert (f"pool {pool} was captured for this answer" in err) == (pool != "now")
        text = re.sub(r"\S*(now|campus\.example)\b\S*", "PLACE", " ".join(out.split()))
        found.append((code, re.sub(r"\d+\.?\d*", "N", text)))
    assert found[0] == found[1] == found[2]
    assert main([POOL.replace("cm", "gone") if w == "POOL" else w for w in COMMANDS[name]]) == 2
    assert "asked as a running pool" in capsys.readouterr().err


@pytest.fixture
def running_campus(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """The address of a pool that is captured as the campus is."""
    place = tmp_path / "somewhere" / "else"
    shutil.copytree(CAMPUS, place)
    with (place / "condor_config").open("a") as config:
        config.write("GROUP_NAMES = group_physics\n")
    monkeypatch.setattr(running, "_kept", lambda *given: place)
    return POOL


@pytest.mark.parametrize(
    "words",
    ["check POOL --all", "policy explain POOL", "config show --trace GROUP_NAMES POOL"],
)
def test_a_pool_that_runs_is_called_by_its_address(
    words: str, running_campus: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(words.replace("POOL", running_campus).split())
    out = capsys.readouterr().out
    assert f"{running_campus}/condor_config" in out
    assert "somewhere" not in out


@pytest.mark.parametrize(
    "words",
    ["check POOL", "policy explain POOL", "policy diff POOL POOL", "fuzz POOL --examples 1"],
)
def test_the_version_of_a_pool_is_the_one_that_its_ads_tell(
    words: str, running_campus: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(words.replace("POOL", running_campus).split())
    assert "follows 25.14.1: CondorVersion of the negotiator's ad" in capsys.readouterr().out
    main([*words.replace("POOL", running_campus).split(), "--condor-version", "25.0"])
    assert "follows 25.0.13: " in capsys.readouterr().out


def test_a_command_without_the_one_below_it_says_what_to_type(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for command, first in (("config", "config show"), ("policy", "policy explain")):
        with pytest.raises(SystemExit) as ended:
            main([command, POOL])
        assert ended.value.code == 2
        said = capsys.readouterr().err
        assert f"there is no command `{POOL}`; " in said
        assert said.endswith(f" first, as in `pieslice {first} {POOL}`\n")
