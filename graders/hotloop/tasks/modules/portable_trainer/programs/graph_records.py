"""List what a candidate's compiled model computes: PyTorch's operations, and runs of graphs.

Weights and samples have no meaning here. Another process repeats the list on hidden ones
(graph_replays.py), so what is said here is believed of nobody.
"""

from __future__ import annotations

import apart
import shapes
import torch
import vlm

from hotloop.worker.torch_graph_record import GraphRecorder

torch.set_num_threads(1)


def losses(backends: str, checkpoint: str, sizes: list[int]) -> list[str]:
    """Return the steps of compiling the model, and of its loss for batches of these sizes."""
    apart.loaded(checkpoint, "checkpoint")
    model = vlm.made(1)
    recorder = GraphRecorder(model.parameters())
    with torch.no_grad(), recorder:
        loss = apart.loaded(backends, "backends").compiled(model, recorder.backend())
    steps = [recorder.taken()]
    for size in sizes:
        batch = shapes.batch(range(size))
        recorder.steps += [["input", recorder.number(each)] for each in batch]
        with torch.no_grad(), recorder:
            value = loss(*batch)
        recorder.steps.append(["out", recorder.encoded(value)])
        steps.append(recorder.taken())
    return steps
