"""A reading is judged by its figures, a diagnosis by its recorded evidence."""

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hotloop.core import paths
from hotloop.tasks.markers import parse, regions
from hotloop.tasks.modules.resnet_tensorrt import builds, synthetic_builds

FOLDER = paths.exercises() / "resnet_tensorrt"
KNOWN: dict[str, dict[str, Any]] = json.loads(
    (paths.curriculum() / "resnet_tensorrt/recordings/builds.json").read_text(encoding="utf-8")
)
KEY = "resnet_tensorrt.slow_builds"
ALL = ("healthy", *builds.DIAGNOSIS.names)


def path_of(name: str) -> Path:
    return FOLDER / f"build_{name}.json.gz"


def recorded(name: str) -> dict[str, Any]:
    return json.loads(gzip.decompress(path_of(name).read_bytes()))


def written(body: tuple[str, ...]) -> dict[str, Any]:
    """Return the functions of a solution, or of a wrong answer."""
    namespace: dict[str, Any] = {}
    exec("\n".join(body), namespace)  # a file of this repository
    return namespace


def reference() -> dict[str, Any]:
    path = paths.solutions() / "resnet_tensorrt" / "build_logs.py"
    found = regions(parse(path.read_text(encoding="utf-8"), path.name))
    return written(next(region.body for region in found if region.key == KEY))


@pytest.mark.parametrize("name", ALL)
def test_the_reference_reads_the_recordings_too(name: str) -> None:
    read_build = reference()["read_build"]
    assert builds.reading_mismatch(read_build(str(path_of(name))), recorded(name)) is None


@pytest.mark.parametrize("name", builds.DIAGNOSIS.names)
def test_what_the_judge_knows_stands_in_the_recording(name: str) -> None:
    known, recording = KNOWN[name], recorded(name)
    assert hashlib.sha256(path_of(name).read_bytes()).hexdigest() == known["sha256"]
    shown = builds.counts(recording) | builds.shares(recording)
    for evidence, value in known["evidence"].items():
        assert shown[evidence] == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize("name", builds.DIAGNOSIS.names)
def test_each_sick_one_is_slower_than_the_healthy_one(name: str) -> None:
    healthy = builds.figures(recorded("healthy"))["run_ms"]
    assert builds.figures(recorded(name))["run_ms"] > 1.5 * healthy


def test_evidence_of_a_cause_is_not_in_the_healthy_one() -> None:
    healthy = builds.counts(recorded("healthy")) | builds.shares(recorded("healthy"))
    for name in builds.DIAGNOSIS.names:
        for evidence, value in KNOWN[name]["evidence"].items():
            assert healthy.get(evidence, 0.0) < 0.2 * value


def test_training_shows_in_what_a_normalization_gives() -> None:
    """In training mode it has three outputs, of which two are the running statistics."""
    for name in builds.DIAGNOSIS.names:
        given = {
            len(event["args"]["output_type_shape"])
            for event in recorded(name)["profile"]
            if event.get("args", {}).get("op_name") == "BatchNormalization"
        }
        assert given <= ({3} if KNOWN[name]["cause"] == "training" else {1})


@pytest.mark.parametrize("name", ALL)
def test_no_recording_names_a_folder_of_the_machine(name: str) -> None:
    text = json.dumps(recorded(name))
    assert "/tmp" not in text
    assert "/root" not in text


@pytest.mark.parametrize("name", builds.DIAGNOSIS.names)
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cause": "cosmic rays"}, "expected one of"),
        ({"cause": None}, "expected one of"),
        ({"cause": "disabled"}, "the cause is not"),
        ({"evidence": "Conv"}, "does not show it"),
        ({"evidence": 7}, "does not show it"),
        ({"value": -1.0}, "expected"),
        ({"value": None}, "not a number"),
        ({"value": True}, "not a number"),
    ],
)
def test_everything_in_a_diagnosis_must_be_right(
    name: str, change: dict[str, Any], said: str
) -> None:
    wrong = reference()["diagnosis"]()
    wrong[name] = {**wrong[name], **change}
    mismatch = builds.DIAGNOSIS.mismatch(wrong)
    assert mismatch is not None
    assert mismatch.startswith(f"build {name}")
    assert said in mismatch


@pytest.mark.parametrize("junk", [None, 3, "a", [], {}, {"a": 3}])
def test_junk_gets_a_sentence(junk: Any) -> None:
    assert builds.DIAGNOSIS.mismatch(junk)
    assert builds.reading_mismatch(junk, recorded("healthy"))


@pytest.mark.parametrize("key", list(builds.figures(recorded("a"))))
def test_no_figure_may_be_missing_or_wrong(key: str) -> None:
    right = builds.figures(recorded("a"))
    for value in (None, "no such thing", -1, ["x"]):
        assert builds.reading_mismatch({**right, key: value}, recorded("a")) is not None


@pytest.mark.parametrize("seed", range(50))
def test_the_last_event_of_a_made_recording_counts_and_names_do_not(seed: int) -> None:
    made = synthetic_builds.made(np.random.default_rng(seed), fences=False)
    cut = {**made, "profile": made["profile"][:-1]}
    shares = builds.shares(made)
    assert builds.shares(cut) != pytest.approx(shares, rel=0.001)
    assert max(shares, key=shares.__getitem__) not in {min(shares), max(shares)}
