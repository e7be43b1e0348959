"""Where a graph breaks, and a model that breaks no more: task 3."""

import importlib.util

import torch
import triage
from torch import nn


### BEGIN SOLUTION control_flow_export.graph_breaks
### STUB def breaks(path):
### STUB     """Of a Python file with model() and example(): {"graphs": …, "lines": […]}.
### STUB
### STUB     graphs: how many TorchDynamo makes of model()(*example()). lines: those of the file at
### STUB     which a graph breaks, ascending, each once.
### STUB     """
### STUB     raise NotImplementedError("control_flow_export.graph_breaks")
def breaks(path):
    """Of a Python file with model() and example(): {"graphs": …, "lines": […]}.

    graphs: how many TorchDynamo makes of model()(*example()). lines: those of the file at
    which a graph breaks, ascending, each once.
    """
    spec = importlib.util.spec_from_file_location("program", path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    torch._dynamo.reset()
    with torch.inference_mode():
        told = torch._dynamo.explain(program.model())(*program.example())
    frames = [frame for reason in told.break_reasons for frame in reason.user_stack]
    lines = {frame.lineno for frame in frames if frame.filename == path}
    return {"graphs": told.graph_count, "lines": sorted(lines)}


### END SOLUTION


### BEGIN SOLUTION control_flow_export.graph_breaks one_graph
### STUB def mend(seed, target):
### STUB     """Write triage.load(seed) as one exported program to `target`: n from 1 to 64, length
### STUB     from 1 to 128. Inputs tokens and kind, output float32 [n, 8], as before.
### STUB     """
### STUB     raise NotImplementedError("control_flow_export.graph_breaks")
class Mended(nn.Module):
    """What Triage computes, without what it does besides."""

    def __init__(self, sick):
        super().__init__()
        self.words = sick.words
        self.out = sick.out

    def forward(self, tokens, kind):
        real = (tokens != triage.PADDING).to(self.words.weight.dtype)
        # The sum over a message's words is its counts times the words' weights.
        x = (self.words(tokens) * real[:, :, None]).sum(1)
        x = torch.where(kind == triage.CAUSAL, x / real.sum(1, keepdim=True), x)
        scores = self.out(torch.tanh(x))
        return scores * (triage.LARGE / scores.abs().max()).clamp(max=1.0)


def mend(seed, target):
    """Write triage.load(seed) as one exported program to `target`: n from 1 to 64, length
    from 1 to 128. Inputs tokens and kind, output float32 [n, 8], as before.
    """
    example = (torch.ones(2, 20, dtype=torch.int64), torch.tensor(triage.CAUSAL))
    free = {0: torch.export.Dim("n", max=64), 1: torch.export.Dim("length", max=128)}
    model = Mended(triage.load(seed))
    program = torch.export.export(model, example, dynamic_shapes=(free, None), strict=True)
    torch.export.save(program, target)


### END SOLUTION
