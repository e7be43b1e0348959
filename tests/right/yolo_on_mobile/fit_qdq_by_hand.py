"""Ranges are read off ONNX Runtime's own outputs, and QDQ pairs are put in by hand, node by node."""


### BEGIN SOLUTION yolo_on_mobile.fit
import os
import tempfile

import budget
import detector
import numpy as np
import onnx
import onnxruntime
import torch
from onnx import helper, numpy_helper
from rewrites import replace_unsupported
from torch.nn.functional import interpolate

QUANTIZED = {"Conv", "Sigmoid", "Mul", "Add"}


def fit(card_path, calibration_path, target):
    """Write the detector to `target`, as ONNX, such that it keeps to the card."""
    with tempfile.TemporaryDirectory() as folder:
        for side in (256, 224, 192, 160, 128, 96, 64, 32):
            floats = os.path.join(folder, "floats.onnx")
            model = exported(side, floats)
            if not {"bytes"}.issuperset(budget.audit(floats, card_path)["over"]):
                continue
            ranges = seen_ranges(model, recorded(calibration_path, side))
            onnx.save(in_integers(model, ranges), target)
            if not budget.audit(target, card_path)["over"]:
                break


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.fit network
def exported(side, path):
    """The network for one picture of the side; task 6 makes one convolution of its stem."""
    torch.onnx.export(
        detector.load(),
        (torch.zeros(1, 3, side, side),),
        path,
        dynamo=False,
        opset_version=17,
        input_names=["pictures"],
        output_names=["small", "middle", "large"],
    )
    # What slices begin at is an initializer for task 6, and a Constant for this exporter.
    model = onnx.load(path)
    for node in [n for n in model.graph.node if n.op_type == "Constant"]:
        tensor = onnx.TensorProto.FromString(node.attribute[0].t.SerializeToString())
        tensor.name = node.output[0]
        model.graph.initializer.append(tensor)
        model.graph.node.remove(node)
    onnx.save(joined_slices(model), path)
    replace_unsupported(path, path)
    return onnx.load(path)


def joined_slices(model):
    """Two slices in a row, of rows and of columns, as one of both."""
    graph = model.graph
    made = {n.output[0]: n for n in graph.node}
    stored = {t.name: t for t in graph.initializer}

    def numbers(node, place):
        return numpy_helper.to_array(stored[node.input[place]])

    for node in list(graph.node):
        before = made.get(node.input[0])
        if node.op_type != "Slice" or before is None or before.op_type != "Slice":
            continue
        names = [before.input[0]]
        for place in (1, 2, 3, 4):
            values = np.concatenate((numbers(before, place), numbers(node, place)))
            names.append(f"{node.output[0]}_{place}")
            graph.initializer.append(numpy_helper.from_array(values, names[-1]))
        node.input[:] = names
    read = {name for n in graph.node for name in n.input}
    for node in [n for n in graph.node if n.op_type == "Slice" and n.output[0] not in read]:
        graph.node.remove(node)
    return model


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.fit weights
def recorded(path, side):
    """Every fourth picture, float32 [n, 3, side, side]."""
    pictures = torch.from_numpy(np.load(path)["pictures"][::4]).permute(0, 3, 1, 2).float() / 255
    return interpolate(pictures, (side, side), mode="bilinear", antialias=True).numpy()


def seen_ranges(model, pictures):
    """The least and the largest value of each tensor of floats."""
    probe = onnx.ModelProto.FromString(model.SerializeToString())
    names = [name for n in probe.graph.node for name in n.output]
    already = {value.name for value in probe.graph.output}
    probe.graph.output.extend(onnx.ValueInfoProto(name=n) for n in names if n not in already)
    session = onnxruntime.InferenceSession(
        probe.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    wanted = [out.name for out in session.get_outputs() if out.type == "tensor(float)"]
    ranges = {"pictures": (0.0, 1.0)}
    for picture in pictures:
        for name, value in zip(wanted, session.run(wanted, {"pictures": picture[None]})):
            low, high = ranges.get(name, (0.0, 0.0))
            ranges[name] = min(low, float(value.min())), max(high, float(value.max()))
    return ranges


def in_integers(model, ranges):
    """The model with each input and output of the operators above in bytes."""
    graph = model.graph
    weights = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    outputs = {value.name for value in graph.output}
    work = [n for n in graph.node if n.op_type in QUANTIZED]
    touched = {
        name for n in work for name in (*n.input[: 1 if n.op_type == "Conv" else 2], *n.output)
    }
    touched = {name for name in touched if name in ranges} - outputs
    nodes, kept = [], {}

    def store(name, values):
        kept[name] = numpy_helper.from_array(values, name)
        return name

    def node(op, inputs, output, **attributes):
        nodes.append(helper.make_node(op, inputs, [output], name=f"{op}_{output}", **attributes))

    def pair(name, floats):
        low, high = ranges[name]
        scale = np.float32(max(high - low, 1e-6) / 255)
        zero = np.uint8(np.clip(round(-low / scale), 0, 255))
        parts = [store(f"{name}_scale", scale), store(f"{name}_zero", zero)]
        node("QuantizeLinear", [floats, *parts], f"{name}_bytes")
        node("DequantizeLinear", [f"{name}_bytes", *parts], f"{name}_near")

    if "pictures" in touched:
        pair("pictures", "pictures")
    for old in graph.node:
        inputs = [f"{name}_near" if name in touched else name for name in old.input]
        if old.op_type == "Conv":
            weight = weights[old.input[1]]
            top = np.abs(weight).max((1, 2, 3))
            scale = (np.maximum(top, 1e-8) / 127).astype(np.float32)
            whole = np.rint(weight / scale[:, None, None, None]).astype(np.int8)
            stem = old.input[1]
            inputs[1] = f"{stem}_near"
            parts = [
                store(f"{stem}_bytes", whole),
                store(f"{stem}_scale", scale),
                store(f"{stem}_zero", np.zeros(len(scale), np.int8)),
            ]
            node("DequantizeLinear", parts, inputs[1], axis=0)
        for name in inputs:
            if name in weights:
                store(name, weights[name])
        new = onnx.NodeProto.FromString(old.SerializeToString())
        new.input[:] = inputs
        if old.op_type == "Conv" and not any(a.name == "kernel_shape" for a in old.attribute):
            # The audit read it off the weight, which is no initializer any more.
            new.attribute.append(helper.make_attribute("kernel_shape", weight.shape[2:]))
        nodes.append(new)
        for name in old.output:
            if name in touched:
                pair(name, name)
    del graph.node[:], graph.initializer[:], graph.value_info[:]
    graph.node.extend(nodes)
    graph.initializer.extend(kept.values())
    return onnx.shape_inference.infer_shapes(model)


### END SOLUTION
