"""Unused is not dead, and written alike is not equal: what clean-up passes must ask first."""

from __future__ import annotations

import torch
from torch import Tensor, fx
from torch.fx.experimental.proxy_tensor import make_fx


def draws_twice(x: Tensor) -> Tensor:
    """The first draw is unused."""
    torch.rand_like(x)
    return x + torch.rand_like(x)


def writes(x: Tensor) -> Tensor:
    """The result of the write has no user; the write has."""
    kept = x.clone()
    kept.add_(1)
    return kept * 2


def two_masks(x: Tensor) -> Tensor:
    """The same expression twice."""
    return torch.bernoulli(x) - torch.bernoulli(x)


def merge_equal(module: fx.GraphModule) -> int:
    """Join calls that are written alike, and ask nothing: a naive common-subexpression pass."""
    seen: dict[object, fx.Node] = {}
    merged = 0
    for node in module.graph.nodes:
        if node.op != "call_function":
            continue
        key = (node.target, node.args, tuple(node.kwargs.items()))
        first = seen.setdefault(key, node)
        if first is not node:
            node.replace_all_uses_with(first)
            merged += 1
    module.recompile()
    return merged


def answer(function: torch.nn.Module, x: Tensor) -> Tensor:
    """With the generator in a known state."""
    torch.manual_seed(0)
    return function(x)


def main() -> None:
    """Each clean-up, and whether the answer stayed."""
    x = torch.full((3,), 0.5)

    module = fx.symbolic_trace(draws_twice)
    before = answer(module, x)
    for node in list(module.graph.nodes):
        if node.op == "call_function" and not node.users:
            module.graph.erase_node(node)
    module.recompile()
    same = torch.equal(before, answer(module, x))
    print(f"an unused rand_like(x) taken out: same answer {same}")
    assert not same, "the second draw is now the first"
    careful = fx.symbolic_trace(draws_twice)
    kept = not careful.graph.eliminate_dead_code()
    print(f"FX's own pass keeps it: {kept}")
    assert kept

    module = fx.symbolic_trace(writes)
    before = module(x)
    changed = module.graph.eliminate_dead_code()
    module.recompile()
    print(
        f"x.add_(1) with no user: FX removes it {changed}, {before[0]:g} becomes {module(x)[0]:g}"
    )
    assert changed
    assert not torch.equal(before, module(x)), "FX supposes a graph without writes"

    functional = make_fx(torch.func.functionalize(writes))(x)
    functional.graph.eliminate_dead_code()
    functional.recompile()
    calls = [str(node.target) for node in functional.graph.nodes if node.op == "call_function"]
    print(f"functionalized first: {', '.join(calls)}")
    assert not any("add_" in call for call in calls)
    assert torch.equal(functional(x), before)

    module = fx.symbolic_trace(two_masks)
    half = torch.full((1000,), 0.5)
    differ = int(answer(module, half).count_nonzero())
    merged = merge_equal(module)
    after = int(answer(module, half).count_nonzero())
    print(f"two bernoulli calls merged {merged}: {differ} differences become {after}")
    assert differ > 400
    assert after == 0


if __name__ == "__main__":
    main()
