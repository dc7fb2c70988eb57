"""Pages that ``pieslice lab`` exports, without a browser."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import pieslice
from pieslice.cli import build_parser, main
from pieslice.inputs.options import input_words
from pieslice.lab.sharing.export import MODULES, WEB, bundle, commands, page, template
from pieslice.lab.texts import EditedTexts

ROOT = Path(__file__).parents[2]
CAMPUS, TOUR = ROOT / "examples" / "campus", ROOT / "examples" / "tour"
NO_PREEMPTION = "NEGOTIATOR_CONSIDER_PREEMPTION = false\n"
CAROL = "group_chemistry.carol@campus.example"


def exported(folder: Path, change: str, tmp_path: Path, *more: str) -> str:
    (tmp_path / "change").write_text(change, "utf-8")
    target = tmp_path / "page.html"
    words = ["--edit", str(tmp_path / "change"), "--export", str(target), *more]
    assert main(["lab", str(folder), *words]) == 0
    return target.read_text("utf-8")


def data_of(text: str) -> Any:
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    return json.loads(data)


def digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def test_a_page_says_what_comes_of_a_change_and_answers_who_pays(tmp_path: Path) -> None:
    text = exported(CAMPUS, NO_PREEMPTION, tmp_path)
    assert len(text.encode()) < 3 << 20
    data = data_of(text)
    wanted = pieslice.read(CAMPUS).diff(pieslice.read(CAMPUS).with_config(NO_PREEMPTION)).to_dict()
    assert data["edit"]["changes"]["users"] == wanted["users"]
    assert data["edit"]["changes"]["slots"] == wanted["slots"]
    asked = [tuple(one["question"].values()) for one in data["answers"]]
    assert ("user", CAROL, None) in asked
    assert ("job", "15.0", "slot11@node07@vm") in asked
    carol = data["answers"][asked.index(("user", CAROL, None))]["answer"]
    assert carol["before"][0]["line"].endswith("20 matched, 5 not")
    assert carol["after"][0]["line"].endswith("5 matched, 20 not")


def test_a_page_allows_its_own_script_and_style_and_nothing_else(tmp_path: Path) -> None:
    text = exported(TOUR, "PREEMPTION_REQUIREMENTS = false", tmp_path)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert policy.startswith(
        f"default-src 'none'; script-src {digest(script)}; style-src {digest(style)}; "
    )
    assert "unsafe" not in policy
    assert not re.search(r"https?://|\b(src|href|style|on\w+)=", text.replace(script, ""))
    assert text.index(policy) < text.index("<style>")


def test_the_script_is_the_modules_of_the_page(tmp_path: Path) -> None:
    script = bundle()
    assert not re.search(r"^\s*(import|export)\b", script, re.MULTILINE)
    assert "</script" not in script
    known: set[str] = set()
    for name in MODULES:
        used = set(re.findall(r'from "\./(\w+)\.js"', (WEB / f"{name}.js").read_text("utf-8")))
        assert used <= known, name
        known.add(name)
    node = shutil.which("node")
    if node is not None:
        (tmp_path / "script.js").write_text(script, "utf-8")
        subprocess.run([node, "--check", tmp_path / "script.js"], check=True)


def test_no_name_ends_the_data(tmp_path: Path) -> None:
    name = "</script><script>alert(1)</script><!--"
    data = data_of(page({"overview": {"name": name}}))
    assert data["overview"]["name"] == name
    assert page({"name": name}).count("<script") == template().count("<script")
    for file in ("slots.ads", "jobs.ads", "submitters.ads", "accounting.ads"):
        text = (CAMPUS / file).read_text("utf-8")
        (tmp_path / file).write_text(re.sub(r'\bdave(?=@|")', name, text), "utf-8")
    shutil.copy(CAMPUS / "condor_config", tmp_path)
    text = exported(tmp_path, NO_PREEMPTION, tmp_path)
    assert "<script>alert" not in text
    assert any(name in one["name"] for one in data_of(text)["overview"]["users"])


def test_the_commands_repeat_the_page(tmp_path: Path) -> None:
    data = data_of(exported(CAMPUS, NO_PREEMPTION, tmp_path))
    asked = [line for line in data["commands"] if not line.startswith("pieslice lab")]
    (tmp_path / "pieslice").write_text(f'#!/bin/sh\nexec {sys.executable} -m pieslice "$@"\n')
    (tmp_path / "pieslice").chmod(0o755)
    script = (
        f"PATH={tmp_path}:$PATH PYTHONPATH={ROOT}\nexport PATH PYTHONPATH\n{chr(10).join(asked)}"
    )
    done = subprocess.run(
        ["sh", "-ec", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    assert " ".join(done.stdout.split()).startswith(data["edit"]["sentence"])
    assert data["commands"][-1] == f"pieslice lab {CAMPUS} --edit change.config"


def test_no_change_is_repeated_by_the_cycle(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    assert main(["lab", str(TOUR), "--export", str(target)]) == 0
    data = data_of(target.read_text("utf-8"))
    assert data["edit"] is None
    assert data["commands"] == [f"pieslice negotiate {TOUR}"]


def test_a_changed_file_is_named_in_the_commands() -> None:
    texts = EditedTexts("A = 1", (("condor_config", "B = 2\n"),))
    assert list(commands(["pool"], texts, "condor_config"))[-1] == (
        "pieslice diff pool --config condor_config --also change.config"
    )
    inner = EditedTexts("", (("config.d/10", "B = 2\n"),))
    assert "config.d/10" in next(commands(["pool"], inner, "condor_config"))


@pytest.mark.parametrize(
    "words",
    [
        ["pool"],
        ["slots.ads", "jobs.ads", "--config", "a", "--config", "b", "-D", "A=1"],
        ["pool", "--at", "2026-01-01", "--now", "5", "--seed", "7", "--dialect", "mrg"],
        ["--slots", "s", "--accountant-log", "l", "--for", "Cpus > 1", "--local-name", "N"],
    ],
    ids=" ".join,
)
def test_what_names_a_pool_is_said_again(words: list[str]) -> None:
    parser = build_parser()

    def read(given: list[str]) -> argparse.Namespace:
        return parser.parse_args(["lab", "pool", *given])

    assert vars(read(input_words(read(words))[1:])) == vars(read(words))


def test_a_text_that_nobody_starts_with_has_no_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "change").write_text("NEGOTIATOR_INTERVAL 60\n", "utf-8")
    words = ["--edit", str(tmp_path / "change"), "--export", str(tmp_path / "page.html")]
    assert main(["lab", str(TOUR), *words]) == 2
    said = capsys.readouterr().err
    assert f"{tmp_path / 'change'}:1:" in said
    assert "NEGOTIATOR_INTERVAL 60" in said
    assert not (tmp_path / "page.html").exists()


def test_a_change_that_is_not_there_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lab", str(TOUR), "--edit", str(tmp_path / "none"), "--export", "x.html"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
