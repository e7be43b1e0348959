"""The graph tasks, judged for real: each mistake fails its check, with a message that names it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.core import extras
from hotloop.core.verdict import Verdict
from hotloop.judge.check import judge_checks
from hotloop.judge.session import Session
from hotloop.tasks import render
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.markers import parse, solved
from hotloop.tasks.modules.resnet_tensorrt import tasks
from hotloop.tasks.reference_files import sources
from hotloop.tasks.task_spec import task_spec

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.timeout(200),
    pytest.mark.skipif(bool(extras.missing("onnx")), reason=extras.remedy("onnx")),
]

SOURCES = sources("resnet_tensorrt")
FILES = ("graph_reading.py", "rewrites.py")
WRONG = {answer.name: answer for answer in render.wrong_answers("resnet_tensorrt")}
TASKS = {
    "first_departure": tasks.first_departure,
    "read_graph": tasks.read_graph,
    "fold_batchnorm": tasks.fold_batchnorm,
    "remove_noops": tasks.remove_noops,
}
SAID = {
    "branches_left_behind": "topologically sorted|not output of any previous|should all be there",
    "branches_not_read": "should have stayed",
    "chains_without_consumers": "fusible",
    "default_epsilon": "is another one now",
    # Where the graph reads the mask as well, onnx.checker misses it first.
    "dropout_in_training": "compute something|topologically sorted",
    "groups_not_counted": "macs is",
    "inputs_freed_too_early": "peak_bytes is",
    "largest_departure": "first tensor that departs is",
    "order_of_the_export": "first tensor that departs is",
    "output_lost": "Graph",
    "output_renamed": "outputs are",
    "own_bias_forgotten": "is another one now",
    "rounding_departs": "it says",
    "second_consumer_ignored": "should have stayed",
    "training_mode_folded": "it is in training mode",
    "transposed_convolution_folded": "it is not behind a Conv",
    "wrong_order_of_axes": "Graph",
}

SessionOver = Callable[..., Session]


def submission(folder: Path, wrong: str | None = None) -> Path:
    """Return the reference's files, with the regions of a wrong answer."""
    bodies = {}
    if wrong is not None:
        bodies = WRONG[wrong].bodies
    for name in FILES:
        pieces = parse(SOURCES[name].read_text(), name)
        (folder / name).write_text(solved(pieces, lambda _directive: [], bodies))
    return folder


def verdicts(task: str, session: Session) -> dict[str, tuple[Verdict, str]]:
    candidate = TASKS[task].candidate(task_spec(load_module("resnet_tensorrt"), task))
    records = judge_checks(TASKS[task].checks, session.about(candidate))
    return {record.check: (record.verdict, record.sentence) for record in records}


@pytest.mark.parametrize("wrong", SAID)
def test_a_mistake_fails_where_it_says(
    wrong: str, tmp_path: Path, session_over: SessionOver
) -> None:
    task, check = WRONG[wrong].task, WRONG[wrong].check
    found = verdicts(task, session_over(submission(tmp_path, wrong)))
    before = list(found)[: list(found).index(check)]
    assert all(found[name][0] is Verdict.PASSED for name in before), found
    assert found[check][0] is Verdict.WRONG_ANSWER, found
    assert re.search(SAID[wrong], found[check][1]), found


@pytest.mark.parametrize("task", ["fold_batchnorm", "remove_noops"])
def test_a_copy_is_no_rewrite(task: str, tmp_path: Path, session_over: SessionOver) -> None:
    code = f"import shutil\n\ndef {task}(source, target):\n    shutil.copyfile(source, target)\n"
    (tmp_path / "rewrites.py").write_text(code)
    found = verdicts(task, session_over(tmp_path))
    assert {verdict for verdict, _ in found.values()} == {Verdict.WRONG_ANSWER}, found


def test_a_file_that_is_no_model_is_a_wrong_answer(
    tmp_path: Path, session_over: SessionOver
) -> None:
    code = "def fold_batchnorm(source, target):\n    open(target, 'w').write('no model')\n"
    (tmp_path / "rewrites.py").write_text(code)
    verdict, sentence = verdicts("fold_batchnorm", session_over(tmp_path))["structure"]
    assert verdict is Verdict.WRONG_ANSWER
    assert sentence == "Graph 1: what was written is no ONNX model."
