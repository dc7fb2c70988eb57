"""What the file system and the machine say: files, folders, programs, facts of a host."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from policy import io
from policy.io import FileSources, read_config, this_host
from policy.language.host import HostFacts
from policy.language.sources import MemorySources, ProgramsNotRun
from policy.language.table import Context

#: What HTCondor sets itself for a machine whose every fact has a value of its own.
HOST = HostFacts(
    arch="PPC64LE", opsys="MACOSX", opsys_ver="v1", opsys_and_ver="MAC1", detected_cpus=7,
    detected_physical_cpus=3, detected_memory_mb=99, hostname="h", full_hostname="h.d",
    ip_address="10.0.0.1", ipv6_address="fe80::1", username="u", real_uid=5, real_gid=6, pid=8,
    ppid=9, tilde="/t", home="/home/u", is_admin=False, python3="/py", working_directory="/w",
)  # fmt: skip
SPECIALS = {
    "HOSTNAME": "h", "FULL_HOSTNAME": "h.d", "USERNAME": "u", "REAL_UID": "5", "REAL_GID": "6",
    "PID": "8", "PPID": "9", "IP_ADDRESS": "10.0.0.1", "IPV4_ADDRESS": "10.0.0.1",
    "IPV6_ADDRESS": "fe80::1", "DETECTED_CPUS": "7", "TILDE": "/t",
}  # fmt: skip
DETECTED = {
    "ARCH": "PPC64LE", "OPSYS": "MACOSX", "OPSYSVER": "v1", "OPSYSANDVER": "MAC1",
    "UNAME_ARCH": "ppc64le", "UNAME_OPSYS": "Macosx", "DETECTED_MEMORY": "99",
    "DETECTED_CORES": "7", "DETECTED_PHYSICAL_CPUS": "3", "PYTHON3": "/py",
}  # fmt: skip


@pytest.mark.parametrize(
    ("context", "names"),
    [
        (Context("SCHEDD", "s2"), {"SUBSYSTEM": "SCHEDD", "LOCALNAME": "s2"}),
        (Context("STARTD"), {"SUBSYSTEM": "STARTD", "LOCALNAME": "STARTD"}),
    ],
)
def test_macros_of_a_machine(context: Context, names: dict[str, str]) -> None:
    assert HOST.specials(context) == {**SPECIALS, **names}
    assert HOST.detected(context) == {
        **DETECTED,
        **SPECIALS,
        **names,
        "CondorIsAdmin": "false",
    }
    assert HostFacts().detected(context)["CondorIsAdmin"] == "true"


def test_a_machine_that_nobody_describes() -> None:
    found = {name: value for name, value in HostFacts().detected(Context()).items() if value}
    assert found == {
        "ARCH": "X86_64", "OPSYS": "LINUX", "UNAME_ARCH": "x86_64", "UNAME_OPSYS": "Linux",
        "DETECTED_MEMORY": "1024", "DETECTED_CORES": "1", "DETECTED_PHYSICAL_CPUS": "1",
        "DETECTED_CPUS": "1", "CondorIsAdmin": "true", "HOSTNAME": "localhost",
        "FULL_HOSTNAME": "localhost", "SUBSYSTEM": "TOOL", "LOCALNAME": "TOOL",
        "USERNAME": "condor", "REAL_UID": "0", "REAL_GID": "0", "PID": "0", "PPID": "0",
        "IP_ADDRESS": "127.0.0.1", "IPV4_ADDRESS": "127.0.0.1",
    }  # fmt: skip
    assert HostFacts().is_admin


@pytest.mark.skipif(sys.platform == "win32", reason="asks for a user by number")
@pytest.mark.parametrize(("cpus", "user", "admin"), [(6, 0, True), (None, 1, False)])
def test_this_machine(
    cpus: int | None, user: int, admin: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 3 * 256 * 1024 + 5}
    for owner, name, value in (
        (os, "uname", os.uname_result(("Linux", "node.example.org", "6.1", "#1", "x86_64"))),
        (os, "cpu_count", cpus),
        (os, "geteuid", user),
        (os, "getcwd", "/work"),
    ):
        monkeypatch.setattr(owner, name, lambda value=value: value)
    monkeypatch.setattr(os, "sysconf", lambda name: sizes[name])
    monkeypatch.setattr(os.path, "expanduser", lambda path: {"~": "/home/me"}[path])
    count = cpus or 1
    assert this_host() == HostFacts(
        arch="X86_64", opsys="LINUX", detected_cpus=count, detected_physical_cpus=count,
        detected_memory_mb=3 * 1024, hostname="node", full_hostname="node.example.org",
        working_directory="/work", home="/home/me", is_admin=admin,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ("/etc/condor", "/copy/"), ("/etc/condor/a", "/copy/a"), ("/etc/condor/a/b", "/copy/a/b"),
        ("/etc/condor//a", "/copy/a"), ("/etc/condor/", "/copy/"), ("/etc/condorx", None),
        ("/etc/condor.d/a", None), ("/etc", None), ("/x/etc/condor/a", None), ("a", None),
    ],
)  # fmt: skip
def test_a_file_of_a_copied_folder(path: str, there: str | None) -> None:
    for folder in ("/etc/condor", "/etc/condor/"):
        if path != "/etc/condor" or not folder.endswith("/"):
            assert FileSources(folder, "/copy").place(path) == (there or path)
    assert FileSources("/etc/condor", "").place(path) == path
    assert FileSources("", "/copy").place(path) == path
    assert MemorySources().place(path) == path


def test_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x\xff\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "b").write_text("y")
    (tmp_path / "folder" / "inner").mkdir()
    (tmp_path / "folder" / "c").symlink_to(tmp_path / "a")
    sources = FileSources("/etc/condor", str(tmp_path))
    assert sources.read("/etc/condor/a") == sources.read(f"{tmp_path}/a") == "x\udcff\n"
    assert [sources.read(f"{tmp_path}/{name}") for name in ("none", "folder", "a\0")] == [None] * 3
    listed = sources.list_files("/etc/condor/folder")
    assert sorted(listed or []) == [f"{tmp_path}/folder/b", f"{tmp_path}/folder/c"]
    for name in ("none", "a", "a\0"):
        assert sources.list_files(f"{tmp_path}/{name}") is None


def test_what_lies_outside_a_folder(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (tmp_path / "homely").mkdir()
    home.mkdir()
    (home / "link").symlink_to(tmp_path / "homely")
    inside = ("", "/a", "/a/b", "/../home/a", "/./a")
    outside = ("/..", "/../a", "ly/a", "/link/a", "/link")
    for slash in ("", "/"):
        sources = FileSources(home=f"{home}{slash}")
        assert not any(sources.outside(f"{home}{path}") for path in inside)
        assert all(sources.outside(f"{home}{path}") for path in outside)
        assert not sources.forbids(f"{home}{outside[0]}")
        confined = FileSources(home=f"{home}{slash}", confined=True)
        assert [confined.forbids(f"{home}{path}") for path in ("/a", "/../a")] == [False, True]
    copied = FileSources("/etc/condor", str(home), home=str(home))
    assert [copied.outside(path) for path in ("/etc/condor/a", "/etc/other")] == [False, True]
    assert not FileSources(home="/").outside("/a")


def test_files_in_memory() -> None:
    found = MemorySources({"/d/b": "1", "/d/a": "2", "/d/e/f": "3", "/dx": "4"})
    assert found.list_files("/d") == found.list_files("/d/") == ["/d/b", "/d/a"]
    assert (found.list_files("/d/e"), found.list_files("/x")) == (["/d/e/f"], None)
    assert (found.read("/dx"), found.read("/none")) == ("4", None)
    assert (found.outside("/x"), found.forbids("/x")) == (False, False)
    with pytest.raises(ProgramsNotRun):
        found.run("x")
    assert MemorySources(runner=str.upper).run("x y") == "X Y"


def test_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ProgramsNotRun):
        FileSources().run("echo a")
    sources = FileSources(commands=True)
    assert sources.run("echo \"a  b\" 'c' $X") == "a  b c $X\n"
    assert sources.run("false") == ""
    assert sources.run("printf \\377") in ("\udcff", "377")
    for command in ("/no/such/program", "echo 'a", "", "/"):
        assert sources.run(command) is None
    asked: list[dict[str, Any]] = []

    def slow(words: list[str], **options: Any) -> None:
        asked.append({"words": words, **options})
        raise subprocess.TimeoutExpired(words, options["timeout"])

    monkeypatch.setattr(subprocess, "run", slow)
    assert sources.run("sleep 100") is None
    assert (asked[0]["words"], asked[0]["timeout"]) == (["sleep", "100"], io.RUN_SECONDS)
    assert io.RUN_SECONDS == 60


def test_a_configuration_is_a_file_a_folder_or_a_copy(tmp_path: Path) -> None:
    (tmp_path / "condor_config").write_text("A = 1\ninclude : /etc/condor/more\n")
    (tmp_path / "more").write_text("B = $(SUBSYSTEM) $(LOCALNAME)\n")
    copied = read_config(str(tmp_path))
    assert [copied.text(name) for name in "AB"] == ["1", "NEGOTIATOR NEGOTIATOR"]
    assert copied.files == (f"{tmp_path}/condor_config", f"{tmp_path}/more")
    plain = read_config(f"{tmp_path}/condor_config", subsystem="SCHEDD", local_name="x")
    assert (plain.complete, plain.context) == (False, Context("SCHEDD", "x"))
    (tmp_path / "condor_config").unlink()
    folder = read_config(str(tmp_path), local_name="x")
    assert (folder.text("B"), folder.files) == ("NEGOTIATOR x", (f"{tmp_path}/more",))
    (tmp_path / "bad").write_text("A = 1\nno statement\nB = 2\n")
    given = {"environment": {"_CONDOR_C": "3"}, "extra": [("D", "$(C)4")], "host": HOST}
    bad = read_config(f"{tmp_path}/bad", keep_going=True, **given)  # type: ignore[arg-type]
    assert [bad.text(name) for name in ("A", "B", "C", "D", "ARCH")] == [
        "1", "2", "3", "34", "PPC64LE",
    ]  # fmt: skip
    assert not read_config(f"{tmp_path}/bad").complete
    assert read_config(f"{tmp_path}/bad").text("B") is None


def test_a_configuration_sees_a_clock() -> None:
    given = [("CLOCK", "time()"), ("A", "$INT(CLOCK)")]
    assert read_config(os.devnull, now=7.0, extra=given).text("A") == "7"
    assert read_config(os.devnull, extra=given).text("A") == "0"
