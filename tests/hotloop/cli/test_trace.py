"""`hotloop trace`: the views of a recorded trace, and the message if one cannot be opened."""

import json
import sys
import webbrowser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hotloop.cli import app, trace
from hotloop.core import paths

RECORDED = paths.exercises() / "profile_training_loop" / "recorded_healthy.pt.trace.json.gz"


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    copy = tmp_path / RECORDED.name
    copy.write_bytes(RECORDED.read_bytes())
    return copy


def test_the_page_has_the_timeline_and_the_button(
    recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    done = CliRunner().invoke(app, ["trace", str(recorded), "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    page = Path(told["page"])
    assert opened == [page.as_uri()]
    text = page.read_text(encoding="utf-8")
    assert "Open this trace in Perfetto" in text
    assert "<svg" in text
    assert told["steps"] > 0
    assert told["step_ms"] > 0
    assert told["ops"][0]["name"] in text


def test_a_file_that_is_no_trace_is_named(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text("{}")
    done = CliRunner().invoke(app, ["trace", str(other), "--no-browser"])
    assert done.exit_code == 2
    assert "other.json" in done.output


def test_tensorboard_gets_the_plugins_layout(
    recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def call(command: list[str]) -> int:
        folder = Path(command[command.index("--logdir") + 1])
        seen.extend(str(path.relative_to(folder)) for path in folder.rglob("*.gz"))
        return 0

    monkeypatch.setattr(trace, "_require_plugin", lambda: None)
    monkeypatch.setattr(trace.subprocess, "call", call)
    done = CliRunner().invoke(app, ["trace", str(recorded), "--tensorboard"])
    assert done.exit_code == 0, done.output
    [name] = seen
    assert name.startswith("trace/trace.")
    assert name.endswith(".pt.trace.json.gz")


def test_a_missing_plugin_is_named_with_its_command(
    recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace, "PLUGIN", "no_such_plugin")
    monkeypatch.setitem(sys.modules, "tensorboard", sys)
    done = CliRunner().invoke(app, ["trace", str(recorded), "--tensorboard"])
    assert done.exit_code == 2
    assert "pip install torch-tb-profiler" in " ".join(done.output.split())
