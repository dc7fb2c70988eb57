"""Evaluates one expression of a policy on ads or over a grid: ``pieslice policy eval``.

Over a grid of one or two attributes the values on an axis are those that its labels show.

Decides which ads of the files are taken, the time of the evaluation, and the printing.

Inputs: parsed arguments, files of ads.  Outputs: the value and what the negotiator makes of it on
standard output, attributes that nobody gave on standard error.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from itertools import pairwise
from typing import ClassVar, Final

from attr import field, frozen

from classad import ClassAd
from classad.analysis.changes import reread_ad
from classad.analysis.explanation import Explanation
from classad.errors import ClassAdException, ClassAdParseError, Diagnostic
from classad.evaluate import EvalContext
from classad.files.ads import read_ads
from classad.formats.unparse import unparse_value
from classad.language.rules import LanguageRules, language_of
from classad.language.values import ERROR, UNDEFINED, ClassAdValue
from pieslice.command_line import EXIT_OK
from pieslice.inputs.configuration import Misuse, Shown, read, say, say_problems, split_pairs
from pieslice.inputs.versions import version_of
from pieslice.reports.document import INLINE, SPARSE, Document, shape
from pieslice.reports.layout import wrap
from pieslice.terminal import complain, terminal_width
from policy.explain.trial import CannotTry, MacroTrial, newest_time, trial
from policy.publishing import STARTD_ATTRS
from policy.versions import Followed

#: Values on an axis unless it says how many.
STEPS: Final = 11
MAX_STEPS: Final = 200
_SYMBOLS: Final = ((True, "#", "true"), (False, ".", "false"), (UNDEFINED, "?", "undefined"),
                   (ERROR, "!", "error"))  # fmt: skip


class BadAxis(Exception):  # noqa: N818 - its text is the message
    """A text that is no axis."""


@frozen
class GridAxis:
    """An attribute and its values in ascending order."""

    name: str
    values: tuple[float, ...]


@frozen
class Grid:
    """Values by row and column; without columns there is one column and no second attribute."""

    rows: GridAxis
    columns: GridAxis | None
    cells: tuple[tuple[ClassAdValue, ...], ...]

    @property
    def axes(self) -> tuple[GridAxis, ...]:
        """One or two."""
        return (self.rows,) if self.columns is None else (self.rows, self.columns)

    @property
    def texts(self) -> list[list[str]]:
        """The values of the cells as ClassAd texts."""
        return [[unparse_value(value) for value in row] for row in self.cells]


@frozen
class GridDocument(Document):
    """The values of a policy's expression over a grid of numbers."""

    schema: ClassVar[str] = "pieslice/policy-grid/1"
    followed: Followed
    tried: MacroTrial = field(metadata=INLINE)
    grid: Grid = field(metadata=INLINE)


@frozen
class ValueDocument(Document):
    """The value of a policy's expression; ``not_given``: what a cycle would add to the ads.

    ``published``: what MY has by STARTD_ATTRS of the configuration and the expression uses.
    """

    schema: ClassVar[str] = "pieslice/policy-eval/1"
    followed: Followed
    tried: MacroTrial = field(metadata=INLINE)
    value: str
    effect: str
    not_given: Sequence[str]
    published: Sequence[str]
    why: Explanation | None = field(metadata=SPARSE)


shape(MacroTrial, "knob=macro expression=text")
shape(Grid, "axes cells=texts")


def read_axes(text: str) -> list[GridAxis]:
    """One or two axes, separated by a comma."""
    axes = [_axis(part.strip()) for part in text.split(",")]
    if len(axes) > 2:
        raise BadAxis(f"`{text}` has more than two axes")
    return axes


def _axis(text: str) -> GridAxis:
    name, _, limits = text.partition("=")
    parts = limits.split(":")
    try:
        low, high = float(parts[0]), float(parts[1])
        steps = int(parts[2]) if len(parts) > 2 else STEPS
    except (IndexError, ValueError):
        raise BadAxis(f"`{text}` is not of the form NAME=LOW:HIGH or NAME=LOW:HIGH:STEPS") from None
    if not name.strip() or len(parts) > 3 or not low < high or not math.isfinite(high - low):
        raise BadAxis(f"`{text}` needs a name and a low end below the high end")
    if not 2 <= steps <= MAX_STEPS:
        raise BadAxis(f"`{text}`: steps must be from 2 to {MAX_STEPS}")
    return GridAxis(name.strip(), _values(low, high, steps))


def _values(low: float, high: float, steps: int) -> tuple[float, ...]:
    """Evenly spaced, or by a factor where the ends are ten times apart, as short as can be."""
    fractions = [step / (steps - 1) for step in range(1, steps - 1)]
    if low > 0 and high / low >= 10:
        inner = [low * (high / low) ** fraction for fraction in fractions]
    else:
        inner = [low + (high - low) * fraction for fraction in fractions]
    for digits in range(2, 18):
        values = (low, *(float(f"{value:.{digits}g}") for value in inner), high)
        if all(low < high for low, high in pairwise(values)):
            return values
    return (low, high)


def fill(axes: list[GridAxis], evaluate: Callable[[dict[str, float]], ClassAdValue]) -> Grid:
    """Evaluate at every point."""
    rows, columns = axes[0], axes[1] if len(axes) > 1 else None
    cells = []
    for row in rows.values:
        points = [{rows.name: row}]
        if columns is not None:
            points = [{rows.name: row, columns.name: column} for column in columns.values]
        cells.append(tuple(evaluate(point) for point in points))
    return Grid(rows, columns, tuple(cells))


def grid_lines(title: str, grid: Grid) -> Iterator[str]:
    """The grid with both axes labelled: symbols if the values are truth values, else numbers."""
    found = [value for row in grid.cells for value in row]
    logical = all(any(value is known for known, _, _ in _SYMBOLS) for value in found)
    if logical:
        used = [
            f"{sign} {word}" for known, sign, word in _SYMBOLS if any(v is known for v in found)
        ]
        yield f"{title}: {', '.join(used)}"
    else:
        yield f"{title}:"
    if grid.columns is None:
        yield grid.rows.name
    else:
        yield f"{grid.rows.name} down, {grid.columns.name} across"
    head = [] if grid.columns is None else [_number(value) for value in grid.columns.values]
    labels = [_number(value) for value in grid.rows.values]
    texts = [[_cell(value, logical) for value in row] for row in grid.cells]
    width = max(len(text) for row in [head, *texts] for text in row)
    left = max(len(label) for label in labels)
    if head:
        yield " " * left + " |" + "".join(f" {text:>{width}}" for text in head)
        yield "-" * left + "-+" + "-" * ((width + 1) * len(head))
    for label, row in zip(labels, texts, strict=True):
        yield f"{label:>{left}} |" + "".join(f" {text:>{width}}" for text in row)


def _number(value: float) -> str:
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def _cell(value: ClassAdValue, logical: bool) -> str:
    if logical:
        return next(sign for known, sign, _ in _SYMBOLS if value is known)
    if value.__class__ is float:
        return f"{value:.4g}"
    return unparse_value(value)


def run(args: argparse.Namespace) -> int:
    """Evaluate what the arguments ask for."""
    config = read(args, about=args.knob)
    say_problems(config, notes=False)
    if not config.complete:
        raise Misuse(f"{args.path}: the configuration cannot be read")
    try:
        tried = trial(config, args.knob, *_ads(args, language_of(config.version)))
        say([tried.ignored] if tried.ignored is not None else [])
        for name, text in split_pairs("-a", args.attribute):
            tried.assign(name, text)
        return _grid(args, tried) if args.grid else _single(args, tried)
    except CannotTry as problem:
        raise _misuse(str(problem), problem.diagnostic) from None
    except BadAxis as problem:
        raise Misuse(str(problem)) from None


def _misuse(text: str, diagnostic: Diagnostic | None) -> Misuse:
    return Misuse(text) if diagnostic is None else Shown(diagnostic.render())


def _ads(args: argparse.Namespace, language: LanguageRules) -> tuple[ClassAd, ClassAd, EvalContext]:
    """The two ads as a version reads them, and what it evaluates in."""
    my = copy(_chosen(args.my, "--slot", args.slot, _is_slot))
    target = copy(_chosen(args.target, "--job", args.job, _is_job))
    for ad in (my, target):
        reread_ad(ad, language)
    now = args.now
    if now is None:
        now = newest_time((my, target))
    now = time.time() if now is None else now
    return my, target, EvalContext(now=now, seed=0, language=language)


def _chosen(
    path: str | None, option: str, wanted: str | None, fits: Callable[[ClassAd, str], bool]
) -> ClassAd:
    """The first ad of a file, or the first that is the wanted one; an empty ad without a file."""
    if path is None:
        if wanted is not None:
            raise Misuse(f"{option} needs a file of ads")
        return ClassAd()
    try:
        for ad in read_ads(path):
            if wanted is None or fits(ad, wanted):
                return ad
    except ClassAdParseError as problem:
        raise _misuse(str(problem), problem.diagnostic) from None
    except OSError as problem:
        raise Misuse(f"{path}: {(problem.strerror or str(problem)).lower()}") from None
    except ClassAdException as problem:
        raise Misuse(f"{path}: {problem}") from None
    raise Misuse(f"{path}: contains no ads" if wanted is None else f"{path}: no `{wanted}` in it")


def _is_slot(ad: ClassAd, wanted: str) -> bool:
    return str(ad.evaluate_attr("Name")).casefold() == wanted.casefold()


def _is_job(ad: ClassAd, wanted: str) -> bool:
    return f"{ad.evaluate_attr('ClusterId')}.{ad.evaluate_attr('ProcId')}" == wanted


def _single(args: argparse.Namespace, tried: MacroTrial) -> int:
    found, published = tried.outcome(), tried.published_names()
    if args.json:
        value, missing = unparse_value(found.value), [entry.name for entry in tried.missing()]
        why = _explanation(tried) if args.why else None
        effect = found.effect
        said = ValueDocument(version_of(args), tried, value, effect, missing, published, why)
        sys.stdout.write(said.to_json())
        return EXIT_OK
    print(unparse_value(found.value))
    if found.effect:
        print(f"  {found.effect}")
    print(f"  {version_of(args)}")
    if published:
        print(f"  MY has {', '.join(published)} by {STARTD_ATTRS}")
    if args.why:
        print(_explanation(tried).render(width=terminal_width(sys.stdout)))
    _say_missing(tried)
    return EXIT_OK


def _explanation(tried: MacroTrial) -> Explanation:
    from classad.analysis.explain import explain

    return explain(tried.tree, tried.my, tried.target, context=tried.context)


def _grid(args: argparse.Namespace, tried: MacroTrial) -> int:
    if args.why:
        raise Misuse("--why explains one value, not a grid")

    def evaluate(point: dict[str, float]) -> ClassAdValue:
        for name, number in point.items():
            tried.assign_number(name, number)
        return tried.outcome().value

    grid = fill(read_axes(args.grid), evaluate)
    if args.json:
        sys.stdout.write(GridDocument(version_of(args), tried, grid).to_json())
        return EXIT_OK
    for line in grid_lines(tried.macro, grid):
        print(line)
    print(version_of(args))
    _say_missing(tried)
    return EXIT_OK


def _say_missing(tried: MacroTrial) -> None:
    names = [entry.name for entry in tried.missing()]
    if names:
        said = f"note: undefined, because -a does not give what a cycle adds: {', '.join(names)}"
        complain("\n".join(wrap(said, terminal_width(sys.stderr), "  ")))
