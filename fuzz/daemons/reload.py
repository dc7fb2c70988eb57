"""Asks running daemons which macros they act on after condor_reconfig, and which after a restart.

``python -m fuzz.daemons.reload FOLDER`` starts a pool on one machine, with the first values of a
round of ``reload_questions.py``, looks at what is asked about, writes the second values and looks,
reconfigures and looks again, restarts and looks once more.  What differs after the first of these
tells the row of ``policy/data/reload.json``; ``policy/data/README.md`` describes the table.
FOLDER is the system that ``setup.sh`` makes; root is needed.
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
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from attr import define, field, frozen

from fuzz.daemons.reload_questions import BASE, ROUNDS, Round

_USER: Final = 65534
#: Seconds that daemons have to act on new values, by their short intervals in ``BASE``.
_SETTLE: Final = 12.0
_STARTED: Final = 60.0


@define
class Pool:
    """One pool in a folder of the system; ``inside`` is the folder as the daemons see it."""

    system: Path
    port: int
    folder: Path = field(init=False)
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="reload-", dir=self.system / "tmp"))
        for name in ("log", "spool", "execute", "run", "lock", "work"):
            (self.folder / name).mkdir()
        for path in (self.folder, *self.folder.iterdir()):
            os.chown(path, _USER, _USER)
            path.chmod(0o755)

    @property
    def inside(self) -> str:
        """The folder inside the system."""
        return "/" + str(self.folder.relative_to(self.system))

    def write(self, text: str) -> None:
        """The configuration; ``@DIR@`` and ``@PORT<n>@`` stand for the folder and for ports."""
        whole = self._filled(f"{BASE}{text}\n")
        new = self.folder / "config.new"
        new.write_text(whole)
        new.chmod(0o644)
        new.replace(self.folder / "config")

    def _filled(self, text: str) -> str:
        text = text.replace("@DIR@", self.inside)
        return re.sub(r"@PORT(\d)@", lambda found: str(self.port + int(found[1])), text)

    def _words(self, *command: str) -> list[str]:
        return ["chroot", f"--userspec={_USER}:{_USER}", str(self.system), *command]

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": f"{self.inside}/work",
            "CONDOR_CONFIG": f"{self.inside}/config",
            "_CONDOR_CONDOR_IDS": f"{_USER}.{_USER}",
            "DIR": self.inside,
        }

    def start(self) -> None:
        """Start the master, in a process namespace that ends with it."""
        mount = f"mount --make-rprivate /; mount -t proc proc {self.system}/proc; exec "
        words = ["unshare", "-m", "-p", "--fork", "--kill-child", "sh", "-c"]
        words.append(mount + " ".join(self._words("condor_master", "-f")))
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(
            words, env=self._environment(), stdin=quiet, stdout=quiet, stderr=quiet
        )
        time.sleep(1)
        self.wait()

    def _master(self) -> str:
        """The process id of the master; all others end with it."""
        assert self._process is not None
        outside = self._process.pid
        return Path(f"/proc/{outside}/task/{outside}/children").read_text().strip()

    def ask(self, command: str) -> str:
        """What a command of the shell prints inside, errors included."""
        words = ["nsenter", "-t", self._master(), "-m", "-p"]
        done = subprocess.run(
            [*words, *self._words("sh", "-c", f"cd $DIR/work; {self._filled(command)}")],
            env=self._environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=90, check=False,
        )  # fmt: skip
        return done.stdout.decode(errors="replace").strip()

    def wait(self, since: float = 0.0) -> None:
        """Until slots and the schedd are there that were started after a moment."""
        end = time.monotonic() + _STARTED
        while time.monotonic() < end:
            kinds = ("-startd", "-schedd")
            starts = [self.ask(f"condor_status {kind} -af DaemonStartTime") for kind in kinds]
            if all(re.match(r"\d+", one) and float(one.split()[0]) >= since for one in starts):
                return
            time.sleep(0.5)

    def stop(self) -> None:
        """End it all."""
        if self._process is not None:
            os.kill(int(self._master()), signal.SIGKILL)
            self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


@frozen
class Answer:
    """What was seen: at first, with the new value in the file, after condor_reconfig, after
    condor_restart."""

    macro: str
    daemon: str
    first: str
    written: str
    reconfigured: str
    restarted: str

    @property
    def needs(self) -> str:
        """``nothing``, ``reconfig``, ``restart``, or that none of them was seen."""
        if self.written != self.first:
            return "nothing"
        if self.reconfigured != self.first:
            return "reconfig"
        return "restart" if self.restarted != self.first else "not seen"


def run(system: Path, port: int, asked: Round) -> Iterator[Answer]:
    """The answers of one round."""
    pool = Pool(system, port)
    try:
        pool.write(asked.text(0))
        pool.start()
        pool.ask(asked.prepare)
        time.sleep(asked.settle)
        first = [pool.ask(one.look) for one in asked.questions]
        pool.write(asked.text(1))
        written = [pool.ask(one.look) for one in asked.questions]
        pool.ask("condor_reconfig")
        time.sleep(_SETTLE)
        second = [pool.ask(one.look) for one in asked.questions]
        now = float(pool.ask("date +%s"))
        pool.ask("condor_restart")
        time.sleep(3)
        pool.wait(now)
        time.sleep(_SETTLE)
        third = [pool.ask(one.look) for one in asked.questions]
        for number, one in enumerate(asked.questions):
            seen = (looks[number] for looks in (first, written, second, third))
            yield Answer(one.macro, one.daemon, *seen)
    finally:
        pool.stop()


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line of JSON for each answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=9960)
    parser.add_argument("--round", action="append", default=[], help="only rounds of these names")
    args = parser.parse_args(arguments)
    for asked in ROUNDS:
        if args.round and asked.name not in args.round:
            continue
        for one in run(args.folder, args.port, asked):
            seen = [one.first, one.written, one.reconfigured, one.restarted]
            about = {"macro": one.macro, "daemon": one.daemon, "needs": one.needs}
            row = {"round": asked.name, **about, "seen": seen}
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
