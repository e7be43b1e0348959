"""Checkpoints: what a run needs to go on as if nothing had happened.

`layout.py` says what is in one. `save` may be killed at any moment: whoever looks at the folder
afterwards finds the checkpoint that was there before, or the new one, and never a part of one.
"""

import json
import os
from pathlib import Path

import layout
import numpy as np
import run
import torch
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as as_bytes


def train_and_save(seed, steps, path):
    """Train from the beginning, and save."""
    going = run.Run(seed)
    for _ in range(steps):
        going.step()
    save(going, path)


def resume_and_save(source, steps, path):
    """Go on from a checkpoint that somebody else wrote, and save again."""
    going = resume(source)
    for _ in range(steps):
        going.step()
    save(going, path)


def save(going, path):
    """Write the checkpoint of a run."""
    write(*parts_of(going), path)


### BEGIN SOLUTION portable_trainer.checkpoint parts
### STUB def parts_of(going):
### STUB     """The run's tensors, as numpy arrays by name, and its state, a dict for JSON."""
### STUB     raise NotImplementedError("portable_trainer.checkpoint")
def parts_of(going):
    """The run's tensors, as numpy arrays by name, and its state, a dict for JSON."""
    arrays = {
        f"model.{name}": value.numpy().copy() for name, value in going.model.state_dict().items()
    }
    for name, parameter in going.model.named_parameters():
        momentum = going.optimizer.state[parameter].get("momentum_buffer")
        velocity = torch.zeros_like(parameter) if momentum is None else momentum
        arrays[f"velocity.{name}"] = velocity.detach().numpy().copy()
    arrays["rng.noise"] = going.noise.get_state().numpy()
    arrays["rng.shuffle"] = going.shuffle.get_state().numpy()
    arrays["order"] = going.order.numpy()
    return arrays, {"steps": going.steps, "position": going.position}


### END SOLUTION


### BEGIN SOLUTION portable_trainer.checkpoint resume
### STUB def resume(path):
### STUB     """The run that a checkpoint is of."""
### STUB     raise NotImplementedError("portable_trainer.checkpoint")
def resume(path):
    """The run that a checkpoint is of."""
    found = read(path)
    if found is None:
        raise ValueError(f"{path} is no whole checkpoint")
    arrays, state = found
    tensors = {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}
    going = run.Run(0)
    going.model.load_state_dict({n: tensors[f"model.{n}"] for n in going.model.state_dict()})
    if state["steps"]:
        for name, parameter in going.model.named_parameters():
            going.optimizer.state[parameter]["momentum_buffer"] = tensors[f"velocity.{name}"]
    going.noise.set_state(tensors["rng.noise"])
    going.shuffle.set_state(tensors["rng.shuffle"])
    going.order = tensors["order"]
    going.steps, going.position = state["steps"], state["position"]
    return going


### END SOLUTION


### BEGIN SOLUTION portable_trainer.checkpoint write
### STUB def write(arrays, state, path):
### STUB     """Write a checkpoint, all of it or nothing."""
### STUB     raise NotImplementedError("portable_trainer.checkpoint")
def write(arrays, state, path):
    """Write a checkpoint, all of it or nothing."""
    text = json.dumps(state)
    data = as_bytes(arrays, metadata={"state": text, "digest": layout.digest(arrays, text)})
    beside = Path(f"{path}.part")
    with beside.open("wb") as file:
        file.write(data)
        file.flush()
        # Without this a power cut may leave the new name with none of its content.
        os.fsync(file.fileno())
    beside.replace(path)


### END SOLUTION


### BEGIN SOLUTION portable_trainer.checkpoint read
### STUB def read(path):
### STUB     """Arrays and state of a checkpoint, or None if it is not whole."""
### STUB     raise NotImplementedError("portable_trainer.checkpoint")
def read(path):
    """Arrays and state of a checkpoint, or None if it is not whole."""
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        state = json.loads(metadata["state"])
        whole = metadata["digest"] == layout.digest(arrays, metadata["state"])
    except (SafetensorError, OSError, KeyError, ValueError):
        return None
    return (arrays, state) if whole else None


### END SOLUTION


### BEGIN SOLUTION portable_trainer.checkpoint newest
### STUB def newest(*paths):
### STUB     """Which of several files, counted from 0, is the one to go on from; or None."""
### STUB     raise NotImplementedError("portable_trainer.checkpoint")
def newest(*paths):
    """Which of several files, counted from 0, is the one to go on from; or None."""
    steps = {}
    for place, path in enumerate(paths):
        found = read(path)
        if found is not None:
            steps[place] = found[1]["steps"]
    return max(steps, key=steps.get, default=None)


### END SOLUTION
