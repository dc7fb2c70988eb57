"""Checks by which address and protocol daemons can be reached.

Follows: the daemons of 25.14.1, started with each; what others reach follows from the network.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from classad.errors import Diagnostic
from classad.patterns import late_regex
from policy.explain.roles import host_of, is_whole
from policy.language.about import EVERY
from policy.language.numbers import read_boolean
from policy.lint.agreement import DISAGREE, addresses, setting_of, started_by
from policy.lint.choices import has_hole, no_word
from policy.lint.finding import Advice, Per, Repair, looks_at
from policy.lint.view import Setting, View

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


@looks_at(Per.SETTING, of="NETWORK_INTERFACE")
def loopback(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Daemons that only programs of this machine reach, and a central manager that is elsewhere."""
    text, collectors = (
        setting.text().strip(),
        setting_of(view, "COLLECTOR_HOST") or setting_of(view, "CONDOR_HOST"),
    )
    if not _LOOPBACK.fullmatch(text) or collectors is None or not view.names_daemons:
        return
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
    says = setting.macro.upper() == "COLLECTOR_HOST" or not setting_of(view, "COLLECTOR_HOST")
    lone = not host.runs("COLLECTOR") and not setting_of(view, "FLOCK_TO")
    if says and lone and (host.runs("STARTD") or host.runs("SCHEDD")):
        message = f"`{text}` is this machine, and DAEMON_LIST starts no collector on it"
        help_text = "nobody gets to know of its slots and jobs"
        yield setting.say(DISAGREE, message, setting.whole(), help_text)
