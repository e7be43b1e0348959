"""How a program is run, unless somebody says otherwise."""

ORDERS = ("forward", "reverse", "random:1", "random:2")
"""Of lanes, warps and blocks: a program must not depend on any."""

TIMEOUT_S = 60
"""Seconds of one run."""
