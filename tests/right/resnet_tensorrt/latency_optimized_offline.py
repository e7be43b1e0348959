"""The file is optimized by ONNX Runtime beforehand; options by a table, all of them given."""


### BEGIN SOLUTION resnet_tensorrt.latency
import tempfile
from pathlib import Path

import onnxruntime
import torch
from resnet import load


def prepare(target):
    with tempfile.TemporaryDirectory() as folder:
        raw = str(Path(folder, "raw.onnx"))
        torch.onnx.export(
            load(),
            (torch.randn(2, 3, 64, 64),),
            raw,
            dynamo=False,
            opset_version=17,
            input_names=["crops"],
            output_names=["scores"],
            dynamic_axes={"crops": {0: "n"}, "scores": {0: "n"}},
        )
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(target)
        onnxruntime.InferenceSession(raw, options, providers=["CPUExecutionProvider"])


def session_options(threads):
    return dict(
        graph_optimization_level="all",
        execution_mode="sequential",
        intra_op_num_threads=threads,
        inter_op_num_threads=1,
        intra_op_spinning=False,
        inter_op_spinning=False,
        enable_mem_pattern=True,
        enable_cpu_mem_arena=True,
    )


### END SOLUTION
