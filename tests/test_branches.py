"""What no test runs is told, and may only become less; a pragma says why."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.sampled.rooms import deciding
from tests import branches

CONFIGURATION = """\
[tool.coverage.run]
branch = true
source = ["rules"]
omit = ["*/cli.py"]
"""
RULE = """\
def least(a, b):
    if a is None:
        return b
    while a > b:
        a -= 1
    return a


def never():
    return 1
"""


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with gaps, and what coverage saw of it."""
    pytest.importorskip("coverage")
    folder = tmp_path_factory.mktemp("measured")
    for name, text in {
        "pyproject.toml": CONFIGURATION,
        "rules/__init__.py": "",
        "rules/cli.py": "1 / 0\n",
        "rules/least.py": RULE,
        "run.py": "from rules.least import least\nleast(2, 1)\n",
        "tests/untested.json": "{}",
    }.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    subprocess.run(
        [sys.executable, "-m", "coverage", "run", "--data-file=data", "run.py"],
        check=True,
        cwd=folder,
        env={name: value for name, value in os.environ.items() if not name.startswith("COV")},
    )
    return folder


@pytest.fixture
def tree(measured: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package as it was measured, as the current folder."""
    monkeypatch.chdir(measured)
    (measured / "rules/least.py").write_text(RULE)
    (measured / "tests/untested.json").write_text("{}")
    return measured


def allow(tree: Path, **counts: int) -> None:
    listed = {f"rules/{name}.py": count for name, count in counts.items()}
    (tree / "tests/untested.json").write_text(json.dumps(listed))


def test_a_gap_is_told_with_its_line(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert branches.main(["--data", "data"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "rules/least.py:3: never runs",
        "rules/least.py:10: never runs",
        "rules/least.py: 2 untested, 0 allowed",
        "2 files that decide: 2 lines and branches untested, 0 allowed in 0 files",
    ]


def test_a_file_may_have_the_gaps_that_are_listed_and_no_more(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    allow(tree, least=2)
    assert branches.main(["--data", "data"]) == 0
    allow(tree, least=1)
    assert branches.main(["--data", "data"]) == 1
    assert "rules/least.py: 2 untested, 1 allowed" in capsys.readouterr().out


def test_the_list_only_becomes_shorter(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    allow(tree, least=5, gone=3)
    assert branches.main(["--data", "data"]) == 0
    assert "fewer than allowed" in capsys.readouterr().out
    assert branches.main(["--data", "data", "--update"]) == 0
    assert json.loads((tree / "tests/untested.json").read_text()) == {"rules/least.py": 2}
    allow(tree, least=1)
    assert branches.main(["--data", "data", "--update"]) == 1
    assert json.loads((tree / "tests/untested.json").read_text()) == {"rules/least.py": 1}


@pytest.mark.parametrize(
    ("comment", "status"),
    [
        ("# pragma: no cover - only on Windows", 0),
        ("# pragma: no cover", 1),
        ("# pragma: no cover -", 1),
        ("#pragma:no cover because", 1),
    ],
)
def test_a_pragma_takes_a_line_out_and_says_why(tree: Path, comment: str, status: int) -> None:
    text = RULE.replace("def never():", f"def never():  {comment}")
    (tree / "rules/least.py").write_text(text.replace("is None:", f"is None:  {comment}"))
    assert branches.main(["--data", "data"]) == status


def test_every_pragma_of_this_tree_has_its_reason_and_every_listed_file_is_there() -> None:
    assert branches.without_reason(branches.ROOT) == []
    listed = json.loads((branches.ROOT / branches.UNTESTED).read_text(encoding="utf-8"))
    assert set(listed) <= set(deciding(branches.ROOT))
