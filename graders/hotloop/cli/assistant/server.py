"""The server: which tools there are, and how their errors are told."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations
from pydantic import ConfigDict

from hotloop import __version__
from hotloop.cli.assistant.practice import PracticeTools
from hotloop.cli.assistant.tasks import TaskTools
from hotloop.core.user_error import UserError
from hotloop.core.yaml_lines import CurriculumError

INSTRUCTIONS = """\
Hotloop trains engineers who make ML models fast. You help a learner who works on its tasks.

The learner writes the answers. Read the lesson and the learner's own files, ask what they have
tried, and explain; do not write a task's answer for them. `check` judges what they have saved.
Give a hint (`next_hint`) only when they ask for one. Put practice questions to them in full, wait
for their own answer, pass it on unchanged, then agree on a mark by the rubric.

There are no solutions here: none is installed on the learner's machine.
"""

_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_RECORDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)


def server(folder: Path) -> MCPServer[Any]:
    """Return the server. folder: with the learner's modules, or that of one module.

    Raises UserError if the folder is a take-home exercise.
    """
    tasks, practice = TaskTools(folder), PracticeTools()
    tools = [
        *(_tool(each, _READS) for each in (tasks.list_modules, tasks.list_tasks)),
        *(_tool(each, _READS) for each in (tasks.read_lesson, tasks.task_state)),
        _tool(tasks.check, _RECORDS),
        _tool(tasks.explain_verdict, _READS),
        _tool(tasks.next_hint, _RECORDS),
        *(_tool(each, _RECORDS) for each in (practice.ask_question, practice.question_hint)),
        *(_tool(each, _RECORDS) for each in (practice.answer_question, practice.mark_question)),
    ]
    return MCPServer(
        "hotloop",
        title="Hotloop",
        version=__version__,
        instructions=INSTRUCTIONS,
        tools=tools,
        log_level="WARNING",
    )


def _tool(function: Callable[..., Any], annotations: ToolAnnotations) -> Tool:
    """Return the function as a tool that refuses arguments which it does not have.

    An assistant that passes code to `check` must not take the verdict for that code's.
    """
    tool = Tool.from_function(_told(function), annotations=annotations)

    class Exact(tool.fn_metadata.arg_model):
        model_config = ConfigDict(extra="forbid", title=tool.name)

    tool.fn_metadata.arg_model = Exact
    tool.parameters = Exact.model_json_schema(by_alias=True)
    return tool


def _told(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with its errors as the protocol's, if the caller can correct them."""

    @functools.wraps(function)
    def call(*positional: Any, **named: Any) -> Any:
        try:
            return function(*positional, **named)
        except (UserError, CurriculumError) as error:
            raise ToolError(str(error)) from None
        except OSError as error:
            if error.filename is None:
                raise
            raise ToolError(f"{error.filename}: {error.strerror}.") from None

    return call
