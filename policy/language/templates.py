"""Reads configuration templates: ``use CATEGORY : name(arguments)``.

How a list of templates is written, how arguments are told apart and put into the template's text.
Inputs: the template texts (a file of sections headed ``[CATEGORY : Name]``).  Outputs: texts to be
read in place.
Follows: condor_config_val 25.14.1 (golden vectors ``use``); which assignments a template makes is
recorded there too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import NamedTuple

from attr import Factory, frozen

from classad.patterns import late_regex
from policy.language.lines import BLANKS
from policy.language.numbers import saturated

_HEADER = late_regex(r"\[(\w+) : (\S+)\]")
_ARGUMENT = late_regex(r"\$\((\d+)(?:([?#+])|:([^()]*(?:\([^()]*\)[^()]*)*))?\)")


class Template(NamedTuple):
    """A template: its names as spelled by HTCondor and its text.

    ``unrecorded``: what is to be said where it is used, if nobody knows that the text is right.
    """

    category: str
    name: str
    text: str
    unrecorded: str = ""

    def with_arguments(self, arguments: str | None) -> str:
        """The text with ``$(0)``, ``$(1:default)``, ``$(1?)``, ``$(0#)``, ``$(2+)`` filled in."""
        parts = split_arguments(arguments) if arguments is not None else []

        def put(match: re.Match[str]) -> str:
            number, mark, default = saturated(match[1]), match[2], match[3]
            whole = (arguments or "").strip(BLANKS)
            value = whole if number == 0 else "".join(parts[number - 1 : number])
            if mark == "?":
                return "1" if value else "0"
            if mark == "#":
                return str(len(parts))
            if mark == "+":
                return arguments_from(arguments or "", number)
            return value or default or ""

        return _ARGUMENT.sub(put, self.text)


@frozen
class Templates:
    """All templates, by category and name without case."""

    entries: Mapping[tuple[str, str], Template] = Factory(dict)

    @property
    def categories(self) -> tuple[str, ...]:
        """The names of the categories."""
        return tuple({entry.category for entry in self.entries.values()})

    def names(self, category: str) -> tuple[str, ...]:
        """The names of the templates in a category."""
        folded = category.casefold()
        return tuple(one.name for key, one in self.entries.items() if key[0] == folded)

    def has_category(self, category: str) -> bool:
        """Is there such a category?"""
        folded = category.casefold()
        return any(key[0] == folded for key in self.entries)

    def find(self, category: str, name: str) -> Template | None:
        """The template of that name."""
        return self.entries.get((category.casefold(), name.casefold()))

    def has(self, text: str) -> bool:
        """For ``defined use``: ``CATEGORY``, also with a colon behind it, or ``CATEGORY:NAME``."""
        category, _, name = text.partition(":")
        return self.find(category, name) is not None if name else self.has_category(category)


def parse_templates(text: str) -> Iterable[Template]:
    """The templates of one file."""
    category = name = ""
    body: list[str] = []
    for line in text.splitlines():
        header = _HEADER.fullmatch(line.rstrip())
        if header is None:
            if not line.startswith("##"):
                body.append(line)
            continue
        if name:
            yield Template(category, name, "\n".join(body).strip("\n") + "\n")
        category, name, body = header[1], header[2], []
    if name:
        yield Template(category, name, "\n".join(body).strip("\n") + "\n")


def template_set(texts: Iterable[str]) -> Templates:
    """The templates of several files."""
    found = [template for text in texts for template in parse_templates(text)]
    return Templates({(t.category.casefold(), t.name.casefold()): t for t in found})


def split_list(text: str) -> list[tuple[str, str | None]]:
    """``a, b(x,y) c`` as names with their arguments."""
    found: list[tuple[str, str | None]] = []
    at = 0
    while at < len(text):
        if text[at] in BLANKS + ",":
            at += 1
            continue
        begin = at
        while at < len(text) and text[at] not in BLANKS + ",(":
            at += 1
        name, arguments = text[begin:at], None
        after = at
        while after < len(text) and text[after] in BLANKS:
            after += 1
        if not name:
            break  # HTCondor reads nothing behind a parenthesis that follows no name
        if text[after : after + 1] == "(":
            stop = _closing(text, after)
            if stop is None:
                at = after + 1  # never closed: what follows are names, not arguments
            else:
                arguments = text[after + 1 : stop]
                at = stop + 1
        found.append((name, arguments))
    return found


def _closing(text: str, at: int) -> int | None:
    """Where the parenthesis opened at ``at`` closes.

    A bracket closes only one of its own kind; another is text.
    """
    expected: list[str] = []
    for position in range(at, len(text)):
        char = text[position]
        if char in "([":
            expected.append(")" if char == "(" else "]")
        elif char == expected[-1]:
            expected.pop()
            if not expected:
                return position
    return None


def split_arguments(text: str) -> list[str]:
    """Arguments at the commas, also those within parentheses, trimmed."""
    if not text.strip(BLANKS):
        return []
    begins = [*_beginnings(text), len(text) + 1]
    return [text[begin : after - 1].strip(BLANKS) for begin, after in pairwise(begins)]


def arguments_from(text: str, number: int) -> str:
    """The text from argument ``number`` (from 1) to the end, as written."""
    begins = _beginnings(text)
    return text[begins[number - 1] :].strip(BLANKS) if 1 <= number <= len(begins) else ""


def _beginnings(text: str) -> list[int]:
    """Where the arguments begin."""
    return [0, *(at + 1 for at, letter in enumerate(text) if letter == ",")]
