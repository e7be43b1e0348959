"""Reads what Inductor has written for a CPU: kernels, their bytes, and which buffer reuses which.

`read_output(path)` reads the text of an output code; the notebook says what comes back.
"""

### TASK transformer_compilation.read_output
def read_output(path):
    """Kernels and reused buffers; see the notebook."""
    raise NotImplementedError("transformer_compilation.read_output")
