"""Parses with Lark by grammar/classad.lark: each text that the C parser leaves to it.

Inputs: tokens of a scanner; the grammar, found in the installed package or in a checkout and loaded
at the first text.  Outputs: the tree that the builders of ``classad.syntax.actions`` make, or
``ClassAdParseError``, worded from the terminals that Lark expected.

Lark's own lexers are not used.  Whether a ``-`` belongs to a number, how deep a text is nested, and
where it ends (a NUL) is no matter of patterns; and a sign must not depend on what the parser wants
at its place, or messages would point into the middle of ``!=``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, NamedTuple, Protocol, cast

import lark
from lark.exceptions import UnexpectedToken
from lark.lexer import Lexer, PatternStr

from classad.errors import AD_MESSAGE, EXPRESSION_MESSAGE, ClassAdParseError, Diagnostic
from classad.language.bounds import ANOTHER, most_parts, too_many
from classad.language.rules import NEWEST, LanguageRules
from classad.source import Source
from classad.syntax.actions import BUILDERS, PLACE
from classad.syntax.lexing import END, Scanner, Token, Vocabulary
from classad.syntax.messages import Situation, explain
from classad.syntax.nodes import Conditional, Node

#: What a rule that only hands on what it consists of makes of that.
_only: Final = itemgetter(0)
_LAST: Final = Token(END, None, 0, 0)
#: What a text can be.
STARTS: Final = ("expression", "ad")


class Grammar(NamedTuple):
    """The grammar, ready for texts."""

    parser: lark.Lark
    vocabulary: Vocabulary


class Automaton(Protocol):
    """Lark's parser on its way through a text."""

    def feed_token(self, token: Token) -> Any:
        """Move over a token; behind the last one, what the text is.  Or ``UnexpectedToken``."""

    def accepts(self) -> set[str]:
        """The kinds of tokens that may come next."""


class _NoLexer(Lexer):
    """Tokens come from ``lexing.Scanner``."""

    def __init__(self, lexer_conf: object) -> None:
        pass

    def lex(self, lexer_state: object, parser_state: object) -> Iterator[lark.Token]:
        return iter(())


def grammar_text() -> str:
    """The grammar, from a checkout or from the installed package."""
    package = Path(__file__).resolve().parents[1]
    for place in (package.parent / "grammar", package / "grammar"):
        if place.is_dir():  # pragma: no branch - the first of a checkout is there
            return (place / "classad.lark").read_text("utf-8")
    from importlib import resources  # pragma: no cover - the package is an archive

    found = resources.files("classad.grammar")  # pragma: no cover - the package is an archive
    return (found / "classad.lark").read_text("utf-8")  # pragma: no cover - it is an archive


@cache
def load_grammar() -> Grammar:
    """The grammar, read by Lark in a tenth of a second."""
    builders = SimpleNamespace(**BUILDERS)
    parser = lark.Lark(
        grammar_text(), parser="lalr", start=list(STARTS), lexer=_NoLexer, transformer=builders
    )
    # An operand passes through a dozen rules of the form `a: b`.
    state: Any = parser.parse_interactive(start=STARTS[0]).parser_state
    for rule in parser.rules:
        if rule.options.expand1 and rule.alias is None and len(rule.expansion) == 1:
            state.parse_conf.callbacks[rule] = _only
    terminals = (
        (terminal.name, terminal.pattern.value, False)
        if isinstance(terminal.pattern, PatternStr)
        else (terminal.name, terminal.pattern.to_regexp(), True)
        for terminal in parser.terminals
    )
    return Grammar(parser, Vocabulary(terminals))


def scanner(
    text: str,
    position: int = 0,
    *,
    old: bool = False,
    strict: bool = False,
    one_ad: bool = False,
    language: LanguageRules = NEWEST,
) -> Scanner:
    """Tokens of a text, for ``Parse``; the parameters are those of ``Scanner``."""
    vocabulary = load_grammar().vocabulary
    return Scanner(
        vocabulary, text, position, old=old, strict=strict, one_ad=one_ad, language=language
    )


def _begin(start: str) -> Automaton:
    return cast("Automaton", load_grammar().parser.parse_interactive(start=start))


class Parse:
    """One parse: Lark's automaton, fed by a scanner.  It is the ``Place`` of the builders."""

    def __init__(
        self,
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
        self._scanner = scanner
        self._prefix = prefix
        self._whole = whole
        self._start = start

    def tree(self) -> Node:
        """The tree of the whole text, or of its beginning where the rules allow that."""
        outer = PLACE.set(self)
        try:
            return self._parsed()
        finally:
            PLACE.reset(outer)

    def _parsed(self) -> Node:
        begun = _begin(self._start)
        feed = begun.feed_token
        before = previous = None
        most = most_parts(len(self._scanner.text))
        for number, token in enumerate(self._scanner.tokens()):
            if number > most:
                raise self.error(too_many(most), token.start, token.end, ANOTHER)
            try:
                feed(token)
            except UnexpectedToken:
                return self._left(token, previous, before)
            previous, before = token, previous
        end = len(self._scanner.text)
        return _finished(begun) or self._left(Token(END, None, end, end), previous, before)

    def _left(self, stop: Token, previous: Token | None, before: Token | None) -> Node:
        """The tree of the text before a token, if the rest may be ignored.

        The automaton has to be taken there again: looking at the token has already applied rules
        that would not have been the right ones for others.
        """
        begun = _begin(self._start)
        for token in self._scanner.again():
            if token.start >= stop.start:
                break
            begun.feed_token(token)
        expected = frozenset(begun.accepts())
        tree = _finished(begun)
        ignored = isinstance(tree, Conditional) and not self._whole
        if tree is not None and (self._prefix or ignored):
            return tree
        open_brackets = self._scanner.nesting.open
        at = Situation(self._scanner.text, stop, previous, before, expected, open_brackets)
        message, help_text, start, end = explain(at)
        raise self.error(message, start, end, help_text)

    def error(
        self, message: str, start: int, end: int, help_text: str | None = None
    ) -> ClassAdParseError:
        """The exception for a place in the text."""
        first = AD_MESSAGE if self._start == "ad" else EXPRESSION_MESSAGE
        return ClassAdParseError(
            first, Diagnostic(message, self.source, start, end, help=help_text)
        )


def _finished(begun: Automaton) -> Node | None:
    """The tree if the text may end here."""
    try:
        tree: Node = begun.feed_token(_LAST)
    except UnexpectedToken:
        return None
    return tree
