"""The C parser and loader under the sanitizers, with the committed seeds and a few mutations."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz.nativefuzz import HEADS, CannotBuild, build, fuzz, main, seeds


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        return build(tmp_path_factory.mktemp("native"))
    except CannotBuild as problem:
        pytest.skip(f"no compiler with sanitizers: {problem}")


@pytest.mark.slow
@pytest.mark.parametrize("target", HEADS)
def test_seeds_and_a_few_mutations(harness: Path, target: str) -> None:
    assert fuzz(harness, target, seconds=0, seed=1, runs=1000) is None


def test_every_seed_is_a_file_of_its_own(tmp_path: Path) -> None:
    paths = [Path(path) for target in HEADS for path in seeds(target, tmp_path / target)]
    assert len(paths) == len(set(paths)) > 40
    assert all(0 < path.stat().st_size < 600 for path in paths)


def test_a_replay_names_its_target(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--replay", "x"])
    assert "--replay needs the target" in capsys.readouterr().err
