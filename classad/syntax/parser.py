"""Parses ClassAd expressions, and ads in new syntax, into syntax trees.

The rules are those of grammar/classad.lark, the wording of errors is in
``classad.syntax.grammar``.

Inputs: a text, optionally with its ``Source`` for the places in messages; the syntax of strings
(``old``), the semantics (``strict``) and the time zone of time literals that name none.
Outputs: nodes with spans into the text, or ``ClassAdParseError`` whose ``diagnostic`` points.
Follows: HTCondor 25.14.1: a complete parse wants the end of the text, except behind a conditional
that is the whole expression; the long form of ads ignores what follows an expression anyway.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from classad.errors import EXPRESSION_MESSAGE, ClassAdParseError, Diagnostic
from classad.language.bounds import ANOTHER, most_parts, too_many
from classad.language.rules import NEWEST, OLD, PREFIX, STRICT, WHOLE, LanguageRules
from classad.patterns import late_regex
from classad.source import Source
from classad.syntax import native as arena
from classad.syntax import nodes
from classad.syntax.lexing import BLANKS, literal_value
from classad.syntax.nodes import AdExpr, Node
from classad.syntax.unparse import EXPANDERS, Pieces, write

#: Texts of no more characters are not counted; and the parts that are counted, in longer ones.
_LONG: Final = 1 << 20
_PARTS: Final = late_regex(r'"(?:[^"\\]++|\\.|(?!))*+"|[A-Za-z0-9_.]++|[^ \t\n\v\f\r]', re.DOTALL)


def parse_expression(
    text: str,
    *,
    old: bool = False,
    strict: bool = False,
    source: Source | None = None,
    prefix: bool = False,
    whole: bool = False,
    tz: str | None = None,
    language: LanguageRules = NEWEST,
) -> Node:
    """The tree of one expression.

    ``old``: strings are in old syntax.  ``strict``: integers and argument lists as in strict
    semantics.  ``prefix``: text after a complete expression is ignored; ``whole``: it is refused
    also after a conditional, where HTCondor ignores it.  ``tz``: zone of ``absTime("...")`` without
    one (None is UTC).  ``source`` must hold the same ``text``.  ``language``: the rules of a
    version; what ``? :`` means by them stands in the tree as ``?:`` with parentheses.  A text of
    very many parts is refused, by what ``classad.language.bounds`` allows for its size.
    """
    if len(text) > _LONG:
        _check_size(text, source)
    value = None if "\\" in text else literal_value(text)
    if value is not None:
        start = len(text) - len(text.lstrip(BLANKS))
        return nodes.Literal(value, start=start, end=len(text.rstrip(BLANKS)))
    how = OLD * old | STRICT * strict | PREFIX * prefix | WHOLE * whole
    node: Node | None = arena.parse(text, how)
    if node is not None:
        return node
    place = source or Source(text)
    return _by_grammar(text, old, strict, place, prefix, tz, whole=whole, language=language)


def regrouped(node: Node, language: LanguageRules) -> Node:
    """What was read by the newest rules, as it had been read by those of another version.

    Only ``? :``, with a blank, is read in another way; where there is one the nodes that are made
    have no place in the text.
    """
    if language.blank_in_elvis or not any(map(nodes.is_blank_elvis, nodes.walk(node))):
        return node
    return parse_expression(with_blanks(node), language=language)


def with_blanks(node: Node) -> str:
    """The expression in one line, ``? :`` as it was written."""
    return write(node, False, expanders=_WITH_BLANKS)


def _binary_with_blank(node: nodes.Binary, old: bool, spread: bool) -> Pieces:
    if nodes.is_blank_elvis(node):
        return [node.left, " ? : ", node.right]
    pieces: Pieces = EXPANDERS[nodes.Binary](node, old, spread)
    return pieces


_WITH_BLANKS: Final = {**EXPANDERS, nodes.Binary: _binary_with_blank}


def _check_size(text: str, source: Source | None) -> None:
    """Raise ``ClassAdParseError`` if the tree of a text would be too large."""
    most = most_parts(len(text))
    beyond = next(islice(_PARTS.finditer(text), most, None), None)
    if beyond is not None:
        place = source or Source(text), *beyond.span()
        raise ClassAdParseError(
            EXPRESSION_MESSAGE, Diagnostic(too_many(most), *place, help=ANOTHER)
        )


def _by_grammar(
    text: str,
    old: bool,
    strict: bool,
    source: Source,
    prefix: bool,
    tz: str | None,
    *,
    whole: bool = False,
    language: LanguageRules = NEWEST,
) -> Node:
    from classad.syntax.grammar import Parse, scanner

    tokens = scanner(text, old=old, strict=strict, language=language)
    return Parse("expression", tokens, source, tz, prefix=prefix, whole=whole).tree()


def parse_ad_prefix(
    text: str,
    position: int = 0,
    *,
    old: bool = False,
    strict: bool = False,
    source: Source | None = None,
    tz: str | None = None,
    language: LanguageRules = NEWEST,
) -> tuple[AdExpr, int]:
    """The ad in new syntax that begins at ``position``, and where the text after it begins."""
    quick: AdExpr | None = arena.parse_ad(text, position, OLD * old | STRICT * strict)
    if quick is not None:
        return quick, quick.end
    from classad.syntax.grammar import Parse, scanner

    tokens = scanner(text, position, old=old, strict=strict, one_ad=True, language=language)
    ad = Parse("ad", tokens, source or Source(text, "<ad>"), tz).tree()
    assert isinstance(ad, AdExpr)
    return ad, ad.end
