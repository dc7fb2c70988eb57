"""Configuration of Sphinx: MyST for the pages, furo for the looks; warnings are errors."""

from __future__ import annotations

project = "pieslice"
author = "the pieslice developers"
copyright = "the pieslice developers"

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["_build"]
myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]
nitpicky = True

html_theme = "furo"
html_title = "pieslice"
html_show_sourcelink = False
