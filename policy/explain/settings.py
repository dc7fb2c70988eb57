"""Lists the macros of a configuration with their values, defaults and places.

Inputs: a ``Config``.  Outputs: ``Listed`` values: everything that is set or built in, or what is
set otherwise than the defaults (``policy.explain.meaning`` says what equals a default).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from attr import frozen

from policy.config import Config
from policy.explain.meaning import default_text, macro_of, meaning
from policy.knobs import find_knob
from policy.language.macros import ExpansionError
from policy.language.table import DETECTED_ORIGIN, Definition


@frozen
class Listed:
    """One macro: its definition, its value (None if the expansion has no end), and its default."""

    name: str
    definition: Definition
    value: str | None
    default: str | None
    problem: str = ""

    def text(self, *, raw: bool) -> str:
        """The value to show."""
        return self.definition.raw if raw or self.value is None else self.value

    def as_json(self) -> dict[str, object]:
        """Fields for programs."""
        return {
            "name": self.name,
            "value": self.value,
            "default": self.default,
            **_place(self.definition),
            "replaces": [_place(earlier) for earlier in list(self.definition.chain())[1:]],
        }


def _place(definition: Definition) -> dict[str, object]:
    return {
        "raw": definition.raw,
        "file": definition.origin,
        "line": definition.line,
        "template": definition.template,
    }


def listed(config: Config, name: str, definition: Definition) -> Listed:
    """One macro with its value."""
    problem = ""
    value: str | None = None
    try:
        value = config.expand(definition).text
    except ExpansionError as endless:
        problem = str(endless)
    macro = macro_of(config, definition)
    return Listed(name, definition, value, default_text(config, find_knob(macro), macro), problem)


def everything(config: Config, patterns: Iterable[re.Pattern[str]] = ()) -> Iterator[Listed]:
    """All macros that are set or have a built-in default, by name; only those that match."""
    wanted = tuple(patterns)
    names = {name.casefold(): name for name in config.scope.table.default_names()}
    names.update((name.casefold(), name) for name in config.names())
    for name in sorted(names.values(), key=str.casefold):
        definition = config.scope.table.exact(name)
        if definition is None or (wanted and not any(p.search(name) for p in wanted)):
            continue
        yield listed(config, name, definition)


def changed(config: Config) -> list[Listed]:
    """What files, environment and command line set otherwise than the defaults, in their order."""
    own = (entry for entry in config.scope.table if entry.origin != DETECTED_ORIGIN)
    every = (listed(config, entry.name, entry) for entry in own)
    found = [one for one in every if not _is_default(config, one)]
    origins = {path: number for number, path in enumerate(config.files)}
    last = len(origins)
    return sorted(
        found, key=lambda one: (origins.get(one.definition.origin, last), one.definition.line or 0)
    )


def _is_default(config: Config, one: Listed) -> bool:
    macro = macro_of(config, one.definition)
    if one.value is None or macro != one.definition.name:
        return False  # with a prefix it may well undo another setting
    default = meaning(config, macro, one.default or "")
    return one.default is not None and meaning(config, macro, one.value) == default
