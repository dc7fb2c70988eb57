"""Keeps what check says of policies with one small edit: ``python -m tests.policy.variants``.

``corpus/variants.txt`` has, one after the other, policies to begin with: a file of the corpora by
its name behind ``==>``, or a few lines behind ``| ``.  Below each stand its edits, in the forms
of ``edited``, and below an edit what changes by it: ``-`` before a finding that goes, with number
and place, ``+`` before one that comes, with number, severity (its first letter), line, column and
width, ``<`` and the place of its cause if it has one, message and help, and ``=`` before the
verdicts where they are others.  ``~`` stands for the words of a finding that only moved, ``¶``
for the end of a line.

The command writes anew what is said; the edits stay.  With ``--add FILE`` it adds the cases of a
file of the same form.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from policy.config import load_config
from policy.io import builtin_library
from policy.language.sources import MemorySources
from policy.language.table import Context
from policy.lint.causes import causes
from policy.lint.verdict import Examination, examine

FOLDER: Final = Path(__file__).parent
VARIANTS: Final = FOLDER / "corpus" / "variants.txt"
_PLACE: Final = re.compile(r"(\d+):(\d+) (.*?)→(.*)")
#: What stands shorter in the file, in words of findings and in verdicts.
_SHORTER: Final = (
    ("condor_startd logs `Invalid expression` and goes on, ", "the startd logs it, "),
    ("; this report goes on with the default ", "; the default is "),
    ("; this report goes on with", "; on with"),
    (" ends when it reads this", " ends"),
)
_SHORTER_VERDICTS: Final = (
    ("condor_", ""),
    (" would not start: exit status ", " ends with "),
    (" would start, but take no jobs: ", " takes no jobs, "),
    (" would start", " starts"),
)
_LINES: Final = re.compile(r"(\d+) (dropped|doubled|in if true|in if false|moved to (\d+))")
#: What begins an answer, and not an edit.
_ANSWERS: Final = ("- ", "+ ", "= ")


class Group(NamedTuple):
    """A policy, as the file has it, and its edits with what changes by them."""

    heading: str
    cases: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """The policy."""
        if self.heading.startswith("==> "):
            name = self.heading.removeprefix("==> ").strip()
            return decoded(FOLDER / name)
        return "".join(line[2:] for line in self.heading.splitlines(keepends=True))

    @property
    def written(self) -> str:
        """As it stands in the file."""
        return self.heading + "".join(f"{edit}\n{said}" for edit, said in self.cases)


def decoded(path: Path) -> str:
    """A file's text; bytes that are no UTF-8 are taken for Latin-1."""
    data = path.read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def groups(text: str) -> Iterator[Group]:
    """All policies with their edits, in the order of a file."""
    for block in text.strip("\n").split("\n\n"):
        lines = block.split("\n")
        size = sum(line.startswith(("==> ", "| ")) or line == "|" for line in lines)
        cases: list[tuple[str, str]] = []
        for line in lines[size:]:
            if line.startswith(_ANSWERS):
                edit, said = cases[-1]
                cases[-1] = (edit, f"{said}{line}\n")
            else:
                cases.append((line, ""))
        yield Group("".join(f"{line}\n" for line in lines[:size]), tuple(cases))


def edited(text: str, edit: str) -> str:
    """The policy with an edit: ``LINE:COLUMN old→new``, ``LINE dropped`` and the like."""
    place = _PLACE.fullmatch(edit)
    lines = text.split("\n")
    if place is not None:
        row, column = int(place[1]) - 1, int(place[2]) - 1
        old, new = (part.replace("¶", "\n") for part in place.groups()[2:])
        start = sum(len(line) + 1 for line in lines[:row]) + column
        if text[start : start + len(old)] != old:
            raise ValueError(f"{edit}: the policy has not `{old}` there")
        return text[:start] + new + text[start + len(old) :]
    found = _LINES.fullmatch(edit)
    if found is None:
        raise ValueError(f"{edit}: not an edit")
    row, what = int(found[1]) - 1, found[2]
    line = lines[row]
    if what.startswith("in if"):
        lines[row : row + 1] = [what.removeprefix("in "), line, "endif"]
    elif what == "doubled":
        lines.insert(row, line)
    else:
        del lines[row]
        if what != "dropped":
            lines.insert(int(found[3]) - 1, line)
    return "\n".join(lines)


def examined(text: str) -> Examination:
    """What check says of a policy."""
    config = load_config(
        "pool.conf",
        MemorySources({"pool.conf": text}),
        builtin_library(),
        context=Context("NEGOTIATOR"),
        keep_going=True,
        leave_out=True,
    )
    return examine(config)


class Told(NamedTuple):
    """What is compared of an examination: places and words of the findings, the verdicts."""

    findings: tuple[tuple[str, str], ...]
    verdicts: str


def told(text: str) -> Told:
    """The same of a policy."""
    seen = examined(text)
    findings, cause_of = [], causes(seen.findings)
    for one in seen.findings:
        words = one.message if one.help is None else f"{one.message} -- {one.help}"
        columns = f"{one.line}:{one.column}+{one.end - one.start}"
        cause = cause_of.get(id(one))
        if cause is not None:
            columns += f"<{cause.line}:{cause.column}"
        findings.append((f"{one.id}{one.severity[0]} {columns}", shorter(words, _SHORTER)))
    verdicts = []
    for verdict in seen.verdicts:
        words = verdict.text
        if verdict.cause is not None:
            # The words of the cause are among those of the findings.
            words = words.replace(f": {verdict.cause.message}", f" {verdict.cause.id}")
        verdicts.append(shorter(words, _SHORTER_VERDICTS))
    if seen.fragment is not None:
        verdicts.append(f"a fragment: {seen.fragment}")
    return Told(tuple(findings), "; ".join(verdicts))


def shorter(words: str, by: tuple[tuple[str, str], ...]) -> str:
    """Words as they stand in the file."""
    for long, short in (*by, ("\n", "¶")):
        words = words.replace(long, short)
    return words


def difference(old: Told, new: Told) -> str:
    """What an edit changes, line by line."""
    gone = [found for found in old.findings if found not in new.findings]
    words = [text for _, text in gone]
    lines = [f"- {'; '.join(head for head, _ in gone)}\n"] if gone else []
    for head, text in new.findings:
        if (head, text) not in old.findings:
            lines.append(f"+ {head} {'~' if text in words else text}\n")
    if old.verdicts != new.verdicts:
        lines.append(f"= {new.verdicts}\n")
    return "".join(lines)


def answered(group: Group) -> Group:
    """A policy with what is said now."""
    text = group.text
    first = told(text)
    cases = tuple((edit, difference(first, told(edited(text, edit)))) for edit, _ in group.cases)
    return group._replace(cases=cases)


def main() -> None:
    """Write the file anew."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--add", type=Path)
    options = parser.parse_args()
    found: dict[str, dict[str, str]] = {}
    for path in (VARIANTS, options.add):
        if path is not None and path.exists():
            for group in groups(path.read_text(encoding="utf-8")):
                found.setdefault(group.heading, {}).update(dict(group.cases))
    new = (answered(Group(heading, tuple(cases.items()))) for heading, cases in found.items())
    VARIANTS.write_text("\n".join(group.written for group in new), encoding="utf-8")


if __name__ == "__main__":
    main()
