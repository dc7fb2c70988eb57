"""Puts an answer where the arguments of a command want it, and problems with the input on the error
stream.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Final

from classad.errors import Diagnostic, Lost
from classad.patterns import late_regex
from pieslice.command_line import BESIDE, LOSSES
from pieslice.limiting import begin_to_write
from pieslice.reports.layout import Block, render_coloured, render_plain, with_verdicts, wrap
from pieslice.reports.result import Result
from pieslice.terminal import DEFAULT_WIDTH, WIDE, in_colour, printable, terminal_width
from pieslice.writing import naming

#: How many problems with the input are shown in full; JSON has them all.
MAX_SHOWN: Final = 20
#: The same of what is no error and stands beside an answer.
MAX_BESIDE: Final = 3
#: So many warnings of one kind are shown one by one; more are one, with their number.
MAX_ALIKE: Final = 3
#: What warnings of one kind differ in: quoted texts, and words with what names and numbers have.
_PARTICULAR: Final = late_regex(r"`[^`]*`|[^\s`]*[\d@/#][^\s`]*|[^\s`]+\.[^\s`]+")
#: What can be lost, one of it and several.
_LOST: Final[tuple[tuple[Lost, str, str], ...]] = (
    ("attribute", "attribute", "attributes"),
    ("ad", "ad", "ads"),
    ("rest", "rest of a file", "rests of files"),
)


def show(report: Sequence[Block], args: argparse.Namespace, out: IO[str]) -> None:
    """Print a report as wide and as colourful as the arguments and the stream want it."""
    width = chosen_width(args, out, in_file=bool(args.output))
    plain = args.output or args.no_color or not in_colour(out)
    deliver((render_plain if plain else render_coloured)(report, width), args, out)


def put(answer: Result, args: argparse.Namespace, out: IO[str]) -> None:
    """Print an answer as text or JSON, as the arguments want it."""
    if args.format == "json":
        deliver(answer.to_json(), args, out)
    else:
        show(answer.report(), args, out)


def deliver(text: str, args: argparse.Namespace, out: IO[str]) -> None:
    """Write a finished answer to the file that the arguments name, else to ``out``.

    What was wrong with the input comes after it.
    """
    begin_to_write()
    if args.output is None:
        out.write(text)
        out.flush()
    else:
        data = text.encode("utf-8", "backslashreplace")
        from pathlib import Path

        with naming(args.output):
            Path(args.output).write_bytes(data)
    brief = None if getattr(args, "verbose", False) else MAX_BESIDE
    for diagnostics, err in getattr(args, "held", ()):
        show_diagnostics(diagnostics, err, beside=brief)
    args.held = []


def hold_diagnostics(
    diagnostics: Sequence[Diagnostic], args: argparse.Namespace, err: IO[str]
) -> None:
    """Keep what was wrong with the input until the answer has been written, each once."""
    held = getattr(args, "held", [])
    known = {item.render() for others, _ in held for item in others}
    fresh = [item for item in diagnostics if item.render() not in known] if known else diagnostics
    args.held = [*held, (fresh, err)]


def chosen_width(args: argparse.Namespace, out: IO[str], *, in_file: bool = False) -> int:
    """The width that the arguments ask for, else that of the terminal or of a file."""
    if args.wide:
        return WIDE
    return args.width or (DEFAULT_WIDTH if in_file else terminal_width(out))


def say_diagnostics(diagnostics: Iterable[Diagnostic], err: IO[str]) -> None:
    """Print all that was wrong, each whole: a headline in one line, its line of the file, help."""
    said = []
    for item in diagnostics:
        if _is_beside(item):
            continue
        lines = [_shown(line) for line in item.render().split("\n")]
        if in_colour(err):
            lines[0] = with_verdicts(lines[0])
        err.writelines(f"{line}\n" for line in lines)
        said.append(item)
    _say_losses(said, err)


def _is_beside(item: Diagnostic) -> bool:
    """Whether nothing is to be said of it; what was lost of the input counts all the same."""
    if not BESIDE.errors_only or item.severity == "error":
        return False
    LOSSES.count += item.lost is not None
    return True


def _say_losses(diagnostics: Iterable[Diagnostic], err: IO[str]) -> None:
    """Count what could not be read, and say how much it is."""
    kinds = Counter(item.lost for item in diagnostics if item.lost is not None)
    if kinds:
        LOSSES.count += kinds.total()
        parts = [
            f"{count} {one if count == 1 else many}"
            for kind, one, many in _LOST
            if (count := kinds[kind])
        ]
        err.write(f"not read: {', '.join(parts)}\n")


def _shown(line: str) -> str:
    """A line with escapes; carets stand below lines of files by the same tabs."""
    return "\t".join(map(printable, line.split("\t")))


def show_diagnostics(
    diagnostics: Sequence[Diagnostic], err: IO[str], *, beside: int | None = MAX_SHOWN
) -> None:
    """Print what was wrong with the input, each with its place; of many of one kind the first.

    ``beside``: the most that are shown of what is no error; None: all, with all details.
    """
    width = terminal_width(err)
    if beside is not None:
        diagnostics = [item for item in diagnostics if item.severity != "detail"]
    diagnostics = [item for item in diagnostics if not _is_beside(item)]
    kinds = Counter(map(_kind, diagnostics))
    told = [*_without_more_alike(diagnostics, kinds)]
    shown = told if beside is None else _most(told, beside)
    for item in shown:
        # An error is one line, for those who look for it in a log.
        room = WIDE if item.severity == "error" else width
        lines = wrap(printable(item.headline()), room, "  ")
        if in_colour(err):
            lines[0] = with_verdicts(lines[0])
        if item.severity in ("error", "warning"):
            # The line of a file and the carets below it stand as they are.
            lines += map(_shown, item.render().split("\n")[1:])
        if _are_many(item, kinds):
            lines.append(f"  the first of {kinds[_kind(item)]} such warnings")
        err.writelines(f"{line}\n" for line in lines)
    left = len(told) - len(shown)
    if left > 0:
        where = "-v" if beside == MAX_BESIDE else "--json"
        err.write(f"and {left} more messages; {where} lists them all\n")
    _say_losses(diagnostics, err)


def _most(told: Sequence[Diagnostic], beside: int) -> list[Diagnostic]:
    """Those that are shown: so many errors, of which one that ends the run comes last, and others
    as far as there is room."""
    errors = [item for item in told if item.severity == "error"]
    if len(errors) > MAX_SHOWN:
        errors = [*errors[: MAX_SHOWN - 1], errors[-1]]
    room = min(beside, MAX_SHOWN - len(errors))
    others = [item for item in told if item.severity != "error"][:room]
    kept = {id(item) for item in (*errors, *others)}
    return [item for item in told if id(item) in kept]


def _kind(item: Diagnostic) -> tuple[str, str | None, str]:
    """What the diagnostics have in common that say the same of different things."""
    return item.severity, item.id, _PARTICULAR.sub("`", item.message)


def _are_many(item: Diagnostic, kinds: Counter[tuple[str, str | None, str]]) -> bool:
    return item.severity == "warning" and kinds[_kind(item)] > MAX_ALIKE


def _without_more_alike(
    diagnostics: Iterable[Diagnostic], kinds: Counter[tuple[str, str | None, str]]
) -> Iterator[Diagnostic]:
    """All but the later ones of many warnings of one kind."""
    seen = set()
    for item in diagnostics:
        if _are_many(item, kinds):
            if _kind(item) in seen:
                continue
            seen.add(_kind(item))
        yield item
