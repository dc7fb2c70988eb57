"""Writes what expressions can come to, attributes can be and units become: ``corpus/sets.txt``.

``python -m tests.policy.sets`` writes the file anew.  A set is written as its kinds of values:
T, F, U, E for true, false, undefined and error, intervals of integers and of reals, ``nan``,
strings, ``text`` for any string, ``other`` for lists, ads and times; behind a bar its unit, and
``single`` for numbers that were in single precision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Final

from classad.errors import ClassAdParseError
from classad.evaluation.functions import load
from classad.syntax.nodes import walk
from policy.attributes import attribute_rows, find_attribute, find_renamed
from policy.ephemeral import EPHEMERAL, find_ephemeral
from policy.knobs.declaration import Use, Wanted
from policy.language.expressions import parse
from policy.values.domain import (
    ALL_REAL,
    ALL_WHOLE,
    ANYTHING,
    Abstract,
    constant,
    single_number,
    single_value,
)
from policy.values.evaluation import Evaluation, as_condition, compared, mirrored
from policy.values.operators import combined_unit
from policy.values.surroundings import Surroundings
from tests.policy.parts import kept_sections, write_sections

SETS: Final = Path(__file__).parent / "corpus" / "sets.txt"
_MATCH: Final = Surroundings(Use("slot", "request", Wanted.TRUTH), during_match=True)


def shown(given: Abstract) -> str:
    """A set in a few words."""
    if given == ANYTHING:
        words = ["anything"]
    else:
        words = ["".join(sorted("FT"[truth] for truth in given.truths))]
        words += ["U" * given.undefined + "E" * given.error]
        words += ["whole" if given.whole == ALL_WHOLE else _interval(given.whole)]
        words += ["real" if given.real == ALL_REAL else _interval(given.real)]
        words += ["nan"] if given.nan else []
        if given.texts is None:
            forms = sorted(form.decode() for form in given.folded or ())
            words += [f"like {','.join(forms)}" if forms else "text"]
        else:
            texts = sorted(given.texts)
            words += [f"{len(texts)} strings" if len(texts) > 5 else " ".join(map(repr, texts))]
        words += ["other"] if given.other else []
    words += [f"| {given.unit}"] if given.unit else []
    words += ["single"] if given.single else []
    return " ".join(filter(None, words)) or "nothing"


def _interval(ends: tuple[float, float] | None) -> str:
    if ends is None:
        return ""
    return f"{ends[0]!r}" if ends[0] == ends[1] else f"{ends[0]!r}..{ends[1]!r}"


# --- attributes ------------------------------------------------------------------------------

_PLACES: Final = {
    "matching": _MATCH,
    "not yet": Surroundings(Use("slot", "request", Wanted.TRUTH)),
    "startd": Surroundings(Use("slot", "job", Wanted.TRUTH)),
    "free": Surroundings(Use("slot", "job", Wanted.TRUTH), free=True),
    "queue": Surroundings(Use("job", "", Wanted.TRUTH)),
    "submitted": Surroundings(Use("job", "slot", Wanted.TRUTH), submitted=True),
    "schedd": Surroundings(Use("schedd", "job", Wanted.TRUTH)),
    "groups": Surroundings(Use("group", "", Wanted.TRUTH)),
    "either": Surroundings(Use("either", "either", Wanted.TRUTH)),
    "published": Surroundings(
        Use("slot", "job", Wanted.TRUTH),
        published={"memory": Abstract(whole=(1, 2)), "foo": ANYTHING},
    ),
}
_ATTRIBUTES: Final = (
    "Cpus", "Memory", "Disk", "State", "Activity", "RemoteOwner", "RemoteUserPrio", "LoadAvg",
    "SubmitterUserPrio", "SubmittorPrio", "RemoteGroupQuota", "EnteredCurrentState", "QDate",
    "JobStatus", "JobPrio", "RequestMemory", "ImageSize", "TotalJobRunTime", "KeyboardIdle",
    "Offline", "GPUs", "Foo", "CurrentTime", "MyCurrentTime", "Rank", "CurrentRank",
    "AccountingGroup", "GroupQuota", "SortKey", "GroupResourcesInUse", "slot2_State",
    "slot2_RemoteUserPrio", "PreemptingUserPrio", "TotalSlots", "ConcurrencyLimits",
    "MatchedConcurrencyLimits", "JobUniverse", "HoldReasonCode", "NumJobStarts", "TotalIdleJobs",
    "ResidentSetSize", "PartitionableSlot", "ChildCpus", "Mips",
)  # fmt: skip


def _attributes() -> Iterator[str]:
    for name in _ATTRIBUTES:
        found: dict[str, list[str]] = {}
        for place, scope in product(_PLACES, ("", "my", "target")):
            key, value = _PLACES[place].look_up(scope, name.upper() if scope else name)
            written = f"{'.'.join(key)} {shown(value)}"
            found.setdefault(written, []).append(f"{place} {scope}".strip())
        for written, places in found.items():
            yield f"{name}: {written} <- {', '.join(places)}"


def _rows() -> Iterator[str]:
    """The table of attributes: the first rows of each kind, and all that have rare fields."""
    seen: dict[tuple[object, ...], int] = {}
    for row in attribute_rows().values():
        kind = (row.type, row.unit, bool(row.values), bool(row.usual), tuple(row.ads.values()))
        seen[kind] = seen.get(kind, 0) + 1
        if seen[kind] > 2 and not row.old:
            continue
        ads = " ".join(f"{kind}{moment.value}" for kind, moment in row.ads.items())
        values = ",".join(row.spellings)[:60]
        old = " ".join(f"{name}/{since}" for name, since in row.old.items())
        yield f"{row.name}: {row.type}; {row.unit}; {row.range}; {values}; {ads}; {old}"
    for name in (
        "slot1_State",
        "slot_State",
        "SLOT22_cpus",
        "slot1_Foo",
        "slot1_QDate",
        "nOsUch",
        "state",
    ):
        found, added = find_attribute(name), find_ephemeral(name)
        yield f"find {name}: {found and (found.name, dict(found.ads))} {added and added.name}"
    for name in (
        "slot1_RemoteUserPrio",
        "slotx_RemoteUserPrio",
        "slot1RemoteUserPrio",
        "slot1_x",
        "sub",
    ):
        added, renamed = find_ephemeral(name), find_renamed(name)
        yield f"find {name}: {added and added.name} {renamed and renamed[0].name}"


def _added() -> Iterator[str]:
    for one in EPHEMERAL:
        flags = [name for name in ("rounded", "live", "kept") if getattr(one, name)]
        yield f"{one.name}: {one.type}; {one.ad.name}; {one.presence.name}; {one.unit}; {flags}"


# --- expressions -----------------------------------------------------------------------------

_OPERANDS: Final = (
    "Cpus", "Offline", "RemoteUserPrio", "State", "Owner", "Foo", "TARGET.Memory", "MY.Cpus",
    "LoadAvg", "EnteredCurrentState", "TotalJobRunTime", "3", "0", "2.5", "true", '"Claimed"',
    "undefined", "error", "{1}", "time()",
)  # fmt: skip
_FORMS: Final = (
    "{0} > 2 && {0} < 5", "{0} > 2 && {0}", "{0} || {0} > 1", "!({0} > 2) && {0}",
    "{0} =?= undefined || {0}", "{0} ?: 7", "isUndefined({0}) ? 1 : {0}",
    "{0} == 3 ? {0} : 0 - {0}", "({0}) * 2 + {0}", "{0} - {0}", "{0} % 4", "{0} / 2", "-{0}",
    "~{0}", "!{0}", "{0} & 6", "{0} << 1", "{0} =!= {0}", "3 < {0} && {0}", "{0} != 3 && {0}",
    "{0} >= 3 && {0} <= 3 && {0}", "ifThenElse({0}, {0}, 5)", "({0})[0]", "({0}).a", "int({0})",
    "round({0})", "floor({0} / 2)", "ceiling({0} * 1.5)", "isReal({0})", "isInteger({0})",
    "isError({0})", "isString({0})", "isBoolean({0})", "isList({0})",
    '{0} == "a" || {0} == "B" && {0}', "{0} * 1024", "{0} / 1024", "{0} * 60", "{0} + 60",
    "{0} - time()", "time() - {0}", "{0} < {0}", "!({0} == 3 || {0} =?= 4) && {0}",
    "({0} && {0}) || {0}", "{0} > 1 && ({0} > 2 || {0} < 0) && {0}",
)  # fmt: skip
_WHOLE: Final = (
    "Cpus > 2 && Memory > Cpus && Memory", "Cpus > 2 || Memory < 5",
    "(Cpus > 2 || Cpus < 1) && Cpus", 'State == "Claimed" && State', 'State != "claimed" && State',
    'State =!= "Claimed" && State', 'Owner == "a" && Owner', 'Owner =?= "a" && Owner',
    '(Owner == "a" || Owner == "B") && Owner', "Cpus > 2 ? Cpus : -Cpus",
    "Cpus > 2 ? Cpus < 2 : Cpus > 3", "(Cpus > 2 ? true : Cpus > 0) && Cpus",
    "Offline && Cpus > 2 && Cpus", "(Offline || Cpus > 2) && Cpus", "Offline ?: Cpus",
    "Foo ?: Cpus > 1", "Offline ?: isUndefined(Offline)", "Foo ?: Foo =?= undefined",
    "Offline ?: Offline || Cpus > 2", "isUndefined(Foo) || Foo > 1", "!isUndefined(Foo) && Foo",
    "undefined && Cpus > 1", "error || Cpus", "undefined || Cpus > 2 && Cpus < 1",
    "MY.Cpus > 2 && Cpus", "TARGET.Cpus > 2", "OTHER.Memory", "MY.MY", "SELF.Cpus", ".Cpus",
    "PARENT.Cpus", "MY.Foo.Bar", "Cpus.x", "{Cpus, Memory}", "[a = Cpus].a", "strcat(Owner)",
    "noSuchFunction(1)", "strcat()", "ifThenElse(1)", "size()", "random() > 2", "random(5)",
    "eval(Owner)", "RemoteUserPrio * 1.2 > SubmitterUserPrio",
    "RemoteUserPrio > 1 && RemoteUserPrio < 0.6", "time() - EnteredCurrentState > 3600",
    "(time() - QDate) / 60", "Memory * 1024 * 1024", "Memory / 1024.0", "Cpus > 9007199254740993",
    "Cpus < 2.5 && Cpus", "Cpus > 2.5 && Cpus", "LoadAvg > 0.5 && LoadAvg",
    "LoadAvg >= 0.5 && LoadAvg < 0.5", "LoadAvg == 0.0 && LoadAvg", "LoadAvg && LoadAvg",
    "!LoadAvg && LoadAvg", "Cpus && Cpus", "3 < Cpus && Cpus", "3 >= Cpus && Cpus",
    "3 <= Cpus && Cpus", "3 > Cpus && Cpus", "3 == Cpus && Cpus", "3 != Cpus && Cpus",
    "!(3 < Cpus) && Cpus", "2 =?= Cpus && Cpus", "Memory > Cpus && Cpus < 3 && Memory < 2 && Cpus",
    "!Cpus && Cpus", "(Cpus > 3) =?= true && Cpus", "(Cpus > 3) == true && Cpus", "Owner && Owner",
    "member(Owner, {1})", 'stringListMember(Owner, "a b")', 'regexp("a", Owner)', "JobStatus == 2",
    "QDate > 5",
)  # fmt: skip


def _expressions() -> Iterator[str]:
    for text in _WHOLE:
        yield f"{text} => {_evaluated(text, _MATCH, nodes=True)}"
    for form in _FORMS:
        for operand in _OPERANDS:
            text = form.format(operand)
            yield f"{text} => {_evaluated(text, _MATCH)}"


def _evaluated(text: str, where: Surroundings, *, nodes: bool = False) -> str:
    tree = parse(text).node
    found = Evaluation(tree, where.look_up)
    told = [shown(found.value)]
    if nodes:
        told += [f"{shown(found.of(one))} / {shown(found.alone(one))}" for one in walk(tree)][1:]
    return "; ".join(told)


def _calls() -> Iterator[str]:
    """Every function over an integer, a real, a string, what may not be there, and constants."""
    arguments = ("Cpus", "LoadAvg", "Owner", "Foo", '"ab"', "5, 2", 'Owner, "a"', "Cpus, 2, 3")
    for name in sorted(builtin.name for builtin in load().values()):
        found: dict[str, list[str]] = {}
        for argument in arguments:
            found.setdefault(_called(name, argument), []).append(argument)
        yield f"{name}: " + "; ".join(f"({') ('.join(of)}) {value}" for value, of in found.items())


def _called(name: str, argument: str) -> str:
    try:
        return _evaluated(f"{name}({argument})", _MATCH)
    except ClassAdParseError:
        return "is no call"


# --- units, comparisons ----------------------------------------------------------------------

_UNITS: Final = ("", "1", "s", "date", "min", "B", "KiB", "MiB", "cpus", "priority", "%")
_FACTORS: Final = (
    1,
    2,
    60,
    61,
    511,
    512,
    1000,
    1024,
    1024**2,
    1024**3,
    3600,
    86400,
    0.5,
    -60,
    -512,
    1024.0,
)


def _units() -> Iterator[str]:
    for symbol, one in product("+-*/%&", _UNITS):
        mine = Abstract(whole=(1, 9), unit=one)
        row = [combined_unit(symbol, mine, Abstract(whole=(1, 9), unit=other)) for other in _UNITS]
        yield f"{one or '?'} {symbol} each: {' '.join(unit or '?' for unit in row)}"
    for one, symbol in product(_UNITS, "*/%"):
        mine = Abstract(whole=(1, 9), unit=one)
        found: dict[str, list[str]] = {}
        for factor in _FACTORS:
            there = combined_unit(symbol, mine, constant(factor))
            back = combined_unit(symbol, constant(factor), mine)
            found.setdefault(f"{there or '?'}/{back or '?'}", []).append(f"{factor:g}")
        told = "; ".join(f"{unit} by {' '.join(of)}" for unit, of in found.items())
        yield f"{one or '?'} {symbol} a number: {told}"


def _samples() -> dict[str, Abstract]:
    return {
        "-3..5": Abstract(whole=(-3, 5)),
        "2": constant(2),
        "-2.5..2.5": Abstract(real=(-2.5, 2.5)),
        "2.5": constant(2.5),
        "T": constant(True),
        "U": Abstract(undefined=True),
        "E": Abstract(error=True),
        "'a' 'b'": Abstract(texts=frozenset("ab")),
        "'A'": constant("A"),
        "text": Abstract(texts=None),
        "like a": Abstract(texts=None, folded=frozenset({b"a"})),
        "nan": Abstract(nan=True),
        "other": Abstract(other=True),
        "U 1..2": Abstract(undefined=True, whole=(1, 2)),
        "T 3 'a'": Abstract(truths=frozenset({True}), whole=(3, 3), texts=frozenset("a")),
        "big": Abstract(whole=(2**53, 2**53 + 2)),
        "all": ANYTHING,
    }


def _narrowed() -> Iterator[str]:
    samples = _samples()
    for symbol, outcome in product(("<", "<=", ">", ">=", "==", "!=", "=?=", "=!="), (True, False)):
        for name, value in samples.items():
            found: dict[str, list[str]] = {}
            for other, against in [*samples.items()][:-2]:
                left = shown(compared(value, symbol, against, outcome))
                found.setdefault(left, []).append(other)
            told = "; ".join(f"{left} by [{'] ['.join(of)}]" for left, of in found.items())
            yield f"[{name}] where {symbol} is {outcome}: {told}"
    edges = ((-3, 0), (0, 4), (0, 0), (-1, 1), (1, 1), (-1, -1), (0, 1), (-1, 0))
    ends = {f"{low}..{high}": Abstract(whole=(low, high)) for low, high in edges}
    reals = {f"{low}.0..{high}.0": Abstract(real=(float(low), float(high))) for low, high in edges}
    for name, value in {**samples, **ends, **reals}.items():
        true, false = (shown(as_condition(value, outcome)) for outcome in (True, False))
        yield f"[{name}] true: {true}; false: {false}; hull {value.hull()}; {single_value(value)!r}"
        yield f"[{name}] condition {shown(value.condition())}; number {single_number(value)!r}"
    yield " ".join(mirrored(one) for one in ("<", "<=", ">", ">=", "==", "!=", "=?=", "+"))


SECTIONS: Final[dict[str, Callable[[], Iterator[str]]]] = {
    "Attributes by where they are asked for": _attributes,
    "Rows of the table of attributes": _rows,
    "What the negotiator adds": _added,
    "Expressions in a match": _expressions,
    "Functions": _calls,
    "Units": _units,
    "What is left where a comparison is true or false": _narrowed,
}


def kept() -> dict[str, list[str]]:
    """The lines of the file by section."""
    return kept_sections(SETS)


if __name__ == "__main__":
    write_sections(SETS, SECTIONS)
