"""Says why the last evaluation through the Python interface gave ``error``.

In 25.14.1 HTCondor has words for one error: a string was compared with something else.  The
sentence is made when somebody asks; an evaluation only leaves the expression and its ads here.

Inputs: an expression and the ads it was evaluated in.  Outputs: a sentence, or an empty string.
Follows: ``lastError`` of classad2 25.14.1, which keeps the sentence until another replaces it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from classad.language.values import Value

if TYPE_CHECKING:
    from classad.ads.ad import Ad, Stored
    from classad.ads.expression import Expression
    from classad.syntax.nodes import Node

_COMPARED: Final = "strings can only be compared to strings"

_pending: list[tuple[Expression, Ad | None, Ad | None]] = []
_text = ""


def note(tree: Expression, scope: Ad | None, target: Ad | None) -> None:
    """Remember an evaluation whose value is ``error``."""
    _pending[:] = [(tree, scope, target)]


def last_error() -> str:
    """The sentence for the latest evaluation that has one."""
    global _text
    if _pending:
        _text = _explain(*_pending.pop()) or _text
    return _text


def _explain(tree: Expression, scope: Ad | None, target: Ad | None) -> str:
    """The sentence for the first comparison of unlike operands, also inside definitions."""
    from classad.language.operators import EQUALITY, ORDER
    from classad.syntax.nodes import Binary, Reference, walk

    waiting: list[Node] = [tree.node]
    seen: set[str] = set()
    while waiting:
        for node in walk(waiting.pop()):
            if isinstance(node, Binary) and node.operator in ORDER | EQUALITY:
                if _unlike(_value(node.left, scope, target), _value(node.right, scope, target)):
                    return _COMPARED
            elif isinstance(node, Reference) and node.name.lower() not in seen:
                seen.add(node.name.lower())
                waiting.extend(_definitions(node.name, scope, target))
    return ""


def _definitions(name: str, *ads: Ad | None) -> list[Node]:
    from classad.ads.expression import Expression

    found = [ad.raw(name) for ad in ads if ad is not None]
    return [value.node for value in found if isinstance(value, Expression)]


def _value(node: Node, scope: Ad | None, target: Ad | None) -> Stored:
    from classad.binding.ambient import current_context
    from classad.evaluate import evaluate

    return evaluate(node, scope, target, context=current_context())


def _unlike(left: object, right: object) -> bool:
    """Whether exactly one side is a string and the other an ordinary value."""
    if isinstance(left, Value) or isinstance(right, Value):
        return False
    return isinstance(left, str) != isinstance(right, str)
