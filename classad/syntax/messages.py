"""Says why a text does not parse: what was expected, what was found, what to write.

Inputs: a ``Situation``, the token where parsing stopped and what stood before it.  Outputs: a
message, an optional suggestion, and the span to point at.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from classad.syntax.lexing import BAD, END, Fault, Token

_OPERATORS: Final = frozenset({"OR", "PLUS", "EQUAL"})
_CLOSER_OF: Final = {"OPEN_PAREN": ")", "OPEN_BOX": "]", "OPEN_BRACE": "}"}
_CLOSER_KIND: Final = {
    "OPEN_PAREN": "CLOSE_PAREN",
    "OPEN_BOX": "CLOSE_BOX",
    "OPEN_BRACE": "CLOSE_BRACE",
}
_PLAIN: Final = {
    "COLON": "`:`",
    "BOUND_TO": "`=`",
    "COMMA": "`,`",
    "SEMICOLON": "`;`",
    "CLOSE_PAREN": "`)`",
    "CLOSE_BOX": "`]`",
    "CLOSE_BRACE": "`}`",
    END: "end of expression",
}
_WORDS: Final = {"and": "&&", "or": "||", "not": "!"}
_UNITS: Final = {"K": 10, "M": 20, "G": 30, "T": 40}
_RESERVED: Final = frozenset({"TRUE", "FALSE", "UNDEFINED", "ERROR", "IS", "ISNT"})
_STRINGS: Final = frozenset({"OLD_STRING", "NEW_STRING"})
_NUMBERS: Final = frozenset({"INTEGER", "REAL"})
_PREFIXES: Final = frozenset({"MINUS", "PLUS", "NOT", "BIT_NOT"})
_QUOTED: Final = frozenset({"OLD_QUOTED", "NEW_QUOTED"})
#: Two signs in a row that other languages read as one operator.
_FOREIGN: Final = {
    "<>": "not equal is written `!=`",
    "**": "there is no power operator; write `pow(a, b)`",
    "===": "identity is written `=?=`, equality `==`",
    "!==": "the opposite of identity is written `=!=`",
    "=<": "write `<=`",
    "=>": "write `>=`",
}


class Situation(NamedTuple):
    """Where parsing stopped: the token, the two before it, what could have stood there instead
    (terminals), and the brackets open at this point."""

    text: str
    token: Token
    previous: Token | None
    before: Token | None
    expected: frozenset[str]
    open: list[Token]


def explain(at: Situation) -> tuple[str, str | None, int, int]:
    """Message, help, start and end of the place to point at."""
    token = at.token
    if token.kind == BAD:
        fault = token.value
        assert isinstance(fault, Fault)
        return fault.message, fault.help, token.start, token.end
    if token.kind == END and at.open and _CLOSER_KIND[at.open[-1].kind] in at.expected:
        opener = at.open[-1]
        message = f"`{opener.value}` is never closed"
        return message, f"a `{_CLOSER_OF[opener.kind]}` is missing", opener.start, opener.end
    if token.kind == END and at.previous is None and "INTEGER" in at.expected:
        return "the expression is empty", None, token.start, token.end
    message = f"expected {_expected(at)}, found {_found(at)}"
    return message, _help(at), token.start, token.end


def _wants(expected: frozenset[str]) -> list[str]:
    """The expected terminals in words."""
    words: list[str] = []
    if "INTEGER" in expected:
        words.append("an operand")
    elif "NAME" in expected:
        words.append("an attribute name")
    if expected >= _OPERATORS and "INTEGER" not in expected:
        words.append("an operator")
    # A `;` between arguments and before attributes is allowed, not recommended.
    hidden = {"SEMICOLON"} if expected & {"COMMA", "NAME"} else set()
    words.extend(word for kind, word in _PLAIN.items() if kind in expected - hidden)
    return words


def _expected(at: Situation) -> str:
    if at.expected == {"OPEN_BOX"}:
        return "`[`"
    words = _wants(at.expected)
    if len(words) < 2:
        return words[0] if words else "nothing more"
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _found(at: Situation) -> str:
    token = at.token
    if token.kind == END:
        return "the end of the text"
    text = at.text[token.start : token.end]
    shown = text if len(text) <= 40 else f"{text[:37]}..."
    shown = "".join(char if char.isprintable() else " " for char in shown)
    if token.kind in _RESERVED - {"IS", "ISNT"}:
        return f"the reserved word `{shown}`"
    return f"`{shown}`"


def _help(at: Situation) -> str | None:
    for rule in (_foreign_operator, _word_operator, _unit, _comma, _quotes, _name, _in_ad, _others):
        found = rule(at)
        if found is not None:
            return found
    return None


def _foreign_operator(at: Situation) -> str | None:
    token, previous = at.token, at.previous
    if previous is not None and previous.end == token.start:
        known = _FOREIGN.get(at.text[previous.start : token.end])
        if known is not None:
            return known
    following = at.text[token.start : token.start + 2]
    if token.kind == "BOUND_TO" and at.expected >= _OPERATORS:
        return _FOREIGN.get(following, "comparison is written `==`")
    return None


def _word_operator(at: Situation) -> str | None:
    for token in (at.token, at.previous):
        if token is None or token.kind != "NAME":
            continue
        word = str(token.value).lower()
        if word not in _WORDS:
            continue
        if token is at.previous and at.before is not None and at.before.kind == "IS":
            return "the opposite of `is` is one word: `isnt`"
        if (word == "not") == (token is at.previous):
            return f"`{token.value}` is not an operator; write `{_WORDS[word]}`"
    return None


def _unit(at: Situation) -> str | None:
    token, previous = at.token, at.previous
    if previous is None or previous.kind not in _NUMBERS:
        return None
    if token.kind == "NAME":
        unit = str(token.value).upper()
        shift = _UNITS.get(unit.removesuffix("B") or "")
        if shift is not None:
            return f"numbers have no units; write `{round(previous.value * 2**shift)}`"
    return None


def _comma(at: Situation) -> str | None:
    token, previous = at.token, at.previous
    if previous is None:
        return None
    if previous.kind in ("COMMA", "SEMICOLON") and token.kind in _CLOSER_KIND.values():
        return f"remove the `{previous.value}` before `{token.value}`"
    if previous.kind == "MODULUS" and token.kind == END:
        return "`%` gives the remainder of a division"
    return None


def _quotes(at: Situation) -> str | None:
    for token in (at.token, at.previous):
        if token is not None and token.kind in _QUOTED:
            return 'single quotes enclose a name; a string takes `"`'
    return None


def _name(at: Situation) -> str | None:
    """Help where only a name can stand."""
    if "NAME" not in at.expected or "INTEGER" in at.expected:
        return None
    text = at.text[at.token.start : at.token.end]
    if at.token.kind in _RESERVED:
        return f"quote a reserved word that is a name: `'{text}'`"
    if at.token.kind in _STRINGS:
        return f"a name takes single quotes or none: `'{at.token.value}'`"
    return None


def _in_ad(at: Situation) -> str | None:
    if at.expected == {"BOUND_TO"}:
        return "an ad consists of `name = expression`, separated by `;`"
    if at.token.kind == "COMMA" and "SEMICOLON" in at.expected:
        return "attributes are separated by `;`"
    return None


def _others(at: Situation) -> str | None:
    token, previous = at.token, at.previous
    if previous is not None and previous.kind == "ELVIS" and token.kind in _PREFIXES:
        return "enclose what follows `?:` in parentheses"
    if token.kind in _CLOSER_KIND.values():
        return _bracket(at)
    if token.kind == "OPEN_PAREN" and "OR" in at.expected:
        return "only a plain name can be called"
    return None


def _bracket(at: Situation) -> str | None:
    if not at.open:
        return f"there is no open bracket for this `{at.token.value}`"
    opener = at.open[-1]
    if _CLOSER_KIND[opener.kind] != at.token.kind:
        return f"the bracket to close here is `{opener.value}`"
    return None
