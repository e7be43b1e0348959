"""Looks at the whole cache: what an earlier answer left there is attended to.

fails: decode_graphs.replayable
"""


### BEGIN SOLUTION control_flow_export.decode_graphs
class Step(nn.Module):
    """One token more. Nothing in it has a size that depends on how far the answer is."""

    def __init__(self, source):
        super().__init__()
        self.source = source

    def forward(self, token, place, keys, values):
        """Where the token stands is a tensor, so that a replay reads it anew."""
        x = self.source.words(token) + self.source.places(place)
        for number, layer in enumerate(self.source.layers):
            query, key, value = layer.parts(x)
            keys[number].index_copy_(2, place[None], key)
            values[number].index_copy_(2, place[None], value)
            scores = query @ keys[number].transpose(-2, -1) / math.sqrt(HEAD_WIDTH)
            shares = scores.softmax(-1)
            x = layer.rest(x, shares @ values[number])
        return self.source.head(x)


def buffers(n, device):
    """Token, place, keys and values, at addresses that stay."""
    size = (decoder.LAYERS, n, decoder.HEADS, decoder.LONGEST, HEAD_WIDTH)
    return (
        torch.zeros(n, dtype=torch.int64, device=device),
        torch.zeros((), dtype=torch.int64, device=device),
        torch.zeros(size, device=device),
        torch.zeros(size, device=device),
    )


def export_step(seed, target):
    """Write one step of decoder.load(seed), for four answers, as an exported program.

    Inputs in this order, none of them of a free size: token, int64 [4]; place, int64 [];
    keys and values, float32 [3, 4, 4, 64, 16] each, which the step changes in place.
    Output: float32 [4, 256].
    """
    step = Step(decoder.load(seed).cpu())
    torch.export.save(torch.export.export(step, buffers(MESSAGES, "cpu"), strict=True), target)


### END SOLUTION
