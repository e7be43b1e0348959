"""Three nested torch.cond, two for the mask and one for the exit."""


### BEGIN SOLUTION control_flow_export.export
class Nested(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, tokens, kind):
        places = torch.arange(tokens.shape[1])
        distance = places[:, None] - places[None, :]

        def everything(distance, places):
            return torch.ones_like(distance, dtype=torch.bool)

        def before(distance, places):
            return distance >= 0

        def known(distance, places):
            return (distance >= 0) | (places < 4)[None, :]

        def masked(kind, distance, places):
            return torch.cond(kind == 1, before, known, (distance, places))

        def all_see(kind, distance, places):
            return everything(distance, places)

        seen = torch.cond(kind == 0, all_see, masked, (kind, distance, places))
        near = (distance.abs() <= 8) | (places == 0)[None, :]
        # Within a distance of 31 everything is short.
        is_short = distance.abs().amax() < 32
        seen = seen & (near | is_short)
        real = tokens != 0
        allowed = seen[None] & real[:, None, :]
        x = self.net.layers[0](self.net.words(tokens) + self.net.places(places), allowed)
        weight = real.unsqueeze(-1).to(x.dtype)
        guess = self.net.early((x * weight).sum(1) / weight.sum(1))
        sure = (guess.softmax(-1).amax(-1) > self.net.sure).all()

        def stop(x, allowed, weight, guess):
            return guess + 0.0

        def more(x, allowed, weight, guess):
            for layer in list(self.net.layers)[1:]:
                x = layer(x, allowed)
            return self.net.head((x * weight).sum(1) / weight.sum(1))

        return torch.cond(sure, stop, more, (x, allowed, weight, guess))


def export(seed, target):
    n, length = torch.export.dims("n", "length", min=1, max=128)
    program = torch.export.export(
        Nested(encoder.load(seed)),
        args=(torch.randint(1, 512, (3, 11)), torch.tensor(0)),
        dynamic_shapes={"tokens": {0: n, 1: length}, "kind": {}},
        strict=True,
    )
    torch.export.save(program, target)


### END SOLUTION
