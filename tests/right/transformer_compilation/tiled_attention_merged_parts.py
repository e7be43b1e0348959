"""Parts by blocks of keys for all heads at once, merged by their log-sum-exp, in a generator."""


### BEGIN SOLUTION transformer_compilation.tiled_attention
def _parts(q, k, v, causal, cap, size):
    """Result and log-sum-exp of each block of keys."""
    n, m = q.shape[1], k.shape[1]
    row = torch.arange(n, device=q.device)[:, None] + (m - n)
    for start in range(0, m, size):
        scores = torch.einsum("hnd,hmd->hnm", q, k[:, start : start + size])
        if cap:
            scores = cap * torch.tanh(scores / cap)
        if causal:
            column = torch.arange(start, min(start + size, m), device=q.device)
            scores = scores.masked_fill(column > row, -math.inf)
        lse = torch.logsumexp(scores, dim=-1, keepdim=True)
        finite = lse.masked_fill(lse == -math.inf, 0.0)
        yield torch.exp(scores - finite) @ v[:, start : start + size], lse


@torch.no_grad()
def attention(q, k, v, causal, cap, out):
    """Fill `out` with the attention of q over k and v; see the notebook."""
    q = q / math.sqrt(q.shape[-1])
    for first in range(0, q.shape[1], 256):
        rows = slice(first, min(first + 256, q.shape[1]))
        total, lse = torch.zeros_like(out[:, rows]), None
        # The keys that the last of these rows sees end before the last ones.
        end = k.shape[1] - (q.shape[1] - rows.stop) if causal else k.shape[1]
        if end <= 0:
            out[:, rows] = 0
            continue
        for part, its_lse in _parts(q[:, rows], k[:, :end], v[:, :end], causal, cap, 512):
            if lse is None:
                total, lse = part, its_lse
                continue
            both = torch.logaddexp(lse, its_lse)
            finite = both.masked_fill(both == -math.inf, 0.0)
            total = total * torch.exp(lse - finite) + part * torch.exp(its_lse - finite)
            lse = both
        out[:, rows] = total


### END SOLUTION
