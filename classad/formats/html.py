"""How ads, expressions and explanations look in a notebook.

Inputs: the objects.  Outputs: HTML without style sheets; all text is escaped.
Never here: evaluation, other output.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from classad.analysis.explanation import Explanation
    from classad.binding.ad import AdMapping


def ad_html(ad: AdMapping) -> str:
    """A table of names and expressions."""
    from classad.formats.unparse import unparse_value

    rows = "".join(
        f"<tr><th>{escape(name)}</th><td><code>{escape(unparse_value(_stored(ad, name)))}</code>"
        "</td></tr>"
        for name in ad
    )
    return f"<table><tbody>{rows}</tbody></table>"


def _stored(ad: AdMapping, name: str) -> Any:
    return ad._find(name)


def expression_html(text: str) -> str:
    """An expression on its own."""
    return f"<code>{escape(text)}</code>"


def explanation_html(explanation: Explanation) -> str:
    """The tree as it is printed."""
    return f"<pre>{escape(explanation.render())}</pre>"
