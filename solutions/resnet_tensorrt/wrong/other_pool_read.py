"""Reads the threads of the other pool, the one between operators.

fails: slow_builds.figures
"""

### BEGIN SOLUTION resnet_tensorrt.slow_builds
import gzip
import json
import re
import statistics
from pathlib import Path


def read_build(path):
    """Figures of a recording, a gzipped JSON file; see the notebook for their names."""
    recording = json.loads(gzip.decompress(Path(path).read_bytes()))
    log = "\n".join(recording["log"])
    runs = durations(recording, "Session", "model_run")
    shares = time_shares(recording)
    slowest = max(shares, key=shares.get)
    nodes = durations(recording, "Node", "_kernel_time")
    return {
        "level": int(re.search(r"graph_optimization_level:(\d+)", log)[1]),
        "threads": int(re.search(r"inter_op_param:\w+ \{ thread_pool_size: (\d+)", log)[1]),
        "changed_by": sorted(set(re.findall(r"GraphTransformer (\S+) modified: 1 ", log))),
        "warnings": log.count("[W:onnxruntime"),
        "build_ms": durations(recording, "Session", "session_initialization")[0],
        "run_ms": statistics.median(runs),
        "nodes": len(nodes) // len(runs),
        "slowest_op": slowest,
        "slowest_op_share": shares[slowest],
    }


def durations(recording, category, ending):
    """Milliseconds of the profile's events of a category whose names end so."""
    return [
        event["dur"] / 1000
        for event in recording["profile"]
        if event.get("cat") == category and event["name"].endswith(ending)
    ]


def time_shares(recording):
    """By type of operator, its share of the time in all nodes."""
    total = {}
    for event in recording["profile"]:
        if event.get("cat") == "Node" and event["name"].endswith("_kernel_time"):
            op = event["args"]["op_name"]
            total[op] = total.get(op, 0) + event["dur"]
    whole = sum(total.values())
    return {op: time / whole for op, time in total.items()}


def diagnosis():
    """By letter: {"cause": …, "evidence": …, "value": …}."""
    return {
        "a": {"cause": "training", "evidence": "BatchNormalization", "value": 0.16},
        "b": {"cause": "threads", "evidence": "threads_per_core", "value": 8},
        "c": {"cause": "outputs", "evidence": "outputs", "value": 107},
        "d": {"cause": "inputs", "evidence": "warnings", "value": 267},
    }


### END SOLUTION
