"""Lists macros with the places that set them.

Decides which macros ``pieslice config dump`` and ``summary`` list, in which order.

Inputs: a ``Config``.  Outputs: ``Listed`` values, lines of text or JSON objects made of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from policy.explain.settings import Listed

_INDENT = "  "


def dump_lines(found: Iterable[Listed], *, raw: bool, places: bool) -> Iterator[str]:
    """``NAME = value``, with ``places`` each followed by where it is set."""
    for one in found:
        yield _assignment(one, raw=raw)
        if one.problem:
            yield f"{_INDENT}problem: {one.problem}"
        if places:
            yield f"{_INDENT}set at {one.definition.place()}"


def summary_lines(found: Iterable[Listed]) -> Iterator[str]:
    """Grouped by file, each text as it is set, after the number of its line."""
    origin = None
    for one in found:
        if one.definition.origin != origin:
            if origin is not None:
                yield ""
            origin = one.definition.origin
            yield f"# {origin}"
        line = "" if one.definition.line is None else f"{one.definition.line}: "
        tail = f"  # use {one.definition.template}" if one.definition.template else ""
        yield f"{line}{_assignment(one, raw=True)}{tail}"


def _assignment(one: Listed, *, raw: bool) -> str:
    text = one.text(raw=raw)
    if "\n" in text:
        return f"{one.name} @=end\n{text}\n@end"
    return f"{one.name} = {text}".rstrip()
