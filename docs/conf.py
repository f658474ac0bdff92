"""Sphinx: furo, executed pages, warnings as errors (`make docs`)."""

import os
from importlib.metadata import version as version_of

project = "Knuckle"
author = "The Knuckle developers"
copyright = "The Knuckle developers"
version = release = version_of("knuckle")

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "sphinx.ext.napoleon"]
myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 60
# Executed pages start in seconds, with or without a warm cache.
os.environ.setdefault("OMP_NUM_THREADS", "1")

exclude_patterns = ["_build", "Thumbs.db", ".DS_Store"]
html_theme = "furo"
html_title = f"Knuckle {release}"
nitpicky = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
