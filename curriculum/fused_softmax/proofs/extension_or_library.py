"""One function by cpp_extension and autograd.Function, and by torch.library: who can use it."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.autograd import gradcheck
from torch.utils import cpp_extension

sys.path.append(str(Path(__file__).parent))

import stable_abi

SOURCE = """
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/utils/pybind.h>

at::Tensor halve(const at::Tensor& x) {
  TORCH_CHECK(x.scalar_type() == at::kDouble, "halve: float64 only");
  const at::Tensor in = x.contiguous();
  at::Tensor out = at::empty(in.sizes(), in.options());
  const double* from = in.const_data_ptr<double>();
  double* to = out.mutable_data_ptr<double>();
  for (int64_t i = 0; i < in.numel(); ++i) to[i] = from[i] / 2;
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("halve", &halve); }
"""

REMEDY = "custom_ops_landing_page"
"""Of PyTorch's documentation; its error messages name it."""


def refusal(action: Callable[[], Any]) -> str:
    """The whole message of the error that it ends in; empty without one."""
    try:
        action()
    except (torch._dynamo.exc.TorchDynamoException, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def main() -> None:
    """Build both, differentiate, compile and export each, and look at what they are linked with."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        source = folder / "halve.cpp"
        source.write_text(SOURCE)
        started = time.perf_counter()
        module = cpp_extension.load("halve_ext", [str(source)], build_directory=temporary)
        built = time.perf_counter()
        stable_abi.build(folder / "stable.so")
        stable_s = time.perf_counter() - built
        asked = {
            "cpp_extension": stable_abi.asked_of_torch(folder / "halve_ext.so"),
            "stable ABI": stable_abi.asked_of_torch(folder / "stable.so"),
        }

    class Halve(torch.autograd.Function):
        @staticmethod
        def forward(_ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return module.halve(x)

        @staticmethod
        def backward(_ctx: Any, *grads: torch.Tensor) -> torch.Tensor:
            return module.halve(grads[0])

    @torch.library.custom_op("hotloop_proof::halve", mutates_args=())
    def halve(x: torch.Tensor) -> torch.Tensor:
        return module.halve(x)

    @halve.register_fake
    def _(x: torch.Tensor) -> torch.Tensor:
        return x.new_empty(x.shape)

    halve.register_autograd(lambda _ctx, grad: halve(grad))

    x = torch.rand(3, 8, dtype=torch.float64, requires_grad=True)
    for name, function in (("autograd.Function", Halve.apply), ("torch.library", halve)):

        class Model(torch.nn.Module):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return function(2 * x)  # noqa: B023 - used within the round

        assert gradcheck(function, (x,))
        graph = torch.compile(Model(), backend="aot_eager", fullgraph=True)
        compiled = refusal(lambda: graph(x))  # noqa: B023
        exported = refusal(lambda: torch.export.export(Model(), (x.detach(),)))
        for what, said in (("in one graph", compiled), ("exported", exported)):
            print(f"{name}, {what}: {'refused' if said else 'yes'}")
            assert bool(said) == (name == "autograd.Function")
            assert not said or REMEDY in said, "PyTorch's own message names the custom operator"
    for name, symbols in asked.items():
        c = sum(symbol.startswith(("aoti_torch_", "torch_")) for symbol in symbols)
        print(f"{name}: {'C functions only' if c == len(symbols) else 'symbols of C++ as well'}")
        assert (c == len(symbols)) == (name == "stable ABI")
    print(
        f"measured: cpp_extension {built - started:.0f} s, stable ABI {stable_s:.0f} s to compile"
    )


if __name__ == "__main__":
    main()
