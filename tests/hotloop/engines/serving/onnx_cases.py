"""Like `repository_cases`, of ONNX models. Needs the onnx package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper
from tests.hotloop.engines.serving.repository_cases import LOADED, REFUSED, Case, Link, warmup

BACKEND = 'backend: "onnxruntime"\n'
Shape = Sequence[str | int]


def relu(
    shape: Shape = ("N", 4),
    out: Shape | None = None,
    *,
    opsets: Sequence[tuple[str, int]] = (("", 17),),
    ir_version: int = 8,
) -> bytes:
    """Return a model Y = relu(X), of float32."""
    tensors = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
        for name, dims in (("X", shape), ("Y", shape if out is None else out))
    ]
    operator = "ReduceMax" if out is not None else "Relu"
    attributes: dict[str, Any] = {"keepdims": 0, "axes": [1]} if out is not None else {}
    node = helper.make_node(operator, ["X"], ["Y"], **attributes)
    graph = helper.make_graph([node], "g", tensors[:1], tensors[1:])
    return _written(graph, opsets, ir_version)


def with_external(**said: str) -> bytes:
    """Return a model Y = X @ W, W in another file. said: its external_data."""
    weight = TensorProto(
        name="W", data_type=TensorProto.FLOAT, dims=[4, 4], data_location=TensorProto.EXTERNAL
    )
    for key, value in said.items():
        weight.external_data.add(key=key, value=value)
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, ["N", 4]) for n in "XY")
    node = helper.make_node("MatMul", ["X", "W"], ["Y"])
    return _written(helper.make_graph([node], "g", [x], [y], [weight]))


def with_external_branch() -> bytes:
    """Return a model whose If has a branch with a weight in another file."""
    weight = TensorProto(
        name="W", data_type=TensorProto.FLOAT, dims=[4], data_location=TensorProto.EXTERNAL
    )
    weight.external_data.add(key="location", value="w.bin")
    z = helper.make_tensor_value_info("Z", TensorProto.FLOAT, [4])
    near = helper.make_tensor("V", TensorProto.FLOAT, [4], np.zeros(4, np.float32))
    branches = [
        helper.make_graph([helper.make_node("Identity", [w.name], ["Z"])], name, [], [z], [w])
        for name, w in (("t", weight), ("e", near))
    ]
    yes = helper.make_tensor("yes", TensorProto.BOOL, [], [True])
    nodes = [
        helper.make_node("If", ["yes"], ["V2"], then_branch=branches[0], else_branch=branches[1]),
        helper.make_node("Add", ["X", "V2"], ["Y"]),
    ]
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, ["N", 4]) for n in "XY")
    return _written(helper.make_graph(nodes, "g", [x], [y], [yes]))


def _written(
    graph: onnx.GraphProto, opsets: Sequence[tuple[str, int]] = (("", 17),), ir_version: int = 8
) -> bytes:
    imports = [helper.make_opsetid(domain, version) for domain, version in opsets]
    model = helper.make_model(graph, opset_imports=imports or [helper.make_opsetid("", 17)])
    model.ir_version = ir_version
    if not imports:
        del model.opset_import[:]
    return model.SerializeToString()


def of(
    name: str,
    verdict: str,
    model: bytes,
    config: str | None = None,
    says: str = "",
    file: str = "model.onnx",
    beside: Mapping[str, bytes | Link] | None = None,
) -> Case:
    """Return a repository of one ONNX model. beside: files of its version's folder."""
    files: dict[str, str | bytes | Link | None] = {f"m/1/{file}": model}
    if config is not None:
        files["m/config.pbtxt"] = config
    files |= {f"m/1/{path}": data for path, data in (beside or {}).items()}
    return Case(name, verdict, files, says)


def whole(batch: int = 8, dims: str = "4", extra: str = "", more: str = "") -> str:
    """Return a complete configuration. extra: fields of both tensors; more: of the model."""
    tensor = f"data_type: TYPE_FP32 dims: [ {dims} ] {extra}"
    return (
        f'{BACKEND}max_batch_size: {batch}\ninput [ {{ name: "X" {tensor} }} ]\n'
        f'output [ {{ name: "Y" {tensor} }} ]\n{more}\n'
    )


_OUT = 'output [ { name: "Y" data_type: TYPE_FP32 dims: [ 4 ] } ]\n'
CASES = (
    of("onnx", LOADED, relu(), whole()),
    of("onnx_alone", LOADED, relu()),
    of("onnx_minimal", LOADED, relu(), BACKEND),
    of("onnx_platform_alone", LOADED, relu(), 'platform: "onnxruntime_onnx"\n'),
    of("onnx_minimal_batch", LOADED, relu(), f"{BACKEND}max_batch_size: 16\n"),
    of("onnx_half", LOADED, relu(), f"{BACKEND}max_batch_size: 16\n{_OUT}"),
    of("onnx_minimal_batcher", LOADED, relu(), f"{BACKEND}dynamic_batching {{ }}\n"),
    of("onnx_minimal_fixed", LOADED, relu((1, 4)), BACKEND),
    of("onnx_minimal_scalars", LOADED, relu(("N", 4), ("N",)), BACKEND),
    of("onnx_minimal_warmup", LOADED, relu(), BACKEND + warmup()),
    of("onnx_minimal_warmup_type", REFUSED, relu(),
       BACKEND + warmup("data_type: TYPE_INT32 dims: [ 4 ] zero_data: true"), "TYPE_INT32"),
    of("onnx_minimal_cannot_batch", REFUSED, relu((1, 4)), f"{BACKEND}max_batch_size: 8\n",
       "cannot batch"),
    of("onnx_half_wrong", REFUSED, relu(), f"{BACKEND}max_batch_size: 16\n"
       + _OUT.replace("FP32", "FP16"), "TYPE_FP32"),
    of("onnx_reshape", LOADED, relu(("N",)), whole(dims="1", extra="reshape { shape: [ ] }")),
    of("onnx_reshape_wrong", REFUSED, relu(("N", 4)),
       whole(dims="4", extra="reshape { shape: [ 2, 2 ] }"), "[-1, 2, 2]"),
    of("onnx_no_batch", LOADED, relu(), whole(0, "-1, 4")),
    of("onnx_preferred_without_batch", REFUSED, relu(),
       f"{BACKEND}dynamic_batching {{ preferred_batch_size: [ 2 ] }}\n"),
    of("onnx_folder", LOADED, relu(), whole(), file="model.onnx/model.onnx"),
    of("onnx_folder_alone", LOADED, relu(), file="model.onnx/model.onnx"),
    of("onnx_folder_of_other", LOADED, relu(), whole(more='default_model_filename: "net"'),
       file="net/model.onnx"),
    of("onnx_folder_empty", REFUSED, relu(), whole(), "it is missing",
       file="model.onnx/net.onnx"),
    of("onnx_folder_weights", LOADED, with_external(location="w.bin"), whole(),
       file="model.onnx/model.onnx", beside={"model.onnx/w.bin": bytes(64)}),
    of("onnx_weights", LOADED, with_external(location="w.bin", offset="0", length="64"), whole(),
       beside={"w.bin": bytes(64)}),
    of("onnx_weights_missing", REFUSED, with_external(location="w.bin"), whole(), "'w.bin'"),
    of("onnx_weights_missing_of_minimal", REFUSED, with_external(location="w.bin"), BACKEND,
       "'w.bin'"),
    of("onnx_weights_of_branch_missing", REFUSED, with_external_branch(), whole(), "'w.bin'"),
    of("onnx_weights_short", REFUSED, with_external(location="w.bin", offset="0", length="64"),
       whole(), "63 bytes", beside={"w.bin": bytes(63)}),
    of("onnx_weights_elsewhere", REFUSED, with_external(location="../w.bin"), whole(), "outside",
       beside={"../w.bin": bytes(64)}),
    of("onnx_weights_unsaid", REFUSED, with_external(offset="0"), whole(), "no location"),
    of("onnx_opset", REFUSED, relu(opsets=[("", 99)]), whole(), "opset 99"),
    of("onnx_opset_of_ml", REFUSED, relu(opsets=[("", 17), ("ai.onnx.ml", 99)]), whole(),
       "opset 99"),
    of("onnx_opset_of_own", LOADED, relu(opsets=[("", 17), ("my.own", 99)]), whole()),
    of("onnx_no_opset", REFUSED, relu(opsets=[]), whole(), "opset"),
    of("onnx_ir", REFUSED, relu(ir_version=99), whole(), "IR version"),
    of("onnx_threads", LOADED, relu(), whole(more="optimization { execution_accelerators { } } "
       'parameters { key: "intra_op_thread_count" value: { string_value: "2" } }')),
    of("onnx_threads_no_number", REFUSED, relu(), whole(
        more='parameters { key: "intra_op_thread_count" value: { string_value: "two" } }'),
       "intra_op_thread_count"),
    of("onnx_runtime", REFUSED, relu(), whole(more='runtime: "other.py"'), "runtime"),
    of("onnx_platform_of_other", REFUSED, relu(), whole(more='platform: "tensorrt_plan"'),
       "'tensorrt_plan'"),
    of("onnx_platform", LOADED, relu(), whole(more='platform: "onnxruntime_onnx"')),
    of("onnx_link", LOADED, relu(), whole(), file="real", beside={"model.onnx": Link("real")}),
)  # fmt: skip
