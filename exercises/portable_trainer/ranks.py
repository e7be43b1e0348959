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


### TASK portable_trainer.ranks train
def train(folder, reader, seed, steps, every, how):
    """Train this rank's share of all steps, and write what the docstring above says."""
    raise NotImplementedError("portable_trainer.ranks")


if __name__ == "__main__":
    main(*sys.argv[1:])
