"""Checks what expressions are in each of several versions of HTCondor.

Decides how a file of such records is taken apart: a case for each expression and version, and for
each limit of nesting and version.

Inputs: parsed files.  Outputs: the kinds.  Follows: the README beside the recordings; of a name
alone the recorded tool evaluates the attribute, of all else the expression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Final

from classad import ClassAd, ExprTree, parseOld
from classad.ads.ad import node_of_value
from classad.ads.expression import Expression, parsed
from classad.errors import ClassAdParseError
from classad.evaluate import evaluate_attribute, evaluate_full
from classad.evaluation.state import EvalContext
from classad.formats.unparse import unparse
from classad.language.rules import LanguageRules, language_of
from pieslice.data import Content
from policy.versions import parse_version
from tests.conform.language.comparison import Comparison
from tests.conform.runner import Case, Kind, Mismatch, unplayed

_FORMAT: Final = "classad-versions/1"
#: How many levels a tool was asked for that has no limit below.
_MOST: Final = 4000
#: Of what a limit is recorded -> an expression of so many.
NESTED: Final[Mapping[str, Callable[[int], str]]] = {
    "terms in 1 + 1 + ...": lambda n: " + ".join("1" * n),
    "true behind n signs !": lambda n: "!" * n + "true",
    "false || ... || true, n false": lambda n: "false || " * n + "true",
    "undefined ?: ... ?: 7, n times": lambda n: "undefined ?: " * n + "7",
    "false ? 0 : ... 7, n times": lambda n: "false ? 0 : " * n + "7",
    "parentheses around 1": lambda n: "(" * n + "1" + ")" * n,
    "braces around 1": lambda n: "{" * n + "1" + "}" * n,
    'strcat("a", ... nested': lambda n: 'strcat("a", ' * n + '"b"' + ")" * n,
    "A1 = A0, A2 = A1, ...": lambda n: f"A{n - 1}",
}


def check_version(case: Case) -> list[Mismatch]:
    """What a version's tool prints of an expression; None where the evaluation fails."""
    seen = Comparison(case)
    ad, text, language = parseOld(case["ad"]), case["expr"], _language(case)
    context = EvalContext(now=0, language=language)
    if ad.raw(text) is not None:
        value, ok = evaluate_attribute(ad, text, context=context)
    else:
        try:
            tree = Expression.from_node(parsed(text, language=language))
        except ClassAdParseError:
            seen.same("result", None)
            return seen.mismatches
        value, ok = evaluate_full(tree, ad, context=context)
    seen.same("result", _printed(value) if ok else None)
    return seen.mismatches


def _printed(value: object) -> str:
    return value if isinstance(value, str) else unparse(node_of_value(value))


def check_limit(case: Case) -> list[Mismatch]:
    """Whether the most that has a value has one, and one more has none."""
    seen = Comparison(case)
    text, most, language = NESTED[case["what"]], case["limit"], _language(case)
    if most == f">={_MOST}":
        seen.same("limit", most if has_value(text(_MOST), language) else f"<{_MOST}")
    elif not has_value(text(most), language):
        seen.same("limit", f"<{most}")
    elif has_value(text(most + 1), language):
        seen.same("limit", f">{most}")
    return seen.mismatches


def has_value(text: str, language: LanguageRules) -> bool:
    """Whether a text can be read and evaluated by some rules."""
    try:
        tree = Expression.from_node(parsed(text, language=language))
    except ClassAdParseError:
        return False
    return evaluate_full(tree, _chain(), context=EvalContext(now=0, language=language))[1]


@cache
def _chain() -> ClassAd:
    """Definitions in a row, each by the one before."""
    return ClassAd({"A0": 1, **{f"A{i}": ExprTree(f"A{i - 1}") for i in range(1, 500)}})


def _language(case: Case) -> LanguageRules:
    return language_of(parse_version(case["version"]))


def _cases(content: Content) -> Iterable[Case] | None:
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        return None
    return _each(content)


def _each(content: Case) -> Iterator[Case]:
    for one in content["cases"]:
        for version, result in one["results"].items():
            name = f"{one['expr']} in {version}"
            what = {"ad": content["ad"], "expr": one["expr"], "version": version}
            yield {"id": name, **what, "result": result}
    for one in content["limits"]:
        for version, limit in one.items():
            if version != "what":
                name = f"{one['what']} in {version}"
                yield {"id": name, "what": one["what"], "version": version, "limit": limit}


_LIMIT: Final = frozenset(("what", "version", "limit"))

VERSION_KINDS: Final = (
    Kind(
        "expression of a version",
        lambda case: {"ad", "expr", "version", "result"} <= case.keys(),
        check_version,
        frozenset(("id", "ad", "expr", "version", "result")),
        _cases,
    ),
    Kind(
        "limit of a version",
        lambda case: case.keys() >= _LIMIT and case["what"] in NESTED,
        check_limit,
        _LIMIT | {"id"},
    ),
    unplayed("limit of work", "to reach it takes minutes", lambda case: case.keys() >= _LIMIT),
)
