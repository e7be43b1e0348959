"""Generated logs of TensorRT builds: what was put in is what is read out."""

import json

import numpy as np
import pytest

from hotloop.judge.questions import GivenFile
from hotloop.tasks.modules.resnet_tensorrt import trtexec_logs as logs

KEYS = (*logs.FIGURES, "cause")


def texts(seed: int) -> dict[str, str]:
    """The generated files by their label."""
    found: dict[str, str] = {}
    for question in logs.questions(np.random.default_rng(seed), KEYS):
        (file,) = question.arguments
        assert isinstance(file, GivenFile)
        found[question.label] = file.data.decode()
    return found


@pytest.mark.parametrize("seed", range(5))
def test_each_cause_shows_in_its_figures_alone(seed: int) -> None:
    read = {
        label.removeprefix("trtexec, "): logs.figures(logs.parsed(text))
        for label, text in texts(seed).items()
        if label.startswith("trtexec")
    }
    assert list(read) == ["healthy", *logs.CAUSES]
    for cause, found in read.items():
        assert (found["skipped"] > 0) == (cause in {"workspace", "memory"})
        assert (found["requested_mb"] is not None) == (cause == "memory")
        assert (found["precisions"] == ["Float"]) == (cause == "precision")
        assert (found["reformat_share"] > 0.1) == (cause == "reformats")
        assert (found["enqueue_ms"] > 0.9 * found["gpu_ms"]) == (cause == "host")
        assert found["warnings"] > 0


def test_an_ilogger_gets_no_line_of_trtexec() -> None:
    for label, text in texts(0).items():
        if label.startswith("ILogger"):
            found = logs.figures([(severity, said) for severity, said in json.loads(text)])
            assert [found[name] for name in logs.MEASURED] == [None] * 4
            assert found["fused"] >= 0
            assert found["layers"] > 0


def test_a_message_goes_on_in_lines_without_a_head() -> None:
    text = "[1] [W] [TRT] one\ntwo\n[2] [I] three\n"
    assert logs.parsed(text) == [(2, "one\ntwo"), (3, "three")]


def test_true_is_no_number_and_a_missing_figure_is_named() -> None:
    assert logs.mismatch({"skipped": 1}, {"skipped": True}) is not None
    assert logs.mismatch({"skipped": 1}, {}) == "the answer has no 'skipped'"
    assert logs.mismatch({"gpu_ms": None}, {"gpu_ms": None}) is None
