"""Registers no fake kernel, so that nobody knows the shape of the output without computing it.

fails: operator.exported
"""


### BEGIN SOLUTION sparse_attention_op.operator
@torch.library.custom_op("sparse_lab::attention", mutates_args=())
def _attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    threshold: torch.Tensor,
    block: int,
    causal: bool,
) -> torch.Tensor:
    # Contiguous whatever comes in: the fake kernel promises it.
    return reference.attention(q, k, v, threshold, block, causal).contiguous()


@torch.library.custom_op("sparse_lab::attention_backward", mutates_args=())
def _backward(
    grad: torch.Tensor,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    threshold: torch.Tensor,
    block: int,
    causal: bool,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    n, scale = q.shape[2], 1 / math.sqrt(q.shape[-1])
    chosen = reference.kept(q, k, threshold, block, causal)
    allowed = reference.tokens(chosen, n, block, causal)
    scores = (q.float() @ k.float().transpose(-1, -2) * scale).masked_fill(~allowed, -math.inf)
    anybody = allowed.any(-1, keepdim=True)
    shares = torch.softmax(scores.masked_fill(~anybody, 0.0), -1) * anybody
    grad = grad.float()
    of_shares = grad @ v.float().transpose(-1, -2)
    of_scores = shares * (of_shares - (of_shares * shares).sum(-1, keepdim=True)) * scale
    dq = of_scores @ k.float()
    dk = of_scores.transpose(-1, -2) @ q.float()
    dv = shares.transpose(-1, -2) @ grad
    dq, dk, dv = dq.to(q.dtype), dk.to(k.dtype), dv.to(v.dtype)
    return dq.contiguous(), dk.contiguous(), dv.contiguous()


@_backward.register_fake
def _(grad, q, k, v, threshold, block, causal):
    return q.new_empty(q.shape), k.new_empty(k.shape), v.new_empty(v.shape)


def _keep(ctx, inputs, output):
    q, k, v, threshold, ctx.block, ctx.causal = inputs
    ctx.save_for_backward(q, k, v, threshold)


@torch.autograd.function.once_differentiable
def _gradient(ctx, grad):
    given = torch.ops.sparse_lab.attention_backward(grad, *ctx.saved_tensors, ctx.block, ctx.causal)
    # The choice of blocks has no gradient: none for the threshold, none for block and causal.
    return *given, None, None, None


_attention.register_autograd(_gradient, setup_context=_keep)


### END SOLUTION
