"""Workers are forked if nothing is timed, and newly executed if something is."""

import ast
import importlib
import inspect
import json
import pkgutil
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import nbformat
import pytest

from hotloop.judge import checks, service, zygotes
from hotloop.judge.candidate import Candidate
from hotloop.judge.checks.fast import Fast
from hotloop.judge.files import lay_out
from hotloop.judge.job import Job
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.launcher import Launcher
from hotloop.judge.program import Program
from hotloop.judge.questions import ask_plainly
from hotloop.judge.reachable_code import reachable_code
from hotloop.judge.spec import TaskSpec
from hotloop.judge.task import find
from hotloop.sandbox.zygote.forked import ForkedProcess
from hotloop.sandbox.zygote.zygote import Zygote
from hotloop.tasks import curriculum
from hotloop.tasks.notebook_cells import NOTEBOOK
from hotloop.tasks.render import submission
from hotloop.tasks.task_spec import task_spec

from ..sessions import new_session

FOUND = """
import sys

if "numpy" not in sys.modules:
    raise SystemExit("nothing was imported before the fork")

def found():
    return 1
"""


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    """A zygote that has imported only numpy, which is fast."""
    with Zygote((zygotes.WORKER, "numpy")) as zygote:
        yield zygote


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize("anew", [False, True])
def test_a_worker_is_forked_but_where_it_is_to_be_executed(
    zygote: Zygote, tmp_path: Path, trusted: bool, anew: bool
) -> None:
    launcher = Launcher("bubblewrap", fork=zygote.launch)
    worker = launcher.start(files=tmp_path, trusted=trusted, anew=anew)
    try:
        assert isinstance(worker.confined, ForkedProcess) is not anew
    finally:
        worker.close()


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.parametrize("environment", [(), (("TVM_NUM_THREADS", "1"),)])
def test_a_program_of_ours_with_variables_of_its_own_is_executed(
    zygote: Zygote, tmp_path: Path, environment: tuple[tuple[str, str], ...]
) -> None:
    """Forking would be too late for variables that a library reads at its import."""
    main = tmp_path / "main.py"
    main.write_text("def answer():\n    return 1\n")
    with closing(
        new_session(launcher=Launcher("bubblewrap", fork=zygote.launch), budget_s=30)
    ) as session:
        process = Program({"main.py": main}, "main.py", environment).trusted(session)
        assert process.ask("answer") == 1
        assert isinstance(process.worker.confined, ForkedProcess) is (not environment)


@pytest.mark.slow
@pytest.mark.sandbox
def test_a_forked_candidate_sees_its_files_and_has_what_was_imported(
    zygote: Zygote, tmp_path: Path
) -> None:
    (tmp_path / "found.py").write_text(FOUND)
    with closing(
        new_session(tmp_path, launcher=Launcher("bubblewrap", fork=zygote.launch), budget_s=30)
    ) as session:
        worker = session.about(Candidate("found", "found.py", "json")).worker()
        assert isinstance(worker.confined, ForkedProcess)


@pytest.mark.slow
@pytest.mark.sandbox
def test_a_second_worker_shares_no_hash_with_the_first(zygote: Zygote, tmp_path: Path) -> None:
    (tmp_path / "salted.py").write_text("def salted(text):\n    return hash(text)\n")
    with closing(
        new_session(
            tmp_path,
            candidate=Candidate("salted", "salted.py", "json"),
            launcher=Launcher("bubblewrap", fork=zygote.launch),
            budget_s=30,
        )
    ) as session:
        links = (session.worker(), session.another_worker())
        first, second = (ask_plainly(worker, ("text",), 9.0) for worker in links)
    assert first != second


def test_nothing_that_was_forked_is_timed() -> None:
    launcher = Launcher("bubblewrap", fork=lambda _confinement: pytest.fail("nothing is started"))
    session = new_session(launcher=launcher, budget_s=9)
    with pytest.raises(JudgeFault, match="was forked"):
        session.alone()


@pytest.mark.parametrize(
    ("isolation", "device", "timed", "forks"),
    [
        ("bubblewrap", "cpu", False, True),
        ("bubblewrap", "cpu", True, False),
        ("bubblewrap", "cuda", False, False),
        ("none", "cpu", False, False),
    ],
)
def test_when_the_judge_forks(
    monkeypatch: pytest.MonkeyPatch, isolation: str, device: str, timed: bool, forks: bool
) -> None:
    monkeypatch.setattr(service, "kind", lambda: device)
    monkeypatch.setattr(service, "worker_fork", lambda *_about: lambda _confinement: None)
    job = Job("module", "task", TaskSpec("f", ("f.py",)), isolation=isolation)
    assert (service._launcher(job, timed=timed).fork is not None) is forks


@pytest.mark.slow
@pytest.mark.sandbox
def test_a_warm_judge_starts_nothing_more_for_its_first_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running: OrderedDict[tuple[str, ...], Zygote] = OrderedDict()
    monkeypatch.setattr(zygotes, "_zygotes", running)
    monkeypatch.setattr(zygotes, "FRAMEWORKS", ())
    lay_out(submission("ssa_passes"), tmp_path)
    spec = task_spec(curriculum.load_module("ssa_passes"), "fold")
    job = Job(
        "ssa_passes", "fold", spec, files=str(tmp_path), notebook=NOTEBOOK, isolation="bubblewrap"
    )
    try:
        service._warm("bubblewrap")
        assert service.judge(job, None, lambda _text: None).verdict == "passed"
        # One for files, one for notebooks.
        assert [list(zygote._starts.values()) for zygote in running.values()] == [[1, 1]]
    finally:
        for zygote in running.values():
            zygote.close()


def test_what_a_module_needs_is_imported_before_the_fork() -> None:
    assert task_spec(curriculum.load_module("tvm_passes"), "tune").module_needs == ("tvm",)
    assert set(zygotes.preloaded(("tvm",))) <= {*zygotes.preloaded(()), *zygotes.NEEDED["tvm"]}
    assert zygotes.preloaded(("unheard",)) == zygotes.preloaded(())


def test_every_need_that_is_imported_early_is_one_of_a_module() -> None:
    needs = {need for module in curriculum.modules() for need in module.needs}
    assert set(zygotes.NEEDED) <= needs


def test_zygotes_for_other_modules_end(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[tuple[str, ...]] = []

    class Told:
        def __init__(self, modules: tuple[str, ...], **_: object) -> None:
            self.modules = modules

        def launch(self, _confinement: object) -> tuple[str, ...]:
            return self.modules

        def close(self) -> None:
            closed.append(self.modules)

    monkeypatch.setattr(zygotes, "Zygote", Told)
    monkeypatch.setattr(zygotes, "_zygotes", OrderedDict())
    monkeypatch.setattr(zygotes, "preloaded", lambda _needs: ("a", "b", "c"))
    monkeypatch.setattr(zygotes, "of_code", lambda _known, code: (code,))
    served = [zygotes.worker_fork((), code)(Any) for code in "abacb"]
    assert served == [("a",), ("a", "b"), ("a", "b"), ("a", "b", "c"), ("a", "b", "c")]
    assert closed == [("a",)], "what others import too is not imported again"
    monkeypatch.setattr(zygotes, "preloaded", lambda _needs: ("c", "d"))
    assert zygotes.worker_fork((), "d")(Any) == ("c", "d"), "modules of other needs are left out"


@pytest.mark.parametrize(
    ("code", "modules"),
    [
        ("import json\n", ()),
        ("# import torch\ntext = 'torch'\n", ()),
        ("import torch\n", ("torch",)),
        ("def f():\n    import json, torch as t\n", ("torch",)),
        ("from torch.nn import Linear\ntorch.compile(f)\n", ("torch", zygotes.DYNAMO)),
        ("import triton.language as tl\n", ("torch", "triton", "triton.language")),
        ("from helper import f\n", ("torch",)),
        ("from . import helper\n", ()),
    ],
)
def test_a_zygote_imports_what_the_answer_does(
    tmp_path: Path, code: str, modules: tuple[str, ...]
) -> None:
    (tmp_path / "helper.py").write_text("import torch, answer\n")
    (tmp_path / "answer.py").write_text(code)
    installed = (zygotes.WORKER, *zygotes.FRAMEWORKS)
    code = reachable_code(tmp_path, "answer.py")
    assert sorted(zygotes.of_code(installed, code)) == sorted((zygotes.WORKER, *modules))


def test_a_notebook_imports_what_its_code_cells_do(tmp_path: Path) -> None:
    cells: list[Any] = [
        nbformat.v4.new_markdown_cell("```python\nimport triton\n```"),  # pyright: ignore
        nbformat.v4.new_code_cell("import torch"),  # pyright: ignore
    ]
    (tmp_path / NOTEBOOK).write_text(json.dumps({"cells": cells}))
    assert reachable_code(tmp_path, NOTEBOOK) == "import torch"


@pytest.mark.parametrize("content", [b"\xff", b"{", b"import torch\0"])
def test_a_file_that_cannot_be_read_imports_what_can_be_seen(
    tmp_path: Path, content: bytes
) -> None:
    for name in ("answer.py", NOTEBOOK):
        (tmp_path / name).write_bytes(content)
        assert zygotes.of_code((zygotes.WORKER, "triton"), reachable_code(tmp_path, name))


def test_every_level_on_a_processor_is_one_of_a_timed_check() -> None:
    """Also if a module's own check wraps one of the judge's."""
    forked = [
        f"{module.id}.{task.id}.{check.id}"
        for module in curriculum.modules()
        for task in module.tasks
        for check in task.checks
        if check.threshold is not None and "gpu" not in check.id
        if not find(module.id, task.id).is_timed(frozenset({check.id}))
    ]
    assert forked == []


def test_every_check_that_has_the_machine_alone_on_a_cpu_says_so() -> None:
    silent = [
        name
        for name, source in _check_sources()
        if _calls(source, "have_machine_alone") and "timed: ClassVar[bool] = True" not in source
    ]
    assert silent == []
    assert Fast.timed


def _check_sources() -> Iterator[tuple[str, str]]:
    for found in pkgutil.iter_modules(checks.__path__):
        yield (
            found.name,
            inspect.getsource(importlib.import_module(f"{checks.__name__}.{found.name}")),
        )


def _calls(source: str, name: str) -> bool:
    nodes = ast.walk(ast.parse(source))
    return any(isinstance(node, ast.Attribute) and node.attr == name for node in nodes)
