"""``pieslice policy diff``: what counts as different, and how it is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pieslice.cli import main

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


VERSION = "  follows 25.14.1: no version is given"


def answer(capsys: Capture, a: str, b: str, *words: str, code: int) -> list[str]:
    Path("a").write_text(a + "\n")
    Path("b").write_text(b + "\n")
    assert main(["policy", "diff", "a", "b", *words]) == code
    return capsys.readouterr().out.splitlines()


def diff(capsys: Capture, a: str, b: str, *words: str, code: int) -> list[str]:
    """What is said below the verdict and the version."""
    lines = answer(capsys, a, b, *words, code=code)
    return lines if "--json" in words else lines[lines.index(VERSION) + 2 :]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("PRIORITY_HALFLIFE = 86400", "PRIORITY_HALFLIFE = 24 * 3600"),
        ("PRIORITY_HALFLIFE = 86400", "A = 1"),
        ("NEGOTIATOR_CONSIDER_PREEMPTION = TRUE", "NEGOTIATOR_CONSIDER_PREEMPTION = 1 < 2"),
        ("PREEMPTION_REQUIREMENTS = A>1&&(b)", "X = B\nPREEMPTION_REQUIREMENTS = (a > 1 && $(X))"),
        ("GROUP_NAMES = a, b", "GROUP_NAMES = B a"),
        ("n1.RANK = TARGET.X", "n1.rank = target.x"),
        ("NEGOTIATOR_INTERVAL =", "A = 2"),
        (
            f"PREEMPTION_RANK = {' + '.join('x' * 5000)}",
            f"PREEMPTION_RANK = {'+'.join('X' * 5000)}",
        ),
    ],
)
def test_the_same_meaning(a: str, b: str, capsys: Capture) -> None:
    assert answer(capsys, a, b, code=0)[:2] == ["the policies mean the same", VERSION]


def test_the_verdict_names_the_macros_that_differ(capsys: Capture) -> None:
    one = answer(capsys, "PRIORITY_HALFLIFE = 1", "PRIORITY_HALFLIFE = 2", code=1)
    assert one[:2] == ["1 macro differs: PRIORITY_HALFLIFE", VERSION]
    two = answer(capsys, "PRIORITY_HALFLIFE = 1\nPREEMPTION_RANK = 1", "", code=1)
    assert two[0].startswith("2 macros differ: ")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ('PREEMPTION_REQUIREMENTS = A == "x"', 'PREEMPTION_REQUIREMENTS = A == "X"'),
        ("PREEMPTION_REQUIREMENTS = A > 1", "PREEMPTION_REQUIREMENTS = A > 1.0"),
        ("PREEMPTION_REQUIREMENTS = A && B", "PREEMPTION_REQUIREMENTS = B && A"),
        ("GROUP_QUOTA_x = 0", "A = 1"),
        ("STARTD.RANK = 1", "A = 1"),
        ("PREEMPTION_RANK =", "A = 1"),
        ("RANK = 1 +", "RANK = 2 +"),
    ],
)
def test_another_meaning(a: str, b: str, capsys: Capture) -> None:
    assert diff(capsys, a, b, code=1)[0].startswith(a.split()[0] + ": ")


def test_a_value_that_never_ends_is_called_so(capsys: Capture) -> None:
    lines = diff(capsys, "START = $(X)\nX = $(START)", "START = True\nX = 1", code=1)
    at = lines.index("START: Decides which jobs a slot accepts; read by the startd")
    assert lines[at + 1].startswith("- expansion of `START` never ends: START -> X -> START  [")


def test_what_is_said(capsys: Capture) -> None:
    a = "PRIORITY_HALFLIFE = 3600\nLOG = /a\nGROUP_NAMES = a,b\nNEGOTIATOR_INTERVAL = 30"
    b = "LOG = /b\nGROUP_NAMES = b, a\nuse POLICY:PREEMPT_IF_CPUS_EXCEEDED"
    lines = diff(capsys, a, b, "-D", "NEGOTIATOR_INTERVAL=30", code=1)
    assert lines[:3] == [
        "PRIORITY_HALFLIFE: Halves the memory of past usage in this time",
        "- 3600  [a:1]",
        "+ 86400  [default]",
    ]
    preempt = lines.index(
        "PREEMPT: Decides when a startd ends a job of its own accord; read by the startd"
    )
    assert lines[preempt + 1] == "- False  [default]"
    assert lines[preempt + 2].endswith("[b:3 (use POLICY:PREEMPT_IF+4)]")
    assert "the same in other words: GROUP_NAMES" in lines
    assert lines[-1].endswith("(--all shows them)")
    shown = diff(capsys, a, b, "--all", code=1)
    assert shown[shown.index("LOG") :][1:3] == ["- /a  [a:2]", "+ /b  [b:1]"]


def test_json(capsys: Capture) -> None:
    lines = diff(capsys, "PRIORITY_HALFLIFE = 1\nLOG = /a", "A = 1", "--json", code=1)
    found = json.loads("\n".join(lines))
    assert found == {
        "schema": "pieslice/policy-diff/1",
        "condor_version": "25.14.1",
        "condor_version_from": "no version is given",
        "different": [
            {
                "macro": "PRIORITY_HALFLIFE",
                "doc": "Halves the memory of past usage in this time",
                "left": {"value": "1", "raw": "1", "file": "a", "line": 1, "template": None},
                "right": {
                    "value": "86400", "raw": "86400", "file": None, "line": None, "template": None
                },
            }
        ],
        "reworded": [],
        "beyond": ["A", "LOG"],
    }  # fmt: skip


def test_what_cannot_be_compared(capsys: Capture) -> None:
    Path("a").write_text("broken\n")
    assert main(["policy", "diff", "a", "a"]) == 2
    assert "a:1:1: error" in capsys.readouterr().err
    assert main(["policy", "diff", "a", "none"]) == 2
