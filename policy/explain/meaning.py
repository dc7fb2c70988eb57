"""Gives the text of a macro a form in which equal meanings are equal.

Numbers and booleans are compared by value, expressions by their trees without regard to spacing,
parentheses that change nothing and the case of names, lists by their members without regard to
case.  Different expressions with the same values (``a + b`` and ``b + a``) differ.
Inputs: a ``Config``, macro names, expanded texts.  Outputs: tuples; the name of what was compared
comes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from classad.errors import ClassAdParseError
from policy.config import Config
from policy.data.tables import builtin_table
from policy.knobs import find_knob
from policy.knobs.declaration import Knob, KnobKind
from policy.knobs.other_daemons import OTHER_KNOBS
from policy.knobs.reading import split_list
from policy.language import expressions
from policy.language.macros import ExpansionError
from policy.language.numbers import read_boolean, read_double, read_integer
from policy.language.table import Definition

if TYPE_CHECKING:
    from classad.syntax.nodes import Node

Meaning = tuple[object, ...]

_TABLE_KINDS: Final = {
    "bool": KnobKind.BOOL, "int": KnobKind.INT, "long": KnobKind.INT, "double": KnobKind.DOUBLE,
}  # fmt: skip
#: Doubles that the table calls integers: condor_defrag of 25.14.1 takes 0.5 for one in two hours.
_DOUBLES: Final = frozenset(("defrag_draining_machines_per_hour",))


def macro_of(config: Config, entry: Definition) -> str:
    """The macro that a definition sets, without the reader's prefix."""
    return config.context.base_name(entry.name) or entry.name


def kind_of(macro: str) -> KnobKind:
    """How the text of a macro is read; of most macros nothing better is known than a text."""
    knob = find_knob(macro)
    if knob is not None:
        return knob.kind
    if macro.casefold() in _DOUBLES:
        return KnobKind.DOUBLE
    # The table of defaults does not tell expressions from other texts.
    if macro.rpartition(".")[2].casefold() in OTHER_KNOBS:
        return KnobKind.EXPR
    row = builtin_table().get(macro.casefold(), [])
    return _TABLE_KINDS.get(row[1], KnobKind.STRING) if len(row) > 1 else KnobKind.STRING


def meaning(config: Config, macro: str, text: str) -> Meaning:
    """The meaning of an expanded text."""
    kind = kind_of(macro)
    plain = ("text", " ".join(text.split()))
    if not plain[1]:
        return ("nothing",)
    evaluate = config.scope.functions.evaluate
    if kind is KnobKind.BOOL:
        flag = read_boolean(text, evaluate)
        return plain if flag is None else ("boolean", flag)
    if kind in (KnobKind.INT, KnobKind.DOUBLE, KnobKind.LEADING):
        number = (read_integer if kind is KnobKind.INT else read_double)(text, evaluate)
        return plain if number is None else ("number", number)
    if kind is KnobKind.EXPR:
        try:
            return ("expression", tree_meaning(expressions.parse(text).node))
        except ClassAdParseError:
            return plain
    if kind is KnobKind.LIST:
        names = [name.casefold() for name in split_list(text)]
        knob = find_knob(macro)
        return ("list", tuple(sorted(set(names)) if knob and knob.unordered else names))
    return plain


def tree_meaning(node: Node) -> Meaning:
    """An expression without places, spelling of names and parentheses, node after node.

    Without recursion: chains of operators may be very deep.
    """
    from classad.syntax.nodes import Call, Parens, Reference

    found: list[Meaning] = []
    stack = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, Parens):
            stack.append(top.inner)
            continue
        key = top.key()
        if isinstance(top, Call | Reference):
            key = (top.name.casefold(), *key[1:])
        children = top.children()
        found.append((type(top).__name__, *key, len(children)))
        stack.extend(reversed(children))
    return tuple(found)


def default_text(config: Config, knob: Knob | None, macro: str) -> str | None:
    """The expanded default of a macro, of the table or of the program; None without one."""
    raw = knob.default if knob is not None else None
    if raw is None:
        built_in = config.scope.table.default(macro)
        raw = None if built_in is None else built_in.raw
    if raw is None:
        return None
    try:
        return config.scope.expand(raw)
    except ExpansionError:
        return raw
