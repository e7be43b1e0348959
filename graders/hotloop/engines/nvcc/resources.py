"""Parses each kernel's resource use from the output of `ptxas -v`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_KERNEL = re.compile(r"Compiling entry function '([\w$.]+)' for 'sm_(\d{1,4})\w?'")
_PROPERTIES = re.compile(r"Function properties for ([\w$.]+)")
_STACK = re.compile(
    r"(\d{1,9}) bytes stack frame, (\d{1,9}) bytes spill stores, (\d{1,9}) bytes spill loads"
)
_USED = re.compile(r"Used (\d{1,4}) registers(.*)")
_BARRIERS = re.compile(r"used (\d{1,3}) barriers")
_SHARED = re.compile(r"(\d{1,9}) bytes smem")


@dataclass(frozen=True)
class Resources:
    """Resources of one kernel on one GPU.

    symbol: mangled name. name: as in the source, with template arguments. registers: per thread.
    spill_*_bytes: of spill instructions, per thread. stack_bytes: per thread, in local memory.
    shared_bytes: static, per block. barriers: per block.
    """

    symbol: str
    name: str
    capability: int
    registers: int
    spill_store_bytes: int
    spill_load_bytes: int
    stack_bytes: int
    shared_bytes: int
    barriers: int

    @property
    def spill_bytes(self) -> int:
        """The larger of the bytes spilled and the bytes reloaded."""
        return max(self.spill_store_bytes, self.spill_load_bytes)

    @property
    def base_name(self) -> str:
        """The function's name without namespaces and template arguments."""
        return base_name(self.name)


def read(log: str, names: Mapping[str, str]) -> tuple[Resources, ...]:
    """Return every kernel in nvcc's output, in that order. `names`: demangled names by symbol."""
    kernels: list[Resources] = []
    symbol, capability, function = "", 0, ""
    stack = (0, 0, 0)
    for line in log.splitlines():
        if kernel := _KERNEL.search(line):
            symbol, capability, stack = kernel[1], int(kernel[2]), (0, 0, 0)
        elif properties := _PROPERTIES.search(line):
            function = properties[1]
        elif (frame := _STACK.search(line)) and function == symbol:
            stack = (int(frame[1]), int(frame[2]), int(frame[3]))
        elif (used := _USED.search(line)) and symbol:
            kernels.append(
                Resources(
                    symbol,
                    names.get(symbol, symbol),
                    capability,
                    registers=int(used[1]),
                    spill_store_bytes=stack[1],
                    spill_load_bytes=stack[2],
                    stack_bytes=stack[0],
                    shared_bytes=_number(_SHARED, used[2]),
                    barriers=_number(_BARRIERS, used[2]),
                )
            )
            symbol = ""
    return tuple(kernels)


def base_name(name: str) -> str:
    """Return `softmax` for `(anonymous namespace)::softmax<float, 4>` or its mangled name."""
    mangled = re.match(r"_ZN?K?(?=\d)", name)
    if mangled is not None:
        return _last_part(name[mangled.end() :], nested=mangled[0] != "_Z")
    outside: list[str] = []
    depth = 0
    for character in name:
        depth += (character == "<") - (character == ">")
        if depth == 0 and character != ">":
            outside.append(character)
    return "".join(outside).rpartition("::")[2].strip()


def _last_part(rest: str, *, nested: bool) -> str:
    """Return the last of consecutive length-prefixed names."""
    part = ""
    while length := re.match(r"\d{1,4}", rest):
        end = length.end() + int(length[0])
        part, rest = rest[length.end() : end], rest[end:]
        if not nested:
            break
    return part


def _number(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.search(text)
    return int(match[1]) if match is not None else 0
