"""Four recorded slow deployments: the cause, the step, and the share of latency that shows it.

The script that recorded them computed the right answers and sealed them in the key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from hotloop.core.wire import as_message
from hotloop.judge.answer_key import AnswerKey
from hotloop.judge.questions import Question, number_mismatch, shown
from hotloop.tasks.modules.triton_ensemble.given_files import PROGRAMS

Rng = np.random.Generator

KEY = PROGRAMS / "diagnosis_key.json"
NAMES = ("a", "b", "c", "d")
CAUSES = ("delay", "row_by_row", "oversubscribed", "outside")
MODELS = ("preprocess", "bert", "postprocess", None)
"""None: the time is lost outside of these models."""

EVIDENCE = ("queue_us", "input_us", "infer_us", "output_us", "outside_us")

RELATIVE, ABSOLUTE = 0.03, 0.005


def questions(_rng: Rng) -> Iterator[Question]:
    """Yield a question for each deployment, all of which the one diagnosis answers."""
    for name in NAMES:
        yield Question("Your diagnosis", (), partial(mismatch, names=(name,)))


def mismatch(answer: object, names: tuple[str, ...] = NAMES) -> str | None:
    """Return what is wrong about the first of these deployments that is wrong, or None."""
    reported = as_message(answer)
    if reported is None:
        return f"it is {shown(answer)}, not a dict"
    for name in names:
        found = _mismatch(as_message(reported.get(name)), name)
        if found is not None:
            return f"deployment {name}: {found}"
    return None


def _mismatch(reported: Mapping[str, Any] | None, deployment: str) -> str | None:
    if reported is None:
        return "a dict is asked for, with “cause”, “model”, “evidence” and “share”"
    cause, model, evidence = (reported.get(key, "") for key in ("cause", "model", "evidence"))
    if cause not in CAUSES:
        return f"“cause” is {shown(cause)}, and one of {', '.join(CAUSES)} is asked for"
    if model not in MODELS:
        return f"“model” is {shown(model)}, which is neither a step nor None"
    if evidence not in EVIDENCE:
        return f"“evidence” is {shown(evidence)}, and one of {', '.join(EVIDENCE)} is asked for"
    if not _key().value(deployment, "cause", cause):
        return f"the cause is not {cause}: what has grown against the healthy one at that load?"
    if not _key().value(deployment, "model", model):
        return f"the cause is right, but it does not lie in {model}"
    want = _key().value(deployment, "evidence", evidence)
    if want is None:
        return f"cause and model are right, but {evidence} does not show it"
    what = f"the share of {evidence} in the client's latency"
    return number_mismatch(what, reported.get("share"), want, RELATIVE, ABSOLUTE)


@cache
def _key() -> AnswerKey:
    return AnswerKey.read(KEY)
