"""Prints what ``policy``, ``config`` and ``map`` say of small files: ``python -m
tests.pieslice.policy_answers``.

The answers are kept in ``answered/policies.txt``; the command writes the file anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.pieslice.answers import KEPT, answer, heading
from tests.pieslice.questions import Question, asked

NAME: Final = "policies"
_POLICY: Final = """\
PREEMPTION_REQUIREMENTS = RemoteUserPrio > SubmitterUserPrio * $(MARGIN) && \\
  TARGET.JobPrio >= 0
MARGIN = 1.2
PREEMPTION_RANK = RemoteUserPrio * 100 - Age
NEGOTIATOR_POST_JOB_RANK = MY.NoSuch
NEGOTIATOR_SLOT_CONSTRAINT = Cpus > 4
STARTD.START = TARGET.JobPrio > 3
NEGOTIATOR_PRE_JOB_RANK = 1 +
LOOP = $(POOL)
POOL = $(LOOP)
GROUP_NAMES = g, g.h, k
GROUP_QUOTA_g = 30
GROUP_QUOTA_DYNAMIC_g.h = 0.5
GROUP_QUOTA_k = 5
GROUP_ACCEPT_SURPLUS_k = true
two.NEGOTIATOR_CONSIDER_PREEMPTION = false
SWEETS_LIMIT = 3
SCHEDD.MAX_JOBS_RUNNING = 5
NOT_KNOWN = $INT(x)
"""
_OTHER: Final = """\
PREEMPTION_REQUIREMENTS = false
MARGIN = 1.2
GROUP_NAMES = K g g.h
GROUP_QUOTA_g = 20 + 10
use POLICY : Always_Run_Jobs
NOT_KNOWN = 6
"""
_SLOTS: Final = """\
Name = "s1"
Age = 7

Name = "s2"
Cpus = 8
MyCurrentTime = 5
RemoteUserPrio = 2.5
"""
_JOBS: Final = """\
ClusterId = 1
ProcId = 0
JobPrio = 0

ClusterId = 1
ProcId = 1
JobPrio = 9
"""
_MAP: Final = """\
# users and their groups
* alice group_a,group_b
* /^a(.*)@x$/ group_\\1
* Bob group_c, group_d
* broken
* /(/ group_d
* alice group_late and more
claim carol group_e
@include more
* "two words" "quoted \\"q\\""
"""
_FILES: Final = {
    "c": _POLICY, "d": _OTHER, "slots": _SLOTS, "jobs": _JOBS, "m": _MAP,
    "more": "* dave group_f\n",
    "good": "START = true\n", "bad": "A = 1\nno statement\n", "maps": (
        "NEGOTIATOR_CLASSAD_USER_MAP_NAMES = One\nCLASSAD_USER_MAPFILE_one = m\n"
        "CLASSAD_USER_MAPDATA_two = * x y\nCLASSAD_USER_MAPFILE_none = nowhere\n"
    ),
}  # fmt: skip
_ASKED: Final = """\
policy eval c PREEMPTION_REQUIREMENTS
policy eval c PREEMPTION_REQUIREMENTS --my slots --target jobs -a RemoteUserPrio=13 -a SubmitterUserPrio=10
policy eval c PREEMPTION_REQUIREMENTS --target jobs -a RemoteUserPrio=12 -a SubmitterUserPrio=10 --why
policy eval c PREEMPTION_REQUIREMENTS --target jobs -a RemoteUserPrio=13 -a SubmitterUserPrio=10 --json
policy eval c PREEMPTION_REQUIREMENTS --my slots --slot S2 --target jobs --job 1.1 -a SubmitterUserPrio=1
policy eval c PREEMPTION_REQUIREMENTS -D MARGIN=undefined -a RemoteUserPrio=13 -a TARGET.JobPrio=1
policy eval c PREEMPTION_RANK --my slots -a RemoteUserPrio=0.1
policy eval c PREEMPTION_RANK --my slots -a RemoteUserPrio=0.1 --json --why
policy eval c PREEMPTION_RANK --my slots --slot s9
policy eval c PREEMPTION_RANK --slot s1
policy eval c PREEMPTION_RANK --job 1.0
policy eval c PREEMPTION_RANK --my nowhere
policy eval c PREEMPTION_RANK --my c
policy eval c NEGOTIATOR_POST_JOB_RANK
policy eval c NEGOTIATOR_SLOT_CONSTRAINT --my slots
policy eval c NEGOTIATOR_SLOT_CONSTRAINT --my slots --slot s2
policy eval c STARTD.START --target jobs --job 1.1
policy eval c NEGOTIATOR_PRE_JOB_RANK
policy eval c LOOP
policy eval c MARGIN
policy eval c GROUP_QUOTA_g
policy eval c NOTHING
policy eval c MARGIN -a x
policy eval c MARGIN -a a-b=1
policy eval c MARGIN -a 'a=1 +'
policy eval bad MARGIN
policy eval c PREEMPTION_REQUIREMENTS --target jobs --grid RemoteUserPrio=1:20:5,SubmitterUserPrio=1:10
policy eval c PREEMPTION_REQUIREMENTS --target jobs --grid RemoteUserPrio=1:20:2,SubmitterUserPrio=1:10:2 --json
policy eval c PREEMPTION_RANK --my slots --grid RemoteUserPrio=0.5:2.5:3
policy eval c PREEMPTION_RANK --my slots --grid RemoteUserPrio=2:1
policy eval c PREEMPTION_RANK --grid RemoteUserPrio=1:2 --why
policy eval c PREEMPTION_RANK --grid 'a-b=1:2'
policy explain c
policy explain c --slots 40
policy explain c --set-only
policy explain c --set-only --slots 40 --width 50
policy explain c --local-name two
policy explain good --json --set-only
policy explain bad
policy explain bad --keep-going
policy explain good
policy explain good -D PREEMPTION_REQUIREMENTS=true -D RANK=Cpus
policy diff c d
policy diff c d --all
policy diff d c --width 60
policy diff good d --json
policy diff c c
policy diff c bad
policy diff c d -D MARGIN=2
config summary c
config summary c --width 50
config summary d --json
config show c --trace
config show GROUP_NAMES c --json
config show NOT_KNOWN PREEMPTION_REQUIREMENTS LOOP c
config show --raw c
config show --trace --raw MARGIN LOOP d
config show MAX_JOBS_RUNNING c --subsys SCHEDD
config show NEGOTIATOR_CONSIDER_PREEMPTION c --local-name two
config dump ^GROUP_ c
config dump ^GROUP_ MARGIN c --trace
config dump ^GROUP_QUOTA c --json
config show A bad
config show A bad --keep-going
config info GROUP_QUOTA_g START NOT_KNOWN
config info PREEMPTION_RANK --width 60
map test m alice
map test m alice bob Bob ab@x a@x carol dave 'two words' nobody
map test m alice --group GROUP_B
map test m alice --group group_x
map test m Bob alice --json
map test m alicex broken --prefix
map test m carol --method CLAIM
map test m carol --method other
map test nowhere alice
map test maps alice --map-name one
map test maps x --map-name two
map test maps x --map-name none
map test maps x --map-name three
map test maps x --map-name two --subsys SCHEDD
"""  # noqa: E501


def questions() -> Iterator[Question]:
    """The questions, each with all files."""
    for words in _ASKED.splitlines():
        yield asked("small files", words, _FILES)


if __name__ == "__main__":
    told = [f"{heading(it)}{answer(it)}\n" for it in questions()]
    (KEPT / f"{NAME}.txt").write_text("".join(told), encoding="utf-8")
