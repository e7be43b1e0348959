"""`hotloop mcp` as an assistant starts it."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core import extras
from hotloop.learn.pack import MANIFEST
from hotloop.learn.practice import hints

pytestmark = pytest.mark.slow


def settings(folder: Path) -> StdioServerParameters:
    """What the command prints for an assistant's settings, as the client reads it."""
    done = CliRunner().invoke(app, ["mcp", str(folder), "--json"])
    assert done.exit_code == 0, done.output
    return StdioServerParameters(**json.loads(done.stdout)["mcpServers"]["hotloop"])


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_printed_settings_start_a_server(home: Path, mode: str) -> None:
    async def talk() -> None:
        async with Client(settings(home), mode=mode) as client:
            assert len((await client.list_tools()).tools) == 11
            listed = await client.call_tool("list_tasks", {"module": "first_kernels"})
            assert listed.structured_content is not None
            assert listed.structured_content["tasks"]
            refused = await client.call_tool("list_tasks", {"module": "../solutions"})
            assert refused.is_error
            await client.call_tool("next_hint", {"task": "first_kernels.axpy"})
        assert hints.count("first_kernels.axpy") == 1, "in the folder of this learner's records"

    asyncio.run(talk())


def test_it_ends_with_its_input_and_says_nothing_that_is_no_message(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hotloop.cli", "mcp", str(home)],
        input='{"jsonrpc":"2.0","id":1,"method":"ping"}\nnonsense\n',
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in done.stdout.splitlines())


def test_what_cannot_be_served_is_said(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / MANIFEST).write_text("{}")
    for folder, sentence in ((home, "take-home"), (home / "none", "no folder")):
        done = CliRunner().invoke(app, ["mcp", str(folder), "--json"])
        assert done.exit_code == 2
        assert sentence in json.loads(done.stdout)["error"]
    monkeypatch.setattr(extras, "missing", lambda extra: ("mcp",))
    done = CliRunner().invoke(app, ["mcp", str(home), "--json"])
    assert "hotloop[mcp]" in json.loads(done.stdout)["error"]
