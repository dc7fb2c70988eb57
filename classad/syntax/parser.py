"""Parses ClassAd expressions, and ads in new syntax, into syntax trees.

The rules are those of grammar/classad.lark, the wording of errors is in
``classad.syntax.messages``.

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

from classad.errors import ClassAdParseError, Diagnostic
from classad.language.bounds import ANOTHER, most_parts
from classad.language.rules import NEWEST, LanguageRules
from classad.language.values import ERROR, UNDEFINED
from classad.source import Source
from classad.syntax import native as arena
from classad.syntax import nodes
from classad.syntax.actions import Parts
from classad.syntax.lexing import BLANKS, END, Scanner
from classad.syntax.nesting import Token
from classad.syntax.nodes import AdExpr, Literal, Node
from classad.syntax.parse_table import Reduction, Tables, load_tables
from classad.syntax.unparse import EXPANDERS, Pieces, write
from classad.syntax.ways import OLD, PREFIX, STRICT, WHOLE

#: First line of the exception's text, unless the caller has a better one.
MESSAGE: Final = "Unable to parse string into an expression"
AD_MESSAGE: Final = "Unable to parse string into a ClassAd"

_FAST: Final = re.compile(
    rf"[{BLANKS}]*+(?:(-?(?:0|[1-9][0-9]{{0,17}}))|(-?[0-9]++\.[0-9]++(?:[eE][+-]?[0-9]++)?)"
    rf'|"([^"\\\0]*+)"|([A-Za-z_][A-Za-z0-9_]*+))[{BLANKS}]*+'
)
#: Texts of no more characters are not counted; and the parts that are counted, in longer ones.
_LONG: Final = 1 << 20
_PARTS: Final = re.compile(r'"(?:[^"\\]++|\\.|(?!))*+"|[A-Za-z0-9_.]++|[^ \t\n\v\f\r]', re.DOTALL)
_FAST_WORDS: Final = {"true": True, "false": False, "undefined": UNDEFINED, "error": ERROR}


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
    found = _FAST.fullmatch(text)
    quick = None if found is None else _quick(found)
    if quick is not None:
        return quick
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
        raise ClassAdParseError(MESSAGE, Diagnostic(_too_many(most), *place, help=ANOTHER))


def _too_many(most: int) -> str:
    return f"this text has more than {most} parts"


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
    tables = load_tables()
    scanner = Scanner(tables.vocabulary, text, old=old, strict=strict, language=language)
    run = _Run(tables, "expression", scanner, source, tz, prefix=prefix, whole=whole)
    return run.parse()


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
    tables = load_tables()
    scanner = Scanner(
        tables.vocabulary, text, position, old=old, strict=strict, one_ad=True, language=language
    )
    run = _Run(tables, "ad", scanner, source or Source(text, "<ad>"), tz)
    ad = run.parse()
    assert isinstance(ad, AdExpr)
    return ad, ad.end


def parse_ads(
    text: str,
    *,
    old: bool = False,
    strict: bool = False,
    source: Source | None = None,
    tz: str | None = None,
) -> list[AdExpr]:
    """The ads in new syntax that the text consists of, blanks and comments between them."""
    source = source or Source(text, "<ads>")
    # `(?!)`: so that Python before 3.11.5, too, forgets what did not match.
    nothing = re.compile(rf"(?:[{BLANKS}]++|//[^\n]*+|/\*.*?\*/|(?!))*+\0?", re.DOTALL)
    ads: list[AdExpr] = []
    position = _skip(nothing, text, 0)
    while position < len(text) and text[position - 1 : position] != "\0":
        ad, position = parse_ad_prefix(text, position, old=old, strict=strict, source=source, tz=tz)
        ads.append(ad)
        position = _skip(nothing, text, position)
    return ads


def _skip(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    return position if found is None else found.end()


def _quick(found: re.Match[str]) -> Node | None:
    """The tree of a text that is a single literal or name; None for what needs the grammar."""
    integer, real, string, word = found.groups()
    start, end = found.span(found.lastindex or 0)
    if word is not None:
        folded = word.lower()
        if folded in _FAST_WORDS:
            return Literal(_FAST_WORDS[folded], start=start, end=end)
        if folded in ("is", "isnt"):
            return None
        return nodes.Reference(word, start=start, end=end)
    if string is not None:
        return Literal(string, start=start - 1, end=end + 1)
    value = int(integer) if integer is not None else float(real)
    return Literal(value, start=start, end=end)


class _Run:
    """One parse: an LR automaton over the tokens of a scanner.  A ``Place`` for the builders."""

    def __init__(
        self,
        tables: Tables,
        start: str,
        scanner: Scanner,
        source: Source,
        tz: str | None,
        *,
        prefix: bool = False,
        whole: bool = False,
    ) -> None:
        self.source = source
        self.tz = tz
        self._tables = tables
        self._scanner = scanner
        self._prefix = prefix
        self._whole = whole
        self._start = start
        self._states = [tables.starts[start][0]]
        self._values: Parts = []

    def parse(self) -> Node:
        """The tree of the whole text, or of its beginning where the rules allow that."""
        previous = before = None
        most = most_parts(len(self._scanner.text))
        for number, token in enumerate(self._scanner.tokens()):
            if number > most:
                raise self.error(_too_many(most), token.start, token.end, ANOTHER)
            if not self._feed(token.kind):
                if self._may_stop():
                    return self._result()
                raise self._unexpected(token, previous, before)
            self._values.append(token)
            previous, before = token, previous
        if self._finish():
            return self._result()
        end = len(self._scanner.text)
        raise self._unexpected(Token(END, None, end, end), previous, before)

    def _feed(self, kind: str) -> bool:
        """Apply the rules that end before a terminal, then move over it.

        False if the terminal cannot stand here.
        """
        states, values = self._states, self._values
        actions, landings = self._tables.actions, self._tables.landings
        while True:
            action = actions[states[-1]].get(kind)
            if isinstance(action, int):
                states.append(action)
                return True
            if action is None:
                return False
            size, origin, build = action
            if build is not None:
                parts = values[-size:]
                del values[-size:]
                values.append(build(self, parts))
            del states[-size:]
            below = states[-1]
            state = landings.get((below, origin, kind))
            states.append(self._land(below, origin, kind) if state is None else state)

    def _land(self, below: int, origin: str, kind: str) -> int:
        """The state after a finished rule and all rules of the form ``a: b`` that come next.

        An operand passes through a dozen of them, so the state they end in is remembered.
        """
        _, actions, gotos, _, landings = self._tables
        state = gotos[below][origin]
        action = actions[state].get(kind)
        while isinstance(action, Reduction) and action.build is None:
            state = gotos[below][action.origin]
            action = actions[state].get(kind)
        landings[below, origin, kind] = state
        return state

    def _finish(self) -> bool:
        """Whether the text may end here; if so the tree is complete."""
        end_state = self._tables.starts[self._start][1]
        states, values = self._states, self._values
        saved = states[:], values[:]
        while states[-1] != end_state:
            action = self._tables.actions[states[-1]].get(END)
            if not isinstance(action, Reduction):
                states[:], values[:] = saved
                return False
            if action.build is not None:
                parts = values[-action.size :]
                del values[-action.size :]
                values.append(action.build(self, parts))
            del states[-action.size :]
            states.append(self._tables.gotos[states[-1]][action.origin])
        return True

    def _result(self) -> Node:
        result = self._values[-1]
        assert isinstance(result, Node)
        return result

    def _may_stop(self) -> bool:
        """Whether the text may be left here although more of it follows."""
        if not self._finish():
            return False
        ignored = isinstance(self._result(), nodes.Conditional) and not self._whole
        return self._prefix or ignored

    def _unexpected(
        self, token: Token, previous: Token | None, before: Token | None
    ) -> ClassAdParseError:
        from classad.syntax import messages as parse_help

        open_brackets = self._scanner.nesting.open
        expected = self._expected_before(token)
        situation = parse_help.Situation(
            self._scanner.text, token, previous, before, expected, open_brackets
        )
        message, help_text, start, end = parse_help.explain(situation)
        return self.error(message, start, end, help_text)

    def _expected_before(self, stop: Token) -> frozenset[str]:
        """The terminals that could have stood instead of a token.

        The automaton has to be taken there again: looking at the token has already applied rules
        that would not have been the right ones for others.
        """
        start = self._tables.starts[self._start][0]
        self._states[:], self._values[:] = [start], []
        for token in self._scanner.again():
            if token.start >= stop.start or not self._feed(token.kind):
                break
            self._values.append(token)
        kinds = {kind for row in self._tables.actions for kind in row}
        return frozenset(kind for kind in kinds if self._would_take(kind))

    def _would_take(self, kind: str) -> bool:
        states = self._states[:]
        end_state = self._tables.starts[self._start][1]
        while True:
            if kind == END and states[-1] == end_state:
                return True
            action = self._tables.actions[states[-1]].get(kind)
            if not isinstance(action, Reduction):
                return action is not None
            del states[-action.size :]
            states.append(self._tables.gotos[states[-1]][action.origin])

    def error(
        self, message: str, start: int, end: int, help_text: str | None = None
    ) -> ClassAdParseError:
        """The exception for a place in the text."""
        first = AD_MESSAGE if self._start == "ad" else MESSAGE
        return ClassAdParseError(
            first, Diagnostic(message, self.source, start, end, help=help_text)
        )
