"""Through which layers a call of one function goes before a kernel runs."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode


class Above(TorchFunctionMode):
    """Sees what Python calls, before anything else."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Note one call."""
        self.names.append(getattr(func, "__name__", str(func)))
        return func(*args, **(kwargs or {}))


class Below(TorchDispatchMode):
    """Sees what is left when autograd, autocast and decompositions are through."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Note one operation."""
        self.names.append(str(func).removeprefix("aten.").removesuffix(".default"))
        return func(*args, **(kwargs or {}))


def seen(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> tuple[list[str], list[str], Any]:
    """The names above and below, and the result."""
    with Above() as above, Below() as below:
        y = functional.linear(x, w, b)
    return above.names, below.names, y


def main() -> None:
    """One linear layer: recorded, cast, without data, and in inference mode."""
    x, b = torch.randn(4, 8), torch.randn(2)
    w = torch.randn(2, 8, requires_grad=True)

    above, below, y = seen(x, w, b)
    print("Python called", above, "and below autograd arrived", below)
    assert above == ["linear"]
    assert below == ["t", "addmm"], "linear is composite: it has no kernel of its own here"
    print("recorded on the way:", type(y.grad_fn).__name__)
    assert type(y.grad_fn).__name__ == "AddmmBackward0"

    with torch.autocast("cpu", dtype=torch.bfloat16):
        _, cast, y = seen(x, w, b)
    print("with autocast:", cast, y.dtype)
    assert cast.count("_to_copy") == 3
    assert y.dtype == torch.bfloat16

    _, meta, y = seen(*(t.detach().to("meta") for t in (x, w, b)))
    print("on the meta device:", meta, tuple(y.shape), "without a number computed")
    assert y.is_meta
    assert tuple(y.shape) == (4, 2)

    with torch.inference_mode():
        born = torch.zeros(2)
    keys = [str(torch._C._dispatch_keys(t)) for t in (x, born)]
    print("an ordinary tensor asks for autograd:", "AutogradCPU" in keys[0])
    print("one born in inference mode:", "AutogradCPU" in keys[1])
    assert "AutogradCPU" in keys[0]
    assert "AutogradCPU" not in keys[1]


if __name__ == "__main__":
    main()
