"""Mechanical changes are real changes, and those that no test sees are told."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

# The tool makes forks of itself, with a limit of memory.
pytest.importorskip("resource")

from fuzz.mutants import ROOT
from fuzz.sampled import __main__ as sampled
from fuzz.sampled import c_changes, forks, trial
from fuzz.sampled.changes import changes
from fuzz.sampled.cover import Cover, load
from fuzz.sampled.equivalent import EQUIVALENT
from fuzz.sampled.forks import Forks

SOURCE = '''"""Text with 1 < 2 that stays."""

from x import TYPE_CHECKING

if TYPE_CHECKING:
    from y import z


def least(a: int | None, b: list[int]) -> int:
    if a is None:
        return min(b, default=0)
    assert a < 10
    b = [c for c, _ in zip(b, b, strict=True)]
    return a + 1 if not b or a <= b[0] else b[0]
'''


def test_every_kind_of_change_is_made_where_it_means_something() -> None:
    shown = [change.shown(SOURCE) for change in changes(SOURCE)]
    assert shown == [
        "comparison: a is None -> (a is not None)",
        "guard: a is None -> False",
        "function: min -> max",
        "constant: 0 -> 1",
        "arithmetic: a + 1 -> (a - 1)",
        "constant: 1 -> 2",
        "negation: not b -> (b)",
        "condition: not b or a <= b[0] -> (not (not b or a <= b[0]))",
        "connective: not b or a <= b[0] -> (not b and a <= b[0])",
        "comparison: a <= b[0] -> (a < b[0])",
        "constant: 0 -> 1",
        "constant: 0 -> 1",
    ]


def test_a_number_that_is_too_large_for_one_more_becomes_another() -> None:
    (change,) = changes("LATEST = 9e99\n")
    assert change.applied("LATEST = 9e99\n") == "LATEST = 4.5e+99\n"


C_SOURCE = """\
#include "a.h" /* 1 < 2 */
#define MOST (1 + 2)

static int least(const char *text, int a)
{
    if (a == 0 &&
        text[1] != '3')
        return -1;
    while (a > 5)
        a -= text[a] + 1;
    return a;
}
"""


def test_every_kind_of_change_of_c_is_made() -> None:
    shown = [change.shown(C_SOURCE) for change in c_changes.changes(C_SOURCE)]
    assert sorted(shown) == [
        "arithmetic: a -= text[a] + 1; -> a -= text[a] - 1;",
        "comparison: if (a == 0 && -> if (a != 0 &&",
        "comparison: text[1] != '3') -> text[1] == '3')",
        "comparison: while (a > 5) -> while (a >= 5)",
        "condition: if (a == 0 && text[1] != '3') -> if (!(a == 0 && text[1] != '3'))",
        "condition: while (a > 5) -> while (!(a > 5))",
        "connective: if (a == 0 && -> if (a == 0 ||",
        "constant: a -= text[a] + 1; -> a -= text[a] + 2;",
        "constant: if (a == 0 && -> if (a == 1 &&",
        "constant: return -1; -> return -2;",
        "constant: text[1] != '3') -> text[2] != '3')",
        "constant: while (a > 5) -> while (a > 6)",
        "guard: if (a == 0 && text[1] != '3') -> if (0)",
    ]


def test_a_change_is_in_its_place_behind_characters_of_several_bytes() -> None:
    text = "a = 'ß', b < 1\n"
    (comparison,) = (it for it in changes(text) if it.kind == "comparison")
    assert comparison.applied(text) == "a = 'ß', (b <= 1)\n"


def test_a_line_of_an_import_concerns_all_tests_of_its_file(tmp_path: Path) -> None:
    cover = Cover(["slow", "quick"], [2.0, 1.0], {"a.py": {1: [], 5: [0, 1], 6: [1]}})
    cover.save(tmp_path / "cover.json")
    cover = load(tmp_path / "cover.json")
    assert cover.running("a.py", 1) == ["quick", "slow"]
    assert cover.running("a.py", 6) == ["quick"]
    assert cover.running("a.py", 7) == ["quick"]  # the rest of an expression
    assert cover.running("b.py", 1) == []


def test_coverage_of_an_earlier_commit_serves_lines_that_have_moved() -> None:
    before = "one\ntwo\nthree\nfour\nfive\n"
    after = "new\none\nTWO\n2\nthree\nfive\nsix\n"
    of_file = {1: [1], 2: [2], 3: [3], 4: [4], 5: [5]}
    cover = Cover(["test"] * 9, [0.0] * 9, {"a.py": of_file, "b.py": of_file, "c.py": of_file})
    texts = {"a.py": before, "b.py": before}
    found = cover.carried_over(texts, {"a.py": after, "b.py": before, "c.py": after})
    assert found.lines["a.py"] == {2: [1], 3: [2], 4: [2], 5: [3], 6: [5], 7: [5]}
    assert found.lines["b.py"] == found.lines["c.py"] == of_file


def test_the_texts_of_an_earlier_commit_are_those_that_it_has(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@test"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    (tmp_path / "a.py").write_text("one\n")
    git("init")
    git("add", "a.py")
    git("commit", "-m", "one")
    (tmp_path / "a.py").write_text("new\none\n")
    (tmp_path / "b.py").write_text("new\n")
    cover = Cover(["test"], [0.0], {"a.py": {1: [0]}, "b.py": {1: [0]}})
    found = sampled.up_to_date(cover, tmp_path, "HEAD", ["a.py", "b.py"])
    assert found.lines == {"a.py": {2: [0]}, "b.py": {1: [0]}}


def test_tests_of_the_files_that_have_most_of_them_are_asked_first() -> None:
    """Of these the quickest; then come the others beside the room, then the rest."""
    files = ["policy/a"] * 4 + ["policy/b"] * 2 + ["policy/c"] + ["pieslice/d"] * 9
    tests = [f"tests/{file}.py::test_{number}" for number, file in enumerate(files)]
    first, beside, rest = sampled.batches(tests, "policy/x.py", dict.fromkeys(tests, 2.5))
    assert first == tests[:4]
    assert beside == tests[4:7]
    assert rest == tests[7:]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with three changes, one of which no test sees, and a test that always fails."""
    root = tmp_path / "root"
    (root / "policy").mkdir(parents=True)
    (root / "policy/__init__.py").touch()
    (root / "pyproject.toml").write_text('[tool.coverage.run]\nsource = ["policy"]\nomit = []\n')
    (root / "policy/a.py").write_text("def f(x):\n    return x < 1\n\n\ndef g():\n    return 5\n")
    (root / "test_a.py").write_text(
        "from policy.a import f, g\n\n\ndef test_f():\n    assert f(0) and not f(1)\n\n\n"
        "def test_g():\n    g()\n\n\ndef test_h():\n    assert g() == 0\n"
    )
    tests = ["test_a.py::test_h", "test_a.py::test_f", "test_a.py::test_g"]
    tests += ["test_a.py::gone", "test_a.py::test_g[gone]", "gone.py::test_g"]
    cover = Cover(tests, [0.1] * 6, {"policy/a.py": {1: [], 2: [1], 5: [], 6: [0, 2, 3, 4, 5]}})
    cover.save(tmp_path / "cover.json")
    monkeypatch.setattr(sampled, "ROOT", root)
    monkeypatch.setattr(trial, "copy_to", lambda to: shutil.copytree(root, to, dirs_exist_ok=True))
    return root


@pytest.mark.parametrize("option", [(), ("--forked",)])
def test_a_change_that_no_test_sees_is_told(
    option: tuple[str, ...], project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log"
    words = ["--cover", str(tmp_path / "cover.json"), "--jobs", "2", "--log", str(log), *option]
    assert sampled.main([*words, "--allowed", "30"]) == 1
    assert capsys.readouterr().out == (
        "SURVIVES policy/a.py:6: constant: 5 -> 6 (1 tests)\n"
        "policy: 2 of 3 caught\n"
        "1 of 3 survive (33.3 %)\n"
    )
    lines = sorted(log.read_text().splitlines())
    assert [line.partition(" (test_a.py::test_f: ")[0] for line in lines] == [
        "SURVIVES policy/a.py:6: constant: 5 -> 6 (1 tests)",
        "caught policy/a.py:2: comparison: x < 1 -> (x <= 1)",
        "caught policy/a.py:2: constant: 1 -> 2",
    ]

    # The survivor again, whose line has moved, with a test that is no longer too weak.
    source = project / "policy/a.py"
    source.write_text("import math\n\n\n" + source.read_text())
    (project / "test_b.py").write_text(
        "from policy.a import g\n\n\ndef test_g():\n    assert g() == 5\n"
    )
    assert sampled.main(["--survivors", str(log), "--tests", "test_b.py"]) == 0
    assert capsys.readouterr().out == "policy: 1 of 1 caught\n0 of 1 survive (0.0 %)\n"


CHANGED = """\
from functools import cache

BOUND = 1


@cache
def below(number, bound=1):
    def inside():
        return number < bound

    return inside()


class Counter:
    step = 1

    def next(self, number):
        return [it + self.step for it in (number,)][0]
"""
SEEN_BY = """\
import time

import pytest

from policy import a
from policy.a import BOUND, Counter, below


def test_below():
    assert below(0) and not below(1)


def test_next():
    assert Counter().next(1) == 2


def test_constant():
    assert BOUND == a.BOUND


def test_fails():
    raise AssertionError("always")
"""


def test_a_fork_has_the_changed_bodies_of_functions_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy/__init__.py").touch()
    (tmp_path / "policy/a.py").write_text(CHANGED)
    (tmp_path / "test_a.py").write_text(SEEN_BY)
    names = [f"test_a.py::test_{name}" for name in ("fails", "constant", "next", "below")]

    def outcome(old: str, new: str) -> tuple[bool, str] | None:
        found = server.try_out("policy/a.py", CHANGED.replace(old, new), names)
        return found and (found.caught, found.by.partition(": ")[0])

    with Forks(tmp_path, names, dict.fromkeys(names, 0.1), 1 << 33) as server:
        assert server.tests == frozenset(names)
        assert outcome("number < bound", "number <= bound") == (True, names[3])
        assert outcome("it + self.step", "it - self.step") == (True, names[2])
        assert outcome("return inside()", "return inside() is True") == (False, "3 tests")
        for old in ("BOUND = 1", "bound=1", "step = 1"):
            assert outcome(old, old.replace("1", "2")) is None, old
        assert server.try_out("policy/a.py", CHANGED, names) is None
        assert outcome("return inside()", "import os; os.abort()") == (True, "ended with status 6")
        monkeypatch.setattr(forks, "_AT_LEAST", 1.0)
        endless = outcome("return inside()", "while True: inside()")
        assert endless == (True, "takes too long")


def test_what_is_listed_as_changing_nothing_is_a_change_of_today() -> None:
    files = {file for file, _line, _shown in EQUIVALENT}
    today = {
        sampled.Planted(file, change, text).key
        for file in files
        for text in [(ROOT / file).read_text(encoding="utf-8")]
        for change in sampled.changes(file, text)
    }
    assert EQUIVALENT.keys() <= today
    assert all(len(reason.split()) > 4 for reason in EQUIVALENT.values())
