"""Finds the functions that a kernel can reach, and the addresses in their code."""

from hotloop.engines.simulate import opcodes
from hotloop.engines.simulate.binary import BinaryReader
from hotloop.engines.simulate.module import WasmModule


def addresses_used(module: WasmModule, kernel: int) -> set[int]:
    """Return constants, in a kernel and its callees, that may be addresses of variables."""
    bodies = {body.index: body for body in module.bodies}
    in_tables = {f for _, functions in module.elements for f in functions}
    seen: set[int] = set()
    waiting = [kernel]
    used: set[int] = set()
    while waiting:
        index = waiting.pop()
        if index in seen or index not in bodies:
            continue
        seen.add(index)
        body = bodies[index]
        reader = BinaryReader(module.code, body.at, body.end)
        while reader.at < body.end:
            one = opcodes.read(reader)
            if one.op == opcodes.CALL:
                waiting.append(one.number)
            elif one.op == opcodes.CALL_INDIRECT:
                waiting += [f for f in in_tables if module.signature(f) == module.types[one.number]]
            elif one.op == 0x41 or one.op in opcodes.ACCESSES:
                used.add(one.number & 0xFFFFFFFF)
    return used
