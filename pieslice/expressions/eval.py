"""Evaluates expressions and prints their values: ``pieslice eval``.

Decides how an argument is told to be an ad, an assignment or an expression, when the context is
printed, and the JSON fields of a value (``expression``, ``type``, ``value``, ``text``, ``ok``,
which is false when the evaluation as a whole failed, and ``why`` if asked for).

Inputs: the parsed arguments with their ``steps`` in order.  Outputs: lines on a stream, or a
``EvalProblem`` whose text is ready to print.  Follows: ``classad_eval`` of HTCondor 25.14.1.
"""

from __future__ import annotations

import argparse
from typing import IO, TYPE_CHECKING, Final

from classad import ClassAd
from classad.ads.expression import Expression
from classad.analysis.changes import reread_ad
from classad.binding.ambient import AmbientContext, zone_name
from classad.errors import ClassAdException, ClassAdParseError, Diagnostic
from classad.evaluate import evaluate_full
from classad.evaluation.state import EvalContext
from classad.files.ads import read_ads
from classad.formats.common import BLANKS
from classad.patterns import late_regex
from classad.source import Source
from pieslice.expressions.versions import rules_of
from pieslice.inputs.versions import version_of
from pieslice.terminal import terminal_width

if TYPE_CHECKING:
    from classad.analysis.explanation import ExplanationData
    from classad.syntax.nodes import Node
    from policy.versions import Followed

#: An equals sign that is no operator's; a comment; nothing at all.
_MAY_BE_AD: Final = late_regex(r"(?<![=<>!?])=(?!=|[?!]=)|/[/*]|\A\s*\Z")


class EvalProblem(Exception):  # noqa: N818 - its text is the message
    """What ends the command, as text to print."""


def evaluate_items(
    args: argparse.Namespace, out: IO[str], notes: IO[str] | None = None, *, changed: bool = False
) -> None:
    """Take the steps in order.

    ``notes``: where to say what looks like a slip.  ``changed``: print even a context that nothing
    was added to.
    """
    session = _Evaluation(args, out, notes, changed)
    take = {
        "my": session.take_my,
        "target": session.take_target,
        "attribute": session.take_attribute,
        "quiet": session.take_quiet,
        "item": session.take_item,
    }
    values = 0
    for kind, value in args.steps:
        take[kind](value)
        values += kind == "item"
    if not values:
        raise EvalProblem("error: nothing to evaluate (--help shows the usage)")


class _Evaluation:
    """The context so far and how values are evaluated and printed."""

    def __init__(
        self, args: argparse.Namespace, out: IO[str], notes: IO[str] | None, changed: bool
    ) -> None:
        self.my = ClassAd()
        self.target: ClassAd | None = None
        self.out = out
        self.notes = notes
        self.why: bool = args.why
        self.old: bool = args.old
        self.json: bool = args.json
        self.quiet: bool = args.json
        self.changed = changed
        self.tz: str | None = _checked_zone(args.tz) if args.tz else zone_name()
        self.followed = version_of(args)
        self.context = _context(args, self.followed, notes)

    def take_my(self, path: str) -> None:
        self.my = self.first_ad(path)

    def take_target(self, path: str) -> None:
        self.target = self.first_ad(path)

    def first_ad(self, path: str) -> ClassAd:
        ad = _first_ad(path)
        reread_ad(ad, self.context.language)
        return ad

    def take_quiet(self, value: object) -> None:
        self.quiet = True

    def take_attribute(self, text: str) -> None:
        """``NAME=EXPR``, which does not make the context worth printing."""
        name, equals, right = text.partition("=")
        name = name.strip(BLANKS)
        if not equals or not name:
            raise EvalProblem(f"error: `{text}` is not of the form NAME=EXPR")
        self.my.insert(name, Expression.from_node(self.parse(right, f"<{name}>")))

    def take_item(self, text: str) -> None:
        ad = self.as_ad(text)
        if ad is not None:
            self.my.update(ad)
            self.changed = True
            return
        tree = Expression.from_node(self.parse(text, "<expression>"))
        if self.changed and not self.quiet:
            self.out.write(f"{self.my!r}\n")
            self.changed = False
        self.note_unknown_functions(text, tree.node)
        if self.why:
            self.explain(text, tree)
            return
        value, ok = evaluate_full(tree, self.my, self.target, context=self.context)
        self.show(text, value, ok)

    def explain(self, text: str, tree: Expression) -> None:
        """Evaluate, and print the value of every node."""
        from classad.analysis.explain import explain

        explanation = explain(tree, self.my, self.target, context=self.context)
        if not self.json:
            self.out.write(f"{explanation.render(self.old, terminal_width(self.out))}\n")
            return
        self.show(text, explanation.value, explanation.ok, explanation.to_dict(self.old))

    def note_unknown_functions(self, text: str, node: Node) -> None:
        """Point at calls of functions that do not exist: their value is error."""
        from pieslice.expressions.typos import unknown_functions

        if self.notes is None:
            return
        for found in unknown_functions(Source(text, "<expression>"), node, self.context):
            self.notes.write(f"{found.render()}\n")

    def as_ad(self, text: str) -> ClassAd | None:
        """The ad that an argument is, with or without its brackets, or None."""
        from classad.ads.ad import make_ad
        from classad.syntax.parser import parse_ad_prefix

        # To be refused is dear: the grammar words the error.
        bare = _MAY_BE_AD.search(text)
        for candidate in [text] * ("[" in text) + [f"[{text}]"] * bool(bare):
            try:
                node, end = parse_ad_prefix(
                    candidate,
                    old=self.old,
                    strict=self.context.strict,
                    tz=self.tz,
                    language=self.context.language,
                )
            except ClassAdParseError:
                continue
            if not candidate[end:].strip(BLANKS):
                return ClassAd.copy_of(make_ad(node, None))
        return None

    def parse(self, text: str, name: str) -> Node:
        """The syntax tree of an expression from the command line."""
        from classad.syntax.parser import parse_expression

        try:
            return parse_expression(
                text,
                old=self.old,
                strict=self.context.strict,
                source=Source(text, name),
                tz=self.tz,
                whole=True,
                language=self.context.language,
            )
        except ClassAdParseError as problem:
            raise EvalProblem(_rendered(problem.diagnostic, str(problem))) from None

    def show(self, text: str, value: object, ok: bool, why: ExplanationData | None = None) -> None:
        """Print a value: in ClassAd form, or as a JSON object in one line."""
        from classad.formats.unparse import type_name, unparse_value

        printed = unparse_value(value, old=self.old)
        if not self.json:
            self.out.write(f"{printed}\n")
            return
        import json

        from classad.formats.json import format_value
        from pieslice.expressions.document import Evaluated

        plain = json.loads(format_value(value))
        found = Evaluated(self.followed, text, type_name(value), plain, printed, ok, why)
        self.out.write(f"{json.dumps(found.to_dict(), ensure_ascii=False)}\n")


def _first_ad(path: str) -> ClassAd:
    """The first ad of a file in any form."""
    try:
        ad = next(iter(read_ads(path)), None)
    except ClassAdParseError as problem:
        raise EvalProblem(_rendered(problem.diagnostic, str(problem))) from None
    except (ClassAdException, OSError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise EvalProblem(f"error: {path}: {reason.lower()}") from None
    if ad is None:
        raise EvalProblem(f"error: {path}: contains no ads")
    return ad


def _rendered(diagnostic: Diagnostic | None, text: str) -> str:
    return text if diagnostic is None else diagnostic.render()


def _context(args: argparse.Namespace, followed: Followed, notes: IO[str] | None) -> EvalContext:
    """The machine's clock, zone and randomness, except for what was given."""
    language = rules_of(followed, notes)
    ambient = AmbientContext(strict=args.strict, language=language)
    if args.now is None and args.tz is None and args.seed is None:
        return ambient
    from zoneinfo import ZoneInfo

    return EvalContext(
        now=ambient.now if args.now is None else args.now,
        tz=ambient.tz if args.tz is None else ZoneInfo(_checked_zone(args.tz)),
        rng=ambient.rng if args.seed is None else None,
        seed=args.seed,
        strict=args.strict,
        home_of=ambient.home_of,
        language=language,
    )


def _checked_zone(name: str) -> str:
    from classad.errors import ClassAdValueError
    from classad.language.times import check_zone

    try:
        check_zone(name)
    except ClassAdValueError as problem:
        raise EvalProblem(f"error: {problem}") from None
    return name
