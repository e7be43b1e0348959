"""Requests in buckets of powers of two, each a batch of its own."""

### BEGIN SOLUTION triton_ensemble.batch_on_gpu
from collections import defaultdict


def answer(seed, tokens, out):
    buckets = defaultdict(list)
    for row, length in enumerate((tokens != 0).sum(dim=1).tolist()):
        buckets[1 << (length - 1).bit_length()].append(row)
    with torch.inference_mode():
        for size, rows in sorted(buckets.items()):
            part = tokens[rows, :size].to(classifier.DEVICE, non_blocking=True)
            scores = classifier.load(seed).forward(part, part > 0)
            for row, score in zip(rows, scores.cpu()):
                out[row] = score


### END SOLUTION
