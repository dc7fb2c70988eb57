"""Tells large expressions by their parts: by ``&&`` and ``||``, and by the macros that they name.

A macro in an expression stays what it is called and is told once, in a sentence of its own; only
texts that are short are expanded.  Parts are cut in the text as it was written, since a reference
to a macro is no expression.
Inputs: a topic, a macro's definition.  Outputs: sentences.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attr import define, field

from classad.patterns import late_regex
from policy.explain.sentences import Origin, Sentence, Topic, origin_of
from policy.explain.words import code
from policy.language.macros import ExpansionError
from policy.language.table import Definition

#: Characters of an expression that is read at a glance.
SHORT: Final = 72
#: As many macros are told of one expression.
_MOST_NAMED: Final = 12
_TOKEN: Final = late_regex(
    r"""\$\w*\([^()]*\)|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|&&|\|\||[()?{}\[\]]"""
)
_NAMED: Final = late_regex(r"\$\(\s*([A-Za-z_][\w.]*)")
_ONE_NAMED: Final = late_regex(r"\$\(\s*([A-Za-z_][\w.]*)\s*\)")
_WORDS: Final = {"&&": "all of these", "||": "one of these"}


@define
class Teller:
    """Tells expressions under one topic; a macro that several name is told at the first."""

    topic: Topic
    _named: set[str] = field(factory=set)

    def tell(
        self,
        lead: str,
        entry: Definition,
        *origins: Origin,
        depth: int = 0,
        tail: str = "",
        end: str = ".",
    ) -> Iterator[Sentence]:
        """The value of a macro behind a lead: at once if it is short, else by its parts.

        ``end``: what is behind a sentence, a comma where the next one goes on.
        """
        places = origins or (origin_of(entry.name, entry),)
        text = self.expanded(entry)
        raw = " ".join(entry.raw.split())
        short = text if len(text) <= SHORT else raw
        if len(short) <= SHORT:
            where = ", where" if short is raw and raw != text and self._names_more(raw) else end
            yield self.topic.sentence(f"{lead} {code(short)}{tail}{where}", *places, depth=depth)
        else:
            yield from self._apart(lead, short, places, depth, tail)
        if short is raw and raw != text:
            yield from self._parts(raw, depth + 1)

    def _names_more(self, raw: str) -> bool:
        """Does a text name a macro that is not told yet?"""
        names = (name for name in _NAMED.findall(raw) if name.casefold() not in self._named)
        return any(self.topic.config.lookup(name) is not None for name in names)

    def expanded(self, entry: Definition) -> str:
        """The value of a macro in one line; as it is written where its expansion has no end."""
        try:
            return " ".join(self.topic.config.expand(entry).text.split())
        except ExpansionError:
            return " ".join(entry.raw.split())

    def _apart(
        self, lead: str, text: str, places: tuple[Origin, ...], depth: int, tail: str = ""
    ) -> Iterator[Sentence]:
        operator, pieces = split(text)
        if len(pieces) < 2 or len(text) <= SHORT or self._is_torn(operator, pieces):
            yield self.topic.sentence(f"{lead} {code(text)}{tail}.", *places, depth=depth)
            return
        head = f"{lead} {_WORDS[operator]}{tail}:".lstrip()
        yield self.topic.sentence(head, *places, depth=depth)
        for piece in pieces:
            if len(piece) > SHORT and len(split(piece)[1]) > 1:
                yield from self._apart("", piece, (), depth + 1)
            else:
                yield self.topic.sentence(code(piece), depth=depth + 1)

    def _is_torn(self, operator: str, pieces: list[str]) -> bool:
        """Is an operand of ``&&`` a macro that comes to ``a || b``, of which only ``a`` is one?"""
        for found in map(_ONE_NAMED.fullmatch, pieces if operator == "&&" else ()):
            entry = None if found is None else self.topic.config.lookup(found[1])
            text = "" if entry is None else self.expanded(entry)
            if text == _bare(text) and split(text)[0] != "&&":
                return bool(text)
        return False

    def _parts(self, raw: str, depth: int) -> Iterator[Sentence]:
        """The macros of a text, and of their texts, each once."""
        todo, told = _NAMED.findall(raw), 0
        while todo:
            name = todo.pop(0)
            entry = self.topic.config.lookup(name)
            if name.casefold() in self._named or entry is None:
                continue
            self._named.add(name.casefold())
            told += 1
            if told > _MOST_NAMED:
                rest = 1 + len({one.casefold() for one in todo} - self._named)
                yield self.topic.sentence(f"and {rest} more macros", depth=depth)
                return
            text = self.expanded(entry)
            if len(text) > SHORT:
                text = " ".join(entry.raw.split())
                todo += _NAMED.findall(text)
            places = (origin_of(name, entry),)
            yield from self._apart(f"$({name}) is", text, places, depth)


def split(text: str) -> tuple[str, list[str]]:
    """The parts of a text between operators that bind least, ``||`` or else ``&&``, without the
    parentheses around all of it; one part where there is none, or where ``?:`` binds less."""
    text = _bare(text.strip())
    places: dict[str, list[int]] = {"||": [], "&&": []}
    depth = 0
    for token in _TOKEN.finditer(text):
        if token[0] in "([{":
            depth += 1
        elif token[0] in ")]}":
            depth -= 1
        elif depth == 0 and token[0] in places:
            places[token[0]].append(token.start())
        elif depth == 0 and token[0] == "?":
            return "", [text]
    operator = "||" if places["||"] else "&&"
    starts = [0, *(place + 2 for place in places[operator])]
    ends = [*places[operator], len(text)]
    parts = (text[start:end].strip() for start, end in zip(starts, ends, strict=True))
    return operator, [part for part in parts if part]


def _bare(text: str) -> str:
    """A text without parentheses that are around all of it."""
    while text.startswith("(") and text.endswith(")"):
        depth = 0
        for token in _TOKEN.finditer(text):
            depth += (token[0] == "(") - (token[0] == ")")
            if depth == 0:
                if token.end() < len(text):
                    return text
                break
        else:
            return text
        text = text[1:-1].strip()
    return text
