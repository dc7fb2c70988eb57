"""Finds what is doubtful about an expression that somebody typed, though the language takes it.

Decides that a call of a function that does not exist and a name that no ad has are worth a note,
since their value is error or undefined for every ad.

Inputs: where the expression was written, its tree, what is known.  Outputs: diagnostics.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from classad.errors import Diagnostic
from classad.evaluation.state import EvalContext
from classad.language.names import UNUSUAL, fold_name
from classad.source import Source
from classad.syntax.nodes import AdExpr, Call, Node, Reference, walk
from pieslice.reports.names import did_you_mean, hint


def unknown_functions(source: Source, node: Node, context: EvalContext) -> Iterator[Diagnostic]:
    """Calls of functions that do not exist: their value is error."""
    from classad.evaluation.functions import lookup_function, suggest_function

    for call in walk(node):
        if isinstance(call, Call) and lookup_function(call.name, context) is None:
            meant = suggest_function(call.name, context)
            message = f"unknown function `{call.name}`" + hint(meant)
            end = call.start + len(call.name)
            yield Diagnostic(message, source, call.start, end, severity="note")


def absent_attributes(source: Source, node: Node, known: Collection[str]) -> Iterator[Diagnostic]:
    """Names that no ad has: their value is undefined.

    ``known``: the attributes of all ads that a name could be found in.  Of an expression that
    evaluates parts of itself in other ads nothing is said.
    """
    parts = list(walk(node))
    if any(
        isinstance(part, AdExpr) or (isinstance(part, Call) and _is_elsewhere(part.name))
        for part in parts
    ):
        return
    folded = {fold_name(name) for name in known}
    for part in parts:
        if isinstance(part, Reference) and _is_of_ads(part) and fold_name(part.name) not in folded:
            message = f"no ad has `{part.name}`" + did_you_mean(part.name, known)
            yield Diagnostic(message, source, part.start, part.end, severity="note")


def _is_elsewhere(name: str) -> bool:
    """Whether a function evaluates something in an ad that is not known, or a text."""
    from classad.evaluation.functions import TEXT, lookup_function

    function = lookup_function(name)
    return function is not None and (function.elsewhere or TEXT in function.reads)


def _is_of_ads(node: Reference) -> bool:
    """Whether a name is looked up in the ads themselves, and nowhere else."""
    if node.base is None:
        return not node.absolute and fold_name(node.name) not in UNUSUAL
    return node.scope in ("my", "target")
