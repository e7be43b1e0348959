"""How prefix_sum(x, out) is judged, a Triton function; x and out are float32 vectors."""

import numpy as np

from hotloop.tasks import authoring as hl


def vector(rng, size):
    return hl.case(np.cumsum, rng.integers(-9, 10, size).astype(np.float64))


truth = hl.Truth(
    cases=lambda rng: (vector(rng, size) for size in (1, 1000, 1024, 4099)),
    reference=np.cumsum,
    tolerance=hl.Tolerance(relative=0.0, absolute=0.0),  # sums of integers are exact
)
calls = hl.TritonKernelCalls(truth, counted=lambda rng: vector(rng, 8192))
prefix_sum = hl.triton_kernel(calls)
