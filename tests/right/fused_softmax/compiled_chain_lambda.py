"""A compiled lambda that writes into `out`, without gradients."""


### BEGIN SOLUTION fused_softmax.compiled_chain
_fused = torch.compile(lambda x, out: out.copy_(softmax_chain(x)), dynamic=False, fullgraph=True)


def softmax(x, out):
    with torch.no_grad():
        _fused(x, out)


### END SOLUTION
