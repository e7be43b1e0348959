"""A transformers class with branches, as TorchScript and as an exported program: task 12."""

import routed
import torch
from torch import Tensor, nn


### BEGIN SOLUTION control_flow_export.hugging_face
### STUB def to_torchscript(seed, target):
### STUB     """Write load(seed) as TorchScript to `target`. Inputs and output are the source's."""
### STUB     raise NotImplementedError("control_flow_export.hugging_face")
### STUB
### STUB
### STUB def to_export(seed, target):
### STUB     """Write load(seed) as an exported program (torch.export.save) to `target`.
### STUB
### STUB     n from 1 to 64 and length from 1 to 128 are free.
### STUB     """
### STUB     raise NotImplementedError("control_flow_export.hugging_face")
class Encoded(nn.Module):
    """All of the class that has no branch: what it is given is tensors, and what it gives too."""

    def __init__(self, source):
        super().__init__()
        self.source = source

    def forward(self, tokens, allowed):
        """The scores by the first token's vector, and by the mean."""
        seen = self.source.bert(tokens, attention_mask=allowed)
        real = tokens != 0
        mean = (seen.last_hidden_state * real[:, :, None]).sum(1) / real.sum(1, keepdim=True)
        return self.source.classifier(seen.pooler_output), self.source.classifier(mean)


class Scripted(nn.Module):
    """The branches, which are read; inside, the model, which was recorded."""

    def __init__(self, traced: torch.jit.ScriptModule) -> None:
        super().__init__()
        self.traced = traced

    def forward(self, tokens: Tensor, kind: Tensor) -> Tensor:
        """As the source's."""
        length = tokens.shape[1]
        allowed = (tokens != 0)[:, None, None, :].expand(-1, 1, length, -1)
        if int(kind) == 1:
            allowed = allowed & torch.ones_like(allowed).tril()
        pooled, mean = self.traced(tokens, allowed)
        if length <= 32:
            return pooled
        return mean


def to_torchscript(seed, target):
    """Write load(seed) as TorchScript to `target`. Inputs and output are the source's."""
    tokens = torch.ones(2, 20, dtype=torch.int64)
    allowed = torch.ones(2, 1, 20, 20, dtype=torch.bool)
    traced = torch.jit.trace(Encoded(routed.load(seed)), (tokens, allowed), check_trace=False)
    torch.jit.script(Scripted(traced)).save(target)


class Portable(nn.Module):
    """The branches as data: both masks and both results are cheap."""

    def __init__(self, source):
        super().__init__()
        self.encoded = Encoded(source)

    def forward(self, tokens, kind):
        """As the source's."""
        length = tokens.shape[1]
        allowed = (tokens != routed.PADDING)[:, None, None, :].expand(-1, 1, length, -1)
        allowed = torch.where(
            kind == routed.CAUSAL, allowed & torch.ones_like(allowed).tril(), allowed
        )
        pooled, mean = self.encoded(tokens, allowed)
        # The length as a tensor: as a number it would have to be decided now.
        short = torch.full((), length) <= routed.POOLED_UP_TO
        return torch.where(short, pooled, mean)


def to_export(seed, target):
    """Write load(seed) as an exported program (torch.export.save) to `target`.

    n from 1 to 64 and length from 1 to 128 are free.
    """
    example = (torch.ones(2, 20, dtype=torch.int64), torch.tensor(routed.CAUSAL))
    free = {0: torch.export.Dim("n", max=64), 1: torch.export.Dim("length", max=routed.LONGEST)}
    program = torch.export.export(
        Portable(routed.load(seed)), example, dynamic_shapes=(free, None), strict=True
    )
    torch.export.save(program, target)


### END SOLUTION
