"""Splits text into tokens: everything about the ClassAd language that is not context-free.

Inputs: a text, the syntax of its strings (old or new), the semantics (old or strict) and the
terminals of grammar/classad.lark.  Outputs: tokens with their values and half-open spans; a token
of kind ``BAD`` ends the stream where no token can be made, and says why.  It is the parser that
decides whether that place was reached: a bad tail behind a complete expression may be harmless.
Follows: HTCondor 25.14.1, measured; the golden vectors ``lex`` and ``strict``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from functools import cache
from typing import Any, Final, NamedTuple

from classad.language.operators import BINARY
from classad.language.rules import NEWEST, LanguageRules, NestingRules
from classad.language.values import ERROR, INT_MAX, INT_MIN, UNDEFINED, Value, from_bytes, to_bytes
from classad.patterns import late_regex

BLANKS: Final = " \t\n\v\f\r"
#: Kind of the token that stands for a piece of text that is none; its value is a ``LexingFault``.
BAD: Final = "BAD"
#: Kind of the token behind the last one, as Lark calls it.
END: Final = "$END"
WORD_VALUES: Final = {"TRUE": True, "FALSE": False, "UNDEFINED": UNDEFINED, "ERROR": ERROR}
_SIMPLE_ESCAPES: Final = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))
_ESCAPE: Final = late_regex(r"\\(?:([0-7]{2}(?:(?<=[0-3][0-7])[0-7])?|[0-7])|(.))", re.DOTALL)
#: Characters in which escapes are replaced at once, and pieces of longer texts.
_SHORT: Final = 1 << 16
# `(?!)`: so that Python before 3.11.5, too, forgets what did not match.
_PIECES: Final = late_regex(r"(?:[^\\]++|\\[0-7]{1,3}+|\\.|\\|(?!)){1,10000}+", re.DOTALL)


_OPENERS: Final = frozenset({"OPEN_PAREN", "OPEN_BOX", "OPEN_BRACE"})
CLOSERS: Final = frozenset({"CLOSE_PAREN", "CLOSE_BOX", "CLOSE_BRACE"})
NUMBERS: Final = frozenset({"INTEGER", "REAL"})
PREFIXES: Final = frozenset({"MINUS", "PLUS", "NOT", "BIT_NOT"})
_QUOTED: Final = frozenset({"OLD_STRING", "NEW_STRING", "OLD_QUOTED", "NEW_QUOTED"})
#: After one of these a ``-`` is a subtraction, elsewhere it may be the sign of a number.
OPERAND_ENDS: Final = CLOSERS | NUMBERS | _QUOTED | {*WORD_VALUES, "NAME", "DOT"}
_SEPARATORS: Final = frozenset({"COMMA", "SEMICOLON", "BOUND_TO"})


class _Terminal(NamedTuple):
    kind: str
    value: Any
    start: int
    end: int


class Token(_Terminal):
    """A terminal of the grammar with its value and place."""

    __slots__ = ()
    #: What Lark calls its kind.
    type = _Terminal.kind


class LexingFault(NamedTuple):
    """Why a text is not a token: what is wrong and what could be written instead."""

    message: str
    help: str | None = None


class Terminals:
    """The terminals of the grammar, compiled for scanning."""

    def __init__(self, terminals: Iterable[tuple[str, str, bool]]) -> None:
        """``terminals``: name, text and whether the text is a regular expression."""
        self.words: dict[str, tuple[str, object]] = {}
        self.signs: dict[str, str] = {}
        patterns: dict[str, str] = {}
        for name, text, is_pattern in terminals:
            if is_pattern:
                patterns[name] = text
            elif text.isalpha():
                self.words[text] = (name, WORD_VALUES.get(name, text))
            else:
                self.signs[text] = name
        longest_first = sorted(self.signs, key=len, reverse=True)
        patterns["SIGN"] = "|".join(map(re.escape, longest_first))
        self.number = _master(["REAL", "INTEGER"], patterns)
        self.old = _master([name for name in patterns if not name.startswith("NEW_")], patterns)
        self.new = _master([name for name in patterns if not name.startswith("OLD_")], patterns)


def _master(names: list[str], patterns: dict[str, str]) -> tuple[re.Pattern[str], list[str]]:
    """One pattern for all the named ones, and the kind for each of its groups (from 1)."""
    body = "|".join(f"({patterns[name]})" for name in names)
    return late_regex(f"[{BLANKS}]*+(?:{body})"), ["", *names]


#: Terminals that may span anything, a NUL included.
_LONG: Final = _QUOTED | {"COMMENT"}
#: Behind a number one of these may mean that it is ill-formed.
_SUSPICIOUS: Final = frozenset(".eExX")
_SPECIAL: Final = frozenset({"MINUS", "SEMICOLON", "DIVIDE", "BOUND_TO"})
#: Operators that are found otherwise: ``?:``, also as the end of a conditional without a middle.
_OTHER_OPERATORS: Final = frozenset({"ELVIS", "COLON"}).union(
    row.word.upper() for row in BINARY.values() if row.word is not None
)
#: The value of the token between the signs of a conditional that has no middle.
NO_MIDDLE: Final = object()


def _too_deep(language: LanguageRules) -> LexingFault:
    levels, each, *_ = language.nesting
    takes = f"HTCondor reads {levels} levels; a pair of parentheses takes {each} of them"
    return LexingFault("nested too deeply", takes)


class NestingCounter:
    """Counts nesting as HTCondor's recursive parser does, and keeps the open brackets.

    By the newest rules each bracket costs 3 levels; each prefix operator, ``?:`` operator and
    branch of a conditional costs one for what stands to its right.  165 nested parentheses parse,
    166 do not.
    """

    def __init__(self, level: int, rules: NestingRules) -> None:
        #: What the parser has reached; above ``rules.levels`` it only goes on to a closing bracket.
        self.level = self._floor = self._bottom = level
        self._rules = rules
        self._calls = 0
        self._marks: list[int] = []
        self._outer: list[tuple[int, int, int, int, list[int]]] = []
        self.open: list[Token] = []

    def see(self, token: Token, *, operand: bool) -> None:
        """Any sign or word operator; ``operand``: an operand ends right before it."""
        kind = token.kind
        if kind in _OPENERS:
            self._enter(token, called=operand and kind == "OPEN_PAREN")
        elif kind in CLOSERS:
            self._leave()
        elif kind in NUMBERS:
            return  # its sign belonged to it
        elif kind in PREFIXES and not operand:
            self.level += self._rules.prefix
        elif kind == "ELVIS":
            self.level += self._rules.elvis
        elif kind == "QMARK":
            self._marks.append(self._floor)
            self._floor += 1
            self.level = self._floor
        elif kind == "COLON":
            self._floor = (self._marks.pop() if self._marks else self._bottom) + 1
            self.level = self._floor
        elif kind in _SEPARATORS:
            self.level = self._floor = self._bottom
            self._marks.clear()
        else:
            self.level = self._floor

    def _enter(self, token: Token, *, called: bool) -> None:
        self.open.append(token)
        self._outer.append((self.level, self._floor, self._bottom, self._calls, self._marks))
        self.level = self._floor = self._bottom = self.level + self._rules.bracket
        self._marks = []
        if called and (most := self._rules.calls) is not None:
            self._calls += 1
            if self._calls > most:
                self.level = self._floor = self._bottom = self._rules.levels + 1

    def _leave(self) -> None:
        # The parser ends at a bracket that closes none.
        self.open.pop()
        self.level, self._floor, self._bottom, self._calls, self._marks = self._outer.pop()


class Scanner:
    """Tokens of one text from ``position`` on.  ``nesting`` shows the brackets open so far."""

    def __init__(
        self,
        vocabulary: Terminals,
        text: str,
        position: int = 0,
        *,
        old: bool = False,
        strict: bool = False,
        one_ad: bool = False,
        language: LanguageRules = NEWEST,
    ) -> None:
        """``one_ad``: an ad is wanted; the stream ends with its closing bracket."""
        self.text = text
        self._language = language
        self._position = position
        self._vocabulary = vocabulary
        self._old = old
        self._strict = strict
        self._one_ad = one_ad
        self.nesting = self._begin()

    def _begin(self) -> NestingCounter:
        rules = self._language.nesting
        return NestingCounter(0 if self._one_ad else rules.bracket, rules)

    def tokens(self) -> Iterator[Token]:
        """The tokens, without an end token."""
        pattern, kinds = self._vocabulary.old if self._old else self._vocabulary.new
        match, nesting, position, previous = pattern.match, self.nesting, self._position, END
        deepest = self._language.nesting.levels
        while True:
            found = match(self.text, position)
            if found is None:
                if self._cut_at_nul(position):
                    continue
                break
            group = found.lastindex or 0
            kind = kinds[group]
            start, end = found.span(group)
            if kind in _LONG and "\0" in found[group] and self._cut_at_nul(position):
                continue
            position = end
            if kind == "COMMENT":
                continue
            token = self._token(kind, found[group], start, position, previous)
            position = token.end
            if nesting.level > deepest and token.kind not in CLOSERS:
                token = Token(BAD, _too_deep(self._language), start, position)
            elif kind == "ELVIS" and len(token.value) > 2 and not self._language.blank_in_elvis:
                yield Token("QMARK", "?", start, start + 1)
                nesting.see(token._replace(kind="QMARK"), operand=True)
                yield Token("UNDEFINED", NO_MIDDLE, position, position)
                token = Token("COLON", ":", position - 1, position)
            yield token
            if token.kind == BAD:
                return
            if kind == "SIGN" or token.kind in _OTHER_OPERATORS:
                nesting.see(token, operand=previous in OPERAND_ENDS)
                if self._one_ad and not nesting.open:
                    return
            previous = token.kind
        position = self._skip_blanks(position)
        if position < len(self.text):
            yield self._fault(position)

    def again(self) -> Iterator[Token]:
        """The same tokens from the beginning, for a second look."""
        twin = copy(self)
        twin.nesting = twin._begin()
        return twin.tokens()

    def _skip_blanks(self, position: int) -> int:
        while position < len(self.text) and self.text[position] in BLANKS:
            position += 1
        return position

    def _cut_at_nul(self, position: int) -> bool:
        """A NUL ends the text; looked for only where it matters, to keep long texts cheap."""
        nul = self.text.find("\0", position)
        if nul >= 0:
            self.text = self.text[:nul]
        return nul >= 0

    def _token(self, kind: str, text: str, start: int, end: int, previous: str) -> Token:
        if kind == "NAME":
            kind, value = self._vocabulary.words.get(text.lower(), (kind, text))
            return Token(kind, value, start, end)
        if kind == "SIGN":
            kind = self._vocabulary.signs[text]
            token = self._special_sign(kind, start, end, previous) if kind in _SPECIAL else None
            return token or Token(kind, text, start, end)
        if kind == "INTEGER" or kind == "REAL":
            return self._number(kind, start, end)
        if kind == "DOT" or kind == "ELVIS":
            return Token(kind, text, start, end)
        return self._quoted(kind, text, start, end)

    def _special_sign(self, kind: str, start: int, end: int, previous: str) -> Token | None:
        """What a sign is that depends on its surroundings; None if it is just itself."""
        if kind == "MINUS":
            return None if previous in OPERAND_ENDS else self._signed(start, end)
        if kind == "SEMICOLON":
            open_brackets = self.nesting.open
            if self._strict and open_brackets and open_brackets[-1].kind == "OPEN_PAREN":
                fault = LexingFault("strict semantics wants `,` between arguments, not `;`")
                return Token(BAD, fault, start, end)
        elif self.text.startswith(("/*", "=?"), start):
            return self._fault(start)
        return None

    def _signed(self, start: int, end: int) -> Token | None:
        """The negative number whose ``-`` is at ``start``, if it is one."""
        pattern, kinds = self._vocabulary.number
        after = self.text[end : end + 2]
        if not (_is_digit(after[:1]) or (after[:1] == "." and _is_digit(after[1:]))):
            return None
        found = pattern.match(self.text, end)
        assert found is not None
        return self._number(kinds[found.lastindex or 0], start, found.end())

    def _number(self, kind: str, start: int, end: int) -> Token:
        text, after = self.text[start:end], self.text[end : end + 1]
        if after in _SUSPICIOUS or "0" in text[:2]:
            fault = _number_fault(kind, text, after, strict=self._strict)
            if fault is not None:
                return Token(BAD, fault, start, min(end + len(after), len(self.text)))
        hexadecimal = "x" in text or "X" in text
        if kind == "INTEGER":
            return Token(kind, 0 if hexadecimal else integer_value(text), start, end)
        if text.startswith(".."):
            return Token(kind, 0.0, start, end)
        return Token(kind, _hexadecimal_real(text) if hexadecimal else float(text), start, end)

    def _quoted(self, kind: str, text: str, start: int, end: int) -> Token:
        quote = text[0]
        if self._old:
            return Token(kind, old_value(text[1:-1], quote), start, end)
        rest = self._skip_blanks(end)
        if self.text.startswith(quote, rest):
            return self._fault(rest)
        body = _joined(text, quote)
        if "\\" not in body:
            return Token(kind, body, start, end)
        value = unescape(body)
        if "\0" in value:
            return Token(BAD, LexingFault("a string cannot hold a NUL character"), start, end)
        return Token(kind, value, start, end)

    def _fault(self, start: int) -> Token:
        """The text at ``start``, which begins no token."""
        char = self.text[start]
        if char in "\"'":
            what = "string" if char == '"' else "quoted name"
            help = f"a backslash before {char} makes it part of the text"
            escaped = self.text.find("\\" + char, start) >= 0
            fault = LexingFault(f"this {what} is never closed", help if escaped else None)
            return Token(BAD, fault, start, len(self.text))
        if self.text.startswith("/*", start):
            return Token(BAD, LexingFault("this comment is never closed"), start, len(self.text))
        if self.text.startswith("=?", start):
            return Token(
                BAD, LexingFault("`=?` is not an operator", "write `=?=`"), start, start + 2
            )
        shown = char if char.isprintable() else _escaped(char)
        fault = LexingFault(f"unexpected character `{shown}`", _character_help(char))
        return Token(BAD, fault, start, start + 1)


def _escaped(char: str) -> str:
    """What is shown for a character that cannot be: a byte that is no UTF-8 is the byte it is."""
    code = ord(char)
    code -= 0xDC00 if 0xDC80 <= code <= 0xDCFF else 0
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


@cache
def _one_literal() -> re.Pattern[str]:
    """Matches a text that is one literal whose value needs no grammar.

    Integers of up to 18 digits cannot overflow; strings with a quote after a backslash are left to
    the grammar.
    """
    # `(?!)`: so that Python before 3.11.5, too, forgets what did not match.
    return late_regex(
        r"""[ \t]*(?:
            (-?(?:0|[1-9][0-9]{0,17}))
          | (-?[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?|-?[0-9]+[eE][+-]?[0-9]+)
          | "((?:[^"\\\0]++|\\[^"\\\0]|(?!))*+)"
          | ([tT][rR][uU][eE]|[fF][aA][lL][sS][eE]
            |[uU][nN][dD][eE][fF][iI][nN][eE][dD]|[eE][rR][rR][oO][rR])
        )[ \t\r\n\v\f]*\Z""",
        re.VERBOSE,
    )


def literal_value(text: str) -> Value | bool | int | float | str | None:
    """The value of a text that is a plain literal; None if the grammar must decide."""
    found = _one_literal().match(text)
    if found is None:
        return None
    group = found.lastindex
    if group == 1:
        return int(found[1])
    if group == 2:
        return float(found[2])
    if group == 3:
        return found[3]
    return WORD_VALUES[found[4].upper()]


def integer_value(text: str) -> int:
    """The value of decimal digits with an optional sign; 0 if it does not fit into 64 bits."""
    if len(text) < 19:
        return int(text)
    digits = text.removeprefix("-").lstrip("0") or "0"
    if len(digits) > 19:
        return 0
    value = -int(digits) if text[0] == "-" else int(digits)
    return value if INT_MIN <= value <= INT_MAX else 0


def _hexadecimal_real(text: str) -> float:
    """As C's strtod reads it: an `e` is a digit, and a sign after it ends the number."""
    found = re.match(r"-?0[xX][0-9a-fA-F]*\.[0-9a-fA-F]*", text)
    assert found is not None
    try:
        return float.fromhex(found[0])
    except OverflowError:
        return float("-inf" if text[0] == "-" else "inf")


def old_value(body: str, quote: str = '"') -> str:
    """What stands between the quotes in old syntax, as the text it means."""
    return body.replace("\\" + quote, quote) if "\\" in body else body


def replaced(
    escape: re.Pattern[str],
    meaning: Callable[[re.Match[str]], str],
    text: str,
    pieces: re.Pattern[str],
) -> str:
    """A text with each escape replaced; ``pieces`` cuts it, but never within an escape.

    At once the parts of a long text would take several times its size.
    """
    if len(text) <= _SHORT:
        return escape.sub(meaning, text)
    return "".join([escape.sub(meaning, piece[0]) for piece in pieces.finditer(text)])


def unescape(body: str) -> str:
    """Replace the escapes of new syntax; bytes above 127 that form UTF-8 become characters."""
    value = replaced(_ESCAPE, _escape_value, body, _PIECES)
    try:
        return from_bytes(to_bytes(value))
    except UnicodeEncodeError:  # a surrogate that stands for no byte was in the text
        return value


def _escape_value(match: re.Match[str]) -> str:
    octal, char = match.groups()
    if octal is None:
        return _SIMPLE_ESCAPES.get(char, char)
    byte = int(octal, 8)
    return chr(byte) if byte < 0x80 else chr(0xDC00 + byte)


def _joined(text: str, quote: str) -> str:
    """The bodies of adjacent strings, joined before escapes are looked at, as HTCondor does."""
    if text.count(quote) == 2:
        return text[1:-1]
    gap = re.compile(rf"(\\.)|{quote}[{BLANKS}]*+{quote}", re.DOTALL)
    return gap.sub(lambda found: found[1] or "", text[1:-1])


def _number_fault(kind: str, text: str, after: str, *, strict: bool) -> LexingFault | None:
    """What is wrong with a number, given the character after it."""
    digits = text.removeprefix("-")
    hexadecimal = digits[1:2] in ("x", "X")
    if after in ("e", "E"):
        # The digits of a hexadecimal integer have taken every `e` they could.
        whole = kind == "INTEGER" and hexadecimal
        if not whole and "e" not in digits.rpartition(".")[2].lower():
            return LexingFault("an exponent needs digits")
    if kind == "REAL":
        return None
    if after == ".":
        return LexingFault("a decimal point needs digits after it", f"write `{text}.0`")
    if digits == "0" and after in ("x", "X"):
        return LexingFault("`0x` needs hexadecimal digits after it")
    if digits[0] != "0" or len(digits) == 1:
        return None
    # INVARIANT: a sign hides the zero from HTCondor's check, so `-010` is -10.
    return _leading_zero(digits, hexadecimal, refuse=not strict and text == digits)


def _leading_zero(digits: str, hexadecimal: bool, *, refuse: bool) -> LexingFault | None:
    if hexadecimal:
        value = int(digits, 16)
        help = f"write `{value}`" if value <= INT_MAX else None
        return LexingFault("there are no hexadecimal integers", help) if refuse else None
    if refuse or "8" in digits or "9" in digits:
        plain = digits.lstrip("0") or "0"
        return LexingFault("an integer cannot start with `0`", f"write `{plain}`")
    return None


def _is_digit(char: str) -> bool:
    return char.isascii() and char.isdigit()


def _character_help(char: str) -> str | None:
    if char in "“”„«»":
        return 'strings take the plain quote `"`'
    if char in "‘’`´":
        return "names are quoted with the plain `'`"
    if char == "$":
        return "macros such as `$(NAME)` exist in configuration files only"
    if not char.isascii():
        return "outside quotes only ASCII characters are allowed"
    return None
