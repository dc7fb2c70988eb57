"""Checks the language: parsers, printers, evaluators, files of ads.

Inputs: cases of ``classad.strategies``.  Outputs: none; a check raises.
"""

from __future__ import annotations

import atexit
from datetime import UTC
from functools import cache
from importlib.util import find_spec
from io import StringIO
from typing import Any, Final

import classad
from classad import ClassAd, ExprTree, kernels
from classad.ads.ad import Ad, ListValue
from classad.ads.expression import Expression
from classad.analysis.flatten import flatten
from classad.binding.python_values import to_python
from classad.compiled.compiler import MAX_SIZE, specialise
from classad.compiled.state import compiled
from classad.errors import ClassAdParseError, Diagnostic
from classad.evaluate import (
    EvalContext,
    evaluate,
    evaluate_exactly,
    evaluate_full,
)
from classad.evaluation.functions import CLOCK, ZONE, Where, lookup_function
from classad.files.ads import read_ads, write_ads
from classad.formats.long import read_long
from classad.formats.unparse import unparse, unparse_value
from classad.language.bounds import FAST_HEIGHT
from classad.language.operators import BINARY
from classad.language.rules import OLD, PREFIX, STRICT
from classad.language.values import RelTime
from classad.loading.long_form import Loader
from classad.source import Source
from classad.strategies.texts import Case
from classad.syntax import native as arena
from classad.syntax.nodes import AdExpr, Binary, Call, ListExpr, Literal, Node, Reference, walk
from classad.syntax.parser import _by_grammar, parse_expression
from fuzz.known import known
from fuzz.peer import NAME as PEER_NAME
from fuzz.peer import Crashed, Peer, printed, written
from fuzz.target import Unavailable

CONTEXT: Final = EvalContext(now=1_700_000_000.0, tz=UTC)
#: Operators for which HTCondor's flattening loses or changes values.
LOSSY: Final = frozenset(symbol for symbol, row in BINARY.items() if row.commutes or row.lazy)
#: Names of what is around an ad.
OUTSIDE: Final = frozenset({"parent", "root", "toplevel"})


def text_comes_back(text: str) -> None:
    """Printing an expression and reading it again changes nothing."""
    tree = parse_expression(text)
    for old in (False, True):
        if old and ends_in_a_backslash(tree):
            continue
        once = unparse(tree, old=old)
        again = unparse(parse_expression(once, old=old), old=old)
        assert again == once, f"{once} comes back as {again}"


def ends_in_a_backslash(root: Node) -> bool:
    """Whether there is a string that old syntax cannot write inside a line."""
    return any(
        isinstance(node, Literal)
        and isinstance(node.value, str)
        and node.value.replace('"', "").endswith("\\")
        for node in walk(root)
    )


def parsers_agree(case: tuple[str, int]) -> None:
    """What the C parser takes the grammar takes too, with the same tree; so does the real one."""
    text, how = case
    if kernels.native is None:
        raise Unavailable("the C parser is not built, or not wanted here")
    mine = arena.parse(text, how)
    if mine is None:
        return
    try:
        old, strict, prefix = bool(how & OLD), bool(how & STRICT), bool(how & PREFIX)
        theirs = _by_grammar(text, old, strict, Source(text), prefix, None)
    except ClassAdParseError as problem:
        raise AssertionError(f"only C takes {text!r} read as {how}: {problem}") from None
    places = [[(node.start, node.end) for node in walk(tree)] for tree in (mine, theirs)]
    assert mine == theirs, f"{mine} instead of {theirs} of {text!r} read as {how}"
    assert places[0] == places[1], f"places in {text!r} read as {how}"
    # Not compared: text behind a conditional, and a `//` comment, which the real one wants a line
    # end behind, while here the end of the text does as well.
    whole = mine.end == len(text.rstrip()) and "//" not in text
    if how == 0 and whole and find_spec(PEER_NAME) is not None:
        _compare_printed(text)


def _compare_printed(text: str) -> None:
    try:
        theirs = peer().printed(text)
    except Crashed:
        return
    ours = printed(classad, text)
    assert ours == theirs, f"{ours!r} instead of {theirs!r} of {text!r}"


def evaluators_agree(case: Case | list[str]) -> None:
    """The reference evaluator and both grains of the compiled form give the same value."""
    expression, my, target = case
    mine, other = ClassAd(my), ClassAd(target)
    exact, fine = evaluate_exactly(ExprTree(expression), mine, mine, other, CONTEXT)
    for way in ("by operations", "as a whole"):
        tree = ExprTree(expression)
        if way == "as a whole" and not written_whole(tree):
            continue
        same_value((exact, fine), evaluate_full(tree, mine, other, context=CONTEXT), (way, *case))


def written_whole(tree: ExprTree) -> bool:
    """Have an expression written as one function at once, if it may be."""
    compiled(tree)
    if tree.height > FAST_HEIGHT or tree.size > MAX_SIZE:
        return False
    specialise(tree)
    return True


def same_value(wanted: tuple[Any, bool], found: tuple[Any, bool], case: Any) -> None:
    """Two evaluations gave the same value, and the same success."""
    (exact, fine), (compiled, ok) = wanted, found
    assert compiled.__class__ is exact.__class__, f"{compiled!r} and {exact!r} of {case}"
    texts = unparse_value(compiled), unparse_value(exact)
    assert texts[0] == texts[1], f"{texts} of {case}"
    assert ok == fine, f"only one evaluator fails: {case}"


def loaders_agree(case: tuple[str, int]) -> None:
    """Loading a text of ads into columns gives the ads that the reader of lines gives."""
    text, place = case
    data = text.encode("utf-8", "surrogateescape")
    problems: list[Diagnostic] = []
    read = list(read_long(data.decode("utf-8", "surrogateescape"), "<text>", problems, new=ClassAd))
    loader = Loader()
    cut = place % (len(data) + 1)
    loader.feed(data[:cut])
    loaded = loader.finish(data[cut:])
    ads = [[(*pair, repr(pair[1])) for pair in ad._attrs.items()] for ad in loaded.to_ads(ClassAd)]
    expected = [[(*pair, repr(pair[1])) for pair in ad._attrs.items()] for ad in read]
    assert str(ads) == str(expected), f"{ads} instead of {expected} of {data!r} cut at {cut}"
    rendered = [problem.render() for problem in loaded.diagnostics]
    assert rendered == [problem.render() for problem in problems], f"problems of {data!r}"


def flatten_keeps(case: Case | list[str]) -> None:
    """What is left of a flattened expression has its value, where HTCondor's keeps it."""
    expression, my, target = case
    mine, other = ClassAd(my), ClassAd(target)
    tree = ExprTree(expression)
    if _lossy(tree.node) or any(
        _lossy(value.node) for value in mine._attrs.values() if isinstance(value, Expression)
    ):
        return
    flat = flatten(mine, tree, context=CONTEXT)
    value, ok = evaluate_full(tree, mine, other, context=CONTEXT)
    if not flat.ok or not ok or isinstance(value, Ad | ListValue):
        return  # the members of lists and ads are values only when they are selected
    if flat.tree is not None and _spans(flat.tree) - _spans(tree.node):
        return  # a relative time that was computed is a literal now, which evaluates to a real
    left = flat.value if flat.tree is None else evaluate(flat.tree, mine, other, context=CONTEXT)
    shown = unparse_value(left), unparse_value(value)
    assert shown[0] == shown[1], f"{shown} of {case}, flattened to {flat}"


def _spans(root: Node) -> set[int]:
    """The identities of the literals that are relative times; flattening keeps what it leaves."""
    return {
        id(node)
        for node in walk(root)
        if isinstance(node, Literal) and isinstance(node.value, RelTime)
    }


def _lossy(root: Node) -> bool:
    """Whether an expression has an operator or a function that flattening does not keep.

    Functions of constants are called without the ads, so that those which look around differ; what
    is outermost when an ad is flattened is inside the match ad in a match; and members of lists and
    ads are flattened too, which shows where they are printed.
    """
    if any(isinstance(node, Call) and _prints(node.name) for node in walk(root)) and any(
        isinstance(node, ListExpr | AdExpr) for node in walk(root)
    ):
        return True
    return any(
        (isinstance(node, Binary) and node.operator in LOSSY)
        or (isinstance(node, Reference) and (node.absolute or node.name.lower() in OUTSIDE))
        or (isinstance(node, Call) and not _steady(node.name))
        for node in walk(root)
    )


def _prints(name: str) -> bool:
    function = lookup_function(name)
    return function is not None and function.prints


def _steady(name: str) -> bool:
    """Whether a function looks at nothing but its arguments, the clock and the zone."""
    function = lookup_function(name)
    return (
        function is not None
        and not function.ever_reads & ~(CLOCK | ZONE)
        and Where.IN_EACH not in function.where
    )


def printers_agree(text: str) -> None:
    """An ad that is printed and read again prints the same, in every form."""
    ad: ClassAd = ClassAd(text)
    unquotable = ends_in_a_backslash(parse_expression(text))
    for form in ("new", "json", "xml") if unquotable else ("long", "new", "json", "xml"):
        once = _print(ad, form)
        (again,) = read_ads(StringIO(once), form=form, errors="strict") if once.strip() else (ad,)
        assert _print(again, form) == once, f"{form}: {once} of {text}"


def _print(ad: ClassAd, form: Any) -> str:
    out = StringIO()
    write_ads([ad], out, form)
    return out.getvalue()


def peer_agrees(case: Case | list[str]) -> None:
    """The real library gives the same value, of the same type."""
    if find_spec(PEER_NAME) is None:
        raise Unavailable("the real ClassAd library is not installed (htcondor on PyPI)")
    whole = Case(*case)
    ours = ours_of(whole)
    try:
        theirs = peer().answer(*whole)
    except Crashed:
        return  # nothing to compare with
    if ours != theirs and not known(whole, CONTEXT):
        raise AssertionError(f"{ours} instead of {theirs} of {whole}")


def ours_of(case: Case, context: EvalContext = CONTEXT) -> Any:
    """Our answer, in the zone of the comparison."""
    try:
        scopes = [ClassAd(text) for text in case[1:] if text]
        value, ok = evaluate_full(case.expression, *scopes, context=context)
        return written(classad, to_python(value)) if ok else "raised"
    except (ClassAdParseError, UnicodeDecodeError):  # the latter: half of a character is no text
        return "raised"


def vector(case: Case | list[str]) -> dict[str, Any]:
    """A case in the form of tests/vectors/classad; the value is for the real library to fill in."""
    from hashlib import sha256

    expression, my, target = Case(*case)
    key = sha256("\n".join((expression, my, target)).encode()).hexdigest()[:12]
    line: dict[str, Any] = {"id": f"fuzz:{key}", "expr": expression}
    for side, text in (("my", my), ("target", target)):
        ad = ClassAd(text) if text else None
        line[side] = None if ad is None else {name: str(ad.lookup(name)) for name in ad}
    if find_spec(PEER_NAME) is not None:
        try:
            line["seen"] = peer().answer(expression, my, target)
        except Crashed:
            line["seen"] = "crashed"
    return line


@cache
def peer() -> Peer:
    """The one real library of this process."""
    found = Peer()
    atexit.register(found.close)
    return found
