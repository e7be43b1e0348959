"""One pattern for all names, layers as records, and exposed time by cutting spans."""


### BEGIN SOLUTION portable_trainer.prefetch
PATTERN = re.compile(r"FSDP::(?P<what>pre_forward|pre_backward|all_gather) \((?P<layer>[^)]*)\)")


def read(path):
    content = json.load(open(path))
    found = []
    pieces = {"gloo:all_gather": [], "gloo:all_reduce": [], "product": []}
    for event in content["traceEvents"]:
        if event.get("ph") != "X":
            continue
        span = (event["ts"], event["ts"] + event["dur"])
        if match := PATTERN.fullmatch(event["name"]):
            found.append((span[0], match["what"], match["layer"]))
        elif event["name"] in pieces:
            pieces[event["name"]].append(span)
        elif event["name"] in {"aten::mm", "aten::addmm"}:
            pieces["product"].append(span)
    split = min(t for t, what, _ in found if what == "pre_backward")
    layers = {layer for _, what, layer in found if what == "pre_forward"}
    gathers = {layer: [0, 0] for layer in layers}
    starts = {(layer, what == "pre_backward"): t for t, what, layer in found if "pre_" in what}
    early = {False: set(), True: set()}
    for t, what, layer in found:
        if what == "all_gather":
            later = t >= split
            gathers[layer][later] += 1
            if t < starts[layer, later]:
                early[later].add(layer)
    exposed = {}
    for kind in ("gloo:all_gather", "gloo:all_reduce"):
        left = joined(pieces[kind])
        for begin, end in joined(pieces["product"]):
            left = [part for span in left for part in cut(span, begin, end)]
        exposed[kind] = float(sum(b - a for a, b in left))
    return {
        "gathers": gathers,
        "ahead": [sorted(early[False]), sorted(early[True])],
        "exposed_us": exposed,
    }


def joined(spans):
    result = []
    for begin, end in sorted(spans):
        if result and result[-1][1] >= begin:
            begin, end = result[-1][0], max(end, result.pop()[1])
        result.append((begin, end))
    return result


def cut(span, begin, end):
    before, after = (span[0], min(span[1], begin)), (max(span[0], end), span[1])
    return [part for part in (before, after) if part[0] < part[1]]


### END SOLUTION
