"""Nested arguments as JSON: tensors become indices into a list; plain values stay.

A tensor of a dtype that `NAMES` lacks, such as float8, is passed as its bytes.

Runs on both sides, in a trusted worker and in the candidate's process, so it imports nothing from
Hotloop.
"""

import ast
import math

import torch

NAMES = {
    torch.float64: "fp64",
    torch.float32: "fp32",
    torch.float16: "fp16",
    torch.bfloat16: "bf16",
    torch.int64: "i64",
    torch.int32: "i32",
    torch.uint8: "u8",
    torch.bool: "bool",
}

HEADER = 64
"""Numbers before the elements in the result of `packed`."""


class Unfit(Exception):
    """Why a problem cannot be judged."""


def packed(result):
    """Pack tensors into one of float64: their count, each one's dtype and sizes, then all elements.

    Raises ValueError if the header does not fit. The tensors become its `parts`, from which the
    worker reads where they are in memory.
    """
    tensors = [result] if isinstance(result, torch.Tensor) else list(result)
    header = [len(tensors)]
    for tensor in tensors:
        header += [list(NAMES).index(tensor.dtype), tensor.dim(), *tensor.shape]
    if len(header) > HEADER:
        raise ValueError(f"{len(tensors)} results are too many")
    head = torch.tensor([*header, *[0] * (HEADER - len(header))], dtype=torch.float64)
    parts = [tensor.detach().double().flatten() for tensor in tensors]
    flat = torch.cat([head.to(parts[0].device), *parts])
    flat.parts = tensors
    return flat


def known(tensor):
    """Return a tensor of small integers, such as int8, in a dtype of `NAMES`; others unchanged."""
    small = tensor.dtype not in NAMES and not tensor.is_floating_point()
    return tensor.int() if small else tensor


def for_device(result):
    """Return one tensor, quickly: a single one unchanged (0-d as [1]), several as joined bytes."""
    if isinstance(result, torch.Tensor):
        return result if result.dim() else result.reshape(1)
    return torch.cat([each.contiguous().flatten().view(torch.uint8) for each in result])


def from_device(flat, like):
    """Split the result of `for_device` into tensors with shapes and dtypes as in `like`."""
    if len(like) == 1:
        return [flat.reshape(like[0].shape)]
    parts = flat.split([each.numel() * each.element_size() for each in like])
    return [p.view(each.dtype).reshape(each.shape) for p, each in zip(parts, like, strict=True)]


def unpacked(flat):
    """Return the tensors that were packed. Raises ValueError for an invalid header."""
    numbers = iter(flat[:HEADER].tolist())
    dtypes, tensors, start = list(NAMES), [], HEADER
    for _ in range(_whole(next(numbers), HEADER)):
        dtype = dtypes[_whole(next(numbers), len(dtypes))]
        sizes = [_whole(next(numbers), flat.numel() + 1) for _ in range(_whole(next(numbers), 16))]
        end = start + math.prod(sizes)
        if end > flat.numel():
            raise ValueError("fewer elements than its sizes say")
        tensors.append(flat[start:end].to(dtype).reshape(sizes))
        start = end
    return tensors


def _whole(number, below):
    if number != number or not 0 <= number < below:
        raise ValueError(f"{number} is no size")
    return int(number)


def flatten(value, tensors):
    """Return the JSON from which `rebuilt` makes the value; append its tensors to `tensors`.

    Raises TypeError for a value that is neither a tensor nor plain data.
    """
    if isinstance(value, torch.Tensor):
        twice = next((at for at, each in enumerate(tensors) if each is value), None)
        if twice is not None:
            return {"tensor": twice}
        known = value.dtype in NAMES
        tensors.append(value if known else value.contiguous().view(torch.uint8))
        at = {"tensor": len(tensors) - 1}
        return at if known else {"bytes": [at, flatten(value.dtype, tensors)]}
    if isinstance(value, (tuple, list)):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [flatten(item, tensors) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[flatten(k, tensors), flatten(v, tensors)] for k, v in value.items()]}
    if isinstance(value, torch.dtype):
        return {"dtype": str(value).removeprefix("torch.")}
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"value": value}
    if type(value).__module__.startswith("torch.nn.modules") and (call := _call_of(value)):
        state = dict(value.state_dict())
        return {"module": [flatten(each, tensors) for each in (*call, value.training, state)]}
    raise TypeError(f"a {type(value).__name__} is neither a tensor nor plain data")


def _call_of(module):
    """Return name, arguments and keywords of the call that makes a module; None if not known.

    The text of one without parts is that call: `Linear(in_features=3, out_features=2, bias=True)`.
    """
    try:
        call = ast.parse(repr(module), mode="eval").body
        given = [ast.literal_eval(each) for each in call.args]
        named = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
        return call.func.id, given, named
    except (SyntaxError, ValueError, AttributeError):
        return None


def rebuilt(shape, tensors):
    """Return the value that `flatten` took apart, with these tensors."""
    kind, content = next(iter(shape.items()))
    if kind == "tensor":
        return tensors[content]
    if kind == "bytes":
        place, dtype = (rebuilt(each, tensors) for each in content)
        return place.view(dtype)
    if kind == "dict":
        return {rebuilt(key, tensors): rebuilt(value, tensors) for key, value in content}
    if kind == "dtype":
        return getattr(torch, content)
    if kind == "module":
        name, given, named, training, state = (rebuilt(each, tensors) for each in content)
        made = getattr(torch.nn, name)(*given, **named).train(training)
        made.load_state_dict(state, assign=True)
        return made
    if kind in ("list", "tuple"):
        items = [rebuilt(item, tensors) for item in content]
        return items if kind == "list" else tuple(items)
    return content
