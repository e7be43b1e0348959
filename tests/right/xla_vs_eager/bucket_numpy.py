"""Dynamic programming over a table of costs in numpy; the answer is an array of sizes."""


### BEGIN SOLUTION xla_vs_eager.bucket
import json
from pathlib import Path

import numpy as np


def bucket_sizes(path, budget):
    sizes, counts = np.unique(json.loads(Path(path).read_text()), return_counts=True)
    before = np.concatenate([[0], counts.cumsum()])
    # rows[a, b]: what the batches of sizes a to b - 1 cost in one program.
    rows = np.full((len(sizes) + 1, len(sizes) + 1), np.inf)
    for a in range(len(sizes)):
        rows[a, a + 1 :] = (before[a + 1 :] - before[a]) * sizes[a:]
    cost, back = rows[0].copy(), []
    cost[0] = 0
    for _ in range(min(budget, len(sizes)) - 1):
        table = cost[:, None] + rows
        back.append(table.argmin(0))
        cost = table.min(0)
    ends = [len(sizes)]
    for choice in reversed(back):
        ends.append(int(choice[ends[-1]]))
    return sizes[[end - 1 for end in ends if end > 0]]


### END SOLUTION
