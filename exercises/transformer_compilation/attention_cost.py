"""Bytes and least times of attention, before anything is run.

`account(path)` reads a problem from a JSON file; the notebook says what is in it and what is asked.
"""

### TASK transformer_compilation.count_bytes
def account(path):
    """Bytes, least times and what bounds them; see the notebook."""
    raise NotImplementedError("transformer_compilation.count_bytes")
