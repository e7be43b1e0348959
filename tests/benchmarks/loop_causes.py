"""What does each cause of the slow training loop cost? They are fixed one after the other.

    python tests/benchmarks/loop_causes.py

Each loop is the previous one with one change; all train the same network on the same images. Loops
run in turn, so that a slowdown of the machine affects all of them. Prints a table and writes
tests/benchmarks/results/loop_causes.json, which the module's model report quotes.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader

from hotloop.judge.device import device_name

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "solutions" / "profile_training_loop"))

import slow_loop  # noqa: E402
import training  # noqa: E402
from resnet import SMALL, ResNet, pack, unpack  # noqa: E402

STEPS, BATCH, IMAGES = 4, 32, 96
RATE = 0.002


@dataclass(frozen=True)
class Loop:
    """A training loop, and which causes are fixed in it."""

    what: str
    whole_batches: bool = False
    tensors_stay: bool = False
    no_log: bool = False
    fused: bool = False
    channels_last: bool = False


def loops() -> list[Loop]:
    """Return the slow loop, then loops with one more change each."""
    first = Loop("the slow loop")
    batches = replace(first, what="whole batches augmented at once", whole_batches=True)
    lists = replace(batches, what="no tensors through lists", tensors_stay=True)
    log = replace(lists, what="no .item(), log and checkpoint in the step", no_log=True)
    fused = replace(log, what="fused optimizer, set_to_none", fused=True)
    return [
        first,
        batches,
        lists,
        log,
        fused,
        replace(fused, what="channels_last", channels_last=True),
    ]


def train(loop: Loop, images: Any, labels: Any, plan: Any, initial: Any, trained: Any) -> None:
    """Train as slow_loop.train does, with the fixes of `loop`."""
    model = ResNet(SMALL)
    if loop.channels_last:
        model = model.to(memory_format=torch.channels_last)
    unpack(model, initial)
    model.train()
    how = {"fused": True} if loop.fused else {"foreach": False}
    optimizer = torch.optim.SGD(
        model.parameters(), RATE, slow_loop.MOMENTUM, weight_decay=slow_loop.WEIGHT_DECAY, **how
    )
    pieces = iter(DataLoader(slow_loop.Pictures(images, labels, plan), batch_size=slow_loop.PIECE))
    log = slow_loop.Log()
    inputs = torch.empty(BATCH, 3, 32, 32)
    for step, entries in enumerate(plan):
        if loop.whole_batches:
            training.augment(images, entries, inputs)
            targets = labels[entries[:, 0]]
        else:
            parts = [next(pieces) for _ in range(BATCH // slow_loop.PIECE)]
            inputs, targets = (torch.cat(tensors) for tensors in zip(*parts, strict=True))
        ready, answers = inputs, targets
        if not loop.tensors_stay:
            ready, answers = torch.tensor(inputs.tolist()), torch.tensor(targets.tolist())
        if loop.channels_last:
            ready = ready.contiguous(memory_format=torch.channels_last)
        scores = model(ready)
        loss = cross_entropy(scores, answers)
        optimizer.zero_grad(set_to_none=loop.fused)
        loss.backward()
        optimizer.step()
        if not loop.no_log:
            log.write(model, step, loss, scores, answers)
    pack(model, trained)


def measure(rounds: int) -> list[dict[str, Any]]:
    """Return for each loop the milliseconds per step, and the effect of its change."""
    torch.manual_seed(0)
    images = torch.randint(0, 256, (IMAGES, 32, 32, 3), dtype=torch.uint8)
    labels = torch.randint(0, 10, (IMAGES,))
    limits = (IMAGES, 9, 9, 2)
    plan = torch.stack([torch.randint(0, limit, (STEPS, BATCH)) for limit in limits], dim=-1)
    model = ResNet(SMALL)
    initial = torch.empty(sum(entry.numel() for entry in model.state_dict().values()))
    pack(model, initial)
    runs: list[Callable[[torch.Tensor], None]] = [
        lambda out, loop=loop: train(loop, images, labels, plan, initial, out) for loop in loops()
    ]
    trained = [torch.empty_like(initial) for _ in runs]
    times: list[list[float]] = [[] for _ in runs]
    for turn in range(rounds + 1):
        order = range(len(runs)) if turn % 2 else reversed(range(len(runs)))
        for number in order:
            started = time.perf_counter()
            runs[number](trained[number])
            if turn:  # the first turn allocates
                times[number].append((time.perf_counter() - started) / STEPS * 1000)
    _require_the_same(initial, trained)
    medians = [statistics.median(values) for values in times]
    return [
        {
            "change": loop.what,
            "ms_per_step": round(median, 2),
            "against_the_one_before": round(1 - median / medians[max(0, number - 1)], 3),
            "against_the_slow_loop": round(medians[0] / median, 2),
        }
        for number, (loop, median) in enumerate(zip(loops(), medians, strict=True))
    ]


def _require_the_same(initial: torch.Tensor, trained: list[torch.Tensor]) -> None:
    """Raise SystemExit unless all loops trained to the same weights; else times do not compare."""
    way = (trained[0] - initial).norm()
    for other in trained[1:]:
        if (other - trained[0]).norm() > 0.01 * way:
            raise SystemExit("the loops do not train alike: one of the changes is wrong")


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--out", type=Path, default=HERE / "results" / "loop_causes.json")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows = measure(options.rounds)
    document = {
        "device": device_name(),
        "date": datetime.now(UTC).date().isoformat(),
        "torch": torch.__version__,
        "threads": 1,
        "batch": BATCH,
        "rows": rows,
    }
    options.out.write_text(json.dumps(document, indent=1) + "\n")
    if options.json:
        print(json.dumps(document))
        return
    for row in rows:
        print(
            f"{row['ms_per_step']:7.2f} ms  {-row['against_the_one_before']:+7.1%}  "
            f"{row['against_the_slow_loop']:5.2f}×  {row['change']}"
        )


if __name__ == "__main__":
    main()
