"""Checks settings that have to agree: high availability, both sides of a connection, other pools.

Follows: condor_had and condor_negotiator of 25.14.1, started with such settings; the manual.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from classad.errors import Diagnostic
from classad.patterns import late_regex
from policy.explain.roles import host_of
from policy.language.numbers import integer_literal, saturated
from policy.lint.assignments import ADDED, ADDING, policy_lost
from policy.lint.choices import has_hole, out_of_range
from policy.lint.finding import NOTE, Finding, Meant, Per, looks_at, use_of
from policy.lint.security import is_switch, network, switched
from policy.lint.view import ITEM, Item, Setting, View

DISAGREE: Final = Finding(
    "P134",
    "two settings that have to agree and do not",
    "condor_had and condor_replication listen where HAD_ARGS and REPLICATION_ARGS say, and the"
    " others look for them where HAD_LIST and REPLICATION_LIST say, which name the machines of"
    " COLLECTOR_HOST, each with its port, in the same order; MASTER_NEGOTIATOR_CONTROLLER = HAD"
    " gives it the negotiator, which condor_master refuses without HAD in DAEMON_LIST."
    " condor_had ends where it does not find itself in HAD_LIST, so it"
    " needs a port in HAD_ARGS, or HAD_USE_SHARED_PORT and the port of COLLECTOR_HOST in the list."
    " Daemons are"
    " clients of each other: without a method that both sides take, or where one side requires what"
    " the other never does, they cannot talk. Between LOWPORT and HIGHPORT there is a port for each"
    " daemon that the shared port does not serve. A second negotiator or"
    " schedd needs a name and a SPOOL of its own. FLOCK_COLLECTOR_HOSTS and FLOCK_NEGOTIATOR_HOSTS"
    " go side by side, and the negotiators of other pools need ALLOW_NEGOTIATOR. Users need a"
    " method besides PASSWORD, which makes condor of everybody. Where CONDOR_HOST is this machine,"
    " DAEMON_LIST starts a collector, and DC_DAEMON_LIST has programs that take what condor_master"
    " tells its daemons, which those that renew credentials do not.",
    bad="HAD_ARGS = -p 51450\nHAD_LIST = cm1.example.edu:51451, cm2.example.edu:51451\n",
    good="HAD_ARGS = -p 51450\nHAD_LIST = cm1.example.edu:51450, cm2.example.edu:51450\n",
    observed="Observed with 25.14.1: condor_had ends with `my address is not present in HAD_LIST`"
    " where the list has no ports or it listens on another one, with `no HAD_LIST in config file`"
    " where there is none, ends with HAD_USE_SHARED_PORT where"
    " nobody shares a port, with HAD_USE_REPLICATION without REPLICATION_LIST, and where that has"
    " the machines in another order: `host names of machine and replication daemon do not match`;"
    " daemons end that find no port in the range; condor_collector listens on the port of its"
    " arguments, whatever COLLECTOR_HOST says. Its schedd says `lists are not the same size."
    " Flocking disabled.` A negotiator with a local name has that in its own name, unless"
    " NEGOTIATOR_NAME is set. A program in DC_DAEMON_LIST gets `-local-name`. condor_submit fails"
    " with PASSWORD alone: `Failed to authenticate` for users, and `Cannot allocate a cluster id`"
    " for root. The rest follows from the manual.",
)
_LISTS: Final = ("HAD_LIST", "REPLICATION_LIST")
#: Macros that say where daemons go.
_PLACES: Final = r"(COLLECTOR|CONDOR(_VIEW)?)_HOST|FLOCK_TO|CCB_ADDRESS|(HAD|REPLICATION)_LIST"
COLLECTOR_PORT: Final = "9618"
_PORTS: Final = 65535
_ON_PORT: Final = late_regex(r"(?<!\S)-p\s+(\d+)")
_ADDRESS: Final = late_regex(r"<?(\[[^\]]*\]|[^:?\s<>]+)(?::(\d+))?(?:\?[^\s>]*)?>?")
_CLIENT: Final = late_regex(r"SEC_(?!CLIENT_)\w+?_(AUTHENTICATION_METHODS|CRYPTO_METHODS)", re.I)
_LEVELS: Final = ("AUTHENTICATION", "ENCRYPTION", "INTEGRITY")
#: Methods by which all are the same user, and one that is gone.
_ONE_USER: Final = frozenset(("PASSWORD", "GSI"))
_OPPOSITE: Final = {"REQUIRED": "NEVER", "NEVER": "REQUIRED"}


class Address(NamedTuple):
    """A machine in a list; ``port`` is empty where none is given."""

    host: str
    port: str
    item: Item


def addresses(setting: Setting) -> list[Address]:
    """The machines in a list of hosts, without what is no address."""
    found = ((item, _ADDRESS.fullmatch(item.text)) for item in setting.items())
    return [Address(m[1].casefold(), m[2] or "", item) for item, m in found if m is not None]


def setting_of(view: View, macro: str) -> Setting | None:
    """The setting of a macro without a prefix."""
    return view.plain.get(macro)


def started_by(view: View) -> list[str]:
    """The names in DAEMON_LIST; none where no file has it."""
    setting = setting_of(view, "DAEMON_LIST")
    return [] if setting is None else [item.text.upper() for item in setting.items()]


@looks_at(Per.CONFIGURATION)
def availability(view: View) -> Iterator[Diagnostic]:
    """The lists of condor_had and condor_replication, and what they control."""
    lists = {name: setting for name in _LISTS if (setting := setting_of(view, name)) is not None}
    hosts = {name: addresses(setting) for name, setting in lists.items()}
    for name, setting in lists.items():
        yield from _ports(view, setting, hosts[name])
    had, replication = hosts.get("HAD_LIST", []), hosts.get("REPLICATION_LIST", [])
    if had and replication:
        yield from _lacking(lists["REPLICATION_LIST"], replication, had, "HAD_LIST")
        yield from _shuffled(view, lists["REPLICATION_LIST"], replication, had)
    collectors = setting_of(view, "COLLECTOR_HOST") or setting_of(view, "CONDOR_HOST")
    if had and collectors is not None:
        yield from _lacking(lists["HAD_LIST"], had, addresses(collectors), collectors.macro)
    yield from _controlled(view)
    yield from _without_list(view, hosts)
    replicates = setting_of(view, "HAD_USE_REPLICATION")
    if had and replicates and not replication and view.is_on("HAD_USE_REPLICATION", "HAD", False):
        message = "condor_had ends: there is no REPLICATION_LIST"
        yield replicates.say(DISAGREE, message, replicates.whole())


def _without_list(view: View, hosts: Mapping[str, list[Address]]) -> Iterator[Diagnostic]:
    """A daemon of DAEMON_LIST that ends without the list of its machines."""
    started = setting_of(view, "DAEMON_LIST")
    if started is None or not view.names_daemons:
        return
    for item in started.items():
        name = f"{item.text.upper()}_LIST"
        if name in _LISTS and not hosts.get(name):
            daemon = item.text.upper()
            message = f"condor_{daemon.lower()} ends: there is no {name}"
            yield started.say(DISAGREE, message, item, ends=daemon)


def _controlled(view: View) -> Iterator[Diagnostic]:
    """What condor_had of DAEMON_LIST starts and stops; negotiators that nobody stops."""
    started = setting_of(view, "DAEMON_LIST")
    by_name = {} if started is None else {item.text.upper(): item for item in started.items()}
    item, named = by_name.get("HAD"), setting_of(view, "HAD_CONTROLLEE")
    controls = "NEGOTIATOR" if named is None else named.text().strip().upper() or "NEGOTIATOR"
    if started is None:
        return
    item = item if view.names_daemons else None  # else what it lacks may be in another file
    had, home = (setting_of(view, name) for name in ("HAD_LIST", "COLLECTOR_HOST"))
    home = home or setting_of(view, "CONDOR_HOST")
    places = [set() if one is None else {it.host for it in addresses(one)} for one in (had, home)]
    if item is not None and places[0] and places[0] == places[1] and "COLLECTOR" not in by_name:
        message = "the machines of HAD_LIST are those of COLLECTOR_HOST, and this one has none"
        yield started.say(DISAGREE, message, item, "add COLLECTOR to DAEMON_LIST")
    if item is not None and controls not in by_name:
        message = f"condor_had has no {controls.lower()} to start: DAEMON_LIST lacks it"
        yield started.say(DISAGREE, message, item)
    elif item is not None and setting_of(view, f"MASTER_{controls}_CONTROLLER") is None:
        message = f"condor_had has no {controls.lower()} to control, which runs on every machine"
        help_text = f"MASTER_{controls}_CONTROLLER = HAD is missing"
        yield started.say(DISAGREE, message, item, help_text)
    collectors = setting_of(view, "COLLECTOR_HOST") or setting_of(view, "CONDOR_HOST")
    hosts = {one.host for one in addresses(collectors)} if collectors is not None else set()
    if len(hosts) > 1 and "had" not in view.words and {"COLLECTOR", "NEGOTIATOR"} <= set(by_name):
        message = f"a negotiator here, and {len(hosts)} central managers without condor_had"
        help_text = "if the others have one, too, they match the same slots; HAD keeps one of them"
        found = started.say(DISAGREE, message, by_name["NEGOTIATOR"], help_text)
        found.severity = NOTE
        yield found


def _ports(view: View, setting: Setting, listed: list[Address]) -> Iterator[Diagnostic]:
    """Addresses without a port, and ports that are not where the daemon listens."""
    daemon = setting.upper.removesuffix("_LIST")
    own = _ON_PORT.search(setting.beside(f"{daemon}_ARGS"))
    bare = next((one for one in listed if not one.port), None)
    ports, help_text = {one.port for one in listed}, None
    shares = view.is_on(f"{daemon}_USE_SHARED_PORT", daemon, False)
    if bare is not None:
        message = f"`{bare.item.text}` has no port, and the daemon does not find itself in the list"
        if bare.item.text in setting.entry.raw:
            yield setting.say(DISAGREE, message, bare.item, "it ends")
        else:
            yield DISAGREE.on(setting.entry, message, "it ends")
        return
    if not listed:
        return
    if shares and not view.is_on("USE_SHARED_PORT", "MASTER", True):
        message = f"{daemon}_USE_SHARED_PORT is True, and USE_SHARED_PORT is False: it ends"
    elif shares and not ports & (shared := _shared_ports(view)):
        message = f"it has the port {listed[0].port}, and the shared port is {min(shared)}"
        help_text = "the daemon does not find itself in the list, and ends"
    elif own is not None and own[1] not in ports and not shares:
        message = f"{setting.macro} has the port {listed[0].port}, and {daemon}_ARGS says {own[1]}"
    elif own is None and daemon == "HAD" and not shares and "HAD" in started_by(view):
        message = "condor_had listens on any port, and does not find itself in the list"
        help_text = f"it ends; `HAD_ARGS = -p {listed[0].port}` says which one"
    elif own is not None and len(ports) > 1 < len({one.host for one in listed}) and not shares:
        yield _another_port(setting, listed, f"{daemon}_ARGS", own[1])
        return
    else:
        return
    yield setting.say(DISAGREE, message, setting.whole(), help_text)


def _another_port(setting: Setting, listed: list[Address], args: str, own: str) -> Diagnostic:
    """A machine of a list on another port than this one's, as it has with arguments of its own."""
    other = next(one for one in listed if one.port != own)
    message = f"`{other.host}` has the port {other.port}, and {args} says {own}"
    help_text = f"the machines find each other if {args} says another port there"
    found = setting.say(DISAGREE, message, setting.whole(), help_text)
    found.severity = NOTE
    return found


def _shared_ports(view: View) -> set[str]:
    """Where the daemons of a central manager listen that share a port."""
    collectors = setting_of(view, "COLLECTOR_HOST") or setting_of(view, "CONDOR_HOST")
    listed = [] if collectors is None else addresses(collectors)
    return {one.port or COLLECTOR_PORT for one in listed} or {COLLECTOR_PORT}


def _lacking(
    setting: Setting, mine: list[Address], others: list[Address], other: str
) -> Iterator[Diagnostic]:
    """Machines that stand in one of two lists only, if they have any in common."""
    ours, theirs = {one.host for one in mine}, {one.host for one in others}
    if ours == theirs or len(others) < 2:
        return
    lacks = [one.host for one in others if one.host not in ours]
    more = [one for one in mine if one.host not in theirs]
    if lacks:
        yield setting.say(DISAGREE, f"it lacks {lacks[0]}, which {other} has", setting.whole())
    elif more:
        message = f"`{more[0].host}` is not in {other}"
        yield setting.say(DISAGREE, message, more[0].item)


def _shuffled(
    view: View, setting: Setting, mine: list[Address], had: list[Address]
) -> Iterator[Diagnostic]:
    """The machines of HAD_LIST in another order: condor_had goes by its own place in both."""
    ours, theirs = [one.host for one in mine], [one.host for one in had]
    replicates = view.is_on("HAD_USE_REPLICATION", "HAD", False)
    if replicates and ours != theirs and sorted(ours) == sorted(theirs):
        message = "its machines stand in another order than those of HAD_LIST"
        help_text = "condor_had finds another machine's replication in its place, and ends"
        yield setting.say(DISAGREE, message, setting.whole(), help_text)


@looks_at(Per.CONFIGURATION)
def one_port(view: View) -> Iterator[Diagnostic]:
    """Two daemons of one machine that are to listen on the same port."""
    taken: dict[str, str] = {}
    for name in dict.fromkeys(started_by(view)):
        args = setting_of(view, f"{name}_ARGS")
        found = None if args is None else _ON_PORT.search(args.text())
        if args is None or found is None:
            continue
        if found[1] in taken:
            message = f"{taken[found[1]]} has the port {found[1]}, too"
            yield args.say(DISAGREE, message, Item.of(found))
        taken.setdefault(found[1], name)


@looks_at(Per.CONFIGURATION)
def where_nobody_listens(view: View) -> Iterator[Diagnostic]:
    """A collector that is told to listen on another port than the one that all go to."""
    args, host = setting_of(view, "COLLECTOR_ARGS"), setting_of(view, "COLLECTOR_HOST")
    own = None if args is None else _ON_PORT.search(args.text())
    shares = view.is_on("USE_SHARED_PORT", "MASTER", True)
    if args is None or own is None or host is None or shares:
        return
    if "COLLECTOR" not in args.beside("DAEMON_LIST").upper():
        return
    ports = {one.port or COLLECTOR_PORT for one in addresses(host)}
    if ports and own[1] not in ports:
        message = f"COLLECTOR_HOST has the port {min(ports)}, where no collector listens then"
        yield args.say(DISAGREE, message, Item.of(own, 1))


@looks_at(Per.SETTING, of="COLLECTOR_USES_SHARED_PORT")
def beside_the_shared_port(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A collector with a port of its own that is the one of condor_shared_port: it cannot start."""
    on = [view.is_on(one, "MASTER", True) for one in ("USE_SHARED_PORT", setting.macro)]
    runs = "COLLECTOR" in setting.beside("DAEMON_LIST").upper()
    runs = runs and not setting.beside("SHARED_PORT_ARGS").strip()
    shared = setting.beside("SHARED_PORT_PORT").strip()
    if on == [True, False] and runs and shared in _shared_ports(view):
        message = f"condor_shared_port has the port {shared}, too, and no collector starts"
        yield setting.say(DISAGREE, message, setting.whole(), "SHARED_PORT_PORT says another one")


@looks_at(Per.CONFIGURATION)
def too_few_ports(view: View) -> Iterator[Diagnostic]:
    """A range of ports that is smaller than what DAEMON_LIST starts without a shared port."""
    daemons = set(started_by(view)) - {"COLLECTOR", "SHARED_PORT"}
    if not daemons or view.is_on("USE_SHARED_PORT", "MASTER", True):
        return
    for ours in ("IN_", ""):
        low, high = setting_of(view, f"{ours}LOWPORT"), setting_of(view, f"{ours}HIGHPORT")
        ends = [None if one is None else integer_literal(one.text()) for one in (low, high)]
        if high is None or ends[0] is None or ends[1] is None:
            continue
        many = ends[1] - ends[0] + 1
        if 0 < many < len(daemons):
            message = f"{many} ports for {len(daemons)} daemons of DAEMON_LIST that share none"
            yield high.say(DISAGREE, message, high.whole(), "those that get none end")


@looks_at(Per.ITEM, _PLACES)
def no_host(setting: Setting, item: Item) -> Iterator[Diagnostic]:
    """A pattern or a switch in place of a host, and a port behind one that no machine has."""
    if is_switch(setting, item):
        yield switched(setting, item)
        return
    # A CONDOR_HOST to which COLLECTOR_HOST does not refer only says who may come.
    is_place = setting.upper != "CONDOR_HOST" or item.text in setting.beside("COLLECTOR_HOST")
    if "*" in item.text and is_place:
        message = f"`{item.text}` is no host: daemons connect to a machine, and not to a pattern"
        yield setting.say(network, message, item)
    user, at, host = item.text.partition("@")
    if user and at and host and "*" not in item.text:
        message = f"`{item.text}` is no host: daemons connect to a machine, and not to a user"
        yield setting.say(network, message, item, Meant(host, item.text))
        return
    if "://" in item.text:
        message = f"`{item.text}` is no host: it is no address of the web"
        name = item.text.partition("://")[2].strip("/")
        yield setting.say(network, message, item, Meant(name, item.text))
        return
    if item.text.isdigit():
        message = f"`{item.text}` is no host"
        yield setting.say(network, message, item, "a port stands behind its host and a colon")
        return
    found = _ADDRESS.fullmatch(item.text)
    port = "" if found is None else found[2]
    if found is not None and port and saturated(port) > _PORTS:
        part = Item(port, item.start + found.start(2), item.start + found.end(2))
        yield setting.say(out_of_range, f"{port} is no port: they end at {_PORTS}", part)


@looks_at(Per.CONFIGURATION)
def both_sides(view: View) -> Iterator[Diagnostic]:
    """Methods without a common one, levels that exclude each other."""
    for setting in view.settings:
        macro = setting.macro
        found = _CLIENT.fullmatch(macro) if macro[:1] in "sS" else None
        ours = "" if found is None else f"SEC_CLIENT_{found[1].upper()}"
        if ours and ours.casefold() in view.defined:
            mine, theirs = methods(setting.beside(ours)), methods(setting.text())
            if mine and theirs and mine.isdisjoint(theirs):
                message = f"{setting.macro} has no method of {ours}"
                help_text = "daemons cannot authenticate with each other"
                if "CRYPTO" in ours:
                    help_text = "they have no cipher in common"
                yield setting.say(DISAGREE, message, setting.whole(), help_text)
    for what in _LEVELS:
        client = setting_of(view, f"SEC_CLIENT_{what}")
        opposite = None if client is None else _OPPOSITE.get(client.text().strip().upper())
        for level in ("DEFAULT", "DAEMON", "WRITE", "NEGOTIATOR") if opposite else ():
            other = setting_of(view, f"SEC_{level}_{what}")
            if client and other and other.text().strip().upper() == opposite:
                message = f"it is {client.text().strip()}, and {other.macro} is {opposite}"
                help_text = "no daemon or tool of such a machine can talk to another"
                yield client.say(DISAGREE, message, client.whole(), help_text)
                break


@looks_at(Per.CONFIGURATION)
def nobody_submits(view: View) -> Iterator[Diagnostic]:
    """A schedd whose tools have PASSWORD alone: it makes condor of everybody, who has no jobs."""
    host = host_of(view.config)
    if host.listed is None or not host.runs("SCHEDD"):
        return
    sides = [("WRITE", "DEFAULT"), ("CLIENT", "DEFAULT")]
    found = [first_of(view, side, "AUTHENTICATION_METHODS") for side in sides]
    levels = [first_of(view, side, "AUTHENTICATION") for side in sides]
    never = any(one is not None and one.text().strip().upper() == "NEVER" for one in levels)
    lists = [methods(one.text()) for one in found if one is not None]
    if never or not lists or set.intersection(*lists) - {"GSI"} != {"PASSWORD"}:
        return
    for one in [one for one in found if one is not None and methods(one.text()) <= _ONE_USER][:1]:
        message = "with PASSWORD alone no user of this machine can submit a job"
        help_text = "who has the password is condor; FS is for the users of the machine"
        yield one.say(DISAGREE, message, one.whole(), help_text)


def first_of(view: View, levels: tuple[str, ...], what: str) -> Setting | None:
    """The setting of the first of some levels that has one."""
    found = (setting_of(view, f"SEC_{level}_{what}") for level in levels)
    return next((one for one in found if one is not None), None)


def methods(text: str) -> set[str]:
    """Methods of authentication, tokens under one name, or ciphers."""
    words = (word.upper() for word in ITEM.findall(text))
    alike = {"TOKEN": "IDTOKENS", "TOKENS": "IDTOKENS", "IDTOKEN": "IDTOKENS"}
    alike |= {"SCITOKEN": "SCITOKENS", "TRIPLEDES": "3DES"}
    return {alike.get(word, word) for word in words}


@looks_at(Per.CONFIGURATION)
def flocking(view: View) -> Iterator[Diagnostic]:
    """Lists of other pools that go side by side, a pool that is one's own, and who may come."""
    collectors = setting_of(view, "FLOCK_COLLECTOR_HOSTS")
    negotiators = setting_of(view, "FLOCK_NEGOTIATOR_HOSTS")
    if collectors is not None and negotiators is not None:
        many, few = len(collectors.items()), len(negotiators.items())
        if few < many and few:  # the schedd crashes at any other difference
            message = f"{few} negotiators for {many} collectors: the schedd does not flock at all"
            yield negotiators.say(DISAGREE, message, negotiators.whole())
    to, home = (
        setting_of(view, "FLOCK_TO"),
        setting_of(view, "COLLECTOR_HOST") or setting_of(view, "CONDOR_HOST"),
    )
    if to is None:
        return
    own = {one.host for one in addresses(home)} if home is not None else set()
    for one in addresses(to):
        if one.host in own:
            message = f"FLOCK_TO names `{one.host}`, the pool of this machine itself"
            help_text = "jobs flock to other pools; leave this one out"
            if one.item.text in to.entry.raw:
                yield to.say(DISAGREE, message, one.item, help_text)
            else:  # the name stands in another macro, where nothing is wrong
                yield DISAGREE.named(to.entry, message, help_text)
    allowed = setting_of(view, "ALLOW_NEGOTIATOR_SCHEDD") or setting_of(view, "ALLOW_NEGOTIATOR")
    patterns = [] if allowed is None else [_whence(item) for item in allowed.items()]
    if allowed is None or not patterns or not all(map(_is_name, patterns)):
        return
    if has_hole(allowed.config, allowed.entry) or allowed.entry.extends_unread:
        return  # another file has more hosts
    for one in addresses(to):
        if _is_name(one.host) and not any(fnmatchcase(one.host, text) for text in patterns):
            message = f"it does not let in `{one.host}` of FLOCK_TO, whose matches are refused"
            yield allowed.say(DISAGREE, message, allowed.whole())


@looks_at(Per.CONFIGURATION)
def another_manager(view: View) -> Iterator[Diagnostic]:
    """CONDOR_HOST as the only negotiator that is let in, and a pool that is elsewhere."""
    named, home = setting_of(view, "CONDOR_HOST"), setting_of(view, "COLLECTOR_HOST")
    allowed = view.config.seen_by("SCHEDD").lookup("ALLOW_NEGOTIATOR")
    if named is None or home is None or allowed is None:
        return
    ours, theirs = addresses(named), addresses(home)
    short = {one.host.partition(".")[0] for one in ours}
    if allowed.raw.strip().casefold() != "$(condor_host)" or not ours or not theirs:
        return
    if not all(_is_name(one.host) for one in (*ours, *theirs)):
        return
    if short.isdisjoint(one.host.partition(".")[0] for one in theirs):
        message = f"the pool is that of `{theirs[0].host}`, and only CONDOR_HOST may negotiate here"
        help_text = f"ALLOW_NEGOTIATOR is $(CONDOR_HOST): `{ours[0].host}`"
        found = home.say(DISAGREE, message, theirs[0].item, help_text)
        found.severity = NOTE
        yield found


def _whence(item: Item) -> str:
    """The host of an item of a list of who may come, as `user@domain/host` is."""
    user, _, host = item.text.casefold().rpartition("/")
    place = host if "@" in user else item.text.casefold()
    found = _ADDRESS.fullmatch(place)
    return place if found is None else found[1]


def _is_name(text: str) -> bool:
    """Is it the name of a machine, or a pattern for such, and neither a user nor an address?"""
    return any(char.isalpha() for char in text) and set("@/:;").isdisjoint(text)


# --- templates ------------------------------------------------------------------------------------


@looks_at(Per.CONFIGURATION)
def policy_lost_to_template(view: View) -> Iterator[Diagnostic]:
    """A template after the one whose condition it drops: Always_Run_Jobs sets PREEMPT to False."""
    said: set[tuple[str, int | None]] = set()
    entries = [view.config.scope.table.get(name) for name in ADDED]
    for later in (one for entry in entries if entry is not None for one in entry.chain()):
        earlier, where = later.previous, (later.origin, later.line)
        if earlier is None or not (earlier.template and later.template) or where in said:
            continue
        if not ADDING.match(earlier.template) or earlier.raw in later.raw:
            continue
        use, before = use_of(view.config, later), use_of(view.config, earlier)
        if use is not None and before is not None and use[0] != before[0]:
            said.add(where)
            message = f"it drops the condition that `{before[0]}` adds to {later.name}"
            yield policy_lost.at(message, *use[1:], f"put it before `{before[0]}`")


@looks_at(Per.ITEM, of="DC_DAEMON_LIST")
def no_daemon_core(setting: Setting, item: Item) -> Iterator[Diagnostic]:
    """A program that knows none of the options that HTCondor's own daemons have in common."""
    if item.text.lstrip("+").upper().startswith("CREDMON"):
        message = f"DC_DAEMON_LIST names `{item.text}`, which takes no options and commands of it"
        help_text = "condor_master starts it with `-local-name`, and cannot end it; leave it out"
        yield setting.say(DISAGREE, message, setting.whole(), help_text)
