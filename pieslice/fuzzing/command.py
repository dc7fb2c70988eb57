"""Reads a policy, searches for counterexamples and prints them: ``pieslice fuzz``.

A schema is learnt from a capture if there is one.

Inputs: parsed arguments, files.  Outputs: counterexamples on standard output; 0 none, 1 some.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from classad import ClassAd
from classad.ads.expression import Expression
from classad.errors import ClassAdException, ClassAdParseError, Diagnostic
from classad.files.ads import read_ads
from classad.source import Source
from pieslice.command_line import EXIT_NO, EXIT_OK
from pieslice.fuzzing.agreement import Holds, Same
from pieslice.fuzzing.choose import Named, NoSuchProperty, chosen, split_name
from pieslice.fuzzing.schema import Schema, built_in, learn
from pieslice.fuzzing.search import search
from pieslice.fuzzing.study import Intent, Study, known_macros, of_cycle, study_of
from pieslice.fuzzing.text import Counterexamples, PolicyReading, outcome_lines
from pieslice.inputs.configuration import Misuse, Shown, read, reading_words, say, say_problems
from pieslice.inputs.versions import version_of
from pieslice.reports.output import chosen_width
from pieslice.reports.progress import Progress
from pieslice.terminal import printable
from policy.config import Config
from policy.explain.trial import CannotTry
from policy.language.expressions import parse


def fuzz_command(args: argparse.Namespace, out: TextIO) -> int:
    """Search, print, and say whether there is a counterexample."""
    config = read(args, args.policy)
    say_problems(config, notes=False)
    if not config.complete:
        raise Misuse(f"{args.policy}: the configuration cannot be read")
    schema = built_in() if args.pool is None else _schema(Path(args.pool))
    intent = Intent(args.margin / 100.0, args.min_run_time)
    named = _named(args, schema, intent)
    extra = [subject.tree for other in named.others.values() for subject in other.pairs()]
    extra += [tree for other in named.others.values() for tree in of_cycle(other.policy)]
    extra += named.expressions.values()
    study = _study(config, schema, intent, extra, defaults=bool(named.others))
    if not (study.can_be_broken or args.property):
        raise Misuse(f"{args.policy}: nothing to test: it sets none of {', '.join(known_macros())}")
    try:
        tests = chosen(study, args.property, named, args.knob)
    except NoSuchProperty as problem:
        raise Misuse(str(problem)) from None
    with Progress(sys.stderr).counted("searching", args.examples) as moved:
        outcome = search(tests, args.examples, args.seed, moved)
    reading = PolicyReading(args.policy, tuple(reading_words(args)), version_of(args))
    if args.json:
        out.write(Counterexamples.of(outcome, reading, args.seed).to_json())
    else:
        width = chosen_width(args, out)
        for line in outcome_lines(outcome, reading, args.seed, width):
            print(printable(line), file=out)
    return EXIT_NO if outcome.findings else EXIT_OK


def _named(args: argparse.Namespace, schema: Schema, intent: Intent) -> Named:
    """The other policies and the expressions that properties name."""
    others: dict[str, Study] = {}
    expressions: dict[str, Expression] = {}
    for name, argument in map(split_name, args.property):
        if name == Same.name and argument:
            other = read(args, argument)
            say_problems(other, notes=False)
            if not other.complete:
                raise Misuse(f"{argument}: the configuration cannot be read")
            others[argument] = _study(other, schema, intent)
        elif name == Holds.name and argument:
            try:
                expressions[argument] = parse(argument, Source(argument, "<property>"), whole=True)
            except ClassAdParseError as problem:
                found = problem.diagnostic
                raise Misuse(str(problem)) if found is None else Shown(found.render()) from None
    return Named(others, expressions)


def _study(
    config: Config,
    schema: Schema,
    intent: Intent,
    extra: Iterable[Expression] = (),
    *,
    defaults: bool = False,
) -> Study:
    try:
        return study_of(config, schema, intent, extra, defaults=defaults)
    except CannotTry as problem:
        found = problem.diagnostic
        raise Misuse(str(problem)) if found is None else Shown(found.render()) from None


def schema_at(path: str) -> Schema:
    """What slots and jobs of a captured pool look like, or the usual ones of any other path."""
    folder = Path(path)
    captured = all((folder / name).is_file() for name in ("slots.ads", "jobs.ads"))
    return _schema(folder) if captured else built_in()


def _schema(folder: Path) -> Schema:
    if not folder.is_dir():
        raise Misuse(f"{folder}: no such folder")
    return learn(_ads(folder / "slots.ads"), _ads(folder / "jobs.ads"), str(folder))


def _ads(path: Path) -> list[ClassAd]:
    if not path.exists():
        raise Misuse(f"{path}: no such file")
    problems: list[Diagnostic] = []
    try:
        found = list(read_ads(str(path), diagnostics=problems))
    except ClassAdException as problem:
        raise Misuse(str(problem)) from None
    say(problems)
    if not found:
        raise Misuse(f"{path}: contains no ads")
    return found
