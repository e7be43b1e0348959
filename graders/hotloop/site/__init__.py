"""The site: pages made from curriculum/, runs/ and hand-written text, which mkdocs builds."""

# Must be the first import, before anything reads a notebook.
from hotloop.core import no_iri_grammar  # noqa: F401 # pyright: ignore[reportUnusedImport]
