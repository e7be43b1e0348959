"""Runs or compiles kernels as they were written and as they were vetted.

    run_kernel_forms.py run|compile jobs.json

Prints JSON: for each job what is wrong, empty for nothing. `run` needs TRITON_INTERPRET=1.
"""

import importlib
import importlib.util
import json
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hotloop.worker import triton_compat

SIZE, BLOCK = 100, 128


def load(name: str, text: str) -> Any:
    """Import `text` as a module from a file, which Triton reads."""
    path = Path(f"{name}.py")
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def launched(module: Any, arguments: dict[str, Any]) -> Any:
    """Return what the kernel writes."""
    torch: Any = importlib.import_module("torch")
    x = (torch.arange(SIZE) % 17 - 8).float()
    out = torch.zeros(SIZE)
    module.k[(1,)](x, out, SIZE, BLOCK=BLOCK, **arguments)
    return out


def difference(number: int, job: dict[str, Any]) -> str:
    """Run both on the same values."""
    learners = launched(load(f"learner_{number}", job["learner"]), job["arguments"])
    arguments = {**job["arguments"], **job["recorded"]}
    vetted = launched(load(f"vetted_{number}", job["vetted"]), arguments)
    same = bool(((learners == vetted) | (learners.isnan() & vetted.isnan())).all())
    return "" if same and bool((learners != 0).any()) else f"{learners} and {vetted}"


def front_end(number: int, job: dict[str, Any]) -> str:
    """Translate both to Triton's intermediate language, for an H100."""
    ir: Any = importlib.import_module("triton._C.libtriton").ir
    compiler: Any = importlib.import_module("triton.compiler.compiler")
    target = importlib.import_module("triton.backends.compiler").GPUTarget("cuda", 90, 32)
    backend: Any = compiler.make_backend(target)
    values = {"BLOCK": BLOCK, **job["arguments"], **job["recorded"]}
    for kind in ("learner", "vetted"):
        kernel = load(f"{kind}_{number}", job[kind]).k
        while hasattr(kernel, "configs") or hasattr(kernel, "values"):
            kernel = kernel.fn
        constants = {
            p.name: values.get(p.name, p.default)
            for p in kernel.params
            if p.is_constexpr or values.get(p.name, 0) is None or p.name not in named(values)
        }
        types = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32"}
        signature = {
            p.name: "constexpr"
            if p.name in constants
            else types.get(p.name) or ("i32" if isinstance(values[p.name], int) else "fp32")
            for p in kernel.params
        }
        source = compiler.ASTSource(kernel, signature=signature, constexprs=constants)
        context = ir.context()
        ir.load_dialects(context)
        backend.load_dialects(context)
        options = backend.parse_options({})
        codegen = backend.get_codegen_implementation(options)
        source.make_ir(target, options, codegen, backend.get_module_map(), context)
    return ""


def named(values: dict[str, Any]) -> set[str]:
    """Names of parameters that have a value."""
    return {"x_ptr", "out_ptr", "n", *values}


def main() -> None:
    """Work on all jobs."""
    warnings.simplefilter("ignore")
    triton_compat.correct_interpreter()
    how: Callable[[int, dict[str, Any]], str] = {"run": difference, "compile": front_end}[
        sys.argv[1]
    ]
    jobs = json.loads(Path(sys.argv[2]).read_text())
    wrong: dict[str, str] = {}
    printed = os.dup(1)
    os.dup2(2, 1)  # what kernels print
    for number, (name, job) in enumerate(jobs.items()):
        try:
            wrong[name] = how(number, job)
        except Exception as error:  # noqa: BLE001 - whatever Triton raises is a result
            wrong[name] = f"{type(error).__name__}: {error}"
    sys.stdout.flush()
    os.dup2(printed, 1)
    print(json.dumps(wrong))


if __name__ == "__main__":
    main()
