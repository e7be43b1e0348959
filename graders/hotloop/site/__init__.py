"""The site: pages made of curriculum/, runs/ and what is written by hand, for mkdocs to build."""

# First, before anything reads a notebook.
from hotloop import no_iri_grammar  # noqa: F401 # pyright: ignore[reportUnusedImport]
