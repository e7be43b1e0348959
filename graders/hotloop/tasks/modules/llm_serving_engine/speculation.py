"""Hidden draft and target models, and the distribution that exact acceptance gives.

For a given row of drafted tokens, exact acceptance is a known distribution over pairs (accepted,
next token). Answers are counted and compared with it cell by cell. A cell is wrong if its count is
further from the expected count than Bernstein's inequality allows at LEVEL: a right answer fails
with a smaller probability, for all cells of a session together and any number of trials. Source of
the rule: Leviathan et al., Fast Inference from Transformers via Speculative Decoding, 2023, theorem
3.5 and appendix A.1.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hotloop.core.wire import as_list
from hotloop.judge.questions import GivenFile, Question, shown
from hotloop.judge.seeds import Rng

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TRIALS = 20_000
LEVEL = 1e-7
"""Upper bound on the probability that a right answer fails."""

CELLS = 4096
"""Upper bound on the number of cells in a session; LEVEL is divided among them."""


def pairs(rng: Rng) -> Iterator[Question]:
    """Yield models that agree often or rarely, and a draft that favors impossible tokens."""
    yield _question(rng, "a draft that is often right", *_models(rng, 8, 3, 0.6))
    yield _question(rng, "a draft that is mostly wrong", *_models(rng, 5, 2, 0.1))
    draft, target = _models(rng, 6, 3, 0.4)
    for place in range(len(draft)):
        target[place, int(draft[place].argmax())] = 0.0
        draft[place, int(target[place].argmax())] = 0.0
    yield _question(rng, "tokens that one of the two never gives", _shares(draft), _shares(target))


def edges(rng: Rng) -> Iterator[Question]:
    """Yield equal models, where everything is accepted, a greedy target, and no draft."""
    draft, target = _models(rng, 7, 4, 0.5)
    target[:-1] = draft
    yield _question(rng, "a draft that equals the target", draft, target, trials=2000)
    greedy = np.eye(6)[rng.integers(0, 6, 4)]
    draft, _ = _models(rng, 6, 3, 0.5)
    draft[0] = 0.3 * draft[0] + 0.7 * greedy[0]
    yield _question(rng, "a target of temperature 0", draft, greedy, trials=2000)
    _, target = _models(rng, 6, 1, 0.5)
    yield _question(rng, "no drafted token", np.zeros((0, 6)), target[-1:], trials=4000)


def _models(rng: Rng, vocabulary: int, k: int, alike: float) -> tuple[Floats, Floats]:
    """Return probabilities of draft and target.

    The target is alike · draft + (1 − alike) · another distribution.
    """
    draft = rng.dirichlet(np.full(vocabulary, 1.5), k)
    other = rng.dirichlet(np.full(vocabulary, 1.5), k + 1)
    target = other.copy()
    target[:k] = alike * draft + (1 - alike) * other[:k]
    return draft, target


def _shares(rows: Floats) -> Floats:
    return rows / rows.sum(-1, keepdims=True)


def _question(
    rng: Rng, label: str, draft: Floats, target: Floats, trials: int = TRIALS
) -> Question:
    drafted = np.zeros((trials, len(draft)), np.int64)
    for place, row in enumerate(draft):
        drafted[:, place] = rng.choice(len(row), trials, p=row)
    models = {"drafted": drafted.tolist(), "draft": draft.tolist(), "target": target.tolist()}
    return Question(
        f"{label}, {len(draft)} drafted tokens",
        (GivenFile("models.json", json.dumps(models).encode()), int(rng.integers(1 << 31))),
        partial(_mismatch, drafted, draft, target),
    )


def _mismatch(drafted: Ints, draft: Floats, target: Floats, answer: object) -> str | None:
    k, vocabulary = len(draft), target.shape[1]
    rows = [as_list(row) for row in as_list(answer)]
    if len(rows) != len(drafted):
        return f"it returns {shown(answer)}, not a pair for each of {len(drafted)} rows"
    if not all(_is_pair(row, k, vocabulary) for row in rows):
        return "a pair is not a number of accepted tokens and a token"
    reported = np.array(rows, np.int64)
    return _accepted_mismatch(reported, drafted, draft, target) or _next_mismatch(
        reported, drafted, draft, target
    )


def _is_pair(row: Sequence[object], k: int, vocabulary: int) -> bool:
    if len(row) != 2 or any(type(number) is not int for number in row):
        return False
    return row[0] in range(k + 1) and row[1] in range(vocabulary)


def _accepted_mismatch(reported: Ints, drafted: Ints, draft: Floats, target: Floats) -> str | None:
    """Check how often each token was accepted at each position, of the times it was reached."""
    for place in range(len(draft)):
        reached = reported[:, 0] >= place
        for token in range(target.shape[1]):
            here = reached & (drafted[:, place] == token)
            chance = min(1.0, target[place, token] / max(draft[place, token], 1e-300))
            got, count = int((reported[here, 0] > place).sum()), int(here.sum())
            if _far(got, count, chance):
                return (
                    f"token {token} at place {place} was accepted {got} times of {count}, "
                    f"expected {count * chance:.0f}: it has probability "
                    f"{draft[place, token]:.3f} in the draft and {target[place, token]:.3f} in the "
                    f"target"
                )
    return None


def _next_mismatch(reported: Ints, drafted: Ints, draft: Floats, target: Floats) -> str | None:
    """Check how often each token follows a rejection at each position, or no rejection.

    The drafted token must not matter, so each one has its own cells.
    """
    k, vocabulary = len(draft), target.shape[1]
    for place in range(k + 1):
        shares = target[-1] if place == k else _residual(draft[place], target[place])
        last = drafted[:, min(place, k - 1)] if k else np.zeros(len(drafted), np.int64)
        for token in range(vocabulary if k else 1):
            here = (reported[:, 0] == place) & (last == token)
            count = int(here.sum())
            for after in range(vocabulary):
                got = int((reported[here, 1] == after).sum())
                if _far(got, count, float(shares[after])):
                    when = "all were accepted" if place == k else f"place {place} was rejected"
                    return (
                        f"after {when}, token {after} came {got} times of {count}, "
                        f"expected {count * shares[after]:.0f}"
                    )
    return None


def _residual(q: Floats, p: Floats) -> Floats:
    """Return the normalized positive part of target minus draft."""
    left = np.maximum(p - q, 0.0)
    return left / left.sum() if left.sum() > 0 else left


def _far(got: int, count: int, chance: float) -> bool:
    """Return True if a right answer is this far off with a probability below LEVEL / CELLS.

    Bernstein: P(|X − n·p| ≥ s) ≤ 2 exp(−s² / 2(n·p·(1 − p) + s/3)), solved for s. Where the chance
    is 0 or 1, nothing is random except rounding.
    """
    if not count:
        return False
    if chance < 1e-12 or chance > 1 - 1e-12:
        return got != round(count * chance)
    t = math.log(2 * CELLS / LEVEL)
    s = t / 3 + math.sqrt(t * t / 9 + 2 * count * chance * (1 - chance) * t)
    return abs(got - count * chance) >= s
