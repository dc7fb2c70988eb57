"""``python -m pieslice.documents PAGE`` prints a page that is written from declarations."""

from __future__ import annotations

import argparse

from pieslice.documents.findings import findings_page
from pieslice.documents.functions import functions_page
from pieslice.documents.knobs import knob_page
from pieslice.negotiate.versions import versions_page

PAGES = {
    "findings": findings_page,
    "functions": functions_page,
    "knobs": knob_page,
    "versions": versions_page,
}

parser = argparse.ArgumentParser(prog="python -m pieslice.documents", description=__doc__)
parser.add_argument("page", choices=sorted(PAGES), help="the page of docs/ to print")
print(PAGES[parser.parse_args().page](), end="")
