"""What is told of expressions before they are evaluated, for expressions that are put together.

``phrases.txt`` has a line for each expression and for each ad that it stands in;
``python -m tests.negotiator.phrases`` writes it anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from classad import ClassAd
from classad.ads.expression import Expression
from classad.evaluate import EvalContext
from classad.formats.long import shared_tree
from classad.formats.unparse import unparse
from classad.syntax.parser import parse_expression
from negotiator.expressions.dependence import Analyst, conjuncts
from negotiator.expressions.external import external_names, external_names_of
from negotiator.expressions.flattening import Flattener, lead_to_requirements, may_read_requirements
from negotiator.expressions.known import KnownExpressions, own_names_of
from negotiator.expressions.regrouping import Level, regrouping_of
from negotiator.expressions.visible import Mentions, VisiblePart

KEPT: Final = Path(__file__).with_name("phrases.txt")
_CONTEXT: Final = EvalContext(now=1000.0)
_ATOMS: Final = (
    *("A", "B", "No", "Bad", "Sum", "Loop", "MY.A", "MY.No", "MY.Text", "TARGET.A", "TARGET.C"),
    *("C", "1", "0", "2.5", "-3", "true", "false", "undefined", "error", '"x"', "CurrentRank"),
    *("RemoteUserPrio", "Requirements", "TARGET.Requirements", "time()", "random()", "size(Text)"),
    *('eval("A")', "Inner.A", "List[A]", "[A = 1].A", "{A, C}", "PARENT.A", "ifThenElse(B, A, C)"),
    *('regexp("x", Text)', "isUndefined(C)", "evalInEachContext(A, List)", "nosuch(A)", "Later"),
)
_BINARY: Final = ("&&", "||", "&&", "||", "==", "=?=", "=!=", "<", "+", "*", "-", "&")
#: What the ads have that an expression stands in, and the partner they meet.
_ADS: Final = (
    'A = 1; B = true; Bad = error; Sum = A + 1; Loop = Loop; Text = "x"; Later = TARGET.C > 1',
    'A = 0; C = TARGET.A; Inner = [A = 5]; List = {1, [A = 2]}; PreemptingRank = 1; B = "t"',
    "A = Sum; Sum = 2; B = A > 1 && C; Later = Requirements; RemoteUserPrio = 2; MY = 3",
)
_PARTNER: Final = "C = 2; A = B; B = TARGET.Sum; D = random(); Rank = TARGET.A"


def texts() -> Iterator[str]:
    """Expressions: each atom by itself, and what is made of two or more."""
    yield from _ATOMS
    rng = Random(5)

    def made(depth: int) -> str:
        kind = rng.random()
        if depth == 0 or kind < 0.1:
            return rng.choice(_ATOMS)
        if kind < 0.2:
            return f"!{made(depth - 1)}" if rng.random() < 0.7 else f"-({made(depth - 1)})"
        if kind < 0.3:
            return f"({made(depth - 1)})"
        if kind < 0.36:
            return f"({made(depth - 1)} ? {made(depth - 1)} : {made(depth - 1)})"
        return f"{made(depth - 1)} {rng.choice(_BINARY)} {made(depth - 1)}"

    for number in range(220):
        yield made(1 + number % 3)
    # Deeper than is looked at one by one, and on either side of that.
    yield from (" + ".join(["A"] * size) + " > 1" for size in (198, 199, 200, 201, 250))


def lines() -> Iterator[str]:
    """What is told of each expression."""
    for number, text in enumerate(texts()):
        yield from alone(number, text)
        for place, body in enumerate(_ADS):
            if (number + place) % 3 == 0:
                yield f"  {place}: {in_ad(text, body)}"


def _names(found: frozenset[str]) -> str:
    return ",".join(sorted(found))


def alone(number: int, text: str) -> Iterator[str]:
    """What is told of an expression whatever ad it stands in."""
    tree = shared_tree("requirements", text, None)
    parsed = _parsed(text)
    known, plain = KnownExpressions().of(tree), KnownExpressions().of(parsed)
    yield f"{number}: {text if len(text) < 200 else len(text)}"
    told = [f"own {_names(known.own)}", f"also {_names(own_names_of(parsed))}"]
    told.append(str(known.text == plain.text))
    mention = Mentions().of(tree)
    told += [_names(mention.own), _names(mention.others)]
    told += [f"{mention.shape.opaque} {mention.shape.random}", str(may_read_requirements([tree]))]
    # Texts that are not read yet are looked at part by part, where C parses.
    found = [regrouping_of(parsed, level) for level in Level]
    told.append("/".join(str(len(each.hazards)) for each in found))
    names = {f"{name}{int(counts)}" for each in found for name, counts in each.names}
    told += [" ".join(sorted(names)), *dict.fromkeys(_names(each.called) for each in found)]
    told += dict.fromkeys(_names(each.read) for each in found if each.read != known.own)
    yield "  " + "; ".join(told)


def _parsed(text: str) -> Expression:
    return Expression.from_node(parse_expression(text))


def in_ad(text: str, body: str) -> str:
    """What is told of an expression as the requirements of an ad."""
    ad = ClassAd(f"[{body}; Rank = Later]")
    ad.insert("Requirements", _parsed(text))
    flat: list[str] = []
    for read in (False, True):
        flattener = Flattener(_CONTEXT, read=read)
        value = flattener.flattened(ad)
        shown = unparse(value.node) if isinstance(value, Expression) else repr(value)
        flat.append(f"{flattener.matters(ad)} {shown if len(shown) < 120 else len(shown)}")
    analyst, depends = Analyst(), []
    for part in conjuncts(ad) or ():
        found = analyst.dependence(part, ad)
        depends.append(f"{len(found.own)}/{','.join(found.other)}/{found.steady}")
    trees = [tree for name in ad if isinstance(tree := ad.raw(name), Expression)]
    told = [*flat, " ".join(depends)[:200]]
    told += [_names(frozenset(external_names(ad, trees))), str(external_names_of([ad]) != set())]
    told.append(str(lead_to_requirements([ad], "rank")))
    partner = ClassAd(f"[{_PARTNER}]")
    part = VisiblePart(ad.raw, lambda: ad, Mentions())
    met = part.meeting(partner, frozenset({"requirements", "rank"}))
    told.append(f"{','.join(sorted(name.lower() for name in met))} {met is ad} {part.separable}")
    return "; ".join(told)


if __name__ == "__main__":
    KEPT.write_text("\n".join(lines()) + "\n")
