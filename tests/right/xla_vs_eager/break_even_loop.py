"""A dataclass with properties; the break-even by counting steps up to it."""


### BEGIN SOLUTION xla_vs_eager.break_even
import json
from dataclasses import dataclass
from functools import cached_property


def middle(values):
    values = sorted(values)
    half = len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2


@dataclass
class Recording:
    eager: list
    compiled: list
    events: list
    storm_every: int

    @cached_property
    def compiling(self):
        return {event[0] for event in self.events}

    @property
    def spent(self):
        return sum(event[2] for event in self.events)

    @cached_property
    def gain(self):
        return self.usual("eager") - self.usual("compiled")

    def usual(self, run):
        left_out = self.compiling if run == "compiled" else ()
        steps = getattr(self, run)
        return middle(s["ready_s"] for n, s in enumerate(steps) if n not in left_out)

    @property
    def pays_after(self):
        if self.gain <= 0:
            return None
        steps = int(self.spent / self.gain) - 1
        while steps * self.gain < self.spent:
            steps += 1
        return steps


def break_even(path):
    recording = Recording(**json.load(open(path)))
    programs = len(recording.compiling)
    return dict(
        programs=programs,
        compile_s=recording.spent,
        eager_step_s=recording.usual("eager"),
        compiled_step_s=recording.usual("compiled"),
        break_even=recording.pays_after,
        with_storm=recording.storm_every * recording.gain > recording.spent / programs,
        gain_s=recording.gain,
    )


### END SOLUTION
