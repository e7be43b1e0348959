"""Find the fastest plans, by exhaustive or bounded search.

The bounded search tries every way to divide the devices and the batch, in the order of a lower
bound on the time of its plans, and stops once the best plan so far is below that bound. For each
way, it bisects the longest work of a stage. Whether stages can keep a limit is found greedily, by
giving each as many layers as it can take: a part of a stage takes less time and memory than all of
it, and a later stage has fewer micro-batches in memory than an earlier one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, pairwise, product
from typing import NamedTuple

from hotloop.tasks.modules.portable_trainer.costs import (
    MODES,
    WEIGHT,
    Mode,
    Plan,
    Prices,
    TrainingCase,
    Way,
    estimate,
)

Stages = tuple[tuple[int, ...], tuple[Mode, ...]]

CLOSE = 2e-4
"""Relative width of the interval at which the bisection stops."""


def ways(case: TrainingCase) -> Iterator[Way]:
    """Yield all valid ways."""
    devices, layers = case.cluster.devices, len(case.model.layers)
    for tensor in _divisors(devices):
        if any(t.heads % tensor or t.tokens % tensor for t in case.model.towers):
            continue
        for pipeline in _divisors(devices // tensor):
            data = devices // (tensor * pipeline)
            if pipeline > layers or case.batch % data:
                continue
            for micro_batch in _divisors(case.batch // data):
                for zero in range(4 if data > 1 else 1):
                    yield Way(tensor, pipeline, data, micro_batch, zero)


class PlanCost(NamedTuple):
    """A plan with its seconds per step, and the bytes of its fullest device."""

    seconds: float
    bytes: float
    plan: Plan


def all_plans(case: TrainingCase) -> Iterator[PlanCost]:
    """Yield every plan with its cost, whether it fits or not. For small cases only."""
    for way in ways(case):
        yield from _plans(case, way)


def _plans(case: TrainingCase, way: Way) -> Iterator[PlanCost]:
    price, layers = Prices(case, way), case.model.layers

    @cache
    def cost(stage: int, first: int, end: int, mode: Mode) -> tuple[float, float, float]:
        """Return seconds per micro-batch, seconds of messages once per step, and bytes."""
        part = layers[first:end]
        work, once = price.work_s(part, mode, stage), price.once_s(part, stage)
        return work, once, price.bytes(part, mode, stage)

    for cuts in combinations(range(1, len(layers)), way.pipeline - 1):
        spans = list(pairwise((0, *cuts, len(layers))))
        for modes in product(MODES, repeat=way.pipeline):
            costs = [cost(n, *spans[n], mode) for n, mode in enumerate(modes)]
            work, once, held = (max(each) for each in zip(*costs, strict=True))
            plan = Plan(way, tuple(end - first for first, end in spans), modes)
            yield PlanCost(price.step_s(work, once), held, plan)


def bounded(case: TrainingCase) -> tuple[Plan, float] | None:
    """Return a nearly optimal plan and its seconds per step, or None if no plan is found to fit."""
    searches = [search for way in ways(case) if (search := _Search(case, way)).may_fit]
    best: tuple[Plan, float] | None = None
    for search in sorted(searches, key=lambda search: search.least_s):
        if best is not None and search.least_s >= best[1]:
            break
        limit = best[1] if best is not None else None
        for stages, modes in search.stages(limit):
            plan = Plan(search.way, stages, modes)
            cost = estimate(case, plan)
            if cost.fits and (best is None or cost.step_s < best[1]):
                best = plan, cost.step_s
    return best


class _Search:
    """Search of stages for one way."""

    def __init__(self, case: TrainingCase, way: Way) -> None:
        self.price = Prices(case, way)
        self.case, self.way = case, way
        self.layers = case.model.layers
        self.rounds = self.price.micro_batches + way.pipeline - 1
        self.cost = cache(self._cost)
        self.least_work_s = self._least_work_s()
        once = self._mean_ring_s({0: 2, 1: 2, 2: 1}.get(way.zero, 0), parts=1)
        self.least_s = self.price.step_s(self.least_work_s, once)

    def _least_work_s(self) -> float:
        """Return a lower bound of the longest stage: the average stage, or one layer."""
        each = [self.price.layer_s(t, "none") for t in self.case.model.towers]
        counts = [t.layers for t in self.case.model.towers]
        whole = sum(s * n for s, n in zip(each, counts, strict=True)) + self.price.output_s()
        messages = {3: 3, 2: 1}.get(self.way.zero, 0)
        data = self._mean_ring_s(messages, parts=len(self.layers) / self.way.pipeline)
        return max(whole / self.way.pipeline, data, *each)

    def _mean_ring_s(self, messages: int, parts: float) -> float:
        """Return the seconds to send the average stage's weights over the data group."""
        return messages * self.price.ring_s("data", WEIGHT * self._mean_parameters(), parts)

    def _mean_parameters(self) -> float:
        model, ends = self.case.model, 2
        if self.way.pipeline == 1 and model.tied:
            ends = 1
        whole = sum(t.layers * t.weights for t in model.towers) + ends * model.embedding
        return whole / (self.way.tensor * self.way.pipeline)

    @property
    def may_fit(self) -> bool:
        """False if the state alone exceeds the memory for the average stage."""
        state = self._mean_parameters() * self.price.bytes_a_parameter
        return state <= self.case.cluster.memory_bytes

    def stages(self, best_s: float | None) -> Iterator[Stages]:
        """Yield stages with ever lower limits on their work."""
        low = self.least_work_s
        high = low * 64 if best_s is None else best_s / self.rounds
        stages = self._within(high)
        while stages is None and best_s is None and high < low * 2**20:
            high *= 8
            stages = self._within(high)
        if stages is None:
            return
        yield stages
        while high > low * (1 + CLOSE):
            middle = (low + high) / 2
            stages = self._within(middle)
            if stages is None:
                low = middle
                continue
            high = middle
            yield stages

    def _within(self, limit_s: float) -> Stages | None:
        """Return stages that keep the limit, or None."""
        first, sizes, modes = 0, list[int](), list[Mode]()
        for stage in range(self.way.pipeline):
            behind = self.way.pipeline - 1 - stage
            least = 1 if behind else len(self.layers) - first
            longest = self._longest(first, len(self.layers) - first - behind, stage, limit_s)
            if longest is None or longest[0] < least:
                return None
            sizes.append(longest[0])
            modes.append(longest[1])
            first += longest[0]
        return tuple(sizes), tuple(modes)

    def _longest(
        self, first: int, most: int, stage: int, limit_s: float
    ) -> tuple[int, Mode] | None:
        """Return how many layers a stage can take, and its recompute mode; None if not even one."""
        low, high = 0, most
        mode: Mode | None = None
        while low < high:
            middle = (low + high + 1) // 2
            possible = self._mode(first, middle, stage, limit_s)
            if possible is None:
                high = middle - 1
            else:
                low, mode = middle, possible
        return (low, mode) if mode is not None else None

    def _mode(self, first: int, size: int, stage: int, limit_s: float) -> Mode | None:
        """Return the fastest mode that keeps the limit and fits, or None."""
        for mode in MODES:
            work, held = self.cost(first, size, stage, mode)
            if work > limit_s:
                return None
            if held <= self.case.cluster.memory_bytes:
                return mode
        return None

    def _cost(self, first: int, size: int, stage: int, mode: Mode) -> tuple[float, float]:
        """Return the seconds per micro-batch, and the bytes."""
        part = self.layers[first : first + size]
        return self.price.work_s(part, mode, stage), self.price.bytes(part, mode, stage)


def _divisors(number: int) -> list[int]:
    return [n for n in range(1, number + 1) if number % n == 0]
