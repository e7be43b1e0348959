"""A notebook's cells in a worker of the judge: their limits, and what is said of them."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge import notebook
from hotloop.judge.budget import Budget
from hotloop.judge.gpu.workers import notebook_worker
from hotloop.judge.launcher import Launcher
from hotloop.judge.questions import ask_plainly
from hotloop.judge.worker_connection import WorkerConnection

pytestmark = pytest.mark.slow
DEAF = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
ENDLESS = "import time\nwhile True: time.sleep(0.1)"
ANSWER = "def answer():\n    return 42"

Run = Callable[..., WorkerConnection]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Runs cells, and returns the worker that serves their names."""
    workers: list[WorkerConnection] = []

    def started(*cells: str, budget: Budget | None = None) -> WorkerConnection:
        workers.append(notebook_worker(Launcher("none"), tmp_path, None))
        notebook.run_cells(workers[-1], cells, budget or Budget(60.0))
        return workers[-1]

    yield started
    for worker in workers:
        worker.close()


def answer_of(worker: WorkerConnection, name: str = "answer") -> object:
    worker.resolve(name, None, 30.0)
    return ask_plainly(worker, [], 30.0)


def test_names_of_the_cells_are_called(run: Run) -> None:
    assert answer_of(run("%%time\nx = 42", "def answer():\n    return x")) == 42


def test_an_endless_cell_is_interrupted_and_the_next_one_runs(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notebook, "CELL_S", 0.5)
    assert answer_of(run(ENDLESS, "await __import__('asyncio').sleep(60)", ANSWER)) == 42


def test_a_cell_that_cannot_be_interrupted_ends_the_task(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notebook, "CELL_S", 0.5)
    with pytest.raises(Ruling) as ruling:
        run(DEAF, ANSWER)
    assert ruling.value.verdict is Verdict.TIMEOUT


def test_all_cells_have_a_limit_together(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "NOTEBOOK_S", 0.5)
    with pytest.raises(Ruling, match="shorten what it runs") as ruling:
        run(ENDLESS, ANSWER)
    assert ruling.value.verdict is Verdict.TIMEOUT


def test_time_of_cells_is_not_the_tasks(run: Run) -> None:
    budget = Budget(60.0)
    deadline = budget.deadline
    run("import time\ntime.sleep(0.5)", budget=budget)
    assert budget.deadline - deadline >= 0.5
    assert budget.deadline <= time.monotonic() + 60.0


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("x = missing", "NameError: name 'missing' is not defined"),
        ("def (:", "SyntaxError"),
        ("%no_such_magic", "no_such_magic"),
        ("exit()", "exit() and quit() end a kernel"),
    ],
)
def test_a_missing_function_comes_with_the_first_failure(run: Run, cell: str, said: str) -> None:
    worker = run("x = 1", cell, "1 / 0")
    with pytest.raises(Ruling) as ruling:
        answer_of(worker)
    assert "there is no function called 'answer' in the notebook's code cells" in str(ruling.value)
    assert said in str(ruling.value)


def test_what_functions_print_is_dropped(run: Run) -> None:
    loud = "def answer():\n    print('x' * (3 << 20))\n    return 42"
    assert answer_of(run(loud)) == 42
