"""What prefetch_factor is for: a burst of slow batches, by a model of the queue and by PyTorch."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

from torch.utils.data import DataLoader, Dataset

STEP_S, WORKERS, FACTORS = 0.03, 2, (1, 2, 4, 8)
LOADS_S = [0.03] * 12 + [0.14] * 4 + [0.03] * 8
"""How long a worker needs for each batch. Two workers load two usual batches in one step."""

ATTEMPTS = 4  # on a busy machine a worker may be late


def epoch_s(loads: list[float], step: float, workers: int, factor: int) -> float:
    """When a batch is taken, another one is asked for: so many batches are on their way."""
    busy_until, taken, end = [0.0] * workers, list[float](), 0.0
    for number, load in enumerate(loads):
        worker, ahead = number % workers, number - workers * factor
        asked = taken[ahead] if ahead >= 0 else 0.0
        busy_until[worker] = max(busy_until[worker], asked) + load
        taken.append(max(end, busy_until[worker]))
        end = taken[-1] + step
    return end


class Loads(Dataset[int]):
    """A batch that takes its time."""

    def __len__(self) -> int:
        return len(LOADS_S)

    def __getitem__(self, index: int) -> int:
        """Sleep instead of decoding."""
        time.sleep(LOADS_S[index])
        return index


class Batches:
    """One sample a batch. How often the loader asks for an iterator is counted."""

    begun = 0

    def __iter__(self) -> Iterator[list[int]]:
        self.begun += 1
        return iter([[number] for number in range(len(LOADS_S))])


def measured_s(factor: int) -> float:
    """The same epoch by a real loader, without the time to start its workers."""
    loader = DataLoader(
        Loads(), batch_size=1, num_workers=WORKERS, prefetch_factor=factor, persistent_workers=True
    )
    for _ in loader:  # starts the workers
        pass
    best = float("inf")
    for _ in range(ATTEMPTS):
        began = time.perf_counter()
        for _ in loader:
            time.sleep(STEP_S)
        best = min(best, time.perf_counter() - began)
        if best < 1.05 * epoch_s(LOADS_S, STEP_S, WORKERS, factor):
            break
    return best


def child() -> None:
    """In a process of its own: workers are forked."""
    times = {factor: measured_s(factor) for factor in FACTORS}
    told = ", ".join(f"{factor}: {seconds * 1e3:.0f} ms" for factor, seconds in times.items())
    print(f"measured: epochs of PyTorch's loader by prefetch_factor, {told}")
    assert times[8] < times[1], "a longer queue hides more of the burst"
    batches = Batches()
    loader = DataLoader(Loads(), batch_sampler=batches, num_workers=1, persistent_workers=True)
    next(iter(loader))
    print("iterators of the batch sampler when the first epoch begins:", batches.begun)
    assert batches.begun > 1, "a sampler must not move on when it is iterated"


def main() -> None:
    """The epoch by the model, then by a real loader."""
    for factor in FACTORS:
        length = epoch_s(LOADS_S, STEP_S, WORKERS, factor)
        waited = length - STEP_S * len(LOADS_S)
        print(
            f"prefetch_factor {factor}: {length * 1e3:.0f} ms, {waited * 1e3:.0f} ms of it waiting"
        )
    if sys.argv[1:] == ["child"]:
        child()
        return
    done = subprocess.run(
        [sys.executable, __file__, "child"], check=True, stdout=subprocess.PIPE, text=True
    )
    print(done.stdout.split("\n", len(FACTORS))[len(FACTORS)], end="")


if __name__ == "__main__":
    main()
