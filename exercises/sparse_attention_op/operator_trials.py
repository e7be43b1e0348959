"""What an operator is asked beside its values: by autograd, by the compiler, by torch.export.

Given. The judge calls these functions with inputs that you have not seen.
"""

import torch


class Trials:
    """An operator, tried. attention: a function that calls it."""

    def __init__(self, attention):
        self.attention = attention

    def gradient(self, q, k, v, threshold, grad, block, causal):
        """[3, B, H, N, D]: what autograd gives back for q, k and v when `grad` comes in."""
        q, k, v = (x.detach().requires_grad_() for x in (q, k, v))
        out = self.attention(q, k, v, threshold, block, causal)
        return torch.stack(torch.autograd.grad(out, (q, k, v), grad))

    def compiled_gradient(self, q, k, v, threshold, grad, block, causal):
        """The same of attention(2q, k, v) in one compiled graph: a break is an error."""
        q, k, v = (x.detach().requires_grad_() for x in (q, k, v))
        # aot_eager traces like the default compiler and leaves out generating code.
        layer = torch.compile(
            lambda q, k, v: self.attention(2 * q, k, v, threshold, block, causal),
            fullgraph=True,
            dynamic=False,
            backend="aot_eager",
        )
        return torch.stack(torch.autograd.grad(layer(q, k, v), (q, k, v), grad))

    def exported(self, q, k, v, threshold, block, causal):
        """[B, N, H·D]: of heads that lie side by side, by a graph made for every B and N."""
        shape = (2, 3 * block, q.shape[1], q.shape[3])
        # Three tensors: one that is given three times is one input, for an export.
        example = tuple(torch.zeros(shape, dtype=q.dtype) for _ in range(3))
        batch, length = torch.export.Dim.DYNAMIC, torch.export.Dim.DYNAMIC
        free = ({0: batch, 1: length},) * 3
        layer = _Layer(self.attention, threshold, block, causal)
        graph = torch.export.export(layer, example, dynamic_shapes=free)
        return graph.module()(*(x.transpose(1, 2).contiguous() for x in (q, k, v)))


class _Layer(torch.nn.Module):
    """q, k, v: [B, N, H, D], as a projection leaves them."""

    def __init__(self, attention, threshold, block, causal):
        super().__init__()
        self.attention, self.block, self.causal = attention, block, causal
        self.register_buffer("threshold", threshold.clone())

    def forward(self, q, k, v):
        q, k, v = (x.transpose(1, 2) for x in (q, k, v))
        out = self.attention(q, k, v, self.threshold, self.block, self.causal)
        out = out.view(-1).view(out.shape)  # there is no such view of what is not contiguous
        out = out.transpose(1, 2).flatten(2)
        # A projection that changes nothing. Its weights have the type that the fake kernel says.
        return out @ torch.eye(out.shape[2], dtype=out.dtype)
