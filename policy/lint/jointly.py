"""Checks settings of one machine that have to go together: policies, folders, times, lists.

Follows: condor_collector, condor_startd and condor_schedd of 25.14.1, started with such settings;
the manual for what a starter does with images.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from classad.errors import Diagnostic, suggest
from classad.patterns import late_regex
from classad.syntax.nodes import Binary, Node, Reference
from policy.attributes import DATE, FIRST_DATE, LAST_DATE
from policy.explain.roles import is_whole, may_run
from policy.knobs.readers import JUDGED
from policy.knobs.reading import split_list
from policy.language.expressions import parse
from policy.language.numbers import integer_literal
from policy.lint.agreement import (
    DISAGREE,
    setting_of,
)
from policy.lint.assignments import policy_lost
from policy.lint.choices import above, no_word
from policy.lint.companions import alone
from policy.lint.expressions import MacroExpression
from policy.lint.finding import ERROR, Meant, Per, looks_at, use_of
from policy.lint.lists import not_listed
from policy.lint.names import is_spoken_of
from policy.lint.trees import conjuncts, disjuncts, names, number, sides, tree_of
from policy.lint.units import DATE_AS_DURATION, GIGABYTES
from policy.lint.view import Item, Setting, View


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
    tree = tree_of(text)
    return [] if tree is None else list(disjuncts(tree))


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


#: What stands first where a path is quoted, or begins with a reference that is none.
_NO_PATH: Final = frozenset("\"'$")


@looks_at(Per.SETTING, of=rf"({'|'.join(JUDGED)})_LOG|(STARTD_|JOB_EPOCH_)?HISTORY")
def no_log_file(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """``STARTD_LOG = /var/log/condor``, which is LOG; ``"$(LOG)/StartLog"``; ``$LOG/StartLog``.

    Observed with 25.14.1: condor_startd ends with `Cannot open log file`.
    """
    text = setting.text().strip()
    folders = {setting.beside(name).strip().rstrip("/") for name in ("LOG", "SPOOL")}
    is_folder = text.endswith("/") or bool(text and text in folders)
    if setting.upper.endswith("HISTORY"):
        if is_folder:
            message = f"{setting.macro} is a folder, and a file is needed: no job is written down"
            yield setting.say(no_word, message, setting.whole(), "name a file in it")
    elif is_folder or text[:1] in _NO_PATH:
        daemon = f"condor_{setting.macro.lower().removesuffix('_log')}"
        why = (
            f"is a folder, and {daemon} needs" if is_folder else f"is `{text}`, which is no path of"
        )
        message = f"{setting.macro} {why} a file"
        ends = setting.upper.removesuffix("_LOG")
        found = setting.say(no_word, message, setting.whole(), "it ends at once", ends=ends)
        found.severity = ERROR
        yield found


@looks_at(Per.SETTING, of="EXECUTE|LOG")
def in_spool(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A folder in SPOOL, from which condor_preen removes what it does not know.

    Observed with 25.14.1: it removes `execute`, `log` and `dir_1234` from SPOOL, with all in them.
    """
    mine, spool = (text.strip().rstrip("/") for text in (setting.text(), setting.beside("SPOOL")))
    kept = {one.casefold() for one in split_list(setting.beside("VALID_SPOOL_FILES"))}
    first = mine.removeprefix(f"{spool}/").partition("/")[0].casefold()
    inside = bool(spool) and f"{mine}/".startswith(f"{spool}/")
    read = setting.upper == "LOG" or may_run(view.config, "STARTD")
    if inside and read and first not in kept and setting.beside("PREEN").strip():
        message = f"{setting.macro} is {'' if mine == spool else 'in '}SPOOL"
        help_text = "condor_preen removes from SPOOL what VALID_SPOOL_FILES does not list"
        yield setting.say(DISAGREE, message, setting.whole(), help_text)


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


@looks_at(Per.SETTING, of="UPDATE_INTERVAL|MASTER_UPDATE_INTERVAL|SCHEDD_INTERVAL")
def longer_than_usual(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Ads that are gone before the next ones, at a collector of which no file says otherwise."""
    every = integer_literal(setting.text())
    if every is not None and _USUAL_LIFE < every < _DAY and "classad_lifetime" not in view.defined:
        message = f"it is {every}, and ads live for {_USUAL_LIFE} seconds at a collector"
        help_text = "they are gone in between, unless CLASSAD_LIFETIME is greater there"
        yield setting.say(above, message, setting.whole(), help_text)


_USUAL_INTERVAL: Final = 300
_USUAL_LIFE: Final = 900
#: So much may be told as a time in another unit.
_DAY: Final = 86400
#: Less is told as a time in another unit.
_LEAST: Final = 60


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


@looks_at(Per.CONFIGURATION)
def one_type_twice(view: View) -> Iterator[Diagnostic]:
    """Two templates that make slots of one type: the second takes the place of the first."""
    for entry in view.config.scope.table:
        if not entry.template or not _TYPE.fullmatch(entry.name):
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


@looks_at(Per.SETTING, of="START|RANK|PREEMPT")
def for_no_slot(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A policy beside those that each type of slots has for itself: no slot asks for this one."""
    name, entry = setting.upper, setting.entry
    made = [one for one in view.config.scope.table if _TYPE.fullmatch(one.name)]
    own = [
        view.plain.get(f"{one.name[4:].upper()}_{name}".replace("SLOTS", "SLOT")) for one in made
    ]
    beside = own and all(one is not None and one.entry.origin == entry.origin for one in own)
    if beside and is_whole(view.config) and not is_spoken_of(view, setting):
        message = f"no slot asks for {name}: each type of slots has its own"
        yield alone.named(entry, message, f"with `$({name})` in it that asks for it, too")


@looks_at(Per.COMPARISON)
def no_instant(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """``time() < ToDie`` where `ToDie` is published, and no time in seconds since 1970."""
    for side, _, other in sides(node):
        name = other.name.casefold() if isinstance(other, Reference) else ""
        settings = one.view.of_macro.get(name, []) if name in one.view.slot_attributes else []
        value = integer_literal(settings[0].text()) if len(settings) == 1 else None
        if value is None or one.evaluation.alone(side).unit != DATE:
            continue
        if 1 < value < FIRST_DATE or 1000 * FIRST_DATE <= value < 1000 * LAST_DATE:
            what = "is a duration" if value < FIRST_DATE else "is in milliseconds"
            message = (
                f"`{one.shown(side)}` is an instant in seconds, and `{one.shown(other)}` {what}"
            )
            yield one.say(DATE_AS_DURATION, message, node, f"{settings[0].macro} is {value}")


@looks_at(Per.SETTING, of=r"(STARTD|SCHEDD)_CRON_\w+_PERIOD")
def period_of_one_run(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """``OneShot`` and a period.

    Observed with 25.14.1: condor_startd logs `Ignoring job period specified`.
    """
    mode = setting.beside(f"{setting.upper.removesuffix('PERIOD')}MODE").strip()
    if mode.casefold() == "oneshot" and setting.text().strip("0smhSMH \t"):
        message = f"{setting.macro} has no effect: the job runs once"
        yield alone.named(setting.entry, message, "`Periodic` runs it again and again")


@looks_at(Per.SETTING, of="EXTENDED_SUBMIT_COMMANDS")
def without_type(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A line without an `=`, at which condor_schedd of 25.14.1 stops reading."""
    for found in _COMMAND_LINE.finditer(setting.text()):
        if "=" not in found[1]:
            message = f"`{found[1]}` has no `=`: it counts for nothing, nor does what comes behind"
            help_text = "a line is `Name = true`, a number or a text: what jobs give it is like it"
            yield setting.say(no_word, message, Item.of(found, 1), help_text)
            return


_COMMAND_LINE: Final = late_regex(r"^[ \t]*([^\s#@][^\n]*?)[ \t]*$", re.MULTILINE)


@looks_at(Per.SETTING, of="JOB_DEFAULT_REQUESTDISK")
def few_kibibytes(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """``JOB_DEFAULT_REQUESTDISK = 10``, which is meant in GiB."""
    value = integer_literal(setting.text())
    if value is not None and 1 < value < _LEAST_DISK:
        help_text = f"did you mean `{value} * 1024 * 1024`?"
        yield GIGABYTES.on(setting.entry, f"{setting.macro} is {value} KiB", help_text)


_LEAST_DISK: Final = 1024


@looks_at(Per.ITEM, of="CONDOR_VIEW_CLASSAD_TYPES")
def no_ad_type(setting: Setting, item: Item) -> Iterator[Diagnostic]:
    """``Machines``: the MyType of ads is Machine."""
    meant = suggest(item.text, _AD_TYPES)
    if meant is not None and item.text.casefold() not in map(str.casefold, _AD_TYPES):
        message = f"no ad is of the type `{item.text}`"
        yield setting.say(DISAGREE, message, item, Meant(meant, item.text))
