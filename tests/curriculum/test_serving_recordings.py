"""The recorded deployments: each shows the sickness that the judge's file names, and no other one.

Everything is computed anew from the files that learners get.
"""

import csv
import hashlib
import importlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hotloop.core import paths
from hotloop.engines.serving import metrics, preflight, repository
from hotloop.engines.serving.unavailable import ServingUnavailable
from hotloop.tasks.modules.triton_ensemble.deployments import CAUSES, DIAGNOSIS
from hotloop.tasks.modules.triton_ensemble.metric_deltas import Figures, figures_of

MODULE = "triton_ensemble"
SCRIPTS = paths.curriculum() / MODULE / "recordings"
FOLDER = paths.exercises() / MODULE
TRUTH = SCRIPTS / "deployments.json"
KNOWN: dict[str, dict[str, Any]] = json.loads(TRUTH.read_text(encoding="utf-8"))
HEALTHY = ("healthy", "healthy_alone")
NAMES = DIAGNOSIS.names
ALL = (*NAMES, *HEALTHY)
STEPS = ("preprocess", "bert", "postprocess")
KEYS = {
    "date", "versions", "machine", "load", "seconds", "before", "after", "executions", "client_us",
    "perf_analyzer", "configs",
}  # fmt: skip
PLACES = re.compile(r"/(?:home|root|usr|tmp|opt|work|var|mnt|Users)\b|127\.0\.0\.1|localhost")

per_recording = pytest.mark.parametrize("name", ALL)
per_sick = pytest.mark.parametrize("name", NAMES)


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The scripts can be imported by name, for one test."""
    names = {path.stem for path in SCRIPTS.glob("*.py")} | {"texts"}
    monkeypatch.syspath_prepend(str(SCRIPTS))
    before = {name: sys.modules.pop(name, None) for name in names}
    path = list(sys.path)
    yield
    sys.path[:] = path
    for name, module in before.items():
        sys.modules.pop(name, None)
        if module is not None:
            sys.modules[name] = module


def _script(name: str) -> ModuleType:
    return importlib.import_module(name)


def _path(name: str) -> Path:
    return FOLDER / f"deployment_{name}.json"


@cache
def _read(name: str) -> dict[str, Any]:
    return json.loads(_path(name).read_text(encoding="utf-8"))


def _figures(name: str, model: str) -> Figures:
    recording = _read(name)
    return figures_of(recording["before"], recording["after"], model, recording["seconds"])


def _us(name: str, model: str, key: str) -> float:
    value = getattr(_figures(name, model), key)
    assert value is not None
    return value


def _outside(name: str) -> float:
    return 1 - _us(name, "topics", "request_us") / _read(name)["client_us"]


def _of(cause: str) -> str:
    """The letter of a sickness."""
    return next(letter for letter, known in KNOWN.items() if known["cause"] == cause)


def _ms_per_row(name: str, model: str) -> float:
    sizes = _read(name)["executions"][model]
    rows = sum(int(size) * each["executions"] for size, each in sizes.items())
    return sum(each["executions"] * each["infer_us"] for each in sizes.values()) / rows / 1e3


# --- what is in a recording -----------------------------------------------------------------------


def test_four_letters_stand_for_four_sicknesses() -> None:
    assert tuple(KNOWN) == NAMES
    assert sorted(known["cause"] for known in KNOWN.values()) == sorted(CAUSES)
    assert {path.name for path in FOLDER.glob("deployment_*")} == {_path(name).name for name in ALL}


@per_recording
def test_a_recording_is_whole(name: str) -> None:
    recording = _read(name)
    assert set(recording) == KEYS
    assert _path(name).stat().st_size < 200_000
    assert set(recording["configs"]) == {"topics", *STEPS}
    told = "".join(recording["configs"].values())
    assert not any(word in told for word in ("input", "dims", "step", "backend")), "task 1 asks it"
    assert recording["machine"]["others"] <= 0.1, "other programs had little of the machine"
    assert 7.5 < recording["seconds"] < 9
    for model in ("topics", *STEPS):
        found = _figures(name, model)
        assert found.requests > 100
        assert found.failed == 0
        assert found.request_us is not None


@per_recording
def test_what_was_told_in_three_ways_agrees(name: str) -> None:
    """Metrics, statistics and the clients; their windows begin and end at other moments."""
    recording = _read(name)
    (seen,) = csv.DictReader(recording["perf_analyzer"].splitlines())
    assert int(seen["Avg latency"]) == recording["client_us"]
    rate = float(seen["Inferences/Second"])
    assert rate == pytest.approx(_figures(name, "topics").rows_per_s, rel=0.15)
    under_way = rate * recording["client_us"] / 1e6
    assert under_way == pytest.approx(recording["load"]["clients"], rel=0.05), "Little's law"
    for model in STEPS:
        sizes = recording["executions"][model]
        executions = sum(each["executions"] for each in sizes.values())
        rows = sum(int(size) * each["executions"] for size, each in sizes.items())
        assert rows / recording["seconds"] == pytest.approx(
            _figures(name, model).rows_per_s, rel=0.05
        )
        assert rows / executions == pytest.approx(_figures(name, model).mean_batch, rel=0.05)


@per_recording
def test_it_names_no_place_and_no_sickness(name: str) -> None:
    text = _path(name).read_text(encoding="utf-8")
    assert not PLACES.search(text)
    for word in (*CAUSES, "gateway", "sick"):
        assert word not in text.lower().replace("max_queue_delay_microseconds", "")
    for line in (_read(name)["before"] + _read(name)["after"]).splitlines():
        assert line.startswith(("#", "nv_"))


# --- what a recording shows -----------------------------------------------------------------------


def test_those_asked_alone_and_those_asked_by_many() -> None:
    clients = {name: _read(name)["load"]["clients"] for name in ALL}
    assert clients.pop("healthy_alone") == clients.pop(_of("delay")) == 1
    assert set(clients.values()) == {16}


def test_delay_is_a_queue_before_an_idle_step() -> None:
    name = _of("delay")
    assert KNOWN[name]["model"] == "postprocess"
    assert _figures(name, "postprocess").mean_batch == 1
    assert _us(name, "postprocess", "queue_us") > 20 * _us(
        "healthy_alone", "postprocess", "queue_us"
    )
    assert _ms_per_row(name, "postprocess") * _figures(name, "postprocess").rows_per_s < 100
    assert _read(name)["client_us"] > 3 * _read("healthy_alone")["client_us"]


def test_row_by_row_holds_preprocess_and_leaves_bert_as_it_is() -> None:
    name = _of("row_by_row")
    assert KNOWN[name]["model"] == "preprocess"
    assert _ms_per_row(name, "preprocess") > 3 * _ms_per_row("healthy", "preprocess")
    assert _ms_per_row(name, "bert") < 2 * _ms_per_row("healthy", "bert")
    preprocess, bert = (
        _us(name, model, "queue_us") + _us(name, model, "infer_us")
        for model in ("preprocess", "bert")
    )
    assert preprocess > 2 * bert
    sizes = _read(name)["executions"]["preprocess"]
    per_row = {int(s): e["infer_us"] / int(s) for s, e in sizes.items() if e["executions"] > 20}
    assert per_row[max(per_row)] > per_row[1] / 3, "larger batches hardly help"
    healthy = _read("healthy")["executions"]["preprocess"]
    assert healthy["4"]["infer_us"] / 4 < healthy["1"]["infer_us"] / 2, "where rows are joined"


def test_oversubscribed_takes_more_time_for_smaller_batches() -> None:
    name = _of("oversubscribed")
    assert KNOWN[name]["model"] == "bert"
    assert _us(name, "bert", "infer_us") > 3 * _us("healthy", "bert", "infer_us")
    sick, healthy = (_figures(each, "bert").mean_batch for each in (name, "healthy"))
    assert sick is not None
    assert healthy is not None
    assert sick < healthy / 1.5
    assert _us(name, "bert", "infer_us") > 3 * _us(name, "bert", "queue_us")
    assert _figures(name, "topics").rows_per_s < _figures("healthy", "topics").rows_per_s / 2


def test_outside_is_outside() -> None:
    name = _of("outside")
    assert KNOWN[name]["model"] is None
    assert _outside(name) > 0.75
    assert all(_outside(other) < 0.25 for other in ALL if other != name)
    assert _us(name, "topics", "request_us") < _us("healthy", "topics", "request_us")


def test_what_looks_odd_in_a_configuration_may_cost_nothing() -> None:
    """Beside the sick ones there are settings that everybody would blame first."""
    for cause in ("row_by_row", "outside"):
        assert "max_queue_delay_microseconds: 200" in _read(_of(cause))["configs"]["bert"]
        share = _us(_of(cause), "bert", "queue_us") / _read(_of(cause))["client_us"]
        assert share < 0.1
    assert "count: 2" in _read(_of("row_by_row"))["configs"]["bert"]


def test_perf_analyzers_table_calls_the_queue_of_a_step_network() -> None:
    """An ensemble has no queue of its own: what its steps wait for is counted as outside."""
    name = _of("delay")
    (seen,) = csv.DictReader(_read(name)["perf_analyzer"].splitlines())
    assert int(seen["Server Queue"]) < 0.01 * int(seen["Avg latency"])
    network = int(seen["Network+Server Send/Recv"])
    assert network > 0.5 * int(seen["Avg latency"])
    assert network > 5 * _outside(name) * _read(name)["client_us"]


@per_recording
@pytest.mark.usefixtures("scripts")
def test_a_recording_would_be_thrown_away_under_any_other_name(name: str) -> None:
    sicknesses = _script("sicknesses")
    clear = [c for c in (*CAUSES, None) if not sicknesses.unclear(c, _read(name))]
    assert clear == [KNOWN[name]["cause"] if name in KNOWN else None]


# --- what the judge knows -------------------------------------------------------------------------


@per_sick
@pytest.mark.usefixtures("scripts")
def test_the_judges_file_is_what_the_recordings_say(name: str) -> None:
    assert _script("record").described(KNOWN[name]["cause"], name) == KNOWN[name]
    assert hashlib.sha256(_path(name).read_bytes()).hexdigest() == KNOWN[name]["sha256"]


@per_sick
def test_the_shares_are_those_of_the_figures(name: str) -> None:
    """By another way than the script's."""
    known = KNOWN[name]
    for evidence, share in known["evidence"].items():
        if evidence == "outside_us":
            found = _outside(name)
        else:
            found = _us(name, known["model"], evidence) / _read(name)["client_us"]
        assert found == pytest.approx(share, abs=1e-4)
        assert share > 0.1


# --- how they are recorded ------------------------------------------------------------------------


@pytest.mark.parametrize("cause", [None, *CAUSES])
@pytest.mark.usefixtures("scripts")
def test_the_repositories_are_sound(tmp_path: Path, cause: str | None) -> None:
    """A sick one loads and answers like the healthy one; what is wrong with it is its time."""
    _script("deployments").lay_out(tmp_path, cause)
    assert repository.check(tmp_path) == []


@pytest.mark.slow
def test_the_slow_tokenizer_finds_the_same_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = SCRIPTS / "repositories/row_by_row/preprocess/1"
    model = paths.curriculum() / MODULE / "model"
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.syspath_prepend(str(model))
    for name in ("pieces", "texts", "wordpiece"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    try:
        pieces, texts, wordpiece = map(_script, ("pieces", "texts", "wordpiece"))
    finally:
        for name in ("pieces", "texts", "wordpiece"):
            sys.modules.pop(name, None)
    chosen = [text.sentence for text in texts.read()[::40]]
    chosen += ["", "Ünïcode café — naïve", "a_b==c  \t(d)", "x" * 101]
    ids, mask = wordpiece.encode(wordpiece.load(), chosen)
    slow = pieces.Pieces(model / "tokenizer.json")
    assert [(i, m) for i, m in zip(ids.tolist(), mask.tolist(), strict=True)] == [
        slow.encode(text) for text in chosen
    ]


BUSY = "import time\nend = time.monotonic() + 1.5\nwhile time.monotonic() < end: pass"


@pytest.mark.slow
@pytest.mark.parametrize("ours", [True, False])
@pytest.mark.usefixtures("scripts")
def test_the_time_of_others_is_theirs(ours: bool) -> None:
    """A child's work is ours; that of a process which has left the family is not."""
    foreign = _script("foreign")
    before, watch, began = foreign._used_by_us(), foreign.Foreign(), time.monotonic()
    command = [sys.executable, "-c", BUSY]
    if ours:
        subprocess.run(command, check=True)
    else:
        subprocess.run(["setsid", "--fork", *command], check=True)
        time.sleep(2)
    took = foreign._used_by_us() - before
    if ours:
        assert took > 0.2
    else:
        assert took < 0.2
        assert watch.share() * (time.monotonic() - began) * foreign.os.cpu_count() > 0.2


@pytest.mark.serving
@pytest.mark.slow
@pytest.mark.parametrize("cause", ["delay", "outside"])
@pytest.mark.usefixtures("scripts")
def test_a_recording_can_be_made_again(cause: str, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        preflight.require()
    except ServingUnavailable as gap:
        pytest.skip(str(gap))
    record, under_load, sicknesses = map(_script, ("record", "under_load", "sicknesses"))
    monkeypatch.setattr(under_load, "WARM_UP_S", 0.5)
    monkeypatch.setattr(under_load, "SECONDS", 2.0)
    monkeypatch.setattr(under_load, "LOAD", ["-p", "1000", "-r", "3", "-s", "999"])
    sickness = sicknesses.SICKNESSES[cause]
    made = record.record(cause, sickness.clients)
    assert set(made) == KEYS
    assert sickness.sign(made) > sickness.least / 2
    assert metrics.value(metrics.parse(made["after"]), "nv_inference_count", model="bert") > 10
