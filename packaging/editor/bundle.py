"""Makes pieslice/lab/web/codemirror.js of the packages that package-lock.json names.

Inputs: the folder of this file after ``npm ci``.  Outputs: the bundle, whose first line has the
digest of the lock file, and the licences of its packages beside it.
"""

from __future__ import annotations

import json
import subprocess
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).parent
WEB = HERE.parents[1] / "pieslice" / "lab" / "web"
BANNER = "/*! CodeMirror 6, MIT licence (codemirror.txt); package-lock.json {} */"


def packages() -> list[tuple[str, str]]:
    """Name and version of each package that is a part of the bundle."""
    lock = json.loads((HERE / "package-lock.json").read_text("utf-8"))
    return [
        (path.removeprefix("node_modules/"), row["version"])
        for path, row in lock["packages"].items()
        if path and not row.get("dev") and not row.get("optional")
    ]


def main() -> None:
    """Write both files."""
    digest = sha256((HERE / "package-lock.json").read_bytes()).hexdigest()[:16]
    (esbuild,) = (HERE / "node_modules" / "@esbuild").glob("*/bin/esbuild")
    options = ["--bundle", "--format=esm", "--minify", "--legal-comments=none", "--target=es2021"]
    bundle = WEB / "codemirror.js"
    words = [esbuild, "exports.js", *options, f"--outfile={bundle}"]
    subprocess.run(words, cwd=HERE, check=True)
    bundle.write_text(f"{BANNER.format(digest)}\n{bundle.read_text('utf-8')}", "utf-8")
    texts: dict[str, list[str]] = {}
    for name, version in packages():
        text = (HERE / "node_modules" / name / "LICENSE").read_text("utf-8")
        texts.setdefault(text.strip(), []).append(f"{name} {version}")
    parts = ["\n".join(names) + f"\n\n{text}\n" for text, names in texts.items()]
    (WEB / "codemirror.txt").write_text("\n\n".join(parts), "utf-8")


if __name__ == "__main__":
    main()
