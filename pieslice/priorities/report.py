"""Writes what ``condor_userprio`` prints for a set of accounting ads.

Decides which records are meant (users, ``-constraint``, ``-name``), and the form: table, long,
autoformat, JSON.

Inputs: accounting ads in arrival order (or the one with numbered attributes), options, the times.
Outputs: text; raises ``UsageError`` for an expression that does not parse.  Follows:
condor_userprio of HTCondor 25.14.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from attr import frozen

from classad import ClassAd, ExprTree
from classad.errors import ClassAdParseError
from classad.evaluate import evaluate
from classad.files.ads import format_ad
from classad.formats.autoformat import Layout, attribute_of
from classad.match import is_true
from negotiator.capture.ads import is_numbered, split_numbered
from negotiator.model.result import ROOT_GROUP
from pieslice.priorities.options import Options, UsageError
from pieslice.priorities.rows import join_numbered, rows_of
from pieslice.priorities.table import StateView, render
from pieslice.terminal import printable, printable_json


@frozen(eq=False)
class AccountingSource:
    """Accounting ads, and how local time is told."""

    ads: Sequence[ClassAd]
    last_update: int

    @staticmethod
    def of(ads: Sequence[ClassAd]) -> AccountingSource:
        """The newest update that the ads tell, 0 if none does."""
        updates = [ad.evaluate_attr("LastUpdate") for ad in ads]
        return AccountingSource(
            ads, max((value for value in updates if value.__class__ is int), default=0)
        )

    def records(self) -> list[ClassAd]:
        """One ad for each record."""
        if len(self.ads) == 1 and is_numbered(self.ads[0]):
            return split_numbered(self.ads[0])
        return list(self.ads)


def answer(source: AccountingSource, options: Options, view: StateView) -> str:
    """The text on standard output."""
    records = _selected(source.records(), options)
    if options.autoformat is not None:
        return _autoformat(records, options)
    if options.json:
        parts = ",\n".join(format_ad(ad, "json") for ad in records)
        return printable_json(f"[\n{parts}\n]\n")
    if options.modular:
        return "".join(f"\n{_long(ad)}" for ad in records)
    if options.long:
        if source.ads and is_numbered(source.ads[0]):
            return _long(source.ads[0])
        if options.group_rollup:
            return _long(join_numbered(records, source.last_update))
        return "".join(f"{_long(ad)}\n" for ad in records)
    return render(rows_of(records), options, view)


def _long(ad: ClassAd) -> str:
    """An ad with its attributes in the order of their names."""
    ordered = ClassAd()
    for name in sorted(ad.names(), key=str.lower):
        ordered.insert(name, ad.raw(name))
    return format_ad(ordered, "long")


def _selected(ads: list[ClassAd], options: Options) -> list[ClassAd]:
    if options.negotiator_name is not None:
        wanted = options.negotiator_name.lower()
        ads = [ad for ad in ads if (ad.get_string("NegotiatorName") or "").lower() == wanted]
    if options.constraint is not None:
        tree = _expression(options.constraint)
        ads = [ad for ad in ads if is_true(evaluate(tree, ad))]
    if options.users:
        ads = [ad for ad in ads if _is_meant(ad.evaluate_attr("Name"), options.users)]
    return ads


def _is_meant(name: object, users: list[str]) -> bool:
    """With an ``@`` the whole name counts, without it the part before, in any case."""
    if not isinstance(name, str):
        return False
    before = name.partition("@")[0].lower()
    return any(
        name == user if "@" in user or user == ROOT_GROUP else before == user.lower()
        for user in users
    )


def _expression(text: str) -> ExprTree:
    try:
        return ExprTree(text)
    except ClassAdParseError as problem:
        raise UsageError(f"`{text}` is not an expression: {problem.args[0]}") from None


def _autoformat(ads: Sequence[ClassAd], options: Options) -> str:
    try:
        layout = Layout(options.autoformat_options, printable)
    except ValueError as problem:
        raise UsageError(str(problem)) from None
    titles = options.autoformat or []
    trees = [_expression(text) for text in titles]
    if not trees:
        raise UsageError("`-af` needs an expression")
    look = _unevaluated if layout.raw else evaluate
    cells = ([layout.cell(look(tree, ad)) for tree in trees] for ad in ads)
    return "".join(f"{line}\n" for line in layout.lines(titles, cells, ahead=False))


def _unevaluated(tree: ExprTree, ad: ClassAd) -> object:
    """What stands in the ad for an attribute, or the expression itself."""
    name = attribute_of(tree)
    return tree if name is None else ad.raw(name)
