"""Configuration of Sphinx: MyST for the pages, autodoc for the API; warnings are errors."""

from __future__ import annotations

import sys
from pathlib import Path

# The packages documented are those beside this directory, installed or not.
sys.path.insert(0, str(Path(__file__).parents[1]))

project = "pieslice"
author = "the pieslice developers"
copyright = "the pieslice developers"

extensions = ["myst_parser", "sphinx.ext.autodoc"]
autodoc_member_order = "groupwise"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
add_module_names = False
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["_build"]
myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]
nitpicky = True
# Types in signatures are of the standard library or internal; nothing here documents them.
nitpick_ignore_regex = [("py:.*", ".*")]

html_theme = "furo"
html_title = "pieslice"
html_show_sourcelink = False
