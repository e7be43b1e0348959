"""The encoder's source, and what it says: hidden messages for each of its ways, and the truth.

Runs in a worker of ours that is given nothing of the learner's but plain numbers. Tensors are in
destination style: the last argument is filled.
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
"""A message whose confidence is nearer to the limit than this is not asked about: rounding could
send it the other way."""

NONE_FOUND = -1
AT_ONCE, MOST = 16, 256
"""Messages that are tried together, and how many such lots at most: seconds."""


@cache
def model(seed: int) -> encoder.Encoder:
    """In float64, so that it is the truth."""
    return encoder.load(seed).double()


@torch.inference_mode()
def messages(weights: int, seed: int, kind: int, late: bool, out: torch.Tensor) -> None:
    """int64 [n, length]: all of them sure after one layer, or at least one of them not.

    All -1 where none was found: some weights are never sure of some lengths, or always.
    """
    numbers = torch.Generator().manual_seed(seed)
    n, length = out.shape
    early, goes_on = [], []
    limit = float(model(weights).sure)
    for part in itertools.islice(_drawn(length, numbers), MOST):
        sure = first_confidence(weights, part, kind)
        early += list(part[sure > limit + MARGIN])
        goes_on += list(part[sure < limit - MARGIN])
        if len(early) >= n and goes_on:
            break
    if not (goes_on if late else early):
        out.fill_(NONE_FOUND)
        return
    # Where few are found, one stands there more than once.
    rows = list(itertools.islice(itertools.cycle(early or goes_on), n))
    if late:
        rows[int(torch.randint(n, (1,), generator=numbers))] = goes_on[0]
    out.copy_(torch.stack(rows))


def _drawn(length: int, numbers: torch.Generator) -> Iterator[torch.Tensor]:
    """int64 [16, length], again and again: messages, every second one with padding at its end.

    Some weights are hardly ever sure of a long message of many words; so from the ninth lot on
    every second one is of three words.
    """
    for lot in itertools.count():
        drawn = torch.randint(1, encoder.VOCABULARY, (AT_ONCE, length), generator=numbers)
        if lot >= 8 and lot % 2:
            places = torch.randint(min(3, length), (AT_ONCE, length), generator=numbers)
            drawn = drawn.gather(1, places)
        real = torch.randint(max(1, length // 2), length + 1, (AT_ONCE, 1), generator=numbers)
        # The first of a batch has no padding, or the batch would be shorter.
        second = (torch.arange(AT_ONCE) % 2 == 1)[:, None]
        drawn[(torch.arange(length)[None] >= real) & second] = encoder.PADDING
        yield drawn


def first_confidence(weights: int, tokens: torch.Tensor, kind: int) -> torch.Tensor:
    """float64 [n]: how sure the first guess about each message is."""
    return encoder.confidence(always_early(weights)(tokens, torch.tensor(kind)))


@cache
def always_early(seed: int) -> encoder.Encoder:
    """One that is content with any first guess."""
    content = encoder.load(seed).double()
    content.sure.fill_(-1.0)
    return content


@torch.inference_mode()
def run(weights: int, tokens: torch.Tensor, kind: int, out: torch.Tensor) -> None:
    """float32 [n, 8]: what the source says, computed in float64."""
    out.copy_(model(weights)(tokens, torch.tensor(kind)))


@torch.inference_mode()
def arithmetic(weights: int, tokens: torch.Tensor, kind: int, out: torch.Tensor) -> None:
    """float32 [1]: operations of the products that the source computes."""
    # Loaded before: load computes something too.
    source = model(weights)
    out.fill_(counted(lambda: source(tokens, torch.tensor(kind))))


def counted(call: Any) -> float:
    """Operations of matrix products, as PyTorch's profiler sees them."""
    with torch.profiler.profile(with_flops=True, record_shapes=True) as seen:
        call()
    return float(sum(event.flops or 0 for event in seen.events() if "mm" in event.name))


@cache
def traced(weights: int, example: str) -> torch.jit.ScriptModule:
    """The encoder as torch.jit.trace leaves it; example: JSON."""
    given = json.loads(example)
    inputs = torch.tensor(given["tokens"]), torch.tensor(given["kind"])
    return torch.jit.trace(encoder.load(weights), inputs, check_trace=False)


@torch.inference_mode()
def seen_by_trace(weights: int, example: str, given: str) -> dict[str, Any]:
    """How the trace of `example` and the source treat `given`, both as JSON.

    "ways": kind, whether it is long, whether it goes on after the first layer. "apart": the largest
    difference of a score, None where the trace does not run at all. "near": the smallest distance
    from the limit.
    """
    told = json.loads(given)
    tokens, kind = torch.tensor(told["tokens"], dtype=torch.int64), int(told["kind"])
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
    """The path of an example of inputs, as torch.export.save would pack one."""
    path = Path(tempfile.mkdtemp()) / "sample.pt"
    tokens = torch.ones(2, 20, dtype=torch.int64)
    torch.save(((tokens, torch.tensor(encoder.BOTH_WAYS)), {}), path)
    return str(path)
