"""Files of ads: detection, compression, streams, errors, writing."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from classad import ClassAd, ClassAdOSError, ClassAdParseError, ClassAdValueError, ExprTree
from classad.errors import Diagnostic
from classad.files import compressed
from classad.files.ads import OutForm, format_ad, load_ads, read_ads, write_ads
from classad.formats.detect import detect_form, detect_table

ADS = [
    ClassAd({"Name": "slot1@é", "Cpus": 4, "Rank": ExprTree("TARGET.JobPrio * 2"), "L": [1, {}]}),
    ClassAd({"Name": 'say "hi" c:\\dir\\', "Load": 0.25, "Nested": {"x": None}}),
]
FORMS: tuple[OutForm, ...] = ("long", "new", "json", "jsonl", "xml")


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read_back_without_naming_it(form: OutForm, tmp_path: Path) -> None:
    path = tmp_path / "ads"
    assert write_ads(ADS, path, form) == 2
    assert list(read_ads(path)) == ADS
    assert list(read_ads(str(path))) == ADS
    assert list(read_ads(io.StringIO(path.read_text()))) == ADS
    assert list(read_ads(io.BytesIO(path.read_bytes()))) == ADS
    assert list(read_ads(path.read_text().splitlines(keepends=True))) == ADS


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, bz2.compress])
def test_compressed(compress: Callable[[bytes], bytes], form: OutForm, tmp_path: Path) -> None:
    plain = io.StringIO()
    write_ads(ADS, plain, form)
    path = tmp_path / "ads"
    path.write_bytes(compress(plain.getvalue().encode()))
    assert list(read_ads(path)) == ADS
    with path.open("rb") as stream:
        assert list(read_ads(stream)) == ADS


@pytest.mark.parametrize(
    ("suffix", "magic"), [(".gz", b"\x1f\x8b"), (".xz", b"\xfd7zXZ"), (".bz2", b"BZh")]
)
def test_compressed_by_name(suffix: str, magic: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"ads{suffix}"
    assert write_ads(ADS, path) == 2
    assert path.read_bytes().startswith(magic)
    assert list(read_ads(path)) == ADS
    again = tmp_path / "again" / f"ads{suffix}"
    again.parent.mkdir()
    write_ads(ADS, again)
    assert again.read_bytes() == path.read_bytes()


needs_zstd = pytest.mark.skipif(
    not any(map(find_spec, ("compression", "zstandard"))), reason="the extra `zstd` is optional"
)


def test_without_zstd_there_is_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("compression.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, module, None)
    path = tmp_path / "ads.zst"
    with pytest.raises(ClassAdOSError, match="zstandard"):
        write_ads(ADS, path)
    path.write_bytes(b"\x28\xb5\x2f\xfd....")
    with pytest.raises(ClassAdOSError, match="zstandard"):
        list(read_ads(path))


@needs_zstd
def test_zstd(tmp_path: Path) -> None:
    path = tmp_path / "ads.zst"
    assert write_ads(ADS, path) == 2
    assert path.read_bytes().startswith(b"\x28\xb5\x2f\xfd")
    assert list(read_ads(path)) == ADS


@needs_zstd
@pytest.mark.parametrize("cut", [0, 1])
def test_frames_of_zstd_one_behind_the_other(cut: int, tmp_path: Path) -> None:
    whole, both = tmp_path / "one.zst", tmp_path / "two.zst"
    ads = [ClassAd({"Number": number, "Text": "x" * 100}) for number in range(500)]
    write_ads(ads, whole, "new")
    frame = whole.read_bytes()
    both.write_bytes(frame + frame[: len(frame) - cut])
    found: list[Diagnostic] = []
    read = list(read_ads(both, diagnostics=found))
    assert read[:500] == ads
    assert [item.lost for item in found] == ["rest"] * cut
    assert len(read) == 1000 or cut


def test_frames_of_a_zstd_file_follow_each_other() -> None:
    """With a stand-in that has the same interface: the package need not be there."""
    package = SimpleNamespace(
        ZstdDecompressor=lambda: SimpleNamespace(decompressobj=zlib.decompressobj)
    )
    whole = zlib.compress(b"Cpus = 1\n" * 50) + zlib.compress(b"") + zlib.compress(b"Cpus = 2\n")
    frames = compressed._zstd_frames(io.BytesIO(whole), package)
    assert b"".join(frames) == b"Cpus = 1\n" * 50 + b"Cpus = 2\n"
    frames = compressed._zstd_frames(io.BytesIO(whole[:-6]), package)
    assert next(frames) == b"Cpus = 1\n" * 50
    with pytest.raises(EOFError):
        list(frames)


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    for suffix in ("", ".gz", ".xz"):
        with pytest.raises(ClassAdOSError, match="No such file"):
            write_ads(ADS, tmp_path / "none" / f"ads{suffix}")


@pytest.mark.parametrize("form", FORMS)
def test_no_ads(form: OutForm) -> None:
    stream = io.StringIO()
    assert write_ads([], stream, form) == 0
    assert list(read_ads(io.StringIO(stream.getvalue()))) == []


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("", "long"),
        ("\n\n# note\nCpus = 1\n", "long"),
        ("Name = [x = 1]", "long"),
        ("# note\n[Cpus = 1]", "new"),
        ("// note\n[\nCpus = 1\n]", "new"),
        ("/* note */ [ ] [ ]", "new"),
        ("[\n]\n", "json"),
        ("{\n[\nCpus = 1;\n]\n}", "new"),
        ('{"Cpus": 1}', "json"),
        ('{\n  "Cpus": 1\n}', "json"),
        ('[\n{"Cpus": 1}\n]', "json"),
        ('<?xml version="1.0"?>\n', "xml"),
        ("  <c>", "xml"),
        ("\ufeffCpus = 1", "long"),
    ],
)
def test_detection(text: str, form: str) -> None:
    assert detect_form(text) == form


def test_long_form_is_read_lazily() -> None:
    def lines() -> Any:
        yield from ("a = 1\n", "\n", "b = 2\n", "\n")
        raise AssertionError("read too far")

    assert next(read_ads(lines())) == ClassAd({"a": 1})


def test_form_may_be_named() -> None:
    assert list(read_ads(io.StringIO("[a = 1"), "long")) == [ClassAd({"[a": 1})]
    with pytest.raises(ValueError, match="form must be"):
        read_ads(io.StringIO(""), "csv")  # type: ignore[arg-type]


def test_errors_are_raised_unless_there_is_a_place_for_them(tmp_path: Path) -> None:
    path = tmp_path / "bad.ads"
    path.write_text("a = 1\nb = (\nc = 3\n")
    with pytest.raises(ClassAdParseError, match=r"bad\.ads:2:\d+: error"):
        list(read_ads(path))
    problems: list[Diagnostic] = []
    assert list(read_ads(path, diagnostics=problems)) == [ClassAd({"a": 1, "c": 3})]
    assert [problem.line for problem in problems] == [2]
    assert list(read_ads(path, errors="htcondor")) == [ClassAd({"a": 1})]


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ClassAdOSError, match="No such file") as caught:
        list(read_ads(tmp_path / "none"))
    assert isinstance(caught.value, OSError)
    assert caught.value.filename == str(tmp_path / "none")


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "latin1"
    path.write_bytes(b'Args = "caf\xe9"\n')
    (ad,) = read_ads(path)
    again = tmp_path / "again"
    write_ads([ad], again)
    assert again.read_bytes() == path.read_bytes()


def test_callers_streams_stay_open(tmp_path: Path) -> None:
    for stream in (io.StringIO("a = 1"), io.BytesIO(b"a = 1")):
        assert list(read_ads(stream)) == [ClassAd({"a": 1})]
        assert not stream.closed


@pytest.mark.parametrize(
    "ad", [ClassAd({"a": "x\ny"}), ClassAd({"a=b": 1}), ClassAd({" a": 1}), ClassAd({"#a": 1})]
)
def test_what_the_long_form_cannot_hold_is_refused(ad: ClassAd) -> None:
    with pytest.raises(ClassAdValueError, match=r"cannot|cannot be written"):
        format_ad(ad)
    for form in ("new", "json", "xml"):
        assert list(read_ads(io.StringIO(format_ad(ad, form)))) == [ad]  # type: ignore[arg-type]


def test_unusual_names_are_read_back_from_the_long_form() -> None:
    ad = ClassAd({"a b": 1, "1a": 2, "true": 3})
    assert list(read_ads(io.StringIO(format_ad(ad)))) == [ad]


def test_unknown_form_for_writing() -> None:
    with pytest.raises(ValueError, match="form must be"):
        format_ad(ClassAd(), "csv")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("head", "command"),
    [
        (
            "Name          OpSys  Arch   State\n\nslot1@m LINUX X86_64 Claimed",
            "condor_status -long",
        ),
        ("Machine   Platform Slots Cpus Gpus", "condor_status -long"),
        ("\n\n-- Schedd: s : <10.0.0.1:9618?addrs=... @ 11/22/26", "condor_q -all -long"),
        (" ID     OWNER          SUBMITTED   RUN_TIME", "condor_history -long"),
        ("Last Priority Update: 11/22 10:00", "condor_userprio -all -long"),
        ('Name = "slot1@m"', None),
        ("Name == 3", None),
        ("Name", None),
        ("", None),
    ],
)
def test_tables_for_people_are_told_from_ads(head: str, command: str | None) -> None:
    assert detect_table(head) == command


def test_a_table_for_people_is_one_error(tmp_path: Path) -> None:
    path = tmp_path / "status.txt"
    path.write_text("Name  OpSys  Arch\n\nslot1@m  LINUX  X86_64\n")
    for read in (read_ads, load_ads):
        with pytest.raises(ClassAdOSError, match="save `condor_status -long`"):
            list(read(path))
    assert list(read_ads(path, errors="htcondor")) == []


def test_a_dash_is_standard_input_and_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert write_ads(ADS, "-") == 2
    written = capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(written.encode())))
    assert list(read_ads("-")) == ADS
