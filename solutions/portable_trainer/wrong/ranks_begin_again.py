"""Ranks that are started again begin with step 0.

fails: ranks.lost
"""


### BEGIN SOLUTION portable_trainer.ranks train
def train(folder, reader, seed, steps, every, how):
    """Train this rank's share of all steps, and write what the docstring above says."""
    rank, ranks = dist.get_rank(), dist.get_world_size()
    whole = WholeBatch(vlm.made(seed))
    optimizer = run.optimizer_of(whole)
    done = 0
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
