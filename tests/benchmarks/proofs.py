"""How many Triton kernels are proved in bounds and free of races for every size, and in how long?

    python tests/benchmarks/proofs.py [MODULE…] [--keep]
    python tests/benchmarks/proofs.py [MODULE…] --cuda [--keep]
    python tests/benchmarks/proofs.py --flaggems CLONE [--every 4] [--keep]

Proves the references of the curriculum, each kernel of each task under what the shapes of its
hidden cases say (`hotloop.judge.kernel_contract`), and prints each claim with its seconds. Nothing
runs: a counterexample is a candidate here, which the judge would run before it tells anybody.
`--cuda` does the same for kernels in CUDA C++: `shared` says whether two threads can meet in shared
memory. `--flaggems` reads the operators of a clone of FlagGems instead, as calls of contiguous
tensors of one shape, of every `--every`-th file. `--keep` writes
tests/benchmarks/results/proofs.json.
"""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from hotloop.core import paths
from hotloop.engines.prover.contract import Contract, PlainArgument, Symbol, TensorArgument
from hotloop.engines.prover.cuda import prove as cuda_prove
from hotloop.engines.prover.cuda.prove import prove_kernel
from hotloop.engines.prover.prove import prove
from hotloop.engines.prover.report import COUNTEREXAMPLE, PROVED, TESTED, Claim, Report
from hotloop.engines.simulate.listing import listing
from hotloop.judge.calls import CallSpec
from hotloop.judge.checks.correct import Correct, Truth
from hotloop.judge.checks.cuda_kernel_proof import names_of, of_kernel
from hotloop.judge.checks.in_simulator import InSimulator
from hotloop.judge.checks.triton_kernel_correct import TritonKernelCorrect
from hotloop.judge.cuda_kernel import CudaLaunch
from hotloop.judge.device import device_name
from hotloop.judge.kernel_contract import NoContract, kinds_of_call
from hotloop.tasks import curriculum

Row = dict[str, Any]
RESULT = Path(__file__).parent / "results" / "proofs.json"
SEED = 1
GEMS_S = 10.0
"""For all kernels of one operator."""


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
                assert task.entry is not None
                (file,) = (name for name in task.files if name.endswith(".py"))
                yield TritonTask(module, task.id, task.entry, file)


@dataclass(frozen=True)
class CudaTask:
    """A task with its kernel's file, its launch and the shapes of its hidden cases."""

    module: str
    task: str
    entry: str
    file: str
    launch: CudaLaunch
    truth: Truth

    @property
    def path(self) -> Path:
        """The reference."""
        return paths.solutions() / self.module / self.file

    def report(self, path: Path, calls: Sequence[CallSpec] = ()) -> Report:
        """Return the claims about the kernel in a file, each the weakest of all kinds of call."""
        listed = listing(path)
        calls = calls or self.calls()
        reports: list[Report] = []
        for kind in kinds_of_call(calls, names_of(self.launch, calls[0]), multiples=True):
            contract, launch = of_kernel(kind, self.launch)
            reports.append(
                prove_kernel(listed, self.entry, contract, cuda_prove.CudaLaunch(**launch))
            )
        return _weakest(reports)

    def calls(self) -> list[CallSpec]:
        """Return the cases' shapes."""
        return [case.spec for case in self.truth.cases(np.random.default_rng(SEED))]


def cuda_tasks(modules: Sequence[str] = ()) -> Iterator[CudaTask]:
    """Yield the tasks whose kernel the simulator runs."""
    for module in modules or curriculum.names():
        checks = import_module(f"hotloop.tasks.modules.{module}.tasks")
        for task in curriculum.load_module(module).tasks:
            correct = getattr(getattr(checks, task.id, None), "checks", {}).get("correct")
            if isinstance(correct, Correct) and isinstance(correct.on, InSimulator):
                assert task.entry is not None
                (file,) = (name for name in task.files if name.endswith(".cu"))
                yield CudaTask(module, task.id, task.entry, file, correct.on.launch, correct.truth)


def _cuda_rows(modules: Sequence[str]) -> Iterator[Row]:
    for one in cuda_tasks(modules):
        try:
            report = one.report(one.path)
        except NoContract as reason:
            report = Report([Claim(one.entry, each, TESTED, str(reason), read=False)
                             for each in cuda_prove.ABOUT])  # fmt: skip
        for row in _of(f"{one.module}.{one.task}", report):
            shared = next(claim.result for claim in report.claims if claim.about == "shared")
            yield {**row, "shared": shared}


def report_of(source: str, entry: str, calls: Sequence[CallSpec]) -> Report:
    """Return the claims, each the weakest of all kinds of call, and the seconds of all kinds."""
    names = _parameters(source, entry)
    return _weakest(prove(source, entry, kind.contract) for kind in kinds_of_call(calls, names))


def _weakest(reports: Iterable[Report]) -> Report:
    order = (PROVED, TESTED, COUNTEREXAMPLE)
    claims: dict[tuple[str, str], Claim] = {}
    seconds: Counter[str] = Counter()
    for report in reports:
        seconds.update(report.kernel_seconds)
        for claim in report.claims:
            key = (claim.kernel, claim.about)
            if key not in claims or order.index(claim.result) > order.index(claims[key].result):
                claims[key] = claim
    return Report(list(claims.values()), sum(seconds.values()), seconds)


def _parameters(source: str, entry: str) -> list[str]:
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.FunctionDef) and statement.name == entry:
            return [each.arg for each in statement.args.args]
    raise NoContract(f"there is no function `{entry}`")


def _rows(modules: Sequence[str]) -> Iterator[Row]:
    for one in triton_tasks(modules):
        try:
            report = report_of(one.source, one.entry, one.calls())
        except NoContract as reason:
            claims = [Claim("", about, TESTED, str(reason)) for about in ("bounds", "races")]
            report = Report(claims)
        yield from _of(f"{one.module}.{one.task}", report)


def _of(name: str, report: Report) -> Iterator[Row]:
    """Yield a row for each kernel."""
    for kernel in dict.fromkeys(claim.kernel for claim in report.claims):
        by_about = {claim.about: claim for claim in report.claims if claim.kernel == kernel}
        reasons = [claim.reason for claim in by_about.values() if claim.reason]
        yield {
            "kernel": f"{name} {kernel}".strip(),
            "bounds": by_about["bounds"].result,
            "races": by_about["races"].result,
            "read": by_about["bounds"].read,
            "reason": reasons[0] if reasons else "",
            "cpu_s": round(report.kernel_seconds.get(kernel, 0.0), 2),
        }


# --- FlagGems -------------------------------------------------------------------------------------

TENSORS = frozenset(
    {"self", "inp", "input", "x", "y", "A", "B", "C", "a", "b", "mat1", "mat2", "mat", "vec"}
    | {"weight", "bias", "other", "grad_output", "grad", "output", "target", "src", "tensor"}
    | {"batch1", "batch2", "residual", "condition"}
)
"""Names that operators give to tensors; others are ints, flags or floats."""


def _contracts(function: ast.FunctionDef) -> Iterator[Contract]:
    """Yield guesses at an operator's calls: contiguous tensors of one shape, or of a product."""
    required = function.args.args[: len(function.args.args) - len(function.args.defaults)]
    names = [each.arg for each in required]
    tensors = [
        each.arg
        for each in required
        if each.arg in TENSORS or "Tensor" in ast.unparse(each.annotation or each)
    ]
    if not tensors:
        return
    shapes = [
        [("m", "n")] * len(tensors),
        [("m",)] * len(tensors),
        [("b", "m", "n")] * len(tensors),
    ]
    if len(tensors) > 1:
        shapes += [
            [("m", "k"), ("k", "n"), *[("n",)] * (len(tensors) - 2)],
            [("m", "n"), *[("n",)] * (len(tensors) - 1)],
            [("b", "m", "k"), ("b", "k", "n"), *[("n",)] * (len(tensors) - 2)],
        ]
    symbols = {name: Symbol(name) for name in "bkmn"}
    for shape in shapes:
        for dim in (1, 0) if "dim" in names else (0,):
            arguments: list[TensorArgument | PlainArgument] = []
            for name in names:
                if name not in tensors:
                    plain = PlainArgument(name, value=dim)
                    arguments.append(plain if name == "dim" else PlainArgument(name, unknown=True))
                    continue
                sizes = shape[tensors.index(name)]
                strides = ["*".join(sizes[axis + 1 :]) or "1" for axis in range(len(sizes))]
                arguments.append(TensorArgument(name, sizes, strides))
            yield Contract(symbols, arguments)


def _gems(clone: Path, every: int) -> Iterator[Row]:
    """Yield a row for each kernel of every so many files of operators, at the latest commit."""
    listed = _git(clone, "ls-tree", "-r", "--name-only", "HEAD", "src/flag_gems/ops")
    for path in listed.splitlines()[::every]:
        source = _git(clone, "show", f"HEAD:{path}")
        if "@triton.jit" not in source:
            continue
        # Its extension of the language numbers programs as Triton does, in 64 bits.
        source = source.replace("triton_lang_extension as tle", "triton_lang_extension as _")
        source += "\nimport triton.language as tle\n"
        best: dict[str, Row] = {}
        for row in _of_operators(Path(path).stem, source):
            known = best.get(row["kernel"])
            if known is None or _merit(row) > _merit(known):
                best[row["kernel"]] = row
        yield from best.values()


def _merit(row: Row) -> int:
    return row["read"] + (row["bounds"] == PROVED) + (row["races"] == PROVED)


def _of_operators(name: str, source: str) -> Iterator[Row]:
    functions = {f.name: f for f in ast.parse(source).body if isinstance(f, ast.FunctionDef)}
    launching = {name for name, function in functions.items() if _launches(function)}
    for function in functions.values():
        called = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        if function.decorator_list or not {function.name, *called} & launching:
            continue
        for contract in _contracts(function):
            report = prove(source, function.name, contract, total_s=GEMS_S)
            if report.kernel_seconds:
                yield from _of(name, report)
                break


def _launches(function: ast.FunctionDef) -> bool:
    return not function.decorator_list and any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript)
        for node in ast.walk(function)
    )


def _git(clone: Path, *command: str) -> str:
    return subprocess.run(
        ["git", "-C", clone, *command], check=True, capture_output=True, text=True
    ).stdout


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the counts of kernels."""
    both = [row for row in rows if row["bounds"] == row["races"] == PROVED]
    return {
        "kernels": len(rows),
        "read": sum(row["read"] for row in rows),
        "in_bounds": sum(row["bounds"] == PROVED for row in rows),
        "proved": len(both),
        "left_open": len(rows) - len(both),
        "proved_percent": round(100 * len(both) / max(1, len(rows))),
        "proved_in_five_seconds": sum(row["cpu_s"] <= 5 for row in both),
        "slowest_proof_cpu_s": max((row["cpu_s"] for row in both), default=0.0),
        **({"shared": sum(row["shared"] == PROVED for row in both)} if "shared" in rows[0] else {}),
    }


def main() -> None:
    """Print each kernel and how many have both proofs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*")
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("--flaggems", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    rows: list[Row] = []
    for row in (
        _gems(options.flaggems, options.every)
        if options.flaggems
        else (_cuda_rows if options.cuda else _rows)(options.modules)
    ):
        rows.append(row)
        print(f"{row['cpu_s']:6.2f} s  {row['kernel']}: in bounds {row['bounds']}, "
              f"no races {row['races']}, in shared memory {row.get('shared', '–')} "
              f"{row['reason']}", flush=True)  # fmt: skip
    print(json.dumps(summary(rows)))
    if options.keep:
        kept: dict[str, Any] = json.loads(RESULT.read_text()) if RESULT.exists() else {}
        kept |= {"device": device_name(), "date": datetime.now(UTC).date().isoformat()}
        if options.flaggems:
            commit = _git(options.flaggems, "rev-parse", "HEAD").strip()
            kept["flaggems"] = {"commit": commit, "every": options.every, **summary(rows)}
        else:
            shown = [{k: v for k, v in row.items() if k != "read"} for row in rows]
            name = ("cuda", "cuda_rows") if options.cuda else ("curriculum", "rows")
            kept |= {name[0]: summary(rows), name[1]: shown}
        RESULT.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
