"""Where configurations are read from: copies, folders, a user's own file, persistent settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from pieslice.cli import main
from policy.config import Config, load_config
from policy.data.tables import builtin_table, meanings
from policy.io import builtin_library, read_config
from policy.knobs import KNOBS
from policy.knobs.parameters import find_parameter
from policy.language.host import HostFacts
from policy.language.sources import MemorySources
from policy.language.table import Context


def read(files: dict[str, str], subsystem: str = "TOOL", host: HostFacts | None = None) -> Config:
    return load_config(
        "/c", MemorySources(files), builtin_library(), context=Context(subsystem), host=host
    )


def values(config: Config, *names: str) -> list[str | None]:
    return [config.text(name) for name in names]


def test_a_copied_folder_is_read_as_if_it_lay_where_it_came_from(tmp_path: Path) -> None:
    copy = tmp_path / "my pool"
    (copy / "config.d").mkdir(parents=True)
    (copy / "condor_config").write_text(
        "LOCAL_CONFIG_DIR = /etc/condor/config.d\ninclude : /etc/condor/more\n"
    )
    (copy / "more").write_text("A = more\nB = 1\n")
    (copy / "config.d" / "10-site").write_text("A = site\n")
    config = read_config(str(copy))
    assert values(config, "A", "B") == ["site", "1"]
    assert config.files[-1] == str(copy / "config.d" / "10-site")
    assert not config.diagnostics
    missing = read_config(str(copy), installed_at="/usr/local/condor")
    assert "cannot read `/etc/condor/more`" in missing.diagnostics[0].message


def test_a_folder_with_blanks_in_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "a, b"
    folder.mkdir()
    (folder / "10-a").write_text("A = 1\nB = $(CONFIG_ROOT)\n")
    assert values(read_config(str(folder)), "A", "B") == ["1", str(folder)]


def test_an_empty_folder_is_no_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(tmp_path)]) == 2
    assert capsys.readouterr().err == (f"error: no configuration files in `{tmp_path}`\n")


def test_programs_run_only_where_that_is_allowed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "condor_config"
    root.write_text("include command : echo A = ran\n")
    assert main(["config", "show", "A", str(root)]) == 1
    assert "warning[P910]: `echo A = ran` is not run" in capsys.readouterr().err
    assert main(["config", "show", "A", "--allow-commands", str(root)]) == 0
    assert capsys.readouterr().out == "ran\n"
    for named in ("echo B = local|", "echo B = local |"):
        root.write_text(f"LOCAL_CONFIG_FILE = {named}\n")
        assert main(["config", "show", "B", "--allow-commands", str(root)]) == 0
        assert capsys.readouterr().out == "local\n"
    root.write_text("include command : /no/such/program\n")
    assert main(["config", "show", "A", "--allow-commands", str(root)]) == 2
    assert "cannot run `/no/such/program`" in capsys.readouterr().err


def test_the_file_of_a_user_who_is_no_administrator() -> None:
    files = {"/c": "A = root\n", "/home/u/.condor/user_config": "A = own\n"}
    own = HostFacts(home="/home/u", is_admin=False)
    assert values(read(files, host=own), "A") == ["own"]
    assert values(read(files, host=HostFacts(home="/home/u")), "A") == ["root"]
    files["/c"] = "A = root\nUSER_CONFIG_FILE = /etc/other\n"
    assert values(read(files, host=own), "A") == ["root"]
    files["/etc/other"] = "A = other\n"
    assert values(read(files, host=own), "A") == ["other"]


def test_what_is_read_later_counts() -> None:
    """Files, a user's own one, the environment, overlays, given macros, persistent settings."""
    files = {
        "/c": "LOCAL_CONFIG_FILE = /l\nLOCAL_CONFIG_DIR = /d\nA = $(A) root\n",
        "/d/x": "A = $(A) folder\nENABLE_PERSISTENT_CONFIG = true\nPERSISTENT_CONFIG_DIR = /p\n",
        "/l": "A = $(A) local\n",
        "/home/u/.condor/user_config": "A = $(A) own\n",
        "/o": "A = $(A) overlay\n",
        "/p/.config.TOOL": "A = $(A) persistent\n",
    }
    config = load_config(
        "/c",
        MemorySources(files),
        builtin_library(),
        host=HostFacts(home="/home/u", is_admin=False),
        environment={"_CONDOR_A": "$(A) environment"},
        extra=[("A", "$(A) given")],
        overlays=["/o"],
    )
    order = "root folder local own environment overlay given persistent"
    assert config.text("A") == f" {order}"
    assert config.files == ("/c", "/d/x", "/l", *[*files][3:])


def test_persistent_settings_come_last_and_by_reader() -> None:
    files = {
        "/c": "A = root\nENABLE_PERSISTENT_CONFIG = True\nPERSISTENT_CONFIG_DIR = /p\n",
        "/p/.config.NEGOTIATOR": "RUNTIME_CONFIG_ADMIN = A, B\n",
        "/p/.config.NEGOTIATOR.A": "A = set\n",
        "/p/.config.NEGOTIATOR.B": "B = 3\n",
    }
    assert values(read(files, "NEGOTIATOR"), "A", "B") == ["set", "3"]
    assert values(read(files), "A", "B") == ["root", None]
    del files["/p/.config.NEGOTIATOR.B"]
    assert not read(files, "NEGOTIATOR").complete
    files["/c"] = "A = root\nPERSISTENT_CONFIG_DIR = /p\n"
    assert values(read(files, "NEGOTIATOR"), "A") == ["root"]


def test_every_macro_of_the_table_has_a_meaning_and_a_reader() -> None:
    names = [*builtin_table(), *KNOBS, *meanings()]
    for name in names:
        known = find_parameter(name)
        assert known is not None, name
        assert known.doc, name
        assert known.reader, name
        assert known.type, name
        assert not known.doc.endswith("."), name


@pytest.mark.parametrize("name", ["RANK", "MAXJOBRETIREMENTTIME", "SYSTEM_PERIODIC_HOLD"])
def test_macros_that_only_the_programs_know(name: str) -> None:
    known = find_parameter(name)
    assert known is not None
    assert (known.default, known.type) == (None, "expression")


def test_what_a_macro_means(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "info", "shadow_worklife", "SHADOW_WORKLIF"]) == 1
    said = capsys.readouterr()
    assert "\nSHADOW_WORKLIFE: time for which a shadow" in f"\n{said.out}"
    assert "did you mean `SHADOW_WORKLIFE`?" in said.err
    assert main(["config", "info", "SHADOW_WORKLIF"]) == 1
    assert "SHADOW" not in capsys.readouterr().out
    assert main(["config", "info", "CGROUP_LOW_MEMORY_LIMIT_EXPR"]) == 0
    assert capsys.readouterr().out.endswith("\n  read by none\n")


def test_a_missing_local_file_is_told_where_it_is_named() -> None:
    config = read({"/c": "A = 1\nLOCAL_CONFIG_FILE = /none\n"})
    [found] = config.diagnostics
    assert (found.line, found.column) == (2, 21)
    assert found.message == "cannot read configuration `/none`"
    assert not config.complete


def test_a_path_with_a_hole_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "condor_config"
    for hole, said in (("TILDE", "is the home of the account condor"), ("OURS", "is not defined")):
        for line in ("LOCAL_CONFIG_FILE =", "include :"):
            root.write_text(f"FOLDER = $({hole})\n{line} $(FOLDER)/x.local\n")
            main(["config", "show", "FOLDER", str(root)])
            found = capsys.readouterr().err
            assert "cannot read" in found
            assert f"`$({hole})` {said}" in " ".join(found.split())
            assert "--installed-at" not in found  # nobody copied it


def test_what_is_not_here_is_left_out_with_a_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "condor_config"
    root.write_text("A = 1\nLOCAL_CONFIG_FILE = /none, /bin/make-config\nB = $(A)2\n")
    assert main(["config", "show", "B", str(root)]) == 0
    said = capsys.readouterr()
    assert said.out == "12\n"
    assert said.err.count("warning[P912]: cannot read configuration `/none`") == 1
    assert said.err.count("warning[P912]: cannot read configuration `/bin/make-config`") == 1
    assert "-D LOCAL_CONFIG_FILE=..." in said.err
    root.write_text("A = 1\nLOCAL_CONFIG_FILE = /bin/make-config -a, b|\nB = $(A)2\n")
    assert main(["config", "show", "B", str(root)]) == 0
    assert (
        "warning[P910]: the program `/bin/make-config -a, b` is not run" in capsys.readouterr().err
    )
