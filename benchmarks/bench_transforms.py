"""Ten job transforms on ten thousand jobs, as a schedd that takes them in runs them.

Run: ``python benchmarks/bench_transforms.py [--jobs N]``.  Jobs come from ``make_pool.py``
(seed 1); the transforms have requirements, conditions, patterns, macros and expressions that are
evaluated.  Some jobs are transformed again, whose ads have to be the same.  A table, then a JSON
line; CPU seconds; no test looks at them.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from classad import ClassAd, read_ads
from classad.evaluate import EvalContext
from policy.config import Config, load_config
from policy.io import builtin_library
from policy.language.sources import MemorySources
from policy.language.table import Context
from policy.transforms.submission import read_transforms, submit

HERE = Path(__file__).parent
NOW = EvalContext(now=1_790_000_000.0)
#: Every how many jobs one is transformed again, alone.
EVERY = 500
TRANSFORMS = {
    "Group": "REQUIREMENTS AccountingGroup is undefined\n"
    '  EVALSET AccountingGroup strcat("group_", substr(Owner, 0, 3), ".", Owner)',
    "Least": "REQUIREMENTS RequestMemory < 2000\n  SET RequestMemory 2000",
    "Card": "if defined MY.RequestGPUs\n  SET MinCapability 7.0\n"
    "else\n  SET WantsCard false\nendif",
    "Site": 'DEFAULT Sites "A,B,C"\n  EVALMACRO who = toLower(Owner)\n  SET SiteOwner "$(who)"',
    "Before": r"COPY /^Request(.+)$/ Original\1",
    "Limit": 'REQUIREMENTS JobUniverse == 5 && RequestCpus > 1\n  SET ConcurrencyLimits "big"',
    "Cores": "EVALSET RequestCpus max({RequestCpus, 2})",
    "Time": "SET MaxRunTime RequestCpus * 3600\n  RENAME WantsCard NeedsCard",
    "Note": 'DELETE Iwd\n  SET Note "$(MY.Owner) of $(MY.ClusterId:0)"',
    "Node": "COPY Owner FirstOwner\n  SET Requirements $(MY.Requirements) && (TARGET.Node > 0)",
}


def configuration() -> Config:
    """The configuration of a schedd."""
    lines = [f"JOB_TRANSFORM_NAMES = {', '.join(TRANSFORMS)}"]
    lines += [f"JOB_TRANSFORM_{name} @=end\n  {text}\n@end" for name, text in TRANSFORMS.items()]
    sources = MemorySources({"condor_config": "\n".join(lines) + "\n"})
    return load_config("condor_config", sources, builtin_library(), context=Context("SCHEDD"))


def jobs_of(count: int) -> list[ClassAd]:
    """Generated jobs."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(HERE / "make_pool.py"), "--slots", "10", "--seed", "1"]
        command += ["--jobs", str(count), "--autoclusters", "500", "--out", folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return list(read_ads(Path(folder) / "jobs.ads"))


def main() -> None:
    """Print how long it takes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=10_000, metavar="N")
    jobs = jobs_of(parser.parse_args().jobs)
    config = configuration()
    rules = read_transforms(config).rules
    gc.disable()  # as the commands do
    begin = time.process_time()
    found = [submit(rules, job, None, config, NOW) for job in jobs]
    seconds = time.process_time() - begin
    again = [submit(rules, job, None, config, NOW).ad for job in jobs[::EVERY]]
    agree = sum(one.ad == other for one, other in zip(found[::EVERY], again, strict=True))
    written = sum(len(step.changes) for one in found for run in one.courses for step in run.steps)
    print(f"{f'{len(rules)} transforms on {len(jobs)} jobs':44}{seconds:10.2f} s")
    print(f"{'attributes written':44}{written:10}")
    row = {"jobs": len(jobs), "transforms": len(rules), "seconds": seconds, "agree": agree}
    print(json.dumps({"python": platform.python_version(), "compared": len(again), **row}))


if __name__ == "__main__":
    main()
