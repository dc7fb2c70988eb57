"""Every answer that depends on the version of HTCondor says which was followed, and whence."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

import pieslice
from negotiator.model.loaded_slots import LoadedSlots
from pieslice.cli import main
from pieslice.reports.document import version_data, version_from_data
from pieslice.reports.layout import Line, TextTable
from pieslice.reports.versions import with_version
from policy.versions import Followed, followed_version, parse_version

CAMPUS, TOUR = "examples/campus", "examples/tour"
SIMULATED = "3 --workload examples/workloads/two-users.toml --days 0.01"
TRIED = "PREEMPTION_RANK -a RemoteUserPrio=60 -a TotalJobRunTime=1"

#: Commands whose answers depend on the version -> in which line of the text it is said.
SAYING = {
    f"negotiate {CAMPUS}": 3,
    f"why {CAMPUS} 8.0": 1,
    f"why {CAMPUS} --user carol": 1,
    f"rank {CAMPUS} 15.5": 1,
    f"quotas {CAMPUS}": 1,
    f"simulate {SIMULATED}": 1,
    f"simulate {SIMULATED} --seeds 2": 0,
    f"simulate {SIMULATED} --compare {CAMPUS}/condor_config {CAMPUS}/no_preemption": 0,
    f"sweep {SIMULATED} --jobs 1 --set MAX_JOBS_RUNNING=2,9": 0,
    f"forecast {CAMPUS} --hours 1": 0,
    f"check {CAMPUS}": 0,
    f"policy explain {CAMPUS} --set-only": 1,
    f"policy diff {CAMPUS}/condor_config {CAMPUS}/no_preemption": 1,
    "config info NEGOTIATOR_INTERVAL": 0,
    f"fuzz {CAMPUS} --examples 5": 0,
}
#: Those that begin with a verdict -> where it ends.
JUDGING = {
    f"negotiate {CAMPUS}": lambda lines: lines.index("") + 1,
    f"quotas {CAMPUS}": lambda lines: next(n for n, it in enumerate(lines) if it.startswith("quo")),
}
#: Those that print a value first.
VALUES = [
    f"policy eval {CAMPUS} {TRIED}",
    f"policy eval {CAMPUS} {TRIED} --grid RemoteUserPrio=1:9",
]


def told(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    main(shlex.split(command))
    return capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("command", SAYING)
def test_the_head_says_the_version_and_whence(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = told(f"{command} --condor-version 24.0", capsys).splitlines()
    sentence = "follows 24.0.23: --condor-version"
    if command in JUDGING:
        # The first lines are those that could be sent to a colleague.
        del lines[: JUDGING[command](lines)]
    assert [line for line in lines if sentence in line] == [lines[SAYING[command]]]


@pytest.mark.parametrize("command", [f"check {TOUR}/condor_config", f"simulate {SIMULATED}"])
def test_the_head_says_that_nobody_named_a_version(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = told(command, capsys).splitlines()[:2]
    assert any(line.endswith("follows 25.14.1: no version is given") for line in lines)


@pytest.mark.parametrize("command", VALUES)
def test_a_value_is_followed_by_the_version(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = told(f"{command} --condor-version 24.0", capsys).splitlines()
    assert lines[-1].strip() == "follows 24.0.23: --condor-version"
    assert "follows" not in lines[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        *(command for command in SAYING if not command.startswith(("check", "negotiate"))),
        *VALUES,
        f"config show NEGOTIATOR_INTERVAL {CAMPUS}",
        f"config summary {CAMPUS}",
        "eval 1+1",
    ],
)
def test_data_name_the_version_and_whence(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(told(f"{command} --json --condor-version 24.0", capsys))
    assert (data["condor_version"], data["condor_version_from"]) == ("24.0.23", "--condor-version")


def test_data_of_a_check_name_the_version_of_each_configuration(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = f"check --condor-version 24.0 {TOUR} {CAMPUS} --format"
    found = json.loads(told(f"{command} json", capsys))["checks"]
    found += json.loads(told(f"{command} sarif", capsys))["runs"][0]["properties"]["verdicts"]
    said = [(one["condor_version"], one["condor_version_from"]) for one in found]
    assert said == [("24.0.23", "--condor-version")] * 4


@pytest.mark.slow
def test_a_difference_says_the_version_of_both_sides_or_of_each(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = f"diff {CAMPUS} --config {CAMPUS}/no_preemption"
    text = told(f"{command} --condor-version 24.0", capsys)
    assert text.count("follows") == 1
    assert "\n  follows 24.0.23: --condor-version\n" in text
    command = f"diff {CAMPUS} --versions 24.0 25.14.1"
    first, second = (part for part in told(command, capsys).split("\nB: "))
    assert "\n  follows 24.0.23: --versions" in first
    assert "\n  follows 25.14.1: --versions\n" in second
    found = json.loads(told(f"{command} --json", capsys))
    assert [found[side]["condor_version"] for side in "ab"] == ["24.0.23", "25.14.1"]


@pytest.mark.slow
def test_programs_are_told_as_well() -> None:
    pool = pieslice.read(CAMPUS, condor_version="24.0")
    newest = pieslice.read(CAMPUS)
    for answer in (pool.why("8.0"), pool.rank("15.5"), pool.quotas(), pool.survey(user="carol")):
        assert answer.followed is not None
        assert "  follows 24.0.23: as given" in str(answer).splitlines()
        assert answer.to_dict()["condor_version_from"] == "as given"
    changes = pool.diff(newest)
    assert [str(one.version) for one in changes.versions] == ["24.0.23", "25.14.1"]


def test_the_sentence_stands_below_the_titles() -> None:
    followed = followed_version(parse_version("24.0"), "--condor-version")
    title, table = Line("title", heading=True), TextTable((), ())
    assert with_version([title, title, table], followed) == [
        title, title, Line("  follows 24.0.23: --condor-version"), table,
    ]  # fmt: skip
    assert with_version([table], followed) == [Line("follows 24.0.23: --condor-version"), table]
    assert with_version([title], None) == [title]


def test_data_can_be_read_back() -> None:
    followed = followed_version(parse_version("24.0"), "--condor-version")
    found = version_from_data(version_data(followed))
    assert found is not None
    assert str(found) == str(followed)
    assert version_data(None) == {}
    assert version_from_data({}) is None
    assert version_from_data(version_data(Followed())) == Followed()


# --- the version that a project names -------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose pool runs 24.0, seen from a folder in it."""
    (tmp_path / "pieslice.toml").write_text('condor-version = "24.0"\n')
    (tmp_path / "condor_config").write_text("NEGOTIATOR_INTERVAL = 30\n")
    (tmp_path / "pools").mkdir()
    for name in (CAMPUS, TOUR):
        (tmp_path / "pools" / Path(name).name).symlink_to(Path(name).resolve())
    monkeypatch.chdir(tmp_path / "pools")
    return tmp_path


SAID = "follows 24.0.23: condor-version of pieslice.toml"


@pytest.mark.usefixtures("project")
def test_a_project_names_the_version_of_its_configurations(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert SAID in told("check ../condor_config", capsys)
    assert SAID in told("policy explain ../condor_config --set-only", capsys)
    assert SAID in told("check --upgrade 25.0 ../condor_config", capsys)
    assert "follows 25.0.13: --cond" in told("check ../condor_config --condor-version 25.0", capsys)
    assert told("eval -a A=A isUndefined(A)||true", capsys) == "error\n"


def test_the_ads_of_a_pool_outrank_its_project(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "follows 25.14.1: CondorVersion of the negotiator's ad" in told("why campus 8.0", capsys)
    silent = project / "silent"
    silent.mkdir()
    for name in ("slots.ads", "jobs.ads", "condor_config"):
        (silent / name).write_bytes(Path("tour", name).read_bytes())
    assert SAID in told(f"quotas {silent}", capsys)
    assert SAID in told(f"simulate {silent} --workload capture --days 0.01", capsys)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('condor-version = "22.0"\n', "22.0 is older than 23.0.0"),
        ("condor-version = 24.0\n", "condor-version is a text"),
        ('version = "24.0"\n', "`version` is no key of a project"),
    ],
)
def test_a_key_of_a_project_that_is_wrong_is_marked(
    project: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "pieslice.toml").write_text(text)
    assert main(["check", "../condor_config"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert message in " ".join(said)
    key = text.partition(" ")[0]
    shown = next(number for number, line in enumerate(said) if line.endswith(text.strip()))
    begin = said[shown].index(key)
    assert said[shown + 1][begin:] == "^".ljust(len(key), "~")


@pytest.mark.parametrize(
    ("text", "message"), [("condor-version\n", "not TOML"), ("= 3\n", "not TOML")]
)
def test_a_project_that_says_nothing_sensible_is_refused(
    project: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "pieslice.toml").write_text(text)
    assert main(["check", "../condor_config"]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert f"{project / 'pieslice.toml'}:" in said


# --- the language of the version ------------------------------------------------------------------


def test_a_policy_is_tried_by_the_language_of_the_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before 25.13.2 a reference that leads to itself fails the whole evaluation."""
    path = tmp_path / "condor_config"
    path.write_text("PREEMPTION_REQUIREMENTS = isUndefined(Busy) || true\n")
    command = f"policy eval {path} PREEMPTION_REQUIREMENTS -a Busy=Busy"
    assert told(command, capsys).startswith("true\n")
    assert told(f"{command} --condor-version 25.0", capsys).startswith("error\n")


def test_an_expression_of_a_policy_is_read_by_the_language_of_the_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`? :` with a blank binds weakest before 25.13.2."""
    path = tmp_path / "condor_config"
    path.write_text("PREEMPTION_RANK = 1 + Missing ? : 7\n")
    command = f"policy eval {path} PREEMPTION_RANK"
    assert told(command, capsys).startswith("8\n")
    assert told(f"{command} --condor-version 25.0", capsys).startswith("7\n")


def test_the_ads_of_a_pool_are_read_by_the_language_of_its_version(tmp_path: Path) -> None:
    slot = 'Name = "slot1@a"\nState = "Unclaimed"\nU = undefined\nX = 1 + U ? : 7\n'
    (tmp_path / "slots.ads").write_text(slot)
    (tmp_path / "jobs.ads").write_text("ClusterId = 1\nProcId = 0\n")
    for version, wanted in (("25.0", 7), ("25.14.1", 8)):
        (ad,) = pieslice.read(tmp_path, condor_version=version, now=0).capture.snapshot.slots
        assert ad.get_number("X") == wanted


@pytest.mark.parametrize(
    ("version", "rank", "stay"),
    [
        ("25.14.1", "1 + U ? : 7", True),
        ("25.0", "1 + U ?: 7", True),
        ("25.0", "1 + U ? : 7", False),
        ("25.0", "1 + U ?\t: 7", False),
    ],
)
def test_slots_stay_in_columns_if_nothing_in_them_is_read_otherwise(
    tmp_path: Path, version: str, rank: str, stay: bool
) -> None:
    """Whoever asks for one of their ads makes all of them."""
    slot = f'Name = "slot1@a"\nState = "Unclaimed"\nU = undefined\nX = {rank}\n'
    (tmp_path / "slots.ads").write_text(slot)
    (tmp_path / "jobs.ads").write_text("ClusterId = 1\nProcId = 0\n")
    slots = pieslice.read(tmp_path, condor_version=version, now=0).capture.snapshot.slots
    assert isinstance(slots, LoadedSlots)
    assert (slots.table() is not None) is stay
    assert slots[0].get_number("X") == (8 if stay else 7)


def test_programs_check_by_a_version_and_what_an_upgrade_changes(tmp_path: Path) -> None:
    path = tmp_path / "condor_config"
    limits = "STARTD_ENFORCE_DISK_LIMITS = True\n"
    path.write_text(f"FORCE_NEGOTIATOR_SLOT_WEIGHT = True\nLVM_HIDE_MOUNT = auto\n{limits}")
    assert pieslice.check(path).findings["id"] == []
    found = pieslice.check(path, condor_version="24.0", upgrade="25.14.1")
    assert f"{path}: follows 24.0.23: as given" in " ".join(str(found).split())
    assert found.checked.upgrade is not None
    assert str(found.checked.upgrade.new) == "25.14.1"
    policy = pieslice.policy(path, condor_version="24.0")
    assert policy.to_dict()["condor_version"] == "24.0.23"
    with pytest.raises(pieslice.ReadError, match="needs the version that runs now"):
        pieslice.check(path, upgrade="25.14.1")
    with pytest.raises(pieslice.ReadError, match="older than"):
        pieslice.check(path, condor_version="22.0")


def test_a_value_has_the_type_that_the_version_reads(tmp_path: Path) -> None:
    """LVM_HIDE_MOUNT was a boolean; newer ones also take a word."""
    path = tmp_path / "condor_config"
    path.write_text("LVM_HIDE_MOUNT = auto\nSTARTD_ENFORCE_DISK_LIMITS = True\n")
    found = pieslice.check(path, condor_version="24.0").findings
    assert "LVM_HIDE_MOUNT: `auto` is not a boolean" in found["message"]
    assert pieslice.check(path, condor_version="25.0").findings["message"] == []


def test_a_project_that_is_no_toml_is_shown_with_a_caret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pieslice.toml").write_text('condor-version = "24"x\n')
    monkeypatch.chdir(tmp_path)
    assert main(["eval", "1"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert "pieslice.toml:1:22: error: not TOML: " in said[0]
    assert said[2].index("^") - said[1].index("c") == 21
