"""Changes to a config.pbtxt make the mistakes that they are named after, which are detected."""

import shutil
from pathlib import Path

import pytest

from hotloop.core import paths
from hotloop.engines.serving import model_config, repository
from hotloop.engines.serving.network_file import onnx_file
from hotloop.learn.mutation import Edit, config_text
from hotloop.learn.predicting.own_code import PredictedSubmission, changes
from hotloop.tasks import curriculum, render

pytest.importorskip("google.protobuf", reason="protobuf: pip install 'hotloop[serving]'")

BATCHER = """name: "bert"  # dims: [ 9 ]
max_batch_size: 16
input [ { name: "x" data_type: TYPE_INT64 dims: [ 32 ] } ]
instance_group [ { kind: KIND_CPU count: 1 } ]
dynamic_batching {
  preferred_batch_size: [ 8, 16 ] max_queue_delay_microseconds: 100
  priority_queue_policy { key: 1 value { default_timeout_microseconds: 5 } }
}
"""
STEPS = """{ model_name: "a" input_map { key: "T" value: "TEXT" }
  output_map { key: "i" value: "ids" } output_map { key: "m" value: "mask" } },
{ model_name: "b" input_map { key: "i" value: "ids" } }
"""
MOST = {
    "no dynamic batching": (BATCHER[BATCHER.index("dynamic") : -1], ""),
    "other batch size": ("max_batch_size: 16", "max_batch_size: 8"),
    "no batches": ("max_batch_size: 16", "max_batch_size: 0"),
    "other preferred size": ("[ 8, 16 ]", "[ 4, 16 ]"),
    "other queue delay": ("microseconds: 100", "microseconds: 10000"),
    "other instances": ("count: 1", "count: 2"),
    "other dimensions": ("dims: [ 32 ]", "dims: [ 33 ]"),
    "other type": ("TYPE_INT64", "TYPE_INT32"),
}


def _made(text: str) -> set[tuple[str, str]]:
    return {(edit.operator, edit.made_in(text)) for edit in config_text.edits(text)}


def test_each_changes_one_place_and_a_comment_is_none() -> None:
    wanted = {(name, BATCHER.replace(old, new, 1)) for name, (old, new) in MOST.items()}
    assert _made(BATCHER) == wanted


def test_tensors_of_one_step_are_swapped_and_a_step_reads_what_the_one_before_read() -> None:
    swapped = STEPS.replace("ids", "?", 1).replace("mask", "ids").replace("?", "mask")
    assert _made(STEPS) == {
        ("swapped tensors", swapped),
        ("other tensor", '"TEXT" } }\n'.join(STEPS.rsplit('"ids" } }\n', 1))),
    }


@pytest.mark.parametrize("operator", MOST)
def test_the_server_reads_every_changed_file_and_it_says_something_else(operator: str) -> None:
    edit = next(edit for edit in config_text.edits(BATCHER) if edit.operator == operator)
    read = [
        model_config.read(text, "bert/config.pbtxt") for text in (BATCHER, edit.made_in(BATCHER))
    ]
    before, after = (found.message for found in read if isinstance(found, model_config.ModelConfig))
    assert before != after


NOTICED = [
    ("bert", "other dimensions", "in the model, and"),
    ("bert", "other type", "in the model"),
    ("bert", "no batches", ""),
    ("bert", "other batch size", "only 8"),
    ("topics", "swapped tensors", ""),
    ("topics", "other tensor", ""),
]


@pytest.mark.parametrize(("model", "operator", "says"), NOTICED)
def test_the_static_check_tells_a_mutant_from_the_reference(
    tmp_path: Path, model: str, operator: str, says: str
) -> None:
    folder = _with_network(tmp_path)
    assert repository.check(folder) == []
    path = folder / model / "config.pbtxt"
    text = path.read_text()
    told: list[str] = []
    for edit in _of(text, operator):
        path.write_text(edit.made_in(text))
        told += [str(problem) for problem in repository.check(folder)]
    assert any(says in problem for problem in told), told


def _with_network(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    shutil.copytree(paths.solutions() / "triton_ensemble" / "repository", folder)
    (folder / "bert" / "1").mkdir(exist_ok=True)
    network = onnx_file(paths.curriculum() / "triton_ensemble" / "model")
    (folder / "bert" / "1" / "model.onnx").write_bytes(network)
    return folder


def _of(text: str, operator: str) -> list[Edit]:
    found = [edit for edit in config_text.edits(text) if edit.operator == operator]
    assert found
    return found


def test_a_work_in_configuration_files_has_changes() -> None:
    module = curriculum.load_module("triton_ensemble")
    work = PredictedSubmission(
        module,
        ("repository_layout",),
        render.submission(module.id),
        render.untouched(module.id),
    )
    found = {
        (change.code.file, change.edit.operator) for change in changes(work, "repository_layout")
    }
    assert ("repository/bert/config.pbtxt", "other instances") in found
    assert ("repository/topics/config.pbtxt", "swapped tensors") in found
