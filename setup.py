"""What pyproject.toml cannot say: which extension module cffi builds, its stable ABI, manual pages,
completion scripts, JSON schemas, and README's links, which are of the repository and have to be
whole on a page of the index.

``PIESLICE_PURE=1`` leaves the extension out; the result is a ``py3-none-any`` wheel in which the
Python twins of the kernels do the work.  Without it a missing compiler stops the installation.
"""

import json
import os
import re
import shutil
import sys
import tomllib
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.errors import BaseError, CCompilerError

ROOT = Path(__file__).parent
# A build front end starts this file without its folder on the path.
sys.path.insert(0, str(ROOT))

PURE = os.environ.get("PIESLICE_PURE", "") not in ("", "0")


def man_pages() -> list[str]:
    """Write the manual pages, which are made from the parsers; the parsers need no dependency.

    They are in the source distribution, too, for those who package it.
    """
    from pieslice import __version__
    from pieslice.cli import build_parser
    from pieslice.manual.manpages import man_pages

    folder = ROOT / "man"
    folder.mkdir(parents=True, exist_ok=True)
    pages = man_pages(build_parser(), __version__)
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [f"man/{name}" for name in pages]


#: Where the shells look for completion scripts.
COMPLETIONS = {
    "bash": "share/bash-completion/completions/pieslice",
    "zsh": "share/zsh/site-functions/_pieslice",
    "fish": "share/fish/vendor_completions.d/pieslice.fish",
}


def completion_scripts() -> list[tuple[str, list[str]]]:
    """Write the completion scripts, below ``build``: folders of an installation, their files."""
    from pieslice.cli import build_parser
    from pieslice.manual.manpages import completion_script

    found = []
    for shell, name in COMPLETIONS.items():
        path = Path("build", name)
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        text = completion_script(build_parser(), shell)
        (ROOT / path).write_text(f"{text}\n", encoding="utf-8")
        found.append((Path(name).parent.as_posix(), [path.as_posix()]))
    return found


def readme() -> str:
    """README with links that lead to the repository from anywhere."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    files = project["urls"]["Repository"] + "/blob/main/"
    raw = project["urls"]["Repository"] + "/raw/main/"
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    text = re.sub(r"(!\[[^]]*\]\()(?!https?:)", rf"\g<1>{raw}", text)
    return re.sub(r"(?<!!)(\[[^]]*\]\()(?!https?:|#)", rf"\g<1>{files}", text)


class BuildKernels(build_ext):
    """Says how to do without a C compiler where there is none."""

    def run(self) -> None:
        try:
            super().run()
        except (BaseError, CCompilerError) as problem:
            raise SystemExit(
                f"error: the C core is not compiled: {problem}\n"
                "help: install a C compiler and Python's headers, or do without:"
                " PIESLICE_PURE=1 pip install pieslice (the same answers, slower)"
            ) from None


class BuildSchemas(build_py):
    """Adds to a wheel the JSON schemas, as files for other programs, which are made from classes,
    and the example of `pieslice lab`.
    """

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        from pieslice.api.schemas import document_classes, schema

        folder = Path(self.build_lib, "pieslice", "schemas")
        folder.mkdir(parents=True, exist_ok=True)
        for name in document_classes():
            text = json.dumps(schema(name), indent=2)
            (folder / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
        example = Path(self.build_lib, "pieslice", "lab", "campus")
        shutil.copytree(ROOT / "examples" / "campus", example, dirs_exist_ok=True)


setup(
    cmdclass={"build_ext": BuildKernels, "build_py": BuildSchemas},
    long_description=readme(),
    long_description_content_type="text/markdown",
    data_files=[("share/man/man1", man_pages()), *completion_scripts()],
    cffi_modules=[] if PURE else ["csrc/build_kernels.py:ffibuilder"],
    options={} if PURE else {"bdist_wheel": {"py_limited_api": "cp311"}},
)
