"""What an author is told of a mistake in a problem of his own: where it is, and what to do.

One edit of a problem that works is one mistake. None may cost a learner points.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess
from hotloop.tasks.local_judging import judge_folder
from hotloop.tasks.own_problem import faults, require_checks
from hotloop.tasks.problem import load_problem

DOCS = Path(__file__).parents[2] / "docs"

DOUBLE = {
    "problem.yaml": """id: double
title: Twice a number
tasks:
  - id: double
    title: Twice a number
    entry: double
    files: [double.py]
    checks:
      - {id: correct, points: 5, what: Right.}
""",
    "tasks.py": """from hotloop.tasks import authoring as hl


def wrong(n):
    return lambda got: None if got == 2 * n else f"{got}, which is not twice {n}"


def questions(rng):
    for n in (1, int(rng.integers(2, 9))):
        yield hl.Question(f"double({n})", (n,), wrong(n))


double = hl.returns_data(correct=hl.Answers(questions))
""",
    "answer/double.py": "def double(n):\n    return 2 * n\n",
}
"""A problem whose answers are plain data; `tests/docs` has one of tensors and one of kernels."""


LEVELS = """        threshold:
          against: torch.nn.functional.layer_norm
          levels: [{ratio: 0.5, earned: 0.5}, {ratio: 0.9, earned: 1.0}]
"""
LIMITS = """        counted:
          of: the fewest bytes
          limits: [{factor: 1.05, earned: 1.0}, {factor: 1.55, earned: 0.5}]
"""
A_TASK_MORE = """tasks:
  - id: double
    title: T
    entry: f
    files: [f.py]
    checks: [{id: a, points: 1, what: R.}]
"""


class Mistake(NamedTuple):
    """One edit of a file of a problem. told: what the message names, where and what to do."""

    file: str
    old: str
    new: str
    told: tuple[str, ...]


UNJUDGED = {
    "an unknown key": Mistake(
        "layer_norm/problem.yaml",
        "entry:",
        "entree:",
        ("problem.yaml:6", "remove it, or fix its spelling"),
    ),
    "no YAML": Mistake(
        "layer_norm/problem.yaml", "tasks:", "tasks: [", ("problem.yaml:4", "not YAML")
    ),
    "an id that is no name": Mistake(
        "layer_norm/problem.yaml",
        "- id: layer_norm",
        "- id: layer-norm",
        ("problem.yaml:4", "tasks.0.id", "should match"),
    ),
    "a task twice": Mistake(
        "double/problem.yaml", "tasks:\n", A_TASK_MORE, ("problem.yaml", "'double' is there twice")
    ),
    "no entry": Mistake(
        "layer_norm/problem.yaml",
        "    entry: layer_norm\n",
        "",
        ("problem.yaml:4", "names its `entry`"),
    ),
    "no files": Mistake(
        "layer_norm/problem.yaml", "[layer_norm.py]", "[]", ("problem.yaml:7", "at least 1")
    ),
    "no points": Mistake(
        "layer_norm/problem.yaml", "points: 5, ", "", ("problem.yaml:9", "points' is missing")
    ),
    "points that are a text": Mistake(
        "layer_norm/problem.yaml",
        "points: 5,",
        "points: five,",
        ("problem.yaml:9", "a valid integer"),
    ),
    "points below 1": Mistake(
        "layer_norm/problem.yaml",
        "points: 5,",
        "points: -5,",
        ("problem.yaml:9", "greater than or equal to 1"),
    ),
    "no sentence": Mistake(
        "layer_norm/problem.yaml",
        ", what: Right on hidden inputs.",
        "",
        ("problem.yaml:9", "what' is missing"),
    ),
    "a need that is unknown": Mistake(
        "double/problem.yaml",
        "what: Right.}",
        "what: Right., needs: [cudaa]}",
        ("problem.yaml:9", "should be", "'cuda'"),
    ),
    "levels that fall": Mistake(
        "layer_norm/problem.yaml",
        "ratio: 0.5",
        "ratio: 1.5",
        ("problem.yaml:15", "a higher `ratio`"),
    ),
    "levels that end below 1": Mistake(
        "layer_norm/problem.yaml",
        "earned: 1.0",
        "earned: 0.9",
        ("problem.yaml:15", "the last level earns 1.0"),
    ),
    "levels that nothing supports": Mistake(
        "layer_norm/problem.yaml",
        "          against",
        "          provisional: false\n          against",
        ("problem.yaml:13", "need a `reason`"),
    ),
    "limits that fall": Mistake(
        "prefix_sum/problem.yaml",
        "factor: 1.55",
        "factor: 1.01",
        ("problem.yaml:15", "a higher `factor`"),
    ),
    "limits and levels": Mistake(
        "prefix_sum/problem.yaml",
        "          of:",
        "          levels: [{ratio: 1, earned: 1}]\n          of:",
        ("problem.yaml:13", "give either `limits`"),
    ),
    "a limit without a factor": Mistake(
        "prefix_sum/problem.yaml", "factor: 1.05, ", "", ("problem.yaml:15", "factor' is missing")
    ),
    "no levels": Mistake(
        "layer_norm/problem.yaml",
        LEVELS,
        "",
        ("problem.yaml:10", "has no levels", "give it a `threshold`"),
    ),
    "no limits": Mistake(
        "prefix_sum/problem.yaml",
        LIMITS,
        "",
        ("problem.yaml:10", "has no limits", "give it `counted`"),
    ),
    "levels that no check reads": Mistake(
        "double/problem.yaml",
        "Right.}",
        "Right., threshold: {against: x, levels: [{ratio: 1, earned: 1}]}}",
        ("problem.yaml:9", "does not read its levels", "remove them"),
    ),
    "a check of another name": Mistake(
        "layer_norm/problem.yaml",
        "{id: correct,",
        "{id: right,",
        ("correct, fast in", "right, fast in", "name the same"),
    ),
    "no syntax": Mistake(
        "double/tasks.py", "def wrong(n):", "def wrong(n)", ("tasks.py:4", "expected ':'")
    ),
    "a package that is missing": Mistake(
        "double/tasks.py",
        "\n\ndef wrong",
        "import numpyy\n\n\ndef wrong",
        ("tasks.py:2", "No module named 'numpyy'"),
    ),
    "a file of the folder, imported as a package": Mistake(
        "double/tasks.py",
        "\n\ndef wrong",
        "import baseline\n\n\ndef wrong",
        ("tasks.py:2", "write `from . import baseline`"),
    ),
    "a file of the folder that is missing": Mistake(
        "double/tasks.py",
        "\n\ndef wrong",
        "from .truth import f\n\n\ndef wrong",
        ("tasks.py:2", "No module named 'truth'"),
    ),
    "a name that is not exported": Mistake(
        "double/tasks.py",
        "hl.Answers",
        "hl.Answer",
        ("tasks.py:13", "authoring.pyi, such as Answers"),
    ),
    "a task of another name": Mistake(
        "double/tasks.py",
        "double = hl",
        "doubles = hl",
        ("tasks.py has no task called double", "make one by `hl."),
    ),
    "a check that is no task": Mistake(
        "double/tasks.py",
        "hl.returns_data(correct=hl.Answers(questions))",
        "hl.Answers(questions)",
        ("tasks.py:13", "is no task", "hl.returns_data"),
    ),
    "a check more than problem.yaml has": Mistake(
        "prefix_sum/problem.yaml",
        "      - {id: gpu_correct, points: 1, what: Right on a GPU., needs_gpu: true}\n",
        "",
        ("name the same", "`hl.triton_kernel(…, gpu_correct=None)` leaves gpu_correct out"),
    ),
    "a text with a comma": Mistake(
        "double/problem.yaml",
        "what: Right.}",
        "what: Right, and fast.}",
        ("problem.yaml:9", "unknown key", "a comma into quotes"),
    ),
    "a class in place of a check": Mistake(
        "double/tasks.py", "hl.Answers(questions)", "hl.Answers", ("tasks.py:13", "`hl.Answers(…)`")
    ),
    "a check without an argument": Mistake(
        "layer_norm/tasks.py",
        ', hl.Baseline("baseline.py", "pytorch")',
        "",
        ("tasks.py:18", "'baseline'"),
    ),
    "questions in place of their generator": Mistake(
        "double/tasks.py",
        "hl.Answers(questions)",
        "hl.Answers([])",
        ("tasks.py:13", "`questions` of Answers is []", "`(Generator) -> Iterable[Question]`"),
    ),
    "cases in place of their generator": Mistake(
        "layer_norm/tasks.py",
        "hl.Truth(hl.Each(case)",
        "hl.Truth([]",
        ("tasks.py:17", "`cases` of Truth is []", "`(Generator) -> Iterable[Case]`"),
    ),
    "a number for a reference": Mistake(
        "prefix_sum/tasks.py",
        "reference=np.cumsum",
        "reference=3",
        ("tasks.py:12", "`reference` of Truth is 3", "expected a function"),
    ),
    "shapes of another name": Mistake(
        "layer_norm/problem.yaml",
        "{columns: 1024}",
        "{rows: 1024}",
        ("problem.yaml:16", "a case has rows", "`case` in tasks.py takes columns", "name the same"),
    ),
    "a shape that is no number": Mistake(
        "layer_norm/problem.yaml", "{columns: 1024}", "{columns: [7]}", ("problem.yaml:16", "valid")
    ),
    "no shapes": Mistake(
        "layer_norm/problem.yaml",
        "    cases: [{columns: 1}, {columns: 100}, {columns: 1024}, {columns: 4099}]\n",
        "",
        ("problem.yaml:4", "has no `cases`", "add them"),
    ),
    "shapes that no check reads": Mistake(
        "double/problem.yaml",
        "    checks:",
        "    cases: [{n: 1}]\n    checks:",
        ("problem.yaml:8", "no check of double reads", "or remove them"),
    ),
    "no tolerance": Mistake(
        "layer_norm/tasks.py",
        ", truth, TOLERANCE)),\n    fast",
        ", truth)),\n    fast",
        ("tasks.py:17", "needs `tolerance`", "`Tolerance`"),
    ),
    "a number for a tolerance": Mistake(
        "layer_norm/tasks.py",
        ", truth, TOLERANCE)),\n    fast",
        ", truth, 1e-5)),\n    fast",
        ("tasks.py:17", "`(Case) -> Tolerance`"),
    ),
    "a function for the tolerance of timed calls": Mistake(
        "layer_norm/tasks.py",
        "4096, truth, TOLERANCE",
        "4096, truth, lambda case: TOLERANCE",
        ("tasks.py:18", "expected a `Tolerance`"),
    ),
    "an answer that is called in another way": Mistake(
        "layer_norm/tasks.py",
        "fills_tensor(",
        "returns_tensor(",
        ("answer/layer_norm.py", "make it by `fills_tensor`"),
    ),
    "a reference of other arguments than the answer": Mistake(
        "prefix_sum/tasks.py",
        "reference=np.cumsum",
        "reference=lambda x, y: x",
        ("answer/prefix_sum.py", "the reference takes 2", "change the answer or the reference"),
    ),
    "launches of a function that returns": Mistake(
        "prefix_sum/tasks.py",
        "hl.triton_kernel(calls)",
        "hl.returns_tensor(correct=hl.TritonKernelCorrect(calls))",
        ("tasks.py:18", "fills a tensor", "by `hl.fills_tensor`"),
    ),
    "a check of tensors for plain data": Mistake(
        "double/tasks.py",
        "hl.Answers(questions)",
        "hl.RaisesError(questions, after=())",
        ("tasks.py:13", "'correct', RaisesError, is for", "`hl.RaisesErrorForData`"),
    ),
    "a check after one that is not there": Mistake(
        "double/tasks.py",
        "hl.Answers(questions)",
        "hl.Answers(questions, after=('right',))",
        ("tasks.py:13", "comes after 'right'", "`after=()`"),
    ),
    "no baseline": Mistake(
        "layer_norm/tasks.py",
        '"baseline.py"',
        '"base.py"',
        ("tasks.py:16", "there is no", "base.py"),
    ),
    "a baseline of another name": Mistake(
        "layer_norm/tasks.py",
        '"pytorch"',
        '"torch"',
        ("tasks.py:16", "has pytorch: name one of them"),
    ),
    "a baseline that is called in another way": Mistake(
        "layer_norm/baseline.py",
        "(x, out):\n    out.copy_(layer_norm(x, x.shape[-1:]))",
        "(x):\n    return layer_norm(x, x.shape[-1:])",
        (
            "baseline.py",
            "is a function of 1",
            "is called with 2 arguments, of which it fills the last",
        ),
    ),
    "a baseline without syntax": Mistake(
        "layer_norm/baseline.py",
        "def pytorch(x, out):",
        "def pytorch(x, out)",
        ("baseline.py:4", "expected ':'"),
    ),
}
"""Told before an answer is judged."""

JUDGED = {
    "a reference that raises": Mistake(
        "layer_norm/tasks.py", "x.mean(", "x.meen(", ("tasks.py:7", "AttributeError", "meen")
    ),
    "a reference of too many arguments": Mistake(
        "prefix_sum/tasks.py",
        "reference=np.cumsum",
        "reference=lambda x, y, z: x",
        ("tasks.py:18", "missing 2 required positional arguments"),
    ),
    "a reference of NaN": Mistake(
        "layer_norm/tasks.py",
        "return (x",
        "return float('nan') * (x",
        ("tasks.py:11", "the reference returned NaN everywhere for finite inputs"),
    ),
    "a reference of another shape": Mistake(
        "prefix_sum/tasks.py",
        "reference=np.cumsum",
        "reference=lambda x: np.cumsum(x)[1:]",
        ("tasks.py:18", "the reference returned an array of shape", "make the case by `hl.case`"),
    ),
    "cases of another shape": Mistake(
        "prefix_sum/tasks.py",
        "hl.case(np.cumsum, ",
        "hl.case(lambda x: x[1:], ",
        ("tasks.py:18", "for a case whose output has shape", "make the case by `hl.case`"),
    ),
    "a reference of timed calls of another shape": Mistake(
        "layer_norm/tasks.py",
        "4096, truth",
        "4096, lambda x: truth(x)[1:]",
        ("tasks.py:16", "shape (511, 4096)", "shape (512, 4096)"),
    ),
    "cases that raise": Mistake(
        "layer_norm/tasks.py", "30.0", "30.0 / 0", ("tasks.py:11", "ZeroDivisionError")
    ),
    "no cases": Mistake(
        "prefix_sum/tasks.py",
        "(1, 1000, 1024, 4099)",
        "()",
        ("tasks.py:18", "`cases` of Truth", "nothing to ask", "yield one"),
    ),
    "arrays in place of cases": Mistake(
        "layer_norm/tasks.py",
        "hl.case(truth, hl.reductions.spikes(rng, columns, 30.0))",
        "hl.reductions.spikes(rng, columns, 30.0)",
        ("tasks.py:16", "`make` of Each returned", "expected Case"),
    ),
    "an array of which no tensor is made": Mistake(
        "prefix_sum/tasks.py",
        "astype(np.float64)",
        "astype(np.uint16)",
        ("tasks.py:9", "uint16", "give an `InputTensor`"),
    ),
    "a list in a case": Mistake(
        "prefix_sum/tasks.py",
        "hl.case(np.cumsum, rng.integers(-9, 10, size).astype(np.float64))",
        "hl.case(np.cumsum, [1.0, 2.0])",
        ("tasks.py:9", "argument 1 of `hl.case` is a list: give an array"),
    ),
    "a NumPy number in a case": Mistake(
        "prefix_sum/tasks.py",
        "hl.case(np.cumsum, ",
        "hl.case(np.cumsum, np.int64(3), ",
        ("tasks.py:9", "is no argument of a case", "such as int"),
    ),
    "a tolerance that raises": Mistake(
        "layer_norm/tasks.py",
        ", truth, TOLERANCE)),\n    fast",
        ", truth, lambda case: TOLERANCE[0])),\n    fast",
        ("tasks.py:17", "not subscriptable"),
    ),
    "a tolerance that returns a number": Mistake(
        "layer_norm/tasks.py",
        ", truth, TOLERANCE)),\n    fast",
        ", truth, lambda case: 1e-5)),\n    fast",
        ("tasks.py:16", "`tolerance` of Truth returned 1e-05, expected Tolerance"),
    ),
    "a NumPy number in a question": Mistake(
        "double/tasks.py",
        "int(rng.integers(2, 9))",
        "rng.integers(2, 9)",
        ("tasks.py:10", "is no argument of a question", "such as int"),
    ),
    "a question's argument in place of all": Mistake(
        "double/tasks.py",
        "(n,), wrong",
        "n, wrong",
        ("tasks.py:10", "`arguments` of Question is 1", "tuple"),
    ),
    "no questions": Mistake(
        "double/tasks.py",
        "(1, int(rng.integers(2, 9)))",
        "()",
        ("tasks.py:13", "`questions` of Answers", "nothing to ask"),
    ),
    "no fewest bytes": Mistake(
        "prefix_sum/tasks.py",
        "kernel(calls)",
        "kernel(calls, fewest_bytes=lambda case: 0)",
        ("tasks.py:18", "`fewest_bytes` returned 0"),
    ),
    "a baseline that raises": Mistake(
        "layer_norm/baseline.py",
        "out.copy_(",
        "out.copyy_(",
        ("baseline.py:5", "AttributeError", "copyy_"),
    ),
    "a baseline that is wrong": Mistake(
        "layer_norm/baseline.py",
        "layer_norm(x, x.shape[-1:])",
        "x",
        ("tasks.py:16", "the baseline `pytorch` does not pass", "fix one of them"),
    ),
}
"""Told when an answer is judged: what goes wrong in what a check computes."""


def broken(mistake: Mistake, folder: Path) -> Path:
    """Return the folder of a problem with the mistake in it."""
    problem, _, name = mistake.file.partition("/")
    source = folder / problem
    if problem == "double":
        (source / "answer").mkdir(parents=True)
        for file, text in DOUBLE.items():
            (source / file).write_text(text)
        (source / "baseline.py").touch()
    else:
        shutil.copytree(DOCS / problem, source)
    text = (source / name).read_text()
    assert mistake.old in text
    (source / name).write_text(text.replace(mistake.old, mistake.new, 1))
    return source


@pytest.mark.parametrize("mistake", UNJUDGED.values(), ids=UNJUDGED.keys())
def test_what_no_answer_is_needed_for_is_told_before_one_is_judged(
    mistake: Mistake, tmp_path: Path
) -> None:
    source = broken(mistake, tmp_path)
    with pytest.raises(UserError) as told:
        require_checks(problem := load_problem(source), problem.tasks[0], source)
    for word in mistake.told:
        assert word in str(told.value)


def test_a_folder_without_a_problem_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"problem\.yaml"):
        load_problem(tmp_path)


@pytest.fixture(scope="module")
def judge() -> Iterator[JudgeProcess]:
    with JudgeProcess(quiet=True) as process:
        yield process


@pytest.mark.sandbox
@pytest.mark.slow
@pytest.mark.timeout(200)
@pytest.mark.parametrize("mistake", JUDGED.values(), ids=JUDGED.keys())
def test_what_fails_while_an_answer_is_judged_is_told_and_costs_no_points(
    mistake: Mistake, tmp_path: Path, judge: JudgeProcess
) -> None:
    source = broken(mistake, tmp_path)
    problem = load_problem(source)
    (task,) = problem.tasks
    require_checks(problem, task, source)
    names = [check.id for check in task.checks if not check.needs_gpu]
    records = judge_folder(
        source / "answer", problem.id, [task.id], names, judge=judge, source=source
    )
    (fault,) = faults(records, source)
    for word in mistake.told:
        assert word in str(fault)
    verdicts = {check.verdict for check in records[task.id].checks}
    assert verdicts <= {Verdict.PASSED, Verdict.JUDGE_ERROR}
