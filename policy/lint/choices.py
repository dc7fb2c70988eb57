"""Checks values against the words that a macro takes, and numbers against each other.

Types of slots, too: resources that the machine does not have, or not so many of them.
Follows: ``policy.knobs.choices``; the startd of 25.14.1, which makes the slots that it can and logs
the rest.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from attr import frozen

from classad.errors import Diagnostic
from classad.patterns import late_regex
from policy.config import Config
from policy.knobs.choices import (
    BOUNDS,
    CHOICES,
    CRON_PERIOD,
    CRON_PERIODS,
    HAS_CHOICE,
    UPPER_BOUNDS,
    Choice,
)
from policy.knobs.lists import is_list
from policy.knobs.other_daemons import DAEMONS
from policy.knobs.shares import CONCURRENCY_LIMIT_DEFAULT_OF, NAME_LIMIT
from policy.language.about import EVERY
from policy.language.numbers import integer_literal, read_boolean, saturated
from policy.language.table import Definition
from policy.lint.endings import is_no_path, shares_port
from policy.lint.finding import ERROR, NOTE, Advice, Meant, Per, finding, looks_at, meant, use_of
from policy.lint.view import ITEM, Item, Setting, View, covering

_TYPE: Final = r"SLOT_TYPE_\d+"
_OF_A_TYPE: Final = late_regex(_TYPE, re.IGNORECASE)
_SHARE: Final = late_regex(
    r"\s*(?:[A-Za-z_][\w:-]*\s*[=:]\s*)?(?:\d+(?:\.\d+)?%?|\d+/\d+|auto|share|\d*\.\d+)"
    r"(?:\s*[KMGT]B?)?(?:\s*:\s*[^,]*)?\s*",
    re.IGNORECASE,
)
#: Several shares with blanks between them.
_LIST: Final = late_regex(r"=[^=]*\s+[A-Za-z_]\w*\s*=")
#: What stands between commas and line ends, without the blanks around it.
_BETWEEN_COMMAS: Final = late_regex(r"[^,\s]([^,\n]*[^,\s])?")
_MOST_TYPES: Final = 10
_CATEGORY: Final = late_regex(r"-?([^:]*)(:\d+)?")
#: An item without any of these is a sign, as the operators of expressions are.
_NAMES_SOMETHING: Final = late_regex(r"[\w*]")
_PERIOD: Final = "it is a number with s, m or h behind it, as in `5m`"
_SEPARATOR: Final = late_regex(r"[^,\s|()]+")
#: The numbers of a user and a group; what stands behind them is passed over.
_IDS: Final = late_regex(r"[+-]?\d+\.[+-]?\d+")
#: What the schedd calls its side that runs parallel jobs.
_SCHEDULER: Final = late_regex(r'"DedicatedScheduler@[^\s"@][^"]*"', re.IGNORECASE)
_LIMIT: Final = late_regex(r"CONCURRENCY_LIMIT_DEFAULT_(.+)|(.+)_LIMIT", re.IGNORECASE)
_IS_LIMIT: Final = late_regex(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)?")
_OF_LIMITS: Final = (NAME_LIMIT, CONCURRENCY_LIMIT_DEFAULT_OF)
_HOST: Final = late_regex(r"(?:[^\s:,]+|[\da-fA-F:]+|\[[\da-fA-F:]+\])$")
_TWO_IDS: Final = "it is the numbers of a user and a group with a dot between them, as in `64.64`"
#: What every daemon takes at its start and ends at if it has another form, with its exit status.
_OF_ALL: Final = {
    "CONDOR_IDS": (_IDS, _TWO_IDS, 1),
    "TCP_FORWARDING_HOST": (_HOST, "it is one address, or a name that has one, without a port", 4),
}


@finding(
    "P130",
    "a word that the macro does not take",
    "Some macros take a few words and no others: modes of cron jobs, categories of logs, ways to"
    " drain a machine, policies of control groups, formats of events. CONDOR_IDS takes two numbers"
    " and no names, TCP_FORWARDING_HOST one host and no port. DedicatedScheduler is a"
    " text, `DedicatedScheduler@` and the name of a schedd. The name of a concurrency limit is that"
    " of an attribute.",
    bad="SCHEDD_DEBUG = D_FULL_DEBUG\n",
    good="SCHEDD_DEBUG = D_FULLDEBUG\n",
    observed="Observed with 25.14.1: condor_startd logs `Unknown job mode` or `Invalid period"
    " modifier` and does not start the job, condor_defrag ends at `Invalid draining schedule`,"
    " condor_master says that it uses GRACEFUL, and a category of a log that does not exist is"
    " passed over in silence; at `CONDOR_IDS = condor.condor` each daemon ends with status 1, at"
    " `TCP_FORWARDING_HOST = 10.1.2.3:9618` with status 4; a schedd runs parallel jobs on"
    " slots that have its own name in DedicatedScheduler, and on no others; condor_submit"
    " refuses a job for a limit called `3d` with `Invalid concurrency limit`, and the negotiator"
    " ignores it. Of the other macros the words are those of the manual.",
)
def no_word(view: View, setting: Setting) -> Iterator[Diagnostic]:
    for choice in CHOICES if HAS_CHOICE.fullmatch(setting.macro) else ():
        if choice.macros.fullmatch(setting.macro):
            yield from _words(setting, choice)
    if CRON_PERIODS.fullmatch(setting.macro):
        yield from _period(setting)
    text = setting.text().strip()
    needed = _OF_ALL.get(setting.macro.upper())
    if needed is not None and text and not needed[0].match(text):
        message = f"{setting.macro} does not take `{text}`: no daemon starts"
        _, help_text, status = needed
        yield setting.say(no_word, message, setting.whole(), help_text, ends=EVERY, status=status)
    if setting.macro.upper() == "NETWORK_INTERFACE" and not text.strip(","):
        message = "NETWORK_INTERFACE is set to nothing: no daemon starts"
        help_text = "`*`, which is the default, stands for every interface"
        yield no_word.named(setting.entry, message, help_text, ends=EVERY)
    if setting.macro.casefold() == "dedicatedscheduler" and text:
        yield from _dedicated(view, setting)
    limit = _LIMIT.fullmatch(setting.macro) if setting.knob in _OF_LIMITS else None
    if limit is not None and not _IS_LIMIT.fullmatch(limit[1] or limit[2]):
        message = f"no job can ask for a limit that is called `{limit[1] or limit[2]}`"
        help_text = "its name, and that of its set, begins with a letter and has no other signs"
        yield no_word.named(setting.entry, message, help_text)


def _dedicated(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A value that is not the name of a schedd's side that runs parallel jobs."""
    listed = setting.macro.casefold() in view.slot_attributes
    if has_hole(setting.config, setting.entry) or (listed and setting.mistake is not None):
        return  # another file completes it; that it does not parse is told
    text = setting.text().strip()
    if not _SCHEDULER.fullmatch(text) and (text[0] == '"' or "(" not in text):
        message = f"{setting.macro} does not take `{text}`: no schedd runs parallel jobs on it"
        help_text = (
            'it is `"DedicatedScheduler@<name>"`, with the name that condor_status -schedd has'
        )
        yield setting.say(no_word, message, setting.whole(), help_text)


def _words(setting: Setting, choice: Choice) -> Iterator[Diagnostic]:
    text, whole = setting.text(), setting.text().strip()
    listed = [Item.of(found) for found in _SEPARATOR.finditer(text)]
    if not choice.many:
        listed = [Item(whole, text.find(whole), text.find(whole) + len(whole))] if whole else []
    for item in listed:
        found = _CATEGORY.fullmatch(item.text)
        word = found[1] if found is not None and choice.many else item.text
        if choice.strange([word]):
            message = f"{setting.macro} does not take `{item.text}`: {choice.otherwise}"
            said = setting.say(no_word, message, item, _instead(word, choice), ends=choice.ends)
            said.severity = ERROR if choice.ends else said.severity
            yield said


def _instead(word: str, choice: Choice) -> Advice:
    squeezed = {known.casefold().replace("_", ""): known for known in choice.words}
    same = squeezed.get(re.sub(r"[_ -]", "", word.casefold()))
    if same is not None:
        return Meant(same, word)
    return meant(word, choice.words, None if choice.many else f"it takes {', '.join(choice.words)}")


def _period(setting: Setting) -> Iterator[Diagnostic]:
    text = setting.text().strip()
    if text and not CRON_PERIOD.fullmatch(text):
        message = f"{setting.macro} does not take `{text}`: the job is not started"
        yield setting.say(no_word, message, setting.whole(), _PERIOD)


@looks_at(Per.CONFIGURATION)
def period_of_template(view: View) -> Iterator[Diagnostic]:
    """The period that a template is used with: FEATURE : StartdCronPeriodic(X, 15*60, ...)."""
    for entry in view.config.scope.table:
        if entry.template is not None and CRON_PERIODS.fullmatch(entry.name):
            text = view.config.text(entry.name) or ""
            use = use_of(view.config, entry)
            if text.strip() and use is not None and not CRON_PERIOD.fullmatch(text.strip()):
                message = f"{entry.name} does not take `{text.strip()}`: the job is not started"
                yield no_word.at(message, *use[1:], _PERIOD, macro=entry.name)


def _too_high(setting: Setting) -> Iterator[Diagnostic]:
    """A type of slots beyond the last one."""
    number = saturated(setting.macro.rpartition("_")[2])
    most = integer_literal(setting.beside("MAX_SLOT_TYPES")) or _MOST_TYPES
    if number > most:
        message = f"there is no type {number}: MAX_SLOT_TYPES is {most}"
        yield out_of_range.named(setting.entry, message, "condor_startd ignores it")


@finding(
    "P131",
    "a lower bound above the upper one",
    "Two macros are the ends of one range, or one limits a part of what the other limits.",
    bad="LOWPORT = 20000\nHIGHPORT = 10000\n",
    good="LOWPORT = 10000\nHIGHPORT = 20000\n",
    observed="Observed with 25.14.1: for LOWPORT above HIGHPORT its daemons log `invalid port"
    " range`. The others follow from the manual.",
)
def above(view: View, setting: Setting) -> Iterator[Diagnostic]:
    for high in UPPER_BOUNDS.get(setting.macro.casefold(), ()):
        if high.casefold() not in view.defined:
            continue
        least, most = integer_literal(setting.text()), integer_literal(setting.beside(high))
        if _is_built_in(setting, high):
            continue
        if least is not None and most is not None and 0 < most < least:
            message = f"{setting.macro} is {least}, above {high}, which is {most}"
            yield setting.say(above, message, setting.whole())


def _is_built_in(setting: Setting, high: str) -> bool:
    """Are the built-in values in this order, too?  Then the greater one limits nothing."""
    table = setting.config.scope.table
    built_in = (table.default(setting.macro), table.default(high))
    least, most = (integer_literal(one.raw) if one else None for one in built_in)
    return least is not None and most is not None and 0 < most < least


@finding(
    "P136",
    "a list that has an item twice",
    "Daemons, transforms, attributes and hosts count once, however often a list has them. Where one"
    " stands twice in one statement, another one may have been meant. Lists of who may do what are"
    " left alone, and so is what a list adds to its value of before.",
    bad="JOB_TRANSFORM_NAMES = Groups, Memory, Groups\nJOB_TRANSFORM_Groups = SET X 1\n"
    "JOB_TRANSFORM_Memory = SET Y 1\n",
    good="JOB_TRANSFORM_NAMES = Groups, Memory\nJOB_TRANSFORM_Groups = SET X 1\n"
    "JOB_TRANSFORM_Memory = SET Y 1\n",
    severity=NOTE,
    of=r"(?!ALLOW_|DENY_|GROUP_NAMES)\w+",
    observed="Observed with 25.14.1: its master starts a daemon once, its startd a cron job, its"
    " schedd applies a transform once.",
)
def twice(view: View, setting: Setting) -> Iterator[Diagnostic]:
    if not is_list(setting.macro):
        return
    written = ITEM.findall(setting.entry.written or setting.entry.raw)
    counts = Counter(word.casefold() for word in written if "$" not in word)
    seen: set[str] = set()
    for item in setting.items():
        folded = item.text.casefold()
        if not _NAMES_SOMETHING.search(folded):
            continue
        if folded in seen and counts[folded] > 1:
            yield setting.say(twice, f"{setting.macro} has `{item.text}` already", item)
            return
        seen.add(folded)


@finding(
    "P132",
    "a number that its thing cannot have",
    "Nice values are from 0 to 19, ports from 0 to 65535, types of slots from 0 to MAX_SLOT_TYPES.",
    bad="JOB_RENICE_INCREMENT = 25\n",
    good="JOB_RENICE_INCREMENT = 19\n",
    observed="Observed with 25.14.1: its startd ignores SLOT_TYPE_12, since MAX_SLOT_TYPES is 10."
    " The rest follows from the system.",
)
def out_of_range(view: View, setting: Setting) -> Iterator[Diagnostic]:
    if _OF_A_TYPE.fullmatch(setting.macro):
        yield from _too_high(setting)
    for macros, low, high, what in BOUNDS:
        value = integer_literal(setting.text()) if macros.fullmatch(setting.macro) else None
        if value is not None and not low <= value <= high:
            message = f"{setting.macro} is {value}, and {what} is from {low} to {high}"
            yield setting.say(out_of_range, message, setting.whole())


@finding(
    "P133",
    "a slot type with words that are no shares",
    "A type is a list of `name=number`, `name=part` and one part for the rest, between commas; it"
    " is no expression. Of a number the digits at its beginning count, and a word without `=` makes"
    " a slot of next to nothing. Blanks stand for commas only where there is no comma.",
    bad="NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus 2, memory 50%\n",
    good="NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=2, memory=50%\n",
    of=_TYPE,
    observed="Observed with 25.14.1: of `cpus=4 - 2` its startd makes a slot with 4 CPUs, of `cpus"
    " 2, mem 50%` one with 1 CPU and 1 MiB; of `cpus=25% ram=512, swap=10%` one with all memory,"
    " and of `cpus=2 ram=512` one with 512 MiB.",
)
def no_share(view: View, setting: Setting) -> Iterator[Diagnostic]:
    if has_hole(setting.config, setting.entry):
        return  # that is said, and what it leaves is no word of the file
    text = setting.text()
    for words in map(Item.of, _BETWEEN_COMMAS.finditer(text)):
        if "$" in words.text or _SHARE.fullmatch(words.text):
            continue
        if _LIST.search(words.text) is None:
            yield setting.say(no_share, f"`{words.text}` is no share of the machine", words)
        elif "," in text:
            message = f"of `{words.text}` only what stands before the first blank is read"
            yield setting.say(no_share, message, words, "write a comma in place of the blank")


# --- types of slots -------------------------------------------------------------------------------

_RESOURCE: Final = late_regex(r"\s*([A-Za-z_]\w*)\s*[=:]\s*([^,\s]+)")
_PART: Final = late_regex(r"(\d{1,18}(?:\.\d{1,18})?)%|(\d{1,18})/(\d{1,18})")
_SIZED: Final = {"cpus": ("CPUs", "NUM_CPUS is"), "memory": ("MiB", "MEMORY is")}
_ALWAYS: Final = ("cpus", "memory", "swap", "disk")
_SIZE: Final = late_regex(r"(\d{1,18})\s*([KMGT]?)B?", re.IGNORECASE)
#: MiB in each; of what is counted there is no unit.
_SIZES: Final = {
    "": Fraction(1), "K": Fraction(1, 1024), "M": Fraction(1), "G": Fraction(1024),
    "T": Fraction(1024**2),
}  # fmt: skip
#: What the startd takes the first letter of a resource for.
_LETTERS: Final = {
    "c": "cpus", "m": "memory", "r": "memory", "s": "swap", "v": "swap", "d": "disk", "g": "gpus",
}  # fmt: skip
#: What every machine has, as the startd abbreviates it.
_FULL: Final = frozenset(
    (
        *("c", "cpu", "cpus", "m", "mem", "memory", "r", "ram", "s", "swap", "v", "vm"),
        *("virt", "virtualmemory", "virtual_memory", "d", "disk", "gpu", "gpus"),
    )
)


@finding(
    "P242",
    "a slot type with a resource that the machine does not have",
    "Besides cpus, memory, disk, swap and gpus a slot has what MACHINE_RESOURCE_<name> or"
    " MACHINE_RESOURCE_INVENTORY_<name> declares. The startd logs `Unknown attribute`, and makes"
    " the slots without it.",
    "NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=100%, scratch=100%\n",
    "MACHINE_RESOURCE_scratch = 500\nNUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = cpus=100%, scratch=100%\n",
    of=_TYPE,
    elsewhere=True,
)
def no_resource(view: View, setting: Setting) -> Iterator[Diagnostic]:
    for share in _RESOURCE.finditer(setting.text()):
        declared = (f"machine_resource_{kind}{share[1].casefold()}" for kind in ("", "inventory_"))
        if share[1].casefold() not in _FULL and view.defined.isdisjoint(declared):
            message = f"no MACHINE_RESOURCE_{share[1]} says how much of it there is"
            help_text = "the slots are made without it"
            yield setting.say(no_resource, message, Item.of(share, 1), help_text)


@finding(
    "P243",
    "types of slots that need more than the machine",
    "The startd makes slots until the machine is given away. For the others it logs `Can't allocate"
    " slot` and goes on, with a broken slot in their place. A part without a name is that part of"
    " everything that has no share of its own, and a slot has a CPU at least. Types with"
    " SLOT_TYPE_<n>_BACKFILL share the machine a second time. Told is what exceeds NUM_CPUS, MEMORY"
    " or MACHINE_RESOURCE_<name>, and shares of more than 100 %.",
    "NUM_CPUS = 8\nNUM_SLOTS_TYPE_1 = 3\nSLOT_TYPE_1 = cpus=4\n",
    "NUM_CPUS = 8\nNUM_SLOTS_TYPE_1 = 2\nSLOT_TYPE_1 = cpus=4\n",
    per=Per.CONFIGURATION,
    observed="Observed with 25.14.1: its startd with `100%` twice, `75%, cpus=1`, memory, a number"
    " and a list of a resource of one's own, `auto` for more slots than CPUs, backfill.",
)
def too_many(view: View) -> Iterator[Diagnostic]:
    """Types that take what those before them have left none of; each prefix has its own."""
    taken: dict[tuple[str | None, bool, str], Fraction] = {}
    typed = any(name.startswith("num_slots_type_") for name in view.defined)
    for setting in view.settings:
        if _OF_A_TYPE.fullmatch(setting.macro):
            if has_hole(setting.config, setting.entry):
                continue
            many = _number(setting.beside(f"NUM_SLOTS_{setting.macro.partition('_')[2]}"))
            demands = _demands(setting)
        elif setting.macro.upper() == "NUM_SLOTS" and not typed:
            many, demands = _number(setting.text()), {"cpus": _at_least_one(setting)}
        else:
            continue
        evaluate = view.config.scope.functions.evaluate
        second = read_boolean(setting.beside(f"{setting.macro}_BACKFILL"), evaluate) is True
        for name, demand in demands.items():
            has = _amount(setting, name)
            if not demand.is_share and not has:
                continue
            key = setting.prefix, second, name
            before = taken.get(key, Fraction(0))
            taken[key] = before + many * (demand.amount / (1 if demand.is_share else has))
            if before <= 1 < taken[key]:
                message = f"the types of slots take {float(taken[key]):.0%} of the {name}"
                if not demand.is_share and not before:
                    what, macro = _SIZED.get(name, (name, f"MACHINE_RESOURCE_{name} has"))
                    message = f"the slots need {many * demand.amount} {what}, {macro} {has}"
                help_text = "the startd makes a broken slot of what is not there"
                yield setting.say(too_many, message, demand.where, help_text)
                break


@frozen
class SlotShare:
    """What a slot takes of a resource: so much of it, or a share of the machine's."""

    amount: Fraction
    is_share: bool
    where: Item


def _at_least_one(setting: Setting) -> SlotShare:
    return SlotShare(Fraction(1), False, setting.whole())


def _demands(setting: Setting) -> dict[str, SlotShare]:
    """What a slot of a type takes of each resource, as far as that can be told."""
    found: dict[str, SlotShare] = {"cpus": _at_least_one(setting)}
    named: set[str] = set()
    rest: SlotShare | None = None
    for words in map(Item.of, _BETWEEN_COMMAS.finditer(setting.text())):
        share = _RESOURCE.match(words.text)
        value = words.text.strip() if share is None else share[2]
        part, size = _part(value), _SIZE.fullmatch(value)
        if share is None:
            rest = rest if part is None else SlotShare(part, True, words)
            continue
        name = share[1].casefold()
        name = _LETTERS[name[0]] if name in _FULL else name
        named.add(name)
        if part is not None:
            found[name] = SlotShare(part, True, words)
        elif size is not None and name not in ("disk", "swap"):
            found[name] = SlotShare(int(size[1]) * _SIZES[size[2].upper()], False, words)
    if rest is not None:
        found.update({name: rest for name in _ALWAYS if name not in named})
    return found


def _amount(setting: Setting, name: str) -> int:
    """How much of a resource the machine has; 0 if nobody says so."""
    if name in _SIZED:
        macro = _SIZED[name][1].partition(" ")[0]
        has = _number(setting.beside(macro))
        return 0 if not has or _is_assumed(setting.config, macro) else has
    text = setting.beside(f"MACHINE_RESOURCE_{name}")
    counted = integer_literal(text) is not None
    return _number(text) if counted else len(re.findall(r"[^\s,]+", text))


def _part(text: str) -> Fraction | None:
    """A part of the machine, ``75%`` or ``1/4``; None for a number or for `auto`."""
    found = _PART.fullmatch(text)
    if found is None or (found[3] is not None and not int(found[3])):
        return None
    return Fraction(found[1]) / 100 if found[1] else Fraction(int(found[2]), int(found[3]))


def _number(text: str) -> int:
    return max(integer_literal(text) or 0, 0)


def has_hole(config: Config, entry: Definition) -> bool:
    """Does a value need a macro that nobody defines, so that another file completes it?"""
    return any(found is None for _, found in config.scope.used_by(entry))


def _is_assumed(config: Config, name: str) -> bool:
    """Does a number come from the machine, of which the caller has told nothing, or from a macro
    that nobody defines?"""
    entry = config.lookup(name)
    return entry is not None and (has_hole(config, entry) or config.is_assumed(entry))


@finding(
    "P215",
    "a daemon in DAEMON_LIST whose macro is no program",
    "The master runs what the macro of each name says. START, for one, is an expression, and"
    " SHARED_PORT no number. The master looks for no program in PATH, logs `Cannot execute` and"
    " tries again and again; daemons that share a port end without the one that has it.",
    bad="DAEMON_LIST = MASTER, START\n",
    good="DAEMON_LIST = MASTER, STARTD\n",
    per=Per.ITEM,
    of="DAEMON_LIST",
    observed="Observed with 25.14.1: condor_master with START in DAEMON_LIST, with"
    " `SHARED_PORT = 41232` and with `SHARED_PORT = condor_shared_port`; the collector ends then.",
)
def no_program(setting: Setting, item: Item) -> Iterator[Diagnostic]:
    if item.text.upper() == "TRANSFERER":
        message = "condor_transferer is started by condor_replication, and not by the master"
        yield setting.say(no_program, message, item, "condor_master cannot execute it")
        return
    if item.text.upper() == "SHARED_PORT" and shares_port(setting):
        return  # the collector ends, as is said of the macro
    program, cannot = setting.beside(item.text).strip(), "condor_master cannot execute it"
    if covering(item.text) is not None:
        advice = meant(item.text, sorted(DAEMONS), cannot)
        yield setting.say(no_program, f"`{item.text}` is an expression, no daemon", item, advice)
    elif is_no_path(program):
        message = f"{item.text} is `{program}`, which is no path of a program"
        yield setting.say(no_program, message, item, cannot)
