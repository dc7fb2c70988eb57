"""Writes what is declared of macros and how texts are read as them: ``corpus/declared.txt``.

``python -m tests.policy.declared`` writes the file anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from attr import fields

from classad import ClassAd
from classad.errors import Diagnostic
from classad.evaluate import EvalContext
from policy.config import Config, config_from_mapping
from policy.data.tables import builtin_table, meanings, reader_rows
from policy.explain.meaning import kind_of, meaning
from policy.explain.trial import CannotTry, Trial, newest_time, trial
from policy.io import builtin_library
from policy.knobs import FAMILIES, KNOBS, find_knob
from policy.knobs.choices import BOUNDS, CHOICES, CRON_PERIOD, CRON_PERIODS, ORDERED
from policy.knobs.declaration import Kind, Knob
from policy.knobs.lists import LISTS, is_list
from policy.knobs.obsolete import find_obsolete, once_predefined
from policy.knobs.other_daemons import OTHER_FAMILIES, OTHER_KNOBS, find_other
from policy.knobs.parameters import find_parameter
from policy.knobs.readers import MAIN, find_readers, longer_name
from policy.knobs.reading import in_force, read_knob
from policy.knobs.tool_values import table_row, tool_value
from policy.knobs.uses import find_use
from policy.language.table import Context
from tests.policy.parts import kept_sections, write_sections

DECLARED: Final = Path(__file__).parent / "corpus" / "declared.txt"
_TEXTS: Final = (
    "0.0", "1.0", "0.5", "", "5", "-1", "0", "1", "2.5", "true", "yes", "x", "3000000000",
    "-3000000000", "1e400", "1 +", '"q"', "2*3", "1 ? 2 : 3 x", "a, b", "$INT(x)", "5x", "01",
    "truex", "undefined", "$(NO)", "-2147483648", "2147483647", "2147483648", "nan", " 7 ",
    "1 == 1", "a, ,b  c", "$(LOOP)", "1.5e3zz", "-.5", "false",
)  # fmt: skip
#: Names that nobody declares, old ones, and members of families.
_NAMES: Final = (
    "GROUP_QUOTA_a", "GROUP_QUOTA_DYNAMIC_a", "GROUP_QUOTA_", "group_quota_dynamic_", "A_LIMIT",
    "DETECTED_CPUS_LIMIT", "CONCURRENCY_LIMIT_DEFAULT_x", "CONCURRENCY_LIMIT_x", "HOSTALLOW_READ",
    "VM1_START", "QUILL", "GSI_X", "GLEXEC_JOB", "GLEXEC_JOBS", "HDFS_X", "SOAP_X", "STORK",
    "CKPT_SERVER_HOST", "NUM_VIRTUAL_MACHINES", "VIRTUAL_MACHINE_TYPE_3",
    "NUM_VIRTUAL_MACHINES_TYPE_3", "SCHEDD_ALLOW_WRITE", "SCHEDD_ALLOW_X", "STARTD_EXPRS",
    "JOB_ROUTER_ENTRIES", "CGROUP_LOW_MEMORY_LIMIT_EXPR", "NEGOTIATOR_SIMPLE_MATCHING", "CpuBusy",
    "CPUIDLE", "JustCPU", "NOT_KNOWN", "NUM_SLOTS_TYPE_7", "SLOT_TYPE_12", "SLOT1_START",
    "SLOT_TYPE_1_START", "SLOT1_2_RANK", "SLOTX_START", "CGROUP_MEMORY_LIMIT",
    "SYSTEM_PERIODIC_HOLD_x", "SYSTEM_PERIODIC_HOLD_NAMES", "SYSTEM_PERIODIC_HOLD_x_REASON",
    "SYSTEM_PERIODIC_HOLD_REASON", "SYSTEM_PERIODIC_REMOVE_SUBCODE", "SUBMIT_REQUIREMENT_x",
    "SUBMIT_REQUIREMENT_NAMES", "SUBMIT_REQUIREMENT_x_REASON", "SUBMIT_REQUIREMENT_x_IS_WARNING",
    "STARTD_CRON_a_MODE", "STARTD_CRON_a_PERIOD", "STARTD_CRON_a_EXECUTABLE",
    "STARTD_CRON_MAX_JOB_LOAD", "STARTD_CRON_a_JOB_LOAD", "JOB_TRANSFORM_a", "JOB_TRANSFORM_NAMES",
    "DOCKER_VOLUME_DIR_a", "DOCKER_VOLUME_DIR_a_MOUNT_IF", "CLASSAD_USER_MAPFILE_m",
    "SCHEDD_DEBUG", "DEFRAG_DRAINING_SCHEDULE", "JOB_RENICE_INCREMENT", "SCHEDD_LOWPORT",
    "IN_HIGHPORT", "COLLECTOR_PORT", "ALLOW_WRITE", "DENY_READ", "DAEMON_LIST", "SCHEDD.START",
    "START_LOCAL_UNIVERSE",
)  # fmt: skip


def _grouped(pairs: Iterable[tuple[str, str]], most: int = 12) -> Iterator[str]:
    """What is told, and of which names: all, or the first and the last."""
    found: dict[str, list[str]] = {}
    for name, told in pairs:
        found.setdefault(told, []).append(name)
    for told, names in found.items():
        few = len(names) <= most
        listed = names if few else [*names[: most - 2], f"... {len(names)}", names[-1]]
        yield f"{told} <- {' '.join(listed)}"


def _knobs() -> Iterator[str]:
    for knob in (*KNOBS.values(), *FAMILIES, *OTHER_KNOBS.values(), *OTHER_FAMILIES):
        told = [knob.kind.name, repr(knob.default)]
        for one in fields(Knob)[3:]:
            value = getattr(knob, one.name)
            if value != one.default and one.name != "doc":
                told.append(f"{one.name}={getattr(value, 'name', value)}")
        yield f"{knob.name}: {', '.join(told)}"


def _written(found: Diagnostic | None) -> str:
    if found is None:
        return ""
    place, advice = f"{found.line}:{found.column}", (found.help or "")[:44]
    why = found.message.partition(":")[2]
    return f"! {found.severity} {found.id} {why} {place} {advice}"


def _readings() -> Iterator[str]:
    """What a knob of each sort makes of each text."""
    sorts: dict[object, Knob] = {}
    for knob in (*KNOBS.values(), *OTHER_KNOBS.values()):
        bounds = knob.minimum, knob.maximum, knob.wide, bool(knob.default)
        if knob.kind is Kind.EXPR and knob.read_by != "NEGOTIATOR":
            continue
        sorts.setdefault((knob.kind, bounds, knob.fatal, bool(knob.broken), knob.read_by), knob)
    wide = Knob("WIDE", Kind.INT, "5", "", minimum=-4e9, maximum=2.0**62, wide=True, fatal=False)
    for knob in (*sorts.values(), wide):
        pairs = []
        texts = _TEXTS if knob.kind is not Kind.EXPR else _TEXTS[::2]
        for text in texts:
            config = _set_to(text, [knob.name])
            found = read_knob(config, knob)
            told = [f"{found.value!s}", _written(found.diagnostic), _written(found.ignored)]
            told += [] if in_force(knob, found) is found else ["not in force"]
            pairs.append((f"[{text}]", f"{knob.name} {' '.join(filter(None, told))}"))
        yield from _grouped(pairs)


def _set_to(text: str, names: list[str]) -> Config:
    values = {**dict.fromkeys(names, text), "LOOP": "$(LOOP2)", "LOOP2": "$(LOOP)"}
    return config_from_mapping(values, builtin_library(), context=Context("NEGOTIATOR"))


def _tools() -> Iterator[str]:
    """What the tools make of texts, by type and range in the table of parameters."""
    table = builtin_table()
    kinds: dict[tuple[str, ...], str] = {}
    for name in sorted({*table, *KNOBS}):
        row = table_row(name, table)
        if row is not None and row.type in ("bool", "int", "long", "double"):
            kinds.setdefault((row.type, f"{row.low}", f"{row.high}"), name)
    for name in kinds.values():
        row = table_row(name, table)
        pairs = []
        for text in _TEXTS:
            if text != "$(LOOP)":
                value = tool_value(_set_to(text, [name]), name, row)
                pairs.append((f"[{text}]", f"{name} {value!r}"))
        yield f"{name}: {row}"
        yield from _grouped(pairs)


def _texts_for_tools() -> Iterator[str]:
    """Macros that are no numbers are texts for the tools."""
    table = builtin_table()
    for name in ("adstash_checkpoint_file", "condor_admin", "START", "GROUP_NAMES", "NOT_KNOWN"):
        row = table_row(name, table)
        values = [tool_value(_set_to(text, [name]), name, row) for text in ("5", "true", "", "1.0")]
        yield f"{name} {row and row.type}: {values} {tool_value(_set_to('', []), name, row)!r}"


def _meanings() -> Iterator[str]:
    config = _set_to("", [])
    names = (
        "NEGOTIATOR_CONSIDER_PREEMPTION",
        "NEGOTIATOR_INTERVAL",
        "PRIORITY_HALFLIFE",
        "START",
        "GROUP_NAMES",
        "MAX_JOBS_RUNNING",
    )
    for name in (*names, "SCHEDD.START", "NEGOTIATOR_MATCH_EXPRS", "GROUP_QUOTA_a", "NOT_KNOWN"):
        pairs = [
            (f"[{text}]", f"{meaning(config, name, text)}")
            for text in (*_TEXTS, "(A)+b", "a + B", "B A")
        ]
        yield f"{name}: {kind_of(name).name}"
        yield from (f"  {line}" for line in _grouped(pairs))


def _uses() -> Iterator[str]:
    names = [*KNOBS, *OTHER_KNOBS, *reader_rows(), *meanings(), *_NAMES]
    yield from _grouped(((name, f"{find_use(name)}") for name in dict.fromkeys(names)), 5)


def _readers() -> Iterator[str]:
    pairs = []
    for name in dict.fromkeys([*reader_rows(), *meanings(), *_NAMES]):
        found = find_readers(name)
        if found is None:
            pairs.append((name, "read by nobody known"))
            continue
        knob = found.knob("SCHEDD")
        row = [
            found.kind,
            " ".join(d for d in MAIN if d in found.daemons),
            f"{sorted(found.ended.items())}",
        ]
        row += [
            f"{found.low}..{found.high}",
            "no knob" if knob is None else f"{knob.kind.name} wide {knob.wide}",
        ]
        pairs.append((name, "; ".join(row)))
    yield from _grouped(pairs, 5)
    yield from _grouped(
        (name, f"one word longer: {longer_name(name)}")
        for name in (*_NAMES, "NEGOTIATOR", "SCHEDD_CRON")
    )


def _names() -> Iterator[str]:
    for name in _NAMES:
        knob, other, old = find_knob(name), find_other(name), find_obsolete(name)
        told = [f"knob {knob.name} {knob.member(name) if knob.is_family else ''}" if knob else ""]
        told += [
            f"other {other.name}" if other else "",
            f"obsolete: {old} / {old.instead}" if old else "",
        ]
        told += [once_predefined(name) or "", "list" if is_list(name) else ""]
        told += [
            f"in {one.name}: {member}" for one in LISTS if (member := one.member(name)) is not None
        ]
        told += [f"one of {one.words[0]}" for one in CHOICES if one.macros.fullmatch(name)]
        told += [
            f"{low}..{high} {what}" for macros, low, high, what in BOUNDS if macros.fullmatch(name)
        ]
        told += ["a period" if CRON_PERIODS.fullmatch(name) else ""]
        parameter = find_parameter(name)
        told += [f"parameter {list(parameter.as_json().values())}" if parameter else ""]
        yield f"{name}: {'; '.join(filter(None, told))}"
    yield " ".join(
        text
        for text in ("5", "5s", "5M", "h", "5 s", "", "5d", "05h")
        if CRON_PERIOD.fullmatch(text)
    )
    yield " ".join(f"{low}<{high}" for low, high in ORDERED)
    for one in CHOICES:
        strange = one.strange(
            ["periodic", "QUICK", "D_ALL", "d_dye", "x", "True", "hard", "XML", "group"]
        )
        told = f"{one.words[-1]}, {one.otherwise}, {one.many} {one.ends}: {strange}"
        yield f"{one.macros.pattern[:30]}: {told}"


_TRIED: Final = (
    "PREEMPTION_REQUIREMENTS", "PREEMPTION_RANK", "NEGOTIATOR_SLOT_CONSTRAINT", "MINE",
    "NEGOTIATOR_JOB_CONSTRAINT", "NEGOTIATOR_INTERVAL", "GROUP_NAMES", "GROUP_QUOTA_a",
)  # fmt: skip
_VALUES: Final = (
    "true", "false", "1", "0", "0.0", "-2.5", "16777217", "1e39", "-1e39", "3.4028234663852886e38",
    "3.4028235677973366e38", "3.4028235e38", "undefined", "error", '"x"', "{1}", "", "1 +",
    "$(LOOP)", "1 ? 2 : 3 x", "RemoteUserPrio", "SubmitterUserPrio + RemoteUserPrio", "a + b",
    "MY.c + TARGET.d", "$INT(x)",
)  # fmt: skip
_GIVEN: Final = (
    ('RemoteUserPrio', '0.1'), ('SubmitterUserPrio', '16777217'), ('a', '0.1'), ('MY.b', '1 + 1'),
    ('my.c', 'a * 2'), ('TARGET.d', 'RemoteUserPrio'), ('target.RemoteUserPrio', '5'),
    ('x.y', '1'), ('MY.SubmitterUserPrio', '2'), ('a-b', '1'), ('', '1'), ('e', '1 +'),
    ('e', '1 ? 2 : 3 x'), ('RemoteUserPrio', '"text"'), ('RemoteUserPrio', 'true'),
    ('RemoteUserPrio', 'a'), ('9', '1'),
)  # fmt: skip


def _trials() -> Iterator[str]:
    """What expressions come to in an empty pair of ads, and what the negotiator makes of that."""
    for macro in _TRIED:
        pairs = []
        for text in _VALUES:
            try:
                tried = _tried(macro, text)
            except CannotTry as why:
                pairs.append((f"[{text}]", f"{macro}: {why} {_written(why.diagnostic)}"))
                continue
            found, missing = tried.outcome(), [one.name for one in tried.missing()]
            told = f"{macro}: {tried.text} is {found.value!r}, {found.effect}"
            pairs.append((f"[{text}]", f"{told} missing {missing} {_written(tried.ignored)}"))
        yield from _grouped(pairs)
    yield "not set: " + ", ".join(_refused("NOT_KNOWN", ""))
    for name, text in _GIVEN:
        tried = _tried("PREEMPTION_REQUIREMENTS", "RemoteUserPrio + SubmitterUserPrio + a + b")
        try:
            tried.assign(name, text)
        except CannotTry as why:
            yield f"{name} = {text}: {why} {_written(why.diagnostic)}"
        else:
            left = [one.name for one in tried.missing()]
            yield f"{name} = {text}: MY {dict(tried.my)} TARGET {dict(tried.target)} {left}"
        for number in (0.1, 5.0):
            with suppress(CannotTry):
                tried.assign_number(name, number)
                yield f"  {number}: {dict(tried.my)} {dict(tried.target)}"
    for ads in ([], ["MyCurrentTime = 5"], ["LastHeardFrom = 7", "ServerTime = 6.5"], ["A = 1"]):
        yield f"{ads}: {newest_time([ClassAd(f'[{ad}]') for ad in ads])}"
    for ads in (['ServerTime = "x"', "MyCurrentTime = 1"], ["MyCurrentTime = true"]):
        yield f"{ads}: {newest_time([ClassAd(f'[{ad}]') for ad in ads])}"


def _tried(macro: str, text: str) -> Trial:
    config = _set_to(text, [macro])
    return trial(config, macro, ClassAd(), ClassAd(), EvalContext(now=1.7e9))


def _refused(macro: str, text: str) -> Iterator[str]:
    try:
        yield _tried(macro, text).text
    except CannotTry as why:
        yield str(why)


SECTIONS: Final[dict[str, Callable[[], Iterator[str]]]] = {
    "Knobs": _knobs,
    "What knobs make of texts": _readings,
    "What the tools make of texts": _tools,
    "What is a text for the tools": _texts_for_tools,
    "Meanings": _meanings,
    "Where expressions are evaluated": _uses,
    "Who reads a macro": _readers,
    "What is known of names": _names,
    "Trials of expressions": _trials,
}


def kept() -> dict[str, list[str]]:
    """The lines of the file by section."""
    return kept_sections(DECLARED)


if __name__ == "__main__":
    write_sections(DECLARED, SECTIONS)
