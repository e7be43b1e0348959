import json
from dataclasses import dataclass, field
from statistics import median


@dataclass
class Node:
    name: str
    start: float
    stop: float
    children: list = field(default_factory=list)

    @property
    def own(self):
        return self.stop - self.start - sum(c.stop - c.start for c in self.children)

    def everything(self):
        yield self
        for child in self.children:
            yield from child.everything()


def forest(rows):
    roots, trail = [], []
    for row in sorted(rows, key=lambda r: (r["ts"], -r["dur"])):
        node = Node(row["name"], row["ts"], row["ts"] + row["dur"])
        while trail and trail[-1].stop <= node.start:
            del trail[-1]
        (trail[-1].children if trail else roots).append(node)
        trail.append(node)
    return roots


def union_within(pieces, start, stop):
    clipped = sorted((max(a, start), min(b, stop)) for a, b in pieces if a < stop and b > start)
    length, reach = 0, start
    for a, b in clipped:
        length += max(0, b - max(a, reach))
        reach = max(reach, b)
    return length


def answers(path):
    rows = json.loads(open(path).read())["traceEvents"]
    table = {}
    for row in rows:
        if row.get("ph") == "X":
            table.setdefault(row.get("cat"), []).append(row)

    ranges = []
    for row in table.get("user_annotation", []):
        if row["name"].startswith("ProfilerStep#"):
            ranges.append(range_of(row))

    threads = {}
    for row in table.get("cpu_op", []):
        threads.setdefault((row["pid"], row["tid"]), []).append(row)
    own = {}
    for thread in threads.values():
        for root in forest(thread):
            for node in root.everything():
                own[node.name] = own.get(node.name, 0) + node.own
    heaviest = max(own, key=own.get)

    pieces = [
        range_of(row)
        for category in ["kernel", "gpu_memcpy", "gpu_memset"]
        for row in table.get(category, [])
    ]
    share = None
    if pieces:
        used = sum(union_within(pieces, *r) for r in ranges)
        share = 1 - used / sum(b - a for a, b in ranges)

    def hits(category, test):
        chosen = [row["ts"] for row in table.get(category, []) if test(row["name"])]
        return sum(1 for t in chosen if [r for r in ranges if r[0] <= t < r[1]])

    allocations = {row["args"]["Bytes"] for row in rows if row.get("name") == "[memory]"}
    return {
        "steps": len(ranges),
        "step_ms": median(b - a for a, b in ranges) / 1000,
        "slowest_op": heaviest,
        "slowest_op_share": own[heaviest] / sum(own.values()),
        "launches_per_step": (
            hits("cuda_runtime", lambda n: n.startswith(("cudaLaunchKernel", "cudaGraphLaunch")))
            + hits("cuda_driver", lambda n: n.startswith(("cuLaunchKernel", "cuGraphLaunch")))
        )
        / len(ranges),
        "copies_to_device": hits("gpu_memcpy", lambda n: "HtoD" in n),
        "gpu_idle_share": share,
        "largest_allocation": max((b for b in allocations if b > 0), default=None),
    }


def range_of(row):
    return row["ts"], row["ts"] + row["dur"]
