"""Rules of ``--condor-version``: what a command takes for a version, and what it says of one."""

import pytest

from pieslice.command_line import Parser
from pieslice.inputs.versions import add_version, say_version, version_of
from policy.versions import NEWEST, Followed, Version


def given(*words: str) -> Followed:
    """What a command with the option makes of these words."""
    parser = Parser(prog="pieslice told")
    add_version(parser)
    return version_of(parser.parse_args(words))


def test_without_the_option_the_newest_version_is_followed() -> None:
    assert given() == Followed(NEWEST)


def test_a_line_is_followed_as_its_recorded_release_and_a_release_as_itself() -> None:
    assert given("--condor-version", "24.0").version == Version(24, 0, 23)
    assert given("--condor-version", "24.0.5").version == Version(24, 0, 5)


def test_the_answer_can_say_that_the_option_gave_the_version() -> None:
    assert str(given("--condor-version", "25.0")) == "follows 25.0.13: --condor-version"


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("new", "`new` is no version of HTCondor; write 25.0 or 25.0.13"),
        ("25", "`25` is no version of HTCondor; write 25.0 or 25.0.13"),
        ("22.9.1", "22.9.1 is older than 23.0.0: nothing is known of its rules"),
    ],
)
def test_what_is_no_known_version_is_refused_in_one_line(
    word: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        given("--condor-version", word)
    assert end.value.code == 2
    assert capsys.readouterr().err == (f"error: argument --condor-version: {said}\n")


def test_of_a_version_without_records_it_is_said_in_one_line_which_ones_stand_for_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    say_version(given("--condor-version", "24.12"))
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "24.12" in said
    assert "24.0.23" in said
    say_version(given("--condor-version", "24.0.5"))
    say_version(given())
    assert capsys.readouterr().err == ""
