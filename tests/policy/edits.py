"""Draws small edits of policies, as a tired hand makes them: ``python -m tests.policy.edits``.

Prints cases for ``python -m tests.policy.variants --add``: of many edits those whose findings are
new among those drawn, and some that change nothing.  The same seed draws the same of the same
corpora.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

from attr import field, frozen

from tests.policy.lines import cases
from tests.policy.variants import FOLDER, Group, decoded, difference, edited, told

_Item = TypeVar("_Item")
_NUMBER: Final = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_OPERATOR: Final = re.compile(r"=\?=|=!=|[<>=!]=|&&|\|\||[<>]|(?<=\s)[-+*/%|&!?:](?=\s)")
_WORD: Final = re.compile(r"[A-Za-z_]\w{2,}")
_BRACKET: Final = re.compile(r'[()"{}\[\]$,;:.]')
_STRING: Final = re.compile(r'"[^"]*"')
_SETTING: Final = re.compile(r"[ \t]*([\w.]+)[ \t]*(=(?![=?!~])|\?=)[ \t]*")
#: What differs between sentences that say the same.
_NAMES_IN: Final = re.compile(r"`[^`]*`|\d+:\d+\+\d+|\d+|\b[A-Z][\w.]*[A-Z_]\w*\b")
#: Numbers at bounds that checks have, and next to them.
_BOUNDS: Final = (
    *("0", "1", "-1", "2", "3", "5", "7", "8", "10", "11", "12", "24", "31", "32", "33", "59"),
    *("60", "61", "63", "64", "99", "100", "101", "127", "128", "255", "256", "299", "300"),
    *("500", "999", "1000", "1023", "1024", "1025", "3599", "3600", "3601", "7200", "65535"),
    *("65536", "86399", "86400", "86401", "604800", "1000000", "1048576", "2147483647"),
    *("2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "0.0", "0.1"),
    *("0.5", "0.999", "1.0", "1.001", "1.5", "2.0", "1e3", "1e-7", "-0.5", "0x10", "010"),
)
_OPERATORS: Final = (
    *("==", "!=", "<", ">", "<=", ">=", "=?=", "=!=", "&&", "||", "+", "-", "*", "/", "%"),
    *("=", "&", "|", "=<", "=>", "<>", "!", "and", "or", "not", "is", "isnt", "?", ":"),
)
_UNITS: Final = ("k", "K", "KB", "m", "M", "MB", " MB", "G", " GB", "s", " s", " seconds", " min",
    " minutes", "h", " hours", "d", "%", "B", " * 1024", " * 3600", " * $(MINUTE)", "/60", ".0",
    " * 1000", " / 1024", " + 1", ",000")  # fmt: skip
_VALUES: Final = ("True", "False", "undefined", "error", "0", "1", '""', '"x"', "yes", "on", "no",
    "off", "none", "ALL", "*", "$(X)", "time()", "10", "0.5", "-1", "", "10 # ten", "Memory",
    "TARGET.Memory", "MY.Memory", "RemoteUserPrio", "SubmitterUserPrio", "10.0.0.0/8",
    '"10"', "'x'", "{1, 2}", "a, b", "a b", "{a", "random(10)", "$RANDOM_CHOICE(1,2)", "$INT(1)",
    "$(X:1)", "$ENV(HOME)", "FS", "SSL", "optional", "required", "REQUIRED", "1 2")  # fmt: skip
_PREFIXES: Final = ("NEGOTIATOR.", "SCHEDD.", "STARTD.", "COLLECTOR.", "MASTER.", "LOCAL.",
    "SHADOW.", "SLOT1_", "SLOT_TYPE_1_", "slot1_", "X_", "MAX_", "OTHER.NEGOTIATOR.",
    "DEFRAG.")  # fmt: skip
_TEMPLATES: Final = ("use ROLE : CentralManager", "use ROLE:Submit", "use ROLE : Execute",
    "use ROLE : Personal", "use FEATURE : GPUs", "use FEATURE : PartitionableSlot",
    "use FEATURE : PartitionableSlot(1, cpus=4)", "use FEATURE:Nothing", "use POLICY : Desktop",
    "use POLICY : Always_Run_Jobs", "use POLICY : UWCS_Desktop", "use POLICY : Preempt_If_Cpus",
    "use POLICY : Hold_If_Memory_Exceeded", "use POLICY : Preempt_If_Memory_Exceeded",
    "use POLICY : Want_Hold_If(X, Memory > 10, 3, why)", "use SECURITY : User_Based",
    "use SECURITY : Strong", "use SECURITY : HOST_BASED", "use security:With_Authentication",
    "use FEATURE : StartdCronOneShot(a, b)", "use FEATURE : JobsHaveInstanceIDs",
    "use FEATURE : Cgroups", "use POLICYS : Desktop", "use ROLE", "use FEATURE : VMware",
    "use POLICY : Limit_Job_Runtimes(3600)", "use POLICY : Startd_Publish_CpusUsage",
    "use FEATURE : Defrag", "use FEATURE : ScheddCronOneShot")  # fmt: skip
_LINES: Final = ("DAEMON_LIST = MASTER, NEGOTIATOR", "DAEMON_LIST = MASTER, SCHEDD, STARTD",
    "DAEMON_LIST = MASTER COLLECTOR", "# pieslice: ignore", "# pieslice: ignore P401", "X = 1",
    "# check: off", "GROUP_NAMES = a, b", "STARTD_ATTRS = X", "SUBMIT_ATTRS = X, Y", "X =",
    "NEGOTIATOR_CROSS_SLOT_PRIOS = True", "NEGOTIATOR_CONSIDER_PREEMPTION = False",
    "START = False", "START = True", "PREEMPT = False", "RANK = 0", "WANT_SUSPEND = True",
    "include : x.conf", "include command : /bin/true", "@include", "if version > 8", "endif",
    "else", "error : stop", "warning : look", "STARTD_CRON_JOBLIST = X", "JOB_TRANSFORM_NAMES = X",
    "NUM_SLOTS_TYPE_1 = 1", "SLOT_TYPE_1 = 100%", "CLAIM_WORKLIFE = 0",
    "SLOT_TYPE_1_PARTITIONABLE = True", "SEC_DEFAULT_AUTHENTICATION = REQUIRED",
    "ALLOW_WRITE = *", "DENY_READ = *", "ALLOW_READ = a.b, c", "X_LIMIT = 5",
    "MINUTE = 60", "DAY = 86400", "FLOCK_TO = x", "SYSTEM_PERIODIC_HOLD_NAMES = X")  # fmt: skip
_CONDITIONS: Final = ("Memory > 5", "TARGET.RequestMemory < 10", "JobStatus == 5", "Cpus >= 1",
    'State == "Idle"', 'Activity =?= "idle"', "(time() - QDate) > 60", "false", "true", "undefined",
    "RemoteUserPrio > SubmitterUserPrio * 1.2", "RemoteUserPrio > 1.2 * SubmitterUserPrio",
    "KeyboardIdle > 15", "LoadAvg < 0.3", "MY.X", "TARGET.Owner == Owner", "isUndefined(X)",
    'Owner == "a" && Owner == "b"', "Disk > 10", "JobUniverse == 5", "HasDocker",
    'regexp("a.*", Owner)', "PartitionableSlot", "DynamicSlot", "TotalJobRunTime > 3600",
    "EnteredCurrentState > 600", "SubmitterGroupQuota > RemoteGroupQuota", "!Offline",
    'stringListMember(Owner, "a,b")', "ImageSize > 1024", "WithinResourceLimits",
    "NumJobStarts > 3", "(Memory / 1024) > 2", "Cpus * 0.5 > 1", 'AccountingGroup == "x"',
    "Target.JobPrio > 10", "split(Owner)[0]", "ifThenElse(X, 1, 0)")  # fmt: skip
_MACROS: Final = ("START", "PREEMPT", "RANK", "SUSPEND", "CONTINUE", "KILL", "WANT_SUSPEND",
    "WANT_VACATE", "MAXJOBRETIREMENTTIME", "MachineMaxVacateTime", "SYSTEM_PERIODIC_HOLD",
    "SYSTEM_PERIODIC_REMOVE", "PREEMPTION_REQUIREMENTS", "PREEMPTION_RANK",
    "NEGOTIATOR_PRE_JOB_RANK", "NEGOTIATOR_POST_JOB_RANK", "GROUP_SORT_EXPR", "SLOT_WEIGHT",
    "NEGOTIATOR_SLOT_CONSTRAINT", "NEGOTIATOR_JOB_CONSTRAINT", "STARTD_ATTRS", "GROUP_NAMES",
    "GROUP_QUOTA_a", "GROUP_QUOTA_DYNAMIC_a", "GROUP_ACCEPT_SURPLUS", "NEGOTIATOR_INTERVAL",
    "PRIORITY_HALFLIFE", "DEFAULT_PRIO_FACTOR", "CLAIM_WORKLIFE", "DEFRAG_REQUIREMENTS",
    "DEFRAG_RANK", "ROOSTER_UNHIBERNATE", "SUBMIT_REQUIREMENT_X", "APPEND_RANK", "HIBERNATE",
    "NUM_CPUS", "MEMORY", "SLOT_TYPE_1", "ALLOW_WRITE", "SEC_DEFAULT_ENCRYPTION",
    "SEC_DEFAULT_AUTHENTICATION_METHODS", "X_LIMIT", "STARTD_DEBUG", "MAX_SCHEDD_LOG",
    "JOB_TRANSFORM_X", "WANT_HOLD", "STARTER_INITIAL_UPDATE_INTERVAL",
    "MAX_JOBS_RUNNING", "SCHEDD_INTERVAL", "START_LOCAL_UNIVERSE", "HISTORY",
    "ENABLE_HISTORY_ROTATION", "UPDATE_INTERVAL", "COLLECTOR_HOST", "JOB_RENICE_INCREMENT",
    "CONCURRENCY_LIMIT_DEFAULT", "NEGOTIATOR_USE_SLOT_WEIGHTS", "MASTER_BACKOFF_CEILING",
    "MATCH_TIMEOUT", "SCHEDD_PREEMPTION_RANK", "JOB_DEFAULT_REQUESTMEMORY")  # fmt: skip


@frozen
class Hand:
    """Chance, and words that policies have."""

    chance: random.Random
    words: tuple[str, ...] = ()
    values: tuple[str, ...] = ()

    def one_of(self, items: Sequence[_Item]) -> _Item:
        """One of several, each as likely as another."""
        return items[int(self.chance.random() * len(items))]


@frozen
class Line:
    """A line to edit, with its number from 1 and how many there are."""

    text: str
    number: int
    count: int = field(kw_only=True)

    def replaced(self, start: int, end: int, new: str) -> str:
        """The edit of a part of it."""
        return f"{self.number}:{start + 1} {self.text[start:end]}→{new}"


Edit = Callable[[Line, Hand], "str | None"]


def _match(pattern: re.Pattern[str], line: Line, hand: Hand) -> re.Match[str] | None:
    found = list(pattern.finditer(line.text))
    return hand.one_of(found) if found else None


def number(line: Line, hand: Hand) -> str | None:
    found = _match(_NUMBER, line, hand)
    if found is None:
        return None
    text = found[0]
    new = hand.one_of((
        f"{text}0", text[:-1], str(float(text) / 2), f"-{text}", f"{text}.5", f'"{text}"',
        *((str(int(text) + 1), str(int(text) - 1)) if text.isdigit() else (f"1{text}", "1")),
    ))  # fmt: skip
    return line.replaced(*found.span(), new)


def bound(line: Line, hand: Hand) -> str | None:
    found = _match(_NUMBER, line, hand)
    return found and line.replaced(*found.span(), hand.one_of(_BOUNDS))


def unit(line: Line, hand: Hand) -> str | None:
    found = _match(_NUMBER, line, hand)
    return found and line.replaced(found.end(), found.end(), hand.one_of(_UNITS))


def operator(line: Line, hand: Hand) -> str | None:
    found = _match(_OPERATOR, line, hand)
    return found and line.replaced(*found.span(), hand.one_of(_OPERATORS))


def letter(line: Line, hand: Hand) -> str | None:
    found = _match(_WORD, line, hand)
    if found is None:
        return None
    word, at = found[0], int(hand.chance.random() * len(found[0]))
    new = hand.one_of((
        word[:at] + word[at + 1 :], word[:at] + "x" + word[at + 1 :], word[:at] + "x" + word[at:],
        word[:at] + word[at : at + 2][::-1] + word[at + 2 :], word + "s", word.replace("_", ""),
        word.rstrip("s"), word.replace("_", "__", 1), word[: len(word) // 2],
    ))  # fmt: skip
    return line.replaced(*found.span(), new)


def case_of(line: Line, hand: Hand) -> str | None:
    found = _match(_WORD, line, hand)
    if found is None:
        return None
    new = hand.one_of((found[0].lower(), found[0].upper(), found[0].capitalize()))
    return line.replaced(*found.span(), new)


def word(line: Line, hand: Hand) -> str | None:
    found = _match(_WORD, line, hand)
    if found is None:
        return None
    old = found[0]
    other = hand.one_of(hand.words)
    new = hand.one_of((
        other, other, other, f"MY.{old}", f"TARGET.{old}", f'"{old}"', f"$({old})", f"!{old}", "",
        f"{old}()", f"size({old})", f"int({old})", f"-{old}", f"{old} {other}", f"{old}, {other}",
    ))  # fmt: skip
    return line.replaced(*found.span(), new)


def bracket(line: Line, hand: Hand) -> str | None:
    found = _match(_BRACKET, line, hand)
    new = hand.one_of(("", "", "", "(", ")", '"', " ", ";", ","))
    return found and line.replaced(*found.span(), new)


def string(line: Line, hand: Hand) -> str | None:
    found = _match(_STRING, line, hand)
    if found is None:
        return None
    text = found[0][1:-1]
    new = hand.one_of(
        (
            text,
            f'"{text.lower()}"',
            f'"{text.upper()}"',
            f'"{text} "',
            '""',
            f"'{text}'",
            f'"{text}',
            f'"{text}*"',
            f'"{text}, b"',
            f'"{hand.one_of(hand.words)}"',
        )
    )
    return line.replaced(*found.span(), new)


def value(line: Line, hand: Hand) -> str | None:
    found = _SETTING.match(line.text)
    new = hand.one_of((hand.one_of(_VALUES), hand.one_of(hand.values), hand.one_of(_BOUNDS)))
    return found and line.replaced(found.end(), len(line.text), new)


def appended(line: Line, hand: Hand) -> str | None:
    found = _SETTING.match(line.text)
    if found is None:
        return None
    name, text = found[1], line.text[found.end() :]
    condition = hand.one_of(_CONDITIONS)
    new = hand.one_of((
        f"{text} && {condition}", f"{text} || {condition}", f"({text}) && ({condition})",
        f"$({name}) {text}", f"$({name}), {text}", f"{text}, {hand.one_of(hand.words)}",
        f"{text} # {condition}", f"{text} \\", f"!({text})", f"ifThenElse({condition}, {text}, 0)",
        f"({text}) * 10", f"{condition} ? {text} : 1", f'"{text}"', f"{text};", f"({text}",
        f"{text})", condition, condition,
    ))  # fmt: skip
    return line.replaced(found.end(), len(line.text), new)


def macro(line: Line, hand: Hand) -> str | None:
    found = _SETTING.match(line.text)
    if found is None:
        return None
    start, end = found.span(1)
    if hand.chance.random() < 0.35:
        return line.replaced(start, start, hand.one_of(_PREFIXES))
    return line.replaced(start, end, hand.one_of(_MACROS))


def assignment(line: Line, hand: Hand) -> str | None:
    found = _SETTING.match(line.text)
    new = hand.one_of((":", "==", "+=", "=+", "?=", "", "@=end", " x =", "= ="))
    return found and line.replaced(*found.span(2), new)


def whole(line: Line, hand: Hand) -> str | None:
    target = 1 + int(hand.chance.random() * line.count)
    what = hand.one_of(("dropped", "dropped", "doubled", "in if true", "in if false", "moved"))
    if what == "moved":
        return None if target == line.number else f"{line.number} moved to {target}"
    return f"{line.number} {what}"


def inserted(line: Line, hand: Hand) -> str | None:
    new = hand.one_of((hand.one_of(_TEMPLATES), hand.one_of(_LINES)))
    return line.replaced(0, 0, f"{new}¶")


def below(line: Line, hand: Hand) -> str | None:
    setting = f"{hand.one_of(_MACROS)} = {hand.one_of((*_VALUES, *_CONDITIONS, *_CONDITIONS))}"
    new = hand.one_of((hand.one_of(_TEMPLATES), hand.one_of(_LINES), setting, setting))
    return line.replaced(len(line.text), len(line.text), f"¶{new}")


#: Kinds of edits; those of expressions stand more often.
KINDS: Final[tuple[Edit, ...]] = (
    number, number, bound, bound, unit, operator, operator, letter, letter, case_of, word, word,
    bracket, string, string, value, value, value, appended, appended, macro, macro, assignment,
    whole, inserted, below, below,
)  # fmt: skip


def bases() -> dict[str, str]:
    """The headings of policies to begin with, by their texts."""
    found: dict[str, str] = {}
    for path in sorted(FOLDER.glob("*corpus/**/*.conf")):
        text = decoded(path)
        if not re.search("[^\n\t -~]", text):
            found.setdefault(text, f"==> {path.relative_to(FOLDER).as_posix()}\n")
    for case in cases():
        if not re.search("[^\n\t -~]", case.config) and "\n\n" not in case.config:
            heading = "".join(f"| {line}\n" for line in case.config.splitlines())
            found.setdefault(case.config, heading)
    return found


def hand_of(texts: Sequence[str], chance: random.Random) -> Hand:
    """Words and values of policies; those of comments are left out."""
    lines = [line for text in texts for line in text.split("\n") if not line.startswith("#")]
    words = {word for line in lines for word in _WORD.findall(line)}
    values = {line[found.end() :] for line in lines if (found := _SETTING.match(line))}
    short = {value for value in values if 0 < len(value) < 60 and not value.endswith("\\")}
    return Hand(chance, tuple(sorted(words)), tuple(sorted(short)))


def drawn(text: str, hand: Hand) -> str | None:
    """One edit of a policy, if chance finds a place for it."""
    lines = text.removesuffix("\n").split("\n")
    places = [at for at, line in enumerate(lines) if line.strip() and not line.startswith("#")]
    if not places:
        return None
    at = hand.one_of(places)
    edit = hand.one_of(KINDS)(Line(lines[at], at + 1, count=len(lines)), hand)
    changes = edit is not None and edited(text, edit) != text
    return edit if changes and not re.search("[^\t -~→¶]", edit or "") else None


def chosen(
    each: int, most: int, rare: int, hand: Hand, found: dict[str, str]
) -> Iterator[tuple[str, str, str]]:
    """Heading, edit and answer of the edits that show something new."""
    seen: Counter[str] = Counter()
    for text, heading in found.items():
        first = told(text)
        for _ in range(each):
            edit = drawn(text, hand)
            if edit is None:
                continue
            said = difference(first, told(edited(text, edit)))
            signs = set(signs_of(said))
            if len(said) < most and any(seen[sign] < rare for sign in signs):
                seen.update(signs)
                yield heading, edit, said


def signs_of(said: str) -> Iterator[str]:
    """What is told apart of an answer: its sentences, without names, numbers and places."""
    if not said:
        yield "nothing"
    for line in said.splitlines():
        if line.startswith("- "):
            yield from (f"{found} goes" for found in re.findall(r"P\d+", line))
        elif line.startswith("= "):
            yield from (re.sub(r"\d+|`[^`]*`", "", part) for part in line.split("; "))
        else:
            message, _, help_text = line.partition(" -- ")
            if message[2:6] in ("P101", "P110", "P111", "P113"):
                message = message[:6]
            text = f"{message} {help_text}"
            yield message[:6] + _NAMES_IN.sub("", text)


def main() -> None:
    """Print cases."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=10, help="edits that are tried of a policy")
    parser.add_argument("--most", type=int, default=400, help="characters of an answer at most")
    parser.add_argument("--rare", type=int, default=12, help="so often a sentence is shown")
    options = parser.parse_args()
    found = bases()
    hand = hand_of(tuple(found), random.Random(options.seed))
    by_heading: dict[str, dict[str, str]] = {}
    for heading, edit, said in chosen(options.each, options.most, options.rare, hand, found):
        by_heading.setdefault(heading, {})[edit] = said
    new = (Group(heading, tuple(of.items())) for heading, of in by_heading.items())
    sys.stdout.write("\n".join(group.written for group in new))


if __name__ == "__main__":
    main()
