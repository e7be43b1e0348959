"""One rank of several. torchrun starts all of them, and starts all again when one is lost:

    torchrun --nproc-per-node 2 --max-restarts 2 ranks.py FOLDER ADDRESS SEED STEPS EVERY HOW

HOW is `data_parallel`, where each rank has the whole model, or `fully_sharded`, where it has a
part of each parameter. Either way the ranks together train as one process does with whole batches.

- A checkpoint (`layout.py`, but only `model.` and `velocity.`, and `steps` in its state) is
  written every EVERY steps into FOLDER, for `data_parallel`; a rank that finds one goes on from it.
- In the end FOLDER has `final-RANK.safetensors` for each rank, written by `checkpoint.write`:
  the model and the velocities, whole if `data_parallel`, or this rank's part of each.
"""

import os
import sys
from pathlib import Path

import checkpoint
import run
import samples
import torch
import torch.distributed as dist
import vlm
from torch import nn
from torch.distributed._functional_collectives import all_gather_single_autograd
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel


def main(folder, address, seed, steps, every, how):
    """What torchrun starts."""
    store, rank, ranks = next(dist.rendezvous("env://"))
    # torchrun keeps its store when it starts the ranks again: without a name for each attempt, a
    # rank would find the addresses of those that are gone.
    store = dist.PrefixStore(f"attempt {os.environ['TORCHELASTIC_RESTART_COUNT']}", store)
    # "nccl" where each rank has a GPU.
    dist.init_process_group("gloo", store=store, rank=rank, world_size=ranks)
    torch.set_num_threads(1)
    try:
        train(Path(folder), samples.Reader(address), int(seed), int(steps), int(every), how)
    finally:
        dist.destroy_process_group()


### BEGIN SOLUTION portable_trainer.ranks train
### STUB def train(folder, reader, seed, steps, every, how):
### STUB     """Train this rank's share of all steps, and write what the docstring above says."""
### STUB     raise NotImplementedError("portable_trainer.ranks")
def train(folder, reader, seed, steps, every, how):
    """Train this rank's share of all steps, and write what the docstring above says."""
    rank, ranks = dist.get_rank(), dist.get_world_size()
    whole = WholeBatch(vlm.made(seed))
    optimizer = run.optimizer_of(whole)
    done = restored(whole, optimizer, folder) if how == "data_parallel" else 0
    if how == "data_parallel":
        model = DistributedDataParallel(whole)
    else:
        model = fully_shard(whole, mesh=init_device_mesh("cpu", (ranks,)))
        # The parameters are other tensors now.
        optimizer = run.optimizer_of(model)
    for step in range(done, steps):
        numbers = samples.numbers(seed, step)
        share = len(numbers) // ranks
        loss = model(*reader.fetch(step, numbers[rank * share : (rank + 1) * share]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0 and how == "data_parallel" and (step + 1) % every == 0:
            path = folder / f"step-{step + 1:08d}.safetensors"
            checkpoint.write(arrays_of(whole, optimizer), {"steps": step + 1}, path)
    path = folder / f"final-{rank}.safetensors"
    checkpoint.write(arrays_of(whole, optimizer), {"steps": steps}, path)


class WholeBatch(nn.Module):
    """The loss of all ranks' samples together; each rank gives its own."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, pictures, captions):
        """The same number on each rank, but for its part of the captions."""
        seen, read, caption_loss = self.model.parts(pictures, captions)
        # Its backward adds up what all ranks' losses say of this rank's vectors; the mean over
        # ranks, which is taken of the gradients, makes that right again.
        group = dist.group.WORLD
        every = [all_gather_single_autograd(v.contiguous(), 0, group) for v in (seen, read)]
        return self.model.contrastive(*every) + caption_loss


def arrays_of(whole, optimizer):
    """Model and velocities as numpy arrays: this rank's part, if they are in parts."""
    arrays = {}
    for name, parameter in whole.model.named_parameters():
        # A rank whose part is empty has no gradient, and so no velocity.
        velocity = optimizer.state[parameter].get("momentum_buffer", torch.zeros_like(parameter))
        arrays[f"model.{name}"] = local(parameter)
        arrays[f"velocity.{name}"] = local(velocity)
    return arrays


def local(tensor):
    """A tensor, or this rank's part of it, in numpy."""
    tensor = tensor.detach()
    return (tensor.to_local() if hasattr(tensor, "to_local") else tensor).numpy().copy()


def restored(whole, optimizer, folder):
    """Go back to the newest whole checkpoint; how many steps that has."""
    paths = sorted(folder.glob("step-*.safetensors"))
    place = checkpoint.newest(*paths)
    if place is None:
        return 0
    arrays, state = checkpoint.read(paths[place])
    with torch.no_grad():
        for name, parameter in whole.model.named_parameters():
            parameter.copy_(torch.from_numpy(arrays[f"model.{name}"]))
            velocity = torch.from_numpy(arrays[f"velocity.{name}"])
            optimizer.state[parameter]["momentum_buffer"] = velocity
    return state["steps"]


### END SOLUTION


if __name__ == "__main__":
    main(*sys.argv[1:])
