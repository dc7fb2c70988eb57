"""Classes and patterns that another process has compiled are those that attrs and ``re`` make."""

from __future__ import annotations

import builtins
import collections
import os
import re
import subprocess
import sys
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import attr
import pytest
from attr import _make

import policy  # noqa: F401 - looks whose package `classad` is, and patterns are kept from then on
from classad import patterns
from classad.patterns import late_regex
from pieslice.kept_code import KeptCode

ROOT = Path(__file__).parents[2]


def make_class() -> Any:
    """A class with a default, a factory, and a hash."""

    @attr.frozen
    class Point:
        x: int
        y: int = 2
        tags: list[str] = attr.Factory(list)

    return Point


def make_other_class() -> Any:
    @attr.frozen
    class Point:
        x: int
        y: int = 3

    return Point


def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names under which texts are really compiled."""
    names: list[str] = []

    def count(text: str, name: str, mode: str) -> Any:
        names.append(name)
        return compile(text, name, mode)

    monkeypatch.setattr("pieslice.kept_code._compile", count)
    return names


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return str(tmp_path / "kept")


def behaves(point: Any) -> None:
    one, same, other = point(1), point(1, 2), point(1, 5)
    assert one == same != other
    assert repr(one).endswith("Point(x=1, y=2, tags=[])")
    assert one.tags is not same.tags, "a factory is called for each"
    assert attr.evolve(one, y=5) == other
    with pytest.raises(attr.exceptions.FrozenInstanceError):
        one.x = 3
    with pytest.raises(TypeError, match="unhashable type: 'list'"):
        hash(one)


def test_a_class_of_kept_code_is_the_class(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with KeptCode(path):
        behaves(make_class())
    names = compiled(monkeypatch)
    with KeptCode(path):
        behaves(make_class())
    assert names == []


def test_a_named_tuple_of_kept_code_is_the_named_tuple(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make() -> Any:
        class Place(NamedTuple):
            line: int
            column: int | None = None

        return Place

    with KeptCode(path):
        make()
    names = compiled(monkeypatch)
    with KeptCode(path):
        place = make()
    assert names == []
    assert place(3) == (3, None) == place(column=None, line=3)
    assert typing.get_type_hints(place) == {"line": int, "column": int | None}
    with pytest.raises(TypeError):
        place()


def test_another_class_of_the_same_name_is_another_one(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with KeptCode(path):
        make_class()
    names = compiled(monkeypatch)
    with KeptCode(path):
        point = make_other_class()
    assert len(names) == 1
    assert point(1).y == 3
    assert hash(point(1)) == hash(point(1, 3)) != hash(point(1, 4))


def test_what_was_kept_stays_beside_what_is_new(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for make in (make_class, make_other_class):
        with KeptCode(path):
            make()
    names = compiled(monkeypatch)
    with KeptCode(path):
        make_class()
        make_other_class()
    assert names == []


PATTERNS = [
    (r"a(?P<first>b)?(c)\1", 0),
    (r"[a-zß]+(?P<end>\d{2,3})\Z", re.IGNORECASE),
    (r"(?im)^\s*(?:SET|(?P<word>copy))\s+(\w+)(?<!x)$", 0),
    (r"(?x) a  # a comment", re.ASCII),
    (rb"\xff+|(?P<rest>.)", re.DOTALL),
]


@pytest.mark.parametrize(("text", "flags"), PATTERNS)
def test_a_kept_pattern_is_the_pattern(
    path: str, text: str | bytes, flags: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted: re.Pattern[Any] = re.compile(text, flags)
    for parsed in (1, 0):
        with KeptCode(path):
            calls = counted_parses(monkeypatch)
            late: re.Pattern[Any] = late_regex(text, flags)
            found = late.search.__self__
        assert len(calls) == parsed
        assert found == wanted
        assert (found.groups, found.groupindex, found.flags, found.pattern) == (
            *(wanted.groups, wanted.groupindex, wanted.flags, wanted.pattern),
        )


def counted_parses(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The texts of patterns that are parsed from now on."""
    parser, calls = sys.modules["re._parser"], list[object]()
    parse = parser.parse

    def count(text: object, *more: Any) -> Any:
        calls.append(text)
        return parse(text, *more)

    monkeypatch.setattr(parser, "parse", count)
    return calls


def test_a_pattern_with_other_flags_is_another_one(path: str) -> None:
    with KeptCode(path):
        assert late_regex("a").fullmatch("A") is None
        assert late_regex("a", re.IGNORECASE).fullmatch("A")
    with KeptCode(path):
        assert late_regex("a").fullmatch("A") is None
        assert late_regex("a", re.IGNORECASE).fullmatch("A")


def test_patterns_of_the_input_are_not_kept(path: str) -> None:
    with KeptCode(path):
        assert re.compile("of_the_input").fullmatch("of_the_input")
    assert not os.path.exists(path)


def test_a_pattern_that_is_none_says_so(path: str) -> None:
    with KeptCode(path), pytest.raises(re.error, match="missing \\)"):
        late_regex("(").search("")


def cut(data: bytes) -> bytes:
    return data[:-5]


def one_bit(data: bytes) -> bytes:
    return data[:50] + bytes([data[50] ^ 1]) + data[51:]


def of_another_python(data: bytes) -> bytes:
    return b"\0\0\0\0" + data[4:]


def empty(data: bytes) -> bytes:
    return b""


@pytest.mark.parametrize("spoil", [cut, one_bit, of_another_python, empty])
def test_a_spoiled_file_is_none(path: str, spoil: Callable[[bytes], bytes]) -> None:
    with KeptCode(path):
        make_class()
    file = Path(path)
    data = file.read_bytes()
    file.write_bytes(spoil(data))
    with KeptCode(path):
        behaves(make_class())
    assert file.read_bytes() == data


def test_nothing_is_left_of_it(path: str) -> None:
    with pytest.raises(KeyError), KeptCode(path):
        raise KeyError
    assert all(one.__class__ is len.__class__ for one in (builtins.compile, builtins.hash))
    for module in (_make, typing, collections):
        assert {"compile", "eval", "hash"}.isdisjoint(vars(module))
    assert patterns.compile_regex is re.compile


def test_where_python_keeps_no_bytecode_nothing_is_kept(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    with KeptCode(path):
        behaves(make_class())
    assert not os.path.exists(path)


def test_a_place_that_cannot_be_written_is_no_matter(tmp_path: Path) -> None:
    with KeptCode(str(tmp_path / "missing" / "kept")):
        behaves(make_class())


def test_more_than_may_be_kept_is_let_go(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pieslice.kept_code.MOST", 100)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    with KeptCode(path):
        make_class()
    assert os.path.getsize(path) < 100


def test_processes_with_other_hashes_compile_nothing_anew(tmp_path: Path) -> None:
    program = "from pieslice.cli import program; program()"
    environment = {name: value for name, value in os.environ.items() if "BYTECODE" not in name}
    environment |= {"PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONPATH": str(ROOT)}
    kept = []
    for seed in ("1", "2"):
        subprocess.run(
            [sys.executable, "-c", program, "negotiate", "examples/campus"],
            cwd=ROOT,
            env=environment | {"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        )
        [file] = tmp_path.rglob("*.kept")
        kept.append((file.read_bytes(), file.stat().st_mtime_ns))
    assert kept[0] == kept[1]


def test_what_is_kept_of_a_text_is_what_another_process_would_make(path: str) -> None:
    made = []

    def make(text: str) -> tuple[str, int]:
        made.append(text)
        return text, len(text)

    for text in ("one", "three", "one"):
        with KeptCode(path):
            assert patterns.kept(text, make) == (text, len(text))
    assert made == ["one", "three"]
    with KeptCode(path):
        assert patterns.kept("one", lambda text: text.upper()) == "ONE", "made in another way"
    assert patterns.kept("one", make) == ("one", 3), "nothing is kept outside"
    assert made == ["one", "three", "one"]


def test_what_is_made_is_made_anew_when_its_module_has_changed(tmp_path: Path, path: str) -> None:
    module = tmp_path / "counting.py"
    for step in (1, 2):
        module.write_text(f"STEP = {step}\ndef make(text):\n    return len(text) * STEP\n")
        os.utime(module, (step, step))
        there: dict[str, Any] = {}
        exec(compile(module.read_text(), str(module), "exec"), there)
        with KeptCode(path):
            assert patterns.kept("one", there["make"]) == 3 * step, "the function is the same"


def test_the_second_command_that_explains_an_expression_needs_no_lark(tmp_path: Path) -> None:
    (tmp_path / "condor_config").write_text("START = (TARGET.ImageSize > 5\n")
    program = (
        "import sys; from pieslice.cli import main\n"
        "main(['check', sys.argv[1]], alone=True)\n"
        "print('lark' in sys.modules)"
    )
    environment = {name: value for name, value in os.environ.items() if "BYTECODE" not in name}
    environment |= {"PYTHONPYCACHEPREFIX": str(tmp_path / "code"), "PYTHONPATH": str(ROOT)}
    answers = [
        subprocess.run(
            [sys.executable, "-c", program, tmp_path / "condor_config"],
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        .stdout.rpartition("\n")[0]
        .rpartition("\n")
        for _ in range(2)
    ]
    (said, _, first), (again, _, second) = answers
    assert "`(` is never closed" in said
    assert said == again
    assert (first, second) == ("True", "False")
