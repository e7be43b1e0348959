"""The encoder's source: hidden messages for each of its paths, and the right scores.

Runs in one of the judge's workers, which gets nothing of the learner's but plain numbers.
Destination style: functions fill their last argument.
"""

from __future__ import annotations

import itertools
import json
import tempfile
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import encoder
import torch

torch.set_num_threads(1)
warnings.filterwarnings("ignore")

MARGIN = 0.03
"""Messages whose confidence is closer to the limit are not used, because rounding could change
their path."""

NONE_FOUND = -1
AT_ONCE, MOST = 16, 256
"""Messages tried together, and the maximum number of such batches, which takes seconds."""


@cache
def model(seed: int) -> encoder.Encoder:
    """Return the encoder in float64."""
    return encoder.load(seed).double()


@torch.inference_mode()
def messages(weights: int, seed: int, kind: int, late: bool, out: torch.Tensor) -> None:
    """Fill in messages that all exit after one layer, or of which at least one does not.

    out: int64 [n, length]; all -1 if no such message was found. With some weights, messages of some
    lengths never exit early, or always do.
    """
    numbers = torch.Generator().manual_seed(seed)
    n, length = out.shape
    early, goes_on = [], []
    limit = float(model(weights).sure)
    for part in itertools.islice(_sampled(length, numbers), MOST):
        sure = first_confidence(weights, part, kind)
        early += list(part[sure > limit + MARGIN])
        goes_on += list(part[sure < limit - MARGIN])
        if len(early) >= n and goes_on:
            break
    if not (goes_on if late else early):
        out.fill_(NONE_FOUND)
        return
    # If few are found, they are repeated.
    rows = list(itertools.islice(itertools.cycle(early or goes_on), n))
    if late:
        rows[int(torch.randint(n, (1,), generator=numbers))] = goes_on[0]
    out.copy_(torch.stack(rows))


def _sampled(length: int, numbers: torch.Generator) -> Iterator[torch.Tensor]:
    """Yield batches of messages, int64 [16, length], of which every second one ends in padding.

    With some weights, long messages of many words hardly ever exit early. So from the ninth batch
    on, every second batch has messages of only three words.
    """
    for lot in itertools.count():
        sampled = torch.randint(1, encoder.VOCABULARY, (AT_ONCE, length), generator=numbers)
        if lot >= 8 and lot % 2:
            places = torch.randint(min(3, length), (AT_ONCE, length), generator=numbers)
            sampled = sampled.gather(1, places)
        real = torch.randint(max(1, length // 2), length + 1, (AT_ONCE, 1), generator=numbers)
        # The first message has no padding; otherwise the batch would be shorter.
        second = (torch.arange(AT_ONCE) % 2 == 1)[:, None]
        sampled[(torch.arange(length)[None] >= real) & second] = encoder.PADDING
        yield sampled


def first_confidence(weights: int, tokens: torch.Tensor, kind: int) -> torch.Tensor:
    """Return the confidence of the first guess about each message: float64 [n]."""
    return encoder.confidence(always_early(weights)(tokens, torch.tensor(kind)))


@cache
def always_early(seed: int) -> encoder.Encoder:
    """Return an encoder that always exits after the first layer."""
    content = encoder.load(seed).double()
    content.sure.fill_(-1.0)
    return content


@torch.inference_mode()
def run(weights: int, tokens: torch.Tensor, kind: int, out: torch.Tensor) -> None:
    """Fill in the source's scores, computed in float64. out: float32 [n, 8]."""
    out.copy_(model(weights)(tokens, torch.tensor(kind)))


@torch.inference_mode()
def arithmetic(weights: int, tokens: torch.Tensor, kind: int, out: torch.Tensor) -> None:
    """Fill in the FLOPs of the products that the source computes. out: float32 [1]."""
    # Load first, because loading computes products, too.
    source = model(weights)
    out.fill_(counted(lambda: source(tokens, torch.tensor(kind))))


def counted(call: Any) -> float:
    """Return the FLOPs of matrix products, according to PyTorch's profiler."""
    with torch.profiler.profile(with_flops=True, record_shapes=True) as profile:
        call()
    return float(sum(event.flops or 0 for event in profile.events() if "mm" in event.name))


@cache
def traced(weights: int, example: str) -> torch.jit.ScriptModule:
    """Return the encoder traced by torch.jit.trace; example: JSON."""
    request = json.loads(example)
    inputs = torch.tensor(request["tokens"]), torch.tensor(request["kind"])
    return torch.jit.trace(encoder.load(weights), inputs, check_trace=False)


@torch.inference_mode()
def seen_by_trace(weights: int, example: str, inputs: str) -> dict[str, Any]:
    """Return how the trace of `example` and the source treat `inputs`, both JSON.

    "ways": kind, whether it is long, whether it continues after the first layer. "apart": the
    largest score difference; None if the trace fails to run. "near": the smallest distance from the
    limit.
    """
    request = json.loads(inputs)
    tokens, kind = torch.tensor(request["tokens"], dtype=torch.int64), int(request["kind"])
    source = encoder.load(weights)
    sure = first_confidence(weights, tokens, kind)
    limit = float(source.sure)
    want = source(tokens, torch.tensor(kind))
    try:
        got = traced(weights, example)(tokens, torch.tensor(kind))
        apart = float((got - want).abs().max())
    except RuntimeError:
        apart = None
    return {
        "ways": [kind, tokens.shape[1] > encoder.FULL_UP_TO, not bool(sure.min() > limit)],
        "apart": apart,
        "near": float((sure - limit).abs().min()),
    }


def sample() -> str:
    """Return the path of an example of inputs, packed as by torch.export.save."""
    path = Path(tempfile.mkdtemp()) / "sample.pt"
    tokens = torch.ones(2, 20, dtype=torch.int64)
    torch.save(((tokens, torch.tensor(encoder.BOTH_WAYS)), {}), path)
    return str(path)
