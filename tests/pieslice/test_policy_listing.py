"""``pieslice config show|dump|summary``: values, places, pretended machines."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pieslice.cli import main

TEXT = """\
PRIORITY_HALFLIFE = 60 * 60
NEGOTIATOR_INTERVAL = 30 * 2
PREEMPTION_REQUIREMENTS = ( false )
NUM = $(DETECTED_CPUS) of $(DETECTED_MEMORY)
LOOP = $(LOOP2)
LOOP2 = $(LOOP)
node1.RANK = 0
LINES @=end
a
b
@end
NUM = $(NUM) MiB
"""


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("condor_config").write_text(TEXT)
    return "condor_config"


def test_the_summary_has_what_is_set(pool: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Texts as they stand in the file; only what repeats a default is left out."""
    assert main(["config", "summary", pool, "-D", "EXTRA=1"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "# condor_config",
        "1: PRIORITY_HALFLIFE = 60 * 60",
        "2: NEGOTIATOR_INTERVAL = 30 * 2",
        "3: PREEMPTION_REQUIREMENTS = ( false )",
        "5: LOOP = $(LOOP2)",
        "6: LOOP2 = $(LOOP)",
        "7: node1.RANK = 0",
        "11: LINES @=end",
        "a",
        "b",
        "@end",
        "12: NUM = $(DETECTED_CPUS) of $(DETECTED_MEMORY) MiB",
        "",
        "# <command line>",
        "EXTRA = 1",
    ]


def test_what_repeats_a_default_is_the_default(
    pool: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """As condor_config_val 25.14.1 does with these lines."""
    Path(pool).write_text(
        "NUM_CPUS = 1\nNEGOTIATOR_INTERVAL = 60\nNEGOTIATOR_MATCHLIST_CACHING = tRUE\n"
        "B.NEGOTIATOR_MATCHLIST_CACHING = True\nENABLE_IPV6 = FALSE\nUID_DOMAIN = $(HOSTNAME)\n"
        'JOB_TRANSFORM_A @=end\nSET Project "GPULAB.$(MY.Owner)"\n@end\nSTARTD.WANT_HOLD = false\n'
    )
    assert main(["config", "summary", pool]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "1: NUM_CPUS = 1",
        "5: ENABLE_IPV6 = FALSE",
        "6: UID_DOMAIN = $(HOSTNAME)",
        'JOB_TRANSFORM_A = SET Project "GPULAB.$(MY.Owner)"'.join(("9: ", "")),
        "10: STARTD.WANT_HOLD = false",
    ]
    assert main(["config", "show", "--trace", "NEGOTIATOR_MATCHLIST_CACHING", pool]) == 0
    assert capsys.readouterr().out.splitlines()[:3] == [
        "NEGOTIATOR_MATCHLIST_CACHING = true",
        "  set at <Default>",
        "  raw true",
    ]


def test_bytes_come_out_as_they_came_in(tmp_path: Path) -> None:
    path = tmp_path / "condor_config"
    path.write_bytes(b"SOME = caf\xe9\n")
    words = [sys.executable, "-m", "pieslice", "config", "summary", "--wide", str(path)]
    done = subprocess.run(words, stdout=subprocess.PIPE, check=True)
    assert done.stdout.splitlines()[1:] == [b"1: SOME = caf\xe9"]


def test_facts_are_arguments(pool: str, capsys: pytest.CaptureFixture[str]) -> None:
    facts = ["--fact", "detected_cpus=8", "--fact", "Detected_Memory=2048"]
    assert main(["config", "show", "NUM", pool, *facts]) == 0
    assert capsys.readouterr().out == "8 of 2048 MiB\n"
    assert main(["config", "show", "NUM", pool, "--this-machine", *facts]) == 0
    assert capsys.readouterr().out == "8 of 2048 MiB\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--fact", "detected_cpu=8"], "no fact `detected_cpu`; did you mean `detected_cpus`?"),
        (["--fact", "detected_cpus=many"], "detected_cpus: `many` is not a whole number"),
        (["--fact", "is_admin=1"], "is_admin: `1` is neither true nor false"),
        (["--fact", "detected_cpus"], "`detected_cpus` is not of the form NAME=VALUE"),
        (["-D", "A B=1"], "-D: `A B` is not a macro name"),
    ],
)
def test_mistakes_in_options(
    pool: str, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config", "show", "NUM", pool, *words]) == 2
    assert said in capsys.readouterr().err


def test_definitions_come_last(pool: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "show", "--trace", "NUM", pool, "-D", "num=<$(NUM)>"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "NUM = <1 of 1024 MiB>",
        "  set at <command line>",
        "  raw <$(DETECTED_CPUS) of $(DETECTED_MEMORY) MiB>",
        "  uses DETECTED_CPUS = 1  (<Detected>)",
        "  uses DETECTED_MEMORY = 1024  (<Detected>)",
        "  replaces $(DETECTED_CPUS) of $(DETECTED_MEMORY) MiB  (condor_config, line 12)",
        "  replaces $(DETECTED_CPUS) of $(DETECTED_MEMORY)  (condor_config, line 4)",
    ]


def test_the_dump_has_defaults_too(pool: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["config", "dump", "^priority_half", "^LOOP$", "^GROUP_ACCEPT", pool]
    assert main([*words, "--trace"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "GROUP_ACCEPT_SURPLUS = false",
        "  set at <Default>",
        "LOOP = $(LOOP2)",
        "  problem: expansion of `LOOP` never ends: LOOP -> LOOP2 -> LOOP",
        "  set at condor_config, line 5",
        "PRIORITY_HALFLIFE = 60 * 60",
        "  set at condor_config, line 1",
    ]
    assert main(["config", "dump", "[", pool]) == 2
    assert "`[` is not a regular expression" in capsys.readouterr().err
    assert main(["config", "dump", pool]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 1000


def test_json(pool: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "show", "--json", "num", "NoSuch", pool]) == 1
    said = capsys.readouterr()
    assert said.err == "Not defined: NoSuch\n"
    raw = "$(DETECTED_CPUS) of $(DETECTED_MEMORY)"
    place = {"file": "condor_config", "template": None}
    assert json.loads(said.out)["macros"] == [
        {
            "name": "num",
            "value": "1 of 1024 MiB",
            "default": None,
            "raw": f"{raw} MiB",
            "line": 12,
            **place,
            "replaces": [{"raw": raw, "line": 4, **place}],
        }
    ]
    assert main(["config", "summary", "--json", pool]) == 0
    assert json.loads(capsys.readouterr().out)["macros"][0]["name"] == "PRIORITY_HALFLIFE"


def test_a_default_that_has_no_end_is_shown_as_it_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """SPOOL is `$(LOCAL_DIR)/spool` unless it is set, and LOCAL_DIR refers to it."""
    (tmp_path / "c").write_text("LOCAL_DIR = $(SITE)\nSITE = $(LOCAL_DIR)\nSPOOL = /s\n")
    assert main(["config", "show", "SPOOL", "--json", str(tmp_path / "c")]) == 0
    [shown] = json.loads(capsys.readouterr().out)["macros"]
    assert (shown["value"], shown["default"]) == ("/s", "$(LOCAL_DIR)/spool")
    (tmp_path / "c").write_text("LOCAL_DIR = /local\nSPOOL = /s\n")
    assert main(["config", "show", "SPOOL", "--json", str(tmp_path / "c")]) == 0
    assert json.loads(capsys.readouterr().out)["macros"][0]["default"] == "/local/spool"


def test_a_folder_of_files_is_a_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "10-first").write_text("A = 1\nB = 1\n")
    (tmp_path / "20-second").write_text("A = $(A)2\n")
    assert main(["config", "show", "A", "B", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "12\n1\n"
