"""Calls of the Python interface and what HTCondor's ``classad2`` made of them, recorded.

``python -m tests.classad.api_asked`` asks the real module (of the ``htcondor`` wheel) and writes
``api_recorded.jsonl``, a call and its outcome a line; ``--compare`` only tells what is another
outcome here.  Calls are products of small tables, of which chance (of a fixed seed) takes some.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Final

import classad
from tests.classad.odd_texts import odd_texts
from tests.classad.test_api_live import outcome

RECORDED: Final = Path(__file__).with_name("api_recorded.jsonl")

_ADS: Final = (
    "", "[]", "[a=1]", "[Ab=1;bc=x+1;C='s';x=2]", '[s="t";l={1,x,[q=2]};n=[m=x;k=1];x=5]',
    "[u=undefined;e=error;b=true;r=2.5;i=-7]", "[Requirements=TARGET.x>1;x=2;Rank=x]",
    '[requirements="true"]', "[Requirements=x;x=1;y=MY.z]", "[f=strcat(a,\"b\");a=\"q\\\"\"]",
    '[t=absTime("2020-01-02T03:04:05+01:00");d=relTime(65)]', "['a b'=1;_z=a]",
)  # fmt: skip
_KEYS: Final = (
    "a",
    "A",
    "ab",
    "x",
    "X",
    "nosuch",
    "n",
    "l",
    "s",
    "e",
    "u",
    "Requirements",
    "a b",
    "",
)
_VALUES: Final = (
    "1", "-1", "True", "None", "2.5", "'t'", "'q\"\\\\n\\n'", "[1, 'x', [None]]",
    "{'k': 1, 'K2': [2]}", "E('x + 1')",
    "E('5')", "A('[z=1]')", "c.Value.Error", "c.Value.Undefined", "float('inf')", "(1, 2)",
    "b'xy'", "2**62", "''",
    "'\\u00e9'", "E('{1, x}')", "E('[w=x]')", "False", "{}", "[]", "0.0", "-0.0",
)  # fmt: skip
_EXPRESSIONS: Final = (
    "a", "x + 1", "MY.x", "TARGET.x", "MY.x + TARGET.x", "n.m", "l[1]", "l[2].q", "{x, nosuch}",
    "[p = x].p", "x > 1 && nosuch",
    "true || nosuch", "nosuch ?: 5", "x ? a : s", "size(l)", "strcat(s, x)", "1/0", "undefined",
    '"lit"', "2.50", "relTime(5)",
    'absTime("2020-01-02T03:04:05Z")', "isUndefined(nosuch)", "x =?= 5", "-x", "(x)", "other.y",
    "Ab + bc", "e", "u", "b && r > 2",
    "parent.x", "target.a.b", "f", "Rank", "nofun(x)", "!b", "x * 0 + r", "y", "t", "d", "'a b'",
    "3 + x + 4", "x + 3 + nosuch",
)  # fmt: skip
_FORMS: Final = (
    ("Old", "a=1\nB = x + 1\n\n# c\nd = \"s\"\n"), ("Old", "a=1\njunk\nb=2\n\nc=3\n"), ("Old",
    " a = {1,[x=2]}\n\n\n\nb = 2"),
    ("Old", "a\t= 1\nb \t = 2\n\tc = 3\n'd' = 4\n e f =5\n"), ("Old", "x=\"a\\nb\\\"\ny = 'q'\n"),
    ("Old", "a = 1\nA = 2\na = 3 junk\nb = (1\nc = 4"), ("Old",
    "a = TRUE\nb = Undefined\nc = 1.50"),
    ("Old", "a = 9223372036854775808\nb = 1e400\nc = -0.0\nd = 08\ne = 0x10\nf = 1K"),
    ("New", "[a=1;b=\"x;\"] [c={1,2}]"), ("New", "// c\n[a=1]\n/* d */ [b=2]"), ("New", "[a=1"),
    ("JSON", '{"a": 1, "b": [1.5, null, true], "c": "\\/Expr(x + 1)\\/",'
             ' "d": {"e": "f\\n"}}\n{"g": 2}'),
    ("XML", '<classads><c><a n="a"><i>1</i></a><a n="b"><s>x&lt;</s></a>'
            '<a n="c"><l><r>2.5</r><b v="t"/></l></a></c>'
            '<c><a n="d"><e>x + 1</e></a><a n="e"><un/></a></c></classads>'),
    ("Auto", "[a=1][b=2]"), ("Auto", "a=1\n\nb=2\n"), ("Auto", "\n\n a = 1"), ("Auto", ""),
    ("Auto", "  \n"),
)  # fmt: skip
_TEXTS: Final = (
    "", "a", 'a"b', "a\\b", "a\nb", "\t", "\x01", "\x7f", "\u00e9", "\\n", "'", "a'b", '"', "\\",
    "\\\\", '\\"', " a ", "\r\v\f\b\a",
)  # fmt: skip
#: Ads in ads, and what refers to them.
_NESTED: Final = (
    "[b=1;n=[j=b];m=n]",
    "[b=1;n=[j=c;c=b;k=[q=b;r=d]]]",
    "[b=c;c=1;n={[m=[j=b]],n2};n2=5]",
    "[b=1;n=[m=[k=parent.b];j=.b]]",
    "[b=1;n=b ? [m=5;j=b] : 1]",
    "[n=[m=[k=n]];b=b]",
)
_REFERRED: Final = (
    "n",
    "n.m",
    "n.j",
    "[z=n]",
    "{n}",
    "n.k.q",
    "n[0].m.j",
    "m.j",
    "(n).m.k",
    "b + n.nosuch",
    "size(n)",
)


def _some(rng: Random, rows: Iterator[str] | Sequence[str], part: float) -> Iterator[str]:
    return (row for row in rows if rng.random() < part)


def rows() -> Iterator[str]:
    """The calls, each an expression in which ``c`` is the module, ``A`` and ``E`` its classes."""
    rng = Random("calls of the interface")
    ads = [f"A({text!r})" for text in _ADS]
    yield from _some(rng, [
        f"{ad}{form.format(key=repr(key))}" for ad, key in product(ads, _KEYS)
        for form in ("[{key}]", ".eval({key})", ".lookup({key})", ".get({key}, 9)",
        ".pop({key}, 9)", ".setdefault({key}, 9)",
                     ".pop({key})", ".__contains__({key})", ".__delitem__({key})")
    ], 0.1)  # fmt: skip
    yield from _some(rng, [
        form.format(ad=ad, key=repr(key), value=value) for ad, key, value in product(ads,
        _KEYS[:-1], _VALUES)
        for form in ("put({ad}, {key}, {value})", "upd({ad}, {{{key}: {value}}})",
        "put({ad}, {key}, {value})[{key}]",
                     "put({ad}, {key}, {value}).printOld()",
                     "list(put({ad}, {key}, {value}).items())",
                     "put({ad}, {key}, {value}).printJson()", "A({{{key}: {value}}}) == {ad}")
    ], 0.008)  # fmt: skip
    yield from (f"A({{'v': {value}}})['v'], str(A({{'v': {value}}}))" for value in _VALUES)
    yield from (f"E({value})" for value in _VALUES)
    for ad in ads:
        yield from (
            f"{ad}.{call}" for call in ("printOld()", "printJson()", "formatOld()", "formatJson()")
        )
        yield from (
            f"{what}({ad})"
            for what in ("str", "repr", "list", "len", "bool", "copy.copy", "copy.deepcopy")
        )
        yield f"pickle.loads(pickle.dumps({ad}))"
        yield from (f"list({ad}.{call}())" for call in ("keys", "values", "items"))
        yield from _some(
            rng,
            [
                f"{ad}.{call}({other})"
                for other in ads
                for call in ("matches", "symmetricMatch", "__eq__", "__ne__")
            ],
            0.35,
        )
    yield from _some(rng, [
        form.format(ad=ad, e=repr(text), other=other) for ad, text, other in product(ads,
        _EXPRESSIONS, ads[::3])
        for form in ("E({e}).eval({ad}, {other})", "E({e}).simplify({ad}, {other})")
    ], 0.08)  # fmt: skip
    yield from _some(rng, [
        form.format(ad=ad, e=repr(text)) for ad, text in product(ads, _EXPRESSIONS)
        for form in ("E({e}).eval({ad})", "E({e}).simplify({ad})", "{ad}.flatten(E({e}))",
        "{ad}.externalRefs(E({e}))",
                     "{ad}.internalRefs(E({e}))")
    ], 0.2)  # fmt: skip
    for ad, text in product(_NESTED, _REFERRED):
        yield from (f"A({ad!r}).{call}(E({text!r}))" for call in ("externalRefs", "internalRefs"))
    for text in _EXPRESSIONS:
        yield from (f"{call}(E({text!r}))" for call in ("str", "repr", "copy.copy"))
        yield from (
            f"E({text!r}) == E({other!r})"
            for other in (text.upper(), f"({text})", "x", f" {text} ")
        )
    for (form, text), call in product(_FORMS, ("list(c.parseAds", "(c.parseOne", "(c.parseNext")):
        kinds = dict.fromkeys((form, "Auto"))
        yield from (f"{call}({text!r}, c.ParserType.{it}))" for it in kinds)
    for form, _, text in odd_texts():
        # Of empty elements in XML it never comes back (D-106).
        kind = {"long": "Old", "new": "New", "json": "JSON"}.get(form)
        if kind is not None and rng.random() < 0.4:
            yield f"list(c.parseAds({text!r}, c.ParserType.{kind}))"
    for text in _TEXTS:
        yield from (f"c.quote({text!r})", f"c.unquote(c.quote({text!r}))", f"c.unquote({text!r})",
        f"A({{'s': {text!r}}}).printOld()",
                    f"A({{'s': {text!r}}}).printJson()", f"str(A({{'s': {text!r}}}))",
                    f"A({{'s': {text!r}}})['s']",
                    f"put(A(), {text!r}, 1)", f"E({text!r})")  # fmt: skip


def told(row: str, module: ModuleType) -> list[str]:
    """The type and text of what a call gives, or the kind of exception."""
    kind, what = outcome(row, module)
    return ["raises", type(what).__name__] if kind == "raises" else [kind, what]


def agrees(row: str, real: list[str]) -> bool:
    """Whether a call has an outcome here, or raises what a handler for the other would take."""
    kind, what = outcome(row, classad)
    if kind != "raises" or real[0] != "raises":
        return [kind, what] == real
    return real[1] in {it.__name__ for it in type(what).__mro__} | {"SystemError"}


def recorded() -> list[tuple[str, list[str]]]:
    """Calls and their outcomes."""
    lines = RECORDED.read_text(encoding="utf-8").splitlines()
    return [tuple(json.loads(line)) for line in lines]  # type: ignore[misc]


def _ask(asked: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The real module's outcomes, without those of calls that crash it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.environ.update({"TZ": "UTC", "CONDOR_CONFIG": "ONLY_ENV"})
            importlib.import_module("htcondor2")
            real = importlib.import_module("classad2")
            with os.fdopen(writing, "w") as out:
                json.dump([told(row, real) for row in asked], out)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answers:
        text = answers.read()
    os.waitpid(child, 0)
    if text:
        yield from zip(asked, json.loads(text), strict=True)
    elif len(asked) == 1:
        print(f"crashes: {asked[0]}", file=sys.stderr)
    else:
        half = len(asked) // 2
        yield from _ask(asked[:half])
        yield from _ask(asked[half:])


def main() -> None:
    """Ask and write, or compare."""
    parser = argparse.ArgumentParser(prog="python -m tests.classad.api_asked", description=__doc__)
    parser.add_argument("--compare", action="store_true", help="write nothing")
    args = parser.parse_args()
    asked = list(dict.fromkeys(rows()))
    lines = []
    for start in range(0, len(asked), 100):
        for row, real in _ask(asked[start : start + 100]):
            if not agrees(row, real):
                print(f"{row}\n    real {real}\n    ours {told(row, classad)}")
                continue
            lines.append(json.dumps([row, real], ensure_ascii=True))
    print(len(lines), sum(map(len, lines)))
    if not args.compare:
        RECORDED.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
