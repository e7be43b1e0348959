"""Read and run a detector in ExecuTorch's format, in a judge's worker with one such file."""

from pathlib import Path

import eager
from executorch.exir._serialize._program import deserialize_pte_binary
from executorch.runtime import Runtime

LOADED = []


def facts(path):
    """Return the delegates, the number of their calls, and the operators left to other kernels."""
    serialized = deserialize_pte_binary(Path(path).read_bytes())
    program = getattr(serialized, "program", serialized)
    (plan,) = program.execution_plan
    calls = [type(i.instr_args).__name__ for chain in plan.chains for i in chain.instructions]
    return {
        "delegates": [each.id for each in plan.delegates],
        "delegate_calls": calls.count("DelegateCall"),
        "kernel_calls": calls.count("KernelCall"),
        "operators": sorted({f"{op.name}.{op.overload}".rstrip(".") for op in plan.operators}),
    }


def load(path):
    """Load the file to run."""
    program = Runtime.get().load_program(Path(path).read_bytes())
    LOADED[:] = [program, program.load_method("forward")]


def run(pictures, table):
    """Run the loaded file. pictures: float32 [1, 3, height, width]."""
    _, method = LOADED
    table.copy_(eager.decoded(method.execute([pictures.contiguous()])))
