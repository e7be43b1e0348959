"""How far an answer is from the problem's own, by the tolerance that a set publishes.

An absolute tolerance that is as large as the output would take zeros, at reduced sizes above all,
so it counts up to a share of the output only.
"""

MOST_OF_RMS = 0.05
"""An absolute error may be at most this share of the output's root mean square."""

AT_ALL = 8.0
"""Where a share of the elements may be off, none may be off by more than this many tolerances."""


def far(got, want, absolute, relative, share=0.0):
    """Return what is wrong with an output; "" if it is right.

    absolute, relative: accepted error. share: of the elements that may be off. An infinity is right
    where it is in both.
    """
    got, want = got.double(), want.double()
    finite = want.isfinite()
    size = want[finite].square().mean().sqrt().item() if finite.any() else 0.0
    # Zeros are compared as the set does: there is no share of them.
    absolute = min(absolute, MOST_OF_RMS * size) if size else absolute
    room = absolute + relative * want.abs()
    error = (got - want).abs()
    wrong, lost = (~((got == want) | (finite & (error <= n * room))) for n in (1, AT_ALL))
    if not lost.any() and not wrong.double().mean() > share:
        return ""
    worst = int((wrong * (error / room.clamp_min(1e-300)).nan_to_num(1e300, 1e300)).argmax())
    pair = f"got {got.flatten()[worst]:.4g}, expected {want.flatten()[worst]:.4g}"
    return f"{int(wrong.sum())} of {wrong.numel()} elements differ, such as {pair}"


def unequal(got, want):
    """Return what is wrong with whole numbers, which have no tolerance; "" if they are right."""
    wrong = int((got != want).sum())
    return f"{wrong} of {want.numel()} integers differ" if wrong else ""
