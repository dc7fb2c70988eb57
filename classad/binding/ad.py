"""Defines ``ClassAd``: an ad as a Python mapping that evaluates, matches and prints.

Keys are checked, iteration gives shorter names first, and some values come back evaluated.  Values
that leave an ad are copies: changing one changes nothing in the ad.

Inputs: Python keys and values.  Outputs: Python values, or those of the language for what the
packages built on this one ask (``evaluate_attr`` and its like).
Follows: ``ClassAd`` of classad2 25.14.1 without its crashes; vectors ``eval_attr.jsonl``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Final

from classad.ads.ad import SIMPLE, Ad, Stored, as_bool, as_number, as_string
from classad.ads.ad import fill as fill_from_node
from classad.ads.expression import NO_AD, Expression
from classad.binding.ambient import current_context, zone_name
from classad.binding.expr import ExprTree
from classad.binding.python_values import (
    COPY_HELP,
    FACTORIES,
    PythonValue,
    checked_ad,
    is_htcondors,
    item_to_python,
    to_python,
)
from classad.errors import ClassAdParseError, ClassAdValueError
from classad.evaluate import evaluate_attribute
from classad.language.names import UNUSUAL, fold_name
from classad.language.rules import NEWEST
from classad.language.values import INT_MAX, INT_MIN, UNDEFINED
from classad.match import half_match

if TYPE_CHECKING:
    from classad.evaluation.context import EvalContext


#: What ``pop`` gives without a default: nothing.
_NO_DEFAULT: Final = object()


class ClassAd(Ad, MutableMapping[str, PythonValue]):
    """An ad: names without regard to case, each with a value or an expression.

    ``input``: None, a text in new syntax (what follows the ad is ignored), an ad, or a mapping
    whose values are converted.  Raises ``ClassAdParseError`` for a text that is no ad,
    ``TypeError`` for another object or a key that is no string, ``OverflowError`` for an integer
    of more than 64 bits, ``ClassAdTypeError`` for another value without counterpart.

    >>> ClassAd({"Cpus": 4, "Load": [0.5, None]})
    [ Cpus = 4; Load = { 5.000000000000000E-01,undefined } ]
    >>> ClassAd("[Cpus = 4; Rank = Cpus * 2]").eval("rank")
    8
    """

    __slots__ = ("__dict__",)

    def __init__(self, input: str | Mapping[str, object] | None = None) -> None:
        Ad.__init__(self)
        if input is not None:
            _fill(self, input)

    # --- copies -----------------------------------------------------------------------------------

    def duplicate(self) -> ClassAd:
        """A copy with its own nested ads and lists; expressions are shared, they never change."""
        return ClassAd.copy_of(self)

    def unchained(self) -> ClassAd:
        """A copy that has as its own what this ad inherits."""
        twin = self.duplicate()
        twin._chained = None
        parent = self._chained
        while parent is not None:
            for key, value in parent._attrs.items():
                if key not in twin._attrs:
                    twin.insert(parent._names[key], value)
            parent = parent._chained
        return twin

    def extract(self, keys: Iterable[str]) -> ClassAd:
        """A copy with some of the own attributes only, given by names in lower case."""
        names, attrs = self._names, self._attrs
        chosen = {key: names[key] for key in keys}
        return ClassAd.holding(chosen, {key: attrs[key] for key in chosen})

    # --- evaluation, as the daemons do it -------------------------------------------------------

    def evaluate_attr(
        self, name: str, target: Ad | None = None, context: EvalContext | None = None
    ) -> Stored:
        """The value of an attribute; if absent here, of the target's attribute of that name.

        The value is one of the language, not converted.  ``context``: clock, zone and randomness;
        without it there is none of them.
        """
        # The ad's own literals are most of what is asked for; they need no evaluation.
        key = fold_name(name)
        value = self._attrs.get(key)
        if value.__class__ in SIMPLE:
            return value
        # So are attributes that are nowhere to be found.
        if value is target is self._chained is self._parent is None and key not in UNUSUAL:
            return UNDEFINED
        return evaluate_attribute(self, name, target, context)[0]

    def evaluate_all(self, keys: Sequence[str], context: EvalContext | None = None) -> list[Stored]:
        """What ``evaluate_attr`` gives for each of several ordinary names in lower case."""
        values = self.plain_values(keys)
        if values is None:
            return [self.evaluate_attr(key, None, context) for key in keys]
        return [UNDEFINED if value is None else value for value in values]

    def get_number(
        self, name: str, target: Ad | None = None, context: EvalContext | None = None
    ) -> int | float | None:
        """The value if it is a number; a boolean counts 0 or 1; None for everything else.

        >>> slot = ClassAd("[Cpus = 4; Busy = true; Rank = TARGET.JobPrio / 2.0]")
        >>> slot.get_number("Rank", ClassAd("[JobPrio = 5]")), slot.get_number("Busy")
        (2.5, 1)
        """
        return as_number(self.evaluate_attr(name, target, context))

    def get_bool(
        self, name: str, target: Ad | None = None, context: EvalContext | None = None
    ) -> bool | None:
        """The value if it is a boolean, or whether it is non-zero if a number; else None."""
        return as_bool(self.evaluate_attr(name, target, context))

    def get_string(
        self, name: str, target: Ad | None = None, context: EvalContext | None = None
    ) -> str | None:
        """The value if it is a string, else None."""
        return as_string(self.evaluate_attr(name, target, context))

    # --- mapping ------------------------------------------------------------------------------

    def __getitem__(self, key: str) -> PythonValue:
        """A literal, list or ad as a Python value; any other expression as ``ExprTree``.

        >>> from classad import ClassAd
        >>> ClassAd("[Cpus = 4; Rank = Cpus * 2]")["rank"]
        Cpus * 2
        """
        value = self._stored(key)
        kind = value.__class__
        if kind is int or kind is bool or kind is float or (kind is str and value.isascii()):
            return value
        return item_to_python(value)

    def __setitem__(self, key: str, value: object) -> None:
        kind = value.__class__
        plain = kind is str or kind is bool or kind is float
        if not plain and kind is int and isinstance(value, int):
            plain = INT_MIN <= value <= INT_MAX
        if plain and key.__class__ is str and key.isidentifier():
            self.insert(key, value)
            return
        from classad.binding.convert import check_name, to_stored

        name = check_name(key)
        self.insert(name, to_stored(value, name))

    def __delitem__(self, key: str) -> None:
        folded = fold_name(_checked_key(key))
        if folded not in self._attrs:
            raise KeyError(key)
        del self._attrs[folded], self._own_names()[folded]

    def pop(self, key: str, default: PythonValue = _NO_DEFAULT) -> PythonValue:
        """Remove an own attribute and give what it was; an inherited one counts as absent.

        ``KeyError``: there is none of its own, and no default.
        """
        if fold_name(_checked_key(key)) in self._attrs:
            value = self[key]
            del self[key]
            return value
        if default is _NO_DEFAULT:
            raise KeyError(key)
        return default

    def __contains__(self, key: object) -> bool:
        return self._find(key) is not None

    def __len__(self) -> int:
        return len(self._attrs)

    def __iter__(self) -> Iterator[str]:
        """Shorter names first, then without case; a snapshot, so the ad may change meanwhile."""
        from classad.formats.unparse import ordered_names

        return iter([name for _, name in ordered_names(self)])

    def clear(self) -> None:
        """Remove all attributes."""
        self._attrs.clear()
        self._own_names().clear()

    def update(self, *others: PythonValue, **values: PythonValue) -> None:
        """Set attributes from an ad, a mapping or pairs, and from keywords.

        Expressions of an ad arrive as they are stored.
        """
        if others and isinstance(others[0], Ad):
            for key, value in list(others[0]._attrs.items()):
                if value.__class__ is Expression:
                    value = Expression.sharing(value)
                self.insert(others[0]._names[key], value)
            others = ()
        super().update(*others, **values)

    # --- evaluation ---------------------------------------------------------------------------

    def eval(self, attr: str, *, context: EvalContext | None = None) -> PythonValue:
        """The value of an attribute in this ad; ``KeyError`` if there is none.

        ``context``: clock, zone and random seed to use instead of the machine's.

        >>> from classad import ClassAd
        >>> ClassAd("[Cpus = 4; Rank = Cpus * 2]").eval("Rank")
        8
        """
        value = self._stored(attr)
        tree = value if value.__class__ is Expression else ExprTree.from_value(value)
        return ExprTree.eval(tree, self, context=context)

    def lookup(self, attr: str) -> ExprTree:
        """The expression of an attribute, also if it is a literal; ``KeyError`` if there is none.

        It does not remember this ad: ``lookup(name).eval()`` sees no attributes.

        >>> from classad import ClassAd
        >>> ClassAd("[Cpus = 4]").lookup("cpus")
        4
        """
        value = self._stored(attr)
        return (
            ExprTree.sharing(value) if value.__class__ is Expression else ExprTree.from_value(value)
        )

    def flatten(self, expr: ExprTree) -> PythonValue:
        """What is left of an expression when the attributes of this ad are put in.

        A Python value if nothing is left to be found out, else an ``ExprTree``.  Raises
        ``ClassAdValueError`` if an evaluation within fails as a whole.

        >>> from classad import ClassAd, ExprTree
        >>> ClassAd("[x = 2]").flatten(ExprTree("x * 3 + y"))
        6 + y
        """
        from classad.analysis.flatten import flatten

        result = flatten(self, _checked_expr(expr), context=current_context(), free=True)
        if not result.ok:
            raise ClassAdValueError("Unable to flatten expression.")
        if result.tree is not None:
            return ExprTree.from_node(result.tree)
        return to_python(result.value)

    def externalRefs(self, expr: ExprTree) -> list[str]:  # noqa: N802 - HTCondor's name
        """Names that an expression needs from elsewhere, sorted; ``['']`` if it needs none.

        Raises ``ClassAdValueError`` where HTCondor gives up: at a circle of references and at a
        selection from what is no ad.

        >>> from classad import ClassAd, ExprTree
        >>> ClassAd("[a = b + c; b = 1]").externalRefs(ExprTree("a + TARGET.d"))
        ['c', 'TARGET.d']
        """
        from classad.analysis.references import external_references

        tree = _checked_expr(expr)
        found = external_references(self, tree, full_names=True, context=current_context())
        if not found.ok:
            raise ClassAdValueError("Unable to determine external references.")
        return found.names or [""]

    def internalRefs(self, expr: ExprTree) -> list[str]:  # noqa: N802 - HTCondor's name
        """Attributes of this ad that an expression uses, also indirectly; ``['']`` if none.

        >>> from classad import ClassAd, ExprTree
        >>> ClassAd("[a = b + c; b = 1]").internalRefs(ExprTree("a + TARGET.d"))
        ['a', 'b']
        """
        from classad.analysis.references import internal_references

        found = internal_references(self, _checked_expr(expr), context=current_context())
        if not found.ok:
            raise ClassAdValueError("Unable to determine internal references.")
        return found.names or [""]

    def matches(self, ad: ClassAd) -> bool:
        """Whether *the argument's* ``Requirements`` accept this ad as their TARGET.

        True and numbers other than 0 accept; undefined, error, strings and no ``Requirements`` at
        all do not.  ``TypeError``: the argument is no ad.

        >>> from classad import ClassAd
        >>> ClassAd("[Memory = 1]").matches(ClassAd("[Requirements = TARGET.Memory > 0]"))
        True
        """
        checked_ad(ad, Ad, "ad")
        return half_match(ad, self, current_context())

    def symmetricMatch(self, ad: ClassAd) -> bool:  # noqa: N802 - HTCondor's name
        """Whether both ads' ``Requirements`` accept the other ad; see ``matches``.

        >>> from classad import ClassAd
        >>> ClassAd("[Requirements = true]").symmetricMatch(ClassAd("[Memory = 1]"))
        False
        """
        return self.matches(ad) and ad.matches(self)

    # --- text ---------------------------------------------------------------------------------

    def printOld(self) -> str:  # noqa: N802 - HTCondor's name
        """The long form: one ``Name = expression`` a line.

        >>> from classad import ClassAd
        >>> ClassAd("[b = 1; a = b + 1]").printOld()
        'a = b + 1\\nb = 1\\n'
        """
        from classad.formats.long import format_long

        return format_long(self) or "\n"

    formatOld = printOld  # noqa: N815 - HTCondor's name

    def printJson(self) -> str:  # noqa: N802 - HTCondor's name
        """The JSON form, indented; expressions are strings that begin with ``\\/Expr(``.

        >>> from classad import ClassAd
        >>> print(ClassAd("[b = 1; a = b + 1]").printJson())
        {
          "a": "\\/Expr(b + 1)\\/",
          "b": 1
        }
        """
        from classad.formats.json import format_json

        return format_json(self)

    formatJson = printJson  # noqa: N815 - HTCondor's name

    # --- identity -----------------------------------------------------------------------------

    def _repr_html_(self) -> str:
        from classad.formats.unparse import ad_html

        return ad_html(self)

    def __eq__(self, other: object) -> bool:
        """Structural, against an ad of exactly the same type; names are compared without case."""
        if not isinstance(other, Ad):
            return False
        return self.same_attributes(other) if type(self) is type(other) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[ClassAd], tuple[str]]:
        return (ClassAd, (repr(self),))

    # --- within -------------------------------------------------------------------------------

    def _find(self, key: object) -> Stored:
        return self.raw(_checked_key(key))

    def _stored(self, key: object) -> Stored:
        value = self._find(key)
        if value is None:
            raise KeyError(key)
        return value


FACTORIES[Ad] = ClassAd.copy_of


def _fill(ad: ClassAd, source: object) -> None:
    """Fill a new ad from the argument of its constructor."""
    if isinstance(source, str):
        _fill_from_text(ad, source)
    elif isinstance(source, Ad):
        ad.update(source)
    elif isinstance(source, Mapping) and not is_htcondors(source):
        for key, value in source.items():
            ad[key] = value
    else:
        advice = f"; {COPY_HELP}" if is_htcondors(source) else ""
        raise TypeError(f"input must be None, str, or dict{advice}")


def _fill_from_text(ad: ClassAd, text: str) -> None:
    """The first ad of a text in new syntax; what follows it is ignored, as classad2 does."""
    from classad.formats.new import quick_ad

    if "\0" in text:
        raise ValueError("embedded null character")
    tz = zone_name()
    context = current_context()
    if context.language is NEWEST and quick_ad(ad, text, tz):
        return
    from classad.syntax.parser import parse_ad_prefix

    try:
        node, _ = parse_ad_prefix(text, tz=tz, strict=context.strict, language=context.language)
    except ClassAdParseError as problem:
        raise ClassAdParseError(NO_AD, problem.diagnostic) from None
    fill_from_node(ad, node)


def _checked_key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError("ClassAd keys are strings")
    return key


def _checked_expr(expr: object) -> Expression:
    if not isinstance(expr, Expression):
        raise TypeError("expr must be an ExprTree")
    return expr
