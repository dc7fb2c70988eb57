"""Evaluates one expression of a policy on ads or over a grid: ``pieslice policy eval``.

Decides which ads of the files are taken, the time of the evaluation, and the printing.

Inputs: parsed arguments, files of ads.  Outputs: the value and what the negotiator makes of it on
standard output, attributes that nobody gave on standard error.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING

from classad import ClassAd
from classad.analysis.changes import reread_ad
from classad.errors import ClassAdException, ClassAdParseError, Diagnostic
from classad.evaluate import EvalContext
from classad.files.ads import read_ads
from classad.formats.unparse import unparse_value
from classad.language.rules import LanguageRules, language_of
from pieslice.command_line import EXIT_OK
from pieslice.data import JsonObject
from pieslice.inputs.configuration import Misuse, Shown, read, say, say_problems, split_pairs
from pieslice.inputs.versions import version_of
from pieslice.policies.grid import BadAxis, fill, grid_lines, read_axes
from pieslice.reports.versions import version_data
from pieslice.terminal import complain
from policy.explain.trial import CannotTry, Trial, newest_time, trial

if TYPE_CHECKING:
    from classad.analysis.explanation import Explanation
    from classad.language.values import ClassAdValue


def run(args: argparse.Namespace) -> int:
    """Evaluate what the arguments ask for."""
    config = read(args)
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


def _single(args: argparse.Namespace, tried: Trial) -> int:
    found = tried.outcome()
    if args.json:
        from pieslice.reports.document import document, json_text

        fields: JsonObject = {
            **version_data(version_of(args)),
            "knob": tried.macro,
            "expression": tried.text,
            "value": unparse_value(found.value),
            "effect": found.effect,
            "not_given": [entry.name for entry in tried.missing()],
        }
        if args.why:
            fields["why"] = _explanation(tried).to_dict()
        sys.stdout.write(json_text(document("policy-eval", fields)))
        return EXIT_OK
    print(unparse_value(found.value))
    if found.effect:
        print(f"  {found.effect}")
    print(f"  {version_of(args)}")
    if args.why:
        print(_explanation(tried).render())
    _say_missing(tried)
    return EXIT_OK


def _explanation(tried: Trial) -> Explanation:
    from classad.analysis.explain import explain

    return explain(tried.tree, tried.my, tried.target, context=tried.context)


def _grid(args: argparse.Namespace, tried: Trial) -> int:
    if args.why:
        raise Misuse("--why explains one value, not a grid")

    def evaluate(point: dict[str, float]) -> ClassAdValue:
        for name, number in point.items():
            tried.assign_number(name, number)
        return tried.outcome().value

    grid = fill(read_axes(args.grid), evaluate)
    if args.json:
        from pieslice.reports.document import document, json_text

        about = {"knob": tried.macro, "expression": tried.text}
        fields = {**version_data(version_of(args)), **about, **grid.as_json()}
        sys.stdout.write(json_text(document("policy-grid", fields)))
        return EXIT_OK
    for line in grid_lines(tried.macro, grid):
        print(line)
    print(version_of(args))
    _say_missing(tried)
    return EXIT_OK


def _say_missing(tried: Trial) -> None:
    names = [entry.name for entry in tried.missing()]
    if names:
        complain(f"note: undefined, because -a does not give what a cycle adds: {', '.join(names)}")
