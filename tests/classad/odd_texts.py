"""Texts of ads in each form: sound ones, and what chance makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

_BASES: Final = {
    "long": 'A = 1\n B =  "x y" \n\n# c\nC = A + 2\nD = {1, [e = 2]}\na = true\n\n\n'
    'F = 1.5e3\nG= "q\\"r"\n',
    "new": "[a = 1; b = \"x;]\\n\"; c = {1, [d = 2]}; 'e f' = a + 1; ]\n[g = 3.50; h = error]\n",
    "json": '[{"a": 1, "b": [1, {"c": true}], "d": "\\/Expr(a + 1)\\/"},\n'
    '{"e": -1.5e1, "f": "x\\u00e9\\n", "g": null, "h": {}}\n]\n',
    "xml": '<?xml version="1.0"?>\n<classads>\n<c>\n<a n="A"><i>1</i></a>\n'
    '<a n="B"><s>x &lt;y&gt;</s></a>\n<a n="C"><l><r>1.5</r><b v="t"/></l></a>\n'
    '<a n="D"><e>A + 1</e></a>\n</c>\n<c><a n="E"><un/></a><a n="F"><er/></a>'
    '<a n="G"><c><a n="x"><i>-7</i></a></c></a><a n="H"><rt>1+00:00:05</rt></a></c>\n</classads>\n',
}
_INSERTED: Final = {
    "long": ("=", "\n", "\n\n", '"', "#", " ", "1", "{", "A", "\t", "\0", "\r", "\\", "x = ",
    "//", "]", ";",
             "99999999999999999999", "\u00e9", "Y = 1 +\n", "z\n", "'", "b = 08\n", "v = 5 junk\n"),
    "new": (";", "]", "[", "}", '"', "'", "=", " ", "//", "/*", "*/", "{", ",", "\\", "\n", "[]",
    "1",
            "99999999999999999999", "\0", "\u00e9", "a = 2;", "(", "+", "# c\n", "x;", "=="),
    "json": (",", "{", "}", "[", "]", '"', ":", " ", "\\", "1", "null", "true", "tru", "\\u00",
    "\n", "{}", "-",
             ".", "e", "99999999999999999999", "//c\n", "/*", "\\/Expr(", '"k": 1,', "\0", "\t",
             "01", "NaN",
             '"\\/Expr(1 +)\\/"', '"i": 1e999,'),
    "xml": ("<", ">", "&", "&amp;", "&#65;", "&x;", '"', "/", "<c>", "</c>", '<a n="z">', "</a>",
    "<i>", "</i>", "x", " ",
            "<!-- c -->", "<l/>", "<q/>", "<b v='f'/>", "\n", "<s></s>", "<s/>",
            "99999999999999999999", "<r>x</r>",
            "<i>1x</i>", "<e>1 +</e>", "\0", "<at>2020-01-01T00:00:00+00:00</at>",
            "<![CDATA[x]]>", "<n>3</n>"),
}  # fmt: skip


def odd_texts() -> Iterator[Any]:
    """Forms, policies and texts: sound ones and what chance makes of them."""
    for form, base in _BASES.items():
        rng = Random(f"read {form}")
        yield [form, "warn", base]
        yield ["auto", "htcondor", base]
        for number in range(95):
            text = base
            for _ in range(rng.choice((1, 1, 1, 2))):
                at = rng.randrange(len(text) + 1)
                match rng.randrange(6):
                    case 0:
                        text = text[:at] + text[at + 1 :]
                    case 1:
                        text = text[:at] + text[at + rng.randrange(2, 12) :]
                    case 2:
                        text = text[:at] if rng.random() < 0.4 else text[at:]
                    case _:
                        text = text[:at] + rng.choice(_INSERTED[form]) + text[at:]
            policy = ("warn", "warn", "warn", "htcondor", "strict")[number % 5]
            yield [form if number % 7 else "auto", policy, text]
