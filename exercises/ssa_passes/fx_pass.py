"""Common subexpressions and dead code once more, in torch.fx, where tensors can be written to."""

import fx_text

### TASK ssa_passes.torch_fx
def clean(graph):
    """Merge common subexpressions and remove dead code in a torch.fx.Graph; return it."""
    raise NotImplementedError("ssa_passes.torch_fx")


def clean_text(text):
    """As the judge asks."""
    return fx_text.write(clean(fx_text.read(text)))
