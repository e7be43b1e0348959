from hotloop import no_iri_grammar  # noqa: F401 - before anything that reads notebooks
