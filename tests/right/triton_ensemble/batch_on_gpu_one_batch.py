"""All requests in one batch, padded to the longest."""


### BEGIN SOLUTION triton_ensemble.batch_on_gpu
@torch.no_grad()
def answer(seed, tokens, out):
    real = tokens.ne(classifier.PADDING)
    longest = int(real.sum(-1).max())
    tokens, real = (t[:, :longest].to(classifier.DEVICE) for t in (tokens, real))
    torch.ops.aten.copy_(out, classifier.load(seed)(tokens, real).cpu())


### END SOLUTION
