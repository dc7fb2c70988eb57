"""``python -m pieslice``: the same as the command ``pieslice``."""

from __future__ import annotations

import sys

from pieslice.cli import program

sys.exit(program())
