"""Tasks on a cluster that a stand-in for Ray plays; `executors/test_ray.py` runs a real one."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.course.executors import Lost
from hotloop.course.ray_tasks import Tasks


class NodeDied(Exception):
    """As Ray's own, for a node or process that is lost."""


class Raised(NodeDied):
    """As Ray's RayTaskError: the function itself raised an error."""


class Cluster:
    """Runs a task when its result is asked for. canceled: the tasks that were ended."""

    exceptions = SimpleNamespace(RayError=NodeDied, RayTaskError=Raised)

    def __init__(self) -> None:
        self.canceled: list[Any] = []

    def remote(self, **_how: Any) -> Callable[[Any], Any]:
        return lambda made: _Actor(made) if isinstance(made, type) else _Function(made)

    def wait(self, references: list[Any], timeout: float) -> tuple[list[Any], list[Any]]:
        return references[:1], references[1:]

    def get(self, reference: Callable[[], Any]) -> Any:
        if reference in self.canceled:
            raise NodeDied("canceled")
        return reference()

    def cancel(self, reference: Any, *, force: bool) -> None:
        self.canceled.append(reference)

    def kill(self, *_: Any, **_more: Any) -> None: ...


class _Function:
    def __init__(self, function: Any) -> None:
        self._function = function

    def options(self, **_resources: Any) -> "_Function":
        return self

    def remote(self, *arguments: Any) -> Callable[[], Any]:
        return lambda: self._function(*arguments)


class _Actor:
    def __init__(self, kind: Any) -> None:
        self._kind = kind

    def remote(self) -> Any:
        made = self._kind()

        def called(method: Any) -> Any:
            return SimpleNamespace(
                remote=lambda *given: (lambda found: lambda: found)(method(*given))
            )

        return SimpleNamespace(add=called(made.add), take=called(made.take))


@pytest.fixture
def told() -> list[tuple[str, str, str]]:
    return []


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


@pytest.fixture
def tasks(cluster: Cluster, told: list[tuple[str, str, str]]) -> Tasks:
    return Tasks(cluster, lambda *step: told.append(step), retries=2)


def all_of(tasks: Tasks) -> dict[str, str | Lost]:
    found: dict[str, str | Lost] = {}
    while tasks:
        found |= dict(tasks.ended(0.1))
    return found


def dying(times: int) -> Callable[..., str]:
    """Returns a function whose node dies in its first calls."""
    left = [times]

    def function(text: str, _steps: Any) -> str:
        left[0] -= 1
        if left[0] >= 0:
            raise NodeDied("The node died.")
        return text

    return function


def test_each_task_returns_its_own_text(tasks: Tasks) -> None:
    for key in "abc":
        tasks.submit(key, lambda text, _steps: text, key.upper(), num_cpus=1)
    assert len(tasks) == 3
    assert all_of(tasks) == {"a": "A", "b": "B", "c": "C"}


@pytest.mark.parametrize("times", [0, 1, 2])
def test_what_is_lost_with_its_node_runs_again(
    tasks: Tasks, told: list[tuple[str, str, str]], times: int
) -> None:
    tasks.submit("a", dying(times), "done")
    assert all_of(tasks) == {"a": "done"}
    again = [text for _, _, text in told if "lost" in text]
    assert again == [f"its node was lost; try {number + 2}" for number in range(times)]


def test_what_is_lost_each_time_is_reported_and_holds_up_nothing(tasks: Tasks) -> None:
    tasks.submit("a", dying(99), "never")
    tasks.submit("b", dying(0), "done")
    found = all_of(tasks)
    assert found["b"] == "done"
    assert found["a"] == Lost("Its node was lost 3 times (NodeDied). Grade it again.")


def test_an_error_of_the_function_is_not_tried_again(tasks: Tasks) -> None:
    calls: list[str] = []

    def fails(_steps: Any) -> str:
        calls.append("")
        raise Raised("a trace\nValueError: no such file")

    tasks.submit("a", fails)
    assert all_of(tasks) == {"a": Lost("A node could not grade it: ValueError: no such file")}
    assert len(calls) == 1


def test_one_thread_gets_its_own_task_only(tasks: Tasks) -> None:
    for key in "ab":
        tasks.submit(key, lambda text, _steps: text, key)
    assert dict(tasks.ended(0.1, "b")) == {"b": "b"}
    assert dict(tasks.ended(0.1, "b")) == {}
    assert all_of(tasks) == {"a": "a"}


def test_one_task_is_ended_and_the_others_go_on(cluster: Cluster) -> None:
    tasks = Tasks(cluster, lambda *_step: None, retries=0)
    for key in "ab":
        tasks.submit(key, lambda text, _steps: text, key)
    tasks.cancel("a")
    found = all_of(tasks)
    assert isinstance(found["a"], Lost)
    assert found["b"] == "b"
    tasks.submit("c", lambda _steps: "c")
    tasks.close()
    assert len(cluster.canceled) == 2


def test_progress_of_what_runs_is_told(tasks: Tasks, told: list[tuple[str, str, str]]) -> None:
    steps: list[Any] = []

    def says(actor: Any) -> str:
        steps.append(actor)
        actor.add.remote("a", "", "compiling")
        actor.add.remote("gone", "", "of a task that has ended")
        return ""

    tasks.submit("a", says)
    assert all_of(tasks) == {"a": ""}
    tasks.submit("a", lambda _steps: "")
    for _ in range(3):
        tasks.submit("b", lambda _steps: "")
        list(tasks.ended(0.1, "b"))
    assert told == [("a", "", "compiling")]
