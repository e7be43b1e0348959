"""A discrete-event model of an engine: time passes in steps, whose length follows from recordings.

A step takes base + row · rows + token · tokens + context · (for each token, how many it attends to)
milliseconds; the four numbers were fitted to steps of the small decoder on a CPU
(`step_times.json`). The check runs your policy in this same model, on traces that you do not know.

    python simulator.py          # your policy on a practice trace
"""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

STEP_MS = json.loads(Path(__file__).with_name("step_times.json").read_text())


class Illegal(Exception):
    """A decision that no engine could carry out, or that leaves requests waiting forever."""


@dataclass
class Request:
    """tokens: of the prompt and generated so far. output: how many will be generated; secret."""

    id: int
    arrived_ms: float
    prompt: int
    output: int
    computed: int = 0
    generated: int = 0
    blocks: int = 0
    first_ms: float | None = None
    last_ms: float | None = None

    @property
    def tokens(self) -> int:
        return self.prompt + self.generated

    def view(self) -> dict:
        """What a policy sees of it."""
        names = ("id", "arrived_ms", "tokens", "computed", "generated", "blocks")
        times = {"first_ms": self.first_ms, "last_ms": self.last_ms}
        return {**{name: getattr(self, name) for name in names}, **times}


@dataclass(frozen=True)
class Limits:
    """blocks of block_size tokens; the most tokens and rows of a step; the latencies to keep.

    patience_ms: no request may wait longer for its first token, whatever happens.
    """

    blocks: int
    block_size: int = 16
    most_tokens: int = 256
    most_rows: int = 24
    ttft_ms: float = 40.0
    tpot_ms: float = 6.0
    patience_ms: float = 1e9


class Engine:
    """Requests that arrive, wait, run and end."""

    def __init__(self, requests: list[Request], limits: Limits) -> None:
        self.coming = sorted(requests, key=lambda r: r.arrived_ms)
        self.waiting: list[Request] = []
        self.running: list[Request] = []
        self.done: list[Request] = []
        self.limits = limits
        self.free = limits.blocks
        self.now = 0.0
        self.steps = self.preemptions = 0
        self._arrive()

    def view(self) -> dict:
        """What a policy is told. Waiting requests by arrival, running ones since they run."""
        limits = self.limits
        names = ("block_size", "most_tokens", "most_rows", "ttft_ms", "tpot_ms", "patience_ms")
        return {
            "now_ms": self.now,
            "free_blocks": self.free,
            **{name: getattr(limits, name) for name in names},
            "step_ms": STEP_MS,
            "waiting": [request.view() for request in self.waiting],
            "running": [request.view() for request in self.running],
        }

    def step(self, run: list[list[int]], preempt: list[int]) -> None:
        """Carry out a decision: stop `preempt`, then compute [id, tokens] of `run`."""
        self._preempt(preempt)
        self._check(run, preempt)
        known = {request.id: request for request in (*self.waiting, *self.running)}
        context = 0
        for number, count in run:
            request = known[number]
            if request in self.waiting:
                self.waiting.remove(request)
                self.running.append(request)
            self._grow(request, count)
            context += sum(range(request.computed + 1, request.computed + count + 1))
            request.computed += count
        self.steps += 1
        self.now += step_ms(len(run), sum(count for _, count in run), context)
        for number, _ in run:
            self._generate(known[number])
        self._arrive()
        self._require_patience()

    @property
    def finished(self) -> bool:
        return not (self.coming or self.waiting or self.running)

    def good(self) -> int:
        """Finished requests that have met both limits."""
        return sum(meets(request, self.limits) for request in self.done)

    def _arrive(self) -> None:
        if not self.waiting and not self.running and self.coming:
            self.now = max(self.now, self.coming[0].arrived_ms)
        while self.coming and self.coming[0].arrived_ms <= self.now:
            self.waiting.append(self.coming.pop(0))

    def _preempt(self, numbers: list[int]) -> None:
        for number in numbers:
            found = [request for request in self.running if request.id == number]
            if not found:
                raise Illegal(f"request {number} is to be preempted and does not run")
            (request,) = found
            self.running.remove(request)
            self.free += request.blocks
            request.blocks = request.computed = 0
            self.preemptions += 1
            self.waiting.append(request)
            self.waiting.sort(key=lambda r: r.arrived_ms)

    def _check(self, run: list[list[int]], preempt: list[int]) -> None:
        limits = self.limits
        known = {request.id: request for request in (*self.waiting, *self.running)}
        numbers = [number for number, _ in run]
        if not run:
            raise Illegal("nothing runs in this step, although requests are there")
        if len(set(numbers)) < len(numbers):
            raise Illegal("a request is to run twice in one step")
        for number, count in run:
            if number not in known or number in preempt:
                raise Illegal(f"request {number} cannot run in this step")
            left = known[number].tokens - known[number].computed
            if not 1 <= count <= left:
                raise Illegal(f"{count} tokens of request {number} are to run, it has {left} left")
        if sum(count for _, count in run) > limits.most_tokens:
            raise Illegal(f"more than {limits.most_tokens} tokens in a step")
        rows = len(self.running) + sum(request.id in numbers for request in self.waiting)
        if rows > limits.most_rows:
            raise Illegal(f"{rows} requests would run, {limits.most_rows} may")

    def _grow(self, request: Request, count: int) -> None:
        needed = math.ceil((request.computed + count) / self.limits.block_size) - request.blocks
        if needed > self.free:
            raise Illegal(
                f"request {request.id} needs {needed} more blocks, and {self.free} are free"
            )
        self.free -= needed
        request.blocks += needed

    def _generate(self, request: Request) -> None:
        if request.computed < request.tokens:
            return
        request.generated += 1
        request.last_ms = self.now
        if request.first_ms is None:
            request.first_ms = self.now
        if request.generated == request.output:
            self.running.remove(request)
            self.done.append(request)
            self.free += request.blocks

    def _require_patience(self) -> None:
        for request in (*self.waiting, *self.running):
            waited = self.now - request.arrived_ms
            if request.first_ms is None and waited > self.limits.patience_ms:
                raise Illegal(
                    f"request {request.id} has waited {waited:.0f} ms for its first token, "
                    f"longer than {self.limits.patience_ms:.0f}"
                )


def step_ms(rows: int, tokens: int, context: int) -> float:
    """How long a step takes."""
    parts = {"base": 1, "row": rows, "token": tokens, "context": context}
    return sum(STEP_MS[name] * count for name, count in parts.items())


def meets(request: Request, limits: Limits) -> bool:
    """True when the first token came in time, and the others as fast as asked, on average."""
    assert request.first_ms is not None
    assert request.last_ms is not None
    between = (request.last_ms - request.first_ms) / max(1, request.output - 1)
    first = request.first_ms - request.arrived_ms
    return first <= limits.ttft_ms and between <= limits.tpot_ms


def trace(rng: np.random.Generator, count: int, per_s: float, burst: float = 1.0) -> list[Request]:
    """Requests that arrive at random (Poisson), `burst` of them at a time on average."""
    found, now = [], 0.0
    while len(found) < count:
        now += float(rng.exponential(1000 * burst / per_s))
        for _ in range(int(rng.geometric(1 / burst))):
            prompt = int(np.clip(rng.lognormal(4.4, 0.8), 8, 250))
            output = 2 + int(rng.geometric(1 / 22))
            found.append(Request(len(found), now, prompt, min(output, 120)))
    return found[:count]


def play(engine: Engine, decide: Callable[[dict], dict]) -> Engine:
    """Until all requests are done."""
    while not engine.finished:
        decision = decide(engine.view())
        engine.step(decision["run"], decision["preempt"])
    return engine


if __name__ == "__main__":
    from scheduler import decide

    for per_s in (60, 110, 160):
        engine = Engine(trace(np.random.default_rng(0), 200, per_s), Limits(blocks=260))
        play(engine, decide)
        print(
            f"{per_s} requests/s: {engine.good() / 2:.0f} % meet both limits, "
            f"{engine.preemptions} preemptions, {engine.steps} steps"
        )
