"""The benchmark of the viva: its five works differ, and its simulation distinguishes people."""

import ast
import json
import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import viva

from hotloop.core.verdict import Verdict
from hotloop.learn.predicting.own_code import PredictedSubmission, code_of
from hotloop.tasks import curriculum, render
from hotloop.tasks.local_judging import judge_submission


@pytest.mark.parametrize("name", viva.SUBMISSIONS)
def test_a_work_has_code_of_its_own_in_both_tasks(name: str) -> None:
    files = viva.SUBMISSIONS[name]()
    module = curriculum.load_module(viva.MODULE)
    work = PredictedSubmission(module, viva.TASKS, files, render.untouched(viva.MODULE))
    assert all(code_of(work, task) for task in viva.TASKS)
    assert b'NotImplementedError("fused_softmax.triton_forward")' not in files["softmax_triton.py"]
    ast.parse(files["softmax_triton.py"])


@pytest.mark.slow
def test_the_works_differ() -> None:
    made = [viva.SUBMISSIONS[name]() for name in viva.SUBMISSIONS]
    assert len({files["softmax.cu"] for files in made}) == 5
    assert b"partial" not in viva.renamed()["softmax.cu"]
    barriers = [
        files["softmax.cu"].count(b"__syncthreads")
        for files in (viva.reference(), viva.half_right())
    ]
    assert barriers[1] == barriers[0] - 1


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.parametrize("name", ["own", "renamed", "assistant"])
def test_the_works_that_should_be_right_are(name: str) -> None:
    files = viva.SUBMISSIONS[name]()
    for task, record in judge_submission(files, viva.MODULE, viva.TASKS).items():
        assert record.verdict in {Verdict.PASSED, Verdict.PARTIAL}, (task, record.sentence)


@pytest.mark.slow
def test_who_says_that_they_guess_is_never_told_from_a_guess(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(viva, "TRIALS", 500)
    rng = random.Random(5)
    power = viva.power_at(8, rng)
    assert power["guesses and says so: Brier better than a guess"] == 0
    assert power["guesses and says so: more right than by guessing"] < 0.05
    assert power["understands: more right than by guessing"] > 0.95
    more = viva.power_at(48, rng)
    assert more["understands: Brier better than a guess"] > 0.95
    assert (
        more["understands, Brier better than: bluffs"]
        > power["understands, Brier better than: bluffs"]
    )


def test_enough_is_enough_from_there_on() -> None:
    counts = len(viva.COUNTS)
    assert viva.fewest([0.9] * counts) == "4"
    assert viva.fewest([0.9, 0.1, *[0.9] * (counts - 2)]) == "8"
    assert viva.fewest([0.9] * (counts - 1) + [0.1]) == "more than 48"


def test_a_new_row_takes_the_place_of_its_work_and_task_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def rows(*pairs: tuple[str, str]) -> list[dict[str, str]]:
        return [{"work": work, "task": task} for work, task in pairs]

    kept = rows(("own", "cuda_block"), ("own", "triton_forward"), ("reference", "cuda_block"))
    monkeypatch.setattr(viva, "RESULT", tmp_path / "viva.json")
    assert viva.others(rows(("own", "cuda_block"))) == []
    viva.write(viva.RESULT, {"rows": kept})
    assert viva.others(rows(("own", "cuda_block"))) == kept[1:]


@pytest.mark.slow
def test_the_stored_simulation_is_what_the_script_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first number of questions, whose trials come first; and what pages quote of all."""
    stored = json.loads(viva.POWER_RESULT.read_text(encoding="utf-8"))
    assert stored["trials"] == viva.TRIALS
    monkeypatch.setattr(viva, "COUNTS", viva.COUNTS[:1])
    first = {row["told"]: row["4"] for row in viva.simulation()}
    assert first == {row["told"]: row["4"] for row in stored["rows"]}
    assert {k: stored[k] for k in ("enough", "with_8")} == viva.by_name(stored["rows"])
