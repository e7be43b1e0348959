"""Divides the range into equal steps: where no batch is, no bucket is needed.

fails: bucket.waste
"""

### BEGIN SOLUTION xla_vs_eager.bucket
import json
from pathlib import Path


def bucket_sizes(path, budget):
    most = max(json.loads(Path(path).read_text()))
    return sorted({-(-most * (n + 1) // budget) for n in range(budget)})


### END SOLUTION
