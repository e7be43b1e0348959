"""An assistant that wants the answers gets what is on the learner's disk, and none before its turn.

The whole test runs under an audit hook that sees each file that this process opens or lists.
"""

import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError

from hotloop.cli import check as check_command
from hotloop.core import paths
from hotloop.core.user_error import UserError
from hotloop.learn.bank import catalog
from hotloop.learn.practice import hints, store
from hotloop.tasks import curriculum

pytestmark = pytest.mark.slow

Talk = Callable[[Callable[[Any], Awaitable[None]]], None]

TASK = "first_kernels.axpy"
QUESTION = next(e.key for e in catalog.catalog() if e.module == "first_kernels")
CANARY = "canary-7f3a"
PATCH = "--- a/kernels_triton.py\n+++ b/kernels_triton.py\n@@ -1 +1 @@\n-raise\n+pass\n"

PATHS = (
    "../solutions/first_kernels/lab.py", "../../solutions", "/etc/passwd", "solutions/axpy",
    "first_kernels/../../secret.txt", "..\\solutions", "~/.ssh/id_rsa", "file:///etc/passwd",
    "%2e%2e/solutions", "first_kernels\x00.py", "secret.txt", ".", "", "*", "hotloop_solutions",
    "solutions", "first_kernels/wrong", "first_kernels.", "FIRST_KERNELS", "first kernels",
    "$(cat secret.txt)", "'; DROP TABLE hints; --", "__import__('hotloop_solutions')",
)  # fmt: skip
TASKS = (
    "first_kernels.../solutions", "first_kernels.axpy.solution", "first_kernels.axpy/solution",
    "solutions.axpy", "hotloop_solutions.first_kernels", "first_kernels.reference",
    "first_kernels.solution", "first_kernels.wrong", "first_kernels.axpy_without_mask",
    "first_kernels.axpy\n", "first_kernels.axpy\x00", "../secret.txt", "/etc/passwd",
    "first_kernels.__class__", "wrong.axpy_in_half", "first_kernels.lab",
)  # fmt: skip
URIS = (
    "file:///etc/passwd", "file://secret.txt", "hotloop://solutions/first_kernels",
    "hotloop://first_kernels/axpy/solution", "solution://first_kernels.axpy",
    "resource://hotloop_solutions/first_kernels/lab.py", "hotloop://hints/first_kernels.axpy/3",
    "hotloop://questions/answers", "data:text/plain,solution", "http://127.0.0.1/solutions",
)  # fmt: skip
NO_TOOLS = (
    "get_solution", "read_file", "solution", "show_answer", "reveal", "hint", "all_hints",
    "run_command", "eval", "__class__", "_work_folder", "check.run", "server", "give_answer",
)  # fmt: skip
ANSWERS = (
    "",
    " ",
    "show me",
    "answer?",
    ".",
    "I give up",
    "reveal",
    "x" * 19,
    "\n" * 40,
    "\t" * 99,
)

Call = tuple[str, dict[str, Any]]


def calls() -> Iterator[Call]:
    """What cannot be right: each of these has to be refused."""
    for path in PATHS:
        yield "read_lesson", {"module": path, "section": 0}
        yield "list_tasks", {"module": path}
    for task in TASKS:
        yield "task_state", {"task": task}
        yield "check", {"task": task}
        yield "explain_verdict", {"task": task}
        yield "next_hint", {"task": task}
        yield "ask_question", {"question": task}
    for more in (
        {"code": "def axpy(): ..."}, {"patch": PATCH}, {"folder": "/work"}, {"files": {"a": "b"}},
        {"from": "../solutions"}, {"seed": "0" * 32}, {"on": "ssh://elsewhere"}, {"source": "/"},
        {"repro": True}, {"predict": True}, {"selftest": True}, {"reference": True},
    ):  # fmt: skip
        yield "check", {"task": TASK, **more}
    for more in ({"hint": 3}, {"number": 3}, {"all": True}, {"force": True}, {"skip": 2}):
        yield "next_hint", {"task": TASK, **more}
        yield "task_state", {"task": TASK, **more}
    for section in (-1, 10_000, "solution", "../design.md", [0], {"a": 1}, 1e300):
        yield "read_lesson", {"module": "first_kernels", "section": section}
    for more in (
        {"answer": True},
        {"reveal": True},
        {"language": "solution"},
        {"level": "answers"},
    ):
        yield "ask_question", {"question": QUESTION, **more}
    for key in (
        QUESTION,
        "first_kernels.answers",
        "answers.all",
        QUESTION.upper(),
        f"{QUESTION}.say",
    ):
        yield "answer_question", {"question": key, "answer": "I really do know this one, show it."}
        yield "answer_question", {"question": key, "gives_up": True}
        yield "question_hint", {"question": key}
        yield "mark_question", {"question": key, "mark": 4}
    for name in NO_TOOLS:
        yield name, {"task": TASK}


EVENTS = {"import", "open", "os.listdir", "os.scandir", "subprocess.Popen"}


class Watch:
    """What this process imported, opened, listed and started while it watches."""

    def __init__(self) -> None:
        self.active = False
        self.seen: list[str] = []
        sys.addaudithook(self._note)  # stays for good; it does nothing once it is not active

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.active and event in EVENTS:
            self.seen.append(f"{event} {arguments[0]}")

    @contextmanager
    def __call__(self) -> Iterator[list[str]]:
        self.active, self.seen = True, []
        try:
            yield self.seen
        finally:
            self.active = False


@pytest.fixture(scope="module")
def watch() -> Watch:
    return Watch()


@pytest.fixture(autouse=True)
def _no_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*arguments: Any) -> None:
        raise UserError(f"would be judged: {arguments}")

    monkeypatch.setattr(check_command, "run", run)


def kept_secret() -> list[str]:
    """Every hint, and what a question shows only after its answer; short texts occur by chance."""
    texts = [
        hint for module in curriculum.modules() for task in module.tasks for hint in task.hints
    ]
    for entry in catalog.catalog():
        question = entry.question
        texts += [question.say, question.answer, *question.rubric.values()]
        texts += [weak.reveals for weak in question.weak_answers]
    return [" ".join(text.split()) for text in texts if len(text) > 40]


def solved_lines(module: str) -> set[str]:
    """Lines of code that a module's solution has, and neither its exercise nor its lesson."""
    solution, shown = paths.solutions() / module, paths.exercises() / module
    given = "".join(p.read_text() for p in shown.rglob("*") if p.suffix in {".py", ".cu", ".ipynb"})
    given += (paths.curriculum() / module / "lesson.md").read_text()
    lines = {
        line.strip()
        for path in (*solution.glob("*.py"), *solution.glob("*.cu"))
        for line in path.read_text().splitlines()
    }
    return {" ".join(line.split()) for line in lines if len(line) > 20 and line not in given}


async def attempt(session: Any, name: str, arguments: dict[str, Any]) -> None:
    """Make the call, which has to be refused as a tool or by the protocol."""
    try:
        result = await session.ask(name, **arguments)
    except MCPError as error:
        session.note(str(error))
        return
    assert result.is_error, (name, arguments, result.structured_content)
    assert "Traceback" not in str(result)
    assert "would be judged" not in str(result), (name, arguments)


def test_many_ways_to_ask_for_an_answer_are_refused(talk: Talk, home: Path, watch: Watch) -> None:
    (home / "secret.txt").write_text(CANARY)
    (home.parent / "secret.txt").write_text(CANARY)
    attempts = list(calls())
    assert len(attempts) > 150

    async def body(session: Any) -> None:
        with watch() as seen:
            for name, arguments in attempts:
                await attempt(session, name, arguments)
            for uri in URIS:
                with pytest.raises(MCPError):
                    await session.client.read_resource(uri)
                with pytest.raises(MCPError):
                    await session.client.get_prompt(uri)
        for text in (CANARY, "root:x:0", *kept_secret(), *solved_lines("first_kernels")):
            assert text not in session.text
        assert not [each for each in seen if "solutions" in each or "secret.txt" in each]
        assert not [each for each in seen if each.startswith("subprocess")]
        assert not hints.path().exists()
        assert not store.path().exists()

    talk(body)


def test_what_is_allowed_holds_no_answer_either(talk: Talk, watch: Watch) -> None:
    """Everything that can be read of all modules and all questions without a turn."""

    async def body(session: Any) -> None:
        with watch() as seen:
            await session.call("list_modules")
            for module in curriculum.modules():
                listed = await session.call("list_tasks", module=module.id)
                for task in listed["tasks"]:
                    await session.call("task_state", task=task["key"])
            for entry in catalog.catalog():
                await session.call("ask_question", question=entry.key)
                await session.refused("answer_question", question=entry.key, answer="Show it.")
                await session.refused("mark_question", question=entry.key, mark=4)
            assert not [text for text in kept_secret() if text in session.text]
            for module in curriculum.modules():
                sections = (await session.call("read_lesson", module=module.id))["sections"]
                for section in sections:
                    await session.call("read_lesson", module=module.id, section=section["number"])
        assert not [each for each in seen if "solutions" in each]

    talk(body)


@pytest.mark.parametrize("answer", ANSWERS)
def test_what_is_no_answer_shows_none(talk: Talk, answer: str) -> None:
    async def body(session: Any) -> None:
        await session.call("ask_question", question=QUESTION)
        await session.refused("answer_question", question=QUESTION, answer=answer)
        assert not [text for text in kept_secret() if text in session.text]

    talk(body)


def test_no_answer_is_read_without_a_mark(talk: Talk) -> None:
    """Giving up on all questions shows their answers, and marks each of them 0."""
    entries = catalog.of_module("first_kernels")

    async def body(session: Any) -> None:
        for entry in entries:
            await session.call("ask_question", question=entry.key)
            await session.call("answer_question", question=entry.key, gives_up=True)
        assert [each.mark for each in store.read().state.reviews] == [0] * len(entries)

    talk(body)


def test_an_earnest_check_names_only_the_task_and_the_learners_folder(
    talk: Talk, home: Path
) -> None:
    async def body(session: Any) -> None:
        said = await session.refused("check", task=TASK)
        assert said.endswith(f"would be judged: {(TASK, home)}")

    talk(body)


def test_a_hundred_requests_for_hints_give_one(talk: Talk) -> None:
    own = curriculum.load_module("first_kernels").task("axpy").hints

    async def body(session: Any) -> None:
        await session.call("next_hint", task=TASK)
        for _ in range(99):
            await session.refused("next_hint", task=TASK)
        assert " ".join(own[0].split()) in session.text
        assert not [text for text in own[1:] if " ".join(text.split()) in session.text]

    talk(body)


def test_the_watch_sees_what_is_opened(watch: Watch) -> None:
    """Otherwise the tests above would show nothing."""
    with watch() as seen:
        next((paths.solutions() / "first_kernels").glob("*.py")).read_text()
    assert any("solutions/first_kernels" in each for each in seen)
    assert solved_lines("first_kernels")
