"""What every module keeps to, whatever it teaches. Modules are found on disk; none is named here.

The tests at the end judge the reference, the untouched exercise and each wrong answer for real:
that is how strong the grader is, measured instead of believed.
"""

import ast
import hashlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hotloop.author import quoting
from hotloop.author.evidence import is_present
from hotloop.core import extras, paths
from hotloop.core.record import CheckRecord, Record
from hotloop.core.verdict import Verdict
from hotloop.engines.serving import preflight
from hotloop.engines.serving.unavailable import ServingUnavailable
from hotloop.judge.client import JudgeProcess
from hotloop.judge.device import kind
from hotloop.judge.task import find
from hotloop.learn.bank import catalog
from hotloop.tasks import curriculum, local_judging, render
from hotloop.tasks import modules as checks
from hotloop.tasks.curriculum import Module, Task
from hotloop.tasks.local_judging import judge_submission
from hotloop.tasks.markers import parse, regions
from hotloop.tasks.problem import settle
from hotloop.tasks.reference_files import sources
from hotloop.tasks.task_spec import task_spec

Found = CheckRecord | curriculum.Measurement
"""What was found of a check: just now, or by a recorded run."""

MODULES = curriculum.modules()
TASKS = [(module, task) for module in MODULES for task in module.tasks]
CODE_TASKS = [(module, task) for module, task in TASKS if task.kind == "code"]
WRONG = [(module, wrong) for module in MODULES for wrong in render.wrong_answers(module.id)]

per_module = pytest.mark.parametrize("module", MODULES, ids=lambda m: m.id)
per_task = pytest.mark.parametrize(
    ("module", "task"), TASKS, ids=[f"{m.id}.{t.id}" for m, t in TASKS]
)
per_code_task = pytest.mark.parametrize(
    ("module", "task"), CODE_TASKS, ids=[f"{m.id}.{t.id}" for m, t in CODE_TASKS]
)
per_wrong = pytest.mark.parametrize(
    ("module", "wrong"), WRONG, ids=[f"{m.id}.{w.name}" for m, w in WRONG]
)

QUICK = "first_kernels"
"""The module that is judged whole among the quick tests."""


def _reference(module: Module, task: Task) -> Any:
    """Slow for all modules but one: there are a hundred tasks, of seconds each."""
    marks = [pytest.mark.slow] if module.id != QUICK else []
    return pytest.param(module, task, id=f"{module.id}.{task.id}", marks=marks)


per_reference = pytest.mark.parametrize(
    ("module", "task"), [_reference(module, task) for module, task in CODE_TASKS]
)


def _judged_to(module: Module, wrong: render.WrongAnswer) -> Any:
    """Slow where speed is measured on the way to the check that it must fail, and for all modules
    but one: there are hundreds, of seconds each."""
    checks = module.task(wrong.task).checks
    names = [check.id for check in checks]
    measures = any(check.threshold for check in checks[: names.index(wrong.check) + 1])
    marks = [pytest.mark.slow] if measures or module.id != QUICK else []
    return pytest.param(module, wrong, id=f"{module.id}.{wrong.name}", marks=marks)


per_wrong_to_its_check = pytest.mark.parametrize(
    ("module", "wrong"), [_judged_to(module, wrong) for module, wrong in WRONG]
)


# --- one id in every tree -------------------------------------------------------------------------


def test_there_are_modules() -> None:
    assert MODULES


def test_every_tree_has_the_same_modules() -> None:
    names = {module.id for module in MODULES}
    assert _folders(paths.solutions()) == names
    assert _folders(paths.exercises()) == names
    assert {p.parent.name for p in Path(checks.__file__).parent.glob("*/tasks.py")} == names


def _folders(root: Path) -> set[str]:
    return {p.name for p in root.iterdir() if p.is_dir() and not p.name.startswith((".", "_"))}


@per_module
def test_the_curriculum_knows_the_module(module: Module) -> None:
    plan = curriculum.curriculum()
    track = next(track for track in plan.tracks if track.id == module.track)
    assert module.id in track.modules
    assert module.tier in plan.tiers
    assert set(module.concepts) <= {concept.id for concept in plan.concepts}
    assert set(module.prerequisites.modules) <= set(plan.order)
    assert plan.order.count(module.id) == 1


@per_module
def test_the_module_has_a_lesson_and_a_design(module: Module) -> None:
    for name in ("lesson.md", "design.md"):
        assert (curriculum.folder(module.id) / name).read_text(encoding="utf-8").strip()


ALWAYS_THERE = {"hotloop", "numpy", "rich", "torch", "triton", "IPython"}
"""What every learner has installed; `needs` of a module or a check names what is needed beside."""
SERVING = {
    *("gevent", "google", "grpc", "onnx", "onnxscript", "safetensors", "tokenizers"),
    "tritonclient",
    "triton_python_backend_utils",  # inside of the server only
}
WHERE_IT_IS = {"tensorrt"}
"""Imported by a function that asks first."""


@per_module
def test_what_a_learner_runs_imports_nothing_that_they_do_not_have(module: Module) -> None:
    files = render.submission(module.id)
    lab = paths.solutions() / module.id / "lab.py"
    texts = {name: content.decode() for name, content in files.items() if name.endswith(".py")}
    texts |= {"lab.py": lab.read_text(encoding="utf-8")}
    needs = {
        need for task in module.tasks for check in task.checks for need in module.needs_of(check)
    }
    packages = {name for need in needs for name in extras.IMPORTED.get(need, SERVING)}
    installed = {name.partition(".")[0] for name in packages}
    own = {re.split(r"[/.]", name)[0] for name in files}
    # A part of a path that ends in a module's name is added to the search path by the notebook.
    own |= {name.rpartition("/")[2].removesuffix(".py") for name in files}
    allowed = {*sys.stdlib_module_names, *own, *ALWAYS_THERE, *WHERE_IT_IS, *installed}
    lacking = {name: _imported(text) - allowed for name, text in texts.items()}
    assert {name: names for name, names in lacking.items() if names} == {}


@per_module
def test_every_file_that_a_learner_gets_is_python(module: Module) -> None:
    for path in (paths.exercises() / module.id).rglob("*.py"):
        compile(path.read_text(encoding="utf-8"), str(path), "exec")


@pytest.mark.parametrize(
    "module",
    [m for m in MODULES if (curriculum.folder(m.id) / "lesson.zh.md").is_file()],
    ids=lambda m: m.id,
)
def test_a_chinese_lesson_has_the_same_parts(module: Module) -> None:
    """The same headings in the same places, tables as long, the same code, figures and links."""
    folder = curriculum.folder(module.id)
    english, chinese = (
        (folder / name).read_text(encoding="utf-8") for name in ("lesson.md", "lesson.zh.md")
    )
    assert _skeleton(chinese) == _skeleton(english)


def _skeleton(lesson: str) -> list[str]:
    """What does not depend on the language: levels of headings, rows, lists, code, links, keys."""
    lines = [line.strip() for line in lesson.splitlines()]
    inserted = r"<!-- (?:from|ladder|recorded)|<img"
    kept = re.compile(rf"#{{1,4}} |\||- |{inserted}|```|</?details|</?fig|\$ ")
    found = [(line, kept.match(line)) for line in lines]
    starts = [
        re.sub(' alt="[^"]*"', "", line) if re.match(inserted, line) else match[0]
        for line, match in found
        if match is not None
    ]
    links = set(re.findall(r"\]\(([^)\s]+)\)", lesson.replace(".zh.yaml)", ".yaml)")))
    keys = re.findall(r"\{\{.*?\}\}", lesson)
    return [*starts, *sorted(links - {"../glossary.md"}), *sorted(keys)]


@per_module
def test_recorded_runs_fit_the_module(module: Module) -> None:
    wrong = {answer.name for answer in render.wrong_answers(module.id)}
    for run in curriculum.runs(module.id):
        assert run.module == module.id
        for measurement in run.measurements:
            assert measurement.candidate in wrong | {"reference"}
            checks = [check.id for check in module.task(measurement.task).checks]
            assert measurement.check in checks


# --- tasks, checks, cells -------------------------------------------------------------------------


@per_code_task
def test_the_check_has_the_tasks_checks(module: Module, task: Task) -> None:
    assert list(find(module.id, task.id).checks) == [check.id for check in task.checks]


@per_code_task
def test_what_earns_a_share_of_the_points_is_in_module_yaml(module: Module, task: Task) -> None:
    """A check reads the levels or limits that module.yaml has, and lacks none that it reads."""
    spec = task_spec(module, task.id)
    declared = {
        name: "limits" if check.limits else "levels" if check.levels else ""
        for name, check in spec.checks.items()
    }
    checks = find(module.id, task.id).checks
    assert {name: check.scored_by for name, check in checks.items()} == declared


@per_task
def test_hints_are_three_and_differ(module: Module, task: Task) -> None:
    assert len(set(task.hints)) == 3


@per_task
def test_the_graded_cell_has_the_tasks_points(module: Module, task: Task) -> None:
    (cell,) = [c for c in _cells(module.id) if _nbgrader(c).get("grade_id") == task.id]
    metadata = _nbgrader(cell)
    assert metadata["points"] == task.points
    assert metadata["grade"] is True
    assert metadata["solution"] is (task.kind == "written")
    assert metadata["locked"] is (task.kind == "code")
    if task.kind == "code":
        assert _source(cell) == f'check("{module.id}.{task.id}")'


@per_module
def test_only_tasks_are_graded(module: Module) -> None:
    graded = [_nbgrader(c)["grade_id"] for c in _cells(module.id) if _nbgrader(c).get("grade")]
    assert graded == [task.id for task in module.tasks]
    ids = [cell["id"] for cell in _cells(module.id)]
    assert len(set(ids)) == len(ids)


@per_module
def test_regions_are_those_of_the_tasks(module: Module) -> None:
    keys = {key.split(" ")[0] for key in render.files_by_region(module.id)}
    assert keys == {f"{module.id}.{task.id}" for task in module.tasks}


@per_module
def test_every_task_shows_its_card_and_hints(module: Module) -> None:
    text = "\n".join(_source(c) for c in _cells(module.id) if c["cell_type"] == "markdown")
    assert text.count("<details>") == 3 * len(module.tasks)
    for task in module.tasks:
        card = (
            f"**{task.minutes} minutes · difficulty {task.difficulty} of 5 · {task.points} points**"
        )
        assert card in text
        for hint in task.hints:
            assert hint in text


@per_module
def test_exercises_hold_no_solution(module: Module) -> None:
    files = render.render(module.id)
    files[render.NOTEBOOK] = "\n".join(_source(c) for c in _cells(module.id)).encode()
    exercise = _lines(b"\n".join(files.values()).decode(errors="replace"))
    assert "### STUB" not in exercise
    assert "SOLUTION" not in exercise
    for source in sources(module.id).values():
        for region in regions(parse(_text(source), source.name)):
            body = _lines("\n".join(region.body))
            assert body
            assert body not in exercise, f"{region.key} is given away"


def _text(path: Path) -> str:
    """Nothing for what is no text: a recorded trace has no regions."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def _lines(text: str) -> str:
    """Without comment signs, indentation and empty lines."""
    stripped = (line.strip().removeprefix("# ") for line in text.splitlines())
    return "\n".join(line for line in stripped if line)


@pytest.mark.slow
def test_rendered_exercises_are_current() -> None:
    assert render.stale() + quoting.stale() == [], "run `hotloop author render`"


def _cells(module: str) -> list[dict[str, Any]]:
    path = paths.exercises() / module / render.NOTEBOOK
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def _nbgrader(cell: dict[str, Any]) -> dict[str, Any]:
    return cell["metadata"].get("nbgrader", {})


def _source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


# --- questions ------------------------------------------------------------------------------------


@per_module
def test_there_are_eight_questions_over_three_levels(module: Module) -> None:
    found = [entry.question for entry in catalog.of_module(module.id)]
    assert len(found) >= 8
    assert {question.level for question in found} == {"beginner", "intermediate", "advanced"}


# --- the grader, measured -------------------------------------------------------------------------


@per_module
def test_there_are_four_wrong_answers_for_known_checks(module: Module) -> None:
    found = render.wrong_answers(module.id)
    assert len(found) >= 4
    for wrong in found:
        assert wrong.check in [check.id for check in module.task(wrong.task).checks]
        assert wrong.mistake.endswith(".")


@per_wrong
def test_a_wrong_answer_changes_its_task_only(module: Module, wrong: render.WrongAnswer) -> None:
    """Outside of its task's regions it is the reference, byte for byte."""
    right, given = render.submission(module.id), render.submission(module.id, wrong.path)
    differing = {name for name in right if right[name] != given[name]}
    assert differing
    assert differing <= set(module.task(wrong.task).files)
    key = f"### TASK {module.id}.{wrong.task}"
    if render.NOTEBOOK not in differing:
        return
    cells = [json.loads(files[render.NOTEBOOK])["cells"] for files in (right, given)]
    changed = [b for a, b in zip(*cells, strict=True) if a != b]
    assert all(key in _source(cell) for cell in changed)
    same = [a for a, b in zip(*cells, strict=True) if a == b and a["cell_type"] == "code"]
    others = [cell for cell in same if "### TASK" in _source(cell)]
    for cell in changed:
        for other in others:
            assert _bound(cell).isdisjoint(_named(other)), "another task could notice it"


def _bound(cell: dict[str, Any]) -> set[str]:
    """Names that a cell gives to the notebook."""
    statements = ast.parse(_source(cell)).body
    functions = {s.name for s in statements if isinstance(s, ast.FunctionDef | ast.ClassDef)}
    targets = {t for s in statements if isinstance(s, ast.Assign) for t in s.targets}
    return functions | {t.id for t in targets if isinstance(t, ast.Name)}


def _named(cell: dict[str, Any]) -> set[str]:
    """Names that a cell uses or gives, anywhere in it."""
    nodes = list(ast.walk(ast.parse(_source(cell))))
    return {n.id for n in nodes if isinstance(n, ast.Name)} | _bound(cell)


def _judged(
    module: str,
    files: dict[str, bytes],
    tasks: list[str],
    judge: JudgeProcess,
    checks: list[str] | None = None,
) -> dict[str, Record]:
    """With the same inputs in every run. Whether others give another verdict is measured by
    tests/benchmarks/mutants.py."""
    seed = hashlib.sha256(f"{module} {tasks}".encode()).hexdigest()[:32]
    return judge_submission(files, module, tasks, checks, judge=judge, seed=seed)


@cache
def _imported(text: str) -> set[str]:
    """Names of whole packages that the text imports, wherever it does."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(str(node.module).partition(".")[0])
    return found


@cache
def _gap(need: str) -> str:
    """What is missing on this machine, and what fixes it; empty where it is there."""
    if need in extras.IMPORTED:
        lacking = extras.missing(need)
        return f"{', '.join(lacking)} not installed: {extras.remedy(need)}" if lacking else ""
    assert need == "serving", "nothing else is installed apart"
    try:
        preflight.require()
    except ServingUnavailable as gap:
        return str(gap)
    return ""


def _require(module: Module, task: Task, checks: Sequence[str] | None = None) -> None:
    """Skip with the reason where this machine lacks what judging these checks takes."""
    for check in task.checks:
        gaps = [gap for need in module.needs_of(check) if (gap := _gap(need))]
        if gaps and (checks is None or check.id in checks):
            pytest.skip(gaps[0])


def _quick(task: Task) -> list[str]:
    """The checks that are no measurement of speed."""
    return [check.id for check in task.checks if check.threshold is None]


def _told(check: Found) -> str:
    return f"{check.check}: {check.verdict}: {check.sentence}"


@pytest.mark.sandbox
@pytest.mark.timeout(400)
@per_reference
def test_the_reference_passes(module: Module, task: Task, judge: JudgeProcess) -> None:
    """Every check that this machine can measure. Speed is left to `hotloop author evidence`."""
    _require(module, task)
    files = render.submission(module.id)
    record = _judged(module.id, files, [task.id], judge, _quick(task))[task.id]
    for check in record.checks:
        assert check.verdict in {Verdict.PASSED, Verdict.NOT_MEASURED}, _told(check)
        proofs = check.evidence.get("proofs")
        if isinstance(proofs, dict):
            # No sizes of the task break its reference, and the prover runs where it is installed.
            assert not proofs["broken"]
            assert all("was stopped" not in claim["reason"] for claim in proofs["claims"])
    assert any(check.verdict is Verdict.PASSED for check in record.checks)


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(400)
@per_module
def test_the_untouched_exercise_earns_nothing(
    module: Module, judge: JudgeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judge, which no learner waits for there, says what is said in its place."""
    monkeypatch.setattr(local_judging, "stub_record", lambda _job: None)
    tasks = [task for task in module.tasks if task.kind == "code"]
    tasks = [t for t in tasks if not any(_gap(n) for r in t.checks for n in module.needs_of(r))]
    records = _judged(module.id, render.untouched(module.id), [t.id for t in tasks], judge)
    for task in tasks:
        score = settle(module, task.id, records[task.id])
        assert score.points == 0
        assert score.pending == 0, "nothing is left open either: there is nothing to judge"
        # What only an operator's registration would bring is missing with an error of PyTorch's.
        # An empty configuration does not compile, and an untuned one is as slow as it was.
        failed = {Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR, Verdict.COMPILE_ERROR}
        failed |= {Verdict.TOO_SLOW}
        assert records[task.id].verdict in failed, records[task.id].sentence


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(400)
@per_reference
def test_whoever_wrote_all_other_tasks_earns_nothing_for_this_one(
    module: Module, task: Task, judge: JudgeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    _require(module, task)
    others = [each.id for each in module.tasks if each.kind == "code" and each is not task]
    files = render.solved_in_part(module.id, others)
    told = _judged(module.id, files, [task.id], judge)[task.id]
    monkeypatch.setattr(local_judging, "stub_record", lambda _job: None)
    record = _judged(module.id, files, [task.id], judge)[task.id]
    for judged in (told, record):
        score = settle(module, task.id, judged)
        assert (score.points, score.pending) == (0, 0), judged.sentence


@pytest.mark.sandbox
@pytest.mark.timeout(400)
@per_wrong_to_its_check
def test_a_wrong_answer_fails_where_it_says(
    module: Module, wrong: render.WrongAnswer, judge: JudgeProcess
) -> None:
    """It fails at its check, and passes all checks before it.

    Of those that measure speed it must earn something: how much depends on the machine. A speed
    that a committed run of this very code, the judge's too, has measured is not measured again; nor
    is one that the check at fault does not stand on, which is left to `hotloop author evidence`.
    """
    files = render.submission(module.id, wrong.path)
    task = module.task(wrong.task)
    asked = next(check for check in task.checks if check.id == wrong.check)
    if asked.needs_gpu and kind() != "cuda":
        pytest.skip("only a GPU shows what is wrong with it: `hotloop author evidence`")
    names = [check.id for check in task.checks]
    needed = {*_quick(task), *_stands_on(module, task, wrong.check)}
    before = [name for name in names[: names.index(wrong.check)] if name in needed]
    found: dict[str, Found] = dict(_recorded_speeds(module, task, wrong.name))
    live = [name for name in (*before, wrong.check) if name not in found]
    if live:
        _require(module, task, live)
        record = _judged(module.id, files, [wrong.task], judge, live)[wrong.task]
        found |= {name: record.check(name) for name in live}
    for check in map(found.__getitem__, before):
        if check.check in _quick(task):
            assert check.verdict is Verdict.PASSED, _told(check)
        elif check.verdict is Verdict.UNDECIDED:
            pytest.skip(f"this machine is too busy for a speed verdict now: {check.sentence}")
        else:
            assert check.earned > 0, _told(check)
    failed = found[wrong.check]
    assert failed.earned < 1, _told(failed)
    if failed.verdict is Verdict.UNDECIDED:
        pytest.skip(f"this machine is too busy for a speed verdict now: {failed.sentence}")
    assert failed.verdict is not Verdict.PASSED, _told(failed)
    assert not failed.verdict.pending, _told(failed)


def _stands_on(module: Module, task: Task, check: str) -> set[str]:
    """The checks without which it is not judged, and those without which these are not."""
    checks = find(module.id, task.id).checks
    found: set[str] = set()
    waiting = [check]
    while waiting:
        new = set(checks[waiting.pop()].prerequisites) - found
        found |= new
        waiting += new
    return found


def _recorded_speeds(module: Module, task: Task, candidate: str) -> Iterator[tuple[str, Found]]:
    """Checks with what was measured of them, on any device, with today's solutions, checks and
    judge: after any change they are measured here.
    """
    for run in curriculum.runs(module.id):
        for found in run.measurements:
            known = (found.candidate, found.task) == (candidate, task.id) and is_present(run, found)
            if known and found.check not in _quick(task) and not found.verdict.pending:
                yield found.check, found


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(400)
@per_wrong
def test_a_wrong_answer_fails_no_other_task(
    module: Module, wrong: render.WrongAnswer, judge: JudgeProcess
) -> None:
    """The first check of each task that shares a source file with it still passes.

    For tasks in the notebook it was shown above that nothing which they use has changed.
    """
    shared = set(module.task(wrong.task).files) - {render.NOTEBOOK}
    files = render.submission(module.id, wrong.path)
    for task in module.tasks:
        if task.kind != "code" or task.id == wrong.task or shared.isdisjoint(task.files):
            continue
        first = task.checks[0].id
        _require(module, task, [first])
        record = _judged(module.id, files, [task.id], judge, [first])[task.id]
        assert record.check(first).verdict is Verdict.PASSED, _told(record.check(first))


@cache
def _recorded(module: str) -> dict[tuple[str, str, str], list[curriculum.Measurement]]:
    found: dict[tuple[str, str, str], list[curriculum.Measurement]] = {}
    for run in curriculum.runs(module):
        for measurement in run.measurements:
            key = (measurement.candidate, measurement.task, measurement.check)
            found.setdefault(key, []).append(measurement)
    return found


@per_code_task
def test_recorded_speeds_of_the_reference_earn_all_points(module: Module, task: Task) -> None:
    """A level that is not provisional any more lies below the interval of a recorded run."""
    for check in task.checks:
        if check.threshold is None or check.threshold.provisional:
            continue
        found = _recorded(module.id).get(("reference", task.id, check.id), [])
        measured = [m for m in found if m.verdict is not Verdict.NOT_MEASURED]
        assert measured, f"{task.id}.{check.id} is not provisional, but no run is recorded"
        highest = max(level.ratio for level in check.threshold.levels if level.earned)
        for each in measured:
            assert each.earned == 1
            assert each.ratio is not None
            assert highest < each.ratio.low, f"{task.id}.{check.id}"
