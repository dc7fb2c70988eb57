"""Shared by the tests of the configuration: the vectors and how to replay them."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parents[1] / "vectors" / "config"


def load_vectors(name: str) -> Any:
    """One vector file, packed or not."""
    data = (VECTORS / name).read_bytes()
    return json.loads(gzip.decompress(data) if name.endswith(".gz") else data)


def run_program(command: str) -> str | None:
    """Run one of the harmless programs that the vectors name; None if there is none."""
    try:
        done = subprocess.run(command.split(), capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout
