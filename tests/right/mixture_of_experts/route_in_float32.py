"""torch.topk in float32, as model code has it; experts come in ascending order."""


### BEGIN SOLUTION mixture_of_experts.route
import torch


def route(logits, bias, k):
    x = torch.tensor(logits, dtype=torch.float32)
    p = x.softmax(-1)
    ids = (p + torch.tensor(bias, dtype=torch.float32)).topk(k, dim=-1, sorted=False).indices
    ids = ids.sort(-1).values
    w = p.gather(-1, ids)
    hits = torch.nn.functional.one_hot(ids, p.shape[-1]).sum(1).double()
    return {
        "experts": ids.tolist(),
        "weights": (w / w.sum(-1, keepdim=True)).tolist(),
        "counts": hits.sum(0).long().tolist(),
        "balance_loss": (p.shape[-1] * (hits.mean(0) / k * p.mean(0)).sum()).item(),
        "z_loss": x.logsumexp(-1).square().mean().item(),
    }


### END SOLUTION
