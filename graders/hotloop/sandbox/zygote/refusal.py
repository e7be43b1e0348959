"""Reasons why a zygote cannot serve."""


class ZygoteRefused(RuntimeError):
    """A zygote cannot confine its children here, because of the machine or a preloaded module.

    The caller then launches through bubblewrap.
    """


class ZygoteGone(ZygoteRefused):
    """The zygote has ended; another one may serve."""


class ChildLost(ZygoteRefused):
    """A child did not start; perhaps the zygote has just ended."""
