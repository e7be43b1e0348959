"""How prefix_sum(x, out) is judged, a Triton function; x and out are float32 vectors."""

import numpy as np

from hotloop.tasks import authoring as hl


def vector(rng, size):
    return hl.case(np.cumsum, rng.integers(-9, 10, size).astype(np.float64))


calls = hl.TritonKernelCalls(
    cases=lambda rng: (vector(rng, size) for size in (1, 1000, 1024, 4099)),
    counted=lambda rng: vector(rng, 8192),
    reference=np.cumsum,
    tolerance=hl.Tolerance(relative=0.0, absolute=0.0),  # sums of integers are exact
)
prefix_sum = hl.fills_tensor(
    correct=hl.TritonKernelCorrect(calls),
    traffic=hl.TritonTraffic(calls, fewest_bytes=lambda case: case.spec.bytes),
)
