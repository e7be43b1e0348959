"""One pass over the file with a dict of handlers by the beginning of a message; causes as a table of predicates."""


### BEGIN SOLUTION resnet_tensorrt.trtexec_log
from collections import defaultdict


def heads(text):
    """Yield (severity, message) of a trtexec log."""
    starts = list(re.finditer(r"^\[[\d/]+-[\d:]+\] \[(.)\] (\[TRT\] )?", text, re.M))
    ends = [match.start() for match in starts[1:]] + [len(text)]
    for match, end in zip(starts, ends):
        yield "FEWIV".index(match[1]), text[match.end() : end].rstrip("\n")


def read_log(path):
    content = open(path).read()
    if str(path).endswith(".json"):
        pairs = [tuple(each) for each in json.loads(content)]
    else:
        pairs = list(heads(content))
    seen = defaultdict(list)
    for severity, message in pairs:
        seen["severity"].append(severity)
        words = message.split()
        if message.startswith("Fusing convolution weights"):
            seen["fused"].append(words[4])
        elif message.startswith("ConvReluFusion: Fusing"):
            seen["ends"].append(words[-1])
        elif message.startswith("After ") and message.endswith(" layers"):
            seen["layers"].append(int(words[-2]))
        elif "Autotuning format combination:" in message:
            seen["formats"] += re.findall(r"(\w+)\(", message)
        elif message.startswith("Skipping tactic"):
            seen["skipped"].append(message)
        elif message.startswith("Tactic Device request:"):
            seen["requested"].append(int(words[3].removesuffix("MB")))
        elif message.startswith("  ") and not message.lstrip().startswith(("Total", "Layer ")):
            seen["rows"].append((message[:-40], float(words[-1])))
        elif message.startswith("Engine built in"):
            seen["built"].append(float(words[3]))
        for key, head in (("gpu", "GPU Compute Time:"), ("enqueue", "Enqueue Time:")):
            if message.startswith(head):
                seen[key].append(float(message.split("median = ")[1].split(" ms")[0]))

    def only(key):
        return seen[key][-1] if seen[key] else None

    total = sum(share for _, share in seen["rows"])
    copies = sum(share for name, share in seen["rows"] if "eformat" in name)
    answer = {
        "warnings": seen["severity"].count(2),
        "fused": len(seen["fused"]),
        "layers": only("layers"),
        "precisions": sorted({"Float", "Half", "Int8"} & set(seen["formats"])),
        "skipped": len(seen["skipped"]),
        "requested_mb": max(seen["requested"]) if seen["requested"] else None,
        "reformat_share": copies / 100 if seen["rows"] else None,
        "gpu_ms": only("gpu"),
        "enqueue_ms": only("enqueue"),
        "build_s": only("built"),
    }
    signs = {
        "memory": bool(seen["requested"]),
        "workspace": bool(seen["skipped"]),
        "unfused": len(seen["fused"]) < len(seen["ends"]),
        "precision": "Half" not in seen["formats"],
        "reformats": bool(seen["rows"]) and copies > 0.1 * total,
        "host": bool(seen["gpu"]) and seen["enqueue"][-1] >= 0.9 * seen["gpu"][-1],
    }
    answer["cause"] = next((word for word, sign in signs.items() if sign), None)
    return answer


### END SOLUTION
