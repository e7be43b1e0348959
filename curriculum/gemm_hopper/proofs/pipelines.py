"""What the simulator says of ten faults of a producer and consumer pipeline."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
from kit.faults import report

FAULTS = {
    "the producer does not wait for a free slot": "mbarrier",
    "the producer's first wait has parity 0": "hang",
    "the consumers wait for the other parity": "race",
    "half of the bytes are expected": "tx_count",
    "twice the bytes are expected": "hang",
    "a consumer arrives before it has read": "race",
    "one lane of each warp arrives, and the count is 128": "hang",
    "no fence behind mbarrier_init": "fence",
    "no __syncthreads() behind mbarrier_init": "race",
    "all lanes arrive, and the count is 4": "mbarrier",
}

if __name__ == "__main__":
    report(Path(__file__).with_suffix(".cu"), FAULTS)
