"""One notebook has one verdict, whoever runs its cells."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop import __version__
from hotloop.core import paths
from hotloop.core.variant import Variant
from hotloop.core.verdict import Verdict
from hotloop.course.execution import execute
from hotloop.course.hand_in import HandIn, complete
from hotloop.course.notebook_run import Terms
from hotloop.judge.client import JudgeProcess
from hotloop.judge.files import lay_out
from hotloop.judge.notebook_release import Release, of_files
from hotloop.learn.remote.request import WholeRequest
from hotloop.service import judging
from hotloop.takehome import execution as takehome
from hotloop.tasks.local_judging import judge_folder
from hotloop.tasks.notebook_cells import NOTEBOOK

from .odd import MODULE, RIGHT, TASK, WRONG, document

ODD = {**RIGHT, **WRONG}
DEPLOYMENT = {
    "layers": 32, "heads": 32, "kv_heads": 8, "head_dim": 128, "cache_bytes": 2,
    "parameters": 8_000_000_000, "weight_bytes": 2, "gpus": 1, "memory_gib": 80, "share": 0.9,
    "reserved_gib": 4, "bandwidth_gb_s": 3350, "block_size": 16, "prompt_tokens": 2048,
    "output_tokens": 512,
}  # fmt: skip
BLOCKS = 27_186
ALONE = """
import json, os, sys
from pathlib import Path
from hotloop.judge.files import SubmissionFiles
from hotloop.judge.notebook import cells_to_run
from hotloop.worker.cells import Cells

def run(folder):
    os.chdir(folder)
    sys.path.insert(0, folder)
    kernel = Cells()
    for cell in cells_to_run(SubmissionFiles(Path(folder)), "lab.ipynb", {module!r}, {task!r}):
        kernel.run(cell, 20.0)
    answers = []
    kernel.inside(lambda: answers.append(kernel.names["capacity"](sys.argv[2])["blocks"]))
    return answers == [{blocks}]

for name, folder in json.loads(Path(sys.argv[1]).read_text()).items():
    child = os.fork()
    if child == 0:
        sys.stdout = sys.stderr = open(os.devnull, "w")
        os.dup2(sys.stdout.fileno(), 1), os.dup2(sys.stdout.fileno(), 2)
        done = False
        try:
            done = run(folder)
        finally:
            os._exit(42 if done else 1)
    right = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42
    print(json.dumps([name, right]), flush=True)
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_kernel_without_sockets_runs_odd_cells(tmp_path: Path) -> None:
    folders: dict[str, str] = {}
    for number, (name, cells) in enumerate(ODD.items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / NOTEBOOK).write_text(json.dumps(document(cells)))
        folders[name] = str(folder)
    (tmp_path / "folders.json").write_text(json.dumps(folders))
    (tmp_path / "deployment.json").write_text(json.dumps(DEPLOYMENT))
    done = subprocess.run(
        [sys.executable, "-c", ALONE.format(module=MODULE, task=TASK, blocks=BLOCKS),
         tmp_path / "folders.json", tmp_path / "deployment.json"],
        check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL,
        env={**os.environ, "HOTLOOP_REPLAY": "1", "IPYTHONDIR": str(tmp_path / "ipython")},
    )  # fmt: skip
    right = dict(json.loads(line) for line in done.stdout.splitlines())
    assert right == {name: name in RIGHT for name in ODD}, done.stderr


@pytest.fixture(scope="module")
def judge() -> Iterator[JudgeProcess]:
    process = JudgeProcess()
    yield process
    process.close()


@pytest.fixture(scope="module")
def exercise() -> Mapping[str, bytes]:
    folder = paths.exercises() / MODULE
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def release(exercise: Mapping[str, bytes]) -> Release:
    return of_files(MODULE, exercise, [])


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.parametrize("name", ODD)
def test_check_service_course_and_take_home_agree(
    name: str,
    judge: JudgeProcess,
    exercise: Mapping[str, bytes],
    release: Release,
    tmp_path: Path,
) -> None:
    data = json.dumps(document(ODD[name])).encode()
    lay_out({**exercise, NOTEBOOK: data}, tmp_path)
    hand_in = complete("ada", release, {}, data, tasks=(TASK,))
    verdicts = {
        "check": judge_folder(tmp_path, MODULE, [TASK], judge=judge)[TASK].verdict,
        "service": _service(tmp_path, judge),
        "course": execute(hand_in, Terms()).records[TASK].verdict,
        "take-home": _takehome(hand_in),
    }
    assert len(set(verdicts.values())) == 1, verdicts
    assert (verdicts["check"] is Verdict.PASSED) == (name in RIGHT), verdicts


def _service(folder: Path, judge: JudgeProcess) -> Verdict:
    request = WholeRequest(hotloop=__version__, module=MODULE, tasks=[TASK], files={})
    (record,) = judging.judged(request, folder, judge, lambda _text: None)
    return record.verdict


def _takehome(hand_in: HandIn) -> Verdict:
    submission: Any = SimpleNamespace(
        manifest=SimpleNamespace(module=MODULE, pack=None), work=hand_in
    )
    team: Any = SimpleNamespace(variant=lambda _pack: Variant(MODULE))
    return takehome.judged(submission, team, [TASK])[TASK].verdict
