"""Writes ``bound.txt``, what the Python interface does: ``python -m tests.classad.bound``.

A line is a Python expression and, behind ``->``, what it gives: the type and the text of a value,
or the error.  Questions are made here, by putting every kind of value into every method; answers
are looked at when they change.
"""

from __future__ import annotations

import io
import traceback
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import product
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

import classad
from classad import ClassAd, EvalContext, ExprTree, MatchResult, ParserType, Value
from classad.binding import expr
from classad.binding.builders import Attribute, Function, Literal
from classad.errors import ClassAdException

BOUND = Path(__file__).parent / "bound.txt"
CONTEXT: Final = EvalContext(now=1_700_000_000, seed=3)
_DEEP: Final[list[Any]] = []
for _ in range(170):
    _DEEP[:] = [list(_DEEP)]


class Chatty(str):
    """A string of another class."""

    __slots__ = ()

    def __str__(self) -> str:
        return "another text"


class Items:
    """Looks like a dictionary."""

    def items(self) -> list[tuple[str, int]]:
        return [("p", 1), ("P", 2), ("q", 3)]


#: Names that questions use.
NAMES: Final[dict[str, Any]] = {
    **{name: getattr(classad, name) for name in classad.__all__ if hasattr(classad, name)},
    "Attribute": Attribute, "Function": Function, "Literal": Literal, "io": io, "Value": Value,
    "datetime": datetime, "timedelta": timedelta, "timezone": timezone, "UTC": UTC, "date": date,
    "nan": float("nan"), "inf": float("inf"), "deep": _DEEP, "Chatty": Chatty, "Items": Items,
    "context": CONTEXT, "ParserType": ParserType, "compile": classad.compile,
    "MatchResult": MatchResult, "ExprTree": ExprTree,
}  # fmt: skip

VALUES: Final = (
    "None", "True", "False", "0", "1", "-7", "2**53 + 1", "2**63 - 1", "2**63", "-2**63",
    "-2**63 - 1", "0.0", "-0.0", "2.5", "1e300", "nan", "inf", "-inf", "''", "'x'", "'Ünïcode'",
    "'a\"b'", "'\\udcff'", "b'bytes'", "b'\\xff'", "Chatty('x')", "Value.Undefined", "Value.Error",
    "[]", "[1, 'x', None]", "(1, [2.5])", "{'a'}", "{}", "{'p': 1, 'P': 2}", "{'': 1}", "{1: 2}",
    "Items()", "deep", "datetime(2024, 2, 3, 4, 5, 6, tzinfo=UTC)", "timedelta(days=1, seconds=2)",
    "datetime(2024, 2, 3, tzinfo=timezone(timedelta(hours=-5, minutes=-30)))", "date(2024, 2, 3)",
    "timedelta(microseconds=-1500000)", "ExprTree('a + 1')", "ExprTree('3')", "ExprTree('{a, 1}')",
    "ClassAd('[p = q]')", "object", "range(3)", "1j", "'a\\0b'",
)  # fmt: skip
#: Ads that questions name; each question gets them anew.
ADS: Final = {
    "empty": "[]",
    "job": "[A = 1; b = A + 1; Requirements = TARGET.x > A; Rank = b]",
    "slot": '[x = 5; A = "t"; Requirements = A == "t"; l = {A, x}; n = [A = 2; m = x + A]]',
    "odd": '[a = 2.5; AB = true; Requirements = 1; Rank = "x"]',
}
TEXTS: Final = (
    "A", "a + 1", "B", "x", "TARGET.x", "MY.A", "l[0]", "n.m", "error", "undefined", "A == 5", "n",
    "true", "1.5", "\"7\"", "\"x\"", "A && B", "!x", "-A", "l", "time()", "A is undefined", "A <",
    "A ?: 3", "f(A)", "A ? x : B", "a.b.c", "{A, x}", "[z = A]", "A + x * 2", "relTime(5)", "Rank",
)  # fmt: skip


def of_values() -> Iterator[str]:
    """Every value in what takes values."""
    forms = (
        "ClassAd({{'A': {0}}})", "ClassAd({{'A': {0}}})['a']", "ClassAd({{'A': {0}}}).eval('A')",
        "Literal({0})", "Attribute('A') + {0}", "{0} - Attribute('A')", "ClassAd({0})",
        "Function('f', {0}, 1)", "ExprTree('A || B').and_({0})", "ExprTree({0})", "quote({0})",
        "unquote({0})", "ClassAd('[A = 1]').get({0})", "{0} in ClassAd('[A = 1]')",
        "ClassAd('[A = 1]') == {0}", "ExprTree('A') == {0}", "ClassAd('[A = 1]').matches({0})",
        "ExprTree('A').eval({0})", "ClassAd('[a = 1]').pop({0}, 7)", "evaluate_many('A', [{0}])",
    )  # fmt: skip
    for form, value in product(forms, VALUES):
        yield form.format(value)


def of_ads() -> Iterator[str]:
    """Every method of ads, for some names and some other ads."""
    names = ("'A'", "'a'", "'B'", "'Rank'", "'requirements'", "'l'", "'n'", "'None'", "''")
    forms = (
        "{0}[{1}]", "{0}.get({1})", "{0}.get({1}, 7)", "{0}.eval({1}, context=context)",
        "{0}.lookup({1})", "{0}.pop({1})", "{0}.setdefault({1}, 8)", "{0}.raw({1})",
    )  # fmt: skip
    for form, one, name in product(forms, ADS, names):
        yield form.format(one, name)
    whole = (
        "list({0})", "len({0})", "{0}.printOld()", "{0}.printJson()", "repr({0})", "str({0})",
        "list({0}.items())", "{0}.duplicate() == {0}", "{0}.unchained()", "bool({0})", "dict({0})",
        "sorted({0}.names())", "{0}.popitem()", "{0}.extract(['a'])",
        "{0}.evaluate_all(['a', 'b', 'no'])",
    )  # fmt: skip
    for form, one in product(whole, ADS):
        yield form.format(one)
    pairs = (
        "{0}.matches({1})", "{0}.symmetricMatch({1})", "{0} == {1}", "{0}.update({1})",
        "match_many({0}, [{1}]).ranks.tolist()", "{0}.get_number('Rank', {1})",
        "{0}.get_bool('Requirements', {1})", "{0}.get_string('A', {1})",
        "{0}.evaluate_attr('x', {1})", "{0}.evaluate_attr('TARGET', {1}) is not None",
        "match_many({0}, [{1}, {0}], rank='A').best()",
        "match_many({0}, [{1}], rank=None).matches()",
    )  # fmt: skip
    for form, one, other in product(pairs, ADS, ADS):
        yield form.format(one, other)


def of_texts() -> Iterator[str]:
    """Every method of expressions."""
    forms = (
        "ExprTree({0}).eval(context=context)", "ExprTree({0}).eval({1}, context=context)",
        "ExprTree({0}).eval({1}, {2}, context=context)", "ExprTree({0}).simplify({1})",
        "ExprTree({0}).simplify({1}, {2})", "{1}.flatten(ExprTree({0}))",
        "{1}.externalRefs(ExprTree({0}))", "{1}.internalRefs(ExprTree({0}))", "repr(ExprTree({0}))",
        "list(ExprTree({0}).walk())", "ExprTree({0}).span", "len(ExprTree({0}).tokens())",
        "int(ExprTree({0}))", "float(ExprTree({0}))", "ExprTree({0}).sameAs(ExprTree('A'))",
        "str(ExprTree({0}).why({1}, {2}, context=context))",
        "compile({0})({1}, {2}, context=context)",
        "compile({0}).many([{1}, {2}], {1}, context=context)",
        "ExprTree({0}).or_(ExprTree('p ? q : r'))",
        "ExprTree({0}).is_(3)", "ExprTree({0}).isnt_('x')", "ExprTree({0})._get(1)",
        "[ExprTree({0}).eval({1}), lastError()][1]", "bool(Attribute('A').and_(ExprTree({0})))",
        "ExprTree({0}) == ExprTree({0})", "ExprTree({0}) == ExprTree('A')",
    )  # fmt: skip
    names = list(ADS)
    for turn, (form, text) in enumerate(product(forms, TEXTS)):
        yield form.format(repr(text), names[turn % 4], names[(turn // 4 + 1) % 4])


def of_builders() -> Iterator[str]:
    """Operators of Python on either side of every operator, so that parentheses are needed."""
    inner = (
        "a + b",
        "a * b",
        "a == b",
        "a && b",
        "a || b",
        "a ? b : c",
        "-a",
        "a.b",
        "a | b",
        "f(a)",
    )
    operators = [
        "+",
        "-",
        "*",
        "/",
        "%",
        "&",
        "|",
        "^",
        "<<",
        ">>",
        "<",
        "<=",
        ">",
        ">=",
        "==",
        "!=",
    ]
    for symbol, text in product(operators, inner):
        built = f"Literal(1).and_(ExprTree({text!r}))"
        yield f"Attribute('x') {symbol} ExprTree({text!r})"
        yield f"{built} {symbol} 2"
        yield f"2 {symbol} {built}"
    for method, text in product(("and_", "or_", "is_", "isnt_", "_get"), inner):
        yield f"ExprTree({text!r}).{method}(ExprTree('p + q'))"
        yield f"ExprTree('p + q').{method}(ExprTree({text!r}))"
    for value in ("'abc'", "[1, 2]", "3", "True", "None", "Value.Error"):
        yield f"bool(Literal({value}))"
        yield f"Literal({value})[1]"
        yield f"int(Literal({value}))"
        yield f"float(Literal({value}))"
    for value in ("'12'", "' 2.5 '", "'x'", "2.9", "-2.9"):
        yield f"int(Literal({value}))"
        yield f"float(Literal({value}))"


FILES: Final = (
    "a = 1\nb = 2\n\na = 3\n", "[a = 1][a = 2; b = a]", "[a = 1] trailing [b = 2]",
    "a = 1\nb = (\nc = 3\n", "{ [a = 1], [a = 2] }", '[{"a": 1}, {"a": 2}]',
    '{"a": 1}\n{"a": "x"}', "", "\n\n", "# c\na = 1",
    '<classads><c><a n="a"><i>1</i></a></c><c/></classads>', "[a = 1", "a 1\nb = 2\n\nc = 3",
    "// c\n[a = 1]", "a = 1\n \t\nb = 2\n\n\n\nc = 3", "[]\n[a = 4]",
)  # fmt: skip


def of_files() -> Iterator[str]:
    """Every reader of many ads, on texts, files and lines."""
    kinds = ("Auto", "Old", "New", "JSON", "XML")
    for turn, (kind, text) in enumerate(product(kinds, FILES)):
        errors = ("htcondor", "warn", "strict")[turn % 3]
        given = (
            f"{text!r}", f"io.StringIO({text!r})", f"io.BytesIO({text.encode()!r})",
            f"{text.splitlines()!r}", f"{text.splitlines(keepends=True)!r}",
        )[turn % 5]  # fmt: skip
        how = f"ParserType.{kind}, errors={errors!r}"
        yield f"list(parseAds({text!r}, ParserType.{kind}))"
        yield f"list(parseAds({given}, {how}))"
        yield f"parseOne({given}, {how})"
        yield f"parseNext({given}, {how})"
        how = f"ParserType.{kind}, errors='warn', diagnostics=said"
        yield f"told(lambda said: list(parseAds({text!r}, {how})))"
        yield f"steps({text!r}, ParserType.{kind})"
        yield f"steps({text.encode()!r}, ParserType.{kind})"


#: What stands for itself.
OTHERS: Final = (
    "compile(None)", "compile(job)", "compile(3)", "evaluate_many(None, [job])",
    "evaluate_many('A', [job, 1])", "evaluate_many('A', [job], 1)", "match_many(None, [])",
    "match_many(job, [1])", "match_many(job, [slot], rank=ExprTree('x')).ranks.tolist()",
    "match_many(slot, [job], rank='no').ranks.tolist()", "match_many(job, [slot], rank='x')[1][0]",
    "Table([job]).column(3)", "Table([job]).column('zz')", "Table([job]).column('Ran')",
    "Table([job]).column('a')[1]", "Table([1])", "Table([job]).select(None)",
    "Table([job]).match(None)", "Table([job]).match('A')", "Table([job]).rank(3)",
    "list(Table([job, slot]).match(slot))", "Table([slot, odd]).rank(job).tolist()",
    "MatchResult(bytearray([1, 0, 1]), [nan, 9.0, 2.0]).best()",
    "MatchResult(bytearray([1, 1, 1]), [2.0, 3.0, 3.0]).best()",
    "MatchResult(bytearray([1, 0]), [nan, 9.0]).best()",
    "MatchResult(bytearray([0]), [1.0]).best()",
    "MatchResult(bytearray([1, 0, 1]), []).matches()", "to_classad2(3)", "from_classad2(3)",
    "registerLibrary('x.so')", "register(3)", "version() != ''", "compat_version()",
    "parse('[a = 1] [b = 2]')", "parse('a = 1')", "parse('')", "parseOld('a = 1\\n\\nb = 2')",
    "list(parseOldAds('a = 1\\n\\nb = 2'))", "unquote('\"a\" + 1')", "unquote('{1}')",
    "unquote('3')",
    "list(parseAds('// c', ParserType.New))", "parseNext('/* c */ ')", "parseOne(' \\n// c\\n')",
    "deep_ad().eval('a0')", "ExprTree('a0').eval(deep_ad())", "ExprTree('a0').simplify(deep_ad())",
    "deep_ad().flatten(ExprTree('a0'))", "evaluate_many('a0', [deep_ad()])",
    "deep_ad().matches(job)",
    "job.matches(deep_ad())", "ExprTree('TARGET.a0').eval(job, deep_ad())",
    "deep_ad().get_bool('a0')",
    "deep_ad().externalRefs(ExprTree('a0'))",
    "match_many(deep_ad(), [slot], rank='a0')[1].tolist()",
    "called(lambda x: x + 1, 'f(1)')", "called(lambda x: x + 1, 'f(A) * 2')",
    "called(lambda *a: list(a), 'f(A, \"t\", {1}, undefined)')", "called(lambda: None, 'f()')",
    "called(lambda x, state: state['A'] + x, 'f(4)')", "called(lambda **k: sorted(k), 'f()')",
    "called(lambda x: object, 'f(1)')", "called(lambda x: ExprTree('A + 5'), 'f(1)')",
    "called(lambda x: x / 0, 'F(1)')", "called(lambda x: 2, 'size(\"abc\")')",
    "called(lambda state: len(state), '[Q = f()].Q')", "called(lambda x: x, 'f(f(A))')",
    "called(len, 'f(\"abc\")')", "called(lambda x: {'p': x}, 'f(3).p')",
    "zoned('formatTime(0, \"%c %Z\")', 'America/New_York')", "zoned('time() % 100', 'UTC')",
    "zoned('timezoneOffset()', 'America/New_York')",
    "zoned('formatTime(1720000000, \"%H:%M %Z\")', 'Europe/Berlin')",
    "zoned('A =?= undefined', 'UTC', strict=True)", "zoned('random(100)', 'UTC', seed=5)",
    "zoned('\"a\" == \"A\"', 'UTC', strict=True)", "inherited('A')", "inherited('B')",
    "inherited('C')",
    "[inherited('A'), job.eval('b')]",
)  # fmt: skip


def deep_ad() -> ClassAd:
    """An ad with an attribute that leads further than an evaluation goes."""
    links = [f"a{n} = a{n + 1} + 1" for n in range(500)]
    return ClassAd(f"[{'; '.join(links)}; a500 = 1; Requirements = a0 > 3]")


def called(function: Callable[..., Any], text: str) -> Any:
    """An expression in which ``f`` is a function."""
    with classad.functions(f=function):
        return ExprTree(text).eval(ClassAd(ADS["job"]))


def zoned(text: str, zone: str, **more: Any) -> Any:
    """An expression in a zone, at an instant."""
    with classad.evaluating(now=1_720_000_042, tz=ZoneInfo(zone), **more):
        return ExprTree(text).eval(ClassAd(ADS["job"]))


def inherited(name: str) -> list[Any]:
    """What an ad that inherits does with an attribute."""
    one, above = ClassAd("[B = A + 1; D = C]"), ClassAd("[A = 1; C = B; E = TARGET.D]")
    one.chain(above)
    other = ClassAd("[D = 7]")
    other.chain(one)
    return [
        name in one, one.get(name), one.eval(name), one.evaluate_attr(name, other), list(one),
        one.unchained(), one.pop(name, "none"), ExprTree(f"{name} + TARGET.D").eval(one, other),
        ExprTree(f"TARGET.{name}").eval(ClassAd(), one), other.evaluate_attr(name, one),
        other.evaluate_all(["a", "b", "c", "d", "e"]), other.get_number(name),
        one.duplicate() == one,
    ]  # fmt: skip


def told(ask: Callable[[list[Any]], Any]) -> list[Any]:
    """What something gives, and what it says of it."""
    said: list[Any] = []
    found = ask(said)
    return [found, *(each.render() for each in said)]


def steps(text: str | bytes, kind: ParserType) -> list[Any]:
    """The ads of a file one after the other, with the place that each leaves it at."""
    stream: Any = io.StringIO(text) if isinstance(text, str) else io.BytesIO(text)
    found: list[Any] = []
    for _ in range(6):
        one = classad.parseNext(stream, kind)
        found += [one, stream.tell()]
        if one is None:
            break
    return found


#: Functions that questions use.
HELP: Final = {each.__name__: each for each in (told, steps, called, zoned, inherited, deep_ad)}


def questions() -> Iterator[str]:
    """All of them."""
    for part in (of_values(), of_ads(), of_texts(), of_builders(), of_files(), OTHERS):
        yield from part


def answer(question: str) -> str:
    """What an expression gives."""
    try:
        ads = {name: ClassAd(text) for name, text in ADS.items()}
        value = eval(question, {**NAMES, **ads, **HELP})
    except (ClassAdException, TypeError, ValueError, LookupError, ArithmeticError) as problem:
        # The words of Python's own errors are not the same in all versions.
        place = list(traceback.walk_tb(problem.__traceback__))[-1][0].f_code.co_filename
        ours = Path(place).is_relative_to(Path(classad.__file__).parent)
        return f"{type(problem).__name__}" + (f": {problem}" if ours else "")
    return f"{type(value).__name__} {value!r}"


def lines() -> Iterator[str]:
    """The lines of the file."""
    expr._pending.clear()  # of evaluations before
    expr._text = ""
    for question in dict.fromkeys(questions()):
        with classad.evaluating(now=1_700_000_000, tz=UTC):
            shown = answer(question).encode("ascii", "backslashreplace").decode()
        yield f"{question} -> {shown}".replace("\n", "\\n")[:400]


if __name__ == "__main__":
    BOUND.write_text("\n".join(lines()) + "\n", encoding="utf-8")
