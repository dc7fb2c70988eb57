"""``pieslice select``: what ``condor_status -ads -constraint -autoformat`` prints."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from pieslice.command_line import Parser
from pieslice.expressions.cli import add_commands

#: The outputs below are those of condor_status 25.14.1 for these ads.
ADS = r"""
Name = "a"
Cpus = 4
Load = 0.1
S = "x y\"q\"\\b"
L = {1, 2.0, "a", undefined}
A = [x = 1; y = "s"]
E = Cpus * 2
R = relTime(3661)
Big = 1.0E+20
Err = 1/0

Name = "b"
Cpus = 8
Load = 3.0

Name = "c"
Cpus = 2.5

Name = "d"
"""


@pytest.fixture
def ads(tmp_path: Path) -> str:
    path = tmp_path / "slots.ads"
    path.write_text(ADS)
    return str(path)


def run(*tokens: str) -> int:
    """``pieslice select`` with these arguments."""
    parser = Parser(prog="pieslice")
    add_commands(parser.add_subparsers())
    args = parser.parse_args(["select", *tokens])
    code: int = args.run(args)
    return code


def printed(capsys: pytest.CaptureFixture[str], *tokens: str) -> str:
    assert run(*tokens) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


@pytest.mark.parametrize(
    ("tokens", "first"),
    [
        (["-af", "Name", "Cpus", "Load", "Nope"], "a 4 0.1 undefined\n"),
        (["-af", "S", "L", "A", "E"],
         'x y"q"\\\\b { 1,2.0,"a",undefined } [ x = 1; y = "s" ] 8\n'),
        (["-af:V", "Name", "S", "R", "Big", "Err"],
         '"a" "x y\\"q\\"\\\\b" relTime("01:01:01") 1E+20 error\n'),
        (["-af:r", "Name", "R", "E", "Err", "Nope", "Cpus+1"],
         '"a" relTime(3661) Cpus * 2 1 / 0 undefined Cpus + 1\n'),
        (["-af:,", "Name", "Cpus"], "a, 4\n"),
        (["-af:t", "Name", "Cpus"], "a\t4\n"),
        (["-af:,t", "Name", "Cpus", "Load"], "a,\t4,\t0.1\n"),
        (["-af:n", "Name", "Cpus"], "a\n 4\n"),
        (["-af:nl", "Name", "Cpus"], "Name = a\n Cpus = 4\n"),
        (["-af:g,", "Name", "Cpus"], "\na,4\n"),
        (["-af:lng", "Name", "Cpus", "Nope"], "\nName = a\nCpus = 4\nNope = undefined\n"),
        (["-af:lrng", "Name", "E"], '\nName = "a"\nE = Cpus * 2\n'),
        (["-af:l", "Name", "Cpus*2"], "Name = a Cpus*2 = 8\n"),
        (["-af:h", "Name", "E"], "Name E\na    8\nb    undefined\n"),
        (["-af:h,", "Name", "Cpus"],
         "Name, Cpus                 \na   , 4                    \nb   , 8                    \n"),
        (["-af:h", "Name", "Load", "Cpus"],
         "Name Load                  Cpus                 \n"
         "a    0.1                   4                    \n"),
        (["-af:hV", "Name", "S", "Cpus"],
         'Name S         Cpus                 \n"a"  "x y\\"q\\"\\\\b" 4                    \n'
         '"b"  undefined     8                    \n'),
        (["-af:hr", "Name", "E", "Err", "Cpus"],
         'Name E         Err       Cpus     \n"a"  Cpus * 2  1 / 0     4        \n'),
        (["--af", "Name,Cpus"], "a 4\n"),
        (["--af", 'strcat("x,", Name), Cpus', "Load"], "x,a 4 0.1\n"),
        (["-autoformat", "Name", "-constraint", "Cpus > 3"], "a\n"),
    ],
)  # fmt: skip
def test_values(
    capsys: pytest.CaptureFixture[str], ads: str, tokens: list[str], first: str
) -> None:
    shown = printed(capsys, ads, *tokens)
    assert shown[: len(first)] == first


@pytest.mark.parametrize(
    ("tokens", "names"),
    [
        ([], "abcd"),
        (["--where", "Cpus > 2", "--where", "Cpus < 5"], "ac"),
        (["--where", "0.5"], "abcd"),
        (["--where", '"x"'], ""),
        (["--where", "undefined"], ""),
        (["--where", r'size("a\b") == 3 && Name == "b"'], "b"),
        (["--sort", "Cpus"], "cabd"),
        (["--sort", "-Cpus"], "bacd"),
        (["--sort=Cpus > 3", "--sort", "-Load"], "cbad"),
        (["--sort", "Load", "--limit", "3"], "abc"),
        (["--limit", "2"], "ab"),
        (["--limit", "0"], ""),
    ],
)
def test_which_ads_and_in_which_order(
    capsys: pytest.CaptureFixture[str], ads: str, tokens: list[str], names: str
) -> None:
    assert printed(capsys, ads, "--af", "Name", *tokens).split() == list(names)


def test_strings_sort_in_any_case_after_numbers(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "x.ads"
    values = ['"b"', '"A"', "3", '"B"', "true", "2.5", '"a"', "undefined"]
    path.write_text("".join(f"K = {value}\n\n" for value in values))
    shown = printed(capsys, str(path), "--sort", "K", "-af", "K")
    assert shown.split() == ["true", "2.5", "3", "A", "a", "b", "B", "undefined"]


def test_whole_ads_and_formats(capsys: pytest.CaptureFixture[str], ads: str) -> None:
    where = ["--where", "Cpus >= 8"]
    assert printed(capsys, ads, *where) == 'Cpus = 8\nLoad = 3.0\nName = "b"\n'
    shown = printed(capsys, ads, *where, "--format", "new")
    assert shown == '[ Cpus = 8; Load = 3.000000000000000E+00; Name = "b" ]\n'
    (ad,) = json.loads(printed(capsys, ads, *where, "--format", "json"))
    assert ad == {"Name": "b", "Cpus": 8, "Load": 3.0}
    rows = printed(capsys, ads, "-af", "Name", "2*Cpus", "--format", "jsonl").splitlines()
    assert json.loads(rows[1]) == {"Name": "b", "2*Cpus": 16}
    assert json.loads(printed(capsys, ads, "-af", "Name", "--format", "json"))[3] == {"Name": "d"}
    shown = printed(capsys, ads, "-af", "Name", "L", "Nope", "--format", "csv")
    assert shown.splitlines()[:2] == ["Name,L,Nope", 'a,"{ 1,2.0,""a"",undefined }",']


def test_several_files_in_any_form_with_a_target(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, ads: str
) -> None:
    packed, job = tmp_path / "more.json.gz", tmp_path / "job.ad"
    packed.write_bytes(gzip.compress(b'[{"Name": "e", "Cpus": 6}]'))
    job.write_text("[ RequestCpus = 5 ]")
    shown = printed(
        capsys, str(packed), ads, "--target", str(job), "--where", "TARGET.RequestCpus <= Cpus",
        "--af", "Name", "--sort", "-Cpus",
    )  # fmt: skip
    assert shown == "b\ne\n"
    assert printed(capsys, str(packed), ads, "--limit", "1") == 'Cpus = 6\nName = "e"\n'


def test_standard_input(
    capsys: pytest.CaptureFixture[str], ads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = os.dup(0)
    try:
        with open(ads, "rb") as stream:
            os.dup2(stream.fileno(), 0)
        assert printed(capsys, "-", "-af", "Name").split() == list("abcd")
    finally:
        os.dup2(before, 0)
        os.close(before)


def test_the_clock_may_be_given(capsys: pytest.CaptureFixture[str], ads: str) -> None:
    shown = printed(capsys, ads, "--now", "1700000000", "--limit", "1", "-af", "time()")
    assert shown == "1700000000\n"


def test_a_bad_line_is_reported_and_the_rest_kept(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "bad.ads"
    path.write_text('Name = "a"\nCpus = 4 +\nMemory = 5\n')
    assert run(str(path), "--af", "Name", "Memory") == 0
    captured = capsys.readouterr()
    assert captured.out == "a 5\n"
    assert "bad.ads:2:" in captured.err
    assert "^" in captured.err


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        (["--where", "Cpus +"], "<--where>:1:7: error"),
        (["--sort", "(("], "<--sort>:1:3: error"),
        (["-af", "Name", "Cpus *"], "<--af>:1:7: error"),
        (["-af:z", "Name"], "`z` is no modifier of -af"),
        (["-af:lh", "Name"], "`l` and `h` exclude each other"),
        (["--af", " "], "--af needs an attribute"),
        (["--format", "csv"], "needs attributes: --af"),
        (["--format", "xml", "-af", "Name"], "does not go with --af"),
        (["--target", "nosuch.ad"], "nosuch.ad: no such file"),
    ],
)
def test_what_is_refused(
    capsys: pytest.CaptureFixture[str], ads: str, tokens: list[str], message: str
) -> None:
    assert run(ads, *tokens) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""


def test_a_missing_file_and_a_bad_limit(capsys: pytest.CaptureFixture[str], ads: str) -> None:
    assert run("nosuch.ads") == 2
    assert "nosuch.ads: no such file" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run(ads, "--limit", "-1")
    assert "`-1` is not a number of ads" in capsys.readouterr().err


def test_names_and_functions_that_nothing_has_are_pointed_at(
    capsys: pytest.CaptureFixture[str], ads: str
) -> None:
    assert run(ads, "--where", "Cpsu > 1 && strct(Name) != Nope", "--sort", "-MY.Laod") == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert [line for line in captured.err.splitlines() if line.startswith("<")] == [
        "<--where>:1:13: note: unknown function `strct`; did you mean `strcat`?",
        "<--where>:1:1: note: no ad has `Cpsu`; did you mean `Cpus`?",
        "<--where>:1:28: note: no ad has `Nope`",
        "<--sort>:1:2: note: no ad has `Laod`; did you mean `Load`?",
    ]


def test_names_with_a_meaning_of_their_own_and_of_other_ads_are_no_doubt(
    capsys: pytest.CaptureFixture[str], ads: str, tmp_path: Path
) -> None:
    target = tmp_path / "job.ads"
    target.write_text("Wanted = 3\n")
    condition = "CurrentTime > 0 && Cpus > TARGET.Wanted && size({[Inner = 1]}) == 1"
    assert printed(capsys, ads, "--target", str(target), "--where", condition, "-af", "Name") == (
        "a\nb\n"
    )
    nested = "evalInEachContext(Inner, {[Inner = 1]}) isnt undefined"
    assert printed(capsys, ads, "--where", nested, "-af", "Name") == "a\nb\nc\nd\n"


def test_rows_are_read_and_evaluated_by_the_rules_of_a_version(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "slots.ads"
    shared = 'X = 1 + b ? : 7\nL = {1 + b ? : 7}\nC = C\nV = versionle("1", "2")\n'
    path.write_text("\n".join(f'Name = "{name}"\n{shared}' for name in "ab"))
    columns = ["--af", "Name,X,sum(L),C is undefined,V,1 + b ? : 7"]
    for version, values in (
        ("25.0.13", "7 7 error error 7"),
        ("25.14.1", "8 8 true true 8"),
    ):
        assert run(str(path), "--condor-version", version, *columns) == 0
        assert capsys.readouterr().out == f"a {values}\nb {values}\n"
