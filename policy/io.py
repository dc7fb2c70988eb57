"""Reads configurations from files, and the facts about this machine.

The only module of ``policy`` that opens files of the user or looks at the machine.  Programs named
by a configuration are run only if that is allowed.
Inputs: paths.  Outputs: ``Config`` values, ``HostFacts`` of this machine, the built-in library.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

from attr import Factory, frozen

from policy.config import Config, Library, load_config
from policy.data.tables import parameter_rows
from policy.history import builtin_rows, templates_of
from policy.knobs import table_defaults
from policy.language.host import HostFacts
from policy.language.sources import ProgramsNotRun
from policy.language.table import Context
from policy.versions import NEWEST, Version

__all__ = ["FileSources", "builtin_library", "read_config", "this_host"]

#: The folder of the configuration in the packages of HTCondor.
INSTALLED_AT = "/etc/condor"
#: How long a program may take that a configuration names.
RUN_SECONDS = 60


@frozen
class FileSources:
    """Files of this machine.

    A configuration copied from another machine names files by where they lay there:
    ``installed_at`` is the folder that was copied, ``copy`` the copy.  ``commands`` allows to run
    the programs that a configuration names.  ``home`` is the folder of the configuration, and
    ``called`` what stands for it where files are named; ``confined``: files outside it are not
    read.  ``unsaved``: texts of files that an editor has not saved yet, by their full paths.
    """

    installed_at: str = ""
    copy: str = ""
    commands: bool = False
    home: str = ""
    confined: bool = False
    called: str = ""
    unsaved: Mapping[str, str] = Factory(dict)

    def place(self, path: str) -> str:
        file = self._file(path)
        inside = self.called and file.startswith(f"{self.home}/")
        return f"{self.called}{file[len(self.home) :]}" if inside else file

    def _file(self, path: str) -> str:
        if not self.copy or not self.installed_at:
            return path
        if path != self.installed_at and not path.startswith(self.installed_at.rstrip("/") + "/"):
            return path
        return os.path.join(self.copy, path[len(self.installed_at) :].lstrip("/"))

    def read(self, path: str) -> str | None:
        file = self._file(path)
        if self.unsaved and os.path.abspath(file) in self.unsaved:
            return self.unsaved[os.path.abspath(file)]
        try:
            with open(file, "rb") as stream:
                return stream.read().decode("utf-8", "surrogateescape")
        except (OSError, ValueError):  # a ValueError is a NUL in the name
            return None

    def list_files(self, directory: str) -> list[str] | None:
        directory = self._file(directory)
        try:
            with os.scandir(directory) as entries:
                return [os.path.join(directory, e.name) for e in entries if e.is_file()]
        except (OSError, ValueError):
            return None

    def outside(self, path: str) -> bool:
        home, real = (os.path.realpath(one) for one in (self.home, self._file(path)))
        return real != home and not real.startswith(home.rstrip(os.sep) + os.sep)

    def forbids(self, path: str) -> bool:
        return self.confined and self.outside(path)

    def run(self, command: str) -> str | None:
        if not self.commands:
            raise ProgramsNotRun
        return _output(command)


def _output(command: str) -> str | None:
    """What a program prints, None if it cannot be run; no shell sees the words."""
    import shlex
    import subprocess

    try:
        words = shlex.split(command)
        done = subprocess.run(words, stdout=subprocess.PIPE, timeout=RUN_SECONDS, check=False)
    except (OSError, ValueError, IndexError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "surrogateescape")


@lru_cache(maxsize=16)
def builtin_library(version: Version = NEWEST) -> Library:
    """The default values and templates of a version of HTCondor."""
    newest = {**parameter_rows(), **{name: [text] for name, text in table_defaults().items()}}
    defaults = {name: row[0] for name, row in builtin_rows(version, newest).items()}
    return Library(defaults, templates_of(version), version)


def _memory_mb() -> int:
    """The memory of this machine."""
    if sys.platform == "win32":  # pragma: no cover - Windows only
        import ctypes

        kilobytes = ctypes.c_ulonglong()
        ctypes.windll.kernel32.GetPhysicallyInstalledSystemMemory(ctypes.byref(kilobytes))
        return kilobytes.value // 2**10
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20


def _is_admin() -> bool:
    if sys.platform == "win32":  # pragma: no cover - Windows only
        import ctypes

        return bool(ctypes.windll.shell32.IsUserAnAdmin())
    return os.geteuid() == 0


def _kernel() -> tuple[str, str, str]:
    """The kernel, the name of this machine and the kind of its processor."""
    if sys.platform == "win32":  # pragma: no cover - Windows only
        import platform

        return platform.system(), platform.node(), platform.machine()
    found = os.uname()
    return found.sysname, found.nodename, found.machine


def this_host() -> HostFacts:
    """Facts about this machine, as far as they are cheap to get."""
    opsys, name, arch = _kernel()
    cpus = os.cpu_count() or 1
    return HostFacts(
        arch=arch.upper(),
        opsys=opsys.upper(),
        detected_cpus=cpus,
        detected_physical_cpus=cpus,
        detected_memory_mb=_memory_mb(),
        hostname=name.partition(".")[0],
        full_hostname=name,
        working_directory=os.getcwd(),
        home=os.path.expanduser("~"),
        is_admin=_is_admin(),
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
    installed_at: str = INSTALLED_AT,
    commands: bool = False,
    confined: bool = False,
    called: str = "",
    version: Version = NEWEST,
    unsaved: Mapping[str, str] = MappingProxyType({}),
) -> Config:
    """Read the configuration at ``path``.

    It is a root file, a folder of configuration files, or a folder with condor_config; the latter
    is taken for the copy of ``installed_at``, so that files below that are looked for in it.

    ``environment`` is empty unless given: a captured configuration should mean the same
    everywhere.  ``commands``: run the programs that it names.  ``confined``: read no file outside
    its folder.  ``called``: what stands for its folder where files are named.  ``extra``: names
    and texts assigned after everything else.  ``version``: that of the HTCondor that reads.
    ``unsaved``: texts that stand for those of files, by full paths.
    """
    root: str | None = path
    folder, copy = None, ""
    home = path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        root = os.path.join(path, "condor_config")
        if os.path.isfile(root):
            copy = path
        else:
            root, folder = None, path
    return load_config(
        root,
        FileSources(installed_at, copy, commands, home, confined, called, unsaved),
        builtin_library(version),
        folder=folder,
        context=Context(subsystem, local_name),
        environment=environment,
        extra=extra,
        host=host,
        now=now,
        keep_going=keep_going,
        leave_out=True,
    )
