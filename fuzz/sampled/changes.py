"""Lists the mechanical changes of a Python source: other operators, constants, conditions, guards.

Decides what is changed: what an expression or a condition means.  Annotations, decorators,
assertions (``strict`` of ``zip`` is one), messages of errors and f-strings stay.

Inputs: the text of a file.  Outputs: ``Change`` values.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final, NamedTuple


class Change(NamedTuple):
    """One change: the characters from ``start`` to ``stop`` become ``new``."""

    start: int
    stop: int
    new: str
    line: int
    #: What is changed, as a person says it.
    kind: str

    def applied(self, text: str) -> str:
        """The changed source."""
        return text[: self.start] + self.new + text[self.stop :]

    def shown(self, text: str) -> str:
        """The change in one line."""
        old = " ".join(text[self.start : self.stop].split())
        return f"{self.kind}: {old} -> {' '.join(self.new.split())}"


_COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_ARITHMETIC: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}  # fmt: skip
_NAMES: Final = {"min": "max", "max": "min", "any": "all", "all": "any"}
#: How a branch ends that guards what follows.
_LEAVES: Final = (ast.Return, ast.Continue, ast.Break, ast.Raise)


def changes(text: str) -> list[Change]:
    """All changes of a source, in its order."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    lines = text.splitlines(keepends=True)

    def place(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    def change(node: ast.expr, new: str, kind: str) -> Change:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = place(node.lineno, node.col_offset)
        return Change(start, place(node.end_lineno, node.end_col_offset), new, node.lineno, kind)

    found = [change(*it) for node in _meaning(ast.parse(text)) for it in _of(node)]
    return sorted(found)


def _meaning(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below one that say what happens."""
    yield node
    for name, field in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_comment", "bases"):
            continue
        for child in field if isinstance(field, list) else [field]:
            if isinstance(child, ast.AST) and not _is_left_out(child):
                yield from _meaning(child)


def _is_left_out(node: ast.AST) -> bool:
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
        return True
    if isinstance(node, ast.keyword) and node.arg == "strict":
        return True
    return isinstance(
        node, ast.Assert | ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Global
    )


def _of(node: ast.AST) -> Iterator[tuple[ast.expr, str, str]]:
    """What may become of one node: the expression, its new text, the kind of change."""
    match node:
        case ast.Compare(left, [operator], [right]) if type(operator) in _COMPARISONS:
            other = _COMPARISONS[type(operator)]()
            yield node, _text(ast.Compare(left, [other], [right])), "comparison"
        case ast.BoolOp(operator, values):
            other_one = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield node, _text(ast.BoolOp(other_one, values)), "connective"
        case ast.UnaryOp(ast.Not(), operand):
            yield node, _text(operand), "negation"
        case ast.BinOp(left, operator, right) if type(operator) in _ARITHMETIC:
            if isinstance(operator, ast.BitOr) and _is_type(right):
                return
            new = ast.BinOp(left, _ARITHMETIC[type(operator)](), right)
            yield node, _text(new), "arithmetic"
        case ast.Constant(bool() as value):
            yield node, str(not value), "constant"
        case ast.Constant(int() | float() as value):
            # What is too large for one more: half of it.
            yield node, repr(value + 1 if value + 1 != value else value / 2), "constant"
        case ast.Call(ast.Name(name) as function) if name in _NAMES:
            yield function, _NAMES[name], "function"
        case ast.If(test, body, []) if isinstance(body[-1], _LEAVES):
            yield test, "False", "guard"
        case ast.If(test) | ast.While(test) | ast.IfExp(test):
            yield test, f"(not {_text(test)})", "condition"


def _is_type(node: ast.expr) -> bool:
    """Does it look like the name of a class?"""
    match node:
        case ast.Constant(None):
            return True
        case ast.Name(name) | ast.Attribute(attr=name) | ast.Subscript(ast.Name(name)):
            return name.lstrip("_")[:1].isupper() and not name.isupper()
    return False


def _text(node: ast.expr) -> str:
    return f"({ast.unparse(ast.fix_missing_locations(node))})"
