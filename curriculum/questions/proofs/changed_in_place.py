"""When a change in place breaks the backward pass, when it is harmless, and when it is silent."""

from __future__ import annotations

from collections.abc import Callable

import torch

Change = Callable[[torch.Tensor], object]


def outcome(forward: Callable[[torch.Tensor], torch.Tensor], change: Change) -> str:
    """“right”, “wrong” or “refused”, for the gradient with a change behind the operation."""
    truth = torch.tensor([0.5, 1.0, 2.0], requires_grad=True)
    forward(truth).sum().backward()
    x = truth.detach().clone().requires_grad_()
    y = forward(x)
    change(y)
    try:
        y.sum().backward()
    except RuntimeError as error:
        return "refused" if "modified by an inplace operation" in str(error) else str(error)
    assert x.grad is not None
    assert truth.grad is not None
    return "right" if torch.equal(x.grad, truth.grad) else "wrong"


def main() -> None:
    """Exp keeps its result, relu too, doubling keeps nothing; .data goes behind the counter."""

    def add(y: torch.Tensor) -> object:
        return y.add_(1)

    def add_to_data(y: torch.Tensor) -> object:
        return y.data.add_(1)

    def add_without_recording(y: torch.Tensor) -> object:
        with torch.no_grad():
            return y.add_(1)

    cases: list[tuple[str, Callable[[torch.Tensor], torch.Tensor], Change, str]] = [
        ("x * 2, then y.add_(1)", lambda x: x * 2, add, "right"),
        ("x.exp(), then y.add_(1)", torch.exp, add, "refused"),
        ("x.relu(), then y.add_(1)", torch.relu, add, "refused"),
        ("x.exp(), then the same under no_grad", torch.exp, add_without_recording, "refused"),
        ("x.exp(), then y.data.add_(1)", torch.exp, add_to_data, "wrong"),
    ]
    for name, forward, change, expected in cases:
        found = outcome(forward, change)
        print(f"{name:38} gradient {found}")
        assert found == expected

    y = torch.ones(3)
    view = y[:2]
    view.add_(1)
    print("version of a tensor after a change through its view:", y._version)
    assert y._version == view._version == 1, "a view shares the counter"
    y.data.add_(1)
    assert y._version == 1, ".data doesn't"


if __name__ == "__main__":
    main()
