"""Maps in files of their own: what is said of their lines, where, and whether they are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from policy.config import load_config
from policy.io import builtin_library, read_config
from policy.language.sources import MemorySources
from policy.lint.findings import lint

USERS = "SCHEDD_CLASSAD_USER_MAP_NAMES = G\nCLASSAD_USER_MAPFILE_G = /maps/users\n"
CERTIFICATES = "CERTIFICATE_MAPFILE = /maps/users\n"
HASHED = f"CERTIFICATE_MAPFILE_ASSUME_HASH_KEYS = True\n{CERTIFICATES}"


def said(config: str, lines: str) -> list[tuple[int | None, str]]:
    """Line and words of the findings in a map."""
    sources = MemorySources({"pool.conf": config, "/maps/users": lines})
    found = lint(load_config("pool.conf", sources, builtin_library(), keep_going=True))
    of_map = [one for one in found if one.source is not None and one.source.name == "/maps/users"]
    assert {one.id for one in found} <= {"P218"}
    return [(one.line, one.message) for one in of_map]


def test_a_user_map_with_a_line_for_everybody_at_its_end_is_right() -> None:
    assert said(USERS, "# members\n* alice physics # since May\n\n* /.*/ guests\n") == []


@pytest.mark.parametrize(
    ("lines", "number", "words"),
    [
        ("alice physics\n", 1, "it has no result"),
        ("* alice\n* bob chem\n", 1, "it has no result"),
        ("* bob chem\n* /a(/ physics\n", 2, "is not a regular expression"),
        ("* alice physics\n* alice chem\n", 2, "a line above takes its names"),
        ("* /.*/ physics\n* alice chem\n", 2, "a line above takes its names"),
        ("FS alice physics\n", 1, "`fs` is its method"),
        ("* alice physics chem\n", 1, "`chem` behind the result"),
    ],
)
def test_a_line_of_a_user_map_that_counts_for_nothing(lines: str, number: int, words: str) -> None:
    [(line, message)] = said(USERS, lines)
    assert line == number
    assert words in message


def test_a_map_whose_lines_all_lack_the_method_is_told_once() -> None:
    [(line, message)] = said(USERS, "ann a x\nbob a x\ncid a x\ndan a x\n")
    assert line == 1
    assert "3 other lines" in message


@pytest.mark.parametrize(
    ("result", "meant"), [("phisics", "physics"), ("chem,physic", "physics"), ("Chemm", "chem")]
)
def test_a_result_that_is_a_slip_of_a_group(result: str, meant: str) -> None:
    groups = "GROUP_NAMES = physics, chem\nGROUP_QUOTA_physics = 1\nGROUP_QUOTA_chem = 1\n"
    config = groups + USERS
    sources = MemorySources({"pool.conf": config, "/maps/users": f"* alice {result}\n"})
    [found] = lint(load_config("pool.conf", sources, builtin_library(), keep_going=True))
    assert found.help == f"did you mean `{meant}`?"


@pytest.mark.parametrize("result", ["physics", "Physics", "chem, physics", "guests"])
def test_a_result_that_is_a_group_in_any_spelling_or_none_at_all(result: str) -> None:
    groups = "GROUP_NAMES = physics, chem\nGROUP_QUOTA_physics = 1\nGROUP_QUOTA_chem = 1\n"
    assert said(groups + USERS, f'* alice "{result}"\n') == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("* (.*) anybody", "`*` is no method here"),
        ("GSI (.*) anybody", "there is no method `GSI`"),
        ("SCITOKNS /^https/ bob", "there is no method `SCITOKNS`"),
        ("SSL bob", "it has no result"),
        ("SSL /CN=(/ bob", "is not a regular expression"),
        ("SSL CN=(bob bob", "is not a regular expression"),
        ("KERBEROS bob@EXAMPLE.ORG bob", "fits every name that has it anywhere"),
    ],
)
def test_a_line_of_a_certificate_map_that_maps_nobody_or_too_many(line: str, words: str) -> None:
    [(number, message)] = said(CERTIFICATES, f"FS (.*) \\1\n{line}\n")
    assert number == 2
    assert words in message


def test_a_certificate_map_that_is_right() -> None:
    lines = 'FS (.*) \\1\nssl "^/CN=bob$" bob\nSSL /CN=.*/ \\0\nSCITOKENS ^(.*),x \\1\n'
    assert said(CERTIFICATES, lines) == []
    lines = 'FS /(.*)/ \\1\nssl "/^\\/CN=bob$/" bob\nSCITOKENS /^(.*),x$/ \\1\nSSL /(.*)/ nobody\n'
    assert said(HASHED, lines) == []


@pytest.mark.parametrize("line", ["SSL /^\\/CN=bob$/ bob", "SCITOKENS /x$/ bob", "FS /(.*)/ \\1"])
def test_slashes_stand_around_a_pattern_only_where_keys_are_names(line: str) -> None:
    """As the collector of 25.14.1 maps, which logs each line as it reads it."""
    whole = f"DAEMON_LIST = MASTER, SCHEDD\nCONDOR_HOST = cm.example.edu\n{CERTIFICATES}"
    [(number, message)] = said(whole, f"{line}\n")
    assert (number, "letters like others" in message) == (1, True)
    assert said(HASHED, f"{line}\n") == []
    # The files of HTCondor-CE that set it are in another folder.
    gateway = f"LOCAL_CONFIG_DIR = /usr/share/condor-ce/config.d\n{whole}"
    assert said(gateway, f"{line}\n") == []


@pytest.mark.parametrize("method", ["IDTOKENS", "token", "SCITOKEN"])
def test_a_line_is_for_a_method_that_maps_names(method: str) -> None:
    [(number, _)] = said(HASHED, f"FS /.*/ x\n{method} /.*/ bob\n")
    assert number == 2


@pytest.mark.parametrize(("key", "result"), [("/.*/", "\\1"), ("/(a)(b)/", "\\3"), ("bob", "\\0")])
def test_a_result_refers_to_groups_that_the_pattern_has(key: str, result: str) -> None:
    [(number, message)] = said(HASHED, f"FS {key} {result}@example.edu\n")
    assert (number, "stays as it is" in message) == (1, True)
    assert said(HASHED, "FS /(a)(b)/ \\2@example.edu\nFS /.*/ \\0\n") == []


def test_keys_that_are_taken_literally_are_no_patterns() -> None:
    literally = HASHED
    assert said(literally, "SSL CN=(bob bob\nKERBEROS bob@EXAMPLE.ORG bob\n") == []
    for pattern in ("(.*)", "^bob$", "b[ao]b"):  # nobody is called so
        [(number, message)] = said(literally, f"SSL {pattern} nobody\nSSL bob bob\n")
        assert (number, "is a name here" in message) == (1, True)
    assert said(literally, "SSL /^(.*)$/ nobody\n") == []
    assert said(CERTIFICATES, "SSL (.*) nobody\nSSL b[o]b bob\n") == [
        (2, "a line above takes its names")
    ]


def test_a_map_that_is_not_here_is_not_spoken_of() -> None:
    sources = MemorySources({"pool.conf": USERS + CERTIFICATES})
    assert lint(load_config("pool.conf", sources, builtin_library(), keep_going=True)) == []


def test_a_map_is_read_where_the_copy_of_a_configuration_has_it(tmp_path: Path) -> None:
    (tmp_path / "condor_config").write_text("CERTIFICATE_MAPFILE = /etc/condor/users.map\n")
    (tmp_path / "users.map").write_text("SSL bob\n")
    [found] = lint(read_config(str(tmp_path)))
    assert found.source is not None
    assert found.source.name == str(tmp_path / "users.map")


def test_a_map_outside_a_confined_configuration_is_not_read(tmp_path: Path) -> None:
    outside = tmp_path / "users.map"
    outside.write_text("SSL bob\n")
    pool = tmp_path / "pool"
    pool.mkdir()
    (pool / "condor_config").write_text(f"CERTIFICATE_MAPFILE = {outside}\n")
    assert lint(read_config(str(pool), confined=True)) == []
    assert len(lint(read_config(str(pool)))) == 1
