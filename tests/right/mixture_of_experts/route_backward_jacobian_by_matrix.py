"""One softmax backward for both terms: their slopes are added first, in a matrix of all experts."""


### BEGIN SOLUTION mixture_of_experts.route_backward
import torch


def softmax_backward(p, slope):
    return p * (slope - torch.einsum("te,te->t", p, slope)[:, None])


def route_backward(logits, experts, grad_weights, balance, z):
    count = torch.tensor(float(len(logits)))
    mask = torch.full_like(logits, float("-inf")).scatter_(1, experts, 0.0)
    chosen = torch.softmax(logits + mask, 1)
    dense = torch.zeros_like(logits).scatter_(1, experts, grad_weights)
    p = torch.softmax(logits, 1)
    hits = (mask == 0).sum(0) / experts.numel()
    aux = (balance * logits.shape[1] / count * hits).expand_as(p)
    lse = torch.logsumexp(logits, 1, keepdim=True)
    return softmax_backward(chosen, dense) + softmax_backward(p, aux) + p * lse * (2 * z / count)


### END SOLUTION
