"""Uses the GPU in one way until it is killed: `python neighbor.py busy|sleep|idle`.

busy: matrix products without a break. sleep: one thread of one kernel that only spins. idle: only a
context. Prints "ready" once the context exists.
"""

from __future__ import annotations

import sys
import time

import torch

LONG = 4_000_000_000


def main(how: str) -> None:
    """Use the GPU until the process is killed."""
    left = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
    torch.cuda.synchronize()
    print("ready", flush=True)
    while True:
        if how == "busy":
            for _ in range(100):
                left @ left
        elif how == "sleep":
            torch.cuda._sleep(LONG)
        else:
            time.sleep(0.1)
        torch.cuda.synchronize()


if __name__ == "__main__":
    main(sys.argv[1])
