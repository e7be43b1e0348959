"""Pads to powers of two, and has a graph for each pair of them.

fails: few_graphs.graphs
"""

### BEGIN SOLUTION transformer_compilation.few_graphs
import served
import torch


def make(compiled, weights):
    """The function that answers requests; see the notebook."""
    fast = compiled(served.pooled, dynamic=False)

    def answer(x, temperature):
        rows, length, width = x.shape
        sizes = (1 << (size - 1).bit_length() for size in (rows, length))
        padded = x.new_zeros(*sizes, width)
        padded[:rows, :length] = x
        real = torch.zeros(padded.shape[:2], dtype=torch.bool)
        real[:, :length] = True
        # A number of Python has a guard on its type, and at first on its value.
        heat = torch.full((), float(temperature))
        return fast(weights, padded, real, heat)[:rows]

    return answer


### END SOLUTION
