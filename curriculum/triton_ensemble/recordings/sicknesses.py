"""The four sicknesses: where each sits, under which load it is recorded, and how it is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from deployments import ENSEMBLE, STEPS

from hotloop.tasks.modules.triton_ensemble.metric_deltas import Figures, figures_of

Recording = Mapping[str, Any]

MANY, ONE = 16, 1
"""Clients."""


@dataclass(frozen=True)
class Sickness:
    """model: the step that is sick; None is none. evidence: figures of it that count.

    sign: a number that this recording has at least, and no other one half as much of.
    """

    model: str | None
    evidence: tuple[str, ...]
    clients: int
    sign: Callable[[Recording], float]
    least: float
    behind_gateway: bool = False


def share(recording: Recording, model: str | None, evidence: str) -> float:
    """A figure of a model as a part of the client's mean latency; "outside_us" is what is left."""
    if evidence == "outside_us":
        return 1 - _us(recording, ENSEMBLE, "request_us") / recording["client_us"]
    assert model is not None
    return _us(recording, model, evidence) / recording["client_us"]


def figures(recording: Recording, model: str) -> Figures:
    """Of one model, in between its readings."""
    return figures_of(recording["before"], recording["after"], model, recording["seconds"])


def at_once(recording: Recording, model: str) -> float:
    """How many executions of a model were going on at the same time, on average."""
    sizes = recording["executions"][model].values()
    return sum(each["executions"] * each["infer_us"] for each in sizes) / 1e6 / recording["seconds"]


def unclear(cause: str | None, recording: Recording) -> list[str]:
    """Why a recording does not show its sickness (none: its health) as clearly as it should."""
    found: list[str] = []
    for name, sickness in SICKNESSES.items():
        sign = sickness.sign(recording)
        if sign < sickness.least if name == cause else sign > sickness.least / 2:
            found.append(f"its sign of {name} is {sign:.2f}, and {sickness.least:g} is the mark")
    failed = figures(recording, ENSEMBLE).failed
    if failed:
        found.append(f"{failed:.0f} requests failed")
    return found


def _waiting_for_company(recording: Recording) -> float:
    """The largest queue of a step that is at leisure and takes requests one by one."""
    shares = [0.0]
    for model in STEPS:
        alone = (figures(recording, model).mean_batch or 0) < 1.5
        if alone and at_once(recording, model) < 0.5:
            shares.append(share(recording, model, "queue_us"))
    return max(shares)


def _preprocess_holds(recording: Recording) -> float:
    return share(recording, "preprocess", "queue_us") + share(recording, "preprocess", "infer_us")


def _bert_ms_per_row(recording: Recording) -> float:
    return at_once(recording, "bert") * 1e3 / figures(recording, "bert").rows_per_s


def _outside(recording: Recording) -> float:
    return share(recording, None, "outside_us")


def _us(recording: Recording, model: str, name: str) -> float:
    value = getattr(figures(recording, model), name)
    return 0.0 if value is None else float(value)


SICKNESSES = {
    "delay": Sickness("postprocess", ("queue_us",), ONE, _waiting_for_company, 0.5),
    "row_by_row": Sickness("preprocess", ("infer_us", "queue_us"), MANY, _preprocess_holds, 0.5),
    "oversubscribed": Sickness("bert", ("infer_us",), MANY, _bert_ms_per_row, 3.0),
    "outside": Sickness(None, ("outside_us",), MANY, _outside, 0.5, behind_gateway=True),
}
HEALTHY = {"healthy": MANY, "healthy_alone": ONE}
"""Recordings of the sound repository, by name, and their clients."""
