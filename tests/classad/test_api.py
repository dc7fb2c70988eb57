"""The Python interface: what differs from classad2 on purpose, and what it adds."""

from __future__ import annotations

import copy
import importlib.metadata
import io
import math
import os
import pickle
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from enum import IntEnum
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest

import classad
from classad import ClassAd, ClassAdException, ExprTree, ParserType, Value
from classad.binding.ambient import REGISTERED
from classad.errors import Diagnostic
from tests.cases import every_case

# --- where classad2 crashes or loses something ------------------------------------------------


@pytest.mark.parametrize("key", [None, 1, b"a"])
def test_key_that_is_no_string(key: Any) -> None:
    with pytest.raises(TypeError, match="ClassAd keys are strings"):
        ClassAd({key: 2})
    with pytest.raises(TypeError, match="ClassAd keys are strings"):
        ClassAd({"a": {key: 2}})


def test_unconvertible_value_is_named_with_its_path() -> None:
    with pytest.raises(ClassAdException, match=r"`a\[1\]\.b`"):
        ClassAd({"a": [1, {"b": object()}]})
    with pytest.raises(TypeError):
        ClassAd({"a": object()})


def test_what_has_no_counterpart_is_not_inserted() -> None:
    ad = ClassAd({"a": 1})
    with pytest.raises(
        classad.errors.ClassAdTypeError, match="an attribute cannot hold a Python `object`"
    ):
        ad.insert("a", object())  # type: ignore[arg-type]
    assert ad["a"] == 1


def test_integer_that_does_not_fit() -> None:
    with pytest.raises(OverflowError, match="64 bits"):
        ClassAd({"a": 2**63})
    assert ClassAd({"a": -(2**63)})["a"] == -(2**63)


def test_list_that_contains_itself() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(ClassAdException, match="nested too deeply"):
        ClassAd({"a": loop})


def test_empty_name_in_a_dict_is_not_dropped() -> None:
    with pytest.raises(ClassAdException, match="attribute name is empty"):
        ClassAd({"": 1})


def test_unquote_none() -> None:
    with pytest.raises(TypeError):
        classad.unquote(None)  # type: ignore[arg-type]


def test_aware_datetime_keeps_its_instant_and_offset() -> None:
    when = datetime(2024, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=-6)))
    ad = ClassAd({"a": when})
    assert ad["a"] == when
    assert repr(ad) == '[ a = absTime("2024-01-02T03:04:05-06:00") ]'


def test_timedelta_is_a_relative_time() -> None:
    ad = ClassAd({"a": timedelta(hours=1, seconds=1.5)})
    assert ad["a"] == 3601.5
    assert repr(ad.lookup("a")).startswith('relTime("01:00:')


def test_naive_datetime_is_local_time(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "America/Chicago")
    time.tzset()
    try:
        ad = ClassAd({"a": datetime(2024, 1, 2, 3, 4, 5)})
        assert ad["a"] == datetime(2024, 1, 2, 9, 4, 5, tzinfo=UTC)
        assert ExprTree('absTime("2024-01-02T03:04:05")').eval() == ad["a"]
    finally:
        monkeypatch.undo()
        time.tzset()


def test_seconds_of_a_datetime() -> None:
    seconds = classad._convert_local_datetime_to_utc_ts
    assert seconds(datetime(1970, 1, 1, 1, tzinfo=UTC)) == 3600
    assert seconds(datetime(1970, 1, 1, 1, tzinfo=timezone(timedelta(hours=1)))) == 0
    local = datetime(2024, 7, 2, 3, 4, 5, 999999)
    assert seconds(local) == int(local.timestamp())


def test_parse_errors_point() -> None:
    with pytest.raises(ClassAdException) as caught:
        ClassAd("[a = 1;\n b = 2 +]")
    assert str(caught.value).startswith("Unable to parse string into a ClassAd.\n")
    problem = caught.value.diagnostic  # type: ignore[attr-defined]
    assert problem.line == 2
    assert "^" in str(caught.value)
    with pytest.raises(ValueError, match="Unable to parse"):
        ExprTree("1 +")
    with pytest.raises(SyntaxError):
        ExprTree("1; b = 2")


def test_an_expression_may_end_in_a_comment() -> None:
    assert ExprTree("1 + 1 // two").eval() == 2


def test_expressions_can_be_pickled_and_copied_deeply() -> None:
    tree = ExprTree("a.b + {1, [c = 2]}")
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert copy.deepcopy(tree) == tree


# --- mapping ----------------------------------------------------------------------------------


def test_values_are_copies() -> None:
    ad = ClassAd("[n = [b = 1]; l = {1}]")
    ad["n"]["b"] = 9
    ad["l"].append(9)
    assert repr(ad) == "[ l = { 1 }; n = [ b = 1 ] ]"


def test_nested_ad_is_cut_from_its_parent() -> None:
    ad = ClassAd("[x = 5; n = [y = x]]")
    assert ad["n"].eval("y") is Value.Undefined
    assert ExprTree("n.y").eval(ad) == 5


def test_iteration_is_over_a_snapshot() -> None:
    ad = ClassAd("[a = 1; b = 2]")
    for name in ad:
        ad[name + "x"] = 0
    assert sorted(ad) == ["a", "ax", "b", "bx"]


def test_any_mapping_and_another_ad_are_accepted() -> None:
    ad = ClassAd("[a = b; c = [d = 1]]")
    assert ClassAd(ad) == ad
    assert ClassAd(MappingProxyType({"a": 1})) == ClassAd({"a": 1})


def test_mappings_without_the_protocol_are_ads() -> None:
    like = SimpleNamespace(items=lambda: [("x", 1)])
    assert repr(ClassAd({"a": like})) == "[ a = [ x = 1 ] ]"


def test_integer_enumerations_are_integers() -> None:
    class Universe(IntEnum):
        VANILLA = 5

    assert repr(ClassAd({"a": Universe.VANILLA})) == "[ a = 5 ]"


def test_subclasses_work_and_come_back_plain() -> None:
    class Job(ClassAd):
        pass

    job = Job("[a = 1; r = TARGET.b]")
    assert job.eval("a") == 1
    assert ExprTree("r").eval(job, ClassAd({"b": 2})) == 2
    assert type(pickle.loads(pickle.dumps(job))) is ClassAd
    assert job != ClassAd("[a = 1; r = TARGET.b]")


def test_update_from_an_ad_keeps_expressions() -> None:
    ad = ClassAd("[a = 1]")
    ad.update(ClassAd("[b = a + 1]"), c=2)
    assert ad.eval("b") == 2
    assert ad["c"] == 2


def test_nothing_is_undefined() -> None:
    ad = ClassAd({"a": None})
    assert ad["a"] is Value.Undefined


# --- building ---------------------------------------------------------------------------------


@every_case(
    "text, value",
    [
        ("A('a') == 1", "a == 1"),
        ("A('a') != 1", "a != 1"),
        ("3 < A('a')", "a > 3"),
        ("3 >= A('a')", "a <= 3"),
        ("1 + A('a')", "1 + a"),
        ("(A('a') + 1) * 2", "(a + 1) * 2"),
        ("A('a') + 1 * 2", "a + 2"),
        ("10 - (A('a') - 1)", "10 - (a - 1)"),
        ("A('a') - 1 - 2", "a - 1 - 2"),
        ("2 / A('a') % 3", "2 / a % 3"),
        ("A('a') & 1 | A('b') ^ 2", "a & 1 | b ^ 2"),
        ("(A('a') << 1) >> 2", "a << 1 >> 2"),
        ("(A('a') > 1).and_(A('b').or_(True))", "a > 1 && (b || true)"),
        ("A('a').is_(None)", "a is undefined"),
        ("A('a').isnt_(V.Error)", "a isnt error"),
        ("A('a b')", "'a b'"),
        ("A('x')._get(0)._get('n')", 'x[0]["n"]'),
        ("A('x') == [1, 'a']", 'x == { 1,"a" }'),
        ("L('x\"y')", '"x\\"y"'),
        ("L(None)", "undefined"),
        ("F('strcat', 'a', 1, A('x') + 1)", 'strcat("a",1,x + 1)'),
        ("E('a || b').and_('c')", '(a || b) && "c"'),
        ("E('c ? 1 : 2').or_(E('!x'))", "(c ? 1 : 2) ||  !x"),
    ],
)
def test_building(text: str, value: str) -> None:
    names = {
        "A": classad.Attribute, "L": classad.Literal, "F": classad.Function, "E": ExprTree,
        "V": Value,
    }  # fmt: skip
    tree = eval(text, names)
    assert repr(tree) == value
    assert ExprTree(repr(tree)).sameAs(tree)


def test_builders_evaluate_to_booleans_and_items() -> None:
    assert classad.Literal(1) == 1
    assert not classad.Literal(1) > 2
    assert not classad.Attribute("nowhere")
    assert classad.Function("split", "a b")[1] == "b"
    assert list(classad.Function("split", "a b")) == ["a", "b"]
    with pytest.raises(classad.ClassAdEvaluationError):
        bool(classad.Literal(Value.Error))
    with pytest.raises(classad.ClassAdValueError, match="unsubscriptable"):
        classad.Literal(1)[0]


def test_builders_can_be_stored() -> None:
    ad = ClassAd({"Requirements": classad.Attribute("Memory") >= 1024})
    assert type(ad["Requirements"]) is ExprTree
    assert ad.lookup("Requirements") == ExprTree("Memory >= 1024")
    assert ExprTree(classad.Attribute("a")) == ExprTree("a")


@pytest.mark.parametrize(
    ("text", "number"), [("5", 5), ("5.7", 5), ('"5"', 5), ("true", 1), ("2 + 2", 4)]
)
def test_int(text: str, number: int) -> None:
    assert int(ExprTree(text)) == number


def test_float() -> None:
    assert float(ExprTree('"1.5"')) == 1.5
    assert math.isinf(float(ExprTree('real("-INF")')))


@pytest.mark.parametrize("text", ['"x"', "undefined", "error", "{1}", "[a = 1]"])
def test_numbers_from_what_is_none(text: str) -> None:
    for kind in (int, float):
        with pytest.raises(classad.ClassAdValueError, match="Unable to convert"):
            kind(ExprTree(text))


def test_literal_of_a_container() -> None:
    with pytest.raises(classad.ClassAdValueError):
        classad.Literal([1])


# --- functions --------------------------------------------------------------------------------


@pytest.fixture
def _registry() -> Iterator[None]:
    before = dict(REGISTERED)
    yield
    REGISTERED.clear()
    REGISTERED.update(before)


@pytest.mark.usefixtures("_registry")
def test_registered_functions() -> None:
    def join_all(*args: Any) -> str:
        return "+".join(map(str, args))

    classad.register(join_all)
    ad = ClassAd('[x = 5; y = Join_All(x, x + 1, "a")]')
    assert ad.eval("y") == "5+6+a"
    classad.register(lambda text: {"t": [text, None]}, "wrap")
    assert repr(ExprTree("wrap(1)").eval()) == "[ t = { 1,undefined } ]"
    assert ExprTree("wrap(1).t[0]").eval() == 1


@pytest.mark.usefixtures("_registry")
def test_registered_function_may_see_the_ad() -> None:
    def has(name: str, state: ClassAd) -> bool:
        return name in state

    classad.register(has)
    assert ClassAd('[x = 1; y = has("X")]').eval("y") is True
    assert ClassAd('[y = has("X")]').eval("y") is False


@pytest.mark.usefixtures("_registry")
def test_exception_of_a_registered_function_reaches_the_caller() -> None:
    def fails() -> None:
        raise LookupError("nothing there")

    classad.register(fails)
    with pytest.raises(LookupError, match="nothing there"):
        ExprTree("isError(fails())").eval()


def test_registering_what_cannot_be_called() -> None:
    with pytest.raises(TypeError):
        classad.register(5)  # type: ignore[arg-type]
    with pytest.raises(OSError, match="cannot load"):
        classad.registerLibrary("libx.so")


# --- parsing of many ads ----------------------------------------------------------------------

THREE = 'a=1\n\nb=2\n\nc="é"\n'


@pytest.mark.parametrize("text", [THREE, '[a=1]\n[b=2]\n[c="é"]\n'])
def test_files_are_advanced(text: str, tmp_path: Path) -> None:
    path = tmp_path / "ads"
    path.write_text(text + "\n" if text is THREE else text)
    for stream in (path.open(), path.open("rb"), io.StringIO(text), io.BytesIO(text.encode())):
        with stream:
            assert repr(classad.parseNext(stream)) == "[ a = 1 ]"
            assert repr(classad.parseNext(stream)) == "[ b = 2 ]"
            assert stream.tell() in (10, 11)
            assert repr(classad.parseNext(stream)) == '[ c = "\\303\\251" ]'
            assert classad.parseNext(stream) is None
            stream.seek(0)
            assert len(list(classad.parseAds(stream))) == 3
            assert stream.read() in ("", b"")


def test_pipes() -> None:
    def pipe(text: str) -> Any:
        reader, writer = os.pipe()
        with open(writer, "w") as stream:
            stream.write(text)
        return open(reader)

    with pipe("[a = 1]\n[b = 2]\n") as stream:
        assert [repr(ad) for ad in classad.parseAds(stream)] == ["[ a = 1 ]", "[ b = 2 ]"]
    with pipe(THREE) as stream:
        with pytest.raises(ClassAdException, match="look ahead"):
            classad.parseNext(stream)
        assert repr(classad.parseNext(stream, ParserType.Old)) == "[ a = 1 ]"
        assert repr(classad.parseNext(stream, ParserType.Old)) == "[ b = 2 ]"
    with pipe("[a = 1;\nb = {[c=1]}\n]\n[b = 2]\n") as stream:
        assert len(classad.parseNext(stream, ParserType.New) or ()) == 2
        assert repr(classad.parseNext(stream, ParserType.New)) == "[ b = 2 ]"
        assert classad.parseNext(stream, ParserType.New) is None


@pytest.mark.parametrize(
    "source",
    [
        ["a = 1\n", "\n", "b = 2\n"],
        iter(["a = 1\n", "\n", "b = 2\n"]),
        [b"a = 1\n", b"\n", b"b = 2\n"],
        "{[a = 1], [b = 2]}",
        "{\n[\na = 1;\n],\n[\nb = 2\n]\n}\n",
        '[{"a": 1}, {"b": 2}]',
        '{"a": 1}\n{"b": 2}',
        '<?xml version="1.0"?><classads><c><a n="a"><i>1</i></a></c>'
        '<c><a n="b"><i>2</i></a></c></classads>',
        "junk\n\na = 1\n\n[b = 2]",
    ],
)
def test_more_inputs_than_classad2_takes(source: Any) -> None:
    assert [repr(ad) for ad in classad.parseAds(source)] == ["[ a = 1 ]", "[ b = 2 ]"]


def test_what_is_dropped_is_recorded() -> None:
    problems: list[Diagnostic] = []
    text = "a = 1\njunk\nb = 2\n\nc = (\nd = 4\n"
    assert len(list(classad.parseAds(text, diagnostics=problems))) == 1
    assert [problem.line for problem in problems] == [2, 5]
    problems.clear()
    ads = list(classad.parseAds(text, errors="warn", diagnostics=problems))
    assert [sorted(ad) for ad in ads] == [["a", "b"], ["d"]]
    with pytest.raises(ValueError, match="Unable to parse input stream"):
        list(classad.parseAds(text, errors="strict"))


def test_truncated_ad_is_recorded() -> None:
    problems: list[Diagnostic] = []
    assert classad.parseNext("[a = 1", diagnostics=problems) is None
    assert len(problems) == 1


def test_names_of_the_retired_binding() -> None:
    assert repr(classad.parse("[a = 1]")) == "[ a = 1 ]"
    assert repr(classad.parseOld("a = 1\nb = 2")) == "[ a = 1; b = 2 ]"
    assert len(list(classad.parseOldAds("a = 1\n\nb = 2"))) == 2


@pytest.mark.parametrize("wrong", [5, None, [5]])
def test_input_of_another_kind(wrong: Any) -> None:
    with pytest.raises(TypeError):
        classad.parseOne(wrong)


def test_versions() -> None:
    assert classad.compat_version() == "25.14.1"
    assert classad.version()


def test_last_error_looks_into_definitions_and_stays() -> None:
    ad = ClassAd('[x = y; y = 7 == "7"; z = 1/0]')
    assert ad.eval("x") is Value.Error
    assert classad.lastError() == "strings can only be compared to strings"
    assert ad.eval("z") is Value.Error
    assert classad.lastError() == "strings can only be compared to strings"


def test_last_error_looks_into_all_definitions() -> None:
    names = ", ".join(f"n{number}" for number in range(1500))
    assert ExprTree(f"strcat(x, {names})").eval(ClassAd('[x = "a" < 1]')) is Value.Error
    assert classad.lastError() == "strings can only be compared to strings"


def test_old_exception_classes_are_builtin_ones_too() -> None:
    for name, kind in (
        ("ClassAdParseError", SyntaxError), ("ClassAdValueError", TypeError),
        ("ClassAdTypeError", ValueError), ("ClassAdEvaluationError", RuntimeError),
        ("ClassAdInternalError", ValueError), ("ClassAdEnumError", TypeError),
        ("ClassAdOSError", OSError),
    ):  # fmt: skip
        error = getattr(classad, name)
        assert issubclass(error, kind)
        assert issubclass(error, ClassAdException)


def test_a_function_that_tells_no_signature_can_be_used() -> None:
    with classad.functions(theSmallest=min):
        assert ExprTree("theSmallest(3, 2)").eval() == 2


def test_ads_and_lists_in_what_is_left_are_values() -> None:
    given = ClassAd({"x": True})
    assert ExprTree("{{1, 2}, [b = 3], x, nosuch}").eval(given)[:2] == [[1, 2], ClassAd({"b": 3})]
    assert ClassAd("[a = {x, {1, 2}, [b = 3]}]")["a"][1:] == [[1, 2], ClassAd({"b": 3})]


def test_without_metadata_the_version_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    assert classad.version() == "0.0.0"


def test_last_error_is_of_strings_and_other_values_only() -> None:
    assert ExprTree('"a" < 1').eval() is Value.Error
    assert classad.lastError() == "strings can only be compared to strings"
    assert ExprTree('1 < 2 && nosuch < "a" && (error < "a")').eval() is Value.Error
    assert classad.lastError() == "strings can only be compared to strings"
