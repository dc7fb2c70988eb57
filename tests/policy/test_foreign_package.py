"""What is said of a package that has our name and is not ours."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from policy.foreign_package import PRODUCT, require_own

NAME = "package_of_another"
ROOT = Path(__file__).parents[2]


def refusal() -> str:
    with pytest.raises(ImportError) as caught:
        require_own(NAME)
    return str(caught.value)


def imported(monkeypatch: pytest.MonkeyPatch, file: str | None, owners: list[str]) -> None:
    """A package that is imported already, and the distributions that have it."""
    module = ModuleType(NAME)
    module.__file__ = file
    monkeypatch.setitem(sys.modules, NAME, module)
    monkeypatch.setattr("importlib.metadata.packages_distributions", lambda: {NAME: owners})


def test_our_own_package_is_taken() -> None:
    require_own("classad")


@pytest.mark.parametrize(
    ("file", "owners", "advice"),
    [
        ("/elsewhere/x/__init__.py", [], "remove it from sys.path, or install"),
        ("/elsewhere/x/__init__.py", [PRODUCT, "other"], "`pip uninstall other`, or install"),
        ("/elsewhere/x/__init__.py", ["htcondor"], "(from version 25 on htcondor has no such"),
        (str(ROOT / NAME / "__init__.py"), ["other"], "then run `pip install --force-reinstall"),
    ],
)
def test_another_package_is_named_with_what_to_do(
    file: str, owners: list[str], advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported(monkeypatch, file, owners)
    said = refusal()
    assert said.startswith(f"the package `{NAME}` found at {file} is not pieslice's: ")
    assert advice in said


def test_a_package_without_files_has_lost_them(monkeypatch: pytest.MonkeyPatch) -> None:
    imported(monkeypatch, None, [])
    assert f"pieslice's package `{NAME}` has lost files" in refusal()


@pytest.mark.parametrize(
    ("mark", "said"),
    [("", "is not pieslice's"), (f'__product__ = "{PRODUCT}"\n', "no library of mine")],
)
def test_a_package_that_cannot_be_imported(
    mark: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"{NAME}.py").write_text(f'{mark}raise ImportError("no library of mine")\n')
    monkeypatch.syspath_prepend(tmp_path)
    assert said in refusal()


def test_a_package_that_is_nowhere() -> None:
    assert "No module named" in refusal()
