from torch.nn.functional import layer_norm


def pytorch(x, out):
    out.copy_(layer_norm(x, x.shape[-1:]))
