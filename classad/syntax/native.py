"""Parses with the parser in C (csrc/parse.c), and makes its nodes when they are needed.

The C parser sees only ASCII texts of a length it can count, and answers for texts that are clearly
in the language.  For all others, the ill-formed ones and those with time literals included, the
answer here is None and the grammar decides.

Inputs: a text and how it is read.  Outputs: nodes, or whether there would be any
(``LazyExpression``).  Records are not kept: making them again takes microseconds, keeping them a
kilobyte an expression.
Follows: classad/syntax/parser.py; the tests compare the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from struct import Struct
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from classad import kernels
from classad.language.operators import TOKENS
from classad.language.rules import OLD
from classad.language.values import ERROR, UNDEFINED
from classad.syntax.lexing import integer_value, old_value, unescape
from classad.syntax.nodes import (
    AdExpr,
    Binary,
    Call,
    Conditional,
    ListExpr,
    Literal,
    LiteralValue,
    Node,
    Parens,
    Reference,
    Subscript,
    Unary,
    unique_attributes,
)

#: Tells the C parser to read an ad and nothing behind it.
_ONE_AD: Final = 8

#: The operators by the numbers of their tokens in csrc/lex.h.
OPERATORS: Final = ("", *TOKENS)
#: The kinds of nodes that csrc/parse.c tells of.
NODE_KINDS: Final = (
    "INTEGER", "REAL", "STRING", "ESCAPED_STRING", "TRUE", "FALSE", "UNDEFINED", "ERROR",
    "REFERENCE", "ABSOLUTE", "SELECTION", "UNARY", "BINARY", "CONDITIONAL", "SUBSCRIPT",
    "PARENS", "CALL", "LIST", "ATTRIBUTE", "AD",
)  # fmt: skip
KINDS: Final = range(len(NODE_KINDS))
(_INTEGER, _REAL, _STRING, _ESCAPED_STRING, _TRUE, _FALSE, _UNDEFINED, _ERROR) = KINDS[:8]
(_REFERENCE, _ABSOLUTE, _SELECTION, _UNARY, _BINARY, _CONDITIONAL, _SUBSCRIPT) = KINDS[8:15]
(_PARENS, _CALL, _LIST, _ATTRIBUTE, _AD) = KINDS[15:]
_WORDS: Final = {_TRUE: True, _FALSE: False, _UNDEFINED: UNDEFINED, _ERROR: ERROR}

#: Those of an expression that an ad keeps as a value.
_VALUES: Final = frozenset({*KINDS[: _ERROR + 1], _LIST, _AD})

#: How many records a buffer that is used again has room for; larger trees get one of their own.
_ROOM: Final = 2048
#: How much of a text is looked at for the end of an ad, one after the other.
_PARTS: Final = (1 << 12, 1 << 16, 1 << 20)
_RECORD: Final = Struct("7i")
_FULL: Final = -3


#: What cffi gives: its module objects and buffers of C records, which have no types.
Foreign: TypeAlias = Any
#: Nodes, and attributes as pairs of a name and a node.
Operands: TypeAlias = list[Any]
T = TypeVar("T")
#: Makes something of a text, the records of its nodes and how it is read.
Make: TypeAlias = Callable[[str, Foreign, int], T | None]


class Leaves(NamedTuple):
    """The members of a list, values and names; of an ad, if it says how they are called."""

    names: list[str] | None
    members: Sequence[LiteralValue | Node]


class _Parser:
    """The C parser and buffers for its records.  Threads may share it: each takes a buffer out."""

    def __init__(self, ffi: Foreign, lib: Foreign) -> None:
        self.run = lib.ca_parse
        self.spare: list[Foreign] = []
        self._ffi = ffi

    def buffer(self, room: int = _ROOM) -> Foreign:
        """A buffer for that many records."""
        return self._ffi.new("ca_node[]", room)

    def tree(self, text: str, part: str, origin: int, how: int, make: Make[T]) -> T | None:
        """What ``make`` makes of the part of a text that begins at ``origin``, or None."""
        size, room, data = len(part), _ROOM, part.encode()
        buffer = self.spare.pop() if self.spare else self.buffer()
        while (count := self.run(size, data, origin, how, room, buffer)) == _FULL:
            room *= 8
            buffer = self.buffer(room)
        del data  # it may be as long as what is made now
        node = None
        if count > 0:
            node = make(text, self._ffi.buffer(buffer, count * _RECORD.size), how)
        if room == _ROOM:
            self.spare.append(buffer)
        return node


@cache
def _parser() -> _Parser | None:
    native = kernels.native
    return None if native is None else _Parser(*native)


def look(text: str, how: int = 0) -> bool | None:
    """Whether a text is an expression that an ad keeps as a value; None if the grammar must decide.

    Texts that are too long to be read twice are left to the grammar as well.
    """
    if not text.isascii() or (parser := _parser()) is None:
        return None
    spare = parser.spare
    buffer = spare.pop() if spare else parser.buffer()
    count = parser.run(len(text), text.encode(), 0, how, _ROOM, buffer)
    found = buffer[count - 1].kind in _VALUES if count > 0 else None
    spare.append(buffer)
    return found


def parse(text: str, how: int = 0) -> Node | None:
    """The tree of an expression, or None if the grammar must decide."""
    if not text.isascii() or (parser := _parser()) is None:
        return None
    return parser.tree(text, text, 0, how, _built)


def leaves(text: str, how: int = 0) -> Leaves | None:
    """The members of a list or an ad of literals and names; None for all else."""
    parser = _parser() if text.isascii() else None
    return None if parser is None else parser.tree(text, text, 0, how, _leaves)


def parse_ad(text: str, position: int, how: int = 0) -> AdExpr | None:
    """The ad in new syntax at ``position``, or None; the text behind it may be very long."""
    parser = _parser()
    if parser is None:
        return None
    for length in _PARTS:
        part = text[position : position + length]
        if not part.isascii():
            return None
        node = parser.tree(text, part, position, how | _ONE_AD, _built)
        assert node is None or isinstance(node, AdExpr)
        if node is not None or len(part) < length:
            return node
    return None


# --- from records to nodes -----------------------------------------------------------------


def _built(text: str, records: Foreign, how: int) -> Node:
    """The tree of which these are the nodes, every operand before its operator."""
    stack: Operands = []
    push, pop = stack.append, stack.pop
    for kind, op, count, start, end, begin, stop in _RECORD.iter_unpack(records):
        if kind <= _ERROR:
            push(_literal(_value(kind, text[begin:stop], how), start, end))
        elif kind == _REFERENCE:
            push(_reference(text[begin:stop], start, end))
        elif kind == _BINARY:
            right = pop()
            push(Binary(OPERATORS[op], pop(), right, start=start, end=end))
        elif kind == _PARENS:
            push(Parens(pop(), start=start, end=end))
        elif kind == _UNARY:
            push(Unary(OPERATORS[op], pop(), start=start, end=end))
        elif kind == _SELECTION:
            push(Reference(text[begin:stop], pop(), start=start, end=end))
        elif kind == _ABSOLUTE:
            push(Reference(text[begin:stop], absolute=True, start=start, end=end))
        elif kind == _ATTRIBUTE:
            push((text[begin:stop], pop()))
        else:
            first = len(stack) - count
            operands = stack[first:]
            del stack[first:]
            push(_compound(kind, text[begin:stop], operands, start, end))
    root: Node = stack[0]
    return root


def _leaves(text: str, records: Foreign, how: int) -> Leaves | None:
    *found, (kind, _, count, *_) = _RECORD.iter_unpack(records)
    if kind == _AD and len(found) == 2 * count:
        names = [text[begin:stop] for *_, begin, stop in found[1::2]]
        found = found[::2]
    elif kind == _LIST and len(found) == count:
        names = None
    else:
        return None
    if any(record[0] > _REFERENCE for record in found):
        return None
    members = [
        _value(kind, text[begin:stop], how)
        if kind <= _ERROR
        else _reference(text[begin:stop], start, end)
        for kind, _, _, start, end, begin, stop in found
    ]
    return Leaves(names, members)


# Most nodes are leaves.  Made with the setters of their slots they take half the time that their
# constructor needs, which has to look every setter up.
_new: Final = object.__new__
_set_value, _set_literal_start, _set_literal_end = (
    getattr(Literal, name).__set__ for name in ("value", "start", "end")
)
_set_name, _set_base, _set_absolute, _set_start, _set_end = (
    getattr(Reference, name).__set__ for name in ("name", "base", "absolute", "start", "end")
)


def _literal(value: LiteralValue, start: int, end: int) -> Literal:
    """``Literal(value, start=start, end=end)``."""
    node = _new(Literal)
    _set_value(node, value)
    _set_literal_start(node, start)
    _set_literal_end(node, end)
    return node


def _reference(name: str, start: int, end: int) -> Reference:
    """``Reference(name, start=start, end=end)``."""
    node = _new(Reference)
    _set_name(node, name)
    _set_base(node, None)
    _set_absolute(node, False)
    _set_start(node, start)
    _set_end(node, end)
    return node


def _compound(kind: int, name: str, operands: Operands, start: int, end: int) -> Node:
    if kind == _CALL:
        return Call(name, tuple(operands), start=start, end=end)
    if kind == _LIST:
        return ListExpr(tuple(operands), start=start, end=end)
    if kind == _AD:
        return AdExpr(unique_attributes(operands), start=start, end=end)
    if kind == _SUBSCRIPT:
        return Subscript(*operands, start=start, end=end)
    return Conditional(*operands, start=start, end=end)


def _value(kind: int, text: str, how: int) -> LiteralValue:
    if kind == _STRING:
        return text
    if kind == _INTEGER:
        return integer_value(text)
    if kind == _REAL:
        return float(text)
    if kind == _ESCAPED_STRING:
        return old_value(text) if how & OLD else unescape(text)
    return _WORDS[kind]
