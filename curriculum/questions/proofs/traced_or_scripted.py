"""One module with a branch and a loop: traced, scripted, exported, and written with cond."""

from __future__ import annotations

import warnings
from typing import Any

import torch
from torch import nn


class Flips(nn.Module):
    """Turns the sign if the sum is negative, and doubles once for each row."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """A branch on a value, a loop on a shape."""
        if x.sum() < 0:
            x = -x
        for _ in range(x.shape[0]):
            x = x * 2
        return x


class WithCond(nn.Module):
    """The branch as an operator with two functions."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Both ways are in the graph."""
        return torch.cond(x.sum() < 0, lambda t: -t, lambda t: t.clone(), (x,))


class Dynamic(nn.Module):
    """Python that scripting cannot compile and tracing runs without a word."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """A function looked up by its name."""
        return getattr(torch, "re" + "lu")(x)


def quietly(make: Any, *args: Any) -> tuple[Any, list[str]]:
    """The result, and the names of the warnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        made = make(*args)
    return made, sorted({w.category.__name__ for w in said})


def main() -> None:
    """Each on an input that goes the other way, and on another length."""
    plus, minus, longer = torch.ones(2, 3), -torch.ones(2, 3), torch.ones(4, 3)
    net = Flips()
    traced, said = quietly(torch.jit.trace, net, (plus,))
    scripted, also = quietly(torch.jit.script, net)
    print("tracing says:", *said)
    print("scripting says:", *also)
    assert said == ["DeprecationWarning", "TracerWarning"]
    assert also == ["DeprecationWarning"]
    for name, x in (("the example", plus), ("the other branch", minus), ("more rows", longer)):
        right = [torch.equal(m(x), net(x)) for m in (traced, scripted)]
        print(f"  {name:17} traced {'right' if right[0] else 'wrong':6} scripted", end=" ")
        print("right" if right[1] else "wrong")
        assert right == [name == "the example", True]

    odd = Dynamic()
    try:
        quietly(torch.jit.script, odd)
    except RuntimeError:
        print("a function looked up by name: scripting refuses,", end=" ")
    else:
        raise AssertionError("TorchScript is a part of Python")
    assert torch.equal(quietly(torch.jit.trace, odd, (plus,))[0](minus), odd(minus))
    assert torch.equal(torch.export.export(odd, (plus,)).module()(minus), odd(minus))
    print("tracing and export take it")

    try:
        torch.export.export(net, (plus,))
    except Exception as refusal:  # noqa: BLE001 - its class is private
        print("export of the branch:", type(refusal).__name__)
    else:
        raise AssertionError("a branch on data is no single graph")
    program = torch.export.export(WithCond(), (plus,))
    calls = [str(n.target) for n in program.graph.nodes if n.op == "call_function"]
    print("export with cond:", calls)
    assert "cond" in calls
    for x in (plus, minus):
        assert torch.equal(program.module()(x), x.abs())


if __name__ == "__main__":
    main()
