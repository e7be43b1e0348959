"""The recorded runs: each shows its own fault, and no other."""

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hotloop.core import paths
from hotloop.judge.questions import GivenFile, Question
from hotloop.tasks.modules.xla_vs_eager import recordings

FOLDER = paths.exercises() / "xla_vs_eager"
KNOWN: dict[str, dict[str, Any]] = json.loads(
    (paths.curriculum() / "xla_vs_eager/recordings/recordings.json").read_text(encoding="utf-8")
)


def data(letter: str) -> bytes:
    return (FOLDER / f"run_{letter}.json.gz").read_bytes()


def figures(letter: str) -> dict[str, Any]:
    return recordings.figures(json.loads(gzip.decompress(data(letter))))


@pytest.mark.parametrize("letter", recordings.DIAGNOSIS.names)
def test_what_the_judge_knows_is_what_is_recorded(letter: str) -> None:
    known = KNOWN[letter]
    assert known["sha256"] == hashlib.sha256(data(letter)).hexdigest()
    got = figures(letter)
    for name, value in known["evidence"].items():
        assert got[name] == pytest.approx(value, rel=1e-4)


@pytest.mark.parametrize("letter", ["healthy", *recordings.DIAGNOSIS.names])
def test_each_run_has_one_sickness(letter: str) -> None:
    got = figures(letter)
    signs = {
        "recompiles": got["programs"] >= 40 and got["programs_a_step"] == 1,
        "op_by_op": got["programs_a_step"] > 50,
        "callback": got["callbacks"] > 0,
        "baked": got["constant_bytes"] > 100_000,
    }
    cause = None if letter == "healthy" else KNOWN[letter]["cause"]
    assert [name for name, shows in signs.items() if shows] == ([cause] if cause else [])


def right() -> dict[str, dict[str, Any]]:
    answer = {}
    for letter, known in KNOWN.items():
        evidence, value = next(iter(known["evidence"].items()))
        answer[letter] = {"cause": known["cause"], "evidence": evidence, "value": value}
    return answer


@pytest.mark.slow
def test_the_diagnosis() -> None:
    assert recordings.DIAGNOSIS.mismatch(right()) is None
    for change, message in (
        ({"cause": "layout"}, "the cause is not 'layout'"),
        ({"cause": "magic"}, "expected one of recompiles"),
        ({"evidence": "step_ms"}, "does not show it"),
        ({"value": 3.0e9}, "expected"),
        ({"value": None}, "not a number"),
    ):
        answer = right()
        answer["b"] = {**answer["b"], **change}
        assert message in (recordings.DIAGNOSIS.mismatch(answer) or "")
    assert "not a dict" in (recordings.DIAGNOSIS.mismatch([]) or "")


def test_made_runs_have_a_storm_and_a_quiet_one() -> None:
    storm, quiet, *_ = recordings.figure_questions(np.random.default_rng(0))
    assert storm.label != quiet.label
    stormy, calm = (
        recordings.random_recording(np.random.default_rng(1), storm=storm)
        for storm in (True, False)
    )
    assert recordings.figures(stormy)["step_ms"] is None
    assert recordings.figures(calm)["step_ms"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("dtype", sorted(recordings.BYTES))
def test_the_constants_of_each_judging_have_every_type(
    dtype: str,
    tmp_path: Path,
    load_file: Callable[[Path], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Uses a reference with a wrong size of one type."""
    answer = load_file(paths.solutions() / "xla_vs_eager" / "runs.py")
    path = tmp_path / "run.json.gz"
    for seed in range(20):
        questions = list(recordings.figure_questions(np.random.default_rng(seed)))

        def mismatches(questions: list[Question] = questions) -> list[str | None]:
            mismatches: list[str | None] = []
            for question in questions:
                (file,) = question.arguments
                assert isinstance(file, GivenFile)
                path.write_bytes(file.data)
                mismatches.append(question.mismatch(answer.read_run(path)))
            return mismatches

        assert mismatches() == [None] * 4
        with monkeypatch.context() as patch:
            patch.setitem(answer.BYTES, dtype, 3)
            assert any(mismatches())
