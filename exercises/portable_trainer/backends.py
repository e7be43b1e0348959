"""Backends: several ways to do one training step, which can go on from one another.

A backend is made with the arrays of a checkpoint (`layout.py`), and has

    step(pictures, captions)    one step on a batch of tensors; gives its loss
    arrays()                    `model.NAME` and `velocity.NAME` as they are now, in numpy

`run.Run` says what a step is. Which samples come, and with which noise, is none of its affair.
"""

import os

# Eight devices stand for a pod in `mesh.py`; here one of them is used.
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")

import checkpoint
import run
import torch
import vlm


def train(name, source, steps, path):
    """Go on from a checkpoint for some steps with the backend of that name, and save."""
    arrays, _ = checkpoint.read(source)
    going = checkpoint.resume(source)
    backend = make(name, arrays)
    for _ in range(steps):
        backend.step(*going.next_batch())
        going.steps += 1
    # Order, position and noise are the run's; model and velocities are the backend's.
    theirs, state = checkpoint.parts_of(going)
    checkpoint.write(theirs | backend.arrays(), state, path)


def make(name, arrays):
    """A backend by its name."""
    kinds = {"eager": Eager, "compile": Compiled, "cuda_graphs": CudaGraphs, "xla": Xla}
    return kinds[name](arrays)


### TASK portable_trainer.backends eager
class Eager:
    """PyTorch, one operator after another."""

    def __init__(self, arrays):
        raise NotImplementedError("portable_trainer.backends")


### TASK portable_trainer.backends compile
def compiled(model, compiler):
    """The model, compiled by `compiler`: one graph for all batches of 2 and more."""
    raise NotImplementedError("portable_trainer.backends")


class Compiled(Eager):
    """PyTorch in graph mode. On a GPU, and for speed, the compiler is "inductor"."""

    compiler = "aot_eager"

    def __init__(self, arrays):
        super().__init__(arrays)
        self.loss = compiled(self.model, self.compiler)


class CudaGraphs(Eager):
    """A step recorded once and replayed: for GPUs, and not measured so far.

    Batches have to have one size, and are copied to where the recorded step reads them.
    """

    device = "cuda"

    def __init__(self, arrays):
        super().__init__(arrays)
        self.graph = None

    def step(self, pictures, captions):
        """Copy the batch, replay, read the loss."""
        if self.graph is None:
            self._record(pictures.to(self.device), captions.to(self.device))
        self.pictures.copy_(pictures)
        self.captions.copy_(captions)
        self.graph.replay()
        return self.value.item()

    def _record(self, pictures, captions):
        self.pictures, self.captions = pictures.clone(), captions.clone()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            # Gradients only: a warm-up must not move the weights.
            for _ in range(3):
                self.model(self.pictures, self.captions).backward()
        torch.cuda.current_stream().wait_stream(side)
        self.optimizer.zero_grad(set_to_none=True)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.value = self.model(self.pictures, self.captions)
            self.value.backward()
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=False)


### TASK portable_trainer.backends xla
class Xla:
    """`vlm_jax.step`, compiled by XLA."""

    def __init__(self, arrays):
        raise NotImplementedError("portable_trainer.backends")
