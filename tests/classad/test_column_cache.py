"""What is kept of long files: it is what loading the file gives, or it is not used."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from classad import ClassAd
from classad.files import column_cache
from classad.files.ads import load_file
from classad.files.column_cache import ColumnCache
from classad.loading.columns import LoadedColumns
from classad.loading.long_form import load_long
from classad.loading.packed import packed, unpacked

#: Ads with all kinds of values, attributes that few ads have, other spellings, and odd characters.
TEXT = "\n".join(
    f'Name = "slot{n}@ä\\n{n % 3}"\nCpus = {n}\nMemory = {n}.5\nBusy = {n % 2 == 0}\n'
    f"START = TARGET.Want{n % 4} && Cpus > 1\nGpus = {{ {n}, [ A = {n} ] }}\nNone = undefined\n"
    f"Wrong = error\n{'mEMORY' if n % 5 else 'Extra'} = {n}\nOf{n // 7} = -{n}\n"
    for n in range(40)
)
OLD = 1_700_000_000


def ads(loaded: LoadedColumns) -> list[tuple[str, list[str]]]:
    """The ads with the spellings and the order of their attributes."""
    return [(repr(ad), list(ad.names())) for ad in loaded.to_ads(ClassAd)]


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    """A file that was written long ago."""
    path = tmp_path / "slots.ads"
    path.write_text(TEXT)
    os.utime(path, (OLD, OLD))
    return path


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that are really loaded."""
    done: list[Path] = []

    def load(path: Path) -> LoadedColumns:
        done.append(path)
        return load_file(path)

    monkeypatch.setattr(column_cache, "load_file", load)
    return done


def cache(path: Path, version: str = "1", **limits: int) -> ColumnCache:
    return ColumnCache(path.parent / "cache", version, **limits)


def kept_in(path: Path) -> list[Path]:
    return sorted((path.parent / "cache").glob("*"))


@pytest.mark.parametrize(
    "text", [TEXT, "", "A = 1\n", 'A = ""\n\nB = "\U0001f600"\n', "A = 1\n\n" * 9]
)
def test_packed_columns_are_the_same_ads(text: str) -> None:
    loaded = load_long(text.encode())
    pieces = packed(loaded, b"mark")
    assert pieces is not None
    again = unpacked(memoryview(b"".join(pieces)), b"mark")
    assert again is not None
    assert ads(again) == ads(loaded)
    assert [again.values(one) for one in again.columns] == [
        loaded.values(one) for one in loaded.columns
    ]
    assert again.texts == loaded.texts


def test_bytes_that_are_no_utf8_come_back() -> None:
    loaded = load_long(b'A = "\xff\xfe"\n')
    pieces = packed(loaded, b"")
    assert pieces is not None
    again = unpacked(memoryview(b"".join(pieces)), b"")
    assert again is not None
    assert ads(again) == ads(loaded)


def test_columns_with_something_to_say_are_not_packed() -> None:
    assert packed(load_long(b"A = 1\nno attribute\n"), b"") is None


def test_a_file_is_loaded_once(pool: Path, loads: list[Path]) -> None:
    first, second = cache(pool).load(pool), cache(pool).load(pool)
    assert loads == [pool]
    assert ads(first) == ads(second) == ads(load_file(pool))
    assert second.text_name == str(pool)


def test_a_changed_ad_of_kept_columns_changes_that_ad_alone(pool: Path) -> None:
    cache(pool).load(pool)
    changed = cache(pool).load(pool).changed("Cpus", {3: 77})
    assert changed.ad(3, ClassAd)["Cpus"] == 77
    assert ads(cache(pool).load(pool)) == ads(load_file(pool))


def other_text(path: Path) -> None:
    path.write_text(TEXT.replace("Cpus = 7\n", "Cpus = 8\n", 1))
    os.utime(path, (OLD + 1, OLD + 1))


def other_end(path: Path) -> None:
    path.write_text(TEXT[:-2] + "8\n")
    os.utime(path, (OLD, OLD))


def longer(path: Path) -> None:
    path.write_text(f"{TEXT}\nName = 1\n")
    os.utime(path, (OLD, OLD))


@pytest.mark.parametrize("change", [other_text, other_end, longer])
def test_what_was_kept_of_another_text_is_not_used(
    pool: Path, loads: list[Path], change: Callable[[Path], None]
) -> None:
    cache(pool).load(pool)
    change(pool)
    assert ads(cache(pool).load(pool)) == ads(load_file(pool))
    assert loads == [pool, pool]
    assert len(kept_in(pool)) == 1, "the old columns have gone"


def cut(data: bytes) -> bytes:
    return data[:-8]


def cut_short(data: bytes) -> bytes:
    return data[:20]


def empty(data: bytes) -> bytes:
    return b""


def one_bit(data: bytes) -> bytes:
    return data[:-100] + bytes([data[-100] ^ 1]) + data[-99:]


def longer_bytes(data: bytes) -> bytes:
    return data + bytes(8)


def other_form(data: bytes) -> bytes:
    return data.replace(b"classad columns 1 ", b"classad columns 0 ", 1)


def no_columns(data: bytes) -> bytes:
    return b"something else\n" * 50


@pytest.mark.parametrize(
    "spoil", [cut, cut_short, empty, one_bit, longer_bytes, other_form, no_columns]
)
def test_kept_columns_that_are_spoiled_are_seen_and_made_anew(
    pool: Path, loads: list[Path], spoil: Callable[[bytes], bytes]
) -> None:
    cache(pool).load(pool)
    [kept] = kept_in(pool)
    data = kept.read_bytes()
    kept.write_bytes(spoil(data))
    assert ads(cache(pool).load(pool)) == ads(load_file(pool))
    assert loads == [pool, pool]
    assert kept.read_bytes() == data


def test_another_version_does_not_use_them(pool: Path, loads: list[Path]) -> None:
    cache(pool, "1").load(pool)
    cache(pool, "2").load(pool)
    assert loads == [pool, pool]


def test_the_columns_of_one_file_do_not_serve_its_copy_under_another_name(
    pool: Path, loads: list[Path]
) -> None:
    cache(pool).load(pool)
    copy = pool.with_name("copy.ads")
    copy.write_text(TEXT)
    os.utime(copy, (OLD, OLD))
    assert cache(pool).load(copy).text_name == str(copy)
    assert loads == [pool, copy]


def test_a_deleted_folder_is_no_matter(pool: Path, loads: list[Path]) -> None:
    cache(pool).load(pool)
    for kept in kept_in(pool):
        kept.unlink()
    (pool.parent / "cache").rmdir()
    assert ads(cache(pool).load(pool)) == ads(load_file(pool))
    assert len(kept_in(pool)) == 1


def test_a_folder_that_cannot_be_made_is_no_matter(pool: Path) -> None:
    folder = pool.with_name("file") / "cache"
    folder.parent.write_text("in the way")
    assert ads(ColumnCache(folder, "1").load(pool)) == ads(load_file(pool))


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_nothing_is_written_into_a_folder_that_may_not_be(pool: Path) -> None:
    folder = pool.parent / "cache"
    folder.mkdir(mode=0o500)
    assert ads(cache(pool).load(pool)) == ads(load_file(pool))
    assert kept_in(pool) == []


def test_a_file_that_has_just_been_written_is_not_kept(pool: Path) -> None:
    os.utime(pool)  # it may be written once more with the same time and size
    cache(pool).load(pool)
    assert kept_in(pool) == []


def test_a_file_with_problems_tells_them_each_time(pool: Path, loads: list[Path]) -> None:
    pool.write_text(f"{TEXT}\nno attribute\n")
    os.utime(pool, (OLD, OLD))
    first, second = cache(pool).load(pool), cache(pool).load(pool)
    assert [one.message for one in first.diagnostics] == [one.message for one in second.diagnostics]
    assert len(first.diagnostics) == 1
    assert loads == [pool, pool]


def test_what_is_kept_is_the_owners_alone(pool: Path) -> None:
    cache(pool).load(pool)
    [kept] = kept_in(pool)
    if os.name != "nt":
        assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_what_was_used_least_lately_goes_when_there_is_too_much(
    pool: Path, loads: list[Path]
) -> None:
    paths = [pool, pool.with_name("b.ads"), pool.with_name("c.ads")]
    for path in paths:
        path.write_text(TEXT)
        os.utime(path, (OLD, OLD))
    cache(pool).load(paths[0])
    [size] = [kept.stat().st_size for kept in kept_in(pool)]
    two = {"most": 2 * size + size // 2}
    cache(pool, **two).load(paths[1])
    for kept in kept_in(pool):
        os.utime(kept, (OLD, OLD))
    cache(pool, **two).load(paths[0])
    cache(pool, **two).load(paths[2])
    assert len(kept_in(pool)) == 2
    loads.clear()
    cache(pool, **two).load(paths[0])
    cache(pool, **two).load(paths[1])
    assert loads == [paths[1]]


def test_columns_that_are_more_than_all_that_may_be_kept_are_not(pool: Path) -> None:
    cache(pool, most=100).load(pool)
    assert kept_in(pool) == []
