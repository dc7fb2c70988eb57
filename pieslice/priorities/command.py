"""Prints or changes a saved state of the accountant: ``pieslice userprio``.

Decides where the records come from (a log, a folder, accounting ads), which time counts, and what
is written.

Inputs: the arguments and the two streams.  Outputs: the exit code.  Follows: condor_userprio, which
asks the collector for active records and the negotiator for all.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from attr import define

from classad import ClassAd
from classad.errors import Diagnostic
from classad.files.lock import BusyError
from classad.files.log import DamagedLogError
from classad.files.log_file import LogFile, read_log_file
from negotiator.accounting.accountant import accountant_settings
from negotiator.accounting.log import accountant_log
from negotiator.accounting.records import from_log
from negotiator.capture.ads import is_log
from negotiator.capture.configuration import LoadedPolicy, read_policy
from negotiator.capture.files import ads_of
from negotiator.groups.tree import GroupSettings, GroupTree, group_tree
from negotiator.io import CapturePaths, InputError
from negotiator.model.snapshot import AccountantState
from pieslice.command_line import EMPTY_NAME, EXIT_BAD, EXIT_NO, EXIT_OK
from pieslice.inputs.options import text_width
from pieslice.inputs.pool import parse_time
from pieslice.inputs.running import name_captures
from pieslice.priorities.answers import Priorities
from pieslice.priorities.edits import EditRefused, make_edit
from pieslice.priorities.options import Options, UsageError, parse_options
from pieslice.priorities.report import AccountingSource
from pieslice.priorities.stateads import rolled_up, state_ads
from pieslice.priorities.table import DAY, by_the_clock, view_of
from pieslice.priorities.words import OWN
from pieslice.reports.output import show_diagnostics
from pieslice.terminal import complain, harmless, terminal_width


@define
class _Own:
    """The options that condor_userprio does not have."""

    config: Path | None = None
    now: float | None = None
    dry_run: bool = False
    width: int | None = None
    wide: bool = False
    token: Path | None = None

    def room(self, out: IO[str]) -> int | None:
        """The width of a table; None: as wide as condor_userprio makes it."""
        return None if self.wide else self.width or terminal_width(out)


def userprio_command(arguments: Sequence[str], out: IO[str], err: IO[str]) -> int:
    """Run the command."""
    try:
        own, rest = _own_options(list(arguments))
        source = None if "-inputfile" in rest or rest[0].startswith("-") else _path(rest.pop(0))
        options = parse_options(rest)
        path = source if options.input_file is None else _path(options.input_file)
        if path is None:
            raise UsageError("give a log, accounting ads or the folder of a capture first")
        edit = options.edit()
        if edit is None:
            asked = argparse.Namespace(running=("path",), path=path, token=own.token)
            show_diagnostics(name_captures(asked), err)
            path = asked.path
        if edit is not None:
            return _edit(path, edit, options, own, out)
        return _show(path, options, own, out, err)
    except (UsageError, EditRefused) as problem:
        complain(f"error: {problem}", err)
        return EXIT_NO if isinstance(problem, EditRefused) else EXIT_BAD
    except InputError as problem:
        show_diagnostics(problem.diagnostics, err)
    except DamagedLogError as problem:
        show_diagnostics([problem.diagnostic], err)
    except BusyError as problem:
        complain(f"error: {problem}", err)
    return EXIT_BAD


def _own_options(words: list[str]) -> tuple[_Own, list[str]]:
    own, rest = _Own(), []
    known = {f"--{word.word}" for word in OWN if word.values}
    while words:
        word, equals, value = words.pop(0).partition("=")
        if word == "--dry-run":
            own.dry_run = True
            continue
        if word == "--wide":
            own.wide = True
            continue
        if word not in known:
            rest.append(word + equals + value)
            continue
        if not equals:
            if not words:
                raise UsageError(f"`{word}` needs an argument")
            value = words.pop(0)
        if word == "--config":
            own.config = _path(value)
        elif word == "--token":
            own.token = _path(value)
        elif word == "--width":
            own.width = _width(value)
        else:
            own.now = parse_time(value)
    if not rest:
        raise UsageError("give a log, accounting ads or the folder of a capture first")
    return own, rest


def _path(name: str) -> Path:
    if not name:
        raise UsageError(EMPTY_NAME)
    return Path(name)


def _width(text: str) -> int:
    try:
        return text_width(text)
    except argparse.ArgumentTypeError as problem:
        raise UsageError(str(problem)) from None


# --- changes ----------------------------------------------------------------------------------


def _edit(
    path: Path, edit: tuple[str, tuple[str, ...]], options: Options, own: _Own, out: IO[str]
) -> int:
    if path.is_dir():
        path = path / "Accountantnew.log"
    if path.stat().st_size and not is_log(path):
        raise UsageError(f"{path}: changes need the accountant's log")
    now = int(time.time() if own.now is None else own.now)
    option, values = edit
    # First on what is read, so that a refused change does not even repair the file.
    log = read_log_file(path)
    made = make_edit(log, option, values, now=now, duration=options.duration)
    if own.dry_run:
        out.write(f"would say: {made.said}\n")
        out.writelines(f"would write: {record.line()}" for record in made.records)
        return EXIT_OK
    with LogFile(path, now=now) as file:
        made = make_edit(file.log, option, values, now=now, duration=options.duration)
        file.commit(made.records)
    out.write(f"{made.said}\n")
    return EXIT_OK


# --- tables -----------------------------------------------------------------------------------


def _show(path: Path, options: Options, own: _Own, out: IO[str], err: IO[str]) -> int:
    diagnostics: list[Diagnostic] = []
    if options.resource_list is not None:
        state = _state(_log_path(path), diagnostics)
        harmless(out).write(_resources(state, options.resource_list, own))
        show_diagnostics(diagnostics, err)
        return EXIT_OK
    found = _priorities(path, options, own, diagnostics)
    text = found.text(own.room(out))
    harmless(out).write(text)
    if text and found.too_old:
        why = "nothing was used in the day before the last update (or since -activefrom)"
        diagnostics.append(Diagnostic(f"{why}; -allusers shows all records", severity="note"))
    show_diagnostics(diagnostics, err)
    if not text:
        complain("note: no record matches", err)
    return EXIT_OK


def priorities(
    path: Path, words: Sequence[str], now: float | None, diagnostics: list[Diagnostic]
) -> Priorities:
    """What ``words``, options of condor_userprio, show of a saved state."""
    return _priorities(path, parse_options(words), _Own(now=now), diagnostics)


def _priorities(
    path: Path, options: Options, own: _Own, diagnostics: list[Diagnostic]
) -> Priorities:
    source = _source(path, options, own, diagnostics)
    now = source.last_update if own.now is None else int(own.now)
    view = view_of(source.last_update, options, now, time.localtime, time.mktime)
    return Priorities(source, options, view)


def records_of(path: Path, diagnostics: list[Diagnostic]) -> list[ClassAd]:
    """The accounting ads of a log, a file of ads or a folder."""
    return _source(path, Options(), _Own(), diagnostics).records()


def _source(
    path: Path, options: Options, own: _Own, diagnostics: list[Diagnostic]
) -> AccountingSource:
    """The records: of the log where the negotiator would be asked, else accounting ads."""
    log, ads_path = (path, None) if path.is_file() else _in_folder(path, options)
    if log is not None and not is_log(log):
        log, ads_path = None, log
    ads = [] if ads_path is None else [item.ad for item in ads_of(ads_path, diagnostics)]
    if log is None:
        return AccountingSource.of(ads)
    state = _state(log, diagnostics)
    known = CapturePaths(path).find("config") if path.is_dir() else None
    config = own.config or known
    loaded = read_policy(config, state.last_update_time or 0)
    if own.config is not None:
        diagnostics += loaded.diagnostics
    tree = _tree(loaded, state, configured=config is not None)
    facts = {str(ad.evaluate_attr("Name")): ad for ad in ads}
    made = state_ads(state, tree, accountant_settings(loaded.policy), facts)
    if options.group_rollup:
        made = rolled_up(made, tree)
    return AccountingSource(made, state.last_update_time or 0)


def _in_folder(folder: Path, options: Options) -> tuple[Path | None, Path | None]:
    """The log, if it is to be used, and the accounting ads of a capture."""
    if not folder.is_dir():
        raise InputError([Diagnostic(f"{folder}: no such file or folder")])
    paths = CapturePaths(folder)
    log, ads = paths.find("accountant_log"), paths.find("accounting")
    if log is None and ads is None:
        raise InputError([Diagnostic(f"{folder}: neither a log nor accounting ads in it")])
    everything = options.negotiator or options.all_users or options.group_rollup
    return (log if everything or ads is None else None), ads


def _log_path(path: Path) -> Path:
    log = CapturePaths(path).find("accountant_log") if path.is_dir() else path
    if log is None or not log.is_file():
        raise InputError([Diagnostic(f"{path}: not an accountant's log")])
    return log


def _state(path: Path, diagnostics: list[Diagnostic]) -> AccountantState:
    log = accountant_log(read_log_file(path))
    diagnostics += log.diagnostics
    return from_log(log)


def _tree(loaded: LoadedPolicy, state: AccountantState, *, configured: bool) -> GroupTree:
    """The groups of the configuration, or, without one, those that have records."""
    if configured:
        return group_tree(loaded.policy)
    names = [name for name, record in state.customers.items() if record.is_group]
    return GroupTree(GroupSettings(name) for name in names)


def _resources(state: AccountantState, user: str, own: _Own) -> str:
    """The slots of a user: when they were matched and how long ago that is."""
    if "@" not in user:
        raise UsageError(f"`-getreslist` needs the full name of a submitter, not `{user}`")
    now = int(own.now if own.now is not None else state.last_update_time or 0)
    lines = [
        f"{'Resource Name':<30s} {'Start Time':>12s} {'Match Time':>12s}",
        f"{'-' * 13:<30s} {'-' * 10:>12s} {'-' * 10:>12s}",
    ]
    found = [item for item in state.resources.values() if item.remote_user == user]
    for item in found:
        at = by_the_clock(item.start_time, time.localtime)
        start = f"{at.tm_mon:2d}/{at.tm_mday:<2d} {at.tm_hour:02d}:{at.tm_min:02d}"
        days, rest = divmod(max(now - item.start_time, 0), DAY)
        age = f"{days}+{rest // 3600:02d}:{rest % 3600 // 60:02d}:{rest % 60:02d}"
        lines.append(f"{item.key.rpartition('@')[0]:<30s} {start:>12s} {age:>12s}")
    lines.append(f"{'-' * 13:<30s} {'-' * 12:>12s} {'-' * 12:>12s}")
    lines.append(f"Number of Resources Used: {len(found)}")
    return "".join(f"{line}\n" for line in lines)
