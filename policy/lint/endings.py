"""Finds the values at which a daemon ends, daemon by daemon.

Inputs: a ``View``.  Outputs: ``Ending`` values; ``policy.lint.verdict`` makes verdicts of them.
Follows: the daemons of 25.14.1, asked about a bad value of each macro (``policy.knobs.readers``);
for the negotiator what ``policy.load`` says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from typing import Final, NamedTuple

from attr import evolve, frozen

from classad.errors import Diagnostic, suggest
from classad.patterns import any_of, late_regex
from policy.config import Config
from policy.explain.roles import host_of, is_whole, makes_no_slot
from policy.knobs.choices import FORMS
from policy.knobs.declaration import Knob, Need
from policy.knobs.matching import (
    CONSUMPTION_CPUS,
    CONSUMPTION_DISK,
    CONSUMPTION_MEMORY,
    CONSUMPTION_POLICY,
)
from policy.knobs.other_daemons import DAEMONS
from policy.knobs.readers import JUDGED, MAIN, ON_THEIR_OWN, Readers, find_readers, is_of_log
from policy.knobs.reading import Place, call_place, read_knob, split_list
from policy.language.about import About, about, change_about
from policy.language.expressions import is_expression
from policy.language.macros import ExpansionError
from policy.language.numbers import read_boolean, read_integer
from policy.lint.finding import Repair, name_place
from policy.lint.hosts import LOCK_URL, is_locked, is_nameless, is_no_path, shares_port
from policy.lint.view import Setting, Stretch, View, is_own
from policy.load import PolicyLoad, ended_by, ends_daemon, load_policy

_QUOTES: Final = "\"'"
_OF_CONSUMPTION: Final = (CONSUMPTION_CPUS, CONSUMPTION_MEMORY, CONSUMPTION_DISK)
WEIGHT_OF_TYPE: Final = late_regex(r"SLOT_TYPE_(\d+)_SLOT_WEIGHT", re.IGNORECASE)
#: What condor_credd reads when somebody asks it for a password.
_LATE: Final = ("CREDD_CACHE_LOCALLY",)
#: By what a daemon ends itself, and with which status.
_SHUTDOWN: Final = ("DAEMON_SHUTDOWN", "DAEMON_SHUTDOWN_FAST")
_BY_ITSELF: Final = 99
#: The lists of what the master starts.
_OF_DAEMONS: Final = ("DAEMON_LIST", "MASTER_HA_LIST")
_STATISTICS: Final = late_regex(r"SCHEDD_COLLECT_STATS_(?:BY|FOR)_\w+", re.IGNORECASE)
_EXPIRY: Final = late_regex(r"SCHEDD_EXPIRE_STATS_BY_(\w+)", re.IGNORECASE)
_OF_REQUIREMENT: Final = late_regex(r"SUBMIT_REQUIREMENT_(\w+)_IS_WARNING", re.IGNORECASE)
_CRON_LOAD: Final = late_regex(r"(STARTD|SCHEDD)_CRON_(?!MAX_JOB_)(\w+)_JOB_LOAD", re.IGNORECASE)
_POOL_HISTORY: Final = late_regex(r"POOL_HISTORY_\w+", re.IGNORECASE)
_ENVIRONMENT: Final = late_regex(r"(\w+)_ENVIRONMENT", re.IGNORECASE)
#: Variables between semicolons, and between blanks in double quotes.
_PLAIN: Final = late_regex(r"(?:[^;=]+=[^;]*)?(?:;(?:[^;=]+=[^;]*)?)*")
_VARIABLE: Final = r"""(?:[^\s"'=]|"")+=(?:[^\s"']|""|'(?:[^'"]|''|"")*')*"""
_QUOTED: Final = late_regex(rf'"\s*(?:{_VARIABLE}(?:\s+{_VARIABLE})*\s*)?"')
_CONTROLLER: Final = late_regex(r"MASTER_(\w+)_CONTROLLER", re.IGNORECASE)
_PORT: Final = late_regex(r"(IN_|OUT_)?(LOW|HIGH)PORT")
#: The macros that the checks below are of which are told by a name; most are none of them.
_BY_NAME: Final = any_of(
    (
        *(WEIGHT_OF_TYPE, _STATISTICS, _ENVIRONMENT, _CONTROLLER, LOCK_URL),
        *map(
            late_regex,
            (*_OF_DAEMONS, *_SHUTDOWN, *FORMS, "SHARED_PORT|FLOCK_COLLECTOR_HOSTS|NO_DNS"),
        ),
    )
)
#: They open a port of their own though they share one with others.
_LISTENING: Final = ("COLLECTOR", "SCHEDD")
#: What the startd reads only for a slot that it makes.
_OF_SLOTS: Final = ("IS_OWNER", "ISOWNER", "SLOT_WEIGHT")
#: The type of the slots that NUM_SLOTS makes, where no macro makes slots of a type.
_NO_TYPE: Final = 0


@frozen
class Daemon:
    """A daemon, with the local name that it is started with."""

    subsystem: str
    local_name: str | None = None

    def __str__(self) -> str:
        name = f"condor_{self.subsystem.lower()}"
        return name if self.local_name is None else f"{name} -local-name {self.local_name}"


class Ending(NamedTuple):
    """A value at which a daemon ends, with this exit status."""

    daemon: Daemon
    found: Diagnostic
    status: int = 4


def negotiator_loads(view: View) -> dict[str | None, PolicyLoad]:
    """The policies of all negotiators by local name."""
    return {
        local: load_policy(view.config, subsystem="NEGOTIATOR", local_name=local)
        for local in view.negotiators
    }


def find_endings(view: View, loads: dict[str | None, PolicyLoad]) -> Iterator[Ending]:
    """Every value at which some daemon ends."""
    for local, loaded in loads.items():
        for found in loaded.diagnostics:
            if ends_daemon(found) and ended_by(found) == "NEGOTIATOR":
                yield Ending(Daemon("NEGOTIATOR", local), found)
    policies = {
        about(found).macro.casefold() for loaded in loads.values() for found in loaded.diagnostics
    }
    yield from _of_extended_list(view)
    named = set(map(id, view.index.fitting(_BY_NAME)))
    for setting in view.settings:
        if setting.reading is not None and setting.reading.diagnostic is not None:
            yield from _of_declared(setting)
        readers = find_readers(setting.macro)
        if readers is not None:
            yield from _of_others(view, setting, readers, policies)
        yield from _of_functions(view, setting)
        if id(setting) in named:
            yield from _of_daemon_list(view, setting)
            yield from _of_shared_port(setting)
            yield from _of_environment(setting)
            yield from _of_flocking(view, setting)
            yield from _without_name(view, setting)
            yield from _of_slot_types(view, setting)
            yield from _of_form(setting)
            yield from _of_controller(view, setting)
            yield from _of_lock(setting)
            yield from _of_statistics(setting)
            yield from _of_shutdown(setting)


def _of_declared(setting: Setting) -> Iterator[Ending]:
    """An expression of the startd or the schedd."""
    knob, found = setting.knob, setting.reading and setting.reading.diagnostic
    if knob is None or not found or setting.config.context.subsystem != knob.read_by:
        return
    status = status_at_start(setting.config, knob)
    if knob.read_by != "NEGOTIATOR" and status is not None:
        yield Ending(Daemon(knob.read_by, setting.local_name), found, status)


def status_at_start(config: Config, knob: Knob) -> int | None:
    """With what a daemon ends that reads a bad value of a knob at its start; None if it goes on."""
    if knob.broken or not knob.fatal:
        return None
    if knob.name.upper() in _OF_SLOTS and makes_no_slot(config):
        return None
    if knob in _OF_CONSUMPTION:
        return 4 if read_knob(config, CONSUMPTION_POLICY).value is True else None
    readers = find_readers(knob.name)
    return None if readers is None else readers.ended.get(knob.read_by)


def _of_daemon_list(view: View, setting: Setting) -> Iterator[Ending]:
    """Names in a list of daemons whose program is nowhere, or no names: the master starts none."""
    macro = setting.upper
    if macro not in _OF_DAEMONS or not setting.is_seen_by("MASTER") or setting.endless is not None:
        return
    config, items = view.config.seen_by("MASTER"), setting.items()
    what = About(macro=macro, definition=setting.entry, ends="MASTER")
    spot = name_place(setting.entry)
    whole = is_whole(view.config) or not setting.config.scope.used_by(setting.entry)
    if not items and macro == _OF_DAEMONS[0] and spot is not None and whole:
        yield _ending_at(spot, Daemon("MASTER"), "DAEMON_LIST names no daemon", what)
    for item in items:
        name = item.text.strip(_QUOTES)
        unknown = config.lookup(name) is None
        if unknown and host_of(view.config).adds and suggest(name, DAEMONS) is None:
            continue  # another file may have it, as it has the other daemons
        if unknown or name != item.text:
            message = f"{macro}: no macro `{item.text}` says where that daemon's program is"
            named = evolve(what, definition=None, names=(item.text,))
            yield _ending(setting, Daemon("MASTER"), message, item, named, "P110")
            return


def _of_extended_list(view: View) -> Iterator[Ending]:
    """The same of a DAEMON_LIST of the files that a template has added to."""
    config = view.config.seen_by("MASTER")
    entry = config.lookup(_OF_DAEMONS[0])
    if entry is None or is_own(entry):
        return
    own = [one for one in entry.chain() if is_own(one) and not one.is_builtin]
    try:
        names = split_list(config.expand(entry).text) if own else []
    except ExpansionError:
        return  # that it has no end is told
    for name in (one for one in names if config.lookup(one) is None):
        word = re.compile(rf"(?<![^\s,]){re.escape(name)}(?![^\s,])")
        spot = next((name_place(one) for one in own if word.search(one.raw)), None)
        if spot is not None:
            message = f"DAEMON_LIST: no macro `{name}` says where that daemon's program is"
            what = About(macro=_OF_DAEMONS[0], names=(name,), ends="MASTER")
            yield _ending_at(spot, Daemon("MASTER"), message, what)
            return


def _of_shared_port(setting: Setting) -> Iterator[Ending]:
    """The program of condor_shared_port, which the master starts unasked: collectors need it."""
    if setting.upper != "SHARED_PORT" or not setting.is_seen_by("MASTER"):
        return
    if is_no_path(setting.text()) and shares_port(setting):
        message = f"SHARED_PORT is `{setting.text().strip()}`, which is no path of a program"
        what = About(macro="SHARED_PORT", definition=setting.entry, ends="COLLECTOR")
        without = "condor_collector ends without it; nobody reaches the other daemons"
        daemon = Daemon("COLLECTOR")
        yield _ending(setting, daemon, message, setting.whole(), what, "P215", without)


def _of_environment(setting: Setting) -> Iterator[Ending]:
    """Variables for a daemon of DAEMON_LIST, or for the master: each has a name and a value."""
    found = _ENVIRONMENT.fullmatch(setting.macro)
    if found is None or setting.endless is not None or not setting.is_seen_by("MASTER"):
        return
    listed, text = setting.beside(_OF_DAEMONS[0]), setting.text().strip()
    if found[1].upper() not in ("MASTER", *split_list(listed.upper())) or not text:
        return
    if not (_QUOTED if text[0] == '"' else _PLAIN).fullmatch(text):
        message = f"{setting.macro}: `{text}` is no list of variables, `NAME=VALUE` each"
        what = About(macro=setting.macro, definition=setting.entry, ends="MASTER")
        yield _ending(setting, Daemon("MASTER"), message, setting.whole(), what, "P110")


def _of_flocking(view: View, setting: Setting) -> Iterator[Ending]:
    """Collectors of other pools without their negotiators, or with more of these: the schedd of
    25.14.1 crashes, and that of 23.9.6."""
    if setting.upper != "FLOCK_COLLECTOR_HOSTS" or not setting.is_seen_by("SCHEDD"):
        return
    negotiators = split_list(setting.beside("FLOCK_NEGOTIATOR_HOSTS"))
    many, others = len(setting.items()), len(negotiators)
    known = is_whole(view.config) or {"flock_to", "flock_negotiator_hosts"} & view.defined
    if many and known and (others > many or not others):
        count = f"{'host' if many == 1 else 'hosts'}, and FLOCK_NEGOTIATOR_HOSTS {others or 'none'}"
        message = f"FLOCK_COLLECTOR_HOSTS names {many} {count}"
        what = About(macro=setting.macro, definition=setting.entry, ends="SCHEDD", status=139)
        how = "condor_schedd crashes at once; FLOCK_TO alone says all that most pools need"
        found = _ending(setting, Daemon("SCHEDD"), message, setting.whole(), what, "P134", how)
        yield found._replace(status=139)


def _without_name(view: View, setting: Setting) -> Iterator[Ending]:
    """Names made of addresses and a domain without the domain: a schedd crashes at once."""
    if is_nameless(view, setting) and host_of(view.config).runs("SCHEDD"):
        what = About(macro=setting.macro, definition=setting.entry, ends="SCHEDD", status=139)
        how = "condor_schedd crashes at once; a name is `10-1-2-3` and the domain then"
        message = "NO_DNS is True, and there is no DEFAULT_DOMAIN_NAME"
        found = _ending(setting, Daemon("SCHEDD"), message, setting.whole(), what, "P134", how)
        yield found._replace(status=139)


def _of_shutdown(setting: Setting) -> Iterator[Ending]:
    """A condition that is always true: each daemon that asks for it in the ads that it sends ends
    with its first one, at once or after five seconds.  The collector never asks."""
    readers = find_readers(setting.macro) if setting.upper in _SHUTDOWN else None
    if readers is None or setting.endless is not None:
        return
    if read_boolean(setting.text(), setting.config.scope.functions.evaluate) is not True:
        return
    host = host_of(setting.config)
    here = [name for name in sorted(readers.daemons) if host.listed is None or host.runs(name)]
    seen = [name for name in here if setting.is_seen_by(name)]
    for first in seen[:1]:
        what = About(macro=setting.macro, definition=setting.entry, ends=first, status=_BY_ITSELF)
        spot, message = setting.place(0, len(setting.text())), f"{setting.macro} is always true"
        how = "a daemon that reads it ends itself with its first ad"
        found = Diagnostic(message, *spot, id="P117", help=how, about=what)
        yield from (Ending(Daemon(one, setting.local_name), found, _BY_ITSELF) for one in seen)


def _of_controller(view: View, setting: Setting) -> Iterator[Ending]:
    """A daemon that is to start and stop another one that the master starts, and that the master
    does not start: it ends."""
    found = _CONTROLLER.fullmatch(setting.macro)
    if found is None or setting.endless is not None or not setting.is_seen_by("MASTER"):
        return
    listed = split_list(setting.beside(_OF_DAEMONS[0]).upper()) if view.names_daemons else []
    started = {"MASTER", *listed, *(["SHARED_PORT"] if shares_port(setting) else [])}
    controller = setting.text().strip()
    known = view.names_daemons or controller.casefold() not in map(str.casefold, DAEMONS)
    if found[1].upper() in started and controller and known and controller.upper() not in started:
        message = f"condor_master starts no `{controller}`, which is to control {found[1].upper()}"
        what = About(macro=setting.macro, definition=setting.entry, ends="MASTER")
        how = "condor_master ends, and starts no daemon"
        yield _ending(setting, Daemon("MASTER"), message, setting.whole(), what, "P134", how)


def _of_lock(setting: Setting) -> Iterator[Ending]:
    """A lock that is no file, of a daemon of which one runs in the whole pool: the master cannot
    take it."""
    if not LOCK_URL.fullmatch(setting.macro):
        return
    text = setting.text().strip()
    if not text or text.startswith("file:"):
        return
    if setting.is_seen_by("MASTER") and is_locked(setting):
        what = About(macro=setting.macro, definition=setting.entry, ends="MASTER")
        message = f"{setting.macro} does not take `{text}`: condor_master ends"
        how = "it is `file:` and a folder that the machines share"
        ending = _ending(setting, Daemon("MASTER"), message, setting.whole(), what, "P130", how)
        ending.found.edit = Repair(f"file:{text}", text).edit(
            *setting.place(0, len(setting.text()))
        )
        yield ending


def _ending(
    setting: Setting,
    daemon: Daemon,
    message: str,
    at: Stretch,
    what: About,
    id_: str,
    how: str = "",
) -> Ending:
    """An end at a part of a value."""
    return _ending_at(setting.place(at.start, at.end), daemon, message, what, id_, how)


def _ending_at(
    spot: Place, daemon: Daemon, message: str, about: About, id_: str = "P110", help_text: str = ""
) -> Ending:
    """An end at a place; ``help_text``: how it comes, if not at what is read there."""
    help_text = help_text or f"{daemon} ends when it reads this"
    return Ending(daemon, Diagnostic(message, *spot, id=id_, help=help_text, about=about))


def _of_slot_types(view: View, setting: Setting) -> Iterator[Ending]:
    """The weight of a type of slots that are made: what the startd ends at of a type."""
    found = WEIGHT_OF_TYPE.fullmatch(setting.macro)
    if found is None or setting.endless is not None:
        return
    broken = setting.unparsable() if is_made(view, setting, int(found[1])) else None
    if broken is not None:
        about_type = About(macro=setting.macro, definition=setting.entry, ends="STARTD")
        ending = _ending(setting, Daemon("STARTD"), *broken, about_type, "P111")
        yield ending._replace(daemon=Daemon("STARTD", setting.local_name))


def is_made(view: View, setting: Setting, number: int) -> bool:
    """Does the startd that reads a definition make slots of a type?"""
    evaluate = setting.config.scope.functions.evaluate
    types = [f"num_slots_type_{number}"]
    if number == _NO_TYPE:
        types = [name for name in view.defined if name.startswith("num_slots_type_")]
    typed = any((read_integer(setting.beside(name), evaluate) or 0) > 0 for name in types)
    return typed is (number != _NO_TYPE)


def _of_form(setting: Setting) -> Iterator[Ending]:
    """A text that has a form: its daemon ends at one that has not."""
    form = FORMS.get(setting.upper)
    if form is None or setting.endless is not None:
        return
    text, (daemon, fits, what) = setting.text().strip(), form
    spot = setting.place(0, len(setting.text())) if text else name_place(setting.entry)
    if spot is not None and not fits(text):
        about_it = About(macro=setting.macro, definition=setting.entry, ends=daemon)
        yield _ending_at(spot, Daemon(daemon), f"{setting.macro}: `{text}` is {what}", about_it)


def _of_statistics(setting: Setting) -> Iterator[Ending]:
    """The expressions by which the schedd counts jobs; what stands behind one is passed over."""
    if not _STATISTICS.fullmatch(setting.macro) or setting.endless is not None:
        return
    broken, text = setting.unparsable(), setting.text()
    at = 0 if broken is None else broken[1].start
    if broken is not None and (text[at : at + 1] == "(" or not is_expression(text[:at])):
        what = About(macro=setting.macro, definition=setting.entry, ends="SCHEDD")
        yield _ending(setting, Daemon("SCHEDD"), *broken, what, "P111")


def _is_reached(setting: Setting) -> bool:
    """Does the reader of a macro come to it, as what it belongs to is there?"""
    found = _OF_REQUIREMENT.fullmatch(setting.macro)
    if found is not None:
        names = map(str.casefold, split_list(setting.beside("SUBMIT_REQUIREMENT_NAMES")))
        condition = setting.beside(f"SUBMIT_REQUIREMENT_{found[1]}")
        return found[1].casefold() in names and is_expression(condition)
    if setting.upper == "SEC_CREDENTIAL_SWEEP_INTERVAL":
        return bool(setting.beside("SEC_CREDENTIAL_DIRECTORY_KRB"))
    found = _CRON_LOAD.fullmatch(setting.macro)
    if found is not None:
        jobs = split_list(setting.beside(f"{found[1]}_CRON_JOBLIST"))
        return found[2].casefold() in map(str.casefold, jobs)
    if _POOL_HISTORY.fullmatch(setting.macro):
        evaluate = setting.config.scope.functions.evaluate
        return read_boolean(setting.beside("KEEP_POOL_HISTORY"), evaluate) is True
    found = _EXPIRY.fullmatch(setting.macro)
    return found is None or bool(setting.beside(f"SCHEDD_COLLECT_STATS_BY_{found[1]}"))


def _is_asked(setting: Setting, daemon: str) -> bool:
    """Does a daemon come to what is about its slots, or an end of a range of ports?

    A range of one way of its connections goes before that of both; the upper end is asked of a
    range that has a lower one.
    """
    upper = setting.upper
    if upper in _OF_SLOTS:
        return daemon != "STARTD" or not makes_no_slot(setting.config)
    found = _PORT.fullmatch(upper) if upper.endswith("PORT") else None
    if found is None:
        return True
    way = found[1] or ""
    if found[2] == "HIGH" and not setting.beside(f"{way}LOWPORT").strip():
        return False
    ways = [way] if way else ["IN_", "OUT_"]
    if not way:
        ways = [one for one in ways if not setting.beside(f"{one}LOWPORT").strip()]
    listens = daemon in _LISTENING or not shares_port(setting)
    return "OUT_" in ways or ("IN_" in ways and listens)


def find_late(view: View) -> Iterator[Diagnostic]:
    """Typed values that daemons do not read at their start: the shadow's and the starter's too."""
    for setting in view.settings:
        readers = None if setting.knob is not None else find_readers(setting.macro)
        if readers is None or readers.ended or not _is_reached(setting):
            continue
        whose = (Daemon(name, setting.local_name) for name in sorted(readers.daemons & DAEMONS))
        for daemon, found in _mistakes(view, setting, readers, whose):
            name, alone = daemon.subsystem, not readers.daemons >= set(MAIN)
            who = str(Daemon(name)) if alone else "a daemon"
            if found.id == "P111":
                found.id, found.help = "P113", f"{who} goes on without it"
                change_about(found, ends="")
            else:
                at_start = name in ON_THEIR_OWN and setting.upper not in _LATE
                at_start = at_start or is_of_log(setting.macro)
                late = "" if at_start else ", which is not at its start"
                found.help = f"{who} ends when it reads this{late}"
                change_about(found, ends=name if at_start and alone and name in JUDGED else "")
            yield found
            break


def _of_others(
    view: View, setting: Setting, readers: Readers, policies: Set[str]
) -> Iterator[Ending]:
    """A typed value of any daemon, unless the declaration of a knob has told it already."""
    if not _is_reached(setting):
        return
    knob = setting.knob
    # Of the negotiator's its policy tells what a cycle needs, and more of it.
    own = knob is not None and (knob.read_by != "NEGOTIATOR" or knob.need is not Need.IRRELEVANT)
    told = {knob.read_by} if knob is not None and own else set()
    if setting.folded in policies:
        told.add("NEGOTIATOR")
    whose = (
        Daemon(daemon, local)
        for daemon in sorted(readers.ended)
        if daemon not in told and _is_asked(setting, daemon)
        for local in (view.negotiators if daemon == "NEGOTIATOR" else (setting.local_name,))
    )
    for daemon, found in _mistakes(view, setting, readers, whose):
        yield Ending(daemon, found, readers.ended[daemon.subsystem])


def _of_functions(view: View, setting: Setting) -> Iterator[Ending]:
    """A function macro that fails in a text: each daemon that expands it at its start ends."""
    readers = find_readers(setting.macro) if setting.problems else None
    for name in sorted(readers.at_start if readers is not None else ()):
        for local in view.negotiators if name == "NEGOTIATOR" else (setting.local_name,):
            if view.config.seen_by(name, local).lookup(setting.macro) is setting.entry:
                what = About(macro=setting.macro, definition=setting.entry, ends=name)
                message = f"{setting.macro}: {setting.problems[0]}"
                yield _ending_at(call_place(setting.entry), Daemon(name, local), message, what)


def _mistakes(
    view: View, setting: Setting, readers: Readers, daemons: Iterable[Daemon]
) -> Iterator[tuple[Daemon, Diagnostic]]:
    """What daemons that see a definition find wrong in it."""
    for daemon in daemons:
        knob = readers.knob(daemon.subsystem, view.config.version)
        if knob is None:
            return  # any text is right
        config = view.config.seen_by(daemon.subsystem, daemon.local_name)
        if config.lookup(setting.macro) is not setting.entry:
            continue
        if setting.knob is not None:
            knob = evolve(knob, default=setting.knob.default)
        found = read_knob(config, knob, setting.macro).diagnostic
        if found is not None:
            yield daemon, found
        elif "$" not in setting.entry.raw:
            return  # the others read the same text
