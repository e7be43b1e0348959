"""Records what Inductor writes for drawn blocks of a transformer, on a CPU, and what is right.

    python curriculum/transformer_compilation/recordings/record.py

Writes outputs.json.gz, which the judge draws from. Code is text, and nothing compiles it: no C++
compiler is needed. The truth is taken from Inductor's own objects when it writes a call, not from
the text: which tensors a kernel gets to read and to write, which operators it was made of, and
which buffer takes over whose memory.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from torch import Tensor
from torch._inductor import config
from torch._inductor.codegen.cpp import KernelGroup
from torch._inductor.codegen.wrapper import PythonWrapperCodegen
from torch._inductor.graph import GraphLowering
from torch._inductor.utils import aggregate_origins
from torch._inductor.virtualized import V
from torch.nn import functional

ROOT = Path(__file__).resolve().parents[3]
OUTPUTS = ROOT / "graders/hotloop/tasks/modules/transformer_compilation/programs/outputs.json.gz"
COUNT = 36

Piece = Callable[["Draw", Tensor], Tensor]


class Enough(BaseException):
    """The code is there; what comes next is a C++ compiler."""


class Draw:
    """Numbers of a block, and what it uses beside its input: drawn once, the same in each run."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.rows = 8 * self.random.randint(2, 9)
        self.width = 16 * self.random.randint(2, 6)
        self.type = self.random.choice([torch.float32, torch.float32, torch.bfloat16])
        self.given: list[Tensor] = []
        self.used = 0
        self.outputs: list[Tensor] = []
        self.tracing = False

    def tensor(self, *shape: int, dtype: torch.dtype | None = None) -> Tensor:
        """An argument of the block."""
        if not self.tracing:
            kind = dtype or self.type
            drawn = torch.randint(4, shape) if kind == torch.int64 else torch.randn(shape)
            self.given.append(drawn.to(kind))
        self.used += 1
        return self.given[self.used - 1]


def activated(draw: Draw, x: Tensor) -> Tensor:
    """A product with a bias, a gelu, and back."""
    up = draw.tensor(draw.width, 2 * draw.width)
    h = functional.gelu(x @ up + draw.tensor(2 * draw.width))
    return x + h @ draw.tensor(2 * draw.width, draw.width)


def gated(draw: Draw, x: Tensor) -> Tensor:
    """SwiGLU: two products, one of which opens the other."""
    shape = (draw.width, 2 * draw.width)
    h = functional.silu(x @ draw.tensor(*shape)) * (x @ draw.tensor(*shape))
    return x + h @ draw.tensor(2 * draw.width, draw.width)


def normed(draw: Draw, x: Tensor) -> Tensor:
    """A layer norm."""
    return functional.layer_norm(x, (draw.width,), draw.tensor(draw.width), draw.tensor(draw.width))


def rooted(draw: Draw, x: Tensor) -> Tensor:
    """A norm without a mean."""
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * draw.tensor(draw.width)


def shared(draw: Draw, x: Tensor) -> Tensor:
    """A softmax over the width, and a product with it."""
    return torch.softmax(x, -1) @ draw.tensor(draw.width, draw.width)


def folded(draw: Draw, x: Tensor) -> Tensor:
    """Two rows at a time."""
    wide = 2 * draw.width
    pairs = functional.gelu(x.view(-1, wide) @ draw.tensor(wide, wide))
    return pairs.view(draw.rows, draw.width)


def picked(draw: Draw, x: Tensor) -> Tensor:
    """Rows of a table by whole numbers are added."""
    return x + draw.tensor(4, draw.width)[draw.tensor(draw.rows, dtype=torch.int64)]


def dropped(draw: Draw, x: Tensor) -> Tensor:
    """Where a tensor is positive; the flags are kept, as a backward pass needs them."""
    flags = draw.tensor(draw.rows, draw.width) > 0
    draw.outputs.append(flags)
    return torch.where(flags, x, 0.0)


PIECES: tuple[Piece, ...] = (
    activated, gated, normed, rooted, shared, folded, picked, dropped,
)  # fmt: skip


def block_of(draw: Draw, pieces: list[Piece], goes_on: bool) -> Callable[..., tuple[Tensor, ...]]:
    """The pieces one after the other. goes_on: what is behind the first is an output, too."""

    def block(x: Tensor, *given: Tensor) -> tuple[Tensor, ...]:
        draw.used, draw.outputs, draw.given = 0, [], list(given) if draw.tracing else draw.given
        for number, piece in enumerate(pieces):
            x = piece(draw, x)
            if goes_on and number == 0:
                draw.outputs.append(x)
        return (x, *draw.outputs)

    return block


def recorded(seed: int) -> dict[str, Any]:
    """Code and truth."""
    draw = Draw(seed)
    pieces = draw.random.choices(PIECES, k=draw.random.randint(3, 5))
    block = block_of(draw, pieces, draw.random.random() < 0.5)
    x = torch.randn(draw.rows, draw.width).to(draw.type)
    with torch.no_grad():
        block(x)
        draw.tracing = True
        given = draw.given
        torch._dynamo.reset()
        with watched() as seen:
            try:
                torch.compile(block, fullgraph=True)(x, *given)
            except Enough:
                return {"pieces": [piece.__name__ for piece in pieces], **seen}
    raise RuntimeError("Inductor has written nothing")


@contextmanager
def watched() -> Iterator[dict[str, Any]]:
    """What it writes, and what it knows when it writes a call."""
    seen: dict[str, Any] = {"code": "", "kernels": [], "reused": []}
    made_of: dict[str, list[str]] = {}
    call, library = KernelGroup.call_kernel, PythonWrapperCodegen.generate_extern_kernel_out
    reuse = PythonWrapperCodegen.make_buffer_reuse

    def generated(group: KernelGroup, wrapper: Any, name: str) -> None:
        taken, made = set[str](), set[str]()
        arguments = group.args
        changed = arguments.inplace_buffers
        taken.update(outer for outer in arguments.input_buffers if outer not in changed)
        outputs = arguments.output_buffers.items()
        made.update(o for o, inner in outputs if isinstance(inner, str) and o not in changed)
        for inplaced in changed.values():
            if hasattr(inplaced, "other_names"):
                taken.add(inplaced.other_names[0])
                made.add(inplaced.other_names[-1])
        ops = {
            origin.meta["original_aten"]._overloadpacket.__name__
            for origin in aggregate_origins(group.scheduled_nodes)
            if origin.op == "call_function" and origin.meta.get("original_aten") is not None
        }
        # One that is called again has the name that it got the first time.
        made_of.setdefault(name, sorted(ops))
        seen["kernels"].append(_kernel(name, made_of[name], taken, made))
        call(group, wrapper, name)

    def of_library(wrapper: Any, node: Any) -> None:
        taken = {each.get_name() for each in node.inputs}
        seen["kernels"].append(_kernel(node.python_kernel_name, [], taken, {node.get_name()}))
        library(wrapper, node)

    def taken_over(wrapper: Any, old: Any, new: Any, delete_old: bool) -> str:
        pair = [new.get_name(), old.get_name()]
        if pair not in seen["reused"]:
            seen["reused"].append(pair)
        return reuse(wrapper, old, new, delete_old)

    def saved(code: str) -> None:
        # Which block of the run it was is nobody's business.
        seen["code"] = re.sub(r"(AOT ID: \[')\d+", r"\g<1>0", code)
        raise Enough

    with (
        mock.patch.object(KernelGroup, "call_kernel", generated),
        mock.patch.object(PythonWrapperCodegen, "generate_extern_kernel_out", of_library),
        mock.patch.object(PythonWrapperCodegen, "make_buffer_reuse", taken_over),
        mock.patch.object(GraphLowering, "save_output_code", saved),
    ):
        yield seen


def _kernel(name: str, fused: list[str], taken: set[str], made: set[str]) -> dict[str, Any]:
    return {
        "name": name,
        "fused": fused,
        "loads": sum(map(_bytes, taken)),
        "stores": sum(map(_bytes, made)),
    }


def _bytes(name: str) -> int:
    return int(V.graph.get_numel(name)) * V.graph.get_dtype(name).itemsize


def main() -> None:
    """Record all, and write them down."""
    config.force_disable_caches = True
    found = [recorded(seed) for seed in range(COUNT)]
    OUTPUTS.write_bytes(gzip.compress(json.dumps(found).encode(), 9, mtime=0))
    print(f"{len(found)} blocks, {OUTPUTS.stat().st_size >> 10} KiB")


if __name__ == "__main__":
    main()
