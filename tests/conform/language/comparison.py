"""Makes the inputs of a case into objects, and collects differences."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from classad import ClassAd
from classad.ads.expression import Expression
from classad.evaluation.state import EvalContext
from classad.syntax.nodes import Node
from classad.syntax.parser import parse_expression
from tests.conform.runner import Case, Mismatch

#: The instant of evaluation where a case does not depend on it.
NOW: Final = 1_700_000_000.0


def context_of(case: Case) -> EvalContext:
    """Zone and semantics of a case."""
    zone: tzinfo | None = ZoneInfo(case["tz"]) if "tz" in case else None
    return EvalContext(now=NOW, tz=zone, strict=case.get("semantics") == "new")


def parse_expression_of(case: Case, text: str) -> Node:
    """A text in the syntax of the case."""
    return parse_expression(
        text,
        old=case.get("syntax") == "old",
        strict=case.get("semantics") == "new",
        tz=case.get("tz"),
    )


def tree_of(case: Case, text: str) -> Expression:
    """As ``parse_expression_of``, as an expression."""
    return Expression.from_node(parse_expression_of(case, text))


def ad_of(case: Case, attributes: Mapping[str, str] | None) -> ClassAd:
    """An ad from the texts of its attributes."""
    ad = ClassAd()
    for name, text in (attributes or {}).items():
        ad.insert(name, tree_of(case, text))
    return ad


class Comparison:
    """Collects the fields of a case that differ."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.mismatches: list[Mismatch] = []

    def same(self, field: str, actual: object, expected: object = None) -> None:
        """Compare with the recorded field, or with ``expected`` for a part of one."""
        wanted = self.case.get(field) if expected is None else expected
        if type(wanted) is not type(actual) or wanted != actual:
            self.mismatches.append(Mismatch(field, wanted, actual))
