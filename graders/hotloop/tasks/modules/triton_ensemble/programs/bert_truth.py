"""A BertForSequenceClassification with hidden sizes and weights: its checkpoint and reference.

Runs in one of the judge's workers, which gets nothing of the learner's.
"""

from __future__ import annotations

import copy
import tempfile
import warnings
from functools import cache
from pathlib import Path

import torch
from transformers import BertConfig, BertForSequenceClassification

torch.set_num_threads(1)
warnings.filterwarnings("ignore")


@cache
def network(seed: int) -> BertForSequenceClassification:
    """Return a small network whose weights are large enough for every token to matter."""
    numbers = torch.Generator().manual_seed(seed)

    def sampled(least: int, most: int) -> int:
        return int(torch.randint(least, most + 1, (), generator=numbers))

    config = BertConfig(
        vocab_size=500,
        hidden_size=16 * sampled(2, 4),
        num_hidden_layers=sampled(2, 3),
        num_attention_heads=4,
        intermediate_size=16 * sampled(4, 8),
        max_position_embeddings=48,
        num_labels=sampled(3, 7),
        initializer_range=0.2,
    )
    torch.manual_seed(seed)
    return BertForSequenceClassification(config).eval()


@cache
def exact(seed: int) -> BertForSequenceClassification:
    """Return the same network in float64."""
    return copy.deepcopy(network(seed)).double()


def checkpoint(seed: int) -> dict[str, object]:
    """Return the paths of config.json and model.safetensors, and the number of labels."""
    folder = tempfile.mkdtemp()
    network(seed).save_pretrained(folder)
    paths = {name: str(Path(folder) / name) for name in ("config.json", "model.safetensors")}
    return {**paths, "labels": network(seed).config.num_labels}


@torch.inference_mode()
def run(seed: int, ids: torch.Tensor, mask: torch.Tensor, logits: torch.Tensor) -> None:
    """Fill `logits`, computed in float64.

    ids, mask: int64 [batch, length]. logits: float32 [batch, labels].
    """
    logits.copy_(exact(seed)(input_ids=ids, attention_mask=mask).logits)
