"""What a page asks of the simulator: a program's runs, or one launch; plain data in and out.

    {"source": "…", "arguments": ["name"], "orders": ["forward"]}   a program with a `main`

The page's worker calls `answer` with the text of each request, and shows what it returns.
"""

import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hotloop.engines.simulate import build
from hotloop.engines.simulate.check import check
from hotloop.engines.simulate.orders import ORDERS
from hotloop.engines.simulate.problem import CompileError, SimulatorError

FILE = "kernel.cu"


def start(folder: str) -> None:
    """Use the checker that comes with the page, in `trusted/` of this folder of its files."""
    target = Path(folder) / "prebuilt" / build.checker_name()
    target.parent.mkdir(exist_ok=True)
    (Path(folder) / "trusted").rename(target)


def answer(request: str) -> str:
    """Run what is asked for, in JSON. A program that cannot be built gives `{"problem": …}`."""
    return json.dumps(_run(json.loads(request)))


def _run(request: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / FILE
        for name, text in {**request.get("files", {}), FILE: request["source"]}.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        try:
            checked = check(
                [source],
                request.get("arguments", ()),
                include=[Path(folder)],
                orders=request.get("orders", ORDERS),
            )
        except (CompileError, SimulatorError) as problem:
            return {"problem": str(problem).replace(f"{folder}/", "")}
        first = checked.runs[0]
        return {
            "clean": checked.clean,
            "status": first.status,
            "output": first.output,
            "errors": first.errors,
            "report": _plain(asdict(checked.report)),
        }


def _plain(data: Any) -> Any:
    """Return data in which lines have the file's name in place of its path."""
    if isinstance(data, dict):
        return {
            key: Path(value).name if key == "file" else _plain(value) for key, value in data.items()
        }
    if isinstance(data, list | tuple):
        return [_plain(value) for value in data]
    return data
