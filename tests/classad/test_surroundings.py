"""``with`` blocks around evaluations, and contexts given to one: they nest, end and stay apart."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

import classad
from classad import ClassAd, EvalContext, ExprTree, Value
from classad.binding import ambient

NOW = 1_700_000_000


def test_the_clock_stands_still_and_goes_on_afterwards() -> None:
    ad = ClassAd("[t = time(); c = CurrentTime]")
    with classad.evaluating(now=NOW):
        assert ExprTree("time()").eval() == NOW
        assert (ad.eval("t"), ad.eval("c")) == (NOW, NOW)
        assert ad.flatten(ExprTree("t + 1")) == NOW + 1
        assert repr(ExprTree("time()").simplify()) == str(NOW)
    assert ad.eval("t") > NOW


def test_a_seed_repeats_the_random_numbers() -> None:
    draws = []
    for _ in range(2):
        with classad.evaluating(seed=7):
            draws.append([ExprTree("random(1000000)").eval() for _ in range(5)])
    assert draws[0] == draws[1]
    assert len(set(draws[0])) > 1


def test_blocks_nest() -> None:
    with classad.evaluating(now=NOW, seed=3), classad.functions(f=lambda: 1, g=lambda: 2):
        numbers = [ExprTree("random(1000000)").eval() for _ in range(2)]
        with classad.evaluating(tz=ZoneInfo("Asia/Tokyo")), classad.functions(g=lambda: 3):
            assert ExprTree("{f(), g(), time()}").eval() != []
            assert ExprTree("f() + 10 * g()").eval() == 31
            assert ExprTree('formatTime(time(), "%H:%M")').eval() == "07:13"
        assert ExprTree("f() + 10 * g()").eval() == 21
    with classad.evaluating(seed=3):
        first = ExprTree("random(1000000)").eval()
        with classad.evaluating(now=NOW):
            second = ExprTree("random(1000000)").eval()
    assert [first, second] == numbers  # the inner block goes on in the same sequence
    assert ExprTree("f()").eval() is Value.Error


def test_a_block_ends_with_an_exception() -> None:
    with pytest.raises(LookupError), classad.functions(f=lambda: 1):
        raise LookupError
    assert ExprTree("f()").eval() is Value.Error


def test_a_block_concerns_its_own_thread() -> None:
    seen = []
    with classad.functions(f=lambda: 1), classad.evaluating(now=NOW):
        worker = threading.Thread(
            target=lambda: seen.extend([ExprTree("f()").eval(), ExprTree("time()").eval()])
        )
        worker.start()
        worker.join()
    assert seen[0] is Value.Error
    assert seen[1] > NOW


def test_functions_beside_registered_and_builtin_ones() -> None:
    classad.register(lambda: "registered", "surroundings_test")
    with classad.functions(surroundings_test=lambda: "scoped", strcat=lambda *_: "replaced"):
        assert ExprTree("Surroundings_Test()").eval() == "scoped"
        assert ExprTree('strcat("a", "b")').eval() == "ab"
    assert ExprTree("surroundings_test()").eval() == "registered"
    with pytest.raises(TypeError, match="`f` must be callable"), classad.functions(f=5):  # type: ignore[arg-type]
        pass


@pytest.mark.parametrize(
    ("text", "scope", "target", "old", "new"),
    [
        ("MY.x", "[x=5]", None, 5, Value.Undefined),
        ("SELF.x", "[x=5]", None, 5, 5),
        ("x", "[y=5]", "[x=6]", 6, Value.Undefined),
        ("TARGET.x", "[y=5]", "[x=6]", 6, 6),
        ("y", "[a=1]", "[y=z; z=3]", 3, Value.Undefined),
        ("TARGET.y", "[z=1]", "[y=TARGET.z; z=3]", 1, 1),
    ],
)
def test_semantics(text: str, scope: str, target: str | None, old: object, new: object) -> None:
    ads = [ClassAd(text) for text in (scope, target) if text is not None]
    assert ExprTree(text).eval(*ads) is old or ExprTree(text).eval(*ads) == old
    with classad.semantics("new"):
        assert ExprTree(text).eval(*ads) == new
        with classad.semantics("old"):
            assert ExprTree(text).eval(*ads) == old
    strict = EvalContext(strict=True)
    assert ExprTree(text).eval(*ads, context=strict) == new


def test_semantics_of_matching_and_of_integers() -> None:
    left, right = ClassAd("[foo = 3]"), ClassAd("[Requirements = foo == 3]")
    assert left.matches(right)
    with classad.semantics("new"):
        assert not left.matches(right)
        assert left.matches(ClassAd("[Requirements = TARGET.foo == 3]"))
        assert ExprTree("017 + 1").eval() == 18
        assert ClassAd("[a = 017]")["a"] == 17
    with pytest.raises(ValueError, match="Unable to parse"):
        ExprTree("017")
    with pytest.raises(ValueError, match="old or new"), classad.semantics("strict"):  # type: ignore[arg-type]
        pass


def test_a_context_of_ones_own() -> None:
    context = EvalContext(now=NOW, tz=UTC, seed=1)
    assert ExprTree("time()").eval(context=context) == NOW
    assert ExprTree('formatTime(time(), "%H:%M")').eval(context=context) == "22:13"
    assert ClassAd("[t = time()]").eval("t", context=context) == NOW
    again = EvalContext(now=NOW, tz=UTC, seed=1)
    pair = [ExprTree("random()").eval(context=each) for each in (context, again)]
    assert pair[0] == pair[1]
    with pytest.raises(classad.ClassAdEvaluationError):
        ExprTree("time()").eval(context=EvalContext())
    with classad.evaluating(now=0):
        assert ExprTree("time()").eval(context=context) == NOW


@pytest.mark.parametrize(
    ("zone", "literal", "hour"),
    [
        ("Asia/Tokyo", 'absTime("2023-11-15T07:13:20+09:00")', "07"),
        (":Asia/Tokyo", 'absTime("2023-11-15T07:13:20+09:00")', "07"),
        ("JST-9", 'absTime("2023-11-15T07:13:20-00:00")', "07"),  # rules without a name
    ],
)
def test_the_zone_is_that_of_the_machine(
    zone: str, literal: str, hour: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert ExprTree(f'formatTime({NOW}, "%H")').eval() == hour
        assert repr(ExprTree('absTime("2023-11-15T07:13:20")')) == literal
        assert repr(ExprTree(r'string(eval("absTime(\"2023-11-15T07:13:20\")"))').eval()) == repr(
            ExprTree(f"string({literal})").eval()
        )
    finally:
        monkeypatch.undo()
        time.tzset()


def test_without_a_zone_in_the_environment_it_is_that_of_the_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("TZ", raising=False)
    wanted = datetime.fromtimestamp(NOW).strftime("%H")
    assert ExprTree(f'formatTime({NOW}, "%H")').eval() == wanted


def test_an_empty_zone_in_the_environment_is_utc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in the C library; the zone of the machine is that of its file if there is none at all."""
    monkeypatch.setattr(ambient, "_zone_of", ambient._zone_of.__wrapped__)
    monkeypatch.setattr("classad.binding.ambient._LOCAL_TIME", str(tmp_path / "none"))
    for name in ("", ":"):
        monkeypatch.setenv("TZ", name)
        assert ExprTree(f'formatTime({NOW}, "%H %Z")').eval() == "22 UTC"


def test_the_home_of_a_user_is_asked_of_the_machine() -> None:
    pwd = pytest.importorskip("pwd")
    known = pwd.getpwuid(0)
    assert ExprTree(f'userHome("{known.pw_name}")').eval() == known.pw_dir
    assert ExprTree('userHome("nobody-of-this-name", "none")').eval() == "none"
