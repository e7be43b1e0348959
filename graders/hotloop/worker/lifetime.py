"""Ends a worker when the process that started it ends, whatever the candidate is doing."""

import ctypes
import signal

_PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """Have Linux send this process SIGKILL when its parent ends; in the sandbox the parent is init.

    Without a sandbox (in a learner's JupyterLab) an endless loop would otherwise keep running after
    the judge was interrupted.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
