"""Events of random runs, and their right figures. `events.md` describes the entries."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hotloop.judge.constants import constant
from hotloop.judge.seeds import Rng

Event = dict[str, Any]

QUANTILES = {"p50_s": 0.5, "p95_s": 0.95, "p99_s": 0.99}
REASONS = (
    'compilation failed: "aten::nonzero" has no static shape',
    "out of memory on C:\\device0\nat step",
    "NaN in the loss, {backend} put aside",
)
GRAPHS = ("train_step", 'vision["encoder"]', "text\\decoder")


@dataclass(frozen=True)
class RunShape:
    """Parameters of a run. slow: share of steps that take 2 to 5 times longer.

    seconds, spread: median of a step's time, and the deviation of its logarithm.
    recompute: "full" or "selective".
    """

    steps: int = 300
    devices: int = 4
    restarts: int = 1
    fallbacks: int = 2
    recompiles: int = 4
    slow: float = 0.04
    seconds: float = 0.2
    spread: float = 0.15
    recompute: str = "full"


def stream(rng: Rng, shape: RunShape) -> list[Event]:
    """Return the events of one run."""
    return _Run(rng, shape).events


def as_bytes(events: list[Event]) -> bytes:
    """Return the events as JSON lines."""
    return "".join(json.dumps(event) + "\n" for event in events).encode()


class _Run:
    """Generates a run, event by event."""

    def __init__(self, rng: Rng, shape: RunShape) -> None:
        self.rng, self.shape = rng, shape
        self.tokens = 256 * int(rng.integers(4, 64))
        self.memory = rng.uniform(2e9, 6e10, shape.devices)
        self.at = float(rng.uniform(5.0, 20.0))
        self.events: list[Event] = [self._header()]
        self._generate()

    def _header(self) -> Event:
        rng, shape = self.rng, self.shape
        parameters = int(rng.integers(10**8, 10**9))
        sequence = 256 * int(rng.integers(2, 9))
        layers, hidden = int(rng.integers(12, 48)), 256 * int(rng.integers(4, 16))
        flops = self.tokens * (6 * parameters + 12 * layers * hidden * sequence)
        busy = shape.seconds * rng.uniform(0.25, 0.55) * shape.devices
        return {
            "event": "run",
            "parameters": parameters,
            "layers": layers,
            "hidden": hidden,
            "sequence": sequence,
            "devices": shape.devices,
            "peak_flops": float(flops / busy),
            "recompute": shape.recompute,
        }

    def _generate(self) -> None:
        rng, shape = self.rng, self.shape
        inner = np.arange(2, shape.steps - 2)
        compiling = {int(n) for n in rng.choice(inner, shape.recompiles, replace=False)}
        falling = {int(n) for n in rng.choice(inner, shape.fallbacks, replace=False)}
        restarting = {int(n) for n in rng.choice(inner, shape.restarts, replace=False)}
        step = 0
        while step < shape.steps:
            if step in falling:
                falling.discard(step)
                self._fallback(step)
            compiled = self._compile(step, list(GRAPHS)) if step == 0 else 0.0
            if step in compiling:
                compiling.discard(step)
                compiled += self._compile(step, [str(rng.choice(GRAPHS))])
            self._step(step, compiled)
            step += 1
            if step in restarting:
                restarting.discard(step)
                step = max(0, step - int(rng.integers(5, 25)))
                self.at += float(rng.uniform(10, 60))
                self.events.append({"event": "restart", "at": self.at, "step": step})

    def _compile(self, step: int, graphs: list[str]) -> float:
        total = 0.0
        for graph in graphs:
            seconds = float(self.shape.seconds * self.rng.uniform(20, 60))
            self.at += seconds
            total += seconds
            entry = {"event": "compile", "at": self.at, "step": step}
            self.events.append({**entry, "graph": graph, "seconds": seconds})
        return total

    def _step(self, step: int, compiled: float) -> None:
        rng, shape = self.rng, self.shape
        seconds = float(shape.seconds * np.exp(shape.spread * rng.standard_normal()))
        if rng.random() < shape.slow:
            seconds *= float(rng.uniform(2, 5))
        self.at += seconds
        memory = self.memory * rng.uniform(0.6, 1.0, shape.devices)
        self.events.append(
            {
                "event": "step",
                "at": self.at,
                "step": step,
                "seconds": seconds + compiled,
                "tokens": self.tokens,
                "loss": float(8.0 * math.exp(-step / 200) + 0.2 * rng.standard_normal()),
                "memory_bytes": [int(each) for each in memory],
            }
        )

    def _fallback(self, step: int) -> None:
        backends = ["eager", "compile", "cuda_graphs", "jax"]
        before, after = (str(n) for n in self.rng.choice(backends, 2, replace=False))
        entry = {"event": "fallback", "at": self.at, "step": step}
        reason = str(self.rng.choice(REASONS)).replace("{backend}", before)
        self.events.append({**entry, "from": before, "to": after, "reason": reason})


@dataclass
class RunFigures:
    """The right figures of a run.

    ran: all steps. last: each step's final execution. steady: steps without a compilation.
    """

    run: Event = field(default_factory=dict[str, Any])
    ran: list[Event] = field(default_factory=list[Event])
    last: dict[int, Event] = field(default_factory=dict[int, Event])
    steady: list[Event] = field(default_factory=list[Event])
    compiles: Counter[str] = field(default_factory=Counter[str])
    fallbacks: Counter[tuple[str, str, str]] = field(default_factory=Counter[tuple[str, str, str]])
    compile_s: float = 0.0
    restarts: int = 0
    at: float = 0.0

    @property
    def mfu(self) -> float:
        """Model FLOPs utilization over the steady steps."""
        run = self.run
        each = 6 * run["parameters"] + 12 * run["layers"] * run["hidden"] * run["sequence"]
        able = sum(e["seconds"] for e in self.steady) * run["devices"] * run["peak_flops"]
        return each * sum(e["tokens"] for e in self.steady) / able

    @property
    def goodput(self) -> float:
        """Tokens per second of the steps that count; in a variant, per WINDOW seconds."""
        return (
            constant("WINDOW", 1, range(2, 401))
            * sum(e["tokens"] for e in self.last.values())
            / self.at
        )

    @property
    def memory(self) -> list[int]:
        """The peak bytes of each device."""
        return [max(e["memory_bytes"][n] for e in self.ran) for n in range(self.run["devices"])]

    def figures(self) -> dict[str, float]:
        """Return the right answer of `summary`."""
        seconds = [e["seconds"] for e in self.steady]
        return {
            "steps": len(self.last),
            "lost_steps": len(self.ran) - len(self.last),
            "compiles": self.compiles.total(),
            "recompiles": sum(n - 1 for n in self.compiles.values()),
            "fallbacks": self.fallbacks.total(),
            "restarts": self.restarts,
            **{name: quantile(seconds, q) for name, q in QUANTILES.items()},
            "compile_s": self.compile_s,
            "mfu": self.mfu,
            "goodput": self.goodput,
            "memory_peak_bytes": max(self.memory),
        }


def truth(events: list[Event]) -> RunFigures:
    """Compute the figures of a run's events."""
    figures, compiled = RunFigures(run=events[0]), set[int]()
    for event in events[1:]:
        figures.at = event["at"]
        kind, step = event["event"], event["step"]
        if kind == "compile":
            figures.compiles[event["graph"]] += 1
            figures.compile_s += event["seconds"]
            compiled.add(step)
        elif kind == "step":
            figures.ran.append(event)
            figures.last[step] = event
            if step not in compiled:
                figures.steady.append(event)
            compiled.discard(step)
        elif kind == "fallback":
            figures.fallbacks[event["from"], event["to"], event["reason"]] += 1
        else:
            figures.restarts += 1
    return figures


def quantile(seconds: list[float], q: float) -> float:
    """Return the element of rank ⌈q n⌉, without interpolation."""
    return sorted(seconds)[math.ceil(q * len(seconds)) - 1]
