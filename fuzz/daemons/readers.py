"""Asks the daemons which macros they read, as what, and which bad values end them.

``python -m fuzz.daemons.readers FOLDER DAEMON`` prints the rows of one daemon for
``policy/data/readers.json``; ``policy/data/README.md`` describes the table.  FOLDER is the system
that ``setup.sh`` makes; root is needed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from attr import frozen

#: What is no value of the kind that a function reads.
BAD: Final = {"integer": "10k", "long": "10k", "boolean": "yes", "double": "2 percent"}
#: A line in the log after which a daemon has read its configuration.
READY: Final = {
    "STARTD": "Changing state: Owner -> Unclaimed",
    "SCHEDD": "TransferQueueManager download 1m",
    "NEGOTIATOR": "Aborting negotiation cycle",
}
_BASE: Final = """\
RELEASE_DIR = /usr
LOCAL_DIR = {folder}
LOG = {folder}/log
SPOOL = {folder}/spool
EXECUTE = {folder}/execute
RUN = {folder}/run
LOCK = {folder}/lock
DAEMON_LIST = MASTER
CONDOR_HOST = 127.0.0.1
COLLECTOR_HOST = 127.0.0.1:{collector}
NETWORK_INTERFACE = 127.0.0.1
ENABLE_IPV6 = False
NO_DNS = True
DEFAULT_DOMAIN_NAME = ask.test
NETWORK_HOSTNAME = host.ask.test
USE_SHARED_PORT = False
use SECURITY : HOST_BASED
SEC_DEFAULT_AUTHENTICATION = NEVER
CGROUP_ALL_DAEMONS = False
BASE_CGROUP =
USE_PROCD = False
ENABLE_KERNEL_TUNING = False
STARTD_ENFORCE_DISK_LIMITS = False
NUM_SLOTS = 1
"""
_USER: Final = 65534
_IN_RANGE: Final = re.compile(r"range (-?\d+) to (-?\d+)")
_LIMITS: Final = (-(2**31), 2**31 - 1)


@frozen
class Fate:
    """What became of a daemon: exit status (None: it lived), log, names that it read."""

    status: int | None
    log: str
    read: dict[str, str]


@frozen
class Asker:
    """Starts one daemon at a time in a folder with HTCondor."""

    system: Path
    daemon: str
    port: int
    preloaded: Path

    def ask(self, text: str, seconds: float = 8.0) -> Fate:
        """Start the daemon with some lines of configuration."""
        folder = Path(tempfile.mkdtemp(prefix="ask-", dir=self.system / "tmp"))
        inside = "/" + str(folder.relative_to(self.system))
        try:
            for name in ("log", "spool", "execute", "run", "lock"):
                (folder / name).mkdir()
            shutil.copy(self.preloaded, folder / "param_log.so")
            base = _BASE.format(folder=inside, collector=self.port + 1)
            (folder / "config").write_text(f"{base}{text}\n")
            for path in (folder, *folder.iterdir()):
                os.chown(path, _USER, _USER)
                path.chmod(0o755)
            return self._run(folder, inside, seconds)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _run(self, folder: Path, inside: str, seconds: float) -> Fate:
        words = ["chroot", f"--userspec={_USER}:{_USER}", str(self.system)]
        words += [f"/usr/sbin/condor_{self.daemon.lower()}", "-f", "-p", str(self.port)]
        variables = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "CONDOR_CONFIG": f"{inside}/config",
            "_CONDOR_CONDOR_IDS": f"{_USER}.{_USER}",
            "LD_PRELOAD": f"{inside}/param_log.so",
            "PARAMLOG": f"{inside}/names",
        }
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(
            words, env=variables, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True
        )
        end, ready = time.monotonic() + seconds, READY.get(self.daemon)
        while process.poll() is None and time.monotonic() < end:
            if ready is not None and ready in _log(folder):
                end, ready = min(end, time.monotonic() + 0.3), None
            time.sleep(0.03)
        status = process.poll()
        if status is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return Fate(status, _log(folder), _names(folder / "names"))


def _log(folder: Path) -> str:
    texts = (path.read_text(errors="replace") for path in (folder / "log").glob("*Log"))
    return "\n".join(texts)


def _names(path: Path) -> dict[str, str]:
    """Names with the kind that they were read as; a typed kind wins over a text."""
    found: dict[str, str] = {}
    for line in path.read_text(errors="replace").splitlines() if path.exists() else ():
        kind, name = line.split("\t")[:2]
        if re.fullmatch(r"[A-Za-z]\w*", name) and found.get(name, "string") == "string":
            found[name] = kind if kind in BAD else "string"
    return found


def rows(asker: Asker) -> Iterator[tuple[str, list[str | int | None]]]:
    """The rows of a daemon: names that it reads at its start, and what a bad value does."""
    for name, kind in sorted(asker.ask("").read.items()):
        if kind not in BAD:
            yield name, [kind, asker.daemon, ""]
            continue
        fate = asker.ask(f"{name} = {BAD[kind]}")
        errors = [line for line in fate.log.splitlines() if 'ERROR "' in line]
        said = [line for line in errors if name in line]
        # Some are read before there is a log.
        ended = asker.daemon if fate.status is not None and (said or not errors) else ""
        ended += f"/{fate.status}" if ended and fate.status != 4 else ""
        bounds = _IN_RANGE.search(said[0]) if said and kind in ("integer", "long") else None
        limits = [int(bound) for bound in bounds.groups()] if bounds is not None else []
        shown = [
            None if bound == limit else bound for bound, limit in zip(limits, _LIMITS, strict=False)
        ]
        yield name, [kind, asker.daemon, ended, *(shown if any(shown) else [])]


def main() -> None:
    """Print the rows of one daemon, one a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("daemon", choices=("MASTER", "COLLECTOR", *READY))
    parser.add_argument("--port", type=int, default=9480)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "param_log.so"
        source = Path(__file__).with_name("param_log.cc")
        command = ["g++", "-O1", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
        subprocess.run(command, check=True)
        for name, row in rows(Asker(args.folder, args.daemon, args.port, library)):
            print(f" {json.dumps(name)}: {json.dumps(row)},", flush=True)


if __name__ == "__main__":
    main()
