"""Recognises known differences from the real library, by their number in DIVERGENCES.md.

Decides which difference that a comparison finds is one of those.  The case is evaluated once more
while somebody watches: only what really comes by the place that an entry describes is covered by
it.  A test reads the numbers in DIVERGENCES.md.

Inputs: the case, and the context in which it was evaluated.  Outputs: the number, or the empty
string.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from classad import ClassAd, ExprTree
from classad.ads.ad import Ad, ListValue
from classad.builtins.regex import regexps, replace_all
from classad.builtins.time import format_time, split_time
from classad.errors import ClassAdParseError
from classad.evaluate import EvalContext, run_exactly
from classad.evaluation.functions import lookup_function
from classad.evaluation.reference import ReferenceState, value_of
from classad.language.times import DAY, local_offset
from classad.language.values import AbsTime, RelTime
from classad.strategies.texts import Case
from classad.syntax.nodes import Call, Node, Reference, Subscript

#: Seconds from 1970 to the last year that a C ``int`` counts from 1900, roughly.
_FAR: Final = 2.0**31 * 31_556_952
#: Seconds from 1970 whose days a C ``int`` counts.
_COUNTED: Final = 2**31 * DAY
#: What the two versions of PCRE2 see differently, of all that is invented: a group without text.
_EMPTY_GROUP: Final = "(b)?"
NUMBERS: Final = ("D-301", "D-303", "D-306", "D-307", "D-308")


class Watcher(ReferenceState):
    """An exact evaluation that notes the numbers of the entries it comes by."""

    def __init__(self, context: EvalContext) -> None:
        super().__init__(context)
        self.seen: set[str] = set()

    def quietly(self, node: Node, ad: Ad) -> Any:
        """The value of a node that is evaluated anyway."""
        return value_of(node, ad, self)


def _call(node: Call, ad: Ad, state: Watcher) -> Any:
    function = lookup_function(node.name)
    if not node.args or function is None:
        pass
    elif function.impl in (split_time, format_time):
        moment = state.quietly(node.args[0], ad)
        if not -_FAR < _seconds(moment) < _FAR:
            state.seen.add("D-301")
        elif moment.__class__ is int and moment > _COUNTED and _changes(moment, state):
            state.seen.add("D-308")
    elif function.elsewhere:
        base = getattr(node.args[0], "base", None)
        if base is not None and _is_made(state.quietly(base, ad)):
            state.seen.add("D-303")
        if len(node.args) == 2 and _is_made(state.quietly(node.args[1], ad)):
            state.seen.add("D-307")
    elif function.impl in (regexps, replace_all):
        pattern = state.quietly(node.args[0], ad)
        if isinstance(pattern, str) and _EMPTY_GROUP in pattern:
            state.seen.add("D-306")
    return _PLAIN[Call](node, ad, state)


def _seconds(moment: Any) -> float:
    """An instant in seconds; 0 for what is none."""
    if isinstance(moment, AbsTime | RelTime):
        moment = moment.secs
    return float(moment) if moment.__class__ in (int, float) else 0.0


def _changes(secs: int, state: Watcher) -> bool:
    """Whether the local zone has summer time then."""
    offsets = {local_offset(secs + days * DAY, state.zone) for days in (0, 91, 182, 273)}
    return len(offsets) > 1


def _is_made(value: Any) -> bool:
    """Whether a value is a list that a function made."""
    return isinstance(value, ListValue) and value.computed


def _reference(node: Reference, ad: Ad, state: Watcher) -> Any:
    if node.base is not None and _is_made(state.quietly(node.base, ad)):
        state.seen.add("D-303")
    return _PLAIN[Reference](node, ad, state)


def _subscript(node: Subscript, ad: Ad, state: Watcher) -> Any:
    value = _PLAIN[Subscript](node, ad, state)
    if isinstance(value, ListValue | Ad) and _is_made(state.quietly(node.base, ad)):
        state.seen.add("D-303")
    return value


_PLAIN: Final[dict[type[Node], Callable[[Any, Ad, Any], Any]]] = ReferenceState.evaluators
Watcher.evaluators = {**_PLAIN, Call: _call, Reference: _reference, Subscript: _subscript}


def known(case: Case, context: EvalContext) -> str:
    """The number of the first entry that a case comes by."""
    try:
        scopes = [ClassAd(text) for text in case[1:] if text]
        tree = ExprTree(case.expression)
    except ClassAdParseError:
        return ""
    state = Watcher(context)
    if len(scopes) > 1:
        state.left, state.right = scopes
    run_exactly(tree, scopes[0], state)
    return min(state.seen, default="")
