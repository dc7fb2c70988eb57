"""Chooses the values to try: those of the pool, and the boundaries that the expressions set.

A constant ``c`` that an attribute is compared with gives ``c - 1``, ``c`` and ``c + 1`` as
values of that attribute; priorities are a few sizes times the ratios in the text.

Inputs: syntax trees, a ``Schema``.  Outputs: ``Bounds``, the domain of each attribute.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from attr import field, frozen

from classad.ads.expression import Expression
from classad.analysis.mentions import references_of
from classad.evaluate import EvalContext, evaluate
from classad.evaluation.functions import lookup_function
from classad.language.operators import COMPARISONS
from classad.language.values import UNDEFINED
from classad.patterns import late_regex
from classad.syntax.nodes import AdExpr, Binary, Call, ListExpr, Literal, Node, Reference, walk
from pieslice.data import is_number
from pieslice.fuzzing.case import NOW
from pieslice.fuzzing.cycle import OF_CLAIM
from pieslice.fuzzing.schema import AdValue, Schema, SeenAttribute
from policy.ephemeral import find_ephemeral
from policy.lint.trees import names

#: That an attribute is not there, as a value to draw.
MISSING: Final = UNDEFINED
#: Sizes of effective priorities; nobody is below 0.5.
_PRIORITIES: Final = (1.0, 0.5, 10.0, 100.0, 1000.0, 10000.0)
_RATIOS: Final = (1.0, 1.0001, 1.001, 1.01, 1.1, 2.0, 10.0)
_USAGE: Final = (0.0, 1.0, 2.0, 4.0, 5.0, 16.0, 100.0)
#: Families of functions that take texts, and a text for attributes of which no more is known.
_OF_TEXTS: Final = frozenset(("strings", "stringlists", "regex"))
_SOME_TEXT: Final = "x"
#: What a slot has of another one: all of it, or nothing where there is no such slot.
_OF_A_SLOT: Final = late_regex(r"slot\d+_")
#: A greater integer is a point in time.
_MOMENT: Final = 10**9
_SECONDS: Final = (0, 1, 60, 600, 86400)
#: Names of the claim that tell how long something has lasted.
TIMES: Final = frozenset(
    ("enteredcurrentstate", "enteredcurrentactivity", "jobstart", "totaljobruntime")
)


@frozen(eq=False)
class Bounds:
    """Constants that the expressions compare each name with, by case-folded name."""

    constants: dict[str, list[AdValue]] = field(factory=dict)

    def of(self, *wanted: str) -> list[AdValue]:
        """The constants of some names."""
        return [value for name in wanted for value in self.constants.get(name.casefold(), ())]

    def numbers(self, *wanted: str) -> list[float]:
        """Those that are numbers."""
        return [value for value in self.of(*wanted) if is_number(value)]

    def matching(self, part: str) -> list[float]:
        """The numbers of all names that contain a text."""
        return self.numbers(*(name for name in self.constants if part in name))

    def add(self, node: Node) -> None:
        """Learn from an expression."""
        for found in walk(node):
            if isinstance(found, Binary) and found.operator in COMPARISONS:
                values = list(constants(found))
                for name in names(found):
                    known = self.constants.setdefault(name, [])
                    known.extend(value for value in values if not _within(value, known))
            elif isinstance(found, Call):
                self._texts(found)

    def _texts(self, call: Call) -> None:
        """Strings in a call such as ``stringListMember`` or ``regexp``: each word of a list."""
        words = [
            word.strip()
            for part in call.args
            for value in constants(part)
            if isinstance(value, str)
            for word in value.split(",")
        ]
        function = lookup_function(call.name)
        for name in names(call):
            known = self.constants.setdefault(name, [])
            known.extend(word for word in words if word and not _within(word, known))
            if not known and function is not None and function.family in _OF_TEXTS:
                known.append(_SOME_TEXT)


def _within(value: AdValue, known: list[AdValue]) -> bool:
    return any(value.__class__ is other.__class__ and value == other for other in known)


def constants(node: Node) -> Iterator[AdValue]:
    """The values of the greatest parts of an expression that depend on nothing."""
    stack = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, Literal) or (_is_constant(top) and not isinstance(top, Call)):
            value = evaluate(Expression.from_node(top), context=EvalContext())
            if value.__class__ in (bool, int, float, str):
                yield value
        else:
            stack.extend(top.children())


def _is_constant(node: Node) -> bool:
    return not any(isinstance(part, Reference | Call | AdExpr | ListExpr) for part in walk(node))


def around(value: AdValue) -> tuple[AdValue, ...]:
    """A constant and its neighbours."""
    if isinstance(value, bool):
        return (value, not value)
    return near(value) if is_number(value) else (value,)


def near(value: float) -> tuple[float, float, float]:
    """A number and its neighbours."""
    return (value, value + 1, value - 1)


def domain(
    name: str, known: SeenAttribute | None, bounds: Bounds, *, custom: bool
) -> tuple[AdValue, ...]:
    """The values to draw for an attribute, simplest first; ``MISSING`` among them.

    ``custom``: an attribute that the schema does not know may have whatever it is compared with.
    """
    found: list[AdValue] = []
    if known is not None:
        for value in known.values:
            _add(found, value)
        kinds = {_kind(value) for value in known.values}
        whole = all(value.__class__ is not float for value in known.values)
        for constant in bounds.of(name):
            for value in around(_moment(constant, known)):
                if _kind(value) in kinds and not (whole and value.__class__ is float):
                    _add(found, value)
        if known.missing:
            found.append(MISSING)
    elif custom:
        for constant in bounds.of(name) or (True,):
            for value in around(constant):
                _add(found, value)
        found.append(MISSING)
    return tuple(found)


def _moment(constant: AdValue, known: SeenAttribute) -> AdValue:
    """A number of seconds as that long ago if the attribute is a point in time."""
    times = all(value.__class__ is int and value > _MOMENT for value in known.values)
    if times and is_number(constant) and 0 <= constant <= _MOMENT:
        return NOW - int(constant)
    return constant


def _kind(value: AdValue) -> str:
    return "number" if value.__class__ in (int, float) else value.__class__.__name__


def _add(found: list[AdValue], value: AdValue) -> None:
    if not _within(value, found):
        found.append(value)


def priorities(bounds: Bounds, margin: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Sizes of effective priorities, and the ratios between those of a case."""
    compared = bounds.matching("userprio") + bounds.matching("submittorprio")
    sizes = [*_PRIORITIES, *(v for c in compared if c >= 5 for v in near(float(c)))]
    ratios = [*_RATIOS, 1.0 + margin]
    for constant in (*compared, 1.0 + margin):
        if 0 < constant <= 20:
            factor = float(constant) if constant >= 1 else 1.0 / float(constant)
            ratios += [factor, factor * 1.0001, factor * 0.999]
    keep = dict.fromkeys(round(max(size, 0.5), 6) for size in sizes)
    return tuple(keep), tuple(dict.fromkeys(ratios))


def usages(bounds: Bounds) -> tuple[float, ...]:
    """Usage in slot weights."""
    compared = bounds.matching("resourcesinuse")
    found = [*_USAGE, *(float(v) for c in compared for v in near(c) if v >= 0)]
    return tuple(dict.fromkeys(found))


def seconds(bounds: Bounds, least: int | None) -> tuple[int, ...]:
    """How long jobs have run and claims have lasted."""
    compared = [*bounds.numbers(*TIMES), *bounds.matching("time"), *bounds.matching("entered")]
    if least:
        compared.append(least)
    found = [*_SECONDS, *(int(v) for c in compared for v in near(c) if 0 <= v < 10**8)]
    return tuple(dict.fromkeys(found))


@frozen(eq=False)
class Domains:
    """Everything that is drawn from, by the spelling of the attribute."""

    slot: dict[str, tuple[AdValue, ...]]
    job: dict[str, tuple[AdValue, ...]]
    sizes: tuple[float, ...]
    ratios: tuple[float, ...]
    usage: tuple[float, ...]
    seconds: tuple[int, ...]


def find_domains(
    trees: Iterable[Expression],
    schema: Schema,
    *,
    margin: float,
    least: int | None,
    job_trees: Iterable[Expression] = (),
) -> Domains:
    """The domains of all attributes that expressions need.

    ``trees``: with the slot as MY; ``job_trees``: with the job as MY.
    """
    bounds, wanted = _wanted(
        [("slot", tree) for tree in trees] + [("job", tree) for tree in job_trees], schema
    )
    return Domains(
        _domains(wanted["slot"], schema.slot, bounds, custom=schema.open),
        # Jobs may say anything about themselves; slots of a captured pool only what they say.
        _domains(wanted["job"], schema.job, bounds, custom=True),
        *priorities(bounds, margin),
        usages(bounds),
        seconds(bounds, least),
    )


def _wanted(
    todo: list[tuple[str, Expression]], schema: Schema
) -> tuple[Bounds, dict[str, dict[str, str]]]:
    """What expressions compare, and what they read, by side: case-folded to spelled names."""
    bounds = Bounds()
    wanted: dict[str, dict[str, str]] = {"slot": {}, "job": {}}
    seen = set()
    sides = {"slot": schema.slot, "job": schema.job}
    if "slotweight" in schema.slot:
        # What a slot weighs moves usage and priorities, whatever the expressions read.
        wanted["slot"]["slotweight"] = "SlotWeight"
    while todo:
        side, tree = todo.pop()
        if id(tree) in seen:
            continue
        seen.add(id(tree))
        bounds.add(tree.node)
        for where, name in _needs(tree, side, schema):
            key = name.casefold()
            if key in wanted[where] or (where == "slot" and key in OF_CLAIM):
                continue
            wanted[where][key] = name
            known = sides[where].get(key)
            values = () if known is None else known.values
            todo += [(where, value) for value in values if value.__class__ is Expression]
    return bounds, wanted


def _domains(
    wanted: dict[str, str], known: Mapping[str, SeenAttribute], bounds: Bounds, *, custom: bool
) -> dict[str, tuple[AdValue, ...]]:
    found = {}
    for key, name in sorted(wanted.items()):
        attribute = known.get(key)
        values = domain(name, attribute, bounds, custom=custom)
        if values:
            found[name if attribute is None else attribute.name] = values
    return found


def _needs(tree: Expression, side: str, schema: Schema) -> Iterator[tuple[str, str]]:
    """Which attributes of which ad an expression reads, ephemeral ones left out."""
    refs = references_of(tree.node)
    spelled = {n.name.casefold(): n.name for n in walk(tree.node) if isinstance(n, Reference)}
    other = "job" if side == "slot" else "slot"
    own_names = schema.slot if side == "slot" else schema.job
    other_names = schema.job if side == "slot" else schema.slot
    for key in sorted(refs.bare | refs.mine | refs.target):
        if find_ephemeral(key) is not None or key == "currenttime" or _OF_A_SLOT.match(key):
            continue
        if side == "slot" and key in schema.copied and key in refs.mine | refs.bare:
            yield other, spelled[key]
        elif key in refs.mine or (key in refs.bare and key in own_names):
            yield side, spelled[key]
        if key in refs.target or (key in refs.bare and key not in own_names):
            claim = other == "job" and key in OF_CLAIM and key not in other_names
            if not (claim and key in refs.bare):
                yield other, spelled[key]
