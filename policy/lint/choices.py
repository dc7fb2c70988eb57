"""Checks values against the words that a macro takes, and numbers against each other.

Follows: ``policy.knobs.choices``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from classad.errors import Diagnostic
from classad.patterns import any_of, late_regex
from policy.config import Config
from policy.explain.roles import STARTED_BY, is_whole
from policy.knobs.choices import (
    BOUNDS,
    CHOICES,
    CRON_PERIOD,
    CRON_PERIODS,
    DISCOVERY,
    HAS_CHOICE,
    NO_SPANS,
    NO_USERS,
    RESERVED,
    SPANS,
    UPPER_BOUNDS,
    USERS,
    Choice,
)
from policy.knobs.lists import is_list
from policy.knobs.obsolete import find_obsolete
from policy.knobs.other_daemons import DAEMONS
from policy.knobs.shares import CONCURRENCY_LIMIT_DEFAULT_OF, NAME_LIMIT
from policy.language.about import EVERY
from policy.language.macros import ExpansionError
from policy.language.numbers import integer_literal, read_boolean, saturated
from policy.language.table import Definition
from policy.lint.finding import (
    ERROR,
    NOTE,
    Advice,
    Meant,
    Per,
    Repair,
    finding,
    looks_at,
    meant,
    use_of,
)
from policy.lint.hosts import LOCK_URL, is_locked, is_no_path, shares_port
from policy.lint.view import ITEM, Item, Setting, View, covering

_TYPE: Final = r"SLOT_TYPE_\d+"
_OF_A_TYPE: Final = late_regex(_TYPE, re.IGNORECASE)
_MOST_TYPES: Final = 10
_CATEGORY: Final = late_regex(r"-?([^:]*)(:\d+)?")
#: An item without any of these is a sign, as the operators of expressions are.
_NAMES_SOMETHING: Final = late_regex(r"[\w*]")
_PERIOD: Final = "it is a number with s, m or h behind it, as in `5m`"
_SEPARATOR: Final = late_regex(r"[^,\s|()]+")
#: The numbers of a user and a group; what stands behind them is passed over.
_IDS: Final = late_regex(r"[+-]?\d+\.[+-]?\d+")
_OF_MACHINES: Final = "condor_startd ends; NUM_CPUS and MEMORY say what there is of these"
#: What the schedd calls its side that runs parallel jobs.
_SCHEDULER: Final = late_regex(r'"DedicatedScheduler@[^\s"@][^"]*"', re.IGNORECASE)
_LIMIT: Final = late_regex(r"CONCURRENCY_LIMIT_DEFAULT_(.+)|(.+)_LIMIT", re.IGNORECASE)
_IS_LIMIT: Final = late_regex(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)?")
_NO_TIME: Final = late_regex(r"0+[smh]?", re.IGNORECASE)
_OF_SLOTS: Final = late_regex(r"STARTD_CRON_\w+_SLOTS", re.IGNORECASE)
_AFFINITY: Final = late_regex(r"SLOT\d+_CPU_AFFINITY", re.IGNORECASE)
_NUMBER: Final = late_regex(r"\d*")
_DISCOVERY: Final = "STARTD_DETECT_GPUS|GPU_DISCOVERY_EXTRA"
#: Arguments, in double quotes or without, and in those in single quotes.
_ARGUMENTS: Final = late_regex(r"(STARTD|SCHEDD|BENCHMARKS)_CRON_\w+_ARGS", re.IGNORECASE)
_WITH_ENDS: Final = late_regex(r"""[^"].*|"(?:[^"']|""|'(?:[^"']|''|"")*')*"|""", re.DOTALL)
_VARIABLES: Final = late_regex(r"(STARTD|SCHEDD)_CRON_\w+_ENV|\w+_ENVIRONMENT", re.IGNORECASE)
_NO_SEMICOLON: Final = late_regex(r"\w=[^;\s,]*(,|\s(?!\s*,))\s*[A-Za-z_]\w*=")
_SEMICOLON: Final = late_regex(r"\w=[^\s'\";]*(;)\s*[A-Za-z_]\w*=")
#: What is another text for each DAG, but for those of one folder.
_OF_ONE_DAG: Final = ("@(DAG_DIR)", "@(DAG_FILE)", "@(CLUSTER)")
_FACTORS: Final = ("DEFAULT_PRIO_FACTOR", "NICE_USER_PRIO_FACTOR")
_FACTOR: Final = late_regex(r"\d+(?:\.\d*)?(?:[eE]\d+)?")
_OF_LIMITS: Final = (NAME_LIMIT, CONCURRENCY_LIMIT_DEFAULT_OF)
_ANYTHING: Final = late_regex(r"")
_HOST: Final = late_regex(r"(?:[^\s:,*?()<>\"'/@]+|[\da-fA-F:]+|\[[\da-fA-F:]+\])$")
_TWO_IDS: Final = "it is the numbers of a user and a group with a dot between them, as in `64.64`"
#: Lists that say who may do what, and one that may name a group twice.
_OF_WHOM: Final = late_regex(r"ALLOW_|DENY_|GROUP_NAMES|\w*SUPER_USERS", re.IGNORECASE)
#: What every daemon takes at its start and ends at if it has another form, with its exit status.
_OF_ALL: Final = {
    "CONDOR_IDS": (_IDS, _TWO_IDS, 1),
    "NETWORK_INTERFACE": (_ANYTHING, "", 4),
    "DCSTATISTICS_TIMESPANS": (SPANS, NO_SPANS, 4),
    "USERID_MAP": (USERS, NO_USERS, 4),
    "TCP_FORWARDING_HOST": (_HOST, "it is one address, or a name that has one, without a port", 4),
}
#: The macros of all of these.
_OF_WORDS: Final = any_of(
    (
        HAS_CHOICE,
        CRON_PERIODS,
        _OF_SLOTS,
        _AFFINITY,
        LOCK_URL,
        _VARIABLES,
        _LIMIT,
        RESERVED,
        _ARGUMENTS,
    ),
    re.IGNORECASE,
).pattern + "|".join(("", *_OF_ALL, "DedicatedScheduler"))


@finding(
    "P130",
    "a word that the macro does not take",
    "Some macros take a few words and no others: modes of cron jobs, categories of logs, ways to"
    " drain a machine, policies of control groups, formats of events. CONDOR_IDS takes two numbers"
    " and no names, TCP_FORWARDING_HOST one host and no port, USERID_MAP users with their numbers,"
    " DCSTATISTICS_TIMESPANS names and seconds. DedicatedScheduler is a"
    " text, `DedicatedScheduler@` and the name of a schedd. The name of a concurrency limit is that"
    " of an attribute, and no resource of a machine is called Cpus, Memory, Disk or Swap."
    " ENABLE_IPV4 and ENABLE_IPV6 take True, False and auto, STARTD_DETECT_GPUS the options of"
    " condor_gpu_discovery. HA_LOCK_URL begins with `file:`."
    " DAGMAN_DEFAULT_NODE_LOG is another file for each DAG. Variables of an environment have blanks"
    " between them in quotes, and semicolons without.",
    bad="SCHEDD_DEBUG = D_FULL_DEBUG\n",
    good="SCHEDD_DEBUG = D_FULLDEBUG\n",
    observed="Observed with 25.14.1: condor_startd logs `Unknown job mode`, `Invalid period"
    " modifier` or `Periodic requires non-zero period` and does not start the job, or `INVALID slot"
    " #: ignoring slot list`, condor_defrag ends at `Invalid draining schedule`,"
    " condor_master says that it uses GRACEFUL, and a category of a log that does not exist is"
    " passed over in silence; at `CONDOR_IDS = condor.condor` each daemon ends with status 1, at"
    " `TCP_FORWARDING_HOST = 10.1.2.3:9618`, `USERID_MAP = alice=1000`, `ENABLE_IPV6 = no` and"
    " `DCSTATISTICS_TIMESPANS = 1m=60` with status 4, and condor_startd at MACHINE_RESOURCE_Cpus;"
    " it says that it takes STARTD_CRON_AUTOPUBLISH for NEVER, and that `STARTD_DETECT_GPUS = True`"
    " is invalid, and condor_collector takes HANDLE_QUERY_IN_PROC_POLICY for SMALL_TABLE_OR_QUERY;"
    " a schedd runs parallel jobs on"
    " slots that have its own name in DedicatedScheduler, and on no others; condor_submit"
    " refuses a job for a limit called `3d` with `Invalid concurrency limit`, and the negotiator"
    " ignores it; condor_dagman aborts with `log file ... has shrunk`; condor_master"
    " ends at `Failed to create lock` of a daemon of MASTER_HA_LIST; of"
    " `A=1,B=2` a job of a cron has"
    ' one variable, of `"A=1; B=2"` a job the value `1;`. Of the other macros the words are those'
    " of the manual.",
    of=_OF_WORDS,
)
def no_word(view: View, setting: Setting) -> Iterator[Diagnostic]:
    for choice in CHOICES if HAS_CHOICE.fullmatch(setting.macro) else ():
        if choice.macros.fullmatch(setting.macro):
            yield from _words(setting, choice)
    if CRON_PERIODS.fullmatch(setting.macro):
        yield from _period(setting)
    if _OF_SLOTS.fullmatch(setting.macro):
        yield from _slots(setting)
    if _AFFINITY.fullmatch(setting.macro):
        yield from _cpus(setting)
    text = setting.text().strip()
    needed = _OF_ALL.get(setting.upper)
    if needed is not None and has_hole(setting.config, setting.entry):
        needed = needed if is_whole(view.config) else None  # another file completes it
    if needed is not None and not text.strip(","):
        yield from _nothing(setting)
    elif needed is not None and not needed[0].match(text):
        message = f"{setting.macro} does not take `{text}`: no daemon starts"
        _, help_text, status = needed
        yield setting.say(no_word, message, setting.whole(), help_text, ends=EVERY, status=status)
    if setting.folded == "dedicatedscheduler" and text:
        yield from _dedicated(view, setting)
    if LOCK_URL.fullmatch(setting.macro) and text and not text.startswith("file:"):
        yield from _no_lock(setting, text)
    if _VARIABLES.fullmatch(setting.macro):
        yield from _of_environment(setting)
    if _ARGUMENTS.fullmatch(setting.macro) and not _WITH_ENDS.fullmatch(text):
        message = f"{setting.macro} has a quote without its end: the job is not started"
        yield setting.say(no_word, message, setting.whole(), "two quotes in a row stand for one")
    limit = _LIMIT.fullmatch(setting.macro) if setting.knob in _OF_LIMITS else None
    if limit is not None and not _IS_LIMIT.fullmatch(limit[1] or limit[2]):
        message = f"no job can ask for a limit that is called `{limit[1] or limit[2]}`"
        help_text = "its name, and that of its set, begins with a letter and has no other signs"
        yield no_word.named(setting.entry, message, help_text)
    reserved = RESERVED.fullmatch(setting.macro)
    if reserved is not None:
        message = f"no resource may be called `{reserved[1]}`: every machine has it"
        said = no_word.named(setting.entry, message, _OF_MACHINES, ends="STARTD")
        said.severity = ERROR
        yield said


@looks_at(Per.SETTING, of="DAGMAN_DEFAULT_NODE_LOG")
def one_for_all(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A log of nodes that all DAGs have in common: each begins it anew."""
    text = setting.text().strip()
    if text and not any(part in text.upper() for part in _OF_ONE_DAG):
        message = f"{setting.macro} does not take `{text}`: all DAGs have that one file"
        help_text = "each DAG empties it, and the others abort; as in `@(DAG_DIR)/@(DAG_FILE).log`"
        yield setting.say(no_word, message, setting.whole(), help_text)


def _no_lock(setting: Setting, text: str) -> Iterator[Diagnostic]:
    """A lock that is no file, and that no daemon of MASTER_HA_LIST takes yet."""
    if not is_locked(setting):
        message = f"{setting.macro} does not take `{text}`: condor_master ends with MASTER_HA_LIST"
        advice = Repair(f"file:{text}", text, "it is `file:` and a folder that the machines share")
        yield setting.say(no_word, message, setting.whole(), advice)


def _of_environment(setting: Setting) -> Iterator[Diagnostic]:
    """Variables with a sign between them that is a part of a value."""
    text = setting.text()
    quoted = text.strip()[:1] == '"'
    found = (_SEMICOLON if quoted else _NO_SEMICOLON).search(text)
    if found is not None:
        sign = f"`{found[1]}`" if found[1].strip() else "a blank"
        message = f"{sign} separates no variables, and is a part of the value before it"
        right = '`"A=1 B=2"`' if quoted else "`A=1;B=2`"
        yield setting.say(no_word, message, Item.of(found, 1), f"write them as in {right}")
    elif quoted and text.count("'") % 2:
        at = text.rindex("'")
        message = f"{setting.macro} has a single quote without its end, and cannot be read"
        yield setting.say(no_word, message, Item("'", at, at + 1))


def _nothing(setting: Setting) -> Iterator[Diagnostic]:
    if setting.upper == "NETWORK_INTERFACE":
        message = "NETWORK_INTERFACE is set to nothing: no daemon starts"
        help_text = "`*`, which is the default, stands for every interface"
        yield no_word.named(setting.entry, message, help_text, ends=EVERY)


def _dedicated(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A value that is not the name of a schedd's side that runs parallel jobs."""
    listed = setting.folded in view.slot_attributes
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
    runs_on = choice.many and any(item.text == "=" for item in listed)
    for item in listed:
        found = _CATEGORY.fullmatch(item.text)
        word = found[1] if found is not None and choice.many else item.text
        if choice.strange([word]):
            message = f"{setting.macro} does not take `{item.text}`: {choice.otherwise}"
            advice = "another setting begins in its value" if runs_on else _instead(word, choice)
            said = setting.say(no_word, message, item, advice, ends=choice.ends)
            said.severity = ERROR if choice.ends else said.severity
            yield said
            if runs_on:
                return  # all that follows is that setting's


def _instead(word: str, choice: Choice) -> Advice:
    squeezed = {known.casefold().replace("_", ""): known for known in choice.words}
    same = squeezed.get(re.sub(r"[_ -]", "", word.casefold()))
    if same is not None:
        return Meant(same, word)
    return meant(word, choice.words, None if choice.many else f"it takes {', '.join(choice.words)}")


def _slots(setting: Setting) -> Iterator[Diagnostic]:
    """The slots that a job of a cron is for."""
    for item in setting.items():
        if not item.text.isdigit():
            message = f"`{item.text}` is no number of a slot, so the job is for all of them"
            yield setting.say(no_word, message, item, "they have numbers only, as in `1, 2`")
            return


def _cpus(setting: Setting) -> Iterator[Diagnostic]:
    """The CPUs of the jobs of a slot: of each item the number that it begins with."""
    for item in setting.items():
        begin = _NUMBER.match(item.text)
        if begin is not None and begin[0] != item.text and "$" not in item.text:
            message = f"`{item.text}` is read as {begin[0] or 0}: jobs get that CPU alone for it"
            yield setting.say(no_word, message, item, "write each number, as in `0, 1, 2, 3`")


@looks_at(Per.SETTING, of=_DISCOVERY)
def no_option(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """How GPUs are looked for: options of the program that does it, and no switch."""
    text, evaluate = setting.text().strip(), setting.config.scope.functions.evaluate
    if not text or has_hole(setting.config, setting.entry):
        return
    is_extra = setting.upper != _DISCOVERY.partition("|")[0]
    if not is_extra and read_boolean(text, evaluate) is False:
        return
    for at, item in enumerate(setting.items()):
        option = item.text.lstrip("-").partition(":")[0].casefold()
        is_option = item.text.startswith("-")
        known = bool(option) and any(one.startswith(option) for one in DISCOVERY)
        if not (known if is_option else at):
            message = f"{setting.macro} does not take `{item.text}`: no GPU is found"
            help_text = "it takes options of condor_gpu_discovery, as in `-properties -extra`"
            yield setting.say(no_word, message, item, help_text)
            return


def _period(setting: Setting) -> Iterator[Diagnostic]:
    text = setting.text().strip()
    mode = setting.beside(f"{setting.macro[: -len('PERIOD')]}MODE").strip().casefold()
    if _NO_TIME.fullmatch(text) and mode in ("", "periodic"):
        message = f"{setting.macro} is 0: the job is not started"
        yield setting.say(no_word, message, setting.whole(), "a periodic job needs a time")
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
    "Two macros are the ends of one range, or one limits a part of what the other limits. Ads that"
    " live for less than it takes until the next ones are gone from the collector in between. A"
    " factor of nice users below that of all makes theirs the best priority.",
    bad="LOWPORT = 20000\nHIGHPORT = 10000\n",
    good="LOWPORT = 10000\nHIGHPORT = 20000\n",
    observed="Observed with 25.14.1: for LOWPORT above HIGHPORT its daemons log `invalid port"
    " range`; condor_status shows no slot between updates where CLASSAD_LIFETIME is shorter;"
    " condor_startd ends where RESERVED_MEMORY is all of MEMORY. The others follow from the"
    " manual.",
    among=lambda view: (one for one in view.settings if one.folded in UPPER_BOUNDS),
)
def above(view: View, setting: Setting) -> Iterator[Diagnostic]:
    for high in UPPER_BOUNDS.get(setting.folded, ()):
        if high.casefold() not in view.defined:
            continue
        least, most = integer_literal(setting.text()), integer_literal(setting.beside(high))
        if _is_built_in(setting, high):
            continue
        if least is not None and most is not None and 0 < most < least:
            message = f"{setting.macro} is {least}, above {high}, which is {most}"
            yield setting.say(above, message, setting.whole())


@looks_at(Per.SETTING, of="(NICE_USER|DEFAULT)_PRIO_FACTOR")
def nice(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Who gives way to all others, with a better factor than they have: a greater one is worse."""
    least, most = setting.beside(_FACTORS[0]), setting.beside(_FACTORS[1])
    is_last = setting.upper == _FACTORS[1] or _FACTORS[1].casefold() not in view.defined
    known = is_last and _FACTOR.fullmatch(least) and _FACTOR.fullmatch(most)
    if known and float(most) < float(least):
        message = f"{_FACTORS[1]} is {most}, and {_FACTORS[0]} is {least}"
        help_text = "a greater factor is worse, so jobs with nice_user go before all others"
        yield setting.say(above, message, setting.whole(), help_text)


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
    observed="Observed with 25.14.1: its master starts a daemon once, its startd a cron job, its"
    " schedd applies a transform once.",
    among=lambda view: [one for one in view.settings if is_list(one.macro)],
)
def twice(view: View, setting: Setting) -> Iterator[Diagnostic]:
    if _OF_WHOM.match(setting.macro):
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
    "Nice values are from 0 to 19, ports from 0 to 65535, types of slots from 0 to MAX_SLOT_TYPES."
    " A schedd with a limit of 0 jobs takes none: 0 is no sign for `no limit`.",
    bad="JOB_RENICE_INCREMENT = 25\n",
    good="JOB_RENICE_INCREMENT = 19\n",
    observed="Observed with 25.14.1: its startd ignores SLOT_TYPE_12, since MAX_SLOT_TYPES is 10;"
    " condor_submit fails with MAX_JOBS_PER_OWNER = 0: `would exceed MAX_JOBS_PER_OWNER`."
    " The rest follows from the system.",
    of=f"{_TYPE}|{any_of(macros for macros, *_ in BOUNDS).pattern}",
)
def out_of_range(view: View, setting: Setting) -> Iterator[Diagnostic]:
    if _OF_A_TYPE.fullmatch(setting.macro):
        yield from _too_high(setting)
    for macros, low, high, what in BOUNDS:
        value = integer_literal(setting.text()) if macros.fullmatch(setting.macro) else None
        if value is not None and not low <= value <= high:
            message = f"{setting.macro} is {value}, and {what} is from {low} to {high}"
            yield setting.say(out_of_range, message, setting.whole())


def has_hole(config: Config, entry: Definition) -> bool:
    """Does a value need a macro that nobody defines, so that another file completes it?"""
    try:
        return any(found is None for _, found in config.scope.used_by(entry))
    except ExpansionError:
        return False


@finding(
    "P215",
    "a name in DAEMON_LIST that is no daemon",
    "The master runs what the macro of each name says. START, for one, is an expression, and"
    " SHARED_PORT no number. A shadow or a starter is a daemon's own, and ends at once where the"
    " master starts it. The master looks for no program in PATH, logs `Cannot execute` and"
    " tries again and again; daemons that share a port end without the one that has it.",
    bad="DAEMON_LIST = MASTER, START\n",
    good="DAEMON_LIST = MASTER, STARTD\n",
    per=Per.ITEM,
    of="DAEMON_LIST",
    observed="Observed with 25.14.1: condor_master with START, SHADOW, STARTER, GRIDMANAGER or"
    " PREEN in DAEMON_LIST, with `SHARED_PORT = 41232` and with `SHARED_PORT = condor_shared_port`;"
    " the collector ends then.",
)
def no_program(setting: Setting, item: Item) -> Iterator[Diagnostic]:
    starter = STARTED_BY.get(item.text.upper())
    if starter is not None:
        message = f"condor_{item.text.lower()} is no daemon: condor_{starter.lower()} starts it"
        help_text = "from DAEMON_LIST the master starts it again and again"
        yield setting.say(no_program, message, item, help_text)
        return
    gone = find_obsolete(item.text)
    if gone is not None and gone.why:
        message = f"condor_{item.text.lower()} is no daemon any more: {gone.why}"
        yield setting.say(no_program, message, item, "HTCondor brings no such program any more")
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
