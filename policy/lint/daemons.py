"""Checks the daemons of a host together: names, queues, logs, programs, whom they talk to.

Follows: condor_master of 25.14.1, which gives a daemon of another name that name as its local one;
condor_collector and condor_schedd of 25.14.1, started with such settings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from classad.errors import Diagnostic
from classad.patterns import late_regex
from policy.explain.roles import host_of
from policy.knobs.other_daemons import DAEMONS
from policy.knobs.readers import MAIN
from policy.language.macros import ExpansionError
from policy.lint.agreement import COLLECTOR_PORT, DISAGREE, addresses, setting_of, started_by
from policy.lint.assignments import never_read, with_dots
from policy.lint.companions import alone
from policy.lint.finding import NOTE, Meant, Per, looks_at
from policy.lint.interfaces import PORT_GIVEN
from policy.lint.lists import not_listed
from policy.lint.reading import HOLE
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
        args = setting_of(view, f"{setting.upper}_ARGS")
        given = None if args is None else LOCAL_NAME.search(args.text())
        local = given[1] if given is not None else ""
        listed = {setting.upper, kind} <= {*started_by(view)}
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
        macro = setting.upper
        kind = macro.removesuffix("_LOG")
        if kind in MAIN and setting.local_name is not None and kind in started_by(view):
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
        name = setting.upper
        given = any(setting_of(view, f"{name}_{what}") for what in ("ARGS", "ENVIRONMENT"))
        if kind in MAIN and kind != name and given and name not in listed:
            message = f"DAEMON_LIST does not name {setting.macro}, so it is not started"
            yield not_listed.named(setting.entry, message, needs="DAEMON_LIST")


def _kind_of(setting: Setting) -> str:
    """Whose program a macro is, as SCHEDD2 = $(SCHEDD) is; empty for others."""
    raw = setting.entry.raw
    return raw.strip().upper()[2:-1] if raw.startswith("$(") else ""


@looks_at(Per.SETTING, among=with_dots)
def of_its_other_name(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """``SCHEDD2.SPOOL`` of a daemon that SCHEDD2_ARGS starts with another local name."""
    prefix = setting.prefix
    if prefix is None or prefix.upper() in DAEMONS or prefix.casefold() in view.local_names:
        return
    args = setting_of(view, f"{prefix.upper()}_ARGS")
    found = None if args is None else LOCAL_NAME.search(args.text())
    if found is not None and found[1].casefold() != prefix.casefold():
        message = f"the daemon has the local name {found[1]}, and does not read {prefix}.*"
        help_text = f"`{found[1]}.{setting.macro}` is what it looks for"
        yield never_read.named(setting.entry, message, help_text, macro=setting.macro)


#: What a value for all machines of a pool begins with.
_ANY_MACHINE: Final = late_regex(
    r"\$\((COLLECTOR_HOST|CONDOR_HOST|IP_ADDRESS|FULL_HOSTNAME)\)", re.I
)


@looks_at(Per.SETTING, of="CONDOR_VIEW_HOST")
def own_view(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A collector that is to pass on its ads to itself."""
    local, home = setting.local_name, setting_of(view, "COLLECTOR_HOST")
    home = home or setting_of(view, "CONDOR_HOST")
    if home is None or not host_of(view.config).runs("COLLECTOR"):
        return
    listed = addresses(home)
    ports = {one.port or COLLECTOR_PORT for one in listed[:1]}
    if local is not None:
        starts = (one for one in view.plain.values() if _is_named(one, local))
        ports = {found[1] for one in starts if (found := PORT_GIVEN.search(one.text()))}
    elif _ANY_MACHINE.match(setting.entry.raw.strip()) or "collector1" in view.words:
        return  # it says something on other machines, or to other collectors
    for one in addresses(setting) if listed else ():
        if one.host == listed[0].host and (one.port or COLLECTOR_PORT) in ports:
            message = f"`{one.item.text}` is this collector itself, which passes on nothing then"
            yield setting.say(alone, message, setting.whole())
            return


def _is_named(args: Setting, local: str) -> bool:
    found = LOCAL_NAME.search(args.text()) if args.upper.endswith("_ARGS") else None
    return found is not None and found[1].casefold() == local.casefold()


@looks_at(Per.SETTING, of="CREDD_HOST")
def credd_elsewhere(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Another port than the one on which the condor_credd of this machine listens."""
    args = setting_of(view, "CREDD_ARGS")
    found = None if args is None else PORT_GIVEN.search(args.text())
    named = addresses(setting)
    wrong = found is not None and any(one.port and one.port != found[1] for one in named)
    if found is not None and wrong and "CREDD" in started_by(view):
        message = f"{setting.macro} has the port {named[0].port}, and CREDD_ARGS says {found[1]}"
        yield setting.say(DISAGREE, message, setting.whole(), "nobody finds condor_credd")


@looks_at(Per.SETTING, of="STATE_FILE")
def other_record(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """The negotiator's record of usage in another case: nothing is there to replicate."""
    name = setting.text().strip().rpartition("/")[2]
    if name != _RECORD and name.casefold() == _RECORD.casefold():
        message = f"the negotiator's record is {_RECORD}, and `{name}` is another file"
        yield setting.say(DISAGREE, message, setting.whole(), Meant(_RECORD, name))


_RECORD: Final = "Accountantnew.log"


@looks_at(Per.SETTING, of="JOB_ROUTER_SCHEDD2_NAME")
def routed_within(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A second schedd by its name alone, which is that of the first one."""
    mine = setting.beside("SCHEDD_NAME") or setting.beside("FULL_HOSTNAME")
    pool, second = setting.beside("JOB_ROUTER_SCHEDD2_POOL"), setting.text().strip()
    host = host_of(view.config)
    here = view.names_daemons and host.runs("JOB_ROUTER") and host.runs("SCHEDD")
    if here and second and second == mine and not pool.strip():
        message = f"the second schedd is {second} of this pool, from which the jobs come"
        help_text = "routed jobs stay where they are: JOB_ROUTER_SCHEDD2_POOL is missing"
        yield setting.say(DISAGREE, message, setting.whole(), help_text)


@looks_at(Per.SETTING, of="JOB_ROUTER_SCHEDD2_POOL")
def routed_to_itself(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A router whose second schedd is the first one."""
    home, one = setting_of(view, "COLLECTOR_HOST"), addresses(setting)
    first = [] if home is None else addresses(home)
    same = [(it.host, it.port or COLLECTOR_PORT) for it in (*one[:1], *first[:1])]
    mine = setting.beside("SCHEDD_NAME") or setting.beside("FULL_HOSTNAME")
    second = setting.beside("JOB_ROUTER_SCHEDD2_NAME")
    if len(same) == 2 and same[0] == same[1] and second and second == mine:
        message = f"the second schedd is {second} of this pool, from which the jobs come"
        yield setting.say(DISAGREE, message, setting.whole(), "routed jobs stay where they are")


@looks_at(Per.SETTING, of="LOCAL_CREDMON_PROVIDER_NAME")
def makes_no_tokens(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """What condor_credmon_oauth reads, on an access point whose DAEMON_LIST lacks it."""
    listed = started_by(view) if view.names_daemons else []
    named = "credmon_oauth" in view.words or any(name.startswith("CREDMON") for name in listed)
    if "SCHEDD" in listed and not named:
        message = "no credmon is in DAEMON_LIST, so no tokens are made"
        help_text = "add CREDMON_OAUTH, as `use FEATURE : OAUTH` does"
        yield setting.say(DISAGREE, message, setting.whole(), help_text)


@looks_at(Per.SETTING, of="JOB_ROUTER_SCHEDD2_SPOOL")
def one_queue(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """The queue of the second schedd, one of another pool, which is the first one's."""
    first = setting.beside("JOB_ROUTER_SCHEDD1_SPOOL").strip() or setting.beside("SPOOL").strip()
    pools = [setting_of(view, name) for name in ("COLLECTOR_HOST", "JOB_ROUTER_SCHEDD2_POOL")]
    hosts = [
        {(it.host, it.port or COLLECTOR_PORT) for it in addresses(one)} for one in pools if one
    ]
    elsewhere = len(hosts) == len(pools) and hosts[0].isdisjoint(hosts[1])
    if elsewhere and setting.text().strip().rstrip("/") == first.rstrip("/") != "":
        message = "the queue of the second schedd is that of the first one"
        yield setting.say(DISAGREE, message, setting.whole(), "name the SPOOL of the second one")


@looks_at(Per.CONFIGURATION)
def without_collector(view: View) -> Iterator[Diagnostic]:
    """A machine of HAD_LIST that the only collector of COLLECTOR_HOST does not run on."""
    had = setting_of(view, "HAD_LIST")
    home = setting_of(view, "COLLECTOR_HOST") or setting_of(view, "CONDOR_HOST")
    if had is None or home is None:
        return
    listed, machines = addresses(had), [one.host for one in addresses(home)]
    more = [one.host for one in listed if one.host not in machines]
    if len(machines) == 1 and len(listed) > 1 and len(more) < len(listed):
        message = f"it lacks {more[0]}, which HAD_LIST has"
        help_text = "daemons have no collector while the negotiator is there"
        yield home.say(DISAGREE, message, home.whole(), help_text)


@looks_at(Per.SETTING, of="JOB_ROUTER_SCHEDD([12])_JOB_QUEUE_LOG")
def queue_elsewhere(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """The queue of a schedd in another folder than its SPOOL."""
    spool = setting.beside(f"{setting.upper.removesuffix('JOB_QUEUE_LOG')}SPOOL")
    folder = setting.text().strip().rpartition("/")[0]
    if spool.strip() and folder and folder != spool.strip().rstrip("/"):
        message = f"the schedd's SPOOL is `{spool.strip()}`, and its queue another one's"
        yield setting.say(DISAGREE, message, setting.whole())


_LOGS: Final = late_regex(
    r"(MASTER|COLLECTOR|NEGOTIATOR|SCHEDD|SHADOW|STARTD|STARTER|SHARED_PORT|DEFRAG|HAD|REPLICATION"
    r"|JOB_ROUTER|GRIDMANAGER)_LOG",
    re.IGNORECASE,
)


@looks_at(Per.CONFIGURATION)
def logs_of_two(view: View) -> Iterator[Diagnostic]:
    """Daemons of different kinds that write into one log."""
    logs = view.index.fitting(_LOGS)
    texts = {one.upper: one.text().strip() for one in logs}
    for setting in logs:
        for name in (f"{kind}_LOG" for kind in ("MASTER", "SCHEDD", "STARTD", "COLLECTOR")):
            own = texts.get(name) or setting.beside(name).strip()
            mine, is_later = setting.text().strip(), name not in texts
            is_later = is_later or list(texts).index(name) < list(texts).index(setting.upper)
            if mine and mine == own and name != setting.upper and is_later:
                message = f"{setting.macro} and {name} are one file, `{mine}`"
                help_text = "each turns the log round when it is full, and loses what the other has"
                yield setting.say(DISAGREE, message, setting.whole(), help_text)
                break


@looks_at(Per.CONFIGURATION)
def no_program_of(view: View) -> Iterator[Diagnostic]:
    """A daemon of DAEMON_LIST whose program is a macro that nobody sets."""
    for name in dict.fromkeys(started_by(view)):
        own = setting_of(view, name)
        found = None if own is None else _REFERENCE.fullmatch(own.entry.raw.strip())
        if own is not None and found is not None and own.config.lookup(found[1]) is None:
            message = f"`$({found[1]})` is not defined, and {name} has no program"
            about = {"macro": own.macro, "names": (found[1],)}
            yield HOLE.on(own.entry, message, "condor_master cannot start it", **about)


_REFERENCE: Final = late_regex(r"\$\((\w+)\)")


#: What names the machine that reads the file.
THIS_MACHINE: Final = late_regex(r"\$\((?:FULL_)?HOSTNAME\)|\$\(IP_ADDRESS\)", re.IGNORECASE)


@looks_at(Per.SETTING, of="CONDOR_HOST")
def manager_without_collector(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A negotiator on the machine that is CONDOR_HOST, whose DAEMON_LIST has no collector."""
    host, own = host_of(view.config), THIS_MACHINE.fullmatch(setting.entry.raw.strip())
    elsewhere = setting_of(view, "COLLECTOR_HOST") is not None
    known = view.names_daemons and host.listed is not None and not host.adds
    if own and known and not elsewhere and host.runs("NEGOTIATOR") and not host.runs("COLLECTOR"):
        message = "this machine is the central manager, and DAEMON_LIST starts no collector on it"
        yield setting.say(DISAGREE, message, setting.whole(), "the negotiator finds no ads")
