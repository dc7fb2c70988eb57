"""The walls of the house, read from the syntax trees: who may import whom, who may look outside.

Every import counts: at the top, inside functions, for the type checker only, and by
``import_module`` with the name written out.  A failure names file and line, or the two sides of an
arrow.

``ORDER`` is the order of everything that stands side by side in a folder with subfolders: each
entry imports only what stands before it.  ``OUTSIDE`` is the whole list of modules that touch the
machine they run on; a new entry needs a reason that a reviewer accepts.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: Each room imports itself and what stands before it.
LAYERS = ["classad", "policy", "negotiator", "pieslice"]
MODULES = sorted(path for layer in LAYERS for path in (ROOT / layer).rglob("*.py"))

#: Folder -> what stands in it, from the ground up; ``__init__`` is last everywhere.
ORDER = {
    "classad": (
        "patterns", "foreign", "kernels", "source", "errors", "extras", "language",
        "syntax", "ads", "formats", "evaluation", "compiled", "loading", "evaluate", "match",
        "analysis", "builtins", "binding", "v1", "files", "table", "frames", "strategies",
        "__main__",
    ),
    "classad/table": (
        "memo", "arrays", "vectors", "shapes", "store", "expressions", "answers", "table",
    ),
    "policy": (
        "foreign_package", "data", "attributes", "versions", "language", "history", "config",
        "dialects", "ephemeral", "universes", "lazily", "knobs", "values", "groups", "claims",
        "own_machine", "publishing", "maps", "transforms", "model", "io", "load", "explain", "lint",
        "editing", "strategies",
    ),
    "negotiator": (
        "model", "versions", "groups", "accounting", "expressions", "pool", "claims", "jobs",
        "matching", "columns", "sessions", "engines", "cycle", "capture", "whatif", "io",
        "scenario", "strategies",
    ),
    "pieslice": (
        "kept_code", "terminal", "command_line", "limiting", "data", "writing", "answering",
        "reports", "recording", "live", "inputs", "expressions", "between", "fuzzing", "policies",
        "transforms", "priorities", "forecast", "runreport", "simulation", "sweeps", "negotiate",
        "shadow", "why", "history", "alerts", "partitions", "api", "lab", "lsp", "doctor", "manual",
        "cli", "__main__",
    ),
    "pieslice/lab": (
        "texts", "asked", "worker", "start", "sharing", "pool", "experiments", "laboratory",
        "server", "command", "cli",
    ),
    "pieslice/why": (
        "asked", "limits", "sessions", "fates", "moments", "lists", "clauses", "clause_tables",
        "conditions", "bounds", "funnel", "suggestions", "own_machine", "preemption", "ranking",
        "slots", "answer", "pairs", "autoclusters", "quotas", "differences", "comparing", "cli",
    ),
}  # fmt: skip

#: Doors of the command that stand in another room, because Python looks for them there.
DOORS = {"classad/__main__.py": "python -m classad is `pieslice eval`"}

#: The room of speed and its one importer.
SPEED, SPEED_DOOR = "negotiator/columns", "negotiator/engines.py"

#: What talks to people is used in ``pieslice`` only.
TERMINAL = {"sys.stdout", "sys.stderr", "sys.stdin", "sys.__stdout__", "sys.__stderr__"}
STREAMS = {"classad/files/ads.py": "a file named - is standard input or output"}
TALKERS = {"argparse", "matplotlib", "shtab", "curses", "readline", "tqdm"}

#: Uses of ``Any`` in the rooms.  Lower it whenever you can; 400 is the goal.
MAX_ANY = 400

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60

#: Modules through which a program sees or changes the machine it runs on.
WORLD = {
    "asyncio", "ctypes", "getpass", "glob", "io", "locale", "logging", "multiprocessing", "os",
    "pathlib", "pkgutil", "platform", "pwd", "random", "secrets", "select", "shutil", "signal",
    "socket", "subprocess", "tempfile", "threading", "time", "urllib", "uuid",
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
    "classad/files/column_cache.py": "keeps columns in the folder that its caller names",
    "classad/files/compressed.py": "unpacks the streams that it is given",
    "classad/files/ads.py": "reads and writes files of ads, for callers who name a file",
    "classad/files/lock.py": "locks what is written",
    "classad/files/log_file.py": "reads and writes a transaction log: appends, fsyncs, renames",
    "classad/frames/table.py": "locks a table that threads share, and names Parquet files",
    "classad/foreign.py": "lists the folder of the package once at import",
    "classad/kernels.py": "reads CLASSAD_KERNELS once at import; the choice changes no answer",
    "classad/language/bounds.py": (
        "asks for the time and the memory of the process where a caller limits them, and lends deep"
        " evaluations stack frames, which belong to the whole process"
    ),
    "classad/syntax/grammar.py": "reads the installed grammar",
    "policy/data/tables.py": "reads the tables that are installed with it",
    "policy/foreign_package.py": "reads whose file a package is, to name the foreign one",
    "policy/io.py": "reads configuration files, the host's names and the environment",
    "negotiator/capture/ads.py": "reads the ad files of a capture",
    "negotiator/capture/configuration.py": "reads the configuration files of a capture",
    "negotiator/capture/files.py": "reads a capture directory",
    "pieslice/kept_code.py": "keeps compiled code beside Python's, in __pycache__",
    "pieslice/answering.py": "prints the answer of a command into a file",
    "pieslice/limiting.py": "interrupts a command, and has the system bound its memory",
    "pieslice/doctor/checks.py": "looks at the installation: packages, programs of HTCondor",
    "pieslice/expressions/cli.py": "a command line: prints, and sets the exit code",
    "pieslice/inputs/versions.py": "finds the file of the project in whose folder it runs",
    "pieslice/history/following.py": "the body of `pieslice record`: reads captures, follows pools",
    "pieslice/inputs/moments.py": "puts a capture of a history into a folder while it is read",
    "pieslice/inputs/pool.py": "names the files of a pool, and the folder of caches",
    "pieslice/forecast/command.py": "the body of `pieslice forecast`: reads a saved state",
    "pieslice/forecast/plot.py": "draws a forecast to the file that it is given",
    "pieslice/fuzzing/command.py": "the body of `pieslice fuzz`: reads a capture",
    "pieslice/lab/command.py": "the body of `pieslice lab`: opens the port and the browser",
    "pieslice/lab/experiments/counterexample.py": "names the files of a counterexample",
    "pieslice/lab/start/desk.py": "finds the example that is installed",
    "pieslice/lab/start/dropped.py": "keeps what is dropped on the page in a temporary folder",
    "pieslice/lab/experiments/experiments.py": "looks at the clock before it says how far it is",
    "pieslice/lab/sharing/export.py": "reads what the exported page is made of",
    "pieslice/lab/sharing/handover.py": "tells which texts of a configuration are files",
    "pieslice/lab/experiments/runs.py": "waits for processes",
    "pieslice/lab/laboratory.py": "makes tokens, waits for processes",
    "pieslice/lab/sharing/saved.py": "reads a saved page, finds its pool",
    "pieslice/lab/server.py": "makes nonces, reads the page, sends it to the browser",
    "pieslice/lab/sharing/saving.py": "writes new files of a policy where it is told to",
    "pieslice/lab/start/taken.py": "counts the lines of dropped files",
    "pieslice/lab/texts.py": "names the files of a configuration",
    "pieslice/lab/experiments/visits.py": "makes a temporary folder for a counterexample",
    "pieslice/lab/pool/watching.py": "looks when files were written",
    "pieslice/lab/worker.py": "starts processes, and ends with its pipe",
    "pieslice/policies/config.py": "a command line: prints, and sets the exit code",
    "pieslice/policies/check.py": "a command line: prints what it finds",
    "pieslice/policies/rules.py": "a command line: prints what findings mean",
    "pieslice/policies/pools.py": "names the folder of a captured pool",
    "pieslice/policies/policies.py": "a command line: prints, asks for the terminal's width",
    "pieslice/policies/eval.py": "a command line: reads ads, prints, and falls back to the clock",
    "pieslice/policies/maps.py": "a command line: prints, opens the map it is pointed to",
    "pieslice/inputs/configuration.py": "reads configurations, and asks for the environment",
    "pieslice/api/policies.py": "names the configurations that a program asks for",
    "pieslice/api/pool.py": "names the files of a pool that a program asks for",
    "pieslice/api/other_policy.py": "names the configurations that a program asks for",
    "pieslice/api/session.py": "tells how long the stages of an edit took; keeps threads out",
    "pieslice/api/errors.py": "makes paths of the names that a program gives",
    "pieslice/partitions/sources.py": "names the Parquet files that a program asks for",
    "pieslice/api/simulations.py": "names the workloads and pools that a program asks for",
    "pieslice/command_line.py": "asks how wide the terminal is that help is printed on",
    "pieslice/live/asking.py": "asks the daemons of a pool, in a process of its own",
    "pieslice/live/capture.py": "writes the folder of a capture, and reads it",
    "pieslice/live/daemons.py": "runs the process that asks the daemons of a pool",
    "pieslice/live/names.py": "makes temporary folders, and removes those of killed processes",
    "pieslice/live/service.py": "tells systemd that a service is alive, starts a thread per pool",
    "pieslice/live/tools.py": "runs HTCondor's own tools",
    "pieslice/live/taking.py": "says by the clock when a pool was read",
    "pieslice/lsp/answers.py": "names the files of a configuration",
    "pieslice/lsp/checking.py": "runs checks in a thread, after a pause",
    "pieslice/lsp/lens.py": "names the folder of a captured pool",
    "pieslice/lsp/project.py": "finds the files of a configuration, reads captured ads",
    "pieslice/lsp/server.py": "hands on what a thread has found, names files",
    "pieslice/lsp/shown.py": "names the files of a configuration",
    "pieslice/lsp/serving.py": "speaks on standard input and output",
    "pieslice/manual/topics.py": "reads the pages of `pieslice help`",
    "pieslice/inputs/streams.py": "keeps what comes through pipes in temporary files",
    "pieslice/inputs/running.py": "keeps captures of running pools in temporary folders",
    "pieslice/alerts/circumstances.py": "puts captured pools into a folder while they are read",
    "pieslice/alerts/command.py": "the body of `pieslice watch`: prints, and keeps files",
    "pieslice/alerts/telling.py": "hands alerts to commands, and to addresses of this machine",
    "pieslice/shadow/whatif.py": "the body of `pieslice diff --watch`: prints cycle by cycle",
    "pieslice/shadow/command.py": "the body of `pieslice shadow`: prints, and keeps files",
    "pieslice/shadow/history.py": "names the history that captures are kept in",
    "pieslice/shadow/keeping.py": "writes the log of a shadow, and reads it again",
    "pieslice/shadow/loop.py": "waits for cycles by the clock",
    "pieslice/shadow/page.py": "the body of `pieslice page`: reads a pool, prints",
    "pieslice/shadow/report.py": "shows times of cycles",
    "pieslice/terminal.py": "asks how wide the terminal is, and the environment about colours",
    "pieslice/reports/output.py": "writes an answer to a stream or to the file that is named",
    "pieslice/reports/pages.py": "reads the style of pages",
    "pieslice/reports/plots.py": "writes plots to the files that it is given",
    "pieslice/reports/progress.py": "shows on a terminal how long a stage has taken",
    "pieslice/recording/store.py": "keeps captures in a file",
    "pieslice/runreport/asking.py": "finds the configuration of a captured pool",
    "pieslice/runreport/picture.py": "reads the style of charts, writes the chart to a file",
    "pieslice/runreport/command.py": "the body of `pieslice report`: reads a run, writes a page",
    "pieslice/simulation/command.py": "the body of `pieslice simulate`: folders of runs",
    "pieslice/simulation/moment.py": "writes the pool of a moment as a capture",
    "pieslice/simulation/output.py": "writes the folder of a run",
    "pieslice/simulation/replay.py": "names the history that a simulation begins with",
    "pieslice/simulation/recorded.py": "names the history of a run, reads its configuration",
    "pieslice/simulation/running.py": "runs a simulation: its folder, Ctrl-C",
    "pieslice/simulation/setup.py": "reads the files that describe a run",
    "pieslice/sweeps/work.py": "ends a worker whose sweep is over",
    "pieslice/sweeps/command.py": "the body of `pieslice sweep`: reads settings, writes the table",
    "pieslice/sweeps/table.py": "writes a table row by row and reads it when a sweep goes on",
    "pieslice/priorities/command.py": "the body of `pieslice userprio`: files, clock, local time",
}


#: Classes that programs know from two modules: docs/architecture.md says which.
TWICE = {"ClassAd", "ExprTree", "LimitError", "Table", "Value"}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def trees() -> list[tuple[str, ast.Module]]:
    return [(relative(path), ast.parse(path.read_bytes(), str(path))) for path in MODULES]


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that exist for the type checker only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and dotted(node.test).endswith("TYPE_CHECKING"):
            yield from (inner for part in node.orelse for inner in (part, *nodes(part)))
            continue
        yield node
        yield from nodes(node)


def dotted(node: ast.AST) -> str:
    """``a.b.c`` for such an expression; for another one what stands behind its last value."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


@cache
def imports(tree: ast.AST, *, types_too: bool = False) -> Sequence[tuple[int, str, str]]:
    """Line, module, and the name taken from it (empty for a whole module)."""
    found = []
    for node in ast.walk(tree) if types_too else nodes(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found += [(node.lineno, module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Call) and dotted(node.func).endswith("import_module"):
            match node.args:
                case [ast.Constant(value=str(name)), *_]:
                    found.append((node.lineno, name, ""))
    return found


def is_outside(name: str) -> bool:
    return any(fnmatch(name, pattern) for pattern in OUTSIDE)


def worldly(tree: ast.AST) -> Iterator[str]:
    for line, module, name in imports(tree):
        worldly_sys = module == "sys" and name in WORLDLY_SYS
        if worldly_sys or (module.split(".")[0] in WORLD and (module, name) not in HARMLESS):
            yield f"{line}: imports {module} {name}".rstrip()
    for node in nodes(tree):
        if isinstance(node, ast.Attribute):
            if dotted(node).removeprefix("sys.") in WORLDLY_SYS:
                yield f"{node.lineno}: uses {dotted(node)}"
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


@pytest.mark.slow
def test_imports_point_one_way() -> None:
    wrong = []
    for name, tree in trees():
        layer = name.split("/")[0]
        allowed = LAYERS if name in DOORS else LAYERS[: LAYERS.index(layer) + 1]
        for line, module, taken in imports(tree, types_too=True):
            if module.split(".")[0] in set(LAYERS) - set(allowed):
                wrong.append(f"{name}:{line} imports {module} {taken}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
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


@pytest.mark.slow
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


# ---- who imports whom ----------------------------------------------------------------------------


@cache
def module_files() -> dict[str, str]:
    """Module name -> file."""
    found = {}
    for path in MODULES:
        name = relative(path)
        found[name.removesuffix(".py").replace("/", ".").removesuffix(".__init__")] = name
    return found


@cache
def arrows() -> Mapping[str, Mapping[str, int]]:
    """File -> the files that it imports, each with a line."""
    files = module_files()
    found: dict[str, dict[str, int]] = {}
    for name, tree in trees():
        targets = found.setdefault(name, {})
        for line, module, taken in imports(tree, types_too=True):
            target = files.get(f"{module}.{taken}") or files.get(module)
            if target is not None and target != name:
                targets.setdefault(target, line)
    return found


def circles(graph: Mapping[str, Mapping[str, int]]) -> list[list[str]]:
    """The sets of files each of which reaches all others (Tarjan's algorithm)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            part = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(part) > 1:
                found.append(sorted(part))

    for node in graph:
        if node not in index:
            visit(node)
    return found


@pytest.mark.slow
def test_no_files_import_each_other_in_a_circle() -> None:
    found = circles(arrows())
    assert not found, "\n".join(" ".join(circle) for circle in found)


def test_the_fuzz_targets_import_one_way() -> None:
    files = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path
        for path in (ROOT / "fuzz").rglob("*.py")
    }
    graph = {
        name: {
            other: line
            for line, module, taken in imports(ast.parse(path.read_bytes()), types_too=True)
            for other in (module, f"{module}.{taken}")
            if other in files and other != name
        }
        for name, path in files.items()
    }
    assert len(files) > 40
    assert circles(graph) == []


def entry(folder: str, name: str) -> str:
    """The entry of ``ORDER[folder]`` that a file belongs to."""
    return name.removeprefix(f"{folder}/").split("/")[0].removesuffix(".py")


def test_every_module_has_its_place_in_the_order() -> None:
    for folder in {path.parent for path in MODULES}:
        if any(child.is_dir() and list(child.glob("*.py")) for child in folder.iterdir()):
            assert relative(folder) in ORDER, f"{relative(folder)} has subfolders: give it an order"
    for folder, order in ORDER.items():
        names = {entry(folder, name) for name, _ in trees() if name.startswith(f"{folder}/")}
        assert names - {"__init__"} == set(order), folder
        assert len(order) == len(set(order)), folder


def upward() -> Iterator[str]:
    """Arrows against the order, with file and line."""
    for folder, order in ORDER.items():
        place = {name: number for number, name in enumerate((*order, "__init__"))}
        for name, targets in arrows().items():
            for target, line in targets.items():
                if not (name.startswith(f"{folder}/") and target.startswith(f"{folder}/")):
                    continue
                if place.get(entry(folder, name), 0) < place.get(entry(folder, target), 0):
                    yield f"{name}:{line} imports {target}"


def test_folders_import_what_stands_before_them() -> None:
    wrong = list(upward())
    assert not wrong, "\n".join(wrong)


def test_the_room_of_speed_has_one_door() -> None:
    found = {
        name
        for name, targets in arrows().items()
        if not name.startswith(f"{SPEED}/") and any(t.startswith(f"{SPEED}/") for t in targets)
    }
    assert found == {SPEED_DOOR}


def test_rules_of_the_negotiator_name_no_table() -> None:
    """What decides asks slots, not tables of them."""
    rules = {"groups", "accounting", "pool", "claims", "jobs", "matching", "sessions", "cycle"}
    wrong = [
        f"{name}:{line}: {module}"
        for name, tree in trees()
        if name.startswith("negotiator/") and entry("negotiator", name) in rules
        for line, module, _ in imports(tree, types_too=True)
        if module.startswith("classad.table")
    ]
    assert not wrong, "\n".join(wrong)


def test_a_class_name_stands_for_one_class() -> None:
    places = defaultdict(list)
    for name, tree in trees():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    assert {name for name, files in places.items() if len(files) > 1} == TWICE


@pytest.mark.slow
def test_only_the_front_door_talks() -> None:
    wrong = []
    for name, tree in trees():
        if name.startswith("pieslice/") or name in STREAMS:
            continue
        for line, module, taken in imports(tree, types_too=True):
            if module.split(".")[0] in TALKERS or f"{module}.{taken}" in TERMINAL:
                wrong.append(f"{name}:{line} imports {module}")
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and dotted(node.func) == "print":
                wrong.append(f"{name}:{node.lineno} prints")
            elif isinstance(node, ast.Attribute) and dotted(node) in TERMINAL:
                wrong.append(f"{name}:{node.lineno} uses {dotted(node)}")
    assert not wrong, "\n".join(wrong)


def test_every_folder_says_what_it_is_for_and_what_it_never_does() -> None:
    wrong = []
    for name, tree in trees():
        if name.endswith("/__init__.py"):
            text, _, _ = (ast.get_docstring(tree) or "").partition("\n\n")
            sentence = " ".join(text.split())
            if not re.search(r"\b(never|knows (no|neither|nothing))\b", sentence):
                wrong.append(f"{name}: {sentence}")
    assert not wrong, "\n".join(wrong)


def test_any_is_for_what_is_really_anything() -> None:
    count = sum(len(re.findall(r"\bAny\b", path.read_text("utf-8"))) for path in MODULES)
    assert count <= MAX_ANY, f"{count} uses of Any: give names to types instead"


# ---- sizes, and the test of the walk ------------------------------------------------------------


@pytest.mark.slow
def test_files_and_functions_are_short() -> None:
    wrong = []
    for name, tree in trees():
        lines = len((ROOT / name).read_text(encoding="utf-8").splitlines())
        if lines >= MAX_FILE_LINES:
            wrong.append(f"{name} has {lines} lines")
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length >= MAX_FUNCTION_LINES:
                    wrong.append(f"{name}: {node.name} has {length} lines")
    assert not wrong, "\n".join(wrong)


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
