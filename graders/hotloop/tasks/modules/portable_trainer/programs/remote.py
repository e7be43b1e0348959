"""The backends of a run, which live in another process: there they are taken up, and fail.

    cluster.backends        what `policy.md` wants to know of each, the most wanted first
    cluster.steps           how many steps the run has
    cluster.every           steps between two checkpoints
    cluster.numbers(n)      the samples of step n, for n from 0 to steps - 1
    cluster.take_up(name, arrays)
                            compile a backend and hand it a state, or None to begin the run; gives
                            None, or the event `compile_failed`
    cluster.step(n)         train on the samples of step n; gives an event of `policy.md`: `step`,
                            `out_of_memory` or `rank_lost`
    cluster.state()         the arrays of its state, by name, after the last step

After `out_of_memory` or `rank_lost` the step was half done: the backend has no state to be trusted
until it is taken up again with one. A loss that is not finite has spoiled the weights, too.
"""

import json
import struct

import numpy as np
from safetensors.numpy import load, save

SAMPLES, BATCH = 64, 8
_PREFIX = struct.Struct("!II")


class Cluster:
    """Asks the process at the other end of a socket."""

    def __init__(self, sock):
        self._sock = sock
        about, _ = self._ask("about")
        self.backends, self.steps, self.every = about["backends"], about["steps"], about["every"]
        self._seed = about["seed"]

    def numbers(self, step):
        """The samples of a step: each once an epoch, in an order of its own in each."""
        epoch, place = divmod(step, SAMPLES // BATCH)
        order = np.random.default_rng([self._seed, epoch]).permutation(SAMPLES)
        return order[place * BATCH : (place + 1) * BATCH].tolist()

    def take_up(self, name, arrays):
        """See above."""
        payload = b"" if arrays is None else save(arrays)
        return self._ask("take_up", payload, name=name)[0]["event"]

    def step(self, step):
        """See above."""
        return self._ask("step", numbers=self.numbers(step))[0]["event"]

    def state(self):
        """See above."""
        return load(self._ask("state")[1])

    def _ask(self, what, payload=b"", **more):
        send(self._sock, {"what": what, **more}, payload)
        answer, data = receive(self._sock)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer, data


def send(sock, message, payload=b""):
    """A message in JSON, and bytes that belong to it."""
    text = json.dumps(message).encode()
    sock.sendall(_PREFIX.pack(len(text), len(payload)) + text + payload)


def receive(sock):
    """The next message and its bytes. EOFError when the other end is gone."""
    length, size = _PREFIX.unpack(exactly(sock, _PREFIX.size))
    return json.loads(exactly(sock, length)), exactly(sock, size)


def exactly(sock, count):
    """That many bytes."""
    parts = bytearray()
    while len(parts) < count:
        part = sock.recv(min(count - len(parts), 1 << 20))
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)
