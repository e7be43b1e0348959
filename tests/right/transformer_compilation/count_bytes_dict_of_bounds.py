"""An object for each kernel; `bounds` is a dict by kernel."""


### BEGIN SOLUTION transformer_compilation.count_bytes
import json
import math
from dataclasses import dataclass
from types import SimpleNamespace


@dataclass
class Kernel:
    bytes: int
    flops: int

    def limits(self, p):
        return {"launch": p.launch_s, "memory": self.bytes / p.bytes_per_s, "arithmetic": self.flops / p.flops_per_s}

    def seconds(self, p):
        t = self.limits(p)
        return t["launch"] + max(t["memory"], t["arithmetic"])

    def bound(self, p):
        return max(self.limits(p).items(), key=lambda item: item[1])[0]


def account(path):
    p = SimpleNamespace(**json.load(open(path)))
    pairs = p.batch * p.heads * p.queries * p.keys
    q = o = p.batch * p.heads * p.queries * p.head_dim * p.element_bytes
    k = v = p.batch * p.kv_heads * p.keys * p.head_dim * p.element_bytes
    s, w = pairs * p.score_bytes, pairs * p.element_bytes
    standard = {
        "scores": Kernel(q + k + s, 2 * p.head_dim * pairs),
        "softmax": Kernel(s + w, 0),
        "output": Kernel(w + v + o, 2 * p.head_dim * pairs),
    }
    read = done = 0
    for first in range(0, p.queries, p.block_q):
        last = min(first + p.block_q, p.queries) - 1
        seen = p.keys
        if p.causal:
            seen = min(p.keys, max(0, last + p.keys - p.queries + 1))
            seen = min(p.keys, math.ceil(seen / p.block_k) * p.block_k)
        read += 2 * seen * p.head_dim * p.element_bytes
        done += 4 * p.head_dim * seen * (last + 1 - first)
    tiled = Kernel(q + o + p.batch * p.heads * read, p.batch * p.heads * done)
    return {
        "standard_bytes": sum(x.bytes for x in standard.values()), "tiled_bytes": tiled.bytes, "fewest_bytes": q + k + v + o,
        "standard_s": sum(x.seconds(p) for x in standard.values()), "tiled_s": tiled.seconds(p),
        "bounds": {name: x.bound(p) for name, x in (standard | {"tiled": tiled}).items()},
    }


### END SOLUTION
