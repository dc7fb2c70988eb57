"""``python -m negotiator``: the same as the command ``pieslice``."""

from __future__ import annotations

import sys

from negotiator.cli import main

sys.exit(main())
