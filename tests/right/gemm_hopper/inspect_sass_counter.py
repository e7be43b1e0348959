# A generator of opcodes, and a Counter of their first words; what does not occur is left out.
### BEGIN SOLUTION gemm_hopper.inspect_sass
from collections import Counter


def opcodes(path):
    with open(path) as file:
        for line in file.read().splitlines():
            line = line.strip()
            if not line.startswith("/*") or "*/" not in line:
                continue
            words = line.split("*/", 1)[1].split()
            while words and words[0].startswith("@"):
                words.pop(0)
            if words:
                yield words[0].split(".")


def inspect_sass(path):
    first, both, flops = Counter(), Counter(), 0
    for parts in opcodes(path):
        first[parts[0]] += 1
        both[".".join(parts[:3])] += 1
        both[".".join(parts[:2])] += len(parts) > 2
        if parts[0] in ("HGMMA", "QGMMA"):
            m, n, k = parts[1].split("x")
            flops += 2 * int(m) * int(n) * int(k)
    counts = {
        "bulk_loads": both["UBLKCP.S.G"],
        "bulk_stores": both["UBLKCP.G.S"],
        "tensor_loads": first["UTMALDG"],
        "tensor_stores": first["UTMASTG"],
        "products": first["HGMMA"] + first["QGMMA"] + first["UTCHMMA"],
        "barrier_tests": both["SYNCS.PHASECHK"],
        "tensor_memory_loads": first["LDTM"],
        "flops": flops,
    }
    return {name: count for name, count in counts.items() if count}


### END SOLUTION
