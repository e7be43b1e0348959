"""Our own runs, undisturbed and from checkpoints, including those that candidates write."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import layout
import numpy as np
import run
import torch
from reading import described, read
from safetensors.numpy import save_file

torch.set_num_threads(1)


def losses(seed: int, steps: int) -> list[float]:
    """Return the losses of an undisturbed run."""
    training = run.Run(seed)
    return [training.step() for _ in range(steps)]


def losses_in_order(seed: int, order: str) -> list[float]:
    """Return the losses of an undisturbed run. order: JSON, the samples of each step."""
    training = run.Run(seed)
    numbers = iter(json.loads(order))
    training.next_numbers = lambda: next(numbers)
    return [training.step() for _ in json.loads(order)]


def written(seed: int, steps: int) -> str:
    """Return the path of a checkpoint after `steps` steps."""
    training = run.Run(seed)
    for _ in range(steps):
        training.step()
    arrays = {f"model.{n}": v.numpy() for n, v in training.model.state_dict().items()}
    for name, parameter in training.model.named_parameters():
        velocity = training.optimizer.state[parameter].get("momentum_buffer")
        arrays[f"velocity.{name}"] = np.array(
            torch.zeros_like(parameter).numpy(force=True) if velocity is None else velocity.numpy()
        )
    arrays["rng.noise"] = training.noise.get_state().numpy()
    arrays["rng.shuffle"] = training.shuffle.get_state().numpy()
    arrays["order"] = training.order.numpy()
    text = json.dumps({"steps": training.steps, "position": training.position})
    path = str(Path(tempfile.mkdtemp()) / "checkpoint.safetensors")
    save_file(arrays, path, {"state": text, "digest": layout.digest(arrays, text)})
    return path


def shapes() -> dict[str, str]:
    """Return dtype and shape of each array in a checkpoint."""
    training = run.Run(0)
    arrays = {f"model.{n}": described(v.numpy()) for n, v in training.model.state_dict().items()}
    for name, parameter in training.model.named_parameters():
        arrays[f"velocity.{name}"] = described(parameter.numpy(force=True))
    for name, generator in (("rng.noise", training.noise), ("rng.shuffle", training.shuffle)):
        arrays[name] = described(generator.get_state().numpy())
    return arrays | {"order": described(training.order.numpy())}


def resumed(path: str, steps: int) -> list[float]:
    """Return the losses of `steps` more steps from a candidate's file."""
    arrays, metadata = read(path)
    state = json.loads(metadata["state"])

    def saved(name: str) -> torch.Tensor:
        return torch.from_numpy(arrays[name].copy())

    training = run.Run(0)
    for name, weight in training.model.state_dict().items():
        weight.copy_(saved(f"model.{name}"))
    if state["steps"]:
        velocities = {n: saved(f"velocity.{n}") for n, _ in training.model.named_parameters()}
        for name, weight in training.model.named_parameters():
            training.optimizer.state[weight] = {"momentum_buffer": velocities[name]}
    for name, generator in (("noise", training.noise), ("shuffle", training.shuffle)):
        generator.set_state(saved(f"rng.{name}"))
    training.order, training.position = saved("order"), int(state["position"])
    return [training.step() for _ in range(steps)]
