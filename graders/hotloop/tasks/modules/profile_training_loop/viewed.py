"""What a viewer shows of a trace: a gap, a wait, the memory peak, TensorBoard's bars."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

import numpy as np

from hotloop.judge.questions import GivenFile, Question, figures_mismatch
from hotloop.judge.seeds import Rng
from hotloop.tasks.modules.profile_training_loop.drawn_loop import (
    CAUSES,
    LOADER,
    MAIN,
    SYNCHRONIZE,
    DrawnLoop,
    Event,
)

Answer = Mapping[str, float | str | None]
Span = tuple[int, int]
EXACT = 1e-6
DECISIVE = 1.2
"""The largest gap, wait or kernel is at least so many times the next one."""
WORK = {"kernel": "Kernel", "gpu_memcpy": "Memcpy", "gpu_memset": "Memset"}
BARS = (*WORK.values(), "Runtime", "DataLoader", "CPU Exec")
"""TensorBoard's categories; where several apply, the first one counts."""


def questions(answer: Callable[[Viewed], Answer], rng: Rng) -> Iterator[Question]:
    """Yield a question for each cause of a gap. answer: returns the right answer."""
    for loop in decisive(rng):
        viewed = Viewed(loop.events)
        file = GivenFile("run.pt.trace.json", json.dumps(loop.document()).encode())
        mismatch = partial(figures_mismatch, answer(viewed), EXACT)
        yield Question(f"A trace of {len(viewed.steps)} steps", (file,), mismatch)


def decisive(rng: Rng) -> Iterator[DrawnLoop]:
    """Yield a loop for each cause, in which no second answer is nearly as good."""
    for cause in CAUSES:
        while True:
            loop = DrawnLoop(rng, int(rng.integers(6, 9)), cause)
            viewed = Viewed(loop.events)
            tables = (viewed.gaps(), viewed.waits(), viewed.waited_for())
            if all(_stands_out(table) for table in tables):
                yield loop
                break


def _stands_out(table: Mapping[int, float] | Mapping[str, float]) -> bool:
    *_, second, first = (0.0, *sorted(table.values()))
    return first > DECISIVE * second


class Viewed:
    """The events of a trace, and what can be read from their places on the timeline."""

    def __init__(self, events: list[Event]) -> None:
        lasting = [event for event in events if event["ph"] == "X"]
        self._events = events
        self._ops = [event for event in lasting if event["cat"] == "cpu_op"]
        self._work = [event for event in lasting if event["cat"] in WORK]
        self._calls = [event for event in lasting if event["cat"].startswith("cuda_")]
        notes = [event for event in lasting if event["cat"] == "user_annotation"]
        self._ranges = [note for note in notes if not note["name"].startswith("ProfilerStep#")]
        steps = [note for note in notes if note["name"].startswith("ProfilerStep#")]
        self.steps = {int(step["name"].partition("#")[2]): span(step) for step in steps}

    def work_of(self, step: int) -> list[Span]:
        """Return when the GPU did what was launched in a step, wherever it ran."""
        first, last = self.steps[step]
        launched = {
            call["args"]["correlation"] for call in self._calls if first <= call["ts"] < last
        }
        return [span(work) for work in self._work if work["args"]["correlation"] in launched]

    def between(self, step: int) -> Span:
        """Return the time between the work of a step and that of the next one."""
        last = max(end for _, end in self.work_of(step))
        return last, min(start for start, _ in self.work_of(step + 1))

    def gaps(self) -> dict[int, int]:
        """Return the microseconds after each step, but the last one, without work of a step."""
        return {step: max(0, length(self.between(step))) for step in sorted(self.steps)[:-1]}

    def gap(self) -> Answer:
        """Return the longest gap, and what the host did in it."""
        gaps = self.gaps()
        after = max(gaps, key=gaps.__getitem__)
        window = self.between(after)
        shown = [event for event in (*self._ops, *self._ranges) if event["tid"] == MAIN]
        own: Counter[str] = Counter()
        for event in shown:
            inside = [span(each) for each in shown if each is not event and within(each, event)]
            own[event["name"]] += _overlap([span(event)], [window])
            own[event["name"]] -= _overlap(inside, [window])
        return {"after": after, "us": gaps[after], "event": own.most_common(1)[0][0]}

    def waits(self) -> Counter[str]:
        """Return the microseconds in which the host waits for the GPU, by operator."""
        waits: Counter[str] = Counter()
        for call in self._waits():
            waits[self._around(call)] += call["dur"]
        return waits

    def waited_for(self) -> Counter[str]:
        """Return the microseconds of each kernel during the waits of the operator that waits."""
        op = self.waits().most_common(1)[0][0]
        windows = [span(call) for call in self._waits() if self._around(call) == op]
        kernels: Counter[str] = Counter()
        for work in self._work:
            if work["cat"] == "kernel":
                kernels[work["name"]] += _overlap([span(work)], windows)
        return kernels

    def wait(self) -> Answer:
        """Return the operator that waits longest in all, and what for."""
        (op, us), *_ = self.waits().most_common(1)
        return {"op": op, "us": us, "kernel": self.waited_for().most_common(1)[0][0]}

    def memory_peak(self) -> Answer:
        """Return the most bytes that are allocated on the GPU at once, and when that is."""
        memory = [event for event in self._events if event["name"] == "[memory]"]
        on_gpu = [event for event in memory if event["args"]["Device Type"] == 1]
        top = max(on_gpu, key=lambda event: event["args"]["Total Allocated"])
        (step,) = (step for step, (first, last) in self.steps.items() if first <= top["ts"] < last)
        return {"bytes": top["args"]["Total Allocated"], "step": step, "op": self._around(top)}

    def overview(self) -> Answer:
        """Return TensorBoard's step time breakdown: mean microseconds a step, by category."""
        times: dict[str, list[Span]] = {bar: [] for bar in BARS}
        for work in self._work:
            times[WORK[work["cat"]]].append(span(work))
        times["Runtime"] = [span(c) for c in self._calls if c["cat"] == "cuda_runtime"]
        for event in (*self._ops, *self._ranges):
            times["DataLoader" if event["name"] == LOADER else "CPU Exec"].append(span(event))
        steps = self.device_steps()
        bars: dict[str, float] = {}
        counted: list[Span] = []
        for bar, spans in times.items():
            before = _overlap(counted, steps)
            counted += spans
            bars[bar] = (_overlap(counted, steps) - before) / len(steps)
        total = sum(map(length, steps)) / len(steps)
        return {**bars, "Other": total - sum(bars.values())}

    def device_steps(self) -> list[Span]:
        """Return the steps as TensorBoard's plugin delimits them: with their work on the GPU."""
        reached, steps = 0, list[Span]()
        for step in sorted(self.steps):
            first, last = self.steps[step]
            until = max(last, *(end for _, end in self.work_of(step)))
            steps.append((max(first, reached), until))
            reached = until
        return steps

    def _waits(self) -> list[Event]:
        return [call for call in self._calls if call["name"] == SYNCHRONIZE]

    def _around(self, event: Event) -> str:
        """Return the innermost operator around an event of a thread."""
        around = [op for op in self._ops if within(event, op)]
        return max(around, key=lambda op: op["ts"])["name"]


def span(event: Event) -> Span:
    """Return start and end of an event."""
    return event["ts"], event["ts"] + event.get("dur", 0)


def length(of: Span) -> int:
    """Return a time's microseconds; negative if it ends before it starts."""
    return of[1] - of[0]


def within(inner: Event, outer: Event) -> bool:
    """Whether an event lies within another one of its thread."""
    (start, end), (first, last) = span(inner), span(outer)
    return inner["tid"] == outer["tid"] and first <= start and end <= last


def _overlap(spans: Iterable[Span], windows: Iterable[Span]) -> int:
    """Return how many microseconds lie in a span and in a window; twice covered counts once."""
    spans, windows = list(spans), list(windows)
    first = min((start for start, _ in (*spans, *windows)), default=0)
    last = max((end for _, end in (*spans, *windows)), default=0)
    covered = np.zeros((2, last - first), np.bool_)
    for row, chosen in enumerate((spans, windows)):
        for start, end in chosen:
            covered[row, start - first : max(start, end) - first] = True
    return int(covered.all(0).sum())
