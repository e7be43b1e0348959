"""Read a detector in Core ML's format. Runs in one of the judge's workers with one such file.

Core ML itself runs only on Apple devices. Its specification is a protocol buffer, which can be read
anywhere: inputs, outputs, and all operations with their constants.
"""

import tempfile
import zipfile
from pathlib import Path

import numpy as np
from coremltools.models.utils import load_spec

COLORS = {10: "GRAYSCALE", 20: "RGB", 30: "BGR"}
FLOAT16 = 10
"""In the specification's MILSpec.DataType."""

MOST_BYTES = 64 << 20


def facts(path):
    """Return the package's facts as plain data."""
    spec = load_spec(str(_package(path)))
    kind = spec.WhichOneof("Type")
    report = {
        "kind": kind,
        "version": spec.specificationVersion,
        "inputs": [_end(each) for each in spec.description.input],
        "outputs": {
            each.name: [int(size) for size in each.type.multiArrayType.shape]
            for each in spec.description.output
        },
    }
    if kind == "mlProgram":
        (function,) = spec.mlProgram.functions.values()
        (block,) = function.block_specializations.values()
        report["operators"] = [op.type for op in block.operations]
        report["factors"] = _factors(block, [each.name for each in spec.description.input])
        convolutions = [op for op in block.operations if op.type == "conv"]
        outputs = [op.outputs[0].type.tensorType for op in convolutions]
        report["halves"] = sum(output.dataType == FLOAT16 for output in outputs)
    return report


def _package(path):
    folder = Path(tempfile.mkdtemp(prefix="coreml-"))
    with zipfile.ZipFile(path) as packed:
        if sum(each.file_size for each in packed.infolist()) > MOST_BYTES:
            raise ValueError("the package is far too large")
        packed.extractall(folder)
    # Whether the package's folder was packed or what is in it: its manifest is there.
    manifests = [each for each in folder.rglob("Manifest.json") if "__MACOSX" not in each.parts]
    if len(manifests) != 1:
        raise ValueError(f"there are {len(manifests)} packages in the zip, and one is asked for")
    return manifests[0].parent.rename(folder.with_suffix(".mlpackage"))


def _end(each):
    kind = each.type.WhichOneof("Type")
    if kind == "imageType":
        image = each.type.imageType
        color = COLORS.get(image.colorSpace, str(image.colorSpace))
        return [each.name, "image", color, [image.height, image.width]]
    return [each.name, "array", "", [int(size) for size in each.type.multiArrayType.shape]]


def _factors(block, names):
    """Return the constants that scale the inputs, with only casts and other scalings before."""
    values = {}
    following, factors = set(names), []
    for op in block.operations:
        inputs = {
            name: [b.name for b in arg.arguments if b.name] for name, arg in op.inputs.items()
        }
        operands = {each for many in inputs.values() for each in many}
        out = op.outputs[0].name if op.outputs else ""
        if op.type == "const":
            values[out] = _number(op.attributes["val"])
        elif op.type == "cast" and operands & following:
            following.add(out)
        elif op.type in ("mul", "real_div") and operands & following:
            other = [values[each] for each in operands - following if values.get(each) is not None]
            factors += [1 / v if op.type == "real_div" else v for v in other]
            following.add(out)
    return factors


def _number(value):
    """Return the one number of a constant of floats, be it for each channel, or None."""
    immediate = value.immediateValue.tensor
    kind = immediate.WhichOneof("value")
    if kind == "floats":
        numbers = set(immediate.floats.values)
    elif kind == "bytes" and value.type.tensorType.dataType == FLOAT16:
        numbers = set(np.frombuffer(immediate.bytes.values, np.float16).tolist())
    else:
        return None
    return float(numbers.pop()) if len(numbers) == 1 else None
