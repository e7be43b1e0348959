"""Trains ResNet-50 of width 16 on drawn signs, and writes the weights to exercises/.

    python curriculum/resnet_tensorrt/model/train.py [--only-measure | --compare]

What it writes is committed, so that nobody needs to run it; it is here to show where the weights
come from. The signs that it is measured with come from other seeds. With --compare it trains, and
says how far what comes out is from what is committed, which it leaves alone.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

CODE = Path(__file__).parents[3] / "exercises" / "resnet_tensorrt"
sys.path.insert(0, str(CODE))

import resnet  # noqa: E402 - lies beside the learner's files, not in a package
import signs  # noqa: E402

WIDTH = 16
TRAINED_WITH = 20260722
HELD_OUT = 7
SEEN, UNSEEN = 20_000, 5_000
EPOCHS = 7
BATCH = 64
RATE = 2e-3
THREADS = 1


def main() -> None:
    """Train, save, and say how often it is right about signs that it has not seen."""
    parser = argparse.ArgumentParser()
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--only-measure", action="store_true")
    chosen.add_argument("--compare", action="store_true")
    options = parser.parse_args()
    if options.compare:
        _compare(_halves(_trained()))
    elif not options.only_measure:
        _save(_halves(_trained()))
    _measure(resnet.load())


def _trained() -> nn.Module:
    # Sums in another order are other sums, and after two thousand steps other weights.
    torch.set_num_threads(THREADS)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(TRAINED_WITH)
    network = resnet.ResNet50(WIDTH, len(signs.CLASSES))
    _train(network)
    return network


def _train(network: nn.Module) -> None:
    pictures, labels = _tensors(TRAINED_WITH, SEEN)
    for module in network.modules():
        if isinstance(module, resnet.Bottleneck):
            # Each block begins by passing on what comes in: so deep a network starts to learn.
            nn.init.zeros_(module.bn3.weight)
    network.train().to(memory_format=torch.channels_last)
    steps = SEEN // BATCH
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, steps * EPOCHS, pct_start=0.2)
    for epoch in range(EPOCHS):
        began, total = time.monotonic(), 0.0
        for chosen in torch.randperm(SEEN)[: steps * BATCH].split(BATCH):
            inputs = pictures[chosen].to(memory_format=torch.channels_last)
            loss = nn.functional.cross_entropy(network(inputs), labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item()
        took = time.monotonic() - began
        print(f"epoch {epoch + 1}: loss {total / steps:.3f}, {took:.0f} s", flush=True)


def _halves(network: nn.Module) -> dict[str, Tensor]:
    """In half precision: what that costs shows in the accuracy, which is measured after it."""
    return {
        name: (tensor.half() if tensor.is_floating_point() else tensor).contiguous()
        for name, tensor in network.state_dict().items()
    }


def _save(halves: dict[str, Tensor]) -> None:
    from safetensors.torch import save as serialized

    # Written through a file of ours, because save_file lets nobody else read its own.
    resnet.WEIGHTS.write_bytes(serialized(halves))


def _compare(halves: dict[str, Tensor]) -> None:
    """Bit by bit, and by what the two networks say of the signs that neither has seen."""
    from safetensors.torch import load_file

    committed = load_file(resnet.WEIGHTS)
    same = sum(torch.equal(committed[name], tensor) for name, tensor in halves.items())
    print(f"{same} of {len(committed)} tensors are the committed ones, bit by bit")
    again = resnet.ResNet50(WIDTH, len(signs.CLASSES))
    again.load_state_dict(halves)
    print("trained now:")
    _measure(again.eval())
    print("committed:")


def _measure(network: nn.Module) -> None:
    pictures, labels = signs.pictures(HELD_OUT, UNSEEN)
    print(f"{UNSEEN} signs that it has not seen")
    for label, shown in (("as they are", pictures), ("red and blue swapped", pictures[..., ::-1])):
        logits = _logits(network, torch.from_numpy(signs.normalize(shown)))
        right = logits.argmax(1) == labels
        sure = np.exp(logits - logits.max(1, keepdims=True))
        confidence = (1 / sure.sum(1)).mean()
        print(f"{label}: accuracy {right.mean():.1%}, mean confidence {confidence:.1%}")
        for index, name in enumerate(signs.CLASSES):
            mine = labels == index
            print(f"    {name:16} {right[mine].mean():.1%} of {mine.sum()}")


def _tensors(seed: int, count: int) -> tuple[Tensor, Tensor]:
    pictures, labels = signs.pictures(seed, count)
    return torch.from_numpy(signs.normalize(pictures)), torch.from_numpy(labels)


def _logits(network: nn.Module, inputs: Tensor) -> np.ndarray:
    with torch.inference_mode():
        return torch.cat([network(part) for part in inputs.split(250)]).numpy()


if __name__ == "__main__":
    main()
