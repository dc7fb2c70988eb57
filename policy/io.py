"""The outside world for configurations: files, this machine, the data of this package.

What is decided here: nothing about the language; this is the only module of ``policy`` that opens
files or looks at the machine.  Programs named by a configuration are never run.
Inputs: paths.  Outputs: ``Config`` values, ``HostFacts`` of this machine, the built-in library.
"""

from __future__ import annotations

import json
import os
import platform
import socket
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from attr import Factory, frozen

from policy.config import Config, Library, load_config
from policy.host import HostFacts
from policy.knobs import table_defaults
from policy.sources import ProgramsNotRun
from policy.table import Context
from policy.templates import template_set


@frozen
class FileSources:
    """Files of this machine, and ``texts`` that pretend to be files."""

    texts: Mapping[str, str] = Factory(dict)

    def read(self, path: str) -> str | None:
        if path in self.texts:
            return self.texts[path]
        try:
            with open(path, encoding="utf-8", errors="surrogateescape", newline="") as stream:
                return stream.read()
        except OSError:
            return None

    def list_files(self, directory: str) -> list[str] | None:
        try:
            with os.scandir(directory) as entries:
                return [os.path.join(directory, e.name) for e in entries if e.is_file()]
        except OSError:
            return None

    def run(self, command: str) -> str | None:
        raise ProgramsNotRun


@cache
def builtin_library() -> Library:
    """HTCondor's default values and templates."""
    defaults = {name: row[0] for name, row in _table().items()}
    data = files("policy") / "data"
    texts = [
        (data / name).read_text(encoding="utf-8")
        for name in ("policy.conf", "feature.conf", "other.conf")
        if (data / name).is_file()
    ]
    return Library({**defaults, **table_defaults()}, template_set(texts))


@cache
def builtin_table() -> dict[str, list[str]]:
    """Default, type and range of the macros that are no knobs, by case-folded name."""
    return {name.casefold(): row for name, row in _table().items()}


def _table() -> Mapping[str, list[str]]:
    text = (files("policy") / "data" / "defaults.json").read_text(encoding="utf-8")
    table: dict[str, list[str]] = json.loads(text)
    return table


@cache
def attribute_names() -> tuple[str, ...]:
    """Attributes that ads of jobs, slots and submitters usually have."""
    text = (files("policy") / "data" / "attributes.json").read_text(encoding="utf-8")
    names: list[str] = json.loads(text)
    return tuple(names)


def this_host() -> HostFacts:
    """Facts about this machine, as far as they are cheap to get."""
    name = socket.gethostname()
    cpus = os.cpu_count() or 1
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    return HostFacts(
        arch=platform.machine().upper(),
        opsys=platform.system().upper(),
        detected_cpus=cpus,
        detected_physical_cpus=cpus,
        detected_memory_mb=memory,
        hostname=name.partition(".")[0],
        full_hostname=name,
        working_directory=os.getcwd(),
    )


def read_config(
    path: str,
    *,
    subsystem: str = "NEGOTIATOR",
    local_name: str | None = None,
    environment: Mapping[str, str] | None = None,
    extra: Iterable[tuple[str, str]] = (),
    host: HostFacts | None = None,
    now: float = 0.0,
    keep_going: bool = False,
) -> Config:
    """Read the configuration whose root file is ``path``, or a folder of configuration files.

    ``environment`` is empty unless given: a captured configuration should mean the same
    everywhere.  ``extra``: names and texts assigned after everything else.
    """
    root, sources = path, FileSources()
    if os.path.isdir(path):
        root = "<folder>"
        sources = FileSources({root: f"LOCAL_CONFIG_DIR = {path}\n"})
    return load_config(
        root,
        sources,
        builtin_library(),
        context=Context(subsystem, local_name),
        environment=environment,
        extra=extra,
        host=host,
        now=now,
        keep_going=keep_going,
    )
