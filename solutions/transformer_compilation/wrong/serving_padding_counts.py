"""Takes padding for positions that are there.

fails: few_graphs.correct
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
        padded = x.new_zeros(max(rows, FEWEST), -(-length // 8) * 8, width)
        padded[:rows, :length] = x
        real = torch.zeros(padded.shape[:2], dtype=torch.bool)
        real[:] = True
        for tensor in (padded, real):
            # dynamic=True would take sizes for one that are equal in the first call.
            torch._dynamo.mark_dynamic(tensor, 0)
            torch._dynamo.mark_dynamic(tensor, 1)
        # A number of Python has a guard on its type, and at first on its value.
        heat = torch.full((), float(temperature))
        return fast(weights, padded, real, heat)[:rows]

    return answer


### END SOLUTION
