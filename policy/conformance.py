"""Golden observations of the real configuration tools against this package.

What is decided here: how a recorded case is replayed and compared.  Inputs: cases of the format
``config-vectors/1`` as plain dictionaries.  Outputs: for each case the list of differences, empty
when it agrees; messages are compared by kind only.
Never here: opening files, exceptions for single cases.
Follows: the README beside the vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from attr import frozen

from policy.config import Config, Library, load_config
from policy.host import HostFacts
from policy.knob import Kind, Knob
from policy.knobs import find_knob
from policy.macros import ExpansionError
from policy.sources import MemorySources
from policy.table import Context
from policy.typed import read_knob

#: The directory that `@ROOT@` stands for while replaying.
ROOT = "/pool"
#: The machine the observations were made on.
RECORDED_HOST = HostFacts(
    detected_cpus=2,
    detected_physical_cpus=2,
    detected_memory_mb=24105,
    username="root",
    ip_address="192.0.2.2",
    ipv6_address="fd00::2",
)
_KINDS = {"bool": Kind.BOOL, "int": Kind.INT, "long": Kind.INT, "double": Kind.DOUBLE}


@frozen
class Setup:
    """What replaying needs beyond the cases.

    ``table`` has default, type and range of macros by name; ``runner`` stands in for programs
    that a case runs.
    """

    library: Library
    table: Mapping[str, list[str]]
    runner: Callable[[str], str | None] | None = None


def differences(case: Mapping[str, Any], setup: Setup) -> list[str]:
    """What differs between the observation and this package."""
    config = replay(case, setup)
    expected = case["expect"]
    if (expected["status"] == "ok") != config.complete:
        said = "; ".join(found.message for found in config.diagnostics) or "nothing"
        return [f"status: expected {expected['status']}, said {said}"]
    found: list[str] = []
    if expected["status"] == "error":
        return found
    for name, wanted in (expected.get("values") or {}).items():
        found.extend(_value_differences(config, name, wanted))
    for name, wanted in (expected.get("typed") or {}).items():
        got = _typed(config, name, setup)
        if got != (wanted["type"], wanted["value"]):
            found.append(f"{name}: expected {wanted}, got {got}")
    return found


def replay(case: Mapping[str, Any], setup: Setup) -> Config:
    """Read the configuration of a case."""
    files = {f"{ROOT}/{name}": _place(text) for name, text in case["files"].items()}
    environment = {k: _place(v) for k, v in (case.get("env") or {}).items()}
    return load_config(
        f"{ROOT}/condor_config",
        MemorySources(files, setup.runner),
        setup.library,
        context=Context(case.get("subsystem") or "TOOL", case.get("local_name")),
        environment={"PATH": "/usr/bin:/bin", "HOME": "/root", **environment},
        host=RECORDED_HOST,
        rng=Random(1),
    )


def _place(text: str) -> str:
    return text.replace("@ROOT@", ROOT)


def _value_differences(config: Config, name: str, wanted: Mapping[str, Any]) -> list[str]:
    definition = config.lookup(name)
    found = []
    if (definition is not None) != wanted["defined"]:
        return [f"{name}: expected defined {wanted['defined']}"]
    if definition is None:
        return []
    if "raw" in wanted and definition.raw != _place(wanted["raw"]):
        found.append(f"{name}: expected raw {wanted['raw']!r}, got {definition.raw!r}")
    endless = bool(wanted.get("nonterminating")) or wanted.get("exit", 0) < 0
    try:
        value = _tool_value(config, name)
    except ExpansionError as problem:
        return found if endless else [*found, f"{name}: {problem}"]
    if endless:
        found.append(f"{name}: expected no end, got {value!r}")
    elif value != (None if wanted["value"] is None else _place(wanted["value"])):
        found.append(f"{name}: expected {wanted['value']!r}, got {value!r}")
    return found


def _tool_value(config: Config, name: str) -> str | None:
    """The value as the command-line tool gets it: it asks for the local name's macro first."""
    local = config.context.local_name
    if local is not None and config.lookup(f"{local}.{name}") is not None:
        return config.text(f"{local}.{name}")
    return config.text(name)


def _typed(config: Config, name: str, setup: Setup) -> tuple[str, object]:
    """Type and value as the Python interface reads them, by the type in the parameter table."""
    row = next((r for n, r in setup.table.items() if n.casefold() == name.casefold()), None)
    known = find_knob(name)
    if known is not None and (known.in_table or row is None):
        row = [known.default or "", _TABLE_TYPES.get(known.name, known.kind.value)]
    default, kind = (row or [""])[0], _KINDS.get((row or ["", ""])[-1] if row else "")
    del default
    knob = known or Knob(name, kind or Kind.STRING, None, "Reads a macro of the table")
    if config.lookup(name) is None:
        return "undefined", None
    value = read_knob(config, knob).value
    return type(value).__name__, value


_TABLE_TYPES = {"CONCURRENCY_LIMIT_DEFAULT": "int"}
