"""Why a zygote does not serve."""


class ZygoteRefused(RuntimeError):
    """This machine, or what was to be preloaded, does not let a zygote confine its children.

    Whoever sees it launches in the ordinary way.
    """


class ZygoteGone(ZygoteRefused):
    """The zygote has ended; another may serve."""


class ChildLost(ZygoteRefused):
    """A child did not start, which may be the zygote's own end that nobody has seen yet."""
