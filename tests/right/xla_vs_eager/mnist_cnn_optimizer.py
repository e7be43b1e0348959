"""A module's parameters and PyTorch's own SGD; times by a context manager; figures by NumPy."""

### BEGIN SOLUTION xla_vs_eager.mnist_cnn losses
import contextlib


def losses(images_path, labels_path, start_path, batch, kind):
    device = DEVICES[kind]
    pixels, classes = (mnist.read(Path(path)) for path in (images_path, labels_path))
    leaves = torch.nn.ParameterDict(parameters_of(np.load(start_path))).to(device)
    optimizer = torch.optim.SGD(leaves.parameters(), lr=RATE, momentum=MOMENTUM)
    history = []
    for first in range(0, len(pixels), batch):
        rows = slice(first, first + batch)
        images = torch.tensor(pixels[rows, None] / np.float32(255), device=device)
        labels = torch.tensor(classes[rows].astype(np.int64), device=device)
        optimizer.zero_grad()
        value = loss(leaves, images, labels)
        value.backward()
        optimizer.step()
        history.append(value.detach())
        torch_xla.sync()
    return [value.item() for value in history]


### END SOLUTION


### BEGIN SOLUTION xla_vs_eager.mnist_cnn record
def record(sizes):
    rng = np.random.default_rng(3)
    count = sum(int(np.prod(shape)) for shape in SHAPES.values())
    start = 0.05 * rng.standard_normal(count)
    answer = {}
    for kind, device in DEVICES.items():
        p = {name: value.to(device) for name, value in parameters_of(start).items()}
        momentum = {name: 0 * value for name, value in p.items()}
        torch_xla.sync(wait=True)
        xla_model.wait_device_ops()
        if kind == "xla":
            answer["before"] = metrics()
        answer[kind] = []
        for size in sizes:
            images = torch.tensor(rng.random((size, 1, 28, 28)), dtype=torch.float32)
            labels = torch.tensor(rng.integers(0, 10, size))
            with clock(answer[kind], kind):
                p, momentum, _ = step(p, momentum, images.to(device), labels.to(device))
    return {**answer, "after": metrics()}


@contextlib.contextmanager
def clock(seconds, kind):
    started = time.monotonic()
    yield
    if kind == "xla":
        torch_xla.sync()
        xla_model.wait_device_ops()
    seconds.append(time.monotonic() - started)


def metrics():
    return {name: list((met.metric_data(name) or (0, 0.0))[:2]) for name in METRICS}


### END SOLUTION


### BEGIN SOLUTION xla_vs_eager.mnist_cnn split
def split(path):
    with open(path) as file:
        data = json.load(file)
    change = {name: np.subtract(data["after"][name], data["before"][name]) for name in METRICS}
    (graphs, compiling), (runs, executing) = (change[name].tolist() for name in METRICS)
    eager, xla = (float(np.median(data[kind])) for kind in ("eager", "xla"))
    pays = eager > xla
    return {
        "compilations": int(graphs),
        "compile_s": compiling * 1e-9,
        "executions": int(runs),
        "execute_s": executing * 1e-9,
        "eager_step_s": eager,
        "xla_step_s": xla,
        "break_even": int(np.ceil(compiling / 1e9 / (eager - xla))) if pays else None,
    }


### END SOLUTION
