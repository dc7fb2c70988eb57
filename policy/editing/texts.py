"""Cuts a text into statements, and says what stands at a character of it.

A text that is being written need not be one that can be read: every character of it has an answer.
Inputs: texts, offsets in characters.  Outputs: ``Text`` with its
``WrittenStatement`` statements, ``ValueWord``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cached_property, lru_cache
from itertools import takewhile
from typing import Final

from attr import frozen

from classad.language.names import fold_name
from classad.patterns import late_regex
from classad.source import Source
from policy.language import conditions, statements
from policy.language.lines import LineReader, LogicalLine
from policy.language.statements import Statement, StatementError

#: Texts that are kept with their statements.
_KEPT: Final = 64


class Form(Enum):
    """What kind of statement something is."""

    ASSIGNMENT = "assignment"
    #: ``NAME @=tag`` up to ``@tag``.
    BLOCK = "block"
    USE = "use"
    INCLUDE = "include"
    SAYING = "error or warning"
    CONDITION = "condition"
    #: No operator yet.
    BEGUN = "begun"


@frozen(slots=False)
class WrittenStatement:
    """A statement: ``start:end`` from its first character to behind its last.

    ``name`` is as it is written; of a condition its keyword.  ``value_start``: where the value
    begins, the condition, or the templates of ``use``; ``word`` what stands before that: the
    category of ``use``.
    """

    form: Form
    name: str
    start: int
    end: int
    value_start: int
    word: str = ""

    @property
    def assigns(self) -> bool:
        """Does it set a macro?"""
        return self.form in (Form.ASSIGNMENT, Form.BLOCK)

    @property
    def name_end(self) -> int:
        """Where its name ends, or its keyword."""
        return self.start + len(self.name)


class Kind(Enum):
    """What kind of word a token is."""

    COMMENT = "comment"
    #: The name in ``$(NAME)``, or in ``$INT(NAME)`` and its like.
    MACRO = "macro"
    #: ``INT`` in ``$INT(NAME)``; empty in ``$(NAME)``, where no token has it.
    OPERATION = "operation"
    STRING = "string"
    NUMBER = "number"
    FUNCTION = "function"
    #: ``MY`` and ``TARGET`` before a dot.
    SCOPE = "scope"
    LITERAL = "literal"
    ATTRIBUTE = "attribute"


@frozen
class ValueWord:
    """A word of a value; ``scope``: of an attribute ``my`` or ``target`` if it is written so."""

    kind: Kind
    text: str
    start: int
    end: int
    scope: str = ""


#: Words that are values or operators of the language, not attributes.
LITERALS: Final = ("true", "false", "undefined", "error")
OPERATORS: Final = ("is", "isnt")
SCOPES: Final = ("my", "target")
#: Functions of configurations whose body is no name of a macro.
_OTHER_BODIES: Final = frozenset(("ENV", "RANDOM_CHOICE", "RANDOM_INTEGER"))
_REFERENCE: Final = late_regex(r"\$([A-Za-z_]*)\([ \t]*([A-Za-z0-9_./]*)")
_TOKEN: Final = late_regex(
    r"""(?P<comment>^[ \t]*\#.*$)|(?P<string>"(?:[^"\\\n]|\\.)*"?)|(?P<macro>\$\$?[A-Za-z_]*\()
    |(?P<number>(?<![\w.])(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\w*)
    |(?P<name>[A-Za-z_]\w*|'(?:[^'\\\n]|\\.)*')""",
    re.VERBOSE | re.MULTILINE,
)
_CALLED: Final = late_regex(r"[ \t]*\(")
_IDENTIFIER: Final = late_regex(r"[A-Za-z0-9_.]")
_COMMENT: Final = late_regex(r"[ \t]*#.*")


class Text:
    """A text with its statements; made by ``text_of``, which keeps those of late."""

    def __init__(self, text: str) -> None:
        self.text: Final = text

    @cached_property
    def statements(self) -> tuple[WrittenStatement, ...]:
        """The statements, in their order; blank lines and comments are none."""
        return tuple(_statements(self.text))

    @cached_property
    def _starts(self) -> list[int]:
        return [one.start for one in self.statements]

    def statement_at(self, offset: int) -> WrittenStatement | None:
        """The statement that a character is in, or stands right behind in its last line."""
        number = bisect_right(self._starts, offset) - 1
        if number < 0:
            return None
        found = self.statements[number]
        stop = self.text.find("\n", found.end)
        return found if offset <= (len(self.text) if stop < 0 else stop) else None

    def comment_at(self, offset: int) -> tuple[int, int] | None:
        """The comment that is the line of a character; none within a block."""
        begin = self.text.rfind("\n", 0, offset) + 1
        found = _COMMENT.match(self.text, begin)
        inside = self.statement_at(offset)
        if found is None or (inside is not None and inside.form is Form.BLOCK):
            return None
        return found.span()

    def tokens(self, one: WrittenStatement) -> Iterator[ValueWord]:
        """The words of a value, a condition or the list of ``use``."""
        return tokens(self.text, one.value_start, one.end)

    def references(self, start: int = 0, end: int | None = None) -> Iterator[ValueWord]:
        """The macros and the functions of configurations that are named in a stretch."""
        for found in _REFERENCE.finditer(self.text, start, len(self.text) if end is None else end):
            if self.text[found.start() - 1 : found.start()] == "$":
                continue
            if found[1]:
                yield ValueWord(Kind.OPERATION, found[1], *found.span(1))
            if found[2] and found[1] not in _OTHER_BODIES:
                yield ValueWord(Kind.MACRO, found[2], *found.span(2))

    def line_of(self, offset: int) -> int:
        """The number of a line, from 0."""
        return self.text.count("\n", 0, offset)


@lru_cache(maxsize=_KEPT)
def text_of(text: str) -> Text:
    """The statements of a text."""
    return Text(text)


def word_at(several: Iterable[ValueWord], offset: int) -> ValueWord | None:
    """The word of several that a character is in, or stands right behind."""
    before = takewhile(lambda one: one.start <= offset, several)
    return next((one for one in before if offset <= one.end), None)


def tokens(text: str, start: int, end: int) -> Iterator[ValueWord]:
    """The words of an expression in ``start:end`` of a text, without references to macros."""
    scope = ""
    for found in _TOKEN.finditer(text, start, end):
        kind, word = Kind.ATTRIBUTE, found[0]
        if found.lastgroup == "macro":
            continue
        if found.lastgroup != "name":
            kind = Kind(found.lastgroup or "")
        elif text[found.start() - 1 : found.start()] == "(" and _is_body(text, found.start()):
            continue
        elif fold_name(word) in SCOPES and text[found.end() : found.end() + 1] == ".":
            kind = Kind.SCOPE
        elif _CALLED.match(text, found.end(), end):
            kind = Kind.FUNCTION
        elif fold_name(word) in (*LITERALS, *OPERATORS):
            kind = Kind.LITERAL
        behind = text[found.start() - 1 : found.start()] == "."
        yield ValueWord(kind, word, *found.span(), scope if behind else "")
        scope = fold_name(word) if kind is Kind.SCOPE else ""


def _is_body(text: str, at: int) -> bool:
    """Does a name stand in ``$(...)`` or ``$INT(...)``?"""
    begin = at - 1
    while begin > 0 and (text[begin - 1].isalpha() or text[begin - 1] == "_"):
        begin -= 1
    return text[begin - 1 : begin] == "$"


def _statements(text: str) -> Iterator[WrittenStatement]:
    source = Source(text)
    block: tuple[WrittenStatement, str] | None = None
    for line in LineReader(source):
        start, end = line.offset(0), line.offset(len(line.text) - 1) + 1
        if block is not None:
            opening, end_tag = block
            if line.text == end_tag:
                yield _ended(opening, end)
                block = None
            continue
        word = conditions.keyword(line.text.removeprefix(":"))
        if word is not None:
            shift = len(line.text) - len(word[1])
            at = line.offset(shift) if word[1] else end
            keyword = line.offset(int(line.text.startswith(":")))
            yield WrittenStatement(Form.CONDITION, word[0], keyword, end, at)
            continue
        written = _assignment(line, start, end)
        if written is not None and written.form is Form.BLOCK:
            block = written, "@" + written.word
        elif written is not None:
            yield written
    if block is not None:
        yield _ended(block[0], len(text))


def _ended(opening: WrittenStatement, end: int) -> WrittenStatement:
    return WrittenStatement(Form.BLOCK, opening.name, opening.start, end, opening.value_start)


def _assignment(line: LogicalLine, start: int, end: int) -> WrittenStatement | None:
    shift = int(line.text.startswith(":"))
    try:
        found = statements.parse(line.text[shift:])
    except StatementError:
        name = line.text.split(None, 1)[0] if line.text.split() else ""
        return WrittenStatement(Form.BEGUN, name, start, end, end)
    if found is None:
        return None
    start = line.offset(shift)
    at = shift + found.value_start
    value = line.offset(at) if at < len(line.text) else end
    if found.operator == "@=":
        return WrittenStatement(Form.BLOCK, found.name, start, end, end, found.value)
    if found.operator == "keyword":
        return WrittenStatement(_keyword(found), found.name, start, end, value, found.words)
    return WrittenStatement(Form.ASSIGNMENT, found.name, start, end, max(start, value))


def _keyword(found: Statement) -> Form:
    forms = {"use": Form.USE, "include": Form.INCLUDE}
    return forms.get(found.name, Form.SAYING)


def word_before(text: str, offset: int) -> int:
    """Where the word begins that ends at a character."""
    while offset > 0 and _IDENTIFIER.match(text[offset - 1]):
        offset -= 1
    return offset
