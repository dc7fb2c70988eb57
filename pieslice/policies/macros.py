"""Lists macros with the places that set them, and writes what ``pieslice config`` prints of them.

Inputs: a ``Config``; ``ListedMacro`` values.  Outputs: lines for people.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from policy.config import Config
from policy.explain.settings import ListedMacro, counting
from policy.knobs import find_knob
from policy.knobs.parameters import Parameter
from policy.language.macros import ExpansionError
from policy.language.table import Definition

_INDENT = "  "


def shown_default(config: Config, name: str) -> str | None:
    """The built-in text of a macro, with that of knobs whose default is in the program."""
    built_in = config.scope.table.default(name)
    if built_in is not None:
        return built_in.raw
    knob = find_knob(name)
    return None if knob is None else knob.default


def trace(config: Config, name: str, definition: Definition) -> Iterator[str]:
    """Value, place, raw text, the macros in it and the definitions it replaced."""
    written, definition = definition, counting(config, definition)
    try:
        expanded = config.expand(definition)
        yield f"{name} = {expanded.text}"
        for problem in expanded.problems:
            yield f"{_INDENT}problem: {problem}"
        used = config.scope.used_by(definition)
    except ExpansionError as endless:
        yield f"{name}: {endless}"
        used = []
    yield f"{_INDENT}set at {definition.place()}" + _spelled(name, definition)
    yield f"{_INDENT}raw {definition.raw}"
    for macro, found in used:
        value = "not defined" if found is None else f"{found.raw}  ({found.place()})"
        yield f"{_INDENT}uses {macro} = {value}"
    for earlier in list(written.chain())[1:]:
        yield f"{_INDENT}replaces {earlier.raw}  ({earlier.place()})"
    knob = find_knob(name)
    if knob is not None:
        default = "none" if knob.default is None else knob.default or "empty"
        yield f"{_INDENT}default {default}"
        if not knob.honoured:
            yield f"{_INDENT}not honoured by pieslice negotiate: {knob.reason}"


def info_lines(parameter: Parameter) -> Iterator[str]:
    """What is known about a macro, one fact a line."""
    yield f"{parameter.name}: {parameter.doc}"
    kind = ", ".join(part for part in (parameter.type, parameter.unit) if part)
    yield f"{_INDENT}type {kind}"
    if parameter.range:
        yield f"{_INDENT}range {parameter.range}"
    default = "none" if parameter.default is None else parameter.default or "empty"
    yield f"{_INDENT}default {default}"
    yield f"{_INDENT}read by {parameter.reader}"
    knob = find_knob(parameter.name)
    if knob is not None and not knob.honoured:
        yield f"{_INDENT}not honoured by pieslice negotiate: {knob.reason}"


def _spelled(name: str, definition: Definition) -> str:
    same = name.casefold() == definition.name.casefold()
    return "" if same else f" as {definition.name}"


def dump_lines(macros: Iterable[ListedMacro], *, raw: bool, places: bool) -> Iterator[str]:
    """``NAME = value``, with ``places`` each followed by where it is set."""
    for one in macros:
        yield _assignment(one, raw=raw)
        if one.problem:
            yield f"{_INDENT}problem: {one.problem}"
        if places:
            yield f"{_INDENT}set at {one.definition.place()}"


def summary_lines(macros: Iterable[ListedMacro]) -> Iterator[str]:
    """Grouped by file, each text as it is set, after the number of its line."""
    origin = None
    for one in macros:
        if one.definition.origin != origin:
            if origin is not None:
                yield ""
            origin = one.definition.origin
            yield f"# {origin}"
        line = "" if one.definition.line is None else f"{one.definition.line}: "
        tail = f"  # use {one.definition.template}" if one.definition.template else ""
        yield f"{line}{_assignment(one, raw=True)}{tail}"


def _assignment(one: ListedMacro, *, raw: bool) -> str:
    text = one.text(raw=raw)
    if "\n" in text:
        return f"{one.name} @=end\n{text}\n@end"
    return f"{one.name} = {text}".rstrip()
