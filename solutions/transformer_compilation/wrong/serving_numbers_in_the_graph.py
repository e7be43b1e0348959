"""Gives the temperature as the number of Python that it is.

fails: few_graphs.graphs
"""

### BEGIN SOLUTION transformer_compilation.few_graphs
import served
import torch

FEWEST = 2
"""0 and 1 are never free: such a size has a graph of its own."""


def make(compiled, weights):
    """The function that answers requests; see the notebook."""
    fast = compiled(served.pooled)

    def answer(x, temperature):
        rows, length, width = x.shape
        padded = x.new_zeros(max(rows, FEWEST), max(length, FEWEST), width)
        padded[:rows, :length] = x
        real = torch.zeros(padded.shape[:2], dtype=torch.bool)
        real[:, :length] = True
        for tensor in (padded, real):
            # dynamic=True would take sizes for one that are equal in the first call.
            torch._dynamo.mark_dynamic(tensor, 0)
            torch._dynamo.mark_dynamic(tensor, 1)
        return fast(weights, padded, real, temperature)[:rows]

    return answer


### END SOLUTION
