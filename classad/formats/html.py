"""Shows ads, expressions and explanations in a notebook.

Inputs: ads, texts.  Outputs: HTML without style sheets; all text is escaped.
"""

from __future__ import annotations

from html import escape

from classad.ads.ad import Ad
from classad.formats.order import ordered_names
from classad.formats.unparse import unparse_value


def ad_html(ad: Ad) -> str:
    """A table of names and expressions."""
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td><code>{escape(unparse_value(ad._attrs[key]))}</code>"
        "</td></tr>"
        for key, name in ordered_names(ad)
    )
    return f"<table><tbody>{rows}</tbody></table>"


def expression_html(text: str) -> str:
    """An expression on its own."""
    return f"<code>{escape(text)}</code>"


def text_html(text: str) -> str:
    """Text over several lines, as it is printed."""
    return f"<pre>{escape(text)}</pre>"
