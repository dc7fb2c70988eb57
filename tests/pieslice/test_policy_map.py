"""``pieslice map test``: what a user map makes of a name, and which line says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pieslice.cli import main

Capture = pytest.CaptureFixture[str]
MAP = """\
# users and their groups
* alice group_a,group_b
* /^a(.*)@x$/ group_\\1
* Bob group_c, group_d
* broken
* /(/ group_d
* alice group_late
claim carol group_e
@include more
"""
SKIPPED = """\
m:5:1: warning: this line says nothing: it has no result
   5 | * broken
     | ^~~~~~~~
m:6:1: warning: this line says nothing: `(` is not a regular expression
   6 | * /(/ group_d
     | ^~~~~~~~~~~~~
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m").write_text(MAP)
    Path("more").write_text("* dave group_f\n")


def test_names_and_lines(capsys: Capture) -> None:
    assert main(["map", "test", "m", "alice", "ann@x", "Bob", "dave"]) == 0
    said = capsys.readouterr()
    assert said.err == SKIPPED
    assert said.out.splitlines() == [
        "alice: group_a,group_b",
        "  m:2: * alice group_a,group_b",
        "  a job gets group_a, the first, unless it asks for another one of them",
        "  m:7 comes too late: * alice group_late",
        "ann@x: group_nn",
        "  m:3: * /^a(.*)@x$/ group_\\1",
        "Bob: group_c,",
        "  m:4: * Bob group_c, group_d",
        "  `group_d` is ignored: a result with blanks needs quotes",
        "dave: group_f",
        "  more:1: * dave group_f",
    ]


def test_no_mapping_is_a_no(capsys: Capture) -> None:
    assert main(["map", "test", "m", "bob", "carol"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "bob: no mapping",
        "  m:4 is for `Bob`: keys are compared with their case",
        "carol: no mapping",
    ]
    assert main(["map", "test", "m", "carol", "--method", "CLAIM"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "carol: group_e"
    assert main(["map", "test", "m", "carol", "--method", "x"]) == 2
    assert "no line for method `x`, only for `*`, `claim`" in capsys.readouterr().err


def test_the_group_that_a_job_asks_for(capsys: Capture) -> None:
    assert main(["map", "test", "m", "alice", "--group", "GROUP_B"]) == 0
    assert capsys.readouterr().out.splitlines()[2] == "  a job gets group_b, which it asks for"
    assert main(["map", "test", "m", "alice", "--group", "other"]) == 0
    line = capsys.readouterr().out.splitlines()[2]
    assert line == "  a job gets group_a, the first: `other` is not listed"


def test_prefixes(capsys: Capture) -> None:
    assert main(["map", "test", "m", "alice.smith", "--prefix"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "alice.smith: group_a,group_b"


def test_maps_of_a_configuration(capsys: Capture) -> None:
    Path("c").write_text(
        "SCHEDD_CLASSAD_USER_MAP_NAMES = Groups\nCLASSAD_USER_MAPFILE_Groups = m\n"
        "CLASSAD_USER_MAPDATA_Inline @=end\n* al x\n* bo y\n@end\n"
        "CLASSAD_USER_MAPFILE_Gone = none\n"
    )
    words = ["map", "test", "c", "--subsys", "SCHEDD", "--map-name"]
    assert main([*words, "groups", "alice"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "  m:2: * alice group_a,group_b"
    assert main([*words, "Inline", "bo"]) == 0
    said = capsys.readouterr()
    assert said.out.splitlines() == ["bo: y", "  CLASSAD_USER_MAPDATA_Inline:2: * bo y"]
    assert said.err == "warning: SCHEDD_CLASSAD_USER_MAP_NAMES does not name `Inline`\n"
    assert main([*words, "Gone", "bo"]) == 2
    assert capsys.readouterr().err == "error: c: cannot read `none`\n"
    assert main([*words, "Other", "bo"]) == 2
    assert capsys.readouterr().err == "error: c: no map `Other` is defined\n"


def test_json(capsys: Capture) -> None:
    assert main(["map", "test", "m", "alice", "zoe", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["names"] == [
        {
            "name": "alice",
            "result": "group_a,group_b",
            "groups": ["group_a", "group_b"],
            "group": "group_a",
            "file": "m",
            "line": 2,
            "text": "* alice group_a,group_b",
            "beaten": [{"file": "m", "line": 7}],
        },
        {
            "name": "zoe", "result": None, "groups": [], "group": None, "file": None, "line": None,
            "text": None, "beaten": [],
        },
    ]  # fmt: skip


def test_a_missing_file(capsys: Capture) -> None:
    assert main(["map", "test", "none", "alice"]) == 2
    assert capsys.readouterr().err == "error: none: no such file or directory\n"
