"""Questions for a planner: estimates of given plans, and plans for models on clusters.

A plan is compared with all plans for a small case, with a bounded search for a large one, and with
the published plan for a published model.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from hotloop.core.wire import as_list, as_message
from hotloop.judge.questions import Question, number_mismatch, shown
from hotloop.judge.seeds import Rng
from hotloop.tasks.modules.portable_trainer import published, search
from hotloop.tasks.modules.portable_trainer.costs import (
    MODES,
    Cluster,
    Estimate,
    Model,
    Network,
    Plan,
    Tower,
    TrainingCase,
    Way,
    estimate,
    invalid,
    plan_from,
)

Document = dict[str, Any]

RELATIVE = 1e-6
"""Both sides compute in float64; the order of a sum may differ."""

SMALL_REGRET, LARGE_REGRET, PUBLISHED_REGRET = 0.01, 0.03, 0.001
LISTS = ("state_bytes", "activation_bytes", "stage_s")
PUBLISHED_ASKED = 5
ALWAYS_ASKED = ("1008.0B", "Llama 3 405B, 8192 GPUs")


def case_from(document: Document) -> TrainingCase:
    """Return a case from plain data."""
    model, cluster = document["model"], dict(document["cluster"])
    towers = tuple(Tower(**tower) for tower in model["towers"])
    cluster |= {key: Network(**cluster[key]) for key in ("fast", "slow")}
    whole = Model(towers, model["vocabulary"], model["tied"])
    return TrainingCase(whole, Cluster(**cluster), document["batch"])


# --- estimates ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PlanKind:
    """A kind of plan to estimate. Each rule of costs.md matters for at least one of PLAN_KINDS."""

    label: str
    way: Way
    node: int = 8
    micro_batches: int = 4
    towers: int = 1
    tied: bool = False
    modes: tuple[str, ...] = MODES
    roomy: bool = True


PLAN_KINDS = (
    PlanKind("A plan with data parallelism alone", Way(1, 1, 16, 2, 0), tied=True),
    PlanKind("A plan with one stage, tied", Way(4, 1, 2, 1, 1), tied=True),
    PlanKind("A plan with a pipeline", Way(2, 4, 2, 1, 1), micro_batches=12),
    PlanKind("A plan with fewer micro-batches than stages", Way(1, 4, 4, 2, 2)),
    PlanKind("A plan with a tensor group over two nodes", Way(8, 2, 1, 1, 0), node=4),
    PlanKind("A plan with everything sharded", Way(2, 1, 32, 1, 3), modes=("none",)),
    PlanKind("A plan for two towers", Way(2, 4, 4, 2, 2), towers=2, micro_batches=6),
    PlanKind("A plan with everything sharded, in stages", Way(4, 4, 8, 1, 3), towers=2),
    PlanKind("A plan for a small memory", Way(2, 2, 2, 2, 0), roomy=False),
    PlanKind("A plan that computes all again", Way(2, 4, 2, 2, 1), modes=("full",)),
)


def estimates(rng: Rng) -> Iterator[Question]:
    """Yield questions: an estimate for each of PLAN_KINDS, with a random model and cluster."""
    for kind in PLAN_KINDS:
        document = _estimated(rng, kind)
        plan = plan_from(document["plan"])
        assert plan is not None
        case = case_from(document)
        assert invalid(case, plan) is None
        truth = estimate(case, plan)
        yield Question(kind.label, (json.dumps(document),), _estimate_mismatch(truth))


def _estimated(rng: Rng, kind: PlanKind) -> Document:
    way = kind.way
    towers = [_tower(rng, 2 ** (n + 10), int(rng.integers(7, 12))) for n in range(kind.towers)]
    layers = sum(tower["layers"] for tower in towers)
    plan: Document = {
        **way._asdict(),
        "stages": _cut(rng, layers, way.pipeline),
        "recompute": [str(rng.choice(kind.modes)) for _ in range(way.pipeline)],
    }
    devices = way.tensor * way.pipeline * way.data
    document: Document = {
        "model": {
            "towers": towers,
            "vocabulary": 1000 * int(rng.integers(20, 60)),
            "tied": kind.tied,
        },
        "cluster": _cluster(rng, devices, kind.node),
        "batch": way.data * way.micro_batch * kind.micro_batches,
        "plan": plan,
    }
    parsed = plan_from(plan)
    assert parsed is not None
    needed = _heaviest(estimate(case_from(document), parsed))
    share = rng.uniform(1.05, 1.5) if kind.roomy else rng.uniform(0.8, 0.95)
    document["cluster"]["memory_bytes"] = float(round(needed * share))
    return document


def _estimate_mismatch(truth: Estimate) -> Callable[[object], str | None]:
    def mismatch(answer: object) -> str | None:
        reported = as_message(answer)
        if reported is None:
            return f"the answer is {shown(answer)}, not a dict"
        for key in LISTS:
            wrong = _list_mismatch(key, reported.get(key), getattr(truth, key))
            if wrong is not None:
                return wrong
        wrong = number_mismatch("'step_s'", reported.get("step_s"), truth.step_s, RELATIVE)
        if wrong is None and reported.get("fits") is not truth.fits:
            return f"'fits' is {shown(reported.get('fits'))} and should be {truth.fits}"
        return wrong

    return mismatch


def _list_mismatch(key: str, got: object, want: tuple[float, ...]) -> str | None:
    numbers = as_list(got)
    if len(numbers) != len(want):
        return f"{key!r} is {shown(got)}, not a list of {len(want)}, one a stage"
    for stage, (number, right) in enumerate(zip(numbers, want, strict=True)):
        wrong = number_mismatch(f"{key!r} of stage {stage}", number, right, RELATIVE)
        if wrong is not None:
            return wrong
    return None


# --- plans ----------------------------------------------------------------------------------------


def small(rng: Rng) -> Iterator[Question]:
    """Yield questions with few devices and layers; answers are compared with every plan."""
    kinds = (
        ("Four devices in two nodes", _small(rng, 4, 2, 5), 0.15),
        ("Four devices with little memory", _small(rng, 4, 4, 6), 0.02),
        ("Light layers in front of heavy ones", _uneven(rng), 4.0),
        ("Eight devices in two nodes, two towers", _small(rng, 8, 4, 6), 0.3),
    )
    for label, document, room in kinds:
        plans = list(search.all_plans(case_from(document)))
        least = min(plans, key=lambda plan: plan.bytes).bytes
        best = min(plans, key=lambda plan: plan.seconds).bytes
        memory = least + (best - least) * rng.uniform(0.5, 1.0) * room
        document["cluster"]["memory_bytes"] = room_bytes = float(np.ceil(memory))
        seconds = min(plan.seconds for plan in plans if plan.bytes <= room_bytes)
        yield _question(label, document, seconds, SMALL_REGRET)
        if room < 0.1:
            document["cluster"]["memory_bytes"] = float(np.floor(0.9 * least))
            yield _question("Devices with too little memory for any plan", document, None, 0.0)

    document, seconds = _whole_share(rng)
    yield _question("As many sequences as devices", document, seconds, SMALL_REGRET)


def _whole_share(rng: Rng) -> tuple[Document, float]:
    """Return a case where only the largest micro-batch, batch / data, is fast, and its best
    seconds.
    """
    while True:
        document = _small(rng, 4, 4, 5)
        document["batch"] = document["cluster"]["devices"]
        case = case_from(document)
        plans = list(search.all_plans(case))
        document["cluster"]["memory_bytes"] = float(np.ceil(max(plan.bytes for plan in plans)))
        best = min(plan.seconds for plan in plans)
        smaller = [p for p in plans if p.plan.way.micro_batch * p.plan.way.data < case.batch]
        if min(plan.seconds for plan in smaller) > (1 + SMALL_REGRET) * best:
            return document, best


def large(rng: Rng) -> Iterator[Question]:
    """Yield questions with hundreds of devices, and a vision tower before a text tower."""
    for label, document in _large(rng):
        best = search.bounded(case_from(document))
        yield _question(label, document, best[1] if best else None, LARGE_REGRET)


def as_published(rng: Rng) -> Iterator[Question]:
    """Yield questions about some of the models whose plans were published."""
    others = [name for name in published.NAMES if name not in ALWAYS_ASKED]
    sampled = rng.choice(others, PUBLISHED_ASKED - len(ALWAYS_ASKED), replace=False)
    for name in (*ALWAYS_ASKED, *map(str, sampled)):
        document = published.published(name)
        plan = plan_from(document.pop("plan"))
        assert plan is not None
        theirs = estimate(case_from(document), plan)
        yield _question(f"The published model {name}", document, theirs.step_s, PUBLISHED_REGRET)


def _question(label: str, document: Document, best_s: float | None, regret: float) -> Question:
    mismatch = _plan_mismatch(case_from(document), best_s, regret)
    return Question(label, (json.dumps(document),), mismatch)


def _plan_mismatch(
    case: TrainingCase, best_s: float | None, regret: float
) -> Callable[[object], str | None]:
    def mismatch(answer: object) -> str | None:
        if best_s is None:
            if answer is None:
                return None
            return "no plan fits, and the answer is one; it should be None"
        if answer is None:
            return "the answer is None, and there are plans that fit"
        document = as_message(answer)
        plan = None if document is None else plan_from(document)
        if plan is None:
            return f"{shown(answer)} is no plan as costs.md describes it"
        return _invalid_mismatch(case, plan) or _slow_mismatch(case, plan, best_s, regret)

    return mismatch


def _invalid_mismatch(case: TrainingCase, plan: Plan) -> str | None:
    reason = invalid(case, plan)
    if reason is not None:
        return f"the plan is not valid: {reason}"
    cost = estimate(case, plan)
    if cost.fits:
        return None
    heavy, room = _heaviest(cost) / 1e9, case.cluster.memory_bytes / 1e9
    return f"the plan does not fit: a device needs {heavy:.4g} GB and has {room:.4g}"


def _slow_mismatch(case: TrainingCase, plan: Plan, best_s: float, regret: float) -> str | None:
    seconds = estimate(case, plan).step_s
    if seconds <= best_s * (1 + regret):
        return None
    over = 100 * (seconds / best_s - 1)
    way = plan.way
    text = f"tensor {way.tensor}, pipeline {way.pipeline}, data {way.data}, zero {way.zero}"
    return (
        f"the plan ({text}) takes {seconds:.4g} s, {over:.3g} % longer than one of {best_s:.4g} s"
    )


def _heaviest(cost: Estimate) -> float:
    return max(map(sum, zip(cost.state_bytes, cost.activation_bytes, strict=True)))


# --- models and clusters --------------------------------------------------------------------------


def _tower(rng: Rng, hidden: int, layers: int) -> Document:
    heads = 8 * int(rng.integers(1, 4))
    gated = bool(rng.integers(2))
    return {
        "layers": layers,
        "hidden": hidden * int(rng.integers(3, 6)) // 2,
        "heads": heads,
        "kv_heads": heads // int(rng.choice([1, 2, 4])),
        "feedforward": hidden * int(rng.integers(4, 9)),
        "gated": gated,
        "tokens": 64 * int(rng.integers(8, 32)),
    }


def _cluster(rng: Rng, devices: int, node: int) -> Document:
    return {
        "devices": devices,
        "node": node,
        "memory_bytes": 80e9,
        "flops": float(rng.uniform(1e14, 6e14)),
        "fast": {
            "bandwidth": float(rng.uniform(1e11, 5e11)),
            "latency": float(rng.uniform(1e-6, 1e-5)),
        },
        "slow": {
            "bandwidth": float(rng.uniform(1e10, 5e10)),
            "latency": float(rng.uniform(1e-5, 5e-5)),
        },
        "links": {"tensor": 1, "data": int(rng.integers(1, 3)), "pipeline": 1},
    }


def _small(rng: Rng, devices: int, node: int, layers: int) -> Document:
    front = int(rng.integers(2, layers - 1))
    towers = [_tower(rng, 1024, front), _tower(rng, 2048, layers - front)]
    return {
        "model": {"towers": towers, "vocabulary": 1000 * int(rng.integers(8, 20)), "tied": False},
        "cluster": _cluster(rng, devices, node),
        "batch": devices * int(rng.choice([2, 4])),
    }


def _uneven(rng: Rng) -> Document:
    """Return a case of one-device nodes on a slow network, where only a pipeline pays off."""
    document = _small(rng, 4, 1, 7)
    light, heavy = document["model"]["towers"]
    light |= {"layers": 4, "hidden": 512, "feedforward": 2048, "tokens": 512}
    heavy |= {"layers": 3, "hidden": 4096, "feedforward": 16384, "tokens": 1024}
    document["cluster"]["slow"] = {"bandwidth": float(rng.uniform(1.2e9, 1.8e9)), "latency": 1e-5}
    document["cluster"]["flops"] = float(rng.uniform(0.8e14, 1.2e14))
    document["model"]["vocabulary"] = 1000
    document["batch"] = 8
    return document


def _large(rng: Rng) -> Iterator[tuple[str, Document]]:
    gpus = _cluster(rng, 256, 8)
    gpus |= {"memory_bytes": 80e9, "flops": float(rng.uniform(1.5e14, 2.5e14))}
    gpus["slow"]["bandwidth"] = float(rng.uniform(1e10, 2.5e10))
    yield "256 GPUs", _vision_language(rng, gpus, 20480, 256)
    slow = _cluster(rng, 512, 8)
    slow |= {"memory_bytes": 80e9, "flops": float(rng.uniform(4e14, 6e14))}
    slow["slow"]["bandwidth"] = float(rng.uniform(3e9, 8e9))
    yield "512 GPUs on a slow network", _vision_language(rng, slow, 12288, 512)
    pod = _cluster(rng, 256, 256)
    pod |= {"memory_bytes": 15e9, "flops": float(rng.uniform(1.0e14, 1.4e14))}
    pod["fast"] |= {"bandwidth": float(rng.uniform(0.8e11, 1.2e11)), "latency": 1e-6}
    pod["links"]["data"] = 2
    yield "A TPU pod", _vision_language(rng, pod, 8192, 256)


def _vision_language(rng: Rng, cluster: Document, hidden: int, batch: int) -> Document:
    vision, text = int(rng.integers(20, 40)), int(rng.integers(30, 50))
    sizes = ((vision, hidden // 4, 1024), (text, hidden, 2048))
    towers: list[Document] = [
        {
            "layers": layers,
            "hidden": width,
            "heads": width // 128,
            "kv_heads": width // 128,
            "feedforward": 4 * width,
            "gated": False,
            "tokens": tokens,
        }
        for layers, width, tokens in sizes
    ]
    return {
        "model": {"towers": towers, "vocabulary": 64000, "tied": False},
        "cluster": cluster,
        "batch": batch,
    }


def _cut(rng: Rng, layers: int, parts: int) -> list[int]:
    cuts = sorted(rng.choice(np.arange(1, layers), parts - 1, replace=False).tolist())
    return [int(end - first) for first, end in pairwise([0, *cuts, layers])]
