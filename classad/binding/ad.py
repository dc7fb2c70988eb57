"""The mapping interface of ``ClassAd``: what Python code sees of an ad.

What is decided here: key checks, iteration order (shorter names first), which values come
back evaluated, equality, text forms, pickling.  Values are converted by
``classad.binding.convert``, evaluated by ``ExprTree.eval``.

Inputs: Python keys and values.  Outputs: Python values; they are copies, changing one changes
nothing in the ad.
Never here: storage, the semantics of the language.
Follows: ``ClassAd`` of classad2 25.14.1 without its crashes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

from classad.errors import ClassAdValueError
from classad.language.names import fold_name
from classad.language.values import INT_MAX, INT_MIN

if TYPE_CHECKING:
    from classad.ads.ad import ClassAd
    from classad.ads.expression import ExprTree
    from classad.evaluation.state import EvalContext

#: First sentence of classad2's error for a text that is no ad.
NO_AD = "Unable to parse string into a ClassAd."


class AdMapping(MutableMapping[str, Any]):
    """The Python side of an ad; ``_attrs`` and ``_names`` are the storage of ``ClassAd``."""

    __slots__ = ()

    _attrs: dict[str, Any]
    _names: dict[str, str]

    # --- mapping ------------------------------------------------------------------------------

    def __getitem__(self, key: str) -> Any:
        """A literal, list or ad as a Python value; any other expression as ``ExprTree``.

        >>> from classad import ClassAd
        >>> ClassAd("[Cpus = 4; Rank = Cpus * 2]")["rank"]
        Cpus * 2
        """
        value = self._stored(key)
        kind = value.__class__
        if kind is int or kind is bool or kind is float or (kind is str and value.isascii()):
            return value
        from classad.binding.convert import item_to_python

        return item_to_python(value)

    def __setitem__(self, key: str, value: Any) -> None:
        kind = value.__class__
        plain = kind is str or kind is bool or kind is float
        if (plain or (kind is int and INT_MIN <= value <= INT_MAX)) and _is_plain(key):
            self._insert(key, value)
            return
        from classad.binding.convert import check_name, to_stored

        name = check_name(key)
        self._insert(name, to_stored(value, name))

    def __delitem__(self, key: str) -> None:
        folded = fold_name(_checked_key(key))
        if folded not in self._attrs:
            raise KeyError(key)
        del self._attrs[folded], self._ad()._own_names()[folded]

    def __contains__(self, key: object) -> bool:
        return self._find(key) is not None

    def __len__(self) -> int:
        return len(self._attrs)

    def __iter__(self) -> Iterator[str]:
        """Shorter names first, then without case; a snapshot, so the ad may change meanwhile."""
        from classad.formats.order import ordered_names

        return iter([name for _, name in ordered_names(self._ad())])

    def clear(self) -> None:
        """Remove all attributes."""
        self._attrs.clear()
        self._ad()._own_names().clear()

    def update(self, *others: Any, **values: Any) -> None:
        """Set attributes from an ad, a mapping or pairs, and from keywords.

        Expressions of an ad arrive as they are stored.
        """
        if others and isinstance(others[0], AdMapping):
            from classad.ads.expression import ExprTree

            for key, value in list(others[0]._attrs.items()):
                if value.__class__ is ExprTree:
                    value = value.handed_out()
                self._insert(others[0]._names[key], value)
            others = ()
        super().update(*others, **values)

    # --- evaluation ---------------------------------------------------------------------------

    def eval(self, attr: str, *, context: EvalContext | None = None) -> Any:
        """The value of an attribute in this ad; ``KeyError`` if there is none.

        ``context``: clock, zone and random seed to use instead of the machine's.

        >>> from classad import ClassAd
        >>> ClassAd("[Cpus = 4; Rank = Cpus * 2]").eval("Rank")
        8
        """
        from classad.ads.expression import ExprTree

        value = self._stored(attr)
        tree = value if value.__class__ is ExprTree else ExprTree.from_value(value)
        return tree.eval(self._ad(), context=context)

    def lookup(self, attr: str) -> ExprTree:
        """The expression of an attribute, also if it is a literal; ``KeyError`` if there is none.

        It does not remember this ad: ``lookup(name).eval()`` sees no attributes.

        >>> from classad import ClassAd
        >>> ClassAd("[Cpus = 4]").lookup("cpus")
        4
        """
        from classad.ads.expression import ExprTree

        value = self._stored(attr)
        return value.handed_out() if value.__class__ is ExprTree else ExprTree.from_value(value)

    def flatten(self, expr: ExprTree) -> Any:
        """What is left of an expression when the attributes of this ad are put in.

        A Python value if nothing is left to be found out, else an ``ExprTree``.  Raises
        ``ClassAdValueError`` if an evaluation within fails as a whole.

        >>> from classad import ClassAd, ExprTree
        >>> ClassAd("[x = 2]").flatten(ExprTree("x * 3 + y"))
        6 + y
        """
        from classad.ads.expression import ExprTree
        from classad.analysis.flatten import flatten
        from classad.binding.convert import to_python

        result = flatten(self._ad(), _checked_expr(expr), context=_ambient())
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
        found = external_references(self._ad(), tree, full_names=True, context=_ambient())
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

        found = internal_references(self._ad(), _checked_expr(expr), context=_ambient())
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
        from classad.match import half_match

        if not isinstance(ad, AdMapping):
            raise TypeError("ad must be a ClassAd")
        return half_match(ad, self._ad(), _ambient())

    def symmetricMatch(self, ad: ClassAd) -> bool:  # noqa: N802 - HTCondor's name
        """Whether both ads' ``Requirements`` accept the other ad; see ``matches``.

        >>> from classad import ClassAd
        >>> ClassAd("[Requirements = true]").symmetricMatch(ClassAd("[Memory = 1]"))
        False
        """
        return self.matches(ad) and ad.matches(self._ad())

    # --- text ---------------------------------------------------------------------------------

    def printOld(self) -> str:  # noqa: N802 - HTCondor's name
        """The long form: one ``Name = expression`` a line.

        >>> from classad import ClassAd
        >>> ClassAd("[b = 1; a = b + 1]").printOld()
        'a = b + 1\\nb = 1\\n'
        """
        from classad.formats.long import format_long

        return format_long(self._ad()) or "\n"

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

        return format_json(self._ad())

    formatJson = printJson  # noqa: N815 - HTCondor's name

    def __str__(self) -> str:
        from classad.formats.unparse import pretty

        return pretty(self)

    def __repr__(self) -> str:
        from classad.formats.unparse import unparse_value

        return unparse_value(self)

    # --- identity -----------------------------------------------------------------------------

    def _repr_html_(self) -> str:
        from classad.formats.html import ad_html

        return ad_html(self._ad())

    def __eq__(self, other: object) -> bool:
        """Structural, against an ad of exactly the same type; names are compared without case."""
        if type(self) is not type(other):
            return NotImplemented if isinstance(other, AdMapping) else False
        assert isinstance(other, AdMapping)
        return same_attributes(self, other)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        from classad.ads.ad import ClassAd

        return (ClassAd, (repr(self),))

    # --- within -------------------------------------------------------------------------------

    def _ad(self) -> ClassAd:
        """This object, to the type checker."""
        return self  # type: ignore[return-value]

    def _insert(self, name: str, value: Any) -> None:
        self._ad().insert(name, value)

    def _find(self, key: object) -> Any:
        return self._ad().raw(_checked_key(key))

    def _stored(self, key: object) -> Any:
        value = self._find(key)
        if value is None:
            raise KeyError(key)
        return value


def fill(ad: ClassAd, source: Any) -> None:
    """Fill a new ad from the argument of its constructor."""
    if isinstance(source, str):
        _fill_from_text(ad, source)
    elif isinstance(source, AdMapping):
        ad.update(source)
    elif isinstance(source, Mapping):
        for key, value in source.items():
            ad[key] = value
    else:
        raise TypeError("input must be None, str, or dict")


def _fill_from_text(ad: ClassAd, text: str) -> None:
    """The first ad of a text in new syntax; what follows it is ignored, as classad2 does."""
    from classad.binding.ambient import current_context, zone_name
    from classad.formats.ordinary import quick_ad

    if "\0" in text:
        raise ValueError("embedded null character")
    tz = zone_name()
    quick = quick_ad(text, tz)
    if quick is not None:
        ad._take(quick)
        return
    from classad.ads.stored import item_of
    from classad.errors import ClassAdParseError
    from classad.syntax.parser import parse_ad_prefix

    try:
        node, _ = parse_ad_prefix(text, tz=tz, strict=current_context().strict)
    except ClassAdParseError as problem:
        raise ClassAdParseError(NO_AD, problem.diagnostic) from None
    for name, value in node.attributes:
        ad.insert(name, item_of(value))


def same_attributes(left: AdMapping, right: AdMapping) -> bool:
    """Whether two ads have the same names and structurally equal values."""
    from classad.ads.stored import node_of_value
    from classad.syntax.nodes import same_tree

    mine, theirs = left._attrs, right._attrs
    return mine.keys() == theirs.keys() and all(
        same_tree(node_of_value(value), node_of_value(theirs[key]), close_reals=True)
        for key, value in mine.items()
    )


def _is_plain(key: object) -> bool:
    """Whether a key needs no further look."""
    return key.__class__ is str and key.isidentifier()


def _checked_key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError("ClassAd keys are strings")
    return key


def _checked_expr(expr: Any) -> ExprTree:
    from classad.ads.expression import ExprTree

    if not isinstance(expr, ExprTree):
        raise TypeError("expr must be an ExprTree")
    return expr


def _ambient() -> Any:
    from classad.binding.ambient import current_context

    return current_context()
