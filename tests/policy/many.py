"""Writes what check says of many names, expressions and values: ``python -m tests.policy.many``.

The cases are made here, by rules, so that every rule of a check is asked on both sides of each of
its conditions; what is said of them is kept in ``corpus/many.txt``, a line for each case of which
anything is said.  Those of which nothing is said are counted, and named in one line.
Cases of one subject stand in one configuration where they do not touch each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Final

from policy.config import load_config
from policy.data.tables import meanings
from policy.io import builtin_library
from policy.knobs import FAMILIES, KNOBS
from policy.knobs.choices import CRON_PARTS
from policy.knobs.lists import LISTS
from policy.knobs.other_daemons import OTHER_KNOBS
from policy.language.sources import MemorySources
from policy.language.table import Context
from policy.lint.findings import lint

MANY: Final = Path(__file__).parent / "corpus" / "many.txt"
#: So many cases stand in one configuration.
_TOGETHER: Final = 60
#: One line of cases: a name or expression, and what is said of it.
_Said = tuple[str, str]


def findings(config: str) -> Iterator[tuple[int, str]]:
    """Line and words of each finding."""
    read = load_config(
        "pool.conf",
        MemorySources({"pool.conf": config}),
        builtin_library(),
        context=Context("NEGOTIATOR"),
        keep_going=True,
        leave_out=True,
    )
    for found in lint(read):
        text = found.message if found.help is None else f"{found.message} -- {found.help}"
        yield found.line or 0, f"{found.id} {found.column}+{found.end - found.start} {text}"


def together(head: str, cases: Sequence[str], line: str) -> Iterator[_Said]:
    """What is said of cases that stand in one configuration, each in a line of its own."""
    for first in range(0, len(cases), _TOGETHER):
        some = cases[first : first + _TOGETHER]
        numbers = range(1, len(some) + 1)
        lines = [line.format(case=case, n=n) for n, case in zip(numbers, some, strict=True)]
        before = head.format(names=", ".join(f"N{n}" for n in numbers))
        said: dict[int, list[str]] = {}
        for at, text in findings(before + "".join(f"{it}\n" for it in lines)):
            said.setdefault(at - before.count("\n") - 1, []).append(text)
        for at in sorted(said.keys() - set(range(len(some)))) if not first else ():
            yield before.splitlines()[at], " | ".join(said[at])
        for at, case in enumerate(some):
            yield case, " | ".join(said.get(at, ()))


def alone(cases: Iterable[str], line: str) -> Iterator[_Said]:
    """What is said of cases that each have a configuration of their own."""
    for case in cases:
        said = [text for _, text in findings(line.format(case=case))]
        yield case, " | ".join(said)


# --- names ----------------------------------------------------------------------------------------


def known_names() -> list[str]:
    """Names of macros, some of each kind and length."""
    some = sorted({*KNOBS, *OTHER_KNOBS, *(name.casefold() for name in meanings())})
    families = [family.of("Physics") for family in FAMILIES]
    members = [pattern.replace("<name>", "MEM") for one in LISTS for pattern in one.defined_by]
    return [*(name.upper() for name in some[::23]), *sorted({*families, *members} - {"MEM"})]


def slips_of(name: str, turn: int) -> Iterator[str]:
    """Wrong spellings of a name, other ones in each turn."""
    words = name.split("_")
    at = turn * 7 % len(name)
    ways = [
        name[:at] + name[at + 1 :],
        name[:at] + name[at] + name[at:],
        name[:at] + name[at : at + 2][::-1] + name[at + 2 :],
        name[:at] + "X" + name[at + 1 :],
        name[:at] + "7" + name[at:],
        name[:at] + "_" + name[at:],
        name.replace("_", "", 1),
        name.replace("_", ""),
        name[1:],
        name[:-1],
        name[:-2],
        name + "S",
        name + "ED",
        name + "_2",
        "_".join((*words[1:], words[0])),
        "_".join((*words[:-2], *reversed(words[-2:]))),
        "_".join(words[:-1]),
        "_".join(words[1:]),
        "_".join((*words[: turn % len(words)], *words[turn % len(words) + 1 :])),
        "_".join((*words, words[0])),
        "_".join(word[:3] for word in words),
        "_".join((words[0][:2], *words[1:])),
        "_".join((*words[:-1], words[-1][:2])),
        "_".join((*words[:-1], words[-1][:1])),
        "_".join((*words[:-1], words[-1] + "ING")),
        "_".join((*words[:-1], words[-1].removesuffix("S") + "ABLE")),
        "_".join((words[0] + "ION", *words[1:])),
        "_".join((words[0][:1] + words[0][2:], *words[1:])),
        "".join(word.capitalize() for word in words),
        name.lower()[:at] + name.lower()[at + 1 :],
    ]
    for step in range(5):
        yield ways[(turn * 5 + step) % len(ways)]


#: Names beside the bounds of what is taken for a slip.
_SHORT_NAMES: Final = (
    *("STRT", "STAR", "STARTT", "TSART", "STA", "STARX", "KIL", "KILLL", "RNK", "RANKS", "SPOL"),
    *("SPOOLL", "MEMRY", "MEMORYS", "DIKS", "DISKK", "NUM_CPU", "NUMCPUS", "NUM_CPUSS", "EXECUT"),
    *(
        "PREEMP",
        "PREEMPTS",
        "SUSPEN",
        "CONTINU",
        "KILL2",
        "RANK1",
        "START2",
        "SPO0L",
        "RAN",
        "ISOWNR",
    ),
    *("NUM_SLOT", "NUM_SLTS", "EXECUTES", "DISC", "MEM0RY", "HIBERNAT", "HIBERNATED", "IS_OWNR"),
)


def name_cases() -> Iterator[tuple[str, list[str], str]]:
    """Heads, cases and lines about names."""
    slips = [slip for turn, name in enumerate(known_names()) for slip in slips_of(name, turn)]
    wanted = [slip for slip in slips if re.fullmatch(r"[A-Za-z_]\w*", slip)]
    yield "", list(dict.fromkeys((*wanted, *_SHORT_NAMES))), "{case} = 1"
    groups = ("physics", "group_physics.higgs", "chem2")
    heads = sorted({family.name.partition("<")[0] for family in FAMILIES} - {""})
    forms = ("{0}{1}", "{2}{1}", "{2}{1}s", "{2}_{1}", "{3}_{1}", "{2}{1}_X", "{4}{1}", "{4}_{1}")
    made = [
        form.format(head, group, head.rstrip("_"), head[1:].rstrip("_"), head[:-2])
        for head, form, group in product(heads, forms, groups)
    ]
    defined = "".join(f"GROUP_QUOTA_{group} = 5\n" for group in groups)
    told = [name for name in dict.fromkeys(made) if f"{name} = 5\n" not in defined]
    yield f"GROUP_NAMES = {', '.join(groups)}\n{defined}", told, "{case} = 1"
    parts = sorted({*CRON_PARTS, "INTERVAL", "COMMAND", "PROGRAM", "ARGUMENTS", "EXEC", "PERIODS"})
    parts += ["MODES", "EXECUTABLES", "LOAD", "JOB", "KILLS", "WHATEVER", "PREFIXX", "ENVIRONMENT"]
    jobs = ("GPU", "GPU_MEM", "OTHER")
    cron = [f"STARTD_CRON_{job}_{part}" for job, part in product(jobs, parts)]
    cron += [f"STARTD_CRON{job}_{part}" for job, part in product(jobs, parts[:4])]
    cron += [f"SCHEDD_CRON_{job}_{part}" for job, part in product(jobs, parts[5:9])]
    yield "STARTD_CRON_JOBLIST = GPU, GPU_MEM\n", cron, "{case} = 1"
    of_lists = sorted({pattern for one in LISTS for pattern in (*one.defined_by, *one.beside)})
    shapes = ("{0}", "{0}S", "X{0}", "{1}", "{2}", "{3}")
    made = []
    for pattern, shape, item in product(of_lists, shapes, ("MEM", "MEMORY_USE", "NOWHERE")):
        head, _, tail = pattern.partition("<name>")
        closed = f"{head.rstrip('_')}{item}{tail}"
        whole = f"{head}{item}{tail}"
        made.append(
            shape.format(whole, closed, f"{head}{item}{tail[1:]}", f"{head[1:]}{item}{tail}")
        )
    names = [f"{one.name} = MEM, MEMORY_USE\n" for one in LISTS if not one.lists_attributes]
    yield "".join(names), [it for it in dict.fromkeys(made) if it[:1].isalpha()], "{case} = 1"
    ends = (
        "ARGS",
        "ENVIRONMENT",
        "LOG",
        "DEBUG",
        "ADDRESS_FILE",
        "ENV",
        "ARGUMENTS",
        "LOGS",
        "NAME",
    )
    daemons = ("HELPER", "MY_TOOL", "WATCHER", "SCHEDD", "SCHEDULER", "SCHED", "GANGLIA", "NOBODY")
    each = [f"{daemon}_{end}" for daemon, end in product(daemons, ends)]
    each += [
        f"SCHEDULER_{rest}" for rest in ("INTERVAL", "NAME", "HOST", "INTERVALS", "CRON_JOBLIST")
    ]
    each += [f"DEFRAGMENTER_{rest}" for rest in ("RANK", "INTERVAL", "NONSENSE", "REQUIREMENTS")]
    yield (
        "DAEMON_LIST = MASTER, HELPER, MY_TOOL\nHELPER = /h\nMY_TOOL = /t\nWATCHER = /w\n",
        each,
        ("{case} = 1"),
    )


def about_names() -> Iterator[_Said]:
    """All of them."""
    for head, cases, line in name_cases():
        yield from together(head, cases, line)


# --- preemption -----------------------------------------------------------------------------------

_ORDERS: Final = ("<", "<=", ">", ">=", "==", "!=")
_REMOTE: Final = "RemoteUserPrio"
_SUBMITTER: Final = "SubmitterUserPrio"


def priority_cases() -> Iterator[str]:
    """PREEMPTION_REQUIREMENTS that compare priorities."""
    sides = ("{0}", "{0} * 1.2", "1.2 * {0}", "{0} * 0.8", "{0} / 1.2", "{0} / 0.5", "{0} + 50")
    sides += ("{0} - 50", "{0} * Cpus", "{0} * {0}", "-{0}", "{0} % 7")
    for order, side in product(_ORDERS, sides):
        yield f"{side.format(_REMOTE)} {order} {_SUBMITTER}"
        if order in ("<", ">="):
            yield f"{_SUBMITTER} {order} {side.format(_REMOTE)}"
            yield f"{_REMOTE} {order} {side.format(_SUBMITTER)}"
            yield f"{side.format(_REMOTE)} {order} (1.5 * {_SUBMITTER})"
    for order, other in product(_ORDERS, ("SubmittorPrio", "submitteruserprio", "Prio", "100")):
        yield f"remoteuserprio {order} {other}"
    joined = (f"{_REMOTE} - {_SUBMITTER}", f"{_SUBMITTER} - {_REMOTE}", f"{_REMOTE} / {_SUBMITTER}")
    joined += (f"{_SUBMITTER} / {_REMOTE}", f"({_REMOTE} + {_SUBMITTER})", f"{_REMOTE} - Cpus")
    limits = ("0", "1", "-1", "0.8", "Cpus")
    for whole, order, limit in product(joined, _ORDERS, limits):
        yield f"{whole} {order} {limit}"
    for whole, order, limit in product(joined[:4], ("<", ">="), ("0", "1", "50")):
        yield f"{limit} {order} {whole}"
    plain, margin = f"{_REMOTE} > {_SUBMITTER}", f"{_REMOTE} > {_SUBMITTER} * 1.2"
    wrong, less = f"{_REMOTE} < {_SUBMITTER}", f"{_REMOTE} - {_SUBMITTER} < 500"
    less_also = f"500 > {_REMOTE} - {_SUBMITTER}"
    beside = ("{0} && Cpus > 1", "Cpus > 1 || {0}", "!({0})", "Cpus > 1 ? {0} : false")
    beside += ("(Cpus > 1 && {0}) || Cpus > 4", "(Cpus > 1 || {0}) && Cpus < 4", "({0})")
    beside += ("{0} && TotalJobRunTime > 3600", "{0} && time() > 5", "TIME() - JobStart > 3 && {0}")
    beside += ("{0} && (CurrentTime - EnteredCurrentState) > 3600", "{0} && QDate > 1700000000")
    beside += ("{0} && JobBirthday > 100", "{0} && ImageSize > 100", "{0} && Stage =?= 3")
    beside += (
        f"{{0}} && {margin}",
        f"{{0}} && {less}",
        f"{less_also} && {{0}}",
        f"{{0}} || {wrong}",
    )
    for form, one in product(beside, (plain, margin, wrong, less, less_also)):
        yield form.format(one)
    ages = ("(CurrentTime - EnteredCurrentState)", "EnteredCurrentState", "(time() - JobStart)")
    ages += ("(EnteredCurrentState - CurrentTime)", "(CurrentTime - JobStart)", "(3600 - 60)")
    ages += ("(CurrentTime + EnteredCurrentState)", "(CurrentTime - 600)", "CurrentTime")
    for age, order, limit in product(ages, _ORDERS[:5], ("3600", "0", "Cpus")):
        yield f"{age} {order} {limit} && {margin}"
        if order in ("<", ">="):
            yield f"{limit} {order} {age} && {margin}"
    uses = ("RemoteGroupResourcesInUse", "SubmitterGroupResourcesInUse")
    quotas = ("RemoteGroupQuota", "SubmitterGroupQuota", "5")
    for use, order, quota in product(uses, _ORDERS, quotas):
        yield f"{use} {order} {quota} && {margin}"
        yield f"{quota} {order} {use}"
    yield from ("True", "true", "(True)", "False", "1", "0", "1.5", '"True"', "undefined", "error")
    yield from (
        "60 > 3600",
        "3 > 2",
        "3 - 2",
        "Cpus + 1",
        "Cpus * 2 - 1",
        "Cpus % 2",
        "-Cpus",
        "!Cpus",
    )
    yield from (
        "Cpus",
        "Cpus / 2",
        "time() > 5",
        "time()",
        "random()",
        "(Cpus + 1)",
        "Cpus - 1 > 0",
    )
    yield from ("True && False", "1 + 1", "{1, 2}", "[a = 1]", "MY.Cpus + 1", "TARGET.Cpus == 1")
    yield from (
        "$(NOWHERE)",
        "RemoteUserPrio >",
        "",
        "Cpus > 4 ? 1 : 0",
        "ifThenElse(Cpus > 1, 1, 0)",
    )


def about_preemption() -> Iterator[_Said]:
    """What is said of them, of times that jobs have left, and of what is declared stable."""
    yield from alone(dict.fromkeys(priority_cases()), "PREEMPTION_REQUIREMENTS = {case}\n")
    plain = f"PREEMPTION_REQUIREMENTS = {_REMOTE} > {_SUBMITTER}\n"
    for value in (
        "0",
        "1",
        "-1",
        "0.5",
        "3600",
        "Cpus",
        "",
        "(0)",
        "-(5)",
        "$(HOUR)",
        "0.0",
        "x >",
    ):
        yield from alone([f"MAXJOBRETIREMENTTIME = {value}"], f"{plain}{{case}}\n")
        yield from alone([f"SLOT_TYPE_1_MaxJobRetirementTime = {value}"], f"{plain}{{case}}\n")
    for value in ("True", "False", "true", "0", "1", "2", "x", "", "Cpus > 1"):
        yield from alone([f"NEGOTIATOR_CONSIDER_PREEMPTION = {value}"], f"{{case}}\n{plain}")
    stable = ("PREEMPTION_REQUIREMENTS", "PREEMPTION_RANK", "NEGOTIATOR_PRE_JOB_RANK")
    used = ("RemoteGroupResourcesInUse", "SubmitterUserResourcesInUse", "TARGET.Cpus", "Cpus")
    for macro, name, value in product(stable, used, ("True", "1", "0", "2", "")):
        lines = (f"{macro}_STABLE = {value}", f"{macro} = {name} > 5 && {name} < 9")
        yield from alone([" / ".join(lines)], "\n".join((*lines, "")))
    for line in ("PREEMPTION_REQUIREMENTS = Cpus <", "X.PREEMPTION_REQUIREMENTS = True"):
        yield from alone([line], "PREEMPTION_REQUIREMENTS_STABLE = True\n{case}\n")


# --- units ----------------------------------------------------------------------------------------


def _edges(*bounds: float) -> list[str]:
    """Numbers just below, at and above bounds."""
    found = dict.fromkeys(("0", "1", "2", "-1", "0.5"))
    for bound in bounds:
        step = 1 if bound < 1e6 else 2 ** (int(bound).bit_length() - 24)
        found |= dict.fromkeys(f"{bound + by:.0f}" for by in (-step, 0, step))
    return list(found)


_TIMES: Final = (
    *("PRIORITY_HALFLIFE", "NEGOTIATOR_INTERVAL", "NEGOTIATOR_CYCLE_DELAY", "CLAIM_WORKLIFE"),
    *("NEGOTIATOR_MIN_INTERVAL", "MAXJOBRETIREMENTTIME", "MACHINEMAXVACATETIME", "PREEN_INTERVAL"),
    *("STARTD_NOCLAIM_SHUTDOWN", "OFFLINE_EXPIRE_ADS_AFTER", "CLASSAD_LIFETIME", "UPDATE_INTERVAL"),
    *("JOB_DEFAULT_LEASE_DURATION", "SCHEDD_INTERVAL", "ALIVE_INTERVAL", "MASTER_UPDATE_INTERVAL"),
    *(
        "COLLECTOR_UPDATE_INTERVAL",
        "NEGOTIATOR_TIMEOUT",
        "SHUTDOWN_GRACEFUL_TIMEOUT",
        "JOB_START_DELAY",
    ),
    *("NEGOTIATOR_MAX_TIME_PER_CYCLE", "NEGOTIATOR_MAX_TIME_PER_SUBMITTER", "DEFRAG_INTERVAL"),
)
_AMOUNTS: Final = (
    *("MEMORY", "JOB_DEFAULT_REQUESTMEMORY", "JOB_DEFAULT_REQUESTDISK", "RESERVED_MEMORY"),
    *("RESERVED_DISK", "VM_MEMORY", "RESERVED_SWAP", "SLOT_TYPE_1_RESERVED_MEMORY"),
    *("MAX_SCHEDD_LOG", "MAX_STARTD_LOG", "MAX_NUM_SCHEDD_LOG", "MAX_HISTORY_LOG", "max_tool_log"),
    *("MAX_COLLECTOR_LOG", "MAX_EVENT_LOG", "EVENT_LOG_MAX_SIZE", "MAX_JOB_QUEUE_LOG_ROTATIONS"),
)


def about_units() -> Iterator[_Said]:
    """Times and amounts of macros, and of attributes in expressions."""
    times = ("0", "0.5", "1", "2", "4", "5", "59", "60", "199", "200", "299", "300", "3599", "3600")
    times += ("7200", "7201", "86400", "86401", "1000000", "1e15", "-1", "60.5")
    texts = ("14 * 24 * 60", "24*60", "60 * 24", "60 * 60", "24 * 60 * 60", "(7 * 24) * 60")
    texts += ("7 * 24 * 60 * 1", "$(HOUR) * 24", "24 * $(MINUTE)", "24 * 60 + 1", "24 * 3600 * 60")
    texts += ("24 * 60 * 3599", "2 * 30", "3 * 3", "2 * 0", "2 * 100", "(24 * 60", "24 * 60)")
    texts += ("12 * 60", "", "x", "1e3", "$(NOWHERE)", "$(LOOP)")
    for value in (*times, *texts):
        some = _TIMES[:: 1 if value in times else 4]
        lines = [f"{macro} = {value}" for macro in some]
        yield from together("LOOP = $(LOOP2)\nLOOP2 = $(LOOP)\n", lines, "{case}")
    amounts = ("0", "0.5", "1", "2", "4", "16", "17", "255", "256", "4095", "4096", "4194303")
    for value in (
        *amounts,
        "4194304",
        "1e11",
        "10 Mb",
        "100 Kb",
        "4 * 1024",
        "8 * 2",
        "0.5 * 4",
        "3 * 1000",
    ):
        yield from together("", [f"{macro} = {value}" for macro in _AMOUNTS], "{case}")
    factors = ("0", "0.5", "0.999", "1", "1.5", "-1", "1000", "x", "")
    names = (
        "DEFAULT_PRIO_FACTOR",
        "GROUP_PRIO_FACTOR_a",
        "REMOTE_PRIO_FACTOR",
        "NICE_USER_PRIO_FACTOR",
    )
    for value, name in product(factors, names):
        yield from alone([f"{name} = {value}"], "GROUP_NAMES = a\nGROUP_QUOTA_a = 1\n{case}\n")
    for head, cases in _unit_expressions():
        yield from together(head, cases, "SLOT{n}_START = {case}")
    policies = ("START", "SUSPEND", "CONTINUE", "KILL", "PREEMPT", "WANT_SUSPEND", "WANT_VACATE")
    policies += ("RUNBENCHMARKS", "IS_OWNER", "SYSTEM_PERIODIC_RELEASE", "SYSTEM_PERIODIC_HOLD")
    ages = ("time() - TARGET.JobCurrentStartDate", "time() - TARGET.EnteredCurrentStatus")
    ages += ("KeyboardIdle", "RemoteWallClockTime")
    for age, limit in product(ages, ("> 20", "< 20", "> 30", "> 150", "> 250")):
        yield from together("", [f"{macro} = {age} {limit}" for macro in policies], "{case}")
    for age, value in product(("TotalJobRunTime", "$(StateTimer)"), _edges(30, 100, 200)[3:]):
        margin = f"{_REMOTE} > 1.2 * {_SUBMITTER}"
        yield from alone([f"{age} > {value} && {margin}"], "PREEMPTION_REQUIREMENTS = {case}\n")


def _unit_expressions() -> Iterator[tuple[str, list[str]]]:
    """Comparisons of amounts, ages, dates and loads, of conditions of types of slots."""
    orders = (">", "<", ">=", "<=", "==")
    amounts = ("Memory", "TARGET.RequestMemory", "Disk", "TARGET.RequestDisk", "TARGET.DiskUsage")
    amounts += ("TotalMemory", "TARGET.ImageSize")
    made = [
        f"{name} {order} {value}"
        for name in amounts
        for order in orders[:2]
        for value in (0, 0.5, 1, 2, 64, 65, 2047, 2048, 2**22 - 1, 2**22, 10**11 - 1, 10**11)
    ]
    made += [f"{value} {order} TARGET.RequestDisk" for value in (5, 3000) for order in orders]
    made += [f"TARGET.RequestDisk {order} 5" for order in orders]
    made += [f"Memory / 1024 {order} {value}" for value in (5, 3000) for order in orders]
    yield "", made
    loads = ("LoadAvg", "CondorLoadAvg", "TARGET.CpusUsage", "(LoadAvg - CondorLoadAvg)")
    loads += ("LoadAvg + Cpus", "(5)")
    shares = (45, 49, 50, 51, 55, 95, 98, 99, 100, 101, 105, 0.5)
    yield "", [f"{load} < {share}" for load, share in product(loads, shares)]
    dates = ("TARGET.QDate", "TARGET.JobStartDate", "EnteredCurrentState", "MyCurrentTime")
    dates += ("TARGET.X509UserProxyExpiration", "TARGET.DeferralTime", "time()", "CurrentTime")
    dates += ("Nobody",)
    beside = ("1", "2", "0", "-5", "3600", "7 * 86400", "TARGET.JobDuration", "900000000", "5 * 61")
    beside += ("1000000000", "4200000000", "4300000000", "60 * Cpus", "Cpus * 59", "KeyboardIdle")
    made = [f"{date} {order} {other}" for date in dates for other in beside for order in orders[:1]]
    made += [f"{other} <= {date}" for date in dates[:2] for other in beside]
    yield "", made
    ages = (
        "time() - {0}",
        "{0} - time()",
        "CurrentTime - {0}",
        "{0} - CurrentTime",
        "({0} + time())",
    )
    limits = ("0", "-1", "2", "199", "200", "14 * 24 * 60", "1e8", "2e9")
    some = dates[:2] + dates[4:6]
    yield (
        "",
        [
            f"{age.format(date)} {order} {limit}"
            for age, date, limit in product(ages, some, limits)
            for order in (orders[:2] if age in ages[:2] else orders[:1])
        ],
    )
    runs = ("TARGET.RemoteWallClockTime", "TotalJobRunTime", "TARGET.JobDuration", "KeyboardIdle")
    runs += ("TARGET.RemoteUserCpu", "TARGET.JobPrio", "(KeyboardIdle + ConsoleIdle)")
    values = ("0", "1", "2", "29", "30", "199", "200", "99999999", "100000000", "999999999")
    values += ("1000000000", "4102444799", "4102444800")
    made = [f"{run} > {value}" for run, value in product(runs, values)]
    made += [f"{run} <= {value}" for run, value in product(runs[2:4], values[5:])]
    made += [f"{value} <= {run}" for run, value in product(runs[2:4], values[:9])]
    yield "", made


# --- slips, texts and ranks -----------------------------------------------------------------------


def slip_cases() -> Iterator[str]:
    """Conditions that look otherwise than they are read."""
    operators = ("==", "+", "&&", "||", "=?=", "*", "|")
    rooms = (("", " "), (" ", ""), ("  ", " "))
    for outer, inner, (here, there) in product(operators[:5], operators, rooms):
        yield f"Cpus{here}{outer}{here}Memory{there}{inner}{there}Disk"
        if outer in ("&&", "=="):
            yield f"Cpus{there}{inner}{there}Memory{here}{outer}{here}Disk"
    for inside in ("(Cpus>1 || Memory>2)&&Disk>3", "Cpus>1 && (Memory>2)||Disk>3", "A  &&  B||C"):
        yield from (inside, inside.replace("&&", " && "), inside.replace("||", " || "))
    same = ("State == 1 || State == 5 && Cpus > 1", "State == 1 || Cpus == 5 && Cpus > 1")
    same += (
        "State == 1 || State != 5 && Cpus > 1",
        "State == 1 || State == 5",
        "Cpus || State == 5 && A",
    )
    same += (
        "(State) == 1 || state == 5 && A > 1 && B > 2",
        "MY.State == 1 || State == 5 && Cpus > 1",
    )
    same += ("State == 1 || (State == 5 && Cpus > 1)", "1 == State || 5 == State && Cpus > 1")
    same += ("State < 1 || State == 5 && Cpus > 1", "State == 1 && State == 5 || Cpus > 1")
    yield from same
    for negated, other in product(
        (
            "!State",
            "!Cpus",
            "!(State)",
            "!HasDocker",
            "-Cpus",
            "!!Cpus",
            "!Cpus + 1",
            "!isUndefined(Cpus)",
        ),
        (
            '== "Claimed"',
            "== True",
            "== (Cpus > 1)",
            "=?= undefined",
            "< 3",
            "+ 3",
            "&& True",
            "!= HasDocker",
        ),
    ):
        yield f"{negated} {other}"
    for part in (
        "100 * State =?= undefined",
        "Cpus + State == 5",
        "2 * (State * 3) > 1",
        "State - 3 > 1",
    ):
        yield from (part, part.replace("State", "Memory"), part.replace("State", "(State)"))
    for part in (f"({_SUBMITTER} > 0) * 1.2", f"1.2 * ({_SUBMITTER} > 0)", "(Cpus > 1) * 1.2"):
        yield from (
            f"{_REMOTE} > {part}",
            f"{part} < {_REMOTE}",
            f"Cpus > {part}",
            f"{_REMOTE} > 3 + {part}",
        )
    calls = ("stringListMember", "member", "substr", "regexp", "ifThenElse", "identicalMember")
    calls += ("stringListIMember", "strcmp", "stringListRegexpMember", "noSuchMember")
    firsts = ('"a,b"', "TARGET.Owner", '"a"', "{1, 2}", "5", '"a;b"', "Cpus", "(TARGET.Owner)")
    for call, first, second in product(calls, firsts, (*firsts[:6], '"|a|b"')):
        if call in calls[:2] or (len(first) + len(second)) % 4 == 0:
            yield f"{call}({first}, {second})"
    for call, first in product(calls[:5], (*firsts[:5], "2.5", "True", "Cpus > 1")):
        yield f"{call}({first}, TARGET.Owner, 3)"
        yield f"{call}({first}, 3, TARGET.Owner)"
        yield f"{call}({first})"
    yield from ('member(TARGET.Owner, "a,b", ";")', 'stringListMember(TARGET.Owner, "a;b", ";")')
    yield from ('ifThenElse("x", 1, 2)', "ifThenElse(1, Cpus > 1, 2)", "ifThenElse(1, 2, Cpus > 1)")
    yield from (
        "ifThenElse(1, 2, 3)",
        "ifThenElse(Cpus, 2, 3)",
        "ifThenElse(1, 2)",
        "ifThenElse(1.5, A, B < 1)",
    )


def division_cases() -> Iterator[str]:
    """Divisions, which lose what is behind the point where both sides are integers."""
    tops = ("1", "3", "4", "Cpus", "Memory", "TARGET.RequestCpus", "LoadAvg", "1.5", "(2 * 3)")
    tops += ("(TotalCpus - Cpus)", "(Memory - TotalMemory)", "true", "(-3)")
    bottoms = ("2", "4", "0", "2.0", "TotalCpus", "DetectedMemory", "1024", "Memory", "(-2)")
    for top, bottom in product(tops, bottoms):
        yield f"{top} / {bottom} > Disk"
        if top in tops[1:6]:
            yield f"{top}/{bottom}*100 > Disk"
    for form in (
        "100 * ({0})",
        "({0}) * 99",
        "0.9 < ({0})",
        "({0}) > 2",
        "({0}) >= 1.0",
        "({0}) == 0.5",
    ):
        for top, bottom in (
            ("Cpus", "64"),
            ("TARGET.RequestCpus", "64"),
            ("Memory", "1024"),
            ("Cpus", "6.5"),
            ("GPUs", "4"),
            ("Cpus", "Memory"),
            ("LoadAvg", "3"),
            ("Cpus", "LoadAvg"),
        ):
            yield f"{form.format(f'{top} / {bottom}')} && Disk > 1"


def text_cases() -> Iterator[str]:
    """Texts where attributes, values or patterns are meant."""
    texts = (
        "Memory",
        "Arch",
        "RemoteUserPrio",
        "TARGET.Owner",
        "my.Memory",
        "target.Nobody",
        "X.Owner",
    )
    texts += ("undefined", "Error", "abc", "a*", "*.a", "^a", "*", "^^", "a.*", "Site", "a.b")
    others = ("TARGET.Owner", "5", "Cpus", "toUpper(Arch)", '"x"', "Nobody")
    for text, other in product(texts, others):
        yield f'"{text}" == {other}'
    for text, order in product(texts, ("<", "=?=", "!=", "+", "&&")):
        yield f'TARGET.Owner {order} "{text}"'
        if text in texts[:4]:
            yield f'"{text}" {order} Cpus'
    for clock, by in product(
        ("currentTime()", "CurrentTime", "time()", "CURRENTTIME()"), ("+ 5", "- Cpus")
    ):
        yield from (f"{clock} {by} > 3", f"{clock} * 5 > 3")
    yield from ('"a" + 5 > 3', "5 + currentTime() > 3", '"a" + "b" == Arch', 'Arch + "b" == Arch')
    for call, pattern in product(
        ("regexp", "regexps", "replace", "strcat", "stringListRegexpMember"),
        ('"("', '"a"', "Arch", '"[a"', '"*"', '(")")'),
    ):
        yield from (f'{call}({pattern}, Arch, "b")', f"{call}({pattern})")
    yield from (
        '"true"',
        '("x")',
        'strcat("a", "b")',
        "Arch",
        "toUpper(Arch)",
        "Cpus > 1",
        '""',
        "strcat()",
    )
    yield from (
        'ifThenElse(Cpus > 1, "a", "b")',
        'ifThenElse(Cpus > 1, "a", 1)',
        "Nobody",
        "undefined",
    )


def rank_cases() -> Iterator[str]:
    """Ranks with terms of all weights."""
    weights = ("33554431", "33554432", "67108864", "1e10", "-1e12")
    factors = (
        "HasDocker",
        "Cpus",
        "(Cpus > 4)",
        "RemoteUserPrio",
        "Arch",
        "(Cpus + 1)",
        "(Memory * 2)",
    )
    terms = (
        "Cpus",
        "Memory",
        "2 * Cpus",
        "Cpus * 0.5",
        "KeyboardIdle",
        "LoadAvg",
        "HasDocker",
        "0 * Cpus",
    )
    terms += (
        "SlotID",
        "Disk",
        "TARGET.JobPrio",
        "Arch",
        "5",
        "(Cpus > 1)",
        "Cpus * Memory",
        "-Cpus",
    )
    for weight, factor, term in product(weights, factors[:3], terms):
        if weight in weights[:2] or term in terms[:4]:
            yield f"{weight} * {factor} + {term}"
    for weight, factor, term in product(weights[3:4], factors, terms[:4]):
        yield from (f"{term} - {factor} * {weight}", f"-({weight} * {factor}) - (+{term})")
    yield from (
        "1e10 + Cpus",
        "1e10 * 3 + Cpus",
        "1e10 / 3 * Cpus + Memory",
        "1e10 * Cpus * Memory + SlotID",
    )
    sides = (
        "Cpus",
        "MY.Cpus",
        "TARGET.Cpus",
        "TARGET.JobPrio",
        "JobPrio",
        "Nobody",
        "MY.Nobody",
        "A.Cpus",
    )
    for one, other in product(sides, (*sides, "5")):
        yield f"{one} + {other}"
    yield from (
        "5",
        "time()",
        "Cpus + time()",
        "random(5)",
        "{Cpus}",
        "Cpus > TARGET.RequestCpus",
        "isError(Cpus)",
    )


def about_slips() -> Iterator[_Said]:
    """What is said of all these."""
    slots = "SLOT{n}_START = {case}"
    yield from together("", list(dict.fromkeys(slip_cases())), slots)
    yield from together("", list(dict.fromkeys(division_cases())), slots)
    head = 'STARTD_ATTRS = Site\nSite = "x"\n'
    texts = list(dict.fromkeys(text_cases()))
    yield from together(head, texts, slots)
    yield from together("", texts[-8:], "SLOT{n}_RANK = {case}")
    yield from alone(
        texts[-8:], "SUBMIT_REQUIREMENT_NAMES = A\nSUBMIT_REQUIREMENT_A_REASON = {case}\n"
    )
    ranks = list(dict.fromkeys(rank_cases()))
    yield from alone(ranks, "NEGOTIATOR_PRE_JOB_RANK = {case}\n")
    yield from together("", ranks[-80:], "SLOT{n}_RANK = {case}")
    yield from alone(ranks[-20:], "SLOT_WEIGHT = {case}\n")


# --- what is kept ---------------------------------------------------------------------------------

ABOUT: Final = {
    "names": about_names,
    "preemption": about_preemption,
    "units": about_units,
    "slips": about_slips,
}


def kept(subject: str) -> str:
    """What is said of a subject; a help stands where it differs from the one before of its kind."""
    lines, silent = [f"## {subject}"], []
    before: dict[str, str] = {}
    for case, said in ABOUT[subject]():
        if not said:
            silent.append(case)
            continue
        told = []
        for one in said.split(" | P"):
            words, dashes, help_text = one.partition(" -- ")
            number = words.partition(" ")[0].removeprefix("P")
            known = before.get(number, "") == help_text
            told.append(words if known else one if dashes else f"{words} --")
            before[number] = help_text
        lines.append(f"{case} => {' | P'.join(told)}")
    lines += [f"nothing: {case}" for case in silent]
    return "\n".join((*lines, ""))


def kept_texts() -> dict[str, str]:
    """The parts of the file by subject."""
    parts = MANY.read_text(encoding="utf-8").split("\n\n")
    return {part.partition("\n")[0].removeprefix("## "): part.strip("\n") + "\n" for part in parts}


if __name__ == "__main__":
    MANY.write_text("\n".join(kept(subject) for subject in ABOUT), encoding="utf-8")
