"""Parses by the tables that Lark makes of grammar/classad.lark: each text that the C parser leaves.

Inputs: tokens of a scanner; the grammar, found in the installed package or in a checkout and loaded
at the first text.  Outputs: the tree that the builders of ``classad.syntax.actions`` make, or
``ClassAdParseError``, worded from the terminals that could have followed.

Importing Lark and making the tables takes as long as a short command; they are plain values, which
``classad.patterns.kept`` may have from an earlier process.

Lark's own lexers are not used.  Whether a ``-`` belongs to a number, how deep a text is nested, and
where it ends (a NUL) is no matter of patterns; and a sign must not depend on what the parser wants
at its place, or messages would point into the middle of ``!=``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from classad import patterns
from classad.errors import AD_MESSAGE, EXPRESSION_MESSAGE, ClassAdParseError, Diagnostic
from classad.language.bounds import ANOTHER, most_parts, too_many
from classad.language.rules import NEWEST, LanguageRules
from classad.source import Source
from classad.syntax.actions import BUILDERS, PLACE
from classad.syntax.lexing import (
    BAD,
    CLOSERS,
    END,
    NUMBERS,
    PREFIXES,
    WORD_VALUES,
    LexingFault,
    Scanner,
    Terminals,
    Token,
)
from classad.syntax.nodes import Conditional, Node

_OPERATORS: Final = frozenset({"OR", "PLUS", "EQUAL"})
_CLOSER_OF: Final = {"OPEN_PAREN": ")", "OPEN_BOX": "]", "OPEN_BRACE": "}"}
_PLAIN: Final = {
    "COLON": "`:`",
    "BOUND_TO": "`=`",
    "COMMA": "`,`",
    "SEMICOLON": "`;`",
    "CLOSE_PAREN": "`)`",
    "CLOSE_BOX": "`]`",
    "CLOSE_BRACE": "`}`",
    END: "end of expression",
}
_WORDS: Final = {"and": "&&", "or": "||", "not": "!"}
_UNITS: Final = {"K": 10, "M": 20, "G": 30, "T": 40}
_RESERVED: Final = frozenset({*WORD_VALUES, "IS", "ISNT"})
_STRINGS: Final = frozenset({"OLD_STRING", "NEW_STRING"})
_QUOTED: Final = frozenset({"OLD_QUOTED", "NEW_QUOTED"})
#: Two signs in a row that other languages read as one operator.
_FOREIGN: Final = {
    "<>": "not equal is written `!=`",
    "**": "there is no power operator; write `pow(a, b)`",
    "===": "identity is written `=?=`, equality `==`",
    "!==": "the opposite of identity is written `=!=`",
    "=<": "write `<=`",
    "=>": "write `>=`",
}


class Situation(NamedTuple):
    """Where parsing stopped: the token, the two before it, what could have stood there instead
    (terminals), and the brackets open at this point."""

    text: str
    token: Token
    previous: Token | None
    before: Token | None
    expected: frozenset[str]
    open: list[Token]


def _closer_kind(opener: Token) -> str:
    return opener.kind.replace("OPEN", "CLOSE")


def explain(at: Situation) -> tuple[str, str | None, int, int]:
    """Message, help, start and end of the place to point at."""
    token = at.token
    if token.kind == BAD:
        fault = token.value
        assert isinstance(fault, LexingFault)
        return fault.message, fault.help, token.start, token.end
    if token.kind == END and at.open and _closer_kind(at.open[-1]) in at.expected:
        opener = at.open[-1]
        message = f"`{opener.value}` is never closed"
        return message, f"a `{_CLOSER_OF[opener.kind]}` is missing", opener.start, opener.end
    if token.kind == END and at.previous is None and "INTEGER" in at.expected:
        return "the expression is empty", None, token.start, token.end
    message = f"expected {_expected(at)}, found {_found(at)}"
    return message, _help(at), token.start, token.end


def _wants(expected: frozenset[str]) -> list[str]:
    """The expected terminals in words."""
    words: list[str] = []
    if "INTEGER" in expected:
        words.append("an operand")
    elif "NAME" in expected:
        words.append("an attribute name")
    if expected >= _OPERATORS and "INTEGER" not in expected:
        words.append("an operator")
    # A `;` between arguments and before attributes is allowed, not recommended.
    hidden = {"SEMICOLON"} if expected & {"COMMA", "NAME"} else set()
    words.extend(word for kind, word in _PLAIN.items() if kind in expected - hidden)
    return words


def _expected(at: Situation) -> str:
    if at.expected == {"OPEN_BOX"}:
        return "`[`"
    words = _wants(at.expected)
    if len(words) < 2:
        return words[0] if words else "nothing more"
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _found(at: Situation) -> str:
    token = at.token
    if token.kind == END:
        return "the end of the text"
    text = at.text[token.start : token.end]
    shown = text if len(text) <= 40 else f"{text[:37]}..."
    shown = "".join(char if char.isprintable() else " " for char in shown)
    if token.kind in WORD_VALUES:
        return f"the reserved word `{shown}`"
    return f"`{shown}`"


def _help(at: Situation) -> str | None:
    for rule in (_foreign_operator, _word_operator, _unit, _comma, _quotes, _name, _in_ad, _others):
        found = rule(at)
        if found is not None:
            return found
    return None


def _foreign_operator(at: Situation) -> str | None:
    token, previous = at.token, at.previous
    if previous is not None and previous.end == token.start:
        known = _FOREIGN.get(at.text[previous.start : token.end])
        if known is not None:
            return known
    following = at.text[token.start : token.start + 2]
    if token.kind == "BOUND_TO" and at.expected >= _OPERATORS:
        return _FOREIGN.get(following, "comparison is written `==`")
    return None


def _word_operator(at: Situation) -> str | None:
    for token in (at.token, at.previous):
        if token is None or token.kind != "NAME":
            continue
        word = str(token.value).lower()
        if word not in _WORDS:
            continue
        if token is at.previous and at.before is not None and at.before.kind == "IS":
            return "the opposite of `is` is one word: `isnt`"
        if (word == "not") == (token is at.previous):
            return f"`{token.value}` is not an operator; write `{_WORDS[word]}`"
    return None


def _unit(at: Situation) -> str | None:
    token, previous = at.token, at.previous
    if previous is None or previous.kind not in NUMBERS:
        return None
    if token.kind == "NAME":
        unit = str(token.value).upper()
        shift = _UNITS.get(unit.removesuffix("B") or "")
        if shift is not None:
            return f"numbers have no units; write `{round(previous.value * 2**shift)}`"
    return None


def _comma(at: Situation) -> str | None:
    token, previous = at.token, at.previous
    if previous is None:
        return None
    if previous.kind in ("COMMA", "SEMICOLON") and token.kind in CLOSERS:
        return f"remove the `{previous.value}` before `{token.value}`"
    if previous.kind == "MODULUS" and token.kind == END:
        return "`%` gives the remainder of a division"
    return None


def _quotes(at: Situation) -> str | None:
    for token in (at.token, at.previous):
        if token is not None and token.kind in _QUOTED:
            return 'single quotes enclose a name; a string takes `"`'
    return None


def _name(at: Situation) -> str | None:
    """Help where only a name can stand."""
    if "NAME" not in at.expected or "INTEGER" in at.expected:
        return None
    text = at.text[at.token.start : at.token.end]
    if at.token.kind in _RESERVED:
        return f"quote a reserved word that is a name: `'{text}'`"
    if at.token.kind in _STRINGS:
        return f"a name takes single quotes or none: `'{at.token.value}'`"
    return None


def _in_ad(at: Situation) -> str | None:
    if at.expected == {"BOUND_TO"}:
        return "an ad consists of `name = expression`, separated by `;`"
    if at.token.kind == "COMMA" and "SEMICOLON" in at.expected:
        return "attributes are separated by `;`"
    return None


def _others(at: Situation) -> str | None:
    token, previous = at.token, at.previous
    if previous is not None and previous.kind == "ELVIS" and token.kind in PREFIXES:
        return "enclose what follows `?:` in parentheses"
    if token.kind in CLOSERS:
        return _bracket(at)
    if token.kind == "OPEN_PAREN" and "OR" in at.expected:
        return "only a plain name can be called"
    return None


def _bracket(at: Situation) -> str | None:
    if not at.open:
        return f"there is no open bracket for this `{at.token.value}`"
    opener = at.open[-1]
    if _closer_kind(opener) != at.token.kind:
        return f"the bracket to close here is `{opener.value}`"
    return None


_LAST: Final = Token(END, None, 0, 0)
#: What a text can be.
STARTS: Final = ("expression", "ad")


class Grammar(NamedTuple):
    """The grammar, ready for texts.

    ``steps``: for each state and symbol the state to go to, or ``~n`` for the rule ``n`` that is
    finished.  ``rules``: the symbol that a rule makes, of how many parts, and who builds it; none
    where the only part is handed on.  ``terminals``: name, text, and whether it is a pattern.
    """

    steps: Mapping[int, Mapping[str, int]]
    rules: list[tuple[str, int, str | None]]
    first: Mapping[str, int]
    last: Mapping[str, int]
    terminals: list[tuple[str, str, bool]]


def grammar_text() -> str:
    """The grammar, from a checkout or from the installed package."""
    package = Path(__file__).resolve().parents[1]
    for place in (package.parent / "grammar", package / "grammar"):
        if place.is_dir():  # pragma: no branch - the first of a checkout is there
            return (place / "classad.lark").read_text("utf-8")
    from importlib import resources  # pragma: no cover - the package is an archive

    found = resources.files("classad.grammar")  # pragma: no cover - the package is an archive
    return (found / "classad.lark").read_text("utf-8")  # pragma: no cover - it is an archive


def make_tables(text: str) -> tuple[object, ...]:
    """The fields of a ``Grammar``, made by Lark in a tenth of a second."""
    import lark
    from lark.lexer import Lexer, PatternStr

    class NoLexer(Lexer):
        def __init__(self, lexer_conf: object) -> None:
            pass

        def lex(self, lexer_state: object, parser_state: object) -> Iterator[lark.Token]:
            return iter(())

    made: Any = lark.Lark(text, parser="lalr", start=list(STARTS), lexer=NoLexer)
    table, numbers = made.parser.parser._parse_table, {}
    rules: list[tuple[str, int, str | None]] = []
    for number, rule in enumerate(made.rules):
        numbers[rule] = ~number
        only = rule.options.expand1 and rule.alias is None and len(rule.expansion) == 1
        builder = None if only else str(rule.alias or rule.origin.name)
        rules.append((str(rule.origin.name), len(rule.expansion), builder))
    steps = {
        state: {str(symbol): numbers.get(to, to) for symbol, (_, to) in row.items()}
        for state, row in table.states.items()
    }
    # The automaton takes the parts of a rule off the end, which none would take all of.
    assert all(size for _, size, _ in rules), "a rule of the grammar is empty"
    terminals = [
        (str(one.name), one.pattern.value, False)
        if isinstance(one.pattern, PatternStr)
        else (str(one.name), one.pattern.to_regexp(), True)
        for one in made.terminals
    ]
    return steps, rules, table.start_states, table.end_states, terminals


@cache
def load_grammar() -> Grammar:
    """The grammar; reading it takes a moment where its tables are not kept."""
    return Grammar(*patterns.kept(grammar_text(), make_tables))


@cache
def vocabulary() -> Terminals:
    """The terminals of the grammar, for scanners."""
    return Terminals(load_grammar().terminals)


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
    return Scanner(
        vocabulary(), text, position, old=old, strict=strict, one_ad=one_ad, language=language
    )


class _Automaton:
    """On its way through a text: the states that it is in, and what they were built of."""

    def __init__(self, start: str) -> None:
        grammar = load_grammar()
        self._steps, self._rules = grammar.steps, grammar.rules
        self._last = grammar.last[start]
        self.states = [grammar.first[start]]
        self.values: list[Any] = []

    def feed(self, token: Token) -> bool:
        """Take a token; False where it cannot stand, with rules applied that come before it."""
        steps, rules, states, values = self._steps, self._rules, self.states, self.values
        while (to := steps[states[-1]].get(token.kind)) is not None:
            if to >= 0:
                states.append(to)
                values.append(token)
                return True
            symbol, size, builder = rules[~to]
            if builder is not None:
                parts = values[-size:]
                values[-size:] = (BUILDERS[builder](parts),)
            states[-size:] = (steps[states[-size - 1]][symbol],)
            if token.kind == END and states[-1] == self._last:
                return True
        return False

    def accepted(self) -> frozenset[str]:
        """The terminals that may stand next."""
        return frozenset(kind for kind in self._steps[self.states[-1]] if self._accepts(kind))

    def _accepts(self, kind: str) -> bool:
        states = list(self.states)
        while (to := self._steps[states[-1]].get(kind)) is not None:
            if to >= 0:
                return kind.isupper()  # the others are no terminals
            symbol, size, _ = self._rules[~to]
            states[-size:] = (self._steps[states[-size - 1]][symbol],)
            if kind == END and states[-1] == self._last:
                return True
        return False

    def finished(self) -> Node | None:
        """The tree, if the text may end here."""
        return self.values[-1] if self.feed(_LAST) else None


class Parse:
    """One parse: the automaton, fed by a scanner.  It is the ``Place`` of the builders."""

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
        begun = _Automaton(self._start)
        feed = begun.feed
        before = previous = None
        most = most_parts(len(self._scanner.text))
        for number, token in enumerate(self._scanner.tokens()):
            if number > most:
                raise self.error(too_many(most), token.start, token.end, ANOTHER)
            if not feed(token):
                return self._left(token, previous, before)
            previous, before = token, previous
        end = len(self._scanner.text)
        tree = begun.finished()
        return tree or self._left(Token(END, None, end, end), previous, before)

    def _left(self, stop: Token, previous: Token | None, before: Token | None) -> Node:
        """The tree of the text before a token, if the rest may be ignored.

        The automaton has to be taken there again: looking at the token has already applied rules
        that would not have been the right ones for others.
        """
        begun = _Automaton(self._start)
        for token in self._scanner.again():
            if token.start >= stop.start:
                break
            begun.feed(token)
        expected = begun.accepted()
        tree = begun.finished()
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
