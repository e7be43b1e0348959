"""The budget with arrays; integer operators (QLinearConv) in opset 12 instead of pairs around floats."""


### BEGIN SOLUTION resnet_tensorrt.nano_resnet50 int8
def int8(seed, calibration_path, target):
    from onnxruntime.quantization import (
        CalibrationDataReader,
        CalibrationMethod,
        QuantFormat,
        QuantType,
        quantize_static,
    )

    class Reader(CalibrationDataReader):
        def __init__(self):
            self.frames = np.load(calibration_path)["frames"]
            self.rewind()

        def rewind(self):
            self.at = 0

        def get_next(self):
            if self.at == len(self.frames):
                return None
            frame = torch.from_numpy(self.frames[self.at]).permute(2, 0, 1).float()
            self.at += 1
            return {"pictures": (frame[None] / 127.5 - 1).numpy()}

    floats = Path(tempfile.mkdtemp()) / "network.onnx"
    torch.onnx.export(
        settled(seed),
        torch.zeros(1, 3, 224, 224),
        str(floats),
        dynamo=False,
        opset_version=12,
        input_names=["pictures"],
        output_names=["logits"],
    )
    quantize_static(
        str(floats),
        target,
        Reader(),
        quant_format=QuantFormat.QOperator,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
        per_channel=True,
        calibrate_method=CalibrationMethod.MinMax,
        extra_options={"CalibMovingAverage": False},
    )
    floats.unlink()


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.nano_resnet50 budget
def nano_budget(nodes, precision, board, deadline_ms):
    size = 2 if precision == "fp16" else 4
    count = {"pictures": np.prod(board["input"], dtype=np.int64)}
    for node in nodes:
        count[node["output"]] = np.prod(node["shape"], dtype=np.int64)
    stored = np.array([sum(np.prod(w) for w in node["weights"]) for node in nodes], float)
    results = np.array([count[node["output"]] for node in nodes], float)
    read = np.array([sum(count[name] for name in node["inputs"]) for node in nodes], float)
    per_result = np.array(
        [2 * np.prod(n["weights"][0][1:]) if n["op"] in {"Conv", "Gemm"} else 0 for n in nodes], float
    )
    arithmetic = results * per_result / board["flops_per_s"][precision]
    traffic = size * (stored + results + read) / board["bytes_per_s"]
    latency = float(np.maximum(arithmetic, traffic).sum() * 1e3)

    alive = np.zeros(len(nodes))
    final = nodes[-1]["output"]
    for begin, name in [(0, "pictures"), *((i, n["output"]) for i, n in enumerate(nodes))]:
        readers = [i for i, n in enumerate(nodes) if name in n["inputs"]]
        end = len(nodes) - 1 if name in ("pictures", final) else readers[-1]
        alive[begin : end + 1] += count[name]
    memory = float(size * (stored.sum() + alive.max()) + board["reserved_bytes"])
    return {
        "fits": bool(latency <= deadline_ms) and bool(memory <= board["memory_bytes"]),
        "latency_ms": latency,
        "memory_bytes": memory,
        "arithmetic_limited": int((arithmetic > traffic).sum()),
    }


### END SOLUTION
