"""Vectors of the other ranks by a gather without gradients, into which each rank puts its own; FSDP by DTensor parts."""


### BEGIN SOLUTION portable_trainer.ranks train
class Gathered(torch.autograd.Function):
    """All ranks' rows; backward adds up what all ranks say of this rank's."""

    @staticmethod
    def forward(ctx, own):
        ctx.count = len(own)
        every = [torch.empty_like(own) for _ in range(dist.get_world_size())]
        dist.all_gather(every, own.contiguous())
        return torch.cat(every)

    @staticmethod
    def backward(ctx, gradient):
        gradient = gradient.contiguous().clone()
        dist.all_reduce(gradient)
        begin = dist.get_rank() * ctx.count
        return gradient[begin : begin + ctx.count]


class Shared(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, pictures, captions):
        seen, read, words = self.model.parts(pictures, captions)
        return words + self.model.contrastive(Gathered.apply(seen), Gathered.apply(read))


def contents(model, optimizer):
    found = {}
    for name, parameter in model.named_parameters():
        state = optimizer.state.get(parameter, {})
        velocity = state.get("momentum_buffer", torch.zeros_like(parameter))
        for kind, tensor in (("model", parameter), ("velocity", velocity)):
            tensor = tensor.detach()
            tensor = tensor.to_local() if hasattr(tensor, "to_local") else tensor
            found[f"{kind}.{name}"] = tensor.clone().numpy()
    return found


def train(folder, reader, seed, steps, every, how):
    rank, size = dist.get_rank(), dist.get_world_size()
    inner = vlm.made(seed)
    module, start = Shared(inner), 0
    if how == "fully_sharded":
        module = fully_shard(module, mesh=init_device_mesh("cpu", (size,)))
    optimizer = run.optimizer_of(module)
    if how == "data_parallel":
        saved = sorted(folder.glob("at-*.safetensors"))
        number = checkpoint.newest(*saved)
        if number is not None:
            arrays, state = checkpoint.read(saved[number])
            start = state["steps"]
            inner.load_state_dict(
                {n: torch.tensor(arrays[f"model.{n}"]) for n in inner.state_dict()}
            )
            for name, parameter in inner.named_parameters():
                buffer = torch.tensor(arrays[f"velocity.{name}"])
                optimizer.state[parameter] = {"momentum_buffer": buffer}
        dist.barrier()
    for step in range(start, steps):
        own = samples.numbers(seed, step)[rank::size]
        module(*reader.fetch(step, own)).backward()
        if how == "data_parallel":
            for parameter in inner.parameters():
                dist.all_reduce(parameter.grad)
                parameter.grad /= size
        optimizer.step()
        optimizer.zero_grad()
        if how == "data_parallel" and rank == 0 and not (step + 1) % every:
            target = folder / f"at-{step + 1:04d}.safetensors"
            checkpoint.write(contents(inner, optimizer), {"steps": step + 1}, target)
    checkpoint.write(
        contents(inner, optimizer), {"steps": steps}, folder / f"final-{rank}.safetensors"
    )


### END SOLUTION
