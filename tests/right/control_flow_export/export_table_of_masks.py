"""A table of the largest masks as a buffer, of which the rows and columns of a length are picked."""


### BEGIN SOLUTION control_flow_export.export
class Tabled(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.words, self.places = net.words, net.places
        self.first, self.last = net.layers[0], net.layers[1]
        self.early, self.head = net.early, net.head
        self.register_buffer("limit", net.sure.clone())
        distance = torch.arange(128)[:, None] - torch.arange(128)
        tables = [encoder.both_ways(distance), encoder.causal(distance), encoder.prefix(distance)]
        near = (distance.abs() <= encoder.REACH) | (torch.arange(128) == 0)
        self.register_buffer("masks", torch.stack(tables + [t & near for t in tables]))

    def pooled(self, x, real):
        return torch.einsum("nlw,nl->nw", x, real) / real.sum(1, keepdim=True)

    def forward(self, tokens, kind):
        length = tokens.size(1)
        number = torch.ones_like(tokens[0]).sum()
        row = kind + 3 * (number > encoder.FULL_UP_TO).long()
        at = torch.arange(length)
        mask = self.masks.index_select(0, row[None]).index_select(1, at).index_select(2, at)
        allowed = mask & (tokens != 0).unsqueeze(1)
        real = (tokens != 0).float()
        x = self.first(self.words(tokens) + self.places.weight.index_select(0, at), allowed)
        guess = self.early(self.pooled(x, real))
        certain = encoder.confidence(guess).amin() > self.limit
        return torch.cond(certain, self.now, self.later, [x, allowed, real, guess])

    def now(self, x, allowed, real, guess):
        return guess.clone()

    def later(self, x, allowed, real, guess):
        return self.head(self.pooled(self.last(x, allowed), real))


def export(seed, target):
    shapes = (
        {
            0: torch.export.Dim("batch", min=1, max=64),
            1: torch.export.Dim("tokens", min=1, max=128),
        },
        None,
    )
    net = Tabled(encoder.load(seed)).eval()
    with torch.no_grad():
        program = torch.export.export(
            net, (torch.ones(4, 40, dtype=torch.long), torch.tensor(2)), dynamic_shapes=shapes, strict=True
        )
    torch.export.save(program, target)


### END SOLUTION
