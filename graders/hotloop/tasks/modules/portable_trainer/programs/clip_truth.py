"""CLIP's class in float64, trained as a candidate's backends should; nothing of theirs is here."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load_file, save_file
from transformers import CLIPConfig, CLIPModel

torch.set_num_threads(1)

RATE, MOMENTUM = 0.05, 0.9


def started(config: str, seed: int) -> str:
    """Return the path of a run in float32: drawn weights and velocities. config: JSON."""
    torch.manual_seed(seed)
    model = CLIPModel(CLIPConfig(**json.loads(config)))
    arrays: dict[str, np.ndarray] = {}
    for name, parameter in model.named_parameters():
        # CLIP's own start is so near to 0 that attention is even; biases and scales are constant.
        drawn = parameter.detach() + 0.2 * torch.randn_like(parameter)
        arrays[f"model.{name}"] = drawn.numpy()
        arrays[f"velocity.{name}"] = 0.01 * torch.randn_like(parameter).numpy()
    return _written(arrays)


def trained(config: str, source: str, batches: str) -> str:
    """Return the path of the run after a step for each batch, with its losses."""
    arrays = load_file(source)
    model = CLIPModel(CLIPConfig(**json.loads(config))).eval().double()
    named = dict(model.named_parameters())
    velocity = {name: torch.from_numpy(arrays[f"velocity.{name}"]).double() for name in named}
    losses: list[float] = []
    with torch.no_grad():
        for name, parameter in named.items():
            parameter.copy_(torch.from_numpy(arrays[f"model.{name}"]))
    with np.load(batches) as given:
        pixels, tokens = torch.from_numpy(given["pixels"]), torch.from_numpy(given["tokens"])
    for seen, read in zip(pixels.double(), tokens, strict=True):
        loss = model(pixel_values=seen, input_ids=read, return_loss=True).loss
        losses.append(loss.item())
        gradients = torch.autograd.grad(loss, list(named.values()))
        with torch.no_grad():
            for (name, parameter), gradient in zip(named.items(), gradients, strict=True):
                velocity[name] = MOMENTUM * velocity[name] + gradient
                parameter -= RATE * velocity[name]
    after = {f"model.{name}": parameter.detach().numpy() for name, parameter in named.items()}
    after |= {f"velocity.{name}": value.numpy() for name, value in velocity.items()}
    return _written({**after, "losses": np.array(losses)})


def _written(arrays: dict[str, np.ndarray]) -> str:
    path = str(Path(tempfile.mkdtemp()) / "run.safetensors")
    # Contiguous; np.ascontiguousarray would make a vector of a scalar.
    save_file({name: np.array(array, order="C") for name, array in arrays.items()}, path)
    return path
