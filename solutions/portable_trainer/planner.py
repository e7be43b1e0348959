"""A planner: what a plan costs by the rules of `costs.md`, and which plan costs least.

A plan is a dict of "tensor", "pipeline", "data", "micro_batch", "zero", and of two lists with an
entry a stage, "stages" and "recompute". `cluster.py` has models, clusters and published plans.
"""

import json
from itertools import accumulate

from cluster import weights

MODES = ("none", "selective", "full")


def layers_of(model):
    """The tower of each layer, in order."""
    return [tower for tower in model["towers"] for _ in range(tower["layers"])]


def is_last(plan, stage):
    """Whether the output stands on this stage."""
    return stage == plan["pipeline"] - 1


### BEGIN SOLUTION portable_trainer.plan parameters
### STUB def parameters(model, plan, stage, layers):
### STUB     """N, the parameters of one device of the stage. layers: the towers of its layers."""
### STUB     raise NotImplementedError("portable_trainer.plan")
def parameters(model, plan, stage, layers):
    """N, the parameters of one device of the stage. layers: the towers of its layers."""
    matrices = (stage == 0) + is_last(plan, stage)
    if plan["pipeline"] == 1 and model["tied"]:
        matrices = 1
    embedding = model["vocabulary"] * model["towers"][-1]["hidden"]
    return (sum(map(weights, layers)) + matrices * embedding) / plan["tensor"]


### END SOLUTION


### BEGIN SOLUTION portable_trainer.plan state
### STUB def state_bytes(model, plan, stage, layers):
### STUB     """Weights, gradients and the optimizer's state on one device of the stage."""
### STUB     raise NotImplementedError("portable_trainer.plan")
def state_bytes(model, plan, stage, layers):
    """Weights, gradients and the optimizer's state on one device of the stage."""
    zero, shards = plan["zero"], plan["data"]
    each = 2 / (shards if zero == 3 else 1)
    each += 2 / (shards if zero >= 2 else 1)
    each += 12 / (shards if zero >= 1 else 1)
    gathered = 2 * 2 * max(map(weights, layers)) / plan["tensor"] if zero == 3 else 0
    return parameters(model, plan, stage, layers) * each + gathered


### END SOLUTION


### BEGIN SOLUTION portable_trainer.plan activations
### STUB def activation_bytes(model, plan, stage, layers, mode, micro_batches):
### STUB     """What micro-batches in flight keep on a device of the stage. mode: of recompute."""
### STUB     raise NotImplementedError("portable_trainer.plan")
def saved_bytes(tower, plan, mode):
    """What one layer keeps of one micro-batch."""
    size = tower["tokens"] * plan["micro_batch"] * tower["hidden"]
    if mode == "full":
        return 2 * size
    scores = 5 * tower["heads"] * tower["tokens"] / tower["hidden"] if mode == "none" else 0
    return size * (34 + scores) / plan["tensor"]


def activation_bytes(model, plan, stage, layers, mode, micro_batches):
    """What micro-batches in flight keep on a device of the stage. mode: of recompute."""
    in_flight = min(plan["pipeline"] - stage, micro_batches)
    found = in_flight * sum(saved_bytes(tower, plan, mode) for tower in layers)
    if mode == "full":
        found += max(saved_bytes(tower, plan, "none") for tower in layers)
    if is_last(plan, stage):
        tokens = model["towers"][-1]["tokens"] * plan["micro_batch"]
        found += 4 * tokens * model["vocabulary"] / plan["tensor"]
    return found


### END SOLUTION


### BEGIN SOLUTION portable_trainer.plan network
### STUB def link(cluster, plan, group):
### STUB     """(bandwidth, latency) between members of the "tensor", "data" or "pipeline" group."""
### STUB     raise NotImplementedError("portable_trainer.plan")
### STUB
### STUB
### STUB def ring_s(cluster, plan, group, size, parts=1):
### STUB     """To gather or scatter `size` bytes in parts, in the "tensor" or "data" group."""
### STUB     raise NotImplementedError("portable_trainer.plan")
def link(cluster, plan, group):
    """(bandwidth, latency) between members of the "tensor", "data" or "pipeline" group."""
    strides = {"tensor": 1, "data": plan["tensor"], "pipeline": plan["tensor"] * plan["data"]}
    if strides[group] * plan[group] > cluster["node"]:
        return cluster["slow"]["bandwidth"], cluster["slow"]["latency"]
    bandwidth = cluster["fast"]["bandwidth"] * cluster["links"][group]
    return bandwidth, cluster["fast"]["latency"]


def ring_s(cluster, plan, group, size, parts=1):
    """To gather or scatter `size` bytes in parts, in the "tensor" or "data" group."""
    bandwidth, latency = link(cluster, plan, group)
    return (plan[group] - 1) * (parts * latency + size / (plan[group] * bandwidth))


### END SOLUTION


### BEGIN SOLUTION portable_trainer.plan own
### STUB def own_s(model, cluster, plan, stage, layers, mode):
### STUB     """Computing and the tensor group's messages: a stage's seconds for one micro-batch."""
### STUB     raise NotImplementedError("portable_trainer.plan")
def boundary_bytes(tower, plan):
    """One micro-batch's numbers between two layers."""
    return 2 * tower["tokens"] * plan["micro_batch"] * tower["hidden"]


def layer_s(cluster, plan, tower, mode):
    """Of one layer, for one micro-batch."""
    tokens, hidden = tower["tokens"], tower["hidden"]
    scores = 4 * tokens**2 * hidden
    forward = 2 * tokens * weights(tower) + scores
    again = {"none": 0, "selective": scores, "full": forward}[mode]
    flops = plan["micro_batch"] * (3 * forward + again)
    message = ring_s(cluster, plan, "tensor", boundary_bytes(tower, plan))
    messages = 12 if mode == "full" else 8
    return flops / (plan["tensor"] * cluster["flops"]) + messages * message


def own_s(model, cluster, plan, stage, layers, mode):
    """Computing and the tensor group's messages: a stage's seconds for one micro-batch."""
    found = sum(layer_s(cluster, plan, tower, mode) for tower in layers)
    if is_last(plan, stage):
        last = model["towers"][-1]
        flops = 6 * plan["micro_batch"] * last["tokens"] * last["hidden"] * model["vocabulary"]
        found += flops / (plan["tensor"] * cluster["flops"])
    return found


### END SOLUTION


### BEGIN SOLUTION portable_trainer.plan work
### STUB def work_s(model, cluster, plan, stage, layers, mode):
### STUB     """A stage's seconds for one micro-batch, all that it waits for."""
### STUB     raise NotImplementedError("portable_trainer.plan")
def work_s(model, cluster, plan, stage, layers, mode):
    """A stage's seconds for one micro-batch, all that it waits for."""
    sent = 2 * parameters(model, plan, stage, layers)
    data = ring_s(cluster, plan, "data", sent, parts=len(layers))
    data *= {3: 3, 2: 1}.get(plan["zero"], 0)
    bandwidth, latency = link(cluster, plan, "pipeline")
    size = max(boundary_bytes(tower, plan) for tower in model["towers"])
    neighbors = (stage > 0) + (not is_last(plan, stage))
    sends = neighbors * (latency + size / (plan["tensor"] * bandwidth))
    return max(own_s(model, cluster, plan, stage, layers, mode), data) + sends


### END SOLUTION


### BEGIN SOLUTION portable_trainer.plan once
### STUB def once_s(model, cluster, plan, stage, layers):
### STUB     """What the data group sends once a step for the stage, in seconds."""
### STUB     raise NotImplementedError("portable_trainer.plan")
def once_s(model, cluster, plan, stage, layers):
    """What the data group sends once a step for the stage, in seconds."""
    one = ring_s(cluster, plan, "data", 2 * parameters(model, plan, stage, layers))
    return one * {0: 2, 1: 2, 2: 1, 3: 0}[plan["zero"]]


### END SOLUTION


### BEGIN SOLUTION portable_trainer.plan estimate
### STUB def estimate(model, cluster, batch, plan):
### STUB     """What a valid plan takes: a dict of
### STUB
### STUB     "state_bytes", "activation_bytes": a list each, of one device of each stage;
### STUB     "stage_s": a list, each stage's work on one micro-batch;
### STUB     "step_s": a step; "fits": whether no stage has more than the cluster's memory_bytes.
### STUB     """
### STUB     raise NotImplementedError("portable_trainer.plan")
def estimate(model, cluster, batch, plan):
    """What a valid plan takes."""
    micro_batches = batch // (plan["data"] * plan["micro_batch"])
    layers, ends = layers_of(model), [0, *accumulate(plan["stages"])]
    state, activations, work, once = [], [], [], []
    for stage, mode in enumerate(plan["recompute"]):
        part = layers[ends[stage] : ends[stage + 1]]
        state.append(state_bytes(model, plan, stage, part))
        activations.append(activation_bytes(model, plan, stage, part, mode, micro_batches))
        work.append(work_s(model, cluster, plan, stage, part, mode))
        once.append(once_s(model, cluster, plan, stage, part))
    heaviest = max(map(sum, zip(state, activations, strict=True)))
    rounds = micro_batches + plan["pipeline"] - 1
    return {
        "state_bytes": state,
        "activation_bytes": activations,
        "stage_s": work,
        "step_s": (rounds - 1) * max(work) + max(*work, *once),
        "fits": heaviest <= cluster["memory_bytes"],
    }


### END SOLUTION


### BEGIN SOLUTION portable_trainer.plan search
### STUB def best_plan(model, cluster, batch):
### STUB     """The valid plan that fits and takes least time by `estimate`; None if none fits."""
### STUB     raise NotImplementedError("portable_trainer.plan")
def divisors(number):
    """In order."""
    return [n for n in range(1, number + 1) if number % n == 0]


def ways(model, cluster, batch):
    """Every way to divide devices and batch: plans that have no stages yet."""
    for tensor in divisors(cluster["devices"]):
        if any(t["heads"] % tensor or t["tokens"] % tensor for t in model["towers"]):
            continue
        for pipeline in divisors(cluster["devices"] // tensor):
            data = cluster["devices"] // (tensor * pipeline)
            if batch % data or pipeline > len(layers_of(model)):
                continue
            way = {"tensor": tensor, "pipeline": pipeline, "data": data}
            for micro_batch in divisors(batch // data):
                for zero in range(4):
                    yield {**way, "micro_batch": micro_batch, "zero": zero}


class Stages:
    """Looks for stages of which none works longer than a limit, for one way."""

    def __init__(self, model, cluster, batch, way):
        self.model, self.cluster, self.way = model, cluster, way
        self.layers = layers_of(model)
        self.micro_batches = batch // (way["data"] * way["micro_batch"])
        self.rounds = self.micro_batches + way["pipeline"] - 1
        self.seen = {}
        self.least = self.least_work()
        once = self.mean_ring({0: 2, 1: 2, 2: 1, 3: 0}[way["zero"]], 1)
        self.least_step = (self.rounds - 1) * self.least + max(self.least, once)

    def least_work(self):
        """The longest stage works at least as long as the mean one, and as any layer."""
        towers, stages = self.model["towers"], self.way["pipeline"]
        each = [layer_s(self.cluster, self.way, tower, "none") for tower in towers]
        mean = sum(s * t["layers"] for s, t in zip(each, towers, strict=True)) / stages
        messages = {3: 3, 2: 1}.get(self.way["zero"], 0)
        return max(mean, self.mean_ring(messages, len(self.layers) / stages), *each)

    def mean_ring(self, messages, parts):
        """Seconds of the data group for a mean stage's weights."""
        whole = sum(map(weights, self.layers)) / (self.way["tensor"] * self.way["pipeline"])
        return messages * ring_s(self.cluster, self.way, "data", 2 * whole, parts)

    def mode(self, stage, first, size, limit):
        """The quickest recompute with which these layers keep limit and memory, or None."""
        for mode in MODES:
            work, held = self.look(stage, first, size, mode)
            if work > limit:
                return None
            if held <= self.cluster["memory_bytes"]:
                return mode
        return None

    def look(self, stage, first, size, mode):
        """Seconds and bytes of a stage; each is asked for many times."""
        key = stage, first, size, mode
        if key not in self.seen:
            part = self.layers[first : first + size]
            work = work_s(self.model, self.cluster, self.way, stage, part, mode)
            held = state_bytes(self.model, self.way, stage, part)
            asked = (self.model, self.way, stage, part, mode, self.micro_batches)
            self.seen[key] = work, held + activation_bytes(*asked)
        return self.seen[key]

    def longest(self, stage, first, most, limit):
        """As many layers as the stage can take: fewer of them are always possible too."""
        size, mode = 0, None
        while size < most:
            middle = (size + most + 1) // 2
            found = self.mode(stage, first, middle, limit)
            if found is None:
                most = middle - 1
            else:
                size, mode = middle, found
        return size, mode

    def within(self, limit):
        """A plan whose stages keep the limit, or None."""
        first, sizes, modes = 0, [], []
        for behind in reversed(range(self.way["pipeline"])):
            most = len(self.layers) - first - behind
            size, mode = self.longest(len(sizes), first, most, limit)
            if mode is None:
                return None
            first += size
            sizes.append(size)
            modes.append(mode)
        if first < len(self.layers):
            return None
        return {**self.way, "stages": sizes, "recompute": modes}

    def plans(self, best_s):
        """Better and better ones; best_s: of the best plan so far."""
        low, high = self.least, min(self.least * 1e6, best_s / self.rounds)
        plan = self.within(high)
        while plan is not None:
            yield plan
            while high > low * 1.0005:
                middle = (low + high) / 2
                plan = self.within(middle)
                if plan is not None:
                    high = middle
                    break
                low = middle
            else:
                return


def best_plan(model, cluster, batch):
    """The valid plan that fits and takes least time by `estimate`; None if none fits."""
    searches = [Stages(model, cluster, batch, way) for way in ways(model, cluster, batch)]
    best, best_s = None, float("inf")
    for search in sorted(searches, key=lambda s: s.least_step):
        if search.least_step >= best_s:
            break
        for plan in search.plans(best_s):
            said = estimate(model, cluster, batch, plan)
            if said["fits"] and said["step_s"] < best_s:
                best, best_s = plan, said["step_s"]
    return best


### END SOLUTION


# --- how the judge asks; leave it as it is ---


def estimate_case(text):
    """`estimate` of a case as JSON text."""
    case = json.loads(text)
    return estimate(case["model"], case["cluster"], case["batch"], case["plan"])


def plan_case(text):
    """`best_plan` of a case as JSON text."""
    case = json.loads(text)
    return best_plan(case["model"], case["cluster"], case["batch"])
