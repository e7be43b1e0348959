"""Call a candidate's Python plugin as TensorRT would, with the stub tensorrt.py beside this file.

Call `load` first. The functions are those of plugin_caller.py.
"""

from __future__ import annotations

import ctypes
import json
import operator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import plugin_launch
import tensorrt as trt

from hotloop.worker.files import load_module

if TYPE_CHECKING:
    import torch

CREATOR = "SparseAttentionCreator"
KINDS = {
    trt.PluginFieldType.FLOAT16: np.float16,
    trt.PluginFieldType.FLOAT32: np.float32,
    trt.PluginFieldType.FLOAT64: np.float64,
    trt.PluginFieldType.INT8: np.int8,
    trt.PluginFieldType.INT16: np.int16,
    trt.PluginFieldType.INT32: np.int32,
    trt.PluginFieldType.INT64: np.int64,
    trt.PluginFieldType.CHAR: np.uint8,
    trt.PluginFieldType.UNKNOWN: np.uint8,
}
INPUTS, THRESHOLD = 4, 3
SCRIBBLED = 43
CREATORS: list[Any] = []
PLUGINS: list[Any] = []


def load(path: str) -> list[dict[str, Any]]:
    """Import the file; return what its creator reports."""
    creator = getattr(load_module(Path(path).stem, Path(path)), CREATOR)()
    CREATORS[:] = [creator]
    PLUGINS.clear()
    fields = [[field.name, field.type.value] for field in creator.field_names]
    return [
        {
            "name": creator.name,
            "version": creator.plugin_version,
            "namespace": creator.plugin_namespace,
            "fields": fields,
        }
    ]


def made(block: int, causal: int) -> int:
    """Return the number of a plugin for a node with these attributes, in the creator's types."""
    attributes = {"block": block, "causal": causal}
    fields = [
        (field.name, np.array([attributes[field.name]], KINDS[field.type]), field.type)
        for field in CREATORS[0].field_names
        if field.name in attributes
    ]
    return _created(fields, trt.TensorRTPhase.BUILD)


def cloned(number: int) -> int:
    """Return the number of a clone; the original is destroyed."""
    clone = PLUGINS[number].clone()
    _require_new(clone, "clone", PLUGINS[number])
    PLUGINS[number] = None  # what the clone shares with it lives on, as Python's memory does
    return _registered(clone)


def attached(number: int) -> int:
    """Return the number of a plugin attached to a context; the original remains."""
    plugin = PLUGINS[number].attach_to_context(None)
    _require_new(plugin, "attach_to_context", PLUGINS[number])
    return _registered(plugin)


def stored(number: int) -> str:
    """Return the fields that an engine stores of a plugin, as JSON; the plugin is destroyed."""
    reported = PLUGINS[number].get_fields_to_serialize()
    fields = [
        [f.name, f.type.value, np.frombuffer(f.data, KINDS[f.type]).tolist()] for f in reported
    ]
    PLUGINS[number] = None
    return json.dumps(fields)


def restored(fields: str) -> int:
    """Return the number of a plugin created from stored fields."""
    kinds = [trt.PluginFieldType(kind) for _, kind, _ in json.loads(fields)]
    created = [
        (name, np.array(values, KINDS[kind]), kind)
        for (name, _, values), kind in zip(json.loads(fields), kinds, strict=True)
    ]
    return _created(created, trt.TensorRTPhase.RUNTIME)


def described(number: int, sizes: str) -> dict[str, Any]:
    """Return capabilities (bits), names, outputs, types and shape."""
    plugin = PLUGINS[number]
    kinds = (trt.IPluginV3OneCore, trt.IPluginV3OneBuild, trt.IPluginV3OneRuntime)
    interfaces = map(plugin.get_capability_interface, trt.PluginCapabilityType)
    pairs = zip(interfaces, kinds, strict=True)
    bits = sum(isinstance(each, kind) << i for i, (each, kind) in enumerate(pairs))
    types = [
        plugin.get_output_data_types([*[kind] * THRESHOLD, trt.DataType.FLOAT])[0].value
        for kind in (trt.DataType.FLOAT, trt.DataType.HALF)
    ]
    expressions = [trt.DimsExprs(map(_Size, _dims(i, json.loads(sizes)))) for i in range(INPUTS)]
    (shape,) = plugin.get_output_shapes(expressions, [], None)
    return {
        "capabilities": bits,
        "name": plugin.plugin_name,
        "version": plugin.plugin_version,
        "namespace": plugin.plugin_namespace,
        "outputs": plugin.num_outputs,
        "types": types,
        "shape": [each.hidden for each in shape],
    }


def supports(number: int, calls: str) -> list[bool]:
    """Return an answer for each [position, types, formats] in `calls` (JSON)."""
    reported: list[bool] = []
    for position, types, formats in json.loads(calls):
        all_of_them = [trt.DynamicPluginTensorDesc() for _ in range(INPUTS + 1)]
        for i, each in enumerate(all_of_them):
            # Tensors after `position` have no valid type or format yet.
            each.desc.type = trt.DataType(types[i]) if i <= position else None
            each.desc.format = trt.TensorFormat(formats[i]) if i <= position else None
        answer = PLUGINS[number].supports_format_combination(position, all_of_them, INPUTS)
        reported.append(bool(answer))
    return reported


def workspace(number: int, least: str, usual: str, most: str, half: int) -> int:
    """Return the workspace that the plugin asks for, in bytes."""
    return operator.index(PLUGINS[number].get_workspace_size(*_planned(least, usual, most, half)))


def configured(number: int, least: str, usual: str, most: str, half: int) -> int:
    """Configure the plugin; return 0 unless it raises."""
    PLUGINS[number].configure_plugin(*_planned(least, usual, most, half))
    return 0


def shaped(number: int, sizes: str, half: int) -> int:
    """Report new shapes to the plugin; return 0 unless it raises."""
    PLUGINS[number].on_shape_change(*_descs(json.loads(sizes), half))
    return 0


def run(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    threshold: torch.Tensor,
    number: int,
    workspace_bytes: int,
    stream: int,
    out: torch.Tensor,
) -> None:
    """Enqueue plugin `number`. stream: any number stands for a stream; 0 for the default one."""
    tensors = [x.contiguous() for x in (q, k, v, threshold)]
    memory = (ctypes.c_char * (workspace_bytes + 1))()
    half, sizes = q.element_size() == 2, list(q.shape)
    place = ctypes.addressof(memory)
    expected = {"half": half, "sizes": tuple(sizes), "stream": stream}
    expected |= {"workspace": place, "bytes": workspace_bytes}
    plugin_launch.expected = expected
    ins, outs = _descs(sizes, int(half))
    addresses = [x.data_ptr() for x in tensors]
    PLUGINS[number].enqueue(ins, outs, addresses, [out.data_ptr()], place, stream)
    if "launched" not in expected:
        raise RuntimeError("enqueue launched nothing")


class _Size:
    """A size that is known only at run time."""

    def __init__(self, hidden: int) -> None:
        self.hidden = hidden

    def is_constant(self) -> bool:
        """Return False, always."""
        return False


def _created(fields: list[tuple[str, np.ndarray, Any]], phase: Any) -> int:
    """Create a plugin, then overwrite the fields' memory, which the plugin must have copied."""
    collection = trt.PluginFieldCollection(trt.PluginField(*field) for field in fields)
    plugin = CREATORS[0].create_plugin("trial", collection, phase)
    for _, data, _ in fields:
        data[...] = SCRIBBLED
    return _registered(plugin)


def _require_new(plugin: Any, name: str, old: Any) -> None:
    if plugin is None or plugin is old:
        raise RuntimeError(f"{name} returned no new plugin")


def _registered(plugin: Any) -> int:
    if not isinstance(plugin, trt.IPluginV3):
        raise TypeError(f"this is no plugin: {type(plugin).__name__}")
    PLUGINS.append(plugin)
    return len(PLUGINS) - 1


def _dims(position: int, sizes: list[int]) -> list[int]:
    return [sizes[1]] if position == THRESHOLD else sizes


def _desc(position: int, sizes: list[int], half: int) -> Any:
    desc = trt.PluginTensorDesc()
    desc.dims = trt.Dims(_dims(position, sizes))
    is_half = bool(half) and position != THRESHOLD
    desc.type = trt.DataType.HALF if is_half else trt.DataType.FLOAT
    return desc


def _descs(sizes: list[int], half: int) -> tuple[list[Any], list[Any]]:
    return [_desc(i, sizes, half) for i in range(INPUTS)], [_desc(INPUTS, sizes, half)]


def _planned(least: str, usual: str, most: str, half: int) -> tuple[list[Any], list[Any]]:
    small, middle, large = (json.loads(text) for text in (least, usual, most))
    known = [b if a == b else -1 for a, b in zip(small, large, strict=True)]
    descs = []
    for position in range(INPUTS + 1):
        each = trt.DynamicPluginTensorDesc()
        each.desc = _desc(position, known, half)
        each.min, each.max, each.opt = (
            trt.Dims(_dims(position, sizes)) for sizes in (small, large, middle)
        )
        descs.append(each)
    return descs[:INPUTS], descs[INPUTS:]
