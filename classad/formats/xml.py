"""Reads and writes the XML form of ads: ``<c><a n="Name"><i>1</i></a></c>``.

No general XML parser reads it: it is smaller than XML, with strings of its own.  Elements: ``i``
integer, ``r`` real, ``s`` string with the escapes of the new syntax, ``b v="t"`` boolean, ``un``
undefined, ``er`` error, ``at`` and ``rt`` times, ``e`` expression in new syntax, ``l`` list, ``c``
ad.  Entities are ``&amp; &lt; &gt;`` (when read also ``&quot; &apos;`` and character numbers).
Inputs: a text with or without the document's head.  Outputs: ads.  Follows: HTCondor 25.14.1.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import inf
from typing import Any, Final, TypeAlias, TypeVar

from classad.ads.ad import Ad, ListValue, Stored
from classad.formats.common import (
    BLANKS,
    ITEM,
    LIST,
    PART,
    A,
    unshared,
)
from classad.formats.json import MAX_DEPTH
from classad.formats.recovery import Misread, Recovering, scalar_of
from classad.formats.unparse import is_node, item_of_stored, print_order, unparse, unparse_value
from classad.language import bounds
from classad.language.spelling import format_real, quote_string, real_and_end
from classad.language.values import ERROR, INT_MAX, INT_MIN, UNDEFINED, RelTime
from classad.patterns import late_regex
from classad.syntax.lexing import replaced
from classad.syntax.lexing import unescape as unescape_string

_INTEGER: Final = late_regex(r"-?[0-9]+")


#: Who reads a scalar, whatever class its ads have.
Reader: TypeAlias = "XmlReader[Any]"


def _integer(text: str, parser: Reader) -> object:
    text = text.strip(BLANKS)
    found = _INTEGER.match(text)
    if found is None:
        parser.no_number("integer")
        return ERROR
    digits = found[0].lstrip("-").lstrip("0") or "0"
    # As few as these are beyond 64 bits already.
    number = int(digits[:20]) * (-1 if found[0][0] == "-" else 1)
    if not INT_MIN <= number <= INT_MAX:
        begin, end = parser.start - len(parser.text), parser.start
        parser.overflow(parser.source, begin, end, "an error")
        return ERROR
    if found.end() < len(text):
        parser.ignore("expected `</i>`, found text")
    return number


def _real(text: str, parser: Reader) -> object:
    found = real_and_end(text)
    if found is None:
        parser.no_number("real number")
        return ERROR
    number, end = found
    if text[end:].strip(BLANKS):
        parser.ignore("expected `</r>`, found text")
    return number


def _expression(text: str, parser: Reader) -> object:
    known, message = parser.expression_of(text, prefix=True)
    if known is None:
        raise parser.fail(message)
    if message:
        parser.ignore(message)
    return known


def _time(function: str) -> Callable[[str, Reader], object]:
    def read(text: str, parser: Reader) -> object:
        return _expression(f'{function}("{text.strip(BLANKS)}")', parser)

    return read


def new_string(text: str, parser: Reader) -> str:
    """Undo the escapes of the new syntax, all other characters standing for themselves."""
    text = unescape_string(text) if "\\" in text else text
    if "\0" in text:
        raise parser.fail("string contains a NUL character")
    return text


#: What reads each element.
SCALARS: Final[dict[str, Callable[[str, Reader], object]]] = {
    "i": _integer,
    "r": _real,
    "s": new_string,
    "b": lambda text, parser: False,  # the value is in the tag
    "un": lambda text, parser: UNDEFINED,
    "er": lambda text, parser: ERROR,
    "at": _time("absTime"),
    "rt": _time("relTime"),
    "e": _expression,
}


# `(?!)`: so that Python before 3.11.5, too, forgets what did not match.
_TAG: Final = late_regex(
    r"<(?:!--.*?--|[?!][^>]*|(?P<close>/?)(?P<name>[A-Za-z]+)"
    r"""(?P<attrs>(?:\s+[A-Za-z]+\s*=\s*(?:"(?:[^"\\]++|\\.|(?!))*+"|'[^']*')|(?!))*+)\s*(?P<empty>/?))>""",
    re.DOTALL,
)
_ATTRIBUTE: Final = late_regex(
    r"""([A-Za-z]+)\s*=\s*(?:"((?:[^"\\]++|\\.|(?!))*+)"|'([^']*)')""", re.DOTALL
)
#: What an attribute consists of, but for scalars.
_NESTED: Final = late_regex(r"<(/?)(a|c|l)(?:\s[^<>]*?)?(/?)>")
#: An attribute that needs neither entities nor escapes.
_PLAIN: Final = late_regex(
    r"""[ \t\r\n]*<a\ n="(?P<name>[^"&\\<>\0]+)"><(?:i>(?P<int>-?(?:0|[1-9][0-9]{0,17}))</i
    |s>(?P<string>[^<&\\\0]*)</s|r>(?P<real>-?[0-9]+\.[0-9]+(?:E[+-][0-9]+)?)</r
    |b\ v="(?P<word>[tf])"/)></a>""",
    re.VERBOSE,
)
_ENTITY: Final = late_regex(r"&(amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});")
#: Entities that are replaced at once in a long text.
_PIECES: Final = late_regex(r"(?:[^&]++|&[^&;]*+;?|(?!)){1,10000}+")
_FLAGS: Final = {"t": True, "f": False}
_ENTITIES: Final = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


def unescape(text: str) -> str:
    """Replace the entities of a piece of text."""
    return replaced(_ENTITY, _entity, text, _PIECES) if "&" in text else text


def _entity(match: re.Match[str]) -> str:
    name = match[1]
    if name[0] != "#":
        return _ENTITIES[name]
    code = int(name[2:], 16) if name[1] == "x" else int(name[1:])
    return chr(code) if 0 < code < 0x110000 else match[0]


_Filled = TypeVar("_Filled", bound=Ad)


class XmlReader(Recovering[A]):
    """A pull parser over one text; ``text`` is what stood before the tag that was taken last."""

    opening = "<c>"
    text = name = attributes = ""
    close = empty = False
    start = 0

    def next_ad(self) -> A | None:
        """The ad that comes next; None for what stands between ads, and at the end."""
        if not self.next_tag():
            self.over = True
            return None
        self.begun = self.start
        if self.name == "c" and not self.close:
            return self.names.share(self.members(1, self.new()))
        if self.name != "classads":
            raise self.fail(f"expected `<c>`, found `{self.whole[self.start : self.position]}`")
        return None

    def attribute_end(self, begin: int, limit: int) -> int | None:
        """Where to go on behind the attribute at ``begin``; None if its end is not clear."""
        open_: list[str] = []
        for found in _NESTED.finditer(self.whole, begin, limit):
            close, name, empty = found.groups()
            if empty:
                continue
            if not close:
                open_.append(name)
            elif not open_:
                return found.start() if name == "c" else None
            elif open_.pop() != name:
                return None
            elif not open_:
                return found.end()
        return None

    def next_tag(self) -> bool:
        """Move to the next tag that is not a comment or a declaration; False at the end."""
        parts: list[str] = []
        while True:
            start = self.whole.find("<", self.position)
            if start < 0:
                self.position = len(self.whole)
                return False
            parts.append(self.whole[self.position : start])
            found = _TAG.match(self.whole, start)
            if found is None:
                raise Misread("malformed tag", start, start + 1)
            self.position = found.end()
            if found["name"] is not None:
                break
        self.text = "".join(parts)
        self.start = start
        self.name, self.attributes = found["name"], found["attrs"]
        self.close, self.empty = bool(found["close"]), bool(found["empty"])
        return True

    def need_tag(self, expected: str | None = None) -> None:
        """The next tag, which must exist; no text is to stand before what is ``expected``."""
        if not self.next_tag():
            raise Misread("text ends inside an ad", len(self.whole), len(self.whole))
        if expected is not None and self.text.strip(BLANKS):
            self.ignore(f"expected {expected}, found text")

    def fail(self, message: str) -> Misread:
        """A problem at the current tag."""
        return Misread(message, self.start, self.position)

    def ignore(self, message: str) -> None:
        """Text before the current tag that is no part of a value."""
        self.ignored(message, self.source, self.start, self.position)

    def no_number(self, wanted: str) -> None:
        """Say that the text before the current tag is not what is wanted."""
        begin, end = self.start - len(self.text), self.start
        if self.empty or not self.text:
            begin, end = self.start, self.position
        self.doubt(f"this is no {wanted}: it is an error", self.source, begin, end)

    def attribute(self, name: str) -> str | None:
        """An attribute of the current tag, entities replaced."""
        for found in _ATTRIBUTE.finditer(self.attributes):
            if found[1] == name:
                return unescape(found[2] if found[2] is not None else found[3])
        return None

    def members(self, depth: int, ad: _Filled) -> _Filled:
        """Fill an ad with the members of the ``<c>`` that was taken."""
        if depth > 1:
            self.memory.add(PART)
        if self.empty:
            return ad
        taken: set[int] = set()
        while True:
            if bounds.entered:
                bounds.glance("reading ads")
            found = _PLAIN.match(self.whole, self.position)
            if found is not None:
                self.position = found.end()
                self.names.put(ad, found["name"], scalar_of(found, _FLAGS))
                continue
            begin = self.position
            try:
                self.need_tag("`<a n=...>` or `</c>`")
                if self.close and self.name == "c":
                    return ad
                self._member(depth, ad, taken)
            except Misread as problem:
                if depth > 1 or not self.lose_attribute(problem, begin):
                    raise

    def _member(self, depth: int, ad: Ad, taken: set[int]) -> None:
        """Insert the attribute whose tag was taken."""
        if self.close or self.name != "a" or self.empty:
            raise self.fail("expected `<a n=...>` or `</c>`")
        name = self.attribute("n")
        if not name:
            raise self.fail("attribute name missing or empty")
        self.need_tag("a value")
        if depth > 1:
            self.memory.add(PART)
        self.names.put(ad, new_string(name, self), unshared(self.value(depth), taken))
        self.need_tag("`</a>`")
        if not (self.close and self.name == "a"):
            raise self.fail("expected `</a>`")

    def value(self, depth: int) -> object:
        """The value whose opening tag was taken."""
        if self.close:
            raise self.fail("value missing")
        if self.name in ("c", "l"):
            if depth > MAX_DEPTH:
                raise self.fail("nested too deeply")
            if self.name == "c":
                return self.members(depth + 1, Ad())
            return self.elements(depth + 1)
        read = SCALARS.get(self.name)
        if read is None:
            raise self.fail(f"unknown element `{self.name}`")
        flag = self.attribute("v") if self.name == "b" else None
        value = read(self.body(), self)
        return value if flag is None else flag in ("t", "T")

    def body(self) -> str:
        """The text inside the current element, up to its closing tag."""
        name = self.name
        if self.empty:
            return ""
        self.need_tag()
        if not self.close or self.name != name:
            raise self.fail(f"expected `</{name}>`")
        return unescape(self.text)

    def elements(self, depth: int) -> ListValue:
        """The list whose ``<l>`` was taken."""
        items: list[object] = []
        self.memory.add(LIST)
        if self.empty:
            return ListValue(items)
        while True:
            self.need_tag("a value or `</l>`")
            if self.close and self.name == "l":
                return ListValue(items)
            self.memory.add(ITEM)
            items.append(self.value(depth))


#: Reads the ads of an XML document; see ``Recovering.read``.
read_xml: Final = XmlReader.read


# --- writing --------------------------------------------------------------------------------

#: The lines of a document before and after its ads.
XML_HEAD: Final = '<?xml version="1.0"?>\n<!DOCTYPE classads SYSTEM "classads.dtd">\n<classads>\n'
_ESCAPED_QUOTE: Final = '\\"'
XML_FOOT: Final = "</classads>\n"


def escape(text: str) -> str:
    """Put entities for the three characters that markup needs."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def format_xml(ad: Ad, *, indent: bool = True) -> str:
    """An ad as a ``<c>`` element, four blanks a level with a final newline, or in one line.

    >>> from classad import ClassAd
    >>> print(format_xml(ClassAd("[Rank = Memory; Cpus = 4]"), indent=False))
    <c><a n="Cpus"><i>4</i></a><a n="Rank"><e>Memory</e></a></c>
    """
    out: list[str] = []
    _write_ad(ad, out, 0 if indent else -1)
    if indent:
        out.append("\n")
    return "".join(out)


def _write_ad(ad: Ad, out: list[str], level: int) -> None:
    inner = level + 1 if level >= 0 else level
    out.append("<c>")
    for name, item in print_order(ad):
        if level >= 0:
            out.append("\n" + "    " * inner)
        out.append(f'<a n="{escape(_string_body(name))}">')
        _write(item, out, inner)
        out.append("</a>")
    if level >= 0:
        out.append("\n" + "    " * level)
    out.append("</c>")


def _write(item: Stored, out: list[str], level: int) -> None:
    """Append the element of a printable item."""
    if isinstance(item, Ad):
        _write_ad(item, out, level)
    elif item.__class__ is ListValue:
        out.append("<l>")
        for value in item.items:
            _write(item_of_stored(value), out, level)
        out.append("</l>")
    else:
        out.append(_scalar(item))


def _scalar(item: Stored) -> str:
    """The element of a scalar or an expression."""
    kind = item.__class__
    if kind is bool:
        return f'<b v="{"t" if item else "f"}"/>'
    if kind is int:
        return f"<i>{item}</i>"
    if kind is str:
        return f"<s>{escape(_string_body(item).replace(_ESCAPED_QUOTE, chr(34)))}</s>"
    if item is UNDEFINED:
        return "<un/>"
    if item is ERROR:
        return "<er/>"
    if kind is float:
        return f"<r>{_real_text(item)}</r>"
    if kind is RelTime:
        return f"<r>{_real_text(item.secs)}</r>"
    if is_node(item):
        return f"<e>{escape(unparse(item))}</e>"
    return f"<at>{unparse_value(item).removeprefix('absTime(').strip(')').strip(chr(34))}</at>"


def _real_text(number: float) -> str:
    if number != number:
        return "NaN"
    if number in (inf, -inf):
        return "INF" if number > 0 else "-INF"
    return format_real(number + 0.0, old=False)  # the sign of a zero is lost


def _string_body(text: str) -> str:
    """The inside of a string in new syntax."""
    return quote_string(text, old=False)[1:-1]
