"""The encoder compiled at the first request: the cost that a package avoids at startup."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import encoder
import torch

torch.set_num_threads(1)
warnings.filterwarnings("ignore")


@torch.inference_mode()
def answer(weights: int, requests: str) -> list[list[float]]:
    """Return scores for the messages of a JSON file, with torch.compile of the source."""
    model = torch.compile(encoder.load(weights), dynamic=True)
    return [
        model(torch.tensor([request["tokens"]]), torch.tensor(request["kind"]))[0].tolist()
        for request in json.loads(Path(requests).read_text())
    ]
