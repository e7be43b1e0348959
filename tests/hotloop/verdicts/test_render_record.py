"""A record as shown to people."""

import re
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup

from hotloop.core import extras
from hotloop.core.record import CheckRecord, Circumstances, Record
from hotloop.core.verdict import Verdict
from hotloop.tasks.problem import Score
from hotloop.verdicts import releases, render_record
from hotloop.verdicts import words as verdict_words
from hotloop.verdicts.render_record import DisplayedRecord

SPEED = {
    "baseline_seconds": {"p50": 0.002},
    "candidate_seconds": {"p50": 0.001},
    "ratio": 2.0,
    "interval": [1.9, 2.1],
    "windows": 12,
    "calls_per_window": 30,
    "threads": 1,
}
RECORD = Record(
    "m",
    "task",
    Verdict.PARTIAL,
    "Fast, but not measured on a GPU.",
    (
        CheckRecord("fast", Verdict.PASSED, "2.00× the baseline.", 0.5, evidence=SPEED),
        CheckRecord("gpu", Verdict.NOT_MEASURED, "No GPU here."),
    ),
    Circumstances("ab" * 32, "0.1", "", "A CPU", "", {"torch": "2.13"}, "00ff", "none", "t", 3.2),
)
SCORE = Score(3.0, 2.0, 8.0)


def text_of(html: str) -> str:
    return " ".join(BeautifulSoup(html, "html.parser").get_text(" ").split())


def test_verdict_sentence_points_and_picture() -> None:
    html = render_record.html(RECORD, SCORE, {"fast": 6.0, "gpu": 2.0})
    shown = text_of(html)
    assert "passed here, GPU pending m.task 3 of 8 points, 2 pending" in shown
    assert "Fast, but not measured on a GPU." in shown
    assert "fast passed 3 of 6 2.00× the baseline." in shown
    assert "gpu not measured (pending) 2 pending No GPU here." in shown
    assert "Medians of 12 windows, throughput: 30 calls a window, 1 thread." in shown
    assert html.count("<svg") == 1
    assert "A CPU" in shown
    assert "torch 2.13" in shown


@pytest.mark.parametrize(
    ("module", "digest", "words"),
    [
        ("m", "", "0.1"),
        ("m", "aa" * 32, "release 0.3.0"),
        ("m", "bb" * 32, "release 0.1.0"),
        ("other", "aa" * 32, "0.1, unreleased code aaaaaaaaaaaa"),
        ("m", "cc" * 32, "0.1, unreleased code cccccccccccc"),
    ],
)
def test_the_grader_is_named_by_the_latest_release_with_its_digest(
    module: str, digest: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {"0.1.0": {"m": "bb" * 32}, "0.2.0": {"m": "aa" * 32}, "0.3.0": {"m": "aa" * 32}}
    monkeypatch.setattr(releases, "_releases", lambda: known)
    around = replace(RECORD.circumstances, grader_digest=digest)
    html = render_record.html(replace(RECORD, module=module, circumstances=around), SCORE)
    assert f"grader: {words}<br>" in html


def test_the_drawings_alone() -> None:
    [figure] = render_record.figures(RECORD)
    assert figure.startswith("<figure><svg")
    assert figure in render_record.html(RECORD)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"calls_per_window": 1}, "latency: one call"),
        (
            {"measures": "requests of 16 clients, in a closed loop"},
            "Medians of 12 windows, each 30 requests of 16 clients, in a closed loop, 1 thread.",
        ),
    ],
)
def test_what_was_measured_is_said(changes: dict[str, object], said: str) -> None:
    check = replace(RECORD.checks[0], evidence={**SPEED, **changes})
    assert said in text_of(render_record.html(replace(RECORD, checks=(check,))))


def test_what_stands_between_backticks_is_code_and_stays_text() -> None:
    record = replace(RECORD, sentence="Run `hotloop check`, not `<b>it</b>`: a lone ` stays.")
    soup = BeautifulSoup(render_record.html(record), "html.parser")
    assert [code.get_text() for code in soup.find_all("code")] == ["hotloop check", "<b>it</b>"]
    assert soup.find_all("b") == []
    assert "a lone ` stays." in soup.get_text()


def test_everything_from_the_record_is_escaped() -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    check = CheckRecord(evil, Verdict.RUNTIME_ERROR, evil, evidence={**SPEED, "gb_per_s": evil})
    about = replace(RECORD.circumstances, device=evil, libraries={evil: evil}, seed=evil)
    record = replace(RECORD, module=evil, sentence=evil, checks=(check,), circumstances=about)
    soup = BeautifulSoup(render_record.html(record), "html.parser")
    assert soup.find_all(["script", "img"]) == []
    assert evil in soup.get_text()


def test_a_kernel_of_nsight_compute_is_a_row_and_its_name_stays_text() -> None:
    kernel = {
        "kernel": "<b>softmax</b>",
        "nanoseconds": 129_040,
        "dram_bytes": 532e6,
        "occupancy_percent": None,
        "grid": "(8192, 1, 1)",
    }
    check = CheckRecord("gpu", Verdict.PASSED, "Right.", evidence={"nsight": [kernel]})
    html = render_record.html(replace(RECORD, checks=(check,)))
    [row] = BeautifulSoup(html, "html.parser").select(".hl-profile tr:has(td)")
    cells = [cell.get_text() for cell in row.select("td")]
    assert cells == ["<b>softmax</b>", "129.0", "532.00", "", "", "", "", "", "(8192, 1, 1)", ""]


def test_why_there_is_no_profile_is_said() -> None:
    check = CheckRecord(
        "gpu", Verdict.PASSED, "Right.", evidence={"nsight": "ncu is not installed"}
    )
    html = render_record.html(replace(RECORD, checks=(check,)))
    assert "gpu: ncu is not installed" in text_of(html)
    assert "hl-profile'" not in html


def test_text_has_verdict_and_points() -> None:
    lines = render_record.text(RECORD, SCORE).splitlines()
    assert lines[0] == "m.task: passed here, GPU pending (3 of 8 points, 2 pending)"
    assert lines[2] == "  fast: passed – 2.00× the baseline."


def test_a_notebook_gets_html_and_a_number_for_validate() -> None:
    bundle = DisplayedRecord(RECORD, SCORE)._repr_mimebundle_()
    assert bundle["text/plain"] == "3"
    assert bundle["text/html"].startswith("<div")


def test_an_unknown_module_is_shown_without_points() -> None:
    bundle = DisplayedRecord(RECORD)._repr_mimebundle_()
    assert "points," not in bundle["text/html"]
    assert bundle["text/plain"].startswith("m.task: passed here, GPU pending")


def test_points_without_needless_decimals() -> None:
    assert [render_record.number(v) for v in (3.0, 2.5, 0.0, 1 / 3)] == ["3", "2.5", "0", "0.33"]


def test_a_notebook_says_that_nothing_is_judged_again_by_itself() -> None:
    undecided = CheckRecord("fast", Verdict.UNDECIDED, "Too close to decide. Run the check again.")
    shown = DisplayedRecord(replace(RECORD, checks=(undecided,)), SCORE)
    assert "run this cell once more" in text_of(shown._repr_mimebundle_()["text/html"])
    assert "run this cell once more" in repr(shown)


def test_what_this_machine_lacks_is_not_asked_for_again() -> None:
    assert "once more" not in DisplayedRecord(RECORD, SCORE)._repr_mimebundle_()["text/html"]


def test_feedback_says_nothing_of_cells_to_run() -> None:
    undecided = CheckRecord("fast", Verdict.UNDECIDED, "Too close to decide. Run the check again.")
    assert "this cell" not in render_record.html(replace(RECORD, checks=(undecided,)), SCORE)


def _failed(*checks: CheckRecord) -> Record:
    return replace(RECORD, verdict=Verdict.WRONG_ANSWER, sentence=checks[0].sentence, checks=checks)


def test_what_nobody_has_begun_is_not_started_and_grey() -> None:
    said = "Not attempted yet: it still raises NotImplementedError."
    record = _failed(*(CheckRecord(name, Verdict.WRONG_ANSWER, said) for name in ("a", "b")))
    html = render_record.html(record)
    assert "--hl:#57606a" in html
    assert text_of(html).count("not started") == 3
    assert text_of(html).count(said) == 1
    assert "wrong answer" not in text_of(html)


def test_counted_bytes_that_are_too_many_are_not_called_too_slow() -> None:
    counted = {"fewest_bytes": 4, "factor": 3.0}
    moves = CheckRecord("traffic", Verdict.TOO_SLOW, "It moves 3.00×.", evidence=counted)
    fast = CheckRecord("fast", Verdict.TOO_SLOW, "0.50× the baseline.", evidence=SPEED)
    record = replace(_failed(moves, fast), verdict=Verdict.TOO_SLOW)
    assert verdict_words.of_task(record) == "moves too many bytes"
    assert verdict_words.of_check(moves, record)[0] == "moves too many bytes"
    assert verdict_words.of_check(fast, record)[0] == "too slow"
    partial = replace(moves, verdict=Verdict.PARTIAL)
    assert verdict_words.of_check(partial, record)[0] == "partial"
    assert verdict_words.of_task(replace(record, checks=(fast,))) == "too slow"


def test_a_sentence_is_said_once_and_what_was_not_reached_is_skipped() -> None:
    record = _failed(
        CheckRecord("correct", Verdict.WRONG_ANSWER, "Wrong: at [0]."),
        CheckRecord("fast", Verdict.WRONG_ANSWER, "Skipped until `correct` passes."),
    )
    shown = text_of(render_record.html(record))
    assert shown.count("Wrong: at [0].") == 1
    assert "fast skipped Skipped until" in shown


def test_lines_of_a_compilers_message_stay_lines() -> None:
    record = replace(
        RECORD, sentence="It does not compile: a.cu:3: error\n  int x = ;\n          ^"
    )
    html = render_record.html(record)
    [lines] = BeautifulSoup(html, "html.parser").select(".hl-lines")
    assert lines.get_text() == "  int x = ;\n          ^"
    style = re.search(r"\.hl-lines\{(.*?)\}", html)
    assert style is not None
    assert "white-space:pre!" in style[1]
    assert "monospace" in style[1]


def test_backticks_and_marks_in_a_compilers_lines_are_left_alone() -> None:
    record = replace(RECORD, sentence="It does not compile: `x`\n  a `b` <c>\n    ^ `d`")
    soup = BeautifulSoup(render_record.html(record), "html.parser")
    assert soup.select(".hl-lines")[0].get_text() == "  a `b` <c>\n    ^ `d`"


def test_what_passed_here_is_green_and_says_what_is_pending() -> None:
    right = CheckRecord("correct", Verdict.PASSED, "Right.", 1.0)
    gpu = CheckRecord("gpu_fast", Verdict.NOT_MEASURED, "No GPU here.")
    noisy = CheckRecord("fast", Verdict.UNDECIDED, "Too close to decide.")
    wrong = CheckRecord("traffic", Verdict.TOO_SLOW, "It moves 3.00×.")
    for checks, words, green in [
        ((right, gpu), "passed here, GPU pending", True),
        ((right, replace(gpu, check="onnx")), "passed here, onnx pending", True),
        ((right, gpu, replace(gpu, check="onnx")), "passed here, rest pending", True),
        ((right, noisy), "passed, fast pending", False),
        ((right, wrong, gpu), "partial", False),
    ]:
        record = replace(RECORD, checks=checks)
        assert verdict_words.of_task(record) == words
        assert ("--hl:#1a7f37" in render_record.html(record)) == green
    nothing = replace(RECORD, verdict=Verdict.NOT_MEASURED, checks=(gpu,))
    assert verdict_words.of_task(nothing) == "not measured (pending)"
    assert "--hl:#8a5a00" in render_record.html(nothing)


def test_what_is_next_is_told_below_the_checks() -> None:
    shown = DisplayedRecord(RECORD, SCORE, following=["Continue: `check('m.b')`", "Practice."])
    soup = BeautifulSoup(shown._repr_mimebundle_()["text/html"], "html.parser")
    assert [item.get_text() for item in soup.select("li")] == [
        "Continue: check('m.b')",
        "Practice.",
    ]
    assert repr(shown).endswith("Continue: `check('m.b')`\nPractice.")


def test_a_task_that_is_not_started_says_where_it_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(extras, "why_no_judge", lambda: "")
    said = "Not attempted yet: it still raises NotImplementedError."
    raised = CheckRecord("a", Verdict.WRONG_ANSWER, said, evidence={"reproducible": True})
    assert verdict_words.how_to_reproduce(_failed(raised)) == ""
    assert "Write it in `a.py` and `b.cu`, save" in verdict_words.how_to_start(
        _failed(raised), ["a.py", "b.cu"]
    )
    assert "begins with `### TASK m.task`" in verdict_words.how_to_start(_failed(raised), [])
    assert verdict_words.how_to_start(_failed(replace(raised, sentence="Wrong.")), []) == ""


def test_a_check_with_an_input_names_the_call_that_writes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(extras, "why_no_judge", lambda: "")
    with_input = CheckRecord("a", Verdict.WRONG_ANSWER, "Wrong.", evidence={"reproducible": True})
    assert "`hotloop check m.task --repro`" in verdict_words.how_to_reproduce(_failed(with_input))
    assert verdict_words.how_to_reproduce(_failed(replace(with_input, evidence={}))) == ""
    monkeypatch.setattr(extras, "why_no_judge", lambda: "No judge here.")
    assert verdict_words.how_to_reproduce(_failed(with_input)) == ""
