"""Takes the median of all steps, those in which something was compiled among them.

fails: diagnose.figures
"""

### BEGIN SOLUTION xla_vs_eager.diagnose
import gzip
import json
import re
import statistics
from math import prod
from pathlib import Path

COMPILED = "/jax/core/compile/backend_compile_duration"
BYTES = {"pred": 1, "u8": 1, "s8": 1, "bf16": 2, "f16": 2, "f32": 4, "s32": 4, "u32": 4}


def read_run(path):
    """Figures of a recording, a gzipped JSON file; see the notebook for their names."""
    recording = json.loads(gzip.decompress(Path(path).read_bytes()))
    events, steps, hlo = (recording[key] for key in ("events", "steps", "hlo"))
    compiled = [event["step"] for event in events if event["event"] == COMPILED]
    compile_s = sum(event["seconds"] for event in events)
    quiet = [each["ready_s"] for step, each in enumerate(steps)]
    constants = re.findall(r" = (\w+)\[([\d,]*)\]\S* constant\(", hlo)
    return {
        "programs": len(compiled),
        "compile_s": compile_s,
        "compile_share": compile_s / sum(each["ready_s"] for each in steps),
        "step_ms": 1e3 * statistics.median(quiet) if quiet else None,
        "callbacks": len(re.findall(r'custom_call_target="\w*callback\w*"', hlo)),
        "constant_bytes": sum(
            BYTES[dtype] * prod(int(n) for n in shape.split(",") if n) for dtype, shape in constants
        ),
        "programs_a_step": statistics.median(each["executed"] for each in steps),
    }


### END SOLUTION
