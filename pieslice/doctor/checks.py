"""Examines the installation: packages, dependencies, kernels, optional parts, HTCondor.

Every check imports what it looks at itself, and what it raises is what is wrong.

Inputs: the environment that Python runs in, and perhaps a folder with HTCondor's daemons.
Outputs: checks.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires
from importlib.metadata import version as installed
from pathlib import Path
from typing import Final

from pieslice.doctor.page import PartCheck, State

#: Our packages; the first one refuses a foreign `classad`, and says what to do.
PACKAGES: Final = ("policy", "classad", "negotiator", "pieslice")
#: A requirement as the metadata of a distribution has it: name, least version, extra.
_REQUIREMENT: Final = r"(?P<name>[\w.-]+)[^;]*?(?:>=\s*(?P<least>[\d.]+))?[^;]*(?:;(?P<marker>.*))?"
_EXTRA: Final = r"extra\s*==\s*[\"'](?P<name>[\w-]+)"
#: The daemons that recordings of decisions need, below a folder.
_DAEMONS: Final = ("condor_negotiator", "condor_schedd", "condor_collector")
#: How long a program of HTCondor may take to tell its version, in seconds.
_PATIENCE: Final = 20


def examine(root: Path | None) -> list[PartCheck]:
    """All checks; ``root``: a folder with HTCondor's daemons."""
    packages = _packages()
    checks = [_python(), packages, *_dependencies()]
    if packages.state != "broken":
        checks += [_guarded(name, check) for name, check in _WORKING.items()]
    return [*checks, _bindings(), _tools(), _oracle(root)]


def _guarded(name: str, check: Callable[[], str]) -> PartCheck:
    """A check that says what works, and raises what does not."""
    try:
        return PartCheck(name, "ok", check())
    except Exception as problem:
        said = str(problem) or type(problem).__name__
        return PartCheck(name, "broken", said.splitlines()[0])


def _python() -> PartCheck:
    system = f"{platform.system()} {platform.machine()}"
    name = f"{platform.python_implementation()} {platform.python_version()}"
    state: State = "ok" if sys.version_info >= (3, 11) else "broken"
    return PartCheck("python", state, f"{name}, {system}, {sys.prefix}")


def _packages() -> PartCheck:
    """Whether our packages are ours, and stand side by side."""
    folders = {}
    for package in PACKAGES:
        try:
            module = import_module(package)
        except ImportError as problem:
            return PartCheck("packages", "broken", str(problem).splitlines()[0])
        folders[Path(str(module.__file__)).parents[1]] = package
    if len(folders) > 1:
        text = ", ".join(f"{package} in {folder}" for folder, package in folders.items())
        return PartCheck("packages", "doubtful", text, "they should be of one installation")
    return PartCheck("packages", "ok", f"{', '.join(PACKAGES)} in {next(iter(folders))}")


# --- dependencies and optional parts -------------------------------------------------------


def _dependencies() -> Iterator[PartCheck]:
    """What the metadata of the installed distribution asks for."""
    try:
        wanted = requires("pieslice") or []
    except PackageNotFoundError:
        yield PartCheck("needed", "doubtful", "pieslice was not installed by pip")
        return
    needed: list[tuple[str, str]] = []
    extras: dict[str, list[tuple[str, str]]] = {}
    for requirement in wanted:
        found = re.fullmatch(_REQUIREMENT, requirement)
        if found is None:
            continue
        item = (found["name"], found["least"] or "")
        if item[0] == "pieslice":  # an extra made of others
            continue
        extra = re.search(_EXTRA, found["marker"] or "")
        if extra is not None:
            extras.setdefault(extra["name"], []).append(item)
        elif not found["marker"]:
            needed.append(item)
    asked = " ".join(f"'{name}>={least}'" if least else name for name, least in needed)
    yield _together("needed", needed, "broken", f"pip install {asked}")
    for extra_name, items in sorted(extras.items()):
        help = f"pip install 'pieslice[{extra_name}]'"
        yield _together(f"[{extra_name}]", items, "doubtful", help)


def _together(name: str, items: list[tuple[str, str]], bad: State, help: str) -> PartCheck:
    """One check for several distributions with their least versions."""
    there, missing, old = [], [], []
    for distribution, least in items:
        try:
            version = installed(distribution)
        except PackageNotFoundError:
            missing.append(distribution)
            continue
        there.append(f"{distribution} {version}")
        if _parts(version) < _parts(least):
            old.append(f"{distribution} {version} is older than {least}")
    if old or (missing and bad == "broken"):
        wrong = [*old, *(f"{distribution} is missing" for distribution in missing)]
        return PartCheck(name, bad, ", ".join(wrong), help)
    if missing:
        return PartCheck(name, "absent", f"{', '.join(missing)}: {help}")
    return PartCheck(name, "ok", ", ".join(there))


def _parts(version: str) -> list[int]:
    found = re.match(r"\d+(?:\.\d+)*", version)
    return [int(part) for part in found[0].split(".")] if found else []


# --- what has to work -------------------------------------------------------------------------


def _kernels() -> str:
    from classad import kernels

    columns = [[float(row * 7 % 40) for row in range(60)]]
    if kernels.sort_order(columns) != kernels.sort_order(columns, "python"):
        raise ValueError("the kernels in C sort otherwise than those in Python")
    chosen = os.environ.get("CLASSAD_KERNELS")
    why = f" (CLASSAD_KERNELS={chosen})" if chosen else ""
    slow = "" if kernels.backend == "c" else ", which are slow: there is no compiled extension"
    return f"in {kernels.backend.upper() if slow == '' else 'Python'}{slow}{why}"


def _language() -> str:
    from classad import ClassAd, compat_version

    slot = ClassAd('[Memory = 4096; Requirements = TARGET.Need <= Memory && regexp("^a+$", "aa")]')
    if not ClassAd("[Need = 2048; Requirements = true]").symmetricMatch(slot):
        raise ValueError("a job and a slot that match do not")
    return f"as HTCondor {compat_version()}"


def _expressions() -> str:
    from classad import ExprTree
    from classad.builtins.pcre import regex_backend

    if ExprTree(r'regexps("(?<n>b)\\k<n>", "abb", "<\\1>")').eval() != "<b>":
        raise ValueError("a regular expression gives another result than in HTCondor")
    return regex_backend()


def _zones() -> str:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        ZoneInfo("America/Chicago")
    except ZoneInfoNotFoundError:
        raise ValueError("no time zone database: pip install tzdata") from None
    return "the time zone database is there"


def _cycle() -> str:
    import_module("negotiator.cycle")
    return "a negotiation cycle can be imported"


#: What is tried, in this order.
_WORKING: Final[dict[str, Callable[[], str]]] = {
    "kernels": _kernels,
    "language": _language,
    "patterns": _expressions,
    "zones": _zones,
    "cycle": _cycle,
}


# --- HTCondor -----------------------------------------------------------------------------------


def _bindings() -> PartCheck:
    """HTCondor's own Python bindings: running pools are asked through them."""
    name = "bindings"
    try:
        version = installed("htcondor")
    except PackageNotFoundError:
        text = "htcondor is not installed: running pools (HOST) and `to_classad2` need it"
        return PartCheck(name, "absent", f"{text}: pip install 'pieslice[live]'")
    if _parts(version) < [25]:
        text = f"htcondor {version} has a package classad of its own, which this one hides"
        return PartCheck(name, "doubtful", text, "pip install 'htcondor>=25'")
    return PartCheck(name, "ok", f"htcondor {version}")


def _tools() -> PartCheck:
    found = shutil.which("condor_version")
    if found is None:
        text = "no condor_version on the PATH; only --from-tools needs HTCondor's tools"
        return PartCheck("tools", "absent", text)
    return _told("tools", [found], found)


def _oracle(root: Path | None) -> PartCheck:
    """HTCondor's daemons below a folder, which decisions are compared with."""
    name = "oracle"
    if root is None:
        return PartCheck(name, "absent", "no folder with HTCondor's daemons named (--root DIR)")
    missing = [daemon for daemon in _DAEMONS if not (root / "usr/sbin" / daemon).exists()]
    if missing:
        return PartCheck(name, "broken", f"no usr/sbin/{missing[0]} under {root}")
    if getattr(os, "geteuid", lambda: -1)() != 0:
        return PartCheck(name, "doubtful", f"{root} has the daemons, but only root can start them")
    return _told(name, ["chroot", str(root), "/usr/bin/condor_version"], str(root))


def _told(name: str, command: list[str], place: str) -> PartCheck:
    """What a program of HTCondor says its version is."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_PATIENCE, check=True
        )
    except (OSError, subprocess.SubprocessError) as problem:
        return PartCheck(name, "broken" if name == "oracle" else "doubtful", f"{place}: {problem}")
    found = re.search(r"\$CondorVersion:\s*(\S+)", done.stdout)
    return PartCheck(name, "ok", f"HTCondor {found[1] if found else 'of no version'}, {place}")
