"""Baseline of module llm_serving_frontier. Runs in a worker, never in the judge."""

from __future__ import annotations

import torch


def by_sorting(
    probabilities: torch.Tensor,
    top_k: torch.Tensor,
    top_p: torch.Tensor,
    uniform: torch.Tensor,
    out: torch.Tensor,
) -> None:
    """Sort each row once; keep all that are as likely as the last kept token."""
    ordered = probabilities.sort(1, descending=True).values
    limit = ordered.gather(1, top_k.long()[:, None] - 1)
    ordered = torch.where(ordered >= limit, ordered, 0.0)
    sums = ordered.cumsum(1)
    short = (sums < top_p[:, None] * sums[:, -1:]).sum(1, keepdim=True)
    kept = torch.where(probabilities >= ordered.gather(1, short), probabilities, 0.0)
    reached = kept.cumsum(1)
    out.copy_((reached <= uniform[:, None] * reached[:, -1:]).sum(1))
