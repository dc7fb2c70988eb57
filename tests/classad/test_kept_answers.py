"""Answers without a peer are the kept ones; ``kept_answers.py`` tells how they are written anew."""

from __future__ import annotations

import pytest

from tests.classad.kept_answers import TOPICS, kept, path_of, section


@pytest.mark.parametrize("topic", TOPICS)
def test_answers_are_the_kept_ones(topic: str) -> None:
    now = "".join(section(topic, question) for question in kept(topic))
    then = path_of(topic).read_text(encoding="utf-8")
    assert now.splitlines() == then.splitlines()
