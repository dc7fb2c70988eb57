"""What a pool may be given as, and what may be shown of its cycle."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from classad.files import column_cache
from classad.files.ads import OutForm, read_ads, write_ads
from pieslice.cli import main
from pieslice.inputs.pool import cache_folder
from pieslice.inputs.sorting import kind_of, sort_out
from tests.negotiator import scenarios

ROOT = Path(__file__).parents[2]
TOUR = ROOT / "examples" / "tour"
VECTORS = ROOT / "tests" / "vectors" / "negotiation"


def answer(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    assert main(["negotiate", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def decisions(data: Any) -> Any:
    return data["matches"], data["rejections"], data["submitters"]


@pytest.mark.parametrize(
    ("form", "ending"),
    [("json", "json"), ("jsonl", "json"), ("xml", "xml"), ("new", "ads"), ("long", "ads.gz")],
)
def test_every_form_of_ads(
    form: OutForm, ending: str, pool: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = []
    for what in ("slots", "jobs", "submitters", "accounting"):
        files.append(tmp_path / f"{what}.{ending}")
        write_ads(read_ads(pool / f"{what}.ads"), files[-1], form)
    assert decisions(answer(capsys, *files, pool / "condor_config")) == decisions(
        answer(capsys, pool)
    )


def test_a_file_of_all_ads(pool: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = ("jobs", "accounting", "slots", "submitters")
    everything = tmp_path / "any.ads"
    other = 'MyType = "Collector"\nName = "cm"\n'
    texts = [(pool / f"{what}.ads").read_text() for what in parts]
    everything.write_text("\n".join([*texts, other]))
    assert decisions(answer(capsys, everything)) == decisions(answer(capsys, pool))


@pytest.mark.parametrize("named", [[], ["--jobs"]])
def test_a_pipe_is_refused(
    named: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pool of no jobs would be the answer: they are gone when the form of the file is known."""
    pipe = tmp_path / "jobs.ads"
    os.mkfifo(pipe)
    assert main(["negotiate", str(TOUR / "slots.ads"), *named, str(pipe)]) == 2
    out, err = capsys.readouterr()
    assert (out, err) == (
        "", f"error: {pipe}: is a pipe, which can be read only once; save it to a file\n",
    )  # fmt: skip


def test_a_pool_is_not_read_from_standard_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["negotiate", str(TOUR / "slots.ads"), "-"]) == 2
    assert capsys.readouterr().err == (
        "error: -: no such folder or file\n"
        "  help: a pool is not read from standard input; save it to a file\n"
    )


@pytest.mark.parametrize("command", ["negotiate", "quotas"])
def test_no_pool_at_all(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command]) == 2
    assert capsys.readouterr().err == (
        "error: give the folder of a capture, a scenario, or at least slot ads and job ads\n"
        "  help: `pieslice help captures` shows how to save one\n"
    )


def test_kinds_without_my_type(pool: Path) -> None:
    for what in ("slots", "jobs", "submitters", "accounting"):
        (ad, *_) = sort_out([pool / f"{what}.ads"], []).paths.ads[what]
        del ad.ad["MyType"]
        assert kind_of(ad) == what


def test_a_file_replaces_that_of_the_folder(
    pool: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs = tmp_path / "more.ads"
    jobs.write_text((pool / "jobs.ads").read_text().replace("ClusterId = 3", "ClusterId = 7"))
    data = answer(capsys, pool, jobs)
    assert {item["job"] for item in data["rejections"]} == {"7.0"}


def test_a_scenario_is_a_pool(capsys: pytest.CaptureFixture[str]) -> None:
    path = VECTORS / "groups-floor.json"
    data = answer(capsys, path)
    assert data["agreement"]["agree"] == data["agreement"]["decisions"] > 0
    assert data["agreement"]["differences"] == []
    seen = scenarios.load("groups-floor")["observed"]["cycles"][0]["matches"]
    assert [m["slot"] for m in data["matches"]] == [m["slot"] for m in seen]


def test_a_scenario_without_a_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.json"
    scenario = {
        "slots": [{"name": "slot1@m{i}", "count": 3}],
        "jobs": [{"submitter": "alice", "count": 2}, {"submitter": "bob", "count": 2}],
        "accountant": {"customers": {"bob": {"priority": 100.0}}},
        "config": {"NEGOTIATOR_CONSIDER_PREEMPTION": "False"},
    }
    path.write_text(json.dumps(scenario))
    found = [match["submitter"] for match in answer(capsys, path)["matches"]]
    assert found == ["alice@test", "alice@test", "bob@test"]
    fewer = answer(capsys, path, "-D", 'NEGOTIATOR_SLOT_CONSTRAINT=Name != "slot1@m1"')
    assert len(fewer["matches"]) == 2


def test_why_takes_a_scenario(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", str(VECTORS / "groups-floor.json"), "1.0"]) == 0
    assert "job 1.0 of " in capsys.readouterr().out


def test_configurations_on_top_of_each_other(
    pool: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text("NEGOTIATOR_SLOT_CONSTRAINT = False\nMINE = slot1@a\n")
    second.write_text('NEGOTIATOR_SLOT_CONSTRAINT = Name == "$(MINE)"\n')
    assert answer(capsys, pool, "--config", first)["matches"] == []
    both = ["--config", first, "--config", second]
    assert [m["slot"] for m in answer(capsys, pool, *both)["matches"]] == ["slot1@a"]
    named = answer(capsys, pool, *both, "-D", "MINE=slot1@b")
    # The reference was resolved when the macro was used, so the later definition counts.
    assert [m["slot"] for m in named["matches"]] == ["slot1@b"]


def test_only_a_group_or_a_submitter(capsys: pytest.CaptureFixture[str]) -> None:
    whole = answer(capsys, TOUR)
    one = answer(capsys, TOUR, "--submitter", "carol")
    assert {item["name"] for item in one["submitters"]} == {"chemistry.carol@example.org"}
    assert one["matches"] == [
        match
        for match in whole["matches"]
        if "chemistry.carol@example.org" in (match["submitter"], match["preempted"])
    ]
    group = answer(capsys, TOUR, "--group", "chemistry")
    assert {item["group"] for item in group["submitters"]} == {"chemistry"}
    assert main(["negotiate", str(TOUR), "--group", "chemistri"]) == 2
    assert "did you mean `chemistry`?" in capsys.readouterr().err


def test_csv_and_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "out.csv"
    assert main(["negotiate", str(TOUR), "--format", "csv", "-o", str(path)]) == 0
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    wanted = answer(capsys, TOUR)["matches"]
    assert [(row["job"], row["slot"]) for row in rows] == [(m["job"], m["slot"]) for m in wanted]
    both = ["--table", "users", "--table", "groups"]
    assert main(["negotiate", str(TOUR), "--format", "csv", *both]) == 2


def test_tables_agree_with_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    data = answer(capsys, TOUR, "--summary")
    users, groups = data["tables"]["users"], data["tables"]["groups"]
    assert sum(row["matched"] for row in users) == len(data["matches"])
    assert sum(row["refused"] for row in groups) == len(data["rejections"])
    machines = data["tables"]["machines"]
    assert sum(row["weight"] for row in machines) == data["pool"]["slot_weight_total"]
    used = sum(item["usage"] for item in data["submitters"])
    assert sum(row["claimed"] for row in machines) == used


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["nowhere"], "nowhere: no such folder or file"),
        (["README.md"], "no ads of slots, jobs"),
        (["examples/tour", "examples/campus"], "is a second folder"),
        (["tests/vectors/negotiation/groups-floor.json", "examples/tour"], "stands alone"),
        (["examples/tour/slots.ads"], "at least slot ads and job ads"),
    ],
)
def test_what_is_no_pool(names: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["negotiate", *(str(ROOT / name) for name in names)]) == 2
    assert said in capsys.readouterr().err


def test_a_broken_scenario_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "broken.json"
    path.write_text('{"slots": [{"count": 2}], "jobs": []}')
    assert main(["negotiate", str(path)]) == 2
    assert capsys.readouterr().err == f"error: {path}: not a scenario: no `name`\n"


@pytest.mark.parametrize(
    "command",
    [
        "negotiate {}",
        "negotiate {folder} --submitters {}",
        "why {} 1.0",
        "select {}",
        "eval --my {} 1",
        "userprio {}",
        "forecast {}",
        "policy eval {folder} START --my {}",
    ],
)
def test_a_table_for_people_is_one_line(
    command: str, pool: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What condor_q prints without -long is told from ads by every command that reads ads."""
    path = tmp_path / "q.txt"
    path.write_text("\n\n-- Schedd: s.example.org : <10.0.0.1:9618?... @ 11/22/26 10:00:00\n")
    words = [word.format(path, folder=pool) for word in command.split()]
    assert main(words) == 2
    error = capsys.readouterr().err
    assert error.endswith(f"{path}: a table of condor_q, not ads; save `condor_q -all -long`\n")
    assert error.count("\n") == 1


@pytest.mark.parametrize("command", ["check", "negotiate", "policy explain"])
def test_a_relative_include_is_one_in_the_working_directory_as_for_a_daemon(
    command: str, pool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    (pool / "more.conf").write_text("NEGOTIATOR_CONSIDER_PREEMPTION = False\n")
    (pool / "condor_config").write_text("include : more.conf\n")
    monkeypatch.chdir(tmp_path)
    main([*command.split(), str(pool)])
    said = "".join(capsys.readouterr())
    assert "cannot read `more.conf`" in said
    assert "$(CONFIG_ROOT)/more.conf" in said
    monkeypatch.chdir(pool)
    main([*command.split(), str(pool)])
    assert "cannot read" not in "".join(capsys.readouterr())
    monkeypatch.chdir(tmp_path)
    (pool / "condor_config").write_text("include : $(CONFIG_ROOT)/more.conf\n")
    main([*command.split(), str(pool)])
    assert "cannot read" not in "".join(capsys.readouterr())


EXAMPLES = Path(__file__).parents[2] / "examples"
INCLUDING = sorted(
    path
    for name in ("campus", "tour")
    for path in (EXAMPLES / name).iterdir()
    if not path.suffix and "\ninclude" in path.read_text()
)


@pytest.mark.parametrize("path", INCLUDING, ids=lambda path: path.name)
def test_examples_are_read_from_any_working_directory(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check", str(path)]) == 0
    assert main(["diff", str(path.parent), "--config", str(path)]) in (0, 1)
    assert "cannot read" not in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"XDG_CACHE_HOME": "/x", "HOME": "/home/me"}, "/x/pieslice"),
        ({"HOME": "/home/me"}, "/home/me/.cache/pieslice"),
        ({"PIESLICE_CACHE": "/kept", "XDG_CACHE_HOME": "/x", "HOME": "/home/me"}, "/kept"),
        ({"PIESLICE_CACHE": "", "XDG_CACHE_HOME": "/x", "HOME": "/home/me"}, None),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/home/me"}, None),
        ({}, None),
    ],
)
def test_columns_are_kept_in_the_cache_folder_that_the_environment_names(
    environment: dict[str, str], folder: str | None
) -> None:
    kept_in = cache_folder(environment)
    assert kept_in == (None if folder is None else Path(folder))


@pytest.mark.skipif(os.name == "nt", reason="the paths are those of POSIX")
def test_a_pool_that_is_read_again_decides_the_same_by_its_kept_columns(
    pool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("pieslice.inputs.pool.WORTH_KEEPING", 1)
    for path in pool.iterdir():
        os.utime(path, (1_700_000_000, 1_700_000_000))
    without = answer(capsys, pool)
    monkeypatch.setenv("PIESLICE_CACHE", str(tmp_path / "kept"))
    first = answer(capsys, pool)
    assert len(list((tmp_path / "kept").iterdir())) >= 2, "slots and jobs"

    def load(path: Path) -> None:
        raise AssertionError(f"{path} is loaded again")

    monkeypatch.setattr(column_cache, "load_file", load)
    assert without == first == answer(capsys, pool)


def test_of_short_files_nothing_is_kept(
    pool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in pool.iterdir():
        os.utime(path, (1_700_000_000, 1_700_000_000))
    monkeypatch.setenv("PIESLICE_CACHE", str(tmp_path / "kept"))
    answer(capsys, pool)
    assert not (tmp_path / "kept").exists()
