"""Unsure messages are gathered for the other layers, and scattered back; masks from one table."""


### BEGIN SOLUTION control_flow_export.decide_on_gpu
@torch.inference_mode()
def route(seed, tokens, kinds, out):
    net = loaded(seed)
    tokens, kinds = tokens.to(DEVICE), kinds.to(DEVICE)
    real = tokens > 0
    place = torch.arange(128, device=DEVICE)
    gap = place[:, None] - place
    seen = (gap >= 0) | (kinds == 0)[:, None, None]
    seen = seen | ((kinds == 2)[:, None, None] & (place < encoder.KNOWN_FIRST))
    near = (gap.abs() <= encoder.REACH) | (place == 0)
    seen = seen & (near | (real.sum(-1) <= encoder.FULL_UP_TO)[:, None, None]) & real[:, None]
    x = net.layers[0](net.words(tokens) + net.places.weight, seen)
    guess = net.early(encoder.mean_of(x, real))
    unsure = (encoder.confidence(guess) <= net.sure).nonzero().squeeze(1)
    if unsure.numel():
        part, mask = x[unsure], seen[unsure]
        for layer in net.layers[1:]:
            part = layer(part, mask)
        guess[unsure] = net.head(encoder.mean_of(part, real[unsure]))
    out.copy_(guess)


### END SOLUTION
