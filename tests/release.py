"""Tries what a release needs, on an index of its own: `python -m tests.release`.

Builds the source distribution, the wheel and the wheel without C of the last commit, serves them
with all that they depend on from a folder, on the loopback interface, and installs from there and
from nowhere else: each of the three, and over the release before.  Everything that stands in an
installation is used: commands, the C core, manual pages, completion, schemas, what the release
before has written.

Inputs: a clone; the package index that pip is set up for, for what others have written.  Outputs: a
line for each thing that was tried; exit status 1 if one of them is not so.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import tomllib
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
#: The commit that is called 0.9.0, and the version that the last commit is tried as.
BEFORE: Final = "9591f21e"
TRIED: Final = "0.10.0"
_KINDS: Final = ("wheel", "pure", "source")


def run(*command: str | Path, cwd: Path, **env: str) -> str:
    """What a command prints, in an environment in which pip knows nothing but its arguments."""
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PIP_", "PYTHON", "PIESLICE_", "CLASSAD_"))
    }
    words = [str(word) for word in command]
    done = subprocess.run(
        words, cwd=cwd, env={**own, **env}, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"failed: {' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


def checked_out(commit: str, version: str, place: Path) -> Path:
    """The files of a commit, which call themselves that version."""
    place.mkdir()
    archive = place.with_suffix(".tar")
    run("git", "archive", "-o", archive, commit, cwd=ROOT)
    shutil.unpack_archive(archive, place, filter="data")
    names = place / "pieslice" / "__init__.py"
    lines = names.read_text(encoding="utf-8").splitlines(keepends=True)
    told = [f'__version__ = "{version}"\n' if "__version__ =" in line else line for line in lines]
    names.write_text("".join(told), encoding="utf-8")
    return place


def built(work: Path, *, before: str) -> dict[str, list[Path]]:
    """The files of a release by kind, and under ``before`` the wheel of the one before."""
    found: dict[str, list[Path]] = {}
    build = partial(run, sys.executable, "-m", "build", cwd=work)
    tree = checked_out("HEAD", TRIED, work / "tree")
    build("--sdist", "--outdir", work / "source", tree)
    (archive,) = (work / "source").glob("*.tar.gz")
    for kind in _KINDS[:2]:
        wheel = (sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", work / kind, archive)
        run(*wheel, cwd=work, **({"PIESLICE_PURE": "1"} if kind == "pure" else {}))
    if before:
        build("--wheel", "--outdir", work / "before", checked_out(before, "0.9.0", work / "old"))
    for kind in (*_KINDS, "before"):
        found[kind] = sorted((work / kind).glob("pieslice-*"))
    return found


def indexes(work: Path, files: dict[str, list[Path]]) -> Path:
    """A folder with an index for each kind of file: a folder for each project, as PEP 503 says."""
    others = work / "others"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needs = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    fetch = (sys.executable, "-m", "pip", "download", "-q", "-d", others, *needs, "pip")
    # The only step that asks the index that pip is set up for.
    subprocess.run(list(map(str, fetch)), check=True, cwd=work)
    root = work / "index"
    everything = [path for paths in files.values() for path in paths]
    for kind, own in {**files, "all": everything}.items():
        for path in (*own, *others.iterdir()):
            name = path.name.split("-")[0].lower().replace("_", "-").replace(".", "-")
            (root / kind / name).mkdir(parents=True, exist_ok=True)
            shutil.copy(path, root / kind / name / path.name)
    return root


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder, on the loopback interface, while it is served."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


class Installed:
    """An environment with what an index gave; ``said`` is told what was tried of it."""

    def __init__(self, place: Path, said: Callable[[str, bool], None]) -> None:
        venv.create(place, with_pip=True)
        self.place, self.said = place, said
        self.bin = place / "bin"

    def install(self, index: str, *words: str, **env: str) -> None:
        """Install from one index, and from nowhere else."""
        own = ("--isolated", "install", "-q", "--no-cache-dir", "--index-url", index)
        config = {"PIP_CONFIG_FILE": os.devnull, **env}
        # `--isolated` does not reach the environment in which pip builds; its configuration does.
        run(self.bin / "python", "-m", "pip", *own, *words, cwd=self.place, **config)

    def tried(self, what: str, wanted: str, *command: str | Path) -> None:
        """Compare the first line that a command prints."""
        found = run(*command, cwd=self.place).split("\n")[0]
        self.said(
            what if found == wanted else f"{what}: {found!r}, not {wanted!r}", found == wanted
        )

    def use(self, kernels: str) -> None:
        """What everybody uses first, and the files beside the modules."""
        pieslice, python = self.bin / "pieslice", self.bin / "python"
        self.tried("its version", f"pieslice {TRIED}", pieslice, "--version")
        self.tried(
            "an expression", "true", pieslice, "eval", "5 / 2 == 2 && undefined =?= undefined"
        )
        code = "import classad.kernels as k; print(k.backend)"
        self.tried(f"the kernels of {kernels}", kernels, python, "-c", code)
        out = run(pieslice, "negotiate", ROOT / "examples" / "campus", cwd=self.place)
        self.said("a cycle of the example", "matches" in out)
        code = (
            "import json; from importlib.resources import files; import pieslice;"
            "print(json.loads((files('pieslice') / 'schemas/why.json').read_text())"
            " == pieslice.schema('why'))"
        )
        self.tried("schemas", "True", python, "-c", code)
        share = self.place / "share"
        commands = {page.stem for page in (share / "man" / "man1").glob("pieslice*.1")}
        self.said("manual pages", {"pieslice", "pieslice-why", "pieslice-policy-diff"} <= commands)
        for shell, name in COMPLETIONS.items():
            path = share / name
            wanted = run(pieslice, "completion", shell, cwd=self.place)
            self.said(f"completion for {shell}", path.is_file() and path.read_text() == wanted)


#: Where the shells look for completion scripts, below the folder `share` of an installation.
COMPLETIONS: Final = {
    "bash": "bash-completion/completions/pieslice",
    "zsh": "zsh/site-functions/_pieslice",
    "fish": "fish/vendor_completions.d/pieslice.fish",
}


def upgraded(place: Installed, index: str) -> None:
    """The release before, what it writes, and this one over it."""
    place.install(index, "pieslice==0.9.0")
    place.tried("the release before", "pieslice 0.9.0", place.bin / "pieslice", "--version")
    campus = ROOT / "examples" / "campus"
    run(place.bin / "pieslice", "record", "old.history", campus, cwd=place.place)
    place.install(index, "--upgrade", "pieslice")
    place.use("c")
    out = run(place.bin / "pieslice", "history", "old.history", cwd=place.place)
    place.said("a history that the release before wrote", "1 capture" in out)
    run(place.bin / "python", "-m", "pip", "--isolated", "uninstall", "-qy", "pieslice",
        cwd=place.place)  # fmt: skip
    left = [path for path in place.place.rglob("*pieslice*") if path.is_file()]
    place.said("nothing is left of it but what it wrote", [it.name for it in left] == [])


def main() -> int:
    """Try all; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.release", description=__doc__)
    parser.add_argument(
        "--before", default=BEFORE, help="the commit of the release before; empty: none"
    )
    before = parser.parse_args().before
    wrong: list[str] = []

    def say(heading: str, what: str, good: bool) -> None:
        print(f"{'ok  ' if good else 'WRONG'} {heading}: {what}", flush=True)
        if not good:
            wrong.append(what)

    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        files = built(work, before=before)
        with served(indexes(work, files)) as address:
            for kind in _KINDS:
                place = Installed(work / f"venv-{kind}", partial(say, kind))
                options = ("--no-binary", "pieslice") if kind == "source" else ()
                place.install(f"{address}/{kind}", "pieslice", *options)
                place.use("python" if kind == "pure" else "c")
            if before:
                upgraded(Installed(work / "venv-before", partial(say, "upgrade")), f"{address}/all")
    print(f"{len(wrong)} wrong" if wrong else "all of it works")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
