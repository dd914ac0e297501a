# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The README as the front page, and the order of the pages.
from sphinx.builders.html import StandaloneHTMLBuilder

FRONT = "README"
# The order of the pages, as a reader may want them. Pages of docs that are not named here follow the guides.
CONTENTS = {
    "Tutorial": ["docs/tutorial/*"],
    "Guides": ["docs/numpy", "docs/creation", "docs/functions", "docs/operations", "docs/fusion", "docs/run_time_kernels", "docs/interop", "docs/howto/*"],
    "Reference": ["docs/reference/*"],
    "Design": ["docs/design/index", "docs/design/*"],
    "Background": ["docs/architecture", "docs/benchmarks", "docs/paper", "docs/examples/README", "docs/examples/programs/README", "CONTRIBUTING", "CHANGELOG"],
}


class SiteBuilder(StandaloneHTMLBuilder):
    """HTML whose front page, the README, is index.html."""

    name = "site"

    def _page(self, docname):
        return "index" if docname == FRONT else docname

    def get_target_uri(self, docname, typ=None):
        return super().get_target_uri(self._page(docname), typ)

    def get_outfilename(self, pagename):
        return super().get_outfilename(self._page(pagename))


def add_contents(app, docname, source):
    """The README has no table of contents of its own; the site needs one."""
    if docname != FRONT:
        return
    named = {page for pages in CONTENTS.values() for page in pages}
    for caption, pages in CONTENTS.items():
        if caption == "Guides":  # and what nobody named
            pages = pages + sorted(
                page
                for page in app.project.docnames
                if page.startswith("docs/") and page.count("/") == 1 and page not in named
            )
        lines = "\n".join(pages)
        source[0] += f"\n```{{toctree}}\n:hidden:\n:glob:\n:caption: {caption}\n\n{lines}\n```\n"


def setup(app):
    app.add_builder(SiteBuilder)
    app.connect("source-read", add_contents)
    return {"parallel_read_safe": True, "version": "1"}
