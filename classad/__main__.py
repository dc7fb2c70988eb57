"""``python -m classad``: takes the place of ``classad_eval``; ``pieslice eval`` does the same."""

import sys
from importlib import import_module

if __name__ == "__main__":
    # A door of the command, which stands here because Python looks for it here.
    sys.exit(import_module("pieslice.expressions.cli").main())
