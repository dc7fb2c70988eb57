"""README and documentation tell the truth: their examples run, and print what is shown.

A block marked ``console`` holds commands after ``$ `` and below each what it prints; a line that
is just ``...`` stands for lines left out.  A block marked ``pycon`` is a doctest.  Both run in a
folder of their own in which everything at the top of the repository seems to be, the commands of a
tutorial all in the same.  Those of a page about running pools are played, one after the other,
against the recorded answers of a real one.  Blocks in ``sh`` are for reading.

A picture under ``docs/images`` is what a command of the page that shows it draws, in a file of the
same name.  ``KEEP_IMAGES=1 python -m pytest tests/test_docs.py`` puts the new ones there.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import doctest
import gzip
import io
import itertools
import json
import os
import pkgutil
import re
import runpy
import shlex
import shutil
import sys
import time
import tokenize
from collections.abc import Iterator
from pathlib import Path
from tokenize import COMMENT, STRING
from typing import Any, NamedTuple

import pytest

from pieslice.cli import build_parser, main
from tests.cases import every_case

ROOT = Path(__file__).parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "tests/README.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: Packages of extras that an example imports.
FRAMES = re.compile(r"^>>> import (duckdb|pandas|polars|pyarrow)\b", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


class Example(NamedTuple):
    """One command or doctest of a page; ``place``: page and line."""

    place: str
    kind: str
    command: str
    output: str


def blocks(page: Path) -> Iterator[tuple[int, str, str]]:
    text = page.read_text()
    for found in FENCE.finditer(text):
        yield text.count("\n", 0, found.start()) + 1, found[1], found[2]


def examples() -> Iterator[Example]:
    for page in PAGES:
        name = str(page.relative_to(ROOT))
        session = ""  # the doctests of a page go on from one another
        for line, kind, body in blocks(page):
            if kind == "pycon":
                session += f"{body}\n"
                yield Example(f"{name}:{line}", kind, session, "")
            if kind != "console":
                continue
            for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                yield Example(f"{name}:{line}", kind, command, output)


EXAMPLES = list(examples())
TUTORIALS = sorted({e.place.partition(":")[0] for e in EXAMPLES if "/tutorial-" in e.place})
#: Commands that a recorded pool answers: those of the page about running pools, and of other pages
#: those that name it.
LIVE = [e for e in EXAMPLES if e.place.startswith("docs/live.md") or " cm.campus." in e.command]
ALONE = [
    list(block)
    for place, block in itertools.groupby(EXAMPLES, key=lambda example: example.place)
    if "/tutorial-" not in place and place not in {example.place for example in LIVE}
]
IMAGES = ROOT / "docs" / "images"
IMAGE = re.compile(r"!\[([^]]*)\]\(images/([^)]+)\)")


def run(command: str) -> str:
    """What a command prints, both streams, without starting an interpreter."""
    words = shlex.split(command)
    if words[0] == "pieslice":
        call = lambda: main(words[1:])  # noqa: E731
    elif words[:2] == ["python", "-m"]:
        call = lambda: run_module(words[2], words[3:])  # noqa: E731
    else:
        raise AssertionError(f"`{words[0]}` is not a command that examples may use")
    stream = io.StringIO()
    with (
        contextlib.redirect_stdout(stream),
        contextlib.redirect_stderr(stream),
        contextlib.suppress(SystemExit),
    ):
        call()
    return stream.getvalue()


def run_module(module: str, arguments: list[str]) -> None:
    before = sys.argv
    sys.argv = [module, *arguments]
    try:
        runpy.run_module(module, run_name="__main__")
    finally:
        sys.argv = before


def matches(shown: str, printed: str) -> bool:
    """Equality, with ``...`` lines in ``shown`` standing for any number of lines."""
    parts = [re.escape(part) for part in re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)]
    return re.fullmatch("(?:.*\n)*?".join(parts), printed) is not None


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder like the top of the repository, where examples may write."""
    for path in ROOT.iterdir():
        if not path.name.startswith("."):
            (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("block", ALONE, ids=[f"{b[0].place} {b[0].command[:40]}" for b in ALONE])
def test_example(block: list[Example], scratch: Path) -> None:
    if any("--plot" in example.command for example in block):
        pytest.importorskip("matplotlib")
    for module in {name for example in block for name in FRAMES.findall(example.command)}:
        pytest.importorskip(module, reason=f"the extra `{module}` is optional")
    for example in block:
        check(example)
    keep_images(scratch)


@pytest.mark.slow
@pytest.mark.parametrize("page", TUTORIALS)
def test_tutorial(page: str, scratch: Path) -> None:
    pytest.importorskip("matplotlib")
    for example in EXAMPLES:
        if example.place.startswith(f"{page}:"):
            check(example)
    for _, name in IMAGE.findall((ROOT / page).read_text()):
        assert (scratch / name).is_file(), name
    keep_images(scratch)


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted({example.place.partition(":")[0] for example in LIVE}))
def test_commands_about_a_running_pool(
    page: str, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = ROOT / "tests" / "live" / "recorded"
    pool = scratch / "recorded-pool"
    pool.mkdir()
    (pool / "pool.json").write_bytes(gzip.decompress((recorded / "pool.json.gz").read_bytes()))
    monkeypatch.setenv("PYTHONPATH", str(recorded))
    monkeypatch.setenv("RECORDED_POOL", str(pool))
    for example in LIVE:
        if example.place.startswith(f"{page}:"):
            check(example)


def check(example: Example) -> None:
    """Run an example and compare what it prints."""
    if example.kind == "pycon":
        parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
        test = parser.get_doctest(example.command, {}, example.place, example.place, 0)
        report = io.StringIO()
        runner.run(test, out=report.write)
        assert runner.failures == 0, report.getvalue()
        return
    printed = run(example.command)
    if not matches(example.output, printed):
        assert printed == example.output


def keep_images(scratch: Path) -> None:
    """Pictures of the documentation are as big as those that its commands draw, or replaced."""
    for path in scratch.rglob("*.png"):
        kept = IMAGES / path.relative_to(scratch)
        if os.environ.get("KEEP_IMAGES") and shown(kept):
            kept.parent.mkdir(exist_ok=True)
            shutil.copyfile(path, kept)
        if kept.exists():
            assert path.read_bytes()[16:24] == kept.read_bytes()[16:24], f"{kept}: width and height"


def shown(image: Path) -> bool:
    name = image.relative_to(IMAGES).as_posix()
    return any(f"(images/{name})" in page.read_text() for page in PAGES)


@every_case("page", PAGES, name=lambda page: page.name)
def test_every_image_is_drawn_by_a_command_of_its_page(page: Path) -> None:
    code = "".join(body for _, kind, body in blocks(page) if kind == "console")
    for text, name in IMAGE.findall(page.read_text()):
        assert len(text.split()) > 5, f"{name}: say what is to be seen"
        folder, _, file = name.rpartition("/")
        if folder == "lab":  # what is seen in a browser
            tests = (ROOT / "tests" / "pieslice").glob("test_lab_*page.py")
            code = "".join(path.read_text() for path in tests)
            assert f'picture(page, "{Path(file).stem}")' in code, name
            continue
        if folder == "editors":  # a program of others, in the version that was tried
            assert f"{' '.join(text.split()[:2])} (" in page.read_text(), name
            continue
        option = f"--plots {folder}" if folder else f"--plot {file}"
        assert re.search(rf"{re.escape(option)}(\s|$)", code), name


#: The package that each needs, and what some of its names are in the end.
NOTEBOOK_NAMES = {
    "a-quota.ipynb": (
        "attrs",
        {
            "len(dragged)": "10",
            "dragged[0.5]": "{}",
            "sorted(dragged[0.3].values())": "[2.0, 6.0]",
        },
    ),
    "ten-cells.ipynb": (
        "pyarrow",
        {
            "pool.negotiate().matches['slot'][0]": "slot1@node4",
            "len(best)": "571428",
            "best.table['rank'][:2]": "[9972.0, 9972.0]",
            "days.policies": "('preempting', 'waiting')",
        },
    ),
    "two-policies.ipynb": (
        "matplotlib",
        {
            "lost['verdict']": "better",
            "len(days.runs)": "4",
            "(folder / 'usage.png').read_bytes()[1:4]": "b'PNG'",
        },
    ),
}
#: Modules that are no front door.
_ROOM = r"\b(?:classad|policy|negotiator|pieslice)"
INSIDE = re.compile(rf"{_ROOM}\.\w+ import\b|import {_ROOM}\.\w")
NOTEBOOKS = sorted(ROOT.glob("examples/**/*.ipynb"))


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=[path.name for path in NOTEBOOKS])
def test_notebook(notebook: Path, scratch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The cells run one after the other; none is kept with what it has printed."""
    package, expected = NOTEBOOK_NAMES[notebook.name]
    pytest.importorskip(package, reason="an extra is optional")
    cells = json.loads(notebook.read_text())["cells"]
    names: dict[str, Any] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert not INSIDE.search("".join(cell["source"])), "only what is documented"
            show(compile("".join(cell["source"]), notebook.name, "exec", ast.PyCF_ONLY_AST), names)
    assert capsys.readouterr().out.count("better") >= (package == "matplotlib")
    assert {name: str(eval(name, names)) for name in expected} == expected


def show(cell: ast.Module, names: dict[str, Any]) -> None:
    """Run a cell, and show the value of its last line as a notebook does."""
    last = cell.body[-1]
    if not isinstance(last, ast.Expr):
        exec(compile(cell, "<cell>", "exec"), names)
        return
    exec(compile(ast.Module(cell.body[:-1], []), "<cell>", "exec"), names)
    value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    html = value._repr_html_() if hasattr(value, "_repr_html_") else None
    assert html is None or html.startswith("<")


def commands(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """A parser and the parsers of its subcommands."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for sub in dict.fromkeys(action.choices.values()):
                yield from commands(sub)


def test_every_command_and_option_is_documented() -> None:
    text = (ROOT / "docs" / "cli.md").read_text()
    for parser in commands(build_parser()):
        assert parser.prog in text
        for action in parser._actions:
            if action.help != argparse.SUPPRESS and "--help" not in action.option_strings:
                for option in action.option_strings:
                    assert re.search(rf"{option}\b", text), f"{parser.prog} {option}"


def test_every_folder_is_on_the_map_and_every_path_on_it_exists() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    named = set(re.findall(r"`((?:classad|policy|negotiator|pieslice)/[\w./]*?)/?`", text))
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
    rooms = [ROOT / room for room in ("classad", "policy", "negotiator", "pieslice")]
    folders = {path.parent for room in rooms for path in room.rglob("*.py")} - set(rooms)
    assert {path.relative_to(ROOT).as_posix() for path in folders} - named == set()


def test_the_changelog_knows_where_modules_are_now() -> None:
    """The table of old and new names; what moves again is changed there, too."""
    _, _, table = (ROOT / "CHANGELOG.md").read_text().partition("<!-- modules -->")
    rows = re.findall(r"^\| `([\w.]+)` \| (.*) \|$", table, re.MULTILINE)
    now = {name for _, names in rows for name in re.findall(r"`([\w.]+)`", names)}
    assert len(rows) > 250
    files = {name: ROOT / name.replace(".", "/") for name in now}
    missing = [
        name
        for name, path in files.items()
        if not (path / "__init__.py").exists() and not path.with_suffix(".py").exists()
    ]
    assert sorted(missing) == []


ROOMS = "classad|policy|negotiator|pieslice"


def prose(path: Path) -> str:
    """A page, or the docstrings and comments of a module."""
    if path.suffix != ".py":
        return path.read_text(encoding="utf-8")
    with path.open("rb") as file:
        tokens = [t for t in tokenize.tokenize(file.readline) if t.type in (STRING, COMMENT)]
    return "\n".join(t.string for t in tokens if t.type == COMMENT or t.string.endswith('"""'))


def resolves(name: str) -> bool:
    """Whether there is a module, or something in one, with a dotted name."""
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        owner, _, last = name.rpartition(".")
        try:
            fields = getattr(pkgutil.resolve_name(owner), "__annotations__", {})
        except (ImportError, AttributeError):
            return False
        return last in fields
    return True


@pytest.mark.slow
def test_every_module_and_file_that_is_named_exists() -> None:
    """In pages, docstrings and comments: dotted names in backticks, and paths."""
    files = [*PAGES, *(path for room in ROOMS.split("|") for path in (ROOT / room).rglob("*.py"))]
    wrong = []
    for path in files:
        text = prose(path)
        dotted = set(re.findall(rf"`((?:{ROOMS})(?:\.\w+)+)`", text))
        paths = set(
            re.findall(rf"(?<![\w/.])(?:{ROOMS}|csrc|tests|fuzz)/[\w/.]+\.(?:py|[ch]|md)\b", text)
        )
        wrong += [(path.name, name) for name in paths if not (ROOT / name).exists()]
        names = {name for name in dotted if not name.endswith((".ads", ".toml"))}
        wrong += [(path.name, name) for name in names if not resolves(name)]
    assert sorted(wrong) == []


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 8


@every_case("page", PAGES, name=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text()):
        assert os.path.exists(page.parent / target), f"{page.name}: {target}"


def test_every_page_is_reachable_from_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text()
    for page in (ROOT / "docs").glob("*.md"):
        assert page.stem == "index" or re.search(rf"^{page.stem}$", index, re.MULTILINE), page.name
