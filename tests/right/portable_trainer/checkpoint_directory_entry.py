"""A plain class of fields, the digest from a stream of bytes, and a hidden file that replaces the old one."""


### BEGIN SOLUTION portable_trainer.checkpoint parts
def velocities(going):
    known = going.optimizer.state_dict()["state"]
    for number, (name, parameter) in enumerate(going.model.named_parameters()):
        buffer = known.get(number, {}).get("momentum_buffer")
        yield name, np.zeros(parameter.shape, np.float32) if buffer is None else buffer.numpy()


def parts_of(going):
    tensors = {}
    for name, value in going.model.state_dict(prefix="model.").items():
        tensors[name] = np.array(value)
    for name, value in velocities(going):
        tensors[f"velocity.{name}"] = np.array(value)
    for name in ("noise", "shuffle"):
        tensors[f"rng.{name}"] = np.array(getattr(going, name).get_state(), dtype=np.uint8)
    tensors["lr"] = np.float32([run.LEARNING_RATE])
    tensors["order"] = np.array(going.order, dtype=np.int64)
    return tensors, dict(position=int(going.position), steps=int(going.steps), format=1)


### END SOLUTION


### BEGIN SOLUTION portable_trainer.checkpoint resume
def resume(path):
    arrays, state = read(path)
    going = run.Run(12345)
    with torch.no_grad():
        for name, value in going.model.state_dict().items():
            value.copy_(torch.tensor(arrays["model." + name]))
    names = [name for name, _ in going.model.named_parameters()]
    saved = going.optimizer.state_dict()
    if state["steps"] > 0:
        saved["state"] = {
            number: {"momentum_buffer": torch.tensor(arrays["velocity." + name])}
            for number, name in enumerate(names)
        }
    going.optimizer.load_state_dict(saved)
    for generator in ("noise", "shuffle"):
        getattr(going, generator).set_state(torch.tensor(arrays["rng." + generator]))
    going.order = torch.tensor(arrays["order"])
    going.position, going.steps = state["position"], state["steps"]
    return going


### END SOLUTION


### BEGIN SOLUTION portable_trainer.checkpoint write
def write(arrays, state, path):
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    text = json.dumps(state, indent=1, sort_keys=True)
    path = Path(path)
    hidden = path.parent / f".{path.name}.{os.getpid()}"
    descriptor = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        view = memoryview(as_bytes(arrays, {"digest": layout.digest(arrays, text), "state": text}))
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.replace(hidden, path)


### END SOLUTION


### BEGIN SOLUTION portable_trainer.checkpoint read
def read(path):
    from safetensors.numpy import load

    try:
        data = Path(path).read_bytes()
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        metadata, arrays = header["__metadata__"], load(data)
        if layout.digest(arrays, metadata["state"]) == metadata["digest"]:
            return arrays, json.loads(metadata["state"])
    except Exception:
        pass
    return None


### END SOLUTION


### BEGIN SOLUTION portable_trainer.checkpoint newest
def newest(*paths):
    best = None
    for number, path in enumerate(paths):
        content = read(path)
        if content and (best is None or content[1]["steps"] > best[0]):
            best = content[1]["steps"], number
    return None if best is None else best[1]


### END SOLUTION
