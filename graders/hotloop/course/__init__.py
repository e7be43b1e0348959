# Must be imported before anything that reads notebooks.
from hotloop.core import no_iri_grammar  # noqa: F401 # pyright: ignore[reportUnusedImport]
