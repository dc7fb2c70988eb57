"""Optional packages are imported when they are used, and what lacks one names the extra."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from classad.extras import EXTRAS, load

ROOT = Path(__file__).resolve().parents[1]


#: Packages that a plain installation does not bring.
OPTIONAL = sorted({module.partition(".")[0] for module in EXTRAS} | {"classad2", "zstandard"})
#: What is made of an optional package as a whole: generators of tests, what speaks to editors
#: and to the browser.
WHOLES = (
    "strategies",
    "lab.server",
    *(f"lsp.{one}" for one in ("answers", "protocol", "server", "serving", "shown")),
)

ALL_MODULES = f"""
import importlib, pkgutil, sys
for name in {OPTIONAL}:
    sys.modules[name] = None
for package in ("classad", "policy", "negotiator", "pieslice"):
    folders = importlib.import_module(package).__path__
    for found in pkgutil.walk_packages(folders, package + ".", onerror=lambda name: None):
        if not any(one in found.name for one in {(*WHOLES, "__main__")}):
            importlib.import_module(found.name)
print("all")
"""


@pytest.mark.slow
def test_every_module_is_imported_without_the_optional_packages() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ALL_MODULES], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "all\n", done.stderr


@pytest.mark.parametrize("module", EXTRAS)
def test_what_is_missing_is_named_with_its_extra(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, extra = module.partition(".")[0], EXTRAS[module]
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError) as caught:
        load(module)
    assert str(caught.value) == (
        f"this needs the package {package}: pip install 'pieslice[{extra}]'"
    )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    brought = project["optional-dependencies"][extra]
    assert any(re.match(rf"{package}\b", requirement) for requirement in brought)
