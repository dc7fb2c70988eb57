"""``python -m classad``: takes the place of ``classad_eval``; ``pieslice eval`` does the same."""

import sys

from classad.cli import main

if __name__ == "__main__":
    sys.exit(main())
