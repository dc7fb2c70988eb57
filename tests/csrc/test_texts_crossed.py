"""Texts of every two tokens, and lines of every kind: the C core reads them as Python does.

What is compared, and how, is that of ``test_parse`` and ``test_load``.
"""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from classad import kernels
from classad.language.rules import OLD, PREFIX, STRICT, WHOLE
from classad.loading import long_form as loading
from classad.loading.long_form import PythonStore
from tests.classad.crossed import SHAPES
from tests.csrc.test_load import PIECES, STORES, agree, loaded, read
from tests.csrc.test_parse import agree as parsed_alike

TOKENS = (
    *("a", "TARGET", "true", "error", "is", "isnt", "'q r'", "1", "007", "0x1F", "1.5e3", ".5"),
    *("2B", '"s"', '"\\n"', '"', "'", "(", ")", "[", "]", "{", "}", ";", ",", "=", ".", "?", ":"),
    *("?:", "&&", "||", "!", "-", "+", "~", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "<="),
    *(">>>", "==", "!=", "=?=", "=!=", "//c", "/*c*/", "/*", "\\", "$", "@", "\t"),
    "9223372036854775808",
)  # fmt: skip
needs_c = pytest.mark.skipif(kernels.native is None, reason="the C parser is not built here")


AROUND = (("", ""), ("a ", " b"), ("(", ")"), ("f(", ")"), ("{1, ", "}"), ("[x = ", "]"))


def around(tokens: list[str], turn: int) -> str:
    """Tokens, with something before and behind them that may make them whole."""
    before, behind = AROUND[turn % len(AROUND)]
    return before + ("", " ")[turn % 2].join(tokens) + behind


@needs_c
def test_every_two_tokens() -> None:
    """Alone, and with a third one behind them."""
    rng, taken = Random(0), 0
    for turn, (one, other) in enumerate(product(TOKENS, TOKENS)):
        how = (0, OLD | PREFIX, STRICT, WHOLE)[turn % 4]
        taken += parsed_alike(around([one, other], turn), how)
        taken += parsed_alike(around([one, other, rng.choice(TOKENS)], turn + turn // 6), how)
    assert taken > 450


@needs_c
def test_texts_in_which_something_is_lost_or_put_in() -> None:
    rng, taken = Random(1), 0
    for turn, text in enumerate(SHAPES * 3):
        at = rng.randrange(len(text))
        torn = (
            text[:at] + text[at + 1 :],
            text[:at] + rng.choice(TOKENS) + text[at:],
            text[:at] + f" {rng.choice(TOKENS)} " + text[at + rng.randrange(3) :],
            f"{text} {rng.choice(TOKENS)} {rng.choice(SHAPES)}",
        )[turn % 4]
        taken += parsed_alike(torn, (0, OLD | PREFIX, STRICT)[turn % 3])
    assert taken > 100


NAMES = ("a", "A", "b", "Cpus", "x.y", "a b", "", " a", "#a", "é", "_1", "1a")
SIGNS = (" = ", "=", " =", "\t=", " == ", " ")
ENDS = ("\n", "\r\n", " \n", "\n\n", "\n \t\n", "")


@pytest.mark.parametrize("which", STORES)
def test_lines_of_every_kind(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each piece behind some names, signs and before some ends, cut somewhere."""
    if which == "python":
        monkeypatch.setattr(loading, "new_store", PythonStore)
    rng = Random(2)
    lines = [
        NAMES[turn * 5 % len(NAMES)] + SIGNS[turn * 7 % len(SIGNS)] + piece + ENDS[turn % len(ENDS)]
        for turn, piece in enumerate(PIECES * 5)
    ]
    for start in range(0, len(lines), 7):
        text = "".join(lines[start : start + 7])
        data = f"B = 2\n{text}\nC = 3\n".encode()
        cuts = [rng.randrange(len(data)) for _ in range(rng.randrange(3))]
        if start % 3:
            errors = ("warn", "htcondor", "strict")[start % 3]
            assert loaded(data, errors, cuts) == read(data, errors), data
        else:
            agree(data, cuts)


@pytest.mark.parametrize("which", STORES)
def test_many_ads_of_many_attributes(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns grow, names come late, are spelled otherwise and stand twice in an ad."""
    if which == "python":
        monkeypatch.setattr(loading, "new_store", PythonStore)
    rng = Random(3)
    blocks = []
    for number in range(120):
        names = [f"Attr{rng.randrange(5 + number)}" for _ in range(rng.randrange(12))]
        values = ("7", "-1.5", '"s"', f'"text {number % 9}"', "a + b", "true", "{1}", "undefined")
        cells = ((n.upper() if rng.random() < 0.1 else n, rng.choice(values)) for n in names)
        blocks.append("".join(f"{name} = {value}\n" for name, value in cells))
    data = "\n".join(blocks).encode()
    agree(data, [rng.randrange(len(data)) for _ in range(4)])


@pytest.mark.parametrize("which", STORES)
def test_values_of_some_rows(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """From any row to any other one, or to the end."""
    if which == "python":
        monkeypatch.setattr(loading, "new_store", PythonStore)
    blocks = [
        f"A = {n}\n" + f'B = "{n}"\n' * (n % 3 == 0) + "C = A + 1\n" * (n > 5) for n in range(9)
    ]
    columns = loading.load_long("\n".join(blocks).encode())
    for column in columns.columns:
        whole = list(map(repr, columns.values(column)))
        assert len(whole) == 9
        for start, stop in product(range(10), (None, *range(12))):
            found = list(map(repr, columns.values(column, start, stop)))
            assert found == whole[start:stop], (column.name, start, stop)
