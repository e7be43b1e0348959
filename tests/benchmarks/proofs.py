"""How many Triton kernels are proved in bounds and free of races for every size, and in how long?

    python tests/benchmarks/proofs.py [MODULE…] [--keep]
    python tests/benchmarks/proofs.py --flaggems CLONE

Proves the references of the curriculum, each kernel of each task under what the shapes of its
hidden cases say (`hotloop.judge.kernel_contract`), and prints each claim with its seconds. Nothing
runs.
`--flaggems` reads the operators of a clone of FlagGems instead, as calls of contiguous tensors of
one shape. `--keep` writes tests/benchmarks/results/proofs.json.
"""

from __future__ import annotations

import argparse
import ast
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from hotloop.core import paths
from hotloop.engines.prover.prove import prove
from hotloop.engines.prover.report import COUNTEREXAMPLE, PROVED, TESTED, Claim
from hotloop.judge.calls import CallSpec
from hotloop.judge.checks.triton_kernel_correct import TritonKernelCorrect
from hotloop.judge.kernel_contract import NoContract, kinds_of_call
from hotloop.tasks import curriculum

RESULT = Path(__file__).parent / "results" / "proofs.json"
SEED = 1


@dataclass(frozen=True)
class TritonTask:
    """A task with its kernels' file, and the shapes of its hidden cases."""

    module: str
    task: str
    entry: str
    file: str

    @property
    def source(self) -> str:
        """The reference's text."""
        return (paths.solutions() / self.module / self.file).read_text(encoding="utf-8")

    def calls(self) -> list[CallSpec]:
        """Return the cases' shapes."""
        checks = import_module(f"hotloop.tasks.modules.{self.module}.tasks")
        correct = getattr(checks, self.task).checks["correct"]
        assert isinstance(correct, TritonKernelCorrect)
        rng = np.random.default_rng(SEED)
        return [case.spec for case in correct.calls.truth.cases(rng)]


def triton_tasks(modules: Sequence[str] = ()) -> Iterator[TritonTask]:
    """Yield the tasks that are judged by their recorded launches."""
    for module in modules or curriculum.names():
        checks = import_module(f"hotloop.tasks.modules.{module}.tasks")
        for task in curriculum.load_module(module).tasks:
            judged = getattr(checks, task.id, None)
            correct = getattr(judged, "checks", {}).get("correct")
            if isinstance(correct, TritonKernelCorrect):
                (file,) = (name for name in task.files if name.endswith(".py"))
                yield TritonTask(module, task.id, task.entry, file)


def claims_of(source: str, entry: str, calls: Sequence[CallSpec]) -> list[Claim]:
    """Return the claims, each the weakest of all kinds of call."""
    names = _parameters(source, entry)
    order = (PROVED, TESTED, COUNTEREXAMPLE)
    claims: dict[tuple[str, str], Claim] = {}
    for kind in kinds_of_call(calls, names):
        for claim in prove(source, entry, kind.contract).claims:
            key = (claim.kernel, claim.about)
            if key not in claims or order.index(claim.result) > order.index(claims[key].result):
                claims[key] = claim
    return list(claims.values())


def _parameters(source: str, entry: str) -> list[str]:
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.FunctionDef) and statement.name == entry:
            return [each.arg for each in statement.args.args]
    raise NoContract(f"there is no function `{entry}`")


def _rows(modules: Sequence[str]) -> Iterator[dict[str, Any]]:
    for one in triton_tasks(modules):
        calls = one.calls()
        started = time.monotonic()
        try:
            claims = claims_of(one.source, one.entry, calls)
        except NoContract as reason:
            claims = [Claim("", about, TESTED, str(reason)) for about in ("bounds", "races")]
        seconds = round(time.monotonic() - started, 2)
        for claim in claims:
            yield {
                "task": f"{one.module}.{one.task}",
                "kernel": claim.kernel,
                "about": claim.about,
                "result": claim.result,
                "reason": claim.reason,
                "line": claim.line,
                "task_seconds": seconds,
            }


def main() -> None:
    """Print the claims and how many kernels have both proofs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for row in _rows(options.modules):
        rows.append(row)
        reason = f" (line {row['line']}: {row['reason']})" if row["reason"] else ""
        what = f"{row['task']} {row['kernel']} {row['about']}: {row['result']}{reason}"
        print(f"{row['task_seconds']:6.2f} s  {what}", flush=True)
    kernels = {(row["task"], row["kernel"]) for row in rows}
    weak = {(row["task"], row["kernel"]) for row in rows if row["result"] != PROVED}
    share = (len(kernels) - len(weak)) / max(1, len(kernels))
    print(f"{len(kernels) - len(weak)} of {len(kernels)} kernels have both proofs ({share:.0%})")
    if options.keep:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        RESULT.write_text(json.dumps({"measured": now, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
