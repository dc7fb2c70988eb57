r"""Reads and writes the JSON form of ads, expressions as ``"\/Expr(...)\/"`` strings.

This is HTCondor's dialect, which Python's ``json`` does not read.  The escaped slashes mark an
expression; ``"/Expr(1)/"`` is a plain string.  Words are caseless, comments and superfluous commas
between members are accepted, adjacent strings join, integers beyond 64 bits are 0.

Inputs: a text that holds objects one after the other, or arrays of objects.  Outputs: ads; or the
text of one ad, over several lines or in one.
Follows: the JSON form of HTCondor 25.14.1 (golden vectors ``formats``).
"""

from __future__ import annotations

import re
from math import isfinite
from typing import Final, NamedTuple, TypeVar

from classad.ads.ad import Ad, ListValue, Stored
from classad.formats.common import (
    ITEM,
    LIST,
    PART,
    A,
    unshared,
)
from classad.formats.recovery import JSON, Misread, Recovering, scalar_of
from classad.formats.unparse import is_node, item_of_stored, print_order, unparse, unparse_value
from classad.language import bounds
from classad.language.spelling import format_real
from classad.language.values import UNDEFINED, RelTime
from classad.patterns import late_regex
from classad.syntax.lexing import integer_value, replaced

#: Nested objects and arrays deeper than this are refused; the parser of expressions stops near it.
MAX_DEPTH: Final = 165

# `(?!)`: so that Python before 3.11.5, too, forgets what did not match.
_TOKEN: Final = late_regex(
    r"""(?P<skip>(?:[ \t\r\n\v\f]++|//[^\n]*+|/\*.*?\*/|(?!))++)
      | (?P<punct>[{}\[\],:])
      | (?P<string>"(?:[^"\\]++|\\u[0-9a-fA-F]{4}|\\[^u]|(?!))*+")
      | (?P<real>-?(?:[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)(?![\w.]))
      | (?P<int>-?(?:0|[1-9][0-9]*)(?![\w.]))
      | (?P<word>[A-Za-z_]\w*)
    """,
    re.VERBOSE | re.DOTALL,
)
#: A member whose value is a plain scalar, with the comma before it; what it does not match is left
#: to the tokens.
_MEMBER: Final = late_regex(
    r"""(?P<comma>[ \t\r\n]*,)?[ \t\r\n]*"(?P<name>[^"\\\0]+)"[ \t\r\n]*:[ \t\r\n]*
    (?:(?P<int>-?(?:0|[1-9][0-9]{0,17}))|"(?P<string>[^"\\\0]*)"|(?P<word>true|false|null)
      |(?P<real>-?[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?))
    (?=[ \t\r\n]*[,}])""",
    re.VERBOSE,
)
_ESCAPE: Final = late_regex(r"\\(u....|.)", re.DOTALL)
#: Escapes that are replaced at once in a long text.
_PIECES: Final = late_regex(r"(?:[^\\]++|\\u....|\\.|\\|(?!)){1,10000}+", re.DOTALL)
_SIMPLE: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_EXPRESSION: Final = late_regex(r"\\/expr\((.*)\)\\/\Z", re.IGNORECASE | re.DOTALL)
_WORDS: Final = {"true": True, "false": False, "null": UNDEFINED}


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


def unescape(body: str) -> str:
    """The text of a JSON string's inside; surrogate pairs are joined.

    >>> unescape(r"a\\nb\\u0041")
    'a\\nbA'
    """
    if "\\" not in body:
        return body
    text = replaced(_ESCAPE, _unescape_one, body, _PIECES)
    if "\\u" not in body:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _unescape_one(match: re.Match[str]) -> str:
    escape = match[1]
    return chr(int(escape[1:], 16)) if escape[0] == "u" else _SIMPLE.get(escape, escape)


_Filled = TypeVar("_Filled", bound=Ad)


class JsonReader(Recovering[A]):
    """A recursive-descent parser over one text; ``position`` moves past what was read."""

    shape, opening = JSON, JSON.opening
    #: Whether an array of ads was begun.
    _inside = False

    def next_ad(self) -> A | None:
        """The ad that comes next; None for what stands between ads, and at the end."""
        self.begun = self.peek().start
        token = self.take()
        if token.text == "{":
            return self.names.share(self.members(1, self.new()))
        if token.text == ("]" if self._inside else "["):
            self._inside = not self._inside
        elif token.kind == "end" and self._inside:
            raise _unexpected(token, "`]`")
        elif token.text != "," and token.kind != "end":
            raise _unexpected(token, "`{`")
        else:
            self.over = token.kind == "end"
        return None

    def peek(self) -> _Token:
        """The next token, not taken; at the end one of kind ``end``."""
        while True:
            if self.position >= len(self.whole):
                return _Token("end", "", len(self.whole), len(self.whole))
            found = _TOKEN.match(self.whole, self.position)
            if found is None:
                at, bad = self.position, self.whole[self.position]
                message = "string is not closed or has a bad `\\u` escape"
                raise Misread(message if bad == '"' else f"unexpected `{bad}`", at, at + 1)
            if found.lastgroup != "skip":
                return _Token(found.lastgroup or "", found[0], found.start(), found.end())
            self.position = found.end()

    def take(self) -> _Token:
        """The next token."""
        token = self.peek()
        self.position = token.end
        return token

    def expect(self, punctuation: str) -> None:
        """Take one punctuation mark."""
        token = self.take()
        if token.text != punctuation:
            raise _unexpected(token, f"`{punctuation}`")

    def value(self, depth: int) -> object:
        """A value as it is stored in an ad: plain for scalars, else an Expression or an ad."""
        token = self.take()
        if token.kind == "string":
            return self.string_value(token)
        if token.kind == "int":
            return self._integer(token)
        if token.kind == "real":
            return float(token.text)
        if token.kind == "word" and token.text.lower() in _WORDS:
            return _WORDS[token.text.lower()]
        if depth > MAX_DEPTH and token.text in ("{", "["):
            raise Misread("nested too deeply", token.start, token.end)
        if token.text == "{":
            return self.members(depth, Ad())
        if token.text == "[":
            return self.elements(depth)
        raise _unexpected(token, "a value")

    def _integer(self, token: _Token) -> int:
        """The value of an integer; 0 beyond 64 bits, as in HTCondor."""
        number = integer_value(token.text)
        if number == 0 and len(token.text) > 1:
            self.overflow(self.source, token.start, token.end)
        return number

    def members(self, depth: int, ad: _Filled) -> _Filled:
        """Fill an ad with the members of an object whose brace was taken."""
        if depth > 1:
            self.memory.add(PART)
        taken: set[int] = set()
        comma, last = True, ""
        while True:
            if bounds.entered:
                bounds.glance("reading ads")
            found = _MEMBER.match(self.whole, self.position)
            if found is not None and (comma or found["comma"] is not None):
                self.position = found.end()
                self.names.put(ad, last := found["name"], scalar_of(found, _WORDS))
                comma = False
                continue
            begin = self.position
            try:
                token = self.take()
                if token.text == "}" and token.kind == "punct":
                    return ad
                if token.text == "," and token.kind == "punct":
                    comma = True
                    continue
                last = self._member(token, depth, ad, taken, comma)
            except Misread as problem:
                if depth > 1 or not self.lose_attribute(problem, begin):
                    raise
                # What stands behind a value belongs to it, unless it is the next attribute.
                if not comma and self.whole[problem.start : problem.start + 1] != '"':
                    ad.remove(last)
            comma = False

    def _member(self, token: _Token, depth: int, ad: Ad, taken: set[int], comma: bool) -> str:
        """Insert the attribute whose name is the token that was taken; its name."""
        if token.kind != "string" or not comma:
            raise _unexpected(token, "an attribute name in quotes" if comma else "`,` or `}`")
        name = unescape(token.text[1:-1])
        if not name:
            raise Misread("attribute name is empty", token.start, token.end)
        if "\0" in name:
            raise Misread("attribute name contains a NUL character", token.start, token.end)
        self.expect(":")
        if depth > 1:
            self.memory.add(PART)
        self.names.put(ad, name, unshared(self.value(depth + 1), taken))
        return name

    def elements(self, depth: int) -> ListValue:
        """An array whose bracket was taken."""
        items: list[object] = []
        self.memory.add(LIST)
        if self.peek().text == "]":
            self.take()
            return ListValue(items)
        while True:
            if bounds.entered:
                bounds.glance("reading ads")
            self.memory.add(ITEM)
            items.append(self.value(depth + 1))
            token = self.take()
            if token.text == "]":
                return ListValue(items)
            if token.text != ",":
                raise _unexpected(token, "`,` or `]`")

    def string_value(self, token: _Token) -> object:
        """A string, joined with strings that follow it, or the expression it holds."""
        body = token.text[1:-1]
        if self.peek().kind == "string":
            parts = [unescape(body)]
            while self.peek().kind == "string":
                parts.append(unescape(self.take().text[1:-1]))
            body = ""
            text = "".join(parts)
        else:
            text = ""
        marked = _EXPRESSION.match(body)
        if marked is not None:
            return self.expression(unescape(marked[1]), token)
        text = text or unescape(body)
        if "\0" in text:
            raise Misread("string contains a NUL character", token.start, token.end)
        return text

    def expression(self, text: str, token: _Token) -> object:
        """The expression of an ``Expr`` string."""
        known, message = self.expression_of(text)
        if known is None:
            raise Misread(message, token.start, token.end)
        if message:
            self.ignored(message, self.source, token.start, token.end)
        return known


def _unexpected(token: _Token, wanted: str) -> Misread:
    got = "the end of the text" if token.kind == "end" else f"`{token.text}`"
    return Misread(f"expected {wanted}, found {got}", token.start, max(token.end, token.start + 1))


#: Reads objects that stand one after the other, or in arrays, as ads; see ``Recovering.read``.
read_json: Final = JsonReader.read


# --- writing --------------------------------------------------------------------------------

_QUOTED: Final = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r",
                  "\t": "\\t"}  # fmt: skip
_TO_QUOTE: Final = late_regex(r'[\x00-\x1f"\\]')


def quote(text: str) -> str:
    """A JSON string; other than the standard module's, all beyond ASCII stays as it is."""
    return f'"{_quoted(text)}"'


def _quoted(text: str) -> str:
    return _TO_QUOTE.sub(lambda found: _QUOTED.get(found[0]) or f"\\u{ord(found[0]):04X}", text)


def format_json(ad: Ad, *, indent: bool = True) -> str:
    """An ad as a JSON object, over several lines (two blanks a level) or in one.

    >>> from classad import ClassAd
    >>> print(format_json(ClassAd("[Rank = Memory; Cpus = 4]"), indent=False))
    {"Cpus": 4,"Rank": "\\/Expr(Memory)\\/"}
    """
    out: list[str] = []
    _write(ad, out, 0 if indent else -1)
    return "".join(out)


def format_value(value: Stored) -> str:
    """A single value, in one line, as it would stand in an ad."""
    out: list[str] = []
    _write(item_of_stored(value), out, -1)
    return "".join(out)


def _write(item: Stored, out: list[str], level: int) -> None:
    """Append the text of a printable item; ``level`` is negative when all goes in one line."""
    if isinstance(item, Ad):
        members = [(quote(name) + ": ", value) for name, value in print_order(item)]
        _write_group("{", members, "}", out, level)
    elif item.__class__ is ListValue:
        _write_group("[", [("", item_of_stored(value)) for value in item.items], "]", out, level)
    else:
        out.append(_scalar(item))


def _write_group(
    opening: str, members: list[tuple[str, Stored]], closing: str, out: list[str], level: int
) -> None:
    inner = level + 1 if level >= 0 else level
    out.append(opening)
    for number, (label, item) in enumerate(members):
        if number:
            out.append(",")
        if level >= 0:
            out.append("\n" + "  " * inner)
        out.append(label)
        _write(item, out, inner)
    if level >= 0:
        out.append("\n" + "  " * level)
    out.append(closing)


def _scalar(item: Stored) -> str:
    """A scalar or an expression."""
    kind = item.__class__
    if kind is bool:
        return "true" if item else "false"
    if kind is int:
        return str(item)
    if kind is str:
        return quote(item)
    if item is UNDEFINED:
        return "null"
    if kind is RelTime:
        item, kind = item.secs, float
    if kind is float and isfinite(item):
        return format_real(item, old=True)
    text = unparse(item) if is_node(item) else unparse_value(item)
    return f'"\\/Expr({_quoted(text)})\\/"'
