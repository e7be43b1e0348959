"""A figure in prose becomes a recorded value with its circumstances, or the build stops."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hotloop.core import paths
from hotloop.tasks import curriculum, figures
from hotloop.tasks.measured_code import measured_code

MODULE = "fused_softmax"
SPEED: dict[str, Any] = {
    "candidate": "reference",
    "task": "compiled_chain",
    "check": "fast_cpu",
    "verdict": "passed",
    "earned": 1.0,
    "sentence": "Fast.",
    "p20_ms": 0.9,
    "p50_ms": 0.96363,
    "p80_ms": 1.2,
    "baseline_p50_ms": 1527.574,
    "ratio": {"estimate": 1.585, "low": 1.339, "high": 1.665},
    "gb_per_s": 8.709,
    "fraction_of_limit": 0.322,
}
Recorder = Callable[..., None]


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    """Returns a function that writes a run of the module, in an otherwise real curriculum."""
    for path in paths.curriculum().iterdir():
        if path.name != MODULE:
            (tmp_path / path.name).symlink_to(path)
    folder = tmp_path / MODULE
    folder.mkdir()
    for path in (paths.curriculum() / MODULE).iterdir():
        if path.name != "runs":
            (folder / path.name).symlink_to(path)
    monkeypatch.setattr(paths, "curriculum", lambda: tmp_path)
    curriculum.load_module.cache_clear()

    def written(stem: str = "my_cpu", kind: str = "cpu", **changes: Any) -> None:
        run = {
            "format": 1,
            "module": MODULE,
            "device": "My CPU",
            "kind": kind,
            "driver": "",
            "date": "2026-01-02",
            "libraries": {"torch": "2.13.0"},
            "code": measured_code(MODULE),
            "isolation": "bubblewrap",
            "ceilings": {},
            "measurements": [{**SPEED, "check": "fast_gpu"} if kind == "gpu" else SPEED],
        }
        (folder / "runs").mkdir(exist_ok=True)
        (folder / "runs" / f"{stem}.json").write_text(json.dumps(run | changes))

    return written


def figure(field: str, device: str = "my_cpu", check: str = "fast_cpu") -> str:
    return f"{{{{ run {MODULE} {device} reference compiled_chain {check} {field} }}}}"


@pytest.mark.parametrize(
    ("field", "told"),
    [
        ("ratio", "1.58× (1.34 to 1.67)"),
        ("speedup", "1.58×"),
        ("p50_ms", "0.964 ms"),
        ("baseline_p50_ms", "1,528 ms"),
        ("gb_per_s", "8.71 GB/s"),
        ("fraction_of_limit", "32%"),
        ("verdict", "`passed`"),
    ],
)
def test_a_figure_becomes_its_value(record: Recorder, field: str, told: str) -> None:
    record()
    text = figures.insert(f"It is {figure(field)} here.", "page.md")
    assert text.startswith(f"It is {told}[^run-{MODULE}-my_cpu] here.\n")


def test_the_footnote_says_where_when_and_with_what(record: Recorder) -> None:
    record()
    text = figures.insert(f"{figure('ratio')} and {figure('p50_ms')}", "page.md")
    notes = [line for line in text.split("\n") if line.startswith("[^run")]
    head = f"[^run-{MODULE}-my_cpu]: Measured on My CPU, 2026-01-02, isolation bubblewrap; torch"
    assert notes == [f"{head} 2.13.0. It measured the code that is here today."]


def test_a_run_without_a_digest_is_told_and_says_that_nothing_compares_it(record: Recorder) -> None:
    record(code=None)
    assert "nothing compares it with today's" in figures.insert(figure("ratio"), "page.md")


def test_a_run_that_is_older_than_the_code_says_so(record: Recorder) -> None:
    record(code="0123456789abcdef")
    assert "The code has changed since" in figures.insert(figure("ratio"), "page.md")


def test_on_a_device_without_a_run_it_is_not_yet_measured(record: Recorder) -> None:
    record()
    told = figures.insert(figure("ratio", "gpu", "fast_gpu"), "page.md")
    assert told == "not yet measured on this device"
    elsewhere = figures.insert(figure("ratio", "amd_epyc"), "page.md")
    assert elsewhere == "not yet measured on this device"


def test_gpu_is_the_first_run_that_was_made_on_one(record: Recorder) -> None:
    record()
    record("some_card", "gpu", device="Some Card")
    text = figures.insert(figure("speedup", "gpu", "fast_gpu"), "page.md")
    assert text.startswith(f"1.58×[^run-{MODULE}-some_card]")
    assert "Measured on Some Card" in text


def test_what_the_judge_could_not_measure_is_not_yet_measured(record: Recorder) -> None:
    record(measurements=[{**SPEED, "verdict": "not_measured", "ratio": None}])
    assert figures.insert(figure("ratio"), "p") == "not yet measured on this device"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{ run fused_softmax }}", r"p:1: a figure is \{\{ run MODULE .* has 1 words"),
        ("{{ run a b\nc d e f }}", "p:1: this is no figure"),
        (figure("speed"), "p:1: there is no field 'speed'; there are verdict"),
        (figure("ratio", "no_cpu"), "p:1: nothing was recorded on 'no_cpu'; devices: .*my_cpu"),
        (figure("ratio", check="fats_cpu"), "p:1: fused_softmax.compiled_chain has no check"),
        (figure("gflop_per_s"), "p:1: fused_softmax/my_cpu has no gflop_per_s for reference"),
        (figure("ratio").replace("reference", "mine"), "p:1: .* no measurement of mine"),
        (
            figure("ratio").replace("compiled_chain", "chain"),
            "p:1: .* has no task 'chain'",
        ),
        (figure("ratio").replace(MODULE, "softmax"), "p:1: there is no module 'softmax'"),
    ],
)
def test_what_cannot_be_told_stops_the_build(record: Recorder, text: str, said: str) -> None:
    record()
    with pytest.raises(figures.FigureError, match=said):
        figures.insert(text, "p")


def test_code_is_left_alone(record: Recorder) -> None:
    record()
    inline = "`{{ run MODULE … }}` is the grammar"
    fenced = f"````text\n```\n{figure('ratio')}\n```\n````"
    text = f"{inline}\n{fenced}\n{{{{ other }}}}"
    assert figures.insert(text, "p") == text


@pytest.mark.slow
def test_the_lessons_name_figures(clone: Path) -> None:
    """Every figure in the lessons is in a run and can be inserted."""
    for module in ("fused_softmax", "profile_training_loop", "triton_ensemble"):
        path = clone / "curriculum" / module / "lesson.md"
        text = path.read_text(encoding="utf-8")
        assert "{{ run " in text
        assert "{{ run" not in figures.insert(text, str(path))
