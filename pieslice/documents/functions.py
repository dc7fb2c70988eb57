"""The function reference ``docs/functions.md``, written from the declarations.

``python -m pieslice.documents functions`` prints it.
Never here: a fact about a function; those stand where the function is declared.
"""

from __future__ import annotations

from collections.abc import Iterator

from classad.evaluation.functions import FAMILIES, Builtin, load

_INTRODUCTION = """\
<!-- Written by `python -m pieslice.documents functions`; edit classad/builtins. -->

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
    return doc.partition("Follows:")[0].partition("Never here:")[0].strip()


def _entry(names: list[str], function: Builtin) -> Iterator[str]:
    title = ", ".join(f"`{name}`" for name in names)
    yield f"### {title}\n"
    yield f"{' '.join(function.doc.split())}\n"
    yield f"Arguments: {function.arity}. Undefined and error: {function.exceptional}."
    if not function.deterministic:
        yield "The value depends on the surroundings of the evaluation."
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
