"""`hotloop trace`: show a profiler's trace on a page, in Perfetto, or in TensorBoard."""

from __future__ import annotations

import importlib.util
import statistics
import subprocess
import sys
import tempfile
import time
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult, cut, listing, log, require
from hotloop.cli.practice_page import Browser
from hotloop.core.user_error import UserError

if TYPE_CHECKING:
    from hotloop.engines.trace import Trace

MOST_OPS = 12
MOST_IN_A_PAGE = 64 << 20
"""Most bytes of a compressed trace that is embedded in the page for Perfetto."""

PLUGIN = "torch_tb_profiler"
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<body style="font-family: system-ui, sans-serif; max-width: 72rem; margin: 1rem auto">
<h1>{title}</h1>
{parts}
</body>
</html>
"""


def run(
    file: Annotated[Path, typer.Argument(help="What torch.profiler exported: .json or .json.gz.")],
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Open it in TensorBoard's profiler plugin.")
    ] = False,
    browser: Browser = True,
) -> CommandResult:
    """Look at a profiler's trace: on a page with a button for Perfetto, or in TensorBoard.

    The page lies beside the trace. It shows the timeline of a step and the operators with most time
    of their own; its button opens the whole trace in Perfetto, whose page reads it in your browser.
    """
    require("local")
    if tensorboard:
        _require_plugin()
    from hotloop.engines import trace as traces  # with numpy, which not everybody has

    try:
        profile = traces.read(file)
    except traces.TraceError as error:
        raise UserError(str(error)) from None
    for warning in profile.warnings:
        log(f"Careful: {warning}")
    page = file.with_name(f"{file.name}.html")
    page.write_text(_page(profile), encoding="utf-8")
    rows = profile.ops()[:MOST_OPS]
    lengths = [step.duration_us for step in profile.steps]
    step_ms = statistics.median(lengths) / 1000 if lengths else None
    document = {
        "page": str(page),
        "warnings": list(profile.warnings),
        "steps": len(profile.steps),
        "step_ms": step_ms,
        "ops": [{"name": row.name, "calls": row.calls, "self_us": row.self_us} for row in rows],
    }
    table = listing("self ms", "calls", "operator")
    for row in rows:
        table.add_row(f"{row.self_us / 1000:.2f}", str(row.calls), cut(row.name))
    if tensorboard:
        return CommandResult(document, table, then=lambda _as_json: _in_tensorboard(file))
    if browser and not webbrowser.open(page.resolve().as_uri()):
        log("There is no browser here: open the page yourself.")
    return CommandResult(document, table, Text(str(page), no_wrap=True, overflow="ignore"))


def _page(profile: Trace) -> str:
    from hotloop.engines import trace as traces

    step = profile.steps[len(profile.steps) // 2] if profile.steps else None
    views = (
        traces.perfetto(profile.path, most_embedded=MOST_IN_A_PAGE),
        traces.timeline(profile, step),
        traces.top_ops(profile, 30),
    )
    parts = "\n".join(view._repr_html_() for view in views)  # pyright: ignore[reportPrivateUsage]
    return _PAGE.format(title="Trace", parts=parts)


def _require_plugin() -> None:
    for package, name in (("tensorboard", "tensorboard"), (PLUGIN, "torch-tb-profiler")):
        if importlib.util.find_spec(package) is None:
            raise UserError(f"{name} is not installed: {sys.executable} -m pip install {name}")


def _in_tensorboard(file: Path) -> int:
    """Run TensorBoard until Ctrl-C, on a temporary folder in the plugin's layout."""
    with tempfile.TemporaryDirectory(prefix="hotloop-tensorboard-") as folder:
        suffix = ".pt.trace.json.gz" if file.suffix == ".gz" else ".pt.trace.json"
        place = Path(folder) / "trace" / f"trace.{time.time_ns() // 1_000_000}{suffix}"
        place.parent.mkdir()
        place.write_bytes(file.read_bytes())
        log("TensorBoard prints its address; choose the tab “PyTorch Profiler”. Ctrl-C ends it.")
        with suppress(KeyboardInterrupt):
            command = [sys.executable, "-m", "tensorboard.main", "--logdir", folder]
            return subprocess.call([*command, "--load_fast=false"])
    return 0
