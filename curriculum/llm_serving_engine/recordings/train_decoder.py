"""Trains the decoder of module llm_serving_engine on the text of Hotloop's lessons (CC BY 4.0).

    python curriculum/llm_serving_engine/recordings/train_decoder.py --steps 2500

writes exercises/llm_serving_engine/decoder.npz: about 95,000 weights as float16, 190 KB. It takes
ten minutes on two cores. The result depends on the machine's rounding; the checks compute with the
file, not with the script.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.functional import cross_entropy, rms_norm, scaled_dot_product_attention

ROOT = Path(__file__).resolve().parents[3]
GIVEN = ROOT / "exercises" / "llm_serving_engine"
sys.path.insert(0, str(GIVEN))

model: Any = importlib.import_module("model")

HIDDEN, CONTEXT, BATCH = 256, 160, 24

Weights = dict[str, torch.Tensor]


def text() -> str:
    """All lessons, without what is no plain character."""
    lessons = sorted((ROOT / "curriculum").glob("*/lesson.md"))
    pages = "\n".join(path.read_text(encoding="utf-8") for path in lessons)
    return "".join(c for c in pages if c in model.CHARACTERS)


def started() -> Weights:
    """Random weights."""
    generator: Any = torch.default_generator
    generator.manual_seed(0)
    width, kv = model.WIDTH, model.KV_HEADS * model.HEAD_DIM
    shapes: dict[str, tuple[int, ...]] = {"embedding": (len(model.CHARACTERS), width)}
    for layer in range(model.LAYERS):
        shapes |= {f"{layer}.q": (width, width), f"{layer}.o": (width, width)}
        shapes |= {f"{layer}.k": (width, kv), f"{layer}.v": (width, kv)}
        shapes |= {f"{layer}.up": (width, HIDDEN), f"{layer}.down": (HIDDEN, width)}
        shapes |= {f"{layer}.attention_scale": (width,), f"{layer}.mlp_scale": (width,)}
    shapes["scale"] = (width,)
    return {name: _weight(name, shape).requires_grad_() for name, shape in shapes.items()}


def _weight(name: str, shape: tuple[int, ...]) -> torch.Tensor:
    if name.endswith("scale"):
        return torch.ones(shape)
    return torch.randn(shape) * (0.02 if name == "embedding" else shape[0] ** -0.5 / 2)


def logits(w: Weights, tokens: torch.Tensor) -> torch.Tensor:
    """[batch, length, 96] after each token; tokens: [batch, length]."""
    batch, length = tokens.shape
    places = torch.tensor(model.places(np.arange(length)), dtype=torch.float32)
    x = w["embedding"][tokens] + places
    size = (model.WIDTH,)
    for layer in range(model.LAYERS):
        h = rms_norm(x, size, w[f"{layer}.attention_scale"], 1e-5)
        q, k, v = (
            (h @ w[f"{layer}.{name}"]).view(batch, length, -1, model.HEAD_DIM).transpose(1, 2)
            for name in "qkv"
        )
        out = scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + out.transpose(1, 2).reshape(batch, length, -1) @ w[f"{layer}.o"]
        h = rms_norm(x, size, w[f"{layer}.mlp_scale"], 1e-5)
        x = x + (h @ w[f"{layer}.up"]).relu().square() @ w[f"{layer}.down"]
    return rms_norm(x, size, w["scale"], 1e-5) @ w["embedding"].T


def main() -> None:
    """Train and write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=2500)
    steps = parser.parse_args().steps
    data = torch.tensor(model.encode(text()))
    weights = started()
    optimizer: Any = torch.optim.AdamW(weights.values(), lr=4e-3, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, steps)
    for step in range(steps):
        starts = torch.randint(len(data) - CONTEXT - 1, (BATCH,))
        rows = torch.stack([data[s : s + CONTEXT + 1] for s in starts])
        found = logits(weights, rows[:, :-1])
        loss: Any = cross_entropy(found.flatten(0, 1), rows[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights.values(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(f"step {step}: {loss.item():.3f} nats a character", flush=True)
    arrays: dict[str, Any] = {k: w.detach().half().numpy() for k, w in weights.items()}
    np.savez(GIVEN / "decoder.npz", **arrays)


if __name__ == "__main__":
    main()
