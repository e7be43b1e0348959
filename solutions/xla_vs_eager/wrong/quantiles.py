"""Puts the same number of batches into each bucket, whatever that costs.

fails: bucket.waste
"""

### BEGIN SOLUTION xla_vs_eager.bucket
import json
from pathlib import Path


def bucket_sizes(path, budget):
    sizes = sorted(json.loads(Path(path).read_text()))
    return sorted({sizes[len(sizes) * (n + 1) // budget - 1] for n in range(budget)})


### END SOLUTION
