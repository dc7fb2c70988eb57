"""Loading into columns gives the ads that the reader in Python gives, whatever the bytes are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from classad import ClassAd, ExprTree, ParserType, kernels, parseAds
from classad.errors import ClassAdParseError, Diagnostic
from classad.files.ads import load_file
from classad.formats.long import LongReader
from classad.language.bounds import resident
from classad.loading import long_form as loading
from classad.loading.columns import LoadedColumns, Tag
from classad.loading.long_form import Loader, NativeStore, PythonStore, load_long

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests" / "vectors" / "classad"
STORES = ["python", *(["c"] if kernels.native is not None else [])]


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "python":
        monkeypatch.setattr(loading, "new_store", PythonStore)
    return str(request.param)


def described(value: Any) -> Any:
    """A value with its type, lists and ads by their texts."""
    return value.__class__.__name__, repr(value)


def contents(ad: ClassAd) -> list[Any]:
    return [(key, ad._names[key], described(value)) for key, value in ad._attrs.items()]


def read(data: bytes, errors: Any) -> tuple[list[Any], list[str]]:
    """What the reader in Python gives: the ads and its problems; a refusal as one problem."""
    problems: list[Diagnostic] = []
    reader = LongReader(ClassAd, problems, errors=errors)
    try:
        ads = [contents(ad) for ad in reader.read(data.decode("utf-8", "surrogateescape"))]
    except ClassAdParseError as refusal:
        return [], [str(refusal)]
    return ads, [problem.render() for problem in problems]


def loaded(data: bytes, errors: Any, cuts: list[int] | None = None) -> tuple[list[Any], list[str]]:
    try:
        loader = Loader(errors=errors)
        start = 0
        for cut in sorted(cuts or []):
            loader.feed(data[start:cut])
            start = max(start, cut)
        columns = loader.finish(data[start:])
    except ClassAdParseError as refusal:
        return [], [str(refusal)]
    assert columns.n_rows == len(columns)
    ads = columns.to_ads(ClassAd)
    return [contents(ad) for ad in ads], [p.render() for p in columns.diagnostics]


def agree(data: bytes, cuts: list[int] | None = None) -> None:
    for errors in ("warn", "htcondor", "strict"):
        assert loaded(data, errors, cuts) == read(data, errors), (data, errors, cuts)


def recorded_lines() -> list[str]:
    lines = (VECTORS / "formats.jsonl").read_text("utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    return [case["input"] for case in cases if isinstance(case.get("input"), str)]


def test_on_the_recorded_lines(store: str) -> None:
    texts = recorded_lines()
    assert len(texts) > 100
    for text in texts:
        data = text.encode("utf-8", "surrogateescape")
        agree(data)
        agree(b"A = 1\n" + data + b"\nA = 2\n\n" + data)


def test_on_every_recorded_expression(store: str) -> None:
    for name in ("lex", "unparse", "strict", "real_format"):
        cases = map(json.loads, (VECTORS / f"{name}.jsonl").read_text("utf-8").splitlines())
        texts = [case["expr"] for case in cases if isinstance(case.get("expr"), str)]
        lines = [f"a{n} = {text}\n{'' if n % 7 else chr(10)}" for n, text in enumerate(texts)]
        agree("".join(lines).encode("utf-8", "surrogateescape"))


def test_an_exponent_of_many_digits_is_read_whole(store: str) -> None:
    """As many digits behind the point seem to make up for what was read of it."""
    near = (99_998, 99_999, 100_000)
    numbers = [f"0.{'0' * n}1e{e}" for n in near for e in (10**5, 10**6, 10**8)]
    agree("".join(f"a{at} = {number}\n" for at, number in enumerate(numbers)).encode())


PIECES = (
    *("a", "B", "Cpus", "cpus", "Name", "x.y", "é", "1", "0", "-5", "007", "0x1F", "1.5", "-0.0"),
    *("0.1", "1e22", "1e23", "0.015855328717022367", "9007199254740993.0", "5e-324", "1e999"),
    *("123456789012345678", "1234567890123456789", "99999999999999999999", ".5", "-.5e3", "1."),
    *("true", "FALSE", "undefined", "Error", '"s"', '"a\\"b"', '"a\\\\"', '"a\\"', '"\\\\"x"'),
    *('"é"', '"', "'q'", "a + b", "{1, 2}", "{  }", "[x = 1]", "f(a;b)", 'absTime("2020")'),
    *('absTime("2020-01-01T00:00:00Z")', 'relTime("1:00")', "(5)", "a ? b : c d", "1 2"),
    *(
        "=",
        " = ",
        "  =  ",
        "==",
        "# c",
        "\t",
        " ",
        "\r",
        "\v",
        "\0",
        "\n",
        "\n\n",
        " \n",
        "//",
        "/*",
    ),
)
LINES = st.tuples(
    st.sampled_from(["a", "A", "b", "Cpus", "cPUS", "x.y", "é", "a b", "", " a", "#a"]),
    st.sampled_from([" = ", "=", " =", "\t=", " == ", " "]),
    st.sampled_from(PIECES),
    st.sampled_from(["\n", "\n", "\n", "\r\n", " \n", "\n\n", "\n \t\n", ""]),
).map("".join)
FILES = (st.lists(LINES, max_size=14) | st.lists(st.sampled_from(PIECES), max_size=25)).map("".join)
CUTS = st.lists(st.integers(0, 200), max_size=4)


@pytest.mark.slow
@pytest.mark.parametrize("which", STORES)
@given(text=FILES, cuts=CUTS)
@example(text="a = 1\nA = 2\n\na = 1\nA = 2\n", cuts=[])
@example(text="a = 1\n\na = 1\n\na = 1", cuts=[7, 9])
@example(text='a = "\\"\n\na = (\nb = 2\n', cuts=[3])
@settings(max_examples=200, deadline=None)
def test_on_any_text(which: str, text: str, cuts: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if which == "python":
            patch.setattr(loading, "new_store", PythonStore)
        data = text.encode("utf-8")
        agree(data)
        agree(data, cuts)


@pytest.mark.parametrize("which", STORES)
@given(data=st.binary(max_size=60))
def test_on_any_bytes(which: str, data: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if which == "python":
            patch.setattr(loading, "new_store", PythonStore)
        agree(data)
        agree(b"a = 1\nb = " + data + b"\nc = 3\n\na = 1\n")


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("pool")
    command = [sys.executable, str(ROOT / "benchmarks" / "make_pool.py"), "--slots", "150"]
    command += ["--jobs", "30", "--autoclusters", "10", "--seed", "3", "--out", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return (folder / "slots.ads").read_bytes() + (folder / "jobs.ads").read_bytes()


@pytest.mark.slow
def test_on_a_generated_pool(store: str, pool: bytes) -> None:
    agree(pool)
    agree(pool, [1000, 5000, 5001, 200_000])


@pytest.mark.skipif(kernels.native is None, reason="the C loader is not built here")
def test_nothing_in_a_generated_pool_is_unusual(pool: bytes) -> None:
    assert kernels.native is not None
    store = NativeStore(*kernels.native)
    store.open(pool, True)
    assert store.feed() == 0
    assert store.place.position == len(pool)


@pytest.mark.slow
def test_on_the_captured_pools(store: str) -> None:
    files = sorted((ROOT / "examples").rglob("*.ads"))
    assert files
    for path in files:
        agree(path.read_bytes())


def cells(columns: LoadedColumns) -> list[Any]:
    """All columns as plain values, texts in place of their numbers."""
    result = []
    for column in sorted(columns.columns, key=lambda column: column.key):
        payload = [
            columns.texts[number] if tag in (Tag.STRING, Tag.EXPRESSION) else number
            for tag, number in zip(column.tags, column.payload, strict=True)
        ]
        rows = None if column.rows is None else list(column.rows)
        result.append((column.key, column.present, bytes(column.tags), payload, rows))
    return result


def by_python(data: bytes) -> LoadedColumns:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "new_store", PythonStore)
        return load_long(data)


@given(text=FILES)
@settings(max_examples=100, deadline=None)
def test_both_stores_make_the_same_columns(text: str) -> None:
    data = text.encode()
    assert cells(load_long(data)) == cells(by_python(data))


@pytest.mark.slow
@given(runs=st.lists(st.tuples(st.integers(1, 90), st.sets(st.sampled_from("abcdef"))), max_size=8))
@settings(max_examples=100, deadline=None)
def test_dense_and_sparse_columns(runs: list[tuple[int, set[str]]]) -> None:
    ads = [
        "id = 1\n" + "".join(f"{name} = {count * 7 + row}\n" for name in sorted(names))
        for count, names in runs
        for row in range(count)
    ]
    data = "\n".join(ads).encode()
    mine = load_long(data)
    assert cells(mine) == cells(by_python(data))
    assert [contents(ad) for ad in mine.to_ads(ClassAd)] == read(data, "warn")[0]
    for column in mine.columns:
        values = mine.values(column)
        assert len(values) == mine.n_rows
        assert mine.values(column, 3, 40) == values[3:40]
        assert sum(value is not None for value in values) == column.present


def test_a_refused_line_names_no_column(store: str) -> None:
    columns = load_long(b'CPUS = (4\nName = "a"\n\nCpus = 8\n')
    assert columns.names == ["Name", "Cpus"]


def test_columns_and_values(store: str) -> None:
    columns = load_long(b'Name = "A"\nX = 0.5\n\nname = "a"\nx = Y + 1\n\nNAME = UNDEFINED\n')
    assert columns.names == ["Name", "X"]
    name, x = columns.column("NAME"), columns.column("x")
    assert name is not None
    assert x is not None
    assert bytes(name.tags) == bytes([Tag.STRING, Tag.STRING, Tag.UNDEFINED])
    texts = [columns.texts[number] for number in name.payload[:2]]
    assert texts == ["A", "a"]
    assert columns.values(x)[0] == 0.5
    assert columns.values(x)[1] == ExprTree("Y + 1")
    assert columns.values(x)[2] is None
    assert columns.column("nosuch") is None
    spelled = [list(ad._names.values()) for ad in columns.to_ads(ClassAd)]
    assert spelled == [["Name", "X"], ["name", "x"], ["NAME"]]


def test_lists_and_ads_are_made_for_each_ad(store: str) -> None:
    columns = load_long(b"a = {b}\nb = 1\nc = [d = b]\n\na = {b}\nb = 2\nc = [d = b]\n")
    first, second = columns.to_ads(ClassAd)
    item = ExprTree("a[0]")
    assert (item.eval(first), item.eval(second)) == (1, 2)
    assert first._attrs["c"]._parent is first
    assert second._attrs["c"]._parent is second


def test_a_bad_line_is_reported_with_its_place(store: str) -> None:
    columns = load_long(b"# c\na = 1\n\nb = 1\nc = (2\nd = 3\n", "pool.ads")
    assert columns.n_rows == 2
    (problem,) = columns.diagnostics
    assert problem.source is not None
    assert problem.source.name == "pool.ads"
    assert problem.source.first_line == 5
    assert [sorted(ad) for ad in columns.to_ads(ClassAd)] == [["a"], ["b", "d"]]


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_files(store: str, suffix: str, tmp_path: Path) -> None:
    import gzip
    import lzma

    text = b"\xef\xbb\xbfa = 1\n\n" + b'b = "x"\n\n' * 5
    path = tmp_path / f"some.ads{suffix}"
    pack: Any = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress}[suffix]
    path.write_bytes(pack(text))
    columns = load_file(path)
    assert columns.n_rows == 6
    assert columns.names == ["a", "b"]


def test_an_empty_file_and_a_missing_one(store: str, tmp_path: Path) -> None:
    path = tmp_path / "empty.ads"
    path.write_bytes(b"")
    assert list(load_file(path).to_ads(ClassAd)) == []
    with pytest.raises(OSError, match=r"nosuch\.ads"):
        load_file(tmp_path / "nosuch.ads")


def test_views_outlive_the_columns(store: str) -> None:
    column = load_long(b"a = 1\n\na = 2\n").columns[0]
    payload = column.payload
    del column
    junk = [os.urandom(64) for _ in range(1000)]
    assert payload.tolist() == [1, 2]
    assert junk


@pytest.mark.parametrize("name", ["LC_ALL"])
def test_the_locale_does_not_matter(store: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "de_DE.UTF-8")
    (ad,) = load_long(b"a = 0.1\nb = 0.015855328717022367\n").to_ads(ClassAd)
    assert (ad["a"], ad["b"]) == (0.1, 0.015855328717022367)


@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(max_examples=500, deadline=None)
def test_reals_are_exact(value: float) -> None:
    texts = [repr(value), f"{value:.15E}", f"{value:.6f}", f"{value:.17g}"]
    texts = [text for text in texts if "." in text and len(text) < 400]
    data = "".join(f"a{n} = {text}\n" for n, text in enumerate(texts)).encode()
    for ad in load_long(data).to_ads(ClassAd):
        assert [repr(ad[f"a{n}"]) for n in range(len(texts))] == [
            repr(float(text)) for text in texts
        ]


@pytest.mark.slow
def test_parse_ads_of_a_long_text_takes_the_short_cut(pool: bytes) -> None:
    text = pool.decode()
    odd = 'a = "x"\nb = 007\n\n[c = 1]\n\nd = 1 // e\nf = {d}\n'
    long = f"{text}\n{text}\n{odd}\n{text}{odd}"
    assert len(long) > loading._LEAST
    for parser in (ParserType.Old, ParserType.Auto):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kernels, "native", None)
            slow = [contents(ad) for ad in parseAds(long, parser)]
        assert [contents(ad) for ad in parseAds(long, parser)] == slow


@pytest.mark.parametrize("errors", ["warn", "htcondor"])
@pytest.mark.parametrize("data", [b"a = 1e-300\n\0\n", b"a = 1e-300\n\0\n\nb = 1e-300\n"])
def test_a_real_before_a_line_that_is_refused(store: str, data: bytes, errors: str) -> None:
    """Its cell may be given up with the ad; ending the load must not wait for it."""
    assert loaded(data, errors) == read(data, errors)


@pytest.mark.slow
def test_what_a_load_takes_is_given_back(store: str) -> None:
    """Many files in one process, such as those of a history, need the memory of one."""
    ads = [f'Name = "slot{number}@{"m" * 200}"\nCpus = {number}\n' for number in range(3000)]
    text = "\n".join(ads).encode()
    taken = []
    for _ in range(40):
        load_long(text)
        taken.append(resident())
    assert taken[-1] - taken[4] < 5 * len(text)
