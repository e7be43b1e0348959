"""What the log of a TensorRT build says, from trtexec --verbose or from an ILogger."""

import json
import re
from pathlib import Path

### BEGIN SOLUTION resnet_tensorrt.trtexec_log
### STUB def read_log(path):
### STUB     """Figures of a build, and why it is slow: the notebook has the table.
### STUB
### STUB     path: of a trtexec log, or a JSON list of the [severity, message] that an ILogger got.
### STUB     """
### STUB     raise NotImplementedError("resnet_tensorrt.trtexec_log")
WARNING = 2
LEVELS = {"E": 1, "W": WARNING, "I": 3, "V": 4}
PREFIX = re.compile(r"\[[^]]*\] \[([EWIV])\] (?:\[TRT\] )?(.*)")
ROW = re.compile(r"^ +(\S.*?)  +[\d.]+ +[\d.]+ +[\d.]+ +([\d.]+)$")


def messages(path):
    """[severity, message] of each message; a trtexec message may go on in lines without a head."""
    text = Path(path).read_text()
    if text.startswith("["):
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            pass
    said = []
    for line in text.splitlines():
        if match := PREFIX.match(line):
            said.append([LEVELS[match[1]], match[2]])
        elif said:
            said[-1][1] += "\n" + line
    return said


def first(pattern, said):
    """The number in the first message that fits, or None."""
    return next((float(m[1]) for _, text in said if (m := re.match(pattern, text))), None)


def read_log(path):
    """Figures of a build, and why it is slow: the notebook has the table.

    path: of a trtexec log, or a JSON list of the [severity, message] that an ILogger got.
    """
    said = messages(path)
    texts = [text for _, text in said]
    requested = [int(m[1]) for t in texts if (m := re.match(r"Tactic Device request: (\d+)MB", t))]
    layers = [int(m[1]) for t in texts if (m := re.match(r"After .*: (\d+) layers", t))]
    formats = " ".join(t for t in texts if "Autotuning format combination" in t)
    rows = [(m[1], float(m[2])) for t in texts if (m := ROW.match(t))]
    copies = sum(share for name, share in rows if "Reformatting" in name or "reformatter" in name)
    found = {
        "warnings": sum(severity == WARNING for severity, _ in said),
        "fused": sum(t.startswith("Fusing convolution weights from") for t in texts),
        "layers": layers[-1] if layers else None,
        "precisions": [kind for kind in ("Float", "Half", "Int8") if f"{kind}(" in formats],
        "skipped": sum(t.startswith("Skipping tactic") for t in texts),
        "requested_mb": max(requested, default=None),
        "reformat_share": copies / sum(share for _, share in rows) if rows else None,
        "gpu_ms": first(r"GPU Compute Time: .*median = ([\d.]+) ms", said),
        "enqueue_ms": first(r"Enqueue Time: .*median = ([\d.]+) ms", said),
        "build_s": first(r"Engine built in ([\d.]+) sec", said),
    }
    return {**found, "cause": cause(found, texts)}


def cause(found, texts):
    """The word for what is wrong, or None."""
    convolutions = len({t for t in texts if t.startswith("ConvReluFusion: Fusing")})
    if found["skipped"]:
        return "memory" if found["requested_mb"] else "workspace"
    if found["fused"] < convolutions:
        return "unfused"
    if found["precisions"] == ["Float"]:
        return "precision"
    if (found["reformat_share"] or 0.0) > 0.1:
        return "reformats"
    if found["enqueue_ms"] and found["enqueue_ms"] > 0.9 * found["gpu_ms"]:
        return "host"
    return None


### END SOLUTION
