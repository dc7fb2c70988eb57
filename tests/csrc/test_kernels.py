"""The two backends of classad.kernels agree with each other and with the C++ library's own sort."""

import itertools
import json
import math
import os
import subprocess
import sys
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from classad import kernels
from classad.kernels import OrderKey
from tests.cases import every_case

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests" / "vectors" / "sort"

try:
    import classad._kernels as extension
except ImportError:  # a checkout used without installation, or an installation without C
    extension = None  # type: ignore[assignment]

needs_c = pytest.mark.skipif(extension is None, reason="the C kernels are not built here")
BACKENDS = [pytest.param("python"), pytest.param("c", marks=needs_c)]

Select = Callable[[list[list[float]], int], list[int]]
Order = Callable[[list[list[float]]], list[int]]


def functions(backend: str) -> tuple[Select, Order]:
    order = kernels._choose(backend)[1]

    def top_k(columns: list[list[float]], k: int) -> list[int]:
        keys, count, rows = keyed(columns)
        return order(keys, count, rows, min(k, count), True)

    return top_k, lambda columns: order(*keyed(columns), len(columns[0]), False)


def keyed(columns: list[list[float]]) -> tuple[list[OrderKey], int, "array[int]"]:
    """Columns as keys of all rows."""
    count = len(columns[0])
    return [OrderKey(array("d", column)) for column in columns], count, array("i", range(count))


def vectors() -> Iterator[Any]:
    equal = json.loads((VECTORS / "stdsort_equal_permutations.json").read_text())
    for rows, order in equal["equal"].items():
        yield [0.0] * int(rows), order
    for name in ("stdsort_equal_permutations.json", "heap_fallback.json"):
        for vector in json.loads((VECTORS / name).read_text())["mixed"]:
            yield vector["keys"], vector["order"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_sort_order_is_that_of_the_library(backend: str) -> None:
    _, sort_order = functions(backend)
    for keys, order in vectors():
        assert sort_order([keys]) == order


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_constant_column_before_or_behind_changes_nothing(backend: str) -> None:
    _, sort_order = functions(backend)
    for keys, order in vectors():
        same = [7.0] * len(keys)
        assert sort_order([same, keys, same]) == order


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_first_rows_are_those_of_all(backend: str) -> None:
    ordered = kernels._choose(backend)[1]
    for keys, order in vectors():
        rows = len(keys)
        for wanted in {0, 1, 2, 15, 16, 17, 40, rows // 2, rows - 1, rows}:
            if 0 <= wanted <= rows:
                assert ordered(*keyed([keys]), wanted, False) == order[:wanted]


VALUES = st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.0, -1.0, 1e300, math.inf, -math.inf, math.nan])
NUMBERS = VALUES.filter(lambda value: not math.isnan(value)) | st.floats(allow_nan=False)


def tables(values: st.SearchStrategy[float]) -> st.SearchStrategy[list[list[float]]]:
    def columns(rows: int) -> st.SearchStrategy[list[list[float]]]:
        column = st.lists(values, min_size=rows, max_size=rows)
        # A cycle of few values makes long columns with many ties cheaply.
        repeated = st.lists(values, min_size=1, max_size=7).map(
            lambda few: [few[i * i % len(few)] for i in range(rows)]
        )
        return st.lists(column | repeated, min_size=1, max_size=4)

    return (st.integers(0, 40) | st.sampled_from([16, 17, 33, 64, 150, 400])).flatmap(columns)


@needs_c
@given(table=tables(VALUES) | tables(NUMBERS), k=st.integers(0, 420))
@example(table=[[math.nan] * 17 + [1.0, 2.0] * 12, [0.0, 1.0] * 20 + [2.0]], k=5)
def test_backends_agree(table: list[list[float]], k: int) -> None:
    top_c, sort_c = functions("c")
    top_python, sort_python = functions("python")
    assert top_c(table, k) == top_python(table, k)
    assert sort_c(table) == sort_python(table)


@st.composite
def keyed_rows(draw: st.DrawFn) -> tuple[list[OrderKey], int, "array[int]"]:
    """Keys of all sorts and some of the rows that have them."""
    size = draw(st.integers(0, 40) | st.sampled_from([100, 150]))
    rng = Random(draw(st.integers(0, 10**6)))
    few = [rng.choice([0.0, -0.0, 1.0, 2.0, math.inf, 1e300]) for _ in range(4)]
    keys: list[OrderKey] = []
    for _ in range(draw(st.integers(0, 4))):
        kinds = None
        if rng.random() < 0.6:
            kinds = bytearray(rng.choice([0, 0, 1, 2, 255]) for _ in range(size))
        of_kinds = kinds is not None and rng.random() < 0.5
        codes = None
        if rng.random() < 0.5:  # of some codes there is no value
            codes = array("i", [rng.randrange(9) for _ in range(size)])
        values = array("d", [rng.choice(few) for _ in range(7 if of_kinds or codes else size)])
        keys.append(OrderKey(values, codes, kinds, rng.choice(few), of_kinds))
    rows = array("i", sorted(rng.sample(range(size), rng.randrange(size + 1))))
    return keys, size, rows


@pytest.mark.parametrize("backend", BACKENDS)
@given(case=keyed_rows(), wanted=st.integers(0, 60))
def test_some_rows_are_ordered_as_if_there_were_no_others(
    backend: str, case: tuple[list[OrderKey], int, "array[int]"], wanted: int
) -> None:
    keys, size, rows = case
    ordered = kernels._choose(backend)[1]
    wanted = min(wanted, len(rows))
    columns = [[key.at(row) for row in rows] for key in keys] or [[0.0] * len(rows)]
    order = [rows[place] for place in kernels.sort_order(columns)]
    assert ordered(keys, size, rows, wanted, False) == order[:wanted]
    best = [rows[place] for place in kernels.top_rows(*keyed(columns), wanted)]
    assert ordered(keys, size, rows, wanted, True) == best


@pytest.mark.parametrize(
    "key",
    [
        OrderKey(array("d", [1.0])),
        OrderKey(array("d", [1.0, 2.0]), array("i", [1])),
        OrderKey(array("d", [1.0, 2.0]), None, b"\x01"),
        OrderKey(array("d", [1.0, 2.0]), None, None, 0.0, True),
    ],
    ids=["values", "codes", "kinds", "values of kinds"],
)
def test_keys_that_are_too_short_are_refused(key: OrderKey) -> None:
    for choose in (kernels.sort_rows, kernels.top_rows):
        with pytest.raises(ValueError, match="a key has not what 2 rows want"):
            choose([key], 2, array("i", [0, 1]), 1)


@needs_c
def test_rows_that_there_are_not_are_refused() -> None:
    order = kernels._choose("c")[1]
    for stable in (False, True):
        for row in (-1, 2):
            with pytest.raises(ValueError, match="the C kernel refused its arguments"):
                order([OrderKey(array("d", [1.0, 2.0]))], 2, array("i", [0, row]), 1, stable)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@given(table=tables(NUMBERS))
def test_sort_order_sorts(backend: str, table: list[list[float]]) -> None:
    order = functions(backend)[1](table)
    assert sorted(order) == list(range(len(table[0])))
    rows = list(zip(*table, strict=True))
    assert [rows[i] for i in order] == sorted(rows, reverse=True)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@given(table=tables(VALUES), k=st.integers(0, 420))
def test_top_k_is_a_prefix_of_the_stable_sort(
    backend: str, table: list[list[float]], k: int
) -> None:
    rows = [
        [(-1, 0.0) if math.isnan(key) else (0, key) for key in row]
        for row in zip(*table, strict=True)
    ]
    stable = sorted(range(len(rows)), key=rows.__getitem__, reverse=True)
    assert functions(backend)[0](table, k) == stable[:k]


def test_up_to_sixteen_equal_rows_keep_their_order() -> None:
    assert kernels.sort_order([[1.0] * 16]) == list(range(16))
    assert kernels.sort_order([[1.0] * 17])[:2] == [8, 16]


def test_a_nan_lets_the_next_column_decide_in_sort_order_and_comes_last_in_top_k() -> None:
    columns = [[math.nan, 1.0, math.nan], [1.0, 2.0, 3.0]]
    assert kernels.sort_order(columns) == [2, 1, 0]
    assert kernels.top_rows(*keyed(columns), 3) == [1, 2, 0]


def test_no_rows() -> None:
    assert kernels.top_rows(*keyed([[], []]), 3) == []
    assert kernels.sort_order([[]]) == []


def test_integers_and_booleans_count_as_numbers() -> None:
    assert kernels.sort_order([[1, True, 3.5, False]]) == [2, 0, 1, 3]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: kernels.sort_order([[1.0], [1.0, 2.0]]),
            "columns of different lengths: 1 and 2",
        ),
        (
            lambda: kernels.top_rows(*keyed([[1.0]]), -1),
            "the number of rows to choose is negative: -1",
        ),
        (lambda: kernels.sort_order([]), "there is no key column"),
    ],
)
def test_bad_arguments(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def run_with(backend: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "import classad.kernels as k; print(k.backend)"],
        env={**os.environ, "CLASSAD_KERNELS": backend, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_environment_chooses_the_backend(backend: str) -> None:
    assert run_with(backend).stdout.strip() == backend


def test_an_unknown_backend_is_refused() -> None:
    assert "CLASSAD_KERNELS is `fortran`" in run_with("fortran").stderr


# --- the contract of csrc/kernels.h ---------------------------------------------------------------


def pairs(widths: tuple[int, int], rows: int, room: int) -> Any:
    """What ``ca_number_pairs`` returns for rows that are all different, and the numbers."""
    ffi, lib = extension.ffi, extension.lib
    kinds = {1: "unsigned char[]", 4: "int32_t[]", 8: "int64_t[]"}
    left, right = (ffi.new(kinds[width], list(range(rows))) for width in widths)
    slots, numbers, first = (ffi.new("int32_t[]", max(size, 1)) for size in (room, rows, rows))
    count = lib.ca_number_pairs(
        rows, widths[0], left, widths[1], right, room, slots, numbers, first
    )
    return count if count < 0 else [*numbers][:rows]


@needs_c
@every_case("widths", list(itertools.product((1, 4, 8), repeat=2)))
@pytest.mark.parametrize(("rows", "room"), [(2, 4), (2, 8), (4, 8), (2, 3), (2, 2), (3, 6), (0, 1)])
def test_pairs_are_numbered_in_a_power_of_two_of_twice_the_rows(
    widths: tuple[int, int], rows: int, room: int
) -> None:
    allowed = widths in ((4, 4), (8, 1)) and room >= 2 * rows and room.bit_count() == 1
    assert pairs(widths, rows, room) == (list(range(rows)) if allowed else -1)


@needs_c
def test_what_the_header_forbids_is_refused() -> None:
    ffi, lib = extension.ffi, extension.lib
    null, bad, fine = ffi.NULL, -1, 0

    def ints(*values: int) -> Any:
        return ffi.new("int32_t[]", values)

    def octets(*values: int) -> Any:
        return ffi.new("unsigned char[]", values)

    out, longs = octets(*[0] * 64), ffi.new("int64_t[8]")
    for rows, width, expected in (
        ([0, 1], 1, fine), ([0, 1], 4, fine), ([1], 8, fine), ([0, 2], 4, bad), ([-1], 4, bad),
        ([0], 2, bad), ([0], 0, bad),
    ):  # fmt: skip
        values = octets(*range(16))
        assert lib.ca_pick(len(rows), ints(*rows), 2, width, values, out) == expected
    for rows, room, expected in (([0, 2], 3, fine), ([3], 3, bad), ([-1], 3, bad)):
        assert lib.ca_mark(len(rows), ints(*rows), 1, room, out) == expected
    for count in (1, 8, 9, 16):
        codes = ints(*[1] * count)
        room = (count + 7) // 8
        for size, there, expected in ((2, room, fine), (1, room, bad), (2, room - 1, bad)):
            found = lib.ca_flag(count, codes, null, size, octets(0, 1), there, out)
            assert found == expected, (count, size, there)
    assert lib.ca_flag(2, ints(0, 1), ints(9, 3), 2, octets(0, 1), 2, out) == fine
    assert lib.ca_flag(2, ints(0, 1), ints(16, 3), 2, octets(0, 1), 2, out) == bad
    assert lib.ca_flag(2, ints(0, 2), ints(9, 3), 2, octets(0, 1), 2, out) == bad
    bits = octets(*[0] * 7, 3)
    assert lib.ca_list_bits(8, bits, 0, null) == 2
    assert lib.ca_list_bits(8, bits, 2, rows := ints(0, 0, 7)) == 2
    assert [*rows] == [56, 57, 7]
    assert lib.ca_list_bits(8, bits, 1, rows) == -3
    assert [lib.ca_list_bits(size, bits, 2, rows) for size in (1, 4, 7)] == [bad] * 3
    for bit in range(64):
        bits = octets(*(1 << bit).to_bytes(8, "little"))
        assert lib.ca_list_bits(8, bits, 1, rows) == 1
        assert rows[0] == bit
    for ends, size, expected in (
        ([0, 1, 3], 3, fine), ([0, 1, 4], 3, bad), ([0, 2, 1], 3, bad), ([-1, 0, 1], 3, bad),
    ):  # fmt: skip
        assert lib.ca_count_holding(2, ints(*ends), size, octets(1, 1, 1), longs) == expected
    for present in itertools.product((True, False), repeat=3):
        given = [
            it if there else null
            for it, there in zip((ints(0, 1), octets(1), longs), present, strict=True)
        ]
        found = lib.ca_count_holding(1, given[0], 1, given[1], given[2])
        assert found == (fine if all(present) else bad), present
        assert lib.ca_count_holding(0, given[0], 1, given[1], given[2]) == fine
    assert lib.ca_count_holding(1, ints(0, 0), 0, null, longs) == fine
    tags = octets(0)
    for present in itertools.product((True, False), repeat=3):
        buffers = [
            it if there else null for it, there in zip((tags, longs, out), present, strict=True)
        ]
        assert lib.ca_judge(1, *buffers) == (fine if all(present) else bad)
        assert lib.ca_judge(0, *buffers) == fine


@needs_c
@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize(("size", "expected"), [(0, 0), (1, -1), (2, -1)])
def test_a_key_of_so_many_values_has_them(place: int, size: int, expected: int) -> None:
    ffi, lib = extension.ffi, extension.lib
    values = ffi.new("double[]", [2.0, 1.0])
    keys = ffi.new("ca_key[]", [{"values": values, "size": 2}, {"values": values, "size": 2}])
    rows, order = ffi.new("int32_t[]", [0, 1]), ffi.new("int32_t[2]")
    given = 2, rows, 2, 1, ffi.new("double[2]"), ffi.new("int32_t[6]"), order
    assert lib.ca_order(2, 2, keys, *given) == 0
    keys[place].values, keys[place].size = ffi.NULL, size
    assert lib.ca_order(2, 2, keys, *given) == expected


@needs_c
@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("row", [-1, 2])
def test_a_row_that_there_is_not_is_refused_at_every_place(place: int, row: int) -> None:
    ffi, lib = extension.ffi, extension.lib
    keys = ffi.new("ca_key[]", [{"values": ffi.new("double[]", [2.0, 1.0]), "size": 2}])
    rows = ffi.new("int32_t[]", [0, 1])
    given = 2, False, ffi.new("double[2]"), ffi.new("int32_t[6]"), ffi.new("int32_t[2]")
    rows[place] = row
    assert lib.ca_order(2, 1, keys, 2, rows, *given) == -1


@needs_c
@pytest.mark.parametrize("missing", ["keys", "rows", "first", "scratch", "order"])
def test_what_a_sort_needs_is_asked_for(missing: str) -> None:
    ffi, lib = extension.ffi, extension.lib
    given: dict[str, Any] = {
        "keys": ffi.new("ca_key[]", [{"values": ffi.new("double[]", [2.0, 1.0]), "size": 2}]),
        "size": 2, "rows": ffi.new("int32_t[]", [0, 1]), "wanted": 1, "stable": True,
        "first": ffi.new("double[2]"), "scratch": ffi.new("int32_t[6]"),
        "order": ffi.new("int32_t[2]"),
    }  # fmt: skip
    assert lib.ca_order(2, 1, *given.values()) == 0
    assert lib.ca_order(2, 1, *(given | {missing: ffi.NULL}).values()) == -1


@needs_c
def test_operators_that_there_are_not_are_refused() -> None:
    ffi, lib = extension.ffi, extension.lib
    tags, payload = ffi.new("unsigned char[4]"), ffi.new("int64_t[4]")
    one = ffi.new("ca_vector *", {"tags": tags, "payload": payload, "step": 0})
    null = ffi.NULL
    given = one, one, one, tags, payload
    assert lib.ca_operate(lib.CA_ADD, 4, *given) >= 0
    assert lib.ca_operate(lib.CA_CHOOSE, 4, *given) >= 0
    assert lib.ca_operate(lib.CA_ADD - 1, 4, *given) == -1
    assert lib.ca_operate(lib.CA_CHOOSE + 1, 4, *given) == -1
    for place in range(5):
        some = [null if number == place else it for number, it in enumerate(given)]
        assert lib.ca_operate(lib.CA_ADD, 4, *some) == -1


@needs_c
def test_cells_that_there_are_not_are_refused() -> None:
    ffi, lib = extension.ffi, extension.lib
    load, null = ffi.gc(lib.ca_load_new(), lib.ca_load_free), ffi.NULL

    def put(tag: int, *, load: Any = load, name: Any = b"A", text: Any = b"x") -> int:
        number: int = lib.ca_load_put(load, 1, name, tag, 1, 1, text)
        return number

    assert put(lib.CA_NOTHING + 1) == 0
    assert put(lib.CA_STRING_CELL) == put(lib.CA_WAITING - 1) == 0
    assert put(lib.CA_NOTHING) == put(lib.CA_WAITING) == -1
    assert put(lib.CA_STRING_CELL, load=null) == put(lib.CA_STRING_CELL, name=null) == -1
    assert put(lib.CA_STRING_CELL, text=null) == -1
    assert put(lib.CA_NOTHING + 1, text=null) == 0
