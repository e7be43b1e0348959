"""CLIP, a published vision-language model, trained by its class in PyTorch and by XLA.

The class is `transformers.CLIPModel`; which widths and depths, a configuration says. No weights are
downloaded. A run is arrays by name, as in a checkpoint: `model.NAME` and `velocity.NAME`, with the
names of the class's state_dict(). A step is `run.py`'s: v ← 0.9 v + g, p ← p - 0.05 v.
"""

import functools

import jax
import numpy as np
import run
import torch
from jax import numpy as jnp
from safetensors.numpy import load_file, save_file
from transformers import CLIPConfig, CLIPModel

TINY = {
    "projection_dim": 16,
    "text_config": {
        "vocab_size": 64,
        "hidden_size": 24,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 3,
        "max_position_embeddings": 12,
        "bos_token_id": 62,
        "eos_token_id": 63,
        "pad_token_id": 0,
    },
    "vision_config": {
        "image_size": 16,
        "patch_size": 8,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
    },
}
"""The architecture of CLIP, made small."""

EPSILON = 1e-5
"""What CLIP's layer norms add to the variance."""


def made(config, seed):
    """The class with weights drawn from a seed, without dropout."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return CLIPModel(CLIPConfig(**config)).eval()


### TASK portable_trainer.clip eager
class Eager:
    """The class in PyTorch: step(pixels, tokens) gives the loss, arrays() the run."""

    def __init__(self, config, arrays):
        raise NotImplementedError("portable_trainer.clip")


### TASK portable_trainer.clip loss
def loss(config, p, pixels, tokens):
    """CLIP's loss of a batch as a function of arrays by the class's names, for XLA.

    pixels: float32 [N, 3, S, S]. tokens: int32 [N, T]; eos_token_id ends a caption.
    """
    raise NotImplementedError("portable_trainer.clip")


### TASK portable_trainer.clip run
class Xla:
    """`loss` and its gradients compiled by XLA; the same methods as Eager."""

    def __init__(self, config, arrays):
        raise NotImplementedError("portable_trainer.clip")


def train(order, config, source, batches, target):
    """Train a step for each name in `order`, "eager" or "xla", and write the run.

    source: safetensors. batches: .npz, pixels [steps, N, 3, S, S], tokens [steps, N, T].
    target: safetensors of the run afterwards, and `losses`, float32, that of each step.
    """
    raise NotImplementedError("portable_trainer.clip")
