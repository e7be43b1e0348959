"""Samples from a process that keeps count of them.

    reader = samples.Reader(address)
    pictures, captions = reader.fetch(step, numbers)

gives float32 [N, 3, 16, 16] and int64 [N, 8], with the noise of that step. Which samples a step
has is said by `numbers(seed, step)`; a rank of several fetches its share of them only.
"""

import socket

import numpy as np
import remote
import torch
from safetensors.numpy import load

SAMPLES, BATCH = 64, 8


class Reader:
    """A connection to the process that has the samples, at the path of a Unix socket."""

    def __init__(self, address):
        self._sock = socket.socket(socket.AF_UNIX)
        self._sock.connect(address)

    def fetch(self, step, numbers):
        """Pictures and captions of some samples of a step."""
        remote.send(self._sock, {"step": step, "numbers": list(numbers)})
        arrays = load(remote.receive(self._sock)[1])
        return torch.from_numpy(arrays["pictures"]), torch.from_numpy(arrays["captions"])


def numbers(seed, step):
    """The samples of a step, over all ranks."""
    epoch, place = divmod(step, SAMPLES // BATCH)
    order = np.random.default_rng([seed, epoch]).permutation(SAMPLES)
    return order[place * BATCH : (place + 1) * BATCH].tolist()
