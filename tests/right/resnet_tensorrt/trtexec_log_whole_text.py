"""Joins all messages to one text and asks it with regular expressions; sniffs JSON by its first two characters."""


### BEGIN SOLUTION resnet_tensorrt.trtexec_log
def read_log(path):
    raw = Path(path).read_bytes().decode()
    is_json = raw[:2] == "[["
    if is_json:
        pairs = json.loads(raw)
        text = "\n".join(message for _, message in pairs)
        warnings = len([1 for level, _ in pairs if level == 2])
    else:
        warnings = len(re.findall(r"(?m)^\[[^\]]+\] \[W\]", raw))
        text = re.sub(r"(?m)^\[[^\]]+\] \[[EWIV]\] (?:\[TRT\] )?", "", raw)

    def median(what):
        match = re.search(rf"(?m)^{what}: min.*?median = (\S+) ms", text)
        return float(match.group(1)) if match else None

    profile = re.findall(r"(?m)^  (?!Total|Layer)(.+?) +\S+ +\S+ +\S+ +(\S+)$", text)
    shares = {"all": 0.0, "copies": 0.0}
    for name, share in profile:
        shares["all"] += float(share)
        if re.search("Reformatting CopyNode|output reformatter", name):
            shares["copies"] += float(share)
    device = [int(size) for size in re.findall(r"Device request: (\d+)MB", text)]
    tuned = set(re.findall(r"(Float|Half|Int8)\(", "".join(re.findall(r"combination: (.*)", text))))
    built = re.search(r"Engine built in (\S+) sec", text)
    left = re.findall(r"After .+: (\d+) layers", text)
    result = dict(
        warnings=warnings,
        fused=text.count("Fusing convolution weights from"),
        layers=int(left[-1]) if left else None,
        precisions=sorted(tuned),
        skipped=text.count("Skipping tactic"),
        requested_mb=max(device) if device else None,
        reformat_share=shares["copies"] / shares["all"] if profile else None,
        gpu_ms=median("GPU Compute Time"),
        enqueue_ms=median("Enqueue Time"),
        build_s=float(built[1]) if built else None,
        cause=None,
    )
    if device:
        result["cause"] = "memory"
    elif result["skipped"] > 0:
        result["cause"] = "workspace"
    elif result["fused"] < text.count("ConvReluFusion: Fusing"):
        result["cause"] = "unfused"
    elif not tuned & {"Half", "Int8"}:
        result["cause"] = "precision"
    elif profile and result["reformat_share"] > 0.1:
        result["cause"] = "reformats"
    elif result["gpu_ms"] and result["enqueue_ms"] / result["gpu_ms"] >= 0.9:
        result["cause"] = "host"
    return result


### END SOLUTION
