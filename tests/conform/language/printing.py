"""Checks the cases about text: printing expressions, reading and writing ads.

Inputs: one case.  Outputs: its differences.  A text that the real library reads back unchanged must
be read back unchanged here.
"""

from __future__ import annotations

from classad import ClassAd
from classad.ads.expression import Expression
from classad.errors import ClassAdParseError, Diagnostic
from classad.formats.json import format_json, read_json
from classad.formats.long import read_long
from classad.formats.new import format_new, read_new
from classad.formats.unparse import pretty, unparse, unparse_value
from classad.formats.xml import format_xml, read_xml
from classad.syntax.nodes import Node
from classad.syntax.parser import parse_expression
from tests.conform.language.comparison import Comparison, parse_expression_of
from tests.conform.runner import Case, Kind, Mismatch


def check_printing(case: Case) -> list[Mismatch]:
    """The prints of an expression, and whether they read back as the same tree."""
    seen = Comparison(case)
    try:
        node = parse_expression_of(case, case["expr"])
    except ClassAdParseError:
        seen.same("tree", None)
        return seen.mismatches
    new, old = unparse(node), unparse(node, old=True)
    seen.same("tree", new)
    seen.same("tree_old", old)
    seen.same("reparse_same", _reads_back(new, node, old=False))
    seen.same("reparse_old_same", _reads_back(old, node, old=True))
    ad = ClassAd()
    ad.insert("a", Expression.from_node(node))
    seen.same("json", format_json(ad, indent=False).removeprefix('{"a": ').removesuffix("}"))
    xml = format_xml(ad, indent=False)
    seen.same("xml", xml.removeprefix('<c><a n="a">').removesuffix("</a></c>"))
    return seen.mismatches


def _reads_back(text: str, node: Node, *, old: bool) -> bool:
    try:
        return parse_expression(text, old=old) == node
    except ClassAdParseError:
        return False


def _refused(problems: list[Diagnostic]) -> bool:
    """Whether HTCondor would not read the text; text that it ignores is told of as a warning."""
    return any(problem.severity == "error" for problem in problems)


def check_long_line(case: Case) -> list[Mismatch]:
    """One line of the long form."""
    seen = Comparison(case)
    problems: list[Diagnostic] = []
    ads = list(read_long(case["input"], "line", problems, new=ClassAd))
    seen.same("ok", bool(ads) and not _refused(problems))
    if ads and case["ok"]:
        (ad,) = ads
        seen.same("names", list(ad.names()))
        seen.same("new", format_new(ad))
        seen.same("old", unparse_value(ad, old=True))
    return seen.mismatches


def check_ad_written(case: Case) -> list[Mismatch]:
    """An ad in new syntax written in every form, and read back from JSON and XML."""
    seen = Comparison(case)
    try:
        (ad,) = read_new(case["input"], errors="strict", new=ClassAd)
    except ClassAdParseError:
        seen.same("ok", False)
        return seen.mismatches
    seen.same("ok", True)
    seen.same("new", format_new(ad))
    seen.same("pretty", pretty(ad))
    seen.same("json", format_json(ad))
    seen.same("json_line", format_json(ad, indent=False))
    seen.same("xml", format_xml(ad))
    seen.same("xml_compact", format_xml(ad, indent=False))
    seen.same("json_roundtrip", list(read_json(case["json"], errors="strict", new=ClassAd)) == [ad])
    seen.same("xml_roundtrip", list(read_xml(case["xml"], errors="strict", new=ClassAd)) == [ad])
    return seen.mismatches


def check_json_read(case: Case) -> list[Mismatch]:
    """JSON text read as one ad."""
    seen = Comparison(case)
    problems: list[Diagnostic] = []
    ads = list(read_json(case["input"], "json", problems, new=ClassAd))
    seen.same("ok", len(ads) == 1 and not _refused(problems))
    if case["ok"] and ads:
        seen.same("new", format_new(ads[0]))
    return seen.mismatches


PRINTING_KINDS = (
    Kind(
        "printing",
        lambda case: {"expr", "tree", "tree_old"} <= case.keys() and "value" not in case,
        check_printing,
        frozenset(
            (
                "id",
                "expr",
                "syntax",
                "tree",
                "tree_old",
                "reparse_same",
                "reparse_old_same",
                "json",
                "xml",
            )
        ),
    ),
    Kind(
        "long line",
        lambda case: case.get("kind") == "long_line",
        check_long_line,
        frozenset(
            (
                "id",
                "kind",
                "input",
                "ok",
                "names",
                "new",
                "old",
            )
        ),
    ),
    Kind(
        "ad written",
        lambda case: case.get("kind") == "ad_out",
        check_ad_written,
        frozenset(
            (
                "id",
                "kind",
                "input",
                "ok",
                "new",
                "pretty",
                "json",
                "json_line",
                "xml",
                "xml_compact",
                "json_roundtrip",
                "xml_roundtrip",
            )
        ),
    ),
    Kind(
        "JSON read",
        lambda case: case.get("kind") == "json_in",
        check_json_read,
        frozenset(
            (
                "id",
                "kind",
                "input",
                "ok",
                "new",
            )
        ),
    ),
)
