"""Writes the function reference, ``docs/functions.md``, from the declarations.

``python -m docs.written functions`` prints it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from classad.evaluation.functions import FAMILIES, Builtin, Reads, Where, load

_INTRODUCTION = """\
<!-- Written by `python -m docs.written functions`; edit classad/builtins. -->

# Functions

The functions that ClassAd expressions may call, as HTCondor 25.14.1 has them. Names are read
without regard to case. A call with another number of arguments than given here is an error value,
and its arguments are not evaluated. Unless a function says otherwise its arguments are evaluated
from left to right before it runs.

The examples show the value in new ClassAd syntax; each of them is run by the tests.
"""


def declarations() -> Iterator[tuple[str, list[tuple[list[str], Builtin]]]]:
    """For each family its functions, each with all its names, in the order of declaration."""
    table = load()
    for family in FAMILIES:
        groups: dict[int, tuple[list[str], Builtin]] = {}
        for function in table.values():
            if function.family == family:
                groups.setdefault(id(function.impl), ([], function))[0].append(function.name)
        yield family, list(groups.values())


def family_doc(family: str) -> str:
    """The first paragraphs of a family's module, up to what it follows."""
    from importlib import import_module

    doc = import_module(f"classad.builtins.{family}").__doc__ or ""
    text = doc.partition("Follows:")[0].strip().removeprefix("Defines ")
    return text[:1].upper() + text[1:]


#: What a function may read besides its arguments, in words.
_READS: Final = {
    Reads.CLOCK: "the time",
    Reads.ZONE: "the local zone",
    Reads.CHANCE: "chance",
    Reads.ENVIRONMENT: "what the evaluation was given from outside",
    Reads.USAGE: "the usage of users",
    Reads.EXPRESSIONS: "the expressions of attributes",
    Reads.TEXT: "whatever the text reads",
}


def _surroundings(function: Builtin) -> str:
    read = [words for cause, words in _READS.items() if cause in function.reads]
    read += [
        f"{words} when it is called without arguments"
        for cause, words in _READS.items()
        if cause in function.reads_alone
    ]
    if Where.IN_EACH in function.where:
        read.append("the ads in the list")
    return " and ".join(read)


def _entry(names: list[str], function: Builtin) -> Iterator[str]:
    title = ", ".join(f"`{name}`" for name in names)
    yield f"### {title}\n"
    yield f"{' '.join(function.doc.split())}\n"
    yield f"Arguments: {function.arity}. Undefined and error: {function.exceptional}."
    if not function.deterministic:
        yield f"The value depends on {_surroundings(function)}."
    yield "\n```"
    yield from function.examples
    yield "```\n"


def functions_page() -> str:
    """The whole reference as Markdown."""
    lines = [_INTRODUCTION]
    for family, functions in declarations():
        lines.append(f"## {family}\n\n{family_doc(family)}\n")
        for names, function in functions:
            lines.extend(_entry(names, function))
    return "\n".join(lines).rstrip() + "\n"
