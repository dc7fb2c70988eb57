"""Writes what becomes of the configurations in ``corpus/tables.txt``.

A case is a configuration of a few lines; ``%%`` begins another file or template of it, or says who
reads it, or what the environment is (``python -m tests.policy.tables`` writes the file anew).
Behind ``>`` or ``=`` stands what comes out: each macro with its value and where its characters
stand, what it was before and what it uses; then what was reported, and the files that were read.
``=``: the real library, 25.14.1, has the same value; ``>``: it was not asked, or says otherwise.
With ``--real`` it is asked anew.  An empty line ends a case.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from attr import evolve

from policy.config import Config, Library, load_config
from policy.io import builtin_library
from policy.language.macros import ExpansionError
from policy.language.origins import Origins, Spot
from policy.language.sources import MemorySources
from policy.language.table import Context, Definition
from policy.language.templates import Template, Templates

TABLES = Path(__file__).parent / "corpus" / "tables.txt"
#: What no configuration of a case sets.
_DETECTED = "<Detected>"

#: Macros that many cases have, by the word behind ``%% given``.
GIVEN = {
    "macros": "E =\nO = 1\nT = $(O)2\nN = O\nS = a b\n",
    "values": (
        'HUNDRED = 100\nFIVE = 5\nNEG = -3\nHALF = 2.5\nTEXT = abcd\nQ = "a b"\nEMPTY =\n'
        "LIST = x, y ,z\nP = /one/two/three.tar.gz\nREL = a/b.c\nBIG = 99999999999\n"
    ),
    "truths": "ONE = 1\nZERO = 0\nEMPTY =\nNAME = ONE\nTOOL.T2 = 1\n",
}


class Case(NamedTuple):
    """One case."""

    heading: str
    config: str
    said: str

    @property
    def written(self) -> str:
        """As it stands in the file."""
        return f"{self.heading}{self.config}{self.said}"


def cases(file: Path = TABLES) -> Iterator[Case]:
    """All cases, in the order of the file."""
    for block in file.read_text(encoding="utf-8").strip("\n").split("\n\n"):
        parts: tuple[list[str], list[str], list[str]] = ([], [], [])
        for line in block.split("\n"):
            part = 2 if line.startswith(("> ", "= ")) else 0 if line.startswith("## ") else 1
            parts[part].append(f"{line}\n")
        yield Case(*map("".join, parts))


class Setup(NamedTuple):
    """A case taken apart; in texts ``~`` at the end of a line stands for a blank."""

    files: dict[str, str]
    context: Context
    environment: dict[str, str]
    templates: Library


def taken_apart(config: str) -> Setup:
    """The files of a case, who reads them, and the environment."""
    files, name = {"c": ""}, "c"
    context, environment = Context(), {}
    templates: dict[tuple[str, str], Template] = {}
    for line in config.splitlines(keepends=True):
        words = line.split()
        if words[:2] == ["%%", "file"]:
            name = words[2]
            files[name] = ""
        elif words[:2] == ["%%", "template"]:
            name = " : ".join(words[2:])
            files[name] = ""
        elif words[:2] == ["%%", "read"]:
            context = Context(words[3], words[4] if len(words) > 4 else None)
        elif words[:2] == ["%%", "env"]:
            environment[words[2]] = " ".join(words[3:])
        elif words[:2] == ["%%", "given"]:
            files[name] += f"include : {words[2]}\n"
            files[words[2]] = GIVEN[words[2]]
        elif words[:2] == ["%%", "open"]:
            files[name] = files[name].removesuffix("\n")
        else:
            files[name] += _meant(line)
    library = builtin_library()
    for name in [name for name in files if " : " in name]:
        category, _, template = name.partition(" : ")
        key = category.casefold(), template.casefold()
        templates[key] = Template(category, template, files.pop(name))
    if templates:
        library = evolve(library, templates=Templates({**library.templates.entries, **templates}))
    return Setup(files, context, environment, library)


def _meant(line: str) -> str:
    return line.replace("\\t", "\t").replace("~\n", " \n").replace("\\n", "\n")


def read(setup: Setup) -> Config:
    """The configuration of a case."""
    return load_config(
        "c",
        MemorySources(setup.files, _program),
        setup.templates,
        context=setup.context,
        environment=setup.environment,
        keep_going=True,
        leave_out=True,
        now=1_700_000_000.0,
    )


def _program(command: str) -> str | None:
    """Stands in for programs."""
    name, _, words = command.partition(" ")
    return f"{words}\n" if name == "echo" else None


def said(config: str, same: Iterable[str] = ()) -> str:
    """What comes out; ``same``: the macros of which the library has the same value."""
    setup = taken_apart(config)
    found = read(setup)
    lines = []
    for name in dict.fromkeys(entry.name for entry in found.scope.table):
        definition = found.scope.table.get(name)
        assert definition is not None
        if definition.origin not in (_DETECTED, *GIVEN):
            mark = "=" if name in set(same) else ">"
            lines += [f"{mark} {line}" for line in _macro(found, definition)]
    for item in found.diagnostics:
        text = item.message if item.help is None else f"{item.message} -- {item.help}"
        where = item.source.name if item.source else ""
        place = f"{where}:{item.line}:{item.column}+{item.end - item.start}"
        lines.append(f"> ! {item.severity} {item.id or ''} {place} {text}".replace("  ", " "))
    if len(setup.files) > 1 and "%% given" not in config:
        lines.append(f"> files {' '.join(found.files)}")
    return "".join(f"{line}\n" for line in map(visible, lines)) or "> nothing\n"


def visible(line: str) -> str:
    """A line in which no character is lost."""
    line = line.encode("utf-8", "backslashreplace").decode("utf-8")
    return line.rstrip(" ").replace("\n", "\\n").replace("\t", "\\t").replace("\0", "\\0")


def _macro(config: Config, definition: Definition) -> Iterator[str]:
    name = definition.name
    try:
        expanded = config.expand(definition)
    except ExpansionError as endless:
        yield f"{name} ! {endless}"
        return
    seen = config.lookup(name)
    yield f"{name} = [{expanded.text}] {_origins(config, definition, expanded.text)}".rstrip()
    rest = []
    if definition.raw not in (definition.written, expanded.text):
        rest.append(f"raw [{definition.raw}]")
    if definition.written not in (None, definition.raw):
        rest.append(f"written [{definition.written}]")
    if definition.line is None or definition.template or "\n" in config.files:
        rest.append(definition.place())
    rest += [f"was {earlier.place()} [{earlier.raw}]" for earlier in [*definition.chain()][1:2]]
    used = [f"{other}{'' if entry else '?'}" for other, entry in config.scope.used_by(definition)]
    rest += [f"uses {' '.join(used)}"] if used else []
    if seen is not definition:
        rest.append(f"but seen as {seen and seen.name}")
    undefined = config.scope.undefined_in(definition.raw)
    rest += [f"nobody defines {' '.join(undefined)}"] if undefined else []
    rest += expanded.problems
    if rest:
        yield f"  {'; '.join(rest)}"


def _origins(config: Config, definition: Definition, text: str) -> str:
    """Where the characters of a value stand: stretches of them, then the whole."""
    origins = Origins(config.scope, definition)
    spots = [origins.locate(at, at + 1) for at in range(len(text))]
    led = origins.references() or [()] * len(text)
    told = []
    for _, run in groupby(range(len(text)), key=lambda at: _follows(spots, led, at)):
        places = [*run]
        first, last = spots[places[0]], spots[places[-1]]
        through = "".join(f"<{one}" for one in led[places[0]])
        told.append(_shown(first, last) + through)
    whole = origins.locate(0, len(text))
    if len(told) > 1:
        told.append(f"all {_shown(whole, whole)}")
    return " ".join(told)


def _follows(spots: list[Spot | None], led: list[tuple[str, ...]], at: int) -> object:
    """What is the same for all characters of a stretch."""
    spot = spots[at]
    if spot is None:
        return None
    alike = [spot[1:] == other[1:] for other in spots[max(0, at - 1) : at + 2] if other]
    if sum(alike) > 1:
        return id(spot[0]), spot[1:], led[at]
    return id(spot[0]), spot[1] - at, led[at]


def _shown(first: Spot | None, last: Spot | None) -> str:
    if first is None or last is None:
        return "?"
    source = first[0]
    line = source.text.count("\n", 0, first[1]) + 1
    column = first[1] - source.text.rfind("\n", 0, first[1])
    name = "" if source.name == "c" else f"{source.name}:"
    return f"{name}{line}:{column}+{last[2] - first[1]}"


# --- the real library ------------------------------------------------------------------------


def real_values(config: str) -> dict[str, str]:
    """The values that the library has; none where it ends at the configuration."""
    setup = taken_apart(config)
    here = setup.context == Context() and "%% template" not in config
    if not here or any("/" in name for name in setup.files):
        return {}
    found: dict[str, str] = {}
    names = list(dict.fromkeys(entry.name for entry in read(setup).scope.table))
    with tempfile.TemporaryDirectory() as folder:
        for name, text in setup.files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        while names:
            answers = _asked(folder, setup, names)
            if answers is None:
                break
            found.update(answers)
            names = names[len(answers) + 1 :]  # the next one ended the program
    return found


def _asked(folder: str, setup: Setup, names: list[str]) -> dict[str, str] | None:
    """The values of so many of the macros as the library survives; None if it reads nothing."""
    inside, outside = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            _ask(folder, setup, names, outside)
        finally:
            os._exit(0)
    os.close(outside)
    with os.fdopen(inside, "rb") as stream:
        answer = stream.read().decode("utf-8", "surrogateescape")
    os.waitpid(child, 0)
    if not answer:
        return None
    parts = answer.split("\0")[1:-1]
    return dict(part.split("=", 1) for part in parts)


def _ask(folder: str, setup: Setup, names: list[str], outside: int) -> None:
    import signal

    import htcondor2

    signal.alarm(5)
    os.chdir(folder)
    os.environ["CONDOR_CONFIG"] = f"{folder}/c"
    os.environ.update(setup.environment)
    htcondor2.reload_config()
    os.write(outside, b"\0")
    for name in names:
        value = htcondor2.param.get(name)
        os.write(outside, f"{name}={'' if value is None else value}\0".encode())


def agreeing(config: str) -> list[str]:
    """The macros of which the library has our value."""
    real = real_values(config)
    found = read(taken_apart(config))
    same = []
    for name, value in real.items():
        try:
            ours = found.text(name) or ""
        except ExpansionError:
            continue
        if ours == value or (value in ("True", "False") and ours.capitalize() == value):
            same.append(name)
    return same


def agreed(case: Case) -> list[str]:
    """The macros that the file says the library agrees about."""
    lines = [line for line in case.said.splitlines() if line.startswith("= ")]
    return [line.split()[1] for line in lines if not line.startswith("=   ")]


if __name__ == "__main__":
    anew = "--real" in sys.argv
    if anew:
        import htcondor2

        os.environ.setdefault("CONDOR_CONFIG", os.devnull)
        htcondor2.param.get("A")
    written = [
        case._replace(
            said=said(case.config, agreeing(case.config) if anew else agreed(case))
        ).written
        for case in cases()
    ]
    TABLES.write_text("\n".join(written), encoding="utf-8")
