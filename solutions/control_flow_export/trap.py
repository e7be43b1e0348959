"""Inputs that a trace gets wrong, and one that it gets right: task 1."""

import json
from pathlib import Path

import encoder
import torch


### BEGIN SOLUTION control_flow_export.show_the_trap
### STUB def departures(seed, example_path):
### STUB     """Inputs for load(seed) as torch.jit.trace leaves it after the example, a JSON file.
### STUB
### STUB     The example: {"tokens": [[…], …], "kind": …}. Returns a dict of such inputs, by name:
### STUB     "kind", "length", "exit": another way at this decision alone, and the trace is wrong.
### STUB     "agrees": the example's ways at all three, another length, and the trace is right.
### STUB     """
### STUB     raise NotImplementedError("control_flow_export.show_the_trap")
def departures(seed, example_path):
    """Inputs for load(seed) as torch.jit.trace leaves it after the example, a JSON file.

    The example: {"tokens": [[…], …], "kind": …}. Returns a dict of such inputs, by name:
    "kind", "length", "exit": another way at this decision alone, and the trace is wrong.
    "agrees": the example's ways at all three, another length, and the trace is right.
    """
    source = encoder.load(seed)
    example = json.loads(Path(example_path).read_text())
    tokens, kind = torch.tensor(example["tokens"]), example["kind"]
    length = tokens.shape[1]
    long = length > encoder.FULL_UP_TO
    late = goes_on(source, tokens, kind)
    same_side = length - 1 if length not in (1, encoder.FULL_UP_TO + 1) else length + 1
    other_side = encoder.FULL_UP_TO - 4 if long else encoder.FULL_UP_TO + 8
    return {
        "kind": drawn(source, (kind + 1) % 3, length, late),
        "length": drawn(source, kind, other_side, late),
        "exit": drawn(source, kind, length, not late),
        "agrees": drawn(source, kind, same_side, late),
    }


def drawn(source, kind, length, late):
    """A single message of this kind and length that goes on after the first layer, or does not."""
    numbers = torch.Generator().manual_seed(0)
    while True:
        tokens = torch.randint(1, encoder.VOCABULARY, (1, length), generator=numbers)
        if goes_on(source, tokens, kind) == late:
            return {"tokens": tokens.tolist(), "kind": kind}


@torch.inference_mode()
def goes_on(source, tokens, kind):
    """Whether the source computes more than one layer: listen to its second one."""
    called = []
    hook = source.layers[1].register_forward_hook(lambda *_: called.append(True))
    source(tokens, torch.tensor(kind))
    hook.remove()
    return bool(called)


### END SOLUTION
