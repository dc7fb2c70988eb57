"""``python -m docs.written PAGE`` prints a page that is written from declarations."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial

from docs.written.colours import pages
from docs.written.findings import findings_page
from docs.written.functions import functions_page
from docs.written.knobs import knob_page
from docs.written.reload import reload_page
from docs.written.versions import versions_page

PAGES: dict[str, Callable[[], str]] = {
    "findings": findings_page,
    "functions": functions_page,
    "knobs": knob_page,
    "reload": reload_page,
    "versions": versions_page,
    **{name: partial(pages().__getitem__, name) for name in pages()},
}

parser = argparse.ArgumentParser(prog="python -m docs.written", description=__doc__)
parser.add_argument("page", choices=sorted(PAGES), help="the page of docs/ to print")
print(PAGES[parser.parse_args().page](), end="")
