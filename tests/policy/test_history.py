"""Rules of what older versions have of names, defaults and templates."""

import pytest

from policy.config import Config, load_config
from policy.data.tables import version_rows
from policy.history import (
    OF_THE_BUILD,
    changed_defaults,
    first_reader,
    is_read,
    last_reader,
    read_by,
)
from policy.io import builtin_library
from policy.language.sources import MemorySources
from policy.load import load_policy, policy_from_knobs
from policy.versions import NEWEST, RECORDED, Version, parse_version
from tests.conform.configuration.kinds import CONFIG_KINDS
from tests.policy.config_vectors import load_vectors

OLD, LTS_24, LTS_25 = RECORDED[:3]
RECORDS = {LTS_25: "defaults-25.0.json.gz", LTS_24: "defaults-24.0.json.gz"}
RECORDS[OLD] = "defaults-23.9.json.gz"


def read(text: str, version: Version) -> Config:
    """A configuration as a version reads it."""
    sources = MemorySources({"condor_config": text})
    return load_config("condor_config", sources, builtin_library(version), keep_going=True)


@pytest.mark.parametrize("version", RECORDS, ids=str)
def test_a_recorded_version_has_the_names_and_defaults_of_its_table(version: Version) -> None:
    recorded = load_vectors(RECORDS[version])["params"]
    assert builtin_library(version).defaults == {
        name: row["default"] for name, row in recorded.items()
    }


def test_what_the_tools_of_23_9_6_answered_to_templates_is_what_its_library_gives() -> None:
    content = load_vectors("use-23.9.json.gz")
    kind = CONFIG_KINDS[0]
    assert kind.cases is not None
    cases = list(kind.cases(content) or ())
    assert len(cases) == len(content["cases"]) > 100
    assert [case["id"] for case in cases if kind.check(case)] == []


def test_conditions_ask_for_the_version_that_reads() -> None:
    text = "if version >= 25.0\nKIND = new\nelse\nKIND = old\nendif\n"
    assert read(text, parse_version("24.0")).text("KIND") == "old"
    assert read(text, parse_version("24.12.1")).text("KIND") == "old"
    assert read(text, parse_version("25.0.1")).text("KIND") == "new"
    assert read(text, NEWEST).text("KIND") == "new"


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("version>= 25.14.1", True),
        ("!version> 25.14", True),
        ("version>=\t99.0", False),
        ("version>=25.14 x", True),
        ("version >= 25.14 x", True),
        ("version\t>=25.14", True),
        ("VERSION < 9.0x", False),
        ("version>=25.14", None),
        ("versions >= 25.14", None),
        ("version! 25.14", None),
        ("version >= 25", None),
        ("version >= 9.0, 8", None),
        ("version >= 9.0.x", None),
    ],
)
def test_a_version_condition_has_a_blank_somewhere_and_ignores_what_follows(
    condition: str, holds: bool | None
) -> None:
    """As condor_config_val 25.14.1 reads them; None: it is no condition."""
    found = read(f"if {condition}\nA = yes\nelse\nA = no\nendif\n", NEWEST)
    if holds is None:
        assert any(said.severity == "error" for said in found.diagnostics)
    else:
        assert found.text("A") == ("yes" if holds else "no")


def test_a_template_that_the_version_does_not_have_is_an_error() -> None:
    text = "use FEATURE : LIBRARIAN\n"
    assert not any(found.severity == "error" for found in read(text, NEWEST).diagnostics)
    (found,) = read(text, OLD).diagnostics
    assert (found.severity, found.message) == (
        "error",
        "no template `LIBRARIAN` in category FEATURE",
    )
    assert read("if defined use FEATURE:LIBRARIAN\nA = 1\nendif\n", LTS_25).text("A") is None


def test_of_a_template_that_is_not_recorded_it_is_said_whose_text_is_taken() -> None:
    config = read("use FEATURE : GANGLIA\n", LTS_24)
    assert config.text("DAEMON_LIST") == "MASTER,GANGLIAD"
    (found,) = config.diagnostics
    assert (found.severity, found.id, found.line) == ("warning", "P913", 1)
    assert "24.0.23" in found.message
    assert "taken from 23.9.6" in found.message
    (found,) = read("use POLICY : DESKTOP_IDLE\n", LTS_25).diagnostics
    assert "taken from 25.14.1" in found.message
    assert read("use FEATURE : GPUs\n", LTS_24).diagnostics == ()


def test_a_macro_is_read_since_the_version_that_the_notes_on_releases_name() -> None:
    name = "FORCE_NEGOTIATOR_SLOT_WEIGHT"
    assert not is_read(name, LTS_25)
    assert not is_read(name, Version(25, 4, 0))
    assert is_read(name, Version(25, 5, 1))
    assert first_reader(name, LTS_24) == "read since 25.5.1"


def test_a_macro_of_a_later_table_is_read_since_a_version_between() -> None:
    said = "read since a version after 24.0.23 (known to 25.0.13)"
    assert first_reader("SYSTEM_MAX_RELEASES", LTS_24) == said
    assert first_reader("SYSTEM_MAX_RELEASES", OLD) == said
    assert last_reader("CREDD_PORT", NEWEST) == "not read since a version after 24.0.23"
    assert last_reader("NAMED_CHROOT", NEWEST) == "not read since 25.5.1"


def test_a_macro_that_programs_read_without_a_row_in_the_table_is_read() -> None:
    for name in ("ENABLE_SSH_TO_JOB", "ALIVE_INTERVAL", "REMOVE_SIGNIFICANT_ATTRIBUTES"):
        assert all(is_read(name, version) for version in RECORDED)
        assert name not in builtin_library(LTS_24).defaults


def test_one_daemon_may_read_a_macro_later_than_others() -> None:
    name = "REMOVE_SIGNIFICANT_ATTRIBUTES"
    assert not is_read(name, LTS_25, "NEGOTIATOR")
    assert is_read(name, LTS_25, "SCHEDD")
    assert is_read(name, Version(25, 5, 1), "NEGOTIATOR")


def test_what_a_version_does_not_read_changes_no_policy_of_it() -> None:
    knobs = {
        "FORCE_NEGOTIATOR_SLOT_WEIGHT": "True",
        "MAX_CONCURRENT_UPLOADS_PER_USER": "7",
        "REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX": "^X",
    }
    new = policy_from_knobs(knobs).policy
    old = policy_from_knobs(knobs, version=LTS_25).policy
    assert (new.force_slot_weight, new.max_concurrent_uploads_per_user) == (True, 7)
    assert (old.force_slot_weight, old.max_concurrent_uploads_per_user) == (False, 0)
    assert (new.remove_significant_attributes_regex, old.remove_significant_attributes_regex) == (
        "^X",
        "",
    )
    assert new.remove_significant_attributes != ()
    assert old.remove_significant_attributes == ()
    assert policy_from_knobs(
        {"REMOVE_SIGNIFICANT_ATTRIBUTES": "Foo"}, version=LTS_25
    ).policy.remove_significant_attributes == ("Foo",)


def test_a_policy_follows_the_version_that_its_configuration_was_read_by() -> None:
    assert load_policy(read("", LTS_24)).policy.version == LTS_24
    assert load_policy(read("", NEWEST), version=LTS_24).policy.version == LTS_24


def test_the_version_macro_is_that_of_the_version_that_reads() -> None:
    assert read("", Version(24, 0, 5)).text("CONDOR_VERSION") == "24.0.5"


def test_defaults_that_differ_by_the_build_are_no_changes_of_the_version() -> None:
    old, new = builtin_library(OLD).defaults, builtin_library().defaults
    differ = {name for name in {*old, *new} if old.get(name) != new.get(name)}
    changed = {name for name, _, _ in changed_defaults(old, new)}
    assert differ - changed == differ & OF_THE_BUILD
    assert "PYTHON3_VERSION_MINOR" in differ - changed


def test_from_25_0_to_25_14_the_defaults_change_that_the_notes_name() -> None:
    old, new = builtin_library(LTS_25).defaults, builtin_library().defaults
    changed = {name for name, before, after in changed_defaults(old, new) if before and after}
    assert changed == {
        *("ADSTASH_SE_INDEX_NAME", "FILETRANSFER_PLUGINS", "JOB_DEFAULT_REQUESTDISK"),
        *("JOB_DEFAULT_REQUESTMEMORY", "MODIFY_REQUEST_EXPR_REQUESTDISK", "STARTER_NESTED_SCRATCH"),
        *("SUBMIT_SEND_RESCHEDULE", "SYSTEM_SECURE_JOB_ATTRS", "SYSTEM_VALID_SPOOL_FILES"),
        "TRANSFER_JOB_ATTRS",
    }


def test_a_default_changes_with_the_release_that_changed_it() -> None:
    def memory(version: Version) -> str:
        return builtin_library(version).defaults["JOB_DEFAULT_REQUESTMEMORY"]

    assert memory(Version(25, 1, 0)).startswith("ifthenelse(")
    assert memory(Version(25, 2, 1)) == "128"


def test_every_row_says_something_of_every_recorded_release() -> None:
    for name, cells in version_rows().items():
        assert len(cells) == len(RECORDED), name
        assert all(cell is None or cell in ("=", "read", "?") or cell for cell in cells), name


@pytest.mark.parametrize("version", RECORDED, ids=str)
def test_of_many_macros_a_version_reads_those_that_it_reads_of_each(version: Version) -> None:
    macros = [*version_rows(), *map(str.lower, version_rows()), "Librarian_Debug", "NO_SUCH"]
    assert read_by(version, macros) == [macro for macro in macros if is_read(macro, version)]
    assert ("Librarian_Debug" in read_by(version, macros)) == (version >= Version(25, 11, 0))
