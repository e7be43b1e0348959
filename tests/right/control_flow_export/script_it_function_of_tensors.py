"""Masks by a scripted function with a match on an int, and the layers counted in a while loop."""


### BEGIN SOLUTION control_flow_export.script_it
@torch.jit.script
def mask_of(distance: Tensor, kind: int) -> Tensor:
    seen = distance >= 0
    if kind == 0:
        seen = torch.ones_like(seen)
    elif kind == 2:
        columns = torch.arange(distance.shape[1])
        seen = seen | (columns < 4)
    if distance.shape[1] > 32:
        first = torch.arange(distance.shape[1]) == 0
        seen = seen & (distance.abs().le(8) | first)
    return seen


class Net(nn.Module):
    def __init__(self, source):
        super().__init__()
        self.source_words, self.source_places = source.words, source.places
        self.layers = source.layers
        self.early, self.head, self.sure = source.early, source.head, float(source.sure)

    def scores(self, linear: bool, x: Tensor, real: Tensor) -> Tensor:
        weight = real.to(torch.float32)[:, :, None]
        mean = (x * weight).sum(dim=1) / weight.sum(dim=1)
        return self.early(mean) if linear else self.head(mean)

    def forward(self, tokens: Tensor, kind: Tensor) -> Tensor:
        places = torch.arange(tokens.size(1))
        seen = mask_of(places[:, None] - places, int(kind.item()))
        real = tokens.ne(0)
        allowed = torch.logical_and(seen, real.unsqueeze(1))
        x = self.source_words(tokens) + self.source_places(places)
        done = False
        number = 0
        guess = torch.zeros(0)
        for layer in self.layers:
            if not done:
                x = layer(x, allowed)
                if number == 0:
                    guess = self.scores(True, x, real)
                    done = float(torch.softmax(guess, 1).max(dim=1)[0].min()) > self.sure
                number += 1
        return guess if done else self.scores(False, x, real)


def scripted(seed, target):
    net = Net(encoder.load(seed))
    net.eval()
    torch.jit.save(torch.jit.script(net), str(target))


### END SOLUTION
