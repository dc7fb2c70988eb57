"""Checks by which address, name and protocol daemons can be reached.

Follows: the daemons of 25.14.1, started with each; what others reach follows from the network.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from classad.errors import Diagnostic, is_one_edit, numbered_alike
from classad.patterns import late_regex
from policy.explain.roles import host_of, is_whole
from policy.language.about import EVERY
from policy.language.numbers import read_boolean
from policy.lint.agreement import COLLECTOR_PORT, DISAGREE, addresses, setting_of, started_by
from policy.lint.choices import has_hole, no_word
from policy.lint.finding import Advice, Meant, Per, Repair, finding, looks_at
from policy.lint.hosts import is_nameless
from policy.lint.view import Item, Setting, View

_V4: Final = late_regex(r"\d+(?:\.\d+){3}|(?:\d+\.)+\*")
_V6: Final = late_regex(r"[\da-fA-F]*:[\da-fA-F:]+")
_SWITCHED: Final = {
    **dict.fromkeys(("yes", "y", "t", "on", "enabled", '"true"'), "True"),
    **dict.fromkeys(("no", "n", "f", "off", "disabled", '"false"'), "False"),
}
_LOOPBACK: Final = late_regex(r"127(?:\.\d+){3}|127\.(?:\d+\.)*\*|::1|\[::1\]|lo|localhost")


@looks_at(Per.SETTING, of="ENABLE_IPV[46]")
def no_protocol(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Both protocols switched off: every daemon ends, told at the second of them."""
    other = "ENABLE_IPV4" if setting.macro[-1] == "6" else "ENABLE_IPV6"
    evaluate = setting.config.scope.functions.evaluate
    both = (setting.text(), setting.beside(other))
    off = all(read_boolean(one.strip(), evaluate) is False for one in both)
    if off and setting.macro[-1] == "6":
        message = f"{setting.macro} and {other} are both False, and no protocol is left"
        yield setting.say(DISAGREE, message, setting.whole(), "all daemons end", ends=EVERY)


@looks_at(Per.SETTING, of="NO_DNS")
def no_domain(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Names made of addresses and a domain, without the domain; of a schedd it is told that it
    ends."""
    if is_nameless(view, setting) and not host_of(view.config).runs("SCHEDD"):
        message = "NO_DNS is True, and the machine has no name without DEFAULT_DOMAIN_NAME"
        help_text = "slots are called `slot1@`, and Machine is empty"
        yield setting.say(DISAGREE, message, setting.whole(), help_text)


@looks_at(Per.SETTING, of="ENABLE_IPV[46]")
def no_switch(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A protocol that is neither on, off nor found out: every daemon ends, at no text too."""
    text, evaluate = setting.text().strip(), setting.config.scope.functions.evaluate
    if text.casefold() == "auto" or read_boolean(text, evaluate) is not None:
        return
    if has_hole(setting.config, setting.entry) and not is_whole(view.config):
        return  # another file completes it
    takes = "it takes True, False and auto"
    if not text:
        message = f"{setting.macro} is set to nothing: no daemon starts"
        yield no_word.named(setting.entry, message, takes, ends=EVERY)
        return
    meant = _SWITCHED.get(text.casefold())
    advice: Advice = takes if meant is None else Repair(meant, text, takes)
    message = f"{setting.macro} does not take `{text}`: no daemon starts"
    yield setting.say(no_word, message, setting.whole(), advice, ends=EVERY)


@looks_at(Per.SETTING, of="NETWORK_INTERFACE")
def other_protocol(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """An interface by an address of a protocol that is switched off, or beside one that has to be
    there: every daemon ends."""
    text = setting.text().strip()
    mine, other = ("4", "6") if _V4.fullmatch(text) else ("6", "4")
    if not _V4.fullmatch(text) and not _V6.fullmatch(text):
        return
    evaluate = setting.config.scope.functions.evaluate
    is_on = read_boolean(setting.beside(f"ENABLE_IPV{mine}"), evaluate)
    both = read_boolean(setting.beside(f"ENABLE_IPV{other}"), evaluate) is True
    if is_on is False or (both and "*" not in text):
        message = f"it is an address of IPv{mine}, and ENABLE_IPV{mine} is False"
        if is_on is not False:
            message = f"it is an address of IPv{mine}, and ENABLE_IPV{other} is True"
        yield setting.say(DISAGREE, message, setting.whole(), "all daemons end", ends=EVERY)


#: Names of interfaces have no more than fifteen characters, and those of VLANs one dot.
_OF_A_HOST: Final = late_regex(
    r"localhost|(?=.{16}|(?:[^.]+\.){2})[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}"
)


@looks_at(Per.SETTING, of="NETWORK_INTERFACE")
def name_of_host(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """``NETWORK_INTERFACE = $(CONDOR_HOST)``: daemons look for an interface of this name.

    Observed with 25.14.1: each ends with `Failed to determine my IP address`, at localhost, too.
    """
    text = setting.text().strip()
    if _OF_A_HOST.fullmatch(text) and not has_hole(setting.config, setting.entry):
        message = "NETWORK_INTERFACE does not take the name of a host: no daemon starts"
        help_text = "it takes an address, the name of an interface, and patterns of these"
        yield setting.say(no_word, message, setting.whole(), help_text, ends=EVERY)


@looks_at(Per.SETTING, of="NETWORK_INTERFACE")
def loopback(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Daemons that only programs of this machine reach, and a central manager that is elsewhere."""
    text, collectors = (
        setting.text().strip(),
        setting_of(view, "COLLECTOR_HOST") or setting_of(view, "CONDOR_HOST"),
    )
    if not _LOOPBACK.fullmatch(text) or collectors is None or not view.names_daemons:
        return
    if _OF_A_HOST.fullmatch(text):
        return  # no daemon starts
    own = {setting.beside(name).casefold() for name in ("FULL_HOSTNAME", "HOSTNAME", "IP_ADDRESS")}
    elsewhere = [one.host for one in addresses(collectors) if not _LOOPBACK.fullmatch(one.host)]
    if "COLLECTOR" not in started_by(view) and elsewhere and own.isdisjoint(elsewhere):
        message = f"nobody but this machine reaches `{text}`, and the collector is {elsewhere[0]}"
        help_text = "that one gets an address that it cannot go to"
        yield setting.say(DISAGREE, message, setting.whole(), help_text)


@looks_at(Per.SETTING, of="CONDOR_HOST|COLLECTOR_HOST")
def own_collector(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """This machine as the central manager, on which no collector is started: a port behind the name
    may be that of a tunnel."""
    text, host = setting.text().strip(), host_of(view.config)
    listed = view.config.scope.table.get("DAEMON_LIST")
    if not _LOOPBACK.fullmatch(text) or setting.prefix or host.listed is None or host.adds:
        return
    local = _LOOPBACK.fullmatch(setting.beside("NETWORK_INTERFACE").strip())
    if local or (listed is not None and listed.extends_unread):
        return  # another file may start one, or another condor_master of the machine
    says = setting.upper == "COLLECTOR_HOST" or not setting_of(view, "COLLECTOR_HOST")
    lone = not host.runs("COLLECTOR") and not setting_of(view, "FLOCK_TO")
    if says and lone and (host.runs("STARTD") or host.runs("SCHEDD")):
        message = f"`{text}` is this machine, and DAEMON_LIST starts no collector on it"
        help_text = "nobody gets to know of its slots and jobs"
        yield setting.say(DISAGREE, message, setting.whole(), help_text)


#: The port in the arguments of a daemon.
PORT_GIVEN: Final = late_regex(r"(?<!\S)-p\s+(\d+)")


@looks_at(Per.CONFIGURATION)
def shared_elsewhere(view: View) -> Iterator[Diagnostic]:
    """A port for condor_shared_port that is not the collector's, which is behind it.

    Observed with 25.14.1: with `-p 9831` nobody reaches a collector at 9830, unless
    COLLECTOR_USES_SHARED_PORT is False; SHARED_PORT_PORT does not count there.
    """
    args, home = setting_of(view, "SHARED_PORT_ARGS"), setting_of(view, "COLLECTOR_HOST")
    found = None if args is None else PORT_GIVEN.search(args.text())
    shares = view.is_on("COLLECTOR_USES_SHARED_PORT", "COLLECTOR", True)
    if args is None or found is None or "COLLECTOR" not in started_by(view) or not shares:
        return
    ports = (
        {one.port or COLLECTOR_PORT for one in addresses(home)}
        if home is not None
        else {COLLECTOR_PORT}
    )
    if ports and found[1] not in ports and view.is_on("USE_SHARED_PORT", "MASTER", True):
        message = f"the collector is behind port {found[1]}, and others look for it at"
        message = f"{message} {' and '.join(sorted(ports))}"
        yield args.say(DISAGREE, message, args.whole(), "its port is that of COLLECTOR_HOST")


@looks_at(Per.SETTING, of="COLLECTOR_PORT")
def port_of_nobody(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A port beside another one in COLLECTOR_HOST.

    Observed with 25.14.1: the collector listens at that of COLLECTOR_HOST, where this is its host.
    """
    home, own = setting_of(view, "COLLECTOR_HOST"), setting.text().strip()
    ports = [] if home is None or not own.isdigit() else [one.port for one in addresses(home)]
    if ports and all(port.isdigit() and port != own for port in ports):
        message = f"COLLECTOR_PORT is {own}, and COLLECTOR_HOST has {ports[0]}"
        help_text = "the collector that COLLECTOR_HOST names listens at the port there"
        yield setting.say(DISAGREE, message, setting.whole(), help_text)


#: A name of a host or a domain, and no path or file.
_NAME: Final = late_regex(
    r"(?<![\w./*-])(?:\*\.)?(?!(?:my|target|job|self|parent)\.)((?:[a-z\d][a-z\d-]*\.)+[a-z]{2,6})"
    r"(?![\w(-])",
    re.IGNORECASE,
)
#: The last part of one.
_TOP: Final = late_regex(r"\.[A-Za-z]{2,6}(?![\w(-])")
#: What stands before the country in domains such as ox.ac.uk.
_SECOND: Final = frozenset(("ac", "co", "com", "edu", "gov", "net", "org"))
_COUNTRY: Final = 2
#: Letters of a name that is told from a slip of another one.
_LONG_ENOUGH: Final = 5


@finding(
    "P256",
    "a domain spelled almost like another one of the file",
    "Hosts and users of a pool mostly have one domain. One that stands in a single place and is one"
    " letter away from that of other places, or two letters swapped, is taken for a slip: nobody"
    " comes from there, and no host is found.",
    bad="UID_DOMAIN = example.org\nALLOW_WRITE = *.exmaple.org\nALLOW_DAEMON = *.example.org\n",
    good="UID_DOMAIN = example.org\nALLOW_WRITE = *.example.org\nALLOW_DAEMON = *.example.org\n",
    per=Per.CONFIGURATION,
)
def domain_slip(view: View) -> Iterator[Diagnostic]:
    """Two domains are alike but for a letter that is no digit."""
    places: dict[str, list[tuple[Setting, str]]] = {}
    for setting in view.settings:
        raw = setting.entry.raw
        for name in dict.fromkeys(_NAME.findall(raw)) if _TOP.search(raw) else ():
            places.setdefault(_domain(name), []).append((setting, name))
    yield from _other_top(chain.from_iterable(places.values()))
    for domain, (one, *more) in places.items() if len(places) > 1 else ():
        alike = None if more else _almost(domain, places)
        if alike is not None:
            setting, name = one
            at = setting.text().find(name)
            where = Item(name, at, at + len(name)) if at >= 0 else setting.whole()
            message = f"`{domain}` is spelled almost like `{alike}` of {places[alike][0][0].macro}"
            right = f"{name[: len(name) - len(domain)]}{alike}"
            yield setting.say(domain_slip, message, where, Meant(right, name))


def _other_top(found: Iterable[tuple[Setting, str]]) -> Iterator[Diagnostic]:
    """``condor@hpc.example.com`` once, where all else is of hpc.example.edu."""
    many: dict[str, dict[str, list[Setting]]] = {}
    for setting, name in found:
        stem, _, top = name.casefold().rpartition(".")
        if "." in stem and top in _TOPS:
            many.setdefault(stem, {}).setdefault(top, []).append(setting)
    for stem, tops in many.items():
        alone = [top for top, used in tops.items() if len(used) == 1]
        usual = [top for top, used in tops.items() if len(used) > 1]
        if len(alone) == len(usual) == 1:
            setting, name = tops[alone[0]][0], f"{stem}.{alone[0]}"
            message = f"`{name}` is `{stem}.{usual[0]}` in other places"
            at = setting.text().casefold().find(name)
            where = Item(name, at, at + len(name)) if at >= 0 else setting.whole()
            yield setting.say(domain_slip, message, where, Meant(f"{stem}.{usual[0]}", name))


_TOPS: Final = frozenset(("com", "org", "net", "edu", "gov"))


def _domain(name: str) -> str:
    """The part of a name that a site registers: example.org, ox.ac.uk."""
    labels = name.casefold().split(".")
    national = len(labels) > _COUNTRY and len(labels[-1]) == _COUNTRY and labels[-2] in _SECOND
    return ".".join(labels[-3 if national else -2 :])


def _almost(domain: str, places: Mapping[str, Sequence[object]]) -> str | None:
    """Another domain that has more places, or comes first, and is one edit of letters away."""
    site, _, rest = domain.partition(".")
    for other, found in places.items():
        if other == domain:
            continue
        name, _, end = other.partition(".")
        enough = min(len(site), len(name)) >= _LONG_ENOUGH and end == rest
        letters = numbered_alike(site, name)
        earlier = len(found) > 1 or list(places).index(other) < list(places).index(domain)
        if enough and letters and earlier and is_one_edit(site, name):
            return other
    return None
