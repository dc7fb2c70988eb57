"""Parses, evaluates and prints ClassAd expressions as the configuration uses them.

Macro texts are in old ClassAd syntax and evaluated against nothing.  Inputs: expression texts, the
clock as seconds since 1970.  Outputs: values, compiled expressions, or None /
``ClassAdParseError`` for texts that are not expressions.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from classad.ads.expression import Expression
from classad.errors import ClassAdParseError, Diagnostic
from classad.language.rules import NEWEST, LanguageRules
from classad.patterns import late_regex
from classad.syntax.parser import parse_expression
from policy.language.numbers import Evaluate

if TYPE_CHECKING:
    from classad.source import Source
    from classad.syntax.nodes import Node

#: ``20 # of each host``, ``5 minutes``: what is seen to be none without the grammar, which takes as
#: long to load as all else that a check of a small file needs.
_NO_EXPRESSION: Final = late_regex(
    r"[^\"'/?]*[#$@`][^\"'/?]*|[ \t]*-?[0-9]+(?:\.[0-9]+)?[ \t]+[A-Za-z_]\w*[ \t]*"
)
#: ``/etc/condor``, ``, a``: how no expression begins; ``//`` and ``/*`` begin comments.
_NO_BEGINNING: Final = late_regex(r"[ \t]*(?:/(?![/*])|[,*%=>&|^:;)\]}])")
#: Characters of a text at most whose tree is kept.
_LONGEST: Final = 4096


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
    if source is None and len(text) <= _LONGEST:
        return Expression.from_node(_node(text, whole, language))
    node = parse_expression(text, old=True, source=source, whole=whole, language=language)
    return Expression.from_node(node)


@lru_cache(maxsize=1024)
def _node(text: str, whole: bool, language: LanguageRules) -> Node:
    """The tree of a text, which a check asks for again and again."""
    return parse_expression(text, old=True, whole=whole, language=language)


def begins_as_none(text: str) -> bool:
    """Is a text seen to be no expression, nor to begin with one, as a path is?"""
    return _NO_BEGINNING.match(text) is not None


def is_expression(text: str) -> bool:
    """Does a text parse?"""
    if begins_as_none(text):
        return False
    try:
        parse(text)
    except ClassAdParseError:
        return False
    return True


def text_behind(text: str) -> Diagnostic | None:
    """What is wrong with text that the daemons ignore behind an expression, if there is any.

    Their parser stops behind a conditional that is complete, and nowhere else.
    """
    if "?" not in text:
        return None
    try:
        parse(text, whole=True)
    except ClassAdParseError as mistake:
        return mistake.diagnostic
    return None


#: Characters that a text has at least whose nesting may take many frames.
_LOW: Final = 100
#: Values of texts that are kept.
_MOST: Final = 10_000


def evaluator(now: float) -> Evaluate:
    """Evaluates texts at time ``now``; None for what cannot be parsed."""
    from classad.ads.ad import Ad
    from classad.evaluate import EvalContext, evaluate_exactly

    known: dict[str, object] = {}

    def evaluate_text(text: str) -> object:
        if not text.strip() or begins_as_none(text) or _NO_EXPRESSION.fullmatch(text):
            return None
        if text in known:
            return known[text]
        try:
            tree = parse(text)
        except ClassAdParseError:
            return None
        # It is evaluated once, which takes less than compiling it.
        low, context = len(text) < _LOW, EvalContext(now=now)
        value, _ = evaluate_exactly(tree, Ad(), None, None, context, low=low)
        if "(" not in text and len(known) < _MOST:  # a function may give another one each time
            known[text] = value
        return value

    return evaluate_text


def unparse(value: object) -> str:
    """A value as ClassAd text."""
    from classad.formats.unparse import unparse_value

    return unparse_value(value)
