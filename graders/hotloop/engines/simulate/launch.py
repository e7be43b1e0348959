"""Launches one kernel of a file by name on the caller's arrays, without a host program."""

import struct
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from hotloop.engines.simulate.build import Built
from hotloop.engines.simulate.device import Device, TimedOut
from hotloop.engines.simulate.host import OUT_OF_MEMORY, SUCCESS, Host
from hotloop.engines.simulate.instrument import ArgumentSlot
from hotloop.engines.simulate.orders import TIMEOUT_S
from hotloop.engines.simulate.problem import SimulatorError
from hotloop.engines.simulate.report import Finding, SimulatorReport, Triple, WarpStep
from hotloop.engines.simulate.tensor_map import Tile

_FORMATS = {("integer", 1): "b", ("integer", 2): "h", ("integer", 4): "i", ("integer", 8): "q",
            ("float", 4): "f", ("float", 8): "d"}  # fmt: skip


@dataclass(frozen=True)
class Array:
    """Memory that a kernel gets a pointer to.

    name: used in findings. data: bytes; after the launch an output's data is what the kernel wrote.
    is_output: the kernel may write to it, and must not read a byte before it has written it.
    tile: the kernel gets a tensor map instead, of an array of this shape and bytes an element.
    """

    name: str
    data: memoryview
    is_output: bool = False
    tile: Tile | None = None
    shape: tuple[int, ...] = ()
    element: int = 4


Argument = Array | int | float


@dataclass(frozen=True)
class Launched:
    """Result of a launch. error: CUDA runtime error code, 0 for success.

    report: findings and memory traffic. steps: requests of the first warp. printed: by the kernel.
    """

    error: int
    report: SimulatorReport
    steps: tuple[WarpStep, ...] = ()
    printed: str = ""


def launch(
    built: Built,
    name: str,
    grid: Triple,
    block: Triple,
    arguments: Sequence[Argument],
    *,
    dynamic: int = 0,
    order: str = "forward",
    timeout_s: float = TIMEOUT_S,
    with_steps: bool = False,
) -> Launched:
    """Launch `name<<<grid, block, dynamic>>>(arguments…)` and wait for its end.

    dynamic: bytes of dynamic shared memory, more than 48 KB without asking. with_steps: say what
    each request of the first warp touches.

    Raises SimulatorError if the file has no kernel with this name and these parameters.
    """
    number = find(built, name, arguments)
    with closing(Device(built, order=order, timeout_s=timeout_s)) as device:
        error, ended = _launched(device, number, grid, block, dynamic, arguments)
        steps = tuple(device.steps()) if with_steps else ()
        return Launched(error, device.report(ended), steps, "".join(device.printed))


def _launched(
    device: Device,
    number: int,
    grid: Triple,
    block: Triple,
    dynamic: int,
    arguments: Sequence[Argument],
) -> tuple[int, str]:
    """Launch a kernel; return the runtime's error code and how the launch ended."""
    host, kernel = Host(device), device.built.kernels[number]
    values: list[bytes] = []
    places: list[tuple[Array, int]] = []
    for argument, parameter in zip(arguments, kernel.parameters, strict=True):
        if isinstance(argument, Array):
            address = device.allocate(
                len(argument.data), f"array `{argument.name}`", written=not argument.is_output
            )
            if not address:
                return OUT_OF_MEMORY, "exited"
            device.memory.write(address, argument.data)
            places.append((argument, address))
            values.append(
                argument.tile.encoded(address, argument.shape, argument.element)
                if argument.tile
                else struct.pack("<I", address)
            )
        else:
            values.append(_packed(argument, parameter))
    try:
        error = host.launch(number, grid, block, dynamic, values)
    except TimedOut:
        return SUCCESS, "timed out"
    for array, address in places:
        _take_back(device, array, address, kernel.name)
    return error or host.error.sticky, "exited"


def find(built: Built, name: str, arguments: Sequence[Argument]) -> int:
    """Return the number of the kernel with this name and these parameters.

    Raises SimulatorError if there is none, or several.
    """
    parameters = {
        number: [parameter.kind for parameter in kernel.parameters]
        for number, kernel in enumerate(built.kernels)
        if kernel.name == name
    }
    if not parameters:
        raise SimulatorError(
            f"there is no kernel `{name}`: a __global__ function of this very name"
        )
    expected = [_kind(argument) for argument in arguments]
    fitting = [number for number, kinds in parameters.items() if kinds == expected]
    if len(fitting) == 1:
        return fitting[0]
    signature = ", ".join(_parameter(argument) for argument in arguments)
    got = " or ".join(f"({', '.join(kinds)})" for kinds in parameters.values())
    raise SimulatorError(f"the kernel `{name}` must take ({signature}), and it takes {got}")


def _parameter(argument: Argument) -> str:
    if not isinstance(argument, Array):
        return _kind(argument)
    kind = "const __grid_constant__ CUtensorMap" if argument.tile else "pointer"
    return f"{kind} {argument.name}"


def _kind(argument: Argument) -> str:
    if isinstance(argument, Array):
        return "object" if argument.tile else "pointer"
    return "integer" if isinstance(argument, int) else "float"


def _packed(value: float, parameter: ArgumentSlot) -> bytes:
    """Pack a number as the kernel's parameter. Raises SimulatorError if it does not fit."""
    try:
        return struct.pack(f"<{_FORMATS[parameter.kind, parameter.bytes]}", value)
    except struct.error:
        what = f"a kernel's parameter of {parameter.bytes} bytes has no room for {value}"
        raise SimulatorError(what) from None


def _take_back(device: Device, array: Array, address: int, kernel: str) -> None:
    now = device.memory.read(address, len(array.data))
    if array.is_output:
        array.data[:] = now
    elif now != bytes(array.data):
        text = f"Writes to `{array.name}`, which is an input."
        device.findings.append(Finding("input_written", text, kernel, ()))
