"""Hostile served models in one judge: the next one is judged right, and nothing is left."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.author import exploits
from hotloop.core import paths
from hotloop.core.record import Record
from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.serving import preflight
from hotloop.engines.serving.unavailable import ServingUnavailable
from hotloop.judge.checks import batches
from hotloop.judge.client import JudgeProcess
from hotloop.judge.job import Job
from hotloop.sandbox.level import level
from hotloop.tasks import markers
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.task_spec import task_spec

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from serving_leaks import remains

MODULE, TASK = "triton_ensemble", "preprocess_backend"
MODEL = "repository/preprocess/1/model.py"
SETTLE_S = 3.0
SERVED = [
    ("server_of_its_own", Verdict.WRONG_ANSWER),
    ("daemons_left_behind", Verdict.PASSED),
    ("kill_everybody", Verdict.RUNTIME_ERROR),
]
WITHOUT_A_SERVER = (
    "around_the_network",
    "backend_outside_of_the_folder",
    "file_of_the_machine",
    "links_in_the_repository",
    "name_outside_of_the_folder",
    "no_ensemble",
    "one_model_that_echoes",
    "routing_by_rank",
    "shell_in_a_file_name",
)


@pytest.fixture(scope="module")
def served() -> None:
    """Skips, with the reason, if no learner's model can be served."""
    try:
        preflight.require()
    except ServingUnavailable as gap:
        pytest.skip(str(gap))
    name, reason = level()
    if name == "none":
        pytest.skip(reason)


@pytest.mark.slow
@pytest.mark.usefixtures("served")
def test_after_hostile_models_the_reference_passes_and_nothing_is_left(
    judge: JudgeProcess, tmp_path: Path
) -> None:
    before = remains()
    verdicts = [_attacked(judge, tmp_path / name, name) for name, _ in SERVED]
    reference = _judged(judge, _reference(tmp_path / "reference"), TASK)

    assert verdicts == [verdict for _, verdict in SERVED]
    assert reference.verdict is Verdict.PASSED, reference.sentence
    assert _left(before) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", WITHOUT_A_SERVER)
def test_what_needs_no_server_to_be_refused_is_refused(judge: JudgeProcess, name: str) -> None:
    pytest.importorskip("google.protobuf", reason="the static check reads protobuf's text")
    if level()[0] == "none":
        pytest.skip(level()[1])
    [exploit] = exploits.load_all([f"serving/{name}"])
    found = exploits.attack(exploit, judge)
    if found.verdict is Verdict.NOT_MEASURED:
        pytest.skip(found.sentence)
    assert found.standing is exploits.Defense.DEFENDED, found


def test_a_batch_that_the_clients_did_not_fill_is_no_batch() -> None:
    batches._require_no_more_rows({1: 4, 4: 3}, 16, "bert")
    with pytest.raises(Ruling, match="bert computed 32 rows for 16 texts"):
        batches._require_no_more_rows({4: 8}, 16, "bert")


def _many_files(folder: Path) -> None:
    for number in range(10_000):
        (folder / f"file-{number}").touch()


def _large_configuration(folder: Path) -> None:
    (folder / "topics").mkdir()
    (folder / "topics" / "config.pbtxt").write_bytes(b"# all is well\n" * (50 << 20 >> 4))


def _deep_folders(folder: Path) -> None:
    (folder / "/".join("d" * 40)).mkdir(parents=True)


def _odd_names(folder: Path) -> None:
    odd = folder / os.fsdecode(b"\xff\n\x1b[31m")
    odd.mkdir()
    (odd / "config.pbtxt").write_bytes(b'name: "\xff"')


def _file_for_a_folder(folder: Path) -> None:
    (folder / "bert").write_text("no folder")


def _folder_for_a_file(folder: Path) -> None:
    (folder / "bert" / "1" / "model.onnx").mkdir(parents=True)
    (folder / "bert" / "1" / "model.onnx" / "more").write_text("more")


def _pipe(folder: Path) -> None:
    (folder / "topics").mkdir()
    os.mkfifo(folder / "topics" / "config.pbtxt")


def _gone(folder: Path) -> None:
    folder.rmdir()


def _no_folder(folder: Path) -> None:
    folder.rmdir()
    folder.write_text("repository")


def _link(folder: Path) -> None:
    folder.rmdir()
    folder.symlink_to(paths.curriculum())


@pytest.mark.parametrize(
    "make",
    [
        _many_files,
        _large_configuration,
        _deep_folders,
        _odd_names,
        _file_for_a_folder,
        _folder_for_a_file,
        _pipe,
        _gone,
        _no_folder,
        _link,
    ],
)
def test_a_repository_of_a_strange_kind_is_the_learners_mistake(
    judge: JudgeProcess, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    pytest.importorskip("google.protobuf", reason="the static check reads protobuf's text")
    (tmp_path / "repository").mkdir()
    make(tmp_path / "repository")

    record = _judged(judge, tmp_path, "repository_layout")

    earned = [check.earned for check in record.checks]
    assert record.verdict in {
        Verdict.COMPILE_ERROR,
        Verdict.OUTPUT_LIMIT,
        Verdict.RUNTIME_ERROR,
    }, record
    assert earned == [0.0] * len(earned)


def _attacked(judge: JudgeProcess, folder: Path, name: str) -> Verdict:
    folder.mkdir()
    [exploit] = exploits.load_all([f"serving/{name}"])
    exploits.lay_out(exploit, folder)
    return _judged(judge, folder, TASK).verdict


def _reference(folder: Path) -> Path:
    target = folder / MODEL
    target.parent.mkdir(parents=True)
    source = paths.solutions() / MODULE / MODEL
    pieces = markers.parse(source.read_text(encoding="utf-8"), str(source))
    target.write_text(markers.solved(pieces, lambda _directive: []), encoding="utf-8")
    return folder


def _judged(judge: JudgeProcess, folder: Path, task: str) -> Record:
    spec = task_spec(load_module(MODULE), task)
    job = Job(MODULE, task, spec, str(folder), isolation=level()[0], budget_s=120)
    return judge.judge(job)


def _left(before: dict[str, list[str]]) -> dict[str, list[str]]:
    deadline = time.monotonic() + SETTLE_S
    while True:
        now = {kind: sorted(set(found) - set(before[kind])) for kind, found in remains().items()}
        left = {kind: found for kind, found in now.items() if found}
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.1)
