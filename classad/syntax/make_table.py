"""Makes the parse table from the grammar: ``python -m classad.syntax.make_table``.

Inputs: grammar/classad.lark.  Outputs: the automaton that Lark finds for it, as plain data with
canonical numbers, and, when this module is run, the file grammar/classad.table.json that holds it.
The file saves every process 0.2 seconds; without it, or when it belongs to another grammar, the
table is made on the first text that needs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, TypedDict
from zlib import crc32

if TYPE_CHECKING:
    from lark import Lark, Token

#: What a text can be.
STARTS: Final = ("expression", "ad")


class Table(TypedDict):
    """The automaton as data.

    ``terminals``: name, text, whether the text is a regular expression.  ``rules``: number of
    parts, name, name of the alternative in ``BUILDERS`` or None.  ``actions``: per state, for each
    terminal the next state, or ``-1 - n`` to apply rule n.  ``gotos``: per state, for each finished
    rule the next state.  ``starts``: for each start symbol the first and the last state.
    """

    grammar: int
    terminals: list[tuple[str, str, bool]]
    rules: list[tuple[int, str, str | None]]
    starts: dict[str, tuple[int, int]]
    actions: list[dict[str, int]]
    gotos: list[dict[str, int]]


def fingerprint(grammar: str) -> int:
    """Tells whether a table belongs to this text of the grammar."""
    return crc32(grammar.encode())


def make_table(grammar: str) -> Table:
    """The automaton of the grammar.  Equal grammars give equal tables."""
    made = _lark(grammar)
    from lark.lexer import PatternStr
    from lark.parsers.lalr_analysis import Shift

    confs = {start: made.parse_interactive(start=start).parser_state.parse_conf for start in STARTS}
    states: Any = confs["expression"].states
    numbers = _number_states(states, [confs[start].start_state for start in STARTS], Shift)
    rules = sorted(
        {t for row in states.values() for a, t in row.values() if a is not Shift}, key=str
    )
    actions: list[dict[str, int]] = [{} for _ in numbers]
    gotos: list[dict[str, int]] = [{} for _ in numbers]
    for state, number in numbers.items():
        for symbol, (action, target) in sorted(states[state].items()):
            if action is not Shift:
                actions[number][symbol] = -1 - rules.index(target)
            elif symbol.isupper():
                actions[number][symbol] = numbers[target]
            else:
                gotos[number][symbol] = numbers[target]
    return Table(
        grammar=fingerprint(grammar),
        terminals=[
            (terminal.name, terminal.pattern.value, False)
            if isinstance(terminal.pattern, PatternStr)
            else (terminal.name, terminal.pattern.to_regexp(), True)
            for terminal in made.terminals
        ],
        rules=[(len(rule.expansion), str(rule.origin.name), _builder(rule)) for rule in rules],
        starts={
            start: (numbers[conf.start_state], numbers[conf.end_state])
            for start, conf in confs.items()
        },
        actions=actions,
        gotos=gotos,
    )


def _lark(grammar: str) -> Lark:
    import lark
    from lark.lexer import Lexer

    class NoLexer(Lexer):
        """Tokens come from ``lexing.Scanner``."""

        def __init__(self, lexer_conf: object) -> None:
            pass

        def lex(self, lexer_state: object, parser_state: object) -> Iterator[Token]:
            return iter(())

    return lark.Lark(grammar, parser="lalr", start=list(STARTS), lexer=NoLexer)


def _number_states(states: Any, first: list[Any], shift: object) -> dict[Any, int]:
    """Numbers in the order of discovery, symbols taken alphabetically: Lark's own numbers follow
    the order of a hash table."""
    numbers = {state: number for number, state in enumerate(first)}
    waiting = list(first)
    for state in waiting:
        for _, (action, target) in sorted(states[state].items(), key=lambda entry: entry[0]):
            if action is shift and target not in numbers:
                numbers[target] = len(numbers)
                waiting.append(target)
    return numbers


def _builder(rule: Any) -> str | None:
    """The alternative that builds something; a rule of the form ``a: b`` hands its value on."""
    if rule.alias:
        return str(rule.alias)
    return str(rule.origin.name) if len(rule.expansion) > 1 or rule.origin.name in _LEAVES else None


#: Rules of the form ``a: b`` that nevertheless build something.
_LEAVES: Final = frozenset({"literal", "semicolons"})


def table_text(table: Table) -> str:
    """The contents of the file: JSON, a state on each line."""
    import json

    lines = [f'"{key}": {json.dumps(table[key])}' for key in ("grammar", "starts")]
    for key in ("terminals", "rules", "actions", "gotos"):
        entries = ",\n".join(json.dumps(entry) for entry in table[key])
        lines.append(f'"{key}": [\n{entries}\n]')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> None:
    """Write the file beside the grammar of a checkout."""
    from pathlib import Path

    grammar = Path(__file__).resolve().parents[2] / "grammar" / "classad.lark"
    table = make_table(grammar.read_text("utf-8"))
    grammar.with_name("classad.table.json").write_text(table_text(table), "utf-8")


if __name__ == "__main__":
    main()
