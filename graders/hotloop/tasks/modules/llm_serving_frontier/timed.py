"""Timed sampling on a GPU.

Probabilities are whole multiples of 2⁻¹⁶ below 2⁻⁴, top-p and the uniform number multiples of 2⁻⁶:
of at most some hundred kept tokens all sums and products are exact in float32, in any order, so
that one token is right. Several tokens are as likely as the last kept one, in most rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hotloop.judge.checks.fast import Baseline
from hotloop.judge.dtypes import FP32, I32
from hotloop.judge.gpu.definition import Input, Output, device_workload
from hotloop.judge.gpu.recipes import Whole
from hotloop.tasks.modules.llm_serving_frontier.sampling import EXACT

ROWS, VOCABULARY, MOST_KEPT = 2048, 16_384, 60
UNIT, STEP = 2**-16, 2**-6

SORTED = Baseline(Path(__file__).parent / "baselines.py", "by_sorting")


def _truth(probabilities: Any, top_k: Any, top_p: Any, uniform: Any) -> Any:
    """Compute tokens on float64 torch tensors, 128 rows at a time, which takes about 100 MB."""
    found = top_p.clone()
    for start in range(0, len(found), 128):
        part = slice(start, start + 128)
        found[part] = _tokens(probabilities[part], top_k[part], top_p[part], uniform[part])
    return found


def _tokens(p: Any, top_k: Any, top_p: Any, uniform: Any) -> Any:
    ordered = p.sort(1, descending=True).values
    p = p * (p >= ordered.gather(1, top_k.long()[:, None] - 1))
    sums = p.sort(1, descending=True).values.cumsum(1)
    # How many sums are too small is where the last kept token stands.
    short = (sums < top_p[:, None] * sums[:, -1:]).sum(1, keepdim=True)
    p = p * (p >= p.sort(1, descending=True).values.gather(1, short))
    return (p.cumsum(1) <= uniform[:, None] * p.sum(1, keepdim=True)).sum(1)


ON_GPU = device_workload(
    {"rows": ROWS, "vocabulary": VOCABULARY},
    (
        Input("rows vocabulary", FP32, Whole(((4096, UNIT),))),
        Input("rows", I32, Whole(((MOST_KEPT, 1),), first=1)),
        Input("rows", FP32, Whole(((64, STEP),), first=STEP)),
        Input("rows", FP32, Whole(((64, STEP),))),
    ),
    Output("rows", I32),
    _truth,
    EXACT,
)
