"""A class of figures, and other evidence for the same causes, computed from the recordings."""


### BEGIN SOLUTION xla_vs_eager.diagnose
import gzip
import json
import re

import numpy as np

SIZES = {"pred": 1, "u8": 1, "s8": 1, "bf16": 2, "f16": 2, "f32": 4, "s32": 4, "u32": 4}


class Run:
    def __init__(self, path):
        with gzip.open(path, "rt") as file:
            self.told = json.load(file)

    def column(self, key):
        return np.array([step[key] for step in self.told["steps"]])

    @property
    def compiles(self):
        name = "/jax/core/compile/backend_compile_duration"
        return [e["step"] for e in self.told["events"] if e["event"] == name]

    def figures(self):
        ready = self.column("ready_s")
        quiet = np.delete(ready, sorted(set(self.compiles)))
        spent = np.sum([e["seconds"] for e in self.told["events"]])
        constants = re.finditer(r"= (\w+)\[([^\]]*)\]\S* constant\(", self.told["hlo"])
        return {
            "programs": len(self.compiles),
            "compile_s": spent,
            "compile_share": spent / ready.sum(),
            "step_ms": np.median(quiet) * 1000 if quiet.size else None,
            "callbacks": len(re.findall(r'target="[^"]*callback[^"]*"', self.told["hlo"])),
            "constant_bytes": sum(
                SIZES[c[1]] * np.prod([int(n) for n in c[2].split(",") if n], dtype=int)
                for c in constants
            ),
            "programs_a_step": np.median(self.column("executed")),
        }


def read_run(path):
    return Run(path).figures()


### END SOLUTION


### BEGIN SOLUTION xla_vs_eager.diagnose causes
def diagnosis():
    found = {
        "a": ("callback", "callbacks"),
        "b": ("recompiles", "programs"),
        "c": ("baked", "constant_bytes"),
        "d": ("op_by_op", "programs_a_step"),
    }
    return {
        run: {"cause": cause, "evidence": key, "value": read_run(f"run_{run}.json.gz")[key]}
        for run, (cause, key) in found.items()
    }


### END SOLUTION
