"""Checks macros that do nothing without another one.

Follows: the daemons of 25.14.1; a slot type without NUM_SLOTS_TYPE_n makes no slot, for instance.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from attr import frozen

from classad.errors import Diagnostic
from policy.language.macros import ExpansionError
from policy.lint.finding import WARNING, Finding
from policy.lint.places import stretch
from policy.lint.view import Setting, View

ALONE: Final = Finding(
    "P241",
    WARNING,
    "a macro that does nothing without another",
    "It is read, and what it says has no effect: the macro that it works with is not set, or says"
    " no. SUSPEND is evaluated only where WANT_SUSPEND is true, SLOT_TYPE_1 makes slots only with"
    " NUM_SLOTS_TYPE_1, CGROUP_HARD_MEMORY_LIMIT_EXPR counts only under the policy `custom`.",
    "SLOT_TYPE_1 = cpus=50%, mem=50%\n",
    "NUM_SLOTS_TYPE_1 = 2\nSLOT_TYPE_1 = cpus=50%, mem=50%\n",
)
_NO: Final = frozenset(("", "false", "0"))


def _is_set(text: str) -> bool:
    return text != ""


def _may_be_true(text: str) -> bool:
    return text.strip("() \t").casefold() not in _NO


@frozen
class Companion:
    """``macro`` does nothing unless one of ``others`` is ``enough``.

    ``only_if``: values of ``macro`` itself that ask for something.
    """

    macro: str
    others: tuple[str, ...]
    why: str
    enough: Callable[[str], bool] = _is_set
    only_if: Callable[[str], bool] = _is_set


#: ``\\1`` of another macro's name is the first group of ``macro``.
COMPANIONS: Final = (
    Companion(
        r"REMOTE_PRIO_FACTOR",
        ("ACCOUNTANT_LOCAL_DOMAIN",),
        "no submitter is remote without a local domain",
    ),
    Companion(r"SLOT_TYPE_(\d+)(?:_\w+)?", (r"NUM_SLOTS_TYPE_\1",), "no slot of this type is made"),
    Companion(
        r"CGROUP_HARD_MEMORY_LIMIT_EXPR",
        ("CGROUP_MEMORY_LIMIT_POLICY",),
        "the startd uses it only under the policy `custom`",
        lambda text: text.casefold() == "custom",
    ),
    Companion(
        r"PREEMPTION_REQUIREMENTS",
        ("NEGOTIATOR_CONSIDER_PREEMPTION",),
        "the negotiator does not look at claimed slots",
        _may_be_true,
        _may_be_true,
    ),
    Companion(
        r"SYSTEM_PERIODIC_(HOLD|REMOVE|RELEASE|VACATE)(\w*)_(?:REASON|SUBCODE)",
        (r"SYSTEM_PERIODIC_\1\2",),
        "there is nothing that it could be the reason of",
    ),
    Companion(r"WANT_HOLD", ("PREEMPT",), "it is asked when PREEMPT is true", _may_be_true),
    Companion(r"WANT_HOLD_(?:REASON|SUBCODE)", ("WANT_HOLD",), "no job is held"),
    Companion(r"SUSPEND", ("WANT_SUSPEND",), "no job is suspended", _may_be_true, _may_be_true),
    Companion(
        r"GROUP_(?:ACCEPT_SURPLUS|AUTOREGROUP|SORT_EXPR)",
        ("GROUP_NAMES",),
        "there are no groups",
        only_if=_may_be_true,
    ),
    Companion(
        r"SETTABLE_ATTRS_\w+",
        ("ENABLE_RUNTIME_CONFIG", "ENABLE_PERSISTENT_CONFIG"),
        "no setting is accepted over the network",
        _may_be_true,
    ),
    Companion(
        r"START_BACKFILL|EVICT_BACKFILL|BACKFILL_SYSTEM",
        ("ENABLE_BACKFILL",),
        "no slot goes into the backfill state",
        _may_be_true,
        _may_be_true,
    ),
    Companion(
        r"SCHEDD_PREEMPTION_RANK",
        ("SCHEDD_PREEMPTION_REQUIREMENTS",),
        "the dedicated scheduler preempts nobody",
        _may_be_true,
    ),
)
#: Daemons of the central manager: what they are configured with, and what they need to do anything.
_DAEMONS: Final = (("DEFRAG", "DEFRAG_DRAINING_MACHINES_PER_HOUR"), ("ROOSTER", None))


def check_companions(view: View) -> Iterator[Diagnostic]:
    """One finding for each macro that is missing."""
    told = set()
    for setting in view.settings:
        for row in COMPANIONS:
            match = re.fullmatch(row.macro, setting.macro, re.IGNORECASE)
            if match is None or not row.only_if(setting.text().strip()):
                continue
            others = tuple(match.expand(other) for other in row.others)
            if others in told or any(row.enough(_value(setting, other)) for other in others):
                continue
            told.add(others)
            yield ALONE.named(setting.entry, _message(setting, others), row.why)
    yield from _daemons(view)


def _value(setting: Setting, macro: str) -> str:
    """The value of another macro as the setting's reader sees it."""
    try:
        return (setting.config.text(macro) or "").strip()
    except ExpansionError:
        return ""


def _message(setting: Setting, others: tuple[str, ...]) -> str:
    values = {other: _value(setting, other) for other in others}
    named = " and ".join(
        f"{other} is `{value}`" if value else f"{other} is not set"
        for other, value in values.items()
    )
    return f"{setting.macro} has no effect: {named}"


def _daemons(view: View) -> Iterator[Diagnostic]:
    """Daemons of a central manager: settings without the daemon, the daemon without settings."""
    lists = [item for item in view.settings if item.macro.casefold() == "daemon_list"]
    if not lists:
        return
    setting = lists[-1]
    text = setting.text()
    listed = {word.upper() for word in re.findall(r"\w+", text)}
    for daemon, needed in _DAEMONS:
        if daemon in listed:
            if needed is not None and not _may_be_true(_value(setting, needed)):
                at = re.search(rf"\b{daemon}\b", text, re.IGNORECASE)
                assert at is not None
                place = stretch(setting, text, *at.span())
                yield ALONE.at(f"{daemon} drains nothing: {needed} is not set", *place)
        elif "NEGOTIATOR" in listed:
            yield from _without(view, daemon)


def _without(view: View, daemon: str) -> Iterator[Diagnostic]:
    for setting in view.settings:
        if setting.macro.upper().startswith(f"{daemon}_"):
            message = f"{setting.macro} has no effect: DAEMON_LIST has no {daemon}"
            yield ALONE.named(setting.entry, message)
            return
