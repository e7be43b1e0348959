"""Records which Triton kernels a learner's function launches, with which grid and arguments.

This runs in the learner's process and is only a claim: the judge checks the record as data and
accepts it if a replay in another process gives the correct result (`hotloop.judge.launch_plan`).
"""

import hashlib
import importlib
import math
import numbers
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

from hotloop.core.wire import Message
from hotloop.worker.triton_compat import interpreting
from hotloop.worker.triton_modules import interpreter

MOST_LAUNCHES = 65
"""One more than the judge accepts, so that the judge sees that there were too many."""

TRITON_NAMES = {
    "float64": "fp64",
    "float32": "fp32",
    "float16": "fp16",
    "bfloat16": "bf16",
    "int64": "i64",
    "uint64": "u64",
    "int32": "i32",
    "uint32": "u32",
    "int16": "i16",
    "uint16": "u16",
    "int8": "i8",
    "uint8": "u8",
    "bool": "i1",
    "int1": "i1",
}
"""From names of element types in torch or tl to those in a kernel's signature."""

_DEFAULT_WARPS = 4
_DEFAULT_STAGES = 3


def record(launcher: Callable[..., Any], calls: Sequence[Sequence[Any]]) -> list[Message]:
    """Make the calls; return a plan of each: `{"launches": [], "scratch": [], "returned": []}`.

    returned: where in memory the call's result is, or the `parts` that it was packed from; empty
    if it is no contiguous tensor.
    """
    return [_record_call(launcher, arguments) for arguments in calls]


def _record_call(launcher: Callable[..., Any], arguments: Sequence[Any]) -> Message:
    call = _CallRecord(arguments)
    with _recording(call), _nothing_in_fresh_memory():
        result = launcher(*arguments)
    returned = [
        call.describe(part) if hasattr(part, "is_contiguous") and part.is_contiguous() else {}
        for part in getattr(result, "parts", [result])
    ]
    return {"launches": call.launches, "scratch": call.scratch, "returned": returned}


class _CallRecord:
    """The launches of one call.

    Temporary tensors are kept alive until the call ends, so that no two share an address.
    """

    def __init__(self, arguments: Sequence[Any]) -> None:
        self.launches: list[Message] = []
        self.scratch: list[Message] = []
        self._tensors = [
            (index, a.data_ptr(), _extent_bytes(a))
            for index, a in enumerate(arguments)
            if hasattr(a, "data_ptr")
        ]
        self._storages: list[Any] = []

    def add(self, kernel: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Message | None:
        """Record a launch and return it, without its grid. None if there are too many launches."""
        if len(self.launches) >= MOST_LAUNCHES:
            return None
        names = list(kernel.arg_names)
        arguments = dict(zip(names, args, strict=False))
        arguments.update({name: value for name, value in options.items() if name in names})
        launch: Message = {
            "kernel": kernel.__name__,
            "grid": [],
            "arguments": {name: self.describe(value) for name, value in arguments.items()},
            "num_warps": int(options.get("num_warps") or _DEFAULT_WARPS),
            "num_stages": int(options.get("num_stages") or _DEFAULT_STAGES),
        }
        self.launches.append(launch)
        return launch

    def describe(self, value: Any) -> Message:
        """A tensor as the place of its first element, a plain value as it is."""
        value = getattr(value, "value", value) if type(value).__name__ == "constexpr" else value
        if value is None or isinstance(value, bool | str):
            return {"value": value}
        if hasattr(value, "data_ptr") and hasattr(value, "untyped_storage"):
            return self._describe_tensor(value)
        if isinstance(value, numbers.Integral):
            return {"value": int(value)}
        if isinstance(value, numbers.Real):
            number = float(value)
            return {"value": number} if math.isfinite(number) else {"float": str(number)}
        if type(value).__name__ == "dtype":
            name = str(value).removeprefix("torch.")
            return {"type": TRITON_NAMES.get(name, name)}
        return {"unsupported": type(value).__name__}

    def _describe_tensor(self, value: Any) -> Message:
        dtype = str(value.dtype).removeprefix("torch.")
        description: Message = {"dtype": TRITON_NAMES.get(dtype, dtype)}
        address = value.data_ptr()
        for index, start, extent in self._tensors:
            if start <= address < start + max(extent, 1):
                return {
                    "tensor": "argument",
                    "index": index,
                    "offset": address - start,
                    **description,
                }
        index, start = self._scratch_of(value)
        return {"tensor": "scratch", "index": index, "offset": address - start, **description}

    def _scratch_of(self, value: Any) -> tuple[int, int]:
        storage = value.untyped_storage()
        for index, known in enumerate(self._storages):
            if known.data_ptr() == storage.data_ptr():
                return index, storage.data_ptr()
        self._storages.append(storage)
        # By its digest the judge recognizes a copy of a tensor of its own.
        digest = hashlib.sha256(_raw(value, storage).cpu().numpy()).hexdigest()
        fill = _fill(value, storage)
        self.scratch.append({"bytes": storage.nbytes(), "fill": fill, "digest": digest})
        return len(self._storages) - 1, storage.data_ptr()


@contextmanager
def _nothing_in_fresh_memory() -> Generator[None]:
    """Have `torch.empty` hold NaN or the largest integer here: the system gives zeros, often.

    A kernel that adds to such memory would be right by chance, also in the replay.
    """
    torch: Any = importlib.import_module("torch")
    before = torch.get_deterministic_debug_mode()
    if interpreting():
        torch.set_deterministic_debug_mode("warn")  # which fills it
    try:
        yield
    finally:
        torch.set_deterministic_debug_mode(before)


@contextmanager
def _recording(call: _CallRecord) -> Generator[None]:
    """Record every launch inside the `with` block in `call`, interpreted or on a GPU."""
    jit = "triton.runtime.jit"
    kind: Any = (
        interpreter().InterpretedFunction
        if interpreting()
        else importlib.import_module(jit).JITFunction
    )
    original = kind.run
    kind.run = _recording_run(original, call)
    try:
        yield
    finally:
        kind.run = original


def _recording_run(original: Callable[..., Any], call: _CallRecord) -> Callable[..., Any]:
    def run(kernel: Any, *args: Any, grid: Any, warmup: bool, **options: Any) -> Any:
        launch = None if warmup else call.add(kernel, args, options)
        if launch is not None and not callable(grid):
            launch["grid"] = [int(n) for n in grid]

        def recorded_grid(meta: Any) -> Any:
            extents: Any = grid(meta)
            if launch is not None:
                launch["grid"] = [int(n) for n in extents]
            return extents

        started = recorded_grid if callable(grid) else grid
        return original(kernel, *args, grid=started, warmup=warmup, **options)

    return run


def _extent_bytes(tensor: Any) -> int:
    """Return the bytes from the first element to the end of the last one."""
    if tensor.numel() == 0:
        return 0
    last = sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))
    return (last + 1) * tensor.element_size()


def _raw(tensor: Any, storage: Any) -> Any:
    torch: Any = importlib.import_module("torch")
    return torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(storage)


def _fill(tensor: Any, storage: Any) -> str | None:
    """Return the element that fills the whole storage, as hex; None if elements differ."""
    size = tensor.element_size()
    if storage.nbytes() == 0 or storage.nbytes() % size:
        return None
    elements = _raw(tensor, storage).reshape(-1, size)
    if not bool((elements == elements[0]).all()):
        return None
    return bytes(elements[0].tolist()).hex()
