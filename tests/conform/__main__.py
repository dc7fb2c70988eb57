"""``python -m tests.conform PATH...``: see ``tests.conform.command``."""

import sys

from tests.conform.command import main

sys.exit(main())
