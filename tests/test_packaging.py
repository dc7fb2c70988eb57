"""What is installed and shipped: the lists in pyproject.toml and MANIFEST.in fit the tree."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
from fnmatch import fnmatch
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from pieslice import __version__
from pieslice.api.schemas import document_classes
from tests.release import COMPLETIONS

ROOT = Path(__file__).parents[1]
CAMPUS = ROOT / "examples" / "campus"
PACKAGES = ("classad", "policy", "negotiator", "pieslice")
#: Files that only the repository needs.
REPOSITORY_ONLY = [".git*", ".github/*", ".readthedocs.yaml", "packaging/*"]

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def environment(**more: str) -> dict[str, str]:
    """The environment without anything that would let the checkout leak into a child."""
    hidden = ("PYTHONPATH", "CLASSAD_KERNELS", "PIESLICE_PURE")
    return {name: value for name, value in os.environ.items() if name not in hidden} | more


def run(*command: str | Path, cwd: Path, **env: str) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment(**env),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tracked() -> list[str]:
    listing = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    return listing.stdout.splitlines()


def test_the_package_list_is_the_tree() -> None:
    found = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
    }
    setuptools = PROJECT["tool"]["setuptools"]
    assert set(setuptools["packages"]) == found | {"classad.grammar"}
    assert setuptools["package-dir"]["classad.grammar"] == "grammar"


def test_every_file_that_names_the_version_names_this_one() -> None:
    for name, pattern in (
        ("CITATION.cff", r"^version: (.*)$"),
        ("packaging/conda/recipe.yaml", r"^  version: ([\d.]+)$"),
        ("CHANGELOG.md", r"^## (\d[\d.]*)"),
    ):
        found = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        assert found is not None, name
        assert found[1] == __version__, name


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_is_typed(package: str) -> None:
    assert (ROOT / package / "__init__.py").is_file()
    assert (ROOT / package / "py.typed").is_file()


def test_every_directory_of_a_package_has_an_init_file() -> None:
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            assert (path.parent / "__init__.py").is_file(), path


def test_every_data_file_is_installed() -> None:
    setuptools = PROJECT["tool"]["setuptools"]
    for name in tracked():
        path = Path(name)
        package = ".".join(path.parts[:1]).replace("grammar", "classad.grammar")
        if path.suffix == ".py" or package not in setuptools["packages"]:
            continue
        patterns = setuptools["package-data"].get(package, []) + setuptools["package-data"]["*"]
        inside = "/".join(path.parts[1:])
        assert any(fnmatch(inside, pattern) for pattern in patterns), name


def test_the_extra_all_is_all_others() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    named = ",".join(re.findall(r"pieslice\[(.*?)\]", " ".join(extras["all"])))
    assert sorted(named.split(",")) == sorted(set(extras) - {"all"})


def test_nobody_is_told_to_install_from_an_index() -> None:
    """Nothing is published; an extra of what is installed is found without an index."""
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"pip install (-\S+ )?['\"]?pieslice", text), page.name


def test_the_command_exists() -> None:
    assert PROJECT["project"]["scripts"] == {"pieslice": "pieslice.cli:program"}


@pytest.mark.parametrize("module", ["classad", "policy", "negotiator"])
def test_a_checkout_works_without_installation(module: str) -> None:
    code = f"import {module}, classad.kernels as k; print(k.backend, k.sort_order([[1, 2]])[:1])"
    out = run(sys.executable, "-c", code, cwd=ROOT, CLASSAD_KERNELS="python")
    assert out.split() == ["python", "[1]"]


# ---- builds ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source distribution of the tracked files, as a release makes it."""
    files = tracked()
    checkout = tmp_path_factory.mktemp("checkout")
    for name in files:
        if (ROOT / name).is_file():
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            (checkout / name).write_bytes((ROOT / name).read_bytes())
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--sdist", "--outdir", out, checkout, cwd=out)
    (archive,) = out.glob("*.tar.gz")
    return archive


@pytest.mark.slow
def test_the_source_distribution_is_complete(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    missing = [
        name
        for name in tracked()
        if name not in names and not any(fnmatch(name, pattern) for pattern in REPOSITORY_ONLY)
    ]
    assert not missing


@pytest.mark.slow
def test_the_source_distribution_has_the_manual_pages(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"man/pieslice.1", "man/pieslice-negotiate.1", "man/pieslice-policy-diff.1"} <= names


@pytest.mark.slow
def test_links_of_the_page_on_the_index_lead_somewhere(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        (folder,) = {name.partition("/")[0] for name in archive.getnames()}
        about = archive.extractfile(f"{folder}/PKG-INFO")
        assert about is not None
        text = about.read().decode("utf-8")
    links = re.findall(r"\]\(([^)]*)\)", text)
    assert links
    repository = PROJECT["project"]["urls"]["Repository"]
    for link in links:
        assert link.startswith(("https://", "#")), link
        for kind in ("/blob/main/", "/raw/main/"):
            if link.startswith(repository + kind):
                path = link.removeprefix(repository + kind).partition("#")[0]
                assert (ROOT / path).exists(), link


@pytest.mark.slow
def test_without_a_compiler_it_says_how_to_do_without(sdist: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", tmp_path, sdist],
        cwd=tmp_path, env=environment(CC="/no/such/compiler"), capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "PIESLICE_PURE=1 pip install pieslice" in done.stdout + done.stderr
    assert not list(tmp_path.glob("*.whl"))


def wheel_from(sdist: Path, out: Path, **env: str) -> Path:
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", out, sdist, cwd=out, **env)
    (wheel,) = out.glob("*.whl")
    return wheel


def contents(wheel: Path) -> set[str]:
    with ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def installed(name: str) -> str:
    """The place of a tracked file in a wheel; empty if it has none."""
    room = name.split("/")[0]
    return {"grammar": f"classad/{name}"}.get(room, name if room in PACKAGES else "")


COMPILER = (sysconfig.get_config_var("CC") or "cc").split()[0]
needs_compiler = pytest.mark.skipif(
    shutil.which(COMPILER) is None, reason=f"there is no C compiler `{COMPILER}` here"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "pure",
    [pytest.param(False, id="c", marks=needs_compiler), pytest.param(True, id="pure")],
)
def test_a_wheel_from_the_source_distribution_works(
    sdist: Path, tmp_path: Path, pure: bool
) -> None:
    wheel = wheel_from(sdist, tmp_path, **({"PIESLICE_PURE": "1"} if pure else {}))
    tag = "py3-none-any" if pure else "cp311-abi3"
    assert tag in wheel.name
    assert {installed(name) for name in tracked() if installed(name)} <= contents(wheel)
    manual = {name.partition(".data/data/share/man/man1/")[2] for name in contents(wheel)}
    assert {"pieslice.1", "pieslice-negotiate.1", "pieslice-policy-diff.1"} <= manual
    shared = {name.partition(".data/data/share/")[2] for name in contents(wheel)}
    assert set(COMPLETIONS.values()) <= shared
    assert {f"pieslice/schemas/{name}.json" for name in document_classes()} <= contents(wheel)
    example = {f"pieslice/lab/campus/{path.name}" for path in CAMPUS.iterdir()}
    assert example <= contents(wheel)
    built = {name for name in contents(wheel) if name.endswith((".so", ".pyd"))}
    assert built == (set() if pure else {"classad/_kernels.abi3.so"})

    venv.create(tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "-q", wheel, cwd=tmp_path)
    backend = run(python, "-c", "import classad.kernels as k; print(k.backend)", cwd=tmp_path)
    assert backend.strip() == ("python" if pure else "c")
    expression = "undefined =?= undefined && 5 / 2 == 2"
    command = tmp_path / "venv" / "bin" / "pieslice"
    assert run(command, "eval", expression, cwd=tmp_path).strip() == "true"
    out = run(command, "negotiate", CAMPUS, cwd=tmp_path)
    assert out.strip()
    same = (
        "json.loads((files('pieslice') / 'schemas/why.json').read_text()) == pieslice.schema('why')"
    )
    code = "from pieslice.lab.start.desk import example; print(example())"
    assert run(python, "-c", code, cwd=tmp_path).strip().endswith("pieslice/lab/campus")
    code = f"import json, pieslice; from importlib.resources import files; print({same})"
    assert run(python, "-c", code, cwd=tmp_path).strip() == "True"
