"""The walls of the house, read from the syntax trees: who may import whom, who may look outside.

Inputs: every Python file of the three packages.  A failure names file and line.
The table ``OUTSIDE`` is the whole list of modules that touch the machine they run on; a new entry
needs a reason that a reviewer accepts.
"""

import ast
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LAYERS = [
    "classad",
    "policy",
    "negotiator",
    "pieslice",
]  # each imports itself and what stands left of it
MODULES = sorted(path for layer in LAYERS for path in (ROOT / layer).rglob("*.py"))

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60

#: Modules through which a program sees or changes the machine it runs on.
WORLD = {
    "asyncio", "ctypes", "getpass", "glob", "io", "locale", "logging", "multiprocessing", "os",
    "pathlib", "platform", "pwd", "random", "secrets", "select", "shutil", "signal", "socket",
    "subprocess", "tempfile", "threading", "time", "urllib", "uuid",
}  # fmt: skip

#: What a pure module may take from those: constants, types and pure functions.
HARMLESS = {
    ("io", "StringIO"), ("io", "BytesIO"), ("io", "TextIOBase"),
    ("pathlib", "PurePath"), ("pathlib", "PurePosixPath"),
    ("random", "Random"),  # a generator that the caller seeded; making one unseeded is found below
    ("time", "gmtime"), ("time", "strftime"), ("time", "struct_time"),
}  # fmt: skip

#: Calls that look outside without such an import; ``Random()`` without a seed is one.
WORLDLY_CALLS = {"open", "input", "print", "breakpoint"}
WORLDLY_METHODS = {"read_text", "write_text", "read_bytes", "write_bytes"}
CLOCKS = {"now", "utcnow", "today"}
WORLDLY_SYS = {"argv", "exit", "flags", "modules", "path", "platform", "stderr", "stdin", "stdout"}

#: The modules that may look outside, and why.
OUTSIDE = {
    "*/__main__.py": "starts a command line",
    "*/cli.py": "a command line reads files, prints and sets the exit code",
    "classad/binding/ambient.py": (
        "the machine's clock, chance and environment, for callers who ask for it"
    ),
    "classad/files/ads.py": "reads and writes files of ads, for callers who name a file",
    "classad/files/log_file.py": (
        "reads and writes a transaction log: appends, fsyncs, renames, locks"
    ),
    "classad/kernels.py": "reads CLASSAD_KERNELS once at import; the choice changes no answer",
    "classad/language/limits.py": (
        "lends deep evaluations stack frames, which belong to the whole process"
    ),
    "classad/syntax/make_table.py": "writes the parse table beside the grammar when it is run",
    "classad/syntax/parse_table.py": "reads the installed grammar",
    "policy/foreign_package.py": "compares the places of two packages to name the foreign one",
    "policy/data/tables.py": "reads the tables that are installed with it",
    "policy/io.py": "reads configuration files, the host's names and the environment",
    "negotiator/capture/ads.py": "reads the ad files of a capture",
    "negotiator/capture/configuration.py": "reads the configuration files of a capture",
    "negotiator/capture/reader.py": "reads a capture directory",
    "pieslice/commands/expressions.py": "a command line: prints, and sets the exit code",
    "pieslice/commands/inputs_and_clock.py": (
        "the body of `pieslice negotiate`: files, terminal width, the clock"
    ),
    "pieslice/conform/classad/runner.py": "reads the vector files that it is pointed to",
    "pieslice/conform/negotiator/pools.py": (
        "reads the captured pools that `pieslice conform` is pointed to"
    ),
    "pieslice/forecast/command.py": "the body of `pieslice forecast`: reads a saved state",
    "pieslice/forecast/plot.py": "draws a forecast to the file that it is given",
    "pieslice/fuzzing/command.py": "the body of `pieslice fuzz`: reads a capture",
    "pieslice/policy/check.py": "a command line: prints what it finds",
    "pieslice/policy/policy.py": "a command line: prints, and asks for the width of the terminal",
    "pieslice/policy/eval.py": "a command line: reads ads, prints, and falls back to the clock",
    "pieslice/policy/config.py": "a command line: prints what configurations say",
    "pieslice/policy/maps.py": "a command line: prints, and opens the map that it is pointed to",
    "pieslice/policy/options.py": "reads what the commands about configurations are pointed to",
    "pieslice/reports/plots.py": "writes plots to the files that it is given",
    "pieslice/reports/progress.py": "shows on a terminal how long a stage has taken",
    "pieslice/runreport/command.py": "the body of `pieslice report`: reads a run, writes a page",
    "pieslice/simulate/command.py": "the body of `pieslice simulate`: files, Ctrl-C, a bar",
    "pieslice/simulate/output.py": "writes the folder of a run",
    "pieslice/simulate/setup.py": "reads the files that describe a run",
    "pieslice/sweep/command.py": "the body of `pieslice sweep`: reads settings, writes the table",
    "pieslice/sweep/table.py": "writes a table row by row and reads it when a sweep goes on",
    "pieslice/userprio/command.py": "the body of `pieslice userprio`: files, clock, local time",
}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def trees() -> list[tuple[str, ast.Module]]:
    return [(relative(path), ast.parse(path.read_bytes(), str(path))) for path in MODULES]


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that exist for the type checker only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            yield from (inner for part in node.orelse for inner in (part, *nodes(part)))
            continue
        yield node
        yield from nodes(node)


def imports(tree: ast.AST, *, types_too: bool = False) -> Iterator[tuple[int, str, str]]:
    """Line, module, and the name taken from it (empty for a whole module)."""
    for node in ast.walk(tree) if types_too else nodes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, ""
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield node.lineno, "." * node.level + (node.module or ""), alias.name


def is_outside(name: str) -> bool:
    return any(fnmatch(name, pattern) for pattern in OUTSIDE)


def worldly(tree: ast.AST) -> Iterator[str]:
    for line, module, name in imports(tree):
        worldly_sys = module == "sys" and name in WORLDLY_SYS
        if worldly_sys or (module.split(".")[0] in WORLD and (module, name) not in HARMLESS):
            yield f"{line}: imports {module} {name}".rstrip()
    for node in nodes(tree):
        if isinstance(node, ast.Attribute):
            if ast.unparse(node).removeprefix("sys.") in WORLDLY_SYS:
                yield f"{node.lineno}: uses {ast.unparse(node)}"
        elif isinstance(node, ast.Call):
            yield from worldly_call(node)


def worldly_call(node: ast.Call) -> Iterator[str]:
    match node.func:
        case ast.Name(id="Random") if not node.args:
            yield f"{node.lineno}: makes an unseeded Random"
        case ast.Name(id=name) if name in WORLDLY_CALLS:
            yield f"{node.lineno}: calls {name}"
        case ast.Attribute(value=ast.Name(id="datetime" | "date"), attr=name) if name in CLOCKS:
            yield f"{node.lineno}: calls .{name}"
        case ast.Attribute(attr=name) if name in WORLDLY_METHODS:
            yield f"{node.lineno}: calls .{name}"


def test_imports_point_one_way() -> None:
    wrong = []
    for name, tree in trees():
        layer = name.split("/")[0]
        allowed = LAYERS[: LAYERS.index(layer) + 1]
        for line, module, taken in imports(tree, types_too=True):
            if module.split(".")[0] in set(LAYERS) - set(allowed):
                wrong.append(f"{name}:{line} imports {module} {taken}")
    assert not wrong, "\n".join(wrong)


def test_imports_are_absolute() -> None:
    wrong = [
        f"{name}:{line} imports {module}"
        for name, tree in trees()
        for line, module, _ in imports(tree, types_too=True)
        if module.startswith(".")
    ]
    assert not wrong, "\n".join(wrong)


def test_nothing_imports_what_is_not_installed() -> None:
    rooms = {"tests", "fuzz", "benchmarks", "scripts", "csrc", "grammar", "conftest", "pytest"}
    wrong = [
        f"{name}:{line} imports {module}"
        for name, tree in trees()
        for line, module, _ in imports(tree, types_too=True)
        if module.split(".")[0] in rooms
    ]
    assert not wrong, "\n".join(wrong)


def test_only_the_listed_modules_look_outside() -> None:
    wrong = [
        f"{name}:{what}" for name, tree in trees() if not is_outside(name) for what in worldly(tree)
    ]
    assert not wrong, "\n".join(wrong)


def test_every_listed_module_needs_its_place() -> None:
    outside = {name: any(worldly(tree)) for name, tree in trees() if is_outside(name)}
    for pattern in OUTSIDE:
        matching = [looks for name, looks in outside.items() if fnmatch(name, pattern)]
        assert not matching or any(matching), pattern


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_files_and_functions_are_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < MAX_FILE_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length < MAX_FUNCTION_LINES, f"{node.name} has {length} lines"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import os", ["1: imports os"]),
        ("from pathlib import Path", ["1: imports pathlib Path"]),
        ("from pathlib import PurePath", []),
        ("def f():\n    import random", ["2: imports random"]),
        ("import sys\nsys.exit(sys.maxsize)", ["2: uses sys.exit"]),
        ("from random import Random\nRandom(1)\nRandom()", ["3: makes an unseeded Random"]),
        ("x = datetime.now(UTC); y = state.now()", ["1: calls .now"]),
        ("with open(p) as f: pass", ["1: calls open"]),
        ("if TYPE_CHECKING:\n    import random", []),
        ("if TYPE_CHECKING:\n    pass\nelse:\n    import random", ["4: imports random"]),
    ],
)
def test_the_walk_sees(source: str, found: list[str]) -> None:
    assert list(worldly(ast.parse(source))) == found
