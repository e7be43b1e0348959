"""The onnxruntime backend, for a server that was built without NVIDIA's.

A python-based backend: the server loads this file for every model whose config.pbtxt says `backend:
"onnxruntime"`. It behaves like NVIDIA's backend, as far as a configuration can ask for it, so that
the same repository runs in NVIDIA's container: `<version>/model.onnx`, a first dimension for the
batch if max_batch_size is above 0, requests of equal shape run as one batch,
`optimization { graph { level } }`, and the parameters intra_op_thread_count, inter_op_thread_count
and execution_mode. If the number of threads is missing or 0, NVIDIA's backend uses all cores and
this one uses one.
"""

# It runs in the server's environment; its packages are missing from Hotloop's.
# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false
import json
from pathlib import Path
from typing import cast

import numpy as np
import onnxruntime as ort
import triton_python_backend_utils as pb

MODEL_FILE = "model.onnx"
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
        """Fill in missing inputs and outputs of the configuration from the ONNX model."""
        config = auto_complete_model_config.as_dict()
        if config.get("input") and config.get("output"):
            return auto_complete_model_config
        folder = Path(config["model_repository"]) if config.get("model_repository") else None
        file = _first_version(folder or Path.cwd(), config.get("default_model_filename"))
        if file is None:
            return auto_complete_model_config
        session = ort.InferenceSession(str(file), providers=["CPUExecutionProvider"])
        batched = config.get("max_batch_size", 0) > 0
        if not config.get("input"):
            for node in session.get_inputs():
                auto_complete_model_config.add_input(_described(node, batched))
        if not config.get("output"):
            for node in session.get_outputs():
                auto_complete_model_config.add_output(_described(node, batched))
        return auto_complete_model_config

    def initialize(self, args):
        """Load the model and check the configuration against it. Raises TritonModelException."""
        config = json.loads(args["model_config"])
        self.batched = config.get("max_batch_size", 0) > 0
        version = Path(args["model_repository"]) / args["model_version"]
        file = version / (config.get("default_model_filename") or MODEL_FILE)
        if not file.is_file():
            raise pb.TritonModelException(f"{file.name} is missing in version {version.name}")
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


def _described(node, batched):
    dims = [size if isinstance(size, int) else -1 for size in node.shape]
    return {"name": node.name, "data_type": TYPES[node.type][0], "dims": dims[int(batched) :]}


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
    model = [size if isinstance(size, int) else -1 for size in node.shape]
    dims = [int(size) for size in tensor["dims"]]
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


def _first_version(folder, file_name):
    versions = sorted((p for p in folder.glob("*") if p.name.isdigit()), key=lambda p: int(p.name))
    for version in versions:
        if (version / (file_name or MODEL_FILE)).is_file():
            return version / (file_name or MODEL_FILE)
    return None
