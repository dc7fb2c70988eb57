"""``classad.language.bounds`` with a clock and a memory of the tests: to the second and byte."""

from __future__ import annotations

import pytest

from classad.errors import LimitError
from classad.language import bounds
from classad.language.bounds import limits

MIB = 1 << 20


class Machine:
    """The machine's clock and the memory of the process."""

    now = 100.0
    used = 1000
    looks = 0

    def monotonic(self) -> float:
        return self.now

    def resident(self) -> int:
        self.looks += 1
        return self.used


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    found = Machine()
    monkeypatch.setattr(bounds, "monotonic", found.monotonic)
    monkeypatch.setattr(bounds, "resident", found.resident)
    return found


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"), (1, "1 bytes"), (1023, "1023 bytes"), (1024, "1 KiB"), (1536, "1.5 KiB"),
        (MIB - 1, "1024 KiB"), (MIB, "1 MiB"), (5 * MIB, "5 MiB"), ((1 << 30) - 1, "1024 MiB"),
        (1 << 30, "1 GiB"), (3 << 30, "3 GiB"), ((1 << 40) - 1, "1024 GiB"), (1 << 40, "1 TiB"),
        (1 << 50, "1024 TiB"), (1234567, "1.177 MiB"),
    ],
)  # fmt: skip
def test_sizes_in_words(size: int, text: str) -> None:
    assert bounds.in_units(size) == text


def test_the_time_ends_at_its_last_second(machine: Machine) -> None:
    with limits(time=5):
        for now, ends in ((100.0, False), (104.999, False), (105.0, True), (106.0, True)):
            machine.now = now
            if not ends:
                bounds.checkpoint("waiting")
                continue
            with pytest.raises(
                LimitError, match=r"^the time limit of 5 s is used up while waiting"
            ):
                bounds.checkpoint("waiting")
    bounds.checkpoint("waiting")
    with limits(time=0), pytest.raises(LimitError):
        bounds.checkpoint("waiting")
    with limits(memory=1 << 40):
        machine.now = 1e9
        bounds.checkpoint("waiting")
        assert not bounds.are_timed()
    with limits(time=1e9):
        assert bounds.are_timed()
    assert not bounds.are_timed()


def test_the_memory_ends_at_its_last_byte(machine: Machine) -> None:
    with limits(memory=2048):
        machine.used = 3048
        bounds.checkpoint("reading")
        machine.used, machine.now = 3049, 101.0
        with pytest.raises(
            LimitError, match=r"^the memory limit of 2 KiB is used up while reading"
        ):
            bounds.checkpoint("reading")


def test_the_memory_is_looked_at_now_and_then(machine: Machine) -> None:
    with limits(memory=2048):
        bounds.checkpoint("reading")
        before, machine.used = machine.looks, 10_000
        machine.now = 100.0099
        bounds.checkpoint("reading")
        assert machine.looks == before
        machine.now = 100.01
        with pytest.raises(LimitError):
            bounds.checkpoint("reading")


def test_room_is_asked_for_what_is_large(machine: Machine) -> None:
    bounds.make_room(1 << 60)
    with limits(time=5):
        bounds.make_room(1 << 60)
    with limits(memory=2 * MIB):
        bounds.make_room(2 * MIB)
        machine.used = 1000 + MIB
        bounds.make_room(MIB)
        with pytest.raises(
            LimitError, match=r"^the memory limit of 2 MiB .* evaluating expressions"
        ):
            bounds.make_room(MIB + 1)
        machine.used = 1 << 40
        bounds.make_room(MIB)  # nobody asks for so little
        with pytest.raises(LimitError):
            bounds.make_room(MIB + 1)


def test_one_glance_in_64_is_a_look(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "_glances", 0)
    with limits(time=5):
        machine.now = 200.0
        for _ in range(63):
            bounds.glance()
        with pytest.raises(LimitError, match="evaluating expressions"):
            bounds.glance()
        for _ in range(63):
            bounds.glance()
        with pytest.raises(LimitError, match="reading ads"):
            bounds.glance("reading ads")


@pytest.mark.parametrize(
    ("outer", "inner", "remaining"),
    [
        ((None, None, None), (None, None, None), (None, None, None)),
        ((9, None, None), (None, None, None), (8, None, None)),
        ((9, None, None), (5, None, None), (5, None, None)),
        ((5, None, None), (9, None, None), (4, None, None)),
        ((9, None, None), (8, None, None), (8, None, None)),
        ((None, None, None), (5, None, None), (5, None, None)),
        ((9, 2048, 7), (5, None, None), (5, 2048, 7)),
        ((9, 2048, 7), (None, 1024, None), (8, 1024, 7)),
        ((9, 2048, 7), (None, 4096, None), (8, 2048, 7)),
        ((9, 2048, 7), (None, None, 9), (8, 2048, 9)),
        ((None, None, 7), (3, 100, 3), (3, 100, 3)),
        ((0, 0, 0), (None, None, None), (0, 0, 0)),
    ],
)
def test_blocks_within_blocks(
    machine: Machine,
    outer: tuple[float | None, int | None, int | None],
    inner: tuple[float | None, int | None, int | None],
    remaining: tuple[float | None, int | None, int | None],
) -> None:
    with limits(*outer):
        machine.now += 1
        with limits(*inner):
            assert bounds.remaining() == remaining
            assert bounds.unpacked_limit() == (4 << 30 if remaining[2] is None else remaining[2])
        left = None if outer[0] is None else max(outer[0] - 1, 0)
        assert bounds.remaining() == (left, *outer[1:])
    assert bounds.remaining() == (None, None, None)
    assert bounds.unpacked_limit() == 4 << 30


def test_blocks_are_counted_that_ask_for_time_or_memory() -> None:
    before = bounds.entered
    for asked, more in (
        ({}, 0), ({"unpacked": 5}, 0), ({"time": 50}, 1), ({"memory": 1 << 40}, 1),
        ({"time": 50, "memory": 1 << 40, "unpacked": 3}, 1),
    ):  # fmt: skip
        with limits(**asked):  # type: ignore[arg-type]
            assert bounds.entered == before + more
        assert bounds.entered == before


@pytest.mark.parametrize("name", ["time", "memory", "unpacked"])
@pytest.mark.parametrize("bound", [-1, -0.001, float("nan")])
def test_bounds_that_are_none(name: str, bound: float) -> None:
    with pytest.raises(ValueError, match=f"^{name}: `{bound}` is not a number of at least 0$"):
        limits(**{name: bound})  # type: ignore[arg-type]


def test_a_deadline_that_has_passed_leaves_nothing(machine: Machine) -> None:
    with limits(time=5):
        machine.now = 104.0
        assert bounds.remaining() == (1.0, None, None)
        machine.now = 300.0
        assert bounds.remaining() == (0.0, None, None)
