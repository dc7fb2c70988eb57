"""Checks several daemons of one kind on a host: each needs a name, a queue and a log of its own.

Follows: condor_master of 25.14.1, which gives a daemon of another name that name as its local one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from classad.errors import Diagnostic
from classad.patterns import late_regex
from policy.knobs.readers import MAIN
from policy.language.macros import ExpansionError
from policy.lint.agreement import DISAGREE, setting_of, started_by
from policy.lint.finding import NOTE, Per, looks_at
from policy.lint.lists import not_listed
from policy.lint.view import LOCAL_NAME, Setting, View

#: Logs in the environment of a daemon.
_LOG_IN_ENVIRONMENT: Final = late_regex(r"(?i:_condor_)(\w+_LOG)=([^\s;\"']+)")


@looks_at(Per.CONFIGURATION)
def second_daemons(view: View) -> Iterator[Diagnostic]:
    """Negotiators and schedds with a local name that have what the first one has."""
    for setting in view.settings:
        kind = _kind_of(setting)
        if kind not in ("NEGOTIATOR", "SCHEDD"):
            continue
        args = setting_of(view, f"{setting.macro.upper()}_ARGS")
        given = None if args is None else LOCAL_NAME.search(args.text())
        local = given[1] if given is not None else ""
        listed = {setting.macro.upper(), kind} <= {*started_by(view)}
        own = setting_of(view, f"{setting.macro}_ENVIRONMENT") is not None
        if args is None and kind == "SCHEDD" and listed and not own:
            local = setting.macro  # which the master gives it
        if not local:
            continue
        first, second = view.config.seen_by(kind), view.config.seen_by(kind, local)
        try:
            name, spool = second.text(f"{kind}_NAME"), second.text("SPOOL")
            names, spools = name == first.text(f"{kind}_NAME"), spool == first.text("SPOOL")
            spools = spools and second.text("JOB_QUEUE_LOG") == first.text("JOB_QUEUE_LOG")
        except ExpansionError:
            continue
        who, shown = f"condor_{kind.lower()}", local
        alone = kind == "SCHEDD" and not spools and listed
        if names and (name or alone):
            message = f"both {who}s have the name {name or 'of the machine'}"
            message = f"{message}, and one overwrites the ad of the other"
            yield setting.say(
                DISAGREE, message, setting.whole(), f"`{shown}.{kind}_NAME` is missing"
            )
        if spools:
            kept = "job queue" if kind == "SCHEDD" else "record of usage"
            message = f"both {who}s keep their {kept} in the same SPOOL"
            said = setting.say(DISAGREE, message, setting.whole(), f"`{shown}.SPOOL` is missing")
            said.severity = said.severity if kind == "SCHEDD" else NOTE
            yield said


@looks_at(Per.CONFIGURATION)
def one_log(view: View) -> Iterator[Diagnostic]:
    """Two daemons that write to one file, by local names or in their environments."""
    written: dict[str, str] = {}
    for setting in view.settings:
        macro = setting.macro.upper()
        kind = macro.removesuffix("_LOG")
        if setting.local_name is not None and kind in MAIN and kind in started_by(view):
            own = setting.text().strip()
            if own and own == view.text(macro).strip():
                message = f"{setting.local_name} and the other condor_{kind.lower()} write to"
                yield setting.say(DISAGREE, f"{message} one log, {own}", setting.whole())
        elif macro.endswith("_ENVIRONMENT"):
            for found in _LOG_IN_ENVIRONMENT.finditer(setting.text()):
                other = written.setdefault(found[2], setting.macro)
                if other != setting.macro:
                    message = f"{setting.macro} and {other} have one log, {found[2]}"
                    yield setting.say(DISAGREE, message, setting.whole())


@looks_at(Per.CONFIGURATION)
def not_started(view: View) -> Iterator[Diagnostic]:
    """``SCHEDD2 = $(SCHEDD)`` and its arguments, and no SCHEDD2 in DAEMON_LIST."""
    listed = started_by(view) if view.names_daemons else []
    for setting in view.settings if listed else ():
        kind = _kind_of(setting)
        name = setting.macro.upper()
        given = any(setting_of(view, f"{name}_{what}") for what in ("ARGS", "ENVIRONMENT"))
        if kind in MAIN and kind != name and given and name not in listed:
            message = f"DAEMON_LIST does not name {setting.macro}, so it is not started"
            yield not_listed.named(setting.entry, message, needs="DAEMON_LIST")


def _kind_of(setting: Setting) -> str:
    """Whose program a macro is, as SCHEDD2 = $(SCHEDD) is; empty for others."""
    raw = setting.entry.raw
    return raw.strip().upper()[2:-1] if raw.startswith("$(") else ""
