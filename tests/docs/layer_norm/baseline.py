from torch.nn.functional import layer_norm as of_pytorch


def layer_norm(x, out):
    out.copy_(of_pytorch(x, x.shape[-1:]))


def copy(x, out):
    """What the bandwidth is measured with."""
    out.copy_(x)
