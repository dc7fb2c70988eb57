"""A laboratory under other names, ``lab --anonymous``: the same pool, and none of its names."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import pieslice
from negotiator.io import InputError
from pieslice.cli import main
from pieslice.lab.sharing.handover import NAME, renamed
from pieslice.live.anonymity import Mask

ROOT = Path(__file__).parents[2]
CAMPUS, TOUR = ROOT / "examples" / "campus", ROOT / "examples" / "tour"
#: Of the campus: users, machines, a domain, an address.
NAMES = r"\b(alice|bob|carol|dave|erin|frank|node\d+|vm|ap1|campus\.example)\b|127\.0\.0\.1"
CHANGE = "# carol asked for it\nNEGOTIATOR_CONSIDER_PREEMPTION = false\n"


def shares(folder: Path) -> list[tuple[object, ...]]:
    """What each group gets of a cycle, and how well the cycle agrees with the recorded one."""
    cycle = pieslice.read(folder).negotiate()
    agreement = cycle.outcome.agreement
    found = [(one.job, one.cost, one.kind.value) for one in cycle.result.matches]
    return [*found, (agreement and (agreement.agreeing, agreement.expected),)]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("place")
    renamed(pieslice.read(CAMPUS).reading, place)
    return place / NAME


def test_the_copy_decides_as_the_pool_does(copy: Path) -> None:
    assert shares(copy) == shares(CAMPUS)
    assert shares(copy)[-1] == ((25, 25),)


def test_no_name_is_in_the_copy_but_words_of_the_policy(copy: Path) -> None:
    for file in copy.iterdir():
        text = file.read_text("utf-8")
        if file.name == "condor_config":
            text = "".join(re.findall(r'"[^"]*"|^#.*', text, re.MULTILINE))
        assert not re.search(NAMES, text), (file.name, re.search(NAMES, text))
    assert "group_chemistry.user" in (copy / "submitters.ads").read_text("utf-8")


def test_an_exported_page_has_no_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "change").write_text(CHANGE, "utf-8")
    nets = []
    for more in ([], ["--anonymous"]):
        target = tmp_path / "page.html"
        words = ["--edit", str(tmp_path / "change"), "--export", str(target), *more]
        assert main(["lab", str(CAMPUS), *words]) == 0
        text = target.read_text("utf-8")
        (data,) = re.findall(r'id="data">(.*?)</script>', text)
        found = json.loads(data)["edit"]["changes"]
        nets.append([one["net"] for one in found["users"]])
        assert len(found["slots"]) == 15
    assert nets[0] == nets[1] == [-15, 11, 4, 0]
    assert not re.search(NAMES, data)
    assert str(CAMPUS) not in text
    assert "pieslice diff POOL" in data


def test_a_log_of_the_accountant_has_other_keys() -> None:
    mask = Mask()
    mask.learn(
        {
            "accounting": 'Name = "group_a"\n\nName = "group_a.zoe@x.example"\n',
            "slots": 'Name = "slot1@big.x.example"\n',
        }
    )
    log = (
        "103 Customer.group_a.zoe@x.example Priority 10.9\n"
        "103 Resource.slot1@big.x.example@<192.168.7.9:96?alias=big.x.example> RemoteUser"
        ' "group_a.zoe@x.example"\n'
        "105\n"
    )
    assert mask.log(log).splitlines() == [
        "103 Customer.group_a.user1@domain1 Priority 10.9",
        "103 Resource.slot1@host1.domain1@<10.0.0.1:96?alias=host1.domain1> RemoteUser"
        ' "group_a.user1@domain1"',
        "105",
    ]


def test_what_cannot_be_given_other_names_is_refused(tmp_path: Path) -> None:
    scenario = pieslice.read(ROOT / "examples" / "scenarios" / "two_users.json").reading
    other = pieslice.read(TOUR).with_config("A = 1").reading
    for name in ("slots.ads", "jobs.ads"):
        (tmp_path / name).write_bytes((TOUR / name).read_bytes())
    (tmp_path / "condor_config").write_text(f"include : {tmp_path}/more\n", "utf-8")
    (tmp_path / "more").write_text("A = 1\n", "utf-8")
    several = pieslice.read(tmp_path).reading
    for reading, said in ((scenario, "scenario"), (other, "--edit"), (several, "2 files")):
        with pytest.raises(InputError, match=said):
            renamed(reading, tmp_path / "place")


def test_the_copy_goes_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    target = tmp_path / "page.html"
    assert main(["lab", str(TOUR), "--anonymous", "--export", str(target)]) == 0
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]
