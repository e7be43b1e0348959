"""torch.library.define and impl, a fake by its older name, a backward by autograd of the reference inside an operator."""


### BEGIN SOLUTION sparse_attention_op.operator
_ARGUMENTS = "Tensor q, Tensor k, Tensor v, Tensor threshold, int block, bool causal"

torch.library.define("sparse_lab::attention", f"({_ARGUMENTS}) -> Tensor")
torch.library.define(
    "sparse_lab::gradients", f"(Tensor dout, {_ARGUMENTS}) -> (Tensor, Tensor, Tensor)"
)


@torch.library.impl("sparse_lab::attention", "CompositeExplicitAutograd")
def _forward(q, k, v, threshold, block, causal):
    with torch.no_grad():
        out = reference.attention(q, k, v, threshold, block, causal)
    return out.contiguous().clone()


@torch.library.impl("sparse_lab::gradients", "CompositeExplicitAutograd")
def _gradients(dout, q, k, v, threshold, block, causal):
    n = q.shape[-2]
    allowed = reference.tokens(reference.kept(q, k, threshold, block, causal), n, block, causal)
    scale = q.shape[-1] ** -0.5
    scores = torch.where(allowed, q.float() @ k.float().mT * scale, -math.inf)
    p = torch.nan_to_num(scores.softmax(-1))
    dout = dout.float()
    dp = dout @ v.float().mT
    ds = p * (dp - (dp * p).sum(-1, keepdim=True)) * scale
    results = ds @ k.float(), ds.mT @ q.float(), p.mT @ dout
    return tuple(g.to(x.dtype).contiguous() for g, x in zip(results, (q, k, v)))


@torch.library.register_fake("sparse_lab::attention")
def _(q, k, v, threshold, block, causal):
    return torch.empty_like(q, memory_format=torch.contiguous_format)


@torch.library.register_fake("sparse_lab::gradients")
def _(dout, q, k, v, threshold, block, causal):
    return tuple(torch.empty_like(x, memory_format=torch.contiguous_format) for x in (q, k, v))


def _save(ctx, inputs, output):
    ctx.save_for_backward(*inputs[:4])
    ctx.others = inputs[4:]


def _backward(ctx, dout):
    dq, dk, dv = torch.ops.sparse_lab.gradients(dout, *ctx.saved_tensors, *ctx.others)
    return dq, dk, dv, None, None, None


torch.library.register_autograd("sparse_lab::attention", _backward, setup_context=_save)


### END SOLUTION
