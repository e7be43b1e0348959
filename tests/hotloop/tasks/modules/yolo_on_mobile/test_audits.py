"""What an audit of a model finds, and that hidden models distinguish right from wrong answers."""

import base64
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("onnxruntime", reason="python -m pip install 'hotloop[onnx]'")

import onnx

from hotloop.judge.onnx.programs import TRUSTED
from hotloop.tasks import render
from hotloop.tasks.modules.yolo_on_mobile import audits
from hotloop.tasks.modules.yolo_on_mobile.given_files import PROGRAMS

SETS = 25
KEYS = {"delegate": audits.DELEGATE, "costs": audits.COSTS}
WRONG = [wrong for wrong in render.wrong_answers("yolo_on_mobile") if wrong.task == "audit"]


@pytest.fixture
def auditing(
    load_file: Callable[[Path], ModuleType], monkeypatch: pytest.MonkeyPatch
) -> ModuleType:
    """The judge's program about a model's figures."""
    monkeypatch.syspath_prepend(str(TRUSTED))
    return load_file(PROGRAMS / "auditing.py")


@pytest.fixture
def budget(load_file: Callable[[Path], ModuleType], tmp_path: Path) -> Callable[..., ModuleType]:
    """Returns a submission's file; the reference's, unless a wrong answer is given."""

    def loaded(wrong: Path | None = None) -> ModuleType:
        path = tmp_path / "budget.py"
        path.write_bytes(render.submission("yolo_on_mobile", wrong=wrong)["budget.py"])
        return load_file(path)

    return loaded


@pytest.fixture
def caught(tmp_path: Path) -> Callable[..., bool]:
    """Returns a function: whether a submission is wrong about a model of a hidden set."""

    def is_caught(
        submission: ModuleType, puzzles: list[Mapping[str, Any]], keys: tuple[str, ...]
    ) -> bool:
        model, card = tmp_path / "model.onnx", tmp_path / "card.json"
        for puzzle in puzzles:
            model.write_bytes(base64.b64decode(puzzle["model"]))
            card.write_text(puzzle["card"], encoding="utf-8")
            want = {key: puzzle["figures"][key] for key in keys}
            if audits.mismatch(want, submission.audit(model, card)):
                return True
        return False

    return is_caught


@pytest.mark.slow
@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.name)
def test_each_set_of_hidden_models_fails_each_wrong_answer(
    wrong: render.WrongAnswer,
    auditing: ModuleType,
    budget: Callable[..., ModuleType],
    caught: Callable[..., bool],
) -> None:
    submission = budget(wrong.path)
    sets = [auditing.puzzles(seed, audits.PUZZLES) for seed in range(SETS)]
    assert all(caught(submission, puzzles, KEYS[wrong.check]) for puzzles in sets)


@pytest.mark.slow
def test_no_set_fails_the_reference(
    auditing: ModuleType, budget: Callable[..., ModuleType], caught: Callable[..., bool]
) -> None:
    submission = budget()
    sets = [auditing.puzzles(seed, audits.PUZZLES) for seed in range(SETS)]
    for keys in KEYS.values():
        assert not any(caught(submission, puzzles, keys) for puzzles in sets)


AUDITED = """<ir_version: 9, opset_import: ["": 18]>
g (float[1, 2, 4, 4] x) => (float[1, 2, 4, 4] y) <float[2, 2, 1, 1] w = {1, 2, 3, 4}> {
    [a] p = Conv(x, w)
    [b] q = Sigmoid(p)
    [c] y = Mul(p, q)
}"""


def test_figures_of_a_small_model(auditing: ModuleType) -> None:
    model = onnx.parser.parse_model(AUDITED)
    figures = auditing.figures(model, 100, {"Conv": {"largest_kernel": 1}, "Mul": {}})
    figures["refused"] = [node.name for node in figures["refused"]]
    # A tensor has 128 bytes. p moves to the CPU for b, q to the delegate for c; x and y move too.
    assert figures == {
        "refused": ["b"],
        "segments": 2,
        "bytes": 100,
        "peak_bytes": 384,
        "crossing_bytes": 512,
    }


def test_puzzles_have_broken_limits_and_kept_ones(auditing: ModuleType) -> None:
    over = [puzzle["figures"]["over"] for puzzle in auditing.puzzles(2, audits.PUZZLES)]
    assert any(over)
    assert any(len(each) < 4 for each in over)


def test_mismatches_of_an_audit() -> None:
    want = {"refused": ["a", "b"], "segments": 2}
    assert audits.mismatch(want, {"refused": ["b", "a"], "segments": 2}) is None
    assert audits.mismatch(want, {"refused": ["a"], "segments": 2}) is not None
    assert audits.mismatch(want, {"refused": ["a", "b"], "segments": True}) is not None
    assert audits.mismatch(want, [1]) is not None
