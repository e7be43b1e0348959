"""Plain Python without NumPy: heapq chooses, math.fsum adds."""


### BEGIN SOLUTION mixture_of_experts.route
import heapq
import math


def route(logits, bias, k):
    number = len(bias)
    counts, mean, z_loss = [0] * number, [0.0] * number, 0.0
    experts, weights = [], []
    for row in logits:
        top = max(row)
        lse = top + math.log(math.fsum(math.exp(value - top) for value in row))
        p = [math.exp(value - lse) for value in row]
        chosen = heapq.nlargest(k, range(number), key=lambda e: p[e] + bias[e])
        total = math.fsum(p[e] for e in chosen)
        experts.append(chosen)
        weights.append([p[e] / total for e in chosen])
        for e in chosen:
            counts[e] += 1
        mean = [m + value / len(logits) for m, value in zip(mean, p)]
        z_loss += lse * lse / len(logits)
    share = [count / (len(logits) * k) for count in counts]
    balance = number * math.fsum(s * m for s, m in zip(share, mean))
    return {
        "experts": experts, "weights": weights, "counts": counts,
        "balance_loss": balance, "z_loss": z_loss,
    }


### END SOLUTION
