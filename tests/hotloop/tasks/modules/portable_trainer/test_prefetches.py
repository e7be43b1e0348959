"""What is right about a trace, on one that is small enough to compute by hand."""

import json
from typing import Any

from hotloop.tasks.modules.portable_trainer import prefetches


def event(name: str, ts: float, dur: float = 1.0) -> dict[str, Any]:
    return {"ph": "X", "name": name, "ts": ts, "dur": dur}


def facts(*events: dict[str, Any]) -> prefetches.Facts:
    return prefetches.facts_of(json.dumps({"traceEvents": list(events)}).encode())


STEP = (
    event("FSDP::pre_forward (a)", 0),
    event("FSDP::all_gather (a)", 1),
    event("FSDP::forward_prefetch for b", 5),
    event("FSDP::all_gather (b)", 6),
    event("FSDP::pre_forward (b)", 20),
    event("FSDP::pre_backward (b)", 40),
    event("FSDP::backward_prefetch for a", 41),
    event("FSDP::pre_backward (a)", 60),
)


def test_a_gather_is_ahead_if_it_is_issued_before_its_layer_begins() -> None:
    found = facts(*STEP)
    assert found.gathers == {"a": [1, 0], "b": [1, 0]}
    assert found.ahead == [{"b"}, set()]


def test_the_passes_are_told_apart_by_the_first_layer_of_the_backward_pass() -> None:
    found = facts(*STEP, event("FSDP::all_gather (a)", 42), event("FSDP::all_gather (b)", 41))
    assert found.gathers == {"a": [1, 1], "b": [1, 1]}
    assert found.ahead == [{"b"}, {"a"}]


def test_exposed_is_what_no_product_covers_and_counts_once() -> None:
    found = facts(
        *reversed(STEP),
        event("gloo:all_gather", 100, 10),  # alone from 100 to 104, and from 106 to 108
        event("gloo:all_gather", 102, 13),  # until 115, of which 108 to 115 is covered
        event("aten::mm", 104, 2),
        event("aten::addmm", 108, 20),
        event("gloo:all_reduce", 120, 10),  # alone from 128
        event("aten::gelu", 128, 2),  # no product
    )
    assert found.exposed_us == {"gloo:all_gather": 6.0, "gloo:all_reduce": 2.0}
