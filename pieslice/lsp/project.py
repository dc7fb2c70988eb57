"""Reads and checks the configuration that a file in an editor belongs to.

Which file is the root: that of the settings or of ``pieslice.toml``, else the nearest condor_config
above the file, else the file itself, which then is a fragment.  Texts that are not saved count.
Inputs: settings, paths, texts.  Outputs: ``CheckedConfig``.
"""

from __future__ import annotations

import io
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from attr import frozen

from classad.errors import ClassAdParseError, Diagnostic, LimitError
from classad.files.ads import read_ads
from classad.language.bounds import limits
from classad.source import Source
from classad.syntax.parser import parse_expression
from pieslice.inputs.configuration import SUBSYSTEM
from pieslice.inputs.versions import Project, ProjectError, project_above, project_at
from pieslice.lsp.settings import EditorSettings
from policy.config import Config
from policy.editing.hovers import NO_ADS, Ads
from policy.io import read_config
from policy.lint.verdict import examine
from policy.versions import NEWEST

#: The root file of an installation.
ROOT: Final = "condor_config"
#: Seconds that a check may take.
_LONGEST: Final = 60.0


def root_of(path: str, settings: EditorSettings, folders: Iterable[str]) -> str:
    """The root of the configuration that a file may belong to."""
    if settings.root:
        return os.path.abspath(os.path.join(next(iter(folders), ""), settings.root))
    folder = Path(path).parent
    file, project, _ = _project_of(folder)
    if file is not None and project.root is not None:
        return os.path.abspath(os.path.join(os.path.dirname(file), project.root))
    for above in (folder, *folder.parents):
        if (above / ROOT).is_file():
            return str(above / ROOT)
    return path


def _project_of(folder: Path) -> tuple[str | None, Project, str]:
    """The file of the project in a folder or above it, what it says, and what is wrong with it."""
    file = project_above(str(folder))
    try:
        return file, Project() if file is None else project_at(file), ""
    except ProjectError as problem:
        return file, Project(), str(problem).partition("\n")[0]


@frozen(eq=False)
class CheckedConfig:
    """A configuration with its findings; ``problem``: what else is to be said, in one line."""

    root: str
    config: Config
    findings: tuple[Diagnostic, ...] = ()
    problem: str = ""

    def source_name(self, path: str) -> str:
        """What the configuration calls the file at a full path."""
        return next((name for name in self.config.files if os.path.abspath(name) == path), path)

    @property
    def paths(self) -> list[str]:
        """The full paths of its files."""
        return list(map(os.path.abspath, self.config.files))


def read(
    path: str, settings: EditorSettings, folders: Iterable[str], unsaved: Mapping[str, str]
) -> CheckedConfig:
    """The configuration that a file belongs to, without findings."""
    root = root_of(path, settings, folders)
    found = _read(root, settings, unsaved)
    if root != path and path not in found.paths:
        missing = "" if os.path.exists(root) or root in unsaved else f"there is no root {root}"
        found = _read(path, settings, unsaved, missing)
    return found


def _read(
    root: str, settings: EditorSettings, unsaved: Mapping[str, str], problem: str = ""
) -> CheckedConfig:
    is_whole = os.path.basename(root) == ROOT and os.path.dirname(root)
    _, (followed, _), wrong = _project_of(Path(root).parent)
    config = read_config(
        os.path.dirname(root) if is_whole and os.path.isfile(root) else root,
        subsystem=settings.subsystem.upper() or SUBSYSTEM,
        local_name=settings.local_name or None,
        now=time.time(),
        keep_going=True,
        installed_at=settings.installed_at,
        confined=not settings.outside_includes,
        version=NEWEST if followed is None else followed.version,
        unsaved=unsaved,
    )
    return CheckedConfig(root, config, (), problem or wrong)


def check(
    path: str, settings: EditorSettings, folders: Iterable[str], unsaved: Mapping[str, str]
) -> CheckedConfig:
    """The configuration that a file belongs to, with its findings."""
    with limits(time=_LONGEST):
        found = read(path, settings, folders, unsaved)
        try:
            told = examine(found.config, asked=bool(settings.subsystem))
        except LimitError as problem:
            return CheckedConfig(found.root, found.config, (), str(problem))
    return CheckedConfig(found.root, found.config, tuple(told.findings), found.problem)


def check_ads(text: str, name: str) -> list[Diagnostic]:
    """What is wrong with a text of ads, or with an expression."""
    found: list[Diagnostic] = []
    if not text.strip():
        return found
    try:
        parse_expression(text, source=Source(text, name), whole=True)
        return found
    except ClassAdParseError as problem:
        alone = problem.diagnostic
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if text.lstrip()[:1] not in "[{<" and not any("=" in line.replace("==", "") for line in lines):
        return [alone] if alone is not None else found
    try:
        for _ in read_ads(io.StringIO(text), name=name, diagnostics=found):
            pass
    except (ClassAdParseError, OSError) as problem:
        found.append(Diagnostic(str(problem).split("\n")[0], Source(text, name), 0, 0))
    return found


def attributes_of(pool: str) -> Ads:
    """How many ads of a captured pool have which attributes."""
    found: dict[str, dict[str, int]] = {}
    for kind, name in (("slot", "slots.ads"), ("job", "jobs.ads")):
        path = Path(pool) / name
        counts: dict[str, int] = {}
        for ad in read_ads(path, diagnostics=[]) if path.is_file() else ():
            for attribute in ad:
                counts[attribute] = counts.get(attribute, 0) + 1
        found[kind] = counts
    return found if any(found.values()) else NO_ADS
