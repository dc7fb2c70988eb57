"""Checks for words without quotes where only a text can stand.

What is compared with such a word is looked at by ``policy.lint.comparisons``.
Follows: expressions of ClassAds, where `CERN-PROD` is a difference and `a.b` a part of a record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from classad.errors import Diagnostic
from classad.patterns import late_regex
from classad.syntax.nodes import Call, Node, Reference, bare
from policy.attributes import attribute_of_command, find_attribute
from policy.knobs.declaration import Wanted
from policy.lint.attributes import UNKNOWN_ATTRIBUTE
from policy.lint.comparisons import UNQUOTED, are_words, is_known, literal_of
from policy.lint.expressions import MacroExpression
from policy.lint.finding import Advice, Meant, Per, looks_at
from policy.lint.trees import ends, takes_pattern, text_of

#: A value that is what one macro or function of the configuration language has.
_ONE_REFERENCE: Final = late_regex(r"\$\w*\([^()]*\)")
#: Functions whose second argument is a text with commas, with case and without.
_OF_TEXT_LISTS: Final = late_regex(r"stringlisti?member", re.IGNORECASE)


@looks_at(Per.NODE)
def noliteral_of(one: MacroExpression, node: Node) -> Iterator[Diagnostic]:
    """``START = Flase``."""
    meant = literal_of(node) if isinstance(node, Reference) else None
    if isinstance(node, Reference) and meant and not is_known(one, node.name.casefold()):
        message = f"`{node.name}` is an attribute that nobody has"
        yield one.say(UNKNOWN_ATTRIBUTE, message, node, Meant(meant, node.name))


@looks_at(Per.NODE)
def single_word(one: MacroExpression, node: Node) -> Iterator[Diagnostic]:
    """A name where only a text can stand: a pattern, a published value."""
    if isinstance(node, Call) and takes_pattern(node):
        node = node.args[0] if node.args else node
    elif isinstance(node, Call):
        node = _word_for_list(node) or node
    elif node is not one.tree or one.use.wanted is not Wanted.ANY:
        return
    if node is one.tree and attribute_of_command(one.setting.macro) is not None:
        return  # no attribute at all, as is said of the list
    word = bare(node)
    if isinstance(word, Reference) and literal_of(word):
        return
    whole = one.text[word.start : word.end]
    if node is one.tree and are_words(one, whole):
        advice = Meant(f'"{whole}"', whole)
        yield one.say(UNQUOTED, f"`{whole}` is not quoted, so it reads as attributes", word, advice)
    if not isinstance(word, Reference) or word.base is not None:
        return
    folded = word.name.casefold()
    if not one.view.words.isdisjoint((f"my.{folded}", f"target.{folded}")):
        return  # elsewhere it is an attribute
    # What a cron job of the startd publishes has a longer name than one word in capitals.
    single = word.name.islower() or (word.name.isupper() and "_" not in word.name)
    if not single and "startd_cron_joblist" in one.view.defined:
        return
    if find_attribute(word.name) is None and not is_known(one, word.name.casefold()):
        message = "is not quoted, so it is an attribute"
        entry, written = one.setting.entry, one.setting.entry.raw.strip()
        if node is one.tree and _ONE_REFERENCE.fullmatch(written):
            # What has the word may be used elsewhere without quotes, or be HTCondor's own.
            one.said.add(UNQUOTED.id)
            message = f"`{written}` is `{word.name}`, which {message}"
            yield UNQUOTED.on(entry, message, Meant(f'"{written}"', written))
        else:
            text = word.name.replace('"', '\\"')
            is_number = one.setting.folded.endswith("_subcode")
            what: Advice = "a subcode is a number" if is_number else Meant(f'"{text}"', word.name)
            yield one.say(UNQUOTED, f"`{word.name}` {message}", word, what)


@looks_at(Per.EXPRESSION)
def word_of_choice(one: MacroExpression) -> Iterator[Diagnostic]:
    """``Size = ifThenElse(Cpus > 8, large, "small")``: beside a text another one is meant."""
    parts = list(ends(one.tree)) if one.use.wanted is Wanted.ANY else []
    texts = [part for part in parts if text_of(part)]
    for part in parts if texts and len(parts) > 1 else ():
        word = bare(part)
        if not isinstance(word, Reference) or word.base is not None:
            continue
        single = word.name.islower() or (word.name.isupper() and "_" not in word.name)
        if single and find_attribute(word.name) is None and not is_known(one, word.name.casefold()):
            message = f"`{word.name}` is not quoted, so it is an attribute"
            yield one.say(UNQUOTED, message, word, Meant(f'"{word.name}"', word.name))


def _word_for_list(node: Call) -> Node | None:
    """What stands for the list that an attribute is looked for in, if it is one word."""
    if _OF_TEXT_LISTS.fullmatch(node.name) is None or len(node.args) < 2:
        return None
    # Jobs have attributes of their own that are lists, mostly of several words.
    item, listed = bare(node.args[0]), bare(node.args[1])
    if not isinstance(item, Reference) or not isinstance(listed, Reference):
        return None
    one_word = (listed.name.islower() or listed.name.isupper()) and "_" not in listed.name
    return listed if one_word and find_attribute(item.name) is not None else None
