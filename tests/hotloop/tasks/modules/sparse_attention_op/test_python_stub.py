"""The stub of TensorRT's Python module: what it refuses, and that it has the real names."""

import ctypes
import importlib
import importlib.util
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hotloop.tasks.modules.sparse_attention_op import files, plugins

LIBRARIES = ("libnvinfer", "libnvinfer_plugin", "libnvonnxparser")
ENTRIES = (
    "createInferBuilder_INTERNAL",
    "createInferRefitter_INTERNAL",
    "createInferRuntime_INTERNAL",
    "createNvOnnxParserRefitter_INTERNAL",
    "createNvOnnxParser_INTERNAL",
    "getBuilderPluginRegistry",
    "getNvOnnxParserVersion",
    "getPluginRegistry",
    "initLibNvInferPlugins",
)
METHODS = {
    "IPluginV3": ("get_capability_interface", "clone"),
    "IPluginV3OneCore": (),
    "IPluginV3OneBuild": (
        "get_output_data_types",
        "get_output_shapes",
        "supports_format_combination",
        "get_workspace_size",
        "configure_plugin",
    ),
    "IPluginV3OneRuntime": (
        "on_shape_change",
        "set_tactic",
        "enqueue",
        "attach_to_context",
        "get_fields_to_serialize",
    ),
    "IPluginCreatorV3One": ("create_plugin",),
}
"""Methods that a plugin implements, by the class that requires them."""


@pytest.fixture(scope="module", name="stub")
def _stub(load_file: Callable[[Path], ModuleType]) -> ModuleType:
    return load_file(files.EXERCISE / plugins.STUB / "tensorrt.py")


@pytest.fixture(scope="module", name="bindings")
def _bindings(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Loads NVIDIA's bindings without NVIDIA's libraries: their entry points return nothing."""
    spec = importlib.util.find_spec("tensorrt_bindings")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("no bindings: python -m pip install tensorrt_cu13_bindings --no-deps")
    folder = tmp_path_factory.mktemp("empty")
    source = folder / "empty.c"
    source.write_text("".join(f"void* {name}(void) {{ return 0; }}\n" for name in ENTRIES))
    module = Path(next(iter(spec.submodule_search_locations))) / "tensorrt.so"
    major = _major(module)
    for name in LIBRARIES:
        library = folder / f"{name}.so.{major}"
        flags = ["-shared", "-fPIC", f"-Wl,-soname,{library.name}"]
        subprocess.run(["gcc", *flags, str(source), "-o", str(library)], check=True)
        ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    return importlib.import_module("tensorrt_bindings.tensorrt")


def _major(module: Path) -> str:
    text = module.read_bytes()
    place = text.index(b"libnvinfer.so.") + len(b"libnvinfer.so.")
    return text[place : text.index(b"\0", place)].decode()


def test_a_plugin_must_call_its_bases(stub: ModuleType) -> None:
    class Forgets(stub.IPluginV3, stub.IPluginV3OneBuild):
        def __init__(self) -> None:
            stub.IPluginV3.__init__(self)

    with pytest.raises(TypeError, match="IPluginV3OneBuild"):
        Forgets()


def test_a_field_is_a_buffer(stub: ModuleType) -> None:
    stub.PluginField("block", np.array([16], np.int64), stub.PluginFieldType.INT64)
    with pytest.raises(TypeError):
        stub.PluginField("block", 16, stub.PluginFieldType.INT64)


@pytest.mark.parametrize(
    "name",
    ["DataType", "TensorFormat", "PluginFieldType", "PluginCapabilityType", "TensorRTPhase"],
)
def test_names_and_values_are_the_real_ones(name: str, stub: ModuleType, bindings: Any) -> None:
    for member in getattr(stub, name):
        assert int(getattr(getattr(bindings, name), member.name)) == member.value


def test_classes_ask_for_what_the_real_ones_ask_for(stub: ModuleType, bindings: Any) -> None:
    for name, methods in METHODS.items():
        assert hasattr(stub, name)
        for method in methods:
            assert hasattr(getattr(bindings, name), method), f"{name}.{method}"
