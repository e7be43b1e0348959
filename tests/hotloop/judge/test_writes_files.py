"""Files made by a candidate, and trusted programs that make, read and run files."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.calls import TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_check
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.checks.writes_files import WritesFiles
from hotloop.judge.dtypes import FP32
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session
from hotloop.judge.written_files import Assignment, files_written

CANDIDATES = """
from pathlib import Path

def doubled(source, target):
    numbers = [2 * float(n) for n in Path(source).read_text().split()]
    Path(target).write_text(" ".join(map(str, numbers)))

def kept(source, target):
    Path(target).write_text(Path(source).read_text())

def nowhere(source, target):
    pass

def words(source, target):
    Path(target).write_text("many words")

"""

PROGRAM = """
import tempfile
from pathlib import Path

NUMBERS = []

def make(seed):
    path = Path(tempfile.mkdtemp()) / "numbers.txt"
    path.write_text(f"{seed} 4.5")
    return {"path": str(path), "sum": 2 * (seed + 4.5)}

def total(path):
    return sum(map(float, Path(path).read_text().split()))

def load(path):
    NUMBERS[:] = map(float, Path(path).read_text().split())

def scaled(x, out):
    out.copy_(x * NUMBERS[0])

def broken(path):
    raise ValueError("ours")
"""


@pytest.fixture
def session(tmp_path: Path, session_over: Callable[..., Session]) -> Session:
    (tmp_path / "candidates.py").write_text(CANDIDATES)
    return session_over(tmp_path, isolation="none")


@pytest.fixture
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    path = tmp_path_factory.mktemp("ours") / "program.py"
    path.write_text(PROGRAM)
    return Program({"program.py": path}, "program.py")


def check(program: Program) -> WritesFiles:
    def assignments(rng: np.random.Generator, session: Session) -> Iterator[Assignment]:
        for number in range(2):
            given = program.trusted(session).ask("make", int(rng.integers(1, 100)))
            assert isinstance(given, dict)
            yield Assignment(
                f"list {number}",
                (GivenFile("numbers.txt", program.trusted(session).take(given["path"])),),
                "doubled.txt",
                mismatch_about(given["sum"], session),
            )

    def mismatch_about(want: float, session: Session) -> Callable[[bytes], str | None]:
        def mismatch(data: bytes) -> str | None:
            file = GivenFile("doubled.txt", data)
            got = program.given(session, "sums").ask("total", file)
            return None if got == want else f"the sum is {got} and should be {want}"

        return mismatch

    return WritesFiles(assignments)


def candidate(name: str) -> Candidate:
    return Candidate(name, "candidates.py", "json")


@pytest.mark.slow
def test_what_is_made_as_asked_passes(session: Session, program: Program) -> None:
    record = judge_check("made", check(program), session.about(candidate("doubled")))
    assert record.verdict is Verdict.PASSED
    assert "2 hidden inputs" in record.sentence


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "verdict", "said"),
    [
        ("kept", Verdict.WRONG_ANSWER, "list 0: the sum is"),
        ("nowhere", Verdict.WRONG_ANSWER, "not written 'doubled.txt'"),
        ("words", Verdict.RUNTIME_ERROR, "list 0: It raised ValueError"),
        ("absent", Verdict.RUNTIME_ERROR, "absent"),
    ],
)
def test_what_is_not_does_not(
    name: str, verdict: Verdict, said: str, session: Session, program: Program
) -> None:
    with pytest.raises(Ruling) as ruling:
        check(program)(session.about(candidate(name)))
    assert ruling.value.verdict is verdict
    assert said in ruling.value.sentence


@pytest.mark.slow
def test_another_function_may_be_asked(session: Session, program: Program) -> None:
    other = WritesFiles(check(program).assignments, entry="kept")
    record = judge_check("made", other, session.about(candidate("doubled")))
    assert record.verdict is Verdict.WRONG_ANSWER
    assert "the sum is" in record.sentence


def test_several_files_are_made_in_one_exchange(session: Session) -> None:
    assignments = [
        Assignment("a list", (GivenFile("n.txt", text),), "doubled.txt", lambda _data: None)
        for text in (b"1 2", b"3")
    ]
    assert files_written(assignments, session.about(candidate("doubled"))) == [b"2.0 4.0", b"6.0"]
    with pytest.raises(Ruling, match=r"not written 'doubled\.txt'"):
        files_written(assignments, session.about(candidate("nowhere")))


@pytest.mark.slow
def test_what_was_made_is_run_on_the_judges_tensors(session: Session, program: Program) -> None:
    runner = program.given(session, "runs")
    runner.ask("load", GivenFile("numbers.txt", b"3.0"))
    case = Case("a case", (InputTensor(np.arange(4.0), FP32),), TensorSpec((4,), FP32))
    assert runner.answer("scaled", case).tolist() == [0.0, 3.0, 6.0, 9.0]


@pytest.mark.slow
def test_our_own_failures_are_not_the_candidates(session: Session, program: Program) -> None:
    with pytest.raises(JudgeFault, match="ours"):
        program.trusted(session).ask("broken", GivenFile("x", b""))
    with pytest.raises(Ruling, match="ours"):
        program.given(session, "looks").ask("broken", GivenFile("x", b""))


@pytest.mark.slow
def test_each_purpose_has_a_process_of_its_own(session: Session, program: Program) -> None:
    one, other = program.given(session, "one"), program.given(session, "other")
    assert one is program.given(session, "one")
    assert one.worker is not other.worker
    assert program.trusted(session).worker not in {one.worker, other.worker}
