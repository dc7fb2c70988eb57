"""Runs HTCondor's programs inside a folder that holds a small system, as an unprivileged user.

The folder is made by ``setup.sh`` beside this file; ``/`` stands for the system we run on.
Inputs: the path of the folder.  Outputs: ``System``; raises ``Unavailable`` where nothing can run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from attr import frozen

from fuzz.target import Unavailable

#: Without these the private pool cannot be started.
_PROGRAMS: Final = ("condor_negotiator", "condor_schedd", "condor_collector")


class DaemonError(Exception):
    """The daemons did not do what a recording needs: one did not start, or did not end a cycle."""


@frozen
class System:
    """A folder with HTCondor and the account that its daemons run under."""

    path: str
    uid: int
    gid: int

    @property
    def native(self) -> bool:
        """Whether it is the system that we run on."""
        return self.path == "/"

    def command(self, arguments: Sequence[str], variables: Mapping[str, str]) -> list[str]:
        """What to execute to run a program inside, with just these variables."""
        settings = [f"{name}={value}" for name, value in variables.items()]
        clean = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/tmp"]
        program = [*clean, *settings, *arguments]
        if not self.native:
            return ["chroot", f"--userspec={self.uid}:{self.gid}", self.path, *program]
        if os.getuid() == 0:
            user = [f"--reuid={self.uid}", f"--regid={self.gid}", "--clear-groups"]
            return ["setpriv", *user, *program]
        return program

    def outside(self, inner: str) -> Path:
        """Where a path of the folder is for us."""
        return Path(self.path.rstrip("/") + inner)


@cache
def version_of(system: System) -> str:
    """The version of HTCondor in the folder, three numbers; raises ``Unavailable``."""
    command = system.command(["condor_version"], {})
    told = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    found = re.search(r"CondorVersion: (\d+\.\d+\.\d+)", told)
    if found is None:
        raise Unavailable(f"condor_version in {system.path} tells no version")
    return found[1]


def open_system(folder: Path | None) -> System:
    """The system in a folder; raises ``Unavailable`` with the reason in one line."""
    if not sys.platform.startswith("linux"):
        raise Unavailable("the daemons need Linux")
    if folder is None:
        raise Unavailable("--root DIR names no folder with HTCondor (fuzz/daemons/setup.sh DIR)")
    path = os.path.abspath(folder)
    missing = [name for name in _PROGRAMS if not Path(path, "usr/sbin", name).exists()]
    if missing:
        raise Unavailable(
            f"no usr/sbin/{missing[0]} under {folder} (fuzz/daemons/setup.sh makes it)"
        )
    if os.getuid() != 0:
        if path != "/":
            raise Unavailable("to change into the folder of --root needs root")
        return System(path, os.getuid(), os.getgid())
    if shutil.which("setpriv", path=f"{path}/usr/bin") is None:
        raise Unavailable(f"no setpriv (util-linux) under {folder}")
    return System(path, *_condor_account(path))


def _condor_account(path: str) -> tuple[int, int]:
    for line in Path(path, "etc/passwd").read_text(encoding="utf-8").splitlines():
        name, _, uid, gid, *_ = line.split(":")
        if name == "condor":
            return int(uid), int(gid)
    raise Unavailable(f"no account `condor` in {path}/etc/passwd")
