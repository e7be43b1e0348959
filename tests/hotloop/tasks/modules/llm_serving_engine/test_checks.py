"""Parts of llm_serving_engine's checks: references, baselines, bounds."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hotloop.judge.questions import GivenFile, Question
from hotloop.tasks.modules.llm_serving_engine import paging, policies, scheduling, speculation

Verify = Callable[[Any, Any, Any, Any], tuple[int, int]]


# --- speculative decoding -------------------------------------------------------------------------


def exact(drafted: Any, draft: Any, target: Any, rng: Any) -> tuple[int, int]:
    """The acceptance rule of the paper."""
    for place, token in enumerate(drafted):
        q, p = draft[place], target[place]
        if rng.random() * q[token] >= p[token]:
            left = np.maximum(p - q, 0)
            return place, int(rng.choice(len(p), p=left / left.sum()))
    return len(drafted), int(rng.choice(len(target[-1]), p=target[-1]))


def never_accepting(_: Any, __: Any, target: Any, rng: Any) -> tuple[int, int]:
    """Never accepts a token: keeps the distribution, and gains no speed."""
    return 0, int(rng.choice(target.shape[1], p=target[0]))


def softened(drafted: Any, draft: Any, target: Any, rng: Any) -> tuple[int, int]:
    """Moves the target a fifth of the way to the draft, so that more tokens are accepted."""
    softer = 0.8 * target + 0.2 * np.vstack([draft, target[-1:]])
    return exact(drafted, draft, softer, rng)


def answered(question: Question, verify: Verify) -> list[list[int]]:
    file, seed = question.arguments
    assert isinstance(file, GivenFile)
    given = json.loads(file.data)
    draft, target = np.array(given["draft"]), np.array(given["target"])
    rng = np.random.default_rng(int(str(seed)))
    return [list(verify(row, draft, target, rng)) for row in given["drafted"]]


@pytest.mark.slow
@pytest.mark.parametrize("questions", [speculation.pairs, speculation.edges])
def test_the_exact_rule_passes(questions: Any) -> None:
    for question in questions(np.random.default_rng(1)):
        assert question.mismatch(answered(question, exact)) is None


@pytest.mark.slow
@pytest.mark.parametrize("rule", [never_accepting, softened])
def test_another_rule_fails(rule: Verify) -> None:
    questions = list(speculation.pairs(np.random.default_rng(2)))
    assert any(question.mismatch(answered(question, rule)) for question in questions)


def test_the_bound_is_wide_enough_for_a_right_answer_and_no_wider() -> None:
    far = speculation._far  # pyright: ignore[reportPrivateUsage]
    sigma = (20_000 * 0.25) ** 0.5
    assert not far(round(10_000 + 6.5 * sigma), 20_000, 0.5)
    assert far(round(10_000 + 8.5 * sigma), 20_000, 0.5)
    assert far(1, 20_000, 0.0)


# --- block managers -------------------------------------------------------------------------------


def test_a_memory_tells_equal_tokens_behind_different_prefixes_apart() -> None:
    memory = paging.Memory(2)
    memory.write([0, 1], [5, 6, 7], 0)
    memory.write([2, 3], [4, 6, 7], 0)
    assert memory.wrong([0, 1], [5, 6, 7]) is None
    assert memory.wrong([0, 3], [5, 6, 7]) == 2


def test_the_reference_evicts_the_end_of_what_was_idle_longest() -> None:
    pool = paging.Pool(4, 2)
    assert pool.add(1, [1, 2, 3, 4]) == 0
    assert pool.add(2, [9, 9]) == 0
    pool.free(1)
    pool.free(2)
    assert pool.add(3, [7, 7, 7, 7]) == 0
    assert pool.add(4, [1, 2, 3, 4]) == 2


# --- the scheduler --------------------------------------------------------------------------------


def request(number: int, tokens: int, computed: int = 0, blocks: int = 0) -> dict[str, Any]:
    return {"id": number, "tokens": tokens, "computed": computed, "blocks": blocks}


def view(free: int, waiting: list[Any], running: list[Any], **limits: int) -> dict[str, Any]:
    usual = {"block_size": 4, "most_tokens": 16, "most_rows": 4}
    return {"free_blocks": free, "waiting": waiting, "running": running, **usual, **limits}


def test_vllm_runs_decoding_requests_first_and_cuts_the_last_prompt() -> None:
    decision = policies.vllm(view(9, [request(3, 9), request(4, 30)], [request(1, 6, 5, 2)]))
    assert decision == {"run": [[1, 1], [3, 9], [4, 6]], "preempt": []}


def test_vllm_preempts_the_last_and_then_admits_nobody() -> None:
    running = [request(1, 5, 4, 1), request(2, 9, 8, 2)]
    decision = policies.vllm(view(0, [request(3, 2)], running))
    assert decision == {"run": [[1, 1]], "preempt": [2]}


def test_first_come_computes_whole_prompts_before_it_decodes() -> None:
    decision = policies.first_come(view(9, [request(3, 9), request(4, 9)], [request(1, 6, 5, 2)]))
    assert decision == {"run": [[3, 9]], "preempt": []}


@pytest.mark.parametrize(
    ("run", "preempt", "message"),
    [
        ([], [], "nothing runs"),
        ([[0, 300]], [], "it has"),
        ([[0, 1], [0, 1]], [], "twice"),
        ([[7, 1]], [], "cannot run"),
        ([[0, 1]], [0], "does not run"),
        ([[0, 40]], [], "more blocks"),
    ],
)
def test_the_simulator_refuses_what_no_engine_could_do(
    run: list[list[int]], preempt: list[int], message: str
) -> None:
    given = scheduling.simulator()
    engine = given.Engine([given.Request(0, 0.0, 50, 4)], given.Limits(blocks=2))
    with pytest.raises(given.Illegal, match=message):
        engine.step(run, preempt)


def test_a_step_takes_what_was_fitted() -> None:
    given = scheduling.simulator()
    engine = given.Engine([given.Request(0, 5.0, 3, 1)], given.Limits(blocks=2))
    engine.step([[0, 3]], [])
    ms = given.STEP_MS
    want = ms["base"] + ms["row"] + 3 * ms["token"] + (1 + 2 + 3) * ms["context"]
    assert engine.now == pytest.approx(5.0 + want)
    assert engine.finished
