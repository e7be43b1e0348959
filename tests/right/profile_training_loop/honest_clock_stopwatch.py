"""A stopwatch that is a context manager, and the warm-up as a loop of its own."""

### BEGIN SOLUTION profile_training_loop.honest_clock
from collections import defaultdict
from contextlib import contextmanager


class Stopwatch:
    def __init__(self, clock, synchronize):
        self.clock, self.synchronize = clock, synchronize
        self.totals = defaultdict(float)

    @contextmanager
    def measure(self, name):
        self.synchronize()
        begin = self.clock()
        yield
        self.synchronize()
        self.totals[name] += self.clock() - begin


def run_once(phases):
    for phase in phases.values():
        phase()


def time_per_step(phases, synchronize, clock, warmup, steps):
    for _ in range(warmup):
        run_once(phases)
    watch = Stopwatch(clock, synchronize)
    with watch.measure("all"):
        for _ in range(steps):
            run_once(phases)
    return watch.totals["all"] / steps


def time_per_phase(phases, synchronize, clock, warmup, steps):
    for _ in range(warmup):
        run_once(phases)
    watch = Stopwatch(clock, synchronize)
    for _ in range(steps):
        for name, phase in phases.items():
            with watch.measure(name):
                phase()
    return {name: total / steps for name, total in watch.totals.items()}


### END SOLUTION
