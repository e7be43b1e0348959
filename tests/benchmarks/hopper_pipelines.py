"""Does the simulator tell broken pipelines of Hopper's instructions from right ones?

    python tests/benchmarks/hopper_pipelines.py
    python tests/benchmarks/hopper_pipelines.py --part right

The parts, all of them if none is named:

- right: each program of tests/hotloop/engines/simulate/hopper in 20 orders of threads and copies;
  it must pass in each, without a finding.
- broken: each of its faults, in three orders; a finding must have the fault's kind and line.
- sass: what nvcc makes of it for sm_90a, where nvcc is installed.
- arguments: asynchronous operations with drawn arguments; refused with a line, or recorded.
- modules: mutated WebAssembly of a kernel with these operations; the verifier must see that all
  accesses of what the pass accepts are reported.

How long the check of a product takes, and what other kernels take beside an earlier commit, is in
simulator_speed.py (--products, --against). A row is written as it ends, and kept while neither
program nor simulator changes, so that a run can be stopped and goes on later.
Prints a summary, and writes tests/benchmarks/results/hopper_pipelines.json.
"""

import argparse
import hashlib
import importlib
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hotloop.core import paths
from hotloop.engines.nvcc import toolchain
from hotloop.engines.simulate import binary, build, engine, host, instrument, verify
from hotloop.engines.simulate.binary import ForbiddenInstruction
from hotloop.engines.simulate.check import check
from hotloop.engines.simulate.engine.interface import InvalidModule
from hotloop.engines.simulate.instrument import ArgumentSlot, InstrumentedKernel
from hotloop.engines.simulate.orders import ORDERS
from hotloop.engines.simulate.problem import ToolMissing
from hotloop.judge.device import device_name

HERE = Path(__file__).parent
TESTS = HERE.parent / "hotloop" / "engines" / "simulate"
INCLUDE = Path(paths.__file__).parents[1] / "worker" / "include"
TWENTY = ["forward", "reverse", *(f"random:{seed}" for seed in range(18))]
DRAWS, MODULES = 1500, 10_000
INSTRUCTIONS = re.compile(
    r"\b(?:UBLKCP|UTMALDG|UTMASTG|HGMMA|QGMMA|SYNCS|USETMAXREG|WARPGROUP|ELECT)(?=[\s.])"
)
Row = dict[str, Any]
Keep = Callable[[Row], None]


def main() -> None:
    """Run the parts, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=(*OF_PROGRAMS, *OTHERS), action="append")
    parser.add_argument("--program", help="of one program only")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "hopper_pipelines.json")
    options = parser.parse_args()
    result = Result(options.out)
    for part in options.part or (*OF_PROGRAMS, *OTHERS):
        if part in OTHERS:
            OTHERS[part](result.keep)
            continue
        for path in tests().PROGRAMS:
            if options.program in (None, path.stem):
                result.keep_of_program(path, part)
    print(json.dumps({key: result.read().get(key) for key in ("totals", *OTHERS)}, indent=1))


class Result:
    """The result file. It is read anew for each change: another part may have written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.simulator = state()

    def read(self) -> Row:
        """Return what it holds."""
        empty: Row = {"rows": [], "digests": []}
        return json.loads(self.path.read_text()) if self.path.exists() else empty

    def keep(self, change: Row) -> None:
        """Replace some of it."""
        document = self.read() | change
        document |= {"device": device_name(), "date": time.strftime("%Y-%m-%d")}
        document["totals"] = totals(document["rows"])
        self.path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")

    def keep_of_program(self, path: Path, part: str) -> None:
        """Run a part for a program, unless its row has that of these texts."""
        key, run = OF_PROGRAMS[part]
        digest = f"{path.stem} {self.simulator}{_digest(path)}"
        if key in self._row(path.stem, digest):
            return
        found = run(path)
        row = self._row(path.stem, digest) | found
        has = self.read()
        others = [row for row in has["rows"] if row["program"] != path.stem]
        digests = [each for each in has["digests"] if each.split()[0] != path.stem]
        rows = sorted([row, *others], key=lambda row: row["program"])
        self.keep({"rows": rows, "digests": sorted([digest, *digests])})

    def _row(self, program: str, digest: str) -> Row:
        has = self.read()
        if digest not in has["digests"]:
            return {"program": program}
        return next(row for row in has["rows"] if row["program"] == program)


# --- pipelines ------------------------------------------------------------------------------------


def tests() -> Any:
    """Return the module of the tests, which knows the programs and their marks."""
    sys.path.insert(0, str(TESTS))
    return importlib.import_module("test_hopper")


def state() -> str:
    """Return a digest of what the answers depend on beside the program."""
    package = Path(build.__file__).parent
    files = [*package.rglob("*.[ch]"), *package.glob("*.py"), INCLUDE / "hotloop" / "hopper.cuh"]
    common = TESTS / "hopper" / "common.h"
    return _digest(*sorted(files), common)


def _digest(*files: Path) -> str:
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def right(path: Path) -> Row:
    """Run a program as it is, in 20 orders."""
    checked = check([path], orders=TWENTY)
    return {
        "orders": len(checked.runs),
        "passed": sum(run.output == "PASS\n" for run in checked.runs),
        "findings": len(checked.report.findings),
    }


def broken(path: Path) -> Row:
    """Run a program with each of its faults."""
    wanted: dict[int, set[tuple[str, int]]] = tests().marks(path)
    missed: list[int] = []
    for fault, places in wanted.items():
        checked = check([path], orders=ORDERS[:3], defines=[f"FAULT={fault}"])
        named = {
            (finding.kind, witness.line.line)
            for finding in checked.report.findings
            for witness in finding.witnesses
            if witness.line is not None
        }
        if not named & places:
            missed.append(fault)
    return {
        "faults": len(wanted),
        "missed": ", ".join(map(str, missed)),
        "told": len(wanted) - len(missed),
    }


def sass(path: Path) -> Row:
    """Compile a program for sm_90a, and count its instructions."""
    try:
        tools = toolchain.find()
    except ToolMissing:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "code.cubin"
        options = ["-arch=sm_90a", "-std=c++17", "-cubin", "-I", str(INCLUDE)]
        command = [str(tools.nvcc), *options, "-o", str(cubin), str(path)]
        subprocess.run(command, check=True, capture_output=True)
        listing = subprocess.run(
            [str(tools.nvdisasm), str(cubin)], check=True, capture_output=True, text=True
        ).stdout
    counts = sorted(Counter(INSTRUCTIONS.findall(listing)).items())
    return {"instructions": ", ".join(f"{name} {count}" for name, count in counts)}


def totals(rows: list[Row]) -> Row:
    """Return the sums over all programs."""
    done = [row for row in rows if "orders" in row]
    faulty = [row for row in rows if "faults" in row]
    return {
        "programs": len(done),
        "right_runs": sum(row["orders"] for row in done),
        "refused": sum(row["findings"] > 0 or row["passed"] < row["orders"] for row in done),
        "broken": sum(row["faults"] for row in faulty),
        "told": sum(row["told"] for row in faulty),
    }


# --- drawn arguments and modules ------------------------------------------------------------------


def arguments(keep: Keep) -> None:
    """Call asynchronous operations with drawn arguments."""
    program = TESTS / "async_arguments.cu"
    built = build.program([program], checked=True)
    kinds: Counter[str] = Counter()
    nameless = changed = 0
    for seed in range(DRAWS):
        done = host.run(built, [str(seed)], timeout_s=30)
        changed += "CHANGED" in done.output
        kinds.update(finding.kind for finding in done.report.findings)
        nameless += sum(not f.lines or f.kind == "crash" for f in done.report.findings)
        if seed % 300 == 299:
            row = {"programs": seed + 1, "changed": changed, "without_a_line": nameless}
            keep({"arguments": {**row, "findings": dict(kinds.most_common())}})


def modules(keep: Keep) -> None:
    """Mutate the module of a kernel with asynchronous operations."""
    sys.path.insert(0, str(TESTS))
    cases = importlib.import_module("test_instrument")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "k.cu"
        source.write_text(cases.ASYNCHRONOUS, encoding="utf-8")
        built = build.kernels([source], checked=True)
        wasm = (built.folder / "device.wasm").read_bytes()
    names = binary.function_names(wasm)
    number = next(index for index, name in names.items() if name == built.kernels[0].symbol)
    slots = tuple(ArgumentSlot(offset, 4) for offset in (0, 4, 8))
    kernels = [InstrumentedKernel("k", number, slots)]
    chance = random.Random(20261124)
    came: Counter[str] = Counter()
    for count in range(1, MODULES + 1):
        came[outcome(cases.mutated(wasm, chance), kernels)] += 1
        if count % 1000 == 0:
            row = {
                "mutated": count,
                "refused": came["refused"],
                "verified": count - came["refused"],
            }
            keep({"modules": {**row, "valid": came["valid"]}})


def outcome(wasm: bytes, kernels: list[InstrumentedKernel]) -> str:
    """Return what becomes of a module. The verifier raises if an access of it is not reported."""
    try:
        made = instrument.instrument(wasm, kernels, checked=True)
    except ForbiddenInstruction:
        return "refused"
    verify.verify(made.wasm, 1)
    try:
        engine.validate(made.wasm)
    except InvalidModule:
        return "invalid"
    return "valid"


OF_PROGRAMS: dict[str, tuple[str, Callable[[Path], Row]]] = {
    "right": ("orders", right),
    "broken": ("faults", broken),
    "sass": ("instructions", sass),
}
"""What a row has of each part, and who finds it out."""

OTHERS: dict[str, Callable[[Keep], None]] = {"arguments": arguments, "modules": modules}


if __name__ == "__main__":
    main()
