"""The onnxruntime backend, for a server that was built without NVIDIA's.

A python-based backend: the server loads this file for every model whose config.pbtxt says `backend:
"onnxruntime"`. It behaves like NVIDIA's backend, as far as a configuration can ask for it, so that
the same repository runs in NVIDIA's container: `<version>/model.onnx`, a file or a folder with a
file of that name; inputs, outputs and batching from the model, if inputs or outputs are not
configured; a first dimension for the batch if max_batch_size is above 0, requests of equal shape
run as one batch, `optimization { graph { level } }`, and the parameters intra_op_thread_count,
inter_op_thread_count and execution_mode. If the number of threads is missing or 0, NVIDIA's backend
uses all cores and this one uses one.
"""

# It runs in the server's environment; its packages are missing from Hotloop's.
# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false
import json
import os
from pathlib import Path
from typing import cast

import numpy as np
import onnxruntime as ort
import triton_python_backend_utils as pb

MODEL_FILE = "model.onnx"
DEFAULT_BATCH = 4  # of NVIDIA's backend, for a model that can batch
# Element types: ONNX's name, then Triton's and NumPy's.
TYPES = {
    "tensor(bool)": ("TYPE_BOOL", np.bool_),
    "tensor(uint8)": ("TYPE_UINT8", np.uint8),
    "tensor(uint16)": ("TYPE_UINT16", np.uint16),
    "tensor(uint32)": ("TYPE_UINT32", np.uint32),
    "tensor(uint64)": ("TYPE_UINT64", np.uint64),
    "tensor(int8)": ("TYPE_INT8", np.int8),
    "tensor(int16)": ("TYPE_INT16", np.int16),
    "tensor(int32)": ("TYPE_INT32", np.int32),
    "tensor(int64)": ("TYPE_INT64", np.int64),
    "tensor(float16)": ("TYPE_FP16", np.float16),
    "tensor(float)": ("TYPE_FP32", np.float32),
    "tensor(double)": ("TYPE_FP64", np.float64),
    "tensor(string)": ("TYPE_STRING", np.object_),
}
# Numbered as in NVIDIA's backend; any other level means all optimizations.
GRAPH_LEVELS = {
    -1: ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    1: ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    2: ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
}


class TritonPythonModel:
    """One instance of one ONNX model."""

    @staticmethod
    def auto_complete_config(auto_complete_model_config):
        """Fill in missing inputs, outputs and batching of the configuration from the ONNX model."""
        config = auto_complete_model_config.as_dict()
        if config.get("input") and config.get("output"):
            return auto_complete_model_config
        file = _model_file(_version_folder(), config)
        if not file.is_file():
            return auto_complete_model_config  # initialize says so
        session = ort.InferenceSession(str(file), providers=["CPUExecutionProvider"])
        nodes = {"input": session.get_inputs(), "output": session.get_outputs()}
        _complete_batching(auto_complete_model_config, [*nodes["input"], *nodes["output"]])
        batched = config["max_batch_size"] > 0
        for key, actual in nodes.items():
            if not config.get(key):
                config[key] = [_described(node, batched) for node in actual]
        return auto_complete_model_config

    def initialize(self, args):
        """Load the model and check the configuration against it. Raises TritonModelException."""
        config = json.loads(args["model_config"])
        self.batched = config.get("max_batch_size", 0) > 0
        version = Path(args["model_repository"]) / args["model_version"]
        file = _model_file(version, config)
        if not file.is_file():
            missing = file.relative_to(version)
            raise pb.TritonModelException(f"{missing} is missing in version {version.name}")
        providers: list = ["CPUExecutionProvider"]
        if args["model_instance_kind"] == "GPU":
            if "CUDAExecutionProvider" not in ort.get_available_providers():
                raise pb.TritonModelException(
                    "instance group of KIND_GPU: this onnxruntime was built for CPUs only"
                )
            device = {"device_id": int(args["model_instance_device_id"])}
            providers.insert(0, ("CUDAExecutionProvider", device))
        self.session = ort.InferenceSession(
            str(file), sess_options=_options(config), providers=providers
        )
        self.inputs = [node.name for node in self.session.get_inputs()]
        self.outputs = [node.name for node in self.session.get_outputs()]
        self.types = {node.name: TYPES[node.type][1] for node in self.session.get_inputs()}
        for node in self.session.get_inputs():
            _compare(node, config.get("input", []), self.batched, "input")
        declared = {tensor["name"] for tensor in config.get("output", [])}
        for node in self.session.get_outputs():
            if node.name in declared:
                _compare(node, config.get("output", []), self.batched, "output")
        _refuse_unknown(config, self.inputs, self.outputs)

    def execute(self, requests):
        """Run requests with equal shapes as one batch; return one response per request."""
        responses = [None] * len(requests)
        groups = {}
        for index, request in enumerate(requests):
            try:
                feed = self._feed(request)
            except Exception as error:  # noqa: BLE001 - of one request: the others go on
                responses[index] = _failed(error)
                continue
            shapes = tuple(array.shape[1:] for array in feed.values())
            groups.setdefault(shapes if self.batched else index, []).append((index, feed))
        for members in groups.values():
            self._run(members, requests, responses)
        return responses

    def _feed(self, request):
        feed = {}
        for name in self.inputs:
            tensor = pb.get_input_tensor_by_name(request, name)
            if tensor is None:
                raise ValueError(f"input '{name}' is missing")
            array = tensor.as_numpy()
            if self.types[name] is np.object_:
                array = np.array([_text(v) for v in array.reshape(-1)], object).reshape(array.shape)
            feed[name] = array
        return feed

    def _run(self, members, requests, responses):
        feeds = [feed for _, feed in members]
        if len(feeds) == 1:
            joined = feeds[0]
        else:
            joined = {name: np.concatenate([feed[name] for feed in feeds]) for name in self.inputs}
        try:
            found = cast("list[np.ndarray]", self.session.run(self.outputs, joined))
            results = dict(zip(self.outputs, found, strict=True))
        except Exception as error:  # noqa: BLE001 - onnxruntime has no common ancestor of errors
            for index, _ in members:
                responses[index] = _failed(error)
            return
        first = 0
        for index, feed in members:
            last = first + len(feed[self.inputs[0]]) if self.batched else None
            wanted = set(requests[index].requested_output_names())
            tensors = [
                pb.Tensor(name, np.ascontiguousarray(array[first:last]) if self.batched else array)
                for name, array in results.items()
                if name in wanted
            ]
            responses[index] = pb.InferenceResponse(output_tensors=tensors)
            first = last or 0


def _failed(error):
    message = f"{type(error).__name__}: {error}"
    return pb.InferenceResponse(output_tensors=[], error=pb.TritonError(message))


def _text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def _options(config):
    parameters = config.get("parameters", {})
    options = ort.SessionOptions()
    # With a given number, onnxruntime does not pin its threads, which a sandbox forbids.
    options.intra_op_num_threads = int(_parameter(parameters, "intra_op_thread_count", "1")) or 1
    options.inter_op_num_threads = int(_parameter(parameters, "inter_op_thread_count", "1")) or 1
    if _parameter(parameters, "execution_mode", "0") == "1":
        options.execution_mode = ort.ExecutionMode.ORT_PARALLEL
    level = config.get("optimization", {}).get("graph", {}).get("level", 0)
    everything = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.graph_optimization_level = GRAPH_LEVELS.get(int(level), everything)
    return options


def _parameter(parameters, name, default):
    return parameters.get(name, {}).get("string_value", default)


def _model_file(version, config):
    """Return the model's file; a folder of its name holds it, with the files of its weights."""
    path = version / (config.get("default_model_filename") or MODEL_FILE)
    return path / MODEL_FILE if path.is_dir() else path


def _version_folder():
    """Return the model's version folder, which the server tells the stub, but no model.

    The stub's first argument is the path of the model.py that a Python model would have there.
    """
    arguments = Path("/proc/self/cmdline").read_bytes().split(b"\0")
    return Path(os.fsdecode(arguments[1])).parent


def _complete_batching(completing, nodes):
    """Let a model batch whose tensors all have a variable first dimension, as NVIDIA's backend."""
    config = completing.as_dict()
    can_batch = all(_sizes(node)[:1] == [-1] for node in nodes)
    if not can_batch and config["max_batch_size"] > 0:
        raise pb.TritonModelException(
            f"autofill failed for model '{config['name']}': model does not support batching while "
            "non-zero max_batch_size is specified"
        )
    if not can_batch:
        return
    if config["max_batch_size"] == 0:
        completing.set_max_batch_size(DEFAULT_BATCH)
    if config["max_batch_size"] > 1 and "sequence_batching" not in config:
        completing.set_dynamic_batching()


def _sizes(node):
    return [size if isinstance(size, int) else -1 for size in node.shape]


def _described(node, batched):
    dims = _sizes(node)[int(batched) :]
    described = {"name": node.name, "data_type": TYPES[node.type][0], "dims": dims or [1]}
    if not dims and batched:
        described["reshape"] = {"shape": []}
    return described


def _compare(node, declared, batched, what):
    """Compare a tensor with the configuration; messages use NVIDIA's words, for web searches."""
    tensor = next((t for t in declared if t["name"] == node.name), None)
    if tensor is None:
        raise pb.TritonModelException(f"the configuration lacks the model's {what} '{node.name}'")
    expected = TYPES[node.type][0]
    if tensor["data_type"] != expected:
        raise pb.TritonModelException(
            f"{what} '{node.name}': the model has {expected}, "
            f"the configuration {tensor['data_type']}"
        )
    model = _sizes(node)
    dims = [int(size) for size in tensor.get("reshape", {}).get("shape", tensor["dims"])]
    full = [-1, *dims] if batched else dims
    if len(model) == len(full) and all(a == b or a == -1 for a, b in zip(model, full, strict=True)):
        return
    batch = " (an initial batch dimension because max_batch_size > 0, then dims)" if batched else ""
    raise pb.TritonModelException(
        f"tensor '{node.name}': the model expects {len(model)} dimensions (shape {model}) but the "
        f"model configuration specifies {len(full)} dimensions{batch}: {full}"
    )


def _refuse_unknown(config, inputs, outputs):
    for key, names in (("input", inputs), ("output", outputs)):
        for tensor in config.get(key, []):
            if tensor["name"] not in names:
                raise pb.TritonModelException(
                    f"unexpected {key} '{tensor['name']}': the model has {', '.join(names)}"
                )
