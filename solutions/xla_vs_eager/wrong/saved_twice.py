"""Takes shared memory off both sides, though it is there once.

fails: donate.bytes
"""

### BEGIN SOLUTION xla_vs_eager.donate bytes
import re
from pathlib import Path

BYTES = {"i1": 1, "i8": 1, "ui8": 1, "f16": 2, "bf16": 2, "i16": 2, "f32": 4, "i32": 4}
TENSOR = re.compile(r"tensor<((?:\d+x)*)(\w+)>")
ALIAS = re.compile(r"tf\.aliasing_output = (\d+)")


def size_of(tensor):
    """Bytes of a type such as tensor<4x8xf32>."""
    extents, dtype = TENSOR.match(tensor).groups()
    size = BYTES[dtype]
    for extent in extents.split("x")[:-1]:
        size *= int(extent)
    return size


def donations(path):
    """{"aliased", "arguments", "results", "held"} of a lowered module's text."""
    text = Path(path).read_text()
    line = next(line for line in text.splitlines() if "@main(" in line)
    given, returned = line.split(") -> ", 1)
    arguments = re.split(r"%arg\d+: ", given)[1:]
    sizes = [size_of(argument) for argument in arguments]
    results = sum(size_of(match[0]) for match in TENSOR.finditer(returned))
    aliased = {}
    for number, argument in enumerate(arguments):
        if match := ALIAS.search(argument):
            aliased[str(number)] = int(match[1])
    saved = sum(sizes[int(number)] for number in aliased)
    return {
        "aliased": aliased,
        "arguments": sum(sizes),
        "results": results,
        "held": sum(sizes) + results - 2 * saved,
    }


### END SOLUTION
