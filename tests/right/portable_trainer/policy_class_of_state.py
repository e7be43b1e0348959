"""A class of the state with sets, which go into the memory in whatever order they come."""


### BEGIN SOLUTION portable_trainer.policy decide
class Keeper:
    def __init__(self, backends, memory):
        memory = memory or {}
        self.backends = backends
        self.order = [b["name"] for b in backends]
        self.out = set(memory.get("out", []))
        self.wakes = dict(memory.get("wakes", {}))
        self.naps = dict(memory.get("naps", {}))
        self.lost = list(memory.get("lost", []))
        self.nan = memory.get("nan")
        self.window = memory.get("window") or {"compiled": [], "seconds": [], "best": None}

    def memory(self):
        return {
            "out": list(self.out),
            "wakes": self.wakes,
            "naps": self.naps,
            "lost": self.lost,
            "nan": self.nan,
            "window": self.window,
        }

    def free(self, backend, step):
        return backend["name"] not in self.out and self.wakes.get(backend["name"], 0) <= step

    def lower(self, event, test=lambda b: True):
        start = self.order.index(event["backend"]) + 1
        for backend in self.backends[start:]:
            if self.free(backend, event["step"]) and test(backend):
                return backend["name"]
        return None

    def forget_window(self):
        self.window = {"compiled": [], "seconds": [], "best": None}

    def act(self, do, backend, origin, because):
        if do in ("restore", "fall_back", "return"):
            self.forget_window()
        return {"do": do, "backend": backend, "from": origin, "because": because}

    def fall(self, event, because, origin, forever, optional=False, test=lambda b: True):
        name = event["backend"]
        target = self.lower(event, test)
        if target is None and optional:
            return self.act("go_on", name, "here", because)
        if target is None:
            return self.act("stop", name, "checkpoint", because)
        if forever:
            self.out.add(name)
        else:
            self.naps[name] = self.naps.get(name, 0) + 1
            self.wakes[name] = event["step"] + REST * 2 ** (self.naps[name] - 1)
        return self.act("fall_back", target, origin, because)

    def handle(self, event):
        return getattr(self, "on_" + event["kind"])(event)

    def on_compile_failed(self, event):
        return self.fall(event, "compile_failed", "here", True)

    def on_out_of_memory(self, event):
        (mine,) = (b for b in self.backends if b["name"] == event["backend"])
        smaller = lambda b: b["memory_gib"] < mine["memory_gib"]  # noqa: E731
        return self.fall(event, "out_of_memory", "checkpoint", True, test=smaller)

    def on_rank_lost(self, event):
        self.lost = [n for n in self.lost if event["step"] - n < LOSS_STEPS] + [event["step"]]
        if len(self.lost) < LOSSES:
            return self.act("restore", event["backend"], "checkpoint", "rank_lost")
        self.lost = []
        return self.fall(event, "rank_lost", "checkpoint", False)

    def on_step(self, event):
        step, name = event["step"], event["backend"]
        if not math.isfinite(event["loss"]):
            if not self.nan or self.nan[0] != step:
                self.nan = [step, name]
                return self.act("restore", name, "checkpoint", "not_finite")
            if self.nan[1] == name:
                return self.fall(event, "not_finite", "checkpoint", False)
            return self.act("stop", name, "checkpoint", "not_finite")
        if self.nan and self.nan[0] < step:
            self.nan = None
        seen = self.window["compiled"]
        rose = not seen or seen[-1] < event["compilations"]
        seen.append(event["compilations"])
        del seen[: -COMPILATION_STEPS - 1]
        if seen[-1] - seen[0] > MOST_COMPILATIONS:
            eager = lambda b: not b["compiled"]  # noqa: E731
            return self.fall(event, "recompiles", "here", True, True, eager)
        if not rose:
            times = self.window["seconds"]
            times.append(event["seconds"])
            del times[:-TIMES]
            if len(times) == TIMES:
                median = sorted(times)[TIMES // 2]
                best = self.window["best"]
                self.window["best"] = median if best is None else min(best, median)
                if median > SLOWER * self.window["best"]:
                    quicker = lambda b: b["step_s"] < median  # noqa: E731
                    return self.fall(event, "slow", "here", False, True, quicker)
        for backend in self.backends[: self.order.index(name)]:
            if self.free(backend, step):
                return self.act("return", backend["name"], "here", None)
        return self.act("go_on", name, "here", None)


def decide(backends, memory, event):
    keeper = Keeper(backends, memory)
    decision = keeper.handle(event)
    return keeper.memory(), decision


### END SOLUTION
