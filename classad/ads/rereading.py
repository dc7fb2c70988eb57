"""Has ads that were read by the newest rules read as by those of another version.

For captures, whose version is known when their ads have been read.  Only ``? :`` with a blank is
read in another way (``classad.syntax.parser.regrouped``).

Inputs: ads or what they keep, and ``LanguageRules``.  Outputs: the same where nothing changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from classad.ads.ad import Ad, ListValue, Stored, node_of_value, stored_form
from classad.ads.expression import Expression
from classad.language.rules import LanguageRules
from classad.syntax.unbuilt import Unbuilt

__all__ = ["may_differ", "reread", "reread_ad"]

_BLANK_ELVIS: Final = re.compile(r"\?\s+:")


def may_differ(texts: Iterable[str], language: LanguageRules) -> bool:
    """Whether one of the texts may be read otherwise by other rules."""
    return not language.blank_in_elvis and any(map(_BLANK_ELVIS.search, texts))


def reread_ad(ad: Ad, language: LanguageRules) -> bool:
    """Change an ad to what it says by other rules; whether there was anything to change."""
    changed = False
    if not language.blank_in_elvis:
        for key, value in list(ad._attrs.items()):
            again = reread(value, ad, language)
            if again is not value:
                ad.insert(ad._names[key], again)
                changed = True
    return changed


def reread(value: Stored, ad: Ad | None, language: LanguageRules) -> Stored:
    """What ``ad`` keeps by other rules; the value itself if that is the same."""
    if language.blank_in_elvis:
        return value
    tree = value
    if isinstance(value, Ad | ListValue):
        tree = Expression.from_node(node_of_value(value))
    if not isinstance(tree, Expression) or isinstance(tree._node, Unbuilt):
        return value  # the texts of which no tree was made yet have none
    from classad.syntax.parser import regrouped

    node = regrouped(tree._node, language)
    return value if node is tree._node else stored_form(Expression.from_node(node), ad)
