"""A policy for continuous batching: which requests run in the next step, and how many tokens each.

`python simulator.py` tries it on a practice trace.
"""

import json
import math

### BEGIN SOLUTION llm_serving_engine.scheduler
### STUB def decide(view: dict) -> dict:
### STUB     """{"run": [[id, tokens], …], "preempt": [id, …]} for the next step."""
### STUB     raise NotImplementedError("llm_serving_engine.scheduler")
CHUNK_SHARE = 0.85
"""Of the limit on the time between tokens, how much a step may take."""


def decide(view: dict) -> dict:
    """{"run": [[id, tokens], …], "preempt": [id, …]} for the next step."""
    step = _Step(view)
    decoding = [r for r in view["running"] if r["computed"] == r["tokens"] - 1 and r["generated"]]
    for request in decoding:
        step.make_room(request)
        step.run(request, 1)
    busy = {r["id"] for r in decoding}
    prefilling = [r for r in view["running"] if r["id"] not in busy]
    for request in sorted(prefilling, key=lambda r: _urgency(r, view)):
        step.run(request, request["tokens"] - request["computed"])
    if not step.preempted:
        for request in sorted(view["waiting"], key=lambda r: _urgency(r, view)):
            if not step.admit(request):
                break
    if not step.rows:
        step.force(view)
    return {"run": list(map(list, step.rows.items())), "preempt": step.preempted}


def _urgency(request: dict, view: dict) -> tuple:
    """First who has waited far too long, then who can still be in time, then the others."""
    waited = view["now_ms"] - request["arrived_ms"]
    if request["first_ms"] is not None:
        return (1, request["arrived_ms"])
    if waited > view["patience_ms"] / 4:
        return (0, request["arrived_ms"])
    count = request["tokens"] - request["computed"]
    needed = _cost(view, count, request["computed"])
    late = waited + needed > view["ttft_ms"]
    return (2 if late else 1, request["arrived_ms"])


def _cost(view: dict, count: int, computed: int) -> float:
    """Milliseconds that a row of `count` tokens adds to a step."""
    step = view["step_ms"]
    context = count * computed + count * (count + 1) / 2
    return step["row"] + step["token"] * count + step["context"] * context


class _Step:
    """What is put together, and what is left of each limit."""

    def __init__(self, view: dict) -> None:
        self.view = view
        self.rows: dict[int, int] = {}
        self.preempted: list[int] = []
        self.free = view["free_blocks"]
        self.tokens = view["most_tokens"]
        self.places = view["most_rows"] - len(view["running"])
        self.ms = view["step_ms"]["base"]
        self.running = list(view["running"])

    def run(self, request: dict, count: int) -> bool:
        """Up to `count` tokens, as many as the limits leave; False if that is none."""
        if request["id"] in self.preempted:
            return False
        count = min(count, self.tokens, self._room(request))
        if count > 1:
            count = self._in_time(request, count)
        if count < 1:
            return False
        self.rows[request["id"]] = count
        self.tokens -= count
        self.free -= self._blocks(request, count)
        self.ms += _cost(self.view, count, request["computed"])
        return True

    def admit(self, request: dict) -> bool:
        """Let a waiting request run if its prompt fits beside what the others will need soon."""
        size = self.view["block_size"]
        reserve = len(self.running) + len(self.rows) // 2
        if self.places < 1 or math.ceil(request["tokens"] / size) + reserve > self.free:
            return False
        if not self.run(request, request["tokens"]):
            return False
        self.places -= 1
        return True

    def make_room(self, request: dict) -> None:
        """Preempt the latest arrivals until the request's next token has a place."""
        while self._room(request) < 1 and request["id"] not in self.preempted:
            able = [r for r in self.running if r["id"] not in (*self.rows, *self.preempted)]
            last = max(able, key=lambda r: r["arrived_ms"])
            self.preempted.append(last["id"])
            self.free += last["blocks"]

    def force(self, view: dict) -> None:
        """Nothing fits: go on with the oldest request, however long its step takes."""
        requests = [*view["running"], *view["waiting"]]
        oldest = min(requests, key=lambda r: r["arrived_ms"])
        for other in sorted(view["running"], key=lambda r: -r["arrived_ms"]):
            if other is oldest or self._room(oldest) >= 1:
                break
            self.preempted.append(other["id"])
            self.free += other["blocks"]
        left = oldest["tokens"] - oldest["computed"]
        self.rows[oldest["id"]] = min(left, self.tokens, self._room(oldest))

    def _room(self, request: dict) -> int:
        """Tokens that its own blocks and the free ones have room for."""
        blocks = request["blocks"] + self.free
        return blocks * self.view["block_size"] - request["computed"]

    def _blocks(self, request: dict, count: int) -> int:
        size = self.view["block_size"]
        return math.ceil((request["computed"] + count) / size) - request["blocks"]

    def _in_time(self, request: dict, count: int) -> int:
        """The longest chunk with which the step is short enough; all of it if nobody decodes."""
        if not self.rows:
            return count
        most = CHUNK_SHARE * self.view["tpot_ms"] - self.ms
        while count and _cost(self.view, count, request["computed"]) > most:
            count -= max(1, count // 16)
        return count


### END SOLUTION


def schedule(text: str) -> dict:
    """What the check calls: `decide`, for a view in JSON."""
    return decide(json.loads(text))
