"""Abstract evaluation: what really comes out is always among what can come out."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, product
from math import inf, nan, nextafter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classad import ClassAd
from classad.evaluate import EvalContext, evaluate
from classad.evaluation.functions import lookup_function
from classad.language.values import ERROR, INT_MAX, INT_MIN, UNDEFINED, ClassAdValue
from classad.syntax.nodes import Call, walk
from policy.knobs.declaration import Use, Wanted
from policy.language.expressions import parse
from policy.values.domain import (
    ALL_WHOLE,
    ANYTHING,
    BOTH,
    NOTHING,
    Abstract,
    constant,
    join,
    meet,
    single_value,
)
from policy.values.evaluation import Evaluation
from policy.values.functions import call
from policy.values.operators import binary, unary
from policy.values.surroundings import Surroundings
from tests.cases import every_case

SLOT_AND_REQUEST = Surroundings(Use("slot", "request", Wanted.TRUTH))
NOW = 1_700_000_000.0


def whole_value(text: str, surroundings: Surroundings = SLOT_AND_REQUEST) -> Abstract:
    return Evaluation(parse(text).node, surroundings.look_up).value


# --- every operator over every kind of operand ---------------------------------------------------

SCALARS: list[ClassAdValue] = [
    UNDEFINED, ERROR, True, False, 0, 1, -1, 7, 2**63 - 1, -(2**63), 2**53 + 1, 0.0, -0.0, 0.5, 1.0,
    -3.5, 1e308, -1e308, 1e-308, inf, -inf, nan, "", "a", "A", "true",
]  # fmt: skip
BINARIES = (
    *("||", "&&", "|", "^", "&", "==", "!=", "=?=", "=!=", "<", "<=", ">", ">="),
    *("<<", ">>", ">>>", "+", "-", "*", "/", "%"),
)


@every_case("value", SCALARS, name=repr)
def test_a_constant_contains_itself_and_what_equals_it(value: ClassAdValue) -> None:
    held = [other for other in SCALARS if constant(value).contains(other)]

    def same(other: ClassAdValue) -> bool:
        return type(other) is type(value) and (other is value or other == value)

    assert list(map(repr, held)) == [repr(other) for other in SCALARS if same(other)]


@st.composite
def sets_of_values(draw: st.DrawFn) -> tuple[Abstract, ClassAdValue]:
    """A set of values and one of them."""
    members = draw(st.lists(st.sampled_from(SCALARS), min_size=1, max_size=4))
    numbers = draw(st.lists(st.integers(-9, 9) | st.floats(-9, 9), max_size=3))
    chosen = draw(st.sampled_from([*members, *numbers]))
    found = constant(chosen)
    for member in (*members, *numbers):
        found = join(found, constant(member))
    return found, chosen


@pytest.mark.slow
@settings(max_examples=400)
@given(sets_of_values(), sets_of_values(), st.sampled_from(BINARIES))
def test_binary_operators(
    left: tuple[Abstract, ClassAdValue], right: tuple[Abstract, ClassAdValue], symbol: str
) -> None:
    from classad.language.operators import BINARY

    outcome = BINARY[symbol].implementation(left[1], right[1])
    assert binary(symbol, left[0], right[0]).contains(outcome)


#: One value of each kind, and both truths.
KINDS: list[ClassAdValue] = [UNDEFINED, ERROR, True, False, 3, -2, 0.5, "a"]


@every_case("symbol", BINARIES)
def test_binary_operators_over_any_two_values(symbol: str) -> None:
    """Each of two that an operand can be, with each value and with both truths."""
    from classad.language.operators import BINARY

    implementation = BINARY[symbol].implementation
    truths = join(constant(True), constant(False))
    others = [(constant(one), [one]) for one in KINDS] + [(truths, [True, False])]
    for pair in combinations(KINDS, 2):
        either = join(constant(pair[0]), constant(pair[1]))
        for other, members in others:
            there, back = binary(symbol, either, other), binary(symbol, other, either)
            for one, member in product(pair, members):
                assert there.contains(implementation(one, member)), (pair, members)
                assert back.contains(implementation(member, one)), (members, pair)


@given(sets_of_values(), st.sampled_from("+-!~"))
def test_unary_operators(operand: tuple[Abstract, ClassAdValue], symbol: str) -> None:
    from classad.language.operators import UNARY

    outcome = UNARY[symbol].implementation(operand[1])
    assert unary(symbol, operand[0]).contains(outcome)


@given(sets_of_values(), sets_of_values())
def test_joining_and_meeting(
    left: tuple[Abstract, ClassAdValue], right: tuple[Abstract, ClassAdValue]
) -> None:
    assert join(left[0], right[0]).contains(left[1])
    assert join(left[0], right[0]).contains(right[1])
    assert meet(left[0], right[0]).contains(left[1]) == right[0].contains(left[1])
    known = single_value(left[0])
    assert known is None or left[0].contains(known)


@pytest.mark.parametrize("text", ["Memory", "RemoteUserPrio", "1.2", '"a"', "true", "undefined"])
def test_nothing_joined_to_something_is_that(text: str) -> None:
    something = whole_value(text)
    assert join(something, NOTHING) == something == join(NOTHING, something)


# --- whole expressions over ads drawn from the knowledge -----------------------------------------

NAMES = (
    *("Cpus", "Memory", "State", "Activity", "RemoteOwner", "RemoteUserPrio", "TotalJobRunTime"),
    *("SubmitterUserPrio", "EnteredCurrentState", "RequestMemory", "RequestGPUs", "Owner", "Foo"),
    *("PartitionableSlot", "QDate", "SubmitterAutoregroup", "JobStatus", "Offline", "CurrentRank"),
)
REFERENCES = [scope + name for name in NAMES for scope in ("", "", "MY.", "TARGET.")]
LITERALS = (
    *("0", "1", "2", "-1", "5", "1024", "0.5", "1.2", "3600", "1e10", "true", "false", "undefined"),
    *("error", '"Claimed"', '"claimed"', '"Unclaimed"', '"alice"', '""', "time()", "CurrentTime"),
)
UNARY_CALLS = (
    *("isUndefined", "isError", "isString", "isInteger", "isReal", "isBoolean", "int", "floor"),
    *("real", "round", "ceiling", "string", "toUpper", "size", "bool", "stringListSize"),
)
BINARY_CALLS = (
    *("strcat", "stringListMember", "stringListIMember", "regexp", "pow", "versionGE", "strcmp"),
    *("quantize", "member", "join"),
)


def _calls(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return (
        st.tuples(st.sampled_from(UNARY_CALLS), inner).map(lambda c: f"{c[0]}({c[1]})")
        | st.tuples(st.sampled_from(BINARY_CALLS), inner, inner).map(
            lambda c: f"{c[0]}({c[1]}, {c[2]})"
        )
        | st.tuples(inner, inner, inner).map(lambda c: f"ifThenElse({c[0]}, {c[1]}, {c[2]})")
    )


EXPRESSIONS = st.recursive(
    st.sampled_from(REFERENCES) | st.sampled_from(LITERALS),
    lambda inner: (
        st.tuples(inner, st.sampled_from((*BINARIES, "&&", "||", "&&", "?:")), inner).map(
            lambda parts: f"({parts[0]}) {parts[1]} ({parts[2]})"
        )
        | st.tuples(st.sampled_from(("!", "-", "~")), inner).map(lambda p: f"{p[0]}({p[1]})")
        | st.tuples(inner, inner, inner).map(lambda p: f"(({p[0]}) ? ({p[1]}) : ({p[2]}))")
        | _calls(inner)
    ),
    max_leaves=12,
)


def values_of(known: Abstract) -> st.SearchStrategy[ClassAdValue]:
    """Values that an attribute of which this is known may have."""
    choices: list[st.SearchStrategy[ClassAdValue]] = []
    if known.truths:
        choices.append(st.sampled_from(sorted(known.truths)))
    if known.whole is not None:
        low, high = known.whole
        near = [n for n in (0, 1, 2, 5, 1024, 3600, low, high) if low <= n <= high]
        choices += [st.sampled_from(near), st.integers(low, high)]
    if known.real is not None:
        choices.append(st.floats(*known.real))
    if known.texts is None:
        choices.append(st.sampled_from(("Claimed", "claimed", "alice", "", "3", "true")))
    elif known.texts:
        choices.append(st.sampled_from(sorted(known.texts)))
    if known.error:
        choices.append(st.just(ERROR))
    if known.undefined:
        choices.append(st.just(UNDEFINED))
    return st.one_of(choices)


@st.composite
def ads(draw: st.DrawFn) -> tuple[ClassAd, ClassAd]:
    """A slot and a request that the knowledge allows."""
    pair = ClassAd(), ClassAd()
    for name in NAMES:
        for ad, scope in zip(pair, ("my", "target"), strict=True):
            known = SLOT_AND_REQUEST.look_up(scope, name)[1]
            if known == Abstract(undefined=True):
                continue
            if not known.undefined or draw(st.booleans()):
                ad[name] = draw(values_of(known))
    return pair


@pytest.mark.slow
@settings(max_examples=200)
@given(EXPRESSIONS, ads())
def test_what_comes_out_is_among_what_can(text: str, pair: tuple[ClassAd, ClassAd]) -> None:
    tree = parse(text)
    evaluation = Evaluation(tree.node, SLOT_AND_REQUEST.look_up)
    context = EvalContext(now=NOW)
    value = evaluate(tree, pair[0], pair[1], context=context)
    assert evaluation.value.contains(value), (text, value, evaluation.value)
    for node in walk(tree.node):
        alone = evaluate(node, pair[0], pair[1], context=context)
        assert evaluation.alone(node).contains(alone), (text, node, alone)


def test_ads_of_the_property_test_are_those_of_the_knowledge() -> None:
    assert SLOT_AND_REQUEST.look_up("my", "Memory")[1].whole is not None
    assert SLOT_AND_REQUEST.look_up("target", "Memory")[1] == Abstract(undefined=True)


# --- what it finds out ---------------------------------------------------------------------------

OUTCOMES: Mapping[str, str] = {
    "RemoteUserPrio > 10 && RemoteUserPrio < 5": "FU",
    "Cpus > 2 && Cpus < 5 && Cpus == 1": "F",
    "Cpus < 5 && Cpus > 2 && Cpus == 6": "F",
    "Cpus > 2 && Cpus < 5 && Cpus == 4": "TF",
    'State == "Claimed" && State == "Unclaimed"': "F",
    'State =?= "claimed"': "F",
    'State == "claimed"': "TF",
    '(Owner == "a" || Owner == "b") && Owner == "c"': "FU",
    "TARGET.Memory > 3": "U",
    "Memory > 3 || true": "T",
    "Foo =!= undefined && isUndefined(Foo)": "F",
    "Cpus > 1 ? Cpus > 0 : Cpus < 2": "T",
    "Cpus >= 0": "T",
    "Cpus > -1 && !(Cpus > 3 && Cpus <= 3)": "T",
    'Owner == "a" && "c" == Owner': "FU",
    "isString(Cpus > 3 && Cpus < 3 && Cpus)": "F",
    "floor(TARGET.Memory) == 1": "E",
    'split("a b") =?= split("a c")': "TFE",
    'size(split("a b")) == 2': "TFUE",
    'real("NaN") =?= real("NaN")': "F",
    "MY.CurrentTime > 0": "T",
    "Foo.Bar.Baz": "TFUE",
    "RemoteUserPrio < 0.5": "FU",
    "1/2 > 0": "F",
    'Memory == "a"': "E",
    "ifThenElse(isUndefined(Offline), false, Offline)": "TF",
    "Offline || !Offline": "TU",
    "!Offline && Offline": "FU",
    "Cpus || Cpus == 0": "T",
    "Cpus && Cpus == 0": "F",
    "Offline && isUndefined(Offline)": "FU",
    "Offline && isError(Offline)": "F",
    "isError(floor(SubmitterUserPrio))": "F",  # out of range is the least integer
    "isError(floor(Cpus))": "F",
    "MY.Foo.Bar": "TFUE",
    "[a = 1].a": "TFUE",
    "Offline =?= 3": "F",
    "Offline =?= undefined": "TF",
    "Foo =?= error": "TF",
    "undefined =?= undefined": "T",
    "(Cpus & 7) > 7": "F",
    "(7 & Cpus) >= 0": "T",
    "(Cpus & 7) > 6": "TF",
    "Cpus < 3 && !(Offline && Cpus < 3) && Offline": "FU",
    "int(ifThenElse(Cpus > 1, undefined, error)) == 1": "UE",
}


@every_case("text", OUTCOMES)
def test_an_outcome(text: str) -> None:
    value = whole_value(text).condition()
    letters = "".join(
        letter
        for letter, there in (
            ("T", True in value.truths),
            ("F", False in value.truths),
            ("U", value.undefined),
            ("E", value.error),
        )
        if there
    )
    assert letters == OUTCOMES[text]


def test_units() -> None:
    units = {
        "time() - EnteredCurrentState": "s",
        "EnteredCurrentState + 5 * 60": "date",
        "Memory * 1024": "KiB",
        "RequestDisk / 1024": "MiB",
        "RemoteUserPrio * 1.2": "priority",
        "Memory * 1000": "",
        "EnteredCurrentState * 2": "",
        "Memory + 512": "MiB",
        "ifThenElse(Cpus > 1, TotalJobRunTime, 0)": "s",
        "Memory + Cpus": "",
        "TotalJobRunTime % 60": "s",
        "EnteredCurrentState % 60": "",
        "TotalJobRunTime % TotalJobRunTime": "",
        "TotalJobRunTime << 2": "",
        "TotalJobRunTime & 1": "",
        "Memory * 511": "MiB",
        "Memory * 512": "",
        "Memory * -511": "MiB",
        "Memory * -512": "",
        "Memory * 512.5": "",
    }
    assert {text: whole_value(text).unit for text in units} == units


def test_deep_expressions_are_given_up_and_long_ones_are_not() -> None:
    assert whole_value(" || ".join(f'Owner == "u{n}"' for n in range(300))) != ANYTHING
    assert whole_value("1" + " + Cpus" * 450) == ANYTHING


#: The greatest real that is an integer of the language.
BELOW = int(nextafter(2.0**63, 0.0))


@pytest.mark.parametrize(
    ("given", "whole", "samples"),
    [
        (Abstract(real=(0.5, 2.5)), (0, 3), ("0.5", "2.5")),
        (Abstract(truths=BOTH), (0, 1), ("true", "false")),
        (Abstract(truths=BOTH, real=(-0.5, 0.5)), (-1, 1), ("true", "-0.5")),
        # Integers stay as they are, those too of which there is no real.
        (Abstract(whole=(-(2**53) - 1, 2**53 + 1)), (-(2**53) - 1, 2**53 + 1), (f"{2**53 + 1}",)),
        (Abstract(whole=(0, INT_MAX)), (0, INT_MAX), (f"{INT_MAX}",)),
        (Abstract(whole=(INT_MIN, 0)), (INT_MIN, 0), ("0",)),
        (Abstract(real=(-(2.0**63), 5.5)), (INT_MIN, 6), (f"{-(2.0**63)!r}", "5.5")),
        (Abstract(real=(0.0, float(BELOW))), (0, BELOW), (f"{float(BELOW)!r}",)),
        # Out of range is the least integer.
        (Abstract(real=(0.0, 2.0**63)), ALL_WHOLE, (f"{2.0**63!r}",)),
        (Abstract(real=(2.0**63, 2.0**64)), ALL_WHOLE, (f"{2.0**63!r}", f"{2.0**64!r}")),
        (Abstract(real=(-(2.0**64), 0.0)), ALL_WHOLE, (f"{-(2.0**64)!r}",)),
        (Abstract(real=(0.0, inf)), ALL_WHOLE, ('real("INF")',)),
    ],
)
def test_what_is_rounded_is_a_whole_number_beside_it(
    given: Abstract, whole: tuple[int, int], samples: tuple[str, ...]
) -> None:
    for name in ("floor", "ceiling", "round", "int"):
        node = parse(f"{name}(X)").node
        function = lookup_function(name)
        assert isinstance(node, Call)
        assert function is not None
        found = call(function, node, [given])
        assert found == Abstract(whole=whole)
        assert all(found.contains(evaluate(parse(f"{name}({it})"))) for it in samples)
