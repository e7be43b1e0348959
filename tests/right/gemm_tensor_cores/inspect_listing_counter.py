"""A Counter over one regular expression with named groups, a line at a time."""


### BEGIN SOLUTION gemm_tensor_cores.inspect_listing
import re
from collections import Counter
from math import prod

WORD = re.compile(
    r"^\s*(?:@!?%\w+\s+)?(?:(?P<mma>mma\.sync\.)|(?P<wgmma>wgmma\.mma_async\.)|(?P<ldmatrix>ldmatrix\.)|(?P<cp_async>cp\.async\.c[ag]\.))"
)


def inspect_listing(path):
    counts = Counter()  # what does not occur is left out
    for line in open(path, encoding="utf-8"):
        line = line.partition("//")[0]
        if (match := WORD.match(line)) is None:
            continue
        counts[match.lastgroup] += 1
        if match.lastgroup in ("mma", "wgmma"):
            shape = re.search(r"\.m(\d+)n(\d+)k(\d+)", line)
            counts["flops"] += 2 * prod(int(size) for size in shape.groups())
    return counts


### END SOLUTION
