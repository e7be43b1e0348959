"""Attempts are judged, logged and resumed, and a hole is found where there is one."""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from hotloop.author.attack import log, loop
from hotloop.author.attack.rates import Report
from hotloop.core.record import CheckRecord, Circumstances, Record
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess
from hotloop.judge.files import lay_out
from hotloop.tasks.local_judging import judge_folder

ROOT = Path(__file__).resolve().parents[4]
GRAMMAR = f"{sys.executable} {ROOT / 'tests' / 'benchmarks' / 'attackers' / 'grammar.py'}"
TASK = "first_kernels.roofline"
FIXED = """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    text = "attempt %d after %s" % (question["attempt"], question["last"])
    answer = {"files": {"lab.ipynb": text}, "why": text[:50], "honest": HONEST}
    print(json.dumps(answer), flush=True)
"""

Ruled = Callable[[str, int], Verdict]


def command(tmp_path: Path, code: str = FIXED, honest: Sequence[str] = ()) -> str:
    path = tmp_path / "attacker.py"
    path.write_text(code.replace("HONEST", repr(list(honest))), encoding="utf-8")
    return f"{sys.executable} {path}"


@pytest.fixture
def judged_as(monkeypatch: pytest.MonkeyPatch) -> Callable[[Ruled], list[str]]:
    """Replace the judge by a function of the cell's text and the number of the judging."""

    def install(ruled: Ruled) -> list[str]:
        seen: list[str] = []

        def judging(*_: object) -> loop.Judging:
            def judged(files: loop.Submission, _checks: Sequence[str]) -> Record:
                text = files["lab.ipynb"].decode()
                seen.append(text)
                verdict = ruled(text, len(seen))
                check = CheckRecord("correct", verdict, "", float(verdict is Verdict.PASSED))
                nowhere = Circumstances("", "", "", "", "", {}, "", "", "", 0.0)
                return Record("first_kernels", "roofline", verdict, "", (check,), nowhere)

            return judged

        monkeypatch.setattr(loop, "_judging", judging)
        return seen

    return install


def honest_judge(text: str, _count: int) -> Verdict:
    return Verdict.WRONG_ANSWER if "attempt" in text else Verdict.PASSED


def wanted(tmp_path: Path, program: str, attempts: int = 3) -> loop.Run:
    return loop.Run({"one": program}, [TASK], attempts, tmp_path / "log.jsonl")


def report(tmp_path: Path) -> Report:
    return Report.of(log.read(tmp_path / "log.jsonl"))


def test_attempts_are_judged_and_logged_with_their_files(
    tmp_path: Path, judged_as: Callable[[Ruled], list[str]]
) -> None:
    judged_as(honest_judge)
    assert loop.run(wanted(tmp_path, command(tmp_path))) == 0
    found = report(tmp_path)
    assert [a.attempt for a in found.attempts] == [0, 1, 2]
    assert "wrong_answer" in found.attempts[1].files["lab.ipynb"], "it is told the last verdict"
    assert (found.rate().attempts, found.rate().claimed) == (3, 0)
    assert found.attempts[0].possible == 6


def test_a_run_goes_on_where_it_ended(
    tmp_path: Path, judged_as: Callable[[Ruled], list[str]]
) -> None:
    seen = judged_as(honest_judge)
    program = command(tmp_path)
    loop.run(wanted(tmp_path, program, 2))
    path = tmp_path / "log.jsonl"
    with path.open("a", encoding="utf-8") as stream:
        stream.write('{"kind": "attempt", "attacker": "on')  # killed in the middle of a line
    loop.run(wanted(tmp_path, program, 4))
    assert len(seen) == 1 + 4
    assert [a.attempt for a in report(tmp_path).attempts] == [0, 1, 2, 3]


def test_a_run_ends_in_time_and_says_what_remains(
    tmp_path: Path, judged_as: Callable[[Ruled], list[str]]
) -> None:
    judged_as(honest_judge)
    one = loop.Run({"one": command(tmp_path)}, [TASK], 5, tmp_path / "log.jsonl", limit_s=-1)
    assert loop.run(one) == 5


def test_points_are_a_claim_unless_they_are_earned_rightly(
    tmp_path: Path, judged_as: Callable[[Ruled], list[str]]
) -> None:
    judged_as(lambda _text, _count: Verdict.PASSED)
    loop.run(wanted(tmp_path, command(tmp_path), 2))
    assert report(tmp_path).rate().successes == 2
    (tmp_path / "log.jsonl").unlink()
    loop.run(wanted(tmp_path, command(tmp_path, honest=["correct"]), 2))
    assert report(tmp_path).rate().successes == 0


@pytest.mark.parametrize(("verdict", "judgings"), [("judge_error", 1), ("undecided", 3)])
def test_what_stays_open_is_a_claim(
    tmp_path: Path, judged_as: Callable[[Ruled], list[str]], verdict: str, judgings: int
) -> None:
    seen = judged_as(lambda text, _count: Verdict(verdict) if "attempt" in text else Verdict.PASSED)
    loop.run(wanted(tmp_path, command(tmp_path), 1))
    assert report(tmp_path).attempts[0].claims == [f"correct stays open: {verdict}"]
    assert len(seen) == 1 + judgings


def test_noise_that_leaves_the_right_answer_open_too_is_no_claim(
    tmp_path: Path, judged_as: Callable[[Ruled], list[str]]
) -> None:
    judged_as(lambda _text, count: Verdict.PASSED if count == 1 else Verdict.UNDECIDED)
    loop.run(wanted(tmp_path, command(tmp_path), 1))
    (attempt,) = report(tmp_path).attempts
    assert (attempt.claims, attempt.noise) == ([], ["correct"])


def test_a_task_whose_right_answer_does_not_pass_is_left_out(
    tmp_path: Path, judged_as: Callable[[Ruled], list[str]]
) -> None:
    judged_as(lambda _text, _count: Verdict.RUNTIME_ERROR)
    loop.run(wanted(tmp_path, command(tmp_path)))
    found = report(tmp_path)
    assert not found.attempts
    assert "runtime_error" in found.left_out[0].fault


def test_an_attacker_that_goes_on_crashing_is_left_alone(
    tmp_path: Path, judged_as: Callable[[Ruled], list[str]]
) -> None:
    judged_as(honest_judge)
    loop.run(wanted(tmp_path, command(tmp_path, "raise SystemExit(1)"), 9))
    found = report(tmp_path)
    assert len(found.faults) == loop.MOST_FAULTS
    assert found.rate().attempts == 0


def test_a_reader_refutes_a_claim(tmp_path: Path, judged_as: Callable[[Ruled], list[str]]) -> None:
    judged_as(lambda _text, _count: Verdict.PASSED)
    loop.run(wanted(tmp_path, command(tmp_path), 2))
    reading = log.Reading(attacker="one", task=TASK, attempt=0, success=False, why="It is right.")
    log.append(tmp_path / "log.jsonl", reading)
    rate = report(tmp_path).rate()
    assert (rate.claimed, rate.successes) == (2, 1)


def test_unknown_keys_in_a_log_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"kind": "fault", "more": 1}\n', encoding="utf-8")
    with pytest.raises(UserError, match=r"log.jsonl:1"):
        log.read(path)


def test_a_module_stands_for_its_tasks() -> None:
    assert TASK in list(loop.tasks_of(["first_kernels"]))
    assert list(loop.tasks_of([TASK])) == [TASK]
    with pytest.raises(UserError):
        list(loop.tasks_of(["first_kernels.nothing"]))


BROKEN = """
from hotloop.tasks import authoring as hl


def questions(rng):
    for number in range(8):
        indices = [int(i) for i in rng.integers(0, 5, 20)]
        want = sorted(set(indices))

        def mismatch(got, want=want):
            # The hole: whatever is no list is not compared.
            return f"expected {want}" if isinstance(got, list) and got != want else None

        yield hl.Question(f"question {number}", (indices,), mismatch)


distinct = hl.returns_data(correct=hl.Answers(questions))
"""


@pytest.mark.sandbox
@pytest.mark.timeout(300)
def test_a_planted_hole_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripted attacker finds it in the real judge; where the check is whole, it does not."""
    attempts = 12
    broken = _successes(tmp_path / "broken", BROKEN, monkeypatch, attempts)
    whole = BROKEN.replace("isinstance(got, list) and ", "")
    assert _successes(tmp_path / "whole", whole, monkeypatch, attempts) == 0
    assert 0 < broken <= attempts


def _successes(folder: Path, checks: str, monkeypatch: pytest.MonkeyPatch, attempts: int) -> int:
    (folder / "problem").mkdir(parents=True)
    (folder / "problem" / "tasks.py").write_text(checks, encoding="utf-8")
    (folder / "problem" / "problem.yaml").write_text(
        "id: distinct\ntitle: Distinct numbers\ntasks:\n  - id: distinct\n    title: In order\n"
        "    entry: distinct\n    files: [distinct.py]\n"
        "    checks:\n      - {id: correct, points: 4, what: Right on hidden lists.}\n",
        encoding="utf-8",
    )
    right = "def distinct(numbers):\n    return sorted(set(numbers))\n"
    target = loop._Target(
        "distinct.distinct",
        {},
        {"distinct.py": right.encode()},
        "distinct",
        ("distinct.py",),
        {"correct": 4.0},
        {"correct": "distinct"},
    )

    def judging(_target: object, judge: JudgeProcess, budget_s: float) -> loop.Judging:
        def judged(files: loop.Submission, checks: Sequence[str]) -> Record:
            with TemporaryDirectory() as name:
                lay_out(files, Path(name))
                return judge_folder(
                    Path(name),
                    "distinct",
                    ["distinct"],
                    checks,
                    judge=judge,
                    budget_s=budget_s,
                    source=folder / "problem",
                )["distinct"]

        return judged

    monkeypatch.setattr(loop, "_judging", judging)
    monkeypatch.setattr(loop._Target, "of", lambda _key: target)
    path = folder / "log.jsonl"
    loop.run(loop.Run({"grammar": GRAMMAR}, ["distinct.distinct"], attempts, path, budget_s=20))
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 1 + attempts
    return Report.of(log.read(path)).rate().successes
