"""Parses, evaluates and prints ClassAd expressions as the configuration uses them.

Macro texts are in old ClassAd syntax and evaluated against nothing.  Inputs: expression texts, the
clock as seconds since 1970.  Outputs: values, compiled expressions, or None /
``ClassAdParseError`` for texts that are not expressions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from classad.errors import ClassAdParseError, Diagnostic
from classad.language.rules import NEWEST, LanguageRules
from policy.language.numbers import Evaluate

if TYPE_CHECKING:
    from classad.ads.expression import Expression
    from classad.source import Source


def parse(
    text: str,
    source: Source | None = None,
    *,
    whole: bool = False,
    language: LanguageRules = NEWEST,
) -> Expression:
    """The expression in ``text``; raises ``ClassAdParseError``.

    ``whole``: also for text behind a conditional, which the daemons ignore in a configuration.
    ``language``: the rules of the version that reads.
    """
    from classad.ads.expression import Expression
    from classad.syntax.parser import parse_expression

    node = parse_expression(text, old=True, source=source, whole=whole, language=language)
    return Expression.from_node(node)


def text_behind(text: str) -> Diagnostic | None:
    """What is wrong with text that the daemons ignore behind an expression, if there is any.

    Their parser stops behind a conditional that is complete, and nowhere else.
    """
    from classad.syntax.parser import parse_expression

    if "?" not in text:
        return None
    try:
        parse_expression(text, old=True, whole=True)
    except ClassAdParseError as mistake:
        return mistake.diagnostic
    return None


def evaluator(now: float) -> Evaluate:
    """Evaluates texts at time ``now``; None for what cannot be parsed."""

    def evaluate_text(text: str) -> object:
        if not text.strip():
            return None
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
