"""The parse table: grammar/classad.lark turned into an automaton, once per process.

Inputs: the grammar, found in the installed package or beside it in a checkout.  Outputs:
``Tables``, plain lists and dictionaries for the loop in parser.py.  Lark is imported here and
nowhere else, on the first text that needs it.
Never here: tokens, trees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from classad.lexing import Vocabulary
from classad.tree_building import BUILDERS, Place

if TYPE_CHECKING:
    from lark import Lark

#: What a text can be.
STARTS: Final = ("expression", "ad")

Build = Callable[[Place, list[Any]], Any]


class Reduction(NamedTuple):
    """A rule to be applied: how many values it takes, its name and what it builds.

    ``build`` is None for a rule of the form ``a: b``, which hands its value on.
    """

    size: int
    origin: str
    build: Build | None


class Tables(NamedTuple):
    """The automaton.

    ``actions``: per state, the state that a terminal leads to or the rule that it ends.
    ``gotos``: per state, the state that a finished rule leads to.  ``starts``: per start symbol,
    the first and the last state.  ``landings``: the memory of ``parser.py`` for chains of rules.
    """

    vocabulary: Vocabulary
    actions: list[dict[str, int | Reduction]]
    gotos: list[dict[str, int]]
    starts: dict[str, tuple[int, int]]
    landings: dict[tuple[int, str, str], int]


def grammar_text() -> str:
    """The grammar, from the installed package or from a checkout."""
    from importlib import resources

    try:
        return (resources.files("classad.grammar") / "classad.lark").read_text("utf-8")
    except (ModuleNotFoundError, FileNotFoundError):
        place = Path(__file__).resolve().parent.parent / "grammar" / "classad.lark"
        return place.read_text("utf-8")


def _lark() -> Lark:
    import lark
    from lark.lexer import Lexer

    class NoLexer(Lexer):
        """Tokens come from ``lexing.Scanner``."""

        def __init__(self, lexer_conf: object) -> None:
            pass

        def lex(self, lexer_state: object, parser_state: object) -> Iterator[lark.Token]:
            return iter(())

    return lark.Lark(grammar_text(), parser="lalr", start=list(STARTS), lexer=NoLexer)


@cache
def load_tables() -> Tables:
    """The automaton of the grammar."""
    made = _lark()
    from lark.lexer import PatternStr
    from lark.parsers.lalr_analysis import Shift

    terminals = [
        (terminal.name, terminal.pattern.value, False)
        if isinstance(terminal.pattern, PatternStr)
        else (terminal.name, terminal.pattern.to_regexp(), True)
        for terminal in made.terminals
    ]
    confs = {start: made.parse_interactive(start=start).parser_state.parse_conf for start in STARTS}
    states = confs["expression"].states
    actions: list[dict[str, int | Reduction]] = [{} for _ in states]
    gotos: list[dict[str, int]] = [{} for _ in states]
    reductions: dict[Any, Reduction] = {}
    for state, row in states.items():
        for name, (action, target) in row.items():
            if action is not Shift:
                if target not in reductions:
                    reductions[target] = _reduction(target)
                actions[state][name] = reductions[target]
            elif name.isupper():
                actions[state][name] = target
            else:
                gotos[state][name] = target
    ends = {start: (conf.start_state, conf.end_state) for start, conf in confs.items()}
    return Tables(Vocabulary(terminals), actions, gotos, ends, {})


def _reduction(rule: Any) -> Reduction:
    size, origin = len(rule.expansion), str(rule.origin.name)
    build = BUILDERS.get(rule.alias or origin)
    if build is None and size != 1:
        raise AssertionError(f"nothing builds the rule {rule}")
    return Reduction(size, origin, build)
