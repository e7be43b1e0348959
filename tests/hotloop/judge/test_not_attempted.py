"""A compiler's mismatch about a file that was not edited does not count as a mismatch yet."""

import hashlib
from pathlib import Path

import pytest

from hotloop.core import paths
from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.judge.files import SubmissionFiles
from hotloop.judge.not_attempted import without_blame, without_open
from hotloop.tasks.local_judging import lay_out
from hotloop.tasks.render import render
from hotloop.tasks.variants import draw

CHECKS = (
    CheckRecord("sound", Verdict.COMPILE_ERROR, "a.conf:1: nothing is set"),
    CheckRecord("fast", Verdict.NOT_MEASURED, "There is no GPU here."),
)


@pytest.fixture
def submission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SubmissionFiles:
    """The files as handed out; the judge has read `a.conf`."""
    for folder in ("exercises/m", "submission"):
        (tmp_path / folder).mkdir(parents=True)
        for name in ("a.conf", "b.conf"):
            (tmp_path / folder / name).write_text("# fill me\n")
    monkeypatch.setattr(paths, "exercises", lambda: tmp_path / "exercises")
    files = SubmissionFiles(tmp_path / "submission")
    files.read_text("a.conf")
    return files


def test_an_untouched_file_is_not_blamed(submission: SubmissionFiles) -> None:
    sound, fast = without_blame(CHECKS, "m", submission)
    assert sound.verdict is Verdict.WRONG_ANSWER
    assert sound.sentence == "Not attempted yet: `a.conf` is as it was handed out."
    assert fast == CHECKS[1]


def test_several_untouched_files(submission: SubmissionFiles) -> None:
    submission.read_text("b.conf")
    sound, _ = without_blame(CHECKS, "m", submission)
    assert sound.sentence == "Not attempted yet: its files are as they were handed out."


def test_what_somebody_has_worked_on_is(submission: SubmissionFiles) -> None:
    """Changed, missing, of a module without an exercise, or never read."""
    assert submission.root is not None
    assert without_blame(CHECKS, "other", submission) == CHECKS
    assert without_blame(CHECKS, "m", SubmissionFiles(submission.root)) == CHECKS
    (submission.root / "a.conf").write_text("name: {")
    assert without_blame(CHECKS, "m", submission) == CHECKS
    (submission.root / "a.conf").unlink()
    assert without_blame(CHECKS, "m", submission) == CHECKS


def test_a_change_elsewhere_does_not_count(submission: SubmissionFiles) -> None:
    assert submission.root is not None
    (submission.root / "b.conf").write_text("name: {")
    sound, _ = without_blame(CHECKS, "m", submission)
    assert sound.verdict is Verdict.WRONG_ANSWER


def test_an_untouched_file_of_a_variant_is_not_blamed(tmp_path: Path) -> None:
    """A take-home's files are handed out with names of their own."""
    variant = draw("triton_ensemble", bytes(32), "calm-wren-11")
    given = render("triton_ensemble", variant)
    lay_out(given, tmp_path)
    files = SubmissionFiles(tmp_path)
    for name in given:
        files.read_text(name)
    assert any(given[name] != data for name, data in render("triton_ensemble").items())
    assert without_blame(CHECKS, "triton_ensemble", files) == CHECKS
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in given.items()}
    sound, _ = without_blame(CHECKS, "triton_ensemble", files, digests)
    assert sound.verdict is Verdict.WRONG_ANSWER
    worked_on = {**digests, min(given): 64 * "0"}
    assert without_blame(CHECKS, "triton_ensemble", files, worked_on) == CHECKS


def test_a_file_that_holds_nothing_leaves_nothing_open(submission: SubmissionFiles) -> None:
    assert submission.root is not None
    path = submission.root / "a.conf"
    for said, content in (("as handed out", None), ("empty", b" \n"), ("missing", None)):
        if content is not None:
            path.write_bytes(content)
        if said == "missing":
            path.unlink()
        sound, fast = without_open(CHECKS, "m", ["a.conf"], submission)
        assert sound == CHECKS[0]
        assert fast.verdict is Verdict.WRONG_ANSWER
        assert fast.sentence == f"Not attempted: `a.conf` is {said}."


def test_several_files_that_hold_nothing(submission: SubmissionFiles) -> None:
    assert submission.root is not None
    (submission.root / "b.conf").unlink()
    _, fast = without_open(CHECKS, "m", ["a.conf", "b.conf"], submission)
    assert fast.sentence == "Not attempted: `a.conf`, `b.conf` are as handed out or missing."


def test_what_somebody_has_worked_on_stays_open(submission: SubmissionFiles) -> None:
    assert submission.root is not None
    (submission.root / "a.conf").write_text("name: x")
    assert without_open(CHECKS, "m", ["a.conf", "b.conf"], submission) == CHECKS
    _, fast = without_open(CHECKS, "m", ["b.conf"], submission)
    assert fast.verdict is Verdict.WRONG_ANSWER


def test_without_files_asked_for_nothing_is_known(submission: SubmissionFiles) -> None:
    assert without_open(CHECKS, "m", [], submission) == CHECKS


def test_a_fault_of_the_judges_stays_open(submission: SubmissionFiles) -> None:
    fault = (CheckRecord("sound", Verdict.JUDGE_ERROR, "The judge itself failed here."),)
    assert without_open(fault, "m", ["a.conf"], submission) == fault


def test_files_of_a_variant_are_compared_with_what_was_given(submission: SubmissionFiles) -> None:
    digest = hashlib.sha256(submission.content("a.conf")).hexdigest()
    _, fast = without_open(CHECKS, "m", ["a.conf"], submission, {"a.conf": digest})
    assert fast.verdict is Verdict.WRONG_ANSWER
    assert without_open(CHECKS, "m", ["a.conf"], submission, {"a.conf": "0" * 64}) == CHECKS
