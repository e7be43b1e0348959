"""A device that works through a queue, with a clock of its own: like a GPU, but always the same.

Whoever submits work goes on at once. The device does the work later, in order, and only
`synchronize` waits for it. Time here does not pass by itself: it passes when the host submits,
waits or computes.
"""


class Device:
    """All times in milliseconds."""

    submitting = 0.05
    """What it costs the host to hand over one piece of work."""

    def __init__(self):
        self._host = 0.0
        self._free_at = 0.0

    def clock(self):
        """The host's time."""
        return self._host

    def submit(self, work):
        """Have the device do `work` milliseconds of work, once it is done with all before."""
        self._host += self.submitting
        self._free_at = max(self._free_at, self._host) + work

    def compute(self, work):
        """Do `work` milliseconds on the host itself."""
        self._host += work

    def synchronize(self):
        """Wait until the device has done everything."""
        self._host = max(self._host, self._free_at)
