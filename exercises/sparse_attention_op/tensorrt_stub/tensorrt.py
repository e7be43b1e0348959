"""A STUB of TensorRT's plugin interface, for machines without TensorRT. Not NVIDIA's module.

Names and signatures are those that NVIDIA documents for TensorRT 10 and 11, as far as a plugin of
the third version meets them. Behind them is nothing: no builder, no engine, no registry.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable


class DataType(enum.Enum):
    """Of a tensor's elements."""

    FLOAT = 0
    HALF = 1
    INT8 = 2
    INT32 = 3
    BOOL = 4
    UINT8 = 5
    FP8 = 6
    BF16 = 7
    INT64 = 8


class TensorFormat(enum.Enum):
    """Of a tensor in memory."""

    LINEAR = 0
    CHW2 = 1
    HWC8 = 2
    CHW4 = 3
    CHW16 = 4
    CHW32 = 5


class PluginFieldType(enum.Enum):
    """Of a field's elements."""

    FLOAT16 = 0
    FLOAT32 = 1
    FLOAT64 = 2
    INT8 = 3
    INT16 = 4
    INT32 = 5
    CHAR = 6
    DIMS = 7
    UNKNOWN = 8
    BF16 = 9
    INT64 = 10
    FP8 = 11


class PluginCapabilityType(enum.Enum):
    """What a plugin is asked for."""

    CORE = 0
    BUILD = 1
    RUNTIME = 2


class TensorRTPhase(enum.Enum):
    """When a plugin is made: of a network's node, or of a stored engine."""

    BUILD = 0
    RUNTIME = 1


class PluginField:
    """data: anything with a buffer, as a numpy array; whoever gets it does not own it."""

    def __init__(
        self,
        name: str = "",
        data: object = None,
        type: PluginFieldType = PluginFieldType.UNKNOWN,  # noqa: A002 - TensorRT's name
    ) -> None:
        if data is not None:
            memoryview(data)  # type: ignore[arg-type] - TypeError for what has no buffer
        self.name, self.data, self.type = name, data, type


class PluginFieldCollection(list):
    """Several fields."""


class Dims(list):
    """Sizes. -1 for one that is known at run time only."""


class DimsExprs(list):
    """Sizes as expressions: those of a list, or so many that are still to be set."""

    def __init__(self, sizes: int | Iterable[object] = ()) -> None:
        super().__init__([None] * sizes if isinstance(sizes, int) else sizes)


class PluginTensorDesc:
    """dims, type and format of one tensor."""

    def __init__(self) -> None:
        self.dims = Dims()
        self.type = DataType.FLOAT
        self.format = TensorFormat.LINEAR
        self.scale = -1.0


class DynamicPluginTensorDesc:
    """desc, and the smallest, largest and usual sizes."""

    def __init__(self) -> None:
        self.desc = PluginTensorDesc()
        self.min, self.max, self.opt = Dims(), Dims(), Dims()


class _Bound(type):
    """As a bound class: each base's own __init__ must have been called."""

    def __call__(cls, *arguments: object, **named: object) -> object:
        made = super().__call__(*arguments, **named)
        for base in cls.__mro__:
            if "_called" in vars(base) and base.__name__ not in made.__dict__.get("_bases", ()):
                raise TypeError(f"{base.__name__}.__init__() must be called")
        return made


def _initialized(made: object, name: str) -> None:
    made.__dict__.setdefault("_bases", set()).add(name)


class IPluginCapability(metaclass=_Bound):
    """One kind of question."""


class IPluginV3(metaclass=_Bound):
    """A plugin: get_capability_interface(type), clone()."""

    _called = True

    def __init__(self) -> None:
        _initialized(self, "IPluginV3")


class IPluginV3OneCore(IPluginCapability):
    """plugin_name, plugin_version, plugin_namespace."""

    _called = True

    def __init__(self) -> None:
        _initialized(self, "IPluginV3OneCore")


class IPluginV3OneBuild(IPluginCapability):
    """num_outputs and the builder's questions."""

    _called = True

    def __init__(self) -> None:
        _initialized(self, "IPluginV3OneBuild")

    def get_workspace_size(self, inputs: object, outputs: object) -> int:
        """None is needed."""
        del inputs, outputs
        return 0


class IPluginV3OneRuntime(IPluginCapability):
    """The runtime's questions."""

    _called = True

    def __init__(self) -> None:
        _initialized(self, "IPluginV3OneRuntime")


class IPluginCreatorV3One(metaclass=_Bound):
    """name, plugin_version, plugin_namespace, field_names; create_plugin(name, fields, phase)."""

    _called = True

    def __init__(self) -> None:
        _initialized(self, "IPluginCreatorV3One")
