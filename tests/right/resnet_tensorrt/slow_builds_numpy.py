"""Lines filtered one by one, events in numpy; the diagnosis gives the values as numpy's numbers."""


### BEGIN SOLUTION resnet_tensorrt.slow_builds
import gzip
import json
from collections import defaultdict

import numpy as np


def read_build(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        told = json.load(file)
    text = " ".join(told["log"])
    events = [e for e in told["profile"] if "dur" in e]
    runs = np.array([e["dur"] for e in events if e["name"] == "model_run"])
    (session,) = [e["dur"] for e in events if e["name"] == "session_initialization"]
    times = defaultdict(int)
    count = 0
    for event in events:
        if event.get("cat") == "Node" and event["name"].endswith("_kernel_time"):
            times[event["args"]["op_name"]] += event["dur"]
            count += 1
    operators, spent = list(times), np.array(list(times.values()))
    changed = set()
    for line in told["log"]:
        words = line.split()
        if "modified:" in words and words[words.index("modified:") + 1] == "1":
            changed.add(words[words.index("GraphTransformer") + 1])
    pool = text.split("intra_op_param:", 1)[1].split("thread_pool_size:", 1)[1]
    return {
        "level": float(text.split("graph_optimization_level:", 1)[1].split()[0]),
        "threads": int(pool.split()[0]),
        "changed_by": sorted(changed),
        "warnings": len([line for line in told["log"] if "[W:" in line]),
        "build_ms": session / 1e3,
        "run_ms": np.median(runs) / 1e3,
        "nodes": np.int64(count // runs.size),
        "slowest_op": operators[spent.argmax()],
        "slowest_op_share": spent.max() / spent.sum(),
    }


def diagnosis():
    table = """
        a training BatchNormalization 0.16
        b threads threads_per_core 8
        c outputs outputs 107
        d inputs warnings 267
    """
    rows = [line.split() for line in table.strip().splitlines()]
    return {
        letter: {"cause": cause, "evidence": evidence, "value": np.float32(value)}
        for letter, cause, evidence, value in rows
    }


### END SOLUTION
