"""Whatever a check's author supplies and gets wrong is the judge's failure, in every check.

The candidate is right throughout, so only `judge_error` is allowed: no zero, and no pass.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hotloop.core.verdict import Verdict
from hotloop.judge import author_guard
from hotloop.judge.author_guard import Authored, Check
from hotloop.judge.calls import TensorSpec
from hotloop.judge.candidate import Candidate, Framework, Style
from hotloop.judge.check import check, judge_check
from hotloop.judge.checks import cuda_clean, cuda_traffic
from hotloop.judge.checks.answers import Answers
from hotloop.judge.checks.assertions import Assertion, Assertions
from hotloop.judge.checks.correct import Case, Correct, InputTensor, Truth, case
from hotloop.judge.checks.cuda_clean import CudaClean
from hotloop.judge.checks.cuda_operator import CorrectOrRaises
from hotloop.judge.checks.cuda_traffic import CudaTraffic
from hotloop.judge.checks.diagnosis import Diagnosis, DiagnosisWord
from hotloop.judge.checks.hidden_answers import HiddenAnswers
from hotloop.judge.checks.one_pass import OnePass
from hotloop.judge.checks.raises_error import RaisesError, RaisesErrorForData
from hotloop.judge.checks.recorded_calls import RecordedCalls
from hotloop.judge.checks.triton_kernel_calls import TritonKernelCalls
from hotloop.judge.checks.triton_kernel_correct import TritonKernelCorrect
from hotloop.judge.checks.triton_traffic import TritonTraffic
from hotloop.judge.checks.writes_files import WritesFiles
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.cuda_kernel import CudaLaunch, Simulated
from hotloop.judge.declared_shapes import Each
from hotloop.judge.dtypes import BF16, FP16, FP32, I32, I64, U8
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.questions import GivenFile, Question
from hotloop.judge.session import Session
from hotloop.judge.spec import CheckSpec, TaskSpec
from hotloop.judge.task import returns_data
from hotloop.judge.written_files import Assignment
from hotloop.tasks import authoring

from ..sessions import new_session

CANDIDATE = """
def double(n):
    return 2 * n

def write(text, path):
    open(path, "w").write(text)

def twice(x):
    return 2 * x

def diagnosis():
    return {name: {"cause": "sync"} for name in "abcd"}

def refuse(x):
    raise ValueError("no")

def softmax(x, out):
    out[...] = 0
"""

EXPORTED = {
    name.name: getattr(authoring, name.name)
    for statement in ast.parse(authoring._STUB.read_text()).body  # pyright: ignore[reportPrivateUsage]
    if isinstance(statement, ast.ImportFrom)
    for name in statement.names
}
AUTHORED = {
    name: value
    for name, value in EXPORTED.items()
    if isinstance(value, type) and issubclass(value, Authored)
}
SETTINGS = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)

# --- what an author gets wrong -------------------------------------------------------------------

errors = st.sampled_from(
    [
        *(ValueError("x"), KeyError("x"), TypeError("x"), ZeroDivisionError(), RuntimeError()),
        *(StopIteration(), MemoryError(), RecursionError(), AssertionError(), AttributeError("x")),
        *(
            OSError(2, "no such file"),
            UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x"),
            IndexError(),
        ),
    ]
)
strange = st.sampled_from(
    [None, 3, np.int64(3), np.float32(2), "text", b"bytes", (), {}, np.ones(2), object(), [None]]
)


def _raises(error: BaseException) -> Callable[..., Any]:
    def broken(*_arguments: object) -> Any:
        raise error

    return broken


def _stops(good: Callable[..., Iterable[Any]], error: BaseException) -> Callable[..., Any]:
    """Return a generator that yields what `good` does, and then raises."""

    def broken(*arguments: Any) -> Iterator[Any]:
        yield from good(*arguments)
        raise error

    return broken


def _yields(*items: object) -> Callable[..., Any]:
    return lambda *_arguments: iter(items)


def _returns(value: object) -> Callable[..., Any]:
    return lambda *_arguments: value


def broken_generators(good: Callable[..., Iterable[Any]]) -> st.SearchStrategy[Callable[..., Any]]:
    return st.one_of(
        errors.map(_raises),
        errors.map(partial(_stops, good)),
        st.just(_yields()),
        strange.map(_yields),
        strange.map(_returns),
    )


def broken_values(right: object) -> st.SearchStrategy[Callable[..., Any]]:
    return st.one_of(
        errors.map(_raises),
        strange.filter(lambda value: type(value) is not type(right)).map(_returns),
    )


# --- every class that takes an author's functions ------------------------------------------------


def _functions(cls: type[Authored]) -> dict[str, object]:
    return {name: returns for name, _, returns, _ in author_guard._functions(cls)}  # pyright: ignore[reportPrivateUsage]


def test_every_exported_dataclass_that_takes_functions_is_guarded() -> None:
    unguarded = [
        name
        for name, value in EXPORTED.items()
        if isinstance(value, type)
        and dataclasses.is_dataclass(value)
        and not issubclass(value, Authored | Session)  # the judge makes the sessions
        and any("Callable" in str(field.type) for field in fields(value))
    ]
    assert unguarded == []


def test_every_exported_check_is_one() -> None:
    checks = {
        name
        for name, value in EXPORTED.items()
        if isinstance(value, type) and dataclasses.is_dataclass(value) and "__call__" in vars(value)
        if value not in (Tolerance, Each)  # a function of a case, and one that generates cases
    }
    assert checks == {n for n, cls in AUTHORED.items() if issubclass(cls, Check)}
    assert checks - {"Check"} == set(EXAMPLES) | set(ELSEWHERE)


OF_AUTHORS = [(name, field) for name, cls in sorted(AUTHORED.items()) for field in _functions(cls)]


@pytest.mark.parametrize(
    ("name", "field"), [(n, f) for n, f in OF_AUTHORS if f not in AUTHORED[n].reads_answer]
)
def test_an_exception_of_an_author_is_ours(name: str, field: str) -> None:
    @SETTINGS
    @given(errors)
    def fails(error: Exception) -> None:
        with pytest.raises(JudgeFault):
            _called(_raises(error), field, _functions(AUTHORED[name])[field])

    fails()


@pytest.mark.parametrize(("name", "field"), OF_AUTHORS)
def test_another_type_than_an_author_promises_is_ours(name: str, field: str) -> None:
    cls = AUTHORED[name]
    returns = _functions(cls)[field]
    if returns is None or str(returns) == "typing.Any" or "ndarray" in str(returns):
        return  # nobody reads it; `test_whatever_is_wrong_with_a_reference_is_ours`

    @SETTINGS
    @given(strange.filter(lambda value: not _fits(value, returns)))
    def fails(value: object) -> None:
        with pytest.raises(JudgeFault):
            _called(_returns(value), field, returns, own=field not in cls.reads_answer)

    fails()


def _called(function: Any, field: str, returns: object, *, own: bool = True) -> None:
    result = author_guard._guarded(function, field, returns, own=own)()  # pyright: ignore[reportPrivateUsage]
    if isinstance(result, Iterator):
        list(result)  # pyright: ignore[reportUnknownArgumentType]


def _fits(value: object, returns: object) -> bool:
    """Return whether one of the strange values is none for this type."""
    match value:
        case int():
            return returns in (int, float)
        case None | str():
            return returns == (str | None)
        case ():
            return str(returns).startswith("tuple") and str(returns).endswith(", ...]")
        case _:
            return False


@pytest.mark.parametrize("reference", [_raises(ValueError("x")), *map(_returns, (None, "x", {}))])
def test_whatever_is_wrong_with_a_reference_is_ours(reference: Callable[..., Any]) -> None:
    with pytest.raises(JudgeFault):
        _case().truth(reference)


def test_a_value_instead_of_a_function_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match=r"`tolerance` of Truth is 1e-05, .* -> Tolerance"):
        Truth(_cases, _twice, 1e-5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="`cases` of Truth"):
        Truth([], _twice, _tolerance)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="`reference`"):
        Truth(_cases, 3.0, _tolerance)  # type: ignore[arg-type]


def test_a_tolerance_may_be_given_in_place_of_a_function() -> None:
    assert Truth(_cases, _twice, Tolerance(0, 1)).tolerance(_case()) == Tolerance(0, 1)


# --- every check, judged on a right candidate ----------------------------------------------------


def _twice(x: Floats) -> Floats:
    return 2 * x


def _tolerance(_case: Case) -> Tolerance:
    return Tolerance(1e-6, 1e-6)


def _case() -> Case:
    return case(_twice, np.arange(1.0, 4.0))


def _cases(_rng: object) -> Iterator[Case]:
    yield _case()


def _questions(*_arguments: object) -> Iterator[Question]:
    yield Question("One", (1,), lambda got: None if got == 2 else "not the double")


def _looks(session: Session) -> Iterator[Assertion]:
    yield Assertion("It", lambda: None if session.worker() else "nothing")


def _assignments(*_arguments: object) -> Iterator[Assignment]:
    yield Assignment("One", ("x",), "x.txt", lambda data: None if data == b"x" else "not x")


TRUTH = Truth(_cases, _twice, _tolerance)
CALLS = TritonKernelCalls(TRUTH, lambda _rng: _case())
LAUNCH = CudaLaunch(("x", "y"))
CORRECT = Correct(TRUTH)


@dataclass(frozen=True)
class Example:
    """A sound check of a candidate that is right. broken: strategies by the name of the function.

    passes: the check is judged whole here; otherwise only up to the functions.
    """

    check: Check
    entry: str
    style: Style
    broken: Mapping[str, st.SearchStrategy[Callable[..., Any]]]
    passes: bool = True


OF_CASES = {"cases": broken_generators(_cases)}
OF_CORRECT = {
    "reference": st.one_of(errors.map(_raises), st.just(_returns(np.nan)), st.just(_returns("x"))),
    "tolerance": broken_values(Tolerance(0, 0)),
}


def _with(check: Any, field: str, function: Callable[..., Any]) -> Any:
    """Return the check with another function for a field of its own, or of its truth."""
    if hasattr(check, field):
        return replace(check, **{field: function})
    return replace(check, truth=replace(check.truth, **{field: function}))


EXAMPLES: dict[str, Example] = {
    "Answers": Example(
        Answers(_questions), "double", "json", {"questions": broken_generators(_questions)}
    ),
    "Diagnosis": Example(
        Diagnosis(
            Path(__file__).with_name("diagnosis_key.json"),
            "run",
            (DiagnosisWord("cause", "not {}"),),
        ),
        "diagnosis",
        "json",
        {"files": st.one_of(broken_values(()), st.just(_returns(tuple("abcdx"))))},
    ),
    "HiddenAnswers": Example(
        HiddenAnswers(_questions), "double", "json", {"questions": broken_generators(_questions)}
    ),
    "Assertions": Example(
        Assertions(_looks, "Well."), "double", "json", {"looks": broken_generators(_looks)}
    ),
    "WritesFiles": Example(
        WritesFiles(_assignments), "write", "json", {"assignments": broken_generators(_assignments)}
    ),
    "Correct": Example(CORRECT, "twice", "return", {**OF_CASES, **OF_CORRECT}),
    "RaisesError": Example(RaisesError(_cases), "refuse", "return", OF_CASES),
    "RaisesErrorForData": Example(
        RaisesErrorForData(_questions), "refuse", "json", {"cases": broken_generators(_questions)}
    ),
    "CorrectOrRaises": Example(
        CorrectOrRaises(TRUTH),
        "twice",
        "return",
        {**OF_CASES, **OF_CORRECT},
    ),
    "CudaClean": Example(
        CudaClean(LAUNCH, TRUTH),
        "kernel",
        "destination",
        {**OF_CASES, **OF_CORRECT},
    ),
    "CudaTraffic": Example(
        CudaTraffic(
            LAUNCH,
            TRUTH,
            lambda _rng: _case(),
            lambda _case: 24,
        ),
        "kernel",
        "destination",
        {
            **OF_CORRECT,
            "counted": broken_values(_case()),
            "fewest_bytes": st.one_of(
                broken_values(1), st.sampled_from([_returns(0), _returns(-4)])
            ),
        },
    ),
}
"""By the check's name. A check that is made of another one comes in a test of its own."""

ELSEWHERE = {
    "RecordedCalls": "test_a_check_inside_another_one",
    "OnePass": "test_a_check_inside_another_one",
    "TritonKernelCorrect": "test_launches_are_recorded_of_cases_only",
    "TritonCompiles": "test_nothing_to_compile_for_is_refused",
    "CudaCompiles": "test_nothing_to_compile_for_is_refused",
    "TritonTraffic": "test_launches_are_recorded_of_cases_only",
    "Batches": "its functions, above: it needs a server",
    "Serves": "its functions, above: it needs a server",
    "ServedFast": "its functions, above: it needs a server",
    "ValidModelRepository": "its function reads what the candidate made",
    "Fast": "its functions, above: it needs a quiet machine",
    "GpuFast": "its functions, above: it needs a GPU",
    "GpuFastFromHost": "its functions, above: it needs a GPU",
}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = tmp_path_factory.mktemp("right")
    (folder / "right.py").write_text(CANDIDATE)
    spec = TaskSpec("double", ("right.py",), {"it": CheckSpec(limits=())})
    with closing(new_session(folder, spec=spec, budget_s=300)) as made:
        yield made


@pytest.fixture(autouse=True)
def simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the simulator's answers be right without building anything."""
    ran = Simulated(2 * np.arange(1.0, 4.0), (), (), 0)
    stand_in = SimpleNamespace(run=lambda *_arguments: ran)
    for module in (cuda_clean, cuda_traffic):
        monkeypatch.setattr(module, "simulator", lambda *_arguments: stand_in)


def _verdict(
    check: Any, entry: str, style: Style, session: Session, framework: Framework = "numpy"
) -> tuple[Verdict, str]:
    own = session.about(Candidate(entry, "right.py", style, framework))
    own.files.read.add("right.py")  # the candidate was met, so an exception would be its failure
    record = judge_check("it", check, own)
    return record.verdict, f"{record.sentence} {record.evidence}"


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "CudaTraffic"])
def test_the_sound_check_passes(name: str, session: Session) -> None:
    example = EXAMPLES[name]
    verdict, told = _verdict(example.check, example.entry, example.style, session)
    assert verdict is Verdict.PASSED, told


@pytest.mark.parametrize(
    ("name", "field"), [(name, field) for name, e in EXAMPLES.items() for field in e.broken]
)
def test_what_an_author_gets_wrong_is_no_verdict_on_the_answer(
    name: str, field: str, session: Session
) -> None:
    example = EXAMPLES[name]

    @SETTINGS
    @given(example.broken[field])
    def judged(broken: Callable[..., Any]) -> None:
        check = _with(example.check, field, broken)
        verdict, told = _verdict(check, example.entry, example.style, session)
        assert verdict is Verdict.JUDGE_ERROR, told

    judged()


@pytest.mark.parametrize("name", EXAMPLES)
def test_all_functions_of_the_check_are_tried(name: str) -> None:
    example = EXAMPLES[name]
    of_truth = _functions(Truth) if hasattr(example.check, "truth") else []
    unused = {"cases"} if name == "CudaTraffic" else set[str]()
    assert set(example.broken) == {*_functions(type(example.check)), *of_truth} - unused


@pytest.mark.parametrize("field", [*OF_CASES, *OF_CORRECT])
@pytest.mark.parametrize(
    "make",
    [
        lambda check: RecordedCalls(check, "operations"),
        lambda check: OnePass(RecordedCalls(check, "operations")),
    ],
    ids=["RecordedCalls", "OnePass"],
)
def test_a_check_inside_another_one(
    make: Callable[[Any], Any], field: str, session: Session
) -> None:
    @settings(SETTINGS, max_examples=8)
    @given({**OF_CASES, **OF_CORRECT}[field])
    def judged(broken: Callable[..., Any]) -> None:
        session.resources.cached.clear()
        check = make(_with(CORRECT, field, broken))
        verdict, told = _verdict(check, "twice", "return", session, "torch")
        assert verdict is Verdict.JUDGE_ERROR, told

    judged()


@pytest.mark.slow
def test_no_long_row_is_nothing_to_inspect(session: Session) -> None:
    session.resources.cached.clear()
    check = OnePass(RecordedCalls(CORRECT, "operations"))
    verdict, told = _verdict(check, "twice", "return", session, "torch")
    assert verdict is Verdict.JUDGE_ERROR, told


@pytest.mark.parametrize("field", ["cases", "counted", "reference", "tolerance"])
@pytest.mark.parametrize(
    "check", [TritonKernelCorrect(CALLS), TritonTraffic(CALLS, lambda _case: 24)]
)
def test_launches_are_recorded_of_cases_only(check: Any, field: str, session: Session) -> None:
    strategies = {**OF_CASES, **OF_CORRECT, "counted": broken_values(_case())}

    @settings(SETTINGS, max_examples=8)
    @given(strategies[field])
    def judged(broken: Callable[..., Any]) -> None:
        session.resources.cached.clear()
        calls = _with(CALLS, field, broken)
        verdict, told = _verdict(replace(check, calls=calls), "twice", "destination", session)
        assert verdict is Verdict.JUDGE_ERROR, told

    judged()


def test_nothing_to_compile_for_is_refused() -> None:
    with pytest.raises(ValueError, match="targets"):
        authoring.TritonCompiles(CALLS, targets=())
    with pytest.raises(ValueError, match="targets"):
        authoring.CudaCompiles(targets=())
    with pytest.raises(ValueError, match="counted_calls"):
        replace(CALLS, counted_calls=0)


# --- what is refused where it is made ------------------------------------------------------------

UNSENDABLE = [np.int64(3), np.bool_(1), np.ones(2), b"bytes", {1, 2}, float("nan"), float("inf")]


@pytest.mark.parametrize("value", UNSENDABLE, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("inside", [lambda v: v, lambda v: [1, [v]], lambda v: {"a": v}])
def test_what_cannot_be_sent_is_refused_where_it_is_made(
    value: object, inside: Callable[[object], Any]
) -> None:
    with pytest.raises(TypeError, match="no argument of"):
        Question("One", (inside(value),), lambda _got: None)
    with pytest.raises(TypeError, match="no argument of"):
        Assignment("One", (inside(value),), "x", lambda _data: None)
    with pytest.raises(TypeError, match="no argument of"):
        Case("One", (inside(value),), TensorSpec((), FP32))


def test_an_argument_that_is_too_long_is_refused_where_it_is_made() -> None:
    with pytest.raises(TypeError, match="give a file"):
        Question("One", ("x" * (1 << 20),), lambda _got: None)


def test_a_file_of_text_is_refused() -> None:
    with pytest.raises(TypeError, match="expected bytes"):
        GivenFile("x.txt", "text")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("array", "dtype"),
    [
        (np.ones(2), FP32),
        (np.ones(2, np.float32), FP32),
        (np.ones(2, np.float16), FP16),
        (np.ones(2, np.int64), I64),
        (np.ones(2, np.int32), I32),
        (np.ones(2, np.uint8), U8),
    ],
)
def test_an_array_is_judged_as_its_own_dtype(array: Any, dtype: object) -> None:
    assert case(_twice, array).arguments[0].spec.dtype is dtype  # type: ignore[union-attr]


@pytest.mark.parametrize("dtype", ["int8", "uint16", "uint32", "complex128", "U3", "O"])
def test_an_array_without_a_dtype_of_ours_is_refused(dtype: str) -> None:
    with pytest.raises(TypeError, match="give an `InputTensor`"):
        case(_twice, np.zeros(2, dtype))


@pytest.mark.parametrize(
    ("values", "dtype"), [(np.ones(2), I32), ([1.0], FP32), (np.zeros(2, complex), BF16)]
)
def test_a_tensor_holds_values_of_its_dtype(values: Any, dtype: Any) -> None:
    with pytest.raises(TypeError, match="cannot hold"):
        InputTensor(values, dtype)


def test_truth_that_is_nan_for_finite_inputs_is_ours_and_nan_for_nan_is_not() -> None:
    with pytest.raises(JudgeFault, match="NaN everywhere"):
        _case().truth(lambda x: x * np.nan)
    assert np.isnan(case(_twice, np.full(2, np.nan)).truth(_twice)).all()


def test_an_output_of_another_shape_is_ours_before_the_candidate_is_asked(session: Session) -> None:
    wrong = replace(_case(), out=TensorSpec((7,), FP32))
    check = Correct(Truth(lambda _rng: [wrong], _twice, _tolerance))
    assert _verdict(check, "twice", "destination", session)[0] is Verdict.JUDGE_ERROR


def test_a_mismatch_that_is_no_sentence_is_ours(session: Session) -> None:
    asked = [Question("One", (1,), lambda got: got != 2)]  # type: ignore[arg-type,return-value]
    assert _verdict(Answers(lambda _rng: asked), "double", "json", session)[0] is (
        Verdict.JUDGE_ERROR
    )


@pytest.mark.parametrize("data", ["[1]", "{'why': [2]}", "[[], 3]"])
def test_no_answer_chooses_what_a_mismatch_returns(
    data: str, session: Session, tmp_path: Path
) -> None:
    """A check that hands on a part of the answer would leave its points open, as ours."""

    def handed_on(got: Any) -> Any:
        return got["why"] if isinstance(got, dict) else got[0] if isinstance(got[0], list) else got

    (tmp_path / "right.py").write_text(f"def double(n):\n    return {data}\n")
    spec = TaskSpec("double", ("right.py",), {"it": CheckSpec(limits=())})
    asked = [Question("One", (1,), handed_on)]
    with closing(new_session(tmp_path, spec=spec, budget_s=60)) as own:
        verdict, told = _verdict(Answers(lambda _rng: asked), "double", "json", own)
    assert verdict is Verdict.WRONG_ANSWER, told


def test_a_mismatch_that_stumbles_over_an_answer_is_the_answers(session: Session) -> None:
    asked = [Question("One", (1,), lambda got: got["x"])]  # type: ignore[index]
    assert _verdict(Answers(lambda _rng: asked), "double", "json", session)[0] is (
        Verdict.WRONG_ANSWER
    )


# --- tasks ---------------------------------------------------------------------------------------


def test_a_task_without_checks_is_refused() -> None:
    with pytest.raises(TypeError, match="at least one check"):
        returns_data()


def test_a_check_of_ones_own_that_takes_functions_derives_from_the_base() -> None:
    @dataclass(frozen=True)
    class Own:
        cases: Callable[[], object]

        def __call__(self, _session: Session) -> str:
            return "Good."

    with pytest.raises(TypeError, match="does not derive from `Check`"):
        returns_data(correct=Own(lambda: None))


def test_a_generator_of_a_check_of_ones_own_is_guarded(session: Session) -> None:
    @check()
    def own(session: Session) -> str:
        for _ in authoring.generated(lambda: _stops(_questions, ValueError("x"))()):
            session.worker()
        return "Good."

    assert _verdict(own, "double", "json", session)[0] is Verdict.JUDGE_ERROR


def test_what_promises_items_gives_them_as_promised() -> None:
    @dataclass(frozen=True)
    class Own(Authored):
        iterable: Callable[[], Iterable[int]]
        iterator: Callable[[], Iterator[int]]
        sequence: Callable[[], Sequence[int]]
        made: Callable[[], Callable[[], Sequence[int]]]

    own = Own(lambda: [1, 2], lambda: iter([1, 2]), lambda: [1, 2], lambda: lambda: (1, 2))
    assert isinstance(own.iterable(), Iterable)
    assert next(own.iterator()) == 1
    for sequence in (own.sequence(), own.made()()):
        assert (sequence[1:], len(sequence)) == ([2], 2)
    with pytest.raises(JudgeFault, match="nothing to ask"):
        replace(own, sequence=list[int]).sequence()
