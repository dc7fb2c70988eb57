"""Lists the macros of a configuration with their values, defaults and places.

Inputs: a ``Config``.  Outputs: ``ListedMacro`` values: everything that is set or built in, or what
is set and repeats no default.
Follows: ``condor_config_val -dump`` and ``-summary`` of 25.14.1: a text equals the default, or is
``true`` or ``false`` in another case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from attr import frozen

from policy.config import Config
from policy.explain.meaning import default_text, macro_of
from policy.knobs import find_knob
from policy.language.macros import ExpansionError
from policy.language.table import DETECTED_ORIGIN, Definition


@frozen
class ListedMacro:
    """One macro: its definition, its value (None if the expansion has no end), and its default."""

    name: str
    definition: Definition
    value: str | None
    default: str | None
    problem: str = ""

    def text(self, *, raw: bool) -> str:
        """The value to show."""
        return self.definition.raw if raw or self.value is None else self.value

    @property
    def replaces(self) -> tuple[Definition, ...]:
        """The definitions that this one replaces, the latest first."""
        return tuple(self.definition.chain())[1:]


def listed(config: Config, name: str, definition: Definition) -> ListedMacro:
    """One macro with its value."""
    definition = counting(config, definition)
    problem = ""
    value: str | None = None
    try:
        value = config.expand(definition).text
    except ExpansionError as endless:
        problem = str(endless)
    macro = macro_of(config, definition)
    return ListedMacro(
        name, definition, value, default_text(config, find_knob(macro), macro), problem
    )


def everything(
    config: Config, wanted: Sequence[Callable[[str], bool]] = ()
) -> Iterator[ListedMacro]:
    """All macros that are set or have a built-in default, by name; only those that are wanted."""
    names = {name.casefold(): name for name in config.scope.table.default_names()}
    names.update((name.casefold(), name) for name in config.names())
    for name in sorted(names.values(), key=str.casefold):
        definition = config.scope.table.exact(name)
        if definition is None or (wanted and not any(one(name) for one in wanted)):
            continue
        yield listed(config, name, definition)


def counting(config: Config, definition: Definition) -> Definition:
    """The definition that the tools show: the built-in one where a setting only repeats it."""
    default = config.scope.table.default_of(definition)
    same_name = default is not None and default.name.casefold() == definition.name.casefold()
    return default if default is not None and same_name else definition


def changed(config: Config) -> list[ListedMacro]:
    """What files, environment and command line set and that does not repeat a default, in order."""
    table = config.scope.table
    own = (entry for entry in table if entry.origin != DETECTED_ORIGIN)
    found = [listed(config, entry.name, entry) for entry in own if not table.default_of(entry)]
    origins = {path: number for number, path in enumerate(config.files)}
    last = len(origins)
    return sorted(
        found, key=lambda one: (origins.get(one.definition.origin, last), one.definition.line or 0)
    )
