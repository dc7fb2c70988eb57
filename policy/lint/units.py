"""Checks numbers that seem to be in another unit than the macro's.

Follows: units of the macros in the manual; what is too small or too great is a judgement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from math import inf, prod
from typing import Final

from classad.errors import Diagnostic
from classad.patterns import late_regex
from classad.syntax.nodes import Binary, Literal, Node, Reference, bare
from policy.attributes import DATE, FIRST_DATE, LAST_DATE, SECONDS, find_attribute
from policy.data.tables import meanings, spelling
from policy.explain.roles import may_read
from policy.knobs import shares as shares
from policy.knobs.readers import find_readers
from policy.knobs.reading import SIZE
from policy.language.macros import ExpansionError
from policy.lint.comparisons import UNLIKE_UNITS
from policy.lint.expressions import MacroExpression
from policy.lint.finding import Finding, Per, finding, looks_at
from policy.lint.reading import NOT_USED
from policy.lint.trees import names, number, sides, tree_of
from policy.lint.view import Item, Setting, View
from policy.values.domain import PLAIN, single_number
from policy.values.functions import CLOCK

NOT_SECONDS: Final = Finding(
    "P601",
    "a time that seems not to be in seconds",
    "Times are in seconds: a half-life of 24 is 24 seconds, an interval of 60000 is 16 hours.",
    "PRIORITY_HALFLIFE = 24\n",
    "PRIORITY_HALFLIFE = 24 * $(HOUR)\n",
)
SHORT_AGE: Final = Finding(
    "P602",
    "a minimum run time that seems not to be in seconds",
    "Ages and run times are in seconds; less than half a minute protects nothing, and years are"
    " never reached.",
    "PREEMPTION_REQUIREMENTS = TotalJobRunTime > 4 && RemoteUserPrio > SubmitterUserPrio\n",
    "PREEMPTION_REQUIREMENTS = TotalJobRunTime > 4 * 3600 && RemoteUserPrio > SubmitterUserPrio\n",
)
NOT_MEBIBYTES: Final = Finding(
    "P603",
    "an amount of memory that seems not to be in MiB",
    "Memory, RequestMemory and MemoryUsage are in MiB; Disk, RequestDisk, ImageSize and"
    " ResidentSetSize in KiB.",
    "NEGOTIATOR_SLOT_CONSTRAINT = Memory > 8589934592\n",
    "NEGOTIATOR_SLOT_CONSTRAINT = Memory > 8192\n",
)

DATE_AS_DURATION: Final = Finding(
    "P605",
    "a date that is used as a duration",
    "Attributes such as QDate, JobStart and EnteredCurrentState are instants, in seconds since"
    " 1970. How long ago that was is `time() - QDate`.",
    "SYSTEM_PERIODIC_REMOVE = EnteredCurrentStatus > 7 * 86400\n",
    "SYSTEM_PERIODIC_REMOVE = time() - EnteredCurrentStatus > 7 * 86400\n",
)
GIGABYTES: Final = Finding(
    "P606",
    "an amount that seems to be in GiB",
    "Memory and RequestMemory are in MiB, Disk and RequestDisk in KiB, a log without a unit in"
    " bytes: 16 of them are next to nothing. A lower-case `m` behind the number is minutes.",
    "START = TARGET.RequestMemory <= 16\n",
    "START = TARGET.RequestMemory <= 16 * 1024\n",
)

PERCENTAGE: Final = Finding(
    "P607",
    "a load that is compared with a percentage",
    "LoadAvg, CondorLoadAvg and CpusUsage count processes or cores that are busy: a machine that is"
    " busy with one job has a load of about 1.",
    "START = LoadAvg - CondorLoadAvg < 85\n",
    "START = LoadAvg - CondorLoadAvg < 0.85\n",
)

#: What the startd tells of its own expressions: since when one is what it is.
_LATCHED: Final = "STARTD_LATCH_EXPRS"
_BUSY_SINCE: Final = "cpubusytime"
_LEAST_AGE: Final = 30.0
#: For how long a job runs or waits, in seconds, nobody asks for less than this.
_LEAST_RUN: Final = 200.0
#: For how long a claim is kept, nobody asks for less than this.
_LEAST_CLAIM: Final = 100.0
_RUNS: Final = frozenset(
    (
        *("remotewallclocktime", "totaljobruntime", "jobduration", "committedtime"),
        *("cumulativeslottime", "totalclaimruntime", "remoteusercpu"),
    )
)
#: What may well be decided within seconds.
_QUICK: Final = frozenset(
    (
        *("continue", "suspend", "kill", "want_suspend", "want_vacate", "preempt"),
        *("system_periodic_release", "runbenchmarks", "is_owner", "isowner"),
    )
)
#: Attributes of a slot's load, and what is a percentage beside them.
_LOADS: Final = frozenset(("loadavg", "condorloadavg", "cpususage"))
_PERCENTAGES: Final = frozenset((99, *range(50, 105, 5)))
#: The greatest plausible number, by unit.
_GREATEST: Final = {"MiB": 2.0**22, "KiB": 1e11}
_A_DAY: Final = "a day has `24 * 3600` seconds"
_CLOCK: Final = "clockmin"
_DAY: Final = 24
#: Amounts of memory that are told in KiB.
_IN_MEMORY: Final = frozenset(("imagesize", "residentsetsize", "proportionalsetsizekb"))
#: Amounts below these are in another unit.
_LEAST: Final = {
    **dict.fromkeys(("memory", "requestmemory", "totalmemory", "memoryusage"), 65.0),
    **dict.fromkeys(("disk", "requestdisk", "totaldisk", "diskusage"), 2048.0),
}
#: Instants from which a job's age is counted.
_BEGINNINGS: Final = frozenset(
    (
        *("jobstart", "jobstartdate", "jobcurrentstartdate", "jobcurrentstartexecutingdate"),
        *("qdate", "enteredcurrentstatus", "joblaststartdate"),
    )
)
#: Instants that lie in the future.
_AHEAD: Final = ("expiration", "completion", "deferraltime", "todie", "toretire", "endtime")
#: Macros that are times, and what is less than anybody means.
_TIMES: Final = {
    "maxjobretirementtime": 200.0,
    "claim_worklife": 60.0,
    "machinemaxvacatetime": 5.0,
    "startd_noclaim_shutdown": 60.0,
    "offline_expire_ads_after": 3600.0,
    "absent_expire_ads_after": 3600.0,
    "preen_interval": 3600.0,
    "classad_lifetime": 60.0,
    "job_default_lease_duration": 60.0,
}
#: What gives new life within a time, or asks anew within it: who sets such an interval that is no
#: greater counts in seconds.
_WITHIN: Final = {
    "classad_lifetime": (
        *("update_interval", "collector_update_interval", "master_update_interval"),
        *("negotiator_update_interval", "schedd_interval"),
    ),
    "claim_worklife": ("negotiator_interval", "schedd_interval", "update_interval"),
    "job_default_lease_duration": ("alive_interval", "schedd_interval"),
}
#: Jobs of a few minutes get one or two; who means hours or days writes no such number.
_RETIREMENT: Final = "maxjobretirementtime"
#: A claim for one job alone.
_ONE_JOB: Final = ("claim_worklife", 1.0)
#: Macros that are times, and what is more than anybody means.
_LONGEST: Final = {
    **dict.fromkeys(("update_interval", "schedd_interval", "alive_interval"), 86400.0),
    **dict.fromkeys(("collector_update_interval", "master_update_interval"), 86400.0),
}
_PRODUCT: Final = late_regex(r"[\s\d()]*(?:\*[\s\d()]*)+")
_LOG: Final = late_regex(r"max_(?!num_)\w+_log|event_log_max_size", re.IGNORECASE)
#: No log is rotated at so few bytes.
_LEAST_LOG: Final = 4096
#: Above this a number is written with an exponent.
_PLAIN: Final = 1e15
_MINUTE: Final = 60
_HOUR: Final = 3600
#: A machine's keyboard or a job is not as old.
_OLDEST: Final = 1e8
#: Macros that are amounts of memory, and what is less than anybody means.
_AMOUNTS: Final = {"memory": 256.0, "job_default_requestmemory": 17.0}


@finding(
    "P604",
    "a priority factor below 1",
    "Factors below 1 count as 1. The usual default is 1000; a better factor is a smaller one.",
    "DEFAULT_PRIO_FACTOR = 0.5\n",
    "DEFAULT_PRIO_FACTOR = 500\n",
    of=shares.GROUP_PRIO_FACTOR,
)
def small_factor(view: View, setting: Setting) -> Iterator[Diagnostic]:
    factor = None if setting.reading is None else setting.reading.number_or_none()
    if factor is not None and factor < 1:
        message = f"{setting.macro}: {factor:g} is no priority factor, 1 is used"
        yield small_factor.on(setting.entry, message)


@looks_at(Per.SETTING, holding="*")
def of_days(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """A time that is written as days in minutes."""
    timed = setting.folded in _TIMES or _unit(setting.macro) == SECONDS
    timed = timed or (setting.knob is not None and setting.knob.unit == SECONDS)
    other = _days_of(setting) if timed else ""
    if other:
        message = f"{setting.name} is in seconds, and `{setting.text().strip()}` are {other}"
        yield setting.say(NOT_SECONDS, message, setting.whole(), _A_DAY)


def _days_of(setting: Setting) -> str:
    """What a whole value counts days in, if that is neither seconds nor a plain number."""
    text = setting.text()
    return _unit_of_days(_tree(text)) if _PRODUCT.fullmatch(text) else ""


@lru_cache(maxsize=10_000)
def _unit(macro: str) -> str:
    """The unit that the manual has for a macro; empty for none."""
    return meanings().get(spelling(macro), ("", ""))[1]


def _tree(text: str) -> Node:
    """A product that may lack a parenthesis: then a number."""
    return tree_of(text) or Literal(0)


@looks_at(Per.SETTING)
def time(view: View, setting: Setting) -> Iterator[Diagnostic]:
    reading, knob = setting.reading, setting.knob
    if reading is None or reading.diagnostic is not None or knob is None or knob.unit != SECONDS:
        return
    if knob.plausible is None or _days_of(setting):
        return
    value, (least, most) = reading.number(), knob.plausible
    if value == 0 and knob is shares.PRIORITY_HALFLIFE:
        message = f"{setting.name} is 0, so nobody has a past: only present usage counts"
        yield NOT_SECONDS.on(setting.entry, message, "decay is switched off by a very large number")
    elif value != 0 and not least <= value <= most and may_read(view.config, setting.macro):
        message = f"{setting.name} is {_digits(value)} second{'s' * (value != 1)}"
        yield NOT_SECONDS.on(setting.entry, message, "times are in seconds")


@looks_at(Per.SETTING)
def written(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Times and amounts that are written as a number, where a daemon of this host reads them."""
    yield from (one for one in _written(view, setting) if may_read(view.config, setting.macro))


def _written(view: View, setting: Setting) -> Iterator[Diagnostic]:
    folded = setting.folded
    log = folded.endswith(("_log", "_max_size")) and _LOG.fullmatch(folded) is not None
    times = folded in _TIMES or folded in _LONGEST
    amounts = folded in _AMOUNTS or _unit(setting.macro) == "MiB"
    unit = "seconds" if times else "MiB" if amounts else "bytes" if log else ""
    if not unit or (times and _days_of(setting)):
        return
    product = False
    try:
        value = float(setting.config.expand(setting.entry).text)
    except ExpansionError:
        return
    except ValueError:
        text = setting.text()
        value = prod(_factors(_tree(text))) if _PRODUCT.fullmatch(text) else 0.0
        product = True
    message = f"{setting.macro} is {_digits(value)} {unit.removesuffix('s' * (value == 1))}"
    short = 0 < value < _TIMES.get(folded, 0) and (folded, value) != _ONE_JOB
    short = short and not (folded == _RETIREMENT and not product and value % _MINUTE == 0)
    short = short and not any(_is_at_most(view, name, value) for name in _WITHIN.get(folded, ()))
    if short or value > _LONGEST.get(folded, inf):
        yield NOT_SECONDS.on(setting.entry, message, "times are in seconds")
    elif 0 < value < _AMOUNTS.get(folded, 0):
        yield GIGABYTES.on(setting.entry, message, f"did you mean `{_digits(value)} * 1024`?")
    elif log and 1 < value < _LEAST_LOG:
        # Logs take a unit, and the history a number of bytes only.
        readers = find_readers(setting.macro)
        is_number = readers is not None and readers.kind == "long"
        unit = " * 1024 * 1024" if is_number else " Mb"
        if is_number or (not product and value.is_integer()):  # else it is no size
            yield GIGABYTES.on(setting.entry, message, f"did you mean `{_digits(value)}{unit}`?")
    elif amounts and value >= _GREATEST["MiB"]:
        yield NOT_MEBIBYTES.on(setting.entry, message, "that looks like KiB or bytes")


_FACTORS: Final = "(DEFAULT|NICE_USER|REMOTE)_PRIO_FACTOR"
_LEADING: Final = late_regex(
    r"\s*+([+-]?+(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?\d++)?+)\s*+(\S.*?)\s*", re.DOTALL
)
_MEASURED: Final = late_regex(r"\s*(\d+)\s*([^\s\d]\S*)\s*")
#: What units of sizes and of times begin with.
_UNITS: Final = frozenset("bkmgtshdw")


@looks_at(Per.SETTING, of=_FACTORS)
def behind_number(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """Where only the number at the beginning is read: with 25.14.1 ``10 * 100`` is 10."""
    found = _LEADING.fullmatch(setting.text())
    if found is not None and not setting.is_unread:
        message = f"{setting.macro} is {found[1]}: `{found[2]}` behind it is passed over"
        yield setting.say(NOT_USED, message, Item.of(found, 2), "write the number itself")


@looks_at(Per.SETTING, of=r"MAX_\w+_LOG")
def no_unit(view: View, setting: Setting) -> Iterator[Diagnostic]:
    """What stands behind the size of a log and is no unit: the number is one of bytes then."""
    text = setting.text()
    found, readers = _MEASURED.fullmatch(text), find_readers(setting.macro)
    if found is None or readers is None or readers.kind != "size" or setting.is_unread:
        return
    if not SIZE.fullmatch(text.strip()):  # its daemon ends
        return
    if found[2] == "m" and setting.upper != "MAX_DEFAULT_LOG":  # a daemon ends at that
        message = f"{setting.macro} is {found[1]} minutes"
        yield GIGABYTES.on(setting.entry, message, f"did you mean `{found[1]} Mb`?")
    elif found[2][0].casefold() not in _UNITS:
        message = f"`{found[2]}` is no unit, so the log is rotated at {found[1]} bytes"
        yield setting.say(NOT_USED, message, Item.of(found, 2), "write `Kb`, `Mb` or `Gb`")


def _is_at_most(view: View, interval: str, value: float) -> bool:
    """Do the files set an interval, and to no more than so many seconds?"""
    texts = (one.text() for one in view.settings if one.folded == interval)
    return any(text.strip().isdigit() and int(text) <= value for text in texts)


def _digits(value: float) -> str:
    """A number with all its digits, as long as they are no more than it has."""
    return str(int(value)) if value.is_integer() and abs(value) < _PLAIN else f"{value:g}"


@looks_at(Per.COMPARISON)
def compared(one: MacroExpression, node: Binary) -> Iterator[Diagnostic]:
    """What is wrong with the unit of each side, beside the other one."""
    for side, operator, other in sides(node):
        found = _unlike(one, side, operator, other) or _unlikely(one, side, operator, other)
        if found is not None:
            kind, message, *help_text = found
            yield one.say(kind, message, node, *help_text)


#: A finding, its message, and what to do.
_Said = tuple[Finding, str] | tuple[Finding, str, str | None]


#: Of an instant; there are such since 2001.
_MILLISECONDS: Final = 1000 * FIRST_DATE


def _unlike(one: MacroExpression, side: Node, operator: str, other: Node) -> _Said | None:
    """Instants and spans of time that are taken for each other."""
    unit, value = one.evaluation.alone(side).unit, _number(one, other)
    mine, theirs = one.shown(side), one.shown(other)
    added = _added_to_instant(one, other) if unit == DATE else other
    if unit in (SECONDS, DATE) and (days := _unit_of_days(added)):
        message = f"`{mine}` is in seconds, and `{one.shown(added)}` are {days}"
        return SHORT_AGE, message, _A_DAY
    if unit == DATE and value is not None and _MILLISECONDS <= value < 1000 * LAST_DATE:
        return (
            DATE_AS_DURATION,
            f"`{theirs}` is an instant in milliseconds, and `{mine}` in seconds",
        )
    if unit == DATE:
        spans = one.evaluation.alone(other).unit == SECONDS
        if spans or _is_minutes(other) or (value is not None and 1 < abs(value) < FIRST_DATE):
            message = f"`{mine}` is an instant, and `{theirs}` a duration"
            return DATE_AS_DURATION, message, _age_of(one, side)
    elif unit == SECONDS and _is_instant(value):
        return DATE_AS_DURATION, f"`{mine}` is a duration, and `{theirs}` an instant"
    elif _is_ahead(one, side) and operator in (">", ">=") and (value or 0) > 0:
        message = f"`{mine}` is negative: the instant lies in the past"
        return DATE_AS_DURATION, message, "exchange the two"
    return None


def _unlikely(one: MacroExpression, side: Node, operator: str, other: Node) -> _Said | None:
    """A plain number that is too small or too great."""
    unit, value = one.evaluation.alone(side).unit, _number(one, other)
    if unit == DATE or value is None or one.evaluation.alone(other).unit not in (PLAIN, ""):
        return None
    found = _amount(one, side, operator, unit, value) or _load(one, side, value)
    found = found or _clock(one, side, value)
    if found is None and unit == SECONDS and (operator in (">", ">=") or value >= _OLDEST):
        return _age(one, side, value)
    return found


def _number(one: MacroExpression, node: Node) -> float | None:
    """The number that a side is, whatever it is computed from."""
    return single_number(one.evaluation.alone(node))


def _is_minutes(node: Node) -> bool:
    """Is it written as so many minutes, hours or days, whatever their number?"""
    if not isinstance(node, Binary) or node.operator != "*":
        return False
    values = map(number, (node.left, node.right))
    return any(value and value % 60 == 0 for value in values)


def _unit_of_days(node: Node) -> str:
    """What so many days are written in that are no seconds: ``14 * 24 * 60`` or ``14 * 24``."""
    found = list(_factors(node))
    if 24 not in found or len(found) < 2 or max(found) >= _HOUR:
        return ""
    return "minutes" if found.count(60) == 1 else "" if 60 in found else "hours"


def _added_to_instant(one: MacroExpression, node: Node) -> Node:
    """What is added to an instant, as the 30 * 24 of ``QDate + 30 * 24``; else the whole."""
    node = bare(node)
    if isinstance(node, Binary) and node.operator == "+":
        for instant, added in ((node.left, node.right), (node.right, node.left)):
            if one.evaluation.alone(instant).unit == DATE:
                return added
    return node


def _factors(node: Node) -> Iterator[float]:
    """The numbers of a product of numbers; nothing for anything else."""
    node = bare(node)
    if isinstance(node, Binary) and node.operator == "*":
        left, right = list(_factors(node.left)), list(_factors(node.right))
        yield from (*left, *right) if left and right else ()
        return
    value = number(node)
    if value is not None:
        yield value


def _age_of(one: MacroExpression, side: Node) -> str | None:
    """What is meant by the name of an instant: how long ago it was, one's own how far ahead."""
    if not isinstance(side, Reference):
        return None
    name = one.shown(side)
    if side.name.casefold() == _BUSY_SINCE:
        # As in the template POLICY : UWCS_DESKTOP of 25.14.1.
        busy = f"IfThenElse(CpuBusyValue is 1, time() - {name}, 0)"
        latched = _BUSY_SINCE.removesuffix("time") in one.setting.beside(_LATCHED).casefold()
        return f"`{busy}`" + ("" if latched else f", with `{_LATCHED} = $({_LATCHED}) CpuBusy`")
    known = find_attribute(side.name) is not None and not name.casefold().endswith(_AHEAD)
    return f"did you mean `time() - {name}`?" if known else f"did you mean `{name} - time()`?"


def _is_instant(value: float | None) -> bool:
    return value is not None and FIRST_DATE <= value < LAST_DATE


def _is_ahead(one: MacroExpression, side: Node) -> bool:
    """Is it an instant of the past, less the present?"""
    if not isinstance(side, Binary) or side.operator != "-":
        return False
    left, right = bare(side.left), one.evaluation.alone(side.right)
    if not isinstance(left, Reference) or right != CLOCK or find_attribute(left.name) is None:
        return False
    future = left.name.casefold().endswith(_AHEAD)
    return one.evaluation.alone(left).unit == DATE and not future


def _amount(
    one: MacroExpression, side: Node, operator: str, unit: str, value: float
) -> _Said | None:
    if unit not in _GREATEST:
        return None
    shown, digits = one.shown(side), _digits(value)
    name = side.name.casefold() if isinstance(side, Reference) else ""
    greatest = _GREATEST["MiB"] * 1024 if name in _IN_MEMORY else _GREATEST[unit]
    if value >= greatest:
        return NOT_MEBIBYTES, f"`{shown}` is in {unit}, and no slot has {digits} of them"
    least = _LEAST.get(name, 0.0)
    if name == "requestdisk" and operator in (">", ">="):
        least = 0.0  # at least so much is asked for, and that may be little
    if 2 <= value < least or 0 < value < min(least, 1):
        return GIGABYTES, f"`{shown}` is in {unit}, and {digits} of them are very few"
    return None


def _load(one: MacroExpression, side: Node, value: float) -> _Said | None:
    if not names(side) or not names(side) <= _LOADS or value not in _PERCENTAGES:
        return None
    return PERCENTAGE, f"`{one.shown(side)}` is a load, and {_digits(value)} would be a percentage"


def _clock(one: MacroExpression, side: Node, value: float) -> _Said | None:
    """An hour of the day where minutes are counted."""
    if not (isinstance(side, Reference) and side.name.casefold() == _CLOCK and 1 < value <= _DAY):
        return None
    shown, minutes = one.shown(side), _digits(value)
    message = f"`{shown}` counts the minutes since midnight, and {minutes} of them are few"
    return UNLIKE_UNITS, message, f"{minutes} o'clock is `{minutes} * 60`"


def _age(one: MacroExpression, side: Node, value: float) -> _Said | None:
    name, amount = one.name.casefold(), f"{_digits(value)} of them are"
    message = f"`{one.shown(side)}` is in seconds, and {amount}"
    if _OLDEST <= value < FIRST_DATE:
        return SHORT_AGE, f"{message} many years"
    least = _LEAST_CLAIM if name == "preemption_requirements" else _LEAST_AGE
    if _is_run(side) and name != "system_periodic_release":
        least = _LEAST_RUN
    elif name in _QUICK:
        return None
    return (SHORT_AGE, f"{message} very few") if 1 < value < least else None


def _is_run(side: Node) -> bool:
    """Is it how long a job has run or waited?"""
    if isinstance(side, Reference):
        return side.name.casefold() in _RUNS
    return isinstance(side, Binary) and bool(names(side.right) & _BEGINNINGS)
