"""A discrete-event model of several workers with prefix caches, and of the links between them.

A worker computes steps, one after the other: one token for each request that decodes, and chunks
of prompts up to `most_tokens`. A step takes base_ms + token_ms for each token. The numbers are
those of a model of 8 billion parameters in 16 bits on a GPU with 3.35 TB/s that reaches 400
TFLOP/s: 4.8 ms to read the weights, 0.04 ms of arithmetic a token. What attention adds is left out.

A router decides once for each request, when it arrives: which worker computes its prompt, and which
one decodes. If they differ, keys and values are sent over the first one's link. The check runs your
router in this same model, on traces that you do not know.

    python cluster.py            # your routers on practice traces
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np


class Illegal(Exception):
    """A decision that no cluster could carry out."""


@dataclass(frozen=True)
class Limits:
    """A worker's limits and times, and the latencies to keep.

    block: tokens of a block of the prefix cache, which has `cache_blocks` of them on each worker.
    kv_ms: to send keys and values of a token; each transfer takes link_ms besides.
    """

    block: int = 64
    cache_blocks: int = 1000
    most_tokens: int = 512
    most_rows: int = 48
    base_ms: float = 4.8
    token_ms: float = 0.04
    kv_ms: float = 0.005
    link_ms: float = 2.0
    ttft_ms: float = 400.0
    tpot_ms: float = 15.0


@dataclass(eq=False)
class Request:
    """blocks: of its prompt, each named by the whole prefix up to its end.

    output: tokens that will be generated; secret.
    """

    id: int
    arrived_ms: float
    prompt: int
    blocks: tuple[int, ...]
    output: int
    prefill: int = -1
    decode: int = -1
    computed: int = -1
    generated: int = 0
    first_ms: float = 0.0
    last_ms: float = 0.0


@dataclass(eq=False)
class Worker:
    """waiting: requests with a prompt to compute. joining: with the time at which they can decode.

    cache: blocks, the one that was idle longest first.
    """

    id: int
    role: str
    free_ms: float = 0.0
    link_free_ms: float = 0.0
    waiting: list[Request] = field(default_factory=list)
    joining: list[tuple[float, Request]] = field(default_factory=list)
    rows: list[Request] = field(default_factory=list)
    cache: OrderedDict[int, None] = field(default_factory=OrderedDict)

    def hit(self, request: Request) -> int:
        """How many of the prompt's first blocks are cached."""
        for count, block in enumerate(request.blocks):
            if block not in self.cache:
                return count
        return len(request.blocks)

    def keep(self, blocks: tuple[int, ...], most: int) -> None:
        """Cache a prompt's blocks; what was idle longest goes, a prompt's end before its start."""
        for block in reversed(blocks):
            self.cache[block] = None
            self.cache.move_to_end(block)
        while len(self.cache) > most:
            self.cache.popitem(last=False)


class Cluster:
    """Workers, requests that arrive, and what becomes of them."""

    def __init__(self, requests: list[Request], roles: list[str], limits: Limits) -> None:
        self.coming = sorted(requests, key=lambda r: r.arrived_ms)
        self.workers = [Worker(number, role) for number, role in enumerate(roles)]
        self.limits = limits
        self.done: list[Request] = []
        self.hits = self.tokens = 0

    def advance(self) -> dict | None:
        """Let time pass until the next request arrives; what a router sees then, or None."""
        while True:
            worker = min(self.workers, key=self._start_ms)
            start = self._start_ms(worker)
            arrival = self.coming[0].arrived_ms if self.coming else math.inf
            if arrival <= start:
                return None if math.isinf(arrival) else self._view(self.coming[0])
            self._step(worker, start)

    def decide(self, prefill: int, decode: int) -> None:
        """Send the request that has arrived to these workers."""
        request = self.coming.pop(0)
        for number, roles in ((prefill, ("prefill", "both")), (decode, ("decode", "both"))):
            if number not in range(len(self.workers)):
                raise Illegal(f"there is no worker {number}")
            role = self.workers[number].role
            if role not in roles and prefill != decode:
                raise Illegal(f"worker {number} is for {role}")
        if self.workers[decode].role == "prefill":
            raise Illegal(f"worker {decode} does not decode")
        request.prefill, request.decode = prefill, decode
        worker = self.workers[prefill]
        worker.waiting.append(request)
        worker.free_ms = max(worker.free_ms, request.arrived_ms)  # it may have been idle

    def good(self) -> int:
        """Requests that have met both limits."""
        return sum(meets(request, self.limits) for request in self.done)

    def _view(self, request: Request) -> dict:
        now, limits = request.arrived_ms, self.limits
        workers = [
            {
                "id": worker.id,
                "role": worker.role,
                "busy_ms": max(0.0, worker.free_ms - now),
                "link_busy_ms": max(0.0, worker.link_free_ms - now),
                "queued_tokens": sum(self._left(worker, each) for each in worker.waiting),
                "decoding": len(worker.rows) + len(worker.joining),
                "cached_tokens": self._cached(worker, request),
            }
            for worker in self.workers
        ]
        names = ("most_tokens", "most_rows", "base_ms", "token_ms", "kv_ms", "link_ms")
        return {
            "request": {"id": request.id, "prompt": request.prompt},
            "workers": workers,
            **{name: getattr(limits, name) for name in (*names, "ttft_ms", "tpot_ms")},
        }

    def _cached(self, worker: Worker, request: Request) -> int:
        """Cached tokens of a prompt, of which at least one is computed."""
        return min(worker.hit(request) * self.limits.block, request.prompt - 1)

    def _left(self, worker: Worker, request: Request) -> int:
        done = request.computed if request.computed >= 0 else self._cached(worker, request)
        return request.prompt - done

    def _start_ms(self, worker: Worker) -> float:
        """When a worker's next step begins."""
        if worker.waiting or worker.rows:
            return worker.free_ms
        return max(worker.free_ms, min((at for at, _ in worker.joining), default=math.inf))

    def _step(self, worker: Worker, start: float) -> None:
        limits = self.limits
        for at, request in sorted(worker.joining, key=lambda pair: pair[0]):
            if at <= start and len(worker.rows) < limits.most_rows:
                worker.rows.append(request)
                worker.joining.remove((at, request))
        left = limits.most_tokens - len(worker.rows)
        tokens = len(worker.rows)
        finished: list[Request] = []
        for request in worker.waiting:
            if left <= 0:
                break
            if request.computed < 0:
                request.computed = self._cached(worker, request)
                self.hits += request.computed
            count = min(left, request.prompt - request.computed)
            request.computed += count
            left, tokens = left - count, tokens + count
            if request.computed == request.prompt:
                finished.append(request)
        self.tokens += tokens
        end = worker.free_ms = start + limits.base_ms + limits.token_ms * tokens
        for request in list(worker.rows):
            self._generate(request, worker, end)
        for request in finished:
            worker.waiting.remove(request)
            worker.keep(request.blocks, limits.cache_blocks)
            self._hand_over(request, worker, end)

    def _hand_over(self, request: Request, worker: Worker, end: float) -> None:
        """The prompt is computed, and its first token with it."""
        request.first_ms = request.last_ms = end
        request.generated = 1
        if request.generated == request.output:
            self.done.append(request)
            return
        decoder, ready = self.workers[request.decode], end
        if decoder is not worker:
            begin = max(end, worker.link_free_ms)
            ready = begin + self.limits.link_ms + self.limits.kv_ms * request.prompt
            worker.link_free_ms = ready
            decoder.keep(request.blocks, self.limits.cache_blocks)
        decoder.joining.append((ready, request))

    def _generate(self, request: Request, worker: Worker, end: float) -> None:
        request.generated += 1
        request.last_ms = end
        if request.generated == request.output:
            worker.rows.remove(request)
            self.done.append(request)


def meets(request: Request, limits: Limits) -> bool:
    """True when the first token came in time, and the others as fast as asked, on average."""
    between = (request.last_ms - request.first_ms) / max(1, request.output - 1)
    return request.first_ms - request.arrived_ms <= limits.ttft_ms and between <= limits.tpot_ms


def conversations(
    rng: np.random.Generator, count: int, per_s: float, systems: int = 6, block: int = 64
) -> list[Request]:
    """Requests of conversations: each turn's prompt is all that was said before, and some more.

    Some conversations begin with one of `systems` system prompts, of which a few are popular.
    """
    shares = 1 / np.arange(1, systems + 1) ** 1.2
    begun = [tuple(range(-1000 * (s + 1), -1000 * (s + 1) + 16 + 8 * s)) for s in range(systems)]
    names = iter(range(10**9))
    found: list[Request] = []
    now = 0.0
    while len(found) < count:
        now += float(rng.exponential(1000 * 3 / per_s))  # three turns on average
        at = now
        blocks = begun[int(rng.choice(systems, p=shares / shares.sum()))]
        for _ in range(int(rng.geometric(1 / 3))):
            fresh = int(np.clip(rng.lognormal(6.4, 0.9), 50, 6000))
            blocks = (*blocks, *(next(names) for _ in range(fresh // block)))
            prompt = len(blocks) * block + int(rng.integers(1, block))
            output = min(300, 16 + int(rng.geometric(1 / 60)))
            found.append(Request(0, at, prompt, blocks, output))
            blocks = (*blocks, *(next(names) for _ in range(output // block + 1)))
            at += float(rng.exponential(4000))
    found = sorted(found, key=lambda r: r.arrived_ms)[:count]
    for number, request in enumerate(found):
        request.id = number
    return found


def documents(
    rng: np.random.Generator, count: int, per_s: float, long: float = 0.3, block: int = 64
) -> list[Request]:
    """Requests without a common beginning: short questions, and a share of long documents."""
    found, now, names = [], 0.0, iter(range(10**9))
    for number in range(count):
        now += float(rng.exponential(1000 / per_s))
        short = np.clip(rng.lognormal(4.6, 0.7), 16, 400)
        prompt = int(rng.integers(1500, 5000) if rng.random() < long else short)
        blocks = tuple(next(names) for _ in range(prompt // block))
        output = min(300, 16 + int(rng.geometric(1 / 80)))
        found.append(Request(number, now, prompt, blocks, output))
    return found


def play(cluster: Cluster, decide: Callable[[dict], list[int]]) -> Cluster:
    """Until all requests are done. decide: gives the workers for prompt and decoding."""
    while (view := cluster.advance()) is not None:
        cluster.decide(*decide(view))
    return cluster


if __name__ == "__main__":
    from router import place, route

    for per_s in (12, 16, 20):
        trace = conversations(np.random.default_rng(0), 300, float(per_s))
        played = play(Cluster(trace, ["both"] * 4, Limits()), lambda v: [route(v)] * 2)
        print(
            f"route: {per_s} requests/s: {played.good() / 3:.0f} % meet both limits, "
            f"{played.hits} tokens of prompts were cached"
        )
    for per_s in (10, 14, 18):
        trace = documents(np.random.default_rng(0), 300, float(per_s))
        roles = ["prefill", "prefill", "decode", "decode"]
        played = play(Cluster(trace, roles, Limits()), place)
        print(f"place: {per_s} requests/s: {played.good() / 3:.0f} % meet both limits")
