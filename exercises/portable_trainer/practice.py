"""A cluster to practise on: what `remote.py` has, in this process, with troubles that you choose.

cluster = practice.Cluster(troubles=[practice.Trouble("slow", "compile", 12, 24)])
trainer.train(cluster, folder)
SVG(practice.drawn(cluster))
"""

import math
from dataclasses import dataclass

import numpy as np
import run
import samples
import shapes
import torch
import vlm

from hotloop.core import svg

BACKENDS = [
    {"name": "cuda_graphs", "memory_gib": 32.0, "compiled": True, "step_s": 0.10},
    {"name": "compile", "memory_gib": 24.0, "compiled": True, "step_s": 0.13},
    {"name": "eager", "memory_gib": 40.0, "compiled": False, "step_s": 0.19},
    {"name": "sharded", "memory_gib": 12.0, "compiled": False, "step_s": 0.27},
]


@dataclass
class Trouble:
    """A fault of a backend, or of all if None, from one step to another, and how often at most."""

    kind: str
    backend: str | None
    first: int
    last: int
    times: int = 1000


class Cluster:
    """Backends that fail as they are told."""

    def __init__(self, troubles=(), seed=1, steps=40, every=5):
        self.backends, self.steps, self.every = BACKENDS, steps, every
        self.troubles, self.seed, self.history = list(troubles), seed, []
        self.rng = np.random.default_rng(seed)

    def numbers(self, step):
        """The samples of a step."""
        return samples.numbers(self.seed, step)

    def take_up(self, name, arrays):
        """Compile, and begin with a state."""
        step = 0 if arrays is None else int(arrays["practice.step"][0])
        if self._strikes("compile_failed", name, step):
            return self._told({"kind": "compile_failed", "backend": name, "step": step})
        self.name, self.compilations, self.fresh, self.done = name, 0, True, step
        self.model = vlm.made(self.seed)
        self.optimizer = run.optimizer_of(self.model)
        self.noise = torch.Generator().manual_seed(self.seed + 1)
        if arrays is not None:
            self._load(arrays)
        return None

    def step(self, step):
        """Train on the samples of a step."""
        for kind in ("rank_lost", "out_of_memory"):
            if self._strikes(kind, self.name, step):
                return self._told({"kind": kind, "backend": self.name, "step": step})
        backend = next(b for b in self.backends if b["name"] == self.name)
        compiles = self.fresh or self._strikes("recompiles", self.name, step)
        self.compilations += int(backend["compiled"] and compiles)
        self.fresh, self.done = False, step + 1
        seconds = backend["step_s"] * math.exp(0.05 * self.rng.standard_normal())
        seconds *= (3 if self._strikes("slow", self.name, step) else 1) * (30 if compiles else 1)
        loss = self._train(self.numbers(step))
        if self._strikes("not_finite", self.name, step):
            loss = math.nan
            with torch.no_grad():
                self.model.log_scale.fill_(math.nan)
        about = {"kind": "step", "backend": self.name, "step": step, "loss": loss}
        return self._told(about | {"seconds": seconds, "compilations": self.compilations})

    def state(self):
        """The arrays of the backend in use."""
        arrays = {f"model.{n}": v.numpy().copy() for n, v in self.model.state_dict().items()}
        for name, parameter in self.model.named_parameters():
            velocity = self.optimizer.state[parameter].get("momentum_buffer")
            velocity = torch.zeros_like(parameter) if velocity is None else velocity
            arrays[f"velocity.{name}"] = velocity.numpy(force=True).copy()
        arrays["rng.noise"] = self.noise.get_state().numpy()
        return arrays | {"practice.step": np.array([self.done])}

    def _load(self, arrays):
        tensors = {name: torch.tensor(array) for name, array in arrays.items()}
        self.model.load_state_dict({n: tensors[f"model.{n}"] for n in self.model.state_dict()})
        for name, parameter in self.model.named_parameters():
            self.optimizer.state[parameter]["momentum_buffer"] = tensors[f"velocity.{name}"]
        self.noise.set_state(tensors["rng.noise"])

    def _train(self, numbers):
        pictures, captions = shapes.batch(numbers)
        pictures = pictures + run.NOISE * torch.randn(pictures.shape, generator=self.noise)
        loss = self.model(pictures, captions)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def _strikes(self, kind, name, step):
        for trouble in self.troubles:
            met = trouble.kind == kind and trouble.backend in (None, name)
            if met and trouble.first <= step <= trouble.last and trouble.times:
                trouble.times -= 1
                return True
        return False

    def _told(self, event):
        self.history.append(event)
        return event


def drawn(cluster):
    """What happened, in order: a row a backend, a mark an event, as SVG."""
    rows = {backend["name"]: 30 + 34 * n for n, backend in enumerate(cluster.backends)}
    width, height = 130 + 14 * len(cluster.history), 40 + 34 * len(rows)
    parts = [svg.text(6, y + 5, name) for name, y in rows.items()]
    for place, event in enumerate(cluster.history):
        x, y = 120 + 14 * place, rows[event["backend"]]
        bad = event["kind"] != "step" or not math.isfinite(event["loss"])
        what = event["kind"] if event["kind"] != "step" else f"loss {event['loss']:.3f}"
        title = f"step {event['step']}: {what}"
        if bad:
            cross = f"M{x - 5} {y - 5}L{x + 5} {y + 5}M{x - 5} {y + 5}L{x + 5} {y - 5}"
            parts.append(svg.path(cross, stroke="#d33", stroke_width=3, title=title))
            continue
        size = min(6.0, 2 + 8 * event["seconds"])
        parts.append(svg.circle(x, y, size, fill="#38a", title=title))
        if event["step"] % 10 == 0:
            label = {"text_anchor": "middle", "font_size": 11}
            parts.append(svg.text(x, height - 4, str(event["step"]), **label))
    style = {"width": width, "height": height, "font_size": 13}
    return svg.picture(width, height, parts, "Events of the training, by backend", **style)
