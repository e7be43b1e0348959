"""Answer keys of diagnoses: only right answers open them, and reading them reveals nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from hotloop.core import paths
from hotloop.judge import answer_key
from hotloop.judge.answer_key import AnswerKey
from hotloop.tasks.modules.control_flow_export import diagnoses
from hotloop.tasks.modules.profile_training_loop import recordings as traces
from hotloop.tasks.modules.resnet_tensorrt import builds
from hotloop.tasks.modules.triton_ensemble import deployments
from hotloop.tasks.modules.xla_vs_eager import recordings as runs
from hotloop.tasks.modules.yolo_on_mobile import recorded

KEYS = {
    "control_flow_export/recordings/failures.json": diagnoses.DIAGNOSIS.key,
    "profile_training_loop/recordings/recordings.json": traces.DIAGNOSIS.key,
    "resnet_tensorrt/recordings/builds.json": builds.DIAGNOSIS.key,
    "triton_ensemble/recordings/deployments.json": deployments.DIAGNOSIS.key,
    "xla_vs_eager/recordings/recordings.json": runs.DIAGNOSIS.key,
    "yolo_on_mobile/recordings/runs.json": recorded.DIAGNOSIS.key,
}
TRUTH = {
    "a": {"cause": "sync", "model": None, "evidence": {"all_reduce": 0.7568}},
    "b": {"cause": "loader", "line": 34, "name": "shop::largest"},
}


@pytest.fixture
def key(tmp_path: Path) -> AnswerKey:
    answer_key.write(tmp_path / "key.json", TRUTH)
    return AnswerKey.read(tmp_path / "key.json")


@pytest.mark.slow
@pytest.mark.parametrize("name", KEYS)
def test_each_key_opens_to_what_was_recorded_and_to_nothing_else(name: str) -> None:
    truth = json.loads((paths.curriculum() / name).read_text(encoding="utf-8"))
    known = {letter: truth[letter] for letter in "abcd"}
    key = AnswerKey.read(KEYS[name])
    answers = dict(answer_key.answers(known))
    assert {words: key.value(*words) for words in answers} == answers
    assert len(key.entries) == len(answers)


@pytest.mark.slow
def test_a_key_is_opened_by_right_answers(key: AnswerKey) -> None:
    assert key.value("a", "cause", "sync") is True
    assert key.value("a", "model", None) is True
    assert key.value("a", "evidence", "all_reduce") == 0.7568
    assert key.value("b", "line", 34) is True


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("a", "cause", "loader"),
        ("b", "cause", "sync"),
        ("a", "model", "None"),
        ("b", "line", "34"),
        ("a", "evidence", "sync"),
        ("a",),
        ("\ud800", "", None),
    ],
)
def test_it_opens_to_nothing_else(key: AnswerKey, words: tuple[Any, ...]) -> None:
    assert key.value(*words) is None


@pytest.mark.slow
def test_a_key_says_neither_words_nor_figures_nor_which_belong_together(tmp_path: Path) -> None:
    paths_ = [tmp_path / "one.json", tmp_path / "other.json"]
    for path in paths_:
        answer_key.write(path, TRUTH)
    one, other = (AnswerKey.read(path) for path in paths_)
    assert not set(one.entries) & set(other.entries)
    assert not set(one.entries.values()) & set(other.entries.values())
    assert len({len(sealed) for sealed in one.entries.values()}) == 1
    text = paths_[0].read_text(encoding="utf-8")
    for word in ("sync", "loader", "0.7568", "all_reduce", "largest"):
        assert word not in text
    # "34" can be a part of a random hexadecimal number: as a whole value it must not occur.
    assert '"34"' not in text
