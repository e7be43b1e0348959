"""Everything spelled out in one forward, with Final attributes, and .item()."""


### BEGIN SOLUTION control_flow_export.script_it
class Scripted(nn.Module):
    """Everything spelled out; constants as Final attributes."""

    full: torch.jit.Final[int]
    reach: torch.jit.Final[int]

    def __init__(self, source):
        super().__init__()
        self.words, self.places = source.words, source.places
        self.first = torch.jit.script(source.layers[0])
        self.rest = nn.ModuleList(source.layers[1:])
        self.early, self.head = source.early, source.head
        self.register_buffer("sure", source.sure)
        self.full, self.reach = encoder.FULL_UP_TO, encoder.REACH

    def mean(self, x: Tensor, real: Tensor) -> Tensor:
        w = real.unsqueeze(-1).to(x.dtype)
        return (x * w).sum(1) / w.sum(1)

    def forward(self, tokens: Tensor, kind: Tensor) -> Tensor:
        length = tokens.size(1)
        p = torch.arange(length, device=tokens.device)
        d = p.unsqueeze(1) - p.unsqueeze(0)
        k = int(kind.item())
        if k == 0:
            pattern = torch.ones_like(d, dtype=torch.bool)
        elif k == 1:
            pattern = d >= 0
        else:
            pattern = torch.logical_or(d >= 0, (p < 4).unsqueeze(0))
        if length > self.full:
            pattern = pattern & ((d.abs() <= self.reach) | (p == 0).unsqueeze(0))
        real = tokens != 0
        allowed = pattern.unsqueeze(0) & real.unsqueeze(1)
        x = self.first(self.words(tokens) + self.places(p), allowed)
        guess = self.early(self.mean(x, real))
        if bool((guess.softmax(-1).amax(-1).min() > self.sure).item()):
            return guess
        for layer in self.rest:
            x = layer(x, allowed)
        return self.head(self.mean(x, real))


def scripted(seed, target):
    torch.jit.save(torch.jit.script(Scripted(encoder.load(seed)).eval()), target)


### END SOLUTION
