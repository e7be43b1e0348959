"""The numbers between which each element of a right answer lies.

Both the exact result and the result of the problem's own code are right, and so is what lies as far
from them as other code with as good arithmetic comes; `hotloop_worlds` measures how far that is.
"""

import torch
from hotloop_worlds import roundoff

TIMES = 6.0
"""An answer may err by this many times the typical error at its element."""

TIMES_EAGER = 8.0
"""An answer may err by this many times the typical error of the problem's own code."""

ROUNDINGS = 16.0
"""And by this many roundings of the number, and of the output's root mean square, in the dtype in
which PyTorch computes the output: float32 for float16 and bfloat16."""

GROUP = 64
"""Elements of about the same size whose errors are taken together, since few runs tell little."""

MOST_OF_RMS = 0.05
"""A call decides if what an answer may err is less than this share of the output, both as RMS."""

MOST_OF_INTEGERS = 0.01
"""A call decides if fewer of an output's integers than this depend on roundings."""


def bounds(exact, eager, runs):
    """Return the lowest and the highest number that are right, float64, in the output's shape.

    exact, eager: the output in float64, and of the problem's own code. runs: the outputs with
    random roundings. Both bounds are NaN where NaN is right, and infinite with opposite signs where
    anything is, since the exact result and the problem's own differ in what is finite.
    """
    all_ = torch.stack([each.double() for each in (exact, eager, *runs)])
    low, high = all_.amin(0), all_.amax(0)
    if eager.is_floating_point():
        low, high = (each.double() for each in torch.aminmax(all_[:2], dim=0))
        allowed = _allowed(all_[0], all_[1], all_[2:], eager.dtype)
        low, high = low - allowed, high + allowed
    finite = all_[:2].isfinite()
    one, other = all_[:2]
    same = (one == other) | (one.isnan() & other.isnan())
    unclear = ~same & ~finite.all(0)
    low = torch.where(finite.all(0), low, one).masked_fill(unclear, -torch.inf)
    high = torch.where(finite.all(0), high, one).masked_fill(unclear, torch.inf)
    return low, high


def undecided(exact, low, high, *, floating):
    """Return why a wrong answer may be within the bounds of an output; "" if none is."""
    judged = low.isfinite() & high.isfinite()
    if not judged.any():
        return "its output is not finite"
    if not floating:
        few = (low < high).double().mean() < MOST_OF_INTEGERS
        return "" if few else "its whole numbers depend on roundings"
    room, size = (high - low)[judged] / 2, exact.double()[judged]
    # Zeros alone decide too: whether all calls have the same output is asked elsewhere.
    if _rms(room) <= MOST_OF_RMS * _rms(size) or not size.any():
        return ""
    return "its own code is too far from float64, as its output is small beside its roundings"


def within(answer, low, high):
    """Return where an answer is right."""
    anything = (low == -torch.inf) & (high == torch.inf)
    inside = (answer >= low) & (answer <= high)
    return inside | anything | (answer.isnan() & low.isnan())


def _allowed(exact, eager, runs, dtype):
    flat = exact.flatten()
    usual = (runs - exact).square().nan_to_num(0.0, 0.0, 0.0).mean(0).flatten()
    own = (eager - exact).square().nan_to_num(0.0, 0.0, 0.0).flatten()
    order = flat.abs().nan_to_num(0.0, 0.0, 0.0).argsort()
    near, own_near = (_of_groups(each[order]) for each in (usual, own))
    found = torch.empty_like(flat)
    found[order] = torch.maximum(
        TIMES * torch.maximum(usual[order], near).sqrt(), TIMES_EAGER * own_near.sqrt()
    )
    # What is cut off, as by relu, shows no error in most runs, though it has one.
    cut = _repeated(flat[order])
    found[order] = torch.where(
        cut, torch.clamp(found[order], min=(TIMES * usual.mean().sqrt()).item()), found[order]
    )
    step = roundoff(torch.promote_types(dtype, torch.float32))
    finite = flat[flat.isfinite()]
    floor = flat.abs() + (_rms(finite) if finite.numel() else 0.0)
    least = torch.finfo(dtype).smallest_normal
    return (found + ROUNDINGS * step * floor + least).reshape(exact.shape)


def _of_groups(squares):
    """Return for each element the mean over its group."""
    size = min(GROUP, squares.numel())
    groups = squares.split(size or 1)
    whole = squares[: squares.numel() // size * size].reshape(-1, size).mean(1) if size else squares
    means = [whole.repeat_interleave(size)]
    if squares.numel() % (size or 1):
        means.append(groups[-1].mean().maximum(whole[-1]).expand(len(groups[-1])))
    return torch.cat(means)


def _repeated(ordered):
    """Return which elements of numbers in order of their size are equal to a neighbor."""
    same = torch.zeros(ordered.numel(), dtype=torch.bool, device=ordered.device)
    if ordered.numel() > 1:
        equal = ordered[1:] == ordered[:-1]
        same[1:] |= equal
        same[:-1] |= equal
    return same


def _rms(values):
    return values.square().mean().sqrt()
