"""A problem of one's own, for its author: whether its files fit, its answers, and its faults.

    problem.yaml, tasks.py, …    the problem, as `hotloop check --from` judges it
    answer/                      an answer that must pass
    wrong/fast-two_passes/       an answer that must fail the check `fast`, for two_passes

A problem with several tasks names the task as well: `wrong/softmax.fast-two_passes/`.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hotloop.core.raised_at import places
from hotloop.core.record import NOT_REACHED, OUR_FAILURE, CheckRecord, Record
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.core.yaml_lines import place
from hotloop.sandbox.confinement import HOME
from hotloop.tasks.judged_again import settled
from hotloop.tasks.problem import FILE, JudgedTask, TaskSet, load_problem

if TYPE_CHECKING:
    from hotloop.judge.checks.correct import Truth
    from hotloop.judge.client import JudgeProcess
    from hotloop.judge.task import TaskChecks

TASKS, ANSWER, WRONG = "tasks.py", "answer", "wrong"

_PACKAGE = re.compile(r"problem_[0-9a-f]{16}\.")
"""The package in which the judge imports the folder: a name of no file of the author's."""

_FAULT = "The check itself failed: see below."

_WHERE = {
    "limits": "`counted` with `limits`",
    "levels": "a `threshold` for a speed, or `counted` with `levels`",
}
"""Where problem.yaml says what earns a share of the points, by what a check reads."""


# --- whether the problem's two files fit ----------------------------------------------------------


def require_checks(problem: TaskSet[JudgedTask], task: JudgedTask, source: Path) -> None:
    """Raise UserError, with the line, if `tasks.py` does not fit problem.yaml or the own answer."""
    from hotloop.tasks.task_spec import task_spec

    defined = _defined_task(problem, task, source)
    checks = defined.checks
    names = [check.id for check in task.checks]
    if list(checks) != names:
        from hotloop.judge.triton_kernel import USUAL

        more = next((name for name in USUAL if name in checks and name not in names), None)
        drop = f" `hl.triton_kernel(…, {more}=None)` leaves {more} out." if more else ""
        raise UserError(
            f"{task.id} has the checks {', '.join(checks)} in {source / TASKS}, and "
            f"{', '.join(names)} in {source / FILE}: name the same, in the same order.{drop}"
        )
    spec = task_spec(problem, task.id)
    _require_arguments(defined, task, source)
    _require_baselines(defined, task, source)
    _require_shapes(defined, task, (source / FILE, ("tasks", problem.tasks.index(task))))
    for number, name in enumerate(names):
        at = place(source / FILE, ("tasks", problem.tasks.index(task), "checks", number))
        reads, declared = checks[name].scored_by, spec.checks[name]
        if reads and not getattr(declared, reads):
            raise UserError(
                f"{at}: the check {name} has no {reads}, which say how many points a "
                f"measurement earns: give it {_WHERE[reads]}."
            )
        for unread in _WHERE.keys() - {reads}:
            if getattr(declared, unread):
                raise UserError(
                    f"{at}: the check {name} does not read its {unread}, so nothing earns a "
                    "share of the points: remove them, or use a check in tasks.py that reads them."
                )


def _defined_task(problem: TaskSet[JudgedTask], task: JudgedTask, source: Path) -> TaskChecks:
    """Return the task in `tasks.py`. Raises UserError, with the line, if it does not run."""
    from hotloop.judge.task import find

    file = source / TASKS
    if not file.is_file():
        raise UserError(f"There is no {file}, which says how {task.id} is judged.")
    try:
        return find(problem.id, task.id, source)
    except SyntaxError as error:
        raise UserError(f"{error.filename}:{error.lineno}: {error.msg}.") from None
    except Exception as error:
        at = author_line(places(error), source)
        if isinstance(error, KeyError) and not at:
            raise UserError(_no_task(task.id, source)) from None
        message = _PACKAGE.sub("", f"{type(error).__name__}: {error}")
        if isinstance(error, ModuleNotFoundError) and (source / f"{error.name}.py").is_file():
            message += f": write `from . import {error.name}`"
        raise UserError(f"{source / at if at else file}: {message}") from error


def _no_task(name: str, source: Path) -> str:
    """Return what to do about a name of problem.yaml that is no task in `tasks.py`."""
    at = _defined(source / TASKS, name)
    make = "make one by `hl.fills_tensor`, `hl.returns_tensor` or `hl.returns_data`"
    if ":" in at:
        return f"{source / at}: `{name}` is no task: {make} from its checks."
    return f"{source / TASKS} has no task called {name}, as {source / FILE} does: {make}."


def _require_baselines(defined: TaskChecks, task: JudgedTask, source: Path) -> None:
    """Raise UserError, with the line, if a function that an answer is timed against is missing."""
    from hotloop.judge.checks.fast import Baseline

    at = source / _defined(source / TASKS, task.id)
    for check in defined.checks.values():
        for baseline in vars(check).values() if is_dataclass(check) else ():
            if not isinstance(baseline, Baseline):
                continue
            file = source / baseline.path
            if not file.is_file():
                raise UserError(f"{at}: there is no {file}, which the baseline names.")
            try:
                statements = ast.parse(file.read_bytes())
            except SyntaxError as error:
                raise UserError(f"{file}:{error.lineno}: {error.msg}.") from None
            functions, others = _names(statements)
            if not {baseline.name, "*"} & {*functions, *others}:
                raise UserError(
                    f"{at}: the baseline is the function `{baseline.name}`, and {file} has "
                    f"{', '.join(functions) or 'none'}: name one of them."
                )
            called_with = {n + 1 for n in _inputs(defined)}
            takes = _arguments_of(file, baseline.name)
            as_the_answer = getattr(check, "baseline_workload", None) is None
            if as_the_answer and takes is not None and called_with and takes not in called_with:
                raise UserError(
                    f"{file}: `{baseline.name}` is a function of {takes}, and a baseline is called "
                    f"with {max(called_with)} arguments, of which it fills the last, the output."
                )


def _truths(defined: TaskChecks) -> list[Truth]:
    """Return the truths of the checks, also of those that share calls."""
    from hotloop.judge.checks.correct import Truth

    truths = (getattr(getattr(r, "calls", r), "truth", None) for r in defined.checks.values())
    return [truth for truth in truths if isinstance(truth, Truth)]


def _require_shapes(
    defined: TaskChecks, task: JudgedTask, at: tuple[Path, tuple[str | int, ...]]
) -> None:
    """Raise UserError, with the line, if the shapes of problem.yaml do not fit `hl.Each`."""
    from hotloop.judge.declared_shapes import Each

    file, where = at
    generators = [inspect.unwrap(truth.cases) for truth in _truths(defined)]
    makers = [inspect.unwrap(one.make) for one in generators if isinstance(one, Each)]
    if makers and not task.cases:
        raise UserError(
            f"{place(file, where)}: {task.id} has no `cases`, whose shapes `hl.Each` in {TASKS} "
            "reads: add them, as in `cases: [{columns: 1}, {columns: 4099}]`."
        )
    if task.cases and not makers:
        raise UserError(
            f"{place(file, (*where, 'cases'))}: no check of {task.id} reads these `cases`: give "
            f"`hl.Each(…)` to its `hl.Truth` in {TASKS}, or remove them."
        )
    for number, shape in enumerate(task.cases):
        for make in makers:
            try:
                inspect.signature(make).bind(None, **shape)
            except TypeError as error:
                takes = list(inspect.signature(make).parameters)[1:]
                raise UserError(
                    f"{place(file, (*where, 'cases', number))}: a case has {', '.join(shape)}, and "
                    f"`{getattr(make, '__name__', make)}` in {TASKS} takes {', '.join(takes)} "
                    f"after the generator ({error}): name the same."
                ) from None


def _inputs(defined: TaskChecks) -> set[int]:
    """Return how many arguments the references of the checks take, where that is fixed."""
    references = (truth.reference for truth in _truths(defined))
    counts = {_parameters(reference) for reference in references if callable(reference)}
    return {count for count in counts if count is not None}


def _names(module: ast.Module) -> tuple[list[str], list[str]]:
    """Return the names of a file's functions, and what else it assigns or imports."""
    functions = [node.name for node in module.body if isinstance(node, ast.FunctionDef)]
    others: list[str] = []
    for node in ast.walk(module):
        if isinstance(node, ast.alias):
            others.append(node.asname or node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            others.append(node.id)
    return functions, others


def _require_arguments(defined: TaskChecks, task: JudgedTask, source: Path) -> None:
    """Raise UserError if the author's own answer is written to be called in the other way.

    With `returns_tensor` in place of `fills_tensor` every right answer would lack an argument.
    """
    constructors = {"return": ("returns_tensor", 0), "destination": ("fills_tensor", 1)}
    file = source / ANSWER / task.files[-1]
    if defined.style not in constructors or file.suffix != ".py" or not file.is_file():
        return
    (constructor, extra), (other, other_extra) = (
        constructors[defined.style],
        constructors["destination" if defined.style == "return" else "return"],
    )
    takes = _arguments_of(file, task.entry)
    for inputs in _inputs(defined):
        if takes == inputs + other_extra:
            raise UserError(
                f"{file}: `{task.entry}` takes {takes} arguments, and is called with "
                f"{inputs + extra}, since {task.id} in {source / TASKS} is made by "
                f"`{constructor}` and the reference takes {inputs}: make it by `{other}`, or "
                "change the answer or the reference."
            )


def _arguments_of(file: Path, entry: str | None) -> int | None:
    """Return how many arguments the function takes; None if that is not fixed."""
    try:
        statements = ast.parse(file.read_text(encoding="utf-8")).body
    except (SyntaxError, ValueError):
        return None
    for node in statements:
        if isinstance(node, ast.FunctionDef) and node.name == entry:
            parameters = node.args
            fixed = not (parameters.vararg or parameters.defaults)
            return len(parameters.posonlyargs + parameters.args) if fixed else None
    return None


def _parameters(function: Callable[..., object]) -> int | None:
    """Return how many arguments the function takes; None if that is not fixed."""
    try:
        kinds = inspect.signature(function).parameters.values()
    except ValueError:  # of a function in C
        return None
    fixed = all(p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty for p in kinds)
    return len(kinds) if fixed else None


# --- whose fault an exception is ------------------------------------------------------------------


@dataclass(frozen=True)
class AuthorFault:
    """An exception of a check. where: file and line of the author's that raised it, or "".

    defined: file and line where the author writes the check. stated: True if `error` is a sentence
    of the judge's, and False if it is an exception's type and message.
    """

    task: str
    check: str
    where: str
    defined: str
    error: str
    while_reading: bool
    stated: bool = False

    def __str__(self) -> str:
        if self.while_reading:
            return (
                f"{self.check}: your {self.where} raised {self.error}, while it read the answer, "
                "which is therefore called wrong. If the answer is right, fix the check."
            )
        fix = "Fix the problem: until then no answer passes or fails."
        if self.where:
            raised = "" if self.stated else " raised"
            return f"{self.check}: your {self.where}{raised or ':'} {self.error}. {fix}"
        return f"{self.check}, which {self.defined} defines, failed: {self.error}. {fix}"


def faults(records: Mapping[str, Record], source: Path) -> list[AuthorFault]:
    """Return what went wrong in the problem's own files, for its author."""
    author_faults: list[AuthorFault] = []
    for task, record in records.items():
        for check in record.checks:
            if "error" not in check.evidence:
                continue
            where = author_line(check.evidence.get("raised_at", ()), source)
            ours = check.verdict is Verdict.JUDGE_ERROR
            if ours or where:
                raised = str(check.evidence.get("cause", check.evidence["error"]))
                error = raised.removeprefix("JudgeFault: ")
                defined = _defined(source / TASKS, task)
                stated = error != raised
                error = error.rstrip(".")
                author_faults.append(
                    AuthorFault(task, check.check, where, defined, error, not ours, stated)
                )
    return author_faults


def for_its_author(record: Record) -> Record:
    """Return the record without a sentence to learners: the author is told the fault itself."""
    checks = tuple(
        replace(check, sentence=_FAULT) if check.sentence == OUR_FAILURE else check
        for check in record.checks
    )
    sentence = _FAULT if record.sentence == OUR_FAILURE else record.sentence
    return replace(record, checks=checks, sentence=sentence)


def _defined(file: Path, task: str) -> str:
    """Return file and line of the value that the file gives to a task's name."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        match node:
            case ast.Assign([ast.Name(name)]) if name == task:
                return f"{file.name}:{node.lineno}"
            case _:
                pass
    return file.name


def author_line(places: Sequence[str], source: Path) -> str:
    """Return the innermost of `path:line` that is in the folder, as a path in it; "" for none."""
    root = source.resolve()
    for at in reversed(places):
        path = Path(at).resolve()
        if path.is_relative_to(root):
            return str(path.relative_to(root))
        beside, _, line = at.removeprefix(f"{HOME}/").rpartition(":")
        if at.startswith(HOME) and (root / beside).is_file():  # a baseline, in its sandbox
            return f"{beside}:{line}"
    return ""


# --- the answers beside it ------------------------------------------------------------------------


@dataclass(frozen=True)
class AnswerBeside:
    """An answer in a folder beside the problem. fails: the check that it must fail; "" for none."""

    folder: Path
    task: JudgedTask
    fails: str = ""


@dataclass(frozen=True)
class AnswerVerdict:
    """What came of an answer beside the problem.

    as_wanted: None if this machine cannot judge what must be shown. sentence: why.
    """

    answer: AnswerBeside
    as_wanted: bool | None
    sentence: str
    faults: Sequence[AuthorFault]


def answers_beside(source: Path, problem: TaskSet[JudgedTask]) -> list[AnswerBeside]:
    """Return the answers in `answer/` and `wrong/`.

    Raises UserError if there is no right answer, or if a folder's name or files do not fit.
    """
    tasks = [task for task in problem.tasks if task.kind == "code"]
    right = source / ANSWER
    if not right.is_dir():
        raise UserError(f"There is no {right}: put an answer there that must pass.")
    answers = [AnswerBeside(right, task) for task in tasks]
    wrong = source / WRONG
    folders = sorted(path for path in wrong.iterdir() if path.is_dir()) if wrong.is_dir() else []
    answers += [_wrong(folder, tasks) for folder in folders]
    for one in answers:
        if missing := [name for name in one.task.files if not (one.folder / name).is_file()]:
            raise UserError(f"There is no {missing[0]} in {one.folder}.")
    return answers


def _wrong(folder: Path, tasks: Sequence[JudgedTask]) -> AnswerBeside:
    named, dash, _ = folder.name.partition("-")
    for task in tasks:
        for check in task.checks:
            short = check.id if len(tasks) == 1 else ""
            if dash and named in {f"{task.id}.{check.id}", short}:
                return AnswerBeside(folder, task, check.id)
    known = [f"{t.id}.{r.id}" if len(tasks) > 1 else r.id for t in tasks for r in t.checks]
    raise UserError(
        f"{folder}: the name does not say which check this answer must fail. Call it "
        f"{known[0]}-some_mistake, with one of {', '.join(known)}."
    )


def unproved(problem: TaskSet[JudgedTask], answers: Sequence[AnswerBeside]) -> list[str]:
    """Return the checks, as `task.check`, that no answer beside the problem must fail."""
    failed = {(answer.task.id, answer.fails) for answer in answers}
    return [
        f"{task.id}.{check.id}"
        for task in problem.tasks
        if task.kind == "code"
        for check in task.checks
        if (task.id, check.id) not in failed
    ]


def judged(
    source: Path,
    answers: Sequence[AnswerBeside],
    judge: JudgeProcess,
    say: Callable[[str], None],
) -> Iterator[AnswerVerdict]:
    """Judge the answers in order; those that must fail, up to the check that they fail."""
    from hotloop.tasks.local_judging import judge_folder

    module = load_problem(source).id

    def record_of(answer: AnswerBeside, checks: Sequence[str]) -> Record:
        task = answer.task.id
        records = judge_folder(
            answer.folder,
            module,
            [task],
            checks,
            judge=judge,
            on_progress=lambda text: say(f"{answer.folder.name}: {text}"),
            source=source,
        )
        return records[task]

    for answer in answers:
        names = [check.id for check in answer.task.checks]
        only = names[: names.index(answer.fails) + 1] if answer.fails else names
        record = settled(record_of(answer, only), partial(record_of, answer))
        faulty = faults({answer.task.id: record}, source)
        record = for_its_author(record)
        as_wanted, sentence = _must_fail(answer, record) if answer.fails else _must_pass(record)
        yield AnswerVerdict(answer, as_wanted, sentence, faulty)


def _must_pass(record: Record) -> tuple[bool | None, str]:
    for check in record.checks:
        if check.verdict not in {Verdict.PASSED, Verdict.NOT_MEASURED}:
            return False, f"{check.check}: {_verdict(check)}{_allowance(check)}"
    for check in record.checks:
        if check.verdict is Verdict.NOT_MEASURED:
            return None, f"{check.check}: {_verdict(check)}"
    return True, "It passes every check."


def _allowance(check: CheckRecord) -> str:
    """Return what to allow, if a right answer only moves what is broadcast once for each row."""
    figures = check.evidence
    moved = figures.get("loaded_bytes", 0) + figures.get("stored_bytes", 0)
    if not moved or moved > 1.02 * figures.get("bytes_by_row", 0):
        return ""
    return (
        " Where each row must read what is broadcast to it, give "
        f"`fewest_bytes=lambda case: case.spec.bytes_by_row` in {TASKS}."
    )


def _must_fail(answer: AnswerBeside, record: Record) -> tuple[bool | None, str]:
    for check in record.checks:
        verdict = f"{check.check}: {_verdict(check)}"
        if check.verdict is Verdict.JUDGE_ERROR or check.check == "judge":
            return False, verdict
        if check.check != answer.fails:
            continue
        if check.verdict is Verdict.PASSED:
            return False, f"It passes {check.check}, which it must fail: {check.sentence}"
        if check.sentence.startswith(NOT_REACHED):
            return False, f"It fails before {check.check}: {record.sentence}"
        if check.verdict is Verdict.NOT_MEASURED:
            return None, verdict
        return not check.verdict.pending, verdict
    return False, record.sentence


def _verdict(check: CheckRecord) -> str:
    return f"{check.verdict.value.replace('_', ' ')}. {check.sentence}"
