# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The site: Sphinx reads the repository's own pages where they are (MyST), pages.py puts them in order, reference.py adds
# what the headers say. Target docs calls it; the source folder is the root of the repository.
import os
import sys

sys.dont_write_bytecode = True  # nothing is written beside the sources
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

project = "lazyfuse"
copyright = "the authors of lazyfuse; Apache 2.0 with the LLVM exception"
extensions = ["myst_parser", "pages", "reference"]
root_doc = "README"
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/*.md", "docs/**/*.md"]
exclude_patterns = ["build/**"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4

html_theme = "furo"
html_title = "lazyfuse"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
highlight_language = "none"
pygments_style = "tango"
pygments_dark_style = "github-dark"
