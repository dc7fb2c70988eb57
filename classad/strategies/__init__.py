"""Hypothesis strategies for the language: literals, expressions, ads, pairs, files of ads; never
says what must hold.

They draw what ``classad.strategies.texts`` writes.  Everything shrinks towards ``undefined``,
short lists and empty ads.  Needs the extra ``fuzz`` (Hypothesis).  Attributes have names without a
meaning, ``A0`` to ``A6``: the language knows none of HTCondor's, which ``policy.strategies`` draws.

Inputs: none.  Outputs: strategies of text, as a user would write it, and of ads made from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from classad.extras import load
from classad.strategies.texts import ATTRIBUTES, LITERALS, Case, Inventor

if TYPE_CHECKING:
    from collections.abc import Callable

    import hypothesis.strategies as st

    from classad.binding.ad import ClassAd
else:
    st = load("hypothesis.strategies")

__all__ = [
    "Case", "ads", "cases", "expressions", "json_texts", "literals", "long_texts", "match_pairs",
    "mutated", "new_texts", "xml_texts",
]  # fmt: skip


#: The numbers of one text: a draw of its own for each would cost a hundred times as much.
_NUMBERS = st.binary(min_size=60, max_size=260)


def _inventor(draw: Callable[[Any], Any]) -> Inventor:
    """Numbers from a string of bytes, and 0, the simplest, when it is used up."""
    numbers = iter(draw(_NUMBERS))
    return Inventor(lambda count: next(numbers, 0) % count)


def literals(kind: str = "") -> st.SearchStrategy[str]:
    """Texts of constants at the boundaries of the language; ``kind`` is a key of ``LITERALS``."""
    if kind:
        return st.sampled_from(LITERALS[kind])
    return st.sampled_from([text for texts in LITERALS.values() for text in texts])


@st.composite
def expressions(
    draw: Callable[[Any], Any], kind: str = "", depth: int = 3, attributes: bool = True
) -> str:
    """Texts of expressions, mostly of one kind, with calls of every declared function.

    With ``attributes`` they refer to ``A0`` to ``A6`` of either ad.
    """
    before = len(ATTRIBUTES) if attributes else 0
    inventor = _inventor(draw)
    return inventor.expression(inventor.below(depth + 1), kind, before)


@st.composite
def ads(draw: Callable[[Any], Any]) -> str:
    """Ads in new syntax with some of ``A0`` to ``A6``; no reference is circular."""
    return _inventor(draw).ad()


def match_pairs() -> st.SearchStrategy[tuple[str, str]]:
    """Two ads for a match, each with Requirements and Rank."""
    return st.tuples(_matchable(), _matchable())


@st.composite
def _matchable(draw: Callable[[Any], Any]) -> str:
    attributes = _inventor(draw).attributes()
    attributes["Requirements"] = draw(expressions("boolean", 2))
    attributes["Rank"] = draw(expressions("real", 2))
    return f"[{'; '.join(f'{name} = {text}' for name, text in attributes.items())}]"


def cases() -> st.SearchStrategy[Case]:
    """An expression with the ads it is evaluated in."""
    return st.builds(Case, expressions(), ads(), ads())


#: What a mutation writes into a text.
PIECES = (
    *"+-*/%!~^|&<>=?:.,;()[]{}\"'\\ \n\té",
    *(" is ", "isnt", "=?=", "=!=", "?:", ">>>", "..", "//", "/*", "*/", "0x1", "010", "1e", ".5"),
    *('"a" "b"', "\\101", "\\0", "'n'", "true", "Undefined", "absTime("),
)


@st.composite
def mutated(draw: Callable[[Any], Any], texts: st.SearchStrategy[str]) -> str:
    """Texts with up to four places written over, most of them no longer well formed."""
    text: str = draw(texts)
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(text)))
        cut = draw(st.integers(0, 2))
        text = text[:place] + draw(st.sampled_from(PIECES)) + text[place + cut :]
    return text


_NAMES = ("a", "A", "b", "Cpus", "cPUS", "x.y", "é", "a b", "", " a", "#a")


@st.composite
def long_texts(draw: Callable[[Any], Any]) -> str:
    """Files of ads in long form, with lines that no reader likes among sound ones."""
    sound = st.builds("{} = {}".format, st.sampled_from(_NAMES), literals() | expressions(depth=1))
    unusual = st.sampled_from(["", "", "# c", " \t", "\0", "junk", "= 1", "a == 1", "a = 1 junk"])
    ends = st.sampled_from(["\n", "\n", "\n", "\r\n", " \n", "\n\n", ""])
    lines = draw(st.lists(st.tuples(sound | unusual | mutated(sound), ends), max_size=14))
    return "".join(line + end for line, end in lines)


def new_texts() -> st.SearchStrategy[str]:
    """Files of ads in new syntax."""
    return st.lists(ads(), max_size=4).map("\n".join)


def json_texts() -> st.SearchStrategy[str]:
    """Files of ads in JSON."""
    return st.lists(ads(), max_size=4).map(lambda texts: _written(texts, "json"))


def xml_texts() -> st.SearchStrategy[str]:
    """Files of ads in XML."""
    return st.lists(ads(), max_size=4).map(lambda texts: _written(texts, "xml"))


def _written(texts: list[str], form: Any) -> str:
    from io import StringIO

    from classad.files.ads import write_ads

    out = StringIO()
    write_ads([read_ad(text) for text in texts], out, form)
    return out.getvalue()


def read_ad(text: str) -> ClassAd:
    """The ad that a text in new syntax is, without a clock or a zone of its own."""
    from classad.evaluate import evaluate

    return ClassAd.copy_of(evaluate(text))
