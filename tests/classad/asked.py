"""What the real library is asked by ``tests.classad.recorder``, topic by topic.

Questions are products of small tables, and calls with arguments from ``Random`` of a fixed seed.
Of random calls those are kept that have kinds of arguments which not enough others have.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from random import Random
from typing import Final, NamedTuple

from tests.classad.builtin_cases import ADS, SCALARS, TEXTS, TIMES, call, functions

ZONES: Final = ("UTC", "America/Chicago", "Asia/Kolkata", "Europe/Dublin")
#: Instants whose years do not fit a C int, where HTCondor prints uninitialised memory (D-301).
_BEYOND: Final = ("9223372036854775807", "1e300", "1e10", "1e15", "-1e19", "INF", "NaN")


class Question(NamedTuple):
    """An expression, the ads it is evaluated in, the zone; ``printed``: its tree is asked, too."""

    expression: str
    my: dict[str, str] | None = None
    target: dict[str, str] | None = None
    zone: str = "UTC"
    printed: bool = False


def quoted(text: str) -> str:
    """A string literal of a text."""
    escaped = re.sub(r'["\\]', lambda found: "\\" + found.group(), text)
    return '"' + escaped.replace("\n", "\\n").replace("\t", "\\t") + '"'


def asked(expressions: Iterable[str], zone: str = "UTC") -> Iterator[Question]:
    """Questions without ads."""
    return (Question(expression, zone=zone) for expression in expressions)


# ---- every function, with anything


def _shape(expression: str) -> str:
    """What arguments a call has: their kinds and the length of what is written."""
    shape = re.sub(r'"(?:[^"\\]|\\.)*"', lambda it: f"s{min(len(it.group()) - 2, 4)}", expression)
    return re.sub(r"[0-9.e]+", "n", shape)


def _calls() -> Iterator[Question]:
    """Random calls of every function; at most so many of a shape."""
    rng = Random("calls")
    for number, function in enumerate(functions()):
        shapes: Counter[str] = Counter()
        kept = 0
        for _ in range(600):
            expression = call(rng, function)
            shape = _shape(expression)
            if shapes[shape] >= 2 or kept >= 38:
                continue
            if expression.startswith(("splitTime", "formatTime")) and any(
                it in expression for it in _BEYOND
            ):
                continue
            shapes[shape] += 1
            kept += 1
            zone = ZONES[number % 3] if function.family == "time" else "UTC"
            yield Question(expression, zone=zone)


# ---- numbers


_SPELT: Final = (
    "", " ", "0", "-0", "+7", " 12 ", "\t3", "\v4", "\f5", "\r6", "1.", ".5", ".", "-.5e1", "1e",
    "1e+", "2e3x",
    "1E2", "0x", "0x1", "0X1f", "0x.8", "0x1p4", "0x1p", "-0x1P-1", "0x1.8", "inf", "-INF",
    "infinity", "infinit",
    "nan", "-NaN", "nano", "1e400", "-1e400", "1e-400", "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808", "-9223372036854775809", "1e18", "9007199254740993", "12abc", "abc",
    "--1", "+-1",
    "true", "1,5", "1_0", "\u00e9", "0b1", "1d", "0x1g",
)  # fmt: skip
_REALS: Final = (
    "0.5", "-0.5", "1.5", "2.5", "-2.5", "0.49999999999999994", "1e-9", "1e-8", "1.1e-8", "-1e-8",
    "4.9e-324",
    "2.2250738585072014e-308", "1.7976931348623157e308", "9223372036854774784.0",
    "9223372036854775808.0",
    "-9223372036854775808.0", "-9223372036854777856.0", "2147483647.5", "2147483648.0",
    "-2147483648.5",
    "-2147483649.0", "4294967296.0", "-0.0", 'real("NaN")', 'real("INF")', 'real("-INF")',
)  # fmt: skip
_INTEGERS: Final = (
    "0", "1", "-1", "2", "3", "-7", "255", "256", "2147483647", "2147483648", "-2147483648",
    "-2147483649",
    "4294967295", "4294967296", "9007199254740993", "9223372036854775807",
    "(-9223372036854775807-1)",
)  # fmt: skip
_OTHERS: Final = (
    "true", "false", "undefined", "error", "{1}", "[a=1]", "absTime(5,60)", "absTime(-5,0)",
    "relTime(5)",
    "relTime(-1.5)", "relTime(4294967297.0)", "relTime(0.5)", "relTime(0)",
)  # fmt: skip
_OF_ONE: Final = (
    "int",
    "real",
    "bool",
    "floor",
    "ceil",
    "round",
    "string",
    "interval",
    "relTime",
    "size",
)


def _numbers() -> Iterator[Question]:
    for function in _OF_ONE:
        values = [*_REALS, *_INTEGERS, *_OTHERS]
        if function not in ("string", "size"):
            values += map(quoted, _SPELT)
        if function in ("string", "size", "bool"):
            values += [quoted(it) for it in ("TRUE", "False", "t", "\u00e9a", "yes", " true", "")]
        yield from asked(f"{function}({value})" for value in values)
    steps = ["0", "1", "3", "-3", "8", "0.25", "1e-8", "1.1e-8", "-0.5", "true", '"2"',
    "undefined", "{}",
             "{2,5,9}", "{9,5}", '{"3",1}', "{undefined,4}", "{error}", "{4,{1}}", "relTime(3)",
             "9223372036854775807", 'real("INF")', 'real("NaN")', "{0}", "{-1.5}",
             "{1,0.25}"]  # fmt: skip
    values = ["0", "1", "4", "-4", "9", "10", "2.5", "-2.5", "0.1", "-0.1", "true", '"7"', '"x"',
    "undefined",
              "error", "relTime(4)", "9223372036854775807", "1e300", "-0.0",
              'real("NaN")']  # fmt: skip
    yield from asked(f"quantize({a}, {b})" for a, b in product(values, steps))
    bases = ["0", "1", "-1", "2", "-2", "10", "0.0", "-0.0", "0.5", "-0.5", "-2.5", "1e200",
    "true", '"3"', "undefined",
             "error", 'real("INF")', 'real("-INF")', 'real("NaN")', "relTime(2)"]  # fmt: skip
    powers = ["0", "1", "-1", "2", "3", "-3", "62", "63", "64", "0.5", "-0.5", "3.0", "-3.0",
    "-2.0", "1e3", "true",
              '"2"', "undefined", "error", 'real("INF")', 'real("-INF")', 'real("NaN")', "1024.0",
              "1025.0"]  # fmt: skip
    yield from asked(f"pow({a}, {b})" for a, b in product(bases, powers))


# ---- lists


_LISTS: Final = (
    "{}", "{1}", "{undefined}", "{error}", "{1,undefined}", "{undefined,2.5}", "{true,false}",
    "{true,2}",
    "{2,true}", "{1,2.0}", "{2.0,1}", "{2,2.0}", "{1.0,true}", "{-0.0,0}", "{0,-0.0}",
    "{9007199254740993,1.0}",
    "{9007199254740992.0,9007199254740993}", "{9223372036854775807,1}", '{1,"2"}', '{"a","B"}',
    "{{1}}", "{[a=1]}",
    '{real("NaN"),1}', '{1,real("NaN")}', '{real("INF"),real("-INF")}', "{relTime(5),1}",
    "{absTime(5,0)}",
    "{3,1,2}", "{1,3,2}", "{1,error}", "{3,3,3}", "{false}", '{"a",undefined}', "{1+1,1/0}",
    "undefined", "error",
    '"a"', "1", "[a=1]",
)  # fmt: skip
_ITEMS: Final = (
    "1", "1.0", "true", '"a"', '"A"', "undefined", "error", "{1}", "[a=1]", "relTime(5)",
    "absTime(5,0)", "0",
    "-0.0", "2", "2.5", 'real("NaN")', "9007199254740993", "3",
)  # fmt: skip


def _lists() -> Iterator[Question]:
    for function in ("sum", "avg", "min", "max", "size", "join", "isList"):
        yield from asked(f"{function}({members})" for members in _LISTS)
    for function, item in product(("member", "identicalMember"), _ITEMS):
        yield from asked(
            f"{function}({item}, {members})"
            for members in _LISTS
            if hash_of(function, item, members) % 2
        )
    compared = [it for it in _LISTS if len(it) < 19]
    signs = ("<", "<=", "==", "!=", ">=", ">", "is", "isnt", "=?=", "=!=", "IS", "", "=")
    for function, sign in product(("anyCompare", "allCompare"), signs):
        few = compared if sign in ("<", ">=", "is") else compared[::3]
        for number, members in enumerate(few):
            item = _ITEMS[(number * 5 + len(sign)) % len(_ITEMS)]
            yield Question(f"{function}({quoted(sign)}, {members}, {item})")
    for sign in ("undefined", "error", "1"):
        yield from asked([f"anyCompare({sign}, {{1}}, 1)", f"allCompare({sign}, undefined, error)"])
    yield from _joined()
    for text, cuts in product(_CUT, (None, ",", " ", ",;", "::", "", "a", " ,", ";\t")):
        more = "" if cuts is None else f", {quoted(cuts)}"
        yield Question(f"split({quoted(text)}{more})")
    for cut in product("a ,;", repeat=6):
        text = "".join(cut).rstrip("a")
        if hash_of(text) % 50 == 0:
            yield from asked([f'split("{text}", ", ;")', f'split("{text}")'])
    for text, function in product(_CUT, ("splitUserName", "splitSlotName")):
        if "@" in text or len(text) < 3:
            yield Question(f"{function}({quoted(text)})")


_CUT: Final = (
    "", ",", "a", " a ", "a,b", "a, b", "a , b", "a,,b", ",a", "a,", ",,", "a;b,c", "a;;b",
    "a::b", "a: :b", "a b  c",
    "a\tb", "a\nb", " , ", ", ,", "aXa", "a,;b", "a,;,b", ";a;", "a;,;b", "u@d", "@", "u@", "@d",
    "u@d@e", "\u00e9,b",
)  # fmt: skip


def _joined() -> Iterator[Question]:
    items = ('""', '"a"', "1", "undefined", "error", "2.5", "{1}")
    for sep, one, two in product(('","', "undefined", "error", "1", '""'), items, items):
        yield Question(f"join({sep}, {one}, {two})")
        if sep in ('","', "undefined"):
            yield Question(f'join({sep}, {{{one}, {two}, "z"}})')
    for one in (*items, "[a=1]", "relTime(5)", "absTime(5,0)"):
        yield from asked(
            [f'join(";", {one})', f"join({one})", f"strcat({one})", f'strcat("x", {one}, "y")']
        )


# ---- string lists


_DELIMITERS: Final = (
    None,
    '","',
    '""',
    '" "',
    '";"',
    '", "',
    '",;"',
    '"ab"',
    '"\\t"',
    "undefined",
    "error",
    "1",
    '"\\\\"',
)
_STRING_LISTS: Final = (
    "", " ", ",", "a", "a,b", "a, b ,c", " a ; b", "A,b", "b;a", "a b", ",,a,,", "1", "1,2",
    "3, 1,2", "-3,-1", "1.5,2",
    "1,x", "x,1", "+2,3", "1e2,5", "0x10,1", "1-2", "9223372036854775807,1",
    "9223372036854775808", "1e39,4e38", "-1e39",
    "\u00e9,\u00c9", "a\\b", "1\t2", "0.1,0.2,0.3", "0.0", "-0.0", "nan,1", "1,nan", "inf", "--1",
)  # fmt: skip


def _string_lists() -> Iterator[Question]:
    totals = ("stringListSize", "stringListSum", "stringListAvg", "stringListMin", "stringListMax")
    for function, text in product(totals, _STRING_LISTS):
        for delimiters in (None, '";"', '""', '",;"', '" "'):
            more = "" if delimiters is None else f", {delimiters}"
            if delimiters is None or (
                len(text) > 3 and hash_of(function, text, delimiters) % 3 == 0
            ):
                yield Question(f"{function}({quoted(text)}{more})")
    for function, other, more in product(totals, ("undefined", "error", "1", "{1}"), ("", ', ","')):
        yield Question(f"{function}({other}{more})")
    for function, delimiters in product(totals, ("undefined", "error", "1")):
        yield Question(f'{function}("1,2", {delimiters})')
    pairs = ("stringListMember", "stringListIMember", "stringListSubsetMatch",
    "stringListISubsetMatch",
             "stringListsIntersect")  # fmt: skip
    lefts = ['""', '"a"', '"A"', '" a"', '"a,b"', '"b, a"', '"a;b"', '","', '" "', '"c"', '"a,c"',
    '"\u00c9"', "undefined",
             "error", "1", "{1}"]  # fmt: skip
    rights = [quoted(it) for it in _STRING_LISTS if not any(map(str.isdigit, it))]
    rights += ["undefined", "error", "1"]
    for function, left, right, delimiters in product(pairs, lefts, rights, _DELIMITERS):
        if hash_of(function, left, right, delimiters) % 24 == 0 or (
            delimiters is None and hash_of(function, left, right) % 3 == 0
        ):
            more = "" if delimiters is None else f", {delimiters}"
            yield Question(f"{function}({left}, {right}{more})")


def hash_of(*parts: object) -> int:
    """A number that depends on the parts alone."""
    return Random(repr(parts)).randrange(1 << 30)


# ---- regular expressions


_PATTERNS: Final = (
    "", "a", "A", "^a", "a$", "^$", "a*", "a+", "a?", "a|b", "(a)|(b)", "(a)(b)?", "(a(b))", "(",
    ")", "[", "[a-c]", "[^a]",
    "[[:alpha:]]", "[[:digit:]]+", "\\d", "\\D", "\\w+", "\\s", "\\S+", "\\b", "\\.", ".", "..",
    "a{2}", "a{,2}", "a{1,2}",
    "x*", "(?i)A", "(?:a)", "(?=a)", "(?<=a)b", "(a)\\1", "\\x61", "\\x{61}",
    "[\\x{61}-\\x{0063}]", "\\x{61}{2}", "\\x{}", "\\x{g}", "\\x{61", "\\x{ff}", "\\x{100}",
    "(*UTF)\\x{e9}", "(*UTF)[\\x{e9}]", "(*UTF)\\x{1F600}", "(*UTF)\\x{d800}",
    "(*UTF)\\x{110000}", "(*UTF)\\x{2b}", "\\x{2b}", "\\Q\\x{61}\\E", "\\u0061", "\\U", "\\C",
    "\\Qa.\\E", "\\Q.",
    "\\n", "^b", "b$", "a b", "a #c", "*", "+", "a**", "(?<n>a)", "\\G", "(*UTF)a", "\\x", "\\xg",
    "\\101", "[\\d]", "\\Ab",
    "b\\z", "(b)|(a)", "(z)?a", "(z)?(a)", "\\h", "\\R", "(?#c)a", "a.c", "\u00e9", "[\u00e9]",
)  # fmt: skip
_SUBJECTS: Final = (
    "", "a", "A", "ab", "ba", "aab", "abc", "banana", "a b", "a.b", "a\nb", "b\na", "1", "a1",
    "a{,2}", "\u00e9", "aa",
    "\n", "a\n", "z",
)  # fmt: skip
_REPLACEMENTS: Final = (
    "",
    "X",
    "\\0",
    "\\1",
    "[\\1\\2]",
    "\\\\1",
    "\\",
    "\\x",
    "\\9",
    "$1",
    "\\00",
    "-\\2",
    "\u00e9",
)
_OPTIONS: Final = (
    "",
    "i",
    "m",
    "s",
    "x",
    "g",
    "f",
    "fg",
    "gi",
    "I",
    "F",
    "imsx",
    "q",
    "gm",
    "fgm",
    "fs",
)


#: What matches nothing first, or nothing at all here and there.
_MAYBE_EMPTY: Final = (
    "|a",
    "a??",
    "(|b)a",
    "b*?",
    "()|ab",
    "a*?b|",
    "^|a",
    "$|a",
    "(?=a)",
    "(?=a)|a",
    "a*",
    "(a)*",
    "x*(b|)",
    "\\b|a",
)


def _regex() -> Iterator[Question]:
    for pattern, subject in product(_PATTERNS, _SUBJECTS):
        if hash_of(pattern, subject) % 3 == 0:
            options = _OPTIONS[hash_of(subject, pattern) % len(_OPTIONS)]
            more = f", {quoted(options)}" if options else ""
            yield Question(f"regexp({quoted(pattern)}, {quoted(subject)}{more})")
    for pattern, subject, function in product(
        _PATTERNS, _SUBJECTS, ("regexps", "replace", "replaceAll")
    ):
        chance = hash_of(pattern, subject, function)
        if chance % 5 == 0:
            replacement = _REPLACEMENTS[chance // 5 % len(_REPLACEMENTS)]
            options = _OPTIONS[chance // 100 % len(_OPTIONS)]
            more = f", {quoted(options)}" if options else ""
            yield Question(
                f"{function}({quoted(pattern)}, {quoted(subject)}, {quoted(replacement)}{more})"
            )
    for pattern, subject in product(
        _MAYBE_EMPTY, ("aab", "ba", "aXa", "xaab\na", "b", "", "bbb", "\u00e9a")
    ):
        for form in (
            'replaceAll({}, {}, "<\\\\0>")',
            'regexps({}, {}, "[\\\\1]", "g")',
            'replaceAll({}, {}, "-", "m")',
        ):
            yield Question(form.format(quoted(pattern), quoted(subject)))
    others = ('"a"', "undefined", "error", "1", '"("', "{1}")
    for one, two, three in product(others, repeat=3):
        if hash_of(one, two, three) % 3 == 0:
            yield from asked([f"regexps({one}, {two}, {three})", f"regexp({one}, {two}, {three})"])
            yield from asked([f'replace({one}, "a", {two}, {three})'])
    members = ("{}", '{"b","a"}', '{"b",undefined,"a"}', '{undefined}', '{1,"a"}', '{"a",1}',
    '{error}', "undefined",
               "error", "1", '{"b"}', '"a"', '{undefined,1}', '{"A"}')  # fmt: skip
    for pattern, value, more in product(
        others, members, ("", ', "i"', ", undefined", ", 1", ", error")
    ):
        if not more or hash_of(pattern, value, more) % 3 == 0:
            yield Question(f"regexpMember({pattern}, {value}{more})")
    texts = ('""', '"a,b"', '"b;a"', '" A "', '"b"', "undefined", "error", "1", '"a"')
    ends = (
        "",
        ', ";"',
        ', ",", "i"',
        ', ",", "I"',
        ', "", "i"',
        ", undefined",
        ', ",", 1',
        ", 1",
        ', ",", "g"',
    )
    for pattern, text, more in product((*others, '"^b$"'), texts, ends):
        if hash_of(pattern, text, more) % 2 == 0:
            yield Question(f"stringList_regexpMember({pattern}, {text}{more})")


# ---- versions, environments, words


def _made(rng: Random, letters: str, longest: int) -> str:
    return "".join(rng.choice(letters) for _ in range(rng.randrange(longest)))


def _words() -> Iterator[Question]:
    rng = Random("words")
    versions = ("versioncmp", "versionLT", "versionLE", "versionGT", "versionGE", "versionEQ")
    for number in range(420):
        left = _made(rng, "0011297.a-", 7)
        right = left[: rng.randrange(8)] + _made(rng, "0011297.a\u00e9", 4)
        yield Question(f"{versions[number % 6]}({quoted(left)}, {quoted(right)})")
        if number % 3 == 0:
            middle = left[: rng.randrange(8)] + _made(rng, "01.a", 3)
            yield Question(f"version_in_range({quoted(middle)}, {quoted(left)}, {quoted(right)})")
    others = ("undefined", "error", "1", "1.5", "true", "{1}", "[a=1]", '"1"', "relTime(5)")
    for one, two in product(others, repeat=2):
        yield from asked(
            f"{it}({one}, {two})" for it in ("versioncmp", "strcmp", "versionLE", "stricmp")
        )
        yield Question(f'version_in_range({one}, {two}, "3")')
        yield Question(f'version_in_range("1", {one}, {two})')
    for _ in range(160):
        word, merged = _made(rng, "ab \t\n\r\v'''", 9), _made(rng, "AB== \t''$", 9)
        old = _made(rng, ";|AB==  \t$('", 10)
        items = ",".join(quoted(_made(rng, "ab \t\n\r\v'\"", 4)) for _ in range(rng.randrange(4)))
        yield Question(f"argsToList({quoted(word)})")
        yield Question(f'mergeEnvironment({quoted(merged)}, "B=2 A=1")')
        yield Question(f"envV1ToV2({quoted(old)})")
        yield Question(f"listToArgs({{{items}}}{rng.choice(['', ', 1', ', 2'])})")
    yield from _environments()
    yield from _parts()


def _environments() -> Iterator[Question]:
    """Words and environments in both syntaxes."""
    for more in (
        "",
        ", 0",
        ", 1",
        ", 2",
        ", 3",
        ", -1",
        ", 4294967297",
        ', "1"',
        ", 1.0",
        ", undefined",
        ", true",
    ):
        yield from asked(
            f"argsToList({it}{more})" for it in ("\"a 'b c'  d\"", "undefined", "error", "1", '""')
        )
        yield from asked(
            f"listToArgs({it}{more})"
            for it in ('{"a","b\'c"}', '{"","a",""}', "{1}", "undefined", "{}")
        )
    for first in "\n!#$%&*+,-/:;<>?@^`|~\"'()=[\\]_{}.":
        yield Question(f"envV1ToV2({quoted(first + 'B=2' + first + 'A=1;C=3')})")
    yield from asked(f"{function}({it})" for function in ("envV1ToV2", "mergeEnvironment") for it in
                     ("undefined", "error", "1", '""', '"A"', '"=1"', '"$$(X)"', '"A="',
                     '"A=1=2"', '"A=1 A=2"'))  # fmt: skip


def _parts() -> Iterator[Question]:
    """Parts of strings that need not be ASCII."""
    texts = ("", "a", "abcdef", "\u00e9a", "a\u00e9", "\u20ac")
    places = (
        "0",
        "1",
        "2",
        "3",
        "5",
        "6",
        "7",
        "-1",
        "-2",
        "-6",
        "-7",
        "4294967297",
        "-4294967295",
        "2147483648",
    )
    for text, place in product(texts, places):
        yield Question(f"substr({quoted(text)}, {place})")
        yield from asked(f"substr({quoted(text)}, {place}, {it})" for it in places
                         if hash_of(text, place, it) % 3 == 0)  # fmt: skip
    for one, two, three in product(('"abc"', "undefined", "error", "1"), ("1", "undefined",
    "error", "1.0", "true"),
                                   ("1", "undefined", "error", '"1"', "true")):  # fmt: skip
        yield Question(f"substr({one}, {two}, {three})")
    for function, text in product(
        ("toUpper", "toLower", "size"), (*texts, "Z\u00dcrich", "zAZ[`{@\u00e0")
    ):
        yield Question(f"{function}({quoted(text)})")


# ---- times


_MOMENTS: Final = (
    "0", "1583652600", "1583656200", "1604210400", "1604214000", "-1", "-62135596800",
    "951782400", "1709164800",
    "1735603200", "1735689600", "1293840000", "1230768000", "1262304000", "4102444800",
    "253402300800", "-2208988800",
    "1467288000", "1480464000", "86399", "43200", "46800", "-3600", "1104537600", "1136073600",
    "-100000000000",
)  # fmt: skip


def _times() -> Iterator[Question]:
    letters = "aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%EOqQfiJKLNov1 "
    for number, letter in enumerate(letters):
        for place, moment in enumerate(_MOMENTS):
            zone = ZONES[(number + place) % len(ZONES)]
            if letter in "gGUVWjuwyCsZIlpcdekr" or hash_of(letter, moment) % 4 == 0:
                yield Question(f'formatTime({moment}, "%{letter}")', zone=zone)
        for flags in (
            "-",
            "_",
            "0",
            "^",
            "#",
            "5",
            "05",
            "_5",
            "-5",
            "#9",
            "^9",
            "E",
            "O",
            "^_12",
            "12",
            "E7",
            "O08",
            "#^",
        ):
            moment = _MOMENTS[hash_of(letter, flags) % len(_MOMENTS)]
            yield Question(f'formatTime({moment}, "%{flags}{letter}")')
    yield from asked(f'formatTime(0, "{it}")' for it in (
        "", "%", "a%", "%%", "%5", "%-", "x%Yy%mz", "%1022d", "%1020dab%d", "%c%c",
        "\u00e9%Y", "%^\u00e9", "%511s%511s", "%510F%512d", "%1022n%d", "%^c", "%#c", "%^5D",
        "%#Z", "%^Z", "%#p",
        "%^p", "%#P", "%^P", "%^r", "%_c", "%0r", "%EC%Ey%Ex", "%Od%Oe",
    ))  # fmt: skip
    yield from _fields()
    yield from _literals()


def _fields() -> Iterator[Question]:
    """Fields that need not be a date."""
    names = ("Year", "Month", "Day", "Hours", "Minutes", "Seconds")
    for fields in ((2020, 2, 29, 23, 59, 58), (2019, 12, 30, 0, 0, 0), (1900, 3, 1, 12, 0, 0),
    (2000, 3, 1, 13, 5, 6),
                   (0, 1, 1, 0, 0, 0), (-1, 12, 31, 24, 60, 61), (2021, 13, 32, 25, -1, 99),
                   (2021, 0, 0, -5, 0, 0),
                   (2100, 2, 29, 1, 1, 1), (-400, 3, 1, 1, 1, 1), (-99, 3, 1, 0, 0, 0), (-4, 3, 0,
                   0, 0, 0), (10000, 1, 1, 0, 0, 0),
                   (1, 1, 1, 0, 0, 0), (99, 5, 5, 5, 5, 5), (2400, 6, 7, 8, 9, 10)):  # fmt: skip
        ad = "; ".join(f"{name} = {value}" for name, value in zip(names, fields, strict=True))
        for format in (
            "%F %T",
            "%a %j %U %W %V %G %u %w",
            "%C %y %g %Y",
            "%b %h %B %e %I %p %l",
            "%s %c %D",
        ):
            yield Question(f"formatTime([{ad}], {quoted(format)})")
        yield Question(f'formatTime([{ad}], "%s %Z")', zone=ZONES[fields[2] % 3])
    yield from asked(f'formatTime({it}, "%F %T %j")' for it in (
        "[]", "[Year=2020]", "[Month=5]", "[Day=3]", "[year=2020.0]", '[Year="2020"]',
        "[Month=true]", "[Year=4294967297]",
        "[Year=1+2019; Month=Year-2018]", "relTime(5)", "true", "undefined", "error", '"0"',
        "{0}", "1.9", "-1.9", "1e10",
    ))  # fmt: skip
    yield from asked(f"formatTime(0, {it})" for it in ("undefined", "error", "1", "{}"))


def _literals() -> Iterator[Question]:
    """Texts of times, fields of times, spans."""
    stamps = ("2020", "2020-02-29", "20200229T123456", "2020-01-02T03:04:05Z",
    "2020-01-02T03:04:05z", "2020-01-02T03:04:05+01:30",
              "2020-01-02T03:04:05-0800", "2020-1-2", "2020-01-02 03:04", "2020-13-45T25:61:61",
              "x2020", "202", "",
              "2020-03-08T02:30:00", "2020-11-01T01:30:00", "2020-01-02T03:04:05+1",
              "2020-01-02T03:04:05+01:3",
              "1969-12-31T23:59:59Z", "1969-12-31T23:59:58Z", "2020-01-02T03:04:05 ",
              "2020-01-02T03:04:05Z ", "2020+01:00",
              "2020-01-02T03:04:05.5", "2020-01-02T03:04:056", "0000-00-00",
              "9999-12-31T23:59:59", "2020/07/04", "2020-07-04T",
              "2020-01-02T03:04:05+01:00Z", "2020-01-02T03:04+-1:00", "\u00e92020", "2020-12",
              "2020-01-02T03:04:05+99:99")  # fmt: skip
    for zone, text in product(ZONES[:3], stamps):
        literal = f"absTime({quoted(text)})"
        yield from asked([literal], zone)
        if hash_of(zone, text) % 2 == 0:
            yield from asked(
                [f"splitTime({literal})", f"getHours({literal})", f"int({literal})"], zone
            )
    yield from _spans()


def _spans() -> Iterator[Question]:
    """Texts and fields of spans, times made of two arguments."""
    spans = ("5", "1:02", "1:02:03", "4+01:02:03", "-1+00:00:00", "-5", "1.5", ".5", "1:02.25",
    "3d", "2h", "5m", "7s", "1d2h3m4s",
             "-1d", "", "-", "x", "1:", ":1", "1:2:3:4", " 5 ", "5 s", "1 d 2 h", "99999999999",
             "2147483648", "35791395:00",
             "1d 1:00", "3h5", "1s2", "d", "+5", "1+", "1D2H", "-0", "0.", "1..5",
             "24855+03:14:08", "-.5s", "5S", "\t5\n")  # fmt: skip
    for text in spans:
        yield from asked([f"relTime({quoted(text)})", f"string(relTime({quoted(text)}))"])
    secs = ("0", "1", "-1", "59", "60", "61", "3599", "3600", "3661", "86399", "86400", "90061",
    "-60", "-3600", "-86400", "-90061",
            "2147483647", "-2147483648", "2147483648", "1.5", "-1.5", "0.25", "59.999", "-60.5",
            "3600.125", "86400.5",
            "-0.25", "1e10", "-1e10", 'real("NaN")', 'real("INF")', "true",
            "1234567.123456")  # fmt: skip
    fields = (
        "getDays",
        "getHours",
        "getMinutes",
        "getSeconds",
        "splitTime",
        "string",
        "int",
        "interval",
    )
    for value, function in product(secs, fields):
        yield Question(f"{function}(relTime({value}))")
    yield from asked(f'strcat("", {{relTime({value})}})' for value in secs)
    getters = ("getYear", "getMonth", "getDayOfYear", "getDayOfMonth", "getDayOfWeek", "getHours",
    "getMinutes",
               "getSeconds", "splitTime", "string")  # fmt: skip
    for number, (function, moment) in enumerate(product(getters, _MOMENTS)):
        if hash_of(function, moment) % 2 == 0:
            offset = ("0", "3600", "-19800", "86399")[number % 4]
            yield Question(f"{function}(absTime({moment}, {offset}))", zone=ZONES[number % 3])
    others = ("0", "5", "-1", "1.5", "relTime(5)", "relTime(-1)", "undefined", "error", "true",
    '"2020"', "absTime(7,60)", "{}",
              "-1.0", "4294967295", "1e10")  # fmt: skip
    for one, two in product(others, others):
        if hash_of(one, two) % 2 == 0:
            yield Question(f"string(absTime({one}, {two}))", zone=ZONES[hash_of(two) % 3])
    for one in others:
        yield from asked([f"absTime({one})", f"relTime({one})", f"splitTime({one})",
        f"getYear({one})",
                          f"getDays({one})"], ZONES[len(one) % 3])  # fmt: skip


# ---- syntax


_TOKENS: Final = (
    "a", "B", "1", "2.5", '"s"', "'q'", "true", "FALSE", "undefined", "Error", "(", ")", "{", "}",
    "[", "]", ",", ";", "=", ".",
    "+", "-", "*", "/", "%", "&&", "||", "!", "~", "==", "!=", "<", "<=", ">", ">=", "=?=", "=!=",
    "is", "isnt", "?", ":", "?:",
    "&", "|", "^", "<<", ">>", ">>>", "MY.", "TARGET.", "parent", "f(", "size(", "a.b", "[a]",
    "[0]", "0x1F", "017", "1K",
    "2.5M", "1e3", "1.", ".5", '"', "'", "/*c*/", "//c\n", "\\", "@", "#", "$", "\u00e9", "1e",
    "08", "0x", "-2147483648",
    "9223372036854775808", "1e400", "a1", "_x", "target.", "absTime(", "strcat(", "==?", "=<",
    "<>", "&&&", "..",
)  # fmt: skip
_PIECES: Final = (
    "a", "1", "-1", '"s"', "a.b", "MY.a", "TARGET.b", ".a", "f(1, a)", "{1, a}", "[x = 1; y = x]",
    "(a)", "a[0]", "!a",
    "a ? 1 : b", "a ?: b", "true", "undefined", "2.50", "'q r'", "-a", "~1", "+1", "[]", "{}",
    'l["k"]', "((a))", "0x10", "10K",
    '"\\\\\\"\\n"', "a.b.c", "[x=1].x", "{1}[0]", "strcat()", "parent.a", "'true'", "'a'", "1e3",
    '"\u00e9"',
)  # fmt: skip
_SIGNS: Final = (
    "+", "-", "*", "/", "%", "&&", "||", "==", "!=", "<", "<=", ">", ">=", "=?=", "=!=", "is",
    "isnt", "&", "|", "^", "<<", ">>",
    ">>>",
)  # fmt: skip
_AROUND: Final = {"a": "5", "b": "true", "B2": "a + 1", "l": "{1, 2}", "q": '"s"'}


def _syntax() -> Iterator[Question]:
    rng = Random("syntax")

    def question(expression: str) -> Question:
        # The binding puts the text into an ad (D-103): what could end that, or a conditional, is
        # another question there.
        outside = re.sub(r"\[[^\[\]]*\]", "", expression)
        own = "true" if re.search(r"[];]", outside) or "?" in outside else expression
        return Question(own, my=_AROUND, target={"b": "7"}, printed=True)

    for _ in range(1000):
        yield question(" ".join(rng.choice(_TOKENS) for _ in range(rng.randrange(1, 6))))
    for left, right in product(_SIGNS, _SIGNS):
        one, two, three = (rng.choice(_PIECES) for _ in range(3))
        yield question(f"{one} {left} {two} {right} {three}")
        if rng.random() < 0.3:
            yield question(f"{one} {left} ({two} {right} {three})")
    for _ in range(500):
        text = rng.choice(_PIECES)
        for _ in range(rng.randrange(1, 4)):
            sign, other = rng.choice(_SIGNS), rng.choice(_PIECES)
            text = rng.choice([
                f"{text} {sign} {other}", f"{other} {sign} {text}", f"({text})", f"-{text}",
                f"!{text}", f"{text} ? {other} : 1",
                f"1 ? {text} : {other}", f"{{{text}, {other}}}", f"[m = {text}]", f"f({text})",
                f"({text})[{other}]", f"({text}).c",
                f"{text} ?: {other}", f"~{text}", f"({text}) {sign} ({other})", f"a{sign}{other}",
                f"{text}{sign}-1",
            ])  # fmt: skip
        yield question(text)
        if rng.random() < 0.7:
            cut = rng.randrange(len(text) + 1)
            yield question(
                text[:cut] + rng.choice(["", *_TOKENS[10:40]]) + text[cut + rng.randrange(2) :]
            )


# ---- operators between everything


def _operators() -> Iterator[Question]:
    letters = [
        '"\u00e9"',
        '"\u00c9"',
        '"\u00c9a"',
        '"\u00c9A"',
        '"z"',
        '"Z"',
        '"_"',
        '"["',
        '"\u0130"',
        '"\u00df"',
        '"SS"',
    ]
    for sign, one, two in product(("==", "<", "=?=", ">=", "!="), letters, letters):
        if hash_of(sign, one, two) % 3 == 0:
            yield Question(f"{one} {sign} {two}")
    for function, one in product(("member", "identicalMember", "stricmp", "strcmp"), letters):
        others = "{" + ", ".join(letters[hash_of(one) % 6 :][:3]) + "}"
        yield Question(f"{function}({one}, {others if 'ember' in function else letters[1]})")
    values = [*SCALARS, *TEXTS[:8], *TIMES, *ADS[:2], "{1}", "{}", *_REALS[:12]]
    for sign, one, two in product(_SIGNS, values, values):
        if hash_of(sign, one, two) % 110 == 0:
            yield Question(f"{one} {sign} {two}")
    for one, two, three in product(values, repeat=3):
        chance = hash_of(one, two, three)
        if chance % 900 == 0:
            yield Question(f"{one} ? {two} : {three}")
        elif chance % 900 == 1:
            signs = [_SIGNS[chance // 900 % len(_SIGNS)], _SIGNS[chance // 20000 % len(_SIGNS)]]
            yield Question(f"{one} {signs[0]} {two} {signs[1]} {three}")
    for one, two in product(values, repeat=2):
        if hash_of(one, two) % 8 == 0:
            yield Question(f"{one} ?: {two}")
        if hash_of(two, one) % 8 == 0:
            yield Question(f"ifThenElse({one}, {two}, 3)")
    for sign, one in product(("-", "+", "!", "~", "- -", "!!", "~-"), values):
        yield Question(f"{sign}({one})")


# ---- names in ads that are nested, on both sides of a match


_MINE: Final = (
    {"a": "1", "n": "[k = a; m = [k = parent.k; j = b + k; s = self.k]; b = 7]",
    "l": "{[q = a], [q = y], 3}"},
    {"b": "TARGET.y + 1", "n": "[a = b; m = [r = root.a; t = TARGET.y; o = .a]]", "a": "2",
    "l": "{a, n, x}"},
    {"A": "n.k", "n": "[k = N.m.z; m = [z = 4; my = MY.c]]", "c": "undefined",
    "x": "TARGET.l[0].q", "l": "{[], [q = c]}"},
    {"loop": "n.back", "n": "[back = loop; k = 5; m = {k, [u = k]}]", "a": "error", "b": "MY.n.k"},
)  # fmt: skip
_THEIRS: Final = (
    {"y": "10", "a": "-1", "n": "[k = y; v = MY.y; m = [k = TARGET.a]]"},
    {"y": "TARGET.a", "l": "{[q = y], y}", "n": "[a = a]", "z": "MY.y + a"},
    {"x": "y", "n": "[m = [w = parent.parent; b = b]]", "b": "6"},
)
_LOOKED_UP: Final = (
    "a", "A", "b", "x", "y", "z", "c", "n.k", "n.m.k", "n.m.j", "n.m.s", "n.b", "n.a", "n.m.r",
    "n.m.t", "n.m.o", "n.m.z", "n.m.my",
    "n.back", "loop", "n.m[1].u", "n.m", "l[0].q", "l[1].q", "l.q", "l[2]", "l[5]", "MY.n.k",
    "MY.a", "TARGET.n.k", "TARGET.n.v",
    "TARGET.n.m.k", "TARGET.y", "TARGET.z", "TARGET.a", "TARGET.l[0].q", "TARGET.nosuch",
    "n.nosuch", "n.parent.a", "parent.a",
    "self.a", "root.a", "toplevel.b", ".a", ".n.k", 'n["k"]', 'n["m"].k', '[k = a].k',
    "[k = a; j = k + 1].j", "[n = 5].n",
    "[q = parent.a].q", "[q = .a].q", "[a = a].a", "MY", "TARGET", "self", "parent", "root",
    "n.self.k", "TARGET.n.m.w",
    "TARGET.n.m.b", "other.y", "my.b", "target.Y", 'eval("a + 1")', 'eval("n.k")',
    "evalInEachContext(q, l)",
    "evalInEachContext(k + a, {n, TARGET.n})", "countMatches(q > 0, l)",
    "countMatches(k == 1, {n, n.m})", "unresolved(b)",
    "unresolved(n)", "unparse(b)", "unparse(n)", "size(n)", "size(l)", "TARGET.n", "MY.nosuch",
    "MY.n.m", "l[0]", "n[0]", "a.b",
    "{a, y}[1]", "{[q = y]}[0].q", "(n).k", "(true ? n : l).k", "n.k.x", "TARGET.TARGET.a",
    "MY.MY.a", "TARGET.MY.y", "n.MY.a",
    "ifThenElse(true, n, a).k", "error.a", "undefined.a", "n.m.nosuch",
)  # fmt: skip


#: What refers to names in several spellings.
_SPELLED: Final = {
    "e": "Zeta + alpha * Beta + TARGET.Gamma - beta + zEta",
    "f": "[g = Beta; h = {ALPHA, e}]",
    "alpha": "MY.delta + Epsilon",
    "one": "1",
    "n": "[p = Zeta; alpha = 2; q = alpha + one]",
}


def _nested() -> Iterator[Question]:
    rng = Random("nested")
    for name in ("e", "f", "E", "alpha", "one", "n", "n.q", "MY.f", "f.h", "nosuch", "TARGET.e"):
        patterns = (
            "",
            ', "BETA"',
            ', "^z"',
            ', "gam"',
            ', "target"',
            ', ""',
            ', "("',
            ", 1",
            ', "a$"',
        )
        for pattern in patterns:
            yield Question(f"unresolved({name}{pattern})", my=_SPELLED)
            yield Question(
                f"unresolved({name}{pattern})", my=_SPELLED, target={"Beta": "5", "e": "q + P"}
            )
    for text in _LOOKED_UP:
        for _ in range(4):
            mine, theirs = rng.choice(_MINE), rng.choice((None, *_THEIRS))
            yield Question(text, my=mine, target=theirs)
    # What follows one of these is looked up where its search ended.
    others = [it for it in _LOOKED_UP if not it.startswith(("unresolved", "evalIn", "countM"))]
    for _ in range(330):
        one, two = rng.choice(others), rng.choice(others)
        form = rng.choice(("{one} + {two}", "{one} =?= {two}", "{{{one}, {two}}}[1]",
        "[a = {one}; r = {two}].r",
                           "{one} ?: {two}", "strcat({one}, {two})",
                           "[z = [y = {one}; c = {two}]].z.c",
                           "{one} < {two} || {two} == {one}"))  # fmt: skip
        mine, theirs = rng.choice(_MINE), rng.choice((None, *_THEIRS))
        yield Question(form.format(one=one, two=two), my=mine, target=theirs)


TOPICS: Final[dict[str, Callable[[], Iterator[Question]]]] = {
    "calls": _calls,
    "calls_lists": _lists,
    "calls_numbers": _numbers,
    "calls_regex": _regex,
    "calls_string_lists": _string_lists,
    "calls_times": _times,
    "calls_words": _words,
    "nested": _nested,
    "op_mixed": _operators,
    "syntax": _syntax,
}
