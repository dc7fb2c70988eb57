"""Checks levels, methods and lists of the security configuration.

Follows: the daemons of 25.14.1: a level is read by its first letter, methods that do not exist are
passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from classad.errors import Diagnostic, suggest
from policy.lint.finding import ERROR, WARNING, Finding
from policy.lint.lists import items
from policy.lint.places import stretch
from policy.lint.view import Setting, View

LEVEL: Final = Finding(
    "P231",
    WARNING,
    "a security level that is none",
    "Levels are REQUIRED, PREFERRED, OPTIONAL and NEVER. The daemons look at the first letter only,"
    " so that ON counts as OPTIONAL and NEEDED as NEVER; at a letter that begins no level they end,"
    " with exit status 4.",
    "SEC_DEFAULT_ENCRYPTION = NEEDED\n",
    "SEC_DEFAULT_ENCRYPTION = REQUIRED\n",
)
METHOD: Final = Finding(
    "P232",
    WARNING,
    "an authentication method that does not exist",
    "The daemons pass over methods that they do not know. GSI is no longer supported.",
    "SEC_DEFAULT_AUTHENTICATION_METHODS = FS, IDTOKEN5\n",
    "SEC_DEFAULT_AUTHENTICATION_METHODS = FS, IDTOKENS\n",
)
SEPARATOR: Final = Finding(
    "P233",
    WARNING,
    "a semicolon in a list of hosts or users",
    "Items stand between commas and blanks; a semicolon belongs to its item, which fits nobody.",
    "ALLOW_WRITE = *.batch.example.edu; cm.example.edu\n",
    "ALLOW_WRITE = *.batch.example.edu, cm.example.edu\n",
    observed="Not observed with a daemon: it follows from how lists are read.",
)
_LEVEL: Final = re.compile(
    r"SEC_\w+_(AUTHENTICATION|ENCRYPTION|INTEGRITY|NEGOTIATION)", re.IGNORECASE
)
_METHODS: Final = re.compile(r"SEC_\w+_AUTHENTICATION_METHODS", re.IGNORECASE)
_LISTS: Final = re.compile(r"(ALLOW|DENY)_\w+", re.IGNORECASE)
_LEVELS: Final = ("REQUIRED", "PREFERRED", "OPTIONAL", "NEVER")
#: Words that count as levels, too, and mean what they count as.
_OTHER_WORDS: Final = ("YES", "NO", "TRUE", "FALSE", "NONE")
#: The level that a first letter stands for.
_BY_LETTER: Final = {
    **dict.fromkeys("RYT", "REQUIRED"),
    "P": "PREFERRED",
    "O": "OPTIONAL",
    "F": "NEVER",
    "N": "NEVER",
}
#: With so many letters in common a slip means what it counts as.
_ALIKE: Final = 3
_KNOWN: Final = (
    *("SSL", "KERBEROS", "PASSWORD", "FS", "FS_REMOTE", "IDTOKEN", "IDTOKENS", "TOKEN", "TOKENS"),
    *("SCITOKEN", "SCITOKENS", "NTSSPI", "MUNGE", "CLAIMTOBE", "ANONYMOUS"),
)


def check_security(view: View) -> Iterator[Diagnostic]:
    """Everything about security."""
    for setting in view.settings:
        if _LEVEL.fullmatch(setting.macro):
            yield from _level(setting)
        elif _METHODS.fullmatch(setting.macro):
            yield from _methods(setting)
        elif _LISTS.fullmatch(setting.macro):
            yield from _separators(setting)


def _level(setting: Setting) -> Iterator[Diagnostic]:
    text = setting.text()
    word = text.strip().upper()
    if not word or word in (*_LEVELS, *_OTHER_WORDS):
        return
    place = stretch(setting, text, 0, len(text))
    counts = _BY_LETTER.get(word[0])
    if counts is None:
        found = LEVEL.at(f"`{text}` is no level", *place, "the daemons end when they read this")
        found.severity = ERROR
        yield found
    elif counts[:_ALIKE] != word[:_ALIKE]:
        message = f"`{text}` is no level; for its first letter it counts as {counts}"
        yield LEVEL.at(message, *place, f"levels are {', '.join(_LEVELS)}")


def _methods(setting: Setting) -> Iterator[Diagnostic]:
    text = setting.text()
    for item in items(setting):
        name = item.text.upper()
        if name in _KNOWN or item.text[0] in "\"'" or item.text[-1] in "\"'":
            continue
        place = stretch(setting, text, item.start, item.end)
        meant = suggest(name, _KNOWN)
        help_text = "GSI is no longer supported" if name == "GSI" else None
        help_text = f"did you mean `{meant}`?" if meant is not None else help_text
        yield METHOD.at(f"there is no method `{item.text}`; it is passed over", *place, help_text)


def _separators(setting: Setting) -> Iterator[Diagnostic]:
    text = setting.text()
    at = text.find(";")
    if at >= 0:
        place = stretch(setting, text, at, at + 1)
        yield SEPARATOR.at("`;` separates no items", *place, "separate them with commas")
