"""What check says of many names, expressions and values: ``corpus/many.txt``."""

from __future__ import annotations

import pytest

from tests.policy.many import ABOUT, kept, kept_texts


@pytest.mark.parametrize("subject", ABOUT)
def test_what_is_said_of_many_cases(subject: str) -> None:
    assert kept(subject).splitlines() == kept_texts()[subject].splitlines(), (
        "if that is meant, run: python -m tests.policy.many"
    )


def test_all_that_is_kept_is_asked() -> None:
    assert list(kept_texts()) == list(ABOUT)
