"""Pure functions over an immutable state, rules as a generator in their order, numbers as a text in the memory."""


### BEGIN SOLUTION portable_trainer.policy decide
from dataclasses import asdict, dataclass, replace


@dataclass(frozen=True)
class Known:
    barred: tuple = ()
    rests: tuple = ()
    lost: tuple = ()
    bad: tuple = ()
    counts: tuple = ()
    times: tuple = ()
    best: float = 0.0

    def resting(self, name):
        own = [(n, until) for n, until, _ in self.rests if n == name]
        return own[-1][1] if own else 0

    def usable(self, backend, step):
        return backend["name"] not in self.barred and self.resting(backend["name"]) <= step

    def left(self, name, step, forever):
        if forever:
            return replace(self, barred=(*self.barred, name))
        times = sum(t for n, _, t in self.rests if n == name)
        kept = tuple(r for r in self.rests if r[0] != name)
        return replace(self, rests=(*kept, (name, step + REST * 2**times, times + 1)))

    def anew(self):
        return replace(self, counts=(), times=(), best=0.0)


def frozen(memory):
    def tupled(value):
        return tuple(map(tupled, value)) if isinstance(value, list) else value

    return Known(**{key: tupled(value) for key, value in json.loads(memory or "{}").items()})


def decide(backends, memory, event):
    known, decision = react(backends, frozen(memory), event)
    if decision["do"] in ("restore", "fall_back", "return"):
        known = known.anew()
    return json.dumps(asdict(known)), decision


def react(backends, known, event):
    name, step, kind = event["backend"], event["step"], event["kind"]
    place = next(n for n, b in enumerate(backends) if b["name"] == name)
    mine, above, below = backends[place], backends[:place], backends[place + 1 :]

    def verdict(do, backend, origin, because):
        return {"do": do, "backend": backend, "from": origin, "because": because}

    def leave(known, because, origin, forever, test=None, stay=False):
        for other in below:
            if known.usable(other, step) and (test is None or test(other)):
                found = verdict("fall_back", other["name"], origin, because)
                return known.left(name, step, forever), found
        if stay:
            return known, verdict("go_on", name, "here", because)
        return known, verdict("stop", name, "checkpoint", because)

    def needs_less(other):
        return other["memory_gib"] < mine["memory_gib"]

    def without_compiler(other):
        return not other["compiled"]

    if kind == "compile_failed":
        return leave(known, kind, "here", True)
    if kind == "out_of_memory":
        return leave(known, kind, "checkpoint", True, needs_less)
    if kind == "rank_lost":
        lost = (*[n for n in known.lost if n > step - LOSS_STEPS], step)
        if len(lost) >= LOSSES:
            return leave(replace(known, lost=()), kind, "checkpoint", False)
        return replace(known, lost=lost), verdict("restore", name, "checkpoint", kind)
    if event["loss"] != event["loss"] or abs(event["loss"]) == math.inf:
        if known.bad[:1] != (step,):
            known = replace(known, bad=(step, name))
            return known, verdict("restore", name, "checkpoint", "not_finite")
        if known.bad == (step, name):
            return leave(known, "not_finite", "checkpoint", False)
        return known, verdict("stop", name, "checkpoint", "not_finite")
    if known.bad and known.bad[0] < step:
        known = replace(known, bad=())
    quiet = known.counts and known.counts[-1] == event["compilations"]
    counts = (*known.counts, event["compilations"])[-COMPILATION_STEPS - 1 :]
    known = replace(known, counts=counts)
    if counts[-1] > counts[0] + MOST_COMPILATIONS:
        return leave(known, "recompiles", "here", True, without_compiler, stay=True)
    if quiet:
        known = replace(known, times=(*known.times, event["seconds"])[-TIMES:])
        if len(known.times) == TIMES:
            median = statistics.median(known.times)
            known = replace(known, best=min(known.best or median, median))
            if median / known.best > SLOWER:
                return leave(known, "slow", "here", False, lambda b: b["step_s"] < median, stay=True)
    for other in above:
        if known.usable(other, step):
            return known, verdict("return", other["name"], "here", None)
    return known, verdict("go_on", name, "here", None)


### END SOLUTION
