"""The published ResNet-50 at 224×224 in our own workers: frames, float32 logits, and a reader.

`frames` and `logits` never see a file of the candidate's; `structure` reads its file, in a separate
process.
"""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import torch
from full_width import SIDE, settled

NIGHT = 0.3
"""Brightness at night, relative to the day."""


def frames(seed, count):
    """Return the path of an .npz: "frames", uint8 [count, 224, 224, 3], the first half at night."""
    drawn = _frames(seed, count)
    drawn[: count // 2] = (drawn[: count // 2] * NIGHT).astype(np.uint8)
    path = Path(tempfile.mkdtemp(prefix="frames-")) / "calibration.npz"
    np.savez_compressed(path, frames=drawn)
    return str(path)


def pictures(seed, out):
    """Draw pictures for the network. out: float32 [n, 3, 224, 224], from -1 to 1."""
    scaled = torch.from_numpy(_frames(seed, len(out))).float() / 127.5 - 1
    out.copy_(scaled.permute(0, 3, 1, 2))


@torch.inference_mode()
def logits(seed, given, out):
    """Compute float32 logits of the network of a seed. given: float32 [n, 3, 224, 224]."""
    for part, place in zip(given.split(4), out.split(4), strict=True):
        place.copy_(_network(seed)(part))


def structure(path, seed):
    """Report as quantization.structure does, for the network of a seed."""
    import onnx
    from onnx_operands import computing, operands
    from quantized_weights import Weights, unlike

    model = onnx.load(path, load_external_data=False)
    weights = Weights(model.graph)
    sources = [
        module.weight.detach().numpy()
        for module in settled(seed).modules()
        if isinstance(module, torch.nn.Conv2d | torch.nn.Linear)
    ]
    return {
        "computing": operands(model.graph),
        "external": any(t.data_location == t.EXTERNAL for t in model.graph.initializer),
        "foreign": [],
        "unlike": unlike(
            [(node.name, weights.of(node)) for node in computing(model.graph)], sources
        ),
        "opset": max(o.version for o in model.opset_import if o.domain in ("", "ai.onnx")),
        "inputs": [_end(value) for value in model.graph.input],
        "outputs": [_end(value) for value in model.graph.output],
    }


def _end(value):
    dims = value.type.tensor_type.shape.dim
    return [value.name, *(dim.dim_value for dim in dims)]


@cache
def _network(seed):
    return settled(seed)


def _frames(seed, count):
    """Return uint8 [count, 224, 224, 3]: fields of color, with edges and noise."""
    rng = np.random.default_rng(seed)
    coarse = rng.uniform(0, 255, (count, 7, 7, 3))
    drawn = coarse.repeat(SIDE // 7, 1).repeat(SIDE // 7, 2)
    y, x = np.mgrid[:SIDE, :SIDE]
    for picture in drawn:
        down, right = rng.uniform(-0.6, 0.6, 2)
        picture += 80 * np.sin(down * y + right * x)[..., None] * rng.uniform(-1, 1, 3)
        picture += rng.normal(0, 12, picture.shape)
    return drawn.clip(0, 255).astype(np.uint8)
