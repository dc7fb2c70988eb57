"""What has no peer, kept as text: ``python -m tests.classad.kept_answers`` writes it anew.

Messages of the parser, what readers of odd text give and lose, explanations, what is left of
flattened expressions and what they refer to, how odd ads are written.  Each file below
``tests/classad/kept`` holds questions, a JSON document behind ``?``, and answers behind ``|``.
``--ask`` draws the questions anew; without it those of the file are answered.  Whoever writes a
file anew reads the difference.
"""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from classad import ClassAd, read_ads, refs
from classad.analysis.explain import explain
from classad.analysis.explanation import slips
from classad.analysis.flatten import flatten
from classad.analysis.mentions import references_of
from classad.analysis.references import external_references, internal_references
from classad.errors import ClassAdParseError, Diagnostic
from classad.evaluation.state import EvalContext
from classad.files.ads import format_ad
from classad.files.job_queue import queued_jobs
from classad.files.log import (
    DamagedLogError,
    LogRecord,
    compacted_lines,
    needs_compaction,
    parse_record,
    read_transaction_log,
)
from classad.formats.autoformat import Layout
from classad.formats.unparse import pretty, unparse, unparse_value
from classad.strategies.random_text import Inventor, seeded
from classad.syntax.parser import parse_expression
from tests.classad.explained import CLUSTER, JOB, SLOT

FOLDER: Final = Path(__file__).parent / "kept"
VECTORS: Final = Path(__file__).parents[1] / "vectors" / "classad"


class Topic(NamedTuple):
    """A file: what draws its questions, and what answers one with lines."""

    questions: Callable[[], Iterable[Any]]
    answer: Callable[[Any], Iterable[str]]


def _told(problem: Diagnostic) -> str:
    """A diagnostic in one line."""
    place = "" if problem.source is None else f" {problem.line}:{problem.column}"
    lost = f" (lost: {problem.lost})" if problem.lost else ""
    help = f" -- {problem.help}" if problem.help else ""
    length = problem.end - problem.start
    return f"{problem.severity}{place}+{length}: {problem.message}{lost}{help}"


# ---- messages of the parser


_PIECES: Final = (
    "a", "1", "(", ")", "{", "}", "[", "]", ",", ";", "=", "==", "+", "-", "!", "?", ":", "?:", ".",
    "&&", "and", "or", "not", "is", "'q'", '"s"', '"', "'", "true", "error", "1K", "2.5M", "3GB",
    "f(", "%", "<>", "**", "===", "!==", "=<", "=>", "&", "|", "@", "#", "\\", "$", "/*", "08",
    "0x", "1e", "1.", "\u00e9", "\u201c", "0", "00", "1a", "2_0", "=!", "=?", "a.", "[x=1]",
    "b = 2",
    "MY.a", "isnt", "0x1.8p1", "1..2", "\n", "<", ">>", "NOT", "Or", "undefined", "10 MB", "5T",
)  # fmt: skip


def _refused() -> Iterator[Any]:
    rng = Random("refused")
    for topic in ("lex", "syntax"):
        for line in (VECTORS / f"{topic}.jsonl").read_text("utf-8").split("\n"):
            case = json.loads(line) if line else {"value": None}
            if case["value"] == {"type": "parse_error", "value": None} and rng.random() < 0.3:
                yield [case["expr"], case.get("syntax") == "old"]
    for _ in range(520):
        yield [" ".join(rng.choice(_PIECES) for _ in range(rng.randrange(1, 6))), False]
    for _ in range(60):
        yield ["".join(rng.choice(_PIECES) for _ in range(rng.randrange(1, 5))), True]

    for length in (37, 39, 40, 41, 60):
        yield from ([f"1 {text}", False] for text in ("x" * length, f'"{"y" * (length - 2)}"'))


def _say_refused(question: Any) -> Iterator[str]:
    text, old = question
    try:
        node = parse_expression(text, old=old, whole=True)
    except ClassAdParseError as problem:
        yield _told(problem.diagnostic or Diagnostic(str(problem)))
    else:
        yield f"= {unparse(node, old)}"


# ---- readers of odd text


_BASES: Final = {
    "long": 'A = 1\n B =  "x y" \n\n# c\nC = A + 2\nD = {1, [e = 2]}\na = true\n\n\n'
    'F = 1.5e3\nG= "q\\"r"\n',
    "new": "[a = 1; b = \"x;]\\n\"; c = {1, [d = 2]}; 'e f' = a + 1; ]\n[g = 3.50; h = error]\n",
    "json": '[{"a": 1, "b": [1, {"c": true}], "d": "\\/Expr(a + 1)\\/"},\n'
    '{"e": -1.5e1, "f": "x\\u00e9\\n", "g": null, "h": {}}\n]\n',
    "xml": '<?xml version="1.0"?>\n<classads>\n<c>\n<a n="A"><i>1</i></a>\n'
    '<a n="B"><s>x &lt;y&gt;</s></a>\n<a n="C"><l><r>1.5</r><b v="t"/></l></a>\n'
    '<a n="D"><e>A + 1</e></a>\n</c>\n<c><a n="E"><un/></a><a n="F"><er/></a>'
    '<a n="G"><c><a n="x"><i>-7</i></a></c></a><a n="H"><rt>1+00:00:05</rt></a></c>\n</classads>\n',
}
_INSERTED: Final = {
    "long": ("=", "\n", "\n\n", '"', "#", " ", "1", "{", "A", "\t", "\0", "\r", "\\", "x = ",
    "//", "]", ";",
             "99999999999999999999", "\u00e9", "Y = 1 +\n", "z\n", "'", "b = 08\n", "v = 5 junk\n"),
    "new": (";", "]", "[", "}", '"', "'", "=", " ", "//", "/*", "*/", "{", ",", "\\", "\n", "[]",
    "1",
            "99999999999999999999", "\0", "\u00e9", "a = 2;", "(", "+", "# c\n", "x;", "=="),
    "json": (",", "{", "}", "[", "]", '"', ":", " ", "\\", "1", "null", "true", "tru", "\\u00",
    "\n", "{}", "-",
             ".", "e", "99999999999999999999", "//c\n", "/*", "\\/Expr(", '"k": 1,', "\0", "\t",
             "01", "NaN",
             '"\\/Expr(1 +)\\/"', '"i": 1e999,'),
    "xml": ("<", ">", "&", "&amp;", "&#65;", "&x;", '"', "/", "<c>", "</c>", '<a n="z">', "</a>",
    "<i>", "</i>", "x", " ",
            "<!-- c -->", "<l/>", "<q/>", "<b v='f'/>", "\n", "<s></s>", "<s/>",
            "99999999999999999999", "<r>x</r>",
            "<i>1x</i>", "<e>1 +</e>", "\0", "<at>2020-01-01T00:00:00+00:00</at>",
            "<![CDATA[x]]>", "<n>3</n>"),
}  # fmt: skip


def odd_texts() -> Iterator[Any]:
    """Forms, policies and texts: sound ones and what chance makes of them."""
    for form, base in _BASES.items():
        rng = Random(f"read {form}")
        yield [form, "warn", base]
        yield ["auto", "htcondor", base]
        for number in range(95):
            text = base
            for _ in range(rng.choice((1, 1, 1, 2))):
                at = rng.randrange(len(text) + 1)
                match rng.randrange(6):
                    case 0:
                        text = text[:at] + text[at + 1 :]
                    case 1:
                        text = text[:at] + text[at + rng.randrange(2, 12) :]
                    case 2:
                        text = text[:at] if rng.random() < 0.4 else text[at:]
                    case _:
                        text = text[:at] + rng.choice(_INSERTED[form]) + text[at:]
            policy = ("warn", "warn", "warn", "htcondor", "strict")[number % 5]
            yield [form if number % 7 else "auto", policy, text]


def _say_read(question: Any) -> Iterator[str]:
    form, policy, text = question
    problems: list[Diagnostic] = []
    try:
        for ad in read_ads(io.StringIO(text), form, diagnostics=problems, errors=policy):
            yield f"[{'; '.join(f'{name} = {unparse_value(ad.raw(name))}' for name in ad.names())}]"
    except ClassAdParseError as problem:
        yield f"raises {_told(problem.diagnostic or Diagnostic(str(problem)))}"
    yield from map(_told, problems)


# ---- explanations


def _invented(name: str, count: int, depths: tuple[int, ...]) -> Iterator[str]:
    """Random expressions of no great length."""
    below = seeded(Random(name))
    inventor = Inventor(below)
    while count:
        text = inventor.expression(inventor.pick(depths))
        if 12 < len(text) < 110 and not any(
            it in text.lower() for it in ("time(", "random(", "userhome", "usermap", "debug(")
        ):
            count -= 1
            yield text


_WORDS: Final = (
    "Memory", "RequestMemory", "Twice", "Deep", "Nested", "Nested.a", "Nested.b", "Nested.c.d",
    "List", "Loop", "Ping", "Empty",
    "Bad", "Text", "Asks", "Half", "No", "MY.Twice", "TARGET.Memory", "TARGET.Memroy",
    "MY.Nosuch", "nosuch", "Owner", "Cpus",
    "TARGET.Sees", "Name", "MY.Cmd", "TARGET.x.y", "1", "0", "2.5", '"text"', "true", "undefined",
    "error", "List[1]",
    "List[7]", 'Nested["a"]', "Long", "Oner", "TARGET", "MY", "{1, nosuch}", "[q = Half].q",
    ".Twice", "parent.x",
    "size(Text)", "strcat(Text, nosuch)", "int(Text)", "nofunction(1)", "substr(Text)",
    "ifThenElse(No, 1, Memroy)",
    "isUndefined(nosuch)", "Cpuss", "TARGET.Cpu", "RequestDisk / 0", "-Text", "!Half",
    "member(5, List)",
)  # fmt: skip
_JOINED: Final = (
    "+", "*", "/", "%", "&&", "||", "==", "<", ">=", "!=", "=?=", "=!=", "&", "<<", "is", "isnt",
)  # fmt: skip


#: What is evaluated more than once, or in ads of its own.
_TWICE: Final = (
    "countMatches(Half > 0, {self, self})", "countMatches(Memory > Half, {TARGET, MY, TARGET})",
    "evalInEachContext(Half + nosuch, {MY, MY})",
    "countMatches(TARGET.Memroy > 0, {self})", "evalInEachContext(d, {Nested.c, Nested.c})",
    "sum(evalInEachContext(a, {Nested, Nested}))",
    "anyCompare(\"<\", List, 2)", "member(nosuch, List)", "join(\",\", List)", "sum(List)",
    "split(Text)[0]", "List[nosuch]", "Nested.c.d.e",
    "evalInEachContext(evalInEachContext(a, {Nested}), {self})", "TARGET.Rank + TARGET.Rank",
    "Deep + Deep + Twice", "eval(\"Memroy\")",
    "unresolved(Twice)", "debug(Half)", "x ? y : z", "nosuch.a", "Text.a", "List.a", "(1).a",
    "Nested.nosuch", "MY.Nested.b", "TARGET.Name.x",
    "strcat(Owner, Cmd, Text)", "[a = Half; b = a + Memroy].b", "{Half, Memroy}[1]", "{Half}[0]",
    "ifThenElse(nosuch, 1, 2)", "-nosuch", "~Half",
    "Half << 2", "\"a\" < 1", "true + \"a\"", "undefined + error", "1 / 0 + nosuch", "5 % 0",
    "1.0 / 0", "List == List", "absTime(Text)",
    "quantize(Memory, nosuch)", "regexp(\"(\", Text)", "regexp(nosuch, Text)",
    "substr(Text, nosuch)", "int(\"x\")", "real(List)",
)  # fmt: skip


def _explained() -> Iterator[Any]:
    rng = Random("explained")
    for number in range(170):
        text = rng.choice(_WORDS)
        for _ in range(rng.choice((0, 1, 1, 2, 2, 3))):
            other = rng.choice(_WORDS)
            form = rng.randrange(9)
            if form < 5:
                text = f"{text} {rng.choice(_JOINED)} {other}"
            else:
                text = (
                    f"({text})",
                    f"!({text})",
                    f"{text} ? {other} : 1",
                    f"({text}) ?: ({other})",
                )[form - 5]
        yield [text, (number % 5 and 2) or number % 3, 4 if number % 4 else 1]
    for text in _TWICE:
        yield [text, 2, 4]


def _say_explained(question: Any) -> Iterator[str]:
    text, sides, depth = question
    job, slot = ClassAd(JOB), ClassAd(SLOT)
    job.chain(ClassAd(CLUSTER))
    found = explain(text, job if sides else None, slot if sides > 1 else None, depth=depth)
    yield from found.render(old=len(text) % 2 == 0).splitlines()
    yield f"slips: {[it.text for it in slips(found, found.first_cause())]}, ok: {found.ok}"
    yield f"missing: {[it.text for it in found.missing()]}"
    yield f"values: {[_short(it.value) for it in found.walk()]}"


def _short(value: Any) -> str:
    text = "none" if value is None else unparse_value(value)
    return text if len(text) < 24 else f"{text[:20]}..."


# ---- flattened, and what an expression refers to


_ADS: Final = (
    '[a = 1; b = a + x; c = "s"; d = x && true; e = [p = q + 1; q = 2; r = parent.a];'
    " l = {a, x, [z = a]}; t = true;"
    " f = false; u = undefined; er = error; cyc = cyc; cy2 = cy3 + 1; cy3 = cy2;"
    " A2 = MY.a + TARGET.m; g = .a; h = e.p]",
    "[]",
    "[x = y; y = TARGET.x; z = [a = b; b = x]; m = MY.x; n = {}; a = 5; t = a > 3]",
)
_ATOMS: Final = (
    "a", "b", "c", "d", "e", "e.p", "e.q", "e.r", "l", "l[0]", "l[2].z", "t", "f", "u", "er",
    "cyc", "cy2", "A2", "x", "y", "z",
    "MY.a", "MY.x", "TARGET.m", "TARGET.x", "other.k", ".a", ".x", "z.a", "z.nosuch", "g", "h",
    "m", "1", "2.5", '"s"', "true",
    "false", "undefined", "error", "{a, x}", "[k = x; j = k]", "[k = a].k", "strcat(c, x)",
    "size(l)", "time()", "f(x, a)",
    'eval("a")', "ifThenElse(t, x, y)", "parent.a", "self.b", "{}", "[]", "-1", "-x", "!t", "!x",
    "member(a, l)", "x.y.z",
    "unresolved(b)", "countMatches(z, l)", "(x)", "(a)", "random()", "TARGET.e.p", "MY.e.q",
    "root.a", "my.A", "X",
)  # fmt: skip
_ALL: Final = (
    "+", "+", "*", "*", "-", "/", "%", "&&", "&&", "||", "||", "==", "!=", "<", ">=", "=?=",
    "=!=", "&", "|", "^", "<<", ">>", ">>>",
    "is", "isnt",
)  # fmt: skip


_RARE: Final = (
    "undefined ? a : x", "u ? x : a", "er ? x : y", "(u) ? x : y", "t ? x : y", "f ? x : y",
    "1 ? x : y", '"s" ? x : y',
    "x ? u : er", "1 + x + 2", "1 + x + 2 * y", "x + 1 + y + 2", "2 * x * 3 * 0",
    "x && true && y", "x && false", "false && x",
    "true || x", "x || true || y", "x || false", "u && x", "x && u", "er && x", "x && er",
    "u || x", "er || x", "x == x", "1 - x - 2",
    "1 - 2 - x", "x - 1 - 2", "x & 3 & 5", "3 & x & 5", "3 | x | 4 | y", "1 ^ x ^ 1",
    "(1 + x) + 2", "1 + (x + 2)", "l[x]", "l[0] + x",
    "{1, a, x}[2]", "[p = a; q = p + x]", "[p = a; q = p].q", "[a = x].a", "strcat(c, \"t\")",
    "nofun(1)", "nofun(x)", "-(1 + x)", "!(t && x)",
    "u ?: x", "a ?: x", "x ?: a", "e.p + 1", "e.nosuch", "a.b", "u.b", "{1}.a", "MY.e.q * x",
    "TARGET.a + 1 + 2", "size({1, x})", "{} + x",
    "a + b + c", "(a)", "((x))", "x =?= u", "u =?= u", "a is 1", "split(c)", "split(c)[0]", "l",
    "{l, split(c)}", "f(l)", "parent.a + 1",
)  # fmt: skip


def _flattened() -> Iterator[Any]:
    rng = Random("flattened")
    for number in range(330):
        text = rng.choice(_ATOMS)
        for _ in range(rng.choice((0, 1, 2, 2, 3))):
            other, form = rng.choice(_ATOMS), rng.randrange(12)
            if form < 8:
                sign = rng.choice(_ALL)
                text = f"{text} {sign} {other}" if form < 5 else f"{other} {sign} ({text})"
            else:
                text = (
                    f"({text})",
                    f"{text} ? {other} : b",
                    f"({text}) ?: ({other})",
                    f"x ? ({text}) : {other}",
                )[form - 8]
        yield [text, number % 3 if number % 2 else 0]

    for text in _RARE:
        yield [text, 0]


def _say_flattened(question: Any) -> Iterator[str]:
    text, which = question
    ad, context = ClassAd(_ADS[which]), EvalContext(now=1000.0)
    for inline, free in ((False, False), (True, False), (False, True)):
        done = flatten(ad, text, inline=inline, context=context, free=free)
        left = unparse_value(done.value) if done.tree is None else unparse(done.tree)
        how = ("inline" if inline else "free" if free else "flat") + ("" if done.ok else " fails")
        yield f"{how} {'=' if done.tree is None else ':'} {left}"
    for full in (False, True):
        yield f"external {list(external_references(ad, text, full_names=full, context=context))}"
    yield f"internal {list(internal_references(ad, text, context=context))}"
    yield f"mentions {[sorted(names) for names in refs(text)]}"
    yield f"names {[sorted(names) for names in references_of(parse_expression(text))]}"


# ---- how odd ads are written


_VALUES: Final = (
    "1", "-1", "9223372036854775807", "-9223372036854775808", "0.0", "-0.0", "1.5", "1e300",
    "1e-7", "123456.789", "1e15", "1e16",
    "0.1", 'real("NaN")', 'real("INF")', 'real("-INF")', "true", "false", "undefined", "error",
    '""', '"a"', '"a\\"b"', '"a\\\\b"',
    '"a\\nb"', '"\\t"', '"<&>"', '"\\001"', '"\\377"', '"\u00e9"', '"a]]>b"', '"\\/Expr(a)\\/"',
    "{}", "{1}", '{1, "a", {x}}', "[]",
    "[a = 1]", "[a = b; c = {1}]", "a", "a + 1", "MY.a", "(a)", "-a", "a ? 1 : 2", "a ?: 2",
    "f()", 'strcat("a", b)', "a[1]", "a.b",
    "relTime(5)", 'relTime("1:00")', 'absTime("2020-01-02T03:04:05+01:00")', "absTime(5, 60)",
    "{relTime(1.5)}", "'a b' + 1", "!a",
    "a && b || c", "(a || b) && c", "a - (b - c)", "a =?= undefined", '"tab\\there"',
    '"quote\'s"', '"x\\\\"', "1 + 2.50",
)  # fmt: skip
_NAMES: Final = (
    "a",
    "B",
    "Cpus",
    "a b",
    "true",
    "1x",
    "\u00e9",
    "_x",
    "Long_Name",
    "A1",
    "is",
    "x.y",
    "b<&>",
    'q"',
    "it's",
)


def _written() -> Iterator[Any]:
    rng = Random("written")
    for number in range(90):
        names = [rng.choice(_NAMES) for _ in range(rng.randrange(4))]
        yield [
            [[name, rng.choice(_VALUES)] for name in names],
            ("", ",", "t", "l", "lV", "r", "h", "rg", "hV", ",lt", "n", "hr")[number % 12],
        ]
    for value in _VALUES:
        yield [[["v", value]], "hV"]


def _say_written(question: Any) -> Iterator[str]:
    pairs, modifiers = question
    ad = ClassAd()
    for name, text in pairs:
        ad.insert(name, parse_tree(text))
    for form in ("long", "new", "json", "jsonl", "xml"):
        try:
            yield f"{form} {format_ad(ad, form)}"
        except ValueError as problem:
            yield f"{form} raises {problem}"
    yield f"pretty {pretty(ad)}"
    layout = Layout(modifiers)
    titles = [name for name, _ in pairs]
    values = [
        [ad.raw(name) for name in titles],
        [None for _ in titles],
        ["wide" * 4 for _ in titles],
    ]
    for ahead in (True, False):
        rows = [[layout.cell(value) for value in row] for row in values]
        yield from (f"table {line}|" for line in layout.lines(titles, rows, ahead=ahead))


def parse_tree(text: str) -> Any:
    """What an ad keeps for a text in new syntax: a call in it is evaluated where it is a value."""
    from classad import ExprTree
    from classad.evaluate import evaluate

    if text.startswith(("real(", "absTime(5")):
        return evaluate(text)
    return ExprTree.from_node(parse_expression(text))


# ---- transaction logs


_LINES: Final = (
    "107 3 CreationTimestamp 1700000000", "101 1.0 Job Machine", "101 01.-1 Job (empty)",
    "101 2.10 * *",
    "101 2.2 Job", '103 1.0 Owner "ann"', "103 1.0 owner 5", "103 01.-1 Cmd \"c\"",
    "103 2.10 A 1 +",
    "103 2.10 A  2 + B ", "103 1.0 B 1000.000000", "103 nosuch A 1", "104 1.0 Owner",
    "104 1.0 OWNER",
    "104 1.0 nosuch", "102 1.0", "102 nosuch", "105 ", "106 ", "105", "106", "105 x", "106 y", "",
    "  106 ",
    "103 1.0", "103 1.0 A", "101 1.0", "101 1.0 a b c", "99 1", "junk", "103 1.0 MyType \"Other\"",
    "107 x CreationTimestamp 5y", "107 4", "\t103 1.0 T true", "103 01.-1 L {1, [a = b]}",
    "103 2.2 long_name -7", "103 2.2 Zz 1.50", "103 1.0 Q \"a\\\"b\"", "102", "104 1.0",
    "103 1.0 A 1\r",
)  # fmt: skip
_WORDS_OF_RECORDS: Final = (
    "1.0",
    "a b",
    "",
    " ",
    "A",
    "1 +",
    "1 + 2",
    "x\ny",
    '"s"',
    "\t",
    "{1}",
    "5",
    "\0",
)


_COURSES: Final = (
    # What a transaction did is not done again at the end of the next one.
    ("101 1.0 Job *", "105 ", "103 1.0 A 1", "106 ", "103 1.0 A 2", "105 ", "106 "),
    ("105 ", "101 1.0 Job *", "106 ", "102 1.0", "105 ", "103 1.0 A 2", "106 "),
    # Jobs are in the order of numbers, each with what its cluster has.
    (
        "101 010.-1 Job *",
        "103 010.-1 A 10",
        "101 10.0 Job *",
        "101 2.10 Job *",
        "101 2.2 Job *",
        "101 02.-1 Job *",
        "103 02.-1 A 2",
        "103 02.-1 B A + 1",
        "103 2.2 A 22",
        "101 0.0 * *",
    ),
    ("101 1.0 Job *", "101 1.0 Other *", "103 1.0 A 1", "101 1.0 Job *", "102 1.0", "101 1.0 * Q"),
    (
        "107 7 CreationTimestamp 5",
        "101 1.0 Job *",
        "103 1.0 Abc 1",
        "103 1.0 aBC 2",
        "104 1.0 ABC",
        "103 1.0 abc 3",
        "103 1.0 Zz  x  ",
        "103 1.0 b \t 5",
    ),
    ("105 ", "105 ", "101 1.0 Job *", "106 ", "106 ", "103 1.0 A 1", "105 ", "103 1.0 A 2"),
    ("101 1.0 Job *", "105 ", "103 1.0 A 1", "106 ", "junk", "103 1.0 A 2"),
    ("", "101 1.0 Job *"),
    ("", "105 ", "106 "),
    ("",),
    ("101 1.0 Job *", "junk", "105 ", "103 1.0 A 1", " 106 x"),
    ("101 1.0 Job", "103 1.0 A 1", "106 "),
    ("101 1.0 Job *", "103 1.0 \u00c9 1", "103 1.0 \u00e9 2", "103 1.0 MyType 5", "104 1.0 mytype"),
)


def _logs() -> Iterator[Any]:
    rng = Random("logs")
    for _ in range(150):
        lines = [rng.choice(_LINES) for _ in range(rng.randrange(9))]
        if rng.random() < 0.7:  # mostly sound: what is damaged ends the log
            lines = [it for it in lines if parse_record(it) is not None]
        if rng.random() < 0.6:
            lines = ["101 1.0 Job Machine", "101 01.-1 Job *", "103 01.-1 A 1", *lines]
        if rng.random() < 0.4:
            at = rng.randrange(len(lines) + 1)
            lines = [*lines[:at], "105 ", *lines[at:], *rng.choice(([], ["106 "], ["106"]))]
        end = "\r\n" if rng.random() < 0.05 else "\n"
        yield end.join(lines) + rng.choice((end, end, end, ""))
    yield from ("\n".join([*lines, ""]) for lines in _COURSES)
    for op in ("101", "102", "103", "104", "105", "106", "107", "99"):
        for _ in range(8):
            yield [op, [rng.choice(_WORDS_OF_RECORDS) for _ in range(rng.randrange(4))]]


def _say_log(question: Any) -> Iterator[str]:
    if isinstance(question, list):
        try:
            yield f"{LogRecord(question[0], tuple(question[1])).line()!r}"
        except ValueError as problem:
            yield f"raises {problem}"
        return
    try:
        log = read_transaction_log(question, "log")
    except DamagedLogError as problem:
        yield f"damaged: {_told(problem.diagnostic)}"
        return
    yield f"{log.table} {log.types}"
    header = f"sequence {log.sequence}, created {log.created}, sound {log.sound} of {len(question)}"
    yield f"{header}, {log.transactions} begin, compact: {needs_compaction(log, question)}"
    yield from map(_told, log.diagnostics)
    try:
        yield f"compacted: {''.join(compacted_lines(log))!r}"
    except ValueError as problem:
        yield f"compacted: raises {problem}"
    yield f"jobs: {[(key, str(ad.printOld())) for key, ad in queued_jobs(log)]}"


TOPICS: Final = {
    "logs": Topic(_logs, _say_log),
    "refused": Topic(_refused, _say_refused),
    "read": Topic(odd_texts, _say_read),
    "explained": Topic(_explained, _say_explained),
    "flattened": Topic(_flattened, _say_flattened),
    "written": Topic(_written, _say_written),
}


def path_of(topic: str) -> Path:
    """The file of a topic."""
    return FOLDER / f"{topic}.txt"


def section(topic: str, question: str) -> str:
    """A question, the text behind ``?``, with its answer."""
    lines = [f"? {question}"]
    for line in TOPICS[topic].answer(json.loads(question)):
        lines += [f"| {json.dumps(part)[1:-1]}".rstrip() for part in line.split("\n")]
    return "\n".join(lines) + "\n"


def kept(topic: str) -> Iterator[str]:
    """The questions of a file."""
    for line in path_of(topic).read_text(encoding="utf-8").splitlines():
        if line.startswith("? "):
            yield line[2:]


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.classad.kept_answers", description=__doc__
    )
    parser.add_argument("topics", nargs="*", default=list(TOPICS))
    parser.add_argument("--ask", action="store_true", help="draw the questions anew")
    args = parser.parse_args()
    for topic in args.topics:
        asked = list(kept(topic)) if not args.ask else map(json.dumps, TOPICS[topic].questions())
        text = "".join(section(topic, question) for question in dict.fromkeys(asked))
        path_of(topic).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
