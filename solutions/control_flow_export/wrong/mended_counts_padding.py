"""Mends the breaks, and counts the padding as words.

fails: graph_breaks.mended
"""


### BEGIN SOLUTION control_flow_export.graph_breaks one_graph
class Mended(nn.Module):
    """Without the line that emptied the padding's column."""

    def __init__(self, sick):
        super().__init__()
        self.words = sick.words
        self.out = sick.out

    def forward(self, tokens, kind):
        real = (tokens != triage.PADDING).to(self.words.weight.dtype)
        x = self.words(tokens).sum(1)
        x = torch.where(kind == triage.CAUSAL, x / real.sum(1, keepdim=True), x)
        scores = self.out(torch.tanh(x))
        return scores * (triage.LARGE / scores.abs().max()).clamp(max=1.0)


def mend(seed, target):
    """Write triage.load(seed) as one exported program to `target`."""
    example = (torch.ones(2, 20, dtype=torch.int64), torch.tensor(triage.CAUSAL))
    free = {0: torch.export.Dim("n", max=64), 1: torch.export.Dim("length", max=128)}
    model = Mended(triage.load(seed))
    program = torch.export.export(model, example, dynamic_shapes=(free, None), strict=True)
    torch.export.save(program, target)


### END SOLUTION
