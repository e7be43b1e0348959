"""An object with __call__; rows and positions are padded by torch.nn.functional.pad, the heat is a tensor of one number."""


### BEGIN SOLUTION transformer_compilation.few_graphs
import served
import torch
from torch.nn.functional import pad


class Service:
    def __init__(self, compiled, weights):
        self.weights = weights
        self.function = compiled(served.pooled)

    def __call__(self, x, temperature):
        rows, length, _ = x.shape
        more_rows, more = max(2 - rows, 0), max(2 - length, 0)
        x = pad(x, (0, 0, 0, more, 0, more_rows)).contiguous()
        real = (torch.arange(length + more) < length).repeat(rows + more_rows, 1)
        for axis in range(2):
            torch._dynamo.mark_dynamic(x, axis)
            torch._dynamo.mark_dynamic(real, axis)
        return self.function(self.weights, x, real, torch.tensor(float(temperature)))[:rows]


def make(compiled, weights):
    """The function that answers requests; see the notebook."""
    return Service(compiled, weights)


### END SOLUTION
