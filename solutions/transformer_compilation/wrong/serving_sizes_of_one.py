"""Forgets that a size of 1 is never free.

fails: few_graphs.graphs
"""

### BEGIN SOLUTION transformer_compilation.few_graphs
import served
import torch

FEWEST = 1


def make(compiled, weights):
    """The function that answers requests; see the notebook."""
    fast = compiled(served.pooled, dynamic=True)

    def answer(x, temperature):
        rows, length, width = x.shape
        padded = x.new_zeros(max(rows, FEWEST), max(length, FEWEST), width)
        padded[:rows, :length] = x
        real = torch.zeros(padded.shape[:2], dtype=torch.bool)
        real[:, :length] = True
        # A number of Python has a guard on its type, and at first on its value.
        heat = torch.full((), float(temperature))
        return fast(weights, padded, real, heat)[:rows]

    return answer


### END SOLUTION
