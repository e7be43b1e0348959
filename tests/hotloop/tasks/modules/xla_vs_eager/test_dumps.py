"""Generated dumps are valid XLA programs, and the stated facts about them are true."""

import re

import numpy as np
import pytest

from hotloop.core import extras
from hotloop.judge.questions import GivenFile
from hotloop.tasks.modules.xla_vs_eager import dumps


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.skipif(bool(extras.missing("xla")), reason="the optional group xla is not installed")
@pytest.mark.parametrize("seed", range(12))
def test_xla_takes_what_is_made(seed: int) -> None:
    from jaxlib import _hlo

    texts = [dumps.random_chain(rng(seed), "bf16")[1]]
    texts += [dumps.unfused(rng(seed), cause)[0] for cause in dumps.CAUSES]
    for text in texts:
        module = _hlo.hlo_module_from_text(text)
        assert module.to_string().count("fusion(") == text.count("fusion(")


def test_a_dump_has_something_to_fall_for() -> None:
    copies = relayouts = 0
    for seed in range(10):
        dump, text = dumps.random_chain(rng(seed), "bf16")
        copies += text.count(" copy(") + text.count(" transpose(")
        relayouts += len(dump.relayouts)
    assert 0 < relayouts < copies


def test_layouts_decide_what_moves() -> None:
    dump = dumps.Dump(rng(0), "f32", (4, 8))
    given = dump.value("x", (1, 0))
    assert dump.copied(given, (1, 0)).name not in dump.relayouts
    assert dump.copied(given, (0, 1)).name in dump.relayouts
    # 4×8 row-major is 8×4 column-major: the same bytes in the same order.
    for _ in range(20):
        turned = dump.transposed(given)
        assert (turned.name in dump.relayouts) == (turned.minor != (0, 1))


@pytest.mark.parametrize("key", dumps.FIGURES)
def test_each_figure_is_looked_at(key: str) -> None:
    (question, *_) = dumps.figure_questions(rng(1))
    dump, _ = next(dumps.dumps(rng(1)))
    right = {
        "fusions": dump.fusions,
        "fused": dump.fused,
        "traffic": sum(dump.moved.values()),
        "largest": max(dump.moved, key=lambda name: dump.moved[name]),
    }
    assert question.mismatch(right) is None
    assert key in (question.mismatch({**right, key: None}) or "")
    assert key in (question.mismatch({k: v for k, v in right.items() if k != key}) or "")


def test_every_cause_is_asked_twice() -> None:
    questions = list(dumps.fusion_questions(rng(2)))
    for cause in dumps.CAUSES:
        assert sum(question.mismatch(cause) is None for question in questions) == 2
    assert all(isinstance(question.arguments[0], GivenFile) for question in questions)


@pytest.mark.parametrize("seed", range(200))
def test_types_orders_and_transposes_decide(seed: int) -> None:
    drawn = [dump for dump, _ in dumps.dumps(rng(seed))]
    assert {dump.dtype for dump in drawn} == set(dumps.BYTES)
    assert any(dump.relayouts != sorted(dump.relayouts) for dump in drawn)
    moved = [[n for n in dump.relayouts if n.startswith("transpose")] for dump in drawn]
    assert any(moved)
    assert not all(moved)


@pytest.mark.parametrize("seed", range(20))
def test_a_copy_that_moves_nothing_lies_between_for_another_reason(seed: int) -> None:
    """Taking each copy for a change of layout is wrong about opaque calls."""
    text, _, _ = dumps.unfused(rng(seed), "opaque")
    copies = re.findall(r"%(copy\S+) = (\S+) copy\(%(\S+)\)", text)
    types = dict(re.findall(r"%(\S+) = (\S+) fusion\(", text))
    assert any(types.get(given) == made for _, made, given in copies)
