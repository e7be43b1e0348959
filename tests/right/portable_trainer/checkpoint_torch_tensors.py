"""The file by safetensors.torch, its header read by hand; a temporary file, renamed, and the folder synced as well."""

### BEGIN SOLUTION portable_trainer.checkpoint parts
import struct
import tempfile

from safetensors.torch import load as from_bytes
from safetensors.torch import save as as_torch_bytes


def parts_of(going):
    tensors = {f"model.{k}": v for k, v in going.model.state_dict().items()}
    for k, p in going.model.named_parameters():
        buffer = going.optimizer.state.get(p, {}).get("momentum_buffer")
        tensors[f"velocity.{k}"] = torch.zeros_like(p) if buffer is None else buffer
    tensors |= {
        "rng.noise": going.noise.get_state(),
        "rng.shuffle": going.shuffle.get_state(),
        "order": going.order,
    }
    arrays = {k: v.detach().cpu().contiguous().numpy().copy() for k, v in tensors.items()}
    return arrays, {"position": going.position, "steps": going.steps}


### END SOLUTION


### BEGIN SOLUTION portable_trainer.checkpoint resume
def resume(path):
    arrays, state = read(path)
    t = {k: torch.from_numpy(v.copy()) for k, v in arrays.items()}
    going = run.Run(0)
    going.model.load_state_dict(
        {k.removeprefix("model."): v for k, v in t.items() if k.startswith("model.")}
    )
    if state["steps"]:
        for k, p in going.model.named_parameters():
            going.optimizer.state[p]["momentum_buffer"] = t[f"velocity.{k}"]
    going.noise.set_state(t["rng.noise"])
    going.shuffle.set_state(t["rng.shuffle"])
    going.order, going.position, going.steps = t["order"], state["position"], state["steps"]
    return going


### END SOLUTION


### BEGIN SOLUTION portable_trainer.checkpoint write
def write(arrays, state, path):
    text = json.dumps(state, separators=(",", ":"))
    data = as_torch_bytes(
        {k: torch.from_numpy(np.ascontiguousarray(v)) for k, v in arrays.items()},
        metadata={"state": text, "digest": layout.digest(arrays, text)},
    )
    folder = Path(path).resolve().parent
    handle, name = tempfile.mkstemp(dir=folder, prefix=".checkpoint-", suffix=".partial")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.rename(name, path)
    except BaseException:
        os.unlink(name)
        raise
    directory = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


### END SOLUTION


### BEGIN SOLUTION portable_trainer.checkpoint read
def read(path):
    """The header by hand: eight bytes of length, then JSON."""
    try:
        data = Path(path).read_bytes()
        (size,) = struct.unpack("<Q", data[:8])
        meta = json.loads(data[8 : 8 + size])["__metadata__"]
        arrays = {k: v.numpy() for k, v in from_bytes(data).items()}
        if layout.digest(arrays, meta["state"]) != meta["digest"]:
            return None
        return arrays, json.loads(meta["state"])
    except Exception:
        return None


### END SOLUTION


### BEGIN SOLUTION portable_trainer.checkpoint newest
def newest(*paths):
    whole = (
        (content[1]["steps"], number)
        for number, path in enumerate(paths)
        if (content := read(path))
    )
    return max(whole, default=(0, None), key=lambda pair: pair[0])[1]


### END SOLUTION
