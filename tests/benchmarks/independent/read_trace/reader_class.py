import json
from pathlib import Path
from statistics import median


class TraceFile:
    GPU = frozenset(["kernel", "gpu_memcpy", "gpu_memset"])

    def __init__(self, path):
        self.everything = json.loads(Path(path).read_bytes())["traceEvents"]
        self.complete = [event for event in self.everything if event.get("ph") == "X"]

    def of(self, *categories):
        return [event for event in self.complete if event.get("cat") in categories]

    @property
    def steps(self):
        marks = self.of("user_annotation")
        return [mark for mark in marks if mark["name"].startswith("ProfilerStep#")]

    def count_within(self, events):
        number = 0
        for event in events:
            for step in self.steps:
                if 0 <= event["ts"] - step["ts"] < step["dur"]:
                    number += 1
                    break
        return number

    def self_time(self):
        result = {}
        lanes = {}
        for op in self.of("cpu_op"):
            lanes.setdefault((op["pid"], op["tid"]), []).append(op)
        for lane in lanes.values():
            lane.sort(key=lambda op: op["dur"], reverse=True)
            lane.sort(key=lambda op: op["ts"])
            self._walk(lane, 0, float("inf"), result)
        return result

    def _walk(self, lane, index, until, result):
        """Takes all ops from `index` on that begin before `until`; returns (index, their time)."""
        outer = 0
        while index < len(lane) and lane[index]["ts"] < until:
            op = lane[index]
            end = op["ts"] + op["dur"]
            index, inner = self._walk(lane, index + 1, end, result)
            result[op["name"]] = result.get(op["name"], 0) + op["dur"] - inner
            outer += op["dur"]
        return index, outer

    def idle(self):
        running = self.of(*self.GPU)
        if not running:
            return None
        whole = quiet = 0
        for step in self.steps:
            edges = []
            left, right = step["ts"], step["ts"] + step["dur"]
            for work in running:
                a, b = max(left, work["ts"]), min(right, work["ts"] + work["dur"])
                if a < b:
                    edges += [(a, 1), (b, -1)]
            edges.sort()
            depth, mark = 0, left
            for moment, change in edges:
                if depth == 0:
                    quiet += moment - mark
                depth += change
                mark = moment
            quiet += right - mark
            whole += step["dur"]
        return quiet / whole


def answers(path):
    trace = TraceFile(path)
    own = trace.self_time()
    name, most = max(own.items(), key=lambda item: item[1])
    calls = [f"{e['cat']} {e['name']}" for e in trace.of("cuda_runtime", "cuda_driver")]
    launching = ("cuda_runtime cudaLaunchKernel", "cuda_runtime cudaGraphLaunch")
    launching += ("cuda_driver cuLaunchKernel", "cuda_driver cuGraphLaunch")
    launches = [
        e
        for e, call in zip(trace.of("cuda_runtime", "cuda_driver"), calls)
        if call.startswith(launching)
    ]
    uploads = [e for e in trace.of("gpu_memcpy") if "HtoD" in e["name"]]
    memory = [e["args"]["Bytes"] for e in trace.everything if e.get("name") == "[memory]"]
    positive = [size for size in memory if size > 0]
    return {
        "steps": len(trace.steps),
        "step_ms": median(step["dur"] for step in trace.steps) / 1000,
        "slowest_op": name,
        "slowest_op_share": most / sum(own.values()),
        "launches_per_step": trace.count_within(launches) / len(trace.steps),
        "copies_to_device": trace.count_within(uploads),
        "gpu_idle_share": trace.idle(),
        "largest_allocation": max(positive) if positive else None,
    }
