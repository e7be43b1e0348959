"""The bare network is exported; what comes before and after it are ONNX models that are merged with it."""


### BEGIN SOLUTION resnet_tensorrt.export camera
def stage(text):
    import onnx

    return onnx.parser.parse_graph(text)


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.export
def export(opset, target):
    import numpy as np
    import onnx
    from onnx import TensorProto as T
    from onnx import helper as h
    from onnx import numpy_helper

    bare = torch.onnx.export(
        resnet.load(),
        (torch.zeros(3, 3, 64, 64),),
        dynamo=True,
        opset_version=opset,
        input_names=["pictures"],
        output_names=["logits"],
        dynamic_shapes=({0: torch.export.Dim("batch")},),
        verbose=False,
    ).model_proto
    stored = {
        "camera_order": np.array([2, 1, 0]),
        "camera_mean": 255 * np.array(signs.MEAN, np.float32).reshape(3, 1, 1),
        "camera_deviation": 255 * np.array(signs.DEVIATION, np.float32).reshape(3, 1, 1),
    }
    nodes = [
        h.make_node("Gather", ["frames", "camera_order"], ["rgb"], axis=3),
        h.make_node("Cast", ["rgb"], ["floats"], to=T.FLOAT),
        h.make_node("Transpose", ["floats"], ["planes"], perm=[0, 3, 1, 2]),
        h.make_node("Sub", ["planes", "camera_mean"], ["centered"]),
        h.make_node("Div", ["centered", "camera_deviation"], ["scaled"]),
    ]
    before = h.make_graph(
        nodes,
        "before",
        [h.make_tensor_value_info("frames", T.UINT8, ["batch", 64, 64, 3])],
        [h.make_tensor_value_info("scaled", T.FLOAT, ["batch", 3, 64, 64])],
        [numpy_helper.from_array(value, name) for name, value in stored.items()],
    )
    after = h.make_graph(
        [h.make_node("Softmax", ["x"], ["probabilities"], axis=-1)],
        "after",
        [h.make_tensor_value_info("x", T.FLOAT, ["batch", 10])],
        [h.make_tensor_value_info("probabilities", T.FLOAT, ["batch", 10])],
    )
    versions = dict(opset_imports=[h.make_opsetid("", opset)], ir_version=bare.ir_version)
    del bare.opset_import[:]
    bare.opset_import.append(h.make_opsetid("", opset))
    model = onnx.compose.merge_models(
        h.make_model(before, **versions), bare, io_map=[("scaled", "pictures")]
    )
    model = onnx.compose.merge_models(
        model, h.make_model(after, **versions), io_map=[("logits", "x")]
    )
    onnx.save(model, target)


### END SOLUTION
