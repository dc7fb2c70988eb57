"""Draws options of a command, with values that nobody means: numbers, times, names, paths.

The options are those of the command's own parser, so that a new one is tried without a word here.
Inputs: a parser, a source of chance.  Outputs: words of a command line, the same for the same seed.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from random import Random
from typing import Final


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_NUMBERS: Final = (
    *_words("0 -0 -1 1 2 0.5 1e308 -1e308 1e-308 1e999 nan inf -inf 1e30 0x10 010 1e 1_0 ٣ + -"),
    *_words("2147483648 -9223372036854775809 18446744073709551616 1h 5m 10MB -1G 50% 1,2 1,,2 3:1"),
    "",
    " 7 ",
    "9" * 5000,
)
#: Of what a command does more for a greater one: that it does so is what was asked for.
_AMOUNTS: Final = (
    *_words("0 -1 1 2 0.5 1e999 nan inf x 1e -inf 1,,2 0x10"),
    "",
    "9" * 5000,
)
_TIMES: Final = (
    *_words(
        "0 -1 1e30 nan inf 1700000000 253402300800 2026-02-30 2026-01-01T25:00 9999-12-31T23:59:59Z"
    ),
    *_words(
        "0001-01-01 2026-01-01T00:00:00+99:99 now yesterday 2100-01-01 1970-01-01T00:00Z 12:00"
    ),
    "",
)
_NAMES: Final = (
    *(
        "",
        "alice",
        "a@b",
        "a.b",
        "GPUs",
        "x" * 5000,
        "a b",
        "-",
        "--",
        "'",
        '"',
        "\\",
        "a=b",
        "=",
        "%s",
    ),
    *("\x1b[31mred", "\u202egnp", "a\nb", "\udcff", "../../x", "$(A)", "*", "a,b", ":", "1:2:3"),
    *("slot1@", "@x", "1.0", "8", "0.0", "-1.-1", "1.0.0", "99999999999999999999.0", "{i}", "[]"),
)
_EXPRESSIONS: Final = (
    *("true", "1/0", "(", '"', "A?", "a==", "undefined", "Cpus > 1", "MY.x", "TARGET.Cpus", "x y"),
    *("Cpus =", "= 1", "a=1; b", "[a=1]", "{", "'a'", '"\\', "/*", "//", "1 + + 1", "f(", "f()"),
    *(
        "[a=" * 600,
        "1+" * 5000 + "1",
        "A&&" * 700 + "B",
        "!" * 2000 + "A",
        "(" * 400 + "1" + ")" * 400,
    ),
    'regexp("(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")',
)
#: Files and folders of the shop, and what is no file.
_PATHS: Final = (
    *(
        "pool",
        "pool/slots.ads",
        "pool/jobs.ads",
        "condor_config",
        "scenario.json",
        "ads.xml",
        "run",
    ),
    *(
        "Accountantnew.log",
        "pool.history",
        "load.toml",
        "missing",
        "missing/x",
        "",
        "-",
        "/dev/null",
    ),
    *("groups.map", "sweep", "x\x1b[2J", "a\nb", "\udcff", "condor_config/x", "."),
)
_WRITTEN: Final = (
    *("out/new", "out/new", "out/deep/new", "missing/x", "/dev/full", "condor_config/x", "", "-"),
    *("ads.long/x", "out/x\x1b[2J", "out/kept"),
)
_KINDS: Final[dict[str, tuple[str, ...]]] = {
    "N": _NUMBERS, "S": _NUMBERS, "MB": _NUMBERS, "PERCENT": _NUMBERS, "SECONDS": _NUMBERS,
    "HOUR": _NUMBERS, "N,N": _NUMBERS, "T": _TIMES, "EPOCH": _TIMES, "F": _PATHS, "FILE": _PATHS,
    "DIR": _PATHS, "W": _PATHS, "EXPR": _EXPRESSIONS,
}  # fmt: skip
_AMOUNT_NAMES: Final = frozenset(
    _words(
        "days every hours step seeds seed_list cycles interval examples tries jobs "
        "timeout settle series checkpoint_hours run_time"
    )
)
#: Options that name what is written.
_OUTPUTS: Final = frozenset(
    _words("output into log html prometheus report plots plot record capture")
)
#: Other machines, and what is no part of the answer.
_LEFT: Final = frozenset(_words("help scheduler pool_name man ask debug this_machine root"))


def parser_of(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of the command that the words begin with."""
    for word in words:
        below = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
        if not below or word not in below[0].choices:
            break
        parser = below[0].choices[word]
    return parser


def drawn(parser: argparse.ArgumentParser, chance: Random) -> list[str]:
    """One of the options of a parser, with as many values as it takes, or nearly."""
    known = [a for a in parser._actions if a.option_strings and a.dest not in _LEFT]
    if not known:
        return []
    action = chance.choice(known)
    words = [chance.choice(list(action.option_strings))]
    count = _count(action, chance)
    values = [_value(action, place, chance) for place in range(count)]
    if count == 1 and words[0].startswith("--") and chance.random() < 0.5:
        return [f"{words[0]}={values[0]}"]
    return [*words, *values]


def _count(action: argparse.Action, chance: Random) -> int:
    if isinstance(action.nargs, int):
        return action.nargs
    return chance.choice((1, 1, 2)) if action.nargs in ("+", "*") else 1


def _value(action: argparse.Action, place: int, chance: Random) -> str:
    named = action.metavar
    kind = named[place] if isinstance(named, tuple) and place < len(named) else str(named)
    if action.choices is not None and chance.random() < 0.8:
        return str(chance.choice(list(action.choices)))
    if action.dest in _OUTPUTS:
        return chance.choice(_NUMBERS if kind == "HOUR" else _WRITTEN)
    if action.dest in _AMOUNT_NAMES:
        return chance.choice(_AMOUNTS)
    if kind.startswith("NAME="):
        value = chance.choice((*_EXPRESSIONS, *_NUMBERS, "0:1:0", "1:2:3"))
        return chance.choice(("", "A=", "CLAIM_WORKLIFE=", "MAX_SPINS=", "=", "alice=")) + value
    pool = _KINDS.get(kind, _NAMES)
    return chance.choice(pool if chance.random() < 0.8 else (*_NAMES, *_NUMBERS, *_PATHS))
