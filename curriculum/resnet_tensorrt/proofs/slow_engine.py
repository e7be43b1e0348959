"""An engine slower than expected: four causes, each shown on a CPU in small.

What TensorRT says of them was not measured here. ONNX Runtime fuses, falls back and profiles by the
same ideas, and its files can be read.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from itertools import groupby
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import parser

sys.path.append(str(Path(__file__).parent))
from conversion.kit import EXTENDED, Array, operators, optimized

CHAIN = """<ir_version: 9, opset_import: ["": 18]>
g (float[1, 8, 16, 16] x, float[8, 8, 3, 3] w) => (float[1, 8, 16, 16] y) {
  a = Conv <pads = [1, 1, 1, 1]> (x, w)
  b = Relu (a)
  c = Conv <pads = [1, 1, 1, 1]> (b, w)
  d = %s (c)
  e = Conv <pads = [1, 1, 1, 1]> (d, w)
  y = Relu (e)
}"""


# --8<-- [start:parts]
def parts(model: onnx.ModelProto, supported: set[str]) -> list[tuple[bool, int]]:
    """Runs of nodes that one engine can take, and those between them that fall back."""
    known = [node.op_type in supported for node in model.graph.node]
    return [(on_engine, len(list(run))) for on_engine, run in groupby(known)]


# --8<-- [end:parts]


def fallback() -> None:
    """One operator that the engine lacks makes three parts out of one."""
    supported = {"Conv", "Relu", "Add"}
    whole, cut = (parser.parse_model(CHAIN % name) for name in ("Relu", "Erf"))
    print(f"all supported: {parts(whole, supported)}")
    print(f"Erf is not:    {parts(cut, supported)}")
    assert len(parts(whole, supported)) == 1
    assert len(parts(cut, supported)) == 3
    crossing = 2 * 4 * 8 * 16 * 16
    print(f"and {crossing:,} bytes leave the engine and come back, for each picture")


def fusion() -> None:
    """Convolutions that stand alone, in the graph that is really run."""
    fused = {
        name: optimized(parser.parse_model(CHAIN % name), EXTENDED) for name in ("Relu", "Erf")
    }
    for name, model in fused.items():
        print(f"{name:5} run as {dict(operators(model))}")
    assert operators(fused["Relu"])["FusedConv"] == 3
    assert operators(fused["Erf"])["FusedConv"] == 2
    assert operators(fused["Erf"])["Conv"] == 1


def profile(folder: Path) -> Counter[str]:
    """Microseconds by operator, from ONNX Runtime's own profile."""
    options = ort.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = str(folder / "profile")
    options.intra_op_num_threads = 1
    options.graph_optimization_level = EXTENDED
    model = parser.parse_model(CHAIN % "Erf").SerializeToString()
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feeds = {"x": np.ones((1, 8, 16, 16), np.float32), "w": np.ones((8, 8, 3, 3), np.float32)}
    for _ in range(20):
        session.run(None, feeds)
    spent = Counter[str]()
    for event in json.loads(Path(session.end_profiling()).read_text()):
        if event.get("name", "").endswith("_kernel_time"):
            spent[event["args"]["op_name"]] += event["dur"]
    return spent


def calibration() -> None:
    """The share of values beyond a range that was calibrated on pictures of the day."""
    generator = np.random.default_rng(0)

    def outside(activations: Array, high: float) -> float:
        return float((activations > high).mean())

    day, night = (np.abs(generator.normal(0, s, 100_000)).astype(np.float32) for s in (1, 3))
    high = float(day.max())
    print(f"range [0, {high:.1f}] by day: {outside(day, high):.1%} beyond it by day, ", end="")
    print(f"{outside(night, high):.1%} when values are three times as large")
    assert outside(day, high) == 0
    assert outside(night, high) > 0.1
    print("which costs accuracy, not time: a slow engine has another cause")


def main() -> None:
    """Fallback, fusion, profile, calibration."""
    import tempfile

    fallback()
    fusion()
    with tempfile.TemporaryDirectory() as folder:
        spent = profile(Path(folder))
    print(f"the profile names the operators: {sorted(spent)}")
    assert set(spent) == {"FusedConv", "Conv", "Erf"}
    calibration()


if __name__ == "__main__":
    main()
