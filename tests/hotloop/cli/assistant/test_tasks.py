"""The tools about modules and tasks, called by the protocol's own client."""

import json
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.cli.assistant.tasks import require_no_pack
from hotloop.cli.start import copy_exercise
from hotloop.core import paths
from hotloop.core.moment import written
from hotloop.core.user_error import UserError
from hotloop.learn.pack import MANIFEST
from hotloop.learn.practice import verdicts
from hotloop.tasks import curriculum, lesson_files, render
from hotloop.tasks.local_judging import lay_out

pytestmark = pytest.mark.slow

Talk = Callable[[Callable[[Any], Awaitable[None]]], None]
TOOLS = {
    "list_modules", "list_tasks", "read_lesson", "task_state", "check", "explain_verdict",
    "next_hint", "ask_question", "question_hint", "answer_question", "mark_question",
}  # fmt: skip
KEY = "first_kernels.axpy"
WRONG = "ssa_passes", "fold_traps_give_zero", "fold"


def checked(key: str) -> None:
    """Write the line of a check that failed, in a later millisecond than anything before."""
    time.sleep(0.002)
    line = {
        "at": written(datetime.now(UTC)), "task": key, "verdict": "wrong_answer", "points": 0,
        "pending": 0, "possible": 13, "by": "notebook",
    }  # fmt: skip
    verdicts.append(verdicts.path(), json.dumps(line))


def test_each_tool_is_documented_typed_and_takes_no_other_argument(talk: Talk) -> None:
    async def body(session: Any) -> None:
        tools = (await session.client.list_tools()).tools
        assert {tool.name for tool in tools} == TOOLS
        for tool in tools:
            assert tool.description
            assert tool.input_schema["additionalProperties"] is False
            assert tool.output_schema["properties"]
            for name, parameter in tool.input_schema["properties"].items():
                assert parameter["description"], f"{tool.name}: {name}"
        assert session.client.instructions
        assert (await session.client.list_resources()).resources == []
        assert (await session.client.list_prompts()).prompts == []

    talk(body)


def test_modules_and_tasks_are_listed_with_the_learners_state(talk: Talk) -> None:
    async def body(session: Any) -> None:
        listed = await session.call("list_modules")
        assert [m["id"] for m in listed["modules"]] == [m.id for m in curriculum.modules()]
        assert {m["level"] for m in listed["modules"]} == {"not begun"}
        assert listed["next"][0]["command"].startswith("hotloop placement ")
        checked(KEY)
        [begun] = [
            m for m in (await session.call("list_modules"))["modules"] if m["level"] == "begun"
        ]
        assert begun["id"] == "first_kernels"
        [first, *others] = (await session.call("list_tasks", module="first_kernels"))["tasks"]
        assert (first["key"], first["state"]) == (KEY, "wrong answer")
        assert {each["state"] for each in others} == {"not checked"}
        few = await session.call("list_modules", track="dl_compilers")
        assert {m["track"] for m in few["modules"]} == {"dl_compilers"}
        assert "did you mean" in await session.refused("list_modules", track="dl_compiler")

    talk(body)


def test_a_lesson_is_read_by_section_and_whole_by_all_of_them(talk: Talk) -> None:
    async def body(session: Any) -> None:
        for module in curriculum.modules():
            sections = (await session.call("read_lesson", module=module.id))["sections"]
            read = [
                await session.call("read_lesson", module=module.id, section=each["number"])
                for each in sections
            ]
            whole = lesson_files.beside_notebook(module.id)[lesson_files.LESSON].decode()
            assert " ".join(each["text"] for each in read).split() == whole.split()
        assert "sections 0 to" in await session.refused(
            "read_lesson", module="first_kernels", section=999
        )

    talk(body)


def test_the_state_of_a_task_holds_what_it_asks_and_no_hint(talk: Talk, home: Path) -> None:
    async def body(session: Any) -> None:
        state = await session.call("task_state", task=KEY)
        assert state["folder"] == str(home / "first_kernels")
        assert state["started"]
        assert state["files"] == ["kernels_triton.py"]
        assert state["checks"][0]["asked"]
        assert (state["hints"], state["hints_of"]) == ([], 3)
        assert not (await session.call("task_state", task="ssa_passes.fold"))["started"]

    talk(body)


def test_hints_come_in_order_and_each_later_one_after_a_check(talk: Talk) -> None:
    own = curriculum.load_module("first_kernels").task("axpy").hints

    async def body(session: Any) -> None:
        assert (await session.call("next_hint", task=KEY))["text"] == own[0]
        assert "was not checked since hint 1" in await session.refused("next_hint", task=KEY)
        checked("first_kernels.gelu")
        assert "Hint 2" in await session.refused("next_hint", task=KEY)
        checked(KEY)
        assert (await session.call("next_hint", task=KEY))["number"] == 2
        assert " ".join(own[2].split()) not in session.text
        checked(KEY)
        assert (await session.call("next_hint", task=KEY))["text"] == own[2]
        checked(KEY)
        assert "All 3 hints" in await session.refused("next_hint", task=KEY)
        assert (await session.call("task_state", task=KEY))["hints"] == own

    talk(body)


def test_the_hints_of_an_earlier_session_count(talk: Talk) -> None:
    async def first(session: Any) -> None:
        await session.call("next_hint", task=KEY)

    async def second(session: Any) -> None:
        assert "Hint 2" in await session.refused("next_hint", task=KEY)

    talk(first)
    talk(second)


def test_an_earlier_verdict_is_explained_by_its_word_alone(talk: Talk) -> None:
    async def body(session: Any) -> None:
        assert "not checked yet" in await session.refused("explain_verdict", task=KEY)
        checked(KEY)
        told = await session.call("explain_verdict", task=KEY)
        assert told["verdict"] == "wrong answer"
        assert "differs from the reference" in told["meaning"]
        assert "Check it again" in told["next"][0]

    talk(body)


@pytest.mark.sandbox
@pytest.mark.timeout(200)
def test_a_check_judges_what_is_saved_as_the_command_does(talk: Talk, home: Path) -> None:
    module, name, task = WRONG
    key = f"{module}.{task}"
    (wrong,) = [each for each in render.wrong_answers(module) if each.name == name]
    copy_exercise(paths.exercises() / module, home / module, force=False)

    async def body(session: Any) -> None:
        assert (await session.call("check", task=key))["verdict"] == "not started"
        untouched = await session.call("explain_verdict", task=key)
        assert untouched["not_passed"] == []
        assert f"### TASK {key}" in untouched["next"][0]
        lay_out(render.submission(module, wrong.path), home / module)
        judged = await session.call("check", task=key)
        told = await session.call("explain_verdict", task=key)
        failed = next(each for each in told["not_passed"] if each["meaning"])
        assert (judged["verdict"], told["verdict"]) == ("partial", "partial")
        assert failed["asked"]
        assert failed["sentence"]
        assert failed["check"] in told["next"][0]
        done = CliRunner().invoke(app, ["check", key, str(home), "--json"])
        [row] = json.loads(done.stdout)["tasks"]
        assert row["verdict"] == "partial"
        assert row["points"] == judged["points"]
        assert [line.task for line in verdicts.read().lines] == [key] * 3

    talk(body)


def test_a_take_home_exercise_is_not_served(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text("{}")
    with pytest.raises(UserError, match="take-home"):
        require_no_pack(tmp_path)
