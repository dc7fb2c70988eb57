"""Checks the cases about the ClassAd language, as the vectors' README describes them.

Inputs: one case.  Outputs: its differences.  Expressions are parsed, evaluated and printed through
the ordinary interface; nothing here knows a single case.
"""

from __future__ import annotations

from classad import ClassAd
from classad.ads.expression import Expression
from classad.analysis.flatten import flatten
from classad.analysis.references import external_references, internal_references
from classad.errors import ClassAdParseError
from classad.evaluate import evaluate_attribute, evaluate_full
from classad.evaluation.state import EvalContext
from classad.formats.unparse import unparse, unparse_value
from classad.match import half_match, symmetric_match
from classad.syntax.nodes import Node
from classad.syntax.parser import parse_expression
from tests.conform.language.comparison import (
    Comparison,
    ad_of,
    context_of,
    parse_expression_of,
    tree_of,
)
from tests.conform.language.encode import PARSE_ERROR, encode, real_text
from tests.conform.runner import Case, Kind, Mismatch


def _check_value(seen: Comparison, value: object, ok: bool) -> None:
    case = seen.case
    seen.same("value", encode(value))
    seen.same("eval_ok", ok, case.get("eval_ok", True))
    seen.same("unparsed", unparse_value(value))
    in_old_syntax = case.get("unparsed_old", case.get("unparsed"))
    seen.same("unparsed_old", unparse_value(value, old=True), in_old_syntax)


def check_evaluation(case: Case) -> list[Mismatch]:
    """``expr`` in ``my`` and ``target``, with the prints of value and tree."""
    seen = Comparison(case)
    try:
        node = parse_expression_of(case, case["expr"])
    except ClassAdParseError:
        seen.same("value", PARSE_ERROR)
        return seen.mismatches
    my = ad_of(case, case.get("my"))
    if "chained_parent" in case:
        my.chain(ad_of(case, case["chained_parent"]))
    target = None if case.get("target") is None else ad_of(case, case["target"])
    tree = Expression.from_node(node)
    _check_value(seen, *evaluate_full(tree, my, target, context=context_of(case)))
    _check_trees(seen, node)
    return seen.mismatches


def _check_trees(seen: Comparison, node: Node) -> None:
    if "tree" in seen.case:
        seen.same("tree", unparse(node))
    if "tree_old" in seen.case:
        seen.same("tree_old", unparse(node, old=True))


def check_attribute(case: Case) -> list[Mismatch]:
    """An attribute of ``my`` evaluated directly."""
    seen = Comparison(case)
    value, ok = evaluate_attribute(ad_of(case, case["my"]), case["attr"], context=context_of(case))
    _check_value(seen, value, ok)
    return seen.mismatches


def check_coercion(case: Case) -> list[Mismatch]:
    """An attribute of ``my`` read as a number and as a boolean."""
    seen = Comparison(case)
    ad, context = ad_of(case, case["my"]), context_of(case)
    number = ad.get_number(case["attr"], context=context)
    seen.same("number", None if number is None else real_text(float(number)))
    seen.same("bool", ad.get_bool(case["attr"], context=context))
    return seen.mismatches


def check_match(case: Case) -> list[Mismatch]:
    """Two ads matched, and the values of the match ad's attributes."""
    seen = Comparison(case)
    left, right, context = ad_of(case, case["left"]), ad_of(case, case["right"]), context_of(case)
    seen.same("symmetric", symmetric_match(left, right, context))
    seen.same("right_matches_left", half_match(left, right, context))
    seen.same("left_matches_right", half_match(right, left, context))
    for name, expected in case["values"].items():
        tree = Expression.from_node(parse_expression(f".{name}"))
        value, ok = evaluate_full(tree, left, right, context=context)
        seen.same(f"values.{name}", {**encode(value), "ok": ok}, expected)
    return seen.mismatches


def check_flattening(case: Case) -> list[Mismatch]:
    """Partial evaluation and the references of an expression."""
    seen = Comparison(case)
    tree, ad, context = tree_of(case, case["expr"]), ad_of(case, case["my"]), context_of(case)
    for field, inline in (("flatten", False), ("flatten_and_inline", True)):
        if field in case:
            seen.same(field, _flattened(tree, ad, context, inline))
    for field, full in (("external", False), ("external_full", True)):
        found = external_references(ad, tree, full_names=full, context=context)
        seen.same(field, found._asdict())
    seen.same("internal", internal_references(ad, tree, context=context)._asdict())
    return seen.mismatches


def _flattened(
    tree: Expression, ad: ClassAd, context: EvalContext, inline: bool
) -> dict[str, object]:
    done = flatten(ad, tree, inline=inline, context=context)
    if done.tree is not None:
        return {"ok": done.ok, "tree": unparse(done.tree)}
    return {"ok": done.ok, "value": encode(done.value), "unparsed": unparse_value(done.value)}


_EVALUATION_FIELDS = frozenset(
    (
        "id",
        "expr",
        "my",
        "target",
        "syntax",
        "semantics",
        "tz",
        "value",
        "unparsed",
        "unparsed_old",
        "eval_ok",
        "tree",
        "tree_old",
        "chained_parent",
    )
)

LANGUAGE_KINDS = (
    Kind(
        "evaluation",
        lambda case: {"expr", "value"} <= case.keys(),
        check_evaluation,
        _EVALUATION_FIELDS,
    ),
    Kind(
        "attribute",
        lambda case: {"attr", "value"} <= case.keys(),
        check_attribute,
        frozenset(
            (
                "id",
                "attr",
                "my",
                "syntax",
                "value",
                "unparsed",
                "unparsed_old",
                "eval_ok",
            )
        ),
    ),
    Kind(
        "coercion",
        lambda case: {"attr", "number", "bool"} <= case.keys(),
        check_coercion,
        frozenset(
            (
                "id",
                "attr",
                "my",
                "syntax",
                "number",
                "bool",
            )
        ),
    ),
    Kind(
        "match",
        lambda case: {"left", "right", "symmetric"} <= case.keys(),
        check_match,
        frozenset(
            (
                "id",
                "left",
                "right",
                "syntax",
                "symmetric",
                "right_matches_left",
                "left_matches_right",
                "values",
            )
        ),
    ),
    Kind(
        "flatten",
        lambda case: {"expr", "flatten"} <= case.keys(),
        check_flattening,
        frozenset(
            (
                "id",
                "expr",
                "my",
                "syntax",
                "flatten",
                "flatten_and_inline",
                "external",
                "external_full",
                "internal",
            )
        ),
    ),
)
