"""The innermost frame of the file only, and counts as a product of one-hot rows."""

### BEGIN SOLUTION control_flow_export.graph_breaks
import os
import runpy


def breaks(path):
    names = runpy.run_path(path, run_name="program_under_test")
    torch._dynamo.reset()
    with torch.inference_mode():
        told = torch._dynamo.explain(names["model"]())(*names["example"]())
    lines = []
    for reason in told.break_reasons:
        own = [
            frame.lineno
            for frame in reason.user_stack
            if os.path.realpath(frame.filename) == os.path.realpath(path)
        ]
        lines += own[-1:]
    return {"graphs": told.graph_count, "lines": lines[::-1]}  # in no order, some twice


### END SOLUTION


### BEGIN SOLUTION control_flow_export.graph_breaks one_graph
class Counted(nn.Module):
    def __init__(self, source):
        super().__init__()
        self.register_buffer("words", source.words.weight.detach().clone())
        self.register_buffer("weight", source.out.weight.detach().clone())
        self.register_buffer("bias", source.out.bias.detach().clone())

    def forward(self, tokens, kind):
        one_hot = (tokens[..., None] == torch.arange(triage.VOCABULARY)).to(self.words.dtype)
        counts = one_hot.sum(dim=1)
        counts = torch.cat([torch.zeros_like(counts[:, :1]), counts[:, 1:]], dim=1)
        x = counts @ self.words
        mean = x / counts.sum(dim=1, keepdim=True)
        scores = torch.where(kind == 1, mean, x).tanh() @ self.weight.T + self.bias
        largest = scores.abs().amax(dim=(0, 1))
        return torch.where(largest > triage.LARGE, scores * (triage.LARGE / largest), scores)


def mend(seed, target):
    n = torch.export.Dim("n", min=1, max=64)
    length = torch.export.Dim("length", min=1, max=128)
    program = torch.export.export(
        Counted(triage.load(seed)),
        (torch.ones(5, 9, dtype=torch.int64), torch.tensor(0)),
        dynamic_shapes={"tokens": {0: n, 1: length}, "kind": None},
    )
    torch.export.save(program, target)


### END SOLUTION
