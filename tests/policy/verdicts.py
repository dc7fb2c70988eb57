"""Writes the verdicts on each case of ``corpus/verdicts.txt``: ``python -m tests.policy.verdicts``.

A case is a few lines of configuration, and behind ``>`` what becomes of the daemons: whether each
starts, its exit status, whether more is to be said, the words, and what is the cause.  An empty
line ends it.  Lines with ``##`` before a case are its heading.  A line ``@ WORDS`` says how it is
asked: ``asked``, ``fragment`` or ``whole`` as options of check do, ``as SCHEDD`` and ``local NAME``
for whom it is read; ``set NAME=TEXT`` and ``env NAME=TEXT`` set a macro, ``cpus N`` tells of the
machine.  ``@ file NAME`` begins another file.  With ``@ findings``, and of a fragment, the findings
stand there, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from policy.config import load_config
from policy.io import builtin_library
from policy.language.host import HostFacts
from policy.language.sources import MemorySources
from policy.language.table import Context
from policy.lint.verdict import examine

VERDICTS = Path(__file__).parent / "corpus" / "verdicts.txt"


class Case(NamedTuple):
    """One case."""

    heading: str
    config: str
    said: str

    @property
    def written(self) -> str:
        """As it stands in the file."""
        return f"{self.heading}{self.config}{self.said}"


def cases() -> Iterator[Case]:
    """All cases, in the order of the file."""
    for block in VERDICTS.read_text(encoding="utf-8").strip("\n").split("\n\n"):
        parts: tuple[list[str], list[str], list[str]] = ([], [], [])
        for line in block.splitlines():
            part = 2 if line.startswith("> ") else 0 if line.startswith("## ") else 1
            parts[part].append(f"{line}\n")
        yield Case(*map("".join, parts))


def _options(config: str) -> tuple[dict[str, str], Mapping[str, Any], dict[str, Any]]:
    """The files, the arguments, and how they are read."""
    files = {"pool.conf": ""}
    name, subsystem, local = "pool.conf", "NEGOTIATOR", None
    arguments: dict[str, Any] = {}
    extra: list[tuple[str, str]] = []
    environment: dict[str, str] = {}
    host = HostFacts()
    for line in config.splitlines():
        word, _, rest = line.removeprefix("@ ").partition(" ")
        if not line.startswith("@ "):
            files[name] = f"{files.get(name, '')}{line}\n"
        elif word == "file":
            name = rest
        elif word == "as":
            subsystem = rest
        elif word == "local":
            local = rest
        elif word == "asked":
            arguments["asked"] = True
        elif word == "set":
            extra.append((rest.partition("=")[0], rest.partition("=")[2]))
        elif word == "env":
            environment[rest.partition("=")[0]] = rest.partition("=")[2]
        elif word == "cpus":
            host = HostFacts(detected_cpus=int(rest))
        elif word == "findings":
            continue
        else:
            arguments["fragment"] = word == "fragment"
    context = Context(subsystem, local_name=local)
    reading = {"context": context, "extra": extra, "environment": environment, "host": host}
    return files, arguments, reading


def said(config: str) -> str:
    """What becomes of the daemons, a line for each."""
    files, arguments, reading = _options(config)
    sources = MemorySources(files)
    read = load_config(
        "pool.conf", sources, builtin_library(), keep_going=True, leave_out=True, **reading
    )
    found = examine(read, **arguments)
    lines = []
    for it in found.verdicts:
        starts, more = "starts" if it.starts else "ends", "!" if it.qualified else "-"
        cause = "" if it.cause is None else f" [{it.cause.id} {it.cause.line}:{it.cause.column}]"
        lines.append(f"> {starts} {it.status} {more} {it.text}{cause}")
    if not found.starts:
        lines.append("> not all of them start")
    if found.fragment is not None:
        lines.append(f"> a fragment: {found.fragment}")
    if found.fragment is not None or "@ findings\n" in config:
        for one in found.findings:
            name = "" if one.source is None else one.source.name.removesuffix("pool.conf")
            place = f"{name and f'{name}:'}{one.line}:{one.column}+{one.end - one.start}"
            words = one.message if one.help is None else f"{one.message} -- {one.help}"
            lines.append(f"> {one.id} {one.severity} {place} {words}")
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    written = [case._replace(said=said(case.config)).written for case in cases()]
    VERDICTS.write_text("\n".join(written), encoding="utf-8")
