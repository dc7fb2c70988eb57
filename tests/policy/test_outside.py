"""Files outside the folder of a configuration: not read where that is forbidden, never quoted."""

from __future__ import annotations

from pathlib import Path

import pytest

from pieslice.cli import main

Capture = pytest.CaptureFixture[str]
SECRET = "root:$6$salt$hash:19000:0:99999:7:::\nno macro at all\n"


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "pool"
    folder.mkdir()
    (tmp_path / "shadow").write_text(SECRET)
    (tmp_path / "site.conf").write_text("MAX_SPINS = 3\n")
    (folder / "inner.conf").write_text("MAX_SPINS = 2\n")
    monkeypatch.chdir(tmp_path)
    return folder / "condor_config"


def said(capsys: Capture, *words: str) -> str:
    main(list(words))
    out, err = capsys.readouterr()
    return out + err


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
@pytest.mark.parametrize("more", [[], ["--outside-includes"], ["--all"]])
def test_a_secret_is_never_quoted(
    config: Path, form: str, more: list[str], capsys: Capture
) -> None:
    config.write_text("include : ../shadow\nA = 1\n".replace("..", str(config.parents[1])))
    text = said(capsys, "check", str(config), "--format", form, *more)
    assert "shadow" in text
    assert "salt" not in text
    assert "no macro" not in text.replace("no macro that", "")


@pytest.mark.parametrize(
    "line", ["include : {}/site.conf", "LOCAL_CONFIG_FILE = {}/site.conf"], ids=["include", "local"]
)
def test_files_outside_are_not_read(line: str, config: Path, capsys: Capture) -> None:
    config.write_text(line.format(config.parents[1]) + "\ninclude ifexist : /nothing\n")
    show = ["config", "show", "MAX_SPINS", str(config), "--keep-going"]
    assert said(capsys, *show).splitlines()[0] == "3"
    assert said(capsys, *show, "--outside-includes").splitlines()[0] == "3"
    confined = said(capsys, *show, "--no-outside-includes")
    assert "is outside the folder of the configuration" in confined
    assert "3" not in confined.splitlines()
    for form in ("github", "sarif"):
        assert "is outside the folder" in said(capsys, "check", str(config), "--format", form)


def test_a_link_out_of_the_folder_is_outside(config: Path, capsys: Capture) -> None:
    (config.parent / "link.conf").symlink_to(config.parents[1] / "site.conf")
    config.write_text(
        f"include : {config.parent}/link.conf\ninclude : {config.parent}/inner.conf\n"
    )
    words = ["config", "show", "MAX_SPINS", str(config), "--no-outside-includes", "--keep-going"]
    found = said(capsys, *words)
    assert "link.conf` is outside" in found
    assert "inner.conf`" not in found


def test_a_pattern_that_takes_for_ever_is_given_up(config: Path, capsys: Capture) -> None:
    name = "a" * 60
    config.write_text(f"{name}_b = 1\n")
    assert "takes too long" in said(capsys, "config", "dump", "^(a+)+$", str(config))
    assert said(capsys, "config", "dump", "^AAA", str(config)) == f"{name}_b = 1\n"
    assert "not a regular expression" in said(capsys, "config", "dump", "(", str(config))


@pytest.mark.parametrize("form", ["text", "json"])
def test_what_else_there_is_in_a_file_that_is_not_quoted_is_not_told(
    config: Path, form: str, capsys: Capture
) -> None:
    """The slip in the name of its second line would show a word of it."""
    outside = config.parents[1] / "site.conf"
    config.write_text(f"include : {outside}\n")
    outside.write_text("STRT = True\n")
    assert "STRT" in said(capsys, "check", str(config), "--format", form)
    outside.write_text("STRT = True\nno macro at all\n")
    text = said(capsys, "check", str(config), "--format", form)
    assert "does not read as configuration" in text
    assert "STRT" not in text
