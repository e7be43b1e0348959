"""The slow training loop of profile_training_loop, or its solution, for a profiler to watch.

    python tests/gpu/profiled/training_loop.py slow --trace slow.json
    nsys profile python tests/gpu/profiled/training_loop.py fixed

A first run without the profiler pays for compiling and for cuDNN's search.
"""

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path

import torch

ROOT = Path(__file__).parents[3]
FOLDERS = {
    "slow": ROOT / "exercises" / "profile_training_loop",
    "fixed": ROOT / "solutions" / "profile_training_loop",
}
STEPS, BATCH, IMAGES = 3, 64, 256


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=sorted(FOLDERS))
    parser.add_argument("--trace", type=Path, help="record a trace with torch.profiler")
    asked = parser.parse_args()
    sys.path[:0] = [str(FOLDERS[asked.part]), str(FOLDERS["slow"])]
    loop = __import__({"slow": "slow_loop", "fixed": "training"}[asked.part])
    resnet = __import__("resnet")

    torch.manual_seed(1)
    images = torch.randint(0, 256, (IMAGES, 32, 32, 3), dtype=torch.uint8)
    labels = torch.randint(0, 10, (IMAGES,))
    highest = torch.tensor([IMAGES, 9, 9, 2])
    plan = (torch.rand(STEPS, BATCH, 4) * highest).long()
    model = resnet.ResNet(resnet.size_for(loop.DEVICE))
    initial = torch.empty(sum(entry.numel() for entry in model.state_dict().values()))
    resnet.pack(model, initial)
    trained = torch.empty_like(initial)

    loop.train(images, labels, plan, 0.05, initial, trained)
    kinds = [torch.profiler.ProfilerActivity.CPU]
    if torch.cuda.is_available():
        kinds.append(torch.profiler.ProfilerActivity.CUDA)
    watching = torch.profiler.profile(activities=kinds) if asked.trace else nullcontext()
    with watching as profiler:
        loop.train(images, labels, plan, 0.05, initial, trained)
    if asked.trace:
        profiler.export_chrome_trace(str(asked.trace))


if __name__ == "__main__":
    main()
