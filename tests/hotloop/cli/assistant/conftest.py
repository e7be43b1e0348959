"""A client of `hotloop mcp` in this process, for a learner who has begun one module."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import mcp
import pytest

from hotloop.cli.start import copy_exercise
from hotloop.core import paths
from hotloop.learn.practice import verdicts

MODULE = "first_kernels"


def strings(value: Any) -> Iterator[str]:
    """Yield each string in the value, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from strings(list(value.values()))
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)


class Session:
    """One connection. text: everything that the server has said in it, in single spaces."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.text = ""

    def note(self, said: Any) -> None:
        """Add what was said."""
        self.text += " ".join(" ".join(strings(said)).split()) + "\n"

    async def ask(self, tool: str, **arguments: Any) -> Any:
        """Call a tool; return the result as it is."""
        result = await self.client.call_tool(tool, arguments)
        self.note(result.content[0].text if result.is_error else result.structured_content)
        return result

    async def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool that succeeds; return what it returned."""
        result = await self.ask(tool, **arguments)
        assert not result.is_error, result.content
        return result.structured_content

    async def refused(self, tool: str, **arguments: Any) -> str:
        """Call a tool that refuses; return its sentence."""
        result = await self.ask(tool, **arguments)
        assert result.is_error, result.structured_content
        return result.content[0].text


Talk = Callable[[Callable[[Session], Awaitable[None]]], None]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The learner's folder, with a module that was started; the records are kept."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv(verdicts.OFF, raising=False)
    copy_exercise(paths.exercises() / MODULE, tmp_path / "work" / MODULE, force=False)
    return tmp_path / "work"


@pytest.fixture
def talk(home: Path) -> Talk:
    """Returns a function that connects, and calls what it is given with the session."""
    from hotloop.cli.assistant.server import server

    def talk(body: Callable[[Session], Awaitable[None]], **options: Any) -> None:
        async def connected() -> None:
            async with mcp.Client(server(home), **options) as client:
                await body(Session(client))

        asyncio.run(connected())

    return talk
