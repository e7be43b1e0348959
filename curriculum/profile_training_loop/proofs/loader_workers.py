"""What workers hide, what they cannot hide, and what they share by accident."""

from __future__ import annotations

import subprocess
import sys
import time
import warnings

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset

LOAD_S, STEP_S, BATCHES = 0.03, 0.03, 8
ATTEMPTS = 4  # on a busy machine a worker may be late


class Slow(Dataset[tuple[float, float]]):
    """A sample takes its time, and a random number from a generator that the dataset owns."""

    def __init__(self) -> None:
        self.own = np.random.default_rng(0)

    def __len__(self) -> int:
        return BATCHES

    def __getitem__(self, index: int) -> tuple[float, float]:
        """Sleep instead of decoding an image."""
        time.sleep(LOAD_S)
        return self.own.random(), np.random.random()


def epoch(workers: int) -> tuple[float, list[float], list[float]]:
    """Seconds that steps waited for data once workers had begun, and the numbers drawn."""
    waited, own, shared = 0.0, [], []
    batches = iter(DataLoader(Slow(), batch_size=1, num_workers=workers))
    for index in range(BATCHES):
        began = time.perf_counter()
        a, b = next(batches)
        waited += (time.perf_counter() - began) * (index > 1)
        own.append(a.item())
        shared.append(b.item())
        time.sleep(STEP_S)  # the step
    return waited, own, shared


def epoch_within(seconds: float) -> tuple[float, list[float], list[float]]:
    """An epoch with two workers, again if it waited longer than that."""
    found = epoch(2)
    for _ in range(ATTEMPTS - 1):
        if found[0] < seconds:
            break
        found = epoch(2)
    return found


def child() -> None:
    """In a process of its own: workers are forked."""
    waited0, own0, _ = epoch(0)
    waited2, own2, shared2 = epoch_within(0.5 * waited0)
    print(f"measured: waited {waited0 * 1e3:.0f} ms with no worker, {waited2 * 1e3:.0f} ms with 2")
    assert waited0 >= (BATCHES - 2) * LOAD_S, "loading and step take turns"
    assert waited2 < 0.5 * waited0, "two workers load in 30 ms as many as two steps of 30 ms use"
    assert len(set(own0)) == BATCHES
    print(
        "distinct numbers of the dataset's own generator:", len(set(own0)), "then", len(set(own2))
    )
    assert len(set(own2)) == BATCHES // 2, "each worker has the same copy of the generator"
    assert len(set(shared2)) == BATCHES, "PyTorch seeds NumPy's global generator in each worker"


def pinning() -> None:
    """Pinned memory belongs to an accelerator's driver."""
    if torch.accelerator.is_available():
        return
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        ((batch,),) = DataLoader(TensorDataset(torch.ones(1)), pin_memory=True)
    print("pin_memory without an accelerator:", str(said[0].message).split(",")[0])
    assert not batch.is_pinned()


def main() -> None:
    """The steady state by arithmetic, then by a real loader."""
    for workers in (0, 1, 2, 4):
        step = LOAD_S + STEP_S if workers == 0 else max(STEP_S, LOAD_S / workers)
        print(f"workers {workers}: {step * 1e3:.0f} ms a step, if there are as many free cores")
    if sys.argv[1:] == ["child"]:
        child()
        return
    done = subprocess.run(
        [sys.executable, __file__, "child"], check=True, stdout=subprocess.PIPE, text=True
    )
    print(done.stdout.split("\n", 4)[4], end="")
    pinning()


if __name__ == "__main__":
    main()
