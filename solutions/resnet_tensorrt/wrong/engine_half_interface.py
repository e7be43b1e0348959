"""Converts inputs and outputs too, so that every caller has to change.

fails: engine.half
"""


### BEGIN SOLUTION resnet_tensorrt.engine half
def in_half(source, target):
    """Write the ONNX model at `source` to `target` with its arithmetic in float16.

    Names, shapes and types of inputs and outputs stay.
    """
    import onnx
    from onnxruntime.transformers.float16 import convert_float_to_float16
    from onnxruntime.transformers.onnx_model import OnnxModel

    half = OnnxModel(convert_float_to_float16(onnx.load(source), keep_io_types=False))
    # The casts of the inputs were put at the end; a valid file has every node after its inputs.
    half.topological_sort()
    onnx.save(half.model, target)


### END SOLUTION
