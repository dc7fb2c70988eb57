"""Checks settings of one machine that have to go together: policies, folders, logs, accounts.

Follows: condor_collector, condor_startd and condor_schedd of 25.14.1, started with such settings;
the manual for what a starter does with jobs and images.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Final

from classad.builtins.pcre import compile_pattern
from classad.errors import ClassAdParseError, Diagnostic, suggest
from classad.patterns import late_regex
from classad.syntax.nodes import Binary, Node, Reference
from policy.explain.roles import host_of, may_run
from policy.knobs.other_daemons import DAEMONS
from policy.knobs.reading import split_list
from policy.language.expressions import parse
from policy.language.numbers import integer_literal
from policy.lint.agreement import (
    COLLECTOR_PORT,
    DISAGREE,
    addresses,
    methods,
    setting_of,
    started_by,
)
from policy.lint.assignments import never_read, policy_lost
from policy.lint.choices import above
from policy.lint.companions import alone
from policy.lint.finding import Meant, Per, looks_at, use_of
from policy.lint.interfaces import PORT_GIVEN
from policy.lint.lists import not_listed
from policy.lint.paths import no_whole_path
from policy.lint.reading import HOLE
from policy.lint.security import network
from policy.lint.trees import conjuncts, disjuncts, names, number, sides
from policy.lint.view import LOCAL_NAME, Item, Setting, View

# --- policies -------------------------------------------------------------------------------------


@looks_at(Per.SETTING, of="WANT_HOLD")
def held_and_not_ended(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """WANT_HOLD = A || B beside PREEMPT = A."""
    held, ended = _alternatives(setting.text()), _alternatives(setting.beside("PREEMPT"))
    left = [node for node in held if node not in ended]
    if 0 < len(left) < len(held):
        part = left[0]
        message = f"`{_shown(setting.text(), part)}` is not in PREEMPT, which holds what else is"
        help_text = "the startd asks WANT_HOLD of jobs that PREEMPT ends, and of no others"
        yield setting.say(DISAGREE, message, part, help_text)


def _alternatives(text: str) -> list[Node]:
    try:
        return list(disjuncts(parse(text).node))
    except ClassAdParseError:
        return []


def _shown(text: str, node: Node) -> str:
    words = " ".join(text[node.start : node.end].split())
    return words if len(words) <= 60 else f"{words[:57]}..."


@looks_at(Per.SETTING, of="SINGULARITY_IMAGE_EXPR")
def image_of_others(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """An image by one attribute of jobs, where jobs get one that have another attribute."""
    asked, image = setting_of(view, "SINGULARITY_JOB"), setting.tree
    if image is None and setting.mistake is None and setting.text().strip():
        image = parse(setting.text()).node
    if asked is None or not isinstance(image, Reference) or asked.mistake is not None:
        return
    guards = names(parse(asked.text()).node) if asked.text().strip() else set()
    name = image.name.casefold()
    others = sorted(one for one in guards if one.endswith("image"))
    if name not in guards and others and image.scope != "my":
        message = f"jobs get a container that have `{others[0]}`, and `{image.name}` names it"
        help_text = "the attribute of SINGULARITY_JOB and of the image are to be the same"
        yield setting.say(DISAGREE, message, setting.whole(), help_text)


_REQUESTS: Final = ("RequestMemory", "RequestCpus", "RequestDisk")


@looks_at(Per.SETTING, of=r"SUBMIT_REQUIREMENT_(?!NAMES$)\w+(?<!_REASON)(?<!_IS_WARNING)")
def refuses_defaults(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """``RequestMemory <= 256`` beside JOB_DEFAULT_REQUESTMEMORY = 2048."""
    tree = None if setting.mistake is not None else parse(setting.text() or "0").node
    parts = [] if tree is None else [one for one in conjuncts(tree) if isinstance(one, Binary)]
    for name in _REQUESTS if parts else ():
        default = integer_literal(setting.beside(f"JOB_DEFAULT_{name.upper()}"))
        own = f"job_default_{name.casefold()}" in view.defined
        for side, symbol, other in (it for part in parts for it in sides(part)) if own else ():
            most = number(other)
            is_request = isinstance(side, Reference) and side.name.casefold() == name.casefold()
            bounded = is_request and symbol in ("<", "<=") and most is not None
            if default is not None and most is not None and bounded and default > most:
                macro = f"JOB_DEFAULT_{name.upper()}"
                message = f"{macro} is {default}, so jobs that ask for nothing are refused"
                yield setting.say(DISAGREE, message, setting.whole())


# --- daemons --------------------------------------------------------------------------------------


@looks_at(Per.SETTING)
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
    found = LOCAL_NAME.search(args.text()) if args.macro.upper().endswith("_ARGS") else None
    return found is not None and found[1].casefold() == local.casefold()


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


@looks_at(Per.CONFIGURATION)
def without_collector(view: View) -> Iterator[Diagnostic]:
    """A machine of HAD_LIST that the only collector of COLLECTOR_HOST does not run on."""
    had, home = setting_of(view, "HAD_LIST"), setting_of(view, "COLLECTOR_HOST")
    if had is None or home is None:
        return
    listed, machines = addresses(had), [one.host for one in addresses(home)]
    more = [one.host for one in listed if one.host not in machines]
    if len(machines) == 1 and len(listed) > 1 and len(more) < len(listed):
        message = f"it lacks {more[0]}, which HAD_LIST has"
        help_text = "daemons have no collector while the negotiator is there"
        yield home.say(DISAGREE, message, home.whole(), help_text)


# --- folders and accounts -------------------------------------------------------------------------


@looks_at(Per.SETTING, of="EXECUTE|LOG")
def in_spool(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A folder in SPOOL, from which condor_preen removes what it does not know.

    Observed with 25.14.1: it removes `execute`, `log` and `dir_1234` from SPOOL, with all in them.
    """
    mine, spool = (text.strip().rstrip("/") for text in (setting.text(), setting.beside("SPOOL")))
    kept = {one.casefold() for one in split_list(setting.beside("VALID_SPOOL_FILES"))}
    first = mine.removeprefix(f"{spool}/").partition("/")[0].casefold()
    inside = bool(spool) and f"{mine}/".startswith(f"{spool}/")
    read = setting.macro.upper() == "LOG" or may_run(view.config, "STARTD")
    if inside and read and first not in kept and setting.beside("PREEN").strip():
        message = f"{setting.macro} is {'' if mine == spool else 'in '}SPOOL"
        help_text = "condor_preen removes from SPOOL what VALID_SPOOL_FILES does not list"
        yield setting.say(DISAGREE, message, setting.whole(), help_text)


_ACCOUNT: Final = late_regex(r"SLOT\d+(_\d+)?_USER", re.IGNORECASE)


@looks_at(Per.SETTING, of="DEDICATED_EXECUTE_ACCOUNT_REGEXP")
def of_no_account(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A pattern that no account of SLOT1_1_USER has."""
    accounts = [one.text().strip() for one in view.settings if _ACCOUNT.fullmatch(one.macro)]
    pattern = compile_pattern(f"^(?:{setting.text().strip()})$", "")
    usual = [one for one in accounts if one and one != "nobody" and "$" not in one]
    if usual and pattern is not None and not any(pattern.search(one.encode()) for one in usual):
        message = f"no account of SLOT<n>_USER is called so: `{usual[0]}`"
        help_text = "condor_starter leaves behind what jobs under these accounts start"
        yield setting.say(DISAGREE, message, setting.whole(), help_text)


#: Of these there is a finding of their own.
_EVERYBODY: Final = frozenset(("*", "*@*", "*/*", "*@*/*"))


@looks_at(Per.SETTING, of=r"DENY_\w+")
def takes_all(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """``DENY_WRITE = *@example.org`` beside ALLOW_WRITE = *@example.org."""
    allowed = setting_of(view, f"ALLOW_{setting.macro[5:].upper()}")
    denied = [item.text.casefold() for item in setting.items()]
    let_in = [] if allowed is None else [item.text.casefold() for item in allowed.items()]
    for item in setting.items() if let_in and _EVERYBODY.isdisjoint(denied) else ():
        covered = [one for one in let_in if fnmatchcase(one, item.text.casefold())]
        if covered and ("*" in item.text or len(let_in) == len(covered)):
            message = f"it takes away `{covered[0]}`, which ALLOW_{setting.macro[5:]} lets in"
            yield setting.say(DISAGREE, message, item, "what is denied counts first")
            return


_KEY: Final = late_regex(r"(?i).*key[^/]*")
_CERTIFICATE: Final = late_regex(r"(?i).*(cert|crt)[^/]*")


@looks_at(Per.SETTING, of="AUTH_SSL_(SERVER|CLIENT)_(CERT|KEY)FILE")
def key_for_certificate(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A file that is called a key where a certificate is asked for, and the other way round."""
    name = setting.text().strip().rpartition("/")[2]
    is_key, is_certificate = _KEY.fullmatch(name), _CERTIFICATE.fullmatch(name)
    wants_key, swapped = "KEY" in setting.macro.upper(), bool(is_key) != bool(is_certificate)
    if swapped and bool(is_key) != wants_key and "," not in name:
        what = "a key" if is_key else "a certificate"
        message = f"{setting.macro} is called {what}: `{name}`"
        yield setting.say(DISAGREE, message, setting.whole(), "the two are exchanged")


# --- numbers --------------------------------------------------------------------------------------


@looks_at(Per.SETTING, of="COLLECTOR_FORWARD_INTERVAL")
def forwarded_late(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Ads that are gone at the next collector before they are sent again."""
    every, lives = (
        integer_literal(setting.text()),
        integer_literal(setting.beside("CLASSAD_LIFETIME")),
    )
    if every is not None and lives is not None and 0 < lives < every:
        message = f"{setting.macro} is {every}, above CLASSAD_LIFETIME, which is {lives}"
        yield setting.say(above, message, setting.whole())


_METRIC: Final = late_regex(r"(?i)(sum|peak):\w+")


@looks_at(Per.ITEM, of=r"STARTD_CRON_\w+_METRICS")
def no_metric(setting: Setting, item: Item) -> Iterator[Diagnostic]:
    """``MAX:Load``, which the startd does not know."""
    if not _METRIC.fullmatch(item.text) and "$" not in item.text:
        kind = item.text.partition(":")[0]
        message = f"there is no metric `{kind}`: the startd ignores `{item.text}`"
        yield setting.say(DISAGREE, message, item, "it is `SUM:Name` or `PEAK:Name`")


@looks_at(Per.SETTING, of="CLASSAD_LIFETIME")
def shorter_than_usual(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Ads that live for less than it takes until the next ones by default."""
    lives = integer_literal(setting.text())
    if (
        lives is not None
        and _LEAST <= lives < _USUAL_INTERVAL
        and "update_interval" not in view.defined
    ):
        message = f"it is {lives}, and machines tell of themselves every {_USUAL_INTERVAL} seconds"
        help_text = "slots are gone in between, unless UPDATE_INTERVAL is set there"
        yield setting.say(above, message, setting.whole(), help_text)


_USUAL_INTERVAL: Final = 300
#: Less is told as a time in another unit.
_LEAST: Final = 60


# --- second places --------------------------------------------------------------------------------


@looks_at(Per.SETTING, of="JOB_ROUTER_SCHEDD([12])_JOB_QUEUE_LOG")
def queue_elsewhere(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """The queue of a schedd in another folder than its SPOOL."""
    spool = setting.beside(f"{setting.macro.upper().removesuffix('JOB_QUEUE_LOG')}SPOOL")
    folder = setting.text().strip().rpartition("/")[0]
    if spool.strip() and folder and folder != spool.strip().rstrip("/"):
        message = f"the schedd's SPOOL is `{spool.strip()}`, and its queue another one's"
        yield setting.say(DISAGREE, message, setting.whole())


@looks_at(Per.CONFIGURATION)
def one_account(view: View) -> Iterator[Diagnostic]:
    """One account of two slots among others that have their own: jobs of both are one user's."""
    taken: dict[tuple[str, str], list[Setting]] = {}
    for setting in view.plain.values():
        found, name = _ACCOUNT.fullmatch(setting.macro), setting.text().strip()
        if found is not None and name and name != "nobody":
            kind = setting.macro.rpartition("_")[0].rpartition("_")[0] if found[1] else ""
            taken.setdefault((kind.upper(), name), []).append(setting)
    for (kind, name), slots in taken.items():
        others = sum(key[0] == kind for key in taken) - 1
        dedicated = bool(slots[0].beside("DEDICATED_EXECUTE_ACCOUNT_REGEXP"))
        if len(slots) == 2 and (others or dedicated):  # more of them share it on purpose
            message = f"{slots[0].macro} is {name}, too: jobs of two slots are one user's"
            help_text = "when one ends, condor_starter may end what the other has started"
            yield slots[1].say(DISAGREE, message, slots[1].whole(), help_text)


_LOGS: Final = late_regex(
    r"(MASTER|COLLECTOR|NEGOTIATOR|SCHEDD|SHADOW|STARTD|STARTER|SHARED_PORT|DEFRAG|HAD|REPLICATION"
    r"|JOB_ROUTER|GRIDMANAGER)_LOG",
    re.IGNORECASE,
)


@looks_at(Per.CONFIGURATION)
def logs_of_two(view: View) -> Iterator[Diagnostic]:
    """Daemons of different kinds that write into one log."""
    logs = [one for one in view.plain.values() if _LOGS.fullmatch(one.macro)]
    texts = {one.macro.upper(): one.text().strip() for one in logs}
    for setting in logs:
        for name in (f"{kind}_LOG" for kind in ("MASTER", "SCHEDD", "STARTD", "COLLECTOR")):
            own = texts.get(name) or setting.beside(name).strip()
            mine, is_later = setting.text().strip(), name not in texts
            is_later = is_later or list(texts).index(name) < list(texts).index(
                setting.macro.upper()
            )
            if mine and mine == own and name != setting.macro.upper() and is_later:
                message = f"{setting.macro} and {name} are one file, `{mine}`"
                help_text = "each turns the log round when it is full, and loses what the other has"
                yield setting.say(DISAGREE, message, setting.whole(), help_text)
                break


@looks_at(Per.SETTING, of="START|SUSPEND|CONTINUE|PREEMPT")
def without_keyboard(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """KeyboardIdle of slots that no keyboard is connected to."""
    ends = ("SLOTS_CONNECTED_TO_KEYBOARD", "SLOTS_CONNECTED_TO_CONSOLE")
    none = [name for name in ends if setting.beside(name).strip() == "0"]
    tree = setting.tree
    told = any(name.casefold() in view.defined for name in none)
    if told and len(none) == len(ends) and tree is not None and "keyboardidle" in names(tree):
        message = f"{setting.macro} asks for KeyboardIdle, and {none[0]} is 0"
        help_text = "no slot knows of the keyboard, and each takes it for idle"
        yield setting.say(DISAGREE, message, setting.whole(), help_text)


@looks_at(Per.ITEM, of=r"(ALLOW|DENY)_(?!CLIENT)\w+")
def domain_as_host(setting: Setting, item: Item) -> Iterator[Diagnostic]:
    """``ALLOW_WRITE = $(UID_DOMAIN)``."""
    if not set("*@/:").isdisjoint(item.text) or "." not in item.text:
        return
    domain = setting.beside("UID_DOMAIN").strip().casefold()
    hosts = (setting.beside(name).casefold() for name in ("CONDOR_HOST", "FULL_HOSTNAME"))
    own = setting.config.lookup("UID_DOMAIN")
    if own is None or own.is_builtin or "." not in domain or item.text.casefold() != domain:
        return
    if not any(domain in host.split() for host in hosts):
        message = f"`{item.text}` is a domain, and means one host of that name"
        yield setting.say(network, message, item, f"hosts are `*.{domain}`, users `*@{domain}`")


_ONE_FILE: Final = late_regex(r".*\.(pem|crt|cer|cert|key)", re.IGNORECASE)


@looks_at(Per.SETTING, of=r"AUTH_SSL_(SERVER|CLIENT)_CA(DIR|FILE)")
def folder_or_file(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A file where a folder of certificates is asked for."""
    text = setting.text().strip()
    if setting.macro.upper().endswith("DIR") and _ONE_FILE.fullmatch(text):
        message = f"{setting.macro} is a folder, and `{text}` a file"
        where = setting.macro.upper().replace("DIR", "FILE")
        yield setting.say(DISAGREE, message, setting.whole(), f"a file is for {where}")


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


@looks_at(Per.CONFIGURATION)
def one_type_twice(view: View) -> Iterator[Diagnostic]:
    """Two templates that make slots of one type: the second takes the place of the first."""
    for entry in view.config.scope.table:
        if not _TYPE.fullmatch(entry.name) or not entry.template:
            continue
        use, before = use_of(view.config, entry), None
        for earlier in entry.chain():
            if earlier.template and (earlier.origin, earlier.line) != (entry.origin, entry.line):
                before = use_of(view.config, earlier)
        if use is not None and before is not None and use[0] != before[0]:
            message = f"it makes slots of {entry.name[4:].replace('_', ' ').strip().lower()}"
            message = f"{message}, as `{before[0]}` does, which counts for nothing then"
            yield policy_lost.at(message, *use[1:], "say another number in one of them")


_TYPE: Final = late_regex(r"NUM_SLOTS_TYPE_\d+", re.IGNORECASE)
_PARTS: Final = late_regex(
    r"(SYSTEM_PERIODIC_(?:HOLD|RELEASE|REMOVE|VACATE)_(\w+))_(REASON|SUBCODE)"
)


@looks_at(Per.CONFIGURATION)
def of_no_policy(view: View) -> Iterator[Diagnostic]:
    """``SYSTEM_PERIODIC_HOLD_Disc_SUBCODE`` beside a policy of the name Disk."""
    for name, setting in view.plain.items():
        found = _PARTS.fullmatch(name) if name.startswith("SYSTEM_PERIODIC_") else None
        if found is None or found[1].casefold() in view.defined or found[2] == "NAMES":
            continue
        listed = f"{name.split('_' + found[2])[0]}_NAMES"
        items = setting.beside(listed).casefold().replace(",", " ").split()
        if items and found[2].casefold() not in items:
            message = f"`{found[2]}` is in no {listed}, so nobody reads this"
            near = suggest(found[2].casefold(), items)
            yield not_listed.named(
                setting.entry, message, near and f"did you mean `{near}`?", needs=listed
            )


_AD_TYPES: Final = (
    *("Machine", "Submitter", "Scheduler", "DaemonMaster", "Negotiator", "Collector", "Startd"),
    *("Accounting", "Grid", "Defrag", "Slot", "StartDaemon", "License", "Generic", "Any"),
)


@looks_at(Per.ITEM, of="CONDOR_VIEW_CLASSAD_TYPES")
def no_ad_type(setting: Setting, item: Item) -> Iterator[Diagnostic]:
    """``Machines``: the MyType of ads is Machine."""
    meant = suggest(item.text, _AD_TYPES)
    if meant is not None and item.text.casefold() not in map(str.casefold, _AD_TYPES):
        message = f"no ad is of the type `{item.text}`"
        yield setting.say(DISAGREE, message, item, Meant(meant, item.text))


@looks_at(Per.SETTING, of="CERTIFICATE_MAPFILE|SINGULARITY_TARGET_DIR")
def map_without_folder(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A map or a folder that is looked for where a daemon runs."""
    text = setting.text().strip()
    if text and re.fullmatch(r"[\w.-]+", text):
        message = f"{setting.macro}: `{text}` is no whole path"
        yield setting.say(no_whole_path, message, setting.whole(), "write where it is")


_THIS_MACHINE: Final = late_regex(r"\$\((?:FULL_)?HOSTNAME\)|\$\(IP_ADDRESS\)", re.IGNORECASE)


@looks_at(Per.SETTING, of="CONDOR_HOST")
def manager_without_collector(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A negotiator on the machine that is CONDOR_HOST, whose DAEMON_LIST has no collector."""
    host, own = host_of(view.config), _THIS_MACHINE.fullmatch(setting.entry.raw.strip())
    elsewhere = setting_of(view, "COLLECTOR_HOST") is not None
    known = view.names_daemons and host.listed is not None and not host.adds
    if own and known and not elsewhere and host.runs("NEGOTIATOR") and not host.runs("COLLECTOR"):
        message = "this machine is the central manager, and DAEMON_LIST starts no collector on it"
        yield setting.say(DISAGREE, message, setting.whole(), "the negotiator finds no ads")


@looks_at(Per.SETTING, of="SEC_(DEFAULT|CLIENT|DAEMON)_AUTHENTICATION_METHODS")
def for_one_machine(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """FS alone, where the collector is another machine and authentication is required."""
    host, home = host_of(view.config), setting_of(view, "CONDOR_HOST")
    elsewhere = home is not None and not _THIS_MACHINE.search(home.entry.raw)
    alone_here = not host.runs("COLLECTOR") and (host.runs("STARTD") or host.runs("SCHEDD"))
    required = setting.beside("SEC_DEFAULT_AUTHENTICATION").strip().upper() == "REQUIRED"
    whole = view.names_daemons or host.listed is not None
    if methods(setting.text()) == {"FS"} and elsewhere and alone_here and required and whole:
        message = "FS is for daemons of one machine, and the collector is another one"
        yield setting.say(DISAGREE, message, setting.whole(), "add IDTOKENS, SSL or another one")
