"""Wrong calls end with status 2 and one or two lines, which name what is near if anything is."""

from __future__ import annotations

from pathlib import Path

import pytest

from pieslice.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"
WORDS = {
    "POOL": str(EXAMPLES / "campus"),
    "JOBS": str(EXAMPLES / "campus" / "jobs.ads"),
    "WORK": str(EXAMPLES / "workloads" / "two-users.toml"),
}
#: A call, and what its error has to say.
CALLS = """
negotiate POOL --group group_chemistri | did you mean `group_chemistry`?
negotiate POOL --submitter caroll | did you mean `carol`?
negotiate POOL --table matchs | did you mean `matches`?
negotiate POOL --format yaml | it takes text, json, csv
negotiate POOL --now tomorrow | --now: `tomorrow` is neither seconds since the epoch nor
negotiate POOL --seed x | --seed: `x` is not a whole number
negotiate POOL --cycles 0 | from 1 to 10000
negotiate POOL --interval 60 | give --cycles N, too
negotiate POOL -D PREEMPTION_REQUIREMENTS | not of the form NAME=VALUE
negotiate POOL --also nofile | nofile: no such file or directory
negotiate POOL --dialect htcondr | there are htcondor, mrg, manual
why POOL 15.99 | cluster 15 has 15.0, 15.1
why POOL 151.0 | the nearest clusters are 15,
why POOL 15.0 slot1@node99@vm | did you mean `slot1@node09@vm`?
why POOL --user caroll | did you mean `carol`?
why POOL --group group_chemistri | did you mean `group_chemistry`?
why POOL --user carol --group group_chemistry | `--group` is one argument too many
why POOL 15.0 a b | `b` is one argument too many
rank POOL | no job is named
rank POOL 15.0 --limit -3 | `-3` is not a number of rows
quotas POOL --trce | did you mean `--trace`?
quotas POOL --at yesterday | --at: `yesterday` is neither seconds since the epoch nor
quotas POOL --at 2026-11-20 | the pool is no history
diff POOL | pieslice diff POOL --also F, POOL -D NAME=VALUE
diff POOL POOL POOL | two pools
diff POOL --versions 24.0 | expected 2 arguments
diff POOL --config nofile | nofile: no such file or directory
diff POOL --log x | --log keeps those of --watch
history POOL | `pieslice record FILE
when nofile 1.0 | nofile: no such history
record h.history nofile | nofile: no such folder
forecast POOL --hours -1 | `-1` is not a number of at least 0
forecast POOL --user alice | NAME=CORES
simulate POOL --days x | `x` is not a number above 0
simulate POOL --workload nofile.toml | nofile.toml: no such file or directory
simulate 0 | a number of slots: 10, or 10x8
simulate POOL --set PRIORITY_HALFLIF=3 | did you mean `PRIORITY_HALFLIFE`?
sweep 10 --workload WORK | give at least one --set
sweep 10 --workload WORK --set PRIORITY_HALFLIF=1,2 | did you mean `PRIORITY_HALFLIFE`?
report nofile | give the folder of a finished run
fuzz POOL --property thrash | known are total, no-thrash
fuzz POOL --knob PREEMPTION_RANKS | did you mean `PREEMPTION_RANK`?
fuzz POOL --margin big | `big` is not a percentage
check POOL --subsys NEGOTIATR | did you mean `NEGOTIATOR`?
check POOL --upgrade 99 | write 25.0 or 25.0.13
check POOL --fact detected_cpu=8 | did you mean `detected_cpus`?
check POOL --deep 0 | `0` is not a number of seconds above 0
config show POOL --trac | did you mean `--trace`?
config dump POOL ( | `(` is not a regular expression
config shows POOL | did you mean `show`?
policy eval POOL PREEMPTION_REQUIREMENT | did you mean `PREEMPTION_REQUIREMENTS`?
policy eval POOL PREEMPTION_REQUIREMENTS -a RemoteUserPrio | not of the form NAME=VALUE
policy eval POOL PREEMPTION_REQUIREMENTS --grid x | NAME=LOW:HIGH
policy diff POOL | required: B
map test nofile alice | nofile: no such file or directory
select JOBS --format xlsx | it takes text, csv, long
select JOBS --limit x | not a number of ads
userprio POOL -setfactor | needs 2 arguments
rules P5O5 | did you mean `P505`?
versions 24.0 99 | write 25.0 or 25.0.13
doctor --jsn | did you mean `--json`?
"""
TABLE = [tuple(part.strip() for part in line.split(" | ")) for line in CALLS.split("\n") if line]


@pytest.mark.parametrize(("call", "said"), TABLE)
def test_a_wrong_call_is_answered_in_a_line_or_two(
    call: str, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLES)
    words = [WORDS.get(word, word) for word in call.split()]
    try:
        code = main(words)
    except SystemExit as ended:
        code = int(str(ended.code))
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert len(err.splitlines()) <= 2
    assert said in err


def test_there_are_fifty_of_them() -> None:
    assert len(set(TABLE)) >= 50
