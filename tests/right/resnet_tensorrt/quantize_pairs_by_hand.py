"""ONNX Runtime folds, ranges are read off outputs of its own, and QDQ pairs are put in by onnx.helper."""


### BEGIN SOLUTION resnet_tensorrt.quantize
import numpy as np
import onnx
import onnxruntime
import signs
from onnx import helper, numpy_helper


def quantize(source, calibration_path, target):
    """Write the network of the ONNX file `source` to `target`, with 8-bit integers."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = f"{target}.basic"
    onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])
    model = onnx.load(f"{target}.basic")
    with np.load(calibration_path) as recorded:
        frames = recorded["frames"]
    chosen = np.linspace(0, len(frames) - 1, 64).astype(int)
    ranges = observed(model, [signs.normalize(frames[i : i + 1]) for i in chosen])
    onnx.save(with_pairs(model, ranges), target)


def observed(model, batches):
    """The least and largest value of what each Conv, Gemm and Add reads."""
    wanted = {
        name
        for node in model.graph.node
        if node.op_type in ("Conv", "Gemm", "MatMul", "Add")
        for name in node.input[: 2 if node.op_type == "Add" else 1]
    }
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    given = {value.name for value in probe.graph.input}
    kept = {value.name for value in probe.graph.output}
    probe.graph.output.extend(
        helper.make_empty_tensor_value_info(name) for name in sorted(wanted - given - kept)
    )
    session = onnxruntime.InferenceSession(probe.SerializeToString())
    names = [each.name for each in session.get_outputs()]
    ranges = {}
    for batch in batches:
        values = dict(zip(names, session.run(None, {"pictures": batch})), pictures=batch)
        for name in wanted & values.keys():
            low, high = float(values[name].min()), float(values[name].max())
            old = ranges.get(name, (0.0, 0.0))
            ranges[name] = (min(old[0], low), max(old[1], high))
    return ranges


def with_pairs(model, ranges):
    graph = model.graph
    values = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    nodes, stored, done = [], {}, set()

    def keep(name, array):
        stored[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def pair(name):
        low, high = ranges[name]
        scale = np.array((high - low) / 255, np.float32)
        zero = np.array(np.clip(round(-low / float(scale)), 0, 255), np.uint8)
        ends = [keep(f"{name}.scale", scale), keep(f"{name}.zero", zero)]
        nodes.append(helper.make_node("QuantizeLinear", [name, *ends], [f"{name}.q"]))
        nodes.append(helper.make_node("DequantizeLinear", [f"{name}.q", *ends], [f"{name}.dq"]))

    def integers(name, axis):
        array = values[name]
        others = tuple(a for a in range(array.ndim) if a != axis)
        scale = (np.abs(array).max(others) / 127).clip(1e-12).astype(np.float32)
        shape = [-1 if a == axis else 1 for a in range(array.ndim)]
        whole = np.rint(array / scale.reshape(shape)).clip(-127, 127).astype(np.int8)
        parts = [keep(f"{name}.q", whole), keep(f"{name}.scale", scale)]
        parts.append(keep(f"{name}.zero", np.zeros(len(scale), np.int8)))
        nodes.append(helper.make_node("DequantizeLinear", parts, [f"{name}.dq"], axis=axis))
        return f"{name}.dq"

    for node in graph.node:
        reads = list(node.input)
        if node.op_type in ("Conv", "Gemm", "MatMul", "Add"):
            for place in range(2 if node.op_type == "Add" else 1):
                if reads[place] not in ranges:
                    continue
                if reads[place] not in done:
                    done.add(reads[place])
                    pair(reads[place])
                reads[place] += ".dq"
        if node.op_type == "Conv":
            reads[1] = integers(reads[1], 0)
        if node.op_type in ("Gemm", "MatMul"):
            turned = any(a.name == "transB" and a.i for a in node.attribute)
            reads[1] = integers(reads[1], 0 if turned else 1)
        for name in reads:
            if name in values:
                keep(name, values[name])
        node.input[:] = reads
        nodes.append(node)
    made = helper.make_graph(nodes, "signs", graph.input, graph.output, stored.values())
    return helper.make_model(
        made, opset_imports=[helper.make_opsetid("", 17)], ir_version=model.ir_version
    )


### END SOLUTION
