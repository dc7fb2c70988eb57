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
from policy.macros import ExpansionError
from policy.sources import MemorySources
from policy.table import Context
from policy.toolread import table_row, tool_value

#: The directory that `@ROOT@` stands for while replaying.
ROOT = "/pool"
#: The machine the observations were made on.
RECORDED_HOST = HostFacts(
    detected_cpus=2,
    detected_physical_cpus=2,
    detected_memory_mb=24105,
    username="root",
    tilde="/var/lib/condor",
    ip_address="192.0.2.2",
    ipv6_address="fd00::2",
)


@frozen
class Setup:
    """What replaying needs beyond the cases.

    ``table`` has default, type and range of macros by case-folded name; ``runner`` stands in for
    the programs that a case runs.
    """

    library: Library
    table: dict[str, list[str]]
    runner: Callable[[str], str | None] | None = None


class _CountingRandom(Random):
    """Counts draws that could have come out differently."""

    draws = 0

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        outcomes = len(range(start) if stop is None else range(start, stop, step))
        self.draws += outcomes > 1
        return super().randrange(start, stop, step)


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
        if got != wanted:
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
        now=1_700_000_000.0,
        rng=_CountingRandom(1),
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
    chance = config.scope.functions.rng
    assert isinstance(chance, _CountingRandom)
    chance.draws = 0
    try:
        value = _tool_value(config, name)
    except ExpansionError as problem:
        return found if endless else [*found, f"{name}: {problem}"]
    if endless:
        found.append(f"{name}: expected no end, got {value!r}")
    elif chance.draws:
        pass  # what was drawn when the case was recorded says nothing
    elif value != (None if wanted["value"] is None else _place(wanted["value"])):
        found.append(f"{name}: expected {wanted['value']!r}, got {value!r}")
    return found


def _tool_value(config: Config, name: str) -> str | None:
    """The value as the command-line tool gets it: it asks for the local name's macro first."""
    local = config.context.local_name
    if local is not None and config.lookup(f"{local}.{name}") is not None:
        return config.text(f"{local}.{name}")
    return config.text(name)


def _typed(config: Config, name: str, setup: Setup) -> dict[str, object]:
    """Type and value as the Python interface has them."""
    value = tool_value(config, name, table_row(name, setup.table))
    if value is None:
        return {"type": "undefined", "value": None}
    shown = repr(value) if isinstance(value, float) else value
    return {"type": type(value).__name__, "value": shown}
