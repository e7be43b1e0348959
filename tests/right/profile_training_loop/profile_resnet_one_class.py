"""A class for a run, the same starting weights for both, and step times from the profiler's own events."""

### BEGIN SOLUTION profile_training_loop.profile_resnet
import contextlib
import importlib.machinery

import resnet
from torch.profiler import ProfilerActivity, profile, schedule

import data


class Run:
    def __init__(self, name, folder, network, weights):
        self.path = os.path.join(folder, f"{name}.json")
        self.network = network.ResNet(network.RESNET50)
        self.network.load_state_dict(weights)
        half = name == "bfloat16"
        self.context = torch.autocast("cpu", torch.bfloat16) if half else contextlib.nullcontext()
        self.optimizer = torch.optim.SGD(
            self.network.parameters(), lr=0.05, momentum=0.9, foreach=True
        )

    def step(self, x, y):
        self.optimizer.zero_grad(set_to_none=True)
        with self.context:
            scores = self.network(x)
        torch.nn.functional.cross_entropy(scores.float(), y).backward()
        self.optimizer.step()


def profile_resnet50(folder, steps, batch, pictures=None, network=resnet.__file__):
    if pictures is None:
        pictures = data.load()
    os.makedirs(folder, exist_ok=True)
    network = importlib.machinery.SourceFileLoader("the_network", network).load_module()
    weights = network.ResNet(network.RESNET50).state_dict()
    x = (pictures.images[:batch].permute(0, 3, 1, 2).float() - 128) / 64
    y = pictures.labels[:batch]
    answer, medians = {}, {}
    for name in ("bfloat16", "float32"):
        run = Run(name, folder, network, weights)
        prof = profile(
            activities=[ProfilerActivity.CPU],
            record_shapes=True,
            schedule=schedule(wait=2, warmup=1, active=steps, repeat=1),
        )
        prof.start()
        for _ in range(3 + steps):
            run.step(x, y)
            prof.step()
        prof.stop()
        prof.export_chrome_trace(run.path)
        with open(run.path) as file:
            spans = [
                e["dur"]
                for e in json.load(file)["traceEvents"]
                if e.get("ph") == "X" and "ProfilerStep" in e["name"]
            ]
        answer[name], medians[name] = run.path, statistics.median(spans)
    answer["speedup"] = medians["float32"] / medians["bfloat16"]
    answer["keep"] = min(medians, key=medians.get)
    return answer


### END SOLUTION
