"""The benchmark of a viva's keys: its works are what their names say, and a wrong key is seen."""

import ast
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import viva_keys

from hotloop.core.verdict import Verdict
from hotloop.learn.predicting import judges
from hotloop.learn.predicting.items import ItemSet, item_of
from hotloop.learn.predicting.judges import Judges
from hotloop.learn.predicting.outcomes import JudgedPrediction
from hotloop.learn.predicting.own_code import PredictedSubmission, changes, code_of
from hotloop.tasks.local_judging import judge_submission

SEEDS = ("0a" * 16, "1b" * 16, "2c" * 16)


@pytest.mark.slow
@pytest.mark.parametrize("name", viva_keys.SUBMISSIONS)
def test_a_work_has_code_of_its_own(name: str) -> None:
    work = viva_keys.work_of(name)
    assert all(code_of(work, task) for task in ("cuda_block", "triton_forward"))
    ast.parse(work.files["softmax_triton.py"])


@pytest.mark.slow
def test_ten_works_differ() -> None:
    made = [viva_keys.SUBMISSIONS[name]() for name in viva_keys.SUBMISSIONS]
    assert len({files["softmax.cu"] for files in made}) == len(made) == 10
    assert b"partial" not in viva_keys.renamed()["softmax.cu"]
    for name in ("no_headings", "wrong_without_headings", "shared_helper"):
        files = viva_keys.SUBMISSIONS[name]()
        assert not any(b"### TASK" in files[file] for file in ("softmax.cu", "softmax_triton.py"))
    assert b"### TASK fused_softmax.cuda_block" not in viva_keys.other_headings()["softmax.cu"]
    assert viva_keys.shared_helper()["softmax.cu"].count(b"shift_for(") >= 3


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.parametrize("name", ["own", "renamed", "assistant", "shared_helper"])
def test_the_works_that_should_be_right_are(name: str) -> None:
    files, tasks = viva_keys.SUBMISSIONS[name](), ("cuda_block", "triton_forward")
    for task, record in judge_submission(files, viva_keys.MODULE, tasks).items():
        assert record.verdict in {Verdict.PASSED, Verdict.PARTIAL}, (task, record.sentence)


RIGHT = JudgedPrediction(kind="none", check="", sentence="Right.", factor=1.0, figures="a")
WRONG = JudgedPrediction(kind="wrong", check="correct", sentence="Wrong.")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("own", "other", "fault"),
    [
        ((WRONG, WRONG, WRONG), RIGHT, None),
        ((WRONG, RIGHT, WRONG), RIGHT, "item 1 is wrong, and came to"),
        ((WRONG, None, WRONG), RIGHT, "item 1 is wrong, and came to"),
        ((WRONG, WRONG, WRONG), WRONG, "item 1 changes cuda_naive, too"),
    ],
)
def test_a_wrong_key_is_seen(
    monkeypatch: pytest.MonkeyPatch,
    own: Sequence[JudgedPrediction | None],
    other: JudgedPrediction,
    fault: str | None,
) -> None:
    work = viva_keys.work_of("reference")
    item = item_of(1, changes(work, "cuda_block")[0], WRONG)
    made = ItemSet(
        module=viva_keys.MODULE, hotloop="0", seeds=[], tried=1, unclear=0, seconds=1, items=[item],
        unchanged={"cuda_naive": RIGHT, "cuda_block": RIGHT},
    )  # fmt: skip

    def judged(
        changed: PredictedSubmission, task: str, seed: str, *_: object
    ) -> JudgedPrediction | None:
        if changed is work:
            return RIGHT
        return own[SEEDS.index(seed)] if task == "cuda_block" else other

    monkeypatch.setattr(judges, "judged", judged)
    with Judges(2) as two:
        found = viva_keys.checked(work, made, SEEDS, two)
    assert list(found) == ([] if fault is None else [1])
    assert fault is None or found[1].startswith(fault)


def test_a_new_row_takes_the_place_of_its_work_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def rows(*names: str, minutes: float = 1.0) -> list[dict[str, Any]]:
        row = {"keys": 3, "keys_hold": 3, "minutes": minutes, "date": "2026-11-30"}
        return [{"work": name, **row} for name in names]

    monkeypatch.setattr(viva_keys, "RESULT", tmp_path / "viva_keys.json")
    viva_keys.write(rows("own", "renamed"))
    viva_keys.write(rows("own", minutes=2.0))
    kept = json.loads(viva_keys.RESULT.read_text())
    assert kept["rows"] == [*rows("renamed"), *rows("own", minutes=2.0)]
    assert (kept["works"], kept["keys"], kept["longest_minutes"]) == (2, 6, 2.0)
