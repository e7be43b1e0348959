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


### BEGIN SOLUTION portable_trainer.backends eager
### STUB class Eager:
### STUB     """PyTorch, one operator after another."""
### STUB
### STUB     def __init__(self, arrays):
### STUB         raise NotImplementedError("portable_trainer.backends")
class Eager:
    """PyTorch, one operator after another."""

    device = "cpu"

    def __init__(self, arrays):
        self.model = vlm.made(0).to(self.device)
        self.optimizer = run.optimizer_of(self.model)
        tensors = {name: torch.tensor(array).to(self.device) for name, array in arrays.items()}
        self.model.load_state_dict({n: tensors[f"model.{n}"] for n in self.model.state_dict()})
        for name, parameter in self.model.named_parameters():
            self.optimizer.state[parameter]["momentum_buffer"] = tensors[f"velocity.{name}"]
        self.loss = self.model

    def step(self, pictures, captions):
        """Forward, backward, update."""
        loss = self.loss(pictures, captions)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def arrays(self):
        """Copies: the next step changes the tensors in place."""
        found = {}
        for name, parameter in self.model.named_parameters():
            found[f"model.{name}"] = parameter.numpy(force=True).copy()
            velocity = self.optimizer.state[parameter]["momentum_buffer"]
            found[f"velocity.{name}"] = velocity.numpy(force=True).copy()
        return found


### END SOLUTION


### BEGIN SOLUTION portable_trainer.backends compile
### STUB def compiled(model, compiler):
### STUB     """The model, compiled by `compiler`: one graph for all batches of 2 and more."""
### STUB     raise NotImplementedError("portable_trainer.backends")
def compiled(model, compiler):
    """The model, compiled by `compiler`: one graph for all batches of 2 and more."""
    return torch.compile(model, backend=compiler, fullgraph=True, dynamic=True)


### END SOLUTION


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


### BEGIN SOLUTION portable_trainer.backends xla
### STUB class Xla:
### STUB     """`vlm_jax.step`, compiled by XLA."""
### STUB
### STUB     def __init__(self, arrays):
### STUB         raise NotImplementedError("portable_trainer.backends")
class Xla:
    """`vlm_jax.step`, compiled by XLA."""

    def __init__(self, arrays):
        import jax
        import vlm_jax

        self.parameters, self.velocity = (
            {name: jax.numpy.array(arrays[f"{kind}.{name}"]) for name in vlm_jax.SHAPES}
            for kind in ("model", "velocity")
        )
        self.run = jax.jit(vlm_jax.step)

    def step(self, pictures, captions):
        """One call; captions are int32 there."""
        self.parameters, self.velocity, loss = self.run(
            self.parameters, self.velocity, pictures.numpy(), captions.int().numpy()
        )
        return float(loss)

    def arrays(self):
        """By PyTorch's names, which vlm_jax shares."""
        import numpy as np

        found = {f"model.{name}": np.array(array) for name, array in self.parameters.items()}
        return found | {f"velocity.{name}": np.array(a) for name, a in self.velocity.items()}


### END SOLUTION
