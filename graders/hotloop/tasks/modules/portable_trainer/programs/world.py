"""The backends that a trainer uses, and their faults.

Training happens here, in a process that the candidate's cannot reach. Each state that leaves it is
recorded by its digest, together with the samples and losses that made it, so a returned state can
be identified.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import run
import shapes
import torch
import vlm

torch.set_num_threads(1)

Arrays = dict[str, np.ndarray]


class Violation(Exception):
    """Something that no trainer may do. The message is the beginning of a sentence."""


@dataclass(frozen=True)
class Lineage:
    """The history of a state: the samples and the loss of each step.

    spoiled: its weights are NaN.
    """

    numbers: tuple[tuple[int, ...], ...] = ()
    losses: tuple[float, ...] = ()
    spoiled: bool = False


@dataclass
class Cluster:
    """A run with faults.

    faults: mappings with kind, backend or None, first, last, times. known: histories by digest.
    lineage: of the current state; None if there is no valid state. steps_done: all trained steps.
    """

    seed: int
    backends: list[dict[str, Any]]
    faults: list[dict[str, Any]]
    current: str | None = None
    known: dict[str, Lineage] = field(default_factory=dict)
    lineage: Lineage | None = None
    compiled: int = 0
    fresh: bool = True
    steps_done: int = 0
    events: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Initialize the random generator and the counters."""
        self.rng = np.random.default_rng(self.seed)
        self.used = [0] * len(self.faults)
        self.outlier_in = 4

    def take_up(self, name: str, arrays: Arrays | None) -> dict[str, Any] | None:
        """Compile a backend and load a state; return None, or the event `compile_failed`.

        Raises Violation if the backend or the state is unknown.
        """
        if name not in [backend["name"] for backend in self.backends]:
            raise Violation(f"there is no backend called {name!r:.40}")
        lineage = Lineage() if arrays is None else self.known.get(digest(arrays))
        if lineage is None:
            raise Violation("it takes a backend up with a state that no backend has had")
        step = len(lineage.numbers)
        if self._strikes("compile_failed", name, step):
            self.current = self.lineage = None
            return self._reported({"kind": "compile_failed", "backend": name, "step": step})
        self.current, self.lineage, self.compiled, self.fresh = name, lineage, 0, True
        self.model = vlm.made(self.seed)
        self.optimizer = run.optimizer_of(self.model)
        self.noise = torch.Generator().manual_seed(self.seed + 1)
        if arrays is not None:
            self._load(arrays)
        self.events.append({"kind": "taken_up", "backend": name, "step": step})
        return None

    def step(self, numbers: list[int]) -> dict[str, Any]:
        """Train on these samples; return the event.

        The step's number follows from the state's history.
        """
        lineage, name = self._in_use()
        step = len(lineage.numbers)
        for kind in ("rank_lost", "out_of_memory"):
            if self._strikes(kind, name, step):
                self.lineage = None
                return self._reported({"kind": kind, "backend": name, "step": step})
        backend = next(b for b in self.backends if b["name"] == name)
        again = self._strikes("recompiles", name, step) and backend["compiled"]
        first, self.fresh = self.fresh, False
        self.compiled += int(backend["compiled"] and (first or again))
        seconds = backend["step_s"] * self._jitter() * (30 if first or again else 1)
        if self._strikes("slow", name, step):
            seconds *= 3
        loss = self._train(numbers)
        if self._strikes("not_finite", name, step):
            loss = math.nan
            self._spoil()
        spoiled = lineage.spoiled or math.isnan(loss)
        self.lineage = Lineage((*lineage.numbers, tuple(numbers)), (*lineage.losses, loss), spoiled)
        self.steps_done += 1
        reported = {"loss": loss, "seconds": seconds, "compilations": self.compiled}
        return self._reported({"kind": "step", "backend": name, "step": step, **reported})

    def state(self) -> Arrays:
        """Return all arrays, and record their history."""
        lineage, _ = self._in_use()
        arrays = {f"model.{n}": v.numpy().copy() for n, v in self.model.state_dict().items()}
        for name, parameter in self.model.named_parameters():
            velocity = self.optimizer.state[parameter].get("momentum_buffer")
            if velocity is None:
                velocity = torch.zeros_like(parameter)
            arrays[f"velocity.{name}"] = np.array(velocity.numpy(force=True))
        arrays["rng.noise"] = self.noise.get_state().numpy()
        self.known[digest(arrays)] = lineage
        self.events.append({"kind": "state", "step": len(lineage.numbers)})
        return arrays

    def _in_use(self) -> tuple[Lineage, str]:
        if self.current is None or self.lineage is None:
            raise Violation("it goes on with a backend that has no state to be trusted")
        return self.lineage, self.current

    def _load(self, arrays: Arrays) -> None:
        tensors = {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}
        self.model.load_state_dict({n: tensors[f"model.{n}"] for n in self.model.state_dict()})
        for name, parameter in self.model.named_parameters():
            self.optimizer.state[parameter]["momentum_buffer"] = tensors[f"velocity.{name}"]
        self.noise.set_state(tensors["rng.noise"])

    def _train(self, numbers: list[int]) -> float:
        if not numbers or not all(0 <= n < run.SAMPLES for n in numbers):
            raise Violation("it trains with samples that there are not")
        pictures, captions = shapes.batch(numbers)
        pictures = pictures + run.NOISE * torch.randn(pictures.shape, generator=self.noise)
        loss = self.model(pictures, captions)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def _spoil(self) -> None:
        with torch.no_grad():
            for parameter in self.model.parameters():
                parameter.mul_(math.nan)

    def _strikes(self, kind: str, name: str, step: int) -> bool:
        for place, fault in enumerate(self.faults):
            met = fault["kind"] == kind and fault["backend"] in (None, name)
            met = met and fault["first"] <= step <= fault["last"]
            if met and self.used[place] < fault["times"]:
                self.used[place] += 1
                return True
        return False

    def _jitter(self) -> float:
        self.outlier_in -= 1
        if self.outlier_in <= 0:
            self.outlier_in = int(self.rng.integers(4, 12))
            return float(self.rng.uniform(3, 6))
        return float(np.exp(0.05 * self.rng.standard_normal()))

    def _reported(self, event: dict[str, Any]) -> dict[str, Any]:
        self.events.append(event)
        return event


def digest(arrays: Arrays) -> str:
    """Return a state's SHA-256, in hex."""
    total = hashlib.sha256()
    for name in sorted(arrays):
        total.update(f"{name} {arrays[name].dtype} {list(arrays[name].shape)}".encode())
        total.update(np.ascontiguousarray(arrays[name]).tobytes())
    return total.hexdigest()
