"""Plays the submission of a recorded job to a schedd with one transform.

Inputs: the body of a transform.  Outputs: what of the job changed, or that it was refused.
"""

from __future__ import annotations

from typing import Final

from attr import define, field

from classad.ads.ad import Ad
from classad.evaluate import EvalContext
from classad.formats.long import read_long
from policy.transforms.job import text_of
from policy.transforms.submission import read_transforms, submit
from tests.conform.transforms.tools import NOW, configuration

#: The job, and the ad of its cluster; the name of the transform is the value of T.
_OWN: Final = """\
ProcId = 0
JobStatus = 5
InitialJobStatus = 5
GlobalJobId = "s1@live.test#2.0#TIME"
"""
_CLUSTER: Final = """\
ClusterId = 2
Owner = "dora"
JobUniverse = 5
T = "{name}"
U = undefined
RequestCpus = 1
RequestMemory = 100
RequestDisk = 1000
Requirements = (TARGET.Arch == "X86_64") && (TARGET.Memory >= RequestMemory)
"""
_CONFIG: Final = """\
JOB_TRANSFORM_NAMES = {name} after
JOB_TRANSFORM_{name} @=end
{requirements}{body}
@end
JOB_TRANSFORM_after @=end
REQUIREMENTS R =?= 1
SET R3 "V=$(V:none)"
@end
"""


@define
class PlayedSubmission:
    """What became of the job."""

    refused: bool
    changed: dict[str, str] = field(factory=dict)
    removed: list[str] = field(factory=list)


def play_schedd(body: str, name: str = "t12") -> PlayedSubmission:
    """Submit the job."""
    first = "" if body.startswith("[") else f'REQUIREMENTS T == "{name}"\n'
    config = configuration(_CONFIG.format(name=name, requirements=first, body=body))
    own, cluster = (_ad(text.format(name=name)) for text in (_OWN, _CLUSTER))
    transforms = read_transforms(config)
    done = submit(transforms.rules, own, cluster, config, EvalContext(now=NOW))
    before, after = _whole(own), _whole(done.ad)
    return PlayedSubmission(
        done.refusal is not None,
        {key: text for key, text in after.items() if before.get(key) != text},
        [key for key in before if key not in after],
    )


def _ad(text: str) -> Ad:
    return next(read_long(text, new=Ad))


def _whole(ad: Ad) -> dict[str, str]:
    """The attributes of a job; those of its cluster count where they are not its own."""
    return {name: text_of(ad.raw(name)) for name in ad.names()}
