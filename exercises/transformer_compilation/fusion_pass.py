"""A pass that fuses bias, gelu, residual and norm in graphs that it has never seen.

`fuse(path)` reads a graph from a JSON file and returns another one; the notebook says which kernels
there are.
"""

### TASK transformer_compilation.fuse_pass
def fuse(path):
    """The graph with as few kernels as its values allow; see the notebook."""
    raise NotImplementedError("transformer_compilation.fuse_pass")
