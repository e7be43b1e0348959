"""What the proofs share: the encoder, messages, and quiet."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable
from typing import Any

import torch

from hotloop.core import paths

sys.path += paths.beside_notebook("control_flow_export")
import decode  # noqa: F401 - proofs take these from here
import decoder  # noqa: F401
import encoder
import freezing  # noqa: F401
import migration  # noqa: F401
import portable  # noqa: F401
import scripted  # noqa: F401

warnings.filterwarnings("ignore")
logging.getLogger("torch._dynamo").setLevel(logging.CRITICAL)
logging.getLogger("torch.export").setLevel(logging.CRITICAL)
torch.set_num_threads(1)


def messages(n: int, length: int, seed: int = 0) -> torch.Tensor:
    """int64 [n, length], without padding."""
    numbers = torch.Generator().manual_seed(seed)
    return torch.randint(1, encoder.VOCABULARY, (n, length), generator=numbers)


def leaves_early(model: encoder.Encoder, tokens: torch.Tensor, kind: int) -> bool:
    """Whether one layer is enough for this batch."""
    called: list[bool] = []
    hook = model.layers[1].register_forward_hook(lambda *_: called.append(True))
    model(tokens, torch.tensor(kind))
    hook.remove()
    return not called


def message_that(model: encoder.Encoder, early: bool, length: int = 20, kind: int = 1) -> Any:
    """A single message that leaves early, or does not."""
    for seed in range(200):
        tokens = messages(1, length, seed)
        if leaves_early(model, tokens, kind) == early:
            return tokens
    raise AssertionError("no such message among two hundred")


def products(call: Callable[[], Any]) -> float:
    """Operations of matrix products, in millions, as the profiler counts them."""
    with (
        torch.inference_mode(),
        torch.profiler.profile(with_flops=True, record_shapes=True) as seen,
    ):
        call()
    return sum(event.flops or 0 for event in seen.events() if "mm" in event.name) / 1e6


def refused(make: Callable[[], Any]) -> str:
    """The class of the error; there has to be one."""
    try:
        make()
    except Exception as error:  # noqa: BLE001 - some of these classes are private
        return type(error).__name__
    raise AssertionError("it was not refused")
