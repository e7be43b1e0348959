"""What an operator is asked beside its values: by autograd, by the compiler, by torch.export.

Given, and the same for the operator in CUDA C++ and for the one in OpenAI Triton.
"""

import torch


class Trials:
    """An operator, tried. softmax: a function that calls it on [rows, columns]."""

    def __init__(self, softmax):
        self.softmax = softmax

    def gradient(self, x, dy):
        """What autograd gives back for x when dy comes in."""
        x = x.detach().requires_grad_()
        return torch.autograd.grad(self.softmax(x), x, dy)[0]

    def second_gradient(self, x, dy, g):
        """The gradient of Σ g · gradient(x, dy) for x, or an error: never something else."""
        x = x.detach().requires_grad_()
        first = torch.autograd.grad(self.softmax(x), x, dy, create_graph=True)[0]
        return torch.autograd.grad(first, x, g)[0]

    def compiled(self, x):
        """softmax(2x) + x in one graph: the operator between two others. A break is an error."""
        return self._in_one_graph()(x)

    def compiled_gradient(self, x, dy):
        """The gradient of softmax(2x) + x, where the compiler traces the backward as well."""
        x = x.detach().requires_grad_()
        return torch.autograd.grad(self._in_one_graph()(x), x, dy)[0]

    def exported(self, x):
        """Softmax of each column, by a graph that was made with another matrix, for every shape."""
        anything = torch.export.Dim.DYNAMIC
        example = torch.zeros(3, 5, device=x.device)
        graph = torch.export.export(
            _OfColumns(self.softmax), (example,), dynamic_shapes=({0: anything, 1: anything},)
        )
        return graph.module()(x)

    def _in_one_graph(self):
        # aot_eager traces like the default compiler and leaves out generating code, which takes
        # longer.
        softmax = self.softmax
        return torch.compile(
            lambda z: softmax(z * 2) + z, fullgraph=True, dynamic=False, backend="aot_eager"
        )


class _OfColumns(torch.nn.Module):
    def __init__(self, softmax):
        super().__init__()
        self.softmax = softmax

    def forward(self, x):
        y = self.softmax(x.t())
        return y.view(-1).view(y.shape)  # there is no such view of what is not contiguous
