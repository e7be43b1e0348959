"""How layer_norm(x, out) is judged; x and out are float32 matrices."""

from hotloop.tasks import authoring as hl


def truth(x):
    return (x - x.mean(-1, keepdims=True)) / (x.var(-1, keepdims=True) + 1e-5) ** 0.5


def case(rng, columns):
    return hl.case(truth, hl.reductions.spikes(rng, columns, 30.0))


TOLERANCE = hl.Tolerance(relative=1e-5, absolute=1e-4)

layer_norm = hl.fills_tensor(
    correct=hl.Correct(hl.Truth(hl.Each(case), truth, TOLERANCE)),
    fast=hl.Fast(hl.matrices(512, 4096, truth, TOLERANCE), hl.Baseline("baseline.py", "pytorch")),
)
