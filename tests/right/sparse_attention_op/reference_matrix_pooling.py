"""Means by a product with a matrix of memberships; exponentials under a mask, divided where the sum is not 0."""


### BEGIN SOLUTION sparse_attention_op.reference
def _membership(n, block, device):
    blocks = (n + block - 1) // block
    return torch.eye(blocks, device=device).repeat_interleave(block, dim=1)[:, :n]


def kept(q, k, threshold, block, causal):
    member = _membership(q.size(2), block, q.device)
    pool = member / member.sum(dim=1, keepdim=True)
    pooled = [torch.einsum("mn,bhnd->bhmd", pool, x.to(torch.float32)) for x in (q, k)]
    gate = torch.matmul(pooled[0], pooled[1].mT) * q.size(3) ** -0.5
    result = torch.ge(gate, threshold.reshape(1, -1, 1, 1).to(torch.float32))
    if causal:
        i = torch.arange(result.size(-1), device=q.device)
        result = result & (i[None, :] <= i[:, None])
    return result


def attention(q, k, v, threshold, block, causal):
    n = q.size(2)
    member = _membership(n, block, q.device)
    seen = torch.einsum(
        "mi,bhmn,nj->bhij", member, kept(q, k, threshold, block, causal).float(), member
    )
    if causal:
        seen = torch.tril(seen)
    scores = torch.matmul(q.float(), k.float().mT) / math.sqrt(q.size(-1))
    scores = torch.where(seen > 0, scores, torch.tensor(-math.inf, device=q.device))
    top = scores.amax(dim=-1, keepdim=True).clamp_min(-1e30)
    weights = torch.exp(scores - top)
    total = weights.sum(dim=-1, keepdim=True)
    return (torch.matmul(weights, v.float()) / torch.where(total == 0, 1.0, total)).to(q.dtype)


### END SOLUTION
