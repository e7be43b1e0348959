"""Work with a known speed ratio: the same unit of work, done 9, 10 or 11 times.

A unit is four passes over the tensor, so that a timed window needs few bytes of fresh input.
"""

import torch


def _units(count: int, x: torch.Tensor, out: torch.Tensor) -> None:
    for _ in range(4 * count):
        torch.exp(x, out=out)


def units_9(x: torch.Tensor, out: torch.Tensor) -> None:
    """Run nine units: 10 % faster than the candidate."""
    _units(9, x, out)


def units_10(x: torch.Tensor, out: torch.Tensor) -> None:
    """Run ten units: the candidate."""
    _units(10, x, out)


def units_11(x: torch.Tensor, out: torch.Tensor) -> None:
    """Run eleven units: 10 % slower than the candidate."""
    _units(11, x, out)
