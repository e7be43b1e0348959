"""The forward pass in double precision, and PyTorch's autograd."""


### BEGIN SOLUTION mixture_of_experts.route_backward
import torch


def route_backward(logits, experts, grad_weights, balance, z):
    x = logits.detach().double().requires_grad_()
    logp = x.log_softmax(1)
    picked = logp.gather(1, experts)
    w = (picked - picked.logsumexp(1, keepdim=True)).exp()
    with torch.no_grad():
        f = torch.nn.functional.one_hot(experts, x.shape[1]).double().mean((0, 1))
    loss = (w * grad_weights).sum()
    loss = loss + balance * x.shape[1] * (f * logp.exp().mean(0)).sum()
    loss = loss + z * x.logsumexp(1).square().mean()
    return torch.autograd.grad(loss, x)[0].float()


### END SOLUTION
