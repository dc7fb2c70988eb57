"""Replays what the real configuration tools were observed to do, and compares.

Decides how a recorded case is replayed and compared.

Inputs: cases of the formats ``config-vectors/1``, ``usermap-vectors/1`` and
``negotiator-startup/1`` as plain dictionaries.  Outputs: for each case the list of differences,
empty when it agrees; of messages only that there is an error.  Follows: the README beside the
vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final, NamedTuple

from attr import frozen

from pieslice.data import Record
from policy.config import Config, Library, load_config
from policy.language.expressions import unparse
from policy.language.host import HostFacts
from policy.language.macros import ExpansionError
from policy.language.sources import MemorySources
from policy.language.table import Context
from tests.conform.configuration.tool_values import table_row, tool_value

#: The directory that `@ROOT@` stands for while replaying.
ROOT = "/pool"
#: The clock while replaying, seconds since 1970; no observation depends on which.
RECORDED_CLOCK: Final = 1_700_000_000.0
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

    builtin: Library
    table: dict[str, list[str]]
    runner: Callable[[str], str | None] | None = None


class _CountingRandom(Random):
    """Counts draws that could have come out differently."""

    draws = 0

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        outcomes = len(range(start) if stop is None else range(start, stop, step))
        self.draws += outcomes > 1
        return super().randrange(start, stop, step)


class Difference(NamedTuple):
    """One difference: what was compared, what was recorded and what came out."""

    field: str
    expected: object
    actual: object


#: The fields of a case, by format of the file it stands in.
CASE_FIELDS: Final = {
    "config-vectors/1": frozenset(
        (
            *("id", "area", "note", "files", "env", "subsystem", "local_name", "expect"),
            "condor_version",
        )
    ),
    "usermap-vectors/1": frozenset(("id", "map", "map_name", "results")),
    "negotiator-startup/1": frozenset(("id", "config", "starts", "exit", "messages")),
}


def check_case(format_name: str, case: Record, setup: Setup) -> list[Difference]:
    """The differences of a case of any of the formats."""
    if format_name == "usermap-vectors/1":
        return usermap_differences(case)
    if format_name == "negotiator-startup/1":
        return startup_differences(case, setup)
    return differences(case, setup)


def usermap_differences(case: Record) -> list[Difference]:
    """What ``userMap`` answers otherwise than recorded."""
    from classad.evaluate import EvalContext, evaluate
    from policy.maps.user_maps import UserMaps, parse_user_map

    maps = UserMaps({case["map_name"]: parse_user_map(case["map"])})
    context = EvalContext(user_maps=maps)
    found = []
    for text, expected in case["results"].items():
        actual = unparse(evaluate(text, context=context))
        if actual != expected:
            found.append(Difference(text, expected, actual))
    return found


def startup_differences(case: Record, setup: Setup) -> list[Difference]:
    """Whether the start of condor_negotiator is foretold otherwise than recorded."""
    from policy.load import load_policy

    config = load_config(
        "condor_config",
        MemorySources({"condor_config": case["config"]}),
        setup.builtin,
        context=Context("NEGOTIATOR"),
        host=RECORDED_HOST,
        now=RECORDED_CLOCK,
    )
    status = 1
    if config.complete:
        status = 0 if load_policy(config).daemon_starts else 4
    actual = (status == 0, status or None)
    expected = (case["starts"], case["exit"])
    return [] if actual == expected else [Difference("starts, exit", expected, actual)]


def differences(case: Record, setup: Setup) -> list[Difference]:
    """What differs between an observation of the tools and this package."""
    config = replay(case, setup)
    expected = case["expect"]
    if (expected["status"] == "ok") != config.complete:
        said = "; ".join(found.message for found in config.diagnostics)
        return [Difference("status", expected["status"], said or "ok")]
    found: list[Difference] = []
    if expected["status"] == "error":
        return found
    for name, wanted in (expected.get("values") or {}).items():
        found.extend(_value_differences(config, name, wanted))
    for name, wanted in (expected.get("typed") or {}).items():
        got = _typed(config, name, setup)
        if got != wanted:
            found.append(Difference(f"typed {name}", wanted, got))
    return found


def replay(case: Record, setup: Setup) -> Config:
    """Read the configuration of a case."""
    files = {f"{ROOT}/{name}": _place(text) for name, text in case["files"].items()}
    environment = {k: _place(v) for k, v in (case.get("env") or {}).items()}
    return load_config(
        f"{ROOT}/condor_config",
        MemorySources(files, setup.runner),
        setup.builtin,
        context=Context(case.get("subsystem") or "TOOL", case.get("local_name")),
        environment={"PATH": "/usr/bin:/bin", "HOME": "/root", **environment},
        host=RECORDED_HOST,
        now=RECORDED_CLOCK,
        rng=_CountingRandom(1),
    )


def _place(text: str) -> str:
    return text.replace("@ROOT@", ROOT)


def _value_differences(config: Config, name: str, wanted: Record) -> list[Difference]:
    definition = config.lookup(name)
    if (definition is not None) != wanted["defined"]:
        return [Difference(f"defined {name}", wanted["defined"], definition is not None)]
    if definition is None:
        return []
    found = []
    if "raw" in wanted and definition.raw != _place(wanted["raw"]):
        found.append(Difference(f"raw {name}", _place(wanted["raw"]), definition.raw))
    chance = config.scope.functions.numbers()
    assert isinstance(chance, _CountingRandom)
    chance.draws = 0
    endless = bool(wanted.get("nonterminating")) or wanted.get("exit", 0) < 0
    recorded = wanted.get("value")
    expected = None if recorded is None else _place(recorded)
    try:
        value = _tool_value(config, name)
    except ExpansionError as problem:
        return found if endless else [*found, Difference(name, expected, str(problem))]
    if endless:
        found.append(Difference(name, "no end", value))
    elif value != expected and not chance.draws:
        # What was drawn when the case was recorded says nothing.
        found.append(Difference(name, expected, value))
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
