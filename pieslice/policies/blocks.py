"""Writes what a check finds for people: findings of one cause are one block.

Inputs: diagnostics, a configuration that was checked.  Outputs: blocks, lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from attr import field, frozen

from classad.errors import Diagnostic
from classad.patterns import late_regex
from pieslice.policies.checked import Checked
from pieslice.policies.texts import counted, host_line, old_names, verdict_lines, wrapped_lines
from policy.explain.words import listing
from policy.language.about import about
from policy.lint.causes import causes, file_of
from policy.lint.finding import ERROR, NOTE, WARNING, Joined
from policy.lint.findings import FINDINGS, brought
from policy.lint.steps import Upgrade
from policy.lint.upgrade import DEFAULT

#: The findings about attributes, comparisons and slips, of which a word is the cause wherever it
#: stands.
_ABOUT_WORDS: Final = late_regex(r"P4\d\d")
_WORD: Final = late_regex(r"\$\([\w.]+\)|[A-Za-z_][\w.]*")
#: Findings at which a daemon ends.
_ENDING: Final = frozenset(("P101", "P110", "P111", "P114"))
#: Causes that the text shows unless all are asked for.
_FIRST_PAGE: Final = 3
#: Places that are listed one by one.
_LISTED: Final = 8


@frozen
class Block:
    """One cause: the finding to show, further places, and what comes of it."""

    first: Diagnostic
    more: list[Diagnostic] = field(factory=list)
    consequences: list[Block] = field(factory=list)

    @property
    def severity(self) -> str:
        """The worst of cause and consequences."""
        all_ = {self.first.severity, *(one.severity for one in self.consequences)}
        return ERROR if ERROR in all_ else WARNING if WARNING in all_ else self.first.severity

    def lines(self) -> Iterator[str]:
        """The block for people."""
        yield self.first.headline()
        if self.first.source is not None:
            yield self.first.source.excerpt(self.first.start, self.first.end)
        if self.first.help:
            yield f"  help: {self.first.help}"
        for one in self.consequences:
            yield one._as_consequence(self.first)
        if self.more:
            yield f"  also at {self.places()}"

    def _as_consequence(self, cause: Diagnostic) -> str:
        """One line about what comes of a cause, with its places where they are others."""
        found = self.first
        where = "" if _spot(found) == _spot(cause) else f", {self._place(found, cause)}"
        tail = f"; {found.help}" if found.help else ""
        more = f"; also at {self.places()}" if self.more else ""
        return f"  so{where}: {found.severity}[{found.id}]: {found.message}{tail}{more}"

    def places(self) -> str:
        """The other places, the file only where it is another one."""
        shown, before = [], self.first
        for one in self.more[:_LISTED]:
            shown.append(self._place(one, before))
            before = one
        rest = len(self.more) - _LISTED
        return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")

    @staticmethod
    def _place(finding: Diagnostic, before: Diagnostic) -> str:
        """A place, seen from the one that was named before: in the same line it is a word."""
        if _spot(finding) == _spot(before) and finding.source is not None:
            return f"`{finding.source.text[finding.start : finding.end]}`"
        name = file_of(finding)
        return f"line {finding.line}" if name == file_of(before) else f"{name}:{finding.line}"


def _spot(finding: Diagnostic) -> tuple[str | None, int | None]:
    return file_of(finding), finding.line


def blocks(findings: Sequence[Diagnostic]) -> list[Block]:
    """The findings by cause, in the order of the first place of each."""
    found: dict[tuple[str | None, str | None, str], Block] = {}
    block_of: dict[int, Block] = {}
    caused = causes(findings)
    for one in findings:
        if id(one) not in caused:
            block = found.setdefault(_key(one), Block(one))
            block_of[id(one)] = block
            if block.first is not one:
                block.more.append(one)
    inner: dict[tuple[int, tuple[str | None, str | None, str]], Block] = {}
    for one in findings:
        if id(one) in caused:
            block = block_of[id(caused[id(one)])]
            key = id(block), _key(one)
            if key in inner:
                inner[key].more.append(one)
            else:
                inner[key] = Block(one)
                block.consequences.append(inner[key])
    return list(found.values())


def _key(finding: Diagnostic) -> tuple[str | None, str | None, str]:
    """What makes two findings one cause."""
    round_ = about(finding).circle
    if round_:
        return finding.id, finding.severity, " ".join(sorted(set(round_)))
    kind = FINDINGS.get(finding.id or "")
    joined = None if kind is None else kind.joined
    if joined is Joined.BY_HELP and finding.help:
        return finding.id, finding.severity, about(finding).kind or finding.help
    if joined is Joined.BY_NEED:
        return finding.id, finding.severity, finding.help or about(finding).needs
    if joined is Joined.BY_MACRO:
        return finding.id, finding.severity, about(finding).macro
    words = joined is Joined.BY_HOLE or _ABOUT_WORDS.fullmatch(finding.id or "")
    if finding.source is not None and words:
        marked = finding.source.text[finding.start : finding.end]
        if _WORD.fullmatch(marked):
            return finding.id, finding.severity, marked.casefold()
    return finding.id, finding.severity, finding.message


def worst_first(causes: Iterable[Block]) -> list[Block]:
    """What ends a daemon, other errors, warnings, notes; else as they come."""
    order = {ERROR: 1, WARNING: 2}

    def rank(block: Block) -> int:
        ends = {block.first.id, *(one.first.id for one in block.consequences)} & _ENDING
        return 0 if ends and block.severity == ERROR else order.get(block.severity, 3)

    return sorted(causes, key=rank)


def brought_lines(findings: Iterable[Diagnostic], path: str) -> Iterator[str]:
    """What other files and programs bring, each with its places, ``path`` being read."""
    blocks_: dict[str, Block] = {}
    for one in findings:
        what = brought(one)
        if what in blocks_:
            blocks_[what].more.append(one)
        elif what:
            blocks_[what] = Block(one)
    for what, block in blocks_.items():
        first = block.first
        here = f"line {first.line}" if file_of(first) == path else f"{file_of(first)}:{first.line}"
        more = f", {block.places()}" if block.more else ""
        yield f"{what} ({here}{more}{f'; {first.help}' if first.help else ''})"


def report_lines(result: Checked, every: bool, width: int) -> Iterator[str]:
    """What the text says of a configuration; ``every``: all findings, not only the worst."""
    return wrapped_lines(_report(result, every), width)


def _report(result: Checked, every: bool) -> Iterator[str]:
    yield f"{result.path}: {result.followed}"
    if result.host is not None and result.host.listed is not None:
        yield f"{result.path}: {host_line(result.host)}"
    for text in verdict_lines(result.verdicts, result.not_judged):
        yield f"{result.path}: {text}"
    if result.fragment is not None and not result.fragment.asked:
        why = f"{result.fragment}; say --no-fragment if no other file completes it"
        yield f"{result.path}: taken for a fragment: {why}"
    elsewhere = [*brought_lines(result.findings, result.path)]
    if elsewhere:
        yield f"{result.path}: not in these files: {listing(elsewhere)}"
    found = blocks([one for one in result.findings if not brought(one)])
    shown = found if every or len(found) <= _FIRST_PAGE else worst_first(found)[:_FIRST_PAGE]
    for block in shown:
        yield from block.lines()
    if result.upgrade is not None:
        yield from _upgrade(result.path, result.upgrade)
    if result.reload is not None:
        from pieslice.policies.reloads import reload_lines

        running, found_ = result.reload
        yield f"{result.path}: reloaded where {running} runs:"
        yield from (f"  {line}" for line in reload_lines(running, found_))
    counts = [
        counted(count, word) for word in (ERROR, WARNING, NOTE) if (count := result.count(word))
    ]
    old = len(old_names(result.findings))
    counts += [f"{old} of them old names"] if old > 1 else []
    left = len(found) - len(shown)
    tail = (
        f"; these are the worst {len(shown)} of {len(found)} causes, --all shows all"
        if left
        else ""
    )
    behaviour = result.behaviour
    if behaviour is not None:
        yield from behaviour.lines(result.path)
        counts += [behaviour.count] if behaviour.count else []
    yield f"{result.path}: {', '.join(counts) or 'no findings'}{tail if left else ''}"
    if behaviour is not None:
        yield f"{result.path}: not looked at: {behaviour.left_out}"


def _upgrade(path: str, step: Upgrade) -> Iterator[str]:
    """What another version changes: all of it."""
    what = counted(len(step.findings), "change") if step.findings else "no changes"
    yield f"{path}: {step.old} -> {step.new}: {what}"
    for text in verdict_lines(step.verdicts):
        yield f"{path}: in {step.new}: {text}"
    defaults = [found for found in step.findings if found.id == DEFAULT.id]
    for block in blocks([found for found in step.findings if found.id != DEFAULT.id]):
        yield from block.lines()
    for found in defaults:
        yield found.headline()
