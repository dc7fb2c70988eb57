"""Parses, evaluates and prints ClassAd expressions as the configuration uses them.

Macro texts are in old ClassAd syntax and evaluated against nothing.  Inputs: expression texts, the
clock as seconds since 1970.  Outputs: values, compiled expressions, or None /
``ClassAdParseError`` for texts that are not expressions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from classad.errors import ClassAdParseError
from policy.language.numbers import Evaluate

if TYPE_CHECKING:
    from classad.ads.expression import Expression
    from classad.source import Source


def parse(text: str, source: Source | None = None) -> Expression:
    """The expression in ``text``; raises ``ClassAdParseError``."""
    from classad.ads.expression import Expression
    from classad.syntax.parser import parse_expression

    return Expression.from_node(parse_expression(text, old=True, source=source))


def evaluator(now: float) -> Evaluate:
    """Evaluates texts at time ``now``; None for what cannot be parsed."""

    def evaluate_text(text: str) -> object:
        from classad.evaluate import EvalContext, evaluate

        try:
            tree = parse(text)
        except ClassAdParseError:
            return None
        return evaluate(tree, context=EvalContext(now=now))

    return evaluate_text


def unparse(value: object) -> str:
    """A value as ClassAd text."""
    from classad.formats.unparse import unparse_value

    return unparse_value(value)
