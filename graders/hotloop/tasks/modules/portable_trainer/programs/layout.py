"""What a checkpoint of a run looks like, so that other programs can go on from it.

One safetensors file:

| tensor | dtype | what |
| --- | --- | --- |
| `model.NAME` | float32 | each entry of the model's `state_dict()` |
| `velocity.NAME` | float32 | that parameter's momentum; zeros before the first step |
| `rng.noise`, `rng.shuffle` | uint8 | `get_state()` of the run's generators |
| `order` | int64 [64] | this epoch's order of the samples |

and in its metadata, which is text by text:

- `state`: JSON with `steps` and `position`;
- `digest`: what `digest` below gives for the tensors and that JSON.
"""

import hashlib


def digest(arrays, state):
    """SHA-256, in hex, of numpy arrays by name and of the JSON text `state`."""
    total = hashlib.sha256(state.encode())
    for name in sorted(arrays):
        array = arrays[name]
        total.update(f"{name} {array.dtype} {list(array.shape)}".encode())
        total.update(array.tobytes())
    return total.hexdigest()
