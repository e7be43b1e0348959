"""Compiles as it is, and leaves sizes, types and values to TorchDynamo.

fails: few_graphs.graphs
"""

### BEGIN SOLUTION transformer_compilation.few_graphs
import served
import torch


def make(compiled, weights):
    """The function that answers requests; see the notebook."""
    fast = compiled(served.pooled)

    def answer(x, temperature):
        rows, length, _ = x.shape
        real = torch.ones(rows, length, dtype=torch.bool)
        return fast(weights, x, real, temperature)

    return answer


### END SOLUTION
