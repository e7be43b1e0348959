"""Signed and symmetric ranges, as TensorRT wants them; the board as a class, lives by a list of readers."""


### BEGIN SOLUTION resnet_tensorrt.nano_resnet50 int8
import onnxruntime.quantization as quantization


class OneByOne(quantization.CalibrationDataReader):
    def __init__(self, frames):
        self.frames = list(frames)

    def get_next(self):
        if not self.frames:
            return None
        frame = self.frames.pop().astype(np.float32).transpose(2, 0, 1)
        return {"pictures": (frame - 127.5)[np.newaxis] / np.float32(127.5)}


def int8(seed, calibration_path, target):
    path = Path(target).with_name("floats.onnx")
    with torch.inference_mode():
        torch.onnx.export(
            torch.nn.Sequential(settled(seed)),
            (torch.rand(1, 3, SIDE, SIDE),),
            str(path),
            input_names=["pictures"],
            output_names=["logits"],
            opset_version=13,
            dynamo=False,
        )
    with np.load(calibration_path) as file:
        reader = OneByOne(file["frames"])
    quantization.quantize_static(
        path,
        target,
        reader,
        quant_format=quantization.QuantFormat.QDQ,
        activation_type=quantization.QuantType.QInt8,
        weight_type=quantization.QuantType.QInt8,
        per_channel=True,
        calibrate_method=quantization.CalibrationMethod.MinMax,
        extra_options={"ActivationSymmetric": True, "WeightSymmetric": True},
    )


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.nano_resnet50 budget
from math import prod


class Board:
    def __init__(self, facts, precision):
        self.flops = facts["flops_per_s"][precision]
        self.bandwidth = facts["bytes_per_s"] / {"fp32": 4, "fp16": 2}[precision]

    def times(self, node, numbers):
        weights = sum(map(prod, node["weights"]))
        moved = weights + prod(node["shape"]) + sum(numbers[name] for name in node["inputs"])
        products = prod(node["shape"]) * prod(node["weights"][0][1:]) if node["weights"] else 0
        return 2 * products / self.flops, moved / self.bandwidth


def nano_budget(nodes, precision, board, deadline_ms):
    numbers = {"pictures": prod(board["input"])} | {n["output"]: prod(n["shape"]) for n in nodes}
    times = [Board(board, precision).times(node, numbers) for node in nodes]
    latency = sum(max(pair) for pair in times) * 1000
    peak = 0
    left = [name for node in nodes for name in node["inputs"]]
    left += ["pictures", nodes[-1]["output"]]  # they stay
    alive = ["pictures"]
    for node in nodes:
        alive.append(node["output"])
        peak = max(peak, sum(numbers[name] for name in alive))
        for name in node["inputs"]:
            left.remove(name)
        alive = [name for name in alive if name in left]
    size = 4 if precision == "fp32" else 2
    weights = sum(prod(shape) for node in nodes for shape in node["weights"])
    memory = size * (weights + peak) + board["reserved_bytes"]
    return dict(
        latency_ms=latency,
        memory_bytes=memory,
        arithmetic_limited=sum(arithmetic > traffic for arithmetic, traffic in times),
        fits=latency <= deadline_ms and memory <= board["memory_bytes"],
    )


### END SOLUTION
