"""IR version, opset, model version: what each one gates, and which reader refuses what."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, version_converter

SHAPE = [2, 3, 4]


def model(ir_version: int, opset: int, operator: str = "Relu") -> onnx.ModelProto:
    """One operator with one input and one output."""
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, SHAPE) for name in "xy"]
    graph = helper.make_graph([helper.make_node(operator, ["x"], ["y"])], "g", ends[:1], ends[1:])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = ir_version
    return made


def checker(made: onnx.ModelProto) -> bool:
    """Whether the library that comes with the standard takes it."""
    try:
        onnx.checker.check_model(made)
    except onnx.checker.ValidationError:
        return False
    return True


def runtime(made: onnx.ModelProto) -> str:
    """What ONNX Runtime says."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        onnxruntime.InferenceSession(
            made.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # noqa: BLE001 its exceptions have no common class
        return "the IR version" if "IR version" in str(error) else "the opset"
    return "nothing"


def answer(made: onnx.ModelProto, x: np.ndarray) -> np.ndarray:
    """Of ONNX Runtime."""
    session = onnxruntime.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return np.asarray(session.run(None, {"x": x})[0])


def softmax_axis(opset: int) -> int:
    """The default of one operator's attribute, as its schema of that opset says."""
    schema = onnx.defs.get_schema("Softmax", opset, "")
    return int(schema.attributes["axis"].default_value.i)


def main() -> None:
    """Print who refuses what."""
    newest_ir, newest_opset = onnx.IR_VERSION, onnx.defs.onnx_opset_version()
    for ir, opset in ((8, 17), (3, 9), (99, 17)):
        made = model(ir, opset)
        taken = "takes" if checker(made) else "refuses"
        print(f"IR {ir}, opset {opset}: checker {taken} it, runtime refuses {runtime(made)}")
    assert checker(model(newest_ir, newest_opset))
    assert runtime(model(newest_ir, 17)) in ("nothing", "the IR version")
    assert runtime(model(8, newest_opset)) in ("nothing", "the opset")
    print("the checker takes its own newest of both; the runtime may refuse the IR, or the opset")
    assert checker(model(8, 17))
    assert runtime(model(8, 17)) == runtime(model(3, 9)) == "nothing"
    assert not checker(model(99, 17))
    assert runtime(model(99, 17)) == "the IR version"

    default = helper.make_model(model(8, 17).graph)
    assert default.ir_version == newest_ir
    assert default.opset_import[0].version == newest_opset
    print("make_model without versions writes the newest of both, whatever the runtime reads")
    oldest = helper.find_min_ir_version_for([helper.make_opsetid("", 17)])
    print(f"opset 17 needs IR {oldest} at least")
    assert oldest == 8

    print(f"Softmax: axis by default {softmax_axis(12)} in opset 12, {softmax_axis(13)} in 13")
    assert (softmax_axis(12), softmax_axis(13)) == (1, -1)
    up = version_converter.convert_version(model(6, 12, "Softmax"), 13)
    added = [node.op_type for node in up.graph.node]
    print(f"converted from 12 to 13: {', '.join(added)}")
    relabeled = model(7, 13, "Softmax")
    assert checker(relabeled)
    x = np.arange(24, dtype=np.float32).reshape(SHAPE)
    before, same, other = (answer(made, x) for made in (model(6, 12, "Softmax"), up, relabeled))
    assert np.allclose(before, same)
    assert not np.allclose(before, other)
    print(
        f"writing 13 over 12 by hand: checked, and sums to {other.sum():g} instead of "
        f"{before.sum():g}"
    )
    custom = model(8, 17, "MyOwn")
    custom.graph.node[0].domain = "my.domain"
    assert not checker(custom), "each domain that is used has to be imported"
    custom.opset_import.append(helper.make_opsetid("my.domain", 1))
    assert checker(custom)
    assert runtime(custom) != "nothing"
    print("a domain of one's own: imported, the checker takes it and the runtime has no kernel")


if __name__ == "__main__":
    main()
