"""What inference_mode forbids that no_grad allows, and what it still watches."""

from __future__ import annotations

from collections.abc import Callable

import torch


def refused(work: Callable[[], object]) -> str:
    """The first sentence of the error that `work` must raise."""
    try:
        work()
    except RuntimeError as refusal:
        return str(refusal).split(". ")[0]
    raise AssertionError("this must be refused")


def main() -> None:
    """Make a tensor under each, and use it in training afterwards."""
    weight = torch.randn(3, 3, requires_grad=True)
    x = torch.randn(2, 3)
    with torch.no_grad():
        quiet = x @ weight
    with torch.inference_mode():
        inferred = x @ weight
    assert not quiet.requires_grad
    assert not inferred.requires_grad

    (quiet * weight[0]).sum().backward()
    print("no_grad's tensor as a constant in a loss: fine")
    print("inference_mode's:", refused(lambda: (inferred * weight[0]).sum().backward()))
    # An addition keeps neither operand, so that nothing is noticed: the error comes or not.
    (inferred + weight[0]).sum().backward()
    print("in an addition: no error, because an addition saves nothing")
    print("written to later:", refused(lambda: inferred.add_(1)))
    print("asked for its version:", refused(lambda: inferred._version))
    (inferred.clone() * weight[0]).sum().backward()
    print("a clone made outside is an ordinary tensor again")

    for mode in (torch.no_grad, torch.inference_mode):
        leaf, mask = torch.randn(3, requires_grad=True), torch.ones(3)
        product = leaf * mask  # keeps mask
        with mode():
            mask.mul_(2)  # an ordinary tensor, changed in place
        message = refused(lambda product=product: product.sum().backward())
        assert "modified by an inplace operation" in message
    print("a saved ordinary tensor changed in place is found under either")


if __name__ == "__main__":
    main()
