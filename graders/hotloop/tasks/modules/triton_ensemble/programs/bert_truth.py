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
def network(seed: int, base: bool = False) -> BertForSequenceClassification:
    """Return a network whose weights are large enough for every token to matter.

    base: the published base architecture; else a small one of random sizes.
    """
    numbers = torch.Generator().manual_seed(seed)

    def sampled(least: int, most: int) -> int:
        return int(torch.randint(least, most + 1, (), generator=numbers))

    small = {
        "vocab_size": 500,
        "hidden_size": 16 * sampled(2, 4),
        "num_hidden_layers": sampled(2, 3),
        "num_attention_heads": 4,
        "intermediate_size": 16 * sampled(4, 8),
        "max_position_embeddings": 48,
    }
    # BertConfig's defaults are the sizes of google-bert/bert-base-uncased.
    config = BertConfig(
        **({} if base else small),
        num_labels=2 if base else sampled(3, 7),
        initializer_range=0.05 if base else 0.2,
    )
    torch.manual_seed(seed)
    return BertForSequenceClassification(config).eval()


@cache
def exact(seed: int) -> BertForSequenceClassification:
    """Return the small network in float64."""
    return copy.deepcopy(network(seed)).double()


def checkpoint(seed: int, base: bool = False) -> dict[str, object]:
    """Return the paths of config.json and model.safetensors, and the sizes that texts depend on."""
    folder = tempfile.mkdtemp()
    network(seed, base).save_pretrained(folder)
    paths = {name: str(Path(folder) / name) for name in ("config.json", "model.safetensors")}
    config = network(seed, base).config
    sizes = (config.num_labels, config.vocab_size, config.max_position_embeddings)
    return {**paths, "sizes": list(sizes)}


@torch.inference_mode()
def run(seed: int, base: bool, ids: torch.Tensor, mask: torch.Tensor, logits: torch.Tensor) -> None:
    """Fill `logits`, computed in float64, and in float32 for the base architecture.

    ids, mask: int64 [batch, length]. logits: float32 [batch, labels].
    """
    # In float64 the base architecture would take another 900 MB.
    model = network(seed, base) if base else exact(seed)
    logits.copy_(model(input_ids=ids, attention_mask=mask).logits)
