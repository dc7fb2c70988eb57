"""Lists and ads whose members are constants, such as ``{ "cms", "atlas" }``.

What is decided here: that texts of such lists and ads which differ in nothing but numbers and
strings are read once; what the others are follows from those alone.  A pool has thousands of them:
the experiments that a slot serves, the properties of its GPUs.
Inputs: texts of expressions, and what reads one.  Outputs: ``ListValue`` and ``Ad`` objects,
or nothing where the text has to be read.
Never here: how a constant is written (classad/table/expressions/templates.py), what an expression
is. Follows: classad/ads/stored.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from classad.ads.ad import Ad, ListValue
from classad.ads.expression import Expression as ExprTree
from classad.language.names import fold_name
from classad.language.values import RelTime
from classad.syntax.nodes import AdExpr, ListExpr, Literal
from classad.table.expressions.templates import Constant, Rest, constants_of, ends_of, places_of

#: What lists and ads begin with.
_OPENING: Final = frozenset("{[")
#: Forms that are remembered.
_MANY: Final = 10_000


class _Form(NamedTuple):
    """What texts are that are alike but for constants.

    ``members``: the values of those that are no constants, at their places; ``constants``: the
    others'.  ``names``: of an ad's members, by key; None of a list's.
    """

    members: list[Any]
    constants: list[tuple[int, Constant]]
    names: dict[str, str] | None

    def made(self, values: list[Any], scope: Ad) -> Any:
        """The list or ad with some constants."""
        members = self.members.copy()
        for place, constant in self.constants:
            members[place] = constant.of(values)
        if self.names is None:
            return ListValue(members, scope)
        ad = Ad()
        ad._parent = scope
        ad._names = self.names.copy()
        ad._attrs = dict(zip(self.names, members, strict=True))
        return ad


class Literals:
    """The lists and ads of constants met so far."""

    def __init__(self, scope: Ad) -> None:
        """``scope``: the ad that they belong to."""
        self._scope = scope
        self._forms: dict[Rest, _Form | None] = {}

    def value(self, text: str, read: Callable[[], ExprTree]) -> Any:
        """The list or ad that a text is; None if it has to be read, as ``read`` does."""
        left = constants_of(text) if text[:1] in _OPENING and text.isascii() else None
        if left is None:
            return None
        rest, values = left
        if not values:
            return None  # nothing in it is left out
        if rest not in self._forms:
            if len(self._forms) >= _MANY:
                self._forms.clear()
            self._forms[rest] = _form(text, len(values), read().node)
        form = self._forms[rest]
        return None if form is None else form.made(values, self._scope)


def _form(text: str, count: int, node: Any) -> _Form | None:
    """The form of a text that has so many constants; None if it has members of another kind."""
    if node.__class__ is ListExpr:
        items, names = list(node.items), None
    elif node.__class__ is AdExpr:
        items = [item for _, item in node.attributes]
        names = {fold_name(name): name for name, _ in node.attributes}
        if len(names) < len(items):
            return None
    else:
        return None
    ends = ends_of(text)
    members: list[Any] = []
    constants: list[tuple[int, Constant]] = []
    for place, item in enumerate(items):
        if item.__class__ is not Literal or item.value.__class__ is RelTime:
            return None
        members.append(item.value)
        constants += [(place, constant) for _, constant in places_of(text, ends, item)]
    # A constant that is no member's would be lost.
    return _Form(members, constants, names) if len(constants) == count else None


__all__ = ["Literals"]
