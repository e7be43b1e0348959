"""The site: pages from curriculum/, runs/ and site/pages, built by mkdocs."""

# Imported first, as it must run before anything reads a notebook.
from hotloop import no_iri_grammar  # noqa: F401 # pyright: ignore[reportUnusedImport]
