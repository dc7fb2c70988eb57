"""Tells the file forms apart by their beginning.

Inputs: the first characters of a text, or the first bytes of a file.  Outputs: the name of a form
(``long``, ``new``, ``json``, ``xml``) or of a compression; the tool whose table for people it is.
Follows: ``-ads:auto`` of HTCondor's tools where that recognises something, and beyond it: an ad or
a JSON object spread over several lines, XML without the exact first line.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from classad.formats.new import skip_blanks

Form = Literal["long", "new", "json", "xml"]

#: Magic bytes -> name of the compression.
_MAGIC: Final = {
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ\x00": "xz",
    b"BZh": "bzip2",
    b"\x28\xb5\x2f\xfd": "zstd",
}
#: How tables of HTCondor's tools begin -> the command that prints the ads instead.
_TABLES: Final = (
    (re.compile(r"(?:Name|Machine|MyType)[ \t]+[A-Za-z][^=]*$"), "condor_status -long"),
    (re.compile(r"-- (?:Schedd|Submitter):|OWNER[ \t]+BATCH_NAME[^=]*$"), "condor_q -all -long"),
    (re.compile(r"ID[ \t]+OWNER[ \t][^=]*$"), "condor_history -long"),
    (re.compile(r"Last Priority Update:|User Name[ \t]"), "condor_userprio -all -long"),
)


def detect_form(text: str) -> Form:
    """The form of a text that starts like this.

    >>> [detect_form(text) for text in ('Cpus = 1', '[Cpus = 1]', '{"Cpus": 1}', '<c>')]
    ['long', 'new', 'json', 'xml']
    """
    start = skip_blanks(text, 1 if text.startswith("\ufeff") else 0)
    first = text[start : start + 1]
    inside = skip_blanks(text, start + 1)
    second = text[inside : inside + 1]
    if first == "<":
        return "xml"
    if first == "[":
        if second == "]" and skip_blanks(text, inside + 1) == len(text):
            return "json"  # nothing but an empty list
        return "json" if second == "{" else "new"
    if first == "{":
        return "new" if second == "[" else "json"
    return "long"


def detect_compression(head: bytes) -> str | None:
    """The compression of a file that starts with these bytes, or None."""
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), None)


def detect_table(text: str) -> str | None:
    """The command that saves ads, for a text that is the same tool's table for people; else None.

    >>> detect_table("Name  OpSys  Arch  State"), detect_table('Name = "slot1@node1"')
    ('condor_status -long', None)
    """
    first = text.removeprefix("\ufeff").lstrip().partition("\n")[0].rstrip()
    return next((command for begin, command in _TABLES if begin.match(first)), None)
