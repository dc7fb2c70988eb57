"""Reads the policy of a captured pool, and which version its negotiator has.

A captured configuration may include only files beside it or below, because the paths in it are
those of another machine.  A line that condor_negotiator would refuse is reported, and reading goes
on with the next one.

Inputs: the path of the configuration, or None for HTCondor's defaults; files and definitions that
are read after it; the local name of the negotiator.  Outputs: the policy, the settings that are not
honoured, diagnostics.  Raises ``OSError`` if a file cannot be read.
Follows: the start of condor_negotiator, except that it goes on.

CondorVersion of the negotiator's ad decides for the negotiator, that of the collector stands in for
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from attr import evolve, field, frozen

from classad.errors import Diagnostic
from negotiator.capture.files import CaptureReader, ConfigPaths, reason
from negotiator.capture.group_maps import FEATURE, GroupMap
from negotiator.model.snapshot import UnsupportedKnob
from policy.config import Config, load_config
from policy.dialects import HTCONDOR, Dialect
from policy.history import first_reader, is_read
from policy.io import builtin_library
from policy.knobs import find_knob
from policy.knobs.reading import split_list
from policy.language.numbers import integer_literal
from policy.language.sources import ProgramsNotRun
from policy.language.table import Context
from policy.load import load_policy
from policy.maps.user_maps import read_user_map
from policy.model import NegotiatorPolicy
from policy.versions import (
    NEWEST,
    Followed,
    UnknownVersionError,
    Version,
    followed_version,
    parse_version,
)

#: UPDATE_INTERVAL where the configuration has no number.
INTERVAL: Final = 300


@frozen
class LoadedPolicy:
    """A policy, what it leaves out, and what was wrong with its text."""

    policy: NegotiatorPolicy
    unsupported: tuple[UnsupportedKnob, ...]
    diagnostics: tuple[Diagnostic, ...]
    config: Config
    #: What the schedds' map gives to jobs; None without FEATURE:AssignAccountingGroup.
    group_map: GroupMap | None = None
    #: Seconds between two ads of a startd.
    update_interval: int = INTERVAL


@frozen
class CaptureSources:
    """The configuration at ``root`` and the files of its folder; no others, no programs.

    ``overlays``: more files that are named on the command line, with their folders; ``texts``:
    contents by name, of no file.  ``beside``: a relative name is one in the folder, as those of
    maps, which the daemon has somewhere else; without it, as for a daemon that includes a file,
    one in the folder that the process runs in.  ``contents``: texts of files in place of those on
    the disk; ``asked``: those of them that were read.
    """

    root: Path
    overlays: tuple[Path, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    beside: bool = False
    contents: Mapping[Path, str] = field(factory=dict)
    asked: set[Path] = field(factory=set, eq=False)

    def read(self, path: str) -> str | None:
        for name, text in self.texts:
            if name == path:
                return text
        for place in (Path(path), self.root.parent / path if self.beside else Path(path)):
            if self.contents and (edited := place.absolute()) in self.contents:
                self.asked.add(edited)
                return self.contents[edited]
        file = self._inside(path)
        if file is None or not file.is_file():
            return None
        return file.read_bytes().decode("utf-8", "surrogateescape")

    def list_files(self, directory: str) -> list[str] | None:
        folder = self._inside(directory)
        here = Path(directory) if folder is None else folder
        edited = [here / file.name for file in self.contents if file.parent == here.absolute()]
        if folder is None or not folder.is_dir():
            return [str(file) for file in edited] or None
        files = [file for file in folder.iterdir() if file.is_file()]
        return [str(file) for file in dict.fromkeys((*files, *edited))]

    def place(self, path: str) -> str:
        return path

    def outside(self, path: str) -> bool:
        return False  # nothing outside is read

    def forbids(self, path: str) -> bool:
        return False

    def run(self, command: str) -> str | None:
        raise ProgramsNotRun

    def _inside(self, path: str) -> Path | None:
        """The file or folder of that name if it is in the capture or beside an overlay."""
        roots = (self.root, *self.overlays)
        if Path(path) in roots:
            return Path(path)
        found = [_below(root.parent, path, self.beside) for root in roots]
        there = (file for file in found if file is not None and file.exists())
        return next(there, found[0])


def _below(folder: Path, path: str, beside: bool) -> Path | None:
    """The file of that name if it is in the folder or below."""
    # A name that begins with $(CONFIG_ROOT) has the folder in it already.
    places = (Path(path), folder / path) if beside else (Path(path),)
    inside = [p for p in places if p.resolve().is_relative_to(folder.resolve())]
    return next((p for p in inside if p.exists()), inside[0] if inside else None)


def read_config(
    paths: ConfigPaths, now: float, *, local_name: str | None = None, version: Version = NEWEST
) -> tuple[Config, CaptureSources]:
    """A configuration, and where its files are; raises ``OSError``."""
    contents = {file.absolute(): text for file, text in paths.contents}
    for file in (paths.root, *paths.overlays):
        if file is not None and file.absolute() not in contents:
            # The reader takes a file that cannot be opened for one line of trouble; it is more.
            file.open("rb").close()
    root = Path("condor_config") if paths.root is None else paths.root
    sources = CaptureSources(root, paths.overlays, paths.texts, contents=contents)
    config = load_config(
        None if paths.root is None else str(root),
        sources,
        builtin_library(version),
        context=Context("NEGOTIATOR", local_name),
        overlays=[*map(str, paths.overlays), *(name for name, _ in paths.texts)],
        extra=paths.defines,
        now=now,
        keep_going=True,
    )
    return config, evolve(sources, beside=True)


def read_policy(
    path: Path | None,
    now: float,
    *,
    overlays: tuple[Path, ...] = (),
    texts: tuple[tuple[str, str], ...] = (),
    defines: tuple[tuple[str, str], ...] = (),
    contents: tuple[tuple[Path, str], ...] = (),
    local_name: str | None = None,
    dialect: Dialect = HTCONDOR,
    version: Version = NEWEST,
    captured: bool = False,
) -> LoadedPolicy:
    """The negotiator's policy; ``now`` is what time functions in the configuration see.

    ``overlays``: files that are read after the one at ``path``; ``texts``: names and contents of
    what is read after those; ``defines``: names and texts that are assigned after all;
    ``contents``: see ``ConfigPaths``.  Names of macros in all these that nobody reads are among the
    diagnostics: errors in ``defines``, warnings elsewhere, and in the file at ``path`` unless that
    is ``captured``, so that a pool runs with it.
    """
    paths = ConfigPaths(path, overlays, texts, defines, contents)
    config, sources = read_config(paths, now, local_name=local_name, version=version)
    named = [name for name, _ in texts]
    loaded = load_policy(
        config, local_name=local_name, dialect=dialect, version=version, sources=sources
    )
    unsupported = tuple(
        UnsupportedKnob(
            item.macro, " ".join(item.text.split()), item.definition.place(), item.reason
        )
        for item in loaded.unsupported
    )
    # A text that cannot be read is refused by who gave it.
    problems = [
        problem if problem.source and problem.source.name in named else _left_out(problem)
        for problem in config.diagnostics
    ]
    groups = _group_map(config, sources, problems)
    interval = update_interval(config.seen_by("STARTD").text("UPDATE_INTERVAL"))
    names: Iterable[Diagnostic] = ()
    if defines or overlays or texts or contents or not captured:
        # A pool that is read as it runs does without the rules for names.
        from policy.lint.names import doubted

        edited = [str(file) for file, _ in contents]
        read = {*map(str, overlays), *named, *edited} if captured else None
        names = doubted(config, read, texts=named)
    unused = (_not_included(file) for file, _ in contents if file.absolute() not in sources.asked)
    told = (*problems, *names, *loaded.diagnostics, *_not_read(config, version), *unused)
    return LoadedPolicy(loaded.policy, unsupported, told, config, groups, interval)


def update_interval(text: str | None) -> int:
    """The seconds between two ads of a startd, from the text of UPDATE_INTERVAL."""
    seconds = integer_literal(text or "") or 0
    return seconds if seconds > 0 else INTERVAL


def capture_policy(
    reader: CaptureReader, now: float, followed: Followed, local_name: str | None
) -> LoadedPolicy:
    """The policy of the files of a capture, whose diagnostics are noted."""
    paths = reader.paths.config
    if paths.root is None and not paths.overlays and not paths.texts:
        reader.warn(f"{reader.missing('config')}: no such file; HTCondor's defaults are used")
    try:
        loaded = read_policy(
            paths.root,
            now,
            overlays=paths.overlays,
            texts=paths.texts,
            defines=paths.defines,
            contents=paths.contents,
            local_name=local_name,
            dialect=reader.dialect,
            version=followed.version,
            captured="config" not in reader.paths.given,
        )
    except OSError as problem:
        raise reader.stop(f"{problem.filename}: {reason(problem)}") from None
    reader.diagnostics.extend(loaded.diagnostics)
    return loaded


def configurations_before(
    reader: CaptureReader,
    now: float,
    followed: Followed,
    local_name: str | None,
    known: tuple[object, Config] | None = None,
) -> list[Config]:
    """The configurations that the pool had before the one that is read.

    ``known``: one that was read, behind its paths and the local name that it was read by.
    """
    own, found = reader.paths.in_folder("config"), []
    try:
        for before in reader.paths.before:
            paths = evolve(before, root=before.root or own)
            if known is not None and known[0] == (paths, local_name):
                found.append(known[1])
                continue
            version = followed.version
            found.append(read_config(paths, now, local_name=local_name, version=version)[0])
        return found
    except OSError as problem:
        raise reader.stop(f"{problem.filename}: {reason(problem)}") from None


def _not_read(config: Config, version: Version) -> Iterator[Diagnostic]:
    """The settings of a cycle that the version does not know."""
    for entry in config.scope.table:
        macro = config.context.base_name(entry.name) or entry.name
        if find_knob(macro) is None or is_read(macro, version):
            continue
        message = f"{macro} is not known to {version}, and has no effect"
        yield Diagnostic(message, severity="note", help=first_reader(macro, version) or None)


def _not_included(file: Path) -> Diagnostic:
    message = f"{file}: no part of the configuration names this file; its text is not read"
    return Diagnostic(message, severity="warning")


def _group_map(
    config: Config, sources: CaptureSources, problems: list[Diagnostic]
) -> GroupMap | None:
    """The map of the schedds, if their jobs go through it."""
    schedd = config.seen_by("SCHEDD")
    names = split_list(schedd.text("JOB_TRANSFORM_NAMES") or "")
    if FEATURE.casefold() not in (name.casefold() for name in names):
        return None
    methods = read_user_map(schedd, sources, FEATURE, problems)
    if methods is None:
        path = schedd.text(f"CLASSAD_USER_MAPFILE_{FEATURE}")
        message = f"{FEATURE}: cannot read the map `{path}`; jobs keep their groups"
        problems.append(
            Diagnostic(message, severity="warning", help="save it beside the configuration")
        )
        return None
    checks = split_list(schedd.text("SUBMIT_REQUIREMENT_NAMES") or "")
    checked = "checkrequestedgroup" in (name.casefold() for name in checks)
    return GroupMap(methods["*"], checked)


def _left_out(problem: Diagnostic) -> Diagnostic:
    """A statement that cannot be read, with what becomes of it."""
    if problem.severity != "error":
        return problem
    said = "the line is left out here; the daemons do not start with it"
    text = said if problem.help is None else f"{problem.help}; {said}"
    return Diagnostic(
        problem.message, problem.source, problem.start, problem.end, help=text, id=problem.id
    )


# --- the version of a pool ------------------------------------------------------------------------

#: Whose ads of a capture tell the version of the negotiator, and what the ads are called.
_TELLERS: Final = (("Negotiator", "the negotiator's ad"), ("Collector", "the collector's ad"))


def pool_version(reader: CaptureReader) -> Followed:
    """The version that the negotiator of a captured pool has.

    Raises ``InputError`` for one of which nothing is known.
    """
    given = reader.version
    if given is None:
        given = _advertised(reader)
    if given.note:
        reader.warn(given.note, severity="note")
    return given


def _advertised(reader: CaptureReader) -> Followed:
    ads = reader.ads("negotiator") or []
    for kind, whose in _TELLERS:
        for ad in ads:
            text = ad.text("CondorVersion")
            if text is None or (ad.text("MyType") or "Negotiator") != kind:
                continue
            try:
                version = parse_version(text)
            except UnknownVersionError as problem:
                reader.diagnostics.append(ad.problem(f"CondorVersion of {whose}: {problem}"))
                continue
            try:
                return followed_version(version, f"CondorVersion of {whose}")
            except UnknownVersionError as problem:
                raise reader.stop(f"CondorVersion of {whose}: {problem}") from None
    return reader.fallback
