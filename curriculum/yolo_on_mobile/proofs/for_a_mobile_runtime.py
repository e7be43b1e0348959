"""The detector in ONNX Runtime's format for phones: what a minimal build would have to hold."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime

sys.path.append(str(Path(__file__).parent))
from detecting.kit import fed, given, scenes

TOOL = ("-m", "onnxruntime.tools.convert_onnx_models_to_ort")


def converted(path: Path) -> tuple[Path, list[str]]:
    """The .ort file beside it, and the lines of its list of operators."""
    options = ("--optimization_style", "Fixed", "--target_platform", "arm")
    subprocess.run([sys.executable, *TOOL, path, *options], check=True, capture_output=True)
    lines = path.with_suffix(".required_operators.config").read_text("utf-8").splitlines()
    return path.with_suffix(".ort"), [line for line in lines if line and line[0] != "#"]


def main() -> None:
    """Convert, run both, list the operators."""
    inputs = fed(scenes(8)[0]).numpy()
    limits = {"floor": np.float32([0.25]), "overlap": np.float32([0.5])}
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "boxes.onnx"
        given("export").export(10, path)
        ort, needed = converted(path)
        sizes = {each.suffix: each.stat().st_size for each in (path, ort)}
        sessions = [
            onnxruntime.InferenceSession(each, providers=["CPUExecutionProvider"])
            for each in (path, ort)
        ]
    for picture in inputs:
        was, now = (s.run(None, {"pictures": picture[None], **limits}) for s in sessions)
        assert all(np.allclose(a, b, atol=1e-4) for a, b in zip(was, now, strict=True))
    print(f".ort has {sizes['.ort'] / sizes['.onnx']:.2f} of the bytes of .onnx")
    print(f"{len(inputs)} pictures: the same boxes from both")
    for line in needed:
        domain, opset, names = line.split(";")
        print(f"{domain}, opset {opset}: {len(names.split(','))} operators")
        print(f"  {names.replace(',', ', ')}")


if __name__ == "__main__":
    main()
