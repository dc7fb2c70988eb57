"""What a reload changes: for whom, and whether condor_reconfig is enough."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from docs.written.reload import reload_page
from pieslice.cli import main
from policy.config import Config, config_from_mapping
from policy.data.tables import reload_rows
from policy.explain.reload import Needs, find_needs, reload
from policy.io import builtin_library
from policy.knobs.readers import MAIN

ROOT = Path(__file__).parents[2]
EXECUTE = {"DAEMON_LIST": "MASTER STARTD"}


def config(**values: str) -> Config:
    return config_from_mapping(values, builtin_library())


def test_each_row_is_about_a_daemon_and_one_of_three_answers() -> None:
    for name, (daemons, needs) in reload_rows().items():
        assert set(daemons.split()) <= {*MAIN, "DEFRAG"}, name
        assert needs in ("nothing", "reconfig", "restart"), name
    assert list(reload_rows()) == sorted(reload_rows())


def test_the_page_has_what_was_asked() -> None:
    written = (ROOT / "docs" / "reload.md").read_text(encoding="utf-8")
    assert written == reload_page(), "run: python -m docs.written reload > docs/reload.md"
    rows = re.findall(r"^\| .* \| condor_[\w, ]+ \| ", written, re.MULTILINE)
    assert len(rows) == len(reload_rows())


@pytest.mark.parametrize(
    ("macro", "daemon", "needs"),
    [
        ("num_cpus", "STARTD", Needs.RESTART),
        ("SLOT_TYPE_12", "STARTD", Needs.RESTART),
        ("SLOT_TYPE_3_START", "STARTD", Needs.RECONFIG),
        ("GROUP_QUOTA_group_a", "NEGOTIATOR", Needs.RECONFIG),
        ("DAEMON_LIST", "MASTER", Needs.RECONFIG),
        ("UID_DOMAIN", "SCHEDD", None),  # the startd was asked, the schedd was not
        ("CLAIM_WORKLIFE", "STARTD", None),
    ],
)
def test_an_answer_is_about_the_daemon_that_was_asked(
    macro: str, daemon: str, needs: Needs | None
) -> None:
    assert find_needs(macro, daemon) is needs


def test_one_macro_that_needs_a_restart_decides_for_its_daemon() -> None:
    before = config(**EXECUTE, START="KeyboardIdle > 5", NUM_CPUS="2")
    found = reload(before, config(**EXECUTE, START="KeyboardIdle > 6", NUM_CPUS="4"))
    [startd] = found.daemons
    assert (startd.daemon, startd.needs) == ("STARTD", Needs.RESTART)
    assert startd.with_(Needs.RECONFIG) == ["START"]
    assert startd.with_(Needs.RESTART) == ["NUM_CPUS"]
    [startd] = reload(before, config(**EXECUTE, START="true", NUM_CPUS="2")).daemons
    assert startd.needs is Needs.RECONFIG


def test_what_was_not_asked_is_not_known_and_never_enough() -> None:
    before = config(**EXECUTE, START="KeyboardIdle > 5")
    [startd] = reload(before, config(**EXECUTE, START="true", CLAIM_WORKLIFE="9")).daemons
    assert startd.needs is Needs.UNKNOWN
    assert startd.with_(Needs.UNKNOWN) == ["CLAIM_WORKLIFE"]


def test_only_daemons_of_the_host_are_reloaded() -> None:
    found = reload(config(**EXECUTE), config(**EXECUTE, SCHEDD_INTERVAL="9", PRIORITY_HALFLIFE="9"))
    assert found.daemons == ()
    assert set(found.unread) == {"SCHEDD_INTERVAL", "PRIORITY_HALFLIFE"}
    both = {"DAEMON_LIST": "MASTER SCHEDD NEGOTIATOR"}
    found = reload(config(**both), config(**both, SCHEDD_INTERVAL="9", PRIORITY_HALFLIFE="9"))
    assert {one.daemon: one.needs for one in found.daemons} == {
        "SCHEDD": Needs.RECONFIG,
        "NEGOTIATOR": Needs.RECONFIG,
    }
    assert not found.unread


def test_a_daemon_that_is_new_in_the_list_is_the_master_s_to_start() -> None:
    less, more = {"DAEMON_LIST": "MASTER STARTD"}, {"DAEMON_LIST": "MASTER STARTD SCHEDD"}
    found = reload(config(**less), config(**more, SCHEDD_INTERVAL="9"))
    assert [(one.daemon, one.needs) for one in found.daemons] == [("MASTER", Needs.RECONFIG)]
    assert (found.started, found.ended, found.unread) == (("SCHEDD",), (), ())
    found = reload(config(**more, SCHEDD_INTERVAL="9"), config(**less))
    assert (found.started, found.ended) == ((), ("SCHEDD",))
    assert [one.daemon for one in found.daemons] == ["MASTER"]


def test_a_macro_that_is_part_of_others_acts_through_them() -> None:
    before = config(**EXECUTE, Limit="5", START="KeyboardIdle > $(Limit)")
    found = reload(before, config(**EXECUTE, Limit="6", START="KeyboardIdle > $(Limit)"))
    assert found.parts == ("Limit",)
    assert found.daemons[0].with_(Needs.RECONFIG) == ["START"]


def test_attributes_of_the_machine_are_published_again() -> None:
    before = config(**EXECUTE, STARTD_ATTRS="Site", Site="1")
    [startd] = reload(before, config(**EXECUTE, STARTD_ATTRS="Site", Site="2")).daemons
    assert startd.with_(Needs.RECONFIG) == ["Site"]


def test_what_every_daemon_reads_is_known_of_those_that_were_asked() -> None:
    found = reload(config(**EXECUTE, UID_DOMAIN="a"), config(**EXECUTE, UID_DOMAIN="b"))
    assert [(one.daemon, one.needs) for one in found.daemons] == [("STARTD", Needs.RECONFIG)]
    assert found.everywhere == ("UID_DOMAIN",)


def test_the_same_in_other_words_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a").write_text("DAEMON_LIST = MASTER STARTD\nSTART = KeyboardIdle > (5)\n")
    (tmp_path / "b").write_text("DAEMON_LIST = MASTER STARTD\nSTART = KeyboardIdle>5\n")
    main(["check", "--reload", str(tmp_path / "a"), str(tmp_path / "b"), "--width", "500"])
    assert f"nothing changes from {tmp_path}/a" in capsys.readouterr().out


def test_the_answer_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    folder = ROOT / "examples" / "reload"
    words = ["--reload", str(folder / "running"), str(folder / "new"), "--format", "json"]
    assert main(["check", *words]) == 0
    [found] = json.loads(capsys.readouterr().out)["checks"]
    assert found["host"] == {"roles": ["execute node"], "daemons": ["MASTER", "STARTD"]}
    [startd] = found["reload"]["daemons"]
    assert (startd["daemon"], startd["needs"]) == ("STARTD", "restart")
    assert startd["macros"][0] == {
        "macro": "NUM_CPUS",
        "before": "8",
        "after": "16",
        "place": f"{folder}/new, line 4",
        "needs": "restart",
    }


def test_bad_usage(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "c").write_text("A = 1\n")
    assert main(["check", "--reload", str(tmp_path / "none"), str(tmp_path / "c")]) == 2
    assert "none: no such file or directory" in capsys.readouterr().err
    assert main(["check", "--reload", "c", "--format", "sarif", str(tmp_path / "c")]) == 2
    assert "--reload is told as text and json, not as sarif" in capsys.readouterr().err


def test_what_all_daemons_of_the_host_were_asked_is_known() -> None:
    found = reload(config(**EXECUTE, ALLOW_DAEMON="a"), config(**EXECUTE, ALLOW_DAEMON="b"))
    assert {one.daemon: one.needs for one in found.daemons} == {
        "MASTER": Needs.RECONFIG,
        "STARTD": Needs.RECONFIG,
    }
    assert found.everywhere == ()
