"""Takes the plan that needs least memory, not the one that takes least time.

fails: plan.small
"""


### BEGIN SOLUTION portable_trainer.plan search
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
    best, least = None, float("inf")
    for search in searches:
        for plan in search.plans(float("inf")):
            said = estimate(model, cluster, batch, plan)
            held = max(map(sum, zip(said["state_bytes"], said["activation_bytes"], strict=True)))
            if said["fits"] and held < least:
                best, least = plan, held
    return best


### END SOLUTION
