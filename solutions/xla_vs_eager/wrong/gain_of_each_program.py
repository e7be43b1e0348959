"""Lets the gain pay for one program only, though all of them were compiled.

fails: break_even.steps
"""

### BEGIN SOLUTION xla_vs_eager.break_even
import json
import math
import statistics
from pathlib import Path


def break_even(path):
    """Times of a recording, and when compiling has paid; see the notebook."""
    recording = json.loads(Path(path).read_text())
    compiling = {step for step, _, _ in recording["events"]}
    compile_s = sum(seconds for _, _, seconds in recording["events"])
    eager_s = statistics.median(step["ready_s"] for step in recording["eager"])
    compiled_s = statistics.median(
        step["ready_s"]
        for number, step in enumerate(recording["compiled"])
        if number not in compiling
    )
    gain = eager_s - compiled_s
    each = compile_s / len(compiling)
    return {
        "programs": len(compiling),
        "compile_s": compile_s,
        "eager_step_s": eager_s,
        "compiled_step_s": compiled_s,
        "break_even": math.ceil(each / gain) if gain > 0 else None,
        "with_storm": each < gain * recording["storm_every"],
    }


### END SOLUTION
