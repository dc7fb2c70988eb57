"""Keeps many long answers in little room: each line once, and for an answer the names of its lines.

``retold/NAME.txt`` has questions below headings, each with its answer: five letters for each line
of the text, and behind a bar two for each field of the data.  ``retold/NAME.lines.txt`` spells
out the lines that are not long, so that the texts of before and of now can be shown where they
differ.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import unified_diff
from functools import cached_property
from pathlib import Path
from typing import Final

from attr import define, field, frozen

from pieslice.reports.layout import render_coloured
from pieslice.reports.result import Result

FOLDER: Final = Path(__file__).parent / "retold"
#: So many letters name a line, and a field of data, which nothing spells out.
LETTERS, OF_FIELD = 5, 2
#: Longer lines are not spelled out.
SPELLED: Final = 90
#: So wide that no line is broken.
WIDTH: Final = 10_000
_APART: Final = re.compile(r"(?<=\S)   +")
#: Widths in which columns are left out, titles abbreviated and sentences broken.
NARROW: Final = (44, 58, 72)
COLOURED: Final = 100
#: Digits of the numbers in data: what is beyond depends on the mathematical library.
DIGITS: Final = 12


@frozen
class Told:
    """An answer: the lines of its text, the fields of its data."""

    lines: tuple[str, ...]
    data: Mapping[str, str] = field(factory=dict)

    @property
    def letters(self) -> str:
        """The answer as it is kept."""
        text = "".join(map(letters, self.lines))
        fields = "".join(letters(f"{key} {item}", OF_FIELD) for key, item in self.data.items())
        return f"{text}|{fields}" if fields else text


def letters(text: str, count: int = LETTERS) -> str:
    """What stands for a text."""
    found = hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()
    return base64.b64encode(found, b"+-")[:count].decode()


def told(answer: Result) -> Told:
    """All that an answer says."""
    # How far columns are apart depends on all of their cells: other tests have that.
    lines = tuple(_APART.sub("  ", line.rstrip()) for line in answer.text(WIDTH).splitlines())
    fields = answer.to_dict().items()
    data = {key: json.dumps(_rounded(item), ensure_ascii=False) for key, item in fields}
    data |= {f"text of {width}": answer.text(width) for width in NARROW}
    return Told(lines, data | {"in colour": render_coloured(answer.blocks(), COLOURED)})


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return [_rounded(item) for item in value] if isinstance(value, list) else value


@define
class Kept:
    """The answers of a name, by heading and question."""

    name: str

    @cached_property
    def answers(self) -> dict[str, dict[str, str]]:
        """The letters of each answer."""
        found: dict[str, dict[str, str]] = {}
        heading = ""
        for line in self._read("txt"):
            if line.startswith("  "):
                words, _, answer = line[2:].rpartition(": ")
                found[heading][words] = answer
            else:
                heading = line
                found[heading] = {}
        return found

    @cached_property
    def _lines(self) -> dict[str, str]:
        return {letters(line): line for line in self._read("lines.txt")}

    def _read(self, ending: str) -> list[str]:
        path = FOLDER / f"{self.name}.{ending}"
        return path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []

    def differences(self, heading: str, now: Mapping[str, Told]) -> Iterator[str]:
        """What is not as it is kept, with the text of before and of now."""
        before = self.answers.get(heading, {})
        for words in dict.fromkeys((*before, *now)):
            if words not in now or words not in before:
                yield f"{heading}: {words}: {'not asked' if words in before else 'not kept'}"
            elif now[words].letters != before[words]:
                yield "\n".join(
                    [f"{heading}: {words}", *self._difference(before[words], now[words])]
                )

    def _difference(self, before: str, now: Told) -> Iterator[str]:
        text, _, data = before.partition("|")
        long = {letters(line): line for line in now.lines if len(line) > SPELLED}
        known = self._lines | long
        lines = [
            known.get(name, f"(a line of more than {SPELLED} letters)") for name in _names(text)
        ]
        yield from unified_diff(lines, now.lines, "before", "now", lineterm="")
        fields = _names(data, OF_FIELD)
        if len(fields) != len(now.data):
            yield f"{len(fields)} fields of the data are now {', '.join(now.data) or 'none'}"
        for name, (key, item) in zip(fields, now.data.items(), strict=False):
            if name != letters(f"{key} {item}", OF_FIELD):
                yield f"{key} of the data is now {item}"

    def write(self, answers: Iterable[tuple[str, Mapping[str, Told]]]) -> None:
        """Keep answers, by heading and question."""
        spelling: dict[str, str] = {}
        text: list[str] = []
        for heading, each in answers:
            text.append(heading)
            for words, now in each.items():
                text.append(f"  {words}: {now.letters}")
                for line in now.lines:
                    assert spelling.setdefault(letters(line), line) == line, "one name, two lines"
        FOLDER.mkdir(exist_ok=True)
        short = sorted(line for line in spelling.values() if len(line) <= SPELLED)
        for ending, lines in (("txt", text), ("lines.txt", short)):
            whole = "".join(f"{line}\n" for line in lines)
            (FOLDER / f"{self.name}.{ending}").write_text(whole, encoding="utf-8", newline="\n")


def _names(text: str, count: int = LETTERS) -> list[str]:
    return [text[i : i + count] for i in range(0, len(text), count)]
