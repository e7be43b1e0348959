"""What a page asks of the simulator: a program's runs, or one kernel's; plain data in and out.

    {"source": "…", "files": {"name.h": "…"}, "arguments": ["name"]}      a program with a `main`
    {"source": "…", "kernel": "axpy", "grid": [4, 1, 1], "block": [256, 1, 1],
     "parameters": [{"name": "x", "type": "float", "count": 99, "values": "random"},
                    {"name": "y", "type": "float", "count": 99, "values": "zeros", "output": true},
                    {"name": "n", "value": 99}]}                          one launch of a kernel

"orders" of either are those of threads. The page's worker calls `answer` with the text of each
request, and shows what it returns.
"""

import json
import random
import shutil
import struct
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from hotloop.engines.simulate import build, toolchain
from hotloop.engines.simulate.check import check
from hotloop.engines.simulate.launch import Argument, Array, Launched, launch
from hotloop.engines.simulate.orders import ORDERS
from hotloop.engines.simulate.problem import CompileError, SimulatorError, ToolMissing
from hotloop.engines.simulate.report import merge

FILE = "kernel.cu"
TYPES = {
    "float": "f", "double": "d", "__half": "e", "half": "e", "__nv_bfloat16": "bf16",
    "int": "i", "unsigned": "I", "unsigned int": "I", "char": "b", "signed char": "b",
    "unsigned char": "B", "short": "h", "unsigned short": "H", "long long": "q",
    "unsigned long long": "Q",
}  # fmt: skip
"""Types of an array's elements, with their format for `struct`."""
MOST_ELEMENTS = 1 << 22

OnStep = Callable[[str], None]
MOST_SHOWN = 1024
"""Most elements of an array that an answer shows."""


def start(folder: str) -> None:
    """Use the checker that comes with the page, in `trusted/` of this folder of its files."""
    target = Path(folder) / "prebuilt" / build.checker_name()
    target.parent.mkdir(exist_ok=True)
    (Path(folder) / "trusted").rename(target)


def answer(request: str, folder: str, on_step: OnStep = lambda _text: None) -> str:
    """Run what is asked for, in JSON, in an empty folder; of problems give `{"problem": …}`.

    folder: its path is part of what a build depends on, so a page always names the same.
    on_step: is told what begins. Gives `{"needs_compiler": true}` if there is none yet.
    """
    shutil.rmtree(folder, ignore_errors=True)
    Path(folder).mkdir(parents=True)
    try:
        document = _run(json.loads(request), Path(folder), on_step)
    except ToolMissing:
        document = {"needs_compiler": True}
    except (CompileError, SimulatorError) as problem:
        document = {"problem": str(problem)}
    # Files are named as the reader knows them.
    return json.dumps(document).replace(f"{folder}/", "")


def _run(request: dict[str, Any], folder: Path, on_step: OnStep) -> dict[str, Any]:
    for name, text in {**request.get("files", {}), FILE: request["source"]}.items():
        (folder / Path(name).name).write_text(text, encoding="utf-8")
    orders = request.get("orders", ORDERS)
    if "kernel" in request:
        return _launch(request, folder / FILE, orders, on_step)
    arguments = request.get("arguments", ())
    checked = check(
        [folder / FILE], arguments, include=[folder], orders=orders, on_progress=on_step
    )
    first = checked.runs[0]
    return {
        "clean": checked.clean,
        "status": first.status,
        "output": first.output,
        "errors": first.errors,
        "report": _plain(asdict(checked.report)),
        "steps": _plain([asdict(step) for step in first.steps]),
    }


def _launch(
    request: dict[str, Any], source: Path, orders: Sequence[str], on_step: OnStep
) -> dict[str, Any]:
    on_step(toolchain.step())
    built = build.kernels([source], checked=True, include=[source.parent])
    (gx, gy, gz), (bx, by, bz) = request["grid"], request["block"]
    grid, block = (int(gx), int(gy), int(gz)), (int(bx), int(by), int(bz))
    runs: list[Launched] = []
    arrays: list[dict[str, Any]] = []
    for order in orders:
        on_step(f"running, threads in order: {order}")
        arguments = [_argument(parameter) for parameter in request["parameters"]]
        runs.append(
            launch(
                built, request["kernel"], grid, block, arguments, order=order, with_steps=not runs
            )
        )
        if len(runs) == 1:
            arrays = [
                _array(argument, parameter["type"])
                for argument, parameter in zip(arguments, request["parameters"], strict=True)
                if isinstance(argument, Array)
            ]
        if runs[-1].report.ended != "exited":
            break
    report = merge(run.report for run in runs)
    return {
        "clean": not report.findings and not any(run.error for run in runs),
        "error": runs[0].error,
        "output": runs[0].printed,
        "arrays": arrays,
        "report": _plain(asdict(report)),
        "steps": _plain([asdict(step) for step in runs[0].steps]),
    }


def _argument(parameter: dict[str, Any]) -> Argument:
    if "value" in parameter:
        value = parameter["value"]
        # JSON of a page writes 2.0 as 2.
        return float(value) if parameter.get("type") in {"float", "double"} else value
    name, count = parameter["name"], int(parameter.get("count", 0))
    values: list[float] | str = parameter["values"]
    letter = TYPES.get(parameter["type"])
    if letter is None:
        raise SimulatorError(f"array `{name}`: a page has no arrays of `{parameter['type']}`")
    if not isinstance(values, str):
        count = len(values)
    if not 0 < count <= MOST_ELEMENTS:
        raise SimulatorError(f"array `{name}`: 1 to {MOST_ELEMENTS:,} elements, and not {count:,}")
    is_integer = letter in "iIbBhHqQ"
    numbers = _filled(values, count, is_integer) if isinstance(values, str) else values
    try:
        data = _packed(numbers, letter)
    except (struct.error, OverflowError) as error:
        raise SimulatorError(f"array `{name}`: {error}") from None
    return Array(name, memoryview(bytearray(data)), bool(parameter.get("output")))


def _filled(way: str, count: int, is_integer: bool) -> Sequence[float]:
    if way == "random":
        source = random.Random(0)
        if is_integer:
            return [source.randrange(100) for _ in range(count)]
        return [source.uniform(-1, 1) for _ in range(count)]
    if way == "arange":
        return [number % 128 for number in range(count)] if is_integer else range(count)
    return [int(way == "ones")] * count


def _packed(values: Sequence[float], letter: str) -> bytes:
    if letter != "bf16":
        return struct.pack(f"<{len(values)}{letter}", *values)
    bits = struct.unpack(f"<{len(values)}I", struct.pack(f"<{len(values)}f", *values))
    rounded = [(b + 0x7FFF + (b >> 16 & 1)) >> 16 & 0xFFFF for b in bits]
    return struct.pack(f"<{len(values)}H", *rounded)


def _array(array: Array, element: str) -> dict[str, Any]:
    letter = TYPES[element]
    code = "H" if letter == "bf16" else letter
    count = len(array.data) // struct.calcsize(code)
    values = struct.unpack_from(f"<{min(count, MOST_SHOWN)}{code}", array.data)
    if letter == "bf16":
        values = [struct.unpack("<f", struct.pack("<I", bits << 16))[0] for bits in values]
    # JSON has no NaN and no infinity.
    shown = [value if abs(value) < float("inf") else str(value) for value in values]
    return {
        "name": array.name, "type": element, "count": count, "output": array.is_output,
        "values": shown,
    }  # fmt: skip


def _plain(data: Any) -> Any:
    """Return data in which lines have the file's name in place of its path."""
    if isinstance(data, dict):
        entries = cast("dict[str, Any]", data).items()
        return {key: Path(v).name if key == "file" else _plain(v) for key, v in entries}
    if isinstance(data, list | tuple):
        return [_plain(value) for value in cast("Sequence[Any]", data)]
    return data
